/*
  P^T H P in blocks, by rows, in the pattern of the coarser level. A row is summed to a row of P^T H, then multiplied by
  P; rows of other ranks are sent to them. Sums do not depend on the number of threads. docs/theory.md (4.19), (5.17d)
*/
#include "base/exchange.h"
#include "block.h"
#include <omp.h>

enum { SIX = WRING_RIGID, SQUARE = WRING_RIGID * WRING_RIGID };

/* A row in work, of one thread: blocks of columns that are in use, by a slot for each column; -1: none. */
typedef struct {
  PetscInt *slot, *list, n, room;
  double   *block; // [room][SQUARE]: entry (r, c) at 6 c + r
} block_row;

/* An entry of a row that another rank owns. */
typedef struct {
  PetscInt row, column; // global
  double   block[SQUARE];
} block_part;

typedef struct {
  const wring_block_level  *l;
  const wring_block_matrix *h;
} product;

static PetscErrorCode create_row(PetscInt columns, PetscInt room, block_row *v)
{
  PetscFunctionBegin;
  *v = (block_row){.room = PetscMax(room, 1)};
  PetscCall(PetscMalloc3(columns + 1, &v->slot, v->room, &v->list, (size_t)v->room * SQUARE, &v->block));
  for (PetscInt j = 0; j < columns; j++) v->slot[j] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void clear_row(block_row *v)
{
  for (PetscInt k = 0; k < v->n; k++) v->slot[v->list[k]] = -1;
  v->n = 0;
}

/* The block of a column, 0 at first. */
static inline double *block_of(block_row *v, PetscInt column)
{
  if (v->slot[column] < 0) {
    double *const b = v->block + (size_t)SQUARE * (size_t)v->n;
    for (int i = 0; i < SQUARE; i++) b[i] = 0;
    v->slot[column] = v->n;
    v->list[v->n++] = column;
  }
  return v->block + (size_t)SQUARE * (size_t)v->slot[column];
}

typedef double wring_double2 __attribute__((vector_size(16), aligned(sizeof(double)), may_alias));

/* y += a x, six numbers, whose loop the compiler leaves scalar. */
static inline void add_six(double a, const double *x, double *y)
{
  *(wring_double4_stored *)y += a * *(const wring_double4_stored *)x;
  *(wring_double2 *)(y + 4) += a * *(const wring_double2 *)(x + 4);
}

/* T += R_i H_ij for the entries of row i; R [bs][6], T [bs][6]. */
static inline __attribute__((always_inline)) void add_fine(int bs, const product *g, const wring_csr *a,
                                                           const double *value, PetscInt shift, PetscInt i,
                                                           const double *R, block_row *v)
{
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    PetscInt            down, right;
    const double *const h = wring_block_entry(g->h, value, a->start, bs, i, k, &down, &right);
    double *const       T = block_of(v, shift + a->column[k]);
    for (int c = 0; c < bs; c++)
      for (int d = 0; d < bs; d++) add_six(h[d * down + c * right], R + SIX * d, T + SIX * c);
  }
}

/* C += T_j P_j for the columns j in use. */
static inline __attribute__((always_inline)) void add_coarse(int bs, const product *g, const block_row *fine,
                                                             block_row *v)
{
  const wring_block_csr *const P = &g->l->P;
  for (PetscInt s = 0; s < fine->n; s++) {
    const PetscInt      j = fine->list[s];
    const double *const T = fine->block + (size_t)SQUARE * (size_t)s;
    for (PetscInt m = P->start[j]; m < P->start[j + 1]; m++) {
      const float *const p = P->block + (size_t)(SIX * bs) * (size_t)m;
      double *const      C = block_of(v, P->column[m]);
      for (int c = 0; c < SIX; c++)
        for (int d = 0; d < bs; d++) add_six(p[bs * c + d], T + SIX * d, C + SIX * c);
    }
  }
}

/* coarse = row of R times H P. */
static void compute_row(const product *g, PetscInt row, block_row *fine, block_row *coarse)
{
  const wring_block_csr *const R = &g->l->R;
  const wring_level *const     l = g->l->of;
  clear_row(fine);
  clear_row(coarse);
  for (PetscInt k = R->start[row]; k < R->start[row + 1]; k++) {
    double r[SQUARE];
    for (int e = 0; e < SIX * g->l->bs; e++) r[e] = R->block[(size_t)(SIX * g->l->bs) * (size_t)k + (size_t)e];
    if (g->l->bs == 3) {
      add_fine(3, g, &l->own, g->h->own, 0, R->column[k], r, fine);
      if (l->ghost.start) add_fine(3, g, &l->ghost, g->h->ghost, l->n, R->column[k], r, fine);
    } else {
      add_fine(6, g, &l->own, g->h->own, 0, R->column[k], r, fine);
      if (l->ghost.start) add_fine(6, g, &l->ghost, g->h->ghost, l->n, R->column[k], r, fine);
    }
  }
  if (g->l->bs == 3)
    add_coarse(3, g, fine, coarse);
  else
    add_coarse(6, g, fine, coarse);
}

