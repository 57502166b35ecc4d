/*
  Private to src/solver: the pairs of L-BFGS and its direction, for any initial Hessian. docs/theory.md (5.5) to (5.8)

  Map of src/solver/lbfgs: lbfgs.h pairs and direction; initial.h the initial Hessian H_0^{-1}; refresh.h when the
  operator is replaced by the mean of the diagonal blocks of the Hessian.
*/
#pragma once
#include "solver/common/line_search.h"

typedef struct {
  PetscInt  window;    // m, largest number of pairs
  PetscInt  slots;     // m + 1: one more than pairs, for the direction, which may become the next pair
  PetscInt  count;     // pairs in use
  PetscInt  newest;    // number of the newest pair; pair p is in slot p mod slots, its y in p mod m
  PetscBool with_last; // also sums y . y of the newest pair
  Vec      *d;         // [slots] m: directions, s = step d
  Vec      *y;         // [m] N
  double   *step;      // [slots]
  double   *sy;        // [slots][slots] J: s_i . y_j, i no newer than j
  double   *sg;        // [slots] J: s_i . grad g(x_k)
  double   *zeta;      // [slots]: zeta_i, then zeta_i - eta_i
  double   *dots;      // [m + 1]: dot products of the reduction after the solve
  double    yy;        // N^2: y . y of the newest pair, only if with_last
  double    slope;     // J: grad g . d of the direction
} wring_lbfgs;

/* r = H_0 q and the sums over ranks of r . with[i], i < n; q and r are [n_owned][3]. */
typedef PetscErrorCode wring_lbfgs_initial(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots);

/* Evaluates points x + alpha d until one is found, `slope` = grad g . d; as wring_solver_backtrack. */
typedef PetscErrorCode wring_lbfgs_search(wring_solver *s, Vec x, Vec d, double slope, wring_search *result);

/* Room for `window` >= 0 pairs. Not collective, as destroy; all others are collective. */
PetscErrorCode wring_lbfgs_create(const wring_solver *s, PetscInt window, wring_lbfgs *l);
PetscErrorCode wring_lbfgs_destroy(wring_lbfgs *l);

void wring_lbfgs_forget(wring_lbfgs *l); // all pairs

/* To be called after grad has changed otherwise than by a step of this method, of which the pairs know: s . grad g. */
PetscErrorCode wring_lbfgs_renew(wring_solver *s, wring_lbfgs *l);

/* add_sums of a method: what the next iteration needs if the trial point is accepted. */
PetscErrorCode wring_lbfgs_add_sums(wring_solver *s, wring_lbfgs *l, Vec grad, int *n, double *sums);

/*
  x_k -> x_(k+1) along d = -H_k grad g, which becomes a pair. If the direction fails (the solve is not exact, or the
  pairs are out of date), one without pairs is tried, then -grad g. Ends the solve if no step is found.
*/
PetscErrorCode wring_lbfgs_iterate(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply,
                                   wring_lbfgs_search *search, Vec x);

/* H_0 = A^{-1}, of a solve with the operator to rough accuracy. */
PetscErrorCode wring_lbfgs_apply_operator(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots);

/* The sums of any other H_0. */
PetscErrorCode wring_lbfgs_dots(wring_solver *s, Vec r, int n, const Vec *with, double *dots);

/* gamma = s . y / y . y of the newest pair [Liu et al. 2017, eq. 13]; with_last, and a pair, are required. */
double wring_lbfgs_gamma(const wring_lbfgs *l);
