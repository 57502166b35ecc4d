/* The coefficients of an iteration, from its dot products. docs/theory.md (4.13)-(4.18) */
#include "cg_state.h"
#include <math.h>

/* |r|^2 after the step, by recurrence; *bound adds the recurrence's rounding error, which convergence must include. */
static double expected(const wring_cg_component *k, double *bound)
{
  const double rounding = 1e-14, change = 2 * k->alpha * k->rs, square = k->alpha * k->alpha * k->ss;
  const double rr = fabs(k->rr - change + square);
  *bound          = rr + rounding * (k->rr + fabs(change) + square);
  return PetscMax(rr, rounding * k->rr);
}

/* The direction and step length, from dot products of u / factor and w / factor. PETSC_FALSE: not positive definite. */
static PetscBool choose_step(wring_cg_component *k, const double dot[WRING_CG_DOTS])
{
  const double parallel = 1e-8; // below this u is parallel to the last direction: restart
  const double ru = k->u * dot[WRING_CG_RU], uw = k->u * k->u * dot[WRING_CG_UW], us = k->u * dot[WRING_CG_US],
               rw = k->u * dot[WRING_CG_RW];
  const double ww = k->u * k->u * dot[WRING_CG_WW], ws = k->u * dot[WRING_CG_WS];
  k->beta   = k->fresh ? 0 : -us / k->ps;
  double ps = uw + k->beta * us; // = u.w - (u.s)^2 / p.s
  if (!(ps > parallel * uw)) k->beta = 0, ps = uw;
  if (!(ps > 0 && ru > 0)) return PETSC_FALSE;
  k->ss    = ww + k->beta * (2 * ws + k->beta * k->ss);
  k->rs    = rw + k->beta * k->rs;
  k->ps    = ps;
  k->alpha = ru / ps;
  double       bound;
  const double rr = expected(k, &bound);
  k->rs -= k->alpha * k->ss;
  k->fresh   = PETSC_FALSE;
  k->highest = PetscMax(k->highest, k->rr);
  k->before  = k->rr;
  k->rr      = rr;
  k->next    = sqrt(rr);
  k->active  = (PetscBool)(bound > k->target);
  return PETSC_TRUE;
}

PetscErrorCode wring_cg_refuse_infinite(const wring_cg_state *v, int n, const double *number)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++)
    if (!isfinite(number[i])) WRING_REFUSE(v->cycle->comm, "operator: the iteration failed: a number is not finite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cg_choose_steps(wring_cg_state *v, const double dot[WRING_CG_DOTS][3])
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    wring_cg_component *const k = &v->of[c];
    double                    own[WRING_CG_DOTS];
    for (int i = 0; i < WRING_CG_DOTS; i++) own[i] = dot[i][c];
    PetscCall(wring_cg_refuse_infinite(v, WRING_CG_DOTS, own));
    if (k->active) k->rr = own[WRING_CG_RR]; // instead of the recurrence's value
    k->active = (PetscBool)(k->rr > k->target);
    if (!k->active) {
      k->u = k->next = k->alpha = k->beta = 0; // no step
      continue;
    }
    if (!choose_step(k, own))
      WRING_REFUSE(v->cycle->comm,
                   "operator: the matrix is not positive definite, or too close to singular for multigrid");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If |b| is far from the size by which the input of the cycle was scaled, a float may not have held it: restart. */
PetscErrorCode wring_cg_take_size(wring_cg_state *v, const double rr[3], PetscBool *again)
{
  const double far = 1e30; // of squares

  PetscFunctionBegin;
  PetscCall(wring_cg_refuse_infinite(v, 3, rr));
  *again = PETSC_FALSE;
  for (int c = 0; c < 3; c++) {
    wring_cg_component *const k    = &v->of[c];
    const double              said = k->rr;
    k->rr                          = rr[c];
    k->target                      = v->squared * rr[c];
    if (rr[c] > 0 && (rr[c] > far * said || said > far * rr[c])) *again = PETSC_TRUE;
  }
  v->unknown = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
