#include "seal.h"
#include "crc.h"
#include "file.h"
#include <errno.h>
#include <string.h>
#include <wring/io.h>

enum { SEAL = WRING_SEAL_TEXT - 1 };

/* "wringCRC" and eight hexadecimal digits. */
static void print_seal(uint32_t crc, char seal[SEAL + 1])
{
  snprintf(seal, SEAL + 1, "wringCRC%08lx", (unsigned long)crc);
}

void wring_seal_append(const char *path, uint32_t crc, wring_error *e)
{
  char part[WRING_FILE_NAME], seal[SEAL + 1];
  wring_file_part(path, part, e);
  if (e->text[0]) return;
  print_seal(crc, seal);
  FILE *const f      = fopen(part, "ab");
  int         sealed = f && fwrite(seal, SEAL, 1, f) == 1;
  if (f && fclose(f)) sealed = 0;
  if (!sealed) wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
}

/* The number of bytes before the seal, and the seal; empty if the file is too short for one. */
static void read_seal(const char *path, uint64_t *bytes, char seal[SEAL + 1], wring_error *e)
{
  FILE *const f = fopen(path, "rb");
  *bytes        = 0;
  seal[0]       = '\0';
  if (!f) {
    wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
    return;
  }
  if (fseek(f, -SEAL, SEEK_END) == 0) {
    *bytes                        = (uint64_t)ftell(f);
    seal[fread(seal, 1, SEAL, f)] = '\0';
  }
  fclose(f);
}

void wring_checkpoint_seal(const char *file, char text[WRING_SEAL_TEXT])
{
  wring_error unreadable = {""};
  uint64_t    bytes;
  read_seal(file, &bytes, text, &unreadable);
  if (memcmp(text, "wringCRC", 8) != 0) text[0] = '\0';
}

PetscErrorCode wring_seal_check(MPI_Comm comm, const char *path, wring_error *e)
{
  PetscMPIInt rank;
  char        stored[SEAL + 1] = "", seal[SEAL + 1];
  uint64_t    cut[2]           = {0, 0};
  uint32_t    crc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    read_seal(path, &cut[1], stored, e);
    if (memcmp(stored, "wringCRC", 8) != 0)
      wring_error_set(e, "%s: is cut short or not a checkpoint of wring: it does not end in a seal", path);
  }
  PetscCall(wring_error_share(comm, e));
  if (e->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(cut, 2, MPI_UINT64_T, 0, comm));
  PetscCall(wring_crc_file(comm, path, 1, cut, &crc, e));
  print_seal(crc, seal);
  if (rank == 0 && memcmp(stored, seal, SEAL) != 0)
    wring_error_set(e, "%s: is damaged: its checksum does not match", path);
  PetscCall(wring_error_share(comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
