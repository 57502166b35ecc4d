/* Sizes and residuals of three right-hand sides at once. Sums over fixed strips of rows: one order at any thread count. */
#include "residual.h"
#include <math.h>

enum { STRIPS = 64 }; // of a rank

typedef struct {
  double squares[3], largest[3];
} strip_size;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_part(Mat A, PetscInt offset, const PetscInt *map, wring_rows *r)
{
  wring_row_part *const p = &r->part[r->n_part];
  PetscBool             done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &r->n, &p->start, &p->column, &done));
  if (!done) WRING_REFUSE(PetscObjectComm((PetscObject)A), "operator: a direct solve needs a matrix of type aij");
  PetscCall(MatSeqAIJGetArrayRead(A, &p->value));
  p->offset             = offset;
  p->map                = map;
  r->owner[r->n_part++] = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_rows_get(Mat A, wring_rows *r)
{
  PetscBool       several;
  Mat             diagonal, other;
  const PetscInt *map;

  PetscFunctionBegin;
  *r = (wring_rows){.n_part = 0};
  PetscCall(MatGetOwnershipRange(A, &r->first, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &several));
  if (several) {
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, &map));
    PetscCall(add_part(diagonal, r->first, NULL, r));
    PetscCall(add_part(other, 0, map, r));
  } else {
    PetscCall(add_part(A, 0, NULL, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_rows_restore(wring_rows *r)
{
  PetscFunctionBegin;
  for (int i = 0; i < r->n_part; i++) {
    wring_row_part *const p = &r->part[i];
    PetscBool             done;
    PetscCall(MatSeqAIJRestoreArrayRead(r->owner[i], &p->value));
    PetscCall(MatRestoreRowIJ(r->owner[i], 0, PETSC_FALSE, PETSC_FALSE, &r->n, &p->start, &p->column, &done));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

size_t wring_sums_bytes(const wring_team *t)
{
  return 2 * (size_t)t->n_rank * STRIPS * sizeof(strip_size);
}

static void add_row(const double v[3], strip_size *s)
{
  for (int c = 0; c < 3; c++) {
    s->squares[c] += v[c] * v[c];
    s->largest[c] = fabs(v[c]) <= s->largest[c] ? s->largest[c] : fabs(v[c]); // NaN stays
  }
}

/* Of the strips of all ranks, which every rank adds up alike. */
static void join(const wring_team *t, const strip_size *strip, wring_size *size)
{
  const PetscInt n = t->n_rank * STRIPS;
  double         squares[STRIPS];
  for (int c = 0; c < 3; c++) {
    double sum       = 0;
    size->largest[c] = 0;
    for (PetscInt begin = 0; begin < n; begin += STRIPS) {
      for (PetscInt s = 0; s < STRIPS; s++) {
        squares[s] = strip[begin + s].squares[c];
        if (!(strip[begin + s].largest[c] <= size->largest[c])) size->largest[c] = strip[begin + s].largest[c];
      }
      sum += wring_pairwise_sum(STRIPS, squares);
    }
    size->norm[c] = sqrt(sum);
  }
}

static PetscInt strip_begin(PetscInt n, int s)
{
  const PetscInt per = (n + STRIPS - 1) / STRIPS;
  return PetscMin(n, s * per);
}

/* ---- rows of this rank ------------------------------------------------------------------------------------------- */

static void subtract_row(const wring_row_part *A, PetscInt i, const double *x, double row[3])
{
  for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
    const double *const at = x + 3 * (A->map ? A->map[A->column[k]] : A->column[k] + A->offset);
    for (int c = 0; c < 3; c++) row[c] -= A->value[k] * at[c];
  }
}

static void measure_strip(const wring_rows *A, int s, const double *b, const double *x, double *r, strip_size *size)
{
  *size = (strip_size){{0}, {0}};
  for (PetscInt i = strip_begin(A->n, s); i < strip_begin(A->n, s + 1); i++) {
    const double *const at     = b + 3 * (A->first + i);
    double              row[3] = {at[0], at[1], at[2]};
    for (int p = 0; x && p < A->n_part; p++) subtract_row(&A->part[p], i, x, row);
    for (int c = 0; r && c < 3; c++) r[3 * (A->first + i) + c] = row[c];
    add_row(row, size);
  }
}

void wring_residual(const wring_team *t, wring_sums *sums, const wring_rows *A, const double *b, const double *x,
                    double *r, wring_size *size)
{
  strip_size *const strip = (strip_size *)sums->memory + sums->turn * t->n_rank * STRIPS;
#pragma omp parallel for schedule(static) num_threads(t->threads)
  for (int s = 0; s < STRIPS; s++) measure_strip(A, s, b, x, r, strip + t->rank * STRIPS + s);
  wring_team_meet(t);
  join(t, strip, size);
  sums->turn = !sums->turn;
}

void wring_size_of(const wring_team *t, wring_sums *sums, const wring_rows *A, const double *v, wring_size *size)
{
  wring_residual(t, sums, A, v, NULL, NULL, size);
}
