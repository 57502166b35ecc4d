/* Alternating directions: one local value z and one scaled dual u for every element, docs/theory.md (5.15). */
#include "kernels.h"
#include <math.h>

enum { AHEAD = 4 }; // rows

struct wring_splitting {
  wring_term *t;      // borrowed
  PetscInt    stride; // doubles from row to row of z and u
  PetscInt    n_row;  // of the term, blocks times points
  double     *z, *u;  // [n_row][3 q][WRING_LANES]
  PetscBool   whole;  // u holds s = D x + u
  PetscBool   unset;  // z is not set yet
  PetscBool   fresh;  // the current iteration sets z to D x first
  double      factor; // a^2 of the current iteration
  double     *move;   // of the pass for the next s
  wring_pass  pass;   // this iteration
};

PetscErrorCode wring_splitting_create(wring_term *t, wring_splitting **splitting)
{
  wring_splitting *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->t      = t;
  s->stride = 3 * t->law->q * LANES;
  s->n_row  = t->n_block * t->points;
  s->unset  = PETSC_TRUE;
  PetscCall(wring_blocks_create((size_t)s->n_row * (size_t)s->stride, &s->z));
  PetscCall(wring_blocks_create((size_t)s->n_row * (size_t)s->stride, &s->u));
  *splitting = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_splitting_destroy(wring_splitting **splitting)
{
  wring_splitting *s = *splitting;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  wring_blocks_destroy(&s->z);
  wring_blocks_destroy(&s->u);
  PetscCall(PetscFree(*splitting));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_splitting_start(wring_splitting *s, double keep)
{
  const PetscInt n = s->n_row * s->stride;
  s->unset         = PETSC_TRUE;
#pragma omp parallel for simd schedule(static)
  for (PetscInt i = 0; i < n; i++) s->u[i] = keep == 0 ? 0 : keep * (s->whole ? s->u[i] - s->z[i] : s->u[i]);
  s->whole = PETSC_FALSE;
}

PetscInt wring_splitting_size(const wring_splitting *s)
{
  return s->n_row * s->stride;
}

/* W of row b; 0 in padded lanes. */
static void row_weight(const wring_splitting *s, double factor, PetscInt b, double *W)
{
  row_slope(s->t, b, W);
  for (int l = 0; l < LANES; l++) W[l] = sqrt(factor * s->t->weight[(size_t)b * LANES + l] * W[l]);
}

void wring_splitting_get_dual(const wring_splitting *s, double factor, double *dual)
{
#pragma omp parallel for schedule(static)
  for (PetscInt b = 0; b < s->n_row; b++) {
    WRING_ALIGNED double W[LANES];
    row_weight(s, factor, b, W);
    for (PetscInt i = b * s->stride; i < (b + 1) * s->stride; i++) dual[i] = W[i % LANES] * s->u[i];
  }
}

void wring_splitting_put_dual(wring_splitting *s, double factor, const double *dual, PetscBool whole)
{
  s->whole = whole;
#pragma omp parallel for schedule(static)
  for (PetscInt b = 0; b < s->n_row; b++) {
    WRING_ALIGNED double W[LANES];
    row_weight(s, factor, b, W);
    for (PetscInt i = b * s->stride; i < (b + 1) * s->stride; i++) {
      if (W[i % LANES] > 0) s->u[i] = (whole ? s->u[i] : 0) + dual[i] / W[i % LANES];
    }
  }
}

/* Prefetches z and u of a later row. */
TERM_INLINE void prefetch_splitting(const wring_splitting *s, PetscInt b)
{
  const size_t first = (size_t)PetscMin(b, s->n_row - 1) * (size_t)s->stride;
  for (PetscInt i = 0; i < s->stride; i += LANES) {
    __builtin_prefetch(s->z + first + i, 1);
    __builtin_prefetch(s->u + first + i, 1);
  }
}

/*
  z <- prox(D x + u), u <- u + D x - z of a row; p = a^2 k (z - u - D x), and the squares of both residuals. whole: the
  same from s = D x + u, which is kept. Padded lanes have no s of their own.
*/
TERM_INLINE void split_row(const term_row *r, PetscBool whole)
{
  const wring_splitting *s      = r->context;
  const wring_term      *t      = r->t;
  const PetscInt         b      = r->row;
  const wring_in         dx     = r->z;
  const wring_out        p      = r->p;
  const int              n      = 3 * t->law->q;
  const double          *weight = t->weight + (size_t)b * LANES;
  double(*restrict z)[LANES]    = (wring_out)(s->z + (size_t)b * (size_t)s->stride);
  double(*restrict u)[LANES]    = (wring_out)(s->u + (size_t)b * (size_t)s->stride);
  WRING_ALIGNED lanes v[3 * MAX_Q], rho, primal = {0}, dual = {0};
  prefetch_splitting(s, b + AHEAD);
  row_slope(t, b, rho);
  for (int l = 0; l < LANES; l++) rho[l] *= s->factor;
  for (int i = 0; i < n; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) v[i][l] = !whole ? dx[i][l] + u[i][l] : weight[l] > 0 ? u[i][l] : dx[i][l];
  }
  t->law->prox(t->law, term_par(t, b), rho, (wring_in)v, p);
  for (int i = 0; i < n; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      const double old = s->fresh ? dx[i][l] : z[i][l], gap = dx[i][l] - p[i][l], move = p[i][l] - old;
      const double scaled = whole ? v[i][l] - p[i][l] : u[i][l] + gap;
      z[i][l]             = p[i][l];
      if (!whole) u[i][l] = scaled;
      primal[l] += rho[l] * gap * gap;
      dual[l] += rho[l] * move * move;
      p[i][l] = -rho[l] * (gap + scaled);
    }
  }
  r->sum[0] += weighted_sum(weight, primal);
  r->sum[1] += weighted_sum(weight, dual);
}

