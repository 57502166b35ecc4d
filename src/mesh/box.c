/* Jittered box of Kuhn cells: each cell is cut into the 6 tets along the paths from its lowest to its highest corner. */
#include "data.h"
#include <string.h>

typedef struct {
  PetscInt cells[3], points[3];
} grid;

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
          X[3 * v + c]          = box->origin[c] + box->size[c] * (((double)at[c] + shift) / (double)g->cells[c]);
        }
      }
    }
  }
}

/* The six paths, with the two middle corners swapped where the path itself would give a negative volume. */
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

/* Sides c = 0, 1, 2 of the lowest and of the highest coordinate; ascending because vertices are visited so. */
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

static PetscErrorCode name_sets(const grid *g, wring_mesh_data *d)
{
  static const char *const name[7] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "box"};
  const PetscInt          *p       = g->points;
  PetscInt                 n       = 0;

  PetscFunctionBegin;
  PetscCall(wring_names_add(&d->regions, "box", 3));
  PetscCall(PetscMalloc1(8, &d->set_start));
  PetscCall(PetscMalloc1((size_t)(2 * (p[0] * p[1] + p[1] * p[2] + p[2] * p[0]) + d->n_vertex), &d->set_vertex));
  for (int s = 0; s < 6; s++) {
    PetscCall(wring_names_add(&d->sets, name[s], 4));
    d->set_start[s] = n;
    n += collect_side(g, s / 2, s % 2 ? g->cells[s / 2] : 0, d->set_vertex + n);
  }
  PetscCall(wring_names_add(&d->sets, name[6], 3));
  d->set_start[6] = n;
  for (PetscInt v = 0; v < d->n_vertex; v++) d->set_vertex[n++] = v;
  d->set_start[7] = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two triangles for each square of side c at `where`: cells are cut from their lowest to their highest corner. */
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

static PetscBool has_volumes(const wring_mesh_data *d)
{
  for (PetscInt i = 0; i < d->n_tet; i++) {
    const PetscInt *v = d->tet + 4 * i;
    if (!(wring_tet_det(d->X + 3 * v[0], d->X + 3 * v[1], d->X + 3 * v[2], d->X + 3 * v[3]) > 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode wring_mesh_box(const wring_box *box, wring_mesh_data **d, wring_error *e)
{
  grid   g;
  double vertices = 1, tets = 6;

  PetscFunctionBegin;
  *d = NULL;
  for (int c = 0; c < 3; c++) {
    g.cells[c]  = box->cells[c];
    g.points[c] = box->cells[c] + 1;
    tets *= (double)box->cells[c];
    vertices *= (double)box->cells[c] + 1;
  }
  // a corner of the box stands four times in the sets: in three sides and in `box`
  if (tets >= (double)PETSC_MAX_INT || 4 * vertices >= (double)PETSC_MAX_INT) {
    wring_error_set(e, "mesh_box_cells: %g tetrahedra are too many, expected fewer than %g", tets,
                    (double)PETSC_MAX_INT);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_mesh_data_create((PetscInt)vertices, (PetscInt)tets, d));
  place_vertices(box, &g, (*d)->X);
  cut_cells(&g, (*d)->tet);
  PetscCall(PetscArrayzero((*d)->region, (*d)->n_tet));
  PetscCall(name_sets(&g, *d));
  PetscCall(cut_sides(&g, *d));
  if (!has_volumes(*d)) {
    wring_error_set(
      e, "mesh_box_jitter: %g leaves a tetrahedron without volume, expected a smaller jitter or larger cells",
      box->jitter);
    PetscCall(wring_mesh_data_destroy(d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
