/*
  P^T H P in blocks, by rows, in the pattern of the coarser level. A row is summed to a row of P^T H, then multiplied by
  P; rows of other ranks are sent to them. Sums do not depend on the number of threads. docs/theory.md (4.19), (5.17d)
*/
#include "base/exchange.h"
#include "base/grow.h"
#include "block.h"
#include <omp.h>
#include <string.h>

enum { SIX = WRING_RIGID, SQUARE = WRING_RIGID * WRING_RIGID };

typedef wring_rigid_row block_columns[SIX]; // the columns of a block

/* A row in work, of one thread: blocks of columns that are in use, by a slot for each column; -1: none. */
typedef struct {
  PetscInt      *slot, *list, n, room;
  block_columns *block; // [room] in `memory`
  void          *memory;
} block_row;

/* An entry of a row that another rank owns. */
typedef struct {
  PetscInt row, column;   // global
  double   block[SQUARE]; // by columns
} block_part;

static PetscErrorCode create_row(PetscInt columns, PetscInt room, block_row *v)
{
  PetscFunctionBegin;
  *v = (block_row){.room = PetscMax(room, 1)};
  PetscCall(PetscMalloc2(columns + 1, &v->slot, v->room, &v->list));
  PetscCall(PetscMalloc1((size_t)v->room * sizeof *v->block + sizeof(wring_rigid_row), (char **)&v->memory));
  v->block =
    (block_columns *)(((uintptr_t)v->memory + sizeof(wring_rigid_row) - 1) & ~(uintptr_t)(sizeof(wring_rigid_row) - 1));
  for (PetscInt j = 0; j < columns; j++) v->slot[j] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void clear_row(block_row *v)
{
  for (PetscInt k = 0; k < v->n; k++) v->slot[v->list[k]] = -1;
  v->n = 0;
}

/* The block of a column, 0 at first. */
static inline wring_rigid_row *block_of(block_row *v, PetscInt column)
{
  if (v->slot[column] < 0) {
    memset(v->block[v->n], 0, sizeof *v->block);
    v->slot[column] = v->n;
    v->list[v->n++] = column;
  }
  return v->block[v->slot[column]];
}

/* T += R_i H_ij for the entries of row i; columns R [bs], T [bs]. */
BLOCK_INLINE void add_fine(int bs, const wring_block_csr *a, PetscInt shift, PetscInt i, const wring_rigid_row *R,
                           block_row *v)
{
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    double                 h[SQUARE];
    wring_rigid_row *const T = block_of(v, shift + a->column[k]);
    wring_block_read(bs, a, i, k, h);
    for (int c = 0; c < bs; c++)
      for (int d = 0; d < bs; d++) T[c] += h[bs * d + c] * R[d];
  }
}

/* C += T_j P_j for the columns j in use. Columns of this rank below `least` are left out. */
BLOCK_INLINE void add_coarse(int bs, const wring_block_level *l, const block_row *fine, PetscInt least, block_row *v)
{
  const wring_block_csr *const P = &l->P;
  for (PetscInt s = 0; s < fine->n; s++) {
    const PetscInt               j = fine->list[s];
    const wring_rigid_row *const T = fine->block[s];
    for (PetscInt m = P->start[j]; m < P->start[j + 1]; m++) {
      if (P->column[m] < least) continue;
      const float *const     p = P->block + (size_t)(SIX * bs) * (size_t)m;
      wring_rigid_row *const C = block_of(v, P->column[m]);
      for (int c = 0; c < SIX; c++)
        for (int d = 0; d < bs; d++) C[c] += (double)p[bs * c + d] * T[d];
    }
  }
}

