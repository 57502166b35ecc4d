/*
  Jittered box of Kuhn cells: each cell is cut into the 6 tets along the paths from its lowest to its highest corner. A
  box without cells along one or two axes is a sheet of triangles with alternating diagonals, or a line of segments.
*/
#include "data.h"
#include "base/count.h"
#include <string.h>

typedef struct {
  PetscInt cells[3], points[3];
  int      dim, axis[3]; // the axes with cells, [dim]
} grid;

static const char axis_name[] = "xyz";

static PetscInt vertex_number(const grid *g, PetscInt i, PetscInt j, PetscInt k)
{
  return i + g->points[0] * (j + g->points[1] * k);
}

static void place_vertices(const wring_box *box, const grid *g, double *X)
{
  for (PetscInt k = 0; k < g->points[2]; k++) {
    for (PetscInt j = 0; j < g->points[1]; j++) {
      for (PetscInt i = 0; i < g->points[0]; i++) {
        const PetscInt at[3] = {i, j, k}, v = vertex_number(g, i, j, k);
        for (int c = 0; c < 3; c++) {
          const PetscBool free_ = (PetscBool)(at[c] > 0 && at[c] < g->cells[c]);
          const double    shift = free_ ? box->jitter * (wring_uniform(3 * (uint64_t)v + (uint64_t)c) - 0.5) : 0;
          const double    cells = (double)PetscMax(g->cells[c], 1);
          X[3 * v + c]          = box->origin[c] + box->size[c] * (((double)at[c] + shift) / cells);
        }
      }
    }
  }
}

/* The six paths, with the two middle corners swapped if the path has a negative volume. */
static void cut_cell(const grid *g, PetscInt i, PetscInt j, PetscInt k, PetscInt tet[24])
{
  static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}; // even, then odd
  const PetscInt   step[3]    = {1, g->points[0], g->points[0] * g->points[1]};
  const PetscInt   low        = vertex_number(g, i, j, k);
  for (int p = 0; p < 6; p++) {
    const PetscInt one = low + step[path[p][0]], two = one + step[path[p][1]];
    PetscInt      *t = tet + 4 * p;
    t[0]             = low;
    t[1]             = p < 3 ? one : two;
    t[2]             = p < 3 ? two : one;
    t[3]             = two + step[path[p][2]];
  }
}

static void cut_cells(const grid *g, PetscInt *tet)
{
  for (PetscInt k = 0; k < g->cells[2]; k++)
    for (PetscInt j = 0; j < g->cells[1]; j++)
      for (PetscInt i = 0; i < g->cells[0]; i++, tet += 24) cut_cell(g, i, j, k, tet);
}

/* The vertices of a side, at coordinate `where` along axis c; ascending, because vertices are visited in this order. */
static PetscInt collect_side(const grid *g, int c, PetscInt where, PetscInt *vertex)
{
  PetscInt n = 0;
  for (PetscInt k = 0; k < g->points[2]; k++) {
    for (PetscInt j = 0; j < g->points[1]; j++) {
      for (PetscInt i = 0; i < g->points[0]; i++) {
        const PetscInt at[3] = {i, j, k};
        if (at[c] == where) vertex[n++] = vertex_number(g, i, j, k);
      }
    }
  }
  return n;
}

