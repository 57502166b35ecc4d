/* Private to src/solver: what a method sees, and what it may call. */
#pragma once
#include <wring/solver.h>

enum { WRING_MAX_SUMS = 512 };

typedef struct {
  const char *name;                                 // "qn", as in a deck
  unsigned    needs;                                // WRING_CAN_... of every law
  PetscBool   has_residuals;                        // every iteration sets `residual`
  double (*operator_factor)(const wring_solver *s); // of L in the A it solves with, 0: none; NULL: none
  PetscBool begins_from_operator;                   // solves with A are rough: wring_solver_apply_rough_inverse
  const wring_contact_way *(*contacts)(
    const wring_solver *s);                  // how it keeps contacts; NULL, as a result too: not at all
  PetscBool           damps;                 // it uses the damping of springs; else such springs are refused
  const wring_option *options;               // keys of the method, without prefix
  PetscErrorCode (*create)(wring_solver *s); // allocates s->data
  PetscErrorCode (*set_from_options)(wring_solver *s, const wring_options *o, const char *prefix); // or NULL
  PetscErrorCode (*set_up)(wring_solver *s);                        // once the potential is complete: work vectors
  PetscErrorCode (*begin)(wring_solver *s, Vec x);                  // each solve: forget the last one; or NULL
  PetscErrorCode (*iterate)(wring_solver *s, Vec x);                // x_k -> x_(k+1) in place
  PetscErrorCode (*change)(wring_solver *s);                        // contacts have changed, grad not yet; or NULL
  PetscErrorCode (*refresh)(wring_solver *s);                       // g and grad are those of other contacts; or NULL
  PetscErrorCode (*predict)(wring_solver *s, Vec x, double *bytes); // see wring_solver_predict; NULL: no systems
  PetscErrorCode (*precondition)(wring_solver *s, Vec b, Vec x); // x = H_0 b of an iteration after `begin`; NULL: none
  /* Numbers of this rank to be summed with g of a trial point, where the gradient is grad, the first of them |grad|^2; or NULL. */
  PetscErrorCode (*add_sums)(wring_solver *s, Vec grad, int *n, double *sums);
  PetscErrorCode (*destroy)(wring_solver *s);
} wring_solver_ops;

/*
  `iterate` leaves `known` true with value and grad at x_(k+1) if the method has evaluated them, false if not; or it leaves x
  as it was and calls wring_solver_end. Every decision is taken from numbers that are the same on all ranks.
*/
struct wring_solver {
  const wring_solver_ops *ops;
  void                   *data; // the method's own
  MPI_Comm                comm;
  wring_potential        *g;  // borrowed, as are op and phases
  wring_operator         *op; // may be NULL
  wring_phases           *phases;
  char                    name[128]; // type or variant
  PetscInt                max_it, measure;
  double                  rtol, atol;
  wring_monitor          *monitor;
  void                   *monitor_context;
  PetscInt                n; // 3 n_owned

  /* the iterate x_k */
  PetscInt    iteration;
  PetscBool   known, norm_known; // value and grad are those of x_k; gradient_norm is that of grad
  wring_value value;
  Vec         grad; // [n_owned][3] N
  double      gradient_norm;
  double      residual[2]; // primal and dual of the iteration that led here [J^(1/2)]; NAN: none

  /* the point that a line search tries: x_k + trial_step d */
  Vec         trial, trial_grad; // between searches trial_grad is that of x_(k-1), or the method's own
  double      formed;            // trial is x + formed d already, 0: it is not
  PetscBool   swapped;           // x and trial hold each other's arrays
  wring_value trial_value;
  double      bound;       // of steps along d: elements are inverted from there on, INFINITY: none is, or not known
  PetscBool   bound_known; // in this search
  double      trial_step, trial_norm; // trial_norm = |trial_grad|
  double      sums[WRING_MAX_SUMS];   // those of add_sums at this point

  /* the contacts, whose sets are built anew at every x_k: g changes from iteration to iteration */
  wring_contact_change change;     // at x_k
  PetscBool            comparable; // no change since the last measured iteration
  double reached; // J, value at x_k with the contacts of x_(k-1), if known and comparable before; else NAN

  /* this solve */
  PetscBool    ended; // by wring_solver_end, with
  wring_reason end;
  double       first_norm, step_length;
  double       noise; // J, rounding error of g that does not shrink with g
  PetscInt     evaluations;
  PetscBool    inverts; // the newest bound was finite: the next search asks for its own before its first step
  PetscInt64   linear_iterations;
  double       began, measured; // s: MPI_Wtime at the start; spent on measuring since
};

extern const wring_solver_ops wring_solver_qn, wring_solver_pd, wring_solver_newton;
extern const wring_solver_ops wring_solver_chebyshev, wring_solver_admm, wring_solver_gradient_descent;
extern const wring_solver_ops wring_solver_xpbd, wring_solver_pbd, wring_solver_rgc, wring_solver_penalty;
extern const wring_solver_ops wring_solver_anderson, wring_solver_compliant;

