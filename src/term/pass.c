/* The element loops: gather positions, map them through G and the law, scatter forces. docs/theory.md (3.2) */
#include "kernels.h"

enum { AHEAD = 4, GROUP = 16 }; // blocks: prefetched; with matrices that one thread holds

/* The blocks [b0, b1) of a chunk: fields [1 + n_more] and f private [vertices][4], x the positions of all vertices. */
typedef struct {
  const wring_pass *pass;
  PetscInt          c, b0, b1;
  const double     *x, *field[PASS_FIELDS];
  double           *f, *sum;
} work_chunk;

/*
  Prefetches the positions of the next chunk, which are scattered in memory, a part of them with each block of this
  chunk.
*/
static inline void prefetch_vertices(const work_chunk *w, PetscInt b)
{
  const wring_term *const t = w->pass->t;
  if (w->c + 1 == t->n_chunk) return;
  const PetscInt first = t->chunk_vertex[w->c + 1], n = t->chunk_vertex[w->c + 2] - first;
  const PetscInt first_block = t->chunk_block[w->c], n_block = t->chunk_block[w->c + 1] - first_block;
  const PetscInt end = n * (b + 1 - first_block) / n_block;
  for (PetscInt i = n * (b - first_block) / n_block; i < end; i++) __builtin_prefetch(w->x + 3 * t->vertex[first + i]);
}

TERM_INLINE void run_blocks(int m, int q, void *context)
{
  const work_chunk *const w      = context;
  const wring_pass *const pass   = w->pass;
  const wring_term *const t      = pass->t;
  const int               points = points_of(t, m), ahead = AHEAD / points > 0 ? AHEAD / points : 1;
  WRING_ALIGNED lanes     z[PASS_FIELDS * FIELD], p[3 * MAX_Q], d[PASS_FIELDS][27], f[27];
  term_row                r = {.t = t, .context = pass->context, .z = (wring_in)z, .sum = w->sum, .p = p};
  for (r.block = w->b0; r.block < w->b1; r.block++) {
    prefetch_block(t, PetscMin(r.block + ahead, t->n_block - 1), m, q);
    prefetch_vertices(w, r.block);
    for (int k = 0; k <= pass->n_more; k++) load_columns(t, r.block, m, w->field[k], d[k]);
    if (m == QUADRATIC) memset(f, 0, sizeof f);
    for (r.point = 0; r.point < points; r.point++) {
      for (int k = 0; k <= pass->n_more; k++)
        load_z(t, r.block, r.point, m, q, w->field[k], (const lanes *)d[k], z + k * FIELD);
      r.row = r.block * points + r.point;
      pass->map(&r);
      if (pass->forces) add_forces(t, r.block, r.point, m, q, (wring_in)p, f, w->f);
    }
    if (m == QUADRATIC && pass->forces) scatter_columns(m, t->corner + (size_t)r.block * m * LANES, (wring_in)f, w->f);
  }
}

/* Loads fields, and adds forces to f (vertices of this chunk only) or stores them in its rows of `share`. */
static void run_chunk(const wring_pass *pass, PetscInt c, PetscInt b0, PetscInt b1, const double *x, double *f)
{
  const wring_term *const t              = pass->t;
  double                  sum[PASS_SUMS] = {pass->start, pass->start, pass->start};
  vertex_row              x_rows[1 + pass->n_more][t->max_vertex], f_rows[t->max_vertex]; // no row crosses a cache line
  double *const           f_private = (double *)f_rows;
  work_chunk              w         = {.pass = pass, .c = c, .b0 = b0, .b1 = b1, .x = x, .f = f_private, .sum = sum};
  for (int k = 0; k <= pass->n_more; k++) {
    w.field[k] = (double *)x_rows[k];
    load_chunk(t, c, k > 0 ? pass->more[k - 1] : x, (double *)x_rows[k]);
  }
  if (pass->forces) memset(f_rows, 0, (size_t)(t->chunk_vertex[c + 1] - t->chunk_vertex[c]) * sizeof *f_rows);
  if (pass->chunk)
    pass->chunk(pass, c, w.field[0], f_private, sum);
  else
    with_stencil(t, run_blocks, &w);
  for (int i = 0; i < pass->n_sum; i++) t->partial[(size_t)i * t->n_chunk + c] = sum[i];
  if (pass->forces) store_chunk(t, c, f_private, f);
}

