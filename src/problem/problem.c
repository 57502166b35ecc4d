#include "problem.h"

static PetscInt64 count_set_ups(const wring_problem *p)
{
  wring_operator_info info;
  wring_operator_get_info(p->op, &info);
  return info.set_ups;
}

PetscErrorCode wring_problem_prepare_operator(wring_problem *p, double factor, PetscBool changed)
{
  PetscFunctionBegin;
  if (changed) p->factor = 0;
  if (factor == 0 || factor == p->factor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_operator_matrix(p->g, factor, &p->A));
  PetscCall(wring_operator_set_matrix(p->op, p->A));
  p->set_ups = count_set_ups(p);
  p->factor  = factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_renew_operator(wring_problem *p, double factor)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_prepare_operator(p, factor, (PetscBool)(count_set_ups(p) != p->set_ups)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_potential(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_create(p->mesh, p->mass, &p->phases, &p->g));
  PetscCall(wring_problem_add_materials(p));
  PetscCall(wring_problem_add_on_top(p));
  PetscCall(wring_problem_add_surfaces(p));
  PetscCall(wring_problem_add_springs(p));
  PetscCall(wring_problem_add_attachments(p));
  PetscCall(wring_problem_add_colliders(p));
  PetscCall(wring_problem_add_self_contact(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_create(MPI_Comm comm, const wring_options *o, wring_problem **out)
{
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  wring_phases_start(&p->phases);
  wring_phases_switch(&p->phases, WRING_PHASE_MESH);
  p->comm    = comm;
  p->options = o;
  PetscCallMPI(MPI_Comm_rank(comm, &p->rank));
  PetscCallMPI(MPI_Comm_size(comm, &p->size));
  PetscCall(wring_catalogue_create(&p->catalogue));
  PetscCall(wring_variants_check(o, p->catalogue));
  PetscCall(wring_options_check(o, p->catalogue->n, p->catalogue->entry));
  PetscCall(wring_parameter_sweep_check(o, p->catalogue));
  PetscCall(wring_problem_read_mesh(p));
  PetscCall(wring_problem_read_names(p));
  PetscCall(wring_problem_read_springs(p));
  PetscCall(wring_problem_read_surfaces(p));
  PetscCall(wring_problem_read_pressed(p));
  PetscCall(wring_problem_set_masses(p));
  PetscCall(build_potential(p));
  PetscCall(wring_operator_create(comm, o, &p->phases, &p->op));
  PetscCall(wring_stepper_create(p->g, o, &p->stepper));
  PetscCall(wring_problem_add_loads(p));
  PetscCall(wring_problem_set_state(p));
  PetscCall(wring_problem_check_colliders(p));
  wring_phases_switch(&p->phases, WRING_PHASE_OTHER);
  *out = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy(wring_problem **out)
{
  wring_problem *const p = *out;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&p->state.q));
  PetscCall(VecDestroy(&p->state.v));
  PetscCall(wring_stepper_destroy(&p->stepper));
  PetscCall(wring_loads_destroy(&p->loads));
  PetscCall(wring_problem_destroy_pressed(p));
  PetscCall(wring_operator_destroy(&p->op));
  PetscCall(MatDestroy(&p->A));
  PetscCall(wring_potential_destroy(&p->g));
  PetscCall(PetscFree(p->mass));
  for (PetscInt i = 0; i < p->n_springs; i++) {
    PetscCall(PetscFree(p->springs[i].row));
    PetscCall(PetscFree(p->line[i].vertex));
    PetscCall(PetscFree(p->line[i].length));
  }
  PetscCall(PetscFree(p->line));
  PetscCall(PetscFree(p->springs));
  for (PetscInt i = 0; i < p->n_surface; i++) {
    PetscCall(PetscFree(p->surface[i].vertex));
    PetscCall(PetscFree(p->surface[i].hinge));
    PetscCall(PetscFree(p->surface[i].area));
  }
  PetscCall(PetscFree(p->surface));
  PetscCall(wring_words_destroy(p->n_attach, &p->attach_name));
  PetscCall(wring_words_destroy(p->n_collider, &p->collider_name));
  PetscCall(wring_words_destroy(p->n_springs, &p->spring_name));
  PetscCall(wring_mesh_destroy(&p->mesh));
  PetscCall(wring_catalogue_destroy(&p->catalogue));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
