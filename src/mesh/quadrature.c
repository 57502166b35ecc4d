/*
  Shape functions of tets of first and second order, rules of quadrature, rest geometry at points. docs/theory.md (3.1b)
*/
#include "data.h"
#include "tet.h"
#include <math.h>

/*
  Positive rules: the centroid; four points, degree 2; fourteen points, degree 5 [Walkington 2000]. Points of an orbit
  have the coordinate a at one corner (or at two, b = 1/2 - a at the others) and b at the others.
*/
static const wring_quadrature centroid = {.n = 1, .weight = {1}, .L = {{0.25, 0.25, 0.25, 0.25}}};

#define CORNERS(a, b)                                                                                                  \
  {a, b, b, b}, {b, a, b, b}, {b, b, a, b},                                                                            \
  {                                                                                                                    \
    b, b, b, a                                                                                                         \
  }
#define EDGES(a, b)                                                                                                    \
  {a, a, b, b}, {a, b, a, b}, {a, b, b, a}, {b, a, a, b}, {b, a, b, a},                                                \
  {                                                                                                                    \
    b, b, a, a                                                                                                         \
  }

static const wring_quadrature four = {
  .n = 4, .weight = {0.25, 0.25, 0.25, 0.25}, .L = {CORNERS(0.58541019662496845446, 0.13819660112501051518)}};

#define W1 0.11268792571801585080
#define W2 0.07349304311636194955
#define W3 0.04254602077708146644

static const wring_quadrature fourteen = {.n      = 14,
                                          .weight = {W1, W1, W1, W1, W2, W2, W2, W2, W3, W3, W3, W3, W3, W3},
                                          .L      = {CORNERS(0.06734224221009817060, 0.31088591926330060980),
                                                     CORNERS(0.72179424906732632080, 0.09273525031089122640),
                                                     EDGES(0.45449629587435035050, 0.04550370412564964950)}};

const wring_quadrature *wring_quadrature_of(int points)
{
  static const wring_quadrature *const rules[] = {&centroid, &four, &fourteen};
  for (int i = 0; i < 3; i++)
    if (rules[i]->n == points) return rules[i];
  return NULL;
}

const wring_quadrature *wring_mesh_quadrature(const wring_mesh *m)
{
  if (m->tets.order < 2) return &centroid;
  return m->tets.points ? wring_quadrature_of(m->tets.points) : &four;
}

int wring_tet_vertices(const wring_mesh *m, PetscInt e, PetscInt v[10])
{
  for (int a = 0; a < 4; a++) v[a] = m->tets.corner[4 * (size_t)e + (size_t)a];
  for (int a = 0; a < 6 && m->tets.order > 1; a++) v[4 + a] = m->tets.mid[6 * (size_t)e + (size_t)a];
  return m->tets.order > 1 ? 10 : 4;
}

void wring_tet_shape(int n, const double L[4], double *N)
{
  for (int a = 0; a < 4; a++) N[a] = n > 4 ? L[a] * (2 * L[a] - 1) : L[a];
  for (int a = 4; a < n; a++) N[a] = 4 * L[wring_tet_edge[a - 4][0]] * L[wring_tet_edge[a - 4][1]];
}

/* dN_a/dL_k, then minus dN_a/dL_3, since L_3 = 1 - L_0 - L_1 - L_2. */
void wring_tet_shape_gradients(int n, const double L[4], double (*dN)[3])
{
  for (int a = 0; a < n; a++) {
    double d[4] = {0};
    if (a < 4) {
      d[a] = n > 4 ? 4 * L[a] - 1 : 1;
    } else {
      d[wring_tet_edge[a - 4][0]] = 4 * L[wring_tet_edge[a - 4][1]];
      d[wring_tet_edge[a - 4][1]] = 4 * L[wring_tet_edge[a - 4][0]];
    }
    for (int k = 0; k < 3; k++) dN[a][k] = d[k] - d[3];
  }
}

/*
  Positions are quadratic in L, so that their derivatives are linear: at corner c, dx/dL_k = 4 x_kc - x_k, with the
  middle x_kc of an edge and x_kk = x_k. Differences from the last corner have no rounding of a body far from 0.
*/
void wring_tet_corner_jacobians(const wring_mesh *m, PetscInt e, const double *x, double D[4][9])
{
  static const int middle[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
  double           y[10][3];
  PetscInt         v[10];
  const int        n = wring_tet_vertices(m, e, v);
  for (int a = 0; a < n; a++) wring_subtract3(x + 3 * (size_t)v[a], x + 3 * (size_t)v[3], y[a]);
  for (int c = 0; c < 4; c++) {
    for (int i = 0; i < 3; i++) {
      double d[4];
      for (int k = 0; k < 4; k++) d[k] = n > 4 ? 4 * y[middle[k][c]][i] - y[k][i] : y[k][i];
      for (int k = 0; k < 3; k++) D[c][3 * i + k] = d[k] - d[3];
    }
  }
}

void wring_tet_jacobian_at(const double corner[4][9], const double L[4], double D[9])
{
  for (int i = 0; i < 9; i++)
    D[i] = L[0] * corner[0][i] + L[1] * corner[1][i] + L[2] * corner[2][i] + L[3] * corner[3][i];
}

void wring_tet_jacobian(const wring_mesh *m, PetscInt e, const double *x, const double L[4], double D[9])
{
  double corner[4][9];
  wring_tet_corner_jacobians(m, e, x, corner);
  wring_tet_jacobian_at((const double(*)[9])corner, L, D);
}

void wring_tet_rest_at(const wring_mesh *m, PetscInt e, const double L[4], double B[9], double *volume)
{
  double D[9], column[3][3];
  wring_tet_jacobian(m, e, m->X, L, D);
  for (int i = 0; i < 9; i++) column[i % 3][i / 3] = D[i];
  wring_tet_invert(column[0], column[1], column[2], B, volume);
}

double wring_tet_volume_at(const double corner[4][9], const double L[4])
{
  double D[9], normal[3];
  wring_tet_jacobian_at(corner, L, D);
  wring_cross3(D + 3, D + 6, normal);
  return -wring_dot3(D, normal) / 6;
}

/* det D is a cubic at order 2, which the rule integrates exactly. */
double wring_tet_volume(const wring_mesh *m, PetscInt e)
{
  const wring_quadrature *const rule = m->tets.order > 1 ? &fourteen : &centroid;
  double                        corner[4][9], volume = 0;
  wring_tet_corner_jacobians(m, e, m->X, corner);
  for (int p = 0; p < rule->n; p++)
    volume += rule->weight[p] * wring_tet_volume_at((const double(*)[9])corner, rule->L[p]);
  return volume;
}

double wring_tet_least(const double X[30], const wring_quadrature *rule, double *volume)
{
  PetscInt         tet[] = {0, 1, 2, 3}, mid[] = {4, 5, 6, 7, 8, 9};
  const wring_mesh one = {
    .tets.order = 2, .tets.n = 1, .X = (double *)(uintptr_t)X, .tets.corner = tet, .tets.mid = mid};
  double corner[4][9], least = INFINITY;
  wring_tet_corner_jacobians(&one, 0, X, corner);
  for (int p = 0; p < 4 + rule->n; p++) {
    const double at[4] = {p == 0, p == 1, p == 2, p == 3};
    least              = fmin(least, wring_tet_volume_at((const double(*)[9])corner, p < 4 ? at : rule->L[p - 4]));
  }
  *volume = wring_tet_volume(&one, 0);
  return least;
}
