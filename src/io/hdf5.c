#include "hdf5.h"
#include "crc.h"
#include "file.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

uint64_t wring_type_bytes(wring_type type)
{
  static const uint64_t bytes[] = {
    [WRING_FLOAT64] = 8, [WRING_FLOAT32] = 4, [WRING_INT64] = 8, [WRING_INT32] = 4, [WRING_UINT8] = 1};
  return bytes[type];
}

uint64_t wring_hdf5_row_bytes(wring_table t)
{
  return (uint64_t)t.width * wring_type_bytes(t.type);
}

enum { IN_FILE, IN_MEMORY };

static hid_t hdf5_type(wring_type type, int where)
{
  const hid_t types[][2] = {[WRING_FLOAT64] = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE},
                            [WRING_FLOAT32] = {H5T_IEEE_F32LE, H5T_NATIVE_FLOAT},
                            [WRING_INT64]   = {H5T_STD_I64LE, H5T_NATIVE_INT64},
                            [WRING_INT32]   = {H5T_STD_I32LE, H5T_NATIVE_INT32},
                            [WRING_UINT8]   = {H5T_STD_U8LE, H5T_NATIVE_UINT8}};
  return types[type][where];
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

/*
  Format 1.8 is the oldest in which all metadata have checksums. One process needs no lock: files are complete when they
  have their name, locks would keep readers of frames out, and some parallel file systems have none.
*/
static hid_t create_access(MPI_Comm comm)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  if (comm != MPI_COMM_NULL) H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
#if H5_VERSION_GE(1, 10, 7)
  if (comm == MPI_COMM_NULL) H5Pset_file_locking(access, 0, 1);
#endif
  return access;
}

static hid_t create_file(MPI_Comm comm, const char *part)
{
  const hid_t access = create_access(comm), create = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(create, 0); // of the root group, as for the tables below
  const hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, create, access);
  H5Pclose(create);
  H5Pclose(access);
  return file;
}

static hid_t open_file(MPI_Comm comm, const char *path, unsigned flags)
{
  const hid_t access = create_access(comm), file = H5Fopen(path, flags, access);
  H5Pclose(access);
  return file;
}

