/* Elements of a list: springs, triangles, and hinges between two triangles. docs/theory.md 3.9, (3.60), (3.61) */
#include "base/sort.h"
#include "term_impl.h"

/* order [n] of the elements; *n_interior of them touch owned vertices only. */
static PetscErrorCode order_elements(const wring_mesh *mesh, int m, PetscInt n, const PetscInt *vertex,
                                     PetscBool along_curve, PetscInt *order, PetscInt *n_interior)
{
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &key));
  *n_interior = 0;
  for (PetscInt e = 0; e < n; e++) {
    const PetscInt *const v      = vertex + (size_t)e * (size_t)m;
    PetscInt              lowest = v[0], boundary = 0; // 1 if the element touches a ghost
    for (int a = 0; a < m; a++) {
      lowest = PetscMin(lowest, v[a]);
      boundary |= v[a] >= mesh->n_owned;
    }
    key[e] = (uint64_t)boundary * (uint64_t)mesh->n_local + (along_curve ? (uint64_t)lowest : 0);
    *n_interior += 1 - boundary;
  }
  PetscCall(wring_order_keys(n, key, order));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_listed(const wring_mesh *mesh, const char *name, const wring_law *law, int m, int q,
                                        PetscInt n, const PetscInt *vertex, PetscBool along_curve,
                                        PetscBool per_element, wring_term **t)
{
  PetscInt *order, *sorted, n_interior = 0;

  PetscFunctionBegin;
  PetscCall(wring_term_check_law(name, law, m, q));
  PetscCall(PetscMalloc1(n, &order));
  PetscCall(PetscMalloc1((size_t)n * (size_t)m, &sorted));
  PetscCall(order_elements(mesh, m, n, vertex, along_curve, order, &n_interior));
  for (PetscInt e = 0; e < n; e++)
    PetscCall(PetscArraycpy(sorted + (size_t)e * (size_t)m, vertex + (size_t)order[e] * (size_t)m, m));
  PetscCall(wring_term_create(mesh, name, law, m, n, n_interior, sorted, per_element, t));
  (*t)->place = order;
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *vertex,
                                         const double *stiffness, const double *length, const double *damping,
                                         wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCall(wring_term_create_listed(mesh, name, &wring_law_spring, 2, 1, n, vertex, PETSC_FALSE, PETSC_TRUE, &t));
  for (PetscInt e = 0; e < n; e++)
    wring_term_set_par(t, e, (const double[]){stiffness[t->place[e]], length[t->place[e]]});
  if (damping) {
    PetscCall(PetscMalloc1(n, &t->damping));
    for (PetscInt e = 0; e < n; e++) t->damping[e] = damping[t->place[e]];
  }
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_term_is_damped(const wring_term *t)
{
  if (!t->damping) return PETSC_FALSE;
  for (PetscInt e = 0; e < t->n; e++)
    if (t->damping[e] > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode wring_term_create_triangles(const wring_mesh *mesh, const char *name, const wring_law *law,
                                           const double *par, PetscInt n, const PetscInt *vertex, wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCall(wring_term_create_listed(mesh, name, law, 3, 2, n, vertex, PETSC_TRUE, PETSC_FALSE, &t));
  for (PetscInt e = 0; e < n; e++) {
    const PetscInt *v = vertex + 3 * (size_t)t->place[e];
    double          B[4], area;
    wring_triangle_rest(mesh->X + 3 * v[0], mesh->X + 3 * v[1], mesh->X + 3 * v[2], B, &area);
    wring_term_set_point(t, e, 0, B, area);
  }
  wring_term_set_par(t, 0, par);
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = sum c_a x_a/A, weight A. */
PetscErrorCode wring_term_create_hinges(const wring_mesh *mesh, const char *name, const wring_law *law,
                                        double stiffness, PetscInt n, const PetscInt *vertex, wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCheck(law->n_par <= 2, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "'%s': law '%s' of hinges has %d parameters", name,
             law->name, law->n_par);
  PetscCall(wring_term_create_listed(mesh, name, law, 4, 1, n, vertex, PETSC_TRUE, PETSC_TRUE, &t));
  for (PetscInt e = 0; e < n; e++) {
    const PetscInt *v = vertex + 4 * (size_t)t->place[e];
    const double   *X[4];
    double          c[4], area, curvature;
    for (int a = 0; a < 4; a++) X[a] = mesh->X + 3 * (size_t)v[a];
    wring_hinge_rest(X, c, &area, &curvature);
    wring_term_set_point(t, e, 0, (const double[]){c[0] / area, c[1] / area, c[2] / area}, area);
    wring_term_set_par(t, e, (const double[]){stiffness, curvature}); // the law reads the first n_par
  }
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}
