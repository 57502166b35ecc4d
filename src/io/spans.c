#include "spans.h"
#include "file.h"

enum { BLOCK = 1 << 30 }; // MPI counts bytes in an int

/* The spans in place, as one datatype relative to MPI_BOTTOM. */
static PetscErrorCode create_type(int n, const wring_span *span, MPI_Datatype *type)
{
  uint64_t  blocks = 0;
  int      *length, filled = 0;
  MPI_Aint *address;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) blocks += (span[i].bytes + BLOCK - 1) / BLOCK;
  PetscCall(PetscMalloc2(blocks, &length, blocks, &address));
  for (int i = 0; i < n; i++) {
    for (uint64_t begin = 0; begin < span[i].bytes; begin += BLOCK, filled++) {
      length[filled] = (int)PetscMin(span[i].bytes - begin, (uint64_t)BLOCK);
      PetscCallMPI(MPI_Get_address((const char *)span[i].start + begin, &address[filled]));
    }
  }
  PetscCallMPI(MPI_Type_create_hindexed(filled, length, address, MPI_BYTE, type));
  PetscCallMPI(MPI_Type_commit(type));
  PetscCall(PetscFree2(length, address));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By default MPI's file functions return errors; the reason may have several lines. */
static void check(const char *path, int code, wring_error *e)
{
  char reason[MPI_MAX_ERROR_STRING] = "";
  int  length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, reason, &length);
  for (char *c = reason; *c; c++) {
    if (*c == '\n') *c = ' ';
  }
  wring_error_set(e, "%s: cannot be written: %s", path, reason);
}

/* Either all ranks open the file or none does; every later call is made on all ranks, even if some have failed. */
static PetscErrorCode write_part(MPI_Comm comm, const char *path, const char *part, uint64_t offset, MPI_Datatype type,
                                 wring_error *e)
{
  MPI_File file;
  int      failed;

  PetscFunctionBegin;
  PetscCall(wring_file_check_open(comm, path, e));
  check(path, MPI_File_open(comm, part, MPI_MODE_WRONLY, MPI_INFO_NULL, &file), e);
  failed = e->text[0] != '\0';
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  if (failed) PetscCall(wring_file_finish_all(comm, path, e)); // raises the error and removes the file
  check(path, MPI_File_write_at_all(file, (MPI_Offset)offset, MPI_BOTTOM, 1, type, MPI_STATUS_IGNORE), e);
  check(path, MPI_File_sync(file), e);
  check(path, MPI_File_close(&file), e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_spans_write(MPI_Comm comm, const char *path, uint64_t offset, int n, const wring_span *span)
{
  PetscMPIInt  rank;
  MPI_Datatype type;
  wring_error  e   = {""};
  uint64_t     end = offset; // of the file
  char         part[WRING_FILE_NAME];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < n; i++) end += span[i].bytes;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_UINT64_T, MPI_MAX, comm));
  wring_file_part(path, part, &e);
  if (rank == 0) wring_file_reserve(path, end, &e);
  PetscCall(wring_error_raise_output(comm, &e));
  PetscCall(create_type(n, span, &type));
  PetscCall(write_part(comm, path, part, offset, type, &e));
  PetscCallMPI(MPI_Type_free(&type));
  if (rank == 0) wring_file_check_size(path, end, &e);
  PetscCall(wring_file_finish_all(comm, path, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