/* The blocks of row i are read soon. */
static inline void prefetch_row(const wring_block_csr *a, PetscInt i)
{
  const size_t          size = (size_t)(a->rows * a->cols);
  const PetscInt *const from = a->below + (a->start[i] - a->first[i]);
  for (PetscInt k = 0; k < wring_block_below(a, i); k++)
    for (size_t at = 0; at < size; at += 16) __builtin_prefetch(a->block + size * (size_t)from[k] + at);
  for (size_t at = size * (size_t)a->first[i]; at < size * (size_t)a->first[i + 1]; at += 16)
    __builtin_prefetch(a->block + at);
}

BLOCK_INLINE void multiply_row(int bs, const wring_block_level *l, PetscInt row, block_row *fine, block_row *coarse)
{
  const wring_csr *const R = &l->of->from_coarse.R;
  for (PetscInt k = R->start[row]; k < R->start[row + 1]; k++) {
    const float *const p      = l->P.block + (size_t)(SIX * bs) * (size_t)l->entry[k];
    wring_rigid_row    r[SIX] = {{0}};
    if (k + 1 < R->start[row + 1]) prefetch_row(&l->own, R->column[k + 1]);
    for (int e = 0; e < SIX * bs; e++) r[e / SIX][e % SIX] = p[bs * (e % SIX) + e / SIX];
    add_fine(bs, &l->own, 0, R->column[k], r, fine);
    if (l->ghost.start) add_fine(bs, &l->ghost, l->of->n, R->column[k], r, fine);
  }
  add_coarse(bs, l, fine, row < l->of->from_coarse.n_coarse ? row : 0, coarse);
}

/* coarse = row of P^T times H P. */
static void compute_row(const wring_block_level *l, PetscInt row, block_row *fine, block_row *coarse)
{
  clear_row(fine);
  clear_row(coarse);
  if (l->bs == 3)
    multiply_row(3, l, row, fine, coarse);
  else
    multiply_row(SIX, l, row, fine, coarse);
}

