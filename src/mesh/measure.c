/* The properties of a mesh in slices that `wring mesh info` prints: tets, lines and triangles of each rank, summed. */
#include "measure.h"
#include "data.h"
#include "mesh/distribute/slices.h"
#include "mesh/distribute/order.h"

/* ---- a slice with its vertices ----------------------------------------------------------------------------------- */

/* tet and lower share memory, so that one call finds the vertices of both. */
static PetscErrorCode create_view(MPI_Comm comm, const wring_mesh_data *d, wring_view *w)
{
  const size_t n = 4 * (size_t)d->n_tet;

  PetscFunctionBegin;
  *w = (wring_view){.comm = comm, .d = d};
  PetscCall(PetscLayoutCreateFromSizes(comm, d->n_vertex, PETSC_DETERMINE, 1, &w->slice));
  PetscCall(PetscMalloc1(n + 4 * (size_t)d->n_set_element, &w->tet));
  PetscCall(PetscArraycpy(w->tet, d->tet, n));
  w->lower = w->tet + n;
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const row = d->set_element + 4 * (size_t)i + 1;
    for (int a = 0; a < 4; a++) w->lower[4 * (size_t)i + (size_t)a] = row[a < 2 || (a == 2 && row[2] >= 0) ? a : 0];
  }
  PetscCall(wring_slices_compact(d->n_tet + d->n_set_element, w->tet, &w->n_used, &w->used));
  PetscCall(wring_exchange_ask(w->slice, w->n_used, w->used, &w->x));
  PetscCall(PetscMalloc1(3 * (size_t)w->n_used, &w->X));
  PetscCall(wring_exchange_fetch(&w->x, 3 * sizeof *w->X, d->X, w->X));
  PetscCall(wring_view_find_middles(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_view(wring_view *w)
{
  PetscFunctionBegin;
  PetscCall(PetscLayoutDestroy(&w->slice));
  PetscCall(wring_exchange_destroy(&w->x));
  PetscCall(PetscFree(w->used));
  PetscCall(PetscFree(w->X));
  PetscCall(PetscFree(w->tet));
  PetscCall(PetscFree(w->edge));
  PetscCall(PetscFree(w->middle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void measure_tets(const wring_view *w, wring_mesh_measures *m)
{
  for (PetscInt e = 0; e < w->d->n_tet; e++) {
    const PetscInt r = w->d->region[e];
    const double  *x[4];
    double         jacobian = 1;
    for (int a = 0; a < 4; a++) x[a] = w->X + 3 * (size_t)w->tet[4 * (size_t)e + (size_t)a];
    const double straight = wring_tet_det(x[0], x[1], x[2], x[3]) / 6, q = wring_tet_quality(x, straight);
    const double volume = w->middle ? wring_view_tet_volume(w, e, &jacobian) : straight;
    m->region_tets[r]++;
    m->region_volume[r] += volume;
    m->volume += volume;
    m->jacobian_min = PetscMin(m->jacobian_min, jacobian);
    m->quality_min  = PetscMin(m->quality_min, q);
    m->quality_mean += q / (double)m->n_tet;
    m->quality_count[(int)PetscMin(WRING_QUALITY_BINS * q, WRING_QUALITY_BINS - 1)]++;
  }
}

/* Lines and triangles of sets. */
static void measure_sets(const wring_view *w, wring_mesh_measures *m)
{
  for (PetscInt i = 0; i < w->d->n_set_element; i++) {
    const PetscInt *const row = w->d->set_element + 4 * (size_t)i, *const v = w->lower + 4 * (size_t)i;
    const double *const x = w->X + 3 * (size_t)v[0], *const y = w->X + 3 * (size_t)v[1];
    double B[4], area;
    if (row[3] < 0) {
      const double straight = wring_distance3(x, y);
      m->set_lines[row[0]]++;
      m->set_length[row[0]] += w->middle ? wring_view_line_length(w, v) : straight;
    } else {
      wring_triangle_rest(x, y, w->X + 3 * (size_t)v[2], B, &area);
      m->set_triangles[row[0]]++;
      m->set_area[row[0]] += w->middle ? wring_view_triangle_area(w, v) : area;
    }
  }
  for (PetscInt s = 0; s < w->d->sets.n; s++) m->set_vertices[s] = w->d->set_start[s + 1] - w->d->set_start[s];
}

/* ---- all measures ------------------------------------------------------------------------------------------------ */

static PetscErrorCode create_measures(MPI_Comm comm, const wring_mesh_data *d, wring_mesh_measures *m)
{
  PetscInt64   count[2] = {d->n_vertex, d->n_tet};
  const size_t n_region = (size_t)d->regions.n, n_set = (size_t)d->sets.n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT64, MPI_SUM, comm));
  *m = (wring_mesh_measures){.n_vertex = count[0], .n_tet = count[1], .quality_min = INFINITY, .jacobian_min = 1};
  PetscCall(PetscCalloc2(n_region, &m->region_tets, n_region, &m->region_volume));
  PetscCall(PetscCalloc5(n_set, &m->set_vertices, n_set, &m->set_triangles, n_set, &m->set_lines, n_set, &m->set_area,
                         n_set, &m->set_length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sum(MPI_Comm comm, PetscInt n, MPI_Datatype type, void *value)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, size, type, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sum_measures(MPI_Comm comm, const wring_mesh_data *d, wring_mesh_measures *m)
{
  PetscFunctionBegin;
  PetscCall(sum(comm, 1, MPI_DOUBLE, &m->volume));
  PetscCall(sum(comm, 1, MPI_DOUBLE, &m->quality_mean));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->quality_min, 1, MPI_DOUBLE, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->jacobian_min, 1, MPI_DOUBLE, MPI_MIN, comm));
  if (m->n_tet == 0) m->quality_min = 0;
  PetscCall(sum(comm, WRING_QUALITY_BINS, MPIU_INT64, m->quality_count));
  PetscCall(sum(comm, d->regions.n, MPIU_INT64, m->region_tets));
  PetscCall(sum(comm, d->regions.n, MPI_DOUBLE, m->region_volume));
  PetscCall(sum(comm, d->sets.n, MPIU_INT64, m->set_vertices));
  PetscCall(sum(comm, d->sets.n, MPIU_INT64, m->set_triangles));
  PetscCall(sum(comm, d->sets.n, MPIU_INT64, m->set_lines));
  PetscCall(sum(comm, d->sets.n, MPI_DOUBLE, m->set_area));
  PetscCall(sum(comm, d->sets.n, MPI_DOUBLE, m->set_length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_measure(MPI_Comm comm, const wring_mesh_data *d, wring_mesh_measures *m)
{
  wring_view w;

  PetscFunctionBegin;
  PetscCall(create_measures(comm, d, m));
  PetscCall(create_view(comm, d, &w));
  PetscCall(wring_bounds_find(comm, d->n_vertex, d->X, m->low, m->high));
  measure_tets(&w, m);
  measure_sets(&w, m);
  PetscCall(sum_measures(comm, d, m));
  PetscCall(wring_view_count_boundary(&w, m));
  PetscCall(wring_view_measure_edges(&w, m));
  PetscCall(wring_view_count_components(&w, m));
  PetscCall(destroy_view(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_measures_destroy(wring_mesh_measures *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(m->region_tets, m->region_volume));
  PetscCall(PetscFree5(m->set_vertices, m->set_triangles, m->set_lines, m->set_area, m->set_length));
  PetscFunctionReturn(PETSC_SUCCESS);
}
