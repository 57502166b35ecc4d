/* Statics: g without inertia, with dead loads and a regularisation. docs/theory.md (2.9) */
#include "potential_impl.h"

PetscErrorCode wring_potential_set_regularisation(wring_potential *g, const double *k, const double *ridge)
{
  const wring_mesh *m = g->mesh;

  PetscFunctionBegin;
  PetscCheck(g->is_static, g->comm, PETSC_ERR_ARG_WRONGSTATE, "Only statics has a regularisation");
  for (PetscInt i = 0; i < m->n_owned; i++) g->mass[i] = k ? k[i] : 0;
  PetscCall(PetscSFBcastBegin(m->halo, MPIU_REAL, g->mass, g->mass, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, MPIU_REAL, g->mass, g->mass, MPI_REPLACE));
  PetscCall(PetscFree(g->ridge));
  if (ridge) {
    PetscCall(PetscMalloc1(m->n_owned + 1, &g->ridge)); // NULL means none, also on a rank without vertices
    PetscCall(PetscArraycpy(g->ridge, ridge, m->n_owned));
  }
  g->revision++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_static(wring_potential *g)
{
  PetscFunctionBegin;
  g->is_static = PETSC_TRUE;
  PetscCall(wring_potential_set_regularisation(g, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_origin(wring_potential *g, Vec x)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa)); // attachments read owned vertices only
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_set_origin(g->term[i], xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_potential_is_static(const wring_potential *g)
{
  return g->is_static;
}

/* Displacements keep the sum free of the rounding of positions, which may be far from the origin. */
PetscErrorCode wring_potential_add_load(const wring_potential *g, double sign, const double *x, double *f, double *work)
{
  const double *load;

  PetscFunctionBegin;
  *work = 0;
  if (!g->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(g->load, &load));
  *work = wring_push(3 * g->mesh->n_owned, sign, load, x, g->mesh->X, f);
  PetscCall(VecRestoreArrayRead(g->load, &load));
  PetscFunctionReturn(PETSC_SUCCESS);
}
