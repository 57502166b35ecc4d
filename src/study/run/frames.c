#define _POSIX_C_SOURCE 200809L // getline
#include "frames.h"
#include "study/common/output_directory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number and time of a frame in a line of the .pvd; -1 if the line has none. */
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

/* Cells in this order; vertices are cells only in a mesh without tets and triangles. */
enum { TETS, TRIANGLES, LINES, POINTS, N_KIND };

typedef struct {
  PetscInt    n[N_KIND], total;
  PetscInt   *corner[N_KIND]; // of triangles, lines and points: local vertices
  double     *J, *density;
  int32_t    *region, *rank;
  PetscInt64 *original;     // [n_local]
  double     *displacement; // [n_local][3] m
} arrays;

static PetscErrorCode create_arrays(const wring_problem *p, arrays *a)
{
  const wring_mesh *const   m = p->mesh;
  const wring_surface      *surface;
  const wring_spring_lines *line;
  const PetscInt            n_surface = wring_problem_surfaces(p, &surface), n_line = wring_problem_springs(p, &line);
  const PetscBool           alone = (PetscBool)(m->n_tet_global == 0 && n_surface == 0);

  PetscFunctionBegin;
  *a              = (arrays){.n = {[TETS] = m->n_tet, [POINTS] = alone ? m->n_owned : 0}};
  a->corner[TETS] = m->tet;
  for (PetscInt i = 0; i < n_surface; i++) a->n[TRIANGLES] += surface[i].n;
  for (PetscInt i = 0; i < n_line; i++) a->n[LINES] += line[i].n;
  for (int k = 0; k < N_KIND; k++) a->total += a->n[k];
  PetscCall(PetscMalloc3(3 * a->n[TRIANGLES], &a->corner[TRIANGLES], 2 * a->n[LINES], &a->corner[LINES], a->n[POINTS],
                         &a->corner[POINTS]));
  PetscCall(PetscMalloc4(a->total, &a->J, a->total, &a->density, a->total, &a->region, a->total, &a->rank));
  PetscCall(PetscMalloc2(m->n_local, &a->original, 3 * m->n_local, &a->displacement));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_arrays(arrays *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(a->original, a->displacement));
  PetscCall(PetscFree4(a->J, a->density, a->region, a->rank));
  PetscCall(PetscFree3(a->corner[TRIANGLES], a->corner[LINES], a->corner[POINTS]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double triangle_area(const double *x, const PetscInt *v)
{
  const double *const o = x + 3 * (size_t)v[0], *const p = x + 3 * (size_t)v[1], *const q = x + 3 * (size_t)v[2];
  double a[3], b[3];
  for (int c = 0; c < 3; c++) a[c] = p[c] - o[c], b[c] = q[c] - o[c];
  return 0.5 * sqrt(PetscSqr(a[1] * b[2] - a[2] * b[1]) + PetscSqr(a[2] * b[0] - a[0] * b[2]) +
                    PetscSqr(a[0] * b[1] - a[1] * b[0]));
}

static double line_length(const double *x, const PetscInt *v)
{
  double square = 0;
  for (int c = 0; c < 3; c++) square += PetscSqr(x[3 * (size_t)v[0] + (size_t)c] - x[3 * (size_t)v[1] + (size_t)c]);
  return sqrt(square);
}

/* A surface's triangles from place `at` on: J of the area, energy per rest area of its membrane. */
static void fill_surface(const wring_surface *s, const double *x, int32_t region, PetscInt at, arrays *a)
{
  for (PetscInt e = 0; e < s->n; e++) a->density[at + e] = 0;
  for (int k = 0; k < s->n_term; k++) wring_term_add_energies(s->term[k], x, a->density + at);
  for (PetscInt e = 0; e < s->n; e++) {
    a->density[at + e] /= s->area[e];
    a->J[at + e]      = triangle_area(x, s->vertex + 3 * (size_t)e) / s->area[e];
    a->region[at + e] = region;
  }
}

/* Springs likewise: J of the length, energy per rest length; 1 and 0 where that is 0. */
static void fill_lines(const wring_spring_lines *s, const double *x, int32_t region, PetscInt at, arrays *a)
{
  for (PetscInt e = 0; e < s->n; e++) a->density[at + e] = 0;
  wring_term_add_energies(s->term, x, a->density + at);
  for (PetscInt e = 0; e < s->n; e++) {
    const double length = s->length[e];
    a->density[at + e]  = length > 0 ? a->density[at + e] / length : 0;
    a->J[at + e]        = length > 0 ? line_length(x, s->vertex + 2 * (size_t)e) / length : 1;
    a->region[at + e]   = region;
  }
}

/*
  The regions of surfaces and springs have the numbers after those of the mesh, in the deck's order. J and energy of
  tets come from wring_potential_cell_data.
*/
static PetscErrorCode fill_cells(const wring_problem *p, const double *x, arrays *a)
{
  const wring_mesh *const   m = p->mesh;
  const wring_surface      *surface;
  const wring_spring_lines *line;
  const PetscInt            n_surface = wring_problem_surfaces(p, &surface), n_line = wring_problem_springs(p, &line);
  PetscInt                  at = m->n_tet, triangle = 0, spring = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->n_tet; e++) a->region[e] = (int32_t)m->region[e];
  for (PetscInt i = 0; i < n_surface; at += surface[i].n, triangle += surface[i].n, i++) {
    PetscCall(PetscArraycpy(a->corner[TRIANGLES] + 3 * triangle, surface[i].vertex, 3 * surface[i].n));
    fill_surface(&surface[i], x, (int32_t)(m->regions.n + i), at, a);
  }
  for (PetscInt i = 0; i < n_line; at += line[i].n, spring += line[i].n, i++) {
    PetscCall(PetscArraycpy(a->corner[LINES] + 2 * spring, line[i].vertex, 2 * line[i].n));
    fill_lines(&line[i], x, (int32_t)(m->regions.n + n_surface + i), at, a);
  }
  for (PetscInt i = 0; i < a->n[POINTS]; i++) {
    a->corner[POINTS][i] = i;
    a->J[at + i]         = 1;
    a->density[at + i]   = 0;
    a->region[at + i]    = -1;
  }
  for (PetscInt e = 0; e < a->total; e++) a->rank[e] = p->rank;
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { N_ALWAYS = 4 };

static PetscErrorCode write_frame(wring_problem *p, const char *path, const wring_frames *f, arrays *a)
{
  const wring_mesh *const m = p->mesh;
  const double           *x, *v;
  wring_cells             cells[N_KIND];
  wring_fields            chosen;

  PetscFunctionBegin;
  PetscCall(wring_potential_cell_data(p->g, p->state.q, a->density, a->J));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  PetscCall(wring_potential_get_local(p->g, p->state.v, &v));
  PetscCall(fill_cells(p, x, a));
  for (PetscInt i = 0; i < m->n_local; i++) a->original[i] = m->original[i];
  wring_waxpy(3 * m->n_local, -1, m->X, x, a->displacement);
  for (int k = 0; k < N_KIND; k++) cells[k] = (wring_cells){a->n[k], 4 - k, a->corner[k]};
  const wring_field point[]                           = {{"displacement", WRING_FLOAT64, 3, a->displacement},
                                                         {"velocity", WRING_FLOAT64, 3, v},
                                                         {"vertex", WRING_INT64, 1, a->original}};
  wring_field       cell[N_ALWAYS + WRING_MAX_FIELDS] = {{"J", WRING_FLOAT64, 1, a->J},
                                                         {"energy_density", WRING_FLOAT64, 1, a->density},
                                                         {"region", WRING_INT32, 1, a->region},
                                                         {"rank", WRING_INT32, 1, a->rank}};
  PetscCall(wring_fields_create(p, f->fields, a->total, a->J, &chosen));
  PetscCall(wring_vtk_write(p->comm, path, p->state.time, f->compress, m->n_local, x, N_KIND, cells, 3, point,
                            N_ALWAYS + wring_fields_list(&chosen, cell + N_ALWAYS), cell));
  PetscCall(wring_fields_destroy(&chosen));
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
  PetscCall(write_frame(p, path, f, &a));
  PetscCall(destroy_arrays(&a));
  if (p->rank == 0) {
    PetscCall(append(f, name, p->state.time));
    PetscCall(write_list(f, &error));
  }
  PetscCall(wring_error_raise_output(p->comm, &error));
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
