#include "header.h"
#include "record/record.h"
#include "io/print.h"
#include <string.h>

static PetscErrorCode print_mesh(const wring_problem *p)
{
  const wring_mesh *const m = p->mesh;
  wring_mesh_info         info;
  PetscInt64              triangles, lines;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  PetscCall(wring_problem_count(p, &triangles, &lines));
  wring_print(p->comm, "mesh      %" PetscInt_FMT " vertices, %" PetscInt64_FMT " tets, ", m->number.n_global,
              m->tets.n_global);
  if (triangles) wring_print(p->comm, "%" PetscInt64_FMT " triangles, ", triangles);
  if (lines) wring_print(p->comm, "%" PetscInt64_FMT " lines, ", lines);
  wring_print(p->comm, "volume %.6g m^3, mass %.6g kg, balance %.2f, ghosts %.1f%%\n", info.volume, p->total_mass,
              info.balance_vertices, 100 * info.ghosts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of the operator is the one that `auto` chooses. */
static void print_solver(const wring_problem *p, const char *solver)
{
  const char *const type   = wring_operator_choice(p->op, p->mesh->number.n_global);
  const char       *factor = "";
  if (p->size > 1 && strcmp(type, "direct") == 0)
    factor =
      wring_operator_shares_factor(p->op, p->mesh->number.n_global) ? " (shared factor)" : " (distributed factor)";
  wring_print(p->comm, "solver    %s; operator %s%s\n", solver, type, factor);
}

static PetscErrorCode print_barrier(const wring_problem *p)
{
  wring_contact *const *contact;
  const int             n = wring_potential_contacts(p->g, &contact);
  wring_barrier_sizes   size;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    if (!wring_contact_is_bounded(contact[i])) continue;
    PetscCall(wring_barrier_measure(contact[i], &size));
    wring_print(p->comm, "contact   barrier, gap %.3g m, stiffness %.3g Pa, %.0f vertices%s\n", size.gap,
                size.stiffness, size.points, wring_potential_friction(p->g) ? ", with friction" : "");
  }
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
  wring_version_line(sizeof line, line);
  wring_print(p->comm, "%s\n", line);
  wring_print(p->comm, "ranks     %d x %d thread%s\n", (int)p->size, threads, threads == 1 ? "" : "s");
  PetscCall(print_mesh(p));
  wring_print(p->comm, "model    ");
  for (int i = 0; i < n; i++)
    wring_print(p->comm, "%s %s (%s)", i ? "," : "", wring_term_law(term[i])->name, wring_term_name(term[i]));
  wring_print(p->comm, "\n");
  PetscCall(print_barrier(p));
  if (solver) print_solver(p, solver);
  if (wring_stepper_is_static(p->stepper))
    wring_print(p->comm, "time      %s, %" PetscInt_FMT " load step%s, from step %" PetscInt_FMT " at %.6g\n", name,
                wring_stepper_steps(p->stepper), wring_stepper_steps(p->stepper) == 1 ? "" : "s", p->state.step,
                p->state.time);
  else
    wring_print(p->comm, "time      %s, h = %.6g s, from step %" PetscInt_FMT " at %.6g s\n", name,
                wring_stepper_size(p->stepper), p->state.step, p->state.time);
  if (p->restart[0]) wring_print(p->comm, "%-9s %s\n", p->chained ? "chain of" : "restart", p->restart);
  PetscFunctionReturn(PETSC_SUCCESS);
}
