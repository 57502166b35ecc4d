/* The patches' part of the Hessian: gradients of the means of J, and their products with directions. theory.md 3.12 */
#include "mean.h"
#include "term/kernels.h"

/* cof F in all lanes; F and c [9]. */
static inline void cofactors(const lanes *F, lanes *c)
{
  for (int i = 0; i < 9; i++) {
    const int r0 = 3 * ((i / 3 + 1) % 3), r1 = 3 * ((i / 3 + 2) % 3), c0 = (i % 3 + 1) % 3, c1 = (i % 3 + 2) % 3;
    for (int l = 0; l < LANES; l++) c[i][l] = F[r0 + c0][l] * F[r1 + c1][l] - F[r0 + c1][l] * F[r1 + c0][l];
  }
}

void wring_term_patch_curvatures(const wring_term *t, wring_filter filter, double *D)
{
  const wring_mean *const mean = t->mean;
  for (PetscInt i = 0; i < mean->patches.n_root; i++) {
    const double V = mean->patches.volume[i];
    double       u[3];
    D[i] = 0;
    if (!(V > 0)) continue;
    mean->law->volumetric->energy(mean->par, mean->patches.root[i], u);
    const double U = mean->own_scale[i] * u[2];
    D[i]           = V * (U < 0 ? U - filter * U : U);
  }
}

PetscInt wring_term_corners(const wring_term *t)
{
  return t->m;
}

void wring_term_patch_vertices(const wring_term *t, PetscInt *number, PetscInt *vertex)
{
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
      for (int l = 0; l < LANES; l++) {
        const PetscInt e = term_element(t, b * LANES + l);
        if (e < 0) continue;
        number[e] = t->mean->patches.number[t->mean->patch[e]];
        for (int a = 0; a < t->m; a++) vertex[t->m * e + a] = term_corner(t, c, b, a, l);
      }
    }
  }
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* A chunk: positions private [vertices][4], value [n][m][3]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  const double     *x;
  double           *value;
} work_gradients;

static inline __attribute__((always_inline)) void chunk_gradients(int m, int q, void *context)
{
  const work_gradients *const w    = context;
  const wring_term *const     t    = w->t;
  const wring_mean *const     mean = t->mean;
  WRING_ALIGNED lanes         z[3 * MAX_Q], c[9], f[3 * MAX_M], d[27];
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    load_columns(t, b, m, w->x, d);
    for (int p = 0; p < points_of(t, m); p++) {
      load_z(t, b, p, m, q, w->x, (const lanes *)d, z);
      cofactors((const lanes *)z, c);
      form_forces(m, q, point_of(t, m, p), row_coef(t, b * points_of(t, m) + p), (wring_in)c, f);
      for (int l = 0; l < LANES; l++) {
        const PetscInt e = term_element(t, b * LANES + l);
        if (e < 0) continue;
        const double  share = term_part(t, b, p, l) * mean_volume(t, e) / mean->volume[mean->patch[e]];
        double *const value = w->value + 3 * m * (size_t)e;
        for (int i = 0; i < 3 * m; i++) value[i] = (p > 0 ? value[i] : 0) + share * f[i][l];
      }
    }
  }
}

void wring_term_patch_gradients(const wring_term *t, const double *x, double *value)
{
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    double x_private[4 * t->max_vertex];
    load_chunk(t, c, x, x_private);
    if (t->law->q == 3) with_stencil(t, chunk_gradients, &(work_gradients){t, c, x_private, value});
  }
}

/* ---- changes along two directions -------------------------------------------------------------------------------- */

/* A chunk: positions and directions private [vertices][4]; a and b [n_block][LANES]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  const double     *x, *u, *p;
  double           *a, *b;
} work_changes;

static inline __attribute__((always_inline)) void chunk_changes(int m, int q, void *context)
{
  const work_changes *const w = context;
  const wring_term *const   t = w->t;
  WRING_ALIGNED lanes       z[3 * MAX_Q], u[3 * MAX_Q], p[3 * MAX_Q], c[9], dx[27], du[27], dp[27];
  for (PetscInt i = t->chunk_block[w->c]; i < t->chunk_block[w->c + 1]; i++) {
    double *const a = w->a + (size_t)i * LANES, *const b = w->b + (size_t)i * LANES;
    load_columns(t, i, m, w->x, dx);
    load_columns(t, i, m, w->u, du);
    load_columns(t, i, m, w->p, dp);
    for (int l = 0; l < LANES; l++) a[l] = b[l] = 0;
    for (int k = 0; k < points_of(t, m); k++) {
      load_z(t, i, k, m, q, w->x, (const lanes *)dx, z);
      load_z(t, i, k, m, q, w->u, (const lanes *)du, u);
      load_z(t, i, k, m, q, w->p, (const lanes *)dp, p);
      cofactors((const lanes *)z, c);
      for (int l = 0; l < LANES; l++) {
        const double part = term_part(t, i, k, l);
        for (int n = 0; n < 9; n++) a[l] += part * c[n][l] * u[n][l], b[l] += part * c[n][l] * p[n][l];
      }
    }
  }
}

PetscErrorCode wring_term_patch_changes(const wring_term *t, const double *x, const double *u, const double *p,
                                        double *a, double *b)
{
  double *second;

  PetscFunctionBegin;
  PetscCall(wring_blocks_create((size_t)t->n_block * LANES, &second));
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    double xc[4 * t->max_vertex], uc[4 * t->max_vertex], pc[4 * t->max_vertex];
    load_chunk(t, c, x, xc);
    load_chunk(t, c, u, uc);
    load_chunk(t, c, p, pc);
    if (t->law->q == 3) with_stencil(t, chunk_changes, &(work_changes){t, c, xc, uc, pc, t->mean->J, second});
  }
  wring_mean_sum(t, t->mean->J, a);
  wring_mean_sum(t, second, b);
  wring_blocks_destroy(&second);
  PetscFunctionReturn(PETSC_SUCCESS);
}
