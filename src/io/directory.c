/* Directories: what one holds; a directory and its parents. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wring/io.h>

/* The names of an open directory; the value is an errno, 0 if all were read. */
static int read_names(DIR *d, char **list)
{
  const struct dirent *entry;
  size_t               size;
  FILE *const          f = open_memstream(list, &size);
  if (!f) return errno;
  for (errno = 0; (entry = readdir(d)); errno = 0) {
    if (entry->d_name[0] != '.') fwrite(entry->d_name, 1, strlen(entry->d_name) + 1, f);
  }
  const int reason = errno;
  fputc('\0', f);
  const int failed = ferror(f);
  return fclose(f) || failed ? ENOMEM : reason;
}

char *wring_list_directory(const char *path, wring_error *e)
{
  char      *list   = NULL;
  DIR *const d      = opendir(path);
  int        reason = d ? read_names(d, &list) : errno;
  if (!d && (reason == ENOENT || reason == ENOTDIR)) return NULL;
  if (d) closedir(d);
  if (!reason) return list;
  wring_error_set(e, "%s: the directory cannot be read: %s", path, strerror(reason));
  free(list);
  return NULL;
}

PetscInt64 wring_file_number(const char *name, const char *stem, const char *end)
{
  const size_t n = strlen(stem);
  char         proper[64];
  if (strncmp(name, stem, n) != 0) return -1;
  const long long number = strtoll(name + n, NULL, 10);
  snprintf(proper, sizeof proper, "%s%06lld%s", stem, number, end);
  return strcmp(name, proper) == 0 ? number : -1;
}

/*
  Calls mkdir for every prefix of the path. For a prefix that exists it may fail with EEXIST or, on a read-only file
  system, for another reason; check_directory then checks whether the directory exists and can be used. *made: length of
  the shortest prefix that did not exist, or 0.
*/
static void make_path(const char *path, ptrdiff_t *made, wring_error *e)
{
  char prefix[WRING_FILE_NAME];
  wring_file_part(path, prefix, e); // only for its check of the length
  if (wring_failed(e)) return;
  errno = 0;
  for (const char *end = path; *end;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    snprintf(prefix, sizeof prefix, "%.*s", (int)(end - path), path);
    if (mkdir(prefix, 0777)) continue;
    errno = 0;
    if (*made == 0) *made = end - path;
  }
}

/* Removes the prefixes from `made` characters on, so that a path that cannot be created leaves nothing. */
static void remove_path(const char *path, ptrdiff_t made)
{
  char prefix[WRING_FILE_NAME];
  if (made == 0) return;
  for (ptrdiff_t end = (ptrdiff_t)strlen(path); end >= made; end--) {
    if (path[end] != '/' && path[end] != '\0') continue;
    snprintf(prefix, sizeof prefix, "%.*s", (int)end, path);
    (void)rmdir(prefix);
  }
}

static void check_directory(const char *path, wring_error *e)
{
  struct stat status;
  const int   reason = errno; // of the last mkdir
  if (wring_failed(e)) return;
  if (stat(path, &status))
    wring_error_set(e, "%s: the directory cannot be created: %s", path, strerror(reason));
  else if (!S_ISDIR(status.st_mode))
    wring_error_set(e, "%s: is not a directory", path);
  else if (access(path, W_OK | X_OK))
    wring_error_set(e, "%s: the directory cannot be written to: %s", path, strerror(errno));
}

void wring_check_directory(const char *path, wring_error *e)
{
  char        copy[WRING_FILE_NAME], *parent = copy;
  struct stat status;
  wring_file_part(path, copy, e); // only for its check of the length
  if (wring_failed(e)) return;
  snprintf(copy, sizeof copy, "%s", path);
  int reason = lstat(path, &status) ? errno : EEXIST;
  while (reason == ENOENT && lstat(parent, &status)) parent = dirname(parent);
  if (reason == ENOENT) reason = access(parent, W_OK | X_OK) ? errno : 0;
  if (reason == 0) return; // it can be created
  errno = reason;
  check_directory(path, e);
}

PetscErrorCode wring_make_directory(MPI_Comm comm, const char *path)
{
  wring_error e    = {""};
  ptrdiff_t   made = 0;

  PetscFunctionBegin;
  if (wring_comm_rank(comm) == 0) {
    make_path(path, &made, &e);
    check_directory(path, &e);
    if (wring_failed(&e)) remove_path(path, made);
  }
  PetscCall(wring_error_raise_output(comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