/* The two sides normal to every axis with cells, then the whole mesh. */
static PetscErrorCode name_sets(const grid *g, wring_mesh_data *d)
{
  static const char *const name[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  const PetscInt          *p       = g->points;
  PetscInt                 n       = 0;

  PetscFunctionBegin;
  if (g->dim == 3) PetscCall(wring_names_add(&d->regions, "box", 3));
  PetscCall(PetscMalloc1(8, &d->set_start));
  PetscCall(PetscMalloc1((size_t)(2 * (p[0] * p[1] + p[1] * p[2] + p[2] * p[0]) + d->n_vertex), &d->set_vertex));
  for (int s = 0; s < 2 * g->dim; s++) {
    const int c = g->axis[s / 2];
    PetscCall(wring_names_add(&d->sets, name[2 * c + s % 2], 4));
    d->set_start[s] = n;
    n += collect_side(g, c, s % 2 ? g->cells[c] : 0, d->set_vertex + n);
  }
  PetscCall(wring_names_add(&d->sets, "box", 3));
  d->set_start[2 * g->dim] = n;
  for (PetscInt v = 0; v < d->n_vertex; v++) d->set_vertex[n++] = v;
  d->set_start[2 * g->dim + 1] = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two triangles for each square of a side, with the diagonal from its lowest to its highest corner, as in the cells. */
static size_t cut_side(const grid *g, PetscInt set, int c, PetscInt where, PetscInt *element)
{
  const int      a = (c + 1) % 3, b = (c + 2) % 3;
  const PetscInt step[3] = {1, g->points[0], g->points[0] * g->points[1]};
  PetscInt      *row     = element;
  for (PetscInt j = 0; j < g->cells[b]; j++) {
    for (PetscInt i = 0; i < g->cells[a]; i++, row += 8) {
      const PetscInt low = where * step[c] + i * step[a] + j * step[b], high = low + step[a] + step[b];
      const PetscInt both[8] = {set, low, low + step[a], high, set, low, low + step[b], high};
      memcpy(row, both, sizeof both);
    }
  }
  return (size_t)(row - element);
}

static PetscErrorCode cut_sides(const grid *g, wring_mesh_data *d)
{
  const PetscInt *n = g->cells;

  PetscFunctionBegin;
  d->n_set_element = 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
  PetscCall(PetscMalloc1(4 * (size_t)d->n_set_element, &d->set_element));
  PetscInt *row = d->set_element;
  for (int s = 0; s < 6; s++) row += cut_side(g, s, s / 2, s % 2 ? n[s / 2] : 0, row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sheets and lines -------------------------------------------------------------------------------------------- */

/* The segments along `axis` that begin at vertex `low`. */
static size_t cut_line(const grid *g, PetscInt set, PetscInt low, int axis, PetscInt *element)
{
  const PetscInt step[3] = {1, g->points[0], g->points[0] * g->points[1]};
  for (PetscInt i = 0; i < g->cells[axis]; i++) {
    const PetscInt row[4] = {set, low + i * step[axis], low + (i + 1) * step[axis], -1};
    memcpy(element + 4 * i, row, sizeof row);
  }
  return 4 * (size_t)g->cells[axis];
}

/*
  Two triangles a cell, counter-clockwise from the first axis to the second; the diagonals of neighbours have a common
  end.
*/
static size_t cut_sheet(const grid *g, PetscInt set, PetscInt *element)
{
  const PetscInt step[3] = {1, g->points[0], g->points[0] * g->points[1]}, a = step[g->axis[0]], b = step[g->axis[1]];
  PetscInt      *row = element;
  for (PetscInt j = 0; j < g->cells[g->axis[1]]; j++) {
    for (PetscInt i = 0; i < g->cells[g->axis[0]]; i++, row += 8) {
      const PetscInt low = i * a + j * b, high = low + a + b, odd = (i + j) % 2;
      const PetscInt both[8] = {set, low, low + a, odd ? low + b : high, set, odd ? low + a : low, high, low + b};
      memcpy(row, both, sizeof both);
    }
  }
  return (size_t)(row - element);
}

/* The set "box" consists of triangles and the sides of segments, or the set consists of segments. */
static PetscErrorCode cut_flat(const grid *g, wring_mesh_data *d)
{
  const PetscInt n0 = g->cells[g->axis[0]], n1 = g->dim == 2 ? g->cells[g->axis[1]] : 0;
  const PetscInt step[3] = {1, g->points[0], g->points[0] * g->points[1]}, box = 2 * g->dim;

  PetscFunctionBegin;
  d->n_set_element = g->dim == 2 ? 2 * (n0 * n1 + n0 + n1) : n0;
  PetscCall(PetscMalloc1(4 * (size_t)d->n_set_element, &d->set_element));
  PetscInt *row = d->set_element;
  for (PetscInt s = 0; s < 4 && g->dim == 2; s++) {
    const int across = g->axis[s / 2], along = g->axis[1 - s / 2];
    row += cut_line(g, s, s % 2 ? g->cells[across] * step[across] : 0, along, row);
  }
  if (g->dim == 2)
    cut_sheet(g, box, row);
  else
    cut_line(g, box, 0, g->axis[0], row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_volumes(const wring_mesh_data *d)
{
  for (PetscInt i = 0; i < d->n_tet; i++) {
    const PetscInt *v = d->tet + 4 * i;
    if (!(wring_tet_det(d->X + 3 * v[0], d->X + 3 * v[1], d->X + 3 * v[2], d->X + 3 * v[3]) > 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* All triangles of a sheet have positive orientation unless one is inverted. */
static PetscBool has_areas(const grid *g, const wring_mesh_data *d)
{
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *v = d->set_element + 4 * i + 1;
    const int       a = g->axis[0], b = g->axis[1];
    if (v[2] < 0) continue;
    const double *const x = d->X + 3 * v[0], *const y = d->X + 3 * v[1], *const z = d->X + 3 * v[2];
    if (!((y[a] - x[a]) * (z[b] - x[b]) - (y[b] - x[b]) * (z[a] - x[a]) > 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void set_grid(const wring_box *box, grid *g, wring_error *e)
{
  g->dim = 0;
  for (int c = 0; c < 3; c++) {
    g->cells[c]  = box->cells[c];
    g->points[c] = box->cells[c] < PETSC_MAX_INT ? box->cells[c] + 1 : PETSC_MAX_INT; // refused by count_cells
    if (g->cells[c] > 0) g->axis[g->dim++] = c;
    if (g->cells[c] > 0 && !(box->size[c] > 0))
      wring_error_set(e, "mesh_box_size: %g m along %c, where there are cells, expected above 0", box->size[c],
                      axis_name[c]);
    if (g->cells[c] == 0 && box->size[c] != 0)
      wring_error_set(e, "mesh_box_size: %g m along %c, where there are no cells, expected 0", box->size[c],
                      axis_name[c]);
  }
  if (g->dim == 0) wring_error_set(e, "mesh_box_cells: 0,0,0, expected cells along at least one axis");
}

/*
  Counts vertices and tets, and checks that members and elements of the sets can also be counted: six sides, with two
  triangles a square.
*/
static void count_cells(const grid *g, PetscInt64 *vertices, PetscInt64 *tets, wring_error *e)
{
  PetscInt64 members, elements = 0;
  *vertices = 1, *tets = 6;
  for (int c = 0; c < 3; c++) {
    *tets     = wring_count_times(*tets, g->cells[c]);
    *vertices = wring_count_times(*vertices, (PetscInt64)g->cells[c] + 1);
  }
  members = *vertices;
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    members  = wring_count_plus(members, wring_count_times(2, wring_count_times(g->points[a], g->points[b])));
    elements = wring_count_plus(elements, wring_count_times(4, wring_count_times(g->points[a], g->points[b])));
  }
  if (wring_mesh_data_fits("mesh_box_cells", *vertices, *tets, e) &&
      wring_count_fits(members, 1, "mesh_box_cells", "vertices of the sets", e))
    wring_count_fits(elements, 4, "mesh_box_cells", "triangles of the sides", e);
}

static PetscErrorCode fill_box(const wring_box *box, const grid *g, wring_mesh_data *d)
{
  PetscFunctionBegin;
  place_vertices(box, g, d->X);
  if (g->dim == 3) cut_cells(g, d->tet);
  PetscCall(PetscArrayzero(d->region, d->n_tet));
  PetscCall(name_sets(g, d));
  if (g->dim == 3)
    PetscCall(cut_sides(g, d));
  else
    PetscCall(cut_flat(g, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_box(const wring_box *box, wring_mesh_data **d, wring_error *e)
{
  grid       g;
  PetscInt64 vertices, tets;

  PetscFunctionBegin;
  *d = NULL;
  set_grid(box, &g, e);
  count_cells(&g, &vertices, &tets, e);
  if (e->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mesh_data_create(vertices, tets, d));
  PetscCall(fill_box(box, &g, *d));
  if (g.dim == 2 ? !has_areas(&g, *d) : !has_volumes(*d)) {
    wring_error_set(e, "mesh_box_jitter: %g leaves a %s, expected a smaller jitter or larger cells", box->jitter,
                    g.dim == 2 ? "triangle of zero area" : "tetrahedron of zero volume");
    PetscCall(wring_mesh_data_destroy(d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
