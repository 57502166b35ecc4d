/* One comparison, from a deck to its files. */
#include "compare_one.h"
#include "compare_show.h"
#include "compare_solve.h"
#include "study/common/header.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"
#include <string.h>

PetscErrorCode wring_compare_create(MPI_Comm comm, const wring_options *o, wring_compare **out)
{
  wring_compare *s;
  PetscBool      changed;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(wring_problem_create(comm, o, &s->p));
  PetscCall(wring_compare_read_keys(s));
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
  json_decref(keys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_files(wring_compare *s, const char *directory, wring_ending *end)
{
  const wring_comparison *const c     = &s->c;
  wring_error                   error = {0};
  json_t                       *made, *provenance;
  const char                  **solver;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->n + 1, &solver));
  for (PetscInt i = 0; i < c->n; i++) solver[i] = c->history[i].name;
  solver[c->n] = "newton"; // of the reference
  PetscCall(wring_provenance_begin(s->p->options, "compare", s->p->restart, &made));
  PetscCall(wring_provenance(s->p, made, c->n + s->newton, solver, &provenance));
  json_decref(made);
  PetscCall(PetscFree(solver));
  for (PetscInt i = 0; i < c->n && s->p->rank == 0; i++) PetscCall(find_options(s, &s->c.history[i]));
  if (s->p->rank == 0) {
    wring_comparison_remove(directory, &error);
    wring_comparison_csv(c, directory, &error);
    wring_comparison_residuals(c, directory, &error);
    wring_comparison_json(c, directory, provenance, &error);
    wring_comparison_plot(c, directory, end, &error);
  }
  json_decref(provenance);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_run(wring_compare *s, wring_stopper *stopper, wring_compare_output output,
                                 wring_ending *end)
{
  const PetscBool first = (PetscBool)(s->limits.target > 0); // a target needs g*
  char            directory[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  s->stopper         = stopper;
  s->p->phases.since = MPI_Wtime(); // what other comparisons took since create is no time of this one
  PetscCall(wring_directory_make(s->p->options, sizeof directory, directory)); // before the work that would be lost
  if (output != WRING_PRINT_RESULTS) PetscCall(print_header(s));
  PetscCall(wring_core_watch_start(s->p->comm, &s->watch));
  if (first) PetscCall(wring_compare_find_reference(s));
  PetscCall(wring_compare_solve(s));
  if (!first) PetscCall(wring_compare_find_reference(s));
  wring_compare_find_least(s);
  PetscCall(wring_compare_note_rounding(s));
  PetscCall(wring_compare_find_conditions(s));
  PetscCall(wring_comparison_summarise(&s->c));
  PetscCall(write_files(s, directory, end));
  if (output == WRING_PRINT_ALL) PetscCall(wring_comparison_print(s->p->comm, &s->c));
  if (s->c.failed && !end->status) end->status = WRING_EXIT_FAILED;
  if (s->c.stop) end->status = WRING_EXIT_STOPPED;
  PetscFunctionReturn(PETSC_SUCCESS);
}
