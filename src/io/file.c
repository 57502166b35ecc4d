#define _GNU_SOURCE // fallocate
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void cannot_write(const char *path, wring_error *e)
{
  wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
}

/* After a call that failed: an error, unless there is no such file. */
static void check_absent(const char *path, wring_error *e)
{
  if (errno != ENOENT && errno != ENOTDIR) wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
}

PetscBool wring_file_is_there(const char *path, wring_error *e)
{
  const PetscBool there = (PetscBool)(access(path, F_OK) == 0);
  if (!there) check_absent(path, e);
  return there;
}

FILE *wring_file_open(const char *path, wring_error *e)
{
  FILE *const f = fopen(path, "r");
  if (!f) check_absent(path, e);
  return f;
}

void wring_file_part(const char *path, char *part, wring_error *e)
{
  if (snprintf(part, WRING_FILE_NAME, "%s.part", path) >= WRING_FILE_NAME) {
    part[0] = '\0';
    wring_error_set(e, "%.80s...: the path has %zu characters, at most %d are possible", path, strlen(path),
                    PETSC_MAX_PATH_LEN);
  }
}

static PetscBool same_file(const char *a, const char *b)
{
  struct stat s, t;
  return (PetscBool)(!stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino);
}

void wring_file_protect(const char *from, const char *to, wring_error *e)
{
  char        part[WRING_FILE_NAME];
  struct stat status;
  wring_file_part(to, part, e);
  if (from && (same_file(from, to) || same_file(from, part)))
    wring_error_set(e, "%s: writing it would overwrite the input %s, expected another name", to, from);
  if (!lstat(to, &status) && !S_ISREG(status.st_mode))
    wring_error_set(e, "%s: is no plain file, expected another name", to);
}

FILE *wring_file_create(const char *path, wring_error *e)
{
  char part[WRING_FILE_NAME];
  wring_file_part(path, part, e);
  if (wring_failed(e)) return NULL;
  FILE *const f = fopen(part, "wb");
  if (!f) cannot_write(path, e);
  return f;
}

void wring_file_commit(FILE *f, const char *path, wring_error *e)
{
  if (!f) return;
  errno = 0;
  if (fflush(f) || ferror(f)) {
    if (!errno) errno = EIO; // an earlier write failed; stdio does not keep the reason
    cannot_write(path, e);
  }
  if (fclose(f)) cannot_write(path, e);
  wring_file_finish(path, e);
}

int wring_file_allocate(int fd, int mode, uint64_t from, uint64_t bytes)
{
  int failed;
  do failed = fallocate(fd, mode, (off_t)from, (off_t)bytes);
  while (failed && errno == EINTR);
  return failed && errno != EOPNOTSUPP && errno != ENOSYS;
}

/*
  Allocates with the size first, since only then is a limit on the size of files detected; then without, since a file
  that MPI-IO has cut short must be found.
*/
static int reserve(int fd, uint64_t bytes)
{
  return wring_file_allocate(fd, 0, 0, bytes) || ftruncate(fd, 0) ||
         wring_file_allocate(fd, FALLOC_FL_KEEP_SIZE, 0, bytes);
}

static void reserve_part(const char *path, const char *part, uint64_t bytes, wring_error *e)
{
  if (wring_failed(e)) return;
  const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) {
    cannot_write(path, e);
    return;
  }
  int failed;
  do failed = reserve(fd, bytes);
  while (failed && errno == EINTR); // of ftruncate
  if (failed) cannot_write(path, e);
  close(fd);
  if (failed) unlink(part);
}

PetscErrorCode wring_file_open_all(MPI_Comm comm, const char *path, uint64_t bytes, int *fd, wring_error *e)
{
  char part[WRING_FILE_NAME];

  PetscFunctionBegin;
  wring_file_part(path, part, e);
  if (wring_comm_rank(comm) == 0) reserve_part(path, part, bytes, e);
  PetscCall(wring_error_raise_output(comm, e));
  *fd = open(part, O_WRONLY);
  if (*fd < 0) cannot_write(path, e);
  PetscCall(wring_error_share(comm, e));
  if (!wring_failed(e)) PetscFunctionReturn(PETSC_SUCCESS);
  if (*fd >= 0) close(*fd);
  PetscCall(wring_file_finish_all(comm, path, e)); // raises
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_file_write(int fd, const char *path, uint64_t at, uint64_t bytes, const void *from, wring_error *e)
{
  for (uint64_t done = 0; done < bytes && !wring_failed(e);) {
    const ssize_t n = pwrite(fd, (const char *)from + done, bytes - done, (off_t)(at + done));
    if (n >= 0)
      done += (uint64_t)n;
    else if (errno != EINTR)
      cannot_write(path, e);
  }
}

void wring_file_close(int fd, const char *path, wring_error *e)
{
  if (fsync(fd)) cannot_write(path, e);
  if (close(fd)) cannot_write(path, e);
}

PetscErrorCode wring_file_reserve(MPI_Comm comm, const char *path, uint64_t bytes, wring_error *e)
{
  int fd;

  PetscFunctionBegin;
  PetscCall(wring_file_open_all(comm, path, bytes, &fd, e));
  close(fd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_file_get_size(const char *path, uint64_t *bytes, wring_error *e)
{
  char        part[WRING_FILE_NAME];
  struct stat status = {.st_size = 0};
  wring_file_part(path, part, e);
  if (stat(part, &status)) cannot_write(path, e);
  *bytes = (uint64_t)status.st_size;
}

static int sync_path(const char *path, int flags)
{
  const int fd = open(path, flags);
  if (fd < 0) return -1;
  const int failed = fsync(fd), reason = errno;
  close(fd);
  errno = reason;
  return failed;
}

void wring_file_sync(const char *path, wring_error *e)
{
  if (sync_path(path, O_RDWR)) cannot_write(path, e);
}

/* Makes a new name durable. Some file systems cannot sync a directory; the file is complete nevertheless. */
static void sync_directory_of(const char *path)
{
  char              directory[WRING_FILE_NAME] = ".";
  const char *const slash                      = strrchr(path, '/');
  if (slash) snprintf(directory, sizeof directory, "%.*s", (int)PetscMax(slash - path, 1), path);
  (void)sync_path(directory, O_RDONLY);
}

void wring_file_finish(const char *path, wring_error *e)
{
  char part[WRING_FILE_NAME];
  wring_file_part(path, part, e);
  if (!wring_failed(e) && (sync_path(part, O_WRONLY) || rename(part, path))) cannot_write(path, e);
  if (wring_failed(e))
    unlink(part);
  else
    sync_directory_of(path);
}

PetscErrorCode wring_file_finish_all(MPI_Comm comm, const char *path, wring_error *e)
{
  int         failed    = wring_failed(e);
  wring_error elsewhere = {""};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  if (failed) wring_error_set(&elsewhere, "a rank failed");
  if (rank == 0) wring_file_finish(path, failed ? &elsewhere : e);
  PetscCall(wring_error_raise_output(comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
