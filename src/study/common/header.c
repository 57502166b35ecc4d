#include "header.h"
#include "study/record/provenance.h"
#include <string.h>

static PetscErrorCode print_mesh(const wring_problem *p)
{
  const wring_mesh *const m = p->mesh;
  wring_mesh_info         info;
  PetscInt64              triangles, lines;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  PetscCall(wring_problem_count(p, &triangles, &lines));
  PetscCall(PetscPrintf(p->comm, "mesh      %" PetscInt_FMT " vertices, %" PetscInt64_FMT " tets, ", m->number.n_global,
                        m->tets.n_global));
  if (triangles) PetscCall(PetscPrintf(p->comm, "%" PetscInt64_FMT " triangles, ", triangles));
  if (lines) PetscCall(PetscPrintf(p->comm, "%" PetscInt64_FMT " lines, ", lines));
  PetscCall(PetscPrintf(p->comm, "volume %.6g m^3, mass %.6g kg, balance %.2f, ghosts %.1f%%\n", info.volume,
                        p->total_mass, info.balance_vertices, 100 * info.ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of the operator is the one that `auto` chooses. */
static PetscErrorCode print_solver(const wring_problem *p, const char *solver)
{
  const char *const type   = wring_operator_choice(p->op, p->mesh->number.n_global);
  const char       *factor = "";

  PetscFunctionBegin;
  if (p->size > 1 && strcmp(type, "direct") == 0)
    factor =
      wring_operator_shares_factor(p->op, p->mesh->number.n_global) ? " (shared factor)" : " (distributed factor)";
  PetscCall(PetscPrintf(p->comm, "solver    %s; operator %s%s\n", solver, type, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_header_print(wring_problem *p, const char *solver)
{
  const int          threads = wring_max_threads();
  const char *const  name    = wring_stepper_integrator(p->stepper);
  char               line[512];
  wring_term *const *term;
  const int          n = wring_potential_terms(p->g, &term);

  PetscFunctionBegin;
  PetscCall(wring_version_line(sizeof line, line));
  PetscCall(PetscPrintf(p->comm, "%s\n", line));
  PetscCall(PetscPrintf(p->comm, "ranks     %d x %d thread%s\n", (int)p->size, threads, threads == 1 ? "" : "s"));
  PetscCall(print_mesh(p));
  PetscCall(PetscPrintf(p->comm, "model    "));
  for (int i = 0; i < n; i++)
    PetscCall(
      PetscPrintf(p->comm, "%s %s (%s)", i ? "," : "", wring_term_law(term[i])->name, wring_term_name(term[i])));
  PetscCall(PetscPrintf(p->comm, "\n"));
  if (solver) PetscCall(print_solver(p, solver));
  if (wring_stepper_is_static(p->stepper))
    PetscCall(PetscPrintf(p->comm, "time      %s, %" PetscInt_FMT " load steps, from step %" PetscInt_FMT " at %.6g\n",
                          name, wring_stepper_steps(p->stepper), p->state.step, p->state.time));
  else
    PetscCall(PetscPrintf(p->comm, "time      %s, h = %.6g s, from step %" PetscInt_FMT " at %.6g s\n", name,
                          wring_stepper_size(p->stepper), p->state.step, p->state.time));
  if (p->restart[0]) PetscCall(PetscPrintf(p->comm, "restart   %s\n", p->restart));
  PetscFunctionReturn(PETSC_SUCCESS);
}
