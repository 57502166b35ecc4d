#include "deal.h"
#include <string.h>

enum { DEAL_TAG = 71, COLLECT_TAG = 72 };

static PetscErrorCode row_type(size_t width, MPI_Datatype *type)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous((int)width, MPI_BYTE, type));
  PetscCallMPI(MPI_Type_commit(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void pick_rows(PetscInt n, const PetscInt *order, const char *table, size_t width, char *picked)
{
  if (!order) {
    if (n > 0) memcpy(picked, table, (size_t)n * width);
    return;
  }
  for (PetscInt i = 0; i < n; i++) memcpy(picked + (size_t)i * width, table + (size_t)order[i] * width, width);
}

static PetscErrorCode send_rows(MPI_Comm comm, const PetscInt *start, const PetscInt *order, const char *table,
                                size_t width, MPI_Datatype type)
{
  PetscMPIInt size, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (PetscMPIInt p = 1; p < size; p++) {
    const PetscInt n      = start[p + 1] - start[p];
    const char    *rows   = order ? NULL : table + (size_t)start[p] * width;
    char          *packed = NULL;
    PetscCall(PetscMPIIntCast(n, &count));
    if (order) {
      PetscCall(PetscMalloc1((size_t)n * width, &packed));
      pick_rows(n, order + start[p], table, width, packed);
      rows = packed;
    }
    PetscCallMPI(MPI_Send(rows, count, type, p, DEAL_TAG, comm));
    PetscCall(PetscFree(packed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_deal_rows(MPI_Comm comm, const PetscInt *start, const PetscInt *order, const void *table,
                               size_t width, PetscInt n_mine, void *mine)
{
  PetscMPIInt  rank, count;
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(row_type(width, &type));
  PetscCall(PetscMPIIntCast(n_mine, &count));
  if (rank == 0) {
    PetscCall(send_rows(comm, start, order, table, width, type));
    pick_rows(n_mine, order, table, width, mine);
  } else {
    PetscCallMPI(MPI_Recv(mine, count, type, 0, DEAL_TAG, comm, MPI_STATUS_IGNORE));
  }
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode receive_rows(MPI_Comm comm, const PetscInt *count, char *table, size_t width, MPI_Datatype type)
{
  PetscMPIInt size, n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (PetscMPIInt p = 1; p < size; p++) {
    table += (size_t)count[p - 1] * width;
    PetscCall(PetscMPIIntCast(count[p], &n));
    PetscCallMPI(MPI_Recv(table, n, type, p, COLLECT_TAG, comm, MPI_STATUS_IGNORE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_collect_rows(MPI_Comm comm, PetscInt n_mine, const void *mine, size_t width, PetscInt *n_all,
                                  void *table)
{
  PetscMPIInt  rank, size, n;
  PetscInt    *count, all = 0;
  char        *rows = NULL;
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(row_type(width, &type));
  PetscCall(PetscMPIIntCast(n_mine, &n));
  PetscCall(PetscMalloc1((size_t)size, &count));
  PetscCallMPI(MPI_Gather(&n_mine, 1, MPIU_INT, count, 1, MPIU_INT, 0, comm));
  if (rank == 0) {
    for (PetscMPIInt p = 0; p < size; p++) all += count[p];
    PetscCall(PetscMalloc1((size_t)all * width, &rows));
    pick_rows(n_mine, NULL, mine, width, rows);
    PetscCall(receive_rows(comm, count, rows, width, type));
  } else {
    PetscCallMPI(MPI_Send(mine, n, type, 0, COLLECT_TAG, comm));
  }
  *n_all          = all;
  *(char **)table = rows;
  PetscCall(PetscFree(count));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}
