/* One comparison, from a deck to its files. */
#include "comparison.h"
#include "base/text.h"
#include "output/header.h"
#include "output/output.h"
#include "io/print.h"
#include "study/common/provenance.h"
#include <math.h>
#include <string.h>
#include <wring/sanity.h>

PetscErrorCode wring_compare_create(const wring_options *o, wring_compare **out)
{
  wring_compare *s;
  PetscBool      changed;
  PetscInt       n;
  char         **name;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(wring_options_get_word_list(o, "compare_", wring_compare_options, "solvers", &n, &name));
  PetscCall(wring_problem_create_for(wring_options_comm(o), o, n, (const char *const *)name, &s->p));
  PetscCall(wring_words_destroy(n, &name));
  PetscCall(wring_output_read(o, &s->output));
  PetscCall(wring_compare_read_keys(s));
  PetscCall(wring_sittings_find(s));
  PetscCall(wring_potential_create_vec(s->p->g, &s->start));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  wring_stepper_set_start(s->p->stepper, WRING_START_Y);
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->start, &changed));
  PetscCall(wring_sanity_note(s->p));
  *out = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_destroy(wring_compare **out)
{
  wring_compare *const s = *out;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&s->lowest));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->start));
  PetscCall(wring_problem_destroy(&s->p));
  PetscCall(wring_comparison_clear(&s->c));
  PetscCall(PetscFree(s->solver));
  json_decref(s->origin);
  json_decref(s->made);
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How a solve ended; where g rose on the way, that it did. */
static void print_outcome(const wring_compare *s, const char *name, const wring_outcome *o)
{
  const wring_iteration *const last = &o->last;
  wring_print(s->p->comm, "%-16s %s after %" PetscInt_FMT " iteration%s, %.3g s, g %.10e J, |grad g| %.2e N", name,
              wring_reason_name(o->reason), o->iterations, o->iterations == 1 ? "" : "s", last->seconds,
              last->value.objective, last->gradient_norm);
  if (o->rises.count)
    wring_print(s->p->comm, ", g rose in %" PetscInt_FMT " by at most %.2g relative to g", o->rises.count,
                o->rises.largest);
  wring_print(s->p->comm, "\n");
}

/* ---- the minimiser ----------------------------------------------------------------------------------------------- */

enum { REFERENCE_MAX_IT = 200, LANCZOS_MAX_IT = 1000 };
static const double REFERENCE_RTOL = 1e-10; // of |grad g(x_0)|, docs/theory.md (2.5)

/* g* is the least of all; comparisons with NaN are false, so that a failed solver never holds it. */
static void take_least(wring_comparison *c, const wring_solve *one, const char *source)
{
  if (one->n > 0) c->start = one->row[0].value; // the same of all
  for (PetscInt i = c->renews ? PetscMax(one->n - 1, 0) : 0; i < one->n; i++) {
    if (!(one->row[i].value.objective < c->least.objective)) continue;
    c->least = one->row[i].value;
    snprintf(c->source, sizeof c->source, "%s", source);
  }
}

