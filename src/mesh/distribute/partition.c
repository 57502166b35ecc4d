#include "partition.h"
#include "mesh/surface/faces.h"
#include "base/sort.h"
#include "order.h"
#include <metis.h>

/* The dual graph in the format of METIS: start [n_tet + 1], and the neighbours without the -1 of the boundary. */
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

/* The vertices whose part is `mark`, in the order of the curve: order [*n]. */
static PetscErrorCode order_along_curve(const wring_mesh_data *d, const PetscInt *vertex_part, PetscInt mark,
                                        PetscInt *n, PetscInt *order)
{
  uint64_t *key;
  double    low[3], high[3];

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &key));
  wring_bounds(d->n_vertex, d->X, low, high);
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    if (vertex_part[v] != mark) continue;
    key[*n]       = wring_hilbert_key(d->X + 3 * (size_t)v, low, wring_hilbert_side(low, high));
    order[(*n)++] = v;
  }
  PetscCall(wring_sort_keys(*n, key, order));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { UNTOUCHED = -1, SHARED = -2 };

/*
  vertex_part: the only part that touches a vertex, or SHARED; load [n_part]: the number of vertices that only this part
  touches. Returns the number of corners at shared vertices.
*/
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

/*
  Each shared vertex, in ascending order, goes to the least loaded part that touches it, the lowest part breaking ties.
*/
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

/* Orders parts by the position of the mean of their vertices along the curve; parts without vertices come last. */
static PetscErrorCode order_parts(const wring_mesh_data *d, PetscInt n_part, const PetscInt *vertex_part,
                                  const PetscInt *load, PetscInt *order)
{
  uint64_t *key;
  double    low[3], high[3], *mean;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n_part, &key));
  PetscCall(PetscCalloc1(3 * (size_t)n_part, &mean));
  wring_bounds(d->n_vertex, d->X, low, high);
  for (PetscInt v = 0; v < d->n_vertex; v++)
    for (int c = 0; c < 3 && vertex_part[v] >= 0; c++)
      mean[3 * vertex_part[v] + c] += d->X[3 * (size_t)v + (size_t)c] / (double)load[vertex_part[v]];
  for (PetscInt p = 0; p < n_part; p++)
    key[p] = load[p] ? wring_hilbert_key(mean + 3 * p, low, wring_hilbert_side(low, high)) : UINT64_MAX;
  PetscCall(wring_order_keys(n_part, key, order));
  PetscCall(PetscFree(mean));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* room [n_part]: the share of each part in n more vertices that fills the least loaded parts up to one level. */
static PetscErrorCode level_loads(PetscInt n_part, const PetscInt *load, PetscInt n, PetscInt *room)
{
  PetscInt *order, *sorted, below = 0;
  int64_t   sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n_part, &order, (size_t)n_part, &sorted));
  for (PetscInt p = 0; p < n_part; p++) order[p] = p;
  PetscCall(PetscArraycpy(sorted, load, n_part));
  PetscCall(PetscSortIntWithArray(n_part, sorted, order));
  while (below < n_part && (below == 0 || (int64_t)sorted[below] * below - sum < n)) sum += sorted[below++];
  for (PetscInt i = 0; i < n_part; i++) {
    const PetscInt level = (PetscInt)((n + sum) / below) + (i < (n + sum) % below);
    room[order[i]]       = i < below ? PetscMax(level - sorted[i], 0) : 0;
  }
  PetscCall(PetscFree2(order, sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Assigns the vertices of no tet, of lines and surfaces outside a solid or of a mesh without tets: pieces of the curve
  through them, such that the parts own equally many vertices, as far as possible.
*/
static PetscErrorCode own_untouched_vertices(const wring_mesh_data *d, PetscInt n_part, PetscInt *vertex_part,
                                             const PetscInt *load)
{
  PetscInt *vertex, *part, *room, n, p = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)d->n_vertex, &vertex, (size_t)n_part, &part, (size_t)n_part, &room));
  PetscCall(order_along_curve(d, vertex_part, UNTOUCHED, &n, vertex));
  PetscCall(order_parts(d, n_part, vertex_part, load, part));
  PetscCall(level_loads(n_part, load, n, room));
  for (PetscInt i = 0; i < n; i++) {
    while (room[part[p]] == 0) p++;
    room[part[p]]--;
    vertex_part[vertex[i]] = part[p];
  }
  PetscCall(PetscFree3(vertex, part, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_partition(const wring_mesh_data *d, PetscInt n_part, PetscInt *tet_part,
                                    PetscInt *vertex_part)
{
  PetscInt *load;

  PetscFunctionBegin;
  if (n_part == 1 || d->n_tet <= n_part) { // METIS divides by zero for one part, and is not needed for so few tets
    for (PetscInt e = 0; e < d->n_tet; e++) tet_part[e] = n_part == 1 ? 0 : e;
  } else {
    PetscCall(partition_graph(d, n_part, tet_part));
  }
  PetscCall(PetscCalloc1((size_t)n_part, &load));
  const PetscInt n_corner = own_inner_vertices(d, tet_part, vertex_part, load);
  PetscCall(own_shared_vertices(d, tet_part, n_corner, vertex_part, load));
  PetscCall(own_untouched_vertices(d, n_part, vertex_part, load));
  PetscCall(PetscFree(load));
  PetscFunctionReturn(PETSC_SUCCESS);
}
