/* The element loops: gather positions, map them through G and the law, scatter forces. docs/theory.md (3.2) */
#include "kernels.h"

/* Sum of w psi in one order; padded lanes (w = 0) do not count even where psi is infinite. */
static inline double weighted_sum(const double *restrict w, const double *restrict psi)
{
  double e[LANES];
#pragma omp simd
  for (int l = 0; l < LANES; l++) e[l] = w[l] > 0 ? w[l] * psi[l] : 0;
  return ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
}

/* p = dpsi/dz, or k (p - z) of the projection, and psi if asked for. */
static inline void apply_law(const wring_term *t, PetscInt b, wring_work work, wring_in z, double *psi, wring_out p)
{
  const wring_in       par = term_par(t, b);
  WRING_ALIGNED double k[LANES];
  if (work == (WRING_VALUE | WRING_GRADIENT)) {
    t->law->fused(par, z, psi, p);
  } else if (work == WRING_VALUE) {
    t->law->energy(par, z, psi);
  } else if (work == WRING_GRADIENT) {
    t->law->gradient(par, z, p);
  } else {
    t->law->project(par, z, p);
    block_slope(t, b, k);
    for (int i = 0; i < 3 * t->law->q; i++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) p[i][l] = k[l] * (p[i][l] - z[i][l]);
    }
  }
}

/* The blocks of one chunk, x and f private [vertices][4]. m and q are constants where this is inlined. Returns the energy. */
static inline double run_blocks(const wring_term *t, PetscInt c, int m, int q, wring_work work, const double *x,
                                double *f)
{
  double              sum = 0;
  WRING_ALIGNED lanes xe[3 * MAX_M], z[3 * MAX_Q], p[3 * MAX_Q], psi;
  for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
    const double *w = t->weight + (size_t)b * LANES;
    load_z(t, b, m, q, x, xe, z);
    apply_law(t, b, work, (wring_in)z, psi, p);
    if (work & WRING_VALUE) sum += weighted_sum(w, psi);
    if (work == WRING_VALUE) continue;
    for (int i = 0; i < 3 * q; i++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) p[i][l] *= w[l];
    }
    form_forces(m, q, block_coef(t, b), (wring_in)p, xe);
    scatter(m, t->corner + (size_t)b * m * LANES, (wring_in)xe, f);
  }
  return sum;
}

static double run_stencil(const wring_term *t, PetscInt c, wring_work work, const double *x, double *f)
{
  if (work & WRING_MASS) return term_mass_chunk(t, c, x, f);
  if (work == WRING_COUNT) {
    term_count_chunk(t, c, f);
    return 0;
  }
  if (t->m == 4) return run_blocks(t, c, 4, 3, work, x, f);
  if (t->m == 2) return run_blocks(t, c, 2, 1, work, x, f);
  return run_blocks(t, c, 1, 1, work, x, f);
}

/* One chunk: positions in, forces out to f (vertices of this chunk alone) or to its rows of `share`. */
static void run_chunk(wring_term *t, PetscInt c, wring_work work, const double *x, double *f)
{
  const PetscInt  n      = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  const PetscInt *vertex = t->vertex + t->chunk_vertex[c], *slot = t->slot + t->chunk_vertex[c];
  double          x_private[4 * t->max_vertex], f_private[4 * t->max_vertex];
  load_chunk(t, c, x, x_private);
  for (PetscInt i = 0; i < 4 * n; i++) f_private[i] = 0;
  t->energy[c] = run_stencil(t, c, work, x_private, f_private);
  if (work == WRING_VALUE) return;
  for (PetscInt i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      if (slot[i] < 0) {
        f[3 * vertex[i] + k] += f_private[4 * i + k];
      } else {
        t->share[3 * slot[i] + k] = f_private[4 * i + k];
      }
    }
  }
}

static void run_chunks(wring_term *t, PetscInt from, PetscInt to, wring_work work, const double *x, double *f)
{
#pragma omp parallel for schedule(static)
  for (PetscInt c = from; c < to; c++) run_chunk(t, c, work, x, f);
}

void wring_term_interior(wring_term *t, wring_work work, const double *x, double *f)
{
  if (t->active) run_chunks(t, 0, t->n_chunk_interior, work, x, f);
}

void wring_term_boundary(wring_term *t, wring_work work, const double *x, double *f)
{
  if (t->active) run_chunks(t, t->n_chunk_interior, t->n_chunk, work, x, f);
}

double wring_term_finish(wring_term *t, wring_work work, double *f)
{
  if (!t->active) return 0;
  if (work != WRING_VALUE) {
#pragma omp parallel for schedule(static)
    for (PetscInt s = 0; s < t->n_shared; s++) {
      double sum[3] = {0};
      for (PetscInt i = t->shared_start[s]; i < t->shared_start[s + 1]; i++) {
        for (int k = 0; k < 3; k++) sum[k] += t->share[3 * i + k];
      }
      for (int k = 0; k < 3; k++) f[3 * t->shared[s] + k] += sum[k];
    }
  }
  return work & WRING_VALUE ? wring_pairwise_sum(t->n_chunk, t->energy) : 0;
}
