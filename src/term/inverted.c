/* Tets that are inverted: the signs of their volumes. */
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

void wring_count_inverted(const wring_mesh *m, const double *from, const double *x, PetscInt64 count[2])
{
  PetscInt64 all = 0, newly = 0;
#pragma omp parallel for schedule(static) reduction(+ : all, newly)
  for (PetscInt e = 0; e < m->n_tet; e++) {
    const PetscInt *const v = m->tet + 4 * (size_t)e;
    if (volume6(x, v) > 0) continue;
    all++;
    newly += volume6(from, v) > 0;
  }
  count[0] = all;
  count[1] = newly;
}

void wring_mark_inverted(const wring_mesh *m, const double *x, char *mark, PetscInt64 count[2])
{
  PetscInt64 all = 0, newly = 0;
#pragma omp parallel for schedule(static) reduction(+ : all, newly)
  for (PetscInt e = 0; e < m->n_tet; e++) {
    const char inverted = !(volume6(x, m->tet + 4 * (size_t)e) > 0);
    all += inverted;
    newly += inverted && !mark[e];
    mark[e] = inverted;
  }
  count[0] = all;
  count[1] = newly;
}
