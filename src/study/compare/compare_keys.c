/* The keys of compare_, and the refusal of what cannot be compared. */
#include "comparison.h"
#include <math.h>

const wring_option wring_compare_options[] = {
  {"solvers", WRING_WORDS, .help = "Solver types and variants to compare."},
  {"iterations", WRING_INT, .value = "100", .range = "[1,inf)", .at = WRING_AT(wring_compare, c.iterations),
   .help = "Iterations of each solver."},
  {"report", WRING_INTS,
   .help = "Iterations for the table of relative errors, among those that solver.measure measures; default: the last."},
  {"reference", WRING_WORD, .choices = "newton|least", .value = "newton", .at = WRING_AT(wring_compare, reference),
   .help = "Source of g*: a Newton minimiser (or a lower g, if a solver finds one), or the least g that a solver "
           "finds; default for materials without a Hessian: least."},
  {"condition", WRING_BOOL, .value = "false", .at = WRING_AT(wring_compare, condition),
   .help = "Whether to compute the condition numbers of H_0 H at x_0 and at the minimiser, for methods with an H_0."},
  {"tolerance", WRING_REAL, .range = "[0,1)", .value = "0", .at = WRING_AT(wring_compare, limits.rtol),
   .help = "A solver stops at this |grad g| / |grad g(x_0)|."},
  {"target", WRING_REAL, .range = "[0,1)", .value = "0", .at = WRING_AT(wring_compare, limits.target),
   .help =
     "A solver stops at its first measured iterate with this relative error; the Newton minimiser is found before."},
  {"seconds", WRING_REAL, .unit = "s", .range = "(0,inf]", .value = "inf",
   .at   = WRING_AT(wring_compare, limits.seconds),
   .help = "A solver stops after the iteration in which its own time, without set-up and measuring, reaches this."},
  {"repeat", WRING_INT, .range = "[1,1000]", .value = "1", .at = WRING_AT(wring_compare, c.repeats),
   .help = "Solves by each solver, in turn with the others, except one that ends by compare_seconds; seconds are "
           "medians."},
  {"repeat_seconds", WRING_REAL, .unit = "s", .range = "(0,inf]", .value = "inf",
   .at   = WRING_AT(wring_compare, c.repeat_seconds),
   .help = "No solver is repeated whose solves have taken this long together, without set-up."},
  {"warm_up", WRING_BOOL, .value = "true", .at = WRING_AT(wring_compare, c.warm_up),
   .help = "Whether some iterations of the same solver, which are discarded, come before each solve."},
  {"decrement", WRING_BOOL, .value = "false", .at = WRING_AT(wring_compare, c.has_decrement),
   .help = "Whether to compute Newton's decrement, grad g . H^-1 grad g/2 with the projected Hessian H, at every "
           "measured iterate; its time does not count."},
  {0},
};

static const char *origin_of(const wring_compare *s, const char *key)
{
  return wring_options_origin(s->p->options, "compare_", key);
}

