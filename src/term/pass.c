/* The element loops: gather positions, map them through G and the law, scatter forces. docs/theory.md (3.2) */
#include "pass.h"
#include "kernels.h"

enum { AHEAD = 4 }; // blocks

/* The work of one chunk, x and f private [vertices][4], all_x the positions of all vertices. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  const wring_pass *pass;
  const double     *x, *all_x;
  double           *f, *sum;
} work_chunk;

/*
  Prefetches the positions of the next chunk, which are scattered in memory, a part of them with each block of this
  chunk.
*/
static inline void prefetch_vertices(const work_chunk *w, PetscInt b)
{
  const wring_term *const t = w->t;
  if (w->c + 1 == t->n_chunk) return;
  const PetscInt first = t->chunk_vertex[w->c + 1], n = t->chunk_vertex[w->c + 2] - first;
  const PetscInt first_block = t->chunk_block[w->c], n_block = t->chunk_block[w->c + 1] - first_block;
  const PetscInt end = n * (b + 1 - first_block) / n_block;
  for (PetscInt i = n * (b - first_block) / n_block; i < end; i++)
    __builtin_prefetch(w->all_x + 3 * t->vertex[first + i]);
}

static inline __attribute__((always_inline)) void run_blocks(int m, int q, void *context)
{
  const work_chunk *const w      = context;
  const wring_term *const t      = w->t;
  const int               points = points_of(t, m), ahead = AHEAD / points > 0 ? AHEAD / points : 1;
  WRING_ALIGNED lanes     z[3 * MAX_Q], p[3 * MAX_Q], d[27], f[27];
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    prefetch_block(t, PetscMin(b + ahead, t->n_block - 1), m, q);
    prefetch_vertices(w, b);
    load_columns(t, b, m, w->x, d);
    if (m == QUADRATIC) memset(f, 0, sizeof f);
    for (int i = 0; i < points; i++) {
      load_z(t, b, i, m, q, w->x, (const lanes *)d, z);
      w->pass->map(t, w->pass->context, b * points + i, (wring_in)z, w->sum, p);
      if (w->pass->forces) add_forces(t, b, i, m, q, (wring_in)p, f, w->f);
    }
    if (m == QUADRATIC && w->pass->forces) scatter_columns(m, t->corner + (size_t)b * m * LANES, (wring_in)f, w->f);
  }
}

/*
  Runs one chunk: loads positions, and adds forces to f (vertices of this chunk only) or stores them in its rows of
  `share`.
*/
static void run_chunk(wring_term *t, PetscInt c, const wring_pass *pass, const double *x, double *f)
{
  const PetscInt n = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  vertex_row     x_rows[t->max_vertex], f_rows[t->max_vertex]; // aligned: no row crosses a cache line
  double *const x_private = (double *)x_rows, *const f_private = (double *)f_rows;
  double sum[WRING_MAX_SUMS] = {0};
  load_chunk(t, c, x, x_private);
  for (PetscInt i = 0; i < 4 * n; i++) f_private[i] = 0;
  if (pass->chunk)
    pass->chunk(t, c, x_private, f_private, sum);
  else
    with_stencil(t, run_blocks, &(work_chunk){t, c, pass, x_private, x, f_private, sum});
  for (int i = 0; i < pass->n_sum; i++) pass->partial[(size_t)i * t->n_chunk + c] = sum[i];
  if (pass->forces) store_chunk(t, c, f_private, f);
}

static void run_chunks(wring_term *t, PetscInt from, PetscInt to, const wring_pass *pass, const double *x, double *f)
{
#pragma omp parallel for schedule(static)
  for (PetscInt c = from; c < to; c++) run_chunk(t, c, pass, x, f);
}

void wring_pass_interior(wring_term *t, const wring_pass *pass, const double *x, double *f)
{
  if (t->active) run_chunks(t, 0, t->n_chunk_interior, pass, x, f);
}

void wring_pass_boundary(wring_term *t, const wring_pass *pass, const double *x, double *f)
{
  if (t->active) run_chunks(t, t->n_chunk_interior, t->n_chunk, pass, x, f);
}

void wring_pass_finish(wring_term *t, const wring_pass *pass, double *f, double *sum)
{
  for (int i = 0; i < pass->n_sum; i++) {
    sum[i] = t->active ? wring_pairwise_sum(t->n_chunk, pass->partial + (size_t)i * t->n_chunk) : 0;
  }
  if (!t->active || !pass->forces) return;
#pragma omp parallel for schedule(static)
  for (PetscInt s = 0; s < t->n_shared; s++) {
    vertex_row force = {0}, row;
    for (PetscInt i = t->shared_start[s]; i < t->shared_start[s + 1]; i++) {
      __builtin_prefetch(t->share + 4 * (size_t)t->shared_row[i + ROWS_AHEAD]);
      load_row(t->share + 4 * (size_t)t->shared_row[i], &row);
      force += row;
    }
    for (int k = 0; k < 3; k++) f[3 * t->shared[s] + k] += force[k];
  }
}

/* ---- evaluations ------------------------------------------------------------------------------------------------- */

/* p = k (P(z) - z) with the law's projection P. */
static inline void map_residual(const wring_term *t, PetscInt row, wring_in z, wring_out p)
{
  WRING_ALIGNED double k[LANES];
  t->law->project(t->law, term_par(t, row), z, p);
  row_slope(t, row, k);
  for (int i = 0; i < 3 * t->law->q; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) p[i][l] = k[l] * (p[i][l] - z[i][l]);
  }
}

/* p = dpsi/dz, or k (P(z) - z) with the projection P, and the sum of psi if requested. */
static void map_law(const wring_term *t, void *context, PetscInt row, wring_in z, double *sum, wring_out p)
{
  const wring_work    *work = context;
  const wring_in       par  = term_par(t, row);
  WRING_ALIGNED double psi[LANES];
  if (*work & WRING_GRADIENT)
    t->law->fused(t->law, par, z, psi, p);
  else if (*work == WRING_VALUE)
    t->law->energy(t->law, par, z, psi);
  else
    map_residual(t, row, z, p);
  if (*work & WRING_VALUE) sum[0] += wring_weighted_sum(t->weight + (size_t)row * LANES, psi);
}

static wring_chunk *chunk_of(wring_work work)
{
  if (work & WRING_MASS) return wring_mass_chunk;
  return work == WRING_COUNT ? wring_count_chunk : NULL;
}

static wring_pass evaluation(const wring_term *t, wring_work *work)
{
  return (wring_pass){.chunk   = chunk_of(*work),
                      .map     = map_law,
                      .context = work,
                      .forces  = (PetscBool)(*work != WRING_VALUE),
                      .n_sum   = *work & WRING_VALUE ? 1 : 0,
                      .partial = t->energy};
}

void wring_term_interior(wring_term *t, wring_work work, const double *x, double *f)
{
  const wring_pass pass = evaluation(t, &work);
  wring_pass_interior(t, &pass, x, f);
}

void wring_term_boundary(wring_term *t, wring_work work, const double *x, double *f)
{
  const wring_pass pass = evaluation(t, &work);
  wring_pass_boundary(t, &pass, x, f);
}

double wring_term_finish(wring_term *t, wring_work work, double *f)
{
  const wring_pass pass   = evaluation(t, &work);
  double           energy = 0;
  wring_pass_finish(t, &pass, f, &energy);
  return t->mean && (work & WRING_VALUE) ? energy + t->mean_energy : energy;
}
