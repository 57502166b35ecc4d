/*
  Private to the library: a preconditioner for matrices with three rows per vertex, one V-cycle with a matrix A of one
  row per vertex for the three components at once. docs/theory.md (4.7)
*/
#pragma once
#include <petscksp.h>
#include <wring/operator.h>

/*
  Makes pc this preconditioner, with coarse levels on as many ranks as in op; NULL: as by default. set_matrix follows.
*/
PetscErrorCode wring_cycle_pc_set(PC pc, const wring_operator *op);
/* Whether pc is this preconditioner: options of PETSc may have replaced it. */
PetscErrorCode wring_cycle_pc_is(PC pc, PetscBool *yes);
/*
  Builds the hierarchy of A, symmetric and positive definite, which is kept; H: NULL, or for which set_hessian follows,
  with wide aggregates, on more ranks, if H has the pattern of A. Collective.
*/
PetscErrorCode wring_cycle_pc_set_matrix(PC pc, Mat A, Mat H);

/*
  Makes the cycle that of H, whose blocks have the pattern of A, at the positions x [n][3], on the aggregates of A;
  again: with new numbers. *done: false, and nothing has changed, if H has another pattern. Collective.
*/
PetscErrorCode wring_cycle_pc_set_hessian(PC pc, Mat H, Vec x, PetscBool *done);

/* z = the cycle applied to r, [n][3] each, without PETSc's checks of the matrices of pc. */
PetscErrorCode wring_cycle_pc_apply(PC pc, Vec r, Vec z);
