#define _POSIX_C_SOURCE 200809L // getline
#include "frames.h"
#include "directory.h"
#include <stdlib.h>
#include <string.h>

/* Number and time of a frame in a line of the .pvd; -1 where there is none. */
static PetscInt parse_frame(const char *line, char name[64], double *time)
{
  const char *const file = strstr(line, "file=\""), *const when = strstr(line, "timestep=\"");
  if (!file || !when || sscanf(file, "file=\"%63[^\"]\"", name) != 1) return -1;
  *time = strtod(when + strlen("timestep=\""), NULL);
  return wring_directory_number(name, "frame_", ".vtu");
}

static PetscErrorCode append(wring_frames *f, const char *name, double time)
{
  PetscFunctionBegin;
  if (f->n == f->capacity) {
    f->capacity = 2 * f->capacity + 64;
    PetscCall(PetscRealloc((size_t)f->capacity * sizeof *f->name, &f->name));
    PetscCall(PetscRealloc((size_t)f->capacity * sizeof *f->time, &f->time));
  }
  PetscCall(PetscStrallocpy(name, &f->name[f->n]));
  f->time[f->n++] = time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_list(const wring_frames *f, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/frames.pvd", f->directory);
  PetscCall(wring_pvd_write(path, f->n, (const char *const *)f->name, f->time, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_read(wring_frames *f, PetscInt keep, wring_error *e)
{
  char   path[PETSC_MAX_PATH_LEN + 32], name[64], *line = NULL;
  size_t size = 0;
  double time;

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/frames.pvd", f->directory);
  FILE *const file = fopen(path, "r");
  if (!file) PetscFunctionReturn(PETSC_SUCCESS); // no frames yet
  while (getline(&line, &size, file) > 0) {
    const PetscInt number = parse_frame(line, name, &time);
    if (number >= 0 && number <= keep) PetscCall(append(f, name, time));
  }
  free(line);
  fclose(file);
  PetscCall(write_list(f, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_destroy(wring_frames *f)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < f->n; i++) PetscCall(PetscFree(f->name[i]));
  PetscCall(PetscFree(f->name));
  PetscCall(PetscFree(f->time));
  *f = (wring_frames){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one frame --------------------------------------------------------------------------------------------------- */

/* Cells in the order tets, springs, and vertices where a rank of a mesh without tets has nothing else to show. */
typedef struct {
  PetscInt    n[3], total;
  PetscInt   *vertex; // [n[2]] owned vertices as cells
  double     *J, *density;
  int32_t    *region, *rank;
  PetscInt64 *original;     // [n_local]
  double     *displacement; // [n_local][3] m
} arrays;

static PetscErrorCode create_arrays(const wring_problem *p, arrays *a)
{
  const wring_mesh *const m = p->mesh;

  PetscFunctionBegin;
  a->n[0]  = m->n_tet;
  a->n[1]  = p->n_pair;
  a->n[2]  = m->n_tet_global ? 0 : m->n_owned;
  a->total = a->n[0] + a->n[1] + a->n[2];
  PetscCall(PetscMalloc5(a->total, &a->J, a->total, &a->density, a->total, &a->region, a->total, &a->rank, a->n[2],
                         &a->vertex));
  PetscCall(PetscMalloc2(m->n_local, &a->original, 3 * m->n_local, &a->displacement));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_arrays(arrays *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(a->original, a->displacement));
  PetscCall(PetscFree5(a->J, a->density, a->region, a->rank, a->vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void fill_arrays(const wring_problem *p, const double *x, arrays *a)
{
  const wring_mesh *const m = p->mesh;
  for (PetscInt e = 0; e < a->total; e++) {
    const PetscBool tet = (PetscBool)(e < m->n_tet);
    a->region[e]        = tet ? (int32_t)m->region[e] : -1;
    a->rank[e]          = p->rank;
    if (tet) continue; // wring_potential_cell_data has done them
    a->J[e]       = 1;
    a->density[e] = 0;
  }
  for (PetscInt i = 0; i < a->n[2]; i++) a->vertex[i] = i;
  for (PetscInt i = 0; i < m->n_local; i++) a->original[i] = m->original[i];
  wring_waxpy(3 * m->n_local, -1, m->X, x, a->displacement);
}

static PetscErrorCode write_frame(wring_problem *p, const char *path, PetscBool compress, arrays *a)
{
  const wring_mesh *const m = p->mesh;
  const double           *x, *v;

  PetscFunctionBegin;
  PetscCall(wring_potential_cell_data(p->g, p->state.q, a->density, a->J));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  PetscCall(wring_potential_get_local(p->g, p->state.v, &v));
  fill_arrays(p, x, a);
  const wring_cells cells[] = {{a->n[0], 4, m->tet}, {a->n[1], 2, p->pair}, {a->n[2], 1, a->vertex}};
  const wring_field point[] = {{"displacement", WRING_FLOAT64, 3, a->displacement},
                               {"velocity", WRING_FLOAT64, 3, v},
                               {"vertex", WRING_INT64, 1, a->original}};
  const wring_field cell[]  = {{"J", WRING_FLOAT64, 1, a->J},
                               {"energy_density", WRING_FLOAT64, 1, a->density},
                               {"region", WRING_INT32, 1, a->region},
                               {"rank", WRING_INT32, 1, a->rank}};
  PetscCall(wring_vtk_write(p->comm, path, p->state.time, compress, m->n_local, x, 3, cells, 3, point, 4, cell));
  PetscCall(wring_potential_restore_local(p->g, p->state.v, &v));
  PetscCall(wring_potential_restore_local(p->g, p->state.q, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_write(wring_frames *f, wring_problem *p)
{
  const wring_phase old   = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  wring_error       error = {0};
  char              name[64], path[PETSC_MAX_PATH_LEN + 64];
  arrays            a;

  PetscFunctionBegin;
  snprintf(name, sizeof name, "frame_%06" PetscInt_FMT ".vtu", p->state.step);
  snprintf(path, sizeof path, "%s/%s", f->directory, name);
  PetscCall(create_arrays(p, &a));
  PetscCall(write_frame(p, path, f->compress, &a));
  PetscCall(destroy_arrays(&a));
  if (p->rank == 0) {
    PetscCall(append(f, name, p->state.time));
    PetscCall(write_list(f, &error));
  }
  PetscCall(wring_error_raise_output(p->comm, &error));
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
