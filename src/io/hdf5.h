/*
  Tables [rows][width] in an HDF5 file, each with its CRC-32 (attribute "crc32", of the values as in memory, which are
  HDF5's little-endian file types on present machines). HDF5 prints nothing; *error keeps the first failure as one line
  "path: ...".

  All ranks write together; each rank reads separately with HDF5's serial driver, so that a damaged file cannot separate
  the ranks in a collective call.
*/
#pragma once
#include <hdf5.h>
#include <wring/io.h>

typedef struct {
  hid_t        file;
  MPI_Comm     comm; // of the writers
  const char  *path; // for messages; borrowed
  wring_error *error;
  H5E_auto2_t  report; // HDF5's error printer, restored by close
  void        *report_data;
} wring_hdf5;

/* A table [rows][width], or [rows] if it is flat, at a path of the file. */
typedef struct {
  const char *name;
  wring_type  type;
  int         width;
  PetscBool   flat;
} wring_table;

uint64_t wring_type_bytes(wring_type type);
uint64_t wring_hdf5_row_bytes(wring_table t);

/*
  Creates the HDF5 file "<path>.part", which must exist. If all ranks fail, they raise the error and the file is
  removed; a rank that fails alone ends the program, after 5 s at most, by MPI_Abort with status 4. After a failure of a
  later call, further calls may be made, and fail. Collective.
*/
PetscErrorCode wring_hdf5_create(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error);
/* Opens path for writing into its tables; failures as above. Collective. */
PetscErrorCode wring_hdf5_reopen(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error);
/* Opens path for reading; or for writing by this rank, without an error: h->file < 0 if that fails. Not collective. */
void wring_hdf5_open(wring_hdf5 *h, const char *path, wring_error *error);
void wring_hdf5_open_alone(wring_hdf5 *h, const char *path, wring_error *error);
/* Collective after create and reopen. */
void wring_hdf5_close(wring_hdf5 *h);

/* Appends a table whose rows are the n rows of rank 0, then those of rank 1, ... value [n][width]. Collective. */
PetscErrorCode wring_hdf5_write(wring_hdf5 *h, wring_table t, PetscInt64 n, const void *value);

/*
  Creates a table with disk space and without fill values or a checksum, collectively; writes rows [begin, begin + n),
  which is not collective, before all ranks close or flush the file together.
*/
void wring_hdf5_reserve(wring_hdf5 *h, wring_table t, int64_t rows);
void wring_hdf5_write_rows(wring_hdf5 *h, wring_table t, int64_t begin, int64_t n, const void *value);

/* 1 if there is a table of this name. Not collective. */
int wring_hdf5_has_table(const wring_hdf5 *h, const char *name);
/* The type and width of a table by its name; wring_hdf5_rows then checks the rest. Not collective. */
wring_table wring_hdf5_describe(wring_hdf5 *h, const char *name);
/* The number of rows; -1, and rows: an error, if there is no table of that name, type and width. Not collective. */
int64_t wring_hdf5_count(const wring_hdf5 *h, wring_table t);
int64_t wring_hdf5_rows(wring_hdf5 *h, wring_table t);
/* The byte of the file at which a table begins, 0 if it has no space. Not collective. */
uint64_t wring_hdf5_offset(const wring_hdf5 *h, const char *name);
/* Reads rows [begin, begin + n) of a table into value, without a check. Not collective. */
void wring_hdf5_read(wring_hdf5 *h, wring_table t, int64_t begin, int64_t n, void *value);
/* Checks the CRC of the rows that the ranks of comm have read, in rank order. Collective. */
PetscErrorCode wring_hdf5_check(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt64 n, const void *value);

/*
  Reads rows [begin, begin + n) of integers of 32 or 64 bits into index [n][width]. They must be in [least, limit], and
  the rows of all ranks of comm, in rank order, must have the table's CRC. Collective; a rank that has failed before
  takes part.
*/
PetscErrorCode wring_hdf5_read_indices(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt64 begin, PetscInt64 n,
                                       PetscInt least, PetscInt limit, PetscInt *index);

/* The bytes [begin, end) of a file that a table's values occupy, and their stored CRC. */
typedef struct {
  uint64_t begin, end;
  uint32_t crc;
  char     name[64];
} wring_extent;

/*
  The extents of all tables that are not empty, sorted by position: *extent [*n], freed by the caller. Not collective.
*/
PetscErrorCode wring_hdf5_extents(wring_hdf5 *h, int *n, wring_extent **extent);

enum { WRING_HDF5_TEXT = 64 }; // room for a text attribute

/* n values, 0: a scalar, as an attribute of a table or group. Collective, the same on all ranks. */
void wring_hdf5_put(wring_hdf5 *h, const char *path, const char *name, hid_t stored, hid_t type, hsize_t n,
                    const void *value);

/* Attributes of the file. put: collective, the same on all ranks. has, get: not collective. */
void      wring_hdf5_put_text(wring_hdf5 *h, const char *name, const char *value);
void      wring_hdf5_put_integer(wring_hdf5 *h, const char *name, int64_t value);
void      wring_hdf5_put_real(wring_hdf5 *h, const char *name, double value);
PetscBool wring_hdf5_has_attribute(const wring_hdf5 *h, const char *name);
void      wring_hdf5_get_text(wring_hdf5 *h, const char *name, char text[WRING_HDF5_TEXT]);
int64_t   wring_hdf5_get_integer(wring_hdf5 *h, const char *name);
double    wring_hdf5_get_real(wring_hdf5 *h, const char *name);
