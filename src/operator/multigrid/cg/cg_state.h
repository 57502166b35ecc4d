/* Private to the files of cg.h: the state of an iteration, and its parts. */
#pragma once
#include "cg.h"

/* The dot products of an iteration: of r, u = M r, w = A u and s = A p. */
enum {
  WRING_CG_RU,
  WRING_CG_UW,
  WRING_CG_US,
  WRING_CG_RR,
  WRING_CG_RW,
  WRING_CG_WW,
  WRING_CG_WS,
  WRING_CG_DOTS,
  WRING_CG_BLOCK = 256 // vertices summed before the result is added to a strip's sum
};

/* The parts of a dot product with the next x, x + alpha (u + beta p). */
enum { WRING_CG_OF_X, WRING_CG_OF_U, WRING_CG_OF_P, WRING_CG_PARTS };

/* One component. Squares and products are of the unscaled vectors, without the factor of u. */
typedef struct {
  PetscBool active, fresh; // not converged; without a previous direction
  double    target;        // of |r|^2
  double    rr, highest;   // |r|^2 now, and the largest so far
  double    before;        // |r|^2 an iteration earlier
  double    u, next;       // factors of u, now and next: the cycle is applied to r / |r|, which a float can hold
  double    ps, ss, rs;    // p.s, s.s, r.s
  double    alpha, beta;
} wring_cg_component;

typedef struct {
  wring_cg                  *g;
  wring_cycle               *cycle;
  wring_level               *l; // the finest
  wring_rows                 A; // unscaled, in double precision
  const double              *b;
  double                    *x;
  wring_cg_component         of[3];
  double                     found[3]; // |r|^2 when r was last computed from x
  PetscBool                  stuck;    // at the limit of double precision
  const wring_operator_zero *zero;     // NULL: start from x
  double                     squared;  // rtol^2
  PetscBool                  unknown;  // |b| is not known; the first reduction gives it
  PetscBool                  carrying; // this iteration's reduction carries dot products
} wring_cg_state;

static inline PetscBool wring_cg_active(const wring_cg_state *v)
{
  return (PetscBool)(v->of[0].active || v->of[1].active || v->of[2].active);
}

/* ---- cg_kernels.c: passes over vectors and matrix; threaded ---- */

/* w = A u and the dot products of this rank, in one pass. Collective. */
PetscErrorCode wring_cg_multiply(wring_cg_state *v, double dot[WRING_CG_DOTS][3]);
PetscErrorCode wring_cg_residual(wring_cg_state *v, double rr[3]); // r = b - A x, and |r|^2 of this rank. Collective.
void           wring_cg_look_at(const wring_cg_state *v, double sum[4]); // b . b by component; > 0 unless x is 0
PetscErrorCode wring_cg_start_cycle(const wring_cg_state *v); // the input of the cycle from r, with ghosts. Collective.
/* p = u + beta p, s = w + beta s, x += alpha p, r -= alpha s, and the input of the next cycle, in one pass. */
void wring_cg_update(const wring_cg_state *v);
void wring_cg_add_last(const wring_cg_state *v); // x += alpha (u + beta p): sufficient in the last iteration
