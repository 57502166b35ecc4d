/*
  Layer 8, solvers: minimise the incremental potential. A method supplies one iteration x_k -> x_(k+1); the loop of
  wring_solver_solve computes the gradient, writes the history, stops and measures time, the same way for all methods.
  docs/theory.md 5. The map of the layer is src/solver/common/solver_impl.h; laws, terms and factors are in the layers
  below, time steps in wring/step.h.

  All functions are collective on comm unless their comments state otherwise. Refusals are PETSC_ERR_USER_INPUT on all
  ranks, with one line of text. One thread of a process calls the functions of a solver, and of the potential and
  operator that it borrows; they start OpenMP threads themselves. Two solvers may share a potential and an operator if
  they are used one after the other, and the operator holds the matrix of the one that solves
  (wring_solver_operator_factor).
*/
#pragma once
#include <wring/operator.h>
#include <wring/potential.h>

typedef struct wring_solver wring_solver;

/* Deck keys with prefix "solver_": type, max_it, rtol, atol, stop, start, measure, accept. */
extern const wring_option wring_solver_options[];

/* The name of the i-th type, i from 0 in the order of help; NULL past the end. Static; not collective. */
const char *wring_solver_type(int i);

/*
  The keys of a type, in a deck with the prefix "solver_<type>_", or "variant_<variant>_" of a variant; NULL: there is
  no such type. Static; not collective.
*/
const wring_option *wring_solver_keys(const char *type);

/* The type of the solver or variant `name`, and the prefix [size] of its keys, which are checked. Not collective. */
PetscErrorCode wring_solver_find_keys(const wring_options *o, const char *name, const char **type, size_t size,
                                      char *prefix);

/*
  The type that "solver_type" names or, without this key, the only one for which o has keys "solver_<name>_*"; else
  "auto". Static; not collective.
*/
PetscErrorCode wring_solver_default_type(const wring_options *o, const char **type);

/*
  *takes: the solver or variant `name`, and the method inside of it, can use materials whose volume is a mean over
  elements. False for names that set_from_options refuses. Not collective.
*/
PetscErrorCode wring_solver_takes_mean(const wring_options *o, const char *name, PetscBool *takes);

typedef enum {
  WRING_CONVERGED,           // |grad g| <= rtol reference or <= atol
  WRING_MAX_IT,              // after the last iteration that max_it allows, or where all later ones would repeat it
  WRING_AT_ROUND_OFF,        // docs/theory.md (2.4): no step can lower g any more
  WRING_INTERRUPTED,         // by wring_solver_set_interrupt's function
  WRING_AT_TARGET,           // the same, at a point that its caller has asked for: set by who calls the solver
  WRING_OUT_OF_BUDGET,       // the seconds of wring_solver_set_budget
  WRING_SHORT_OF_TARGET,     // interrupted at a target that has moved since: set by who calls the solver
  WRING_STOPPED_NOT_FINITE,  // failure: g or x is not finite
  WRING_STOPPED_LINE_SEARCH, // failure: no decrease above round-off
  WRING_STOPPED_SINGULAR,    // failure: a linear system of the method, or of the integrator, is singular or not finite
  WRING_STOPPED_LINEAR,      // failure: a linear solve failed, and did so with a larger diagonal too
  WRING_STOPPED_LOADS,       // failure: loads that depend on the solution did not settle, wring_stepper_solve
  WRING_STOPPED_DIVERGED,    // failure: x lies so far off that no load explains it; decided by who calls the solver
  WRING_STOPPED_UNBALANCED,  // failure: max_it or round-off leave too large a force, wring_stepper_solve
  WRING_STOPPED_INVERTED,    // failure: elements that may not invert did; decided by who calls the solver
  WRING_STOPPED_BLOCKED,     // failure: contacts have stopped held vertices; decided by who calls the solver
  WRING_N_REASON
} wring_reason;

const char *wring_reason_name(wring_reason reason);      // "converged", "max_it", "at round-off", ...
PetscBool   wring_reason_converged(wring_reason reason); // or at round-off
PetscBool   wring_reason_failed(wring_reason reason);    // the WRING_STOPPED_...

/* The reference of rtol, docs/theory.md 2. */
typedef enum {
  WRING_STOP_FORCE,    // the largest of wring_forces at the iterate, (2.8)
  WRING_STOP_RELATIVE, // |grad g(x_0)|
  WRING_STOP_GRADIENT, // nothing: |grad g| is compared with atol only
  WRING_STOP_DECREMENT // grad g . A^{-1} grad g at x_0, which rtol compares instead of |grad g|, (2.8a); from options
} wring_solver_stop;

const char *wring_solver_stop_name(wring_solver_stop stop); // "relative", as in a deck

/* What a method does once for many solves, within one of them: it is not among the seconds and work of iterations. */
typedef struct {
  double       seconds;
  wring_counts work;
} wring_setup;

