/* Deformation gradients summed at vertices, from which the rotation of a vertex is computed. docs/theory.md 5 */
#include "kernels.h"

/* Adds row `row` of w F to the four corners of every tet of a chunk. */
static void add_chunk(wring_term *t, PetscInt c, const double *x, int row, double *f)
{
  const PetscInt      n = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  double              x_private[4 * t->max_vertex], f_private[4 * t->max_vertex];
  WRING_ALIGNED lanes xe[3 * MAX_M], z[3 * MAX_Q];
  load_chunk(t, c, x, x_private);
  for (PetscInt i = 0; i < 4 * n; i++) f_private[i] = 0;
  for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
    const double *w = t->weight + (size_t)b * LANES;
    load_z(t, b, 4, 3, x_private, z);
    for (int a = 0; a < 4; a++) {
      for (int k = 0; k < 3; k++) {
#pragma omp simd
        for (int l = 0; l < LANES; l++) xe[3 * a + k][l] = w[l] * z[3 * row + k][l];
      }
    }
    scatter(4, t->corner + (size_t)b * 4 * LANES, (wring_in)xe, f_private);
  }
  store_chunk(t, c, f_private, f);
}

void wring_term_add_deformation(wring_term *t, const double *x, int row, double *f)
{
  if (!t->cell || t->law->kind == WRING_LAW_ON_TOP || !t->active) return;
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) add_chunk(t, c, x, row, f);
  wring_term_finish(t, WRING_GRADIENT, f);
}
