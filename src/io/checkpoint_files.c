/* The checkpoints of an output directory: checkpoint_NNNNNN.h5, numbered by step, and the file of their mesh. */
#define _POSIX_C_SOURCE 200809L
#include "sealed.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void wring_checkpoint_name(const char *directory, PetscInt64 step, size_t size, char *file)
{
  snprintf(file, size, "%s/checkpoint_%06lld.h5", directory, (long long)step);
}

/* Steps of the checkpoints in a directory, newest first; *step [*n] freed by the caller. */
static PetscErrorCode list_steps(const char *directory, PetscInt *n, PetscInt64 **step, wring_error *e)
{
  char *const list = wring_list_directory(directory, e);
  PetscInt    room = 0;

  PetscFunctionBegin;
  *n    = 0;
  *step = NULL;
  for (const char *name = list; name && *name; name += strlen(name) + 1) {
    const PetscInt64 found = wring_file_number(name, "checkpoint_", ".h5");
    if (found < 0) continue;
    if (*n == room) PetscCall(PetscRealloc(sizeof **step * (size_t)(room = 2 * room + 8), step));
    PetscInt i = (*n)++; // insertion sort: there are few
    for (; i > 0 && (*step)[i - 1] < found; i--) (*step)[i] = (*step)[i - 1];
    (*step)[i] = found;
  }
  free(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on all ranks, as rank 0 finds them; refused if they cannot be listed. Collective. */
static PetscErrorCode share_steps(MPI_Comm comm, const char *directory, PetscInt *n, PetscInt64 **step)
{
  wring_error e = {""};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  if (rank == 0) PetscCall(list_steps(directory, n, step, &e));
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, comm));
  if (rank != 0) PetscCall(PetscMalloc1(*n, step));
  PetscCallMPI(MPI_Bcast(*step, (PetscMPIInt)*n, MPIU_INT64, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries the steps from the newest on; if none is whole, sets the damage of the newest. Collective. */
static PetscErrorCode find_in_directory(MPI_Comm comm, const char *directory, size_t size, char *file, wring_error *e)
{
  wring_error newest = {""};
  PetscInt    n;
  PetscInt64 *step;
  PetscBool   found = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(share_steps(comm, directory, &n, &step));
  if (n == 0) WRING_REFUSE(comm, "%s: holds no checkpoint (checkpoint_NNNNNN.h5)", directory);
  for (PetscInt i = 0; i < n && !found; i++) {
    wring_error damage = {""};
    wring_checkpoint_name(directory, step[i], size, file);
    PetscCall(wring_seal_check(comm, file, &damage));
    found = (PetscBool)!wring_failed(&damage);
    wring_error_set(&newest, "%s", damage.text);
    if (!found && i + 1 < n) PetscCall(wring_note(comm, "%s; trying the previous one", damage.text));
  }
  PetscCall(PetscFree(step));
  if (!found) *e = newest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_find(MPI_Comm comm, const char *path, size_t size, char *file)
{
  struct stat status       = {.st_mode = 0};
  int         is_directory = 0;
  wring_error e            = {""};

  PetscFunctionBegin;
  if (wring_comm_rank(comm) == 0 && stat(path, &status))
    wring_error_set(&e, "%s: %s; expected a checkpoint file or an output directory", path, strerror(errno));
  PetscCall(wring_error_raise(comm, &e));
  is_directory = S_ISDIR(status.st_mode);
  PetscCallMPI(MPI_Bcast(&is_directory, 1, MPI_INT, 0, comm));
  if (is_directory) {
    PetscCall(find_in_directory(comm, path, size, file, &e));
  } else {
    PetscCall(PetscStrncpy(file, path, size));
    PetscCall(wring_seal_check(comm, file, &e));
  }
  PetscCall(wring_error_raise(comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_is_there(MPI_Comm comm, const char *directory, PetscBool *is_there)
{
  PetscInt    n;
  PetscInt64 *step;

  PetscFunctionBegin;
  PetscCall(share_steps(comm, directory, &n, &step));
  PetscCall(PetscFree(step));
  *is_there = (PetscBool)(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_prune(MPI_Comm comm, const char *directory, PetscInt keep)
{
  PetscInt    n    = 0;
  PetscInt64 *step = NULL;
  wring_error e    = {""};
  char        file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  if (rank == 0) PetscCall(list_steps(directory, &n, &step, &e));
  for (PetscInt i = keep; i < n; i++) {
    wring_checkpoint_name(directory, step[i], sizeof file, file);
    if (unlink(file)) wring_error_set(&e, "%s: cannot be removed: %s", file, strerror(errno));
  }
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s", directory, WRING_CHECKPOINT_MESH));
  if (rank == 0 && keep == 0 && unlink(file) && errno != ENOENT)
    wring_error_set(&e, "%s: cannot be removed: %s", file, strerror(errno));
  PetscCall(PetscFree(step));
  PetscCall(wring_error_raise_output(comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
