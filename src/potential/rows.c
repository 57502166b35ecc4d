/*
  The rows of matrices that a rank owns, of vertices that share elements on any rank: their columns, known once, and
  their values, which the elements of this rank and the rows of ghosts on others add to. A matrix of PETSc has its
  columns from here, and its arrays are the values. Contacts may have more columns, others in each Hessian.
*/
#include "rows.h"
#include "base/count.h"
#include "base/sort.h"
#include <petsc/private/petscimpl.h> // PetscObjectStateIncrease
#include <string.h>

/* An entry of the row of a ghost, for its owner. */
typedef struct {
  PetscInt row, column; // number there; global
} ghost_entry;

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static PetscInt row_length(const wring_block_rows *r, PetscInt i)
{
  return r->own[i + 1] - r->own[i] + r->other[i + 1] - r->other[i];
}

/* Sends the entries of ghosts' rows: *got [r->x.n_got], freed by the caller. */
static PetscErrorCode send_ghosts(const wring_mesh *m, const wring_pattern *p, wring_block_rows *r, ghost_entry **got)
{
  const PetscInt     first = p->start[m->n_owned], n = p->start[p->n] - first;
  const PetscSFNode *owner;
  const PetscInt    *leaf;
  PetscInt          *to;
  ghost_entry       *entry;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->forest.halo, NULL, NULL, &leaf, &owner));
  PetscCall(PetscMalloc2(n, &to, n, &entry));
  for (PetscInt i = m->n_owned; i < p->n; i++) {
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++) {
      const PetscSFNode at = owner[i - m->n_owned];
      to[k - first]        = at.rank;
      entry[k - first]     = (ghost_entry){at.index, m->number.global[p->column[k]]};
    }
  }
  PetscCall(wring_exchange_create(m->comm, n, to, &r->x));
  PetscCall(wring_exchange_send(&r->x, sizeof *entry, entry, got));
  PetscCall(PetscFree2(to, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int is_other(const wring_mesh *m, PetscInt column)
{
  return column < m->number.begin || column >= m->number.begin + m->n_owned;
}

/* The columns of this rank come first, then the others; both ascend. */
static int compare_columns(const wring_mesh *m, PetscInt a, PetscInt b)
{
  const int other_a = is_other(m, a), other_b = is_other(m, b);
  return other_a != other_b ? other_a - other_b : (a > b) - (a < b);
}

/* Sorts n columns in their order and drops equal ones: insertion, since few are new or most are in order. */
static PetscInt sort_columns(const wring_mesh *m, PetscInt n, PetscInt *column)
{
  PetscInt kept = 0;
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt c   = column[k];
    PetscInt       low = 0, high = kept;
    if (kept > 0 && compare_columns(m, column[kept - 1], c) < 0) low = kept;
    while (low < high) {
      const PetscInt middle = low + (high - low) / 2;
      if (compare_columns(m, column[middle], c) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < kept && column[low] == c) continue;
    memmove(column + low + 1, column + low, sizeof *column * (size_t)(kept - low));
    column[low] = c;
    kept++;
  }
  return kept;
}

/* The position of a column in row i. */
static int32_t find_column(const wring_block_rows *r, PetscInt i, PetscInt column)
{
  const PetscInt n = r->own[i + 1] - r->own[i], before = is_other(r->mesh, column) ? n : 0;
  return (int32_t)(before + wring_first_from(before ? r->other[i + 1] - r->other[i] : n,
                                             r->column + r->own[i] + r->other[i] + before, column));
}

/* Sorts row i, whose columns begin at `column`, and counts them behind the row's place in own, other and upper. */
static void sort_row(const wring_mesh *m, PetscInt i, PetscInt n, PetscInt *column, wring_block_rows *r)
{
  const PetscInt kept   = sort_columns(m, n, column);
  PetscInt       others = 0, below = 0;
  for (PetscInt k = 0; k < kept; k++) {
    others += is_other(m, column[k]);
    below += !is_other(m, column[k]) && column[k] < m->number.begin + i;
  }
  r->own[i + 1]   = kept - others;
  r->other[i + 1] = others;
  r->upper[i + 1] = kept - others - below;
}

/* own, other, upper and column, from all [start[n_owned]] columns by row, which may repeat. */
static PetscErrorCode set_columns(const wring_mesh *m, const PetscInt *start, PetscInt *all, wring_block_rows *r)
{
  const PetscInt n = m->n_owned;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n + 1, &r->own, n + 1, &r->other, n + 1, &r->upper, start[n], &r->column));
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++) sort_row(m, i, start[i + 1] - start[i], all + start[i], r);
  for (int k = 0; k < 3; k++) wring_add_up(n, (PetscInt *[]){r->own, r->other, r->upper}[k]);
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++)
    memcpy(r->column + r->own[i] + r->other[i], all + start[i], sizeof *all * (size_t)row_length(r, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of the pattern of this rank and the entries from others. */
static PetscErrorCode find_columns(const wring_mesh *m, const wring_pattern *p, const ghost_entry *got,
                                   wring_block_rows *r)
{
  const PetscInt n = m->n_owned;
  PetscInt      *start, *all, *next;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(n + 1, &start, n, &next));
  PetscCall(PetscMalloc1(p->start[n] + r->x.n_got, &all));
  for (PetscInt e = 0; e < r->x.n_got; e++) start[got[e].row + 1]++;
  for (PetscInt i = 0; i < n; i++) start[i + 1] += p->start[i + 1] - p->start[i];
  wring_add_up(n, start);
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++) {
    next[i] = start[i];
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++) all[next[i]++] = m->number.global[p->column[k]];
  }
  for (PetscInt e = 0; e < r->x.n_got; e++) all[next[got[e].row]++] = got[e].column;
  PetscCall(set_columns(m, start, all, r));
  PetscCall(PetscFree2(start, next));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where entries are in the rows. */
