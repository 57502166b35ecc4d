/* Deformation gradients summed at vertices, from which the rotation of a vertex is computed. docs/theory.md 5 */
#include "kernels.h"

/* Adds row `row` of w F of a point to xe [m][3] of each vertex of the tets of block b. */
static inline __attribute__((always_inline)) void add_point(int m, const wring_term *t, PetscInt at, int row,
                                                            const lanes *z, lanes *xe)
{
  const double *w = t->weight + (size_t)at * LANES;
  for (int a = 0; a < m; a++) {
    for (int k = 0; k < 3; k++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) xe[3 * a + k][l] += w[l] * z[3 * row + k][l];
    }
  }
}

/* A chunk, x and f private [vertices][4]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  int               row;
  const double     *x;
  double           *f;
} work_chunk;

/* Adds row `row` of w F to the vertices of every tet of a chunk. */
static inline __attribute__((always_inline)) void add_blocks(int m, const work_chunk *w)
{
  const wring_term *const t = w->t;
  WRING_ALIGNED lanes     xe[3 * MAX_M], z[3 * MAX_Q], d[27];
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    memset(xe, 0, sizeof xe);
    load_columns(t, b, m, w->x, d);
    for (int p = 0; p < points_of(t, m); p++) {
      load_z(t, b, p, m, 3, w->x, (const lanes *)d, z);
      add_point(m, t, b * points_of(t, m) + p, w->row, (const lanes *)z, xe);
    }
    scatter(m, t->corner + (size_t)b * m * LANES, (wring_in)xe, w->f);
  }
}

static void add_chunk(wring_term *t, PetscInt c, const double *x, int row, double *f)
{
  const PetscInt n = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  double         x_private[4 * t->max_vertex], f_private[4 * t->max_vertex];
  load_chunk(t, c, x, x_private);
  for (PetscInt i = 0; i < 4 * n; i++) f_private[i] = 0;
  if (t->m == QUADRATIC)
    add_blocks(QUADRATIC, &(work_chunk){t, c, row, x_private, f_private});
  else
    add_blocks(4, &(work_chunk){t, c, row, x_private, f_private});
  store_chunk(t, c, f_private, f);
}

void wring_term_add_deformation(wring_term *t, const double *x, int row, double *f)
{
  if (!t->cell || t->law->kind == WRING_LAW_ON_TOP || !t->active) return;
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) add_chunk(t, c, x, row, f);
  wring_term_finish(t, WRING_GRADIENT, f);
}
