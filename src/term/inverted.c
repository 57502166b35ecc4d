/* Tets that are inverted: the signs of their volumes, for second-order tets at corners and quadrature points. */
#include <wring/term.h>

/* Six times the volume of a tet. */
static double volume6(const double *x, const PetscInt v[4])
{
  const double *const o = x + 3 * (size_t)v[0];
  double              d[3][3];
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) d[k][c] = x[3 * (size_t)v[k + 1] + (size_t)c] - o[c];
  }
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* Whether J > 0 at the corners and quadrature points of a second-order tet; det dx/dL < 0 there. */
static int is_upright_at_points(const wring_mesh *m, PetscInt e, const double *x)
{
  const wring_quadrature *const rule = wring_mesh_quadrature(m);
  double                        D[9];
  for (int i = 0; i < 4 + rule->n; i++) {
    const double L[4] = {i == 0, i == 1, i == 2, i == 3};
    wring_tet_jacobian(m, e, x, i < 4 ? L : rule->L[i - 4], D);
    if (!(wring_volume_ratio(D) < 0)) return 0;
  }
  return 1;
}

static int is_inverted(const wring_mesh *m, PetscInt e, const double *x)
{
  if (m->order > 1) return !is_upright_at_points(m, e, x);
  return !(volume6(x, m->tet + 4 * (size_t)e) > 0);
}

void wring_mark_inverted(const wring_mesh *m, const double *x, char *mark, PetscInt64 count[2])
{
  PetscInt64 all = 0, newly = 0;
#pragma omp parallel for schedule(static) reduction(+ : all, newly)
  for (PetscInt e = 0; e < m->n_tet; e++) {
    const char inverted = (char)is_inverted(m, e, x);
    all += inverted;
    newly += inverted && !mark[e];
    mark[e] = inverted;
  }
  count[0] = all;
  count[1] = newly;
}
