#include "hdf5.h"
#include "crc.h"
#include "file.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static uint64_t value_bytes(wring_type type)
{
  return type == WRING_UINT8 ? 1 : type == WRING_INT32 ? 4 : 8;
}

static hid_t file_type(wring_type type)
{
  if (type == WRING_INT32) return H5T_STD_I32LE;
  return type == WRING_FLOAT64 ? H5T_IEEE_F64LE : type == WRING_INT64 ? H5T_STD_I64LE : H5T_STD_U8LE;
}

static hid_t memory_type(wring_type type)
{
  if (type == WRING_INT32) return H5T_NATIVE_INT32;
  return type == WRING_FLOAT64 ? H5T_NATIVE_DOUBLE : type == WRING_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

static void silence(wring_hdf5 *h)
{
  H5Eget_auto2(H5E_DEFAULT, &h->report, &h->report_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Format 1.8 is the oldest in which all metadata have checksums. */
static hid_t create_file(MPI_Comm comm, const char *part)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  H5Pset_obj_track_times(create, 0); // of the root group, as for the tables below
  const hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, create, access);
  H5Pclose(create);
  H5Pclose(access);
  return file;
}

/* Open MPI's MPI-IO makes a file in /dev/shm for ranks of one node (component sharedfp/sm), and gives no reason. */
static const char *cause(MPI_Comm comm)
{
  PetscMPIInt size;
  MPI_Comm_size(comm, &size);
  return size > 1 && access("/dev/shm", W_OK | X_OK)
           ? "; /dev/shm cannot be written (with Open MPI, try mpiexec --mca sharedfp ^sm)"
           : "";
}

/*
  A rank that fails alone ends the program, with the exit status of a failed output: the others wait in HDF5, in the
  opening or, since closing is collective, later in the closing, where no message reaches them.
*/
static void end_alone(const wring_hdf5 *h)
{
  (void)PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, WRING_ERR_OUTPUT, PETSC_ERROR_INITIAL,
                   "%s", h->error->text);
  MPI_Abort(h->comm, 4);
}

