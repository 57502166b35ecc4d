#include "term_impl.h"

PetscErrorCode wring_term_create_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law, const double *par,
                                      double proxy, wring_term **term)
{
  wring_term *t;
  PetscInt   *cell, *vertex, n = 0, n_interior = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->n_tet; e++) n += mesh->region[e] == region;
  PetscCall(PetscMalloc1(n, &cell));
  PetscCall(PetscMalloc1(4 * n, &vertex));
  for (PetscInt e = 0, i = 0; e < mesh->n_tet; e++) {
    if (mesh->region[e] != region) continue;
    PetscCall(PetscArraycpy(vertex + 4 * i, mesh->tet + 4 * e, 4));
    n_interior += e < mesh->n_interior;
    cell[i++] = e;
  }
  PetscCall(
    wring_term_create(mesh, mesh->regions.name[region], law, 4, n, n_interior, vertex, PETSC_TRUE, PETSC_FALSE, &t));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *v = vertex + 4 * i;
    double          B[9], volume;
    wring_tet_rest(mesh->X + 3 * v[0], mesh->X + 3 * v[1], mesh->X + 3 * v[2], mesh->X + 3 * v[3], B, &volume);
    wring_term_set_coef(t, i, B);
    wring_term_set_weight(t, i, volume);
  }
  PetscCall(PetscFree(vertex));
  wring_term_set_par(t, 0, par);
  wring_term_pad(t);
  t->cell  = cell;
  t->proxy = proxy;
  *term    = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}
