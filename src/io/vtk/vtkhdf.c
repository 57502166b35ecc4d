/* Appends a frame to a file of frames. */
#define _GNU_SOURCE // FALLOC_FL_KEEP_SIZE
#include "io/file.h"
#include "vtkhdf_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- the file that is there -------------------------------------------------------------------------------------- */

/* Of a group, -1 if it is not there. */
static int64_t count_links(const wring_hdf5 *h, const char *path)
{
  H5G_info_t info = {.nlinks = 0};
  return H5Gget_info_by_name(h->file, path, &info, H5P_DEFAULT) < 0 ? -1 : (int64_t)info.nlinks;
}

/* Sets an error unless the open file has exactly these tables. */
static void check_tables(wring_vtkhdf_file *f, const char *path)
{
  static const char *const folder[2] = {"/VTKHDF/PointData", "/VTKHDF/CellData"};
  int64_t                  n[2]      = {0};
  PetscBool                same      = PETSC_TRUE;
  for (int i = 0; i < f->n_table; i++) {
    const wring_table t = f->table[i].in_file;
    for (int k = 0; k < 2; k++)
      n[k] += strncmp(t.name, folder[k], strlen(folder[k])) == 0 && t.name[strlen(folder[k])] == '/';
    same = (PetscBool)(same && wring_hdf5_count(&f->h, t) >= 0);
  }
  for (int k = 0; k < 2; k++) same = (PetscBool)(same && count_links(&f->h, folder[k]) == n[k]);
  if (!same)
    wring_error_set(f->h.error, "%s: its fields are not those of this run, expected another output.directory", path);
}

