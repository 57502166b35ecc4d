/* Deformation gradients and stresses of elements, and their means at vertices. docs/theory.md (3.2), 3.11 */
#include "kernels.h"
#include <math.h>

/* Entry i of a symmetric tensor, XX YY ZZ XY YZ XZ, is that of this row and column. */
static const int row_of[6] = {0, 1, 2, 0, 1, 0}, column_of[6] = {0, 1, 2, 1, 2, 2};

/* ---- stresses of a term ------------------------------------------------------------------------------------------ */

/* The elements of a chunk, x private [vertices][4]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  const double     *x;
  double           *tau; // [elements][6]
} work_stress;

/* The symmetric part of p z^T in a lane: with z = F A and p = dpsi/dz, P = p A^T, so that P F^T = p z^T. */
static inline __attribute__((always_inline)) void add_lane(int q, const lanes *p, const lanes *z, int l, double scale,
                                                           double tau[6])
{
  for (int i = 0; i < 6; i++) {
    const int r = q * row_of[i], c = q * column_of[i];
    double    sum = 0;
    for (int k = 0; k < q; k++) sum += p[r + k][l] * z[c + k][l] + p[c + k][l] * z[r + k][l];
    tau[i] += 0.5 * scale * sum;
  }
}

static inline __attribute__((always_inline)) void add_stress(int m, int q, void *context)
{
  const work_stress *const w = context;
  const wring_term *const  t = w->t;
  WRING_ALIGNED lanes      z[3 * MAX_Q], p[3 * MAX_Q];
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    load_z(t, b, m, q, w->x, z);
    t->law->gradient(t->law, term_par(t, b), (wring_in)z, p);
    for (int l = 0; l < LANES; l++) {
      const PetscInt e = term_element(t, b * LANES + l);
      if (e < 0) continue;
      const PetscInt at = t->cell ? t->cell[e] : t->place[e];
      add_lane(q, (const lanes *)p, (const lanes *)z, l, t->scale ? t->scale[e] : 1, w->tau + 6 * (size_t)at);
    }
  }
}

void wring_term_add_stress(const wring_term *t, const double *x, double *tau)
{
  const int membrane = t->m == 3 && t->law->q == 2;
  if ((!t->cell && !membrane) || !t->active) return;
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    double x_private[4 * t->max_vertex];
    load_chunk(t, c, x, x_private);
    with_stencil(t, add_stress, &(work_stress){t, c, x_private, tau});
  }
}

/* ---- tets -------------------------------------------------------------------------------------------------------- */

/* F [9] of tet e, row by row. */
static void form_gradient(const wring_mesh *m, PetscInt e, const double *x, double F[9])
{
  const PetscInt *const v = m->tet + 4 * (size_t)e;
  const double *const   X = m->X;
  double                B[9], volume;
  wring_tet_rest(X + 3 * v[0], X + 3 * v[1], X + 3 * v[2], X + 3 * v[3], B, &volume);
  for (int i = 0; i < 9; i++) {
    const int c = i / 3;
    F[i]        = 0;
    for (int a = 0; a < 3; a++) F[i] += (x[3 * v[a] + c] - x[3 * v[3] + c]) * B[3 * a + i % 3];
  }
}

void wring_deformation_gradients(const wring_mesh *m, const double *x, double *F)
{
#pragma omp parallel for schedule(static)
  for (PetscInt e = 0; e < m->n_tet; e++) form_gradient(m, e, x, F + 9 * (size_t)e);
}

void wring_cauchy_stresses(const wring_mesh *m, const double *x, double *tau)
{
#pragma omp parallel for schedule(static)
  for (PetscInt e = 0; e < m->n_tet; e++) {
    double F[9];
    form_gradient(m, e, x, F);
    wring_cauchy_stress(wring_volume_ratio(F), tau + 6 * (size_t)e);
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

void wring_add_at_vertices(const wring_mesh *m, const double *stress, double *normal, double *shear, double *volume)
{
  for (PetscInt e = 0; e < m->n_tet; e++) {
    const PetscInt *const v = m->tet + 4 * (size_t)e;
    const double *const X = m->X, *const s = stress + 6 * (size_t)e;
    double B[9], V;
    wring_tet_rest(X + 3 * v[0], X + 3 * v[1], X + 3 * v[2], X + 3 * v[3], B, &V);
    for (int a = 0; a < 4; a++) {
      for (int c = 0; c < 3; c++) {
        normal[3 * v[a] + c] += V * s[c];
        shear[3 * v[a] + c] += V * s[3 + c];
        volume[3 * v[a] + c] += V;
      }
    }
  }
}
