#include "term_impl.h"

PetscErrorCode wring_term_create_damped_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *a,
                                                const PetscInt *b, const double *stiffness, const double *length,
                                                const double *damping, wring_term **term)
{
  wring_term *t;
  PetscInt   *vertex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)2 * n, &vertex));
  for (PetscInt e = 0; e < n; e++) vertex[2 * e] = a[e], vertex[2 * e + 1] = b[e];
  PetscCall(wring_term_create_listed(mesh, name, &wring_law_spring, 2, 1, n, vertex, PETSC_FALSE, PETSC_TRUE, &t));
  for (PetscInt e = 0; e < n; e++)
    wring_term_set_par(t, e, (const double[]){stiffness[t->place[e]], length[t->place[e]]});
  if (damping) {
    PetscCall(PetscMalloc1(n, &t->damping));
    for (PetscInt e = 0; e < n; e++) t->damping[e] = damping[t->place[e]];
  }
  wring_term_pad(t);
  PetscCall(PetscFree(vertex));
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *a,
                                         const PetscInt *b, const double *stiffness, const double *length,
                                         wring_term **term)
{
  PetscFunctionBegin;
  PetscCall(wring_term_create_damped_springs(mesh, name, n, a, b, stiffness, length, NULL, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_term_is_damped(const wring_term *t)
{
  for (PetscInt e = 0; t->damping && e < t->n; e++) {
    if (t->damping[e] > 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
