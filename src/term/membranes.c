#include "term_impl.h"

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
    wring_term_set_coef(t, e, B);
    wring_term_set_weight(t, e, area);
  }
  wring_term_set_par(t, 0, par);
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}