/* g* of the Newton reference, unless none is sought or the comparison was stopped. */
static PetscErrorCode find_reference(wring_compare *s)
{
  const wring_compare_limits limits = {
    .iterations = REFERENCE_MAX_IT, .rtol = REFERENCE_RTOL, .seconds = INFINITY, .target = 0};
  wring_comparison *const c      = &s->c;
  wring_solve             newton = {.n = 0};

  PetscFunctionBegin;
  if (!s->newton || c->stop) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_compare_solve(s, "newton", &limits, PETSC_FALSE, &newton));
  wring_print(s->p->comm, "reference: "); // a solve may print notes
  print_outcome(s, "newton", &newton.outcome);
  take_least(c, &newton, "newton reference");
  PetscCall(PetscFree(newton.row));
  const wring_reason reason = newton.outcome.reason;
  if (reason == WRING_INTERRUPTED) c->stop = s->stopper->cause;
  if (!wring_reason_converged(reason))
    PetscCall(
      wring_note(s->p->comm, "the Newton reference ended at %s: g* may be too high", wring_reason_name(reason)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the reference and all histories. */
static void find_least(wring_comparison *c)
{
  for (PetscInt i = 0; i < c->n; i++) take_least(c, &c->history[i].solve[0], c->history[i].name);
}

/* Targets by the last g*, which a later solver may have lowered: a solve that ended before is short of its target. */
static PetscErrorCode decide_targets(wring_compare *s)
{
  wring_comparison *const c = &s->c;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++) {
    wring_solve *const one   = c->history[i].solve;
    const double       error = one->n ? wring_relative_error(c, &one->row[one->n - 1]) : 0;
    if (one->outcome.reason != WRING_AT_TARGET || error <= s->limits.target) continue;
    one->outcome.reason = WRING_SHORT_OF_TARGET;
    PetscCall(wring_note(s->p->comm,
                         "'%s' ended at a relative error of %.2g, above compare_target: %s has found a lower g*",
                         c->history[i].name, error, c->source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Contacts of a solve are fixed after some updates, at other iterates for every solver. Where x_0 is a minimiser but for
  rounding, relative errors are rounding.
*/
static PetscErrorCode note_doubts(const wring_compare *s)
{
  const MPI_Comm comm  = s->p->comm;
  const double   range = s->c.start.objective - s->c.least.objective;
  wring_rounding rounding;

  PetscFunctionBegin;
  if (s->c.renews)
    PetscCall(
      wring_note(comm, "g is that of the contacts at each iterate, while solvers minimise g with contacts "
                       "that are fixed after ten iterations: it may rise, and g* is the least at the end of a solve"));
  PetscCall(wring_potential_rounding(s->p->g, s->x, &rounding));
  const double noise = wring_rounding_at(&rounding, &s->c.least);
  if (!(range > noise))
    PetscCall(wring_note(
      comm,
      "g at the start is %.2g J above g*, which rounding of g may hide (%.2g J): relative errors are not reliable",
      range, noise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Condition numbers of H_0 H for every method with an H_0 of its own, at x_0 and at the minimiser. */
static PetscErrorCode find_conditions(wring_compare *s)
{
  wring_solver *solver;

  PetscFunctionBegin;
  if (!s->lowest || s->c.stop) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < s->c.n; i++) {
    wring_convergence *const h = &s->c.history[i];
    if (wring_failed(&h->refusal)) continue;
    PetscCall(wring_compare_create_solver(s, h->name, NULL, &solver));
    h->has_spectrum = wring_solver_has_condition(solver);
    if (h->has_spectrum) {
      wring_spectrum *const a = &h->at_start, *const b = &h->at_least;
      PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
      PetscCall(wring_solver_condition(solver, s->start, LANCZOS_MAX_IT, &a->least, &a->largest));
      PetscCall(wring_solver_condition(solver, s->lowest, LANCZOS_MAX_IT, &b->least, &b->largest));
    }
    PetscCall(wring_solver_destroy(&solver));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Keys of every solver that the comparison sets. */
static void add_limits(const wring_compare *s, json_t *options)
{
  wring_json_set(options, "solver_max_it", JSON(s->limits.iterations), "solver_rtol", JSON(s->limits.rtol),
                 "solver_atol", JSON(0.0), "solver_measure", JSON(s->measure), NULL);
}

/* The keys in force of one solver: those of its method, by its own name or by that of its variant. */
static PetscErrorCode find_options(const wring_compare *s, json_t *in_force, wring_convergence *h)
{
  const char *type, *key;
  json_t     *value;
  char        prefix[sizeof h->name + 16];

  PetscFunctionBegin;
  PetscCall(wring_solver_find_keys(s->p->options, h->name, &type, sizeof prefix, prefix));
  const wring_option *const table = wring_solver_keys(type);
  h->options                      = json_object();
  json_object_foreach(in_force, key, value)
  {
    if (wring_ascii_compare_n(key, prefix, strlen(prefix)) != 0) continue;
    const char *const own = key + strlen(prefix);
    if (wring_ascii_compare(own, "type") == 0 || wring_option_find(table, own)) json_object_set(h->options, key, value);
  }
  add_limits(s, h->options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* end NULL: some solvers have not ended, and nothing is drawn. */
static PetscErrorCode write_files(wring_compare *s, wring_ending *end)
{
  wring_comparison *const c     = &s->c;
  wring_error             error = {0};
  json_t                 *provenance;

  PetscFunctionBegin;
  c->running = (PetscBool)!end;
  PetscCall(wring_comparison_summarise(c));
  PetscCall(wring_provenance(s->p, s->made, s->n_solver, s->solver, &provenance));
  if (s->p->rank == 0) {
    json_t *const options = json_object_get(provenance, "options");
    for (PetscInt i = 0; i < c->n; i++)
      if (!c->history[i].options) PetscCall(find_options(s, options, &c->history[i]));
    add_limits(s, options);
    wring_comparison_write(c, s->output.directory, provenance, &error);
    if (end) wring_comparison_plot(c, s->output.directory, end, &error);
  }
  if (end) wring_core_watch_end(&s->watch, provenance);
  json_decref(provenance);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/* Solves once more. The first solve is shown; of later ones those that end. */
static PetscErrorCode solve(wring_compare *s, wring_convergence *h)
{
  const PetscInt     k   = h->n_solve;
  wring_solve *const one = &h->solve[k];

  PetscFunctionBegin;
  PetscCall(wring_compare_solve(s, h->name, &s->limits, s->c.warm_up, one));
  if (one->outcome.reason == WRING_INTERRUPTED) s->c.stop = s->stopper->cause;
  if (k == 0)
    print_outcome(s, h->name, &one->outcome);
  else if (!s->c.stop)
    wring_print(s->p->comm, "%-16s again, %" PetscInt_FMT " of %" PetscInt_FMT ": %.3g s\n", h->name, k + 1,
                s->c.repeats, one->outcome.last.seconds);
  if (k == 0 || !s->c.stop) h->n_solve++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether rank 0 has solved often enough; a repeat of a solve that has used its budget would say no more than it. */
static PetscErrorCode is_measured(const wring_compare *s, const wring_convergence *h, PetscBool *measured)
{
  double seconds = 0;
  int    enough;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < h->n_solve; k++) seconds += h->solve[k].outcome.last.seconds;
  enough = seconds >= s->c.repeat_seconds || (h->n_solve > 0 && h->solve[0].outcome.reason == WRING_OUT_OF_BUDGET);
  PetscCallMPI(MPI_Bcast(&enough, 1, MPI_INT, 0, s->p->comm));
  *measured = (PetscBool)enough;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has ended, while others run: errors are relative to the least g so far. */
static PetscErrorCode write_part(wring_compare *s)
{
  const wring_value least = s->c.least;

  PetscFunctionBegin;
  find_least(&s->c);
  PetscCall(write_files(s, NULL));
  s->c.least = least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every solver, c.repeats times, each time from the next one on. Files are written after each first solve, and after
  each turn of repeats, since they take longer than many a solve. A stop between two solves, or inside of one, ends the
  comparison; in a later turn it leaves the results of the turns before.
*/
static PetscErrorCode solve_all(wring_compare *s)
{
  wring_comparison *const c        = &s->c;
  PetscBool               measured = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt turn = 0; turn < c->repeats && !c->stop; turn++) {
    for (PetscInt k = 0; k < c->n_all && !c->stop; k++) {
      const PetscInt           i = (k + turn) % c->n_all;
      wring_convergence *const h = &c->history[i];
      if (wring_failed(&h->refusal)) continue;
      PetscCall(is_measured(s, h, &measured));
      if (measured) continue;
      if (c->n > 0) c->stop = s->stopper->cause;
      if (c->stop) break;
      c->n = PetscMax(c->n, i + 1);
      PetscCall(solve(s, h));
      PetscCall(wring_stopper_check(s->stopper)); // a stop while files are written interrupts the next solve
      if (turn == 0) PetscCall(write_part(s));
    }
    if (turn > 0 && !c->stop) PetscCall(write_part(s));
    if (!c->stop) c->n = c->n_all;
  }
  for (PetscInt i = 0; i < c->n; i++) {
    const wring_convergence *const h = &c->history[i];
    if (h->n_solve > 0 && h->differs >= 0)
      PetscCall(wring_note(s->p->comm,
                           "'%s': the repeats are not equal from iteration %" PetscInt_FMT
                           " on: seconds are medians over different iterates",
                           h->name, h->differs));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

static PetscErrorCode finish(wring_compare *s, wring_ending *end)
{
  wring_error error = {""};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c.n; i++)
    if (wring_reason_failed(s->c.history[i].solve[0].outcome.reason) && !end->status) end->status = WRING_EXIT_FAILED;
  if (s->c.stop) end->status = WRING_EXIT_STOPPED;
  if (s->in_grid) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->c.stop && s->p->rank == 0) wring_sittings_remove(s->output.directory, &error);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  if (s->p->rank == 0) wring_comparison_print(&s->c);
  if (s->c.stop)
    PetscCall(
      wring_note(s->p->comm, "%s: the same command makes the solves that are missing", wring_stop_text(s->c.stop)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_run(wring_compare *s, wring_stopper *stopper, PetscBool header, wring_ending *end)
{
  const PetscBool first       = (PetscBool)(s->limits.target > 0); // a target needs g*
  char            names[1024] = "";
  int             lock;

  PetscFunctionBegin;
  s->stopper         = stopper;
  s->p->phases.since = MPI_Wtime(); // what other comparisons took since create is no time of this one
  PetscCall(wring_directory_make(s->p->comm, s->output.directory, &lock)); // from here on files are written
  PetscCall(wring_provenance_begin(s->p->options, "compare", s->p->restart, &s->made));
  PetscCall(wring_sittings_begin(s));
  for (PetscInt i = 0; i < s->c.n_all; i++)
    if (!wring_failed(&s->c.history[i].refusal)) wring_text_list(names, sizeof names, s->c.history[i].name);
  if (header) PetscCall(wring_header_print(s->p, names));
  PetscCall(wring_core_watch_start(s->p->comm, &s->watch));
  if (first) PetscCall(find_reference(s));
  PetscCall(solve_all(s));
  if (!first) PetscCall(find_reference(s));
  find_least(&s->c);
  PetscCall(decide_targets(s));
  PetscCall(note_doubts(s));
  PetscCall(find_conditions(s));
  PetscCall(write_files(s, end));
  PetscCall(finish(s, end));
  wring_directory_release(s->output.directory, &lock);
  PetscFunctionReturn(PETSC_SUCCESS);
}
