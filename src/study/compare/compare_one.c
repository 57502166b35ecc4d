/* One comparison, from a deck to its files. */
#include "compare_one.h"
#include "compare_show.h"
#include "compare_solve.h"
#include "study/common/header.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"
#include <string.h>

/* The solvers, and that of the reference: its rows are part of the comparison, and its keys are in force. */
static PetscErrorCode list_solvers(const wring_compare *s, PetscInt *n, const char ***solver)
{
  PetscFunctionBegin;
  *n = s->c.n + s->newton;
  PetscCall(PetscMalloc1(s->c.n + 1, solver));
  for (PetscInt i = 0; i < s->c.n; i++) (*solver)[i] = s->c.history[i].name;
  (*solver)[s->c.n] = "newton";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_kept(wring_compare *s)
{
  const char **solver;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(list_solvers(s, &n, &solver));
  PetscCall(wring_kept_check(s->p, n, solver, &s->kept));
  PetscCall(PetscFree(solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_create(MPI_Comm comm, const wring_options *o, wring_compare **out)
{
  wring_compare *s;
  PetscBool      changed;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(wring_problem_create(comm, o, &s->p));
  PetscCall(wring_compare_read_keys(s));
  PetscCall(check_kept(s));
  PetscCall(wring_potential_create_vec(s->p->g, &s->start));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  PetscCall(wring_stepper_set_start(s->p->stepper, s->p->options, WRING_START_Y));
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->start, &changed));
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
  wring_kept_clear(&s->kept);
  json_decref(s->made);
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_header(const wring_compare *s)
{
  char names[1024] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c.n; i++) {
    const size_t end = strlen(names);
    if (wring_convergence_left_out(&s->c.history[i])) continue;
    snprintf(names + end, sizeof names - end, "%s%s", end ? ", " : "", s->c.history[i].name);
  }
  PetscCall(wring_header_print(s->p, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option table of a method, NULL if it has no keys. */
static const wring_option *find_table(const char *type)
{
  const wring_option *table;
  const char         *name;
  for (int i = 0; (name = wring_solver_type(i, &table)); i++) {
    if (wring_ascii_compare(name, type) == 0) return table;
  }
  return NULL;
}

/* Keys of every solver that the comparison sets. */
static void add_limits(const wring_compare *s, json_t *options)
{
  if (!options) return;
  json_object_set_new(options, "solver_max_it", json_integer(s->limits.iterations));
  json_object_set_new(options, "solver_rtol", wring_json_real(s->limits.rtol));
  json_object_set_new(options, "solver_atol", wring_json_real(0));
  json_object_set_new(options, "solver_measure", json_integer(s->measure));
}

/* The keys in force of one solver: those of its method, by its own name or by that of its variant. */
static PetscErrorCode find_options(const wring_compare *s, wring_convergence *h)
{
  const char *const   name = h->name;
  const char         *type = name, *key;
  json_t             *keys, *value;
  char                prefix[sizeof h->name + 16];
  const wring_option *table;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "variant_%s_", name));
  if (wring_options_has(s->p->options, prefix, "type"))
    PetscCall(wring_options_get_word(s->p->options, prefix, wring_solver_options, "type", &type));
  else
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "solver_%s_", name));
  table = find_table(type);
  PetscCall(wring_keys_in_force(s->p, "compare", 1, &name, &keys));
  h->options = json_object();
  json_object_foreach(keys, key, value)
  {
    if (wring_ascii_compare_n(key, prefix, strlen(prefix)) != 0) continue;
    const char *const own = key + strlen(prefix);
    if (wring_ascii_compare(own, "type") == 0 || (table && wring_option_find(table, own)))
      json_object_set(h->options, key, value);
  }
  add_limits(s, h->options);
  json_decref(keys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* compare.csv and compare.json, and with a finished comparison all files. */
static PetscErrorCode write_files(wring_compare *s, wring_ending *end)
{
  static const char *const      written[] = {"compare.csv", "compare_residuals.csv", "compare.json", NULL};
  const wring_comparison *const c         = &s->c;
  wring_error                   error     = {0};
  json_t                       *provenance;
  const char                  **solver;
  PetscInt                      n;

  PetscFunctionBegin;
  PetscCall(list_solvers(s, &n, &solver));
  PetscCall(wring_provenance(s->p, s->made, n, solver, &provenance));
  add_limits(s, json_object_get(provenance, "options"));
  PetscCall(PetscFree(solver));
  for (PetscInt i = 0; i < c->n && s->p->rank == 0; i++) {
    if (!c->history[i].options) PetscCall(find_options(s, &s->c.history[i]));
  }
  if (s->p->rank == 0) {
    wring_comparison_csv(c, s->directory, &error);
    wring_comparison_residuals(c, s->directory, &error);
    wring_comparison_json(c, s->directory, provenance, &error);
    wring_comparison_remove_others(s->directory, written, &error);
    if (end) wring_comparison_plot(c, s->directory, end, &error);
  }
  json_decref(provenance);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  What the first n solvers have found, while others run: errors are relative to the least g so far. The comparison is as
  before.
*/
static PetscErrorCode write_so_far(wring_compare *s, PetscInt n)
{
  wring_comparison *const c    = &s->c;
  const wring_comparison  real = *c;

  PetscFunctionBegin;
  c->n       = n;
  c->running = PETSC_TRUE;
  wring_compare_find_least(s);
  for (PetscInt i = 0; i < n; i++) PetscCall(wring_repeats_find_medians(&c->history[i]));
  PetscCall(wring_comparison_summarise(c));
  PetscCall(write_files(s, NULL));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscFree(c->history[i].error));
  *c = real;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From here on files are written: what would be lost comes after. */
static PetscErrorCode begin(wring_compare *s)
{
  PetscFunctionBegin;
  PetscCall(wring_directory_make(s->p->options, sizeof s->directory, s->directory));
  PetscCall(wring_provenance_begin(s->p->options, "compare", s->p->restart, &s->made));
  PetscCall(wring_kept_begin(s->p, s->directory, s->made, &s->kept));
  s->c.segments = json_incref(s->kept.sittings);
  s->ended      = write_so_far;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is kept is not needed any more. */
static PetscErrorCode forget(const wring_compare *s)
{
  wring_error error = {""};

  PetscFunctionBegin;
  if (s->c.stop || s->kept.stays) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->p->rank == 0) wring_kept_remove(s->directory, &error);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_run(wring_compare *s, wring_stopper *stopper, wring_compare_output output,
                                 wring_ending *end)
{
  const PetscBool first = (PetscBool)(s->limits.target > 0); // a target needs g*

  PetscFunctionBegin;
  s->stopper         = stopper;
  s->p->phases.since = MPI_Wtime(); // what other comparisons took since create is no time of this one
  PetscCall(begin(s));
  if (output != WRING_PRINT_RESULTS) PetscCall(print_header(s));
  PetscCall(wring_core_watch_start(s->p->comm, &s->watch));
  if (first) PetscCall(wring_compare_find_reference(s));
  PetscCall(wring_compare_solve(s));
  if (!first) PetscCall(wring_compare_find_reference(s));
  wring_compare_find_least(s);
  PetscCall(wring_compare_note_rounding(s));
  PetscCall(wring_compare_find_conditions(s));
  PetscCall(wring_comparison_summarise(&s->c));
  PetscCall(write_files(s, end));
  PetscCall(forget(s));
  if (output == WRING_PRINT_ALL) PetscCall(wring_comparison_print(s->p->comm, &s->c));
  if (s->c.failed && !end->status) end->status = WRING_EXIT_FAILED;
  if (s->c.stop) end->status = WRING_EXIT_STOPPED;
  if (s->c.stop && !s->kept.stays)
    PetscCall(
      wring_note(s->p->comm, "%s: the same command makes the solves that are missing", wring_stop_text(s->c.stop)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
