#include "frame.h"
#include <math.h>
#include <string.h>

struct wring_frame_values {
  wring_frame_cells cells;
  double           *J, *density;
  int32_t          *region, *rank;
  PetscInt64       *original;     // [n_local]
  double           *displacement; // [n_local][3] m
  const double     *x, *v;        // [n_local][3] m, m/s
  wring_fields      computed;
  wring_field       point[WRING_N_FIELD], cell[WRING_N_FIELD];
  int               n_copy;
  void             *copy[1 + WRING_N_FIELD];
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* The vertices of tets: of order 2 ten each, in an array of their own. */
static PetscErrorCode list_tets(const wring_mesh *m, PetscInt **vertex)
{
  PetscFunctionBegin;
  *vertex = m->tet;
  if (m->order == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(10 * (size_t)m->n_tet, vertex));
  for (size_t e = 0; e < (size_t)m->n_tet; e++) {
    PetscCall(PetscArraycpy(*vertex + 10 * e, m->tet + 4 * e, 4));
    PetscCall(PetscArraycpy(*vertex + 10 * e + 4, m->mid + 6 * e, 6));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_cells_create(const wring_problem *p, wring_frame_cells *c)
{
  const wring_mesh *const   m = p->mesh;
  const wring_surface      *surface;
  const wring_spring_lines *line;
  const PetscInt            n_surface = wring_problem_surfaces(p, &surface), n_line = wring_problem_springs(p, &line);
  const PetscBool           alone    = (PetscBool)(m->n_tet_global == 0 && n_surface == 0);
  PetscInt                  triangle = 0, spring = 0;

  PetscFunctionBegin;
  *c = (wring_frame_cells){.n = {[WRING_TETS] = m->n_tet, [WRING_POINTS] = alone ? m->n_owned : 0}};
  PetscCall(list_tets(m, &c->corner[WRING_TETS]));
  for (PetscInt i = 0; i < n_surface; i++) c->n[WRING_TRIANGLES] += surface[i].n;
  for (PetscInt i = 0; i < n_line; i++) c->n[WRING_LINES] += line[i].n;
  PetscCall(PetscMalloc3(3 * c->n[WRING_TRIANGLES], &c->corner[WRING_TRIANGLES], 2 * c->n[WRING_LINES],
                         &c->corner[WRING_LINES], c->n[WRING_POINTS], &c->corner[WRING_POINTS]));
  for (PetscInt i = 0; i < n_surface; triangle += surface[i].n, i++)
    PetscCall(PetscArraycpy(c->corner[WRING_TRIANGLES] + 3 * triangle, surface[i].vertex, 3 * surface[i].n));
  for (PetscInt i = 0; i < n_line; spring += line[i].n, i++)
    PetscCall(PetscArraycpy(c->corner[WRING_LINES] + 2 * spring, line[i].vertex, 2 * line[i].n));
  for (PetscInt i = 0; i < c->n[WRING_POINTS]; i++) c->corner[WRING_POINTS][i] = i;
  for (int k = 0; k < WRING_KINDS; k++) {
    c->total += c->n[k];
    c->cells[k] = (wring_cells){c->n[k], k == WRING_TETS && m->order == 2 ? 10 : 4 - k, c->corner[k]};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_cells_destroy(wring_frame_cells *c)
{
  PetscFunctionBegin;
  if (c->cells[WRING_TETS].m == 10) PetscCall(PetscFree(c->corner[WRING_TETS]));
  PetscCall(PetscFree3(c->corner[WRING_TRIANGLES], c->corner[WRING_LINES], c->corner[WRING_POINTS]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

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
static void fill_surface(const wring_surface *s, const double *x, int32_t region, PetscInt at, wring_frame_values *a)
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
static void fill_lines(const wring_spring_lines *s, const double *x, int32_t region, PetscInt at, wring_frame_values *a)
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
static void fill_cells(const wring_problem *p, wring_frame_values *a)
{
  const wring_mesh *const   m = p->mesh;
  const wring_surface      *surface;
  const wring_spring_lines *line;
  const PetscInt            n_surface = wring_problem_surfaces(p, &surface), n_line = wring_problem_springs(p, &line);
  PetscInt                  at = m->n_tet;
  for (PetscInt e = 0; e < m->n_tet; e++) a->region[e] = (int32_t)m->region[e];
  for (PetscInt i = 0; i < n_surface; at += surface[i].n, i++)
    fill_surface(&surface[i], a->x, (int32_t)(m->regions.n + i), at, a);
  for (PetscInt i = 0; i < n_line; at += line[i].n, i++)
    fill_lines(&line[i], a->x, (int32_t)(m->regions.n + n_surface + i), at, a);
  for (PetscInt i = 0; i < a->cells.n[WRING_POINTS]; i++) {
    a->J[at + i]       = 1;
    a->density[at + i] = 0;
    a->region[at + i]  = -1;
  }
  for (PetscInt e = 0; e < a->cells.total; e++) a->rank[e] = p->rank;
}

static PetscErrorCode fill(wring_problem *p, unsigned fields, wring_frame_values *a)
{
  const wring_mesh *const m     = p->mesh;
  const PetscInt          total = a->cells.total;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(total, &a->J, total, &a->density, total, &a->region, total, &a->rank));
  PetscCall(PetscMalloc2(m->n_local, &a->original, 3 * m->n_local, &a->displacement));
  PetscCall(wring_potential_cell_data(p->g, p->state.q, a->density, a->J));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &a->x));
  PetscCall(wring_potential_get_local(p->g, p->state.v, &a->v));
  fill_cells(p, a);
  for (PetscInt i = 0; i < m->n_local; i++) a->original[i] = m->original[i];
  wring_waxpy(3 * m->n_local, -1, m->X, a->x, a->displacement);
  PetscCall(wring_fields_create(p, fields, total, a->J, &a->computed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the frame --------------------------------------------------------------------------------------------------- */

static void list_fields(unsigned fields, wring_frame_values *a, wring_frame *f)
{
  const void *const value[WRING_N_FIELD] = {[WRING_DISPLACEMENT]         = a->displacement,
                                            [WRING_VELOCITY]             = a->v,
                                            [WRING_VERTEX]               = a->original,
                                            [WRING_J]                    = a->J,
                                            [WRING_ENERGY_DENSITY]       = a->density,
                                            [WRING_REGION]               = a->region,
                                            [WRING_RANK]                 = a->rank,
                                            [WRING_STRESS]               = a->computed.stress,
                                            [WRING_VON_MISES]            = a->computed.von_mises,
                                            [WRING_DEFORMATION_GRADIENT] = a->computed.deformation_gradient,
                                            [WRING_MEMBRANE_FORCE]       = a->computed.membrane_force};
  f->points                              = (wring_field){"Points", WRING_FLOAT64, 3, a->x, PETSC_FALSE};
  f->n_point_field                       = wring_fields_list(fields, WRING_AT_POINTS, value, a->point);
  f->point_field                         = a->point;
  f->n_cell_field                        = wring_fields_list(fields, WRING_OF_CELLS, value, a->cell);
  f->cell_field                          = a->cell;
}

static size_t value_size(wring_type type)
{
  return type == WRING_INT32 ? sizeof(int32_t) : sizeof(double); // no others here
}

/* Replaces the values of a field by n rows of them (row NULL: the first n), in single precision if wanted. */
static PetscErrorCode copy_rows(PetscInt n, const PetscInt *row, PetscBool single, wring_field *f,
                                wring_frame_values *a)
{
  const PetscBool narrow = (PetscBool)(single && f->type == WRING_FLOAT64);
  const size_t    width = (size_t)f->components, bytes = width * value_size(f->type);
  char           *to;

  PetscFunctionBegin;
  if (!row && !narrow) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)n * (narrow ? width * sizeof(float) : bytes), &to));
  for (PetscInt i = 0; i < n; i++) {
    const char *const from = (const char *)f->value + (size_t)(row ? row[i] : i) * bytes;
    for (size_t k = 0; narrow && k < width; k++)
      ((float *)(void *)to)[(size_t)i * width + k] = (float)((const double *)(const void *)from)[k];
    if (!narrow) memcpy(to + (size_t)i * bytes, from, bytes);
  }
  f->value = a->copy[a->n_copy++] = to;
  if (narrow) f->type = WRING_FLOAT32;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_create(wring_problem *p, unsigned fields, PetscBool single, const wring_frame_skin *s,
                                  wring_frame_values **values, wring_frame *f)
{
  wring_frame_values *a;

  PetscFunctionBegin;
  PetscCall(PetscNew(&a));
  PetscCall(wring_frame_cells_create(p, &a->cells));
  PetscCall(fill(p, fields, a));
  *f = (wring_frame){.time    = p->state.time,
                     .n_point = s ? s->n_point : p->mesh->n_local,
                     .n_cells = WRING_KINDS,
                     .cells   = s ? s->cells : a->cells.cells};
  list_fields(fields, a, f);
  const PetscInt n_cell = s ? s->n_cell : a->cells.total;
  PetscCall(copy_rows(f->n_point, s ? s->point : NULL, single, &f->points, a));
  for (int i = 0; i < f->n_point_field; i++)
    PetscCall(copy_rows(f->n_point, s ? s->point : NULL, single, &a->point[i], a));
  for (int i = 0; i < f->n_cell_field; i++) PetscCall(copy_rows(n_cell, s ? s->cell : NULL, single, &a->cell[i], a));
  *values = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_destroy(wring_problem *p, wring_frame_values **values)
{
  wring_frame_values *a = *values;

  PetscFunctionBegin;
  for (int i = 0; i < a->n_copy; i++) PetscCall(PetscFree(a->copy[i]));
  PetscCall(wring_fields_destroy(&a->computed));
  PetscCall(wring_potential_restore_local(p->g, p->state.v, &a->v));
  PetscCall(wring_potential_restore_local(p->g, p->state.q, &a->x));
  PetscCall(PetscFree2(a->original, a->displacement));
  PetscCall(PetscFree4(a->J, a->density, a->region, a->rank));
  PetscCall(wring_frame_cells_destroy(&a->cells));
  PetscCall(PetscFree(*values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_describe(unsigned fields, PetscBool single, wring_frame_values **values, wring_frame *f)
{
  wring_frame_values *a;

  PetscFunctionBegin;
  PetscCall(PetscNew(&a));
  *f = (wring_frame){.cells = a->cells.cells};
  list_fields(fields, a, f);
  PetscCall(copy_rows(0, NULL, single, &f->points, a));
  for (int i = 0; i < f->n_point_field; i++) PetscCall(copy_rows(0, NULL, single, &a->point[i], a));
  for (int i = 0; i < f->n_cell_field; i++) PetscCall(copy_rows(0, NULL, single, &a->cell[i], a));
  *values = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_forget(wring_frame_values **values)
{
  PetscFunctionBegin;
  for (int i = 0; i < (*values)->n_copy; i++) PetscCall(PetscFree((*values)->copy[i]));
  PetscCall(PetscFree(*values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
