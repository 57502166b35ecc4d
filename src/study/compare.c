/* One implicit step from one state, by several solvers on the same objective. */
#include "compare.h"
#include "directory.h"
#include "progress.h"
#include "provenance.h"
#include <math.h>
#include <string.h>
#include <wring/study.h>

enum { REFERENCE_MAX_IT = 200 };
static const double REFERENCE_RTOL = 1e-10; // of |grad g(x_0)|, docs/theory.md 2

typedef struct {
  wring_problem   *p;
  Vec              start, x; // x_0 of every solver, and its iterate
  double           tolerance;
  PetscInt         measure;
  wring_comparison c;
} study;

const wring_iteration *wring_curve_at(const wring_curve *c, PetscInt iteration)
{
  PetscInt i = c->n - 1;
  while (i > 0 && c->row[i].iteration > iteration) i--;
  return &c->row[i];
}

double wring_relative_error(const wring_comparison *c, const wring_curve *curve, const wring_iteration *row)
{
  const double range = curve->row[0].value.objective - c->least;
  return range > 0 ? (row->value.objective - c->least) / range : 0;
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

/* A name or a law that a solver refuses must not cost the run of those before it. */
static PetscErrorCode rehearse(const study *s)
{
  wring_solver *solver;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c.n; i++) {
    for (PetscInt j = 0; j < i; j++) {
      if (strcmp(s->c.curve[i].name, s->c.curve[j].name) != 0) continue;
      WRING_REFUSE(s->p->comm, "compare_solvers names '%s' twice", s->c.curve[i].name);
    }
    PetscCall(create_solver(s, s->c.curve[i].name, &solver));
    PetscCall(wring_solver_destroy(&solver));
  }
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

static PetscErrorCode solve(const study *s, const char *name, PetscInt max_it, double rtol, wring_curve *curve)
{
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(create_solver(s, name, &solver));
  PetscCall(wring_problem_prepare_operator(s->p, wring_solver_operator_factor(solver), PETSC_FALSE));
  PetscCall(wring_solver_set_limits(solver, max_it, rtol, 0, s->measure));
  PetscCall(wring_solver_set_monitor(solver, keep_row, curve));
  PetscCall(VecCopy(s->start, s->x));
  PetscCall(wring_solver_solve(solver, s->x, &curve->outcome));
  PetscCall(print_outcome(s, name, &curve->outcome));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g* is the least of all; comparisons with NaN are false, so that a failed solver never holds it. */
static void take_least(wring_comparison *c, const wring_curve *curve, const char *source)
{
  for (PetscInt i = 0; i < curve->n; i++) {
    if (!(curve->row[i].value.objective < c->least)) continue;
    c->least  = curve->row[i].value.objective;
    c->source = source;
  }
}

static PetscErrorCode find_least(study *s)
{
  wring_curve newton = {.name = "newton"};
  const char *reference;

  PetscFunctionBegin;
  s->c.least = INFINITY;
  PetscCall(wring_options_get_word(s->p->options, "compare_", wring_compare_options, "reference", &reference));
  if (strcmp(reference, "newton") == 0) {
    PetscCall(PetscPrintf(s->p->comm, "reference: "));
    PetscCall(solve(s, "newton", REFERENCE_MAX_IT, REFERENCE_RTOL, &newton));
    take_least(&s->c, &newton, "newton reference");
    if (newton.outcome.reason != WRING_CONVERGED && newton.outcome.reason != WRING_AT_ROUND_OFF) {
      PetscCall(wring_note(s->p->comm, "the newton reference ended at %s: g* may be too high",
                           wring_reason_name(newton.outcome.reason)));
    }
  }
  for (PetscInt i = 0; i < s->c.n; i++) take_least(&s->c, &s->c.curve[i], s->c.curve[i].name);
  PetscCall(PetscFree(newton.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up and files -------------------------------------------------------------------------------------------- */

static PetscErrorCode get_report(study *s)
{
  const wring_options *const o = s->p->options;

  PetscFunctionBegin;
  if (!wring_options_has(o, "compare_", "report")) {
    s->c.n_report = 1;
    PetscCall(PetscMalloc1(1, &s->c.report));
    s->c.report[0] = s->c.iterations;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_options_get_int_list(o, "compare_", wring_compare_options, "report", &s->c.n_report, &s->c.report));
  for (PetscInt i = 0; i < s->c.n_report; i++) {
    if (s->c.report[i] >= 0 && s->c.report[i] <= s->c.iterations) continue;
    WRING_REFUSE(s->p->comm, "%s: compare_report has iteration %" PetscInt_FMT ", expected 0 to %" PetscInt_FMT,
                 wring_options_origin(o, "compare_", "report"), s->c.report[i], s->c.iterations);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_options(study *s)
{
  const wring_options *const o = s->p->options;
  char                     **name;

  PetscFunctionBegin;
  PetscCall(wring_options_get_int(o, "compare_", wring_compare_options, "iterations", &s->c.iterations));
  PetscCall(wring_options_get_real(o, "compare_", wring_compare_options, "tolerance", &s->tolerance));
  PetscCall(wring_options_get_int(o, "solver_", wring_solver_options, "measure", &s->measure));
  PetscCall(get_report(s));
  PetscCall(wring_options_get_word_list(o, "compare_", wring_compare_options, "solvers", &s->c.n, &name));
  if (s->c.n == 0) WRING_REFUSE(s->p->comm, "compare_solvers is empty, expected solver types or variants");
  PetscCall(PetscCalloc1(s->c.n, &s->c.curve));
  for (PetscInt i = 0; i < s->c.n; i++) {
    PetscCall(PetscStrncpy(s->c.curve[i].name, name[i], sizeof s->c.curve[i].name));
  }
  PetscCall(wring_words_destroy(s->c.n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_files(const study *s)
{
  static const char *const old[] = {"compare.csv", "compare_residuals.csv", "compare.json", "compare.gp",
                                    "compare.png"};
  wring_error              error = {0};
  json_t                  *provenance;
  char                     directory[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(wring_provenance(s->p, "compare", &provenance));
  PetscCall(wring_directory_make(s->p, sizeof directory, directory));
  if (s->p->rank == 0) {
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++) wring_directory_remove_file(directory, old[i], &error);
    wring_comparison_csv(&s->c, directory, &error);
    wring_comparison_residuals(&s->c, directory, &error);
    wring_comparison_json(&s->c, directory, provenance, &error);
    wring_comparison_plot(&s->c, directory, &error);
  }
  json_decref(provenance);
  PetscCall(wring_error_raise(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(MPI_Comm comm, const wring_options *o, study *s)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(wring_problem_create(comm, o, &s->p));
  if (!wring_stepper_minimises(s->p->stepper)) {
    WRING_REFUSE(comm,
                 "time_integrator '%s' minimises nothing, compare expects implicit_euler, implicit_midpoint or bdf2",
                 wring_stepper_integrator(s->p->stepper));
  }
  PetscCall(get_options(s));
  PetscCall(rehearse(s));
  PetscCall(wring_potential_create_vec(s->p->g, &s->start));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->start, &changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(study *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c.n; i++) PetscCall(PetscFree(s->c.curve[i].row));
  PetscCall(PetscFree(s->c.curve));
  PetscCall(PetscFree(s->c.report));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->start));
  PetscCall(wring_problem_destroy(&s->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_header(const study *s)
{
  char names[1024] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c.n; i++) {
    const size_t end = strlen(names);
    snprintf(names + end, sizeof names - end, "%s%s", i ? ", " : "", s->c.curve[i].name);
  }
  PetscCall(wring_header_print(s->p, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_compare(MPI_Comm comm, const wring_options *o, wring_exit *status)
{
  study s = {0};

  PetscFunctionBegin;
  PetscCall(create(comm, o, &s));
  PetscCall(print_header(&s));
  for (PetscInt i = 0; i < s.c.n; i++) {
    PetscCall(solve(&s, s.c.curve[i].name, s.c.iterations, s.tolerance, &s.c.curve[i]));
    if (wring_reason_failed(s.c.curve[i].outcome.reason)) *status = WRING_EXIT_FAILED;
  }
  PetscCall(find_least(&s));
  PetscCall(write_files(&s));
  PetscCall(wring_comparison_print(comm, &s.c));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
