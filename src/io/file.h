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

/* Refuses to write `to` where it is no plain file, or where that would destroy `from` (NULL: no input). */
void wring_file_protect(const char *from, const char *to, wring_error *e);

/* Opens "<path>.part" for writing; NULL on error. To be closed by wring_file_commit. */
FILE *wring_file_create(const char *path, wring_error *e);

/* Closes and renames the file, or removes it if a write failed or e is set. f may be NULL. */
void wring_file_commit(FILE *f, const char *path, wring_error *e);

/* fallocate, repeated if a signal interrupts it: 0 too if the file system cannot allocate. errno is set otherwise. */
int wring_file_allocate(int fd, int mode, uint64_t from, uint64_t bytes);

/*
  Rank 0 creates an empty "<path>.part" and reserves disk space for its bytes, if the file system supports that; then
  every rank opens it for writing: *fd, to be closed by wring_file_close. An error is raised and the file removed.
  Collective. Nothing is opened by MPI-IO, whose collective open never returns on the ranks that can open a file if one
  cannot, as that of Open MPI 4.
*/
PetscErrorCode wring_file_open_all(MPI_Comm comm, const char *path, uint64_t bytes, int *fd, wring_error *e);
/* Writes bytes at a position; nothing if e is set. Syncs and closes. */
void wring_file_write(int fd, const char *path, uint64_t at, uint64_t bytes, const void *from, wring_error *e);
void wring_file_close(int fd, const char *path, wring_error *e);

/*
  For HDF5's MPI-IO: space is reserved, and every rank can open the file, as above. Collective. Open MPI 4 may lose a
  write error of another rank: the size of "<path>.part" after it is closed.
*/
PetscErrorCode wring_file_reserve(MPI_Comm comm, const char *path, uint64_t bytes, wring_error *e);
void           wring_file_get_size(const char *path, uint64_t *bytes, wring_error *e);

void wring_file_sync(const char *path, wring_error *e);

/* Syncs the closed "<path>.part" and renames it, or removes it if e is set. */
void wring_file_finish(const char *path, wring_error *e);

/*
  The same after every rank has closed the file: rank 0 acts. If e is set on any rank, the file is removed and the error
  raised. Collective.
*/
PetscErrorCode wring_file_finish_all(MPI_Comm comm, const char *path, wring_error *e);
