/* ranks: 1 2 4 */
/*
  A checkpoint written on all ranks and read on 1, 2, ... of them gives the same bits by original vertex number, and the
  original mesh, of which no rank reads more than its share. A flipped byte or a truncated file is refused and never
  causes a crash, nor does a mesh file that is missing, damaged or another one. The mesh file is written once, and again
  if it is lost. The two newest checkpoints are kept; a damaged newest one is skipped for the one before.
*/
#define _GNU_SOURCE // RTLD_NEXT
#include "distribute.h"
#include "refused.h"
#include <dlfcn.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <wring/io.h>

static int losing; // whether the values of table "position" are written wrongly

/* Replaces HDF5's function and flips a bit of what it writes. */
herr_t H5Dwrite(hid_t set, hid_t type, hid_t memory, hid_t space, hid_t transfer, const void *value)
{
  herr_t (*write)(hid_t, hid_t, hid_t, hid_t, hid_t, const void *);
  char          name[64] = "";
  const ssize_t size     = H5Iget_name(set, name, sizeof name);
  *(void **)&write       = dlsym(RTLD_NEXT, "H5Dwrite");
  if (losing && size > 0 && strcmp(name, "/position") == 0) *(unsigned char *)value ^= 1;
  return write(set, type, memory, space, transfer, value);
}

enum { TABLES = 64 };

/* Rows that this rank has read of each table. */
static struct {
  char     name[64];
  hssize_t rows;
} reads[TABLES];

