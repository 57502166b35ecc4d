/*
  Norms and residuals of three right-hand sides at once. Sums are over fixed strips of rows: their order does not depend
  on the number of threads.
*/
#include "residual.h"
#include <math.h>

typedef struct {
  double squares[3], largest[3];
} strip_size;

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

int wring_sums_strips(const wring_team *t, PetscInt n)
{
  return wring_strips(n / t->n_rank);
}

size_t wring_sums_bytes(const wring_team *t, int strips)
{
  return 2 * (size_t)t->n_rank * (size_t)strips * sizeof(strip_size);
}

/* Combines the strips of all ranks, in the same order on every rank. */
static void join(const wring_team *t, int strips, const strip_size *strip, wring_size *size)
{
  const PetscInt n = t->n_rank * strips;
  double         squares[WRING_STRIPS];
  for (int c = 0; c < 3; c++) {
    double sum       = 0;
    size->largest[c] = 0;
    for (PetscInt begin = 0; begin < n; begin += strips) {
      for (PetscInt s = 0; s < strips; s++) {
        squares[s] = strip[begin + s].squares[c];
        if (!(strip[begin + s].largest[c] <= size->largest[c])) size->largest[c] = strip[begin + s].largest[c];
      }
      sum += wring_pairwise_sum(strips, squares);
    }
    size->norm[c] = sqrt(sum);
  }
}

/* ---- rows of this rank ------------------------------------------------------------------------------------------- */

/* row -= row i of A x; its entry k is in column (map ? map[column[k]] : column[k] + first) of x. */
static void subtract_row(const wring_aij *A, const PetscInt *map, PetscInt first, PetscInt i, const double *x,
                         double row[3])
{
  for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
    const double *const at = x + 3 * (map ? map[A->column[k]] : A->column[k] + first);
    for (int c = 0; c < 3; c++) row[c] -= A->value[k] * at[c];
  }
}

static void measure_strip(const wring_rows *A, int s, int strips, const double *b, const double *x, double *r,
                          strip_size *size)
{
  const int64_t n = A->own.n;
  *size           = (strip_size){{0}, {0}};
  for (PetscInt i = (PetscInt)(n * s / strips); i < n * (s + 1) / strips; i++) {
    const double *const at     = b + 3 * (A->first + i);
    double              row[3] = {at[0], at[1], at[2]};
    if (x) subtract_row(&A->own, NULL, A->column, i, x, row);
    if (x && A->ghost.start) subtract_row(&A->ghost, A->global, 0, i, x, row);
    if (r)
      for (int c = 0; c < 3; c++) r[3 * (A->first + i) + c] = row[c];
    for (int c = 0; c < 3; c++) {
      size->squares[c] += row[c] * row[c];
      size->largest[c] = fabs(row[c]) <= size->largest[c] ? size->largest[c] : fabs(row[c]);
    }
  }
}

void wring_residual(const wring_team *t, wring_residual_sums *sums, const wring_rows *A, const double *b,
                    const double *x, double *r, wring_size *size)
{
  const int         strips = sums->strips;
  strip_size *const strip  = (strip_size *)sums->memory + sums->turn * t->n_rank * strips;
#pragma omp parallel for schedule(static) num_threads(t->threads)
  for (int s = 0; s < strips; s++) measure_strip(A, s, strips, b, x, r, strip + t->rank * strips + s);
  wring_team_meet(t);
  join(t, strips, strip, size);
  sums->turn = !sums->turn;
}

void wring_size_of(const wring_team *t, wring_residual_sums *sums, const wring_rows *A, const double *v,
                   wring_size *size)
{
  wring_residual(t, sums, A, v, NULL, NULL, size);
}