/* Two rows, of which no row can be longer. */
static PetscErrorCode create_rows(const wring_block_level *l, block_row v[2])
{
  const wring_interpolation *const p      = &l->of->from_coarse;
  const PetscInt                   n_fine = l->of->n + l->of->n_ghost, n_coarse = p->n_coarse + p->columns.n_ghost;
  PetscInt                         most = 0;

  PetscFunctionBegin;
  for (PetscInt row = 0; row < p->n_coarse + p->own_columns.n_ghost; row++) {
    PetscInt n = 0;
    for (PetscInt k = p->R.start[row]; k < p->R.start[row + 1]; k++) {
      const PetscInt i = p->R.column[k];
      n += l->own.start[i + 1] - l->own.start[i] + (l->ghost.start ? l->ghost.start[i + 1] - l->ghost.start[i] : 0);
    }
    most = PetscMax(most, n);
  }
  PetscCall(create_row(n_fine, PetscMin(most, n_fine), &v[0]));
  PetscCall(create_row(n_coarse, n_coarse, &v[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_rows(block_row v[2])
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscFree2(v[i].slot, v[i].list));
    PetscCall(PetscFree(v[i].memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of other ranks ----------------------------------------------------------------------------------------- */

/* Computes rows of others, and gets the parts of those of this rank, by rank. Collective. */
static PetscErrorCode get_parts(const wring_block_level *l, PetscInt *n_got, block_part **got)
{
  const wring_interpolation *const p = &l->of->from_coarse;
  const wring_exchange *const      x = &p->own_columns.asked;
  PetscInt                         n = 0, room = 0, same = 0, *to = NULL;
  block_part                      *part = NULL;
  block_row                        v[2];

  PetscFunctionBegin;
  PetscCall(create_rows(l, v));
  for (PetscMPIInt r = 0; r < x->n_to; r++) {
    for (PetscInt i = x->to_start[r]; i < x->to_start[r + 1]; i++) {
      compute_row(l, p->n_coarse + i, &v[0], &v[1]);
      PetscCall(wring_grow((PetscInt64)n + v[1].n, &room, sizeof *part, &part));
      PetscCall(wring_grow((PetscInt64)n + v[1].n, &same, sizeof *to, &to));
      for (PetscInt k = 0; k < v[1].n; k++, n++) {
        part[n].row    = p->own_columns.global[i];
        part[n].column = wring_interpolation_number(p, v[1].list[k]);
        to[n]          = x->to[r];
        for (int e = 0; e < SQUARE; e++) part[n].block[e] = v[1].block[k][e / SIX][e % SIX];
      }
    }
  }
  PetscCall(destroy_rows(v));
  PetscCall(wring_exchange_rows(l->of->comm, n, to, sizeof *part, part, n_got, got));
  PetscCall(PetscFree(part));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the coarser level ------------------------------------------------------------------------------------------- */

/* Adds a block at row i, global column, unless it is read from another one; false: the pattern does not have it. */
static PetscBool add_block(const wring_block_level *coarse, PetscInt i, PetscInt column, const double *block)
{
  const wring_level *const     l      = coarse->of;
  const PetscInt               local  = column - l->first;
  const PetscBool              own    = (PetscBool)(local >= 0 && local < l->n);
  const wring_block_csr *const a      = own ? &coarse->own : &coarse->ghost;
  const PetscInt               wanted = own ? local : wring_first_from(l->n_ghost, l->near.global, column);
  PetscBool                    turned;
  if (own && local < i) return PETSC_TRUE; // of another rank
  if (!a->start || (!own && (wanted == l->n_ghost || l->near.global[wanted] != column))) return PETSC_FALSE;
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    if (a->column[k] != wanted) continue;
    float *const to = wring_block_of(a, i, k, &turned);
    for (int e = 0; e < SQUARE; e++) to[turned ? SIX * (e % SIX) + e / SIX : e] += (float)block[e];
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool compute_own(const wring_block_level *l, const wring_block_level *coarse, PetscInt row, block_row v[2])
{
  const wring_interpolation *const p     = &l->of->from_coarse;
  PetscBool                        found = PETSC_TRUE;
  compute_row(l, row, &v[0], &v[1]);
  for (PetscInt k = 0; k < v[1].n; k++) {
    double block[SQUARE];
    for (int e = 0; e < SQUARE; e++) block[e] = v[1].block[k][e / SIX][e % SIX];
    found = (PetscBool)(add_block(coarse, row, wring_interpolation_number(p, v[1].list[k]), block) && found);
  }
  return found;
}

PetscErrorCode wring_block_galerkin(const wring_block_level *l, wring_block_level *coarse)
{
  const wring_interpolation *const p        = &l->of->from_coarse;
  const int                        n_thread = wring_row_threads(l->of->n);
  PetscInt                         n_got    = 0;
  int                              lost     = 0;
  block_part                      *got      = NULL;
  block_row(*v)[2];

  PetscFunctionBegin;
  if (p->fetch.of) PetscCall(get_parts(l, &n_got, &got));
  PetscCall(PetscArrayzero(coarse->own.block, (size_t)SQUARE * (size_t)coarse->own.first[coarse->of->n]));
  if (coarse->ghost.start)
    PetscCall(PetscArrayzero(coarse->ghost.block, (size_t)SQUARE * (size_t)coarse->ghost.start[coarse->of->n]));
  PetscCall(PetscMalloc1((size_t)n_thread, &v));
  for (int i = 0; i < n_thread; i++) PetscCall(create_rows(l, v[i]));
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1) reduction(+ : lost)
  for (PetscInt row = 0; row < p->n_coarse; row++) lost += !compute_own(l, coarse, row, v[omp_get_thread_num()]);
  for (int i = 0; i < n_thread; i++) PetscCall(destroy_rows(v[i]));
  PetscCall(PetscFree(v));
  for (PetscInt e = 0; e < n_got; e++) lost += !add_block(coarse, got[e].row - p->first, got[e].column, got[e].block);
  PetscCheck(lost == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A column of P^T H P is not in the pattern");
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}
