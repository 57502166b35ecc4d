#include "data.h"
#include "mesh/distribute/order.h"
#include <math.h>

double wring_tet_quality(const double *const x[4], double volume)
{
  double edges = 0;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < a; b++)
      for (int c = 0; c < 3; c++) edges += PetscSqr(x[a][c] - x[b][c]);
  return 12 * cbrt(9 * volume * volume) / edges;
}

PetscErrorCode wring_mesh_tolerance(const wring_mesh *m, double *tolerance, double low[3], double high[3])
{
  PetscFunctionBegin;
  PetscCall(wring_bounds_find(m->comm, m->n_owned, m->X, low, high));
  *tolerance = 1e-9 * wring_distance3(high, low);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void measure_tets(const wring_mesh *m, double *volume, double *min_quality)
{
  *volume      = 0;
  *min_quality = 1;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const double *x[4];
    for (int a = 0; a < 4; a++) x[a] = m->X + 3 * m->tets.corner[4 * e + a];
    const double straight = wring_tet_det(x[0], x[1], x[2], x[3]) / 6;
    *volume += m->tets.order > 1 ? wring_tet_volume(m, e) : straight;
    *min_quality = PetscMin(*min_quality, wring_tet_quality(x, straight));
  }
}

PetscErrorCode wring_mesh_get_info(const wring_mesh *m, wring_mesh_info *info)
{
  double sum[2], most[2] = {(double)m->tets.n, (double)m->n_owned}; // volume, ghosts; tets, vertices

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(m->comm);
  measure_tets(m, &sum[0], &info->min_quality);
  sum[1] = (double)(m->n_local - m->n_owned);
  PetscCall(wring_bounds_find(m->comm, m->n_owned, m->X, info->low, info->high));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &info->min_quality, 1, MPI_DOUBLE, MPI_MIN, m->comm));
  info->volume           = sum[0];
  info->balance_tets     = m->tets.n_global ? most[0] * size / (double)m->tets.n_global : 1;
  info->balance_vertices = m->number.n_global ? most[1] * size / (double)m->number.n_global : 1;
  info->ghosts           = m->number.n_global ? sum[1] / (double)m->number.n_global : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The least height squared, (6 V)^2 over the largest face, twice, squared; *six_volumes = 6 V. */
static double squared_height(const double *const x[4], double *six_volumes)
{
  double e[3][3], n[4][3], largest = 0;
  for (int c = 0; c < 9; c++) e[c / 3][c % 3] = x[c / 3 + 1][c % 3] - x[0][c % 3];
  for (int a = 0; a < 3; a++) wring_cross3(e[a], e[(a + 1) % 3], n[a]);
  for (int c = 0; c < 3; c++) n[3][c] = n[0][c] + n[1][c] + n[2][c];
  for (int a = 0; a < 4; a++) largest = PetscMax(largest, wring_dot3(n[a], n[a]));
  *six_volumes = wring_dot3(e[2], n[0]);
  return *six_volumes * *six_volumes / largest;
}

PetscErrorCode wring_mesh_measure_regions(const wring_mesh *m, double *volume, double *height)
{
  const PetscMPIInt n = (PetscMPIInt)m->regions.n;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; r++) volume[r] = 0, height[r] = PETSC_INFINITY;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const PetscInt r = m->tets.region[e];
    const double  *x[4];
    for (int a = 0; a < 4; a++) x[a] = m->X + 3 * m->tets.corner[4 * e + a];
    double det;
    height[r] = PetscMin(height[r], squared_height(x, &det));
    volume[r] += m->tets.order > 1 ? wring_tet_volume(m, e) : det / 6;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, volume, n, MPI_DOUBLE, MPI_SUM, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, height, n, MPI_DOUBLE, MPI_MIN, m->comm));
  for (PetscInt r = 0; r < n; r++) height[r] = PetscSqrtReal(height[r]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
