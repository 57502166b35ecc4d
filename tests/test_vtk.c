/* ranks: 1 2 4 */
/*
  Frames of known content, of which one rank holds nothing, plain and compressed, in the directory argv[2] or in a
  temporary one. "<frame>.expected" lists what a reader must find (tests/test_vtk_read.sh reads the frames with VTK).
  Checked here: files appear complete or not at all, refusals name path and reason, and .pvd and directories are
  created.
*/
#define _POSIX_C_SOURCE 200809L
#include "refused.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wring/io.h>

enum { TETS = 4000, LINES = 30, VERTICES = 7 };

/* A piece: n_tet tets with 4 points each, not shared; lines and vertices use the first of these points. */
typedef struct {
  PetscInt  n_point, n_tet, n_line, n_vertex;
  double   *x, *u;
  int64_t  *number;
  PetscInt *tet, *line, *vertex;
  double   *volume;
  float    *energy;
  int32_t  *region;
  uint8_t  *flag;
} piece;

static PetscInt n_cell(const piece *p)
{
  return p->n_tet + p->n_line + p->n_vertex;
}

static PetscErrorCode create_piece(PetscInt n_point, PetscInt n_tet, PetscInt n_line, PetscInt n_vertex, piece *p)
{
  const PetscInt n     = n_tet + n_line + n_vertex;
  uint64_t       state = (uint64_t)n_point;

  PetscFunctionBegin;
  *p = (piece){.n_point = n_point, .n_tet = n_tet, .n_line = n_line, .n_vertex = n_vertex};
  PetscCall(PetscMalloc3(3 * n_point, &p->x, 3 * n_point, &p->u, n_point, &p->number));
  PetscCall(PetscMalloc3(4 * n_tet, &p->tet, 2 * n_line, &p->line, n_vertex, &p->vertex));
  PetscCall(PetscMalloc4(n, &p->volume, n, &p->energy, n, &p->region, n, &p->flag));
  /* points e1, e2, e3, 0 of unit tets, whose corners are in the order 0, e1, e2, e3 */
  for (PetscInt i = 0; i < 3 * n_point; i++)
    p->x[i] = (double)(i / 12) + (i / 3 % 4 == i % 3), p->u[i] = test_random(&state);
  for (PetscInt i = 0; i < n_point; i++) p->number[i] = ((int64_t)1 << 40) + i;
  for (PetscInt i = 0; i < 4 * n_tet; i++) p->tet[i] = i / 4 * 4 + (i + 3) % 4;
  for (PetscInt i = 0; i < 2 * n_line; i++) p->line[i] = i;
  for (PetscInt i = 0; i < n_vertex; i++) p->vertex[i] = i;
  for (PetscInt i = 0; i < n; i++) {
    p->volume[i] = i < n_tet ? 1 / 6.0 : 0; // the signed volume that VTK must compute
    p->energy[i] = (float)test_random(&state);
    p->region[i] = (int32_t)(i % 3) - 1;
    p->flag[i]   = (uint8_t)(250 + i % 6);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_piece(piece *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(p->x, p->u, p->number));
  PetscCall(PetscFree3(p->tet, p->line, p->vertex));
  PetscCall(PetscFree4(p->volume, p->energy, p->region, p->flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts and sums over all ranks, written as lines "name value". */
static PetscErrorCode write_expected(const char *frame, double time, const piece *p)
{
  static const char *const name[]  = {"points", "cells",  "tets",   "x",      "u",
                                      "vertex", "volume", "energy", "region", "flag"};
  double                   sum[10] = {(double)p->n_point, (double)n_cell(p), (double)p->n_tet};
  char                     file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * p->n_point; i++) sum[3] += p->x[i], sum[4] += p->u[i];
  for (PetscInt i = 0; i < p->n_point; i++) sum[5] += (double)p->number[i];
  for (PetscInt i = 0; i < n_cell(p); i++) {
    sum[6] += p->volume[i], sum[7] += (double)p->energy[i], sum[8] += p->region[i], sum[9] += p->flag[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 10, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(file, sizeof file, "%s.expected", frame));
  FILE *const f = fopen(file, "w");
  CHECK(f, "%s", file);
  fprintf(f, "time %.17g\n", time);
  for (int i = 0; i < 10; i++) fprintf(f, "%s %.17g\n", name[i], sum[i]);
  fclose(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_piece(const char *file, double time, PetscBool compress, const piece *p)
{
  const wring_cells cells[] = {{p->n_tet, 4, p->tet}, {p->n_line, 2, p->line}, {p->n_vertex, 1, p->vertex}};
  const wring_field point[] = {{"u", WRING_FLOAT64, 3, p->u, PETSC_FALSE},
                               {"vertex", WRING_INT64, 1, p->number, PETSC_TRUE}};
  const wring_field cell[]  = {{"volume", WRING_FLOAT64, 1, p->volume, PETSC_FALSE},
                               {"energy", WRING_FLOAT32, 1, p->energy, PETSC_FALSE},
                               {"region", WRING_INT32, 1, p->region, PETSC_TRUE},
                               {"flag", WRING_UINT8, 1, p->flag, PETSC_TRUE}};
  const wring_frame frame   = {.time          = time,
                               .n_point       = p->n_point,
                               .points        = {"Points", WRING_FLOAT64, 3, p->x, PETSC_FALSE},
                               .n_cells       = 3,
                               .cells         = cells,
                               .n_point_field = 2,
                               .n_cell_field  = 4,
                               .point_field   = point,
                               .cell_field    = cell};

  PetscFunctionBegin;
  PetscCall(wring_vtk_write(PETSC_COMM_WORLD, file, compress, &frame));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int exists(const char *directory, const char *name)
{
  char file[PETSC_MAX_PATH_LEN];
  snprintf(file, sizeof file, "%s/%s", directory, name);
  return access(file, F_OK) == 0;
}

/* Writes a frame twice: the second replaces the first. Fails if a ".part" remains. */
static PetscErrorCode write_frame(const char *directory, const char *name, PetscBool compress, const piece *p)
{
  char file[PETSC_MAX_PATH_LEN], part[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s", directory, name));
  PetscCall(PetscSNPrintf(part, sizeof part, "%s.part", name));
  PetscCall(write_piece(file, 7, compress, p));
  PetscCall(write_piece(file, 0.1, compress, p));
  PetscCall(write_expected(file, 0.1, p));
  CHECK(exists(directory, name) && !exists(directory, part), "%s is not whole", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The frame cannot be written under this limit; the old one remains. */
static PetscErrorCode check_limit(const char *directory, const piece *p, int resource, rlim_t most, const char *reason)
{
  struct rlimit limit, low;
  struct stat   before, after;
  char          file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/cells.vtu", directory));
  CHECK(stat(file, &before) == 0, "%s", file);
  getrlimit(resource, &limit);
  low          = limit;
  low.rlim_cur = most;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  setrlimit(resource, &low);
  CHECK_NOT_WRITTEN(write_piece(file, 9, PETSC_FALSE, p), "cells.vtu: cannot be written: ", reason);
  setrlimit(resource, &limit);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK(stat(file, &after) == 0 && after.st_ino == before.st_ino && after.st_size == before.st_size, "%s was lost",
        file);
  CHECK(!exists(directory, "cells.vtu.part"), "a failed write leaves its part");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A limit on file sizes simulates a full disk. Fails if a write error is not reported, or if the old frame is lost. */
static PetscErrorCode check_full(const char *directory, const piece *p)
{
  PetscFunctionBegin;
  signal(SIGXFSZ, SIG_IGN);
  PetscCall(check_limit(directory, p, RLIMIT_FSIZE, 1 << 16, "File too large"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Only the last rank has no file descriptor left. Fails if the others open the file without it: they may never return.
*/
static PetscErrorCode check_one_rank(const char *directory, const piece *p)
{
  struct rlimit limit;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  getrlimit(RLIMIT_NOFILE, &limit);
  PetscCall(check_limit(directory, p, RLIMIT_NOFILE, rank == size - 1 ? 3 : limit.rlim_cur, "Too many open files"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_refusals(const char *directory, const piece *p)
{
  char file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/none/cells.vtu", directory));
  CHECK_NOT_WRITTEN(write_piece(file, 0, PETSC_FALSE, p), "none/cells.vtu: ", "cannot be written: ");
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/cells.vtu", directory));
  CHECK_NOT_WRITTEN(wring_make_directory(PETSC_COMM_WORLD, file), "cells.vtu", "is not a directory");
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/cells.vtu/a/b", directory));
  CHECK_NOT_WRITTEN(wring_make_directory(PETSC_COMM_WORLD, file), "cells.vtu/a/b", "Not a directory");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_pvd(const char *directory)
{
  const char *const frame[] = {"cells.vtu", "points.vtu"};
  const double      time[]  = {0, 0.1};
  wring_error       e       = {""};
  char              file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/frames.pvd", directory));
  wring_pvd_write(file, 2, frame, time, &e);
  CHECK(!e.text[0] && exists(directory, "frames.pvd") && !exists(directory, "frames.pvd.part"), "%s", e.text);
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/none/frames.pvd", directory));
  wring_pvd_write(file, 2, frame, time, &e);
  CHECK(strstr(e.text, "none/frames.pvd: cannot be written: No such file or directory"), "%s", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank size/2 of several holds nothing. 2^15 points: arrays of complete zlib blocks, and no cells at all. */
static PetscErrorCode check_frames(const char *directory)
{
  piece cells, points;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  const PetscInt    here = size == 1 || rank != size / 2, tets = here * TETS * (rank + 1);
  PetscCall(create_piece(4 * tets, tets, here * LINES, here * VERTICES, &cells));
  PetscCall(create_piece(here * (1 << 15), 0, 0, 0, &points));
  PetscCall(write_frame(directory, "cells.vtu", PETSC_FALSE, &cells));
  PetscCall(write_frame(directory, "cells_packed.vtu", PETSC_TRUE, &cells));
  PetscCall(write_frame(directory, "points.vtu", PETSC_FALSE, &points));
  PetscCall(write_frame(directory, "points_packed.vtu", PETSC_TRUE, &points));
  PetscCall(check_full(directory, &cells));
  PetscCall(check_one_rank(directory, &cells));
  PetscCall(check_refusals(directory, &cells));
  if (rank == 0) PetscCall(check_pvd(directory));
  PetscCall(destroy_piece(&cells));
  PetscCall(destroy_piece(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char own[] = "test_vtk_XXXXXX", directory[PETSC_MAX_PATH_LEN], command[PETSC_MAX_PATH_LEN + 16];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank == 0) CHECK(argc > 2 || mkdtemp(own), "no temporary directory");
  PetscCallMPI(MPI_Bcast(own, sizeof own, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(directory, sizeof directory, "%s/a//b/", argc > 2 ? argv[2] : own));
  PetscCall(wring_make_directory(PETSC_COMM_WORLD, directory));
  PetscCall(wring_make_directory(PETSC_COMM_WORLD, directory)); // a second call is not an error
  PetscCall(check_frames(directory));
  if (rank == 0 && argc <= 2) {
    PetscCall(PetscSNPrintf(command, sizeof command, "rm -r %s", own));
    CHECK(system(command) == 0, "%s", command);
  }
  return PetscFinalize();
}
