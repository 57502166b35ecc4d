/* One implicit step from one state, by several solvers on the same objective. */
#include "compare.h"
#include "study/common/output_directory.h"
#include "study/run/progress.h"
#include "study/common/provenance.h"
#include <math.h>
#include <string.h>
#include <strings.h>
#include <wring/study.h>

enum { REFERENCE_MAX_IT = 200, LANCZOS_MAX_IT = 1000 };
static const double REFERENCE_RTOL = 1e-10; // of |grad g(x_0)|, docs/theory.md 2

typedef struct {
  wring_problem    *p;
  Vec               start, x; // x_0 of every solver, and its iterate
  Vec               lowest;   // the last iterate with the least g; NULL unless condition numbers are asked for
  double            lowest_g; // J
  double            tolerance;
  PetscInt          measure;
  PetscBool         newton; // whether a Newton minimiser is sought
  wring_telling     tells;
  wring_comparison *c;
  char              directory[PETSC_MAX_PATH_LEN];
} study;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

const wring_iteration *wring_curve_at(const wring_curve *c, PetscInt iteration)
{
  PetscInt i = c->n - 1;
  while (i > 0 && c->row[i].iteration > iteration) i--;
  return i == c->n - 1 || c->row[i].iteration == iteration ? &c->row[i] : NULL;
}

double wring_relative_error(const wring_comparison *c, const wring_iteration *row)
{
  const double range = c->start.objective - c->least.objective, error = row->value.objective - c->least.objective;
  if (!isfinite(error)) return INFINITY;
  return range > 0 ? error / range : 0;
}

/* The first measured iterate with an error of at most 10^-(digit + 1). */
static void find_time(const wring_comparison *c, wring_curve *curve, int digit)
{
  const double wanted         = pow(10, -(digit + 1));
  curve->iterations_to[digit] = -1;
  curve->seconds_to[digit]    = NAN;
  for (PetscInt i = 0; i < curve->n; i++) {
    if (wring_relative_error(c, &curve->row[i]) > wanted) continue;
    curve->iterations_to[digit] = curve->row[i].iteration;
    curve->seconds_to[digit]    = curve->row[i].seconds;
    return;
  }
}

