/* From the contents of a file to a mesh: checks and numbering for all formats. */
#include "build.h"
#include "base/count.h"
#include "base/sort.h"
#include "mesh/data.h"
#include "mesh/surface/faces.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- notes ------------------------------------------------------------------------------------------------------- */

typedef struct {
  size_t size, length;
  char  *text;
} notebook;

static void note(notebook *n, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(notebook *n, const char *format, ...)
{
  va_list args;
  if (n->length + 1 >= n->size) return;
  if (n->length > 0) n->text[n->length++] = '\n';
  va_start(args, format);
  const int added = vsnprintf(n->text + n->length, n->size - n->length, format, args);
  va_end(args);
  n->length += (size_t)PetscMax(added, 0);
  n->length = PetscMin(n->length, n->size - 1);
}

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

/* Up to 1e100, so that volumes do not overflow. */
static void scale_nodes(wring_raw *raw, double scale, wring_scan *s)
{
  for (size_t i = 0; i < 3 * (size_t)raw->n_node; i++) {
    raw->X[i] *= scale;
    if (fabs(raw->X[i]) <= 1e100) continue;
    wring_error_set(s->e, "%s: a coordinate times the scale %g is %g, expected at most 1e100", s->file, scale,
                    raw->X[i]);
    return;
  }
}

/* ---- tets -------------------------------------------------------------------------------------------------------- */

/*
  6 V is zero to round-off if relative errors eps of the coordinates can change its sign: with longest edge l and
  largest coordinate x, they change 6 V by about eps x l^2.
*/
static PetscBool is_flat(const double *const x[4], double det)
{
  double edge = 0, largest = 0;
  for (int a = 0; a < 4; a++) {
    for (int c = 0; c < 3; c++) largest = PetscMax(largest, fabs(x[a][c]));
    for (int b = 0; b < a; b++) {
      double square = 0;
      for (int c = 0; c < 3; c++) square += PetscSqr(x[a][c] - x[b][c]);
      edge = PetscMax(edge, square);
    }
  }
  return (PetscBool) !(fabs(det) > 8 * PETSC_MACHINE_EPSILON * largest * edge); // NaN is flat
}

static void turn_tets(wring_build *b, notebook *n)
{
  const wring_raw *raw    = b->raw;
  PetscInt         turned = 0;
  for (PetscInt e = 0; e < raw->n_tet; e++) {
    PetscInt *const v = b->tet + 4 * (size_t)e;
    const double   *x[4];
    for (int a = 0; a < 4; a++) x[a] = raw->X + 3 * (size_t)v[a];
    const double det = wring_tet_det(x[0], x[1], x[2], x[3]);
    if (is_flat(x, det)) {
      wring_scan_fail(b->s, raw->tet_line[e], "element %lld is a tetrahedron of zero volume",
                      (long long)raw->tet_number[e]);
      return;
    }
    if (det > 0) continue;
    const PetscInt first = v[0];
    v[0]                 = v[1];
    v[1]                 = first;
    turned++;
  }
  if (turned) note(n, "%" PetscInt_FMT " tetrahedra had negative volume and were reoriented", turned);
}

static PetscBool same_corners(const PetscInt *a, const PetscInt *b)
{
  for (int i = 0; i < 4; i++)
    if (a[i] != b[0] && a[i] != b[1] && a[i] != b[2] && a[i] != b[3]) return PETSC_FALSE;
  return PETSC_TRUE;
}

static void report_duplicate(const wring_raw *raw, wring_scan *s, PetscInt e, PetscInt f)
{
  const PetscInt later = PetscMax(e, f), former = PetscMin(e, f);
  wring_scan_fail(s, raw->tet_line[later], "element %lld has the nodes of element %lld (%s %lld)",
                  (long long)raw->tet_number[later], (long long)raw->tet_number[former], wring_scan_unit(s),
                  (long long)raw->tet_line[former]);
}

/* Refuses repeated tets, and faces of more than two tets. */
static PetscErrorCode check_faces(const wring_build *b)
{
  const wring_raw  *raw = b->raw;
  wring_scan *const s   = b->s;
  PetscInt         *neighbour, crowd[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)raw->n_tet, &neighbour));
  PetscCall(wring_faces_match(raw->n_node, raw->n_tet, b->tet, neighbour, crowd));
  for (PetscInt e = 0; e < raw->n_tet && wring_scan_ok(s); e++) {
    for (int a = 0; a < 4; a++) {
      const PetscInt f = neighbour[4 * (size_t)e + (size_t)a];
      if (f > e && same_corners(b->tet + 4 * (size_t)e, b->tet + 4 * (size_t)f)) report_duplicate(raw, s, e, f);
    }
  }
  if (crowd[0] >= 0 && wring_scan_ok(s))
    wring_scan_fail(s, raw->tet_line[crowd[2]],
                    "elements %lld (%s %lld), %lld (%s %lld) and %lld share a face, expected at most two",
                    (long long)raw->tet_number[crowd[0]], wring_scan_unit(s), (long long)raw->tet_line[crowd[0]],
                    (long long)raw->tet_number[crowd[1]], wring_scan_unit(s), (long long)raw->tet_line[crowd[1]],
                    (long long)raw->tet_number[crowd[2]]);
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbering --------------------------------------------------------------------------------------------------- */

