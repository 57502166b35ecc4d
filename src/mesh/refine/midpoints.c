/*
  The points of a refined or raised mesh: its edges, their midpoints, and the owned vertices with their numbers. Only
  edges on the boundary of a rank's part need other ranks.
*/
#include "refine.h"
#include "mesh/distribute/halo.h"
#include "base/sort.h"
#include "mesh/bodies.h"
#include "mesh/distribute/order.h"

enum { CORNERS = WRING_TET_CORNERS, EDGES = WRING_TET_EDGES };

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The ends of side i: edges of tets, then free edges. */
static void side_ends(const wring_refinement *r, PetscInt i, PetscInt end[2])
{
  const PetscInt of_tets = EDGES * r->m->tets.n;
  for (int a = 0; a < 2; a++)
    end[a] = i < of_tets ? r->m->tets.corner[CORNERS * (i / EDGES) + wring_tet_edge[i % EDGES][a]]
                         : r->free.end[2 * (i - of_tets) + a];
}

/* Each edge of the local tets once, and the free edges; and those of all ranks. Collective. */
static PetscErrorCode find_edges(wring_refinement *r)
{
  const wring_mesh *const m = r->m;
  const PetscInt          n = EDGES * m->tets.n + r->free.n;
  PetscInt               *side, end[2];
  uint64_t               *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &key, (size_t)n, &side));
  for (PetscInt i = 0; i < n; i++) {
    side_ends(r, i, end);
    key[i] = wring_edge_key(m->number.n_global, m->number.original[end[0]], m->number.original[end[1]]);
  }
  PetscCall(wring_order_keys(n, key, side));
  r->edge.n = 0;
  for (PetscInt i = 0; i < n; i++) r->edge.n += i == 0 || key[i] != key[i - 1];
  PetscCall(PetscMalloc1((size_t)n, &r->edge.of_tet));
  PetscCall(PetscMalloc1((size_t)r->edge.n, &r->edge.key));
  PetscCall(PetscMalloc1(2 * (size_t)r->edge.n, &r->edge.end));
  for (PetscInt i = 0, j = -1; i < n; i++) {
    if (i == 0 || key[i] != key[i - 1]) {
      r->edge.key[++j] = key[i];
      side_ends(r, side[i], r->edge.end + 2 * j);
    }
    r->edge.of_tet[side[i]] = j;
  }
  PetscCall(PetscFree2(key, side));
  PetscCall(wring_edges_create(m->comm, r->edge.n, r->edge.key, m->n_owned, &r->edge.all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget_edges(wring_refinement *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->edge.key));
  PetscCall(PetscFree(r->edge.end));
  PetscCall(PetscFree(r->edge.of_tet));
  PetscCall(wring_edges_destroy(&r->edge.all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines between vertices of tets are not refined. */
static PetscErrorCode drop_inner_lines(wring_refinement *r)
{
  PetscInt *solid, n = 0; // solid [n_local]: 1 at vertices of tets of any rank

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)r->m->n_local, &solid));
  for (size_t i = 0; i < CORNERS * (size_t)r->m->tets.n; i++) solid[r->m->tets.corner[i]] = 1;
  PetscCall(wring_mesh_reduce(r->m, MPIU_INT, MPI_MAX, solid));
  for (PetscInt i = 0; i < r->free.n; i++) {
    const PetscInt a = r->free.end[2 * i], b = r->free.end[2 * i + 1];
    if (r->free.is_line[i] && solid[a] && solid[b]) continue;
    r->free.end[2 * n]       = a;
    r->free.end[2 * n++ + 1] = b;
  }
  r->free.n = n;
  PetscCall(PetscFree(solid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ends of free edges become vertices of this rank until the mesh is replaced. */
static PetscErrorCode add_free_edges(wring_refinement *r)
{
  wring_mesh *const m = r->m;

  PetscFunctionBegin;
  PetscCall(wring_mesh_extend_halo(m, 2 * r->free.n, r->free.end));
  for (PetscInt i = 0; i < 2 * r->free.n; i++) r->free.end[i] = wring_mesh_local(m, r->free.end[i]);
  PetscCall(drop_inner_lines(r));
  PetscCall(forget_edges(r));
  PetscCall(find_edges(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Free edges are added if any rank has one; sets on solids have none. */
PetscErrorCode wring_refine_number_edges(wring_refinement *r)
{
  wring_mesh *const m = r->m;
  PetscInt          most;

  PetscFunctionBegin;
  r->rank = wring_comm_rank(m->comm);
  PetscCall(find_edges(r));
  PetscCall(wring_refine_find_free(r));
  PetscCallMPI(MPI_Allreduce(&r->free.n, &most, 1, MPIU_INT, MPI_MAX, m->comm));
  if (most > 0) PetscCall(add_free_edges(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_refine_take_points(wring_refinement *r, PetscInt n)
{
  const wring_mesh *const m = r->m;
  double                  high[3];

  PetscFunctionBegin;
  r->point.n = m->n_local + n;
  PetscCall(PetscMalloc1(3 * (size_t)r->point.n, &r->point.X));
  PetscCall(PetscMalloc1((size_t)r->point.n, &r->point.original));
  PetscCall(PetscArraycpy(r->point.X, m->X, 3 * (size_t)m->n_local));
  PetscCall(PetscArraycpy(r->point.original, m->number.original, (size_t)m->n_local));
  PetscCall(wring_bounds_find(m->comm, m->n_owned, m->X, r->point.low, high));
  r->point.side = wring_hilbert_side(r->point.low, high);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_refine_owns(const wring_refinement *r, PetscInt point)
{
  if (point < r->m->n_local) return (PetscBool)(point < r->m->n_owned);
  return (PetscBool)(r->edge.found[point - r->m->n_local].owner == r->rank);
}

static PetscErrorCode order_points(wring_refinement *r)
{
  uint64_t *key;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < r->point.n; p++) r->point.n_owned += wring_refine_owns(r, p);
  PetscCall(PetscMalloc1((size_t)r->point.n_owned, &r->point.owned));
  PetscCall(PetscMalloc1((size_t)r->point.n_owned, &key));
  wring_hilbert h = wring_hilbert_begin(r->point.low, r->point.side, key);
  for (PetscInt p = 0, i = 0; p < r->point.n; p++) {
    if (!wring_refine_owns(r, p)) continue;
    wring_hilbert_add(&h, r->point.X + 3 * p);
    r->point.owned[i++] = p;
  }
  wring_hilbert_end(&h);
  PetscCall(wring_sort_keys(r->point.n_owned, key, r->point.owned));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_find_points(wring_refinement *r)
{
  const wring_mesh *const m = r->m;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)r->edge.n, &r->edge.found));
  PetscCall(wring_edges_find(&r->edge.all, r->edge.n, r->edge.key, r->edge.found));
  PetscCall(wring_refine_take_points(r, r->edge.n));
  for (PetscInt j = 0; j < r->edge.n; j++) {
    const double *const a = m->X + 3 * r->edge.end[2 * j], *const b = m->X + 3 * r->edge.end[2 * j + 1];
    for (int c = 0; c < 3; c++) r->point.X[3 * (m->n_local + j) + c] = 0.5 * (a[c] + b[c]);
    r->point.original[m->n_local + j] = m->number.n_global + r->edge.found[j].place;
  }
  PetscCall(order_points(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_refine_tet_points(const wring_refinement *r, PetscInt e, PetscInt p[WRING_TET_POINTS])
{
  for (int a = 0; a < CORNERS; a++) p[a] = r->m->tets.corner[CORNERS * e + a];
  for (int k = 0; k < EDGES; k++)
    p[CORNERS + k] = r->m->tets.mid ? r->m->tets.mid[EDGES * e + k] : r->m->n_local + r->edge.of_tet[EDGES * e + k];
}

/* ---- in place of the old vertices -------------------------------------------------------------------------------- */

PetscErrorCode wring_refine_replace_vertices(const wring_refinement *r, PetscInt *global)
{
  wring_mesh *const m = r->m;

  PetscFunctionBegin;
  PetscCall(PetscFree(m->number.original));
  PetscCall(PetscFree(m->X));
  m->n_owned = r->point.n_owned;
  m->number.n_global += (PetscInt)r->edge.all.total;
  PetscCallMPI(MPI_Scan(&m->n_owned, &m->number.begin, 1, MPIU_INT, MPI_SUM, m->comm));
  m->number.begin -= m->n_owned;
  PetscCall(PetscMalloc1((size_t)m->n_owned, &m->number.original));
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, &m->X));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    m->number.original[i] = r->point.original[r->point.owned[i]];
    PetscCall(PetscArraycpy(m->X + 3 * i, r->point.X + 3 * r->point.owned[i], 3));
  }
  PetscCall(wring_mesh_build_natural(m));
  PetscCall(wring_mesh_find_globals(m, r->point.n, r->point.original, global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_destroy(wring_refinement *r)
{
  PetscFunctionBegin;
  PetscCall(forget_edges(r));
  PetscCall(PetscFree(r->edge.found));
  PetscCall(PetscFree2(r->free.end, r->free.is_line));
  PetscCall(PetscFree(r->point.X));
  PetscCall(PetscFree(r->point.original));
  PetscCall(PetscFree(r->point.owned));
  PetscCall(PetscFree(r->tets.diagonal));
  PetscCall(PetscFree(r->tets.order));
  PetscFunctionReturn(PETSC_SUCCESS);
}
