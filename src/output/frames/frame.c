/* The cells of frames, all or those on the surface; their fields, by choice, from the state; and the frame. */
#include "frame.h"
#include "base/vector3.h"
#include "output/output.h"
#include <math.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* The vertices of tets: of order 2 ten each, in an array of their own. */
static PetscErrorCode list_tets(const wring_mesh *m, wring_frame_cells *c)
{
  PetscInt *vertex;

  PetscFunctionBegin;
  c->kind[WRING_TETS] = (wring_cells){m->tets.n, 4, m->tets.corner};
  if (m->tets.order == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(10 * (size_t)m->tets.n, &vertex));
  for (size_t e = 0; e < (size_t)m->tets.n; e++) {
    PetscCall(PetscArraycpy(vertex + 10 * e, m->tets.corner + 4 * e, 4));
    PetscCall(PetscArraycpy(vertex + 10 * e + 4, m->tets.mid + 6 * e, 6));
  }
  c->kind[WRING_TETS] = (wring_cells){m->tets.n, 10, c->own[WRING_TETS] = vertex};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles of the surface in the place of the tets: rows of cells. */
static PetscErrorCode list_skin(const wring_mesh *m, wring_frame_cells *c)
{
  PetscInt n = 0, *face = NULL;

  PetscFunctionBegin;
  PetscCall(wring_mesh_skin(m, &n, &c->own[WRING_TETS], &face));
  c->kind[WRING_TETS] = (wring_cells){n, 3, c->own[WRING_TETS]};
  c->n_cell           = n + c->total - m->tets.n;
  PetscCall(PetscMalloc1(c->n_cell, &c->cell));
  for (PetscInt i = 0; i < c->n_cell; i++) c->cell[i] = i < n ? face[i] / 4 : i - n + m->tets.n;
  PetscCall(PetscFree(face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of these cells, all corners in own arrays, and their places among them for corners. */
static PetscErrorCode choose_points(PetscInt n_local, wring_frame_cells *c)
{
  PetscInt *place;

  PetscFunctionBegin;
  c->n_point = 0;
  PetscCall(PetscCalloc1(n_local, &place));
  for (int k = 0; k < WRING_KINDS; k++)
    for (PetscInt i = 0; i < c->kind[k].n * c->kind[k].m; i++) place[c->own[k][i]] = 1;
  for (PetscInt v = 0; v < n_local; v++) c->n_point += place[v];
  PetscCall(PetscMalloc1(c->n_point, &c->point));
  for (PetscInt v = 0, n = 0; v < n_local; v++) {
    if (!place[v]) continue;
    place[v]      = n;
    c->point[n++] = v;
  }
  for (int k = 0; k < WRING_KINDS; k++)
    for (PetscInt i = 0; i < c->kind[k].n * c->kind[k].m; i++) c->own[k][i] = place[c->own[k][i]];
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_cells_create(const wring_problem *p, PetscBool surface, wring_frame_cells *c)
{
  const wring_mesh *const m              = p->mesh;
  const wring_piece      *s              = wring_problem_piece(p, 0); // triangles come first
  const PetscBool         alone          = (PetscBool)(m->tets.n_global == 0 && !(s && s->corners == 3));
  PetscInt                n[WRING_KINDS] = {[WRING_POINTS] = alone ? m->n_owned : 0}, at[WRING_KINDS] = {0};

  PetscFunctionBegin;
  *c = (wring_frame_cells){.n_point = m->n_local};
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) n[4 - s->corners] += s->n;
  for (int k = WRING_TRIANGLES; k < WRING_KINDS; k++) {
    PetscCall(PetscMalloc1((4 - k) * n[k], &c->own[k]));
    c->kind[k] = (wring_cells){n[k], 4 - k, c->own[k]};
  }
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) {
    const int k = 4 - s->corners;
    PetscCall(PetscArraycpy(c->own[k] + at[k], s->vertex, s->corners * s->n));
    at[k] += s->corners * s->n;
  }
  for (PetscInt i = 0; i < n[WRING_POINTS]; i++) c->own[WRING_POINTS][i] = i;
  c->n_cell = c->total = m->tets.n + n[WRING_TRIANGLES] + n[WRING_LINES] + n[WRING_POINTS];
  if (surface) {
    PetscCall(list_skin(m, c));
    PetscCall(choose_points(m->n_local, c));
  } else {
    PetscCall(list_tets(m, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_cells_destroy(wring_frame_cells *c)
{
  PetscFunctionBegin;
  for (int k = 0; k < WRING_KINDS; k++) PetscCall(PetscFree(c->own[k]));
  PetscCall(PetscFree(c->cell));
  PetscCall(PetscFree(c->point));
  *c = (wring_frame_cells){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- choice of fields -------------------------------------------------------------------------------------------- */

static const struct {
  const char       *name;
  wring_field_place place;
  wring_type        type;
  int               components;
  PetscBool         fixed; // the same in all frames
} table[WRING_N_FIELD] = {
  [WRING_DISPLACEMENT]         = {"displacement", WRING_AT_POINTS, WRING_FLOAT64, 3, PETSC_FALSE},
  [WRING_VELOCITY]             = {"velocity", WRING_AT_POINTS, WRING_FLOAT64, 3, PETSC_FALSE},
  [WRING_VERTEX]               = {"vertex", WRING_AT_POINTS, WRING_INT64, 1, PETSC_TRUE},
  [WRING_J]                    = {"J", WRING_OF_CELLS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_ENERGY_DENSITY]       = {"energy_density", WRING_OF_CELLS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_REGION]               = {"region", WRING_OF_CELLS, WRING_INT32, 1, PETSC_TRUE},
  [WRING_RANK]                 = {"rank", WRING_OF_CELLS, WRING_INT32, 1, PETSC_TRUE},
  [WRING_STRESS]               = {"stress", WRING_OF_CELLS, WRING_FLOAT64, 6, PETSC_FALSE},
  [WRING_VON_MISES]            = {"von_mises", WRING_OF_CELLS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_DEFORMATION_GRADIENT] = {"deformation_gradient", WRING_OF_CELLS, WRING_FLOAT64, 9, PETSC_FALSE},
  [WRING_MEMBRANE_FORCE]       = {"membrane_force", WRING_OF_CELLS, WRING_FLOAT64, 6, PETSC_FALSE},
  [WRING_CONTACT_PRESSURE]     = {"contact_pressure", WRING_AT_POINTS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_FRICTION_TRACTION]    = {"friction_traction", WRING_AT_POINTS, WRING_FLOAT64, 3, PETSC_FALSE},
};

static PetscBool has(unsigned chosen, int field)
{
  return (PetscBool)((chosen & (1U << field)) != 0);
}

PetscErrorCode wring_fields_choose(const wring_problem *p, unsigned *chosen)
{
  const char *const  origin = wring_options_origin(p->options, "output_", "fields");
  const wring_piece *s;
  PetscBool          membrane = PETSC_FALSE;
  PetscInt           n;
  char             **word;

  PetscFunctionBegin;
  *chosen = 0;
  PetscCall(wring_options_get_word_list(p->options, "output_", wring_output_options, "fields", &n, &word));
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)) && s->corners == 3; i++)
    membrane = (PetscBool)(membrane || s->n_term > 0);
  for (PetscInt i = 0; i < n; i++)
    for (int f = 0; f < WRING_N_FIELD; f++)
      if (wring_ascii_compare(word[i], table[f].name) == 0) *chosen |= 1U << f;
  if (has(*chosen, WRING_MEMBRANE_FORCE) && !membrane)
    WRING_REFUSE(p->comm, "%s: output_fields has '%s', but the deck has no membrane, expected fields of tetrahedra",
                 origin, table[WRING_MEMBRANE_FORCE].name);
  if (has(*chosen, WRING_CONTACT_PRESSURE) && !wring_potential_has_bounded_contacts(p->g))
    WRING_REFUSE(p->comm,
                 "%s: output_fields has '%s', expected a deck with method barrier of self_contact or a collider",
                 origin, table[WRING_CONTACT_PRESSURE].name);
  if (has(*chosen, WRING_FRICTION_TRACTION) && !wring_potential_friction(p->g))
    WRING_REFUSE(p->comm, "%s: output_fields has '%s', expected a deck with friction above 0 of method barrier", origin,
                 table[WRING_FRICTION_TRACTION].name);
  for (int f = WRING_STRESS; f < WRING_MEMBRANE_FORCE; f++)
    if (has(*chosen, f) && p->mesh->tets.n_global == 0)
      WRING_REFUSE(p->comm, "%s: output_fields has '%s', but the mesh has no tetrahedra, expected %s", origin,
                   table[f].name, membrane ? "membrane_force" : "no such field");
  PetscCall(wring_words_destroy(n, &word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double size_of(wring_type type, double real)
{
  return type == WRING_INT32 ? 4 : type == WRING_INT64 ? 8 : real;
}

double wring_fields_bytes(unsigned chosen, wring_field_place place, PetscBool fixed, double real)
{
  double bytes = 0;
  for (int f = 0; f < WRING_N_FIELD; f++) {
    if (has(chosen, f) && table[f].place == place && table[f].fixed == fixed)
      bytes += size_of(table[f].type, real) * table[f].components;
  }
  return bytes;
}

double wring_fields_memory(unsigned chosen)
{
  double bytes = 0;
  for (int f = WRING_STRESS; f < WRING_N_FIELD; f++) bytes += has(chosen, f) ? 8 * table[f].components : 0;
  return bytes + (has(chosen, WRING_VON_MISES) && !has(chosen, WRING_STRESS) ? 8 * table[WRING_STRESS].components : 0);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The area of a triangle, or the length of a line. */
static double size_at(const double *x, int corners, const PetscInt *v)
{
  const double *const o = x + 3 * (size_t)v[0], *const p = x + 3 * (size_t)v[1];
  double a[3], b[3];
  if (corners == 2) return wring_distance3(o, p);
  const double *const q = x + 3 * (size_t)v[2];
  for (int c = 0; c < 3; c++) a[c] = p[c] - o[c], b[c] = q[c] - o[c];
  return 0.5 * sqrt(PetscSqr(a[1] * b[2] - a[2] * b[1]) + PetscSqr(a[2] * b[0] - a[0] * b[2]) +
                    PetscSqr(a[0] * b[1] - a[1] * b[0]));
}

/* The elements of a piece from place `at` on: J of the size, energy per rest size; 1 and 0 where that is 0. */
static void fill_piece(const wring_piece *s, const double *x, int32_t region, PetscInt at, wring_frame_values *a)
{
  double *const J = (double *)a->value[WRING_J] + at, *const density = (double *)a->value[WRING_ENERGY_DENSITY] + at;
  int32_t *const row = (int32_t *)a->value[WRING_REGION] + at;
  for (int k = 0; k < s->n_term; k++) wring_term_add_energies(s->term[k], x, density);
  for (PetscInt e = 0; e < s->n; e++) {
    const PetscInt *const v    = s->vertex + (size_t)s->corners * (size_t)e;
    const double          rest = s->size[e];
    density[e]                 = rest > 0 ? density[e] / rest : 0;
    J[e]                       = rest > 0 ? size_at(x, s->corners, v) / rest : 1;
    row[e]                     = region;
  }
}

/*
  The regions of surfaces and springs have the numbers after those of the mesh, in the deck's order. J and energy of
  tets come from wring_potential_cell_data.
*/
static void fill_cells(const wring_problem *p, PetscInt total, wring_frame_values *a)
{
  const wring_mesh *const m = p->mesh;
  const wring_piece      *s;
  PetscInt                at = m->tets.n;
  for (PetscInt e = 0; e < m->tets.n; e++) ((int32_t *)a->value[WRING_REGION])[e] = (int32_t)m->tets.region[e];
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); at += s->n, i++)
    fill_piece(s, a->x, (int32_t)(m->regions.n + i), at, a);
  for (; at < total; at++) { // points
    ((double *)a->value[WRING_J])[at]       = 1;
    ((int32_t *)a->value[WRING_REGION])[at] = -1;
  }
  for (PetscInt e = 0; e < total; e++) ((int32_t *)a->value[WRING_RANK])[e] = p->rank;
}

/* Tets are the first cells: their fields are computed in place, but a stress that only the von Mises stress needs. */
static PetscErrorCode fill_tets(wring_problem *p, unsigned chosen, wring_frame_values *a)
{
  double *const von_mises = a->value[WRING_VON_MISES];
  double       *stress    = a->value[WRING_STRESS];

  PetscFunctionBegin;
  if (has(chosen, WRING_DEFORMATION_GRADIENT))
    wring_deformation_gradients(p->mesh, a->x, a->value[WRING_DEFORMATION_GRADIENT]);
  if (!has(chosen, WRING_STRESS) && !has(chosen, WRING_VON_MISES)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stress) PetscCall(PetscMalloc1(6 * (size_t)p->mesh->tets.n, &stress));
  PetscCall(wring_potential_stress(p->g, p->state.q, NULL, stress));
  for (PetscInt e = 0; von_mises && e < p->mesh->tets.n; e++) von_mises[e] = wring_von_mises(stress + 6 * (size_t)e);
  if (!a->value[WRING_STRESS]) PetscCall(PetscFree(stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over the terms of each membrane; its triangles follow the tets. */
static void fill_membranes(const wring_problem *p, wring_frame_values *a)
{
  const wring_piece  *s;
  const double *const J  = a->value[WRING_J];
  PetscInt            at = p->mesh->tets.n;
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)) && s->corners == 3; at += s->n, i++) {
    double *const tau = (double *)a->value[WRING_MEMBRANE_FORCE] + 6 * (size_t)at;
    for (int k = 0; k < s->n_term; k++) wring_term_add_stress(s->term[k], a->x, PETSC_FALSE, tau);
    for (PetscInt e = 0; e < s->n; e++) wring_cauchy_stress(J[at + e], tau + 6 * (size_t)e);
  }
}

static PetscErrorCode fill_pressure(const wring_problem *p, wring_frame_values *a)
{
  double *const pressure = a->value[WRING_CONTACT_PRESSURE];
  double       *t;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)p->mesh->n_local, &t));
  PetscCall(wring_potential_contact_traction(p->g, PETSC_FALSE, a->x, t));
  for (PetscInt i = 0; i < p->mesh->n_local; i++)
    pressure[i] = sqrt(t[3 * i] * t[3 * i] + t[3 * i + 1] * t[3 * i + 1] + t[3 * i + 2] * t[3 * i + 2]);
  PetscCall(PetscFree(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(wring_problem *p, unsigned chosen, PetscInt total, wring_frame_values *a)
{
  const wring_mesh *const m = p->mesh;

  PetscFunctionBegin;
  for (int i = 0; i < WRING_N_FIELD; i++) {
    const PetscInt rows = PetscMax(table[i].place == WRING_AT_POINTS ? m->n_local : total, 1); // none is NULL
    const size_t   size = (size_t)table[i].components * (size_t)size_of(table[i].type, 8);
    if (i != WRING_VELOCITY && (i < WRING_STRESS || has(chosen, i)))
      PetscCall(PetscCalloc1((size_t)rows * size, (char **)&a->value[i]));
  }
  PetscCall(wring_potential_cell_data(p->g, p->state.q, a->value[WRING_ENERGY_DENSITY], a->value[WRING_J]));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &a->x));
  PetscCall(wring_potential_get_local(p->g, p->state.v, &a->v));
  fill_cells(p, total, a);
  for (PetscInt i = 0; i < m->n_local; i++) ((int64_t *)a->value[WRING_VERTEX])[i] = m->number.original[i];
  wring_waxpy(3 * m->n_local, -1, m->X, a->x, a->value[WRING_DISPLACEMENT]);
  PetscCall(fill_tets(p, chosen, a));
  if (has(chosen, WRING_MEMBRANE_FORCE)) fill_membranes(p, a);
  if (has(chosen, WRING_CONTACT_PRESSURE)) PetscCall(fill_pressure(p, a));
  if (has(chosen, WRING_FRICTION_TRACTION))
    PetscCall(wring_potential_contact_traction(p->g, PETSC_TRUE, a->x, a->value[WRING_FRICTION_TRACTION]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the frame --------------------------------------------------------------------------------------------------- */

static int list_fields(unsigned chosen, wring_field_place place, PetscBool single, const wring_frame_values *a,
                       wring_field *field)
{
  int n = 0;
  for (int i = 0; i < WRING_N_FIELD; i++) {
    const void *const value = i == WRING_VELOCITY ? (const void *)a->v : a->value[i];
    const wring_type  type  = single && table[i].type == WRING_FLOAT64 ? WRING_FLOAT32 : table[i].type;
    if (has(chosen, i) && table[i].place == place)
      field[n++] = (wring_field){table[i].name, type, table[i].components, value, table[i].fixed};
  }
  return n;
}

/* Values in single precision are still those in double precision, until they are copied. */
static void list(unsigned chosen, PetscBool single, wring_frame_values *a)
{
  a->frame.points        = (wring_field){"Points", single ? WRING_FLOAT32 : WRING_FLOAT64, 3, a->x, PETSC_FALSE};
  a->frame.n_point_field = list_fields(chosen, WRING_AT_POINTS, single, a, a->point);
  a->frame.point_field   = a->point;
  a->frame.n_cell_field  = list_fields(chosen, WRING_OF_CELLS, single, a, a->cell);
  a->frame.cell_field    = a->cell;
}

/* Replaces the values of a field by n rows of them (row NULL: the first n), in single precision if it is in that. */
static PetscErrorCode copy_rows(PetscInt n, const PetscInt *row, wring_field *f, wring_frame_values *a)
{
  const PetscBool narrow = (PetscBool)(f->type == WRING_FLOAT32);
  const size_t    width = (size_t)f->components, bytes = width * (size_t)size_of(f->type, 8);
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_frame_describe(unsigned chosen, PetscBool single, wring_frame_values *a)
{
  *a = (wring_frame_values){.n_copy = 0};
  list(chosen, single, a);
}

PetscErrorCode wring_frame_create(wring_problem *p, unsigned chosen, PetscBool single, const wring_frame_cells *c,
                                  wring_frame_values *a)
{
  PetscFunctionBegin;
  *a       = (wring_frame_values){.n_copy = 0};
  a->frame = (wring_frame){.time = p->state.time, .n_point = c->n_point, .n_cells = WRING_KINDS, .cells = c->kind};
  PetscCall(fill(p, chosen, c->total, a));
  list(chosen, single, a);
  PetscCall(copy_rows(c->n_point, c->point, &a->frame.points, a));
  for (int i = 0; i < a->frame.n_point_field; i++) PetscCall(copy_rows(c->n_point, c->point, &a->point[i], a));
  for (int i = 0; i < a->frame.n_cell_field; i++) PetscCall(copy_rows(c->n_cell, c->cell, &a->cell[i], a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_destroy(wring_problem *p, wring_frame_values *a)
{
  PetscFunctionBegin;
  for (int i = 0; i < a->n_copy; i++) PetscCall(PetscFree(a->copy[i]));
  PetscCall(VecRestoreArrayRead(p->state.v, &a->v));
  PetscCall(VecRestoreArrayRead(p->state.q, &a->x));
  for (int i = 0; i < WRING_N_FIELD; i++) PetscCall(PetscFree(a->value[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