/* A row of history.csv. */
typedef struct {
  PetscInt    iteration; // 0 is x_0
  wring_value value;
  double      gradient_norm, step_length; // N; alpha of the last iteration, 1 where a method has none, 0 at iteration 0
  double      primal, dual;      // J^(1/2): residuals of an iteration of admm, (5.16), or mgpbd, (5.45); else NAN
  PetscInt    evaluations;       // of g by the method, in all of this solve
  PetscInt64  linear_iterations; // in all of this solve
  double      seconds;           // since the solve began, of the solver's own work
  wring_counts work;             // in the same seconds; zeros without wring_phases
  wring_setup  setup;            // in this solve until here
  double       reference;        // N, what rtol is relative to; with WRING_STOP_FORCE at the last iterate where it was
                                 // needed, at most ten iterations ago
  double decrement;              // J: the decrease of g that the last iteration predicted, -grad g . d/2; NAN: none
  double newton_decrement;       // J: wring_solver_newton_decrement here, for callers that compute it; NAN
} wring_iteration;

/* Called on all ranks at every measured iteration, including x_0; it may communicate, and must not call the solver. */
typedef PetscErrorCode wring_monitor(void *context, const wring_iteration *it);

/* Measured iterations at which g exceeds its previously measured value by more than rounding; theory.md (2.6). */
typedef struct {
  PetscInt measured, count; // iterations, without x_0; those at which g rose
  double   largest;         // (g - g before)/|g before|, 0 if there are none
} wring_rises;

void wring_rises_add(const wring_rises *one, wring_rises *sum); // adds counts, and takes the larger of `largest`

/* g and its gradient at a point. */
typedef struct {
  wring_value value;
  Vec         grad; // [n_owned][3] N, borrowed
} wring_evaluation;

typedef struct {
  wring_reason    reason;
  wring_iteration first, last; // x_0 and the last iterate
  PetscInt        iterations;
  PetscInt        cut; // iterations whose step was shortened, so that surfaces do not meet
  wring_rises     rises;

  struct {            // of a step
    double   work;    // J, on the bodies
    PetscInt repeats; // solves after the first, with normal forces at the solution
  } friction;
} wring_outcome;

/* Adds the work of a later solve of the same step, whose end is that of both; *sum may be all 0. Not collective. */
void wring_outcome_add(const wring_outcome *more, wring_outcome *sum);

/*
  g, op and phases are borrowed and must outlive the solver; op may be NULL for methods that do not need A, phases may
  be NULL. Then call set_from_options, set_up after all terms and contacts have been added to g, and any number of
  solves.
*/
PetscErrorCode wring_solver_create(MPI_Comm comm, wring_potential *g, wring_operator *op, wring_phases *phases,
                                   wring_solver **s);
PetscErrorCode wring_solver_destroy(wring_solver **s);

/*
  Selects the type `name` with keys "solver_<name>_*", or the variant `name` with "variant_<name>_type" and
  "variant_<name>_*"; name NULL: the type of "solver_type". Then solver_max_it, rtol, atol, measure and, if the deck has
  it, stop. An unknown name is refused.
*/
PetscErrorCode wring_solver_set_from_options(wring_solver *s, const wring_options *o, const char *name);
/* Whether the iterates converge to a minimum of g. Valid after set_from_options; not collective. */
PetscBool wring_solver_minimises(const wring_solver *s);
/*
  The rule of stopping, WRING_STOP_RELATIVE by default. WRING_STOP_DECREMENT only if the options gave it, with the keys
  of its operator. Collective.
*/
PetscErrorCode wring_solver_set_stop(wring_solver *s, wring_solver_stop stop);
/*
  At most max_it >= 0 iterations; stops where |grad g| <= rtol reference or <= atol [N], 0: never; measures x_0, every
  `measure` iterations (0: none) and the last. Not collective, but the same on all ranks, as set_monitor.
*/
void wring_solver_set_limits(wring_solver *s, PetscInt max_it, double rtol, double atol, PetscInt measure);
typedef struct {
  double            seconds; // of wring_solver_set_budget
  PetscInt          max_it, measure;
  double            rtol, atol;
  wring_solver_stop stop;
  PetscBool         accept; // key accept: a step goes on from the iterate at max_it, whatever is not in balance there
} wring_solver_limits;
void wring_solver_get_limits(const wring_solver *s, wring_solver_limits *limits); // not collective
void wring_solver_set_monitor(wring_solver *s, wring_monitor *monitor, void *context);

/*
  Sets a function that is called at measured iterations and at every hundredth, collectively; its time does not count
  for the method. If all ranks set *stop, the solve ends with WRING_INTERRUPTED at the current iterate. NULL: never.
*/
typedef PetscErrorCode wring_interrupt(void *context, PetscBool *stop);
void                   wring_solver_set_interrupt(wring_solver *s, wring_interrupt *interrupt, void *context);
/*
  Ends a solve with WRING_OUT_OF_BUDGET before the first iteration at whose start its own time, as in wring_iteration,
  is at least `seconds` > 0 on some rank; INFINITY, the default: never. Costs a reduction of one number an iteration.
  Not collective, but the same on all ranks.
*/
void wring_solver_set_budget(wring_solver *s, double seconds);
/*
  The factor of L in the A = M/h^2 + factor L that op must hold while this method solves, 0 if it needs none. Valid
  after set_from_options; query it again before each solve: 1 for all but admm, which may change it from solve to solve.
  Not collective.
*/
double wring_solver_operator_factor(const wring_solver *s);

