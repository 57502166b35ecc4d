#include <wring/base.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wring_error_set(wring_error *e, const char *format, ...)
{
  va_list args;
  if (e->text[0]) return;
  va_start(args, format);
  vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
}

static PetscErrorCode raise_as(MPI_Comm comm, PetscErrorCode code, const wring_error *e)
{
  PetscMPIInt rank, size, first;
  wring_error all = *e;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const PetscMPIInt mine = e->text[0] ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(all.text, sizeof all.text, MPI_CHAR, first, comm));
  SETERRQ(comm, code, "%s", all.text);
}

PetscErrorCode wring_error_raise(MPI_Comm comm, const wring_error *e)
{
  PetscFunctionBegin;
  PetscCall(raise_as(comm, PETSC_ERR_USER_INPUT, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_error_raise_output(MPI_Comm comm, const wring_error *e)
{
  PetscFunctionBegin;
  PetscCall(raise_as(comm, WRING_ERR_OUTPUT, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_note(MPI_Comm comm, const char *format, ...)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    va_list args;
    fputs("note: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