static void map_splitting(const term_row *r)
{
  split_row(r, PETSC_FALSE);
}

static void map_whole(const term_row *r)
{
  split_row(r, PETSC_TRUE);
}

/* W (D x - z) and psi(z) + a^2 k (<s - z, D x - z> + |D x - z|^2/2) of a row; before the first z, s <- D x + u. */
static void map_move(const term_row *r)
{
  const wring_splitting *s      = r->context;
  const wring_term      *t      = r->t;
  const double          *weight = t->weight + (size_t)r->row * LANES;
  const size_t           first  = (size_t)r->row * (size_t)s->stride;
  const wring_in         dx = r->z, z = (wring_in)(s->z + first);
  double(*restrict u)[LANES] = (wring_out)(s->u + first), (*restrict move)[LANES] = (wring_out)(s->move + first);
  WRING_ALIGNED double W[LANES], k[LANES], psi[LANES] = {0}, sum[LANES] = {0};
  row_slope(t, r->row, k);
  for (int l = 0; l < LANES; l++) W[l] = sqrt(s->factor * weight[l] * k[l]);
  if (!s->unset) t->law->energy(t->law, term_par(t, r->row), z, psi);
  for (int i = 0; i < 3 * t->law->q; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      const double old = s->unset ? 0 : z[i][l], gap = dx[i][l] - old;
      sum[l] += (u[i][l] - old + gap / 2) * gap;
      move[i][l] = W[l] * gap;
      if (s->unset) u[i][l] += gap;
    }
  }
  for (int l = 0; l < LANES; l++) psi[l] += s->factor * k[l] * sum[l];
  r->sum[0] += weighted_sum(weight, psi);
}

const wring_pass *wring_splitting_pass(wring_splitting *s, double factor)
{
  s->factor = factor;
  s->fresh  = s->unset;
  s->unset  = PETSC_FALSE;
  s->pass   = (wring_pass){
      .t = s->t, .map = s->whole ? map_whole : map_splitting, .context = s, .forces = PETSC_TRUE, .n_sum = 2};
  return &s->pass;
}

const wring_pass *wring_splitting_move_pass(wring_splitting *s, double factor, double *move)
{
  s->factor = factor;
  s->move   = move;
  s->whole  = PETSC_TRUE;
  s->pass   = (wring_pass){.t = s->t, .map = map_move, .context = s, .n_sum = 1};
  if (!s->t->active) memset(move, 0, (size_t)wring_splitting_size(s) * sizeof *move);
  return &s->pass;
}
