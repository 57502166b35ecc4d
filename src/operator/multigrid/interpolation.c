/* The interpolation between two levels. docs/theory.md (4.8), (4.10) */
#include "interpolation.h"
#include "base/exchange.h"
#include "operator/aij.h"

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* A numbered entry of P, scaled, for a rank that holds its row as a ghost. */
typedef struct {
  PetscInt64 column; // global
  float      value;
} entry;

/* Rows of ghosts: entries by ghost, ascending. */
typedef struct {
  PetscInt  n;
  PetscInt *length; // [n]
  entry    *entry;  // [n_entry]
  PetscInt  n_entry;
} ghost_rows;

/* All entries of the rows that others hold, in the order of near->shared, and their receivers. */
static PetscErrorCode list_entries(const wring_interpolation *p, const wring_neighbours *near, PetscInt first,
                                   const PetscInt *global, PetscInt n, PetscInt *to, entry *list)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(list, (size_t)n * sizeof *list)); // the padding too: it is sent
  for (PetscMPIInt r = 0; r < near->n_holder; r++) {
    for (PetscInt s = near->share_start[r]; s < near->share_start[r + 1]; s++) {
      const PetscInt i = near->shared[s];
      for (PetscInt j = p->P.start[i]; j < p->P.start[i + 1]; j++, k++) {
        const PetscInt column = p->P.column[j];
        list[k].column        = column < p->n_coarse ? first + column : global[column - p->n_coarse];
        list[k].value         = p->P.value[j];
        to[k]                 = near->holder[r];
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the ghosts of the finer level, from their owners; P has the rows of this rank only. */
static PetscErrorCode fetch_rows(const wring_interpolation *p, const wring_neighbours *near, PetscInt first,
                                 const PetscInt *global, ghost_rows *g)
{
  PetscInt n = 0, *length, *to;
  entry   *list;

  PetscFunctionBegin;
  g->n = near->n_ghost;
  PetscCall(PetscMalloc1((size_t)p->n, &length));
  for (PetscInt i = 0; i < p->n; i++) length[i] = p->P.start[i + 1] - p->P.start[i];
  for (PetscInt s = 0; s < near->n_shared; s++) n += length[near->shared[s]];
  PetscCall(PetscMalloc1((size_t)g->n, &g->length));
  PetscCall(wring_neighbours_fetch(near, sizeof *length, length, g->length));
  PetscCall(PetscFree(length));
  PetscCall(PetscMalloc2((size_t)n, &to, (size_t)n, &list));
  PetscCall(list_entries(p, near, first, global, n, to, list));
  PetscCall(wring_exchange_rows(near->comm, n, to, sizeof *list, list, &g->n_entry, &g->entry));
  PetscCall(PetscFree2(to, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p->global: `own` [n_own] and the columns of g's rows that are not among this rank's n_coarse from `first` on. */
static PetscErrorCode join_columns(wring_interpolation *p, PetscInt first, PetscInt n_own, const PetscInt *own,
                                   const ghost_rows *g)
{
  const PetscInt end = first + p->n_coarse;
  PetscInt       n   = n_own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n_own + (size_t)g->n_entry, &p->global));
  PetscCall(PetscArraycpy(p->global, own, n_own));
  for (PetscInt k = 0; k < g->n_entry; k++) {
    const PetscInt column = (PetscInt)g->entry[k].column;
    if (column < first || column >= end) p->global[n++] = column;
  }
  PetscCall(PetscSortRemoveDupsInt(&n, p->global));
  PetscCall(PetscRealloc(sizeof *p->global * (size_t)n, &p->global));
  p->n_ghost = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode local_column(const wring_interpolation *p, PetscInt first, PetscInt column, int *local)
{
  PetscInt at = column - first;

  PetscFunctionBegin;
  if (at < 0 || at >= p->n_coarse) {
    PetscCall(PetscFindInt(column, p->n_ghost, p->global, &at));
    at += p->n_coarse;
  }
  *local = (int)at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the columns of P, until now n_coarse + position in `own`, by p->global, and appends the rows of g. */
static PetscErrorCode append_rows(wring_interpolation *p, PetscInt first, const PetscInt *own, const ghost_rows *g)
{
  const PetscInt old = p->P.start[p->n];
  PetscInt       k   = old;

  PetscFunctionBegin;
  PetscCall(wring_csr_reserve(p->n + g->n, old + g->n_entry, &p->P));
  for (PetscInt j = 0; j < old; j++) {
    int *const column = &p->P.own_column[j];
    if (*column >= p->n_coarse) PetscCall(local_column(p, first, own[*column - p->n_coarse], column));
  }
  for (PetscInt j = 0; j < g->n_entry; j++) {
    PetscCall(local_column(p, first, (PetscInt)g->entry[j].column, &p->P.own_column[old + j]));
    p->P.value[old + j] = g->entry[j].value;
  }
  for (PetscInt i = 0; i < g->n; i++) p->P.own_start[p->n + i + 1] = k += g->length[i];
  p->n_fine = p->n + g->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_late(wring_interpolation *p)
{
  PetscFunctionBegin;
  for (int fill = 0; fill < 2; fill++) {
    p->n_late = 0;
    for (PetscInt i = 0; i < p->n_fine; i++) {
      PetscBool late = PETSC_FALSE;
      for (PetscInt k = p->P.start[i]; k < p->P.start[i + 1]; k++)
        late = (PetscBool)(late || p->P.column[k] >= p->n_coarse);
      if (late && fill) p->late[p->n_late] = (int)i;
      p->n_late += late;
    }
    if (!fill) PetscCall(PetscMalloc1((size_t)p->n_late, &p->late));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the rows of ghosts to P, whose rows have columns of this rank and of `own` [own_columns.n_ghost]. */
static PetscErrorCode widen(wring_interpolation *p, const wring_neighbours *near, PetscLayout columns,
                            const PetscInt *own)
{
  PetscInt   first;
  ghost_rows g;

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRange(columns, &first, NULL));
  PetscCall(fetch_rows(p, near, first, own, &g));
  PetscCall(join_columns(p, first, p->own_columns.n_ghost, own, &g));
  PetscCall(append_rows(p, first, own, &g));
  PetscCall(PetscFree(g.length));
  PetscCall(PetscFree(g.entry));
  PetscCall(find_late(p));
  PetscCall(wring_neighbours_create(columns, p->n_ghost, p->global, &p->columns));
  PetscCall(wring_messages_create(&p->columns, MPI_FLOAT, PETSC_TRUE, &p->fetch));
  PetscCall(wring_messages_create(&p->own_columns, MPI_FLOAT, PETSC_FALSE, &p->give));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_interpolation_create(Mat P, const wring_neighbours *near, const float *fine, const float *coarse,
                                          wring_interpolation *p)
{
  Mat             own, ghost;
  const PetscInt *global;
  float          *row, *column;
  PetscLayout     columns;

  PetscFunctionBegin;
  *p = (wring_interpolation){.n = 0};
  PetscCall(MatGetLocalSize(P, &p->n, &p->n_coarse));
  PetscCall(MatGetLayouts(P, NULL, &columns));
  PetscCall(wring_aij_split(P, &own, &ghost, &global));
  PetscCall(wring_aij_neighbours(P, &p->own_columns));
  p->n_fine              = p->n;
  const PetscInt n_ghost = p->own_columns.n_ghost;
  PetscCall(PetscMalloc2(p->n, &row, p->n_coarse + n_ghost, &column));
  for (PetscInt i = 0; i < p->n; i++) row[i] = 1 / fine[i];
  PetscCall(PetscArraycpy(column, coarse, p->n_coarse));
  PetscCall(wring_neighbours_fetch(&p->own_columns, sizeof *coarse, coarse, column + p->n_coarse));
  PetscCall(wring_csr_join(own, ghost, p->n_coarse, row, column, &p->P));
  PetscCall(wring_csr_transpose(p->n, p->n_coarse + n_ghost, &p->P, &p->R));
  PetscCall(PetscFree2(row, column));
  if (ghost) PetscCall(widen(p, near, columns, global));
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
  PetscCall(PetscFree(p->global));
  PetscCall(PetscFree(p->late));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_interpolation_memory(const wring_interpolation *p)
{
  return wring_csr_memory(p->n_fine, &p->P) + wring_csr_memory(p->n_coarse + p->own_columns.n_ghost, &p->R) +
         wring_neighbours_memory(&p->columns) + wring_neighbours_memory(&p->own_columns) +
         wring_messages_memory(&p->fetch) + wring_messages_memory(&p->give) + sizeof(int) * (double)p->n_late +
         sizeof(PetscInt) * (double)p->n_ghost;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void multiply(const wring_csr *a, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(n); s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) {
      const wring_float4 sum = wring_csr_row(a, i, x);
      for (int c = 0; c < 3; c++) y[3 * i + c] = sum[c];
    }
  }
}

/* The rows of a matrix from `first` on, as a matrix. */
static wring_csr rows_from(const wring_csr *a, PetscInt first)
{
  wring_csr rest = *a;
  rest.start += first;
  return rest;
}

PetscErrorCode wring_interpolation_restrict(wring_interpolation *p, const float *r, float *coarse)
{
  PetscFunctionBegin;
  if (p->give.of) {
    const wring_csr rest = rows_from(&p->R, p->n_coarse);
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

/* Index of the first late row that is not below `row`. */
static PetscInt late_from(const wring_interpolation *p, PetscInt row)
{
  PetscInt low = 0, high = p->n_late;
  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (p->late[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void prolong_early(const wring_interpolation *p, const float *coarse, float omega, const float *b, float *x)
{
#pragma omp parallel for schedule(static) if (p->n_fine > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(p->n_fine); s++) {
    PetscInt late = late_from(p, wring_strip(p->n_fine, s));
    for (PetscInt i = wring_strip(p->n_fine, s); i < wring_strip(p->n_fine, s + 1); i++) {
      if (late < p->n_late && p->late[late] == i)
        late++;
      else
        prolong_row(p, i, coarse, omega, b, x);
    }
  }
}

PetscErrorCode wring_interpolation_prolong(wring_interpolation *p, float *coarse, float omega, const float *b, float *x)
{
  PetscFunctionBegin;
  if (p->fetch.of) PetscCall(wring_fetch_begin(&p->fetch, coarse));
  prolong_early(p, coarse, omega, b, x);
  if (p->fetch.of) PetscCall(wring_fetch_end(&p->fetch, coarse + 3 * (size_t)p->n_coarse));
#pragma omp parallel for schedule(static) if (p->n_late > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < p->n_late; k++) prolong_row(p, p->late[k], coarse, omega, b, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}