/*
  Keeps the nodes of an element if it is in a group: a deck can give mass to no other. Without tets all elements count.
*/
static void keep_nodes(const wring_build *b, PetscInt i, PetscInt *vertex)
{
  const wring_raw       *raw = b->raw;
  const wring_raw_lower *e   = raw->lower + i;
  const PetscBool grouped    = (PetscBool)(e->n > 1 && raw->source_start[e->source + 1] > raw->source_start[e->source]);
  for (int a = 0; a < e->n && (grouped || raw->n_tet == 0); a++) vertex[b->lower[3 * (size_t)i + (size_t)a]] = 0;
}

/* vertex [n_node]: its number, or -1 if it is dropped. */
static PetscInt number_vertices(const wring_build *b, PetscInt *vertex)
{
  const wring_raw *raw = b->raw;
  PetscInt         n   = 0;
  for (PetscInt v = 0; v < raw->n_node; v++) vertex[v] = raw->points ? 0 : -1;
  for (size_t i = 0; i < 4 * (size_t)raw->n_tet; i++) vertex[b->tet[i]] = 0;
  for (PetscInt i = 0; i < raw->n_lower; i++) keep_nodes(b, i, vertex);
  for (PetscInt v = 0; v < raw->n_node; v++)
    if (vertex[v] == 0) vertex[v] = n++;
  return n;
}

