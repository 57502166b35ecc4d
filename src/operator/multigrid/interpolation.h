/*
  The interpolation P from a coarser level to a finer one and its transpose, scaled like the levels: D^(1/2) P
  D_coarse^(-1/2). This is the only copy: a hierarchy with new matrix values takes P from here.
*/
#pragma once
#include "csr.h"

typedef struct {
  MPI_Datatype vertex;      // 3 floats; borrowed
  PetscInt     n, n_coarse; // vertices of this rank on the finer and on the coarser level
  PetscInt     n_ghost;     // vertices of the coarser level that other ranks own
  wring_csr    P;           // [n] rows, to [n_coarse + n_ghost]
  wring_csr    R;           // its transpose on this rank
  PetscInt    *global;      // [n_ghost] their numbers
  PetscSF      halo;        // roots [n_coarse], leaves [n_ghost]; NULL on one rank
  PetscInt    *slot;        // [n_coarse + 1] offsets in `share`, which receives the ghosts of other ranks
  float       *share;       // [slot[n_coarse]][3]
} wring_interpolation;

/*
  P, PETSc's, may be destroyed afterwards; fine [n], coarse [n_coarse]: D^(-1/2) of the levels. Collective.
*/
PetscErrorCode wring_interpolation_create(Mat P, MPI_Datatype vertex, const float *fine, const float *coarse,
                                          wring_interpolation *p);
PetscErrorCode wring_interpolation_destroy(wring_interpolation *p);
double         wring_interpolation_memory(const wring_interpolation *p); // bytes, this rank; 0 if empty

/* P as a PETSc matrix, without the scaling and with global columns; owned by the caller. Collective. */
PetscErrorCode wring_interpolation_restore(MPI_Comm comm, const wring_interpolation *p, const float *fine,
                                           const float *coarse, Mat *P);

/* coarse [n_coarse][3] = P^T r, r [n][3]; ghost [n_ghost][3] is work space. Collective. */
PetscErrorCode wring_interpolation_restrict(const wring_interpolation *p, const float *r, float *ghost, float *coarse);

/* x = omega b + P coarse, b and x [n][3], coarse [n_coarse + n_ghost][3]; fills the ghosts of coarse. Collective. */
PetscErrorCode wring_interpolation_prolong(const wring_interpolation *p, float *coarse, float omega, const float *b,
                                           float *x);
