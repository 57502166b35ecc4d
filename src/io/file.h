/*
  Files that appear only when complete: they are written as "<path>.part", synced and renamed; until then, an existing
  file of that name is unchanged. Functions that are not marked collective are called on one rank. e keeps the first
  error.
*/
#pragma once
#include <stdio.h>
#include <wring/base.h>

enum { WRING_FILE_NAME = PETSC_MAX_PATH_LEN + 8 }; // room for ".part"

/* Whether there is a file; false with an error if that cannot be found out. */
PetscBool wring_file_is_there(const char *path, wring_error *e);

/* Opens a file for reading: NULL if there is none, and NULL with an error if it cannot be read. */
FILE *wring_file_open(const char *path, wring_error *e);

/* "<path>.part", in part [WRING_FILE_NAME]; refused if the path is longer than PETSc's limit. */
void wring_file_part(const char *path, char *part, wring_error *e);

/* Opens "<path>.part" for writing; NULL on error. To be closed by wring_file_commit. */
FILE *wring_file_create(const char *path, wring_error *e);

/* Closes and renames the file, or removes it if a write failed or e is set. f may be NULL. */
void wring_file_commit(FILE *f, const char *path, wring_error *e);

/* fallocate, repeated if a signal interrupts it: 0 too if the file system cannot allocate. errno is set otherwise. */
int wring_file_allocate(int fd, int mode, uint64_t from, uint64_t bytes);

/*
  For MPI-IO, which may lose a write error of another rank, as Open MPI 4 does. reserve: rank 0 creates an empty
  "<path>.part" and reserves disk space for its bytes, if the file system supports that; then every rank checks that it
  can open it, since a collective open that fails on one rank only may never return on the others. An error is raised
  and the file removed. Collective. The others, after the file is closed, return its size and check that it has all of
  its bytes.
*/
PetscErrorCode wring_file_reserve(MPI_Comm comm, const char *path, uint64_t bytes, wring_error *e);
void           wring_file_get_size(const char *path, uint64_t *bytes, wring_error *e);
void           wring_file_check_size(const char *path, uint64_t bytes, wring_error *e);

void wring_file_sync(const char *path, wring_error *e);

/* Syncs the closed "<path>.part" and renames it, or removes it if e is set. */
void wring_file_finish(const char *path, wring_error *e);

/*
  The same after every rank has closed the file: rank 0 acts. If e is set on any rank, the file is removed and the error
  raised. Collective.
*/
PetscErrorCode wring_file_finish_all(MPI_Comm comm, const char *path, wring_error *e);
