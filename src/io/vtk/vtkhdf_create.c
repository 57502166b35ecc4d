/* A new file of frames, with those of an old one. */
#include "base/count.h"
#include "io/file.h"
#include "vtkhdf_impl.h"
#include <sys/resource.h>

/* ---- groups, attributes, tables ---------------------------------------------------------------------------------- */

/* All links and attributes of a group fit into its header, so that one write replaces several of them. */
static void create_group(wring_hdf5 *h, const char *path)
{
  const hid_t create = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(create, 0);
  H5Pset_link_phase_change(create, 64, 32);
  H5Pset_est_link_info(create, 16, 24);
  const hid_t group = H5Gcreate2(h->file, path, H5P_DEFAULT, create, H5P_DEFAULT);
  if (group < 0) wring_error_set(h->error, "%s: cannot be written: group %s", h->path, path);
  if (group >= 0) H5Gclose(group);
  H5Pclose(create);
}

static void create_groups(wring_hdf5 *h)
{
  static const char *const group[]    = {"/wring",
                                         "/VTKHDF",
                                         "/VTKHDF/PointData",
                                         "/VTKHDF/CellData",
                                         "/VTKHDF/Steps",
                                         "/VTKHDF/Steps/PointDataOffsets",
                                         "/VTKHDF/Steps/CellDataOffsets"};
  static const char        kind[]     = "UnstructuredGrid";
  static const int64_t     version[2] = {2, 0}, none = 0;
  const hid_t              text = H5Tcopy(H5T_C_S1);
  for (size_t i = 0; i < sizeof group / sizeof group[0]; i++) create_group(h, group[i]);
  H5Tset_size(text, sizeof kind - 1);
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  wring_hdf5_put(h, "/VTKHDF", "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, version);
  wring_hdf5_put(h, "/VTKHDF", "Type", text, text, 0, kind);
  wring_hdf5_put(h, "/VTKHDF/Steps", "NSteps", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &none);
  H5Tclose(text);
}

static int64_t rows_of(const wring_vtkhdf_file *f, const wring_vtkhdf_table *t)
{
  const wring_layout *const last = &f->layout[f->n_layout - 1];
  return t->fixed ? wring_vtkhdf_row(f, t, last->first) + wring_vtkhdf_unit(last, t->unit)
                  : wring_vtkhdf_row(f, t, f->room);
}

/* ---- frames of the old file -------------------------------------------------------------------------------------- */

/* Copies the first rows of a table, each rank an equal share, in blocks. */
static PetscErrorCode copy_rows(wring_vtkhdf_file *f, wring_hdf5 *old, wring_table t, int64_t rows)
{
  const int64_t     block = PetscMax(1, (int64_t)((1 << 24) / wring_hdf5_row_bytes(t)));
  const wring_share mine  = wring_equal_share(f->comm, rows);
  void             *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc((size_t)PetscMin(block, mine.n) * wring_hdf5_row_bytes(t), &value));
  for (int64_t done = 0; done < mine.n; done += block) {
    const int64_t begin = mine.begin + done, n = PetscMin(block, mine.n - done);
    wring_hdf5_read(old, t, begin, n, value);
    wring_hdf5_write_rows(&f->h, t, begin, n, value);
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_frames(wring_vtkhdf_file *f, const char *path)
{
  wring_hdf5 old;

  PetscFunctionBegin;
  wring_hdf5_open(&old, path, &f->error);
  PetscCall(wring_error_share(f->comm, &f->error));
  for (int i = 0; i < f->n_table && !wring_failed(&f->error); i++)
    PetscCall(copy_rows(f, &old, f->table[i].in_file, wring_vtkhdf_row(f, &f->table[i], f->frames)));
  if (!wring_failed(&f->error)) {
    PetscCall(copy_rows(f, &old, wring_vtkhdf_step, f->frames));
    PetscCall(copy_rows(f, &old, wring_vtkhdf_layouts, f->n_layout - 1));
  }
  wring_hdf5_close(&old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

enum { METADATA = 1 << 16 }; // bytes

/* A limit on the size of files would end the program by a signal. */
static void check_limit(const wring_vtkhdf_file *f, const char *path, wring_error *e)
{
  struct rlimit limit;
  uint64_t      bytes = METADATA + 3 * sizeof(double) * (uint64_t)f->room; // steps, and times twice
  for (int i = 0; i < f->n_table; i++)
    bytes += (uint64_t)rows_of(f, &f->table[i]) * wring_hdf5_row_bytes(f->table[i].in_file);
  if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return;
  wring_error_set(e, "%s: cannot be written: with all frames it has %llu bytes, and the limit on files is %llu", path,
                  (unsigned long long)bytes, (unsigned long long)limit.rlim_cur);
}

PetscErrorCode wring_vtkhdf_create(wring_vtkhdf_file *f, const char *path, uint64_t frame_bytes)
{
  wring_error *const e = &f->error;

  PetscFunctionBegin;
  if (f->rank == 0) check_limit(f, path, e);
  PetscCall(wring_file_reserve(f->comm, path, frame_bytes + METADATA, e));
  PetscCall(wring_hdf5_create(&f->h, f->comm, path, e));
  create_groups(&f->h);
  for (int i = 0; i < f->n_table; i++) wring_hdf5_reserve(&f->h, f->table[i].in_file, rows_of(f, &f->table[i]));
  wring_hdf5_reserve(&f->h, wring_vtkhdf_step, f->room);
  wring_hdf5_reserve(&f->h, wring_vtkhdf_layouts, f->n_layout);
  PetscCall(wring_error_share(f->comm, e));
  if (!wring_failed(e) && f->frames > 0) PetscCall(copy_frames(f, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
