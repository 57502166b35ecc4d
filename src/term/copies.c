/* Rows of vertices from one rank to the others that have them, for sweeps and descents. */
#include "base/parallel/consensus.h"
#include "term_impl.h"

PetscErrorCode wring_copy_create(MPI_Comm comm, PetscInt n_root, PetscInt n, const PetscSFNode *from, PetscSF *copy)
{
  PetscInt    *leaf, n_leaf = 0, most;
  PetscSFNode *root;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) n_leaf += from[i].rank >= 0;
  PetscCallMPI(MPI_Allreduce(&n_leaf, &most, 1, MPIU_INT, MPI_MAX, comm));
  if (most == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n_leaf, &leaf));
  PetscCall(PetscMalloc1(n_leaf, &root));
  for (PetscInt i = 0, k = 0; i < n; i++) {
    if (from[i].rank < 0) continue;
    leaf[k]   = i;
    root[k++] = from[i];
  }
  PetscCall(PetscSFCreate(comm, copy));
  PetscCall(PetscSFSetGraph(*copy, n_root, n_leaf, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(wring_sf_set_up(*copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_copy_rows(PetscSF copy, wring_phases *phases, MPI_Datatype row, double *a)
{
  const wring_phase old = wring_phases_switch(phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  wring_count(phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(PetscSFBcastBegin(copy, row, a, a, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(copy, row, a, a, MPI_REPLACE));
  wring_phases_switch(phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_to_rows(PetscInt n, const double *restrict x, double *restrict row)
{
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) row[4 * i + c] = x[3 * i + c];
  }
}

void wring_from_rows(PetscInt n, const double *restrict row, double *restrict x)
{
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) x[3 * i + c] = row[4 * i + c];
  }
}