/* A file that is not open yet; HDF5 prints nothing from now on. */
static void begin(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error)
{
  *h = (wring_hdf5){.file = H5I_INVALID_HID, .comm = comm, .path = path, .error = error};
  H5Eget_auto2(H5E_DEFAULT, &h->report, &h->report_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Open MPI's MPI-IO makes a file in /dev/shm for ranks of one node (component sharedfp/sm), and gives no reason. */
static const char *cause(MPI_Comm comm)
{
  return wring_comm_size(comm) > 1 && access("/dev/shm", W_OK | X_OK)
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
  H5Eset_auto2(H5E_DEFAULT, h->report, h->report_data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hdf5_create(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error)
{
  char part[WRING_FILE_NAME];

  PetscFunctionBegin;
  wring_file_part(path, part, error);
  begin(h, comm, path, error);
  h->file = create_file(comm, part);
  PetscCall(agree(h, "create"));
  if (wring_failed(error)) PetscCall(wring_file_finish_all(comm, path, error)); // raises
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hdf5_reopen(wring_hdf5 *h, MPI_Comm comm, const char *path, wring_error *error)
{
  PetscFunctionBegin;
  begin(h, comm, path, error);
  h->file = open_file(comm, path, H5F_ACC_RDWR);
  PetscCall(agree(h, "open"));
  PetscCall(wring_error_raise_output(comm, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_hdf5_open_alone(wring_hdf5 *h, const char *path, wring_error *error)
{
  begin(h, MPI_COMM_SELF, path, error);
  h->file = open_file(MPI_COMM_NULL, path, H5F_ACC_RDWR);
}

void wring_hdf5_open(wring_hdf5 *h, const char *path, wring_error *error)
{
  begin(h, MPI_COMM_SELF, path, error);
  FILE *const f = fopen(path, "rb"); // HDF5 does not report why it cannot open a file
  if (!f)
    wring_error_set(error, "%s: cannot be read: %s", path, strerror(errno));
  else
    fclose(f);
  h->file = open_file(MPI_COMM_NULL, path, H5F_ACC_RDONLY);
  if (h->file < 0) wring_error_set(error, "%s: is damaged, cut short or not an HDF5 file", path);
}

void wring_hdf5_close(wring_hdf5 *h)
{
  if (h->file >= 0 && H5Fclose(h->file) < 0)
    wring_error_set(h->error, "%s: cannot be closed: is the disk full?", h->path);
  H5Eset_auto2(H5E_DEFAULT, h->report, h->report_data);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

void wring_hdf5_put(wring_hdf5 *h, const char *path, const char *name, hid_t stored, hid_t type, hsize_t n,
                    const void *value)
{
  const hid_t object    = H5Oopen(h->file, path, H5P_DEFAULT);
  const hid_t space     = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  if (H5Awrite(attribute, type, value) < 0)
    wring_error_set(h->error, "%s: cannot be written: attribute %s", h->path, name);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Oclose(object);
}

static void get(wring_hdf5 *h, const char *path, const char *name, H5T_class_t class, hid_t type, void *value)
{
  const hid_t attribute = H5Aopen_by_name(h->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
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

static hid_t create_text_type(size_t size)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

void wring_hdf5_put_text(wring_hdf5 *h, const char *name, const char *value)
{
  const hid_t type = create_text_type(strlen(value) + 1);
  wring_hdf5_put(h, "/", name, type, type, 0, value);
  H5Tclose(type);
}

void wring_hdf5_put_integer(wring_hdf5 *h, const char *name, int64_t value)
{
  wring_hdf5_put(h, "/", name, H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &value);
}

void wring_hdf5_put_real(wring_hdf5 *h, const char *name, double value)
{
  wring_hdf5_put(h, "/", name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &value);
}

PetscBool wring_hdf5_has_attribute(const wring_hdf5 *h, const char *name)
{
  return (PetscBool)(H5Aexists(h->file, name) > 0);
}

void wring_hdf5_get_text(wring_hdf5 *h, const char *name, char text[WRING_HDF5_TEXT])
{
  const hid_t type = create_text_type(WRING_HDF5_TEXT);
  memset(text, 0, WRING_HDF5_TEXT);
  get(h, "/", name, H5T_STRING, type, text);
  text[WRING_HDF5_TEXT - 1] = '\0';
  H5Tclose(type);
}

int64_t wring_hdf5_get_integer(wring_hdf5 *h, const char *name)
{
  int64_t value = 0;
  get(h, "/", name, H5T_INTEGER, H5T_NATIVE_INT64, &value);
  return value;
}

double wring_hdf5_get_real(wring_hdf5 *h, const char *name)
{
  double value = 0;
  get(h, "/", name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
  return value;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef struct {
  hid_t set, space, type;
} table_ids;

static table_ids open_table(const wring_hdf5 *h, const char *name)
{
  const hid_t set = H5Dopen2(h->file, name, H5P_DEFAULT);
  return (table_ids){set, H5Dget_space(set), H5Dget_type(set)};
}

static void close_table(table_ids t)
{
  H5Tclose(t.type);
  H5Sclose(t.space);
  H5Dclose(t.set);
}

/* Selects rows, n > 0, of a table; returns a memory space for them. */
static hid_t select_rows(table_ids ids, wring_table t, int64_t begin, int64_t n)
{
  const hsize_t start[2] = {(hsize_t)begin, 0}, count[2] = {(hsize_t)n, (hsize_t)t.width};
  H5Sselect_hyperslab(ids.space, H5S_SELECT_SET, start, NULL, count, NULL);
  return H5Screate_simple(t.flat ? 1 : 2, count, NULL);
}

/* Without time stamps, so that the same run writes the same bytes. */
static void create_table(wring_hdf5 *h, wring_table t, int64_t rows, hid_t properties)
{
  const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)t.width};
  const hid_t   space    = H5Screate_simple(t.flat ? 1 : 2, shape, NULL);
  H5Pset_obj_track_times(properties, 0);
  const hid_t set =
    H5Dcreate2(h->file, t.name, hdf5_type(t.type, IN_FILE), space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (set < 0) wring_error_set(h->error, "%s: cannot be written: table %s", h->path, t.name);
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  H5Pclose(properties);
}

void wring_hdf5_reserve(wring_hdf5 *h, wring_table t, int64_t rows)
{
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  create_table(h, t, rows, properties);
}

/* Writes rows of a table, or reads them if `to` is given. */
static void transfer(wring_hdf5 *h, wring_table t, int64_t begin, int64_t n, const void *from, void *to)
{
  if (n <= 0) return;
  const table_ids ids    = open_table(h, t.name);
  const hid_t     memory = select_rows(ids, t, begin, n), type = hdf5_type(t.type, IN_MEMORY);
  if (!to && H5Dwrite(ids.set, type, memory, ids.space, H5P_DEFAULT, from) < 0)
    wring_error_set(h->error, "%s: cannot be written: table %s; is the disk full?", h->path, t.name);
  if (to && H5Dread(ids.set, type, memory, ids.space, H5P_DEFAULT, to) < 0)
    wring_error_set(h->error, "%s: is damaged: table %s cannot be read", h->path, t.name);
  H5Sclose(memory);
  close_table(ids);
}

/*
  Each rank's rows are one block, which it writes by itself: a collective transfer would send them to other ranks first,
  and all ranks would wait for each other in every table.
*/
void wring_hdf5_write_rows(wring_hdf5 *h, wring_table t, int64_t begin, int64_t n, const void *value)
{
  transfer(h, t, begin, n, value, NULL);
}

void wring_hdf5_read(wring_hdf5 *h, wring_table t, int64_t begin, int64_t n, void *value)
{
  transfer(h, t, begin, n, NULL, value);
}

int wring_hdf5_has_table(const wring_hdf5 *h, const char *name)
{
  return H5Lexists(h->file, name, H5P_DEFAULT) > 0;
}

/* A number of rows that the file cannot hold is damage, which is found before memory is allocated. */
int64_t wring_hdf5_count(const wring_hdf5 *h, wring_table t)
{
  const int       dimensions = t.flat ? 1 : 2;
  hsize_t         shape[2] = {0, 1}, size = 0;
  const table_ids ids  = open_table(h, t.name);
  const int       fits = H5Sget_simple_extent_ndims(ids.space) == dimensions &&
                   H5Sget_simple_extent_dims(ids.space, shape, NULL) == dimensions && shape[1] == (hsize_t)t.width &&
                   H5Tequal(ids.type, hdf5_type(t.type, IN_FILE)) > 0 && H5Fget_filesize(h->file, &size) >= 0 &&
                   shape[0] <= size / wring_hdf5_row_bytes(t);
  close_table(ids);
  return fits ? (int64_t)shape[0] : -1;
}

int64_t wring_hdf5_rows(wring_hdf5 *h, wring_table t)
{
  const int64_t rows = wring_hdf5_count(h, t);
  if (rows < 0) wring_error_set(h->error, "%s: has no table %s of width %d", h->path, t.name, t.width);
  return rows;
}

uint64_t wring_hdf5_offset(const wring_hdf5 *h, const char *name)
{
  const hid_t   set = H5Dopen2(h->file, name, H5P_DEFAULT);
  const haddr_t at  = H5Dget_offset(set);
  H5Dclose(set);
  return at == HADDR_UNDEF ? 0 : at;
}

/* ---- tables with checksums --------------------------------------------------------------------------------------- */

/* CRC-32 of the bytes of all ranks, in rank order; the same on all ranks. */
static PetscErrorCode checksum(MPI_Comm comm, uint64_t bytes, const void *value, uint32_t *crc)
{
  PetscFunctionBegin;
  *crc = (uint32_t)crc32_z(0, value && bytes ? value : (const Bytef *)"", bytes);
  PetscCall(wring_crc_join(comm, 1, crc, &bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void compare_checksum(wring_hdf5 *h, const char *name, uint32_t crc)
{
  uint32_t stored = 0;
  get(h, name, "crc32", H5T_INTEGER, H5T_NATIVE_UINT32, &stored);
  if (stored != crc) wring_error_set(h->error, "%s: is damaged: the checksum of %s does not match", h->path, name);
}

PetscErrorCode wring_hdf5_check(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt64 n, const void *value)
{
  uint32_t crc;

  PetscFunctionBegin;
  PetscCall(checksum(comm, (uint64_t)n * wring_hdf5_row_bytes(t), value, &crc));
  compare_checksum(h, t.name, crc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In blocks, so that no second copy of all rows is needed. */
PetscErrorCode wring_hdf5_read_indices(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt64 begin, PetscInt64 n,
                                       PetscInt least, PetscInt limit, PetscInt *index)
{
  enum { BLOCK = 1 << 16 };
  const size_t size  = wring_type_bytes(t.type);
  uint64_t     bytes = 0;
  uLong        crc   = crc32(0, NULL, 0);
  void        *block;

  PetscFunctionBegin;
  PetscCall(PetscCalloc((size_t)PetscMin(n, BLOCK) * (size_t)t.width * size, &block));
  for (PetscInt64 done = 0; done < n && !wring_failed(h->error); done += BLOCK) {
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

PetscErrorCode wring_hdf5_write(wring_hdf5 *h, wring_table t, PetscInt64 n, const void *value)
{
  PetscInt64 begin, rows;
  uint32_t   crc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&n, &rows, 1, MPIU_INT64, MPI_SUM, h->comm));
  PetscCallMPI(MPI_Scan(&n, &begin, 1, MPIU_INT64, MPI_SUM, h->comm));
  begin -= n;
  PetscCall(checksum(h->comm, (uint64_t)n * wring_hdf5_row_bytes(t), value, &crc));
  create_table(h, t, rows, H5Pcreate(H5P_DATASET_CREATE));
  PetscCall(wring_error_share(h->comm, h->error));
  if (wring_failed(h->error)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_hdf5_write_rows(h, t, begin, n, value);
  wring_hdf5_put(h, t.name, "crc32", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0, &crc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

wring_table wring_hdf5_describe(wring_hdf5 *h, const char *name)
{
  wring_table     t        = {name, WRING_FLOAT64, 1, PETSC_FALSE};
  hsize_t         shape[2] = {0, 1};
  const table_ids ids      = open_table(h, name);
  if (H5Sget_simple_extent_ndims(ids.space) == 2) H5Sget_simple_extent_dims(ids.space, shape, NULL);
  if (H5Tget_class(ids.type) == H5T_INTEGER)
    t.type = H5Tget_size(ids.type) == 1 ? WRING_UINT8 : H5Tget_size(ids.type) == 4 ? WRING_INT32 : WRING_INT64;
  t.width = (int)PetscClipInterval(shape[1], 1, PETSC_MPI_INT_MAX);
  close_table(ids);
  return t;
}

static wring_extent extent_of(wring_hdf5 *h, const char *name)
{
  const wring_table t    = wring_hdf5_describe(h, name);
  const int64_t     rows = wring_hdf5_rows(h, t);
  const uint64_t    at   = wring_hdf5_offset(h, name);
  wring_extent      x    = {.begin = at, .end = at};
  get(h, name, "crc32", H5T_INTEGER, H5T_NATIVE_UINT32, &x.crc);
  if (rows > 0 && at == 0) wring_error_set(h->error, "%s: is damaged: table %s has no data", h->path, name);
  if (rows > 0 && at > 0) x.end += (uint64_t)rows * wring_hdf5_row_bytes(t);
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
  for (hsize_t i = 0; i < root.nlinks && !wring_failed(h->error); i++) {
    if (H5Lget_name_by_idx(h->file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0) {
      wring_error_set(h->error, "%s: is damaged: a table has no name", h->path);
      break;
    }
    const wring_extent x = extent_of(h, name);
    if (x.end > x.begin) add_extent(x, n, *extent);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