static void place_vertices(const wring_raw *raw, const PetscInt *vertex, wring_mesh_data *d)
{
  for (PetscInt v = 0; v < raw->n_node; v++)
    for (int c = 0; c < 3 && vertex[v] >= 0; c++)
      d->X[3 * (size_t)vertex[v] + (size_t)c] = raw->X[3 * (size_t)v + (size_t)c];
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The group of each tet; groups.n for tets without one. */
static void group_tets(const wring_raw *raw, wring_scan *s, PetscInt *group)
{
  for (PetscInt e = 0; e < raw->n_tet; e++) {
    const PetscInt        n = raw->source_start[raw->tet_source[e] + 1] - raw->source_start[raw->tet_source[e]];
    const PetscInt *const g = n ? raw->source_group + raw->source_start[raw->tet_source[e]] : NULL;
    if (n > 1) {
      wring_scan_fail(s, raw->tet_line[e], "element %lld belongs to the physical volumes '%s' and '%s', expected one",
                      (long long)raw->tet_number[e], raw->groups.name[g[0]], raw->groups.name[g[1]]);
      return;
    }
    group[e] = n ? g[0] : raw->groups.n;
  }
}

typedef struct {
  const char *name;
  PetscInt    group;
} named_group;

static int compare_groups(const void *a, const void *b)
{
  return strcmp(((const named_group *)a)->name, ((const named_group *)b)->name);
}

/*
  The groups that have tets, sorted by name, because formats list groups in different orders. region [groups.n + 1]:
  work space.
*/
static PetscInt sort_regions(const wring_raw *raw, const wring_mesh_data *d, PetscInt *region, named_group *found)
{
  PetscInt n = 0;
  for (PetscInt g = 0; g <= raw->groups.n; g++) region[g] = 0;
  for (PetscInt e = 0; e < d->n_tet; e++) region[d->region[e]] = 1;
  for (PetscInt g = 0; g <= raw->groups.n; g++)
    if (region[g]) found[n++] = (named_group){g < raw->groups.n ? raw->groups.name[g] : "tag0", g};
  qsort(found, (size_t)n, sizeof *found, compare_groups);
  return n;
}

static PetscErrorCode name_regions(const wring_raw *raw, wring_scan *s, wring_mesh_data *d)
{
  PetscInt    *region;
  named_group *found;

  PetscFunctionBegin;
  group_tets(raw, s, d->region);
  if (!wring_scan_ok(s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2((size_t)raw->groups.n + 1, &region, (size_t)raw->groups.n + 1, &found));
  const PetscInt n = sort_regions(raw, d, region, found);
  for (PetscInt r = 0; r < n; r++) {
    if (found[r].group == raw->groups.n && wring_names_find(&raw->groups, found[r].name) >= 0)
      wring_error_set(
        s->e, "%s: a physical group is named tag0, the name reserved for tetrahedra in no physical volume", s->file);
    PetscCall(wring_names_add(&d->regions, found[r].name, strlen(found[r].name)));
    region[found[r].group] = r;
  }
  for (PetscInt e = 0; e < d->n_tet; e++) d->region[e] = region[d->region[e]];
  PetscCall(PetscFree2(region, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts elements of one kind by source: order [n], start [n_source + 1]. Freed by PetscFree2. */
static PetscErrorCode sort_by_source(const wring_raw *raw, PetscInt n, const PetscInt *source, PetscInt **order,
                                     PetscInt **start)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, order, (size_t)raw->n_source + 1, start));
  for (PetscInt i = 0; i < n; i++) (*order)[i] = i;
  PetscCall(wring_sort_buckets(n, *order, source, raw->n_source, *start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sources of each group: start [groups.n + 1], source. Freed by PetscFree2. */
static PetscErrorCode sort_sources(const wring_raw *raw, PetscInt **start, PetscInt **source)
{
  const PetscInt n = raw->n_source ? raw->source_start[raw->n_source] : 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)raw->groups.n + 2, start, (size_t)n, source));
  PetscCall(PetscArrayzero(*start, raw->groups.n + 2));
  for (PetscInt k = 0; k < n; k++) (*start)[raw->source_group[k] + 2]++;
  for (PetscInt g = 0; g < raw->groups.n; g++) (*start)[g + 2] += (*start)[g + 1];
  for (PetscInt i = 0; i < raw->n_source; i++)
    for (PetscInt k = raw->source_start[i]; k < raw->source_start[i + 1]; k++)
      (*source)[(*start)[raw->source_group[k] + 1]++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const PetscInt *vertex; // of each node, -1: dropped
  PetscInt       *mark;   // [n_vertex] the last group that has it, + 1
  PetscInt       *member; // [n_vertex] of the current group
  PetscInt        n;
} collector;

static void collect(collector *c, PetscInt group, PetscInt n, const PetscInt *node)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v = c->vertex[node[i]];
    if (v < 0 || c->mark[v] == group + 1) continue;
    c->mark[v]        = group + 1;
    c->member[c->n++] = v;
  }
}

static PetscErrorCode add_set(const wring_raw *raw, wring_scan *s, PetscInt group, const collector *c,
                              wring_mesh_data *d, PetscInt *room, notebook *notes)
{
  const char *name = raw->groups.name[group];

  PetscFunctionBegin;
  if (c->n == 0) {
    note(notes, "physical group '%s' has no vertex of the mesh and is ignored", name);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscInt   begin = d->set_start[d->sets.n];
  const PetscInt64 end   = (PetscInt64)begin + c->n;
  if (!wring_count_fits(end, 1, s->file, "vertices of physical groups", s->e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_sort_ints(c->n, c->member));
  PetscCall(wring_raw_grow(end, room, sizeof *d->set_vertex, &d->set_vertex));
  PetscCall(PetscArraycpy(d->set_vertex + begin, c->member, c->n));
  PetscCall(wring_names_add(&d->sets, name, strlen(name)));
  d->set_start[d->sets.n] = (PetscInt)end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sort_lower(const wring_raw *raw, PetscInt **order, PetscInt **start)
{
  PetscInt *source;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)raw->n_lower, &source));
  for (PetscInt i = 0; i < raw->n_lower; i++) source[i] = raw->lower[i].source;
  PetscCall(sort_by_source(raw, raw->n_lower, source, order, start));
  PetscCall(PetscFree(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every group with vertices becomes a set, in the order of the groups. */
static PetscErrorCode name_sets(const wring_build *b, const PetscInt *vertex, wring_mesh_data *d, notebook *notes)
{
  const wring_raw *raw = b->raw;
  PetscInt        *tet, *tet_start, *lower, *lower_start, *start, *source, room = 0;
  collector        c = {.vertex = vertex};

  PetscFunctionBegin;
  PetscCall(sort_by_source(raw, raw->n_tet, raw->tet_source, &tet, &tet_start));
  PetscCall(sort_lower(raw, &lower, &lower_start));
  PetscCall(sort_sources(raw, &start, &source));
  PetscCall(PetscCalloc1((size_t)d->n_vertex, &c.mark));
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &c.member));
  PetscCall(PetscCalloc1((size_t)raw->groups.n + 1, &d->set_start));
  for (PetscInt g = 0; g < raw->groups.n && wring_scan_ok(b->s); g++) {
    c.n = 0;
    for (PetscInt k = start[g]; k < start[g + 1]; k++) {
      for (PetscInt i = tet_start[source[k]]; i < tet_start[source[k] + 1]; i++)
        collect(&c, g, 4, b->tet + 4 * (size_t)tet[i]);
      for (PetscInt i = lower_start[source[k]]; i < lower_start[source[k] + 1]; i++)
        collect(&c, g, raw->lower[lower[i]].n, b->lower + 3 * (size_t)lower[i]);
    }
    PetscCall(add_set(raw, b->s, g, &c, d, &room, notes));
  }
  PetscCall(PetscFree(c.mark));
  PetscCall(PetscFree(c.member));
  PetscCall(PetscFree2(start, source));
  PetscCall(PetscFree2(lower, lower_start));
  PetscCall(PetscFree2(tet, tet_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode fill_data(const wring_build *b, const PetscInt *vertex, PetscInt n_vertex, wring_mesh_data **d,
                                notebook *notes)
{
  const wring_raw *raw = b->raw;

  PetscFunctionBegin;
  if (!wring_mesh_data_fits(b->s->file, n_vertex, raw->n_tet, b->s->e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mesh_data_create(n_vertex, raw->n_tet, d));
  (*d)->format = raw->format;
  place_vertices(raw, vertex, *d);
  for (size_t i = 0; i < 4 * (size_t)raw->n_tet; i++) (*d)->tet[i] = vertex[b->tet[i]];
  PetscCall(name_regions(raw, b->s, *d));
  if (wring_scan_ok(b->s)) PetscCall(name_sets(b, vertex, *d, notes));
  if (wring_scan_ok(b->s)) PetscCall(wring_build_keep_elements(b, vertex, *d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_data(wring_build *b, double scale, wring_mesh_data **d, notebook *notes)
{
  const wring_raw *raw = b->raw;
  PetscInt        *vertex;

  PetscFunctionBegin;
  PetscCall(wring_build_find_nodes(b));
  if (wring_scan_ok(b->s)) scale_nodes(b->raw, scale, b->s);
  if (wring_scan_ok(b->s)) turn_tets(b, notes);
  if (wring_scan_ok(b->s)) PetscCall(check_faces(b));
  if (wring_scan_ok(b->s)) PetscCall(wring_build_check_triangles(b));
  if (!wring_scan_ok(b->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)raw->n_node, &vertex));
  const PetscInt n_vertex = number_vertices(b, vertex);
  if (n_vertex == 0) wring_error_set(b->s->e, "%s: the mesh has no elements", b->s->file);
  if (n_vertex < raw->n_node)
    note(notes, "%" PetscInt_FMT " nodes that no %s uses were dropped", raw->n_node - n_vertex,
         raw->n_tet ? "tetrahedron" : "element");
  if (wring_scan_ok(b->s)) PetscCall(fill_data(b, vertex, n_vertex, d, notes));
  if (!wring_scan_ok(b->s)) PetscCall(wring_mesh_data_destroy(d));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_build(wring_raw *raw, double scale, wring_scan *s, wring_mesh_data **d, size_t size,
                               char *text)
{
  notebook    notes = {.size = size, .text = text};
  wring_build b     = {.raw = raw, .s = s};

  PetscFunctionBegin;
  if (wring_scan_ok(s)) PetscCall(make_data(&b, scale, d, &notes));
  PetscCall(wring_build_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
