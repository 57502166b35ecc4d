#define _POSIX_C_SOURCE 200809L
#include "crc.h"
#include "base/count.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 1 << 20 };

/* CRC and length of one part of a string. */
typedef struct {
  uint64_t crc, bytes;
} part;

/* into = the parts of lower ranks followed by into. */
static void join(void *lower, void *into, int *n, MPI_Datatype *type)
{
  const part *a = lower;
  part       *b = into;
  (void)type;
  for (int i = 0; i < *n; i++)
    b[i] = (part){crc32_combine((uLong)a[i].crc, (uLong)b[i].crc, (z_off_t)b[i].bytes), a[i].bytes + b[i].bytes};
}

PetscErrorCode wring_crc_join(MPI_Comm comm, int n, uint32_t *crc, const uint64_t *bytes)
{
  part        *mine;
  MPI_Datatype type;
  MPI_Op       op;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &mine));
  for (int i = 0; i < n; i++) mine[i] = (part){crc[i], bytes[i]};
  PetscCallMPI(MPI_Type_contiguous(2, MPI_UINT64_T, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Op_create(join, 0, &op)); // not commutative: parts stay in rank order
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mine, n, type, op, comm));
  PetscCallMPI(MPI_Op_free(&op));
  PetscCallMPI(MPI_Type_free(&type));
  for (int i = 0; i < n; i++) crc[i] = (uint32_t)mine[i].crc;
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The CRC of the bytes [begin, end) of a file; false if they cannot be read. */
static PetscBool scan(int fd, uint64_t begin, uint64_t end, unsigned char *buffer, uint32_t *crc)
{
  uLong sum = crc32(0, NULL, 0);
  while (begin < end) {
    const ssize_t n = pread(fd, buffer, PetscMin(end - begin, (uint64_t)BUFFER), (off_t)begin);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO; // the file has become shorter
    if (n <= 0) return PETSC_FALSE;
    sum = crc32_z(sum, buffer, (size_t)n);
    begin += (uint64_t)n;
  }
  *crc = (uint32_t)sum;
  return PETSC_TRUE;
}

/* crc [n] and bytes [n] of the parts of each string in this rank's share [begin, end) of the file. */
static PetscErrorCode scan_share(const char *path, uint64_t begin, uint64_t end, int n, const uint64_t *cut,
                                 uint32_t *crc, uint64_t *bytes, wring_error *e)
{
  unsigned char *buffer;
  const int      fd = open(path, O_RDONLY);
  PetscBool      ok = (PetscBool)(fd >= 0);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(BUFFER, &buffer));
  for (int i = 0; i < n; i++) {
    const uint64_t first = PetscMax(begin, cut[i]), last = PetscMin(end, cut[i + 1]);
    crc[i]   = 0;
    bytes[i] = last > first ? last - first : 0;
    if (ok && bytes[i]) ok = scan(fd, first, last, buffer, &crc[i]);
  }
  if (!ok) wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_crc_file(MPI_Comm comm, const char *path, int n, const uint64_t *cut, uint32_t *crc,
                              wring_error *e)
{
  const wring_share mine  = wring_equal_share(comm, (PetscInt64)(cut[n] - cut[0]));
  const uint64_t    begin = cut[0] + (uint64_t)mine.begin;
  uint64_t         *bytes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &bytes));
  PetscCall(scan_share(path, begin, begin + (uint64_t)mine.n, n, cut, crc, bytes, e));
  PetscCall(wring_crc_join(comm, n, crc, bytes));
  PetscCall(PetscFree(bytes));
  PetscCall(wring_error_share(comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
