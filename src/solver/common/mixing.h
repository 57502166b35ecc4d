/*
  Private to src/solver and src/step: Anderson mixing [Peng et al. 2018] of the iterates v_k of a map G, F = G(v) - v:
    v_(k+1) = G(v_k) - sum_j theta_j dG_j,   theta = argmin |F_k - sum_j theta_j dF_j|^2,
  over the last m differences dF_j = F_(j+1) - F_j and dG_j. docs/theory.md (5.24).
*/
#pragma once
#include <wring/base.h>

typedef struct {
  MPI_Comm       comm;
  wring_phases  *phases; // borrowed, or NULL
  PetscInt       n;      // length of v on this rank
  PetscInt       window; // m, largest number of differences
  PetscInt       count;  // differences in use
  PetscInt       newest; // slot of the newest; older ones precede it cyclically
  double        *block;  // [2][m][n]: every dF, then every dG
  double        *gram;   // [m][m]: dF_i . dF_j
  double        *dots;   // [2 m]: dot products of one reduction
  double        *theta;  // [m], newest first
  double        *factor; // [m][m] Cholesky factor of the normal equations, newest first
  const double **with;   // [m]: vectors whose dot products one pass computes
  PetscBool      moved;  // last and p are those of the iteration before
  double        *F;      // [n]: of this iteration, which the caller sets
  double        *last;   // [n]: F of the last step
  double        *p;      // [n]: v_k - v_(k-1) before a step, v_(k+1) - v_k after it
} wring_mixing;

PetscErrorCode wring_mixing_create(MPI_Comm comm, wring_phases *phases, PetscInt window, PetscInt n, wring_mixing *m);
PetscErrorCode wring_mixing_destroy(wring_mixing *m);
void           wring_mixing_restart(wring_mixing *m); // forgets all differences

/* The next p from F and p; the first step is F, as are all with count 0. One reduction. */
PetscErrorCode wring_mixing_step(wring_mixing *m);
