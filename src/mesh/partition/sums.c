#include "sums.h"
#include "base/parallel/consensus.h"

enum { FEW = 64 }; // parts whose sums take less time over all ranks than by messages

/* The first part whose home is rank p: part q has the home floor(q size / n_part). */
static PetscInt first_of(const wring_sums *s, PetscInt64 p)
{
  const PetscMPIInt size = wring_comm_size(s->comm);
  return (PetscInt)((p * s->n_part + size - 1) / size);
}

PetscErrorCode wring_sums_create(MPI_Comm comm, PetscInt n_part, int width, wring_sums *s)
{
  const PetscMPIInt rank = wring_comm_rank(comm);
  const size_t      n = (size_t)n_part, w = (size_t)width;

  PetscFunctionBegin;
  *s        = (wring_sums){.comm = comm, .n_part = n_part, .width = width};
  s->n_home = n_part <= FEW ? n_part : first_of(s, rank + 1) - first_of(s, rank);
  PetscCall(
    PetscCalloc5(n, &s->part, n, &s->is_used, w * (size_t)s->n_home, &s->home, w * n, &s->change, w * n, &s->sum));
  s->type = MPI_DOUBLE; // of one number: PETSc adds no types of one
  if (width > 1) PetscCallMPI(MPI_Type_contiguous(width, MPI_DOUBLE, &s->type));
  if (width > 1) PetscCallMPI(MPI_Type_commit(&s->type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sums_destroy(wring_sums *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(s->part, s->is_used, s->home, s->change, s->sum));
  if (s->width > 1) PetscCallMPI(MPI_Type_free(&s->type));
  PetscCall(PetscSFDestroy(&s->sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_sums_use(wring_sums *s, PetscInt n, const PetscInt *part)
{
  for (PetscInt i = 0; i < n; i++) {
    if (s->is_used[part[i]]) continue;
    s->is_used[part[i]] = 1;
    s->part[s->n++]     = part[i];
  }
}

PetscErrorCode wring_sums_know(wring_sums *s)
{
  PetscSFNode *home;

  PetscFunctionBegin;
  s->n_known = s->n;
  if (s->n_part <= FEW) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFDestroy(&s->sf));
  PetscCall(PetscSFCreate(s->comm, &s->sf));
  PetscCall(PetscMalloc1((size_t)s->n, &home));
  for (PetscInt i = 0; i < s->n; i++) {
    home[i].rank  = (PetscInt)((PetscInt64)s->part[i] * wring_comm_size(s->comm) / s->n_part);
    home[i].index = s->part[i] - first_of(s, home[i].rank);
  }
  PetscCall(PetscSFSetGraph(s->sf, s->n_home, s->n, s->part, PETSC_COPY_VALUES, home, PETSC_OWN_POINTER));
  PetscCall(wring_sf_set_up(s->sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sums_add(wring_sums *s)
{
  const PetscInt all = s->width * s->n_part;

  PetscFunctionBegin;
  if (s->n_part <= FEW) {
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->change, (PetscMPIInt)all, MPI_DOUBLE, MPI_SUM, s->comm));
    for (PetscInt i = 0; i < all; i++) s->sum[i] = s->home[i] += s->change[i];
    PetscCall(PetscArrayzero(s->change, all));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSFReduceBegin(s->sf, s->type, s->change, s->home, MPI_SUM));
  PetscCall(PetscSFReduceEnd(s->sf, s->type, s->change, s->home, MPI_SUM));
  for (PetscInt i = 0; i < s->n; i++) PetscCall(PetscArrayzero(s->change + s->width * s->part[i], s->width));
  PetscCall(PetscSFBcastBegin(s->sf, s->type, s->home, s->sum, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(s->sf, s->type, s->home, s->sum, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