/* Adds the forces of vertices that several chunks touch. */
static void add_shared(const wring_term *t, double *f)
{
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

void wring_pass_run(const wring_pass *pass, wring_group group, const double *x, double *f, double *sum)
{
  const wring_term *const t    = pass->t;
  const PetscInt          from = group & WRING_INTERIOR ? 0 : t->n_chunk_interior;
  const PetscInt          to   = !t->active ? from : group & WRING_BOUNDARY ? t->n_chunk : t->n_chunk_interior;
#pragma omp parallel for schedule(static)
  for (PetscInt c = from; c < to; c++) run_chunk(pass, c, t->chunk_block[c], t->chunk_block[c + 1], x, f);
  if (!(group & WRING_BOUNDARY)) return;
  if (t->active && pass->forces) add_shared(t, f);
  for (int i = 0; i < pass->n_sum && sum; i++)
    sum[i] = t->active ? wring_pairwise_sum(t->n_chunk, t->partial + (size_t)i * t->n_chunk) : 0;
  if (pass->besides && sum) sum[0] += *pass->besides;
}

void wring_pass_blocks(const wring_pass *pass, PetscInt b0, PetscInt b1, const double *x)
{
  run_chunk(pass, term_chunk(pass->t, b0), b0, b1, x, NULL);
}

void wring_term_add_matrices(const wring_term *t, const wring_matrices *work, const double *x)
{
  const PetscInt most = PetscMax(GROUP / t->points, 1), per_chunk = (t->chunk_blocks + most - 1) / most;
  if (!t->active) return;
#pragma omp parallel for ordered schedule(static, 1)
  for (PetscInt g = 0; g < t->n_chunk * per_chunk; g++) {
    const PetscInt      c = g / per_chunk, b0 = t->chunk_block[c] + g % per_chunk * most;
    const PetscInt      b1 = PetscMin(b0 + most, t->chunk_block[c + 1]);
    WRING_ALIGNED lanes K[most * work->size];
    term_matrices       group = {work->context, b0, work->size, K};
    if (b0 < b1) wring_pass_blocks(&(wring_pass){.t = t, .map = work->map, .context = &group}, b0, b1, x);
#pragma omp ordered
    for (PetscInt b = b0; b < b1; b++) work->add(t, b, (const lanes *)K + (b - b0) * work->size, work->context);
  }
}

/* ---- evaluations ------------------------------------------------------------------------------------------------- */

/* p = k (P(z) - z) with the law's projection P. */
static inline void map_residual(const term_row *r)
{
  const wring_law *const law = r->t->law;
  WRING_ALIGNED double   k[LANES];
  law->project(law, term_par(r->t, r->row), r->z, r->p);
  row_slope(r->t, r->row, k);
  for (int i = 0; i < 3 * law->q; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) r->p[i][l] = k[l] * (r->p[i][l] - r->z[i][l]);
  }
}

/* p = dpsi/dz, or k (P(z) - z) with the projection P, and the sum of psi if requested. */
static void map_law(const term_row *r)
{
  const wring_law *const law  = r->t->law;
  const wring_work       work = r->t->work;
  const wring_in         par  = term_par(r->t, r->row);
  WRING_ALIGNED double   psi[LANES];
  if (work & WRING_GRADIENT)
    law->fused(law, par, r->z, psi, r->p);
  else if (work == WRING_VALUE)
    law->energy(law, par, r->z, psi);
  else
    map_residual(r);
  if (work & WRING_VALUE) r->sum[0] += weighted_sum(r->t->weight + (size_t)r->row * LANES, psi);
}

const wring_pass *wring_term_pass(wring_term *t, wring_work work)
{
  t->work = work;
  t->pass = (wring_pass){
    .t = t, .map = map_law, .forces = (PetscBool)(work != WRING_VALUE), .n_sum = work & WRING_VALUE ? 1 : 0};
  if (t->mean && (work & WRING_VALUE)) t->pass.besides = &t->mean_energy;
  if (work & WRING_MASS) t->pass.chunk = wring_mass_chunk;
  if (work == WRING_COUNT) t->pass.chunk = wring_count_chunk;
  return &t->pass;
}
