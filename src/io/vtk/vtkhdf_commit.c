/*
  The number of frames and their times. Readers need as many times as NSteps says, so both must change at once: Values
  is a link to one of two tables of times. The other table gets the new times; when they are on the disk, the header of
  the group Steps, which has the link and the attribute NSteps, is replaced by one write.
*/
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "vtkhdf_impl.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Writes what has changed in the open file to the disk. */
static int write_out(wring_hdf5 *h)
{
  const int done = H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
  wring_file_sync(h->path, h->error);
  return done && !wring_failed(h->error);
}

static const char *const times_name[2] = {"/wring/times_0", "/wring/times_1"};

/* The table that Values does not name; in a file of 0.2, Values is itself a table. */
static const char *spare_times(const wring_hdf5 *h)
{
  char now[sizeof "/wring/times_0"] = "";
  H5Lget_val(h->file, wring_vtkhdf_values.name, now, sizeof now, H5P_DEFAULT);
  return times_name[strcmp(now, times_name[0]) == 0];
}

/*
  A table with one chunk for the times of all frames, which is filled, so that no space is allocated later. It gets its
  name when it is on the disk.
*/
static int create_times(wring_hdf5 *h, const char *name)
{
  const hsize_t room  = (hsize_t)PetscMax(1, wring_hdf5_count(h, wring_vtkhdf_step));
  const hid_t   space = H5Screate_simple(1, &room, &room), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, 0);
  H5Pset_chunk(create, 1, &room);
  H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(create, H5D_FILL_TIME_ALLOC);
  const hid_t set  = H5Dcreate_anon(h->file, H5T_IEEE_F64LE, space, create, H5P_DEFAULT);
  const int   done = set >= 0 && write_out(h) && H5Olink(set, h->file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Pclose(create);
  H5Sclose(space);
  return done;
}

/* Into the spare table, on the disk: its name, NULL if that fails. */
static const char *write_times(wring_hdf5 *h, int64_t n, const double *time)
{
  const hsize_t     rows = (hsize_t)n;
  const char *const name = spare_times(h);
  int               done = 1;
  for (int i = 0; i < 2 && done; i++)
    if (H5Lexists(h->file, times_name[i], H5P_DEFAULT) <= 0) done = create_times(h, times_name[i]);
  const hid_t set = done ? H5Dopen2(h->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
  done = H5Dset_extent(set, &rows) >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0 &&
         write_out(h);
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

void wring_vtkhdf_commit(const char *path, int64_t n, const double *time, wring_error *e)
{
  wring_hdf5 h;
  wring_hdf5_open_alone(&h, path, e);
  const char *const times = h.file < 0 ? NULL : write_times(&h, n, time);
  if (!times || !replace(h.file, times, n)) wring_error_set(e, "%s: cannot be written: the times of its frames", path);
  wring_hdf5_close(&h);
  if (!wring_failed(e)) wring_file_sync(path, e);
}

PetscErrorCode wring_vtkhdf_times(const char *path, int64_t *n, double **time, wring_error *e)
{
  wring_hdf5 h;

  PetscFunctionBegin;
  *n    = 0;
  *time = NULL;
  if (!wring_file_is_there(path, e)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_hdf5_open(&h, path, e);
  if (!wring_failed(e)) *n = wring_hdf5_count(&h, wring_vtkhdf_values);
  if (*n < 0) wring_error_set(e, "%s: is damaged or not a file of wring's frames", path);
  if (!wring_failed(e)) {
    PetscCall(PetscMalloc1((size_t)*n, time));
    wring_hdf5_read(&h, wring_vtkhdf_values, 0, *n, *time);
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
  if (wring_hdf5_count(&h, wring_vtkhdf_step) < n)
    wring_error_set(e, "%s: is damaged or not a file of wring's frames", path);
  else
    wring_hdf5_read(&h, wring_vtkhdf_step, 0, n, step);
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
  if (n > 0 && !wring_failed(e)) PetscCall(count_kept(path, n, keep, &kept, e));
  if (n > 0 && kept == 0 && !wring_failed(e) && unlink(path))
    wring_error_set(e, "%s: cannot be removed: %s", path, strerror(errno));
  if (kept > 0 && kept < n && !wring_failed(e)) wring_vtkhdf_commit(path, kept, time, e);
  PetscCall(PetscFree(time));
  PetscFunctionReturn(PETSC_SUCCESS);
}
