/*
  Private to the library: a preconditioner for matrices with three rows per vertex, additive Schwarz on two levels after
  Wu, Wang and Wang [2022]. docs/theory.md (5.50)
*/
#pragma once
#include <petscksp.h>
#include <wring/base.h>

/*
  Makes pc this preconditioner, on the parts of each rank's vertices that PETSc's partitioner makes of the first matrix
  of pc, MATAIJ with blocks of 3. Its set-up factors the parts, and follows new values. Collective.
*/
PetscErrorCode wring_schwarz_pc_set(PC pc);

/* The positions [n][3] at which the next set-up is, borrowed until then. */
PetscErrorCode wring_schwarz_pc_place(PC pc, Vec x);

/* Estimates the bytes of this rank for H [3 n rows]. Not collective. */
PetscErrorCode wring_schwarz_pc_predict(Mat H, double *bytes);
