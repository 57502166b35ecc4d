/* Deformation gradients summed at vertices, from which the rotation of a vertex is computed. docs/theory.md (5.12) */
#include "kernels.h"

/* A chunk of tets, whose vertices get a row of w F, x and f private [vertices][4]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  int               row;
  const double     *x;
  double           *f;
} work_chunk;

/* Adds row `row` of w F of a point to xe [m][3] of each vertex of the tets of a block. */
TERM_INLINE void add_point(int m, const double *w, const lanes *F, lanes *xe)
{
  for (int i = 0; i < 3 * m; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) xe[i][l] += w[l] * F[i % 3][l];
  }
}

TERM_INLINE void add_blocks(int m, int q, void *context)
{
  const work_chunk *const w = context;
  const wring_term *const t = w->t;
  WRING_ALIGNED lanes     xe[3 * MAX_M], z[3 * MAX_Q], d[27];
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    memset(xe, 0, sizeof xe);
    load_columns(t, b, m, w->x, d);
    for (int p = 0; p < points_of(t, m); p++) {
      load_z(t, b, p, m, q, w->x, (const lanes *)d, z);
      add_point(m, block_weight(t, b) + p * LANES, (const lanes *)z + 3 * w->row, xe);
    }
    scatter(m, t->corner + (size_t)b * m * LANES, (wring_in)xe, w->f);
  }
}

static void add_chunk(const wring_pass *pass, PetscInt c, const double *x, double *f, double *sum)
{
  (void)sum;
  with_stencil(pass->t, add_blocks, &(work_chunk){pass->t, c, *(int *)pass->context, x, f});
}

void wring_term_add_deformation(const wring_term *t, const double *x, int row, double *f)
{
  const wring_pass pass = {.t = t, .chunk = add_chunk, .context = &row, .forces = PETSC_TRUE};
  if (t->cell && t->law->kind != WRING_LAW_ON_TOP) wring_pass_run(&pass, WRING_ALL, x, f, NULL);
}
