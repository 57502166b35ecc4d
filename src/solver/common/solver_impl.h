/*
  Private to src/solver: a solver, and what a method may call. Map of src/solver, in reading order:
    solver_types.c        the array of all methods, keys of solver_...
    newton.c, qn.c, ...   one file per method, or per family of them: formulas, data, keys, functions, table
    common/method.h       the table of functions that a method supplies
    common/solver_impl.h  this file
    common/solver.c       create, set_from_options, set_up, destroy
    common/solve.c        the loop of a solve: measuring, stopping, contacts
    common/decrement.c    the number that stop: decrement tests
    common/iterate.c      functions with which a method evaluates g, solves with A and changes x
    common/line_search.h  backtracking and steepest descent; both of Wolfe's conditions (wolfe.c)
    common/linear.h       a method's own linear systems; correction.h: what contacts add to A
    common/constraints.h  the constraints of all terms as rows, of mgpbd and compliant
    lbfgs/lbfgs.h         pairs and direction of L-BFGS; initial.h: the Hessian it starts from; costs.h: when qn and
                          auto replace it
    common/mixing.h       Anderson mixing; inner.h: a method inside another one
    common/condition.c    condition number of a method's initial Hessian
  Not here: formulas of elements (src/law, src/term), g and its matrices (src/potential), factors (src/operator).
*/
#pragma once
#include "method.h"
#include <petsctaolinesearch.h>

enum { WRING_MAX_SUMS = 512, WRING_MAX_VECTORS = 128, WRING_MAX_OWN = 8 }; // of a trial point; a combination; a method

/* The iterate x_k. */
typedef struct {
  PetscInt    iteration; // k
  PetscBool   known;     // value, grad and norm are those of x_k
  wring_value value;
  Vec         grad;        // [n_owned][3] N
  double      norm, step;  // |grad|; step length of the iteration that gave x_k
  double      decrement;   // J: -grad g . d/2 of the last direction d, which the method sets before its search; NAN
  double      residual[2]; // primal and dual of the iteration that gave x_k [J^(1/2)]; NAN: not known
} solver_iterate;

/* The point x_k + step d that was evaluated last, until it is accepted. */
typedef struct {
  Vec         x;
  double      step;
  wring_value value;
  Vec         grad;                 // after it was accepted that of x_(k-1), which the method may overwrite
  double      norm;                 // |grad|
  double      sums[WRING_MAX_SUMS]; // of the method: those of add_sums
} solver_trial;

/* The bound of steps along d. */
typedef struct {
  double    step;    // elements are inverted, or surfaces may meet, from this step on; INFINITY: none, or not known
  double    first;   // the first step of a search: 1, or with bounded contacts less
  PetscBool known;   // in this search
  PetscBool inverts; // the last bound was finite: the next search computes its own before its first step
} solver_bound;

/* The contacts. Their sets are rebuilt at every x_k, so that g changes from iteration to iteration. */
typedef struct {
  wring_contact_change change;     // at x_k
  PetscBool            comparable; // no change since the last measured iteration
  PetscInt             cut;        // iterations whose step they have shortened
  double reached; // J, value at x_k with the contacts of x_(k-1), if known and comparable before; else NAN
} solver_contacts;

/* Reference values of this solve. */
typedef struct {
  double         reference; // N, what rtol is relative to, at the iterate `at`; 0 before the first
  PetscInt       at;
  wring_rounding rounding; // of g
} solver_scale;

/* p_k of (2.8a), for WRING_STOP_DECREMENT. */
typedef struct {
  wring_operator *op; // A of the rest state, whatever the method solves with; NULL: the deck has another rule
  Mat             A[3];
  PetscInt        revision;    // of the potential that A belongs to; -1: none
  Vec             d;           // A^{-1} grad
  double          first, last; // J: p_0 and the last one that was computed
  double          norm;        // N: |grad| there, at the iterate `at`
  PetscInt        at;          // negative before the first
} solver_decrement;

/* Searches at round-off whose full step went too far, since |grad g| was `norm`. */
typedef struct {
  double   norm; // N; INFINITY before the first
  PetscInt count;
} solver_too_far;

/* The cost of this solve. */
typedef struct {
  PetscInt     evaluations;
  PetscInt64   linear_iterations;
  double       began, measured; // s: MPI_Wtime at the start; spent on measuring and set-up since
  wring_counts before;          // of work, at the start
  wring_setup  setup, since;    // of this solve; s and work when begin_setup was called
  int          setting_up;      // depth of begin_setup
} solver_work;

/* The end of this solve, if the method has requested it, and of the last one. */
typedef struct {
  PetscBool    given, failed; // failed: the last solve has failed, and its state must not be used
  wring_reason reason;
} solver_end;

/* The choices of a method that makes some. */
typedef struct {
  PetscInt             solve; // number of the present solve, from 0; -1 before the first
  PetscInt             n;
  wring_solver_choice *list; // [n]
} solver_choices;