PetscErrorCode wring_vtkhdf_check(const char *path, const wring_frame *frame, wring_error *e)
{
  wring_vtkhdf_file f = {.comm = PETSC_COMM_SELF};
  wring_layout      layout;

  PetscFunctionBegin;
  if (!wring_file_is_there(path, e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_vtkhdf_tables(&f, frame, &layout));
  wring_hdf5_open(&f.h, path, e);
  if (!wring_failed(e)) check_tables(&f, path);
  wring_hdf5_close(&f.h);
  PetscCall(wring_vtkhdf_free(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the tables of the open file have the rows of its layouts, which begin at frames in ascending order. */
static PetscBool layouts_fit(wring_vtkhdf_file *f)
{
  PetscBool fit = (PetscBool)(f->n_layout > 0 && f->layout[0].first == 0);
  for (int64_t i = 0; i < f->n_layout; i++) {
    const wring_layout *const l     = &f->layout[i];
    const int64_t             most  = PetscMax(PetscMax(l->parts, l->points), PetscMax(l->cells, l->ids));
    const int64_t             least = PetscMin(PetscMin(l->parts, l->points), PetscMin(l->cells, l->ids));
    fit =
      (PetscBool)(fit && least >= 0 && l->parts > 0 && most < (int64_t)1 << 53 && (i == 0 || l[-1].first < l->first));
  }
  for (int k = 0; k < f->n_table && fit; k++) {
    const wring_vtkhdf_table *const t    = &f->table[k];
    double                          rows = 0; // whose integers are exact below 2^53
    for (int64_t i = 0; i < f->n_layout; i++) {
      const int64_t end = i + 1 < f->n_layout ? f->layout[i + 1].first : f->room;
      rows += (double)wring_vtkhdf_unit(&f->layout[i], t->unit) * (t->fixed ? 1 : (double)(end - f->layout[i].first));
    }
    fit = (PetscBool)(rows <= (double)wring_hdf5_count(&f->h, t->in_file));
  }
  return fit;
}

/* Rank 0: the layouts of the open file up to its frames, and its room. */
static PetscErrorCode read_layouts(wring_vtkhdf_file *f, const char *path)
{
  int64_t rows = wring_hdf5_count(&f->h, wring_vtkhdf_layouts);

  PetscFunctionBegin;
  f->room = wring_hdf5_count(&f->h, wring_vtkhdf_step);
  if (f->room < f->frames) rows = 0;
  PetscCall(PetscCalloc1((size_t)PetscMax(rows, 0) + 1, &f->layout)); // and one to come
  wring_hdf5_read(&f->h, wring_vtkhdf_layouts, 0, rows, f->layout);
  for (; rows > 0 && f->layout[rows - 1].first >= f->frames; rows--) f->room = f->frames; // of frames that are gone
  f->n_layout = rows;
  if (!layouts_fit(f)) wring_error_set(&f->error, "%s: is damaged: its layouts do not fit its tables", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: frames, room and layouts of the file. Within a run the frames must be those that it has written. */
static PetscErrorCode read_head(wring_vtkhdf_file *f, const char *path, const wring_vtkhdf *h)
{
  double *time;

  PetscFunctionBegin;
  PetscCall(wring_vtkhdf_times(path, &f->frames, &time, &f->error));
  PetscCall(PetscFree(time));
  if (h->ready && f->frames != h->frames) wring_error_set(&f->error, "%s: has been changed by another program", path);
  if (f->frames == 0 || wring_failed(&f->error)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_hdf5_open(&f->h, path, &f->error);
  if (!wring_failed(&f->error)) check_tables(f, path);
  if (!wring_failed(&f->error)) PetscCall(read_layouts(f, path));
  wring_hdf5_close(&f->h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode share_head(wring_vtkhdf_file *f)
{
  int64_t head[3] = {f->frames, f->room, f->n_layout};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(head, 3, MPI_INT64_T, 0, f->comm));
  f->frames   = head[0];
  f->room     = head[1];
  f->n_layout = head[2];
  if (!f->layout) PetscCall(PetscMalloc1((size_t)f->n_layout + 1, &f->layout));
  PetscCallMPI(MPI_Bcast(f->layout, (int)(5 * f->n_layout), MPI_INT64_T, 0, f->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *same = false unless this rank's rows of a table of the last layout are in the file. */
static PetscErrorCode compare_rows(wring_vtkhdf_file *f, const wring_vtkhdf_table *t, PetscBool *same)
{
  const int64_t  n     = f->mine[t->unit];
  const uint64_t bytes = (uint64_t)n * wring_hdf5_row_bytes(t->in_file);
  char          *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc(bytes, &value));
  wring_hdf5_read(&f->h, t->in_file, wring_vtkhdf_row(f, t, f->frames) + f->before[t->unit], n, value);
  if (bytes && memcmp(value, t->value, bytes) != 0) *same = PETSC_FALSE;
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the last layout of the file is this run's: numbers, cells and fixed fields of every rank. Collective. */
static PetscErrorCode compare_layout(wring_vtkhdf_file *f, const char *path, const wring_layout *l, PetscBool *same)
{
  const wring_layout *const last = &f->layout[f->n_layout - 1];

  PetscFunctionBegin;
  *same =
    (PetscBool)(last->parts == l->parts && last->points == l->points && last->cells == l->cells && last->ids == l->ids);
  if (!*same) PetscFunctionReturn(PETSC_SUCCESS);
  wring_hdf5_open(&f->h, path, &f->error);
  for (int i = 0; i < f->n_table && *same && !wring_failed(&f->error); i++)
    if (f->table[i].fixed) PetscCall(compare_rows(f, &f->table[i], same));
  wring_hdf5_close(&f->h);
  PetscCall(wring_error_raise_output(f->comm, &f->error));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, WRING_MPI_BOOL, MPI_LAND, f->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a frame ----------------------------------------------------------------------------------------------------- */

/*
  Rank 0: disk space for the rows of a frame. HDF5 crashes or hangs if the disk becomes full while it writes through
  MPI-IO.
*/
static void reserve(wring_vtkhdf_file *f, wring_error *e)
{
  const int fd = open(f->path, O_WRONLY);
  if (fd < 0) wring_error_set(e, "%s: cannot be written: %s", f->path, strerror(errno));
  for (int i = 0; i < f->n_table && fd >= 0; i++) {
    const wring_vtkhdf_table *const t     = &f->table[i];
    const uint64_t                  rows  = (uint64_t)wring_vtkhdf_unit(&f->layout[f->n_layout - 1], t->unit);
    const uint64_t                  bytes = rows * wring_hdf5_row_bytes(t->in_file);
    const uint64_t                  at    = wring_hdf5_offset(&f->h, t->path);
    const uint64_t first = at + (uint64_t)wring_vtkhdf_row(f, t, f->frames) * wring_hdf5_row_bytes(t->in_file);
    if (bytes > 0 && at > 0 && wring_file_allocate(fd, FALLOC_FL_KEEP_SIZE, first, bytes))
      wring_error_set(e, "%s: cannot be written: %s", f->path, strerror(errno));
  }
  if (fd >= 0) close(fd);
}

/* Writes the rows of the frame after f->frames, and closes the file. Collective. */
static PetscErrorCode write_frame(wring_vtkhdf_file *f, int64_t step, PetscBool with_layout)
{
  PetscFunctionBegin;
  if (f->rank == 0 && !wring_failed(&f->error)) reserve(f, &f->error);
  PetscCall(wring_error_share(f->comm, &f->error));
  if (!wring_failed(&f->error)) wring_vtkhdf_write(f, f->frames, step, with_layout);
  if (H5Fflush(f->h.file, H5F_SCOPE_LOCAL) < 0) // and syncs, on every rank
    wring_error_set(&f->error, "%s: cannot be written: HDF5 cannot flush it; is the disk full?", f->path);
  wring_hdf5_close(&f->h);
  PetscCall(wring_error_share(f->comm, &f->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: commits the times of path and `time` to f->path, which is a new file if the layout has changed. */
static PetscErrorCode add_time(wring_vtkhdf_file *f, const char *path, double time)
{
  int64_t n;
  double *times;

  PetscFunctionBegin;
  PetscCall(wring_vtkhdf_times(path, &n, &times, &f->error));
  if (n != f->frames) wring_error_set(&f->error, "%s: has been changed by another program", path);
  if (!wring_failed(&f->error)) {
    PetscCall(PetscRealloc((size_t)(n + 1) * sizeof *times, &times));
    times[n] = time;
    wring_vtkhdf_commit(f->path, n + 1, times, &f->error);
  }
  PetscCall(PetscFree(times));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static uint64_t frame_bytes(const wring_vtkhdf_file *f)
{
  uint64_t bytes = 0;
  for (int i = 0; i < f->n_table; i++)
    bytes += (uint64_t)wring_vtkhdf_unit(&f->layout[f->n_layout - 1], f->table[i].unit) *
             wring_hdf5_row_bytes(f->table[i].in_file);
  return bytes;
}

/* Into the file that is there, if the frame fits, or a new one with the frames of the old one, which it replaces. */
static PetscErrorCode append(wring_vtkhdf_file *f, const char *path, PetscBool fits, PetscInt step, double time)
{
  PetscFunctionBegin;
  if (fits) {
    snprintf(f->path, sizeof f->path, "%s", path);
    PetscCall(wring_hdf5_reopen(&f->h, f->comm, f->path, &f->error));
  } else {
    wring_file_part(path, f->path, &f->error);
    PetscCall(wring_vtkhdf_create(f, path, frame_bytes(f)));
  }
  PetscCall(write_frame(f, step, (PetscBool)!fits));
  if (f->rank == 0 && !wring_failed(&f->error)) PetscCall(add_time(f, path, time));
  PetscCall(fits ? wring_error_raise_output(f->comm, &f->error) : wring_file_finish_all(f->comm, path, &f->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { MOST_EXPECTED = 1024 }; // frames that a new file has room for

/* ---- appending --------------------------------------------------------------------------------------------------- */

/*
  The frames, layouts and room of the file. A run that has written to it knows that its layout is the last one; another
  one compares. *fits: the frame can be appended; otherwise its layout is added for a new file.
*/
static PetscErrorCode find_place(wring_vtkhdf_file *f, const char *path, const wring_layout *l, PetscInt expected,
                                 const wring_vtkhdf *h, PetscBool *fits)
{
  PetscFunctionBegin;
  *fits = PETSC_FALSE;
  if (f->rank == 0) PetscCall(read_head(f, path, h));
  PetscCall(h->ready ? wring_error_raise_output(f->comm, &f->error) : wring_error_raise(f->comm, &f->error));
  PetscCall(share_head(f));
  if (h->ready)
    *fits = PETSC_TRUE;
  else if (f->frames > 0)
    PetscCall(compare_layout(f, path, l, fits));
  if (f->frames >= f->room) *fits = PETSC_FALSE;
  if (*fits) PetscFunctionReturn(PETSC_SUCCESS);
  f->layout[f->n_layout]       = *l;
  f->layout[f->n_layout].first = f->frames;
  f->n_layout++;
  f->room = f->frames + PetscMin(expected, f->frames + MOST_EXPECTED); // twice as many when there is no room
  f->room += 16 + (f->room - f->frames) / 8;                           // stops and restarts add frames
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_vtkhdf_append(MPI_Comm comm, const char *file, PetscInt step, PetscInt expected,
                                   const wring_frame *frame, wring_vtkhdf *h)
{
  wring_vtkhdf_file f = {.comm = comm, .rank = wring_comm_rank(comm)};
  wring_layout      layout;
  PetscBool         fits;

  PetscFunctionBegin;
  PetscCall(wring_vtkhdf_tables(&f, frame, &layout));
  if (!h->ready) PetscCall(wring_vtkhdf_cells(&f, frame));
  PetscCall(find_place(&f, file, &layout, expected, h, &fits));
  if (!fits && h->ready) PetscCall(wring_vtkhdf_cells(&f, frame));
  PetscCall(append(&f, file, fits, step, frame->time));
  *h = (wring_vtkhdf){.frames = (PetscInt)f.frames + 1, .room = (PetscInt)f.room, .ready = PETSC_TRUE};
  PetscCall(wring_vtkhdf_free(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
