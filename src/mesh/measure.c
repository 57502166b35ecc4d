/* The properties of a whole mesh that `wring mesh info` prints. Serial. */
#include "data.h"
#include "mesh/surface/faces.h"
#include "mesh/distribute/halo.h"
#include "base/forest.h"
#include "base/sort.h"
#include "mesh/distribute/order.h"
#include <math.h>

static void measure_tets(const wring_mesh_data *d, wring_mesh_measures *m)
{
  for (PetscInt e = 0; e < d->n_tet; e++) {
    const double *x[4];
    for (int a = 0; a < 4; a++) x[a] = d->X + 3 * (size_t)d->tet[4 * (size_t)e + (size_t)a];
    const double v = wring_tet_det(x[0], x[1], x[2], x[3]) / 6, q = wring_tet_quality(x, v);
    m->region_tets[d->region[e]]++;
    m->region_volume[d->region[e]] += v;
    m->volume += v;
    m->quality_min = e ? PetscMin(m->quality_min, q) : q;
    m->quality_mean += q / (double)d->n_tet;
    m->quality_count[(int)PetscMin(WRING_QUALITY_BINS * q, WRING_QUALITY_BINS - 1)]++;
  }
}

/* Lines and triangles of sets. */
static void measure_sets(const wring_mesh_data *d, wring_mesh_measures *m)
{
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const row = d->set_element + 4 * (size_t)i;
    const double *const x = d->X + 3 * (size_t)row[1], *const y = d->X + 3 * (size_t)row[2];
    double B[4], area;
    if (row[3] < 0) {
      m->set_lines[row[0]]++;
      m->set_length[row[0]] += sqrt(PetscSqr(x[0] - y[0]) + PetscSqr(x[1] - y[1]) + PetscSqr(x[2] - y[2]));
    } else {
      wring_triangle_rest(x, y, d->X + 3 * (size_t)row[3], B, &area);
      m->set_triangles[row[0]]++;
      m->set_area[row[0]] += area;
    }
  }
}

static PetscErrorCode count_boundary(const wring_mesh_data *d, wring_mesh_measures *m)
{
  PetscInt *neighbour, crowd[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)d->n_tet, &neighbour));
  PetscCall(wring_faces_match(d->n_vertex, d->n_tet, d->tet, neighbour, crowd));
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) m->n_boundary_face += neighbour[i] < 0;
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The larger ends of the edges of all tets by their smaller end, with repetitions; start [n_vertex + 2]. */
static void bucket_edges(const wring_mesh_data *d, int64_t *start, PetscInt *larger)
{
  for (int fill = 0; fill < 2; fill++) {
    for (PetscInt e = 0; e < d->n_tet; e++) {
      const PetscInt *const v = d->tet + 4 * (size_t)e;
      for (int k = 0; k < 6; k++) {
        static const int end[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const PetscInt   a = v[end[k][0]], b = v[end[k][1]];
        if (fill)
          larger[start[PetscMin(a, b) + 1]++] = PetscMax(a, b);
        else
          start[PetscMin(a, b) + 2]++;
      }
    }
    for (PetscInt v = 0; v < d->n_vertex && !fill; v++) start[v + 2] += start[v + 1];
  }
}

static void measure_edge(const double *x, const double *y, wring_mesh_measures *m)
{
  const double length = sqrt(PetscSqr(x[0] - y[0]) + PetscSqr(x[1] - y[1]) + PetscSqr(x[2] - y[2]));
  m->edge_min         = m->n_edge ? PetscMin(m->edge_min, length) : length;
  m->edge_max         = PetscMax(m->edge_max, length);
  m->edge_mean += length;
  m->n_edge++;
}

static PetscErrorCode measure_edges(const wring_mesh_data *d, wring_mesh_measures *m)
{
  int64_t  *start;
  PetscInt *larger;

  PetscFunctionBegin;
  if (d->n_tet == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)d->n_vertex + 2, &start));
  PetscCall(PetscMalloc1(6 * (size_t)d->n_tet, &larger));
  bucket_edges(d, start, larger);
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    PetscInt n = (PetscInt)(start[v + 1] - start[v]);
    PetscCall(wring_sort_unique(&n, larger + start[v]));
    for (PetscInt i = 0; i < n; i++) measure_edge(d->X + 3 * (size_t)v, d->X + 3 * (size_t)larger[start[v] + i], m);
  }
  m->edge_mean /= (double)m->n_edge;
  PetscCall(PetscFree(larger));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- components -------------------------------------------------------------------------------------------------- */

static PetscErrorCode count_components(const wring_mesh_data *d, wring_mesh_measures *m)
{
  PetscInt *parent;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &parent));
  for (PetscInt v = 0; v < d->n_vertex; v++) parent[v] = -1;
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) parent[d->tet[i]] = d->tet[i];
  for (PetscInt e = 0; e < d->n_tet; e++) {
    const PetscInt *const v = d->tet + 4 * (size_t)e;
    for (int a = 1; a < 4; a++) wring_unite(parent, v[0], v[a]);
  }
  for (PetscInt v = 0; v < d->n_vertex; v++) m->n_component += parent[v] == v;
  PetscCall(PetscFree(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all measures ------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_mesh_measure(const wring_mesh_data *d, wring_mesh_measures *m)
{
  PetscFunctionBegin;
  *m = (wring_mesh_measures){0};
  PetscCall(PetscCalloc2((size_t)d->regions.n, &m->region_tets, (size_t)d->regions.n, &m->region_volume));
  PetscCall(PetscCalloc4((size_t)d->sets.n, &m->set_triangles, (size_t)d->sets.n, &m->set_lines, (size_t)d->sets.n,
                         &m->set_area, (size_t)d->sets.n, &m->set_length));
  wring_bounds(d->n_vertex, d->X, m->low, m->high);
  measure_tets(d, m);
  measure_sets(d, m);
  PetscCall(count_boundary(d, m));
  PetscCall(measure_edges(d, m));
  PetscCall(count_components(d, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_measures_destroy(wring_mesh_measures *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(m->region_tets, m->region_volume));
  PetscCall(PetscFree4(m->set_triangles, m->set_lines, m->set_area, m->set_length));
  PetscFunctionReturn(PETSC_SUCCESS);
}
