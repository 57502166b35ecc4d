/*
  Newton's method [Ledwon 2024, algorithm 2]: H d = -grad g with backtracking, docs/theory.md (5.17). `filter` says what
  becomes of the negative eigenvalues of element Hessians:
    clamp         0 [Teran et al. 2005]: H = M/h^2 + sum is positive definite and d a descent direction
    absolute      their absolute values [Chen et al. 2024a]
    trust_region  clamp if the last step's decrease of g was within 1 % of that of the quadratic model with the true H,
                  else absolute [Chen et al. 2024b, algorithm 1]
    progressive   clamp, only for elements with large forces, as many as make H positive definite, none at first
                  [Fernandez-Fernandez et al. 2026]
    on_demand     the same, all at first in statics; none in time steps, then all once H is not positive definite
    none          nothing
  If H is not positive definite, or its linear solve fails, a multiple of a diagonal is added and raised until d is a
  direction of descent from a solve that has succeeded.

  Stiff parts and thin bodies turn, but x + d also stretches them, and backtracking shortens the step. A second Newton
  step from x + d takes the stretch back: both are one iteration if g is then low enough [Chamberlain et al. 1982].

  Nearly incompressible materials: H has the pressures that d gives to first order, those of Newton's method for the
  mixed form, not those at x + d, which are mostly of second order in d [Magisano et al. 2017]. Full steps with them may
  raise g by orders before it falls: up to eight follow the first one before all are given up.

  The system has three unknowns per vertex. It is solved by a Cholesky factor (direct), or by conjugate gradients with a
  V-cycle of H (cg), of A at x where means couple more vertices, to the tolerances of Eisenstat and Walker or to a fixed
  one. docs/theory.md (5.17a) to (5.17g)
*/
#include "solver/common/line_search.h"
#include "solver/common/linear.h"

enum { MAX_FAILURES = 40 }; // for one direction

static const double fit       = 0.01; // trust_region: largest |ratio - 1| at which the model fits
static const double tighten   = 0.5;  // progressive: the threshold after a failure and a success [N/N]
static const double release   = 2;
static const double all_below = 1e-4; // progressive: of the largest force; below it all elements are projected

/* The shift [Waechter and Biegler 2006, algorithm IC], in multiples of the diagonal: its first value, factors. */
static const double first_shift = 1e-4, raise_first = 100, raise_next = 8, lower = 1.0 / 3, largest_shift = 1e10;

/* Of a second step, (5.17e). Rises and decreases of g are in multiples of |slope|. */
static const double largest_rise = 100; // by the first step; nearly incompressible: any finite one
static const double second_rtol  = 1e-2;
static const double second_least = 0.1; // decrease by all steps
/* Iterations of its solve, or twice those of the one before; nearly incompressible: at least WRING_LINEAR_PROBE. */
enum { SECOND_ITERATIONS = 40 };
enum { LONGEST_PAUSE = 64, SHORT_PAUSE = 2 }; // iterations without one after failures; nearly incompressible
enum { MORE_STEPS = 8 };                      // after the first, nearly incompressible

typedef enum { CLAMP, ABSOLUTE, TRUST_REGION, PROGRESSIVE, ON_DEMAND, NONE } newton_filter;

/* Several steps in one iteration, and the iterate that they go back to where they fail. */
typedef struct {
  PetscBool   on;
  Vec         x, d, grad;
  wring_value value;
  double      norm;
  double      low, high;   // g after the last step is to be at most low; after those before it, at most high
  int         wait, pause; // iterations without a second step: still to come; after the last failure
} newton_watchdog;

/* How H is modified in an attempt, and what is remembered of it. */
typedef struct {
  newton_filter kind;
  double        ratio;     // of trust_region: actual to predicted decrease of the last step; 0: there is none
  double        threshold; // of progressive, N: projected are elements with larger forces; 0: all, INFINITY: none
  double        shift;     // of this attempt, in multiples of the diagonal
  double        last;      // the last shift that was needed; 0: none yet
} newton_modification;

