/*
  Private to the library: who sends to this rank, found by nonblocking consensus [Hoefler, Siebert, Lumsdaine 2010,
  Scalable communication protocols for dynamic sparse data exchange]: messages to neighbours and one barrier. PETSc's
  default below 1024 ranks is a sum over an array with an entry for every rank. Its choice is one variable of the
  process, which is changed during these calls only.
*/
#pragma once
#include <wring/base.h>
#include <petscsf.h>

/*
  Sends number[p] to rank to[p], p < n_to, which differ. Returns the ranks that send here, in any order, and what they
  send, freed by the caller with PetscFree. Collective.
*/
PetscErrorCode wring_tell_neighbours(MPI_Comm comm, PetscMPIInt n_to, const PetscMPIInt *to, const PetscInt64 *number,
                                     PetscMPIInt *n_from, PetscMPIInt **from, PetscInt64 **got);

/* PetscSFSetUp. Collective. */
PetscErrorCode wring_sf_set_up(PetscSF sf);

/*
  A star forest from n leaves to roots with the global numbers root [n]. This rank has n_root of the n_global roots; one
  of these two may be PETSC_DECIDE. leaf [n]: the places of the leaves, then owned by the forest; NULL: 0 to n - 1.
  Collective.
*/
PetscErrorCode wring_sf_create(MPI_Comm comm, PetscInt n_root, PetscInt n_global, PetscInt n, PetscInt *leaf,
                               const PetscInt *root, PetscSF *sf);
