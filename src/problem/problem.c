/* A problem: creates all parts in order of dependence. */
#include "problem_impl.h"

static PetscErrorCode create_handle(MPI_Comm comm, const wring_options *o, wring_problem **out)
{
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  PetscCall(PetscNew(&p->parts));
  wring_phases_start(&p->phases);
  wring_phases_switch(&p->phases, WRING_PHASE_MESH);
  p->comm    = comm;
  p->options = o;
  p->restart = p->parts->origin.restart;
  PetscCallMPI(MPI_Comm_rank(comm, &p->rank));
  PetscCallMPI(MPI_Comm_size(comm, &p->size));
  PetscCall(wring_catalogue_create(&p->parts->keys));
  *out = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh, with all ghosts that terms and loads need, and masses. */
static PetscErrorCode read_mesh(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_read_mesh(p));
  PetscCall(wring_problem_read_attachments(p));
  PetscCall(wring_problem_read_regions(p));
  PetscCall(wring_problem_read_springs(p));
  PetscCall(wring_problem_read_surfaces(p));
  PetscCall(wring_problem_read_loads(p));
  PetscCall(wring_problem_set_masses(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_potential(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_create(p->mesh, p->mass, &p->phases, &p->g));
  PetscCall(wring_problem_add_materials(p));
  PetscCall(wring_problem_add_on_top(p));
  PetscCall(wring_problem_add_surfaces(p));
  PetscCall(wring_problem_add_springs(p));
  PetscCall(wring_problem_add_attachments(p));
  PetscCall(wring_problem_add_contacts(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_create(MPI_Comm comm, const wring_options *o, wring_problem **out)
{
  const char *type;

  PetscFunctionBegin;
  PetscCall(wring_solver_default_type(o, &type));
  PetscCall(wring_problem_create_for(comm, o, 1, &type, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_create_for(MPI_Comm comm, const wring_options *o, PetscInt n, const char *const *solver,
                                        wring_problem **out)
{
  wring_problem *p;
  PetscBool      takes = PETSC_TRUE; // means of volumes

  PetscFunctionBegin;
  PetscCall(create_handle(comm, o, &p));
  for (PetscInt i = 0; i < n && takes; i++) {
    PetscCall(wring_solver_takes_mean(o, solver[i], &takes));
    if (!takes) p->parts->takes_no_mean = solver[i];
  }
  PetscCall(read_mesh(p));
  PetscCall(create_potential(p));
  PetscCall(wring_operator_create(comm, o, &p->phases, &p->op));
  PetscCall(wring_stepper_create(p->g, o, &p->stepper));
  PetscCall(wring_problem_add_loads(p));
  PetscCall(wring_problem_set_state(p));
  PetscCall(wring_problem_check_colliders(p));
  PetscCall(wring_problem_check_self_contact(p));
  if (p->chained) PetscCall(wring_stepper_chain_begin(p->stepper, &p->state));
  PetscCall(wring_problem_add_probes(p));
  p->parts->takes_no_mean = NULL;
  wring_phases_switch(&p->phases, WRING_PHASE_OTHER);
  *out = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy(wring_problem **out)
{
  wring_problem *const p = *out;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_problem_destroy_probes(p));
  PetscCall(VecDestroy(&p->parts->iterate));
  PetscCall(VecDestroy(&p->state.q));
  PetscCall(VecDestroy(&p->state.v));
  PetscCall(wring_stepper_destroy(&p->stepper));
  PetscCall(wring_loads_destroy(&p->loads));
  PetscCall(wring_operator_destroy(&p->op));
  PetscCall(wring_matrices_destroy(p->parts->system.A));
  PetscCall(wring_potential_destroy(&p->g));
  PetscCall(wring_words_destroy(p->parts->colliders.n, &p->parts->colliders.name));
  PetscCall(wring_words_destroy(p->parts->attachments.n, &p->parts->attachments.name));
  PetscCall(PetscFree(p->parts->attachments.key));
  PetscCall(PetscFree(p->parts->region));
  PetscCall(wring_bodies_destroy(&p->parts->bodies));
  PetscCall(PetscFree(p->mass));
  PetscCall(wring_problem_destroy_surfaces(p));
  PetscCall(wring_problem_destroy_springs(p));
  PetscCall(wring_mesh_destroy(&p->mesh));
  PetscCall(wring_catalogue_destroy(&p->parts->keys));
  PetscCall(PetscFree(p->parts));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
