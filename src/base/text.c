#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wring/base.h>

static PetscErrorCode slurp(const char *file, const char *what, int mebibytes, char **text, PetscInt64 *size,
                            wring_error *e)
{
  const size_t most = (size_t)mebibytes << 20;
  FILE        *f    = fopen(file, "rb");

  PetscFunctionBegin;
  *size = 0;
  *text = NULL;
  if (!f) {
    wring_error_set(e, "%s: cannot be read: %s", file, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(most + 1, text));
  *size = (PetscInt64)fread(*text, 1, most + 1, f);
  if (ferror(f)) wring_error_set(e, "%s: cannot be read: %s", file, strerror(errno));
  if (*size > (PetscInt64)most) wring_error_set(e, "%s: larger than %d MiB, which is no %s", file, mebibytes, what);
  fclose(f);
  if (e->text[0])
    PetscCall(PetscFree(*text));
  else
    (*text)[*size] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_text_read(MPI_Comm comm, const char *file, const char *what, int mebibytes, char **text,
                               PetscInt64 *size)
{
  PetscMPIInt rank;
  wring_error e = {0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *text = NULL;
  *size = 0;
  if (rank == 0) PetscCall(slurp(file, what, mebibytes, text, size, &e));
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(size, 1, MPIU_INT64, 0, comm));
  if (rank != 0) PetscCall(PetscMalloc1(*size + 1, text));
  PetscCallMPI(MPI_Bcast(*text, (PetscMPIInt)(*size + 1), MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