/* Fills error, iterations_to and seconds_to of every curve. */
static PetscErrorCode summarise(wring_comparison *c)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < c->n; s++) {
    wring_curve *const curve = &c->curve[s];
    PetscCall(PetscMalloc1(c->n_report, &curve->error));
    for (PetscInt i = 0; i < c->n_report; i++) {
      const wring_iteration *const row = wring_curve_at(curve, c->report[i]);
      curve->error[i]                  = row ? wring_relative_error(c, row) : NAN;
    }
    for (int digit = 0; digit < WRING_N_DIGITS; digit++) find_time(c, curve, digit);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode keep_row(void *context, const wring_iteration *it)
{
  wring_curve *const c = context;

  PetscFunctionBegin;
  if (c->n == c->capacity) {
    c->capacity = 2 * c->capacity + 64;
    PetscCall(PetscRealloc((size_t)c->capacity * sizeof *c->row, &c->row));
  }
  c->row[c->n++] = *it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_solver(const study *s, const char *name, wring_solver **solver)
{
  wring_problem *const p = s->p;

  PetscFunctionBegin;
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, solver));
  PetscCall(wring_solver_set_from_options(*solver, p->options, name));
  PetscCall(wring_solver_set_up(*solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the solve ended and, where g rose on the way, that it did. */
static PetscErrorCode print_outcome(const study *s, const char *name, const wring_outcome *o)
{
  char rises[80] = "";

  PetscFunctionBegin;
  if (o->rises.count)
    snprintf(rises, sizeof rises, ", g rose in %" PetscInt_FMT " by at most %.2g of itself", o->rises.count,
             o->rises.largest);
  PetscCall(PetscPrintf(s->p->comm,
                        "%-16s %s after %" PetscInt_FMT " iterations, %.3g s, g %.10e J, |grad g| %.2e N%s\n", name,
                        wring_reason_name(o->reason), o->iterations, o->last.seconds, o->last.value.objective,
                        o->last.gradient_norm, rises));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_lowest(study *s, const wring_curve *curve)
{
  const double g = curve->outcome.last.value.objective;

  PetscFunctionBegin;
  if (!s->lowest || !(g < s->lowest_g)) PetscFunctionReturn(PETSC_SUCCESS);
  s->lowest_g = g;
  PetscCall(VecCopy(s->x, s->lowest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(study *s, const char *name, PetscInt max_it, double rtol, wring_curve *curve)
{
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(create_solver(s, name, &solver));
  PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
  PetscCall(wring_solver_set_limits(solver, max_it, rtol, 0, s->measure));
  PetscCall(wring_solver_set_monitor(solver, keep_row, curve));
  PetscCall(VecCopy(s->start, s->x));
  PetscCall(wring_solver_solve(solver, s->x, &curve->outcome));
  PetscCall(print_outcome(s, name, &curve->outcome));
  PetscCall(keep_lowest(s, curve));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g* is the least of all; comparisons with NaN are false, so that a failed solver never holds it. */
static void take_least(wring_comparison *c, const wring_curve *curve, const char *source)
{
  for (PetscInt i = 0; i < curve->n; i++) {
    if (!(curve->row[i].value.objective < c->least.objective)) continue;
    c->least = curve->row[i].value;
    snprintf(c->source, sizeof c->source, "%s", source);
  }
}

static PetscErrorCode find_least(study *s)
{
  wring_comparison *const c      = s->c;
  wring_curve             newton = {.name = "newton"};

  PetscFunctionBegin;
  c->start           = c->curve[0].row[0].value;
  c->least.objective = INFINITY;
  if (s->newton) {
    PetscCall(PetscPrintf(s->p->comm, "reference: "));
    PetscCall(solve(s, "newton", REFERENCE_MAX_IT, REFERENCE_RTOL, &newton));
    take_least(c, &newton, "newton reference");
    if (newton.outcome.reason != WRING_CONVERGED && newton.outcome.reason != WRING_AT_ROUND_OFF) {
      PetscCall(wring_note(s->p->comm, "the newton reference ended at %s: g* may be too high",
                           wring_reason_name(newton.outcome.reason)));
    }
  }
  for (PetscInt i = 0; i < c->n; i++) take_least(c, &c->curve[i], c->curve[i].name);
  PetscCall(PetscFree(newton.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where x_0 is a minimiser but for rounding, so are relative errors. */
static PetscErrorCode note_rounding(const study *s)
{
  const double range = s->c->start.objective - s->c->least.objective;
  double       noise;

  PetscFunctionBegin;
  PetscCall(wring_potential_noise(s->p->g, &noise));
  if (range > noise) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_note(s->p->comm,
                       "g(x_0) - g* is %.2g J, which rounding of g may hide (%.2g J): relative errors mean little",
                       range, noise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every method with an H_0 of its own, at x_0 and at the minimiser. */
static PetscErrorCode find_conditions(const study *s)
{
  wring_solver *solver;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c->n && s->lowest; i++) {
    wring_curve *const c = &s->c->curve[i];
    PetscCall(create_solver(s, c->name, &solver));
    c->has_spectrum = wring_solver_has_condition(solver);
    if (c->has_spectrum) {
      wring_spectrum *const a = &c->at_start, *const b = &c->at_least;
      PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
      PetscCall(wring_solver_condition(solver, s->start, LANCZOS_MAX_IT, &a->least, &a->largest));
      PetscCall(wring_solver_condition(solver, s->lowest, LANCZOS_MAX_IT, &b->least, &b->largest));
    }
    PetscCall(wring_solver_destroy(&solver));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* The first law without a Hessian, or NULL. */
static const char *without_hessian(const study *s)
{
  wring_term *const *term;
  const int          n = wring_potential_terms(s->p->g, &term);
  for (int i = 0; i < n; i++) {
    const wring_law *const law = wring_term_law(term[i]);
    if (!(wring_law_can(law) & WRING_CAN_HESSIAN)) return law->name;
  }
  return NULL;
}

/* Newton's method needs every law's Hessian; a law without one is refused only where the deck asks for newton. */
static PetscErrorCode choose_reference(study *s)
{
  const wring_options *const o   = s->p->options;
  const char *const          law = without_hessian(s);
  const char                *reference;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, "compare_", wring_compare_options, "reference", &reference));
  s->newton = (PetscBool)(strcmp(reference, "newton") == 0);
  if (!s->newton || !law || wring_options_has(o, "compare_", "reference")) PetscFunctionReturn(PETSC_SUCCESS);
  s->newton = PETSC_FALSE;
  PetscCall(
    wring_note(s->p->comm, "'%s' has no Hessian for a Newton minimiser: g* is the least g of the solvers", law));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_condition(study *s)
{
  const wring_options *const o   = s->p->options;
  const char *const          law = without_hessian(s);
  PetscBool                  asked;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(o, "compare_", wring_compare_options, "condition", &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  if (law) {
    WRING_REFUSE(s->p->comm, "%s: compare_condition: '%s' has no Hessian, expected laws that have one",
                 wring_options_origin(o, "compare_", "condition"), law);
  }
  s->lowest_g = INFINITY;
  PetscCall(wring_potential_create_vec(s->p->g, &s->lowest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_solver(const study *s, const char *name)
{
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(create_solver(s, name, &solver));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations that solver.measure skips have no value to report. */
static PetscErrorCode note_unmeasured(const study *s)
{
  const wring_comparison *const c = s->c;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n_report; i++) {
    const PetscInt k = c->report[i];
    if (k == 0 || k == c->iterations || (s->measure > 0 && k % s->measure == 0)) continue;
    PetscCall(wring_note(s->p->comm,
                         "iteration %" PetscInt_FMT " of compare_report stays empty: solver_measure is %" PetscInt_FMT,
                         k, s->measure));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A name or a law that a solver refuses must not cost the run of those before it. */
static PetscErrorCode try_solvers(const study *s)
{
  const wring_comparison *const c = s->c;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++) {
    for (PetscInt j = 0; j < i; j++) {
      if (strcasecmp(c->curve[i].name, c->curve[j].name) != 0) continue;
      WRING_REFUSE(s->p->comm, "%s: compare_solvers names '%s' twice, expected each solver once",
                   wring_options_origin(s->p->options, "compare_", "solvers"), c->curve[i].name);
    }
    PetscCall(try_solver(s, c->curve[i].name));
  }
  if (s->newton) PetscCall(try_solver(s, "newton"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_report(study *s)
{
  const wring_options *const o = s->p->options;
  wring_comparison *const    c = s->c;

  PetscFunctionBegin;
  if (!wring_options_has(o, "compare_", "report")) {
    c->n_report = 1;
    PetscCall(PetscMalloc1(1, &c->report));
    c->report[0] = c->iterations;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_options_get_int_list(o, "compare_", wring_compare_options, "report", &c->n_report, &c->report));
  for (PetscInt i = 0; i < c->n_report; i++) {
    if (c->report[i] >= 0 && c->report[i] <= c->iterations) continue;
    WRING_REFUSE(s->p->comm, "%s: compare_report has iteration %" PetscInt_FMT ", expected 0 to %" PetscInt_FMT,
                 wring_options_origin(o, "compare_", "report"), c->report[i], c->iterations);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_options(study *s)
{
  const wring_options *const o = s->p->options;
  wring_comparison *const    c = s->c;
  char                     **name;

  PetscFunctionBegin;
  PetscCall(wring_options_get_int(o, "compare_", wring_compare_options, "iterations", &c->iterations));
  PetscCall(wring_options_get_real(o, "compare_", wring_compare_options, "tolerance", &s->tolerance));
  PetscCall(wring_options_get_int(o, "solver_", wring_solver_options, "measure", &s->measure));
  PetscCall(get_report(s));
  PetscCall(wring_options_get_word_list(o, "compare_", wring_compare_options, "solvers", &c->n, &name));
  PetscCall(PetscCalloc1(c->n, &c->curve));
  for (PetscInt i = 0; i < c->n; i++) PetscCall(PetscStrncpy(c->curve[i].name, name[i], sizeof c->curve[i].name));
  PetscCall(wring_words_destroy(c->n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys behind "compare_", and whether everything they name can be had. */
static PetscErrorCode read_settings(study *s)
{
  const wring_problem *const p = s->p;

  PetscFunctionBegin;
  if (!wring_stepper_minimises(p->stepper)) {
    WRING_REFUSE(
      p->comm, "%s: time_integrator '%s' minimises nothing, compare expects implicit_euler, implicit_midpoint or bdf2",
      wring_options_origin(p->options, "time_", "integrator"), wring_stepper_integrator(p->stepper));
  }
  PetscCall(get_options(s));
  PetscCall(note_unmeasured(s));
  PetscCall(choose_reference(s));
  PetscCall(choose_condition(s));
  PetscCall(try_solvers(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_check(wring_problem *p)
{
  wring_comparison c = {0};
  study            s = {.p = p, .c = &c};

  PetscFunctionBegin;
  PetscCall(read_settings(&s));
  PetscCall(VecDestroy(&s.lowest));
  PetscCall(wring_comparison_clear(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(MPI_Comm comm, const wring_options *o, study *s)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(wring_problem_create(comm, o, &s->p));
  PetscCall(read_settings(s));
  PetscCall(wring_potential_create_vec(s->p->g, &s->start));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->start, &changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(study *s)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&s->lowest));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->start));
  PetscCall(wring_problem_destroy(&s->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what it leaves ---------------------------------------------------------------------------------------------- */

static PetscErrorCode write_files(const study *s)
{
  wring_error       error = {0};
  json_t           *provenance;
  const char *const directory = s->directory;

  PetscFunctionBegin;
  PetscCall(wring_provenance(s->p, "compare", &provenance));
  if (s->p->rank == 0) {
    wring_comparison_remove(directory, &error);
    wring_comparison_csv(s->c, directory, &error);
    wring_comparison_residuals(s->c, directory, &error);
    wring_comparison_json(s->c, directory, provenance, &error);
    const PetscBool drawn = wring_comparison_plot(s->c, directory, &error);
    if (!drawn && s->tells == WRING_TELL_ALL) PetscCall(wring_plot_note());
  }
  json_decref(provenance);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_header(const study *s)
{
  char names[1024] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c->n; i++) {
    const size_t end = strlen(names);
    snprintf(names + end, sizeof names - end, "%s%s", i ? ", " : "", s->c->curve[i].name);
  }
  PetscCall(wring_header_print(s->p, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_clear(wring_comparison *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++) {
    PetscCall(PetscFree(c->curve[i].row));
    PetscCall(PetscFree(c->curve[i].error));
  }
  PetscCall(PetscFree(c->curve));
  PetscCall(PetscFree(c->report));
  *c = (wring_comparison){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_rehearse(MPI_Comm comm, const wring_options *o)
{
  wring_comparison c = {0};
  study            s = {.c = &c};

  PetscFunctionBegin;
  PetscCall(create(comm, o, &s));
  PetscCall(destroy(&s));
  PetscCall(wring_comparison_clear(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_make(MPI_Comm comm, const wring_options *o, wring_telling tells, wring_comparison *c)
{
  study s = {.c = c, .tells = tells};

  PetscFunctionBegin;
  *c = (wring_comparison){0};
  PetscCall(create(comm, o, &s));
  PetscCall(wring_directory_make(s.p->options, sizeof s.directory,
                                 s.directory)); // before the work that would be lost without it
  if (tells != WRING_TELL_RESULTS) PetscCall(print_header(&s));
  for (PetscInt i = 0; i < c->n; i++) {
    PetscCall(solve(&s, c->curve[i].name, c->iterations, s.tolerance, &c->curve[i]));
    if (wring_reason_failed(c->curve[i].outcome.reason)) c->failed = PETSC_TRUE;
  }
  PetscCall(find_least(&s));
  PetscCall(note_rounding(&s));
  PetscCall(find_conditions(&s));
  PetscCall(summarise(c));
  PetscCall(write_files(&s));
  if (tells == WRING_TELL_ALL) PetscCall(wring_comparison_print(comm, c));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_compare(MPI_Comm comm, const wring_options *o, wring_exit *status)
{
  wring_comparison c;
  PetscBool        swept, failed;

  PetscFunctionBegin;
  PetscCall(wring_comparison_sweep(comm, o, &swept, &failed));
  if (!swept) {
    PetscCall(wring_comparison_make(comm, o, WRING_TELL_ALL, &c));
    failed = c.failed;
    PetscCall(wring_comparison_clear(&c));
  }
  PetscCall(wring_operator_note_unused(comm));
  if (failed) *status = WRING_EXIT_FAILED;
  PetscFunctionReturn(PETSC_SUCCESS);
}
