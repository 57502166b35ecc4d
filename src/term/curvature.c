/*
  The Hessian without a matrix: its diagonal blocks, and the three products u . H u, u . H p, p . H p of two directions.
  docs/theory.md (5.32), (5.33)
*/
#include "kernels.h"

enum { ENTRIES = 6 }; // xx yy zz xy yz xz

/* ---- diagonal blocks --------------------------------------------------------------------------------------------- */

/* K += w g h g^T of a corner with the row g [q] of G. */
TERM_INLINE void corner_block(int q, wring_in g, const double *w, wring_in h, double (*K)[LANES])
{
  for (int e = 0; e < ENTRIES; e++) {
    const int i = q * wring_sym_row[e], j = q * wring_sym_column[e];
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int k = 0; k < q * q; k++) sum += g[k / q][l] * h[(i + k / q) * 3 * q + j + k % q][l] * g[k % q][l];
      K[e][l] += w[l] * sum;
    }
  }
}

/* K [6 m] of a block += that of a row. */
TERM_INLINE void add_corners(int m, int q, void *context)
{
  const row_hessian *const w = context;
  const wring_term *const  t = w->r->t;
  WRING_ALIGNED lanes      g[MAX_M * MAX_Q], free[9 * MAX_Q];
  corner_rows(m, q, form_rows(m, q, point_of(t, m, w->r->point), row_coef(t, w->r->row), free), g);
  for (int a = 0; a < m; a++)
    corner_block(q, (wring_in)(g + q * a), t->weight + (size_t)w->r->row * LANES, w->h,
                 matrices_of(w->r) + ENTRIES * a);
}

/* The filter and the result of a diagonal. */
typedef struct {
  wring_filter filter;
  double      *value;
} diagonal;

static void map_diagonal(const term_row *r)
{
  const diagonal *const d = context_of(r);
  WRING_ALIGNED lanes   h[9 * MAX_Q * MAX_Q];
  if (r->point == 0) memset(matrices_of(r), 0, (size_t)(ENTRIES * r->t->m) * sizeof *h);
  r->t->law->hessian(r->t->law, d->filter, term_par(r->t, r->row), r->z, h);
  with_stencil(r->t, add_corners, &(row_hessian){r, (wring_in)h});
}

static void add_diagonal(const wring_term *t, PetscInt block, const double (*K)[LANES], void *context)
{
  const diagonal *const d = context;
  PetscInt              v[MAX_M];
  for (int l = 0; l < LANES; l++) {
    if (!term_is_real(t, block * LANES + l)) continue;
    term_vertices(t, block * LANES + l, v);
    for (int i = 0; i < ENTRIES * t->m; i++) d->value[ENTRIES * (size_t)v[i / ENTRIES] + i % ENTRIES] += K[i][l];
  }
}

void wring_term_add_diagonal(const wring_term *t, wring_filter filter, const double *x, double *value)
{
  const wring_matrices work = {map_diagonal, add_diagonal, &(diagonal){filter, value}, ENTRIES * t->m};
  wring_term_add_matrices(t, &work, x);
}

/* ---- products with two directions -------------------------------------------------------------------------------- */

static void map_products(const term_row *r)
{
  const wring_filter *const filter = r->context;
  WRING_ALIGNED lanes       one[3];
  wring_law_multiply(r->t->law, *filter, term_par(r->t, r->row), r->z, r->z + FIELD, r->z + 2 * FIELD, one);
  for (int k = 0; k < 3; k++) r->sum[k] += weighted_sum(r->t->weight + (size_t)r->row * LANES, one[k]);
}

void wring_term_products(const wring_term *t, wring_filter filter, const double *x, const double *u, const double *p,
                         double sum[3])
{
  const wring_pass pass = {.t = t, .map = map_products, .context = &filter, .more = {u, p}, .n_more = 2, .n_sum = 3};
  wring_pass_run(&pass, WRING_ALL, x, NULL, sum);
}