const wring_solver_ops *wring_solver_find(const char *name); // NULL if there is none

const wring_contact_way *wring_solver_contacts_in_g(const wring_solver *s); // of methods that never let g rise

/*
  Of `count` pairs of L-BFGS, how many to keep after a change of contacts: the larger its part of all contacts of before and after,
  the fewer, the newest [Liu et al. 2017, section 5]. docs/theory.md (8.5)
*/
PetscInt wring_solver_pairs_to_keep(PetscInt count, const wring_contact_change *c);

/* g and grad g at x as work of the method's own, unless they are known. */
PetscErrorCode wring_solver_evaluate(wring_solver *s, Vec x);
PetscErrorCode wring_solver_know_norm(wring_solver *s);             // gradient_norm of grad
void           wring_solver_end(wring_solver *s, wring_reason end); // x_k is the last iterate

/* x . y and the sums over ranks of a [n], one reduction each. */
PetscErrorCode wring_solver_dot(wring_solver *s, Vec x, Vec y, double *dot);
PetscErrorCode wring_solver_sum(wring_solver *s, int n, double *a);

/* x and trial change places, by their arrays, until the solve ends. */
PetscErrorCode wring_solver_swap(wring_solver *s, Vec x);

/* x += d, a full step to a point where nothing is known yet. */
PetscErrorCode wring_solver_add(wring_solver *s, Vec d, Vec x);

/*
  x = A^{-1} b from zero, counting linear iterations; b may not be x. As exact as wring_operator_solve is of itself, for methods
  whose iterates are defined by A^{-1}; and to wring_operator_rough_rtol, for those that only begin from it.
*/
PetscErrorCode wring_solver_apply_inverse(wring_solver *s, Vec b, Vec x);
PetscErrorCode wring_solver_apply_rough_inverse(wring_solver *s, Vec b, Vec x);

/* The same to rtol, 0: operator.rtol, with dots of x; size as in wring_operator_solve_from_zero. */
PetscErrorCode wring_solver_apply_inverse_with_dots(wring_solver *s, double rtol, double size, Vec b, Vec x,
                                                    const wring_operator_dots *d);

/* d = -A^{-1} grad g, the step of pd where laws have a projection; grad must be known. docs/theory.md (5.2) */
PetscErrorCode wring_solver_operator_step(wring_solver *s, Vec d);

/* The splittings of a solver of type admm [terms], borrowed, and the factor of their weights in this solve. */
int wring_admm_splittings(const wring_solver *s, wring_splitting *const **splitting, double *factor);

/* ---- line search (linesearch.c) ---------------------------------------------------------------------------------- */

typedef enum {
  WRING_SEARCH_FOUND,     // trial, trial_value, trial_grad and trial_step hold the new iterate
  WRING_SEARCH_ROUND_OFF, // no step can lower g any more
  WRING_SEARCH_FAILED     // d is no descent direction, or g does not fall along it
} wring_search;

/* trial_value and trial_norm at `at`, the gradient into grad, and the method's sums: one reduction. */
PetscErrorCode wring_solver_evaluate_trial(wring_solver *s, Vec at, Vec grad);

/* The point x + alpha d: trial, trial_value, trial_grad, trial_step. */
PetscErrorCode wring_solver_try(wring_solver *s, Vec x, double alpha, Vec d);

/* The fall alpha slope is hidden by rounding, (2.4). The trial point's g has fallen by 0.3 of it and is not hidden, (5.9). */
PetscBool wring_solver_is_tiny(const wring_solver *s, double alpha, double slope);
PetscBool wring_solver_falls(const wring_solver *s, double slope);

/*
  `bound` of steps from x along d costs half an evaluation, and few steps invert elements: begin_search asks for it where the newest
  bound of this solve was finite, and meet_infinity, for whoever finds g infinite, where it is not known yet.
*/
PetscErrorCode wring_solver_begin_search(wring_solver *s, Vec x, Vec d);
PetscErrorCode wring_solver_meet_infinity(wring_solver *s, Vec x, Vec d);

/* Backtracking from the largest of alpha = 1, 1/2, ... below the bound until g(x + alpha d) <= g + 0.3 alpha slope; slope = grad g . d. g and grad must be known. */
PetscErrorCode wring_solver_backtrack(wring_solver *s, Vec x, Vec d, double slope, wring_search *result);

/* d = -(|g|/|grad g|^2) grad g, the step to g = 0 if g were linear: what is left when a better direction fails. */
PetscErrorCode wring_solver_steepest(wring_solver *s, Vec d, double *slope);

/* x = trial, with its value and gradient. */
PetscErrorCode wring_solver_accept(wring_solver *s, Vec x);

/* Ends the solve for a search that found nothing. */
void wring_solver_give_up(wring_solver *s, wring_search result);
