#include "seal.h"
#include "file.h"
#include <errno.h>
#include <string.h>
#include <zlib.h>

enum { SEAL = 16, BUFFER = 1 << 20 };

/* "wringCRC" and eight hexadecimal digits. */
static void print_seal(uLong crc, char seal[SEAL + 1])
{
  snprintf(seal, SEAL + 1, "wringCRC%08lx", crc & 0xffffffffUL);
}

/* The CRC of all but the last SEAL bytes of a stream, and those bytes. False if there are fewer or reading fails. */
static int scan(FILE *f, unsigned char *buffer, uLong *crc, char last[SEAL + 1])
{
  size_t kept = 0;
  *crc        = crc32(0, NULL, 0);
  for (size_t n; (n = fread(buffer + kept, 1, BUFFER, f)) > 0;) {
    const size_t held = kept + n;
    kept              = PetscMin(held, (size_t)SEAL);
    *crc              = crc32_z(*crc, buffer, held - kept);
    memmove(buffer, buffer + held - kept, kept);
  }
  memcpy(last, buffer, kept);
  last[kept] = '\0';
  return kept == SEAL && !ferror(f);
}

PetscErrorCode wring_seal(const char *path, wring_error *e)
{
  char           part[WRING_FILE_NAME], last[SEAL + 1], seal[SEAL + 1];
  unsigned char *buffer;
  uLong          crc;

  PetscFunctionBegin;
  wring_file_part(path, part, e);
  if (e->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(BUFFER + SEAL, &buffer));
  FILE *const f      = fopen(part, "r+b");
  int         sealed = f && scan(f, buffer, &crc, last);
  if (sealed) {
    print_seal(crc32_z(crc, (const Bytef *)last, SEAL), seal);
    sealed = fseek(f, 0, SEEK_END) == 0 && fwrite(seal, SEAL, 1, f) == 1;
  }
  if (f && fclose(f)) sealed = 0;
  if (!sealed) wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_seal_check(const char *path, wring_error *e)
{
  char           last[SEAL + 1], seal[SEAL + 1];
  unsigned char *buffer;
  uLong          crc;

  PetscFunctionBegin;
  FILE *const f = fopen(path, "rb");
  if (!f) {
    wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(BUFFER + SEAL, &buffer));
  const int whole = scan(f, buffer, &crc, last);
  fclose(f);
  print_seal(crc, seal);
  if (!whole || memcmp(last, "wringCRC", 8) != 0) {
    wring_error_set(e, "%s: is cut short or not a checkpoint of wring: it does not end in a seal", path);
  } else if (memcmp(last, seal, SEAL) != 0) {
    wring_error_set(e, "%s: is damaged: its checksum does not match", path);
  }
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
