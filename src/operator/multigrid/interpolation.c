/* The interpolation between two levels. docs/theory.md (4.8), (4.10) */
#include "interpolation.h"

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* The rows of P of this rank and of the ghosts of the finer level, by global columns; P itself on one rank. */
static PetscErrorCode collect_rows(Mat P, const wring_neighbours *near, Mat *S)
{
  PetscInt  first, end, *number;
  PetscBool mpi;
  IS        rows;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)P, MATMPIAIJ, &mpi));
  *S = P;
  if (!mpi) PetscFunctionReturn(PetscObjectReference((PetscObject)P));
  PetscCall(MatGetOwnershipRange(P, &first, &end));
  const PetscInt n = end - first;
  PetscCall(PetscMalloc1(n + near->n_ghost, &number));
  for (PetscInt i = 0; i < n; i++) number[i] = first + i;
  PetscCall(PetscArraycpy(number + n, near->global, near->n_ghost));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n + near->n_ghost, number, PETSC_OWN_POINTER, &rows));
  PetscCall(wring_rows_collect(P, rows, S));
  PetscCall(ISDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p->columns: those of a that other ranks own. */
static PetscErrorCode find_columns(PetscLayout columns, const wring_aij *a, wring_interpolation *p)
{
  const PetscInt first = p->first, end = first + p->n_coarse;
  PetscInt       n = 0, *global;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)a->start[a->n], &global));
  for (PetscInt k = 0; k < a->start[a->n]; k++)
    if (a->column[k] < first || a->column[k] >= end) global[n++] = a->column[k];
  PetscCall(PetscSortRemoveDupsInt(&n, global));
  PetscCall(wring_neighbours_create(columns, n, global, &p->columns));
  PetscCall(PetscFree(global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What P is made of. */
typedef struct {
  wring_aij    a;    // its rows with global columns
  const float *fine; // row i is divided by fine[i]
} source;

/* Copies rows `begin` to `end` - 1. The columns [range[0], range[1]) of their owner come first, as on their owner. */
static void copy_rows(const source *s, PetscInt begin, PetscInt end, const PetscInt *range, wring_interpolation *p)
{
  const wring_neighbours *const c = &p->columns;
#pragma omp parallel for schedule(static) if (end - begin > WRING_SERIAL_BELOW)
  for (PetscInt i = begin; i < end; i++) {
    PetscInt at = s->a.start[i];
    for (int others = 0; others < 2; others++) {
      for (PetscInt k = s->a.start[i]; k < s->a.start[i + 1]; k++) {
        const PetscInt g = s->a.column[k];
        PetscInt       j = g - p->first;
        if ((g < range[0] || g >= range[1]) != others) continue;
        if (j < 0 || j >= p->n_coarse) j = p->n_coarse + wring_first_from(c->n_ghost, c->global, g);
        p->P.own_column[at] = (int)j;
        p->P.value[at++]    = (float)(s->a.value[k] / s->fine[i]);
      }
    }
  }
}

static PetscErrorCode copy_all(const source *s, PetscLayout columns, const wring_neighbours *near,
                               wring_interpolation *p)
{
  const wring_exchange *const x = &near->asked;
  const PetscInt             *range;

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRanges(columns, &range));
  PetscCall(wring_csr_create(&s->a, PETSC_FALSE, &p->P));
  PetscCall(PetscMalloc1(s->a.start[s->a.n], &p->P.value));
  copy_rows(s, 0, p->n, range + wring_comm_rank(x->comm), p);
  for (PetscMPIInt o = 0; o < x->n_to; o++)
    copy_rows(s, p->n + x->to_start[o], p->n + x->to_start[o + 1], range + x->to[o], p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R from the rows of this rank of P, whose ghosts are numbered by all columns. */
static PetscErrorCode create_transpose(wring_interpolation *p)
{
  const PetscInt n = p->P.start[p->n];
  int           *column;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &column));
  for (PetscInt k = 0; k < n; k++) column[k] = (int)wring_interpolation_own(p, p->P.column[k]);
  const wring_csr rows = {.start = p->P.start, .column = column, .value = p->P.value};
  PetscCall(wring_csr_transpose(p->n, p->n_coarse + p->own_columns.n_ghost, &rows, &p->R));
  PetscCall(PetscFree(column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_messages(wring_interpolation *p)
{
  PetscFunctionBegin;
  PetscCall(wring_messages_create(&p->columns, MPI_FLOAT, 3, PETSC_TRUE, &p->fetch));
  PetscCall(wring_messages_create(&p->own_columns, MPI_FLOAT, 3, PETSC_FALSE, &p->give));
  PetscCall(PetscMalloc1((size_t)p->n_fine, &p->late));
  for (PetscInt i = 0; i < p->n_fine; i++) {
    PetscBool late = PETSC_FALSE;
    for (PetscInt k = p->P.start[i]; k < p->P.start[i + 1]; k++)
      late = (PetscBool)(late || p->P.column[k] >= p->n_coarse);
    if (late) p->late[p->n_late++] = i;
  }
  PetscCall(PetscRealloc(sizeof *p->late * (size_t)p->n_late, &p->late));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of S, scaled. */
static PetscErrorCode create_rows(Mat S, PetscLayout columns, const wring_neighbours *near, const float *fine,
                                  wring_interpolation *p)
{
  wring_rows rows;

  PetscFunctionBegin;
  PetscCall(wring_rows_get(S, &rows));
  p->n_fine = rows.own.n;
  PetscCall(find_columns(columns, &rows.own, p));
  PetscCall(copy_all(&(source){rows.own, fine}, columns, near, p));
  PetscCall(wring_rows_restore(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_interpolation_create(Mat P, const wring_neighbours *near, const float *fine,
                                          wring_interpolation *p)
{
  Mat         S;
  PetscLayout columns;

  PetscFunctionBegin;
  *p = (wring_interpolation){.n = 0};
  PetscCall(MatGetLocalSize(P, &p->n, &p->n_coarse));
  PetscCall(MatGetLayouts(P, NULL, &columns));
  p->first = columns->rstart;
  PetscCall(wring_aij_neighbours(P, &p->own_columns));
  PetscCall(collect_rows(P, near, &S));
  PetscCall(create_rows(S, columns, near, fine, p));
  if (S != P) PetscCall(create_messages(p));
  PetscCall(create_transpose(p));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entry (i, j) of P, in n rows of a, or of P^T if it is turned, is multiplied by coarse[j]/fine[i]; fine NULL: 1. */
static void rescale(PetscInt n, const float *fine, const float *coarse, PetscBool turned, wring_csr *a)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt row = 0; row < n; row++) {
    for (PetscInt k = a->start[row]; k < a->start[row + 1]; k++) {
      const PetscInt i = turned ? a->column[k] : row, j = turned ? row : a->column[k];
      a->value[k] = (float)((double)a->value[k] * coarse[j] / (fine ? fine[i] : 1));
    }
  }
}

PetscErrorCode wring_interpolation_rescale(wring_interpolation *p, const float *fine, const float *coarse)
{
  const PetscInt n = p->n_coarse, n_ghost = PetscMax(p->columns.n_ghost, p->own_columns.n_ghost);
  float         *column;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + n_ghost, &column));
  PetscCall(PetscArraycpy(column, coarse, n));
  PetscCall(wring_neighbours_fetch(&p->columns, sizeof *coarse, coarse, column + n));
  rescale(p->n_fine, fine, column, PETSC_FALSE, &p->P);
  PetscCall(wring_neighbours_fetch(&p->own_columns, sizeof *coarse, coarse, column + n));
  rescale(n + p->own_columns.n_ghost, fine, column, PETSC_TRUE, &p->R);
  PetscCall(PetscFree(column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_interpolation_destroy(wring_interpolation *p)
{
  PetscFunctionBegin;
  PetscCall(wring_csr_destroy(&p->P));
  PetscCall(wring_csr_destroy(&p->R));
  PetscCall(wring_messages_destroy(&p->fetch));
  PetscCall(wring_messages_destroy(&p->give));
  PetscCall(wring_neighbours_destroy(&p->columns));
  PetscCall(wring_neighbours_destroy(&p->own_columns));
  PetscCall(PetscFree(p->late));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_interpolation_memory(const wring_interpolation *p)
{
  return wring_csr_memory(p->n_fine, &p->P) + wring_csr_memory(p->n_coarse + p->own_columns.n_ghost, &p->R) +
         wring_neighbours_memory(&p->columns) + wring_neighbours_memory(&p->own_columns) +
         wring_messages_memory(&p->fetch) + wring_messages_memory(&p->give) + sizeof(PetscInt) * (double)p->n_late;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void multiply(const wring_csr *a, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    const wring_float4 sum = wring_csr_row(a, i, x);
    for (int c = 0; c < 3; c++) y[3 * i + c] = sum[c];
  }
}

PetscErrorCode wring_interpolation_restrict(wring_interpolation *p, const float *r, float *coarse)
{
  PetscFunctionBegin;
  if (p->give.of) {
    const wring_csr rest = {.start = p->R.start + p->n_coarse, .column = p->R.column, .value = p->R.value};
    multiply(&rest, p->own_columns.n_ghost, r, p->give.ghost);
    PetscCall(wring_give_begin(&p->give));
  }
  multiply(&p->R, p->n_coarse, r, coarse);
  if (p->give.of) PetscCall(wring_give_end(&p->give, coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row i of x; ghosts follow a spare number. */
static inline void prolong_row(const wring_interpolation *p, PetscInt i, const float *coarse, float omega,
                               const float *b, float *x)
{
  const wring_float4 sum = wring_csr_row(&p->P, i, coarse);
  const size_t       at  = 3 * (size_t)i + (i >= p->n);
  for (int d = 0; d < 3; d++) x[at + d] = omega * b[at + d] + sum[d];
}

PetscErrorCode wring_interpolation_prolong(wring_interpolation *p, float *coarse, float omega, const float *b, float *x)
{
  const PetscInt n = p->n_fine;

  PetscFunctionBegin;
  if (p->fetch.of) PetscCall(wring_fetch_begin(&p->fetch, coarse));
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(n); s++) { // the rows that are not late
    PetscInt late = wring_first_from(p->n_late, p->late, wring_strip(n, s));
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) {
      if (late < p->n_late && p->late[late] == i)
        late++;
      else
        prolong_row(p, i, coarse, omega, b, x);
    }
  }
  if (p->fetch.of) PetscCall(wring_fetch_end(&p->fetch, coarse + 3 * (size_t)p->n_coarse));
#pragma omp parallel for schedule(static) if (p->n_late > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < p->n_late; k++) prolong_row(p, p->late[k], coarse, omega, b, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}
