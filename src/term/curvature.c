/*
  The Hessian without a matrix: its diagonal blocks, and the three products u . H u, u . H p, p . H p of two directions.
  docs/theory.md (5.32), (5.33)
*/
#include "kernels.h"
#include "pass.h"

enum { GROUP = 16, ENTRIES = 6 }; // blocks that one thread holds; xx yy zz xy yz xz

static const int row_of[ENTRIES] = {0, 1, 2, 0, 1, 0}, column_of[ENTRIES] = {0, 1, 2, 1, 2, 2};

/* ---- diagonal blocks --------------------------------------------------------------------------------------------- */

/* A block of elements: x private [vertices][4], K [m][6]. */
typedef struct {
  const wring_term *t;
  wring_filter      filter;
  PetscInt          b;
  const double     *x;
  double (*K)[LANES];
} work_block;

/* K = w g h g^T of a corner with the row g [q] of G; added to K for second-order tets. */
static inline __attribute__((always_inline)) void corner_block(int m, int q, wring_in g, const double *w, wring_in h,
                                                               double (*K)[LANES])
{
  for (int e = 0; e < ENTRIES; e++) {
    const int i = q * row_of[e], j = q * column_of[e];
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int k = 0; k < q * q; k++) sum += g[k / q][l] * h[(i + k / q) * 3 * q + j + k % q][l] * g[k % q][l];
      K[e][l] = m == QUADRATIC ? K[e][l] + w[l] * sum : w[l] * sum;
    }
  }
}

/* The rows of G of all corners, [m q]. */
static inline __attribute__((always_inline)) void corner_rows(int m, int q, const double *coef, double (*g)[LANES])
{
  const int n = free_vertices(m) * q;
  for (int i = 0; i < m * q; i++) {
    for (int l = 0; l < LANES; l++) g[i][l] = i >= n ? 0 : coef ? coef[i * LANES + l] : 1;
  }
  for (int i = 0; i < n && m > 1; i++) {
    for (int l = 0; l < LANES; l++) g[n + i % q][l] -= g[i][l];
  }
}

static inline __attribute__((always_inline)) void block_diagonal(int m, int q, void *context)
{
  const work_block *const w      = context;
  const wring_term *const t      = w->t;
  const int               points = points_of(t, m);
  WRING_ALIGNED lanes     z[3 * MAX_Q], h[9 * MAX_Q * MAX_Q], g[MAX_M * MAX_Q], free[9 * MAX_Q], d[27];
  if (m == QUADRATIC) memset(w->K, 0, (size_t)(ENTRIES * m) * sizeof *w->K);
  load_columns(t, w->b, m, w->x, d);
  for (int p = 0; p < points; p++) {
    const PetscInt row = w->b * points + p;
    load_z(t, w->b, p, m, q, w->x, (const lanes *)d, z);
    t->law->hessian(t->law, w->filter, term_par(t, row), (wring_in)z, h);
    corner_rows(m, q, form_rows(m, q, point_of(t, m, p), row_coef(t, row), free), g);
    for (int a = 0; a < m; a++)
      corner_block(m, q, (wring_in)(g + q * a), t->weight + (size_t)row * LANES, (wring_in)h, w->K + ENTRIES * a);
  }
}

static void add_group(const wring_term *t, PetscInt c, PetscInt b0, PetscInt b1, lanes *K, double *value)
{
  for (PetscInt b = b0; b < b1; b++, K += ENTRIES * t->m) {
    for (int l = 0; l < LANES; l++) {
      if (!(block_weight(t, b)[l] > 0)) continue;
      for (int a = 0; a < t->m; a++) {
        double *const entry = value + ENTRIES * (size_t)term_corner(t, c, b, a, l);
        for (int e = 0; e < ENTRIES; e++) entry[e] += K[ENTRIES * a + e][l];
      }
    }
  }
}

/* As for the Hessian, all threads compute, and the order of summation is fixed. */
void wring_term_add_diagonal(const wring_term *t, wring_filter filter, const double *x, double *value)
{
  const PetscInt per_chunk = (t->chunk_blocks + GROUP - 1) / GROUP;
  if (!t->active) return;
#pragma omp parallel for ordered schedule(static, 1)
  for (PetscInt i = 0; i < t->n_chunk * per_chunk; i++) {
    const PetscInt      c = i / per_chunk, b0 = t->chunk_block[c] + i % per_chunk * GROUP;
    const PetscInt      b1 = PetscMin(b0 + GROUP, t->chunk_block[c + 1]);
    WRING_ALIGNED lanes K[GROUP * ENTRIES * MAX_M];
    double              x_private[4 * t->max_vertex];
    if (b0 < b1) load_chunk(t, c, x, x_private);
    for (PetscInt b = b0; b < b1; b++) {
      with_stencil(t, block_diagonal, &(work_block){t, filter, b, x_private, K + (b - b0) * ENTRIES * t->m});
    }
#pragma omp ordered
    add_group(t, c, b0, b1, K, value);
  }
}

/* ---- products with two directions -------------------------------------------------------------------------------- */

/* A chunk: positions and directions private [vertices][4], sums [3]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  wring_filter      filter;
  const double     *x, *u, *p;
  double           *sum;
} work_chunk;

static inline __attribute__((always_inline)) void chunk_products(int m, int q, void *context)
{
  const work_chunk *const w      = context;
  const wring_term *const t      = w->t;
  const int               points = points_of(t, m);
  WRING_ALIGNED lanes     z[3 * MAX_Q], a[3 * MAX_Q], b[3 * MAX_Q], one[3], dx[27], du[27], dp[27];
  for (PetscInt i = t->chunk_block[w->c]; i < t->chunk_block[w->c + 1]; i++) {
    load_columns(t, i, m, w->x, dx);
    load_columns(t, i, m, w->u, du);
    load_columns(t, i, m, w->p, dp);
    for (int p = 0; p < points; p++) {
      const PetscInt row = i * points + p;
      load_z(t, i, p, m, q, w->x, (const lanes *)dx, z);
      load_z(t, i, p, m, q, w->u, (const lanes *)du, a);
      load_z(t, i, p, m, q, w->p, (const lanes *)dp, b);
      wring_law_multiply(t->law, w->filter, term_par(t, row), (wring_in)z, (wring_in)a, (wring_in)b, one);
      for (int k = 0; k < 3; k++) w->sum[k] += wring_weighted_sum(t->weight + (size_t)row * LANES, one[k]);
    }
  }
}

PetscErrorCode wring_term_products(wring_term *t, wring_filter filter, const double *x, const double *u,
                                   const double *p, double sum[3])
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) sum[k] = 0;
  if (!t->active) PetscFunctionReturn(PETSC_SUCCESS);
  if (!t->product) PetscCall(PetscMalloc1(3 * t->n_chunk, &t->product));
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    vertex_row    x_rows[t->max_vertex], u_rows[t->max_vertex], p_rows[t->max_vertex];
    double *const xc = (double *)x_rows, *const uc = (double *)u_rows, *const pc = (double *)p_rows;
    double one[3] = {0};
    load_chunk(t, c, x, xc);
    load_chunk(t, c, u, uc);
    load_chunk(t, c, p, pc);
    with_stencil(t, chunk_products, &(work_chunk){t, c, filter, xc, uc, pc, one});
    for (int k = 0; k < 3; k++) t->product[k * t->n_chunk + c] = one[k];
  }
  for (int k = 0; k < 3; k++) sum[k] = wring_pairwise_sum(t->n_chunk, t->product + k * t->n_chunk);
  PetscFunctionReturn(PETSC_SUCCESS);
}