typedef struct {
  wring_linear        H;
  Vec                 d;        // [n_owned][3] m
  Vec                 diagonal; // N/m, of the shift: the largest entry of every row of H; NULL until it is needed
  newton_modification modify;
  PetscBool           fixed;   // the tolerance of conjugate gradients is not that of Eisenstat and Walker
  PetscBool           limited; // PETSc's options limit the steps of conjugate gradients: what they reach is d
  wring_forcing       forcing; // least: key rtol
  newton_watchdog     watchdog;
} newton_data;

static const wring_option newton_options[] = {
  {"linear", WRING_WORD, .choices = "auto|direct|cg|schwarz", .value = "auto", .at = WRING_AT(newton_data, H.type),
   .help = "Solver of the Newton system: a factor, conjugate gradients with multigrid, or the one of both with less "
           "expected work; or conjugate gradients with additive Schwarz on two levels."},
  {"rtol", WRING_REAL, .range = "(0,1)", .value = "1e-8", .at = WRING_AT(newton_data, forcing.least),
   .help = "Relative tolerance of conjugate gradients for the Newton system; with forcing eisenstat_walker the least."},
  {"filter", WRING_WORD, .choices = "clamp|absolute|trust_region|progressive|on_demand|none", .value = "on_demand",
   .at = WRING_AT(newton_data, modify.kind),
   .help =
     "What becomes of negative eigenvalues of element Hessians: clamp: 0; absolute: their absolute values; "
     "trust_region: clamp where the quadratic model predicts the decrease of g, else absolute; progressive: "
     "clamp where forces are large, as far as is needed, at first nowhere; on_demand: the same, but everywhere at "
     "first in statics, and where it is first needed in a time step; none: nothing, a multiple of the diagonal is "
     "added if needed."},
  {"forcing", WRING_WORD, .choices = "eisenstat_walker|fixed", .value = "eisenstat_walker",
   .at   = WRING_AT(newton_data, fixed),
   .help = "Tolerance of conjugate gradients: as the decrease of |grad g| suggests, or rtol."},
  {"watchdog", WRING_BOOL, .value = "true", .at = WRING_AT(newton_data, watchdog.on),
   .help = "Whether a step that backtracking shortens is tried in full, with a second Newton step after it in the same "
           "iteration, near Poisson's ratio 1/2 up to eight: all are taken if g is then low enough."},
  {0},
};

