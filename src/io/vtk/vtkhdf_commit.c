/*
  The number of frames and their times. Readers need as many times as NSteps says, so both must change at once: Values
  is a link to one of two tables of times. The other table gets the new times; when they are on the disk, the header of
  the group Steps, which has the link and the attribute NSteps, is replaced by one write.
*/
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "vtkhdf_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Open for reading and writing by one process; locks would keep readers out. */
static hid_t open_file(const char *path, unsigned flags)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, 0, 1);
#endif
  const hid_t file = H5Fopen(path, flags, access);
  H5Pclose(access);
  return file;
}

static void sync_file(const char *path, wring_error *e)
{
  const int fd = open(path, O_RDWR);
  if (fd < 0 || fsync(fd)) wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
}

/* Writes what has changed in the open file to the disk. */
static int write_out(hid_t file, const char *path, wring_error *e)
{
  const int done = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
  sync_file(path, e);
  return done && !e->text[0];
}

static const char *const times_name[2] = {"/wring/times_0", "/wring/times_1"};

/* The table that Values does not name; in a file of 0.2, Values is itself a table. */
static const char *spare_times(hid_t file)
{
  char now[sizeof "/wring/times_0"] = "";
  H5Lget_val(file, wring_vtkhdf_values.path, now, sizeof now, H5P_DEFAULT);
  return times_name[strcmp(now, times_name[0]) == 0];
}

/*
  A table with one chunk for the times of all frames, which is filled, so that no space is allocated later. It gets its
  name when it is on the disk.
*/
static int create_times(hid_t file, const char *name, const char *path, wring_error *e)
{
  wring_hdf5    h     = {.file = file};
  const hsize_t room  = (hsize_t)PetscMax(1, wring_rows_count(&h, &wring_vtkhdf_step));
  const hid_t   space = H5Screate_simple(1, &room, &room), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, 0);
  H5Pset_chunk(create, 1, &room);
  H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(create, H5D_FILL_TIME_ALLOC);
  const hid_t set  = H5Dcreate_anon(file, H5T_IEEE_F64LE, space, create, H5P_DEFAULT);
  const int   done = set >= 0 && write_out(file, path, e) && H5Olink(set, file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Pclose(create);
  H5Sclose(space);
  return done;
}

/* Into the spare table, on the disk: its name, NULL if that fails. */
static const char *write_times(hid_t file, int64_t n, const double *time, const char *path, wring_error *e)
{
  const hsize_t     rows = (hsize_t)n;
  const char *const name = spare_times(file);
  int               done = 1;
  for (int i = 0; i < 2 && done; i++)
    if (H5Lexists(file, times_name[i], H5P_DEFAULT) <= 0) done = create_times(file, times_name[i], path, e);
  const hid_t set = done ? H5Dopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
  done = H5Dset_extent(set, &rows) >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0 &&
         write_out(file, path, e);
  if (set >= 0) H5Dclose(set);
  return done ? name : NULL;
}

static int replace(hid_t file, const char *times, int64_t n)
{
  const hid_t steps = H5Gopen2(file, "/VTKHDF/Steps", H5P_DEFAULT), count = H5Aopen(steps, "NSteps", H5P_DEFAULT);
  const int   there = H5Lexists(steps, "Values", H5P_DEFAULT) > 0;
  const int   done  = (!there || H5Ldelete(steps, "Values", H5P_DEFAULT) >= 0) &&
                   H5Lcreate_soft(times, steps, "Values", H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
                   H5Awrite(count, H5T_NATIVE_INT64, &n) >= 0;
  H5Aclose(count);
  H5Gclose(steps);
  return done;
}

static int commit(const char *path, int64_t n, const double *time, wring_error *e)
{
  const hid_t       file  = open_file(path, H5F_ACC_RDWR);
  const char *const times = file < 0 ? NULL : write_times(file, n, time, path, e);
  const int         done  = times && replace(file, times, n);
  return file >= 0 && H5Fclose(file) >= 0 && done;
}

void wring_vtkhdf_commit(const char *path, int64_t n, const double *time, wring_error *e)
{
  H5E_auto2_t report;
  void       *data;
  H5Eget_auto2(H5E_DEFAULT, &report, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (!commit(path, n, time, e)) wring_error_set(e, "%s: cannot be written: the times of its frames", path);
  H5Eset_auto2(H5E_DEFAULT, report, data);
  if (!e->text[0]) sync_file(path, e);
}

PetscErrorCode wring_vtkhdf_times(const char *path, int64_t *n, double **time, wring_error *e)
{
  wring_hdf5 h;

  PetscFunctionBegin;
  *n    = 0;
  *time = NULL;
  if (!wring_file_is_there(path, e)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_hdf5_open(&h, path, e);
  if (!e->text[0]) *n = wring_rows_count(&h, &wring_vtkhdf_values);
  if (*n < 0) wring_error_set(e, "%s: is damaged or not a file of wring's frames", path);
  if (!e->text[0]) {
    PetscCall(PetscMalloc1((size_t)*n, time));
    wring_rows_read(&h, &wring_vtkhdf_values, 0, *n, *time);
  }
  wring_hdf5_close(&h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many of the first n frames have a step <= keep. */
static PetscErrorCode count_kept(const char *path, int64_t n, PetscInt keep, int64_t *kept, wring_error *e)
{
  wring_hdf5 h;
  int64_t   *step;

  PetscFunctionBegin;
  *kept = 0;
  PetscCall(PetscCalloc1((size_t)n, &step));
  wring_hdf5_open(&h, path, e);
  if (wring_rows_count(&h, &wring_vtkhdf_step) < n)
    wring_error_set(e, "%s: is damaged or not a file of wring's frames", path);
  else
    wring_rows_read(&h, &wring_vtkhdf_step, 0, n, step);
  wring_hdf5_close(&h);
  while (*kept < n && step[*kept] <= keep) (*kept)++;
  PetscCall(PetscFree(step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_vtkhdf_keep(const char *path, PetscInt keep, wring_error *e)
{
  int64_t n, kept = 0;
  double *time;

  PetscFunctionBegin;
  PetscCall(wring_vtkhdf_times(path, &n, &time, e));
  if (n > 0 && !e->text[0]) PetscCall(count_kept(path, n, keep, &kept, e));
  if (n > 0 && kept == 0 && !e->text[0]) unlink(path);
  if (kept > 0 && kept < n && !e->text[0]) wring_vtkhdf_commit(path, kept, time, e);
  PetscCall(PetscFree(time));
  PetscFunctionReturn(PETSC_SUCCESS);
}