/*
  Iterations of the report that are beyond the last one are cut, and replaced by the last one. Those that solver.measure
  skips stay empty.
*/
static PetscErrorCode get_report(wring_compare *s)
{
  wring_comparison *const c    = &s->c;
  const PetscInt          last = c->iterations;
  PetscInt                n = 0, empty = -1;
  PetscBool               whole = PETSC_FALSE;

  PetscFunctionBegin;
  if (origin_of(s, "report")) {
    PetscCall(
      wring_options_get_int_list(s->p->options, "compare_", wring_compare_options, "report", &c->n_report, &c->report));
  } else {
    PetscCall(PetscMalloc1(1, &c->report));
    c->report[c->n_report++] = last;
  }
  for (PetscInt i = 0; i < c->n_report; i++) {
    const PetscInt k = c->report[i];
    if (k < 0)
      WRING_REFUSE(s->p->comm, "%s: compare_report has iteration %" PetscInt_FMT ", expected 0 to %" PetscInt_FMT,
                   origin_of(s, "report"), k, last);
    if (k <= last) c->report[n++] = k;
    if (k == last) whole = PETSC_TRUE;
    if (empty < 0 && k > 0 && k < last && (s->measure == 0 || k % s->measure)) empty = k;
  }
  if (n < c->n_report) {
    if (!whole) c->report[n++] = last;
    c->n_report = n;
    PetscCall(wring_note(s->p->comm, "compare_report is cut to compare_iterations, %" PetscInt_FMT, last));
  }
  if (empty > 0)
    PetscCall(wring_note(s->p->comm,
                         "iteration %" PetscInt_FMT " of compare_report stays empty: solver_measure is %" PetscInt_FMT,
                         empty, s->measure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/*
  Where Newton's method cannot be used, g* is the least g of the solvers, unless the deck asks for newton. Its rows are
  part of the comparison, and its keys are in force.
*/
static PetscErrorCode choose_reference(wring_compare *s)
{
  wring_error   refusal = {""};
  wring_solver *solver  = NULL;

  PetscFunctionBegin;
  if (s->reference == WRING_REFERENCE_NEWTON) {
    PetscCall(wring_compare_create_solver(s, "newton", &refusal, &solver));
    PetscCall(wring_solver_destroy(&solver));
    if (wring_failed(&refusal) && origin_of(s, "reference")) WRING_REFUSE(s->p->comm, "%s", refusal.text);
    if (wring_failed(&refusal))
      PetscCall(wring_note(s->p->comm, "%s: g* is the least g of the solvers", refusal.text));
    else
      s->newton = PETSC_TRUE;
  }
  if (s->limits.target > 0 && !s->newton)
    WRING_REFUSE(s->p->comm,
                 "%s: compare_target needs g* before the solvers run, expected compare_reference newton and materials "
                 "and contacts that newton can use",
                 origin_of(s, "target"));
  s->n_solver = s->c.n_all + s->newton;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every solver is set up once before the first one runs, so that a refusal comes before the work. The numbers of one
  that is left out are those of a solver that did nothing.
*/
static PetscErrorCode get_solvers(wring_compare *s)
{
  wring_comparison *const c    = &s->c;
  PetscInt                able = 0;
  wring_solver           *solver;
  char                  **name;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word_list(s->p->options, "compare_", wring_compare_options, "solvers", &c->n_all, &name));
  PetscCall(PetscCalloc1(c->n_all, &c->history));
  PetscCall(PetscMalloc1(c->n_all + 1, &s->solver));
  s->solver[c->n_all] = "newton";
  for (PetscInt i = 0; i < c->n_all; i++) {
    wring_convergence *const h = &c->history[i];
    PetscCall(PetscCalloc1(c->repeats, &h->solve));
    PetscCall(PetscStrncpy(h->name, name[i], sizeof h->name));
    s->solver[i] = h->name;
    for (PetscInt j = 0; j < i; j++) {
      if (wring_ascii_compare(h->name, c->history[j].name) == 0)
        WRING_REFUSE(s->p->comm, "%s: compare_solvers names '%s' twice, expected each solver once",
                     origin_of(s, "solvers"), h->name);
    }
    PetscCall(wring_compare_create_solver(s, h->name, &h->refusal, &solver));
    PetscCall(wring_solver_destroy(&solver));
    able += !wring_failed(&h->refusal);
    if (!wring_failed(&h->refusal)) continue;
    h->solve[0].outcome.last = (wring_iteration){.value = {NAN, NAN, NAN}, .gradient_norm = NAN};
    PetscCall(wring_note(s->p->comm, "'%s' is left out: %s", h->name, h->refusal.text));
  }
  PetscCall(wring_words_destroy(c->n_all, &name));
  if (able == 0) WRING_REFUSE(s->p->comm, "compare_solvers: none can be used: %s", c->history[0].refusal.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_compare_read_keys(wring_compare *s)
{
  const wring_problem *const p = s->p;
  const wring_options *const o = p->options;
  wring_comparison *const    c = &s->c;

  PetscFunctionBegin;
  if (!wring_stepper_minimises(p->stepper)) {
    WRING_REFUSE(p->comm,
                 "%s: time_integrator '%s' does not minimise, compare expects implicit_euler, implicit_midpoint, bdf2 "
                 "or static",
                 wring_options_origin(o, "time_", "integrator"), wring_stepper_integrator(p->stepper));
  }
  PetscCall(wring_options_read(o, "compare_", wring_compare_options, s));
  PetscCall(wring_options_get_int(o, "solver_", wring_solver_options, "measure", &s->measure));
  s->limits.iterations = c->iterations;
  c->steps             = wring_stepper_steps(p->stepper);
  PetscCall(get_report(s));
  c->renews = wring_problem_has_self_contact(p);
  if (s->condition || c->has_decrement)
    PetscCall(wring_potential_require(p->g, WRING_CAN_HESSIAN, "solver", "newton", NULL));
  s->lowest_g = c->least.objective = INFINITY;
  if (s->condition) PetscCall(wring_potential_create_vec(p->g, &s->lowest));
  PetscCall(get_solvers(s));
  PetscCall(choose_reference(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_check(wring_problem *p)
{
  wring_compare s = {.p = p};

  PetscFunctionBegin;
  PetscCall(wring_compare_read_keys(&s));
  PetscCall(VecDestroy(&s.lowest));
  PetscCall(PetscFree(s.solver));
  PetscCall(wring_comparison_clear(&s.c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
