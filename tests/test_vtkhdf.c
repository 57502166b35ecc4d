/* ranks: 1 2 4 */
/*
  The file of all frames: times, values and steps after appending, going on, cutting back, new layouts and lack of room,
  read by the HDF5 library. Fails if a frame is lost or changed, if a commit allocates space or the header of the group
  Steps has more than one block (a kill could separate NSteps from Values), if a file that another program has removed,
  cut or replaced between or during two appends is gone on with (the times were once written beyond their array), or if
  damaged layouts are used: a row before the first one was once read, and huge ones ended in endless loops. tests/
  test_output.sh compares the files of runs with .vtu.
*/
#define _GNU_SOURCE // faccessat
#include "io/vtk/vtkhdf_impl.h"
#include "refused.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char        path[PETSC_MAX_PATH_LEN], saved[PETSC_MAX_PATH_LEN + 8];
static PetscMPIInt rank, size;

/* ---- a fault ----------------------------------------------------------------------------------------------------- */

static int fault_after; // calls of access for the file until it is replaced by the saved one, 0: never

int access(const char *name, int mode)
{
  if (fault_after > 0 && strcmp(name, path) == 0 && --fault_after == 0 && rename(saved, path)) unlink(path);
  return faccessat(AT_FDCWD, name, mode, 0);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static double time_of(PetscInt step)
{
  return 0.1 * (double)step;
}

static double value_of(PetscMPIInt of_rank, PetscInt step, int i)
{
  return 1000.0 * of_rank + (double)step + 0.01 * i;
}

/* A tetrahedron on each rank but the second; `region` is a fixed field and part of the layout. */
static PetscErrorCode append(PetscInt step, PetscInt expected, int32_t region, wring_vtkhdf *h)
{
  const PetscInt    corner[] = {0, 1, 2, 3}, here = rank != 1;
  const wring_cells cells = {here, 4, corner};
  double            x[12], energy[1] = {(double)step};
  const wring_field point  = {"u", WRING_FLOAT64, 3, x, PETSC_FALSE};
  const wring_field cell[] = {{"energy", WRING_FLOAT64, 1, energy, PETSC_FALSE},
                              {"region", WRING_INT32, 1, &region, PETSC_TRUE}};
  const wring_frame frame  = {.time          = time_of(step),
                              .n_point       = 4 * here,
                              .points        = {"Points", WRING_FLOAT64, 3, x, PETSC_FALSE},
                              .n_cells       = 1,
                              .cells         = &cells,
                              .n_point_field = 1,
                              .n_cell_field  = 2,
                              .point_field   = &point,
                              .cell_field    = cell};

  PetscFunctionBegin;
  for (int i = 0; i < 12; i++) x[i] = value_of(rank, step, i);
  PetscCall(wring_vtkhdf_append(PETSC_COMM_WORLD, path, step, expected, &frame, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_steps(PetscInt first, PetscInt last, int32_t region, wring_vtkhdf *h)
{
  PetscFunctionBegin;
  for (PetscInt step = first; step <= last; step++) PetscCall(append(step, last + 1 - step, region, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep(PetscInt step)
{
  wring_error e = {""};

  PetscFunctionBegin;
  if (rank == 0) PetscCall(wring_vtkhdf_keep(path, step, &e));
  PetscCall(wring_error_raise(PETSC_COMM_WORLD, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what the file has ------------------------------------------------------------------------------------------- */

/* Blocks of metadata of an object. */
static unsigned blocks_of(hid_t object)
{
#if H5_VERSION_GE(1, 12, 0)
  H5O_native_info_t info;
  H5Oget_native_info(object, &info, H5O_NATIVE_INFO_HDR);
#else
  H5O_info_t info;
  H5Oget_info(object, &info);
#endif
  return info.hdr.nchunks;
}

/* NSteps and the number of values in Values are n, and both and the link are in one block of metadata. */
static void check_count(wring_hdf5 *h, int64_t n)
{
  int64_t     count = -1;
  const hid_t steps = H5Gopen2(h->file, "/VTKHDF/Steps", H5P_DEFAULT), a = H5Aopen(steps, "NSteps", H5P_DEFAULT);
  H5Aread(a, H5T_NATIVE_INT64, &count);
  CHECK(count == n, "NSteps %lld, expected %lld", (long long)count, (long long)n);
  CHECK(blocks_of(steps) == 1, "the header of Steps has %u blocks", blocks_of(steps));
  H5Aclose(a);
  H5Gclose(steps);
  CHECK(wring_hdf5_count(h, wring_vtkhdf_values) == n, "%lld times",
        (long long)wring_hdf5_count(h, wring_vtkhdf_values));
}

/* The points of a step: those of each rank that has some, where PointOffsets says. */
static void check_points(wring_hdf5 *h, int64_t frame, int64_t step)
{
  static const wring_table offsets = {"/VTKHDF/Steps/PointOffsets", WRING_INT64, 1, PETSC_TRUE};
  static const wring_table points  = {"/VTKHDF/Points", WRING_FLOAT64, 3, PETSC_FALSE};
  int64_t                  at      = -1;
  double                   x[12];
  wring_hdf5_read(h, offsets, frame, 1, &at);
  for (PetscMPIInt r = 0; r < size; r++) {
    if (r == 1) continue;
    wring_hdf5_read(h, points, at, 4, x);
    for (int i = 0; i < 12; i++)
      CHECK(x[i] == value_of(r, (PetscInt)step, i), "step %lld, rank %d: %g", (long long)step, r, x[i]);
    at += 4;
  }
}

/* Rank 0: the file has these steps, one after the other, and so many layouts. */
static PetscErrorCode check_file(PetscInt first, PetscInt last, int64_t layouts)
{
  const int64_t n = last - first + 1;
  wring_error   e = {""};
  wring_hdf5    h;
  double        time;
  int64_t       step;

  PetscFunctionBegin;
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  wring_hdf5_open(&h, path, &e);
  CHECK(!e.text[0], "%s", e.text);
  check_count(&h, n);
  for (int64_t i = 0; i < n; i++) {
    wring_hdf5_read(&h, wring_vtkhdf_values, i, 1, &time);
    wring_hdf5_read(&h, wring_vtkhdf_step, i, 1, &step);
    CHECK(step == first + i && time == time_of((PetscInt)step), "frame %lld: step %lld, %g s", (long long)i,
          (long long)step, time);
    check_points(&h, i, step);
  }
  CHECK(wring_hdf5_count(&h, wring_vtkhdf_layouts) == layouts, "not %lld layouts", (long long)layouts);
  wring_hdf5_close(&h);
  CHECK(!e.text[0], "%s", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on all ranks; rank 0 has closed the file. */
static PetscErrorCode get_status(struct stat *status)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK(stat(path, status) == 0, "%s", path);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/*
  The file has its size from the first frame on: at most the rows of the frames that there is room for, 16 bytes of
  times for each of them, and 64 KiB. With a new table of times in each commit it would grow by 8 n bytes with frame n.
*/
static PetscErrorCode check_growth(void)
{
  enum { FRAMES = 40, ROOM = FRAMES + 16 + FRAMES / 8 };
  const off_t  bytes = (size - (size > 1)) * (4 * 48 + 8) + 16 * 8 + 16; // points and u; energy; 8 numbers, times
  wring_vtkhdf h     = {0};
  struct stat  first, last;

  PetscFunctionBegin;
  PetscCall(append(0, FRAMES, 7, &h));
  PetscCall(get_status(&first));
  PetscCall(append_steps(1, FRAMES - 1, 7, &h));
  PetscCall(get_status(&last));
  PetscCall(check_file(0, FRAMES - 1, 1));
  CHECK(h.frames == FRAMES && h.room == ROOM, "%" PetscInt_FMT " frames, room %" PetscInt_FMT, h.frames, h.room);
  CHECK(last.st_size <= first.st_size + 2048, "%lld bytes, %lld at first", (long long)last.st_size,
        (long long)first.st_size);
  CHECK(last.st_size <= ROOM * bytes + (1 << 16), "%lld bytes", (long long)last.st_size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run may end long before its last step: fails if its first frame reserves tables, and times, for all of them. */
static PetscErrorCode check_many(void)
{
  wring_vtkhdf h = {0};
  struct stat  status;

  PetscFunctionBegin;
  PetscCall(append(0, 600000000, 7, &h));
  PetscCall(get_status(&status));
  CHECK(status.st_size < size * (1 << 20), "%lld bytes", (long long)status.st_size);
  PetscCall(check_file(0, 0, 1));
  PetscCall(keep(-1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Continues the file of check_growth: in the same file while there is room and the layout is the last one. */
static PetscErrorCode check_going_on(void)
{
  wring_vtkhdf h = {0};
  struct stat  before, after;

  PetscFunctionBegin;
  PetscCall(get_status(&before));
  PetscCall(append_steps(40, 45, 7, &h));
  PetscCall(check_file(0, 45, 1));
  PetscCall(keep(1000)); // cuts nothing
  PetscCall(check_file(0, 45, 1));
  PetscCall(keep(19));
  PetscCall(check_file(0, 19, 1));
  h = (wring_vtkhdf){0};
  PetscCall(append_steps(20, 24, 7, &h));
  PetscCall(check_file(0, 24, 1));
  PetscCall(get_status(&after));
  CHECK(after.st_ino == before.st_ino && after.st_size <= before.st_size + 2048, "the file was copied or has grown");
  h = (wring_vtkhdf){0};
  PetscCall(append_steps(25, 60, 8, &h)); // another layout, and room for 36 + 16 + 4 frames more
  PetscCall(append_steps(61, 100, 8, &h));
  PetscCall(check_file(0, 100, 3));
  PetscCall(keep(9)); // before the later layouts
  h = (wring_vtkhdf){0};
  PetscCall(append_steps(10, 12, 7, &h));
  if (rank == 0) CHECK(h.frames == 13, "%" PetscInt_FMT " frames", h.frames);
  PetscCall(keep(-1));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK(access(path, F_OK), "a file without frames remains");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy of the file with two frames is `saved`; *h: of the file, with four. */
static PetscErrorCode start(wring_vtkhdf *h)
{
  char command[2 * PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(keep(-1));
  *h = (wring_vtkhdf){0};
  PetscCall(append_steps(0, 1, 7, h));
  snprintf(command, sizeof command, "cp %s %s", path, saved);
  if (rank == 0) CHECK(system(command) == 0, "%s", command);
  PetscCall(append_steps(2, 3, 7, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file as version 0.2 wrote it, in which Values is a table of all times, is gone on with and cut back in place. */
static PetscErrorCode check_old_file(void)
{
  const hsize_t n       = 4;
  const double  time[4] = {time_of(0), time_of(1), time_of(2), time_of(3)};
  wring_vtkhdf  h;

  PetscFunctionBegin;
  for (PetscInt kept = 2; kept <= 3; kept++) {
    PetscCall(start(&h));
    if (rank == 0) {
      const hid_t file  = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
      const hid_t space = H5Screate_simple(1, &n, NULL);
      H5Ldelete(file, "/wring/times_0", H5P_DEFAULT);
      H5Ldelete(file, "/wring/times_1", H5P_DEFAULT);
      H5Ldelete(file, wring_vtkhdf_values.name, H5P_DEFAULT);
      const hid_t set =
        H5Dcreate2(file, wring_vtkhdf_values.name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0, "H5Dwrite");
      H5Dclose(set);
      H5Sclose(space);
      H5Fclose(file);
    }
    PetscCall(check_file(0, 3, 1));
    PetscCall(keep(kept));
    PetscCall(check_file(0, kept, 1));
    h = (wring_vtkhdf){0};
    PetscCall(append_steps(kept + 1, 6, 7, &h));
    PetscCall(check_file(0, 6, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file is removed, cut or replaced by one with fewer frames, before an append and between its values and time. */
static PetscErrorCode check_changed(void)
{
  static const char changed[] = "has been changed by another program";
  wring_vtkhdf      h;

  PetscFunctionBegin;
  for (int fault = 1; fault <= 2; fault++) {
    PetscCall(start(&h));
    if (rank == 0) fault_after = fault;
    CHECK_NOT_WRITTEN(append(4, 1, 7, &h), "frames.vtkhdf: ", changed);
    PetscCall(start(&h));
    if (rank == 0) unlink(saved), fault_after = fault;
    CHECK_NOT_WRITTEN(append(4, 1, 7, &h), "frames.vtkhdf: ", changed);
  }
  PetscCall(start(&h));
  if (rank == 0) CHECK(truncate(path, 5000) == 0, "truncate");
  CHECK_NOT_WRITTEN(append(4, 1, 7, &h), "frames.vtkhdf: ", "is damaged, cut short or not an HDF5 file");
  if (rank == 0) unlink(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number of a layout, in the order of wring_layout, that no run writes. */
static PetscErrorCode check_damage(int column, int64_t value)
{
  const hsize_t at[2] = {0, (hsize_t)column}, one[2] = {1, 1};
  wring_vtkhdf  h;

  PetscFunctionBegin;
  PetscCall(start(&h));
  if (rank == 0) {
    const hid_t file  = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set   = H5Dopen2(file, wring_vtkhdf_layouts.name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
    CHECK(H5Dwrite(set, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &value) >= 0, "H5Dwrite");
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
  }
  h = (wring_vtkhdf){0};
  CHECK_REFUSED(append(4, 1, 7, &h), "frames.vtkhdf: ", "is damaged: its layouts do not fit its tables");
  if (rank == 0) unlink(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(void)
{
  PetscFunctionBegin;
  PetscCall(check_many());
  PetscCall(check_growth());
  PetscCall(check_going_on());
  PetscCall(check_old_file());
  PetscCall(check_changed());
  PetscCall(check_damage(0, 1000)); // after all frames, so that none has a layout
  PetscCall(check_damage(0, 1));
  for (int column = 1; column < 5; column++) {
    PetscCall(check_damage(column, -1));
    PetscCall(check_damage(column, INT64_MAX));
  }
  PetscCall(check_damage(2, 4000)); // more points than there is room for
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char folder[] = "test_vtkhdf_XXXXXX";

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (rank == 0) CHECK(mkdtemp(folder), "no temporary directory");
  PetscCallMPI(MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, PETSC_COMM_WORLD));
  snprintf(path, sizeof path, "%s/frames.vtkhdf", folder);
  snprintf(saved, sizeof saved, "%s.saved", path);
  PetscCall(check_all());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  unlink(saved);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) CHECK(rmdir(folder) == 0, "%s has files", folder);
  return PetscFinalize();
}
