#define _POSIX_C_SOURCE 200809L
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void cannot_write(const char *path, wring_error *e)
{
  wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
}

void wring_file_part(const char *path, char *part, wring_error *e)
{
  if (snprintf(part, WRING_FILE_NAME, "%s.part", path) >= WRING_FILE_NAME) {
    part[0] = '\0';
    wring_error_set(e, "%.80s...: the path has %zu characters, at most %d are possible", path, strlen(path),
                    PETSC_MAX_PATH_LEN);
  }
}

FILE *wring_file_create(const char *path, wring_error *e)
{
  char part[WRING_FILE_NAME];
  wring_file_part(path, part, e);
  if (e->text[0]) return NULL;
  FILE *const f = fopen(part, "wb");
  if (!f) cannot_write(path, e);
  return f;
}

void wring_file_commit(FILE *f, const char *path, wring_error *e)
{
  if (!f) return;
  errno = 0;
  if (fflush(f) || ferror(f)) {
    if (!errno) errno = EIO; // an earlier write failed; stdio keeps the fact, not the reason
    cannot_write(path, e);
  }
  if (fclose(f)) cannot_write(path, e);
  wring_file_finish(path, e);
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

/* Makes a new name survive a crash. Some file systems cannot sync a directory; the file is whole all the same. */
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
  if (!e->text[0] && (sync_path(part, O_WRONLY) || rename(part, path))) cannot_write(path, e);
  if (e->text[0])
    unlink(part);
  else
    sync_directory_of(path);
}
