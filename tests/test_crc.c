/* ranks: 1 2 4
  Checksums that the ranks compute together, compared with zlib's of the whole; a file that is too short. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "io/crc.h"
#include <unistd.h>
#include <zlib.h>

enum { N = 5 };

/*
  Fails if a byte is in no rank's share or in two, if shares are joined in another order, or if an empty part counts.
*/
static PetscErrorCode check_file(const char *file, const unsigned char *byte, uint64_t n)
{
  const uint64_t cut[N + 1] = {3, 3, n / 7, n / 2, n / 2 + 1, n};
  uint32_t       crc[N];
  wring_error    e = {""};

  PetscFunctionBegin;
  PetscCall(wring_crc_file(PETSC_COMM_WORLD, file, N, cut, crc, &e));
  CHECK(!e.text[0], "%s", e.text);
  for (int i = 0; i < N; i++) {
    const uLong expected = crc32_z(0, byte + cut[i], cut[i + 1] - cut[i]);
    CHECK(crc[i] == expected, "part %d: %lx, expected %lx", i, (unsigned long)crc[i], expected);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a rank that reaches the end of the file too early does not report it to the others. */
static PetscErrorCode check_short(const char *file, uint64_t n)
{
  const uint64_t cut[2] = {0, n + 1};
  uint32_t       crc;
  wring_error    e = {""};

  PetscFunctionBegin;
  PetscCall(wring_crc_file(PETSC_COMM_WORLD, file, 1, cut, &crc, &e));
  CHECK(strstr(e.text, "cannot be read"), "\"%s\"", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  enum { ROOM = 3 << 20 }; // more than a rank reads at once
  static unsigned char byte[ROOM];
  char                 file[] = "test_crc_XXXXXX";
  FILE                *f      = NULL;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  for (size_t i = 0; i < ROOM; i++) byte[i] = (unsigned char)(wring_mix(i) >> 7);
  if (rank == 0) CHECK((f = fdopen(mkstemp(file), "wb")) && fwrite(byte, ROOM, 1, f) == 1 && !fclose(f), "%s", file);
  PetscCallMPI(MPI_Bcast(file, sizeof file, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(check_file(file, byte, ROOM));
  PetscCall(check_file(file, byte, 21));
  PetscCall(check_short(file, ROOM));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) CHECK(!unlink(file), "%s", file);
  return PetscFinalize();
}