/* Two rows, of which no row can be longer. */
static PetscErrorCode create_rows(const product *g, block_row v[2])
{
  const wring_level *const         l      = g->l->of;
  const wring_interpolation *const p      = &l->from_coarse;
  const PetscInt                   n_fine = l->n + l->n_ghost, n_coarse = p->n_coarse + p->columns.n_ghost;
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
  for (int i = 0; i < 2; i++) PetscCall(PetscFree3(v[i].slot, v[i].list, v[i].block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of other ranks ----------------------------------------------------------------------------------------- */

/* Computes rows of others, and gets the parts of those of this rank, by rank. Collective. */
static PetscErrorCode get_parts(const product *g, PetscInt *n_got, block_part **got)
{
  const wring_interpolation *const p = &g->l->of->from_coarse;
  const wring_exchange *const      x = &p->own_columns.asked;
  PetscInt                         n = 0, room = 0, *to = NULL;
  block_part                      *part = NULL;
  block_row                        v[2];

  PetscFunctionBegin;
  PetscCall(create_rows(g, v));
  for (PetscMPIInt r = 0; r < x->n_to; r++) {
    for (PetscInt i = x->to_start[r]; i < x->to_start[r + 1]; i++) {
      compute_row(g, p->n_coarse + i, &v[0], &v[1]);
      if (n + v[1].n > room) {
        room = 2 * (n + v[1].n);
        PetscCall(PetscRealloc(sizeof *part * (size_t)room, &part));
        PetscCall(PetscRealloc(sizeof *to * (size_t)room, &to));
      }
      for (PetscInt k = 0; k < v[1].n; k++, n++) {
        const PetscInt j = v[1].list[k];
        part[n].row      = p->own_columns.global[i];
        part[n].column   = j < p->n_coarse ? p->first + j : p->columns.global[j - p->n_coarse];
        to[n]            = x->to[r];
        PetscCall(PetscArraycpy(part[n].block, v[1].block + (size_t)SQUARE * (size_t)k, SQUARE));
      }
    }
  }
  PetscCall(destroy_rows(v));
  PetscCall(wring_exchange_rows(g->l->of->comm, n, to, sizeof *part, part, n_got, got));
  PetscCall(PetscFree(part));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the coarser level ------------------------------------------------------------------------------------------- */

/* Where the values of a level go. */
typedef struct {
  const wring_level *l;
  double            *own, *ghost;
} target;

/* Adds a block at row i, global column; false: the pattern does not have it. */
static PetscBool add_block(const target *t, PetscInt i, PetscInt column, const double *block)
{
  const PetscInt         local  = column - t->l->first;
  const PetscBool        own    = (PetscBool)(local >= 0 && local < t->l->n);
  const wring_csr *const a      = own ? &t->l->own : &t->l->ghost;
  double *const          value  = own ? t->own : t->ghost;
  const PetscInt         wanted = own ? local : wring_first_from(t->l->n_ghost, t->l->near.global, column);
  if (!a->start) return PETSC_FALSE;
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    if (a->column[k] != wanted || (!own && t->l->near.global[wanted] != column)) continue;
    for (int c = 0; c < SQUARE; c++) value[(size_t)SQUARE * (size_t)k + (size_t)c] += block[c];
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool compute_own(const product *g, const target *t, PetscInt row, block_row v[2])
{
  const wring_interpolation *const p     = &g->l->of->from_coarse;
  PetscBool                        found = PETSC_TRUE;
  compute_row(g, row, &v[0], &v[1]);
  for (PetscInt k = 0; k < v[1].n; k++) {
    const PetscInt j      = v[1].list[k];
    const PetscInt column = j < p->n_coarse ? p->first + j : p->columns.global[j - p->n_coarse];
    found                 = (PetscBool)(add_block(t, row, column, v[1].block + (size_t)SQUARE * (size_t)k) && found);
  }
  return found;
}

PetscErrorCode wring_block_galerkin(const wring_block_level *l, const wring_block_matrix *h,
                                    const wring_block_level *coarse, double *own, double *ghost)
{
  const product                    g        = {l, h};
  const target                     t        = {coarse->of, own, ghost};
  const wring_interpolation *const p        = &l->of->from_coarse;
  const int                        n_thread = l->of->n > WRING_SERIAL_BELOW ? wring_max_threads() : 1;
  PetscInt                         n_got    = 0;
  int                              lost     = 0;
  block_part                      *got      = NULL;
  block_row(*v)[2];

  PetscFunctionBegin;
  if (p->fetch.of) PetscCall(get_parts(&g, &n_got, &got));
  PetscCall(PetscMalloc1((size_t)n_thread, &v));
  for (int i = 0; i < n_thread; i++) PetscCall(create_rows(&g, v[i]));
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1) reduction(+ : lost)
  for (PetscInt row = 0; row < p->n_coarse; row++) lost += !compute_own(&g, &t, row, v[omp_get_thread_num()]);
  for (int i = 0; i < n_thread; i++) PetscCall(destroy_rows(v[i]));
  PetscCall(PetscFree(v));
  for (PetscInt e = 0; e < n_got; e++) lost += !add_block(&t, got[e].row - p->first, got[e].column, got[e].block);
  PetscCheck(lost == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A column of P^T H P is not in the pattern");
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}
