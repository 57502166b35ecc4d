/*
  Dot products with the solution. The reduction that is probably the last also carries the dot products with x, u and p.
  Those with the next x follow from them once the coefficients of the iteration are known. docs/theory.md (4.18)
*/
#include "cg_state.h"

enum { LANES = 24 }; // whole vertices

/* sum += a . b by component, over at most WRING_CG_BLOCK vertices. */
static void dot_by_component(PetscInt n, const double *a, const double *b, double sum[3])
{
  double   lane[LANES] = {0};
  PetscInt i           = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
  for (int l = 0; i < n; i++, l++) lane[l] += a[i] * b[i];
  for (int l = 0; l < LANES; l++) sum[l % 3] += lane[l];
}

/* The dot products of each wanted vector with x, u and p, over some vertices. */
static void carried_block(const wring_cg_state *v, PetscInt begin, PetscInt end, double (*sum)[WRING_CG_PARTS][3])
{
  const PetscInt n = 3 * (end - begin);
  const size_t   i = 3 * (size_t)begin;
  double         u[3 * WRING_CG_BLOCK];
  for (PetscInt j = 0; j < n; j++) u[j] = v->l->y[i + j];
  for (int k = 0; k < v->zero->d->n; k++) {
    const double *const with = v->zero->d->with[k] + i;
    dot_by_component(n, with, v->x + i, sum[k][WRING_CG_OF_X]);
    dot_by_component(n, with, u, sum[k][WRING_CG_OF_U]);
    dot_by_component(n, with, v->g->p + i, sum[k][WRING_CG_OF_P]);
  }
}

/* Makes g->part hold at least n zeros. */
static PetscErrorCode reserve_parts(wring_cg *g, size_t n)
{
  PetscFunctionBegin;
  if (n > g->n_part) {
    PetscCall(PetscFree(g->part));
    PetscCall(PetscMalloc1(n, &g->part));
    g->n_part = n;
  }
  PetscCall(PetscArrayzero(g->part, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the reduction carries besides its own dot products, because the next x is x + alpha (u + beta p). */
PetscErrorCode wring_cg_add_carried(const wring_cg_state *v, double (*all)[WRING_CG_PARTS][3])
{
  const PetscInt n = v->g->n, width = v->zero->d->n;
  double(*part)[WRING_CG_PARTS][3];

  PetscFunctionBegin;
  PetscCall(reserve_parts(v->g, (size_t)wring_strips(n) * (size_t)width * sizeof *part / sizeof(double)));
  part = (double(*)[WRING_CG_PARTS][3])v->g->part;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < wring_strips(n); k++) {
    const PetscInt end = wring_strip(n, k + 1);
    for (PetscInt first = wring_strip(n, k); first < end; first += WRING_CG_BLOCK)
      carried_block(v, first, PetscMin(first + WRING_CG_BLOCK, end), part + (size_t)k * width);
  }
  wring_pairwise_rows(wring_strips(n), width * (PetscInt)(sizeof *part / sizeof(double)), v->g->part);
  PetscCall(PetscArraycpy(all, part, width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The dot products with x after this iteration, whose coefficients are known now. */
void wring_cg_find_carried(const wring_cg_state *v, const double (*all)[WRING_CG_PARTS][3])
{
  for (int j = 0; j < v->zero->d->n; j++) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
      const wring_cg_component *const k = &v->of[c];
      const double                    p = k->beta == 0 ? 0 : k->beta * all[j][WRING_CG_OF_P][c];
      sum += all[j][WRING_CG_OF_X][c] + k->alpha * (k->u * all[j][WRING_CG_OF_U][c] + p);
    }
    v->zero->d->dots[j] = sum;
  }
}

/* Whether this iteration will be the last if it reduces the residual as much as the one before. */
PetscBool wring_cg_is_likely_last(const wring_cg_state *v)
{
  PetscBool likely = (PetscBool)(v->zero && v->zero->d->n > 0 && !v->unknown);
  for (int c = 0; c < 3; c++) {
    const wring_cg_component *const k = &v->of[c];
    if (k->active && (k->fresh || k->rr * PetscMin(1, k->rr / k->before) > k->target)) likely = PETSC_FALSE;
  }
  return likely;
}
