/*
  Layer 8, solvers: minimise the incremental potential. A method supplies one iteration x_k -> x_(k+1); wring_solver_solve
  owns the loop: gradient, history, stopping, timing, so that every method stops and is measured alike.
  docs/theory.md 5.
*/
#pragma once
#include <wring/operator.h>
#include <wring/potential.h>

typedef struct wring_solver wring_solver;

/* Deck keys behind "solver_": type, max_it, rtol, atol, measure. */
extern const wring_option wring_solver_options[];

/* Types in the order of help: name, and the keys of the method (behind "solver_<name>_" or "variant_*_"); NULL past the end. */
const char *wring_solver_type(int i, const wring_option **options);

typedef enum {
  WRING_CONVERGED,           // |grad g| <= rtol |grad g(x_0)| or <= atol
  WRING_MAX_IT,              //
  WRING_AT_ROUND_OFF,        // docs/theory.md (2.4): no step can lower g any more
  WRING_INTERRUPTED,         // by wring_solver_set_interrupt's function
  WRING_STOPPED_NOT_FINITE,  // failure: g or x is not finite
  WRING_STOPPED_LINE_SEARCH, // failure: no decrease above round-off
  WRING_STOPPED_SINGULAR     // failure: a linear system of the method, or of the integrator, is singular or not finite
} wring_reason;

const char *wring_reason_name(wring_reason reason);   // "converged", "max_it", "at round-off", ...
PetscBool   wring_reason_failed(wring_reason reason); // the WRING_STOPPED_...

/* A row of history.csv. */
typedef struct {
  PetscInt    iteration; // 0 is x_0
  wring_value value;
  double      gradient_norm, step_length; // N; alpha of the last iteration, 1 where a method has none, 0 at iteration 0
  double      primal, dual;      // J^(1/2): residuals of admm's last iteration, docs/theory.md (5.16); else NAN
  PetscInt    evaluations;       // of g by the method, in all of this solve
  PetscInt64  linear_iterations; // in all of this solve
  double      seconds;           // since the solve began, of the solver's own work
} wring_iteration;

typedef PetscErrorCode wring_monitor(void *context, const wring_iteration *it); // collective, every measured iteration

/* Measured iterations at which g is above the one measured before by more than rounding, docs/theory.md (2.6). */
typedef struct {
  PetscInt measured, count; // iterations, x_0 aside; those at which g rose
  double   largest;         // (g - g before)/|g before|, 0 if there are none
} wring_rises;

void wring_rises_add(const wring_rises *one, wring_rises *sum);

/* g and its gradient at a point. */
typedef struct {
  wring_value value;
  Vec         grad; // [n_owned][3] N, borrowed
} wring_evaluation;

typedef struct {
  wring_reason    reason;
  wring_iteration first, last; // x_0 and the end
  PetscInt        iterations;
  wring_rises     rises;
} wring_outcome;

/* g, op and phases are borrowed; op may be NULL for methods that do not need A. */
PetscErrorCode wring_solver_create(MPI_Comm comm, wring_potential *g, wring_operator *op, wring_phases *phases,
                                   wring_solver **s);
PetscErrorCode wring_solver_destroy(wring_solver **s);

/*
  Takes the type `name` with keys "solver_<name>_*", or the variant `name` with "variant_<name>_type" and "variant_<name>_*";
  name NULL: the type of "solver_type". Then solver_max_it, rtol, atol and measure. An unknown name is refused.
*/
PetscErrorCode wring_solver_set_from_options(wring_solver *s, const wring_options *o, const char *name);
PetscErrorCode wring_solver_set_limits(wring_solver *s, PetscInt max_it, double rtol, double atol, PetscInt measure);
PetscErrorCode wring_solver_set_monitor(wring_solver *s, wring_monitor *monitor, void *context);

/*
  Before every iteration of a solve `interrupt` is called, collectively, and its time is not the method's; a *stop that all
  ranks set alike ends the solve with WRING_INTERRUPTED at the iterate that is there. NULL: never.
*/
typedef PetscErrorCode wring_interrupt(void *context, PetscBool *stop);
PetscErrorCode         wring_solver_set_interrupt(wring_solver *s, wring_interrupt *interrupt, void *context);
/*
  The factor of L in the A = M/h^2 + factor L that op must hold while this method solves, 0 if it needs none; after
  set_from_options, and again before each solve: 1 for all but admm, which may change it from solve to solve.
*/
double wring_solver_operator_factor(const wring_solver *s);

/* Tells the operator what solves of `steps` steps would ask of it at most, before its first matrix. Not collective. */
void wring_solver_expect_solves(const wring_solver *s, PetscInt64 steps);

PetscErrorCode wring_solver_set_up(wring_solver *s); // refuses laws that lack what the method needs

/*
  Bytes that a solve from x would take on this rank beyond what set_up has allocated and the operator takes: systems of the
  method's own. Their matrices are assembled for it and stay, and are not counted. After set_up. Collective.
*/
PetscErrorCode wring_solver_predict(wring_solver *s, Vec x, double *bytes);
PetscErrorCode wring_solver_solve(wring_solver *s, Vec x, wring_outcome *outcome); // x: x_0 in, the last iterate out

/*
  The next solve starts from an x where g and its gradient are known to be these: it does not evaluate them again, though they
  count as an evaluation. Borrowed until that solve has begun, and forgotten then; NULL: not known. Only for potentials without
  contacts, which a solve looks for at x first. Not collective, but on all ranks alike.
*/
void      wring_solver_know_start(wring_solver *s, const wring_evaluation *start);
PetscBool wring_solver_has_residuals(const wring_solver *s); // iterations have primal and dual

/*
  The extreme eigenvalues of H_0 H(x), H the true (not projected) Hessian of g and H_0 the inverse of the Hessian that the method
  starts a solve at x from: A of pd, initial_hessian of qn (the identity not scaled). By at most max_it steps of Lanczos, whose
  values lie inside the true interval; exact only where H_0 is a factor. Both are NaN where H(x) is not positive definite.
  Methods without an H_0 are refused. After set_up, and with the operator's matrix set if operator_factor is not 0. Collective.
*/
PetscErrorCode wring_solver_condition(wring_solver *s, Vec x, PetscInt max_it, double *least, double *largest);
PetscBool      wring_solver_has_condition(const wring_solver *s); // whether the method has an H_0
const char    *wring_solver_name(const wring_solver *s);          // type or variant
