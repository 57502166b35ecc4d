#include "term_impl.h"

/* Order of springs: those between owned vertices first. */
static PetscErrorCode interior_first(const wring_mesh *mesh, PetscInt n, const PetscInt *a, const PetscInt *b,
                                     PetscInt *order, PetscInt *n_interior)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  for (int boundary = 0; boundary < 2; boundary++) {
    for (PetscInt e = 0; e < n; e++) {
      if ((a[e] >= mesh->n_owned || b[e] >= mesh->n_owned) == boundary) order[i++] = e;
    }
    if (!boundary) *n_interior = i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_damped_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *a,
                                                const PetscInt *b, const double *stiffness, const double *length,
                                                const double *damping, wring_term **term)
{
  wring_term *t;
  PetscInt   *order, *vertex, n_interior;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &order, 2 * n, &vertex));
  PetscCall(interior_first(mesh, n, a, b, order, &n_interior));
  for (PetscInt i = 0; i < n; i++) vertex[2 * i] = a[order[i]], vertex[2 * i + 1] = b[order[i]];
  PetscCall(wring_term_create(mesh, name, &wring_law_spring, 2, n, n_interior, vertex, PETSC_FALSE, PETSC_TRUE, &t));
  for (PetscInt i = 0; i < n; i++) wring_term_set_par(t, i, (const double[]){stiffness[order[i]], length[order[i]]});
  if (damping) {
    PetscCall(PetscMalloc1(n, &t->damping));
    for (PetscInt i = 0; i < n; i++) t->damping[i] = damping[order[i]];
  }
  wring_term_pad(t);
  PetscCall(PetscFree2(order, vertex));
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
