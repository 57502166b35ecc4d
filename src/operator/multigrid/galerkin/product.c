/* P^T A P with its pattern, as an operation of PETSc's matrices. */
#include "base/count.h"
#include "base/sort.h"
#include "operator/aij.h"
#include "row.h"
#include <omp.h>

/* ---- the factors ------------------------------------------------------------------------------------------------- */

typedef struct {
  wring_level          fine;   // the pattern of A, and P
  wring_level          coarse; // n, first and comm only
  wring_level_values   a;
  wring_aij            own, ghost; // A
  PetscInt             n_part;
  wring_galerkin_part *part;          // [n_part] from other ranks, by rank
  PetscInt            *column;        // [n_part] their columns, by columns of P, then of `more`
  PetscInt            *start, *order; // [coarse.n + 2], [n_part] parts by row; NULL on one rank
  PetscInt             n_more;
  PetscInt            *more; // [n_more] global numbers of columns that P does not refer to
} product;

static PetscErrorCode get_interpolation(Mat P, wring_level *fine)
{
  PetscInt n, n_coarse;
  float   *one;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(P, &n, &n_coarse));
  PetscCall(PetscMalloc1(PetscMax(n, n_coarse), &one));
  for (PetscInt i = 0; i < PetscMax(n, n_coarse); i++) one[i] = 1;
  PetscCall(wring_interpolation_create(P, &fine->near, one, one, &fine->from_coarse));
  PetscCall(PetscFree(one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_factors(Mat A, Mat P, product *g)
{
  Mat             own, ghost;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(wring_aij_split(A, &own, &ghost, &global));
  PetscCall(wring_aij_get(own, &g->own));
  PetscCall(wring_aij_get(ghost, &g->ghost));
  g->a = (wring_level_values){.own = g->own.value, .ghost = g->ghost.value};
  PetscCall(wring_level_create_pattern(PetscObjectComm((PetscObject)A), A, &g->fine));
  PetscCall(get_interpolation(P, &g->fine));
  g->coarse = (wring_level){.comm = g->fine.comm, .n = g->fine.from_coarse.n_coarse};
  PetscCall(MatGetOwnershipRangeColumn(P, &g->coarse.first, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(product *g)
{
  PetscFunctionBegin;
  PetscCall(wring_aij_restore(&g->ghost));
  PetscCall(wring_aij_restore(&g->own));
  PetscCall(wring_level_destroy(&g->fine));
  PetscCall(PetscFree(g->part));
  PetscCall(PetscFree(g->column));
  PetscCall(PetscFree(g->start));
  PetscCall(PetscFree(g->order));
  PetscCall(PetscFree(g->more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts from other ranks -------------------------------------------------------------------------------------- */

/* The position of a global column among those of this rank and of P; -1: it is not there. */
static PetscErrorCode find_column(const product *g, PetscInt column, PetscInt *at)
{
  const wring_interpolation *const p = &g->fine.from_coarse;

  PetscFunctionBegin;
  *at = column - g->coarse.first;
  if (*at >= 0 && *at < p->n_coarse) PetscFunctionReturn(PETSC_SUCCESS);
  *at = -1;
  if (p->n_ghost > 0) PetscCall(PetscFindInt(column, p->n_ghost, p->global, at));
  *at = *at < 0 ? -1 : p->n_coarse + *at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_columns(product *g)
{
  const PetscInt width = g->fine.from_coarse.n_coarse + g->fine.from_coarse.n_ghost;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->n_part, &g->column));
  PetscCall(PetscMalloc1((size_t)g->n_part, &g->more));
  for (PetscInt k = 0; k < g->n_part; k++) {
    PetscCall(find_column(g, (PetscInt)g->part[k].column, &g->column[k]));
    if (g->column[k] < 0) g->more[g->n_more++] = (PetscInt)g->part[k].column;
  }
  PetscCall(PetscSortRemoveDupsInt(&g->n_more, g->more));
  for (PetscInt k = 0; k < g->n_part; k++) {
    if (g->column[k] >= 0) continue;
    PetscCall(PetscFindInt((PetscInt)g->part[k].column, g->n_more, g->more, &g->column[k]));
    g->column[k] += width;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode order_by_row(product *g)
{
  PetscInt *next;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)g->coarse.n + 2, &g->start));
  PetscCall(PetscMalloc1((size_t)g->n_part, &g->order));
  next = g->start + 1;
  for (PetscInt k = 0; k < g->n_part; k++) next[g->part[k].row - g->coarse.first + 1]++;
  for (PetscInt i = 0; i < g->coarse.n; i++) next[i + 1] += next[i];
  for (PetscInt k = 0; k < g->n_part; k++) g->order[next[g->part[k].row - g->coarse.first]++] = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_parts(product *g)
{
  PetscFunctionBegin;
  if (!g->fine.from_coarse.fetch.of) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_galerkin_get_parts(&g->fine, &g->a, &g->coarse, &g->n_part, &g->part));
  PetscCall(number_columns(g));
  PetscCall(order_by_row(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void compute_row(const product *g, PetscInt i, wring_galerkin_row *v)
{
  wring_galerkin_row_by_matrix(&g->fine, &g->a, i, v);
  wring_galerkin_row_by_interpolation_listed(&g->fine, &g->a, i, v);
  if (!g->start) return;
  for (PetscInt k = g->start[i]; k < g->start[i + 1]; k++) {
    const PetscInt from = g->order[k];
    wring_galerkin_row_add(i, g->column[from], g->part[from].value, v);
  }
}

static PetscInt number_of(const product *g, PetscInt column)
{
  const wring_interpolation *const p = &g->fine.from_coarse;
  if (column < p->n_coarse) return g->coarse.first + column;
  column -= p->n_coarse;
  return column < p->n_ghost ? p->global[column] : g->more[column - p->n_ghost];
}

/* Rows of the product, global columns in ascending order: of a strip, or all of a rank. */
typedef struct {
  size_t    n, room;
  PetscInt *column; // [n]
  double   *value;  // [n]
} entries;

static PetscErrorCode reserve(size_t n, entries *e)
{
  PetscFunctionBegin;
  e->room = 2 * n;
  PetscCall(PetscRealloc(e->room * sizeof *e->column, &e->column));
  PetscCall(PetscRealloc(e->room * sizeof *e->value, &e->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends row i and sets *length, its number of entries; false: there is no memory. Called by all threads. */
static PetscBool append_row(const product *g, PetscInt i, wring_galerkin_row *v, entries *e, PetscInt *length)
{
  PetscErrorCode code = PETSC_SUCCESS;

  compute_row(g, i, v);
  if (e->n + (size_t)v->n_coarse > e->room) {
#pragma omp critical(wring_galerkin_memory)
    code = reserve(e->n + (size_t)v->n_coarse, e);
  }
  if (code) return PETSC_FALSE;
  for (PetscInt k = 0; k < v->n_coarse; k++) {
    e->column[e->n + (size_t)k] = number_of(g, v->coarse_list[k]);
    e->value[e->n + (size_t)k]  = v->coarse[v->coarse_list[k]].value;
  }
  wring_sort_row(v->n_coarse, e->column + e->n, e->value + e->n);
  e->n += (size_t)v->n_coarse;
  *length = v->n_coarse;
  return PETSC_TRUE;
}

/* strip [wring_strips(n)], length [n] of each row. */
static PetscErrorCode compute_strips(const product *g, entries *strip, PetscInt *length)
{
  const wring_interpolation *const p = &g->fine.from_coarse;
  const PetscInt                   n = g->coarse.n;
  int                              n_thread, failed = 0;
  wring_galerkin_row              *v;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_rows_create(&g->fine, p->n_coarse + p->n_ghost + g->n_more, &n_thread, &v));
#pragma omp parallel for schedule(static) num_threads(n_thread) reduction(| : failed) if (n_thread > 1)
  for (int s = 0; s < wring_strips(n); s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1) && !failed; i++)
      failed = !append_row(g, i, &v[omp_get_thread_num()], &strip[s], &length[i]);
  }
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the product of a coarse matrix");
  PetscCall(wring_galerkin_rows_destroy(n_thread, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* start [n + 1] from the lengths of rows, which are at start + 1. */
static PetscErrorCode add_up(PetscInt n, PetscInt *start)
{
  wring_error error = {""};
  PetscInt64  all   = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) all += start[i + 1];
  PetscCheck(wring_count_fits(all, 1, "coarse matrix on one rank", "entries", &error), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%s", error.text);
  for (PetscInt i = 0; i < n; i++) start[i + 1] += start[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All strips in one, which are freed. */
static PetscErrorCode join_strips(PetscInt n, const PetscInt *start, entries *strip, entries *all)
{
  PetscFunctionBegin;
  all->n = (size_t)start[n];
  PetscCall(PetscMalloc1(all->n, &all->column));
  PetscCall(PetscMalloc1(all->n, &all->value));
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(n); s++) {
    const size_t first = (size_t)start[wring_strip(n, s)];
    for (size_t k = 0; k < strip[s].n; k++) all->column[first + k] = strip[s].column[k];
    for (size_t k = 0; k < strip[s].n; k++) all->value[first + k] = strip[s].value[k];
  }
  for (int s = 0; s < wring_strips(n); s++) {
    PetscCall(PetscFree(strip[s].column));
    PetscCall(PetscFree(strip[s].value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* start [coarse.n + 1] */
static PetscErrorCode compute_rows(const product *g, PetscInt **start, entries *all)
{
  const PetscInt n = g->coarse.n;
  entries       *strip;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n + 1, start));
  PetscCall(PetscCalloc1((size_t)wring_strips(n), &strip));
  PetscCall(compute_strips(g, strip, *start + 1));
  PetscCall(add_up(n, *start));
  PetscCall(join_strips(n, *start, strip, all));
  PetscCall(PetscFree(strip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- PETSc's operations ------------------------------------------------------------------------------------------ */

static PetscErrorCode compute(Mat C)
{
  product   g   = {.n_part = 0};
  entries   all = {.n = 0};
  PetscInt *start;
  Mat       A, P;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(get_factors(A, P, &g));
  PetscCall(get_parts(&g));
  PetscCall(compute_rows(&g, &start, &all));
  PetscCall(destroy(&g));
  PetscCall(MatSeqAIJSetPreallocationCSR(C, start, all.column, all.value)); // each sets its own type of matrix only
  PetscCall(MatMPIAIJSetPreallocationCSR(C, start, all.column, all.value));
  PetscCall(PetscFree(all.column));
  PetscCall(PetscFree(all.value));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of C; its pattern comes with its numbers. */
static PetscErrorCode begin(Mat C)
{
  Mat      A, P;
  MatType  type;
  PetscInt n, all;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(MatGetLocalSize(P, NULL, &n));
  PetscCall(MatGetSize(P, NULL, &all));
  PetscCall(MatSetSizes(C, n, n, all, all));
  PetscCall(MatGetType(A, &type));
  PetscCall(MatSetType(C, type));
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (void (*)(void))compute));
  PetscCall(wring_galerkin_use(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P's operation is that of the type. */
static PetscErrorCode choose(Mat C)
{
  PetscErrorCode (*of_type)(Mat);
  Mat            A, P;
  MatProductType type;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  if (type == MATPRODUCT_PtAP) {
    PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))begin));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(MatGetOperation(P, MATOP_PRODUCTSETFROMOPTIONS, (void (**)(void)) & of_type));
  PetscCall((*of_type)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_use(Mat A)
{
  MatType type;
  char    name[128];

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s_C", type, type));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, choose));
  PetscCall(
    MatSetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, (void (*)(void))choose)); // not P's: PETSc then asks by name
  PetscFunctionReturn(PETSC_SUCCESS);
}