static PetscErrorCode newton_set_up(wring_solver *s)
{
  newton_data *const     newton = s->data;
  newton_watchdog *const w      = &newton->watchdog;

  PetscFunctionBegin;
  newton->H.prefix = "newton_";
  newton->H.solves = 1;
  newton->H.norm   = newton->fixed ? WRING_NORM_PRECONDITIONED : WRING_NORM_RESIDUAL;
  PetscCall(wring_solver_create_vecs(s, 1, (Vec *[]){&newton->d}));
  w->on = (PetscBool)(w->on && !wring_potential_has_bounded_contacts(s->g));
  if (w->on) PetscCall(wring_solver_create_vecs(s, 3, (Vec *[]){&w->x, &w->d, &w->grad}));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-newton_ksp_max_it", &newton->limited));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_begin(wring_solver *s, Vec x)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  newton->modify          = (newton_modification){.kind = newton->modify.kind};
  const PetscBool in_time = (PetscBool)!wring_potential_is_static(s->g);
  if (newton->modify.kind == PROGRESSIVE || (newton->modify.kind == ON_DEMAND && in_time))
    newton->modify.threshold = INFINITY;
  newton->forcing.norm  = 0;
  newton->watchdog.wait = newton->watchdog.pause = 0;
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(wring_linear_begin_pressures(s, &newton->H, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static wring_filter filter_of(const newton_modification *m)
{
  const PetscBool fits = (PetscBool)(PetscAbsReal(m->ratio - 1) < fit);
  if (m->kind == NONE) return WRING_FILTER_NONE;
  if (m->kind == ABSOLUTE || (m->kind == TRUST_REGION && !fits)) return WRING_FILTER_ABSOLUTE;
  return WRING_FILTER_CLAMP;
}

/* Whether only elements with large forces are projected. */
static PetscBool by_forces(const newton_modification *m)
{
  return (PetscBool)(m->kind == PROGRESSIVE || m->kind == ON_DEMAND);
}

/* Whether elements are left to project. */
static PetscBool may_project(const newton_modification *m)
{
  return (PetscBool)(by_forces(m) && m->threshold > 0);
}

/* H at x with the filter, without shift. */
static PetscErrorCode assemble(wring_solver *s, Vec x)
{
  newton_data *const               newton = s->data;
  const newton_modification *const m      = &newton->modify;
  const PetscBool                  above  = may_project(m);
  const wring_hessian_choice       how    = {.filter    = filter_of(m),
                                             .grad      = above ? s->current.grad : NULL,
                                             .threshold = m->threshold,
                                             .pressed   = newton->H.pressed};

  PetscFunctionBegin;
  PetscCall(wring_linear_create_matrix(s, &newton->H));
  PetscCall(wring_potential_hessian_with(s->g, x, &how, &newton->H.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H += (shift - before) diagonal. The diagonal is that of this H before any shift. */
static PetscErrorCode add_shift(newton_data *newton, double before)
{
  PetscFunctionBegin;
  if (newton->modify.shift == before) PetscFunctionReturn(PETSC_SUCCESS);
  if (!newton->diagonal) PetscCall(MatCreateVecs(newton->H.A, &newton->diagonal, NULL));
  if (before == 0) PetscCall(MatGetRowMaxAbs(newton->H.A, newton->diagonal, NULL));
  PetscCall(VecScale(newton->diagonal, newton->modify.shift - before));
  PetscCall(MatDiagonalSet(newton->H.A, newton->diagonal, ADD_VALUES));
  PetscCall(VecScale(newton->diagonal, 1 / (newton->modify.shift - before)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

/*
  Whether d is to be used: the solve has succeeded and d is a direction of descent. Conjugate gradients that meet
  negative curvature leave the point of their path before it, which is one too [Nocedal and Wright 2006, algorithm 7.1],
  but may be short: where there are elements to project, they are.
*/
static PetscErrorCode is_usable(const wring_solver *s, double slope, PetscBool *usable)
{
  const newton_data *const newton = s->data;
  const wring_solve_end    end    = newton->H.end;
  const PetscBool          iterative =
    (PetscBool)(newton->H.type != WRING_LINEAR_DIRECT && newton->H.state == WRING_SYSTEM_READY);
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;

  PetscFunctionBegin;
  if (iterative) PetscCall(KSPGetConvergedReason(newton->H.ksp, &reason));
  const PetscBool more      = may_project(&newton->modify);
  const PetscBool truncated = (PetscBool)(iterative && end == WRING_SOLVE_SINGULAR && !more && !newton->H.stale);
  const PetscBool limited   = (PetscBool)(newton->limited && reason == KSP_DIVERGED_ITS);
  if (limited && slope < 0)
    PetscCall(
      wring_note(s->comm, "solver '%s': Newton's system is solved as far as petsc_newton_ksp_max_it allows", s->name));
  *usable = (PetscBool)(s->current.norm == 0 || (slope < 0 && (end == WRING_SOLVE_REACHED || truncated || limited)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An attempt: d = -H^{-1} grad g and grad g . d; again with the V-cycle of this H where an older one fails. */
static PetscErrorCode try_direction(wring_solver *s, Vec x, double *slope, PetscBool *usable)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  newton->H.most = may_project(&newton->modify) ? WRING_LINEAR_PROBE : 0;
  do {
    PetscCall(wring_linear_set_up(s, &newton->H, x));
    PetscCall(wring_linear_solve(s, &newton->H, s->current.grad, newton->d));
    PetscCall(VecScale(newton->d, -1));
    PetscCall(wring_solver_dot(s, s->current.grad, newton->d, slope));
    PetscCall(is_usable(s, *slope, usable));
  } while (!*usable && newton->H.stale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest component of grad g. */
static PetscErrorCode find_largest(wring_solver *s, PetscReal *largest)
{
  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCall(VecNorm(s->current.grad, NORM_INFINITY, largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More elements are projected; *all: there are none left. */
static PetscErrorCode lower_threshold(wring_solver *s, PetscBool *all)
{
  newton_modification *const m = &((newton_data *)s->data)->modify;
  PetscReal                  largest;

  PetscFunctionBegin;
  *all = (PetscBool)(m->threshold == 0);
  if (*all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_largest(s, &largest));
  const PetscBool at_once = (PetscBool)(m->kind == ON_DEMAND && m->threshold == INFINITY);
  m->threshold            = tighten * PetscMin(m->threshold, largest);
  if (at_once || m->threshold <= all_below * largest) m->threshold = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fewer elements are projected in the next iteration, after one in which no attempt has failed. */
static PetscErrorCode raise_threshold(wring_solver *s)
{
  newton_modification *const m = &((newton_data *)s->data)->modify;
  PetscReal                  largest;

  PetscFunctionBegin;
  PetscCall(find_largest(s, &largest));
  m->threshold = release * PetscMax(m->threshold, all_below * largest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next shift; infinite: none is left. */
static void raise_shift(newton_modification *m)
{
  if (m->shift == 0)
    m->shift = m->last > 0 ? PetscMax(lower * m->last, first_shift * 1e-4) : first_shift;
  else
    m->shift *= m->last > 0 ? raise_next : raise_first;
  if (m->shift > largest_shift) m->shift = INFINITY;
}

static PetscErrorCode say_failure(const wring_solver *s)
{
  static const char *const         why[]    = {"has no direction of descent", "was not solved to its tolerance",
                                               "is not positive definite", "has no finite solution"};
  const newton_data *const         newton   = s->data;
  const newton_modification *const m        = &newton->modify;
  const PetscBool                  expected = (PetscBool)(m->kind == NONE && newton->H.end == WRING_SOLVE_SINGULAR);

  PetscFunctionBegin;
  if (wring_failed(&newton->H.refusal))
    PetscCall(wring_note(s->comm, "%s", newton->H.refusal.text));
  else if (!expected && !may_project(m))
    PetscCall(wring_note(s->comm, "solver '%s': Newton's system %s: a multiple of its diagonal is added", s->name,
                         why[newton->H.end]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Modifies H more after an attempt that failed, or ends the solve. */
static PetscErrorCode modify(wring_solver *s, Vec x)
{
  newton_data *const         newton = s->data;
  newton_modification *const m      = &newton->modify;
  const double               before = m->shift;
  PetscBool                  all    = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(say_failure(s));
  if (wring_failed(&newton->H.refusal)) {
    wring_solver_end(s, WRING_STOPPED_LINEAR);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (by_forces(m) && before == 0) PetscCall(lower_threshold(s, &all));
  if (!all) {
    PetscCall(assemble(s, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  raise_shift(m);
  if (m->shift == INFINITY)
    wring_solver_end(s, WRING_STOPPED_LINEAR);
  else
    PetscCall(add_shift(newton, before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d and grad g . d, or the end of the solve. */
static PetscErrorCode newton_direction(wring_solver *s, Vec x, double *slope)
{
  newton_data *const         newton   = s->data;
  newton_modification *const m        = &newton->modify;
  int                        failures = 0;
  PetscBool                  usable   = PETSC_FALSE;

  PetscFunctionBegin;
  m->shift       = 0;
  newton->H.rtol = newton->forcing.least;
  if (!newton->fixed) wring_linear_force(s, &newton->H, &newton->forcing);
  PetscCall(assemble(s, x));
  for (;;) {
    PetscCall(try_direction(s, x, slope, &usable));
    if (usable) break;
    if (wring_linear_gives_way(s, &newton->H)) {
      m->shift = 0;
      PetscCall(assemble(s, x));
      continue;
    }
    if (++failures == MAX_FAILURES) wring_solver_end(s, WRING_STOPPED_LINEAR);
    if (!s->end.given) PetscCall(modify(s, x));
    if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (m->shift > 0) m->last = m->shift;
  if (by_forces(m) && failures == 0) PetscCall(raise_threshold(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a second step ----------------------------------------------------------------------------------------------- */

/* Whether a second step is tried after a search along d that has shortened it: then x + d is the trial point. */
static PetscErrorCode begin_second(wring_solver *s, Vec x, double slope, PetscBool *begins)
{
  newton_data *const     newton = s->data;
  newton_watchdog *const w      = &newton->watchdog;
  const double           found  = s->trial.step;

  PetscFunctionBegin;
  *begins = PETSC_FALSE;
  if (!w->on || found == 1 || newton->modify.shift > 0 || s->bound.step <= 1 || wring_solver_is_tiny(s, 1, slope))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (w->wait > 0) {
    w->wait--;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  w->low  = s->current.value.objective + second_least * slope;
  w->high = newton->H.volume > 0 ? PETSC_MAX_REAL : s->current.value.objective - largest_rise * slope;
  PetscCall(wring_solver_try(s, x, 1, newton->d));
  *begins = (PetscBool)(s->trial.value.objective <= w->high);
  if (!*begins) PetscCall(wring_solver_try(s, x, found, newton->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Limits the iterations of conjugate gradients by those of the last solve; *before: what the limit was. */
static PetscErrorCode limit_solve(newton_data *newton, PetscInt *before)
{
  PetscInt last;

  PetscFunctionBegin;
  PetscCall(KSPGetIterationNumber(newton->H.ksp, &last));
  PetscCall(KSPGetTolerances(newton->H.ksp, NULL, NULL, NULL, before));
  const PetscInt least = newton->H.volume > 0 ? WRING_LINEAR_PROBE : SECOND_ITERATIONS;
  PetscCall(KSPSetTolerances(newton->H.ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT,
                             PetscMin(*before, PetscMax(least, 2 * last))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Tries d, then d/2, of the system at x; *low: g at the trial point is low enough. *on: it is not, but another step is
  to be tried from there; never after the last one.
*/
static PetscErrorCode try_second(wring_solver *s, Vec x, PetscBool last, PetscBool *low, PetscBool *on)
{
  newton_data *const           newton = s->data;
  const newton_watchdog *const w      = &newton->watchdog;
  double                       slope;
  PetscInt                     before;

  PetscFunctionBegin;
  newton->modify.shift = 0;
  newton->H.rtol       = newton->forcing.least;
  PetscCall(limit_solve(newton, &before));
  if (!newton->fixed) wring_linear_force(s, &newton->H, &newton->forcing);
  newton->H.rtol = PetscMin(newton->H.rtol, PetscMax(second_rtol, newton->forcing.least));
  PetscCall(assemble(s, x));
  PetscCall(try_direction(s, x, &slope, low));
  PetscCall(KSPSetTolerances(newton->H.ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, before));
  *on = PETSC_FALSE;
  if (!*low) PetscFunctionReturn(PETSC_SUCCESS);
  for (double alpha = 1; alpha >= 0.5; alpha /= 2) {
    PetscCall(wring_solver_try(s, x, alpha, newton->d));
    *low = (PetscBool)(s->trial.value.objective <= w->low);
    *on  = (PetscBool)(!*low && !last && alpha == 1 && s->trial.value.objective <= w->high);
    if (*low || *on) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trial point that a search along d has found becomes that of several steps, if g is low enough there. */
static PetscErrorCode try_both(wring_solver *s, Vec x, double slope)
{
  newton_data *const     newton  = s->data;
  newton_watchdog *const w       = &newton->watchdog;
  const wring_forcing    forcing = newton->forcing;
  const double           found   = s->trial.step;
  PetscBool              low, on;

  PetscFunctionBegin;
  PetscCall(begin_second(s, x, slope, &low));
  if (!low) PetscFunctionReturn(PETSC_SUCCESS);
  w->value = s->current.value, w->norm = s->current.norm;
  PetscCall(VecCopy(x, w->x));
  PetscCall(VecCopy(newton->d, w->d));
  PetscCall(VecCopy(s->current.grad, w->grad));
  on = low;
  for (int left = newton->H.volume > 0 ? MORE_STEPS : 1; left > 0 && on; left--) {
    newton->H.pressed = (PetscBool)(newton->H.volume > 0);
    PetscCall(wring_linear_keep_pressures(s, &newton->H, x, newton->d));
    PetscCall(wring_solver_accept(s, x));
    PetscCall(try_second(s, x, (PetscBool)(left == 1), &low, &on));
  }
  w->pause = low ? 0 : newton->H.volume > 0 ? SHORT_PAUSE : PetscMin(2 * w->pause + 2, LONGEST_PAUSE);
  w->wait  = w->pause;
  if (low) PetscFunctionReturn(PETSC_SUCCESS);
  newton->H.stale = (PetscBool)(newton->H.volume > 0); // the V-cycle may be that of a point far away
  newton->forcing = forcing;
  PetscCall(VecCopy(w->x, x));
  PetscCall(VecCopy(w->grad, s->current.grad));
  s->current.value = w->value, s->current.norm = w->norm;
  PetscCall(VecCopy(w->d, newton->d));
  PetscCall(wring_solver_try(s, x, found, newton->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/*
  The ratio of the decrease of g at the trial point to that of the model with the true H, in the place of the filtered
  one; 1 if rounding hides the decrease.
*/
static PetscErrorCode judge_model(wring_solver *s, Vec x, double slope)
{
  newton_data *const         newton = s->data;
  const double               alpha  = s->trial.step;
  const wring_hessian_choice how    = {.filter = WRING_FILTER_NONE, .pressed = newton->H.pressed};
  double                     curvature;
  Vec                        Hd;

  PetscFunctionBegin;
  if (newton->modify.kind != TRUST_REGION) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_hessian_with(s->g, x, &how, &newton->H.A));
  PetscCall(VecDuplicate(newton->d, &Hd));
  PetscCall(MatMult(newton->H.A, newton->d, Hd));
  wring_count(s->phases, WRING_WORK_PRODUCTS, 1);
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(wring_solver_dot(s, newton->d, Hd, &curvature));
  PetscCall(VecDestroy(&Hd));
  const double actual = s->current.value.objective - s->trial.value.objective;
  newton->modify.ratio =
    wring_solver_is_tiny(s, alpha, slope) ? 1 : actual / -(alpha * slope + 0.5 * PetscSqr(alpha) * curvature);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_iterate(wring_solver *s, Vec x)
{
  newton_data *newton = s->data;
  wring_search result;
  double       slope;

  PetscFunctionBegin;
  PetscCall(newton_direction(s, x, &slope));
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  s->current.decrement = -0.5 * slope;
  PetscCall(wring_solver_backtrack(s, x, newton->d, slope, &result));
  if (result == WRING_SEARCH_FOUND) PetscCall(judge_model(s, x, slope));
  if (result == WRING_SEARCH_FAILED) {
    PetscCall(wring_note(
      s->comm, "solver '%s': g does not decrease along Newton's direction: steepest descent is tried", s->name));
    newton->H.pressed = PETSC_FALSE;
    PetscCall(wring_solver_steepest(s, x, newton->d, &slope));
    PetscCall(wring_solver_backtrack(s, x, newton->d, slope, &result));
  } else if (result == WRING_SEARCH_FOUND) {
    PetscCall(try_both(s, x, slope));
    PetscCall(wring_linear_keep_pressures(s, &newton->H, x, newton->d));
  }
  PetscCall(wring_solver_end_search(s, x, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_decrement(wring_solver *s, Vec x, double *decrement)
{
  newton_data *newton = s->data;
  double       slope;
  PetscBool    usable = PETSC_FALSE;

  PetscFunctionBegin;
  newton->modify.shift = 0;
  newton->H.pressed    = PETSC_FALSE;
  newton->H.rtol       = newton->forcing.least;
  PetscCall(wring_linear_create_matrix(s, &newton->H));
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &newton->H.A));
  PetscCall(try_direction(s, x, &slope, &usable));
  *decrement = usable ? -0.5 * slope : NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_predict(wring_solver *s, Vec x, double *bytes)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(wring_linear_create_matrix(s, &newton->H));
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &newton->H.A));
  PetscCall(wring_linear_predict(s, &newton->H, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_destroy(wring_solver *s)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(wring_linear_destroy(&newton->H));
  PetscCall(VecDestroy(&newton->diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_newton = {
  .name      = "newton",
  .needs     = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN,
  .declares  = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .way       = WRING_CONTACT_BOUNDED,
  .options   = newton_options,
  .data_size = sizeof(newton_data),
  .set_up    = newton_set_up,
  .begin     = newton_begin,
  .iterate   = newton_iterate,
  .predict   = newton_predict,
  .decrement = newton_decrement,
  .destroy   = newton_destroy,
};
