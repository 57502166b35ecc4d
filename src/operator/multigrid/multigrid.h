/*
  Private to src/operator: the type multigrid, conjugate gradients preconditioned by a V-cycle in single precision.
  docs/theory.md (4.5)-(4.19). The files here use no terms, potentials or solvers, only a matrix.

  Reading order, each file including only those above it:
    vec.h            vertices [n][3] in float and double: strips of threads, loads of four numbers
    csr.h            rows of a matrix in float, with 32-bit columns
    interpolation.h  P between two levels and its transpose: apply them
    level.h          the matrix of a level, its smoother and its vectors
    galerkin         P^T A P
    assemble.h       a PETSc matrix from rows that threads compute
    aggregates.h     aggregates of rows, and P by smoothed aggregation
    coarser.h        the next coarser level, on few ranks where it is small
    coarsest.h       the inverse of the coarsest matrix
    cycle.h          the V-cycle
    block/block.h    a V-cycle of Hessians in blocks, on the aggregates of a scalar one; cycle_pc.h: both as a
                     preconditioner of PETSc
    cg/cg.h          the solve; cg_state.h is private to its files: cg_kernels.c (passes over vectors and matrix),
                     cg_solve.c (coefficients, dot products with the solution, the iteration)
    multigrid.c      the table of functions; the decision when a hierarchy is rebuilt
*/
#pragma once
#include "cg/cg.h"

/* The data of an operator of type multigrid. */
typedef struct {
  wring_cycle *cycle;     // NULL before the first set_up
  wring_cg    *cg;        // NULL before the first solve that is not rough
  float       *reference; // [n] the scaling D^(-1/2) for which the interpolation was made
  PetscInt     built;     // number of hierarchies built with a new interpolation
} wring_multigrid;
