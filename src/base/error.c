#include <wring/base.h>
#include <stdarg.h>
#include <stdio.h>

void wring_error_set(wring_error *e, const char *format, ...)
{
  va_list args;
  if (wring_failed(e)) return;
  va_start(args, format);
  vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
}

PetscErrorCode wring_error_share(MPI_Comm comm, wring_error *e)
{
  PetscMPIInt first;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  const PetscMPIInt mine = wring_failed(e) ? wring_comm_rank(comm) : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first < size) PetscCallMPI(MPI_Bcast(e->text, sizeof e->text, MPI_CHAR, first, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode raise_as(MPI_Comm comm, PetscErrorCode code, const wring_error *e)
{
  wring_error all = *e;

  PetscFunctionBegin;
  PetscCall(wring_error_share(comm, &all));
  PetscCheck(!wring_failed(&all), comm, code, "%s", all.text);
  PetscFunctionReturn(PETSC_SUCCESS);
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

PetscErrorCode wring_error_catch(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                 PetscErrorType type, const char *message, void *error)
{
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL && message) wring_error_set(error, "%s", message);
  return code;
}

/* Errors of MPI are ignored here, where an error is already being handled. */
static PetscErrorCode handle(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                             PetscErrorType type, const char *message, void *context)
{
  wring_error_handler *const h = context;
  int                        rank;
  if (type == PETSC_ERROR_REPEAT) return code;
  MPI_Comm_rank(comm, &rank);
  if (code != PETSC_ERR_USER_INPUT && code != WRING_ERR_OUTPUT) {
    fprintf(stderr, "%s: internal error: %s (%s, %s:%d)\n", h->program, message, function, file, line);
    MPI_Abort(MPI_COMM_WORLD, h->status);
  }
  if (rank == 0 && !h->reported) fprintf(stderr, "%s: %s\n", h->program, message);
  h->reported = PETSC_TRUE;
  return code;
}

PetscErrorCode wring_error_handler_push(wring_error_handler *h)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(handle, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}
