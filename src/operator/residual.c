/* Sizes and residuals of three right-hand sides at once. Sums over fixed strips of rows: one order at any thread count. */
#include "residual.h"
#include <math.h>

enum { STRIPS = 64 };

typedef struct {
  double squares[3], largest[3];
} strip_size;

static void add_row(const double v[3], strip_size *s)
{
  for (int c = 0; c < 3; c++) {
    s->squares[c] += v[c] * v[c];
    s->largest[c] = fabs(v[c]) <= s->largest[c] ? s->largest[c] : fabs(v[c]); // NaN stays
  }
}

static void join(const strip_size strip[STRIPS], wring_size *size)
{
  for (int c = 0; c < 3; c++) {
    double squares[STRIPS];
    size->largest[c] = 0;
    for (int s = 0; s < STRIPS; s++) {
      squares[s] = strip[s].squares[c];
      if (!(strip[s].largest[c] <= size->largest[c])) size->largest[c] = strip[s].largest[c];
    }
    size->norm[c] = sqrt(wring_pairwise_sum(STRIPS, squares));
  }
}

static PetscInt strip_begin(PetscInt n, int s)
{
  const PetscInt per = (n + STRIPS - 1) / STRIPS;
  return PetscMin(n, s * per);
}

void wring_size_of(PetscInt n, const double *v, wring_size *size)
{
  strip_size strip[STRIPS] = {{{0}, {0}}};
#pragma omp parallel for schedule(static)
  for (int s = 0; s < STRIPS; s++)
    for (PetscInt i = strip_begin(n, s); i < strip_begin(n, s + 1); i++) add_row(v + 3 * i, &strip[s]);
  join(strip, size);
}

void wring_residual(const wring_rows *A, const double *b, const double *x, double *r, wring_size *size)
{
  strip_size strip[STRIPS] = {{{0}, {0}}};
#pragma omp parallel for schedule(static)
  for (int s = 0; s < STRIPS; s++) {
    for (PetscInt i = strip_begin(A->n, s); i < strip_begin(A->n, s + 1); i++) {
      double row[3] = {b[3 * i], b[3 * i + 1], b[3 * i + 2]};
      for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
        const double *const at = x + 3 * A->column[k];
        for (int c = 0; c < 3; c++) row[c] -= A->value[k] * at[c];
      }
      for (int c = 0; c < 3; c++) r[3 * i + c] = row[c];
      add_row(row, &strip[s]);
    }
  }
  join(strip, size);
}