static PetscErrorCode find_places(const wring_mesh *m, const wring_pattern *p, const ghost_entry *got,
                                  wring_block_rows *r)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->start[p->n], &r->place));
  PetscCall(PetscMalloc2(r->x.n_got, &r->got_row, r->x.n_got, &r->got_place));
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < p->n; i++)
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++)
      r->place[k] = i < m->n_owned ? find_column(r, i, m->number.global[p->column[k]]) : (int32_t)(k - p->start[i]);
  for (PetscInt e = 0; e < r->x.n_got; e++) {
    r->got_row[e]   = got[e].row;
    r->got_place[e] = find_column(r, got[e].row, got[e].column);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_rows_check(const wring_block_rows *r)
{
  const PetscInt64 n = (PetscInt64)r->own[r->mesh->n_owned] + r->other[r->mesh->n_owned] + r->n_ghost;

  PetscFunctionBegin;
  PetscCall(wring_count_check(r->mesh->comm, n, 9, "Hessian on one rank", "blocks"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_rows_create(const wring_mesh *m, const wring_pattern *p, PetscContainer tag,
                                       wring_block_rows **rows)
{
  wring_block_rows *r;
  ghost_entry      *got;

  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  *rows      = r;
  r->mesh    = m;
  r->tag     = tag;
  r->n_entry = p->start[p->n];
  r->n_ghost = p->start[p->n] - p->start[m->n_owned];
  PetscCall(send_ghosts(m, p, r, &got));
  PetscCall(
    wring_count_check(m->comm, (PetscInt64)p->start[m->n_owned] + r->x.n_got, 1, "matrix on one rank", "entries"));
  PetscCall(find_columns(m, p, got, r));
  PetscCall(find_places(m, p, got, r));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_rows_destroy(wring_block_rows **rows)
{
  wring_block_rows *const r = *rows;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_exchange_destroy(&r->x));
  PetscCall(PetscFree4(r->own, r->other, r->upper, r->column));
  PetscCall(PetscFree2(r->got_row, r->got_place));
  PetscCall(PetscFree(r->place));
  PetscCall(PetscFree(*rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* The scalar columns of all rows, global, as PETSc reads them: others below, those of this rank, others above. */
static PetscErrorCode list_scalars(const wring_block_rows *r, PetscInt bs, PetscInt **start, PetscInt **column)
{
  const PetscInt n = r->mesh->n_owned;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(bs * n + 1, start, (size_t)bs * (size_t)bs * (size_t)(r->own[n] + r->other[n]), column));
  (*start)[0] = 0;
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < bs * n; i++) {
    const PetscInt  v = i / bs, length = row_length(r, v), own = r->own[v + 1] - r->own[v];
    const PetscInt *from   = r->column + r->own[v] + r->other[v];
    const PetscInt  before = wring_first_from(length - own, from + own, r->mesh->number.begin);
    const PetscInt  begin  = bs * bs * (r->own[v] + r->other[v]) + i % bs * bs * length;
    for (PetscInt k = 0; k < bs * length; k++) {
      const PetscInt at = k / bs, block = at < before ? own + at : at < before + own ? at - before : at;
      (*column)[begin + k] = bs * from[block] + k % bs;
    }
    (*start)[i + 1] = begin + bs * length;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *A is created anew, unless it has the tag of r. */
static PetscErrorCode create_matrix(const wring_block_rows *r, PetscInt bs, Mat *A)
{
  PetscObject tag = NULL;
  PetscInt   *start, *column;

  PetscFunctionBegin;
  if (*A) PetscCall(PetscObjectQuery((PetscObject)*A, "wring_rows", &tag));
  if (tag && tag == (PetscObject)r->tag) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(A));
  PetscCall(MatCreate(r->mesh->comm, A));
  PetscCall(MatSetSizes(*A, bs * r->mesh->n_owned, bs * r->mesh->n_owned, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(list_scalars(r, bs, &start, &column));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, start, column, NULL));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, start, column, NULL));
  PetscCall(PetscFree2(start, column));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(PetscObjectCompose((PetscObject)*A, "wring_rows", (PetscObject)r->tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of a matrix of these rows; the second is NULL on one rank. */
static PetscErrorCode get_arrays(Mat A, Mat part[2], double *value[2])
{
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  part[0]  = A;
  part[1]  = NULL;
  value[1] = NULL;
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], NULL));
  for (int i = 0; i < 2 && part[i]; i++) PetscCall(MatSeqAIJGetArrayWrite(part[i], &value[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_arrays(Mat A, Mat part[2], double *value[2])
{
  PetscFunctionBegin;
  for (int i = 0; i < 2 && part[i]; i++) PetscCall(MatSeqAIJRestoreArrayWrite(part[i], &value[i]));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number at a place of row i. */
static double *at_place(const wring_block_rows *r, double *value[2], PetscInt i, PetscInt place)
{
  const PetscInt n = r->own[i + 1] - r->own[i];
  return place < n ? value[0] + r->own[i] + place : value[1] + r->other[i] + place - n;
}

PetscErrorCode wring_block_rows_fill(const wring_block_rows *r, const wring_pattern *p, const double *value, Mat *A)
{
  const PetscInt n = r->mesh->n_owned;
  double        *array[2], *got;
  Mat            part[2];

  PetscFunctionBegin;
  PetscCall(create_matrix(r, 1, A));
  PetscCall(get_arrays(*A, part, array));
  wring_fill(r->own[n], 0, array[0]);
  if (part[1]) wring_fill(r->other[n], 0, array[1]);
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++) *at_place(r, array, i, r->place[k]) = value[k];
  PetscCall(wring_exchange_send(&r->x, sizeof *got, value + p->start[n], &got));
  for (PetscInt e = 0; e < r->x.n_got; e++) *at_place(r, array, r->got_row[e], r->got_place[e]) += got[e];
  PetscCall(PetscFree(got));
  PetscCall(restore_arrays(*A, part, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_block_rows_begin(const wring_block_rows *r, wring_block_values *v)
{
  const PetscInt n       = r->mesh->n_owned;
  const size_t   numbers = 9 * (size_t)(r->upper[n] + r->other[n] + r->n_ghost);
  double        *value   = v->value;

  PetscFunctionBegin;
  if (!value) PetscCall(PetscMalloc1(numbers, &value));
  *v = (wring_block_values){n, r->own, r->other, r->upper, r->place, value};
  wring_fill((PetscInt)numbers, 0, value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_rows_end(const wring_block_rows *r, const wring_block_values *v)
{
  const PetscInt n = r->mesh->n_owned;
  double        *got;

  PetscFunctionBegin;
  PetscCall(wring_exchange_send(&r->x, 9 * sizeof *got, v->value + 9 * (size_t)(r->upper[n] + r->other[n]), &got));
  for (PetscInt e = 0; e < r->x.n_got; e++) {
    const PetscInt b = wring_block_of_place(v, r->got_row[e], r->got_place[e]);
    for (int c = 0; c < 9 && b >= 0; c++) v->value[9 * (size_t)b + c] += got[9 * (size_t)e + c];
  }
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block k of n in the rows of a part that begin at `row`, or its transpose. */
static void put_block(double *row, PetscInt n, PetscInt k, PetscBool turned, const double *block)
{
  for (int c = 0; c < 9; c++) row[3 * n * (c / 3) + 3 * k + c % 3] = block[turned ? 3 * (c % 3) + c / 3 : c];
}

PetscErrorCode wring_block_rows_convert(const wring_block_rows *r, const wring_block_values *v, Mat *H)
{
  const PetscInt n = r->mesh->n_owned, *const own = r->own, *const other = r->other;
  const double *block = v->value;
  double       *array[2];
  Mat           part[2];
  PetscInt     *below; // blocks below the diagonal that have been written

  PetscFunctionBegin;
  PetscCall(create_matrix(r, 3, H));
  PetscCall(get_arrays(*H, part, array));
  PetscCall(PetscCalloc1(n, &below));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt length = own[i + 1] - own[i];
    for (PetscInt k = length - (r->upper[i + 1] - r->upper[i]); k < length; k++, block += 9) {
      const PetscInt j = r->column[own[i] + other[i] + k] - r->mesh->number.begin;
      put_block(array[0] + 9 * (size_t)own[i], length, k, PETSC_FALSE, block);
      if (j > i) put_block(array[0] + 9 * (size_t)own[j], own[j + 1] - own[j], below[j]++, PETSC_TRUE, block);
    }
  }
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < other[i + 1] - other[i]; k++, block += 9)
      put_block(array[1] + 9 * (size_t)other[i], other[i + 1] - other[i], k, PETSC_FALSE, block);
  PetscCall(PetscFree(below));
  PetscCall(restore_arrays(*H, part, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- couplings of contacts --------------------------------------------------------------------------------------- */

PetscBool wring_block_rows_have(const wring_block_rows *r, PetscInt i, PetscInt column)
{
  const PetscInt place = find_column(r, i, column);
  return (PetscBool)(place < row_length(r, i) && r->column[r->own[i] + r->other[i] + place] == column);
}

void wring_block_rows_add(const wring_block_rows *r, const wring_block_values *v, const wring_coupling *c)
{
  const PetscInt b = wring_block_of_place(v, c->row, find_column(r, c->row, c->column));
  for (int k = 0; k < 9 && b >= 0; k++) v->value[9 * (size_t)b + k] += c->block[k];
}

PetscErrorCode wring_block_rows_widen(const wring_block_rows *r, PetscInt n_more, const wring_coupling *more,
                                      wring_block_rows **wider)
{
  const PetscInt n = r->mesh->n_owned;
  PetscInt      *start, *all, *next;

  PetscFunctionBegin;
  PetscCall(PetscNew(wider));
  (*wider)->mesh = r->mesh;
  PetscCall(PetscCalloc2(n + 1, &start, n, &next));
  for (PetscInt e = 0; e < n_more; e++) start[more[e].row + 1]++;
  for (PetscInt i = 0; i < n; i++) start[i + 1] += row_length(r, i);
  wring_add_up(n, start);
  PetscCall(PetscMalloc1(start[n], &all));
  for (PetscInt i = 0; i < n; i++) {
    next[i] = start[i] + row_length(r, i);
    PetscCall(PetscArraycpy(all + start[i], r->column + r->own[i] + r->other[i], row_length(r, i)));
  }
  for (PetscInt e = 0; e < n_more; e++) all[next[more[e].row]++] = more[e].column;
  PetscCall(set_columns(r->mesh, start, all, *wider));
  PetscCall(PetscFree2(start, next));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_block_rows_copy(const wring_block_rows *r, const wring_block_values *v, const wring_block_rows *wider,
                           const wring_block_values *to)
{
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < v->n_owned; i++) {
    for (PetscInt k = 0; k < row_length(r, i); k++) {
      const PetscInt b   = wring_block_of_place(v, i, k);
      wring_coupling one = {i, r->column[r->own[i] + r->other[i] + k], {0}};
      if (b < 0) continue;
      memcpy(one.block, v->value + 9 * (size_t)b, sizeof one.block);
      wring_block_rows_add(wider, to, &one);
    }
  }
}