/* Replaces HDF5's function and counts rows. */
herr_t H5Dread(hid_t set, hid_t type, hid_t memory, hid_t space, hid_t transfer, void *value)
{
  herr_t (*read)(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
  char          name[64] = "";
  hsize_t       shape[2];
  const ssize_t size = H5Iget_name(set, name, sizeof name);
  *(void **)&read    = dlsym(RTLD_NEXT, "H5Dread");
  for (int i = 0; i < TABLES && size > 0 && H5Sget_simple_extent_dims(memory, shape, NULL) == 2; i++) {
    if (reads[i].name[0] && strcmp(reads[i].name, name) != 0) continue;
    memcpy(reads[i].name, name, sizeof name);
    reads[i].rows += (hssize_t)shape[0];
    break;
  }
  return read(set, type, memory, space, transfer, value);
}

static wring_box box = {.size = {1, 1, 1}, .cells = {3, 2, 2}, .jitter = 0.2};

enum { STEP = 50 };
static const double TIME = 0.1 + 0.2; // not a short decimal

/* A different value for each vertex, component and field, by original number. */
static double value_of(PetscInt original, int component, int field)
{
  uint64_t state = (uint64_t)original * 16 + (uint64_t)component * 4 + (uint64_t)field;
  return test_random(&state);
}

enum { N_FIELD = 3 }; // the last is one number
static const double number = -1.0 / 3;

static PetscErrorCode create_fields(const wring_mesh *m, wring_checkpoint_field f[N_FIELD])
{
  PetscFunctionBegin;
  f[0] = (wring_checkpoint_field){"position", 3, NULL};
  f[1] = (wring_checkpoint_field){"weight", 1, NULL};
  f[2] = (wring_checkpoint_field){"work", 0, NULL};
  for (int k = 0; k < 2; k++) PetscCall(PetscCalloc1(m->n_owned * f[k].components, &f[k].value));
  PetscCall(PetscCalloc1(1, &f[2].value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_fields(wring_checkpoint_field f[N_FIELD])
{
  PetscFunctionBegin;
  for (int k = 0; k < N_FIELD; k++) PetscCall(PetscFree(f[k].value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static char mesh_seal[WRING_SEAL_TEXT]; // of the last mesh file written

static void directory_of(const char *file, char directory[PETSC_MAX_PATH_LEN])
{
  snprintf(directory, PETSC_MAX_PATH_LEN, "%.*s", (int)(strrchr(file, '/') - file), file);
}

/* The mesh file, unless it is there, and the checkpoint. */
static PetscErrorCode write_checkpoint(MPI_Comm comm, const char *file)
{
  wring_mesh            *m;
  wring_checkpoint_field f[N_FIELD];
  char                   directory[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  directory_of(file, directory);
  PetscCall(test_distribute_box(comm, &box, &m));
  PetscCall(create_fields(m, f));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < m->n_owned; i++) {
      for (int c = 0; c < f[k].components; c++)
        f[k].value[i * f[k].components + c] = value_of(m->number.original[i], c, k);
    }
  }
  *f[2].value           = number;
  PetscErrorCode status = wring_checkpoint_write_mesh(directory, m, mesh_seal);
  if (!status) status = wring_checkpoint_write(file, m, mesh_seal, STEP, TIME, N_FIELD, f);
  PetscCall(destroy_fields(f));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_names(const wring_names *a, const wring_names *b)
{
  CHECK(a->n == b->n, "%d names, expected %d", (int)a->n, (int)b->n);
  for (PetscInt i = 0; i < a->n; i++)
    CHECK(strcmp(a->name[i], b->name[i]) == 0, "%s, expected %s", a->name[i], b->name[i]);
}

static int compare_rows(const void *a, const void *b)
{
  const PetscInt *const x = a, *const y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* The rows of all ranks, on all ranks. */
static PetscErrorCode join(MPI_Comm comm, int width, PetscInt *n, PetscInt **row)
{
  PetscMPIInt *count, *start;
  const int    mine = (int)*n * width;
  PetscInt    *all;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  PetscCall(PetscMalloc2(size, &count, size + 1, &start));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, comm));
  start[0] = 0;
  for (int p = 0; p < size; p++) start[p + 1] = start[p] + count[p];
  PetscCall(PetscMalloc1(start[size], &all));
  PetscCallMPI(MPI_Allgatherv(*row, mine, MPIU_INT, all, count, start, MPIU_INT, comm));
  *n   = start[size] / width;
  *row = all;
  PetscCall(PetscFree2(count, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_set_elements(MPI_Comm comm, const wring_mesh_data *d, const wring_mesh_data *b)
{
  PetscInt n = d->n_set_element, *row = d->set_element;

  PetscFunctionBegin;
  PetscCall(join(comm, 4, &n, &row));
  CHECK(n == b->n_set_element, "%d lines and triangles, expected %d", (int)n, (int)b->n_set_element);
  qsort(row, (size_t)n, 4 * sizeof(PetscInt), compare_rows);
  qsort(b->set_element, (size_t)n, 4 * sizeof(PetscInt), compare_rows);
  CHECK(memcmp(row, b->set_element, sizeof *row * 4 * (size_t)n) == 0, "lines and triangles of sets differ");
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The members whose vertices [begin, end) are on this rank. */
static void check_members(const wring_mesh_data *d, const wring_mesh_data *b, PetscInt begin, PetscInt end)
{
  for (PetscInt s = 0; s < b->sets.n; s++) {
    PetscInt i = d->set_start[s];
    for (PetscInt j = b->set_start[s]; j < b->set_start[s + 1]; j++) {
      if (b->set_vertex[j] < begin || b->set_vertex[j] >= end) continue;
      CHECK(i < d->set_start[s + 1] && d->set_vertex[i] == b->set_vertex[j], "set %d: a member is missing", (int)s);
      i++;
    }
    CHECK(i == d->set_start[s + 1], "set %d has other members", (int)s);
  }
}

/* Compares every array with the box generator's, bit by bit; lines and triangles of sets in any order. */
static PetscErrorCode check_mesh_data(MPI_Comm comm, const wring_mesh_data *d)
{
  wring_mesh_data *b;
  PetscInt         end[2] = {d->n_vertex, d->n_tet}, all[2];

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &b, &(wring_error){""}));
  PetscCallMPI(MPI_Allreduce(end, all, 2, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, end, 2, MPIU_INT, MPI_SUM, comm));
  const PetscInt v = end[0] - d->n_vertex, t = end[1] - d->n_tet;
  CHECK(all[0] == b->n_vertex && all[1] == b->n_tet, "%d vertices, %d tets", (int)all[0], (int)all[1]);
  CHECK(memcmp(d->X, b->X + 3 * v, sizeof *b->X * 3 * (size_t)d->n_vertex) == 0, "rest positions differ");
  CHECK(memcmp(d->tet, b->tet + 4 * t, sizeof *b->tet * 4 * (size_t)d->n_tet) == 0, "tets differ");
  CHECK(memcmp(d->region, b->region + t, sizeof *b->region * (size_t)d->n_tet) == 0, "regions differ");
  check_names(&d->regions, &b->regions);
  check_names(&d->sets, &b->sets);
  check_members(d, b, v, end[0]);
  PetscCall(check_set_elements(comm, d, b));
  PetscCall(wring_mesh_data_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No rank has read more than its share of a table of the mesh, except names and counts of sets. */
static PetscErrorCode check_share(MPI_Comm comm)
{
  int tables = 0;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  for (int i = 0; i < TABLES && reads[i].name[0]; i++) {
    long long rows = reads[i].rows;
    if (strstr(reads[i].name, "names") || strstr(reads[i].name, "set_start")) continue;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_LONG_LONG, MPI_SUM, comm));
    CHECK(reads[i].rows <= rows / size + 1, "%s: %d of %d rows on one of %d ranks", reads[i].name, (int)reads[i].rows,
          (int)rows, (int)size);
    tables++;
  }
  CHECK(tables == 5, "%d tables have been read", tables);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_fields(const char *file, const wring_mesh *m)
{
  wring_checkpoint_field f[N_FIELD];

  PetscFunctionBegin;
  PetscCall(create_fields(m, f));
  PetscCall(wring_checkpoint_read_fields(file, m, N_FIELD, f));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < m->n_owned; i++) {
      for (int c = 0; c < f[k].components; c++) {
        const double got = f[k].value[i * f[k].components + c], expected = value_of(m->number.original[i], c, k);
        CHECK(got == expected, "%s of vertex %d: %g, expected %g", f[k].name, (int)m->number.original[i], got,
              expected);
      }
    }
  }
  CHECK(*f[2].value == number, "work: %.17g, expected %.17g", *f[2].value, number);
  f[2].name = "weight";
  CHECK_REFUSED(wring_checkpoint_read_fields(file, m, N_FIELD, f), "checkpoint_", "weight is not one number");
  f[0].name = "momentum";
  CHECK_REFUSED(wring_checkpoint_read_fields(file, m, N_FIELD, f), "checkpoint_", "has no table momentum");
  PetscCall(destroy_fields(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_read(MPI_Comm comm, const char *file)
{
  wring_mesh_data *data;
  wring_mesh      *m;
  PetscInt         step;
  double           time;

  PetscFunctionBegin;
  memset(reads, 0, sizeof reads);
  PetscCall(wring_checkpoint_read_mesh(comm, file, &data, &step, &time));
  PetscCall(check_share(comm));
  CHECK(step == STEP && time == TIME, "step %d, time %g", (int)step, time);
  PetscCall(check_mesh_data(comm, data));
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, &data, &m));
  PetscCall(check_fields(file, m));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads on the first 1, 2, ... ranks. */
static PetscErrorCode check_read_on_fewer(const char *file)
{
  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  for (int n = 1; n <= size; n++) {
    MPI_Comm some;
    PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &some));
    if (some == MPI_COMM_NULL) continue;
    PetscCall(check_read(some, file));
    PetscCallMPI(MPI_Comm_free(&some));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t read_bytes(const char *file, char *bytes, size_t room)
{
  FILE *const f = fopen(file, "rb");
  CHECK(f, "%s", file);
  const size_t n = fread(bytes, 1, room, f);
  fclose(f);
  return n;
}

/* Flips every 41st byte, and truncates the file at every 997th. */
static PetscErrorCode check_damage(const char *file, const char *copy)
{
  enum { ROOM = 1 << 20 };
  char *bytes, found[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ROOM, &bytes));
  const size_t n = read_bytes(file, bytes, ROOM);
  for (size_t i = 0; i < n; i += 41) {
    bytes[i] ^= 0x10;
    test_write_bytes(copy, n, bytes);
    bytes[i] ^= 0x10;
    CHECK_REFUSED(wring_checkpoint_find(PETSC_COMM_SELF, copy, sizeof found, found), copy, ": is ");
  }
  for (size_t i = 0; i < n; i += 997) {
    test_write_bytes(copy, i, bytes);
    CHECK_REFUSED(wring_checkpoint_find(PETSC_COMM_SELF, copy, sizeof found, found), copy, "cut short");
  }
  CHECK(unlink(copy) == 0, "%s", copy);
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh file ----------------------------------------------------------------------------------------------- */

static PetscErrorCode read_mesh(const char *file)
{
  wring_mesh_data *data;
  PetscInt         step;
  double           time;

  PetscFunctionBegin;
  PetscErrorCode status = wring_checkpoint_read_mesh(PETSC_COMM_WORLD, file, &data, &step, &time);
  CHECK(!status || !data, "data of a mesh that was refused");
  PetscCall(wring_mesh_data_destroy(&data));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 replaces the mesh file by the first n of these bytes, with byte `flip` changed unless it is n. */
static PetscErrorCode replace_mesh(const char *mesh, char *bytes, size_t n, size_t flip)
{
  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) {
    if (flip < n) bytes[flip] ^= 0x10;
    test_write_bytes(mesh, n, bytes);
    if (flip < n) bytes[flip] ^= 0x10;
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh file of another run, which knows nothing of the one that is there. */
static PetscErrorCode write_other_mesh(const char *directory)
{
  char        seal[WRING_SEAL_TEXT] = "";
  wring_mesh *m;

  PetscFunctionBegin;
  box.jitter = 0.1;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  box.jitter = 0.2;
  PetscCall(wring_checkpoint_write_mesh(directory, m, seal));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A mesh file that is missing, flipped, cut short, or of another mesh is refused in one line on all ranks; none of them
  is taken for the right one, which is written again. A state is not a mesh file, nor the reverse.
*/
static PetscErrorCode check_mesh_file(const char *file)
{
  char mesh[PETSC_MAX_PATH_LEN], directory[PETSC_MAX_PATH_LEN], old[WRING_SEAL_TEXT], bytes[1 << 16];

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  directory_of(file, directory);
  PetscCall(PetscSNPrintf(mesh, sizeof mesh, "%s/%s", directory, WRING_CHECKPOINT_MESH));
  const size_t n = read_bytes(mesh, bytes, sizeof bytes);
  CHECK(n < 8000 + 36 * 24 + 72 * 5 * 4 + 500 * 4, "the mesh file has %d bytes", (int)n);
  for (size_t i = 7; i < n; i += 1499) {
    PetscCall(replace_mesh(mesh, bytes, n, i));
    CHECK_REFUSED(read_mesh(file), mesh, ": is ");
  }
  PetscCall(replace_mesh(mesh, bytes, n / 2, n));
  CHECK_REFUSED(read_mesh(file), mesh, "cut short");
  PetscCall(PetscStrncpy(old, mesh_seal, sizeof old));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(write_checkpoint(PETSC_COMM_WORLD, file));
  CHECK(strcmp(old, mesh_seal) == 0, "the same mesh has another seal");
  PetscCall(read_mesh(file));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) CHECK(unlink(mesh) == 0, "%s", mesh);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK_REFUSED(read_mesh(file), file, "its mesh is missing");
  PetscCall(write_other_mesh(directory));
  CHECK_REFUSED(read_mesh(file), file, "its mesh is not that of");
  CHECK_REFUSED(read_mesh(mesh), mesh, "holds the mesh of checkpoints");
  PetscCall(write_checkpoint(PETSC_COMM_WORLD, file));
  CHECK(strcmp(old, mesh_seal) == 0, "the same mesh has another seal");
  PetscCall(read_mesh(file));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the fields of a file on a new mesh. */
static PetscErrorCode read_fields(const char *file)
{
  wring_mesh            *m;
  wring_checkpoint_field f[N_FIELD];

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  PetscCall(create_fields(m, f));
  const PetscErrorCode status = wring_checkpoint_read_fields(file, m, N_FIELD, f);
  PetscCall(destroy_fields(f));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The readers too refuse a flipped value, on all ranks: all of them compute the checksum of the fields. */
static PetscErrorCode check_flipped_value(const char *file)
{
  const double value = value_of(3, 1, 0);
  char         bytes[1 << 16];

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank == 0) {
    const size_t n = read_bytes(file, bytes, sizeof bytes);
    size_t       i = 0;
    while (i + sizeof value < n && memcmp(bytes + i, &value, sizeof value)) i++;
    CHECK(i + sizeof value < n, "the value of vertex 3 is not in the file");
    bytes[i] ^= 1;
    test_write_bytes(file, n, bytes);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK_REFUSED(read_fields(file), file, "is damaged");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The old file exists, the partial new one does not. */
static PetscErrorCode check_nothing_left(const char *file)
{
  char part[PETSC_MAX_PATH_LEN + 8];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(part, sizeof part, "%s.part", file));
  CHECK(!access(file, F_OK) && access(part, F_OK), "%s is gone, or its part is left", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A limit on file sizes simulates a full disk: the old checkpoint remains, and nothing else. */
static PetscErrorCode check_full(const char *file)
{
  struct rlimit limit, low;

  PetscFunctionBegin;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  low          = limit;
  low.rlim_cur = 1 << 12;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  setrlimit(RLIMIT_FSIZE, &low);
  CHECK_NOT_WRITTEN(write_checkpoint(PETSC_COMM_WORLD, file), file, "File too large");
  setrlimit(RLIMIT_FSIZE, &limit);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(check_nothing_left(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The last rank has no file descriptor left: all ranks report its error, and no file is left. Without an agreement
  before the collective open the other ranks would never return.
*/
static PetscErrorCode check_one_rank(const char *file)
{
  const char   *reason = "Too many open files";
  struct rlimit limit, none;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(read_fields(file));
  getrlimit(RLIMIT_NOFILE, &limit);
  none          = limit;
  none.rlim_cur = rank == size - 1 ? 3 : limit.rlim_cur;
  setrlimit(RLIMIT_NOFILE, &none);
  CHECK_NOT_WRITTEN(write_checkpoint(PETSC_COMM_WORLD, file), file, reason);
  CHECK_REFUSED(read_fields(file), file, reason);
  setrlimit(RLIMIT_NOFILE, &limit);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(check_nothing_left(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A value that does not reach the disk, as when MPI-IO loses a write error, is detected before the file gets its name.
*/
static PetscErrorCode check_lost(const char *file)
{
  PetscFunctionBegin;
  losing = 1;
  CHECK_NOT_WRITTEN(write_checkpoint(PETSC_COMM_WORLD, file), file, "the bytes of table position did not arrive");
  losing = 0;
  PetscCall(check_nothing_left(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three steps, of which two are kept. The newest is found; if it is damaged, the one before. */
static PetscErrorCode check_directory(const char *directory)
{
  char file[3][PETSC_MAX_PATH_LEN], found[PETSC_MAX_PATH_LEN], none[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  CHECK_REFUSED(wring_checkpoint_find(PETSC_COMM_WORLD, directory, sizeof found, found), directory,
                "holds no checkpoint");
  PetscCall(PetscSNPrintf(none, sizeof none, "%s/none", directory));
  CHECK_REFUSED(wring_checkpoint_find(PETSC_COMM_WORLD, none, sizeof found, found), none, "No such file");
  for (int i = 0; i < 3; i++) {
    wring_checkpoint_name(directory, i == 2 ? 1000000 : STEP * (i + 1), sizeof file[i], file[i]);
    PetscCall(write_checkpoint(PETSC_COMM_WORLD, file[i]));
    PetscCall(wring_checkpoint_prune(PETSC_COMM_WORLD, directory, 2));
  }
  CHECK(access(file[0], F_OK) && !access(file[1], F_OK) && !access(file[2], F_OK), "the wrong ones are kept");
  PetscCall(wring_checkpoint_find(PETSC_COMM_WORLD, directory, sizeof found, found));
  CHECK(strcmp(found, file[2]) == 0, "%s, expected %s", found, file[2]);
  PetscCall(check_flipped_value(file[2]));
  PetscCall(wring_checkpoint_find(PETSC_COMM_WORLD, directory, sizeof found, found));
  CHECK(strcmp(found, file[1]) == 0, "%s, expected %s", found, file[1]);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(check_full(file[1]));
  PetscCall(check_one_rank(file[1]));
  PetscCall(check_lost(file[1]));
  PetscCall(check_mesh_file(file[1]));
  PetscCall(check_read_on_fewer(file[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char directory[] = "test_checkpoint_XXXXXX", file[PETSC_MAX_PATH_LEN], copy[PETSC_MAX_PATH_LEN];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  if (rank == 0) CHECK(mkdtemp(directory), "no temporary directory");
  PetscCallMPI(MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(check_directory(directory));
  wring_checkpoint_name(directory, 2 * STEP, sizeof file, file);
  PetscCall(PetscSNPrintf(copy, sizeof copy, "%s/damaged.h5", directory));
  if (size == 1) PetscCall(check_damage(file, copy));
  PetscCall(wring_checkpoint_prune(PETSC_COMM_WORLD, directory, 0));
  if (rank == 0) CHECK(rmdir(directory) == 0, "%s is not empty", directory);
  return PetscFinalize();
}