/* After all ranks have tried to open a file: sets an error if none has it. */
static PetscErrorCode agree(const wring_hdf5 *h, const char *verb)
{
  static const double patience = 5; // s
  const double        end      = MPI_Wtime() + patience;
  const int           mine     = h->file >= 0;
  int                 opened, arrived = 0;
  MPI_Request         request;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Iallreduce(&mine, &opened, 1, MPI_INT, MPI_MAX, h->comm, &request));
  if (mine) PetscCallMPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (mine) PetscFunctionReturn(PETSC_SUCCESS);
  while (!arrived && MPI_Wtime() < end) PetscCallMPI(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE));
  wring_error_set(h->error, "%s: cannot be written: HDF5 cannot %s it%s", h->path, verb, cause(h->comm));
  if (!arrived || opened) end_alone(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hdf5_create(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error)
{
  char part[WRING_FILE_NAME];

  PetscFunctionBegin;
  *h = (wring_hdf5){.file = H5I_INVALID_HID, .comm = comm, .path = path, .error = error};
  wring_file_part(path, part, error);
  PetscCall(wring_error_raise(comm, error));
  PetscCall(wring_file_check_open(comm, path, error));
  silence(h);
  h->file = create_file(comm, part);
  PetscCall(agree(h, "create"));
  if (error->text[0]) {
    H5Eset_auto2(H5E_DEFAULT, h->report, h->report_data);
    PetscCall(wring_file_finish_all(comm, path, error)); // raises
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hdf5_reopen(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error)
{
  PetscFunctionBegin;
  *h = (wring_hdf5){.file = H5I_INVALID_HID, .comm = comm, .path = path, .error = error};
  silence(h);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  h->file = H5Fopen(path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  PetscCall(agree(h, "open"));
  if (error->text[0]) H5Eset_auto2(H5E_DEFAULT, h->report, h->report_data);
  PetscCall(wring_error_raise_output(comm, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files are complete when they have their name, so no lock is needed; some parallel file systems have no locks. */
static hid_t open_file(const char *path)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, 0, 1);
#endif
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return file;
}

void wring_hdf5_open(wring_hdf5 *h, const char *path, wring_error *error)
{
  *h = (wring_hdf5){.file = H5I_INVALID_HID, .comm = MPI_COMM_SELF, .path = path, .error = error};
  silence(h);
  FILE *const f = fopen(path, "rb"); // HDF5 does not report why it cannot open a file
  if (!f)
    wring_error_set(error, "%s: cannot be read: %s", path, strerror(errno));
  else
    fclose(f);
  h->file = open_file(path);
  if (h->file < 0) wring_error_set(error, "%s: is damaged, cut short or not an HDF5 file", path);
}

void wring_hdf5_close(wring_hdf5 *h)
{
  if (h->file >= 0 && H5Fclose(h->file) < 0)
    wring_error_set(h->error, "%s: cannot be closed: is the disk full?", h->path);
  H5Eset_auto2(H5E_DEFAULT, h->report, h->report_data);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static void put(wring_hdf5 *h, hid_t object, const char *name, hid_t stored, hid_t type, const void *value)
{
  const hid_t space     = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  if (H5Awrite(attribute, type, value) < 0)
    wring_error_set(h->error, "%s: cannot be written: attribute %s", h->path, name);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void get(wring_hdf5 *h, hid_t object, const char *name, H5T_class_t class, hid_t type, void *value)
{
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t stored    = H5Aget_type(attribute);
  const hid_t space     = H5Aget_space(attribute);
  if (H5Tget_class(stored) != class || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(attribute, type, value) < 0) {
    wring_error_set(h->error, "%s: is damaged: attribute %s cannot be read", h->path, name);
  }
  H5Sclose(space);
  H5Tclose(stored);
  H5Aclose(attribute);
}

static hid_t text_type(const char *value)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(value) + 1);
  return type;
}

void wring_hdf5_put_text(wring_hdf5 *h, const char *name, const char *value)
{
  const hid_t type = text_type(value);
  put(h, h->file, name, type, type, value);
  H5Tclose(type);
}

void wring_hdf5_put_integer(wring_hdf5 *h, const char *name, int64_t value)
{
  put(h, h->file, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void wring_hdf5_put_real(wring_hdf5 *h, const char *name, double value)
{
  put(h, h->file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void wring_hdf5_get_text(wring_hdf5 *h, const char *name, char text[WRING_HDF5_TEXT])
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  memset(text, 0, WRING_HDF5_TEXT);
  H5Tset_size(type, WRING_HDF5_TEXT);
  get(h, h->file, name, H5T_STRING, type, text);
  text[WRING_HDF5_TEXT - 1] = '\0';
  H5Tclose(type);
}

int64_t wring_hdf5_get_integer(wring_hdf5 *h, const char *name)
{
  int64_t value = 0;
  get(h, h->file, name, H5T_INTEGER, H5T_NATIVE_INT64, &value);
  return value;
}

double wring_hdf5_get_real(wring_hdf5 *h, const char *name)
{
  double value = 0;
  get(h, h->file, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
  return value;
}

/* ---- checksums --------------------------------------------------------------------------------------------------- */

/* CRC-32 of the bytes of all ranks, in rank order; the same on all ranks. */
static PetscErrorCode checksum(MPI_Comm comm, uint64_t bytes, const void *value, uint32_t *crc)
{
  PetscFunctionBegin;
  *crc = (uint32_t)crc32_z(0, value && bytes ? value : (const Bytef *)"", bytes);
  PetscCall(wring_crc_join(comm, 1, crc, &bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The checksum that is stored with a table. */
static uint32_t get_checksum(wring_hdf5 *h, const char *name)
{
  uint32_t    stored = 0;
  const hid_t set    = H5Dopen2(h->file, name, H5P_DEFAULT);
  get(h, set, "crc32", H5T_INTEGER, H5T_NATIVE_UINT32, &stored);
  H5Dclose(set);
  return stored;
}

static void compare_checksum(wring_hdf5 *h, const char *name, uint32_t crc)
{
  const uint32_t stored = get_checksum(h, name);
  if (stored != crc) wring_error_set(h->error, "%s: is damaged: the checksum of %s does not match", h->path, name);
}

PetscErrorCode wring_hdf5_check(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt64 n, const void *value)
{
  uint32_t crc;

  PetscFunctionBegin;
  PetscCall(checksum(comm, (uint64_t)n * (uint64_t)t.width * value_bytes(t.type), value, &crc));
  compare_checksum(h, t.name, crc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In blocks, so that no second copy of all rows is needed. */
PetscErrorCode wring_hdf5_read_indices(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt64 begin, PetscInt64 n,
                                       PetscInt least, PetscInt limit, PetscInt *index)
{
  enum { BLOCK = 1 << 16 };
  const size_t size  = value_bytes(t.type);
  uint64_t     bytes = 0;
  uLong        crc   = crc32(0, NULL, 0);
  void        *block;

  PetscFunctionBegin;
  PetscCall(PetscCalloc((size_t)PetscMin(n, BLOCK) * (size_t)t.width * size, &block));
  for (PetscInt64 done = 0; done < n && !h->error->text[0]; done += BLOCK) {
    const PetscInt64 rows = PetscMin(n - done, BLOCK), values = rows * t.width;
    wring_hdf5_read(h, t, begin + done, rows, block);
    crc = crc32_z(crc, block, (size_t)values * size);
    bytes += (uint64_t)values * size;
    for (PetscInt64 i = 0; i < values; i++) {
      const int64_t value = size == 4 ? ((const int32_t *)block)[i] : ((const int64_t *)block)[i];
      if (value < least || value > limit)
        wring_error_set(h->error, "%s: table %s has %lld, expected %" PetscInt_FMT " to %" PetscInt_FMT, h->path,
                        t.name, (long long)value, least, limit);
      *index++ = (PetscInt)value;
    }
  }
  PetscCall(PetscFree(block));
  uint32_t whole = (uint32_t)crc;
  PetscCall(wring_crc_join(comm, 1, &whole, &bytes));
  compare_checksum(h, t.name, whole);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Selects the rows [begin, begin + n) of a space [..][width]; returns a memory space for them. */
static hid_t select_rows(hid_t space, int width, PetscInt64 begin, PetscInt64 n)
{
  const hsize_t start[2] = {(hsize_t)begin, 0}, count[2] = {(hsize_t)n, (hsize_t)width};
  const hid_t   memory = H5Screate_simple(2, count, NULL);
  if (n > 0) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  } else {
    H5Sselect_none(space);
    H5Sselect_none(memory);
  }
  return memory;
}

static herr_t write_rows(hid_t set, wring_table t, PetscInt64 begin, PetscInt64 n, const void *value)
{
  static const char nothing  = 0;
  const hid_t       space    = H5Dget_space(set);
  const hid_t       memory   = select_rows(space, t.width, begin, n);
  const hid_t       transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  const herr_t status = H5Dwrite(set, memory_type(t.type), memory, space, transfer, n > 0 ? value : &nothing);
  H5Pclose(transfer);
  H5Sclose(memory);
  H5Sclose(space);
  return status;
}

/* Without time stamps, so that the same run writes the same bytes. */
static hid_t create_table(wring_hdf5 *h, wring_table t, PetscInt64 rows)
{
  const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)t.width};
  const hid_t   space    = H5Screate_simple(2, shape, NULL);
  const hid_t   create   = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, 0);
  const hid_t set = H5Dcreate2(h->file, t.name, file_type(t.type), space, H5P_DEFAULT, create, H5P_DEFAULT);
  H5Pclose(create);
  H5Sclose(space);
  return set;
}

PetscErrorCode wring_hdf5_write(wring_hdf5 *h, wring_table t, PetscInt64 n, const void *value)
{
  PetscMPIInt rank;
  PetscInt64  begin = 0, rows;
  uint32_t    crc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(h->comm, &rank));
  PetscCallMPI(MPI_Allreduce(&n, &rows, 1, MPIU_INT64, MPI_SUM, h->comm));
  PetscCallMPI(MPI_Exscan(&n, &begin, 1, MPIU_INT64, MPI_SUM, h->comm));
  if (rank == 0) begin = 0; // MPI_Exscan leaves it undefined
  PetscCall(checksum(h->comm, (uint64_t)n * (uint64_t)t.width * value_bytes(t.type), value, &crc));
  const hid_t set = create_table(h, t, rows);
  if (set < 0) wring_error_set(h->error, "%s: cannot be written: table %s", h->path, t.name);
  PetscCall(wring_error_share(h->comm, h->error));
  if (h->error->text[0]) {
    if (set >= 0) H5Dclose(set);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (rows > 0 && write_rows(set, t, begin, n, value) < 0) { // HDF5 does not allocate empty tables nor write to them
    wring_error_set(h->error, "%s: cannot be written: table %s; is the disk full?", h->path, t.name);
  }
  put(h, set, "crc32", H5T_STD_U32LE, H5T_NATIVE_UINT32, &crc);
  H5Dclose(set);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int wring_hdf5_has_table(const wring_hdf5 *h, const char *name)
{
  return H5Lexists(h->file, name, H5P_DEFAULT) > 0;
}

/* A number of rows that the file cannot hold is reported as damage before memory is allocated. */
PetscInt64 wring_hdf5_rows(wring_hdf5 *h, wring_table t)
{
  hsize_t     shape[2] = {0, 0}, size = 0;
  const hid_t set   = H5Dopen2(h->file, t.name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  const hid_t type  = H5Dget_type(set);
  const int   fits  = H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, shape, NULL) == 2 &&
                   shape[1] == (hsize_t)t.width && H5Tequal(type, file_type(t.type)) > 0 &&
                   H5Fget_filesize(h->file, &size) >= 0 && shape[0] <= size / (shape[1] * value_bytes(t.type));
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  if (fits) return (PetscInt64)shape[0];
  wring_error_set(h->error, "%s: has no table %s of width %d", h->path, t.name, t.width);
  return -1;
}

void wring_hdf5_read(wring_hdf5 *h, wring_table t, PetscInt64 begin, PetscInt64 n, void *value)
{
  if (n <= 0) return;
  const hid_t set    = H5Dopen2(h->file, t.name, H5P_DEFAULT);
  const hid_t space  = H5Dget_space(set);
  const hid_t memory = select_rows(space, t.width, begin, n);
  if (H5Dread(set, memory_type(t.type), memory, space, H5P_DEFAULT, value) < 0) {
    wring_error_set(h->error, "%s: is damaged: table %s cannot be read", h->path, t.name);
  }
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(set);
}

/* ---- all tables -------------------------------------------------------------------------------------------------- */

wring_table wring_hdf5_describe(wring_hdf5 *h, const char *name)
{
  wring_table t        = {name, WRING_FLOAT64, 1};
  hsize_t     shape[2] = {0, 1};
  const hid_t set      = H5Dopen2(h->file, name, H5P_DEFAULT);
  const hid_t space    = H5Dget_space(set);
  const hid_t type     = H5Dget_type(set);
  if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, shape, NULL);
  if (H5Tget_class(type) == H5T_INTEGER)
    t.type = H5Tget_size(type) == 1 ? WRING_UINT8 : H5Tget_size(type) == 4 ? WRING_INT32 : WRING_INT64;
  t.width = (int)PetscClipInterval(shape[1], 1, PETSC_MPI_INT_MAX);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  return t;
}

static wring_extent extent_of(wring_hdf5 *h, const char *name)
{
  const wring_table t    = wring_hdf5_describe(h, name);
  const PetscInt64  rows = wring_hdf5_rows(h, t);
  const hid_t       set  = H5Dopen2(h->file, name, H5P_DEFAULT);
  const haddr_t     at   = H5Dget_offset(set);
  wring_extent      x    = {.begin = at, .crc = get_checksum(h, name)};
  H5Dclose(set);
  if (rows > 0 && at == HADDR_UNDEF) wring_error_set(h->error, "%s: is damaged: table %s has no data", h->path, name);
  x.end = rows > 0 && at != HADDR_UNDEF ? at + (uint64_t)rows * (uint64_t)t.width * value_bytes(t.type) : x.begin;
  snprintf(x.name, sizeof x.name, "%s", name);
  return x;
}

/* Inserts an extent in the order of positions; there are few. */
static void add_extent(wring_extent x, int *n, wring_extent *extent)
{
  int i = (*n)++;
  for (; i > 0 && extent[i - 1].begin > x.begin; i--) extent[i] = extent[i - 1];
  extent[i] = x;
}

PetscErrorCode wring_hdf5_extents(wring_hdf5 *h, int *n, wring_extent **extent)
{
  H5G_info_t root = {.nlinks = 0};
  char       name[64];

  PetscFunctionBegin;
  *n = 0;
  if (H5Gget_info(h->file, &root) < 0) wring_error_set(h->error, "%s: is damaged: no table can be read", h->path);
  PetscCall(PetscMalloc1(root.nlinks, extent));
  for (hsize_t i = 0; i < root.nlinks && !h->error->text[0]; i++) {
    if (H5Lget_name_by_idx(h->file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0) {
      wring_error_set(h->error, "%s: is damaged: a table has no name", h->path);
      break;
    }
    const wring_extent x = extent_of(h, name);
    if (x.end > x.begin) add_extent(x, n, *extent);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
