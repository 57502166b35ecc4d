/*
  Private to src/solver: the pairs of L-BFGS and its direction, for any initial Hessian. docs/theory.md (5.6) to (5.8)

  Map of src/solver/lbfgs: lbfgs.h pairs and direction; initial.h the initial Hessian H_0^{-1}; costs.h when the
  operator is replaced by the mean of the diagonal blocks of the Hessian, or by the Hessian.
*/
#pragma once
#include "costs.h"
#include "solver/common/line_search.h"

/* The first member of a method's data: the functions without `l` find it there. */
typedef struct {
  Vec          *d;         // [slots] m: directions, s = step d
  Vec          *y;         // [m] N
  double       *room;      // of d and y, not written to before the set-up of the operator has freed its tables
  PetscInt      window;    // m, largest number of pairs
  PetscInt      slots;     // m + 1: one more than pairs, for the direction, which may become the next pair
  PetscInt      count;     // pairs in use
  PetscInt      newest;    // number of the newest pair, mod slots m; pair p is in slot p mod slots, its y in p mod m
  PetscBool     added;     // the last step has become a pair
  double        flat;      // of |s . grad g|: it does only if s . y is above this, and above round-off; dimensionless
  PetscBool     with_last; // also sums y . y of the newest pair
  PetscBool     plane;     // directions minimise a model with the true Hessian, which g must have: (5.43)
  double       *step;      // [slots]
  double       *sy;        // [slots][slots] J: s_i . y_j, i no newer than j
  double       *sg;        // [slots] J: s_i . grad g(x_k)
  double       *zeta;      // [slots]: zeta_i, then zeta_i - eta_i
  double       *dots;      // [m + 1]: dot products of the reduction after the solve
  double        yy;        // N^2: y . y of the newest pair, only if with_last
  double        slope;     // J: grad g . d of the direction
  wring_renewal renewal;   // of the operator that is H_0
  PetscInt      revision;  // of the potential of the last solve; -1: none so far
} wring_lbfgs;

/* r = H_0 q and the sums over ranks of r . with[i], i < n; q and r are [n_owned][3]. */
typedef PetscErrorCode wring_lbfgs_initial(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots);

/* Evaluates points x + alpha d until one is found, `slope` = grad g . d; as wring_solver_backtrack. */
typedef PetscErrorCode wring_lbfgs_search(wring_solver *s, Vec x, Vec d, double slope, wring_search *result);

/* Room for l->window >= 0 pairs; the rest of l but renewal.price is zeros. All functions are collective. */
PetscErrorCode wring_lbfgs_create(const wring_solver *s, wring_lbfgs *l);
PetscErrorCode wring_lbfgs_destroy(wring_lbfgs *l);

/* Whether g has changed since the last solve, other than in y and in the positions of held vertices. */
PetscBool wring_lbfgs_has_changed(const wring_solver *s, wring_lbfgs *l);

/* Begins a solve, with g and grad at x. The last solve's pairs serve it if `keep`, and if there are no contacts. */
PetscErrorCode wring_lbfgs_begin(wring_solver *s, wring_lbfgs *l, PetscBool keep, Vec x);

/* Renews the operator at x_k if it is due; to be called before the direction is computed. */
PetscErrorCode wring_lbfgs_renew_operator(wring_solver *s, wring_lbfgs *l, Vec x, PetscBool *renewed);

/*
  Number of pairs, out of `count`, to keep after a change of contacts; the newest are kept. The larger the changed part
  of all contacts before and after, the fewer [Liu et al. 2017, section 5]. docs/theory.md (8.5)
*/
PetscInt wring_lbfgs_pairs_to_keep(PetscInt count, const wring_contact_change *c);

/* `refresh` and `add_sums` of a method. */
PetscErrorCode wring_lbfgs_refresh(wring_solver *s);
PetscErrorCode wring_lbfgs_add_sums(wring_solver *s, Vec grad, int *n, double *sums);

/*
  x_k -> x_(k+1) along d = -H_k grad g, which becomes a pair. If the direction fails (the solve is not exact, or the
  pairs are out of date), one without pairs is tried, then -grad g. Ends the solve if no step is found.
*/
PetscErrorCode wring_lbfgs_iterate(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply,
                                   wring_lbfgs_search *search, Vec x);

/* H_0 = A^{-1}, of a solve with the operator to rough accuracy. */
PetscErrorCode wring_lbfgs_apply_operator(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots);

/* gamma = s . y / y . y of the newest pair [Liu et al. 2017, eq. 13]; with_last, and a pair, are required. */
double wring_lbfgs_gamma(const wring_lbfgs *l);
