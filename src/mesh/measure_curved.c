/* Measures of slices of second-order meshes that were read: volumes, areas and lengths with the middles of edges. */
#include "base/sort.h"
#include "measure.h"
#include "data.h"
#include "mesh/tet.h"
#include "mesh/refine/edges.h"
#include <math.h>

PetscErrorCode wring_view_find_middles(wring_view *w)
{
  wring_edges g;
  PetscBool   fits;
  int         order = w->d->order;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &order, 1, MPI_INT, MPI_MAX, w->comm));
  if (order < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_view_list_edges(w, PETSC_TRUE, &w->n_edge, &w->edge));
  PetscCall(wring_edges_create(w->comm, w->n_edge, w->edge, 0, &g));
  PetscCall(PetscMalloc1(3 * (size_t)w->n_edge, &w->middle));
  PetscCall(wring_edges_find_middles(&g, w->slice->N, &w->d->middles, w->n_edge, w->edge, w->middle, &fits));
  PetscCheck(fits, w->comm, PETSC_ERR_ARG_WRONG, "middles of edges without their ends");
  PetscCall(wring_edges_destroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The position at the middle of the edge between two used vertices. */
static void find_middle(const wring_view *w, PetscInt a, PetscInt b, double X[3])
{
  const PetscInt place = wring_find_key(w->n_edge, w->edge, wring_edge_key(w->slice->N, w->used[a], w->used[b]));
  for (int c = 0; c < 3; c++) {
    const double at = w->middle[3 * (size_t)place + (size_t)c];
    X[c]            = isnan(at) ? 0.5 * (w->X[3 * (size_t)a + (size_t)c] + w->X[3 * (size_t)b + (size_t)c]) : at;
  }
}

double wring_view_tet_volume(const wring_view *w, PetscInt e, double *jacobian)
{
  const PetscInt *const v = w->tet + 4 * (size_t)e;
  double                X[30], volume;
  for (int i = 0; i < 12; i++) X[i] = w->X[3 * (size_t)v[i / 3] + (size_t)(i % 3)];
  for (int k = 0; k < 6; k++) find_middle(w, v[wring_tet_edge[k][0]], v[wring_tet_edge[k][1]], X + 12 + 3 * k);
  const double least = wring_tet_least(X, wring_quadrature_of(WRING_MAX_POINTS), &volume);
  *jacobian          = volume > 0 ? least / volume : least < 0 ? -INFINITY : 0;
  return volume;
}

/* Seven points of degree 5 [Radon 1948]: barycentric coordinates of orbits (a, b, b), and weights. */
#define R1 0.10128650732345633880 // (6 - 15^(1/2))/21
#define R2 0.47014206410511508977 // (6 + 15^(1/2))/21
#define V1 0.12593918054482715260 // (155 - 15^(1/2))/1200
#define V2 0.13239415278850618074 // (155 + 15^(1/2))/1200

static const double radon[7][4] = {
  {1.0 / 3, 1.0 / 3, 1.0 / 3, 0.225}, {1 - 2 * R1, R1, R1, V1}, {R1, 1 - 2 * R1, R1, V1}, {R1, R1, 1 - 2 * R1, V1},
  {1 - 2 * R2, R2, R2, V2},           {R2, 1 - 2 * R2, R2, V2}, {R2, R2, 1 - 2 * R2, V2}};

double wring_view_triangle_area(const wring_view *w, const PetscInt v[3])
{
  double mid[3][3], area = 0;
  for (int k = 0; k < 3; k++) find_middle(w, v[k], v[(k + 1) % 3], mid[k]);
  for (int p = 0; p < 7; p++) {
    const double *const L = radon[p];
    double              t[2][3], n[3];
    for (int c = 0; c < 3; c++) {
      double d[3]; // dX/dL_a
      for (int a = 0; a < 3; a++)
        d[a] = (4 * L[a] - 1) * w->X[3 * (size_t)v[a] + (size_t)c] +
               4 * (L[(a + 1) % 3] * mid[a][c] + L[(a + 2) % 3] * mid[(a + 2) % 3][c]);
      for (int k = 0; k < 2; k++) t[k][c] = d[k] - d[2];
    }
    wring_cross3(t[0], t[1], n);
    area += 0.5 * L[3] * sqrt(wring_dot3(n, n));
  }
  return area;
}

/* By the three points of Gauss. */
double wring_view_line_length(const wring_view *w, const PetscInt v[2])
{
  const double at[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)}, weight[3] = {5.0 / 18, 4.0 / 9, 5.0 / 18};
  double       mid[3], length                                               = 0;
  find_middle(w, v[0], v[1], mid);
  for (int p = 0; p < 3; p++) {
    const double t      = at[p];
    double       square = 0;
    for (int c = 0; c < 3; c++)
      square += PetscSqr((4 * t - 3) * w->X[3 * (size_t)v[0] + (size_t)c] +
                         (4 * t - 1) * w->X[3 * (size_t)v[1] + (size_t)c] + (4 - 8 * t) * mid[c]);
    length += weight[p] * sqrt(square);
  }
  return length;
}