struct wring_solver {
  const wring_solver_ops *ops;
  void                   *data; // the method's own
  PetscInt                n_own;
  Vec                     own[WRING_MAX_OWN]; // vectors of create_vecs
  char                    name[128];          // type or variant
  char                    who[160];           // "solver 'name'", for messages
  MPI_Comm                comm;
  wring_solver           *inner; // a method inside of this one, inner.h, or NULL
  wring_potential        *g;     // borrowed, as are op and phases
  wring_operator         *op;    // may be NULL
  wring_phases           *phases;
  wring_monitor          *monitor;
  void                   *monitor_context;
  wring_interrupt        *interrupt;
  void                   *interrupt_context;
  PetscInt                n; // 3 n_owned

  wring_solver_limits limits;
  solver_iterate      current;
  solver_trial        trial;
  solver_bound        bound;
  TaoLineSearch       wolfe; // of wolfe.c; NULL before its first use
  solver_contacts     contacts;
  solver_scale        scale;
  solver_decrement    decrement;
  solver_too_far      too_far;
  solver_work         work;
  solver_end          end;
  solver_choices      choices;

  const wring_evaluation *start; // g at x_0, borrowed; NULL: not known, or taken
};

const wring_solver_ops *wring_solver_find(const char *name); // NULL if there is none

/* ---- what a method calls (iterate.c) ----------------------------------------------------------------------------- */

/* In set_up: n vectors [n_owned][3], with room for ghosts, which are destroyed with the method. */
PetscErrorCode wring_solver_create_vecs(wring_solver *s, int n, Vec *const v[]);
/* Evaluates g and grad g at x, unless they are known; counted as work of the method. */
PetscErrorCode wring_solver_evaluate(wring_solver *s, Vec x);
/* The same at the trial point `at`: trial.value, trial.norm and trial.sums; the gradient into grad. One reduction. */
PetscErrorCode wring_solver_evaluate_trial(wring_solver *s, Vec at, Vec grad);
/* |grad g| at which this solve ends; with WRING_STOP_DECREMENT predicted from the last p_k. */
double wring_solver_target(const wring_solver *s);
/* Stopping by decrement (decrement.c): its operator, the matrix of this solve, and p_k where it is needed. */
PetscErrorCode wring_decrement_create(wring_solver *s, const wring_options *o);
PetscErrorCode wring_decrement_set_up(wring_solver *s);
PetscErrorCode wring_decrement_predict(wring_solver *s, double *bytes);
PetscErrorCode wring_decrement_begin(wring_solver *s);
PetscErrorCode wring_decrement_measure(wring_solver *s);
PetscErrorCode wring_decrement_destroy(wring_solver *s);

void wring_solver_forget(wring_solver *s);                // all that belongs to the last solve (solve.c)
void wring_solver_end(wring_solver *s, wring_reason end); // x_k is the last iterate; the first reason counts

/*
  Around set-up that does not depend on x and serves many solves, in `begin` or `iterate`: matrices, factors or their
  symbolic part, splittings, colours. Its seconds and work are not those of the solve. A pair may be inside of another
  one, which then counts.
*/
void wring_solver_begin_setup(wring_solver *s);
void wring_solver_end_setup(wring_solver *s);

/* x . y, and the sums over ranks of a [n]; one reduction each. */
PetscErrorCode wring_solver_dot(wring_solver *s, Vec x, Vec y, double *dot);
PetscErrorCode wring_solver_sum(wring_solver *s, int n, double *a);
/* This rank's x . with[i], i < n, in one pass. */
PetscErrorCode wring_solver_dots(const wring_solver *s, Vec x, int n, const Vec *with, double *dots);
/* The sums of these over the ranks. */
PetscErrorCode wring_solver_sum_dots(wring_solver *s, Vec x, int n, const Vec *with, double *dots);
/* to [n] = sum of factor[i] v[i] over m vectors, in one pass; `to` may be v[0]. */
PetscErrorCode wring_solver_combine(PetscInt n, int m, const double *factor, const Vec *v, Vec to);

/* x += d, a full step to a point where no values are known yet. */
PetscErrorCode wring_solver_add(wring_solver *s, Vec d, Vec x);

/* To be called after the iterate has moved by a full step to a point where no values are known yet. */
void wring_solver_moved(wring_solver *s);

/*
  x = A^{-1} b from zero, to the method's operator_rtol; counts linear iterations; b must not be x. The second also
  finds the sums over ranks of x . with[i], i < n; size as in wring_operator_solve_from_zero.
*/
PetscErrorCode wring_solver_apply_inverse(wring_solver *s, Vec b, Vec x);
PetscErrorCode wring_solver_apply_inverse_with_dots(wring_solver *s, double size, Vec b, Vec x, int n, const Vec *with,
                                                    double *dots);

/* d = -A^{-1} grad g, the step of pd if the laws have a projection; grad must be known. docs/theory.md (5.2) */
PetscErrorCode wring_solver_operator_step(wring_solver *s, Vec d);

/* Notes at x_k what the method uses from now on; text is static. Not collective. */
PetscErrorCode wring_solver_note_choice(wring_solver *s, const char *text);

/* An entry of tables: A as it is. */
double wring_solver_operator_as_is(const wring_solver *s);