/* Tells the operator, before its first matrix, how many solves with A `steps` solves may take. Not collective. */
void wring_solver_expect_solves(const wring_solver *s, PetscInt64 steps);

/* Allocates vectors. Refuses laws, contacts and damping that the method cannot use: "solver 'pd' cannot use ...". */
PetscErrorCode wring_solver_set_up(wring_solver *s);

/*
  Estimates the bytes that a solve from x takes on this rank beyond what set_up has allocated and what the operator
  takes: factors and hierarchies of the method's own systems. Their matrices are assembled for the estimate, kept, and
  not counted. Call after set_up.
*/
PetscErrorCode wring_solver_predict(wring_solver *s, Vec x, double *bytes);

/* As predict, of what the method adds only in hard solves, but with matrices: the Hessian of auto. 0: nothing. */
PetscErrorCode wring_solver_predict_later(wring_solver *s, Vec x, double *bytes);

/*
  Minimises g from x, which holds x_0 on input and the last iterate x_k on output. x must come from
  wring_potential_create_vec for this g: it has room for ghosts, which are overwritten. Vertices that hard attachments
  hold are placed first. After a failure (wring_reason_failed) x is the last iterate, where g may not be finite, and x_0
  if the first iteration failed; the solver can be used again. After an error x is undefined. outcome->last has the
  measured values at x.
*/
PetscErrorCode wring_solver_solve(wring_solver *s, Vec x, wring_outcome *outcome);
/* The same also for a g that is provisional (potential.h), which wring_solver_solve refuses. */
PetscErrorCode wring_solver_minimise(wring_solver *s, Vec x, wring_outcome *outcome);

/*
  Gives the next solve g and its gradient at the x that it starts from, so that it does not evaluate them again; the
  solver's count of evaluations is the same as without. Borrowed until that solve has begun, and used once; NULL: not
  known. Only for potentials without contacts, because a solve first updates the contacts at x, which changes g. Not
  collective, but the same on all ranks. It shortens the time of methods that need grad g(x_0): do not use it to compare
  methods.
*/
void      wring_solver_know_start(wring_solver *s, const wring_evaluation *start);
PetscBool wring_solver_has_residuals(const wring_solver *s); // iterations have primal and dual

/*
  The extreme eigenvalues of H_0 H(x): H is the Hessian of g, not projected; H_0 is the inverse of the Hessian with
  which the method starts a solve at x: A for pd, initial_hessian for qn (the identity is not scaled). Computed by at
  most max_it steps of Lanczos, whose values lie inside the true interval; accurate only if H_0 is a factor. Both are
  NaN if H(x) is not positive definite or H_0 does not exist. Refuses methods without an H_0. Call after set_up, with
  the operator's matrix set if operator_factor is not 0. x as in solve.
*/
PetscErrorCode wring_solver_condition(wring_solver *s, Vec x, PetscInt max_it, double *least, double *largest);
PetscBool      wring_solver_has_condition(const wring_solver *s); // whether the method has an H_0
const char    *wring_solver_name(const wring_solver *s);          // type or variant

/* What a method that chooses its parts by itself uses from an iteration on. */
typedef struct {
  PetscInt    solve, iteration; // numbers from 0: of the solves of this solver, and of the iterate where it begins
  const char *text;             // "operator of the mean Hessian", ...; static
} wring_solver_choice;

/* The choices of all solves so far, [n] in order, borrowed until the next solve; n is 0 for most methods. */
PetscInt wring_solver_choices(const wring_solver *s, const wring_solver_choice **list);

/* What the method decides by itself and by which rule, in one sentence; NULL: nothing. Static; not collective. */
const char *wring_solver_about(const wring_solver *s);

/*
  Newton's decrement of g at x, grad g . H^{-1} grad g/2 [J], with the Hessian H whose elements are clamped; NAN if its
  linear solve fails. `newton` is a solver of type newton after set_up. x as in solve. Collective.
*/
PetscErrorCode wring_solver_newton_decrement(wring_solver *newton, Vec x, double *decrement);

/* The |grad g| at which this solve converges [N]: atol where rtol is not about |grad g|. Not collective. */
double wring_solver_tolerance(const wring_solver *s, const wring_outcome *outcome);

/*
  |grad g| over the largest of wring_forces at x, the end of the last solve: the share that is not in balance. At each
  vertex, what the rounding of x explains is left out, and so it is of the forces; 0 where this leaves none. Collective.
*/
PetscErrorCode wring_solver_unbalance(wring_solver *s, Vec x, double *share);

/* What to change after a solve that ended at max_it, "a larger weight ...", if the method knows; else NULL. */
const char *wring_solver_advice(const wring_solver *s, const wring_outcome *o);
