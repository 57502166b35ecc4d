#include "term_impl.h"

/* Lists the tets of a region, interior ones first as in the mesh: cell [n] and vertex [n][4], freed by the caller. */
static PetscErrorCode list_tets(const wring_mesh *mesh, PetscInt region, PetscInt *n, PetscInt *n_interior,
                                PetscInt **cell, PetscInt **vertex)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  *n = *n_interior = 0;
  for (PetscInt e = 0; e < mesh->n_tet; e++) *n += mesh->region[e] == region;
  PetscCall(PetscMalloc1(*n, cell));
  PetscCall(PetscMalloc1((size_t)4 * *n, vertex));
  for (PetscInt e = 0; e < mesh->n_tet; e++) {
    if (mesh->region[e] != region) continue;
    PetscCall(PetscArraycpy(*vertex + (size_t)4 * i, mesh->tet + (size_t)4 * e, 4));
    *n_interior += e < mesh->n_interior;
    (*cell)[i++] = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row a of D_m^(-1) is the gradient of hat function a; its derivative along a direction is one number. */
static void set_gradient(wring_term *t, PetscInt e, const double B[9], const double *along)
{
  double b[3];
  if (!along) {
    wring_term_set_coef(t, e, B);
    return;
  }
  for (int a = 0; a < 3; a++) b[a] = B[3 * a] * along[0] + B[3 * a + 1] * along[1] + B[3 * a + 2] * along[2];
  wring_term_set_coef(t, e, b);
}

/* direction [mesh->n_tet][3] for laws with q = 1; scale [mesh->n_tet] as in the term. */
static PetscErrorCode create(const wring_mesh *mesh, PetscInt region, const wring_law *law, const double *par,
                             const double *scale, const double *direction, wring_term **term)
{
  wring_term *t;
  PetscInt   *cell, *vertex, n, n_interior;

  PetscFunctionBegin;
  PetscCall(list_tets(mesh, region, &n, &n_interior, &cell, &vertex));
  PetscCall(
    wring_term_create(mesh, mesh->regions.name[region], law, 4, n, n_interior, vertex, PETSC_TRUE, PETSC_FALSE, &t));
  if (scale) PetscCall(PetscMalloc1(n, &t->scale));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *v = vertex + 4 * i;
    double          B[9], volume;
    wring_tet_rest(mesh->X + 3 * v[0], mesh->X + 3 * v[1], mesh->X + 3 * v[2], mesh->X + 3 * v[3], B, &volume);
    set_gradient(t, i, B, direction ? direction + 3 * cell[i] : NULL);
    wring_term_set_weight(t, i, scale ? scale[cell[i]] * volume : volume);
    if (scale) t->scale[i] = scale[cell[i]];
  }
  PetscCall(PetscFree(vertex));
  wring_term_set_par(t, 0, par);
  wring_term_pad(t);
  t->cell = cell;
  *term   = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_scaled_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                             const double *par, double proxy, const double *scale, wring_term **term)
{
  PetscFunctionBegin;
  PetscCall(create(mesh, region, law, par, scale, NULL, term));
  (*term)->proxy = proxy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law, const double *par,
                                      double proxy, wring_term **term)
{
  PetscFunctionBegin;
  PetscCall(wring_term_create_scaled_tets(mesh, region, law, par, proxy, NULL, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_fibres(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                        const double *par, const double *direction, wring_term **term)
{
  PetscFunctionBegin;
  PetscCall(create(mesh, region, law, par, NULL, direction, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}
