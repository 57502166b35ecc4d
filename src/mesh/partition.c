#include "partition.h"
#include "faces.h"
#include "order.h"
#include <metis.h>

/* The dual graph as METIS wants it: start [n_tet + 1], and the neighbours without the -1 of the boundary. */
static PetscErrorCode build_dual_graph(const wring_mesh_data *d, idx_t **start, idx_t **adjacent)
{
  PetscInt *neighbour, crowd[3];

  PetscFunctionBegin;
  PetscCheck(4 * (double)d->n_tet < (double)IDX_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " tetrahedra need a METIS with 64-bit integers", d->n_tet);
  PetscCall(PetscMalloc1(4 * (size_t)d->n_tet, &neighbour));
  PetscCall(wring_faces_match(d->n_vertex, d->n_tet, d->tet, neighbour, crowd));
  PetscCall(PetscMalloc1((size_t)d->n_tet + 1, start));
  PetscCall(PetscMalloc1(4 * (size_t)d->n_tet, adjacent));
  idx_t n = 0;
  for (PetscInt e = 0; e < d->n_tet; e++) {
    (*start)[e] = n;
    for (int a = 0; a < 4; a++)
      if (neighbour[4 * e + a] >= 0) (*adjacent)[n++] = (idx_t)neighbour[4 * e + a];
  }
  (*start)[d->n_tet] = n;
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode partition_graph(const wring_mesh_data *d, PetscInt n_part, PetscInt *tet_part)
{
  idx_t *start, *adjacent, *part, n = (idx_t)d->n_tet, n_constraint = 1, parts = (idx_t)n_part, cut;
  idx_t  options[METIS_NOPTIONS];

  PetscFunctionBegin;
  PetscCall(build_dual_graph(d, &start, &adjacent));
  PetscCall(PetscMalloc1((size_t)d->n_tet, &part));
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED]      = 1;
  const int status =
    METIS_PartGraphKway(&n, &n_constraint, start, adjacent, NULL, NULL, NULL, &parts, NULL, NULL, options, &cut, part);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphKway returned %d", status);
  for (PetscInt e = 0; e < d->n_tet; e++) tet_part[e] = (PetscInt)part[e];
  PetscCall(PetscFree(part));
  PetscCall(PetscFree(adjacent));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equal pieces of the curve through the vertices. */
static PetscErrorCode cut_curve(const wring_mesh_data *d, PetscInt n_part, PetscInt *vertex_part)
{
  uint64_t *key;
  PetscInt *order;
  double    low[3], high[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)d->n_vertex, &key, (size_t)d->n_vertex, &order));
  wring_bounds(d->n_vertex, d->X, low, high);
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    key[v]   = wring_curve_key(d->X + 3 * v, low, wring_curve_side(low, high));
    order[v] = v;
  }
  PetscCall(wring_sort_keys(d->n_vertex, key, order));
  for (PetscInt i = 0; i < d->n_vertex; i++) vertex_part[order[i]] = (PetscInt)((int64_t)i * n_part / d->n_vertex);
  PetscCall(PetscFree2(key, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { UNTOUCHED = -1, SHARED = -2 };

/* vertex_part: the only part that touches a vertex, or SHARED; load [n_part]: how many a part has to itself. */
static PetscInt own_inner_vertices(const wring_mesh_data *d, const PetscInt *tet_part, PetscInt *vertex_part,
                                   PetscInt *load)
{
  PetscInt n_corner = 0;
  for (PetscInt v = 0; v < d->n_vertex; v++) vertex_part[v] = UNTOUCHED;
  for (int64_t i = 0; i < 4 * (int64_t)d->n_tet; i++) {
    PetscInt *const at = vertex_part + d->tet[i];
    if (*at == UNTOUCHED) *at = tet_part[i / 4];
    if (*at != tet_part[i / 4]) *at = SHARED;
  }
  for (PetscInt v = 0; v < d->n_vertex; v++)
    if (vertex_part[v] >= 0) load[vertex_part[v]]++;
  for (int64_t i = 0; i < 4 * (int64_t)d->n_tet; i++) n_corner += vertex_part[d->tet[i]] == SHARED;
  return n_corner;
}

/* Each shared vertex, in ascending order, goes to the least loaded (then lowest) part among those that touch it. */
static PetscErrorCode own_shared_vertices(const wring_mesh_data *d, const PetscInt *tet_part, PetscInt n_corner,
                                          PetscInt *vertex_part, PetscInt *load)
{
  uint64_t *key;
  PetscInt *part, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n_corner, &key, (size_t)n_corner, &part));
  for (int64_t i = 0; i < 4 * (int64_t)d->n_tet; i++) {
    if (vertex_part[d->tet[i]] != SHARED) continue;
    key[n]    = (uint64_t)d->tet[i];
    part[n++] = tet_part[i / 4];
  }
  PetscCall(wring_sort_keys(n, key, part));
  for (PetscInt i = 0; i < n;) {
    const uint64_t v    = key[i];
    PetscInt       best = part[i];
    for (; i < n && key[i] == v; i++)
      if (load[part[i]] < load[best] || (load[part[i]] == load[best] && part[i] < best)) best = part[i];
    vertex_part[v] = best;
    load[best]++;
  }
  PetscCall(PetscFree2(key, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices of a mesh with tets that no tet touches (a line beside a solid) fill up the least loaded parts. */
static void own_untouched_vertices(PetscInt n_vertex, PetscInt n_part, PetscInt *vertex_part, PetscInt *load)
{
  PetscInt best = 0;
  for (PetscInt p = 1; p < n_part; p++)
    if (load[p] < load[best]) best = p;
  for (PetscInt v = 0; v < n_vertex; v++)
    if (vertex_part[v] == UNTOUCHED) vertex_part[v] = best;
}

PetscErrorCode wring_mesh_partition(const wring_mesh_data *d, PetscInt n_part, PetscInt *tet_part,
                                    PetscInt *vertex_part)
{
  PetscInt *load;

  PetscFunctionBegin;
  if (d->n_tet == 0) {
    PetscCall(cut_curve(d, n_part, vertex_part));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (n_part == 1 || d->n_tet <= n_part) { // METIS divides by zero for one part, and has no use for so few tets
    for (PetscInt e = 0; e < d->n_tet; e++) tet_part[e] = n_part == 1 ? 0 : e;
  } else {
    PetscCall(partition_graph(d, n_part, tet_part));
  }
  PetscCall(PetscCalloc1((size_t)n_part, &load));
  const PetscInt n_corner = own_inner_vertices(d, tet_part, vertex_part, load);
  PetscCall(own_shared_vertices(d, tet_part, n_corner, vertex_part, load));
  own_untouched_vertices(d->n_vertex, n_part, vertex_part, load);
  PetscCall(PetscFree(load));
  PetscFunctionReturn(PETSC_SUCCESS);
}
