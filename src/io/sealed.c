#include "sealed.h"
#include "crc.h"
#include "file.h"
#include <errno.h>
#include <string.h>
#include <zlib.h>

/* ---- the seal ---------------------------------------------------------------------------------------------------- */

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
  if (wring_failed(e)) return;
  print_seal(crc, seal);
  FILE *const f      = fopen(part, "ab");
  int         sealed = f && fwrite(seal, SEAL, 1, f) == 1;
  if (f && fclose(f)) sealed = 0;
  if (!sealed) wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
}

/* The number of bytes before the seal, and the seal: "" if the file has none. */
static void read_seal(const char *path, uint64_t *bytes, char seal[SEAL + 1], wring_error *e)
{
  FILE *const f = fopen(path, "rb");
  *bytes        = 0;
  memset(seal, 0, SEAL + 1);
  if (f && fseek(f, -SEAL, SEEK_END) == 0) {
    *bytes                        = (uint64_t)ftell(f);
    seal[fread(seal, 1, SEAL, f)] = '\0';
  }
  if (!f || ferror(f)) wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
  if (memcmp(seal, "wringCRC", 8) != 0) seal[0] = '\0';
  if (f) fclose(f);
}

void wring_checkpoint_seal(const char *file, char text[WRING_SEAL_TEXT], wring_error *e)
{
  uint64_t bytes;
  text[0] = '\0';
  if (wring_file_is_there(file, e)) read_seal(file, &bytes, text, e);
}

PetscErrorCode wring_seal_check(MPI_Comm comm, const char *path, wring_error *e)
{
  char     stored[SEAL + 1] = "", seal[SEAL + 1];
  uint64_t cut[2]           = {0, 0};
  uint32_t crc;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  if (rank == 0) {
    read_seal(path, &cut[1], stored, e);
    if (!stored[0])
      wring_error_set(e, "%s: is cut short or not a checkpoint of wring: it does not end in a seal", path);
  }
  PetscCall(wring_error_share(comm, e));
  if (wring_failed(e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(cut, 2, MPI_UINT64_T, 0, comm));
  PetscCall(wring_crc_file(comm, path, 1, cut, &crc, e));
  print_seal(crc, seal);
  if (rank == 0 && memcmp(stored, seal, SEAL) != 0)
    wring_error_set(e, "%s: is damaged: its checksum does not match", path);
  PetscCall(wring_error_share(comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_sealed_create(wring_hdf5 *h, MPI_Comm comm, const char *file, uint64_t bytes, wring_error *e)
{
  enum { METADATA = 1 << 14 };

  PetscFunctionBegin;
  PetscCall(wring_file_reserve(comm, file, bytes + METADATA, e));
  PetscCall(wring_hdf5_create(h, comm, file, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On rank 0: the tables of the file and its size, from its metadata. */
static PetscErrorCode list_tables(const char *file, int *n, wring_extent **table, uint64_t *size, wring_error *e)
{
  char        part[WRING_FILE_NAME];
  wring_error damage = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  wring_file_part(file, part, e);
  wring_hdf5_open(&h, part, &damage);
  PetscCall(wring_hdf5_extents(&h, n, table));
  wring_hdf5_close(&h);
  if (wring_failed(&damage)) wring_error_set(e, "%s: cannot be written: %.900s", file, damage.text);
  wring_file_get_size(file, size, e);
  for (int i = 0; i < *n; i++)
    if ((*table)[i].end > (i + 1 < *n ? (*table)[i + 1].begin : *size))
      wring_error_set(e, "%s: cannot be written: table %s is cut short; is the disk full?", file, (*table)[i].name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  On rank 0: compares the checksums of the tables and appends the seal. crc [2 n + 1] of the file's byte ranges: gap,
  table, gap, table, ..., gap.
*/
static void seal_strings(const char *file, int n, const wring_extent *table, const uint64_t *cut, const uint32_t *crc,
                         wring_error *e)
{
  uLong whole = crc32(0, NULL, 0);
  for (int i = 0; i < 2 * n + 1; i++) {
    const wring_extent *const t = &table[i / 2];
    if (i % 2 && crc[i] != t->crc)
      wring_error_set(e, "%s: cannot be written: the bytes of table %s did not arrive; is the disk full?", file,
                      t->name);
    whole = crc32_combine(whole, crc[i], (z_off_t)(cut[i + 1] - cut[i]));
  }
  wring_seal_append(file, (uint32_t)whole, e);
}

/*
  Data that MPI-IO has lost (see file.h) are detected by reading the file again: each rank reads an equal share of it
  once, for the checksums of the tables and for the seal.
*/
static PetscErrorCode seal(MPI_Comm comm, const char *file, wring_error *e)
{
  char          part[WRING_FILE_NAME];
  int           n     = 0;
  wring_extent *table = NULL;
  uint64_t      size  = 0, *cut;
  uint32_t     *crc;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  wring_file_part(file, part, e);
  if (rank == 0 && !wring_failed(e)) PetscCall(list_tables(file, &n, &table, &size, e));
  PetscCall(wring_error_share(comm, e));
  PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, comm));
  PetscCall(PetscMalloc2(2 * n + 2, &cut, 2 * n + 1, &crc));
  cut[0]         = 0;
  cut[2 * n + 1] = size;
  for (int i = 0; i < n && rank == 0; i++) cut[2 * i + 1] = table[i].begin, cut[2 * i + 2] = table[i].end;
  PetscCallMPI(MPI_Bcast(cut, 2 * n + 2, MPI_UINT64_T, 0, comm));
  if (!wring_failed(e)) PetscCall(wring_crc_file(comm, part, 2 * n + 1, cut, crc, e));
  if (rank == 0 && !wring_failed(e)) seal_strings(file, n, table, cut, crc, e);
  PetscCall(PetscFree2(cut, crc));
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sealed_finish(wring_hdf5 *h)
{
  wring_error *const e = h->error;

  PetscFunctionBegin;
  wring_hdf5_close(h);
  PetscCall(wring_error_share(h->comm, e)); // after this, all ranks have closed the file
  if (!wring_failed(e)) PetscCall(seal(h->comm, h->path, e));
  PetscCall(wring_file_finish_all(h->comm, h->path, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
