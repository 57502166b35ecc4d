/*
  Jittered box of Kuhn cells: each cell is cut into the 6 tets along the paths from its lowest to its highest corner. A
  box without cells along one or two axes is a sheet of triangles with alternating diagonals, or a line of segments.
  Vertices, cells and elements of the sets are numbered; each rank makes an equal share of each from these numbers.
*/
#include "data.h"
#include "base/count.h"
#include "base/grow.h"
#include <string.h>

typedef struct {
  PetscInt cells[3], points[3];
  PetscInt step[3];      // from a vertex to the next along each axis
  int      dim, axis[3]; // the axes with cells, [dim]
} grid;

static const char axis_name[] = "xyz";

/* Vertices count along x first, then along y. */
static void find_vertex(const grid *g, PetscInt v, PetscInt at[3])
{
  at[0] = v % g->points[0];
  at[1] = v / g->points[0] % g->points[1];
  at[2] = v / g->points[0] / g->points[1];
}

static void place_vertex(const wring_box *box, const grid *g, PetscInt v, double X[3])
{
  PetscInt at[3];
  find_vertex(g, v, at);
  for (int c = 0; c < 3; c++) {
    const PetscBool free_ = (PetscBool)(at[c] > 0 && at[c] < g->cells[c]);
    const double    shift = free_ ? box->jitter * (wring_uniform(3 * (uint64_t)v + (uint64_t)c) - 0.5) : 0;
    const double    cells = (double)PetscMax(g->cells[c], 1);
    X[c]                  = box->origin[c] + box->size[c] * (((double)at[c] + shift) / cells);
  }
}

/* ---- tets -------------------------------------------------------------------------------------------------------- */

/* The lowest corner of a cell; cells count as vertices do. */
static PetscInt low_corner(const grid *g, PetscInt64 cell)
{
  const PetscInt64 row = cell / g->cells[0];
  return (PetscInt)(cell % g->cells[0]) * g->step[0] + (PetscInt)(row % g->cells[1]) * g->step[1] +
         (PetscInt)(row / g->cells[1]) * g->step[2];
}

/* The six paths, with the two middle corners swapped if the path has a negative volume. */
static void cut_cell(const grid *g, PetscInt low, PetscInt tet[24])
{
  static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}; // even, then odd
  for (int p = 0; p < 6; p++) {
    const PetscInt one = low + g->step[path[p][0]], two = one + g->step[path[p][1]];
    PetscInt      *t = tet + 4 * p;
    t[0]             = low;
    t[1]             = p < 3 ? one : two;
    t[2]             = p < 3 ? two : one;
    t[3]             = two + g->step[path[p][2]];
  }
}

/* Corner a of a cell is its lowest one plus a step along axis c for each bit c of a; this numbers them in a grid. */
static const grid one_cell = {.cells = {1, 1, 1}, .points = {2, 2, 2}, .step = {1, 2, 4}, .dim = 3, .axis = {0, 1, 2}};

