/* The state a study starts from: rest, a checkpoint, tables; one velocity overrides all of them. */
#include "problem.h"

static PetscErrorCode set_rest(wring_problem *p)
{
  PetscScalar *q;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(p->state.q, &q));
  wring_copy(3 * p->mesh->n_owned, p->mesh->X, q);
  PetscCall(VecRestoreArrayWrite(p->state.q, &q));
  PetscCall(VecSet(p->state.v, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_restart(wring_problem *p)
{
  PetscScalar *q, *v;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(p->state.q, &q));
  PetscCall(VecGetArrayWrite(p->state.v, &v));
  const wring_checkpoint_field field[] = {{"position", 3, q}, {"velocity", 3, v}};
  PetscCall(wring_checkpoint_read_fields(p->restart, p->mesh, 2, field));
  PetscCall(VecRestoreArrayWrite(p->state.v, &v));
  PetscCall(VecRestoreArrayWrite(p->state.q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_vectors(const wring_problem *p, const char *key, Vec v)
{
  char file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!wring_options_has(p->options, "initial_", key)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_path(p->options, "initial_", wring_initial_options, key, sizeof file, file));
  PetscCall(wring_problem_read_vectors(p, file, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_velocity(wring_problem *p)
{
  double       velocity[3];
  PetscScalar *v;

  PetscFunctionBegin;
  if (!wring_options_has(p->options, "initial_", "velocity")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_reals(p->options, "initial_", wring_initial_options, "velocity", velocity));
  PetscCall(VecGetArrayWrite(p->state.v, &v));
  for (PetscInt i = 0; i < 3 * p->mesh->n_owned; i++) v[i] = velocity[i % 3];
  PetscCall(VecRestoreArrayWrite(p->state.v, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_set_state(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(p->g, &p->state.q));
  PetscCall(wring_potential_create_vec(p->g, &p->state.v));
  if (p->restart[0])
    PetscCall(read_restart(p));
  else
    PetscCall(set_rest(p));
  PetscCall(read_vectors(p, "positions", p->state.q));
  PetscCall(read_vectors(p, "velocities", p->state.v));
  PetscCall(set_velocity(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
