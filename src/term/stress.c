/*
  Deformation gradients and stresses of elements and at points, recovered at vertices; tets that are inverted.
  docs/theory.md (3.2), 3.11
*/
#include "kernels.h"
#include <math.h>

/* ---- stresses of a term ------------------------------------------------------------------------------------------ */

/* tau [elements][6], or [elements][points][6]. */
typedef struct {
  PetscBool at_points;
  double   *tau;
} stresses;

/* The symmetric part of p z^T in a lane: with z = F A and p = dpsi/dz, P = p A^T, so that P F^T = p z^T. */
static void add_lane(int q, wring_in p, wring_in z, int l, double scale, double tau[6])
{
  for (int i = 0; i < 6; i++) {
    const int r = q * wring_sym_row[i], c = q * wring_sym_column[i];
    double    sum = 0;
    for (int k = 0; k < q; k++) sum += p[r + k][l] * z[c + k][l] + p[c + k][l] * z[r + k][l];
    tau[i] += 0.5 * scale * sum;
  }
}

static void map_stress(const term_row *r)
{
  const stresses *const   to = r->context;
  const wring_term *const t  = r->t;
  WRING_ALIGNED lanes     p[3 * MAX_Q], psi;
  t->law->fused(t->law, term_par(t, r->row), r->z, psi, p);
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, r->block * LANES + l);
    if (e < 0) continue;
    const size_t at    = (size_t)(t->cell ? t->cell[e] : t->place[e]);
    const size_t row   = to->at_points ? at * (size_t)t->points + (size_t)r->point : at;
    const double part  = to->at_points ? 1 : term_part(t, r->block, r->point, l);
    const double scale = t->scale ? part * t->scale[e] : part;
    add_lane(t->law->q, (wring_in)p, r->z, l, scale, to->tau + 6 * row);
  }
}

void wring_term_add_stress(const wring_term *t, const double *x, PetscBool at_points, double *tau)
{
  const PetscBool  membrane = (PetscBool)(t->m == 3 && t->law->q == 2);
  const wring_pass pass     = {.t = t, .map = map_stress, .context = &(stresses){at_points, tau}};
  if (t->cell || membrane) wring_pass_run(&pass, WRING_ALL, x, NULL, NULL);
}

/* ---- tets -------------------------------------------------------------------------------------------------------- */

/* F [9] at a point L of any tet; returns the rest volume per unit of the mean over the tet. */
static double form_gradient(const wring_mesh *m, PetscInt e, const double L[4], const double *x, double F[9])
{
  double D[9], B[9], volume;
  wring_tet_jacobian(m, e, x, L, D);
  wring_tet_rest_at(m, e, L, B, &volume);
  for (int i = 0; i < 9; i++) {
    F[i] = 0;
    for (int a = 0; a < 3; a++) F[i] += D[3 * (i / 3) + a] * B[3 * a + i % 3];
  }
  return volume;
}

/* The means of F [9] and J over tet e, from its quadrature points; its rest volume. */
static double form_means(const wring_mesh *m, PetscInt e, const double *x, double F[9], double *J)
{
  const wring_quadrature *const rule   = wring_mesh_quadrature(m);
  double                        volume = form_gradient(m, e, rule->L[0], x, F), at[9];
  *J                                   = wring_volume_ratio(F);
  if (rule->n == 1) return volume;
  for (int i = 0; i < 9; i++) F[i] = 0;
  *J = volume = 0;
  for (int p = 0; p < rule->n; p++) {
    const double part = rule->weight[p] * form_gradient(m, e, rule->L[p], x, at);
    for (int i = 0; i < 9; i++) F[i] += part * at[i];
    *J += part * wring_volume_ratio(at);
    volume += part;
  }
  for (int i = 0; i < 9; i++) F[i] /= volume;
  *J /= volume;
  return volume;
}

void wring_deformation_gradients(const wring_mesh *m, const double *x, double *F)
{
#pragma omp parallel for schedule(static)
  for (PetscInt e = 0; e < m->tets.n; e++) {
    double J;
    form_means(m, e, x, F + 9 * (size_t)e, &J);
  }
}