static PetscBool has_volumes(const wring_box *box, const grid *g, PetscInt low)
{
  PetscInt corner[24];
  double   X[8][3];
  cut_cell(&one_cell, 0, corner);
  for (int a = 0; a < 8; a++)
    place_vertex(box, g, low + (a & 1) * g->step[0] + (a >> 1 & 1) * g->step[1] + (a >> 2) * g->step[2], X[a]);
  for (const PetscInt *v = corner; v < corner + 24; v += 4)
    if (!(wring_tet_det(X[v[0]], X[v[1]], X[v[2]], X[v[3]]) > 0)) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* False if a tet of these cells has no volume. */
static PetscBool cut_cells(const wring_box *box, const grid *g, wring_share cells, PetscInt *tet)
{
  PetscBool good = PETSC_TRUE;
  for (PetscInt64 i = cells.begin; i < cells.begin + cells.n; i++, tet += 24) {
    const PetscInt low = low_corner(g, i);
    cut_cell(g, low, tet);
    good = (PetscBool)(good && has_volumes(box, g, low));
  }
  return good;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* Whether a vertex is in a set: on the lower and the upper side along every axis with cells, then the whole mesh. */
static PetscBool is_member(const grid *g, const PetscInt at[3], int set)
{
  const int c = g->axis[PetscMin(set / 2, g->dim - 1)];
  return (PetscBool)(set == 2 * g->dim || at[c] == (set % 2 ? g->cells[c] : 0));
}

/* And the names of the sets and of the region. */
static PetscErrorCode fill_sets(const grid *g, wring_share vertices, wring_mesh_data *d)
{
  static const char *const name[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  PetscInt                 at[3], n = 0, room = 0;

  PetscFunctionBegin;
  if (g->dim == 3) PetscCall(wring_names_add(&d->regions, "box", 3));
  for (int s = 0; s < 2 * g->dim; s++) PetscCall(wring_names_add(&d->sets, name[2 * g->axis[s / 2] + s % 2], 4));
  PetscCall(wring_names_add(&d->sets, "box", 3));
  PetscCall(PetscCalloc1((size_t)d->sets.n + 1, &d->set_start));
  for (int s = 0; s < d->sets.n; s++) {
    for (PetscInt64 v = vertices.begin; v < vertices.begin + vertices.n; v++) {
      find_vertex(g, (PetscInt)v, at);
      if (!is_member(g, at, s)) continue;
      PetscCall(wring_grow((PetscInt64)n + 1, &room, sizeof *d->set_vertex, &d->set_vertex));
      d->set_vertex[n++] = (PetscInt)v;
    }
    d->set_start[s + 1] = n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lines and triangles of sets --------------------------------------------------------------------------------- */

/*
  Elements of a set in a plane of the grid from vertex `low`: n[0] x n[1] squares of two triangles along two axes, or
  n[0] lines along one (n[1] = 0).
*/
typedef struct {
  PetscInt  set, low, n[2], step[2];
  PetscBool alternates; // the diagonals of neighbours have a common end; else they run from lowest to highest corner
} sheet;

enum { SHEETS = 6 };

static sheet make_sheet(const grid *g, PetscInt set, PetscInt low, int a, int b)
{
  return (sheet){set, low, {g->cells[a], b < 0 ? 0 : g->cells[b]}, {g->step[a], b < 0 ? 0 : g->step[b]}, PETSC_FALSE};
}

/*
  The sides of a solid; the sides of a sheet, then the sheet, whose triangles are counter-clockwise from the first axis
  to the second; a line. Returns their number.
*/
static int make_sheets(const grid *g, sheet p[SHEETS])
{
  const int *const axis = g->axis;
  if (g->dim == 1) {
    p[0] = make_sheet(g, 2, 0, axis[0], -1);
    return 1;
  }
  for (int s = 0; s < 2 * g->dim; s++) {
    const int      c   = axis[s / 2];
    const PetscInt low = s % 2 ? g->cells[c] * g->step[c] : 0; // the first vertex of the side
    p[s] = g->dim == 3 ? make_sheet(g, s, low, (c + 1) % 3, (c + 2) % 3) : make_sheet(g, s, low, axis[1 - s / 2], -1);
  }
  if (g->dim == 3) return 6;
  p[4]            = make_sheet(g, 4, 0, axis[0], axis[1]);
  p[4].alternates = PETSC_TRUE;
  return 5;
}

static PetscInt64 count_items(const sheet *p)
{
  return (PetscInt64)p->n[0] * PetscMax(p->n[1], 1);
}

/* The two triangles of a square, or a line. Returns the number of rows. */
static PetscInt cut_item(const sheet *p, PetscInt64 item, PetscInt *row)
{
  const PetscInt i = (PetscInt)(item % p->n[0]), j = (PetscInt)(item / p->n[0]), set = p->set;
  const PetscInt low = p->low + i * p->step[0] + j * p->step[1], a = low + p->step[0], b = low + p->step[1];
  if (p->n[1] == 0) {
    memcpy(row, (PetscInt[4]){set, low, a, -1}, 4 * sizeof *row);
    return 1;
  }
  const PetscInt  high  = a + p->step[1];
  const PetscBool turns = p->alternates, odd = (PetscBool)(turns && (i + j) % 2);
  const PetscInt  first[4] = {set, low, a, odd ? b : high};
  const PetscInt  last[4]  = {set, odd ? a : low, turns ? high : b, turns ? b : high};
  memcpy(row, first, sizeof first);
  memcpy(row + 4, last, sizeof last);
  return 2;
}

/* The items of a rank, of all sheets in their order. */
static PetscErrorCode fill_elements(MPI_Comm comm, const grid *g, wring_mesh_data *d)
{
  sheet      p[SHEETS];
  PetscInt64 all = 0, first = 0;
  const int  n = make_sheets(g, p);

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) all += count_items(&p[i]);
  const wring_share mine = wring_equal_share(comm, all);
  PetscCall(PetscMalloc1(8 * (size_t)(mine.n), &d->set_element));
  for (int i = 0; i < n; first += count_items(&p[i++])) {
    const PetscInt64 begin = PetscMax(mine.begin, first),
                     end   = PetscMin(mine.begin + mine.n, first + count_items(&p[i]));
    for (PetscInt64 item = begin; item < end; item++)
      d->n_set_element += cut_item(&p[i], item - first, d->set_element + 4 * (size_t)d->n_set_element);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All triangles of a sheet have positive orientation unless one is inverted. */
static PetscBool has_areas(const wring_box *box, const grid *g, const wring_mesh_data *d)
{
  const int a = g->axis[0], b = g->axis[1];
  double    x[3], y[3], z[3];
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *v = d->set_element + 4 * (size_t)i + 1;
    if (v[2] < 0) continue;
    place_vertex(box, g, v[0], x);
    place_vertex(box, g, v[1], y);
    place_vertex(box, g, v[2], z);
    if (!((y[a] - x[a]) * (z[b] - x[b]) - (y[b] - x[b]) * (z[a] - x[a]) > 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- the box ----------------------------------------------------------------------------------------------------- */

static void set_grid(const wring_box *box, grid *g, wring_error *e)
{
  g->dim = 0;
  for (int c = 0; c < 3; c++) {
    g->cells[c]  = box->cells[c];
    g->points[c] = box->cells[c] < PETSC_MAX_INT ? box->cells[c] + 1 : PETSC_MAX_INT;          // refused by count_cells
    g->step[c]   = c == 0 ? 1 : (PetscInt)wring_count_times(g->step[c - 1], g->points[c - 1]); // too large: the same
    if (g->cells[c] > 0) g->axis[g->dim++] = c;
    if (g->cells[c] > 0 && !(box->size[c] > 0))
      wring_error_set(e, "size: %g m along %c, where there are cells, expected above 0", box->size[c], axis_name[c]);
    if (g->cells[c] == 0 && box->size[c] != 0)
      wring_error_set(e, "size: %g m along %c, where there are no cells, expected 0", box->size[c], axis_name[c]);
  }
  if (g->dim == 0) wring_error_set(e, "cells: 0,0,0, expected cells along at least one axis");
}

/*
  Counts vertices and cells, and checks that the tets of a rank, and members and elements of the sets of all ranks, can
  also be counted: six sides, with two triangles a square.
*/
static void count_cells(MPI_Comm comm, const grid *g, PetscInt64 *vertices, PetscInt64 *cells, wring_error *e)
{
  PetscInt64        members, elements = 0;
  const PetscMPIInt size = wring_comm_size(comm);
  *vertices = *cells = 1;
  for (int c = 0; c < 3; c++) {
    *cells    = wring_count_times(*cells, g->cells[c]);
    *vertices = wring_count_times(*vertices, (PetscInt64)g->cells[c] + 1);
  }
  members = *vertices;
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    members  = wring_count_plus(members, wring_count_times(2, wring_count_times(g->points[a], g->points[b])));
    elements = wring_count_plus(elements, wring_count_times(4, wring_count_times(g->points[a], g->points[b])));
  }
  const PetscInt64 tets = wring_count_times(6, *cells < INT64_MAX ? *cells / size + (*cells % size > 0) : *cells);
  if (wring_mesh_data_fits("cells", *vertices, tets, e) &&
      wring_count_fits(members, 1, "cells", "vertices of the sets", e))
    wring_count_fits(elements, 4, "cells", "triangles of the sides", e);
}

PetscErrorCode wring_mesh_box(MPI_Comm comm, const wring_box *box, wring_mesh_data **d, wring_error *e)
{
  grid       g;
  PetscInt64 vertices, cells;
  PetscBool  good; // the elements of this rank have volumes or areas

  PetscFunctionBegin;
  *d = NULL;
  set_grid(box, &g, e);
  count_cells(comm, &g, &vertices, &cells, e);
  if (wring_failed(e)) PetscFunctionReturn(PETSC_SUCCESS); // on all ranks
  const wring_share v = wring_equal_share(comm, vertices), c = wring_equal_share(comm, cells);
  PetscCall(wring_mesh_data_create(v.n, 6 * c.n, d));
  for (PetscInt64 i = 0; i < v.n; i++) place_vertex(box, &g, (PetscInt)(v.begin + i), (*d)->X + 3 * (size_t)i);
  good = cut_cells(box, &g, c, (*d)->tet);
  PetscCall(PetscArrayzero((*d)->region, (*d)->n_tet));
  PetscCall(fill_sets(&g, v, *d));
  PetscCall(fill_elements(comm, &g, *d));
  if (g.dim == 2) good = has_areas(box, &g, *d);
  if (!good)
    wring_error_set(e, "jitter: %g leaves a %s, expected a smaller jitter or larger cells", box->jitter,
                    g.dim == 2 ? "triangle of zero area" : "tetrahedron of zero volume");
  PetscCall(wring_error_share(comm, e));
  if (wring_failed(e)) PetscCall(wring_mesh_data_destroy(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
