/* Aggregates around a maximal independent set of the rows of a rank, and the rows of the interpolation. */
#include "aggregates.h"
#include "assemble.h"
#include "base/sort.h"
#include <math.h>

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

/* The number of rows of this rank that row i is connected to, and *others, whether there are some of other ranks. */
static PetscInt count_connections(const wring_level *l, PetscInt i, double threshold, PetscBool *others)
{
  const wring_csr *const own = &l->own, *const ghost = &l->ghost;
  PetscInt n = 0;
  for (PetscInt k = own->start[i]; k < own->start[i + 1]; k++)
    n += own->column[k] != i && fabsf(own->value[k]) >= threshold;
  *others = PETSC_FALSE;
  if (!ghost->start) return n;
  for (PetscInt k = ghost->start[i]; k < ghost->start[i + 1]; k++)
    if (fabsf(ghost->value[k]) >= threshold) *others = PETSC_TRUE;
  return n;
}

enum { MOST = 64 }; // connections that the order tells apart

/* order [n], freed by the caller: the rows that have connections, those with few first. */
static PetscErrorCode order_rows(const wring_level *l, double threshold, PetscInt *n, PetscInt **order)
{
  PetscInt *count, start[MOST + 2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)l->n, &count));
  PetscCall(PetscMalloc1((size_t)l->n, order));
  *n = 0;
  for (PetscInt i = 0; i < l->n; i++) {
    PetscBool      others;
    const PetscInt own = count_connections(l, i, threshold, &others);
    count[i]           = PetscMin(own, MOST);
    if (own > 0 || others) (*order)[(*n)++] = i;
  }
  PetscCall(wring_sort_buckets(*n, *order, count, MOST + 1, start));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the rows that row i is connected to into aggregate n if they are in none, or also if `all` is set. */
static void take(const wring_csr *a, PetscInt i, double threshold, PetscBool all, PetscInt n, PetscInt *of)
{
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++)
    if ((all || of[a->column[k]] < 0) && fabsf(a->value[k]) >= threshold) of[a->column[k]] = n;
}

/* A row that is in no aggregate yet begins one. A wide one has all rows around it, which no other row begins. */
PetscErrorCode wring_aggregates_find(const wring_level *l, double threshold, PetscBool wide, PetscInt *n_aggregate,
                                     PetscInt **aggregate)
{
  const wring_csr *const a = &l->own;
  PetscInt               n, *order, *of;

  PetscFunctionBegin;
  PetscCall(order_rows(l, threshold, &n, &order));
  PetscCall(PetscMalloc1((size_t)l->n, &of));
  for (PetscInt i = 0; i < l->n; i++) of[i] = -1;
  *n_aggregate = 0;
  for (PetscInt m = 0; m < n; m++) {
    const PetscInt i = order[m];
    if (of[i] >= 0) continue;
    of[i] = (*n_aggregate)++;
    take(a, i, threshold, wide, of[i], of);
    if (!wide) continue;
    for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++)
      if (fabsf(a->value[k]) >= threshold) take(a, a->column[k], threshold, PETSC_FALSE, of[i], of);
  }
  PetscCall(PetscFree(order));
  *aggregate = of;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- interpolation ----------------------------------------------------------------------------------------------- */

typedef struct {
  const wring_csr *pattern;           // of A in columns of this rank
  wring_rows       rows;              // of A
  const PetscInt  *aggregate, *ghost; // global numbers
  double           step;
} smoothing;

/* Appends -step/d times the row of A to the aggregates of its columns. */
static void append_entries(const wring_aij *a, PetscInt i, const PetscInt *aggregate, double factor,
                           wring_new_rows *rows)
{
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    if (aggregate[a->column[k]] < 0) continue;
    rows->column[rows->n]  = aggregate[a->column[k]];
    rows->value[rows->n++] = factor * a->value[k];
  }
}

/* Sorts the entries from `begin` on and adds those of the same column. */
static void unite(wring_new_rows *rows, size_t begin)
{
  size_t end = begin;
  wring_sort_row((PetscInt)(rows->n - begin), rows->column + begin, rows->value + begin);
  for (size_t k = begin; k < rows->n; k++) {
    if (end > begin && rows->column[end - 1] == rows->column[k]) {
      rows->value[end - 1] += rows->value[k];
    } else {
      rows->column[end]  = rows->column[k];
      rows->value[end++] = rows->value[k];
    }
  }
  rows->n = end;
}

/* Drops small entries from `begin` on and adds them to that of column `own`, so that the sum of the row stays. */
static void truncate_row(wring_new_rows *rows, size_t begin, PetscInt own)
{
  const double part = 0.05;
  double       most = 0, dropped = 0;
  size_t       end = begin, at = begin;
  for (size_t k = begin; k < rows->n; k++) most = PetscMax(most, fabs(rows->value[k]));
  for (size_t k = begin; k < rows->n; k++) {
    const PetscInt column = rows->column[k];
    if (column != own && fabs(rows->value[k]) < part * most) {
      dropped += rows->value[k];
      continue;
    }
    if (column == own) at = end;
    rows->column[end]  = column;
    rows->value[end++] = rows->value[k];
  }
  rows->value[at] += dropped;
  rows->n = end;
}

static PetscBool append_row(const void *of, int thread, PetscInt i, wring_new_rows *rows)
{
  const smoothing *const s   = of;
  const wring_aij *const own = &s->rows.own, *const ghost = &s->rows.ghost;
  const size_t begin = rows->n;
  (void)thread;
  const PetscInt n = own->start[i + 1] - own->start[i] + (ghost->start ? ghost->start[i + 1] - ghost->start[i] : 0);
  if (!wring_new_rows_reserve(rows, (size_t)n + 1)) return PETSC_FALSE;
  if (s->aggregate[i] < 0) return PETSC_TRUE;
  rows->column[rows->n]  = s->aggregate[i];
  rows->value[rows->n++] = 1;
  const double factor    = -s->step / wring_csr_diagonal(s->pattern, own->value, i);
  append_entries(own, i, s->aggregate, factor, rows);
  if (ghost->start) append_entries(ghost, i, s->ghost, factor, rows);
  unite(rows, begin);
  truncate_row(rows, begin, s->aggregate[i]);
  return PETSC_TRUE;
}

PetscErrorCode wring_aggregates_interpolate(const wring_level *l, Mat A, PetscInt n_aggregate, PetscInt *aggregate,
                                            Mat *P)
{
  const int n_thread = wring_row_threads(l->n);
  PetscInt  before   = 0, *ghost;
  smoothing s        = {.pattern = &l->own, .aggregate = aggregate, .step = 0.8 * l->omega}; // 4/(3 lambda), by (4.6)

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&n_aggregate, &before, 1, MPIU_INT, MPI_SUM, l->comm));
  for (PetscInt i = 0; i < l->n; i++)
    if (aggregate[i] >= 0) aggregate[i] += before;
  PetscCall(PetscMalloc1((size_t)l->n_ghost, &ghost));
  PetscCall(wring_neighbours_fetch(&l->near, sizeof *ghost, aggregate, ghost));
  s.ghost = ghost;
  PetscCall(wring_rows_get(A, &s.rows));
  PetscCall(wring_assemble(l->comm, l->n, n_aggregate, n_thread, append_row, &s, P));
  PetscCall(wring_rows_restore(&s.rows));
  PetscCall(PetscFree(ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}