void wring_cauchy_stresses(const wring_mesh *m, const double *x, PetscBool at_points, double *tau)
{
  const wring_quadrature *const rule = wring_mesh_quadrature(m);
  const int                     n    = at_points ? rule->n : 1;
#pragma omp parallel for schedule(static)
  for (PetscInt e = 0; e < m->tets.n; e++) {
    double F[9], J;
    for (int p = 0; p < n; p++) {
      if (at_points) {
        form_gradient(m, e, rule->L[p], x, F);
        J = wring_volume_ratio(F);
      } else {
        form_means(m, e, x, F, &J);
      }
      wring_cauchy_stress(J, tau + 6 * ((size_t)e * (size_t)n + (size_t)p));
    }
  }
}

double wring_volume_ratio(const double F[9])
{
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

void wring_cauchy_stress(double J, double tau[6])
{
  for (int i = 0; i < 6; i++) tau[i] = J > 0 ? tau[i] / J : NAN;
}

double wring_von_mises(const double s[6])
{
  const double normal = PetscSqr(s[0] - s[1]) + PetscSqr(s[1] - s[2]) + PetscSqr(s[2] - s[0]);
  return sqrt(0.5 * normal + 3 * (PetscSqr(s[3]) + PetscSqr(s[4]) + PetscSqr(s[5])));
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* part [n][points]: what each point has in the value at a vertex of a tet of n vertices, docs/theory.md (3.65a). */
static void extrapolate(const wring_quadrature *rule, int n, double part[10][WRING_MAX_POINTS])
{
  static const double at[10][4] = {{1, 0, 0, 0},     {0, 1, 0, 0},     {0, 0, 1, 0},     {0, 0, 0, 1},
                                   {0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0}, {0.5, 0, 0.5, 0}, {0.5, 0, 0, 0.5},
                                   {0, 0.5, 0, 0.5}, {0, 0, 0.5, 0.5}};
  for (int a = 0; a < n; a++) {
    for (int p = 0; p < rule->n; p++) {
      double along = 0;
      for (int k = 0; k < 4; k++) along += at[a][k] * rule->L[p][k];
      part[a][p] = rule->weight[p] * (20 * along - 4);
    }
  }
}

void wring_add_at_vertices(const wring_mesh *m, const double *stress, double *normal, double *shear, double *volume)
{
  const wring_quadrature *const rule = wring_mesh_quadrature(m);
  double                        part[10][WRING_MAX_POINTS], F[9], J;
  PetscInt                      v[10];
  extrapolate(rule, m->tets.order > 1 ? 10 : 4, part);
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const int    n = wring_tet_vertices(m, e, v);
    const double V = form_means(m, e, m->X, F, &J);
    for (int a = 0; a < n; a++) {
      double s[6] = {0};
      for (int p = 0; p < rule->n; p++)
        for (int c = 0; c < 6; c++) s[c] += part[a][p] * stress[6 * ((size_t)e * (size_t)rule->n + (size_t)p) + c];
      for (int c = 0; c < 3; c++) {
        normal[3 * v[a] + c] += V * s[c];
        shear[3 * v[a] + c] += V * s[3 + c];
        volume[3 * v[a] + c] += V;
      }
    }
  }
}

/* ---- inverted tets: at corners and quadrature points at order 2 -------------------------------------------------- */

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
  double                        D[4 + WRING_MAX_POINTS][9];
  wring_tet_corner_jacobians(m, e, x, D);
  for (int p = 0; p < rule->n; p++) wring_tet_jacobian_at((const double(*)[9])D, rule->L[p], D[4 + p]);
  for (int i = 0; i < 4 + rule->n; i++)
    if (!(wring_volume_ratio(D[i]) < 0)) return 0;
  return 1;
}

static int is_inverted(const wring_mesh *m, PetscInt e, const double *x)
{
  if (m->tets.order > 1) return !is_upright_at_points(m, e, x);
  return !(volume6(x, m->tets.corner + 4 * (size_t)e) > 0);
}

void wring_mark_inverted(const wring_mesh *m, const double *x, char *mark, PetscInt64 count[2])
{
  PetscInt64 all = 0, newly = 0;
#pragma omp parallel for schedule(static) reduction(+ : all, newly)
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const char inverted = (char)is_inverted(m, e, x);
    all += inverted;
    newly += inverted && !mark[e];
    mark[e] = inverted;
  }
  count[0] = all;
  count[1] = newly;
}
