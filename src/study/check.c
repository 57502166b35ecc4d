/* What a run of this deck would be, and about how much memory it needs: everything is read, nothing is run. */
#include "progress.h"
#include "provenance.h"
#include <wring/study.h>

/* Nonzeros of A, which has a column for each vertex that shares an element. */
static PetscErrorCode count_nonzeros(wring_problem *p, PetscInt64 *n)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_step(p->g, wring_stepper_size(p->stepper)));
  PetscCall(wring_potential_operator_matrix(p->g, 1, &p->A));
  PetscCall(MatGetInfo(p->A, MAT_GLOBAL_SUM, &info));
  *n = (PetscInt64)info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is used by now, and what the operator's solve will take, if there is one. */
static PetscErrorCode print_memory(wring_problem *p)
{
  const PetscInt n = p->mesh->n_global;
  const char    *type;
  wring_cost     cost;
  PetscInt64     nonzeros = 0;

  PetscFunctionBegin;
  PetscCall(wring_cost_measure(p, &cost));
  if (!wring_stepper_minimises(p->stepper)) {
    PetscCall(PetscPrintf(p->comm, "memory    %.3g MB used to read and set up\n", cost.peak_memory / 1e6));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_options_get_word(p->options, "operator_", wring_operator_options, "type", &type));
  type = wring_operator_choose(type, n);
  PetscCall(count_nonzeros(p, &nonzeros));
  PetscCall(wring_cost_measure(p, &cost));
  const double op = wring_operator_estimate(type, n, nonzeros);
  PetscCall(PetscPrintf(p->comm, "operator  %s, %" PetscInt64_FMT " nonzeros\n", type, nonzeros));
  PetscCall(PetscPrintf(p->comm,
                        "memory    %.3g MB used to read and set up, about %.3g MB more for the operator's solve\n",
                        cost.peak_memory / 1e6, op / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The names a deck may use. */
static PetscErrorCode print_names(MPI_Comm comm, const char *title, const wring_names *names)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "%-9s", title));
  for (PetscInt i = 0; i < names->n; i++) PetscCall(PetscPrintf(comm, " %s", names->name[i]));
  PetscCall(PetscPrintf(comm, names->n ? "\n" : " none\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The header, with the solver, which may refuse a law, if there is one. */
static PetscErrorCode print_methods(wring_problem *p)
{
  wring_solver *solver;

  PetscFunctionBegin;
  if (!wring_stepper_minimises(p->stepper)) {
    PetscCall(wring_header_print(p, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, &solver));
  PetscCall(wring_solver_set_from_options(solver, p->options, NULL));
  PetscCall(wring_solver_set_up(solver));
  PetscCall(wring_header_print(p, wring_solver_name(solver)));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_check(MPI_Comm comm, const wring_options *o, wring_exit *status)
{
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(wring_problem_create(comm, o, &p));
  PetscCall(print_methods(p));
  PetscCall(PetscPrintf(comm, "steps     %" PetscInt_FMT "\n", wring_stepper_steps(p->stepper)));
  PetscCall(print_names(comm, "regions", &p->mesh->regions));
  PetscCall(print_names(comm, "sets", &p->mesh->sets));
  PetscCall(print_memory(p));
  PetscCall(wring_problem_destroy(&p));
  *status = WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
