#include "mean.h"

/* The vertices of a tet in the order of a term: those of second-order tets have the fourth corner last. */
static int order_vertices(const wring_mesh *mesh, PetscInt e, PetscInt v[10])
{
  const int n = wring_tet_vertices(mesh, e, v);
  if (n == QUADRATIC) {
    const PetscInt corner = v[3];
    for (int a = 3; a < 9; a++) v[a] = v[a + 1];
    v[9] = corner;
  }
  return n;
}

/* Lists the tets of a region, interior ones first as in the mesh: cell [n] and vertex [n][m], freed by the caller. */
static PetscErrorCode list_tets(const wring_mesh *mesh, PetscInt region, int m, PetscInt *n, PetscInt *n_interior,
                                PetscInt **cell, PetscInt **vertex)
{
  PetscInt i = 0, v[10];

  PetscFunctionBegin;
  *n = *n_interior = 0;
  for (PetscInt e = 0; e < mesh->tets.n; e++) *n += mesh->tets.region[e] == region;
  PetscCall(PetscMalloc1(*n, cell));
  PetscCall(PetscMalloc1((size_t)m * (size_t)*n, vertex));
  for (PetscInt e = 0; e < mesh->tets.n; e++) {
    if (mesh->tets.region[e] != region) continue;
    order_vertices(mesh, e, v);
    PetscCall(PetscArraycpy(*vertex + (size_t)m * (size_t)i, v, m));
    *n_interior += e < mesh->tets.n_interior;
    (*cell)[i++] = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Row a of B is the gradient of reference coordinate a, at order 1 of hat function a; its derivative along a direction
  is one number.
*/
static void set_point(wring_term *t, PetscInt e, int point, const double B[9], const double *along, double weight)
{
  double b[3];
  if (along) {
    for (int a = 0; a < 3; a++) b[a] = B[3 * a] * along[0] + B[3 * a + 1] * along[1] + B[3 * a + 2] * along[2];
  }
  wring_term_set_point(t, e, point, along ? b : B, weight);
}

/* The points of element i of a term, tet e of the mesh. */
static void set_points(const wring_mesh *mesh, wring_term *t, PetscInt i, PetscInt e, const double *along, double scale)
{
  const PetscInt *const v = mesh->tets.corner + 4 * (size_t)e;
  double                B[9], volume;
  if (!t->rule) {
    wring_tet_rest(mesh->X + 3 * v[0], mesh->X + 3 * v[1], mesh->X + 3 * v[2], mesh->X + 3 * v[3], B, &volume);
    set_point(t, i, 0, B, along, scale * volume);
    return;
  }
  for (int p = 0; p < t->points; p++) {
    wring_tet_rest_at(mesh, e, t->rule->L[p], B, &volume);
    set_point(t, i, p, B, along, scale * t->rule->weight[p] * volume);
  }
}

/* direction [mesh->tets.n][3] for q = 1, NULL for 3; scale [mesh->tets.n] as in the term. */
static PetscErrorCode create(const wring_mesh *mesh, PetscInt region, const wring_law *law, int q, const double *par,
                             const double *scale, const double *direction, PetscBool per_element, wring_term **term)
{
  const int   m = mesh->tets.order > 1 ? QUADRATIC : 4;
  wring_term *t;
  PetscInt   *cell, *vertex, n, n_interior;

  PetscFunctionBegin;
  PetscCall(wring_term_check_law(mesh->regions.name[region], law, m, q));
  PetscCall(list_tets(mesh, region, m, &n, &n_interior, &cell, &vertex));
  PetscCall(wring_term_create(mesh, mesh->regions.name[region], law, m, n, n_interior, vertex, per_element, &t));
  PetscCall(PetscFree(vertex));
  if (scale) PetscCall(PetscMalloc1(n, &t->scale));
  for (PetscInt i = 0; i < n; i++) {
    set_points(mesh, t, i, cell[i], direction ? direction + 3 * cell[i] : NULL, scale ? scale[cell[i]] : 1);
    if (scale) t->scale[i] = scale[cell[i]];
  }
  for (PetscInt i = 0; i < (per_element ? n : 1); i++) wring_term_set_par(t, i, par);
  wring_term_pad(t);
  t->cell = cell;
  *term   = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law, const double *par,
                                      double proxy, const double *scale, wring_term **term)
{
  PetscFunctionBegin;
  PetscCall(create(mesh, region, law, 3, par, scale, NULL, PETSC_FALSE, term));
  (*term)->proxy = proxy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_fibres(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                        const double *par, const double *direction, wring_term **term)
{
  PetscFunctionBegin;
  PetscCall(create(mesh, region, law, 1, par, NULL, direction, PETSC_FALSE, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of the patches of a term's tets: at order 1 the vertices around which they are, at order 2 the tets. */
static PetscErrorCode number_patches(const wring_mesh *mesh, PetscInt region, const wring_term *t, PetscInt *number)
{
  PetscInt  begin = 0;
  PetscInt *centre;

  PetscFunctionBegin;
  if (mesh->tets.order > 1) {
    PetscCallMPI(MPI_Exscan(&t->n, &begin, 1, MPIU_INT, MPI_SUM, mesh->comm));
    for (PetscInt e = 0; e < t->n; e++) number[e] = begin + e;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(mesh->tets.n, &centre));
  PetscCall(wring_mesh_patches(mesh, region, centre));
  for (PetscInt e = 0; e < t->n; e++) number[e] = centre[t->cell[e]];
  PetscCall(PetscFree(centre));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_mean_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                           const double *par, double proxy, const double *scale, wring_term **term)
{
  double    element_par[law->volumetric->element->n_par];
  PetscInt *number;

  PetscFunctionBegin;
  if (!law->volumetric->keep(par, element_par)) {
    PetscCall(wring_term_create_tets(mesh, region, law, par, proxy, scale, term));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(create(mesh, region, law->volumetric->element, 3, element_par, scale, NULL, PETSC_TRUE, term));
  (*term)->proxy = proxy;
  PetscCall(PetscMalloc1((*term)->n, &number));
  PetscCall(number_patches(mesh, region, *term, number));
  PetscCall(wring_mean_create(mesh->comm, law, par, mesh->tets.order > 1 ? (*term)->n : mesh->n_owned, number, *term));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
