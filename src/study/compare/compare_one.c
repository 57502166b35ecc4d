/* One comparison, from a deck to its files. */
#include "compare_one.h"
#include "compare_show.h"
#include "compare_solve.h"
#include "study/common/gnuplot.h"
#include "study/common/header.h"
#include "study/common/output_directory.h"
#include "study/common/provenance.h"
#include <string.h>

/* The problem, its keys of compare_ and x_0: all that may be refused. */
static PetscErrorCode create(MPI_Comm comm, const wring_options *o, wring_compare *s)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(wring_problem_create(comm, o, &s->p));
  PetscCall(wring_compare_read_keys(s));
  PetscCall(wring_potential_create_vec(s->p->g, &s->start));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->start, &changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_compare *s)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&s->lowest));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->start));
  PetscCall(wring_problem_destroy(&s->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_header(const wring_compare *s)
{
  char names[1024] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c->n; i++) {
    const size_t end = strlen(names);
    snprintf(names + end, sizeof names - end, "%s%s", i ? ", " : "", s->c->history[i].name);
  }
  PetscCall(wring_header_print(s->p, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_by_all(wring_compare *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c->n; i++) PetscCall(wring_compare_solve(s, &s->c->history[i]));
  PetscCall(wring_compare_find_least(s));
  PetscCall(wring_compare_note_rounding(s));
  PetscCall(wring_compare_find_conditions(s));
  PetscCall(wring_comparison_summarise(s->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_files(const wring_compare *s, const char *directory, wring_telling tells)
{
  wring_error error = {0};
  json_t     *provenance;

  PetscFunctionBegin;
  PetscCall(wring_provenance(s->p, "compare", &provenance));
  if (s->p->rank == 0) {
    wring_comparison_remove(directory, &error);
    wring_comparison_csv(s->c, directory, &error);
    wring_comparison_residuals(s->c, directory, &error);
    wring_comparison_json(s->c, directory, provenance, &error);
    const PetscBool drawn = wring_comparison_plot(s->c, directory, &error);
    if (!drawn && tells == WRING_TELL_ALL) PetscCall(wring_plot_note());
  }
  json_decref(provenance);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_rehearse(MPI_Comm comm, const wring_options *o)
{
  wring_comparison c = {0};
  wring_compare    s = {.c = &c};

  PetscFunctionBegin;
  PetscCall(create(comm, o, &s));
  PetscCall(destroy(&s));
  PetscCall(wring_comparison_clear(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_make(MPI_Comm comm, const wring_options *o, wring_telling tells, wring_comparison *c)
{
  wring_compare s = {.c = c};
  char          directory[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *c = (wring_comparison){0};
  PetscCall(create(comm, o, &s));
  PetscCall(wring_directory_make(o, sizeof directory, directory)); // before the work that would be lost without it
  if (tells != WRING_TELL_RESULTS) PetscCall(print_header(&s));
  PetscCall(solve_by_all(&s));
  PetscCall(write_files(&s, directory, tells));
  if (tells == WRING_TELL_ALL) PetscCall(wring_comparison_print(comm, c));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
