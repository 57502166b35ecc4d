#include "rows.h"
#include "vtk_types.h"

static hid_t file_type(wring_type type)
{
  const hid_t types[] = {[WRING_FLOAT64] = H5T_IEEE_F64LE,
                         [WRING_FLOAT32] = H5T_IEEE_F32LE,
                         [WRING_INT64]   = H5T_STD_I64LE,
                         [WRING_INT32]   = H5T_STD_I32LE,
                         [WRING_UINT8]   = H5T_STD_U8LE};
  return types[type];
}

static hid_t memory_type(wring_type type)
{
  const hid_t types[] = {[WRING_FLOAT64] = H5T_NATIVE_DOUBLE,
                         [WRING_FLOAT32] = H5T_NATIVE_FLOAT,
                         [WRING_INT64]   = H5T_NATIVE_INT64,
                         [WRING_INT32]   = H5T_NATIVE_INT32,
                         [WRING_UINT8]   = H5T_NATIVE_UINT8};
  return types[type];
}

uint64_t wring_rows_bytes(const wring_rows *t)
{
  return (uint64_t)t->width * wring_type_bytes(t->type);
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

void wring_rows_create(wring_hdf5 *h, const wring_rows *t, int64_t rows)
{
  const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)t->width};
  const hid_t   space = H5Screate_simple(t->dimensions, shape, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, 0);
  H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
  H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY);
  const hid_t set = H5Dcreate2(h->file, t->path, file_type(t->type), space, H5P_DEFAULT, create, H5P_DEFAULT);
  if (set < 0) wring_error_set(h->error, "%s: cannot be written: table %s", h->path, t->path);
  if (set >= 0) H5Dclose(set);
  H5Pclose(create);
  H5Sclose(space);
}

/* All links and attributes of a group fit into its header, so that one write replaces several of them. */
void wring_rows_group(wring_hdf5 *h, const char *path)
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

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Selects rows, n > 0, of a space; returns a memory space for them. */
static hid_t select_rows(hid_t space, const wring_rows *t, int64_t begin, int64_t n)
{
  const hsize_t start[2] = {(hsize_t)begin, 0}, count[2] = {(hsize_t)n, (hsize_t)t->width};
  const hid_t   memory = H5Screate_simple(t->dimensions, count, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  return memory;
}

/*
  Each rank's rows are one block, which it writes by itself: a collective transfer would send them to other ranks first,
  and all ranks would wait for each other in every table.
*/
void wring_rows_write(wring_hdf5 *h, const wring_rows *t, int64_t begin, int64_t n, const void *value)
{
  if (n <= 0) return;
  const hid_t set    = H5Dopen2(h->file, t->path, H5P_DEFAULT);
  const hid_t space  = H5Dget_space(set);
  const hid_t memory = select_rows(space, t, begin, n);
  if (H5Dwrite(set, memory_type(t->type), memory, space, H5P_DEFAULT, value) < 0)
    wring_error_set(h->error, "%s: cannot be written: table %s; is the disk full?", h->path, t->path);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(set);
}

void wring_rows_read(wring_hdf5 *h, const wring_rows *t, int64_t begin, int64_t n, void *value)
{
  if (n <= 0) return;
  const hid_t set    = H5Dopen2(h->file, t->path, H5P_DEFAULT);
  const hid_t space  = H5Dget_space(set);
  const hid_t memory = select_rows(space, t, begin, n);
  if (H5Dread(set, memory_type(t->type), memory, space, H5P_DEFAULT, value) < 0)
    wring_error_set(h->error, "%s: is damaged: table %s cannot be read", h->path, t->path);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(set);
}

int64_t wring_rows_count(wring_hdf5 *h, const wring_rows *t)
{
  hsize_t     shape[2] = {0, 1}, size = 0;
  const hid_t set = H5Dopen2(h->file, t->path, H5P_DEFAULT), space = H5Dget_space(set), type = H5Dget_type(set);
  const int   fits = H5Sget_simple_extent_ndims(space) == t->dimensions &&
                   H5Sget_simple_extent_dims(space, shape, NULL) == t->dimensions && shape[1] == (hsize_t)t->width &&
                   H5Tequal(type, file_type(t->type)) > 0 && H5Fget_filesize(h->file, &size) >= 0 &&
                   shape[0] <= size / wring_rows_bytes(t);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  return fits ? (int64_t)shape[0] : -1;
}

int64_t wring_rows_links(wring_hdf5 *h, const char *path)
{
  H5G_info_t info = {.nlinks = 0};
  return H5Gget_info_by_name(h->file, path, &info, H5P_DEFAULT) < 0 ? -1 : (int64_t)info.nlinks;
}

uint64_t wring_rows_offset(wring_hdf5 *h, const wring_rows *t, int64_t row)
{
  const hid_t   set = H5Dopen2(h->file, t->path, H5P_DEFAULT);
  const haddr_t at  = H5Dget_offset(set);
  H5Dclose(set);
  return at == HADDR_UNDEF ? 0 : at + (uint64_t)row * wring_rows_bytes(t);
}
