/* Shared by the targets; the two entry points: libFuzzer, and a folder of files. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PetscErrorCode say_nothing(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                  PetscErrorType type, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)message, (void)context;
  return code;
}

void fuzz_quiet_begin(void)
{
  PetscCallAbort(PETSC_COMM_SELF, PetscPushErrorHandler(say_nothing, NULL));
}

void fuzz_quiet_end(void)
{
  PetscCallAbort(PETSC_COMM_SELF, PetscPopErrorHandler());
}

void fuzz_write(const char *file, const unsigned char *data, size_t size)
{
  FILE *const f = fopen(file, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f)) abort();
}

/* A file name in a new folder; further calls in the same process return the same name. */
static const char *scratch_file(void)
{
  static char       file[PETSC_MAX_PATH_LEN];
  const char *const root = getenv("TMPDIR");
  if (file[0]) return file;
  snprintf(file, sizeof file, "%s/wring_fuzz_XXXXXX", root ? root : "/tmp");
  if (!mkdtemp(file)) abort();
  strncat(file, "/input", sizeof file - strlen(file) - 1);
  return file;
}

#ifdef WRING_LIBFUZZER

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  return PetscInitializeNoArguments() != PETSC_SUCCESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_target(scratch_file(), data, size);
  return 0;
}

#else

static int replay(const char *path)
{
  static unsigned char data[1 << 20];
  FILE *const          f = fopen(path, "rb");
  if (!f) return 0;
  const size_t n = fread(data, 1, sizeof data, f);
  fclose(f);
  fuzz_target(scratch_file(), data, n);
  return 1;
}

/* Removes the folder of scratch_file, with all that targets have written there. */
static void remove_scratch(void)
{
  char           folder[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN + 256];
  struct dirent *entry;

  snprintf(folder, sizeof folder, "%s", scratch_file());
  *strrchr(folder, '/') = '\0';
  DIR *const d          = opendir(folder);
  while (d && (entry = readdir(d))) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path); // which fails for . and ..
  }
  if (d) closedir(d);
  rmdir(folder);
}

/* usage: replay FOLDER */
int main(int argc, char **argv)
{
  char           path[PETSC_MAX_PATH_LEN];
  struct dirent *entry;
  int            n = 0;

  if (argc != 2 || PetscInitializeNoArguments()) return 1;
  DIR *const folder = opendir(argv[1]);
  while (folder && (entry = readdir(folder))) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    n += replay(path);
  }
  if (folder) closedir(folder);
  if (n > 0) remove_scratch();
  printf("%d inputs of %s\n", n, argv[1]);
  return PetscFinalize() || n == 0;
}

#endif
