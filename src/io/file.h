/*
  Files that appear whole: written as "<path>.part", synced, renamed. A file of that name is left as it was until then.
  Not collective unless it says so: call on one rank. The first error in e wins.
*/
#pragma once
#include <stdio.h>
#include <wring/base.h>

enum { WRING_FILE_NAME = PETSC_MAX_PATH_LEN + 8 }; // room for ".part"

/* "<path>.part", in part [WRING_FILE_NAME]; refused if the path is longer than PETSc's limit. */
void wring_file_part(const char *path, char *part, wring_error *e);

/* Opens "<path>.part" for writing; NULL on error. To be closed by wring_file_commit. */
FILE *wring_file_create(const char *path, wring_error *e);

/* Closes f and gives it its name, unless a write failed or e is set: then nothing is left. f may be NULL. */
void wring_file_commit(FILE *f, const char *path, wring_error *e);

/*
  For MPI-IO, which may lose a write error of another rank (Open MPI 4 does): makes an empty "<path>.part" with room on
  the disk for its bytes, where the file system can tell; and once it is closed, whether it has them all.
*/
void wring_file_reserve(const char *path, uint64_t bytes, wring_error *e);
void wring_file_get_size(const char *path, uint64_t *bytes, wring_error *e);
void wring_file_check_size(const char *path, uint64_t bytes, wring_error *e);

/*
  Whether every rank can open "<path>.part" for writing. If one cannot, all ranks raise its reason, and nothing is left:
  a collective open that fails on one rank alone may never return on the others. Collective.
*/
PetscErrorCode wring_file_check_open(MPI_Comm comm, const char *path, wring_error *e);

/* Syncs the closed "<path>.part" and gives it its name, unless e is set: then removes it. */
void wring_file_finish(const char *path, wring_error *e);

/* The same once every rank has closed the file: rank 0 acts, unless any rank's e is set, which is raised.
   Collective. */
PetscErrorCode wring_file_finish_all(MPI_Comm comm, const char *path, wring_error *e);
