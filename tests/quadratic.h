/* A body whose g is quadratic, for tests of methods that are known there. */
#pragma once
#include "body.h"

/* A hinge at every tet of a box: g is quadratic, and A = H. x is rough, y at rest. */
static inline PetscErrorCode test_body_create_quadratic(test_body *b)
{
  const PetscInt cells[3] = {5, 2, 2};
  PetscInt      *vertex;
  wring_term    *t;

  PetscFunctionBegin;
  *b = (test_body){.x = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &b->o));
  PetscCall(wring_options_set(b->o, "operator_type", "direct", "test"));
  b->mesh = test_box(PETSC_COMM_WORLD, cells);
  PetscCall(PetscMalloc1(4 * b->mesh->tets.n, &vertex));
  for (PetscInt i = 0; i < 4 * b->mesh->tets.n; i++) vertex[i] = b->mesh->tets.corner[i];
  b->g = test_masses(b->mesh, 1000);
  PetscCall(wring_term_create_hinges(b->mesh, "folds", &wring_law_bending_isometric, 1e4, b->mesh->tets.n, vertex, &t));
  PetscCall(wring_potential_add_term(b->g, t));
  PetscCall(wring_potential_set_step(b->g, 0.03));
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  test_displace(b->mesh, 0, 0, b->x);
  PetscCall(test_body_set_up(b));
  PetscCall(wring_potential_set_start(b->g, b->x));
  PetscCall(wring_potential_set_target(b->g, b->x));
  test_displace(b->mesh, 0.1, 4, b->x);
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}
