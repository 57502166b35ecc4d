/* Blocks with or without contacts, for the tests of self-contact. */
#pragma once
#include "blocks.h"
#include "model.h"
#include "potential/potential_impl.h"

typedef struct {
  wring_mesh      *mesh;
  wring_potential *g;
  wring_contact   *contact; // NULL: none
  Vec              x, d, grad, work;
} model;

/* n blocks of corotated material and their g, without contacts and vectors. */
static inline PetscErrorCode model_begin(MPI_Comm comm, int n, const wring_box *box, model *m)
{
  wring_options *o;
  double         law_par[8];

  PetscFunctionBegin;
  *m      = (model){0};
  m->mesh = test_blocks(comm, n, box);
  PetscCall(wring_options_create(comm, &o));
  PetscCall(wring_options_set(o, "material_young", "1e5", "test"));
  PetscCall(wring_options_set(o, "material_poisson", "0.3", "test"));
  PetscCall(wring_law_corotated.set_par(&wring_law_corotated, o, "material_", "material_", law_par));
  PetscCall(wring_options_destroy(&o));
  m->g = test_potential(m->mesh, &wring_law_corotated, law_par);
  PetscCall(wring_potential_set_step(m->g, 0.01));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the contact, unless it is NULL; x near rest, which is the target, and a direction d. */
static inline PetscErrorCode model_end(model *m)
{
  PetscFunctionBegin;
  if (m->contact) PetscCall(wring_potential_add_contact(m->g, m->contact));
  PetscCall(wring_potential_create_vec(m->g, &m->x));
  PetscCall(VecDuplicate(m->x, &m->d));
  PetscCall(VecDuplicate(m->x, &m->grad));
  PetscCall(VecDuplicate(m->x, &m->work));
  test_displace(m->mesh, 0.004, 1, m->x);
  test_direction(m->mesh, 2, m->d);
  PetscCall(wring_potential_set_target(m->g, m->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode model_destroy(model *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->x));
  PetscCall(VecDestroy(&m->d));
  PetscCall(VecDestroy(&m->grad));
  PetscCall(VecDestroy(&m->work));
  PetscCall(wring_potential_destroy(&m->g));
  PetscCall(wring_mesh_destroy(&m->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Energy and this rank's forces [n_local][3] of the contacts alone at x, with the contacts of the last update. */
static inline PetscErrorCode contact_alone(model *m, Vec x, double *energy, double *f)
{
  const double *xa;

  PetscFunctionBegin;
  *energy = 0;
  PetscCall(PetscArrayzero(f, 3 * m->mesh->n_local));
  PetscCall(wring_potential_get_local(m->g, x, &xa));
  PetscCall(wring_contact_add(m->contact, (wring_work)(WRING_VALUE | WRING_GRADIENT), xa, f, energy));
  PetscCall(wring_potential_restore_local(m->g, x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
