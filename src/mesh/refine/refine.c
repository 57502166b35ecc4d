/*
  Uniform refinement, 1 -> 8 of tets, 1 -> 4 of triangles and 1 -> 2 of lines: each rank cuts its own elements; only
  edges on its boundary need other ranks.
*/
#include "refine.h"
#include "mesh/data.h"
#include "mesh/distribute/halo.h"
#include "base/sort.h"
#include "mesh/distribute/order.h"

/* Ten points of a tet: its corners, then the midpoints of its edges. */
enum { CORNERS = 4, EDGES = 6, POINTS = 10, CHILDREN = 8 };

static const int edge_end[EDGES][2]        = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int corner_child[CORNERS][4]  = {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3}};
static const int diagonal_end[3][2]        = {{4, 9}, {5, 8}, {6, 7}};
static const int diagonal_ring[3][CORNERS] = {{5, 6, 8, 7}, {4, 7, 9, 6}, {4, 5, 9, 8}}; // right-handed around it

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The ends of side i: edges of tets, then free edges. */
static void side_ends(const wring_refinement *r, PetscInt i, PetscInt end[2])
{
  const PetscInt of_tets = EDGES * r->m->n_tet;
  for (int a = 0; a < 2; a++)
    end[a] =
      i < of_tets ? r->m->tet[CORNERS * (i / EDGES) + edge_end[i % EDGES][a]] : r->free_end[2 * (i - of_tets) + a];
}

/* Each edge of the local tets once, and the free edges. */
static PetscErrorCode find_edges(wring_refinement *r)
{
  const wring_mesh *const m = r->m;
  const PetscInt          n = EDGES * m->n_tet + r->n_free;
  PetscInt               *side, end[2];
  uint64_t               *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &key, (size_t)n, &side));
  for (PetscInt i = 0; i < n; i++) {
    side_ends(r, i, end);
    key[i] = wring_edge_key(m->n_global, m->original[end[0]], m->original[end[1]]);
  }
  PetscCall(wring_order_keys(n, key, side));
  r->n_edge = 0;
  for (PetscInt i = 0; i < n; i++) r->n_edge += i == 0 || key[i] != key[i - 1];
  PetscCall(PetscMalloc1((size_t)n, &r->edge));
  PetscCall(PetscMalloc1((size_t)r->n_edge, &r->key));
  PetscCall(PetscMalloc1(2 * (size_t)r->n_edge, &r->end));
  for (PetscInt i = 0, j = -1; i < n; i++) {
    if (i == 0 || key[i] != key[i - 1]) {
      r->key[++j] = key[i];
      side_ends(r, side[i], r->end + 2 * j);
    }
    r->edge[side[i]] = j;
  }
  PetscCall(PetscFree2(key, side));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget_edges(wring_refinement *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->key));
  PetscCall(PetscFree(r->end));
  PetscCall(PetscFree(r->edge));
  PetscCall(wring_edges_destroy(&r->edges));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* solid [n_local]: 1 at vertices of tets of any rank. */
static PetscErrorCode mark_solid(const wring_mesh *m, PetscInt *solid)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(solid, m->n_local));
  for (size_t i = 0; i < CORNERS * (size_t)m->n_tet; i++) solid[m->tet[i]] = 1;
  PetscCall(PetscSFReduceBegin(m->halo, MPIU_INT, solid, solid, MPI_MAX));
  PetscCall(PetscSFReduceEnd(m->halo, MPIU_INT, solid, solid, MPI_MAX));
  PetscCall(PetscSFBcastBegin(m->halo, MPIU_INT, solid, solid, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, MPIU_INT, solid, solid, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines between vertices of tets are not refined. */
static PetscErrorCode drop_inner_lines(wring_refinement *r)
{
  PetscInt *solid, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)r->m->n_local, &solid));
  PetscCall(mark_solid(r->m, solid));
  for (PetscInt i = 0; i < r->n_free; i++) {
    const PetscInt a = r->free_end[2 * i], b = r->free_end[2 * i + 1];
    if (r->is_line[i] && solid[a] && solid[b]) continue;
    r->free_end[2 * n]       = a;
    r->free_end[2 * n++ + 1] = b;
  }
  r->n_free = n;
  PetscCall(PetscFree(solid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ends of free edges become vertices of this rank until the mesh is replaced. */
static PetscErrorCode add_free_edges(wring_refinement *r)
{
  wring_mesh *const m = r->m;

  PetscFunctionBegin;
  PetscCall(wring_mesh_extend_halo(m, 2 * r->n_free, r->free_end));
  for (PetscInt i = 0; i < 2 * r->n_free; i++) r->free_end[i] = wring_mesh_local(m, r->free_end[i]);
  PetscCall(drop_inner_lines(r));
  PetscCall(forget_edges(r));
  PetscCall(find_edges(r));
  PetscCall(wring_edges_create(m->comm, r->n_edge, r->key, m->n_owned, &r->edges));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the edges of all ranks. Free edges are added if any rank has one; sets on solids have none. */
static PetscErrorCode number_edges(wring_refinement *r)
{
  wring_mesh *const m = r->m;
  PetscInt          most;

  PetscFunctionBegin;
  PetscCall(find_edges(r));
  PetscCall(wring_edges_create(m->comm, r->n_edge, r->key, m->n_owned, &r->edges));
  PetscCall(wring_refine_find_free(r));
  PetscCallMPI(MPI_Allreduce(&r->n_free, &most, 1, MPIU_INT, MPI_MAX, m->comm));
  if (most > 0) PetscCall(add_free_edges(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/*
  Refinement takes V, E, T to V + E, 2 E + 3 F + T, 8 T, and F >= 2 T, E > V + T: these are lower bounds of the
  vertices, with three coordinates each. The tets of a rank have four corners each, the lines and triangles of its sets
  have rows of four, the members of its sets rows of two. All these are counted by PetscInt; the key of an edge has 64
  bits. Called before the number of edges is known, and again after.
*/
static PetscErrorCode check_counts(const wring_refinement *r, PetscInt done, PetscInt times)
{
  const double keys = 4294967296.0, numbers = (double)PETSC_MAX_INT;
  double       v = (double)r->m->n_global, t = (double)r->m->n_tet_global;
  double       e       = PetscMax((double)r->edges.total, t > 0 ? v + t : 0);
  double       corners = CORNERS * PetscMax((double)r->m->n_tet, (double)r->m->n_set_element), members = 0;
  PetscInt     fits = -1;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < r->m->sets.n; s++) members += 2 * (double)r->m->set_count[s];
  corners = PetscMax(corners, members);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &corners, 1, MPI_DOUBLE, MPI_MAX, r->m->comm));
  for (PetscInt k = done; k < times; k++) {
    if (fits < 0 && (v >= keys || 3 * (v + e) > numbers || CHILDREN * corners > numbers)) fits = k;
    v += e;
    e = 2 * e + 7 * t;
    t *= CHILDREN;
    corners *= CHILDREN;
  }
  if (fits >= 0)
    WRING_REFUSE(r->m->comm,
                 "mesh_refine: %d gives about %.2g vertices and %.2g tetrahedra, too many for the %d-bit "
                 "integers of this PETSc on these ranks, expected at most %d",
                 (int)times, v, t, (int)(8 * sizeof(PetscInt)), (int)fits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode place_points(wring_refinement *r)
{
  const wring_mesh *const m = r->m;
  double                  high[3];

  PetscFunctionBegin;
  r->n_point = m->n_local + r->n_edge;
  PetscCall(PetscMalloc1(3 * (size_t)r->n_point, &r->X));
  PetscCall(PetscMalloc1((size_t)r->n_point, &r->original));
  PetscCall(PetscArraycpy(r->X, m->X, 3 * (size_t)m->n_local));
  PetscCall(PetscArraycpy(r->original, m->original, (size_t)m->n_local));
  for (PetscInt j = 0; j < r->n_edge; j++) {
    const double *const a = m->X + 3 * r->end[2 * j], *const b = m->X + 3 * r->end[2 * j + 1];
    for (int c = 0; c < 3; c++) r->X[3 * (m->n_local + j) + c] = 0.5 * (a[c] + b[c]);
    r->original[m->n_local + j] = m->n_global + r->found[j].place;
  }
  wring_bounds(m->n_owned, m->X, r->low, high);
  PetscCall(wring_bounds_reduce(m->comm, r->low, high));
  r->side = wring_hilbert_side(r->low, high);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool owns(const wring_refinement *r, PetscInt point)
{
  if (point < r->m->n_local) return (PetscBool)(point < r->m->n_owned);
  return (PetscBool)(r->found[point - r->m->n_local].owner == r->rank);
}

static PetscErrorCode order_points(wring_refinement *r)
{
  uint64_t *key;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < r->n_point; p++) r->n_owned += owns(r, p);
  PetscCall(PetscMalloc1((size_t)r->n_owned, &r->owned));
  PetscCall(PetscMalloc1((size_t)r->n_owned, &key));
  for (PetscInt p = 0, i = 0; p < r->n_point; p++) {
    if (!owns(r, p)) continue;
    key[i]        = wring_hilbert_key(r->X + 3 * p, r->low, r->side);
    r->owned[i++] = p;
  }
  PetscCall(wring_sort_keys(r->n_owned, key, r->owned));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static void tet_points(const wring_refinement *r, PetscInt e, PetscInt p[POINTS])
{
  for (int a = 0; a < CORNERS; a++) p[a] = r->m->tet[CORNERS * e + a];
  for (int k = 0; k < EDGES; k++) p[CORNERS + k] = r->m->n_local + r->edge[EDGES * e + k];
}

static void child_points(const wring_refinement *r, PetscInt child, PetscInt v[CORNERS])
{
  const int d = r->diagonal[child / CHILDREN], c = (int)(child % CHILDREN), k = c - CORNERS;
  PetscInt  p[POINTS];
  tet_points(r, child / CHILDREN, p);
  for (int a = 0; a < CORNERS; a++) {
    if (c < CORNERS)
      v[a] = p[corner_child[c][a]];
    else if (a < 2)
      v[a] = p[diagonal_end[d][a]];
    else
      v[a] = p[diagonal_ring[d][(k + a - 2) % CORNERS]];
  }
}

/* The shortest diagonal, to round-off; the lowest original number at an end breaks ties. */
static char choose_diagonal(const wring_refinement *r, PetscInt e)
{
  const double round_off = 1e-10;
  PetscInt     p[POINTS], least[3];
  double       square[3] = {0, 0, 0};
  int          best      = 0;
  tet_points(r, e, p);
  for (int d = 0; d < 3; d++) {
    const PetscInt a = p[diagonal_end[d][0]], b = p[diagonal_end[d][1]];
    for (int c = 0; c < 3; c++) square[d] += PetscSqr(r->X[3 * a + c] - r->X[3 * b + c]);
    least[d] = PetscMin(r->original[a], r->original[b]);
    if (square[d] < (1 - round_off) * square[best] ||
        (square[d] <= (1 + round_off) * square[best] && least[d] < least[best]))
      best = d;
  }
  return (char)best;
}

/* Children of nearly flat tets may have no volume to round-off. */
static PetscErrorCode check_volumes(const wring_refinement *r, PetscInt done)
{
  PetscInt v[CORNERS], flat = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < CHILDREN * r->m->n_tet; i++) {
    child_points(r, i, v);
    flat += !(wring_tet_det(r->X + 3 * v[0], r->X + 3 * v[1], r->X + 3 * v[2], r->X + 3 * v[3]) > 0);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &flat, 1, MPIU_INT, MPI_SUM, r->m->comm));
  if (flat)
    WRING_REFUSE(r->m->comm, "mesh_refine: refinement %d leaves %d tetrahedra of zero volume, expected at most %d",
                 (int)done + 1, (int)flat, (int)done);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode order_children(wring_refinement *r)
{
  const PetscInt n = CHILDREN * r->m->n_tet;
  PetscInt       v[CORNERS], *region, *boundary;
  uint64_t      *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &r->order));
  PetscCall(PetscMalloc3((size_t)n, &region, (size_t)n, &boundary, (size_t)n, &key));
  for (PetscInt i = 0; i < n; i++) {
    child_points(r, i, v);
    region[i]   = r->m->region[i / CHILDREN];
    boundary[i] = !(owns(r, v[0]) && owns(r, v[1]) && owns(r, v[2]) && owns(r, v[3]));
    key[i]      = wring_hilbert_key_of_tet(r->X, v, r->low, r->side);
    r->n_interior += 1 - boundary[i];
  }
  PetscCall(wring_order_tets(n, key, r->m->regions.n, region, boundary, r->order));
  PetscCall(PetscFree3(region, boundary, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_tets(wring_refinement *r, PetscInt done)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)r->m->n_tet, &r->diagonal));
  for (PetscInt e = 0; e < r->m->n_tet; e++) r->diagonal[e] = choose_diagonal(r, e);
  PetscCall(check_volumes(r, done));
  PetscCall(order_children(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the refined mesh in place of the old one -------------------------------------------------------------------- */

/* Replaces the owned vertices and their numbers. */
static PetscErrorCode replace_vertices(const wring_refinement *r)
{
  wring_mesh *const m = r->m;

  PetscFunctionBegin;
  PetscCall(PetscFree(m->original));
  PetscCall(PetscFree(m->X));
  m->n_owned = r->n_owned;
  m->n_global += (PetscInt)r->edges.total;
  PetscCallMPI(MPI_Scan(&m->n_owned, &m->begin, 1, MPIU_INT, MPI_SUM, m->comm));
  m->begin -= m->n_owned;
  PetscCall(PetscMalloc1((size_t)m->n_owned, &m->original));
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, &m->X));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    m->original[i] = r->original[r->owned[i]];
    PetscCall(PetscArraycpy(m->X + 3 * i, r->X + 3 * r->owned[i], 3));
  }
  PetscCall(wring_mesh_build_natural(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global numbers of the points of this rank: global [n_point]. */
static PetscErrorCode number_points(const wring_refinement *r, PetscInt *global)
{
  PetscInt *point, *original, *found, n = 0;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < r->n_point; p++) global[p] = -1;
  for (PetscInt i = 0; i < r->n_owned; i++) global[r->owned[i]] = r->m->begin + i;
  const size_t strangers = (size_t)(r->n_point - r->n_owned);
  PetscCall(PetscMalloc3(strangers, &point, strangers, &original, strangers, &found));
  for (PetscInt p = 0; p < r->n_point; p++) {
    if (global[p] >= 0) continue;
    point[n]      = p;
    original[n++] = r->original[p];
  }
  PetscCall(wring_mesh_find_globals(r->m, n, original, found));
  for (PetscInt i = 0; i < n; i++) global[point[i]] = found[i];
  PetscCall(PetscFree3(point, original, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void fill_tets(const wring_refinement *r, const PetscInt *global, PetscInt *tet, PetscInt *region,
                      PetscInt64 *number)
{
  PetscInt v[CORNERS];
  for (PetscInt i = 0; i < CHILDREN * r->m->n_tet; i++) {
    const PetscInt child = r->order[i], e = child / CHILDREN;
    child_points(r, child, v);
    for (int a = 0; a < CORNERS; a++) tet[CORNERS * i + a] = global[v[a]];
    region[i] = r->m->region[e];
    number[i] = CHILDREN * r->m->tet_original[e] + child % CHILDREN;
  }
}

/* Replaces the tets, in global numbers, as wring_mesh_join expects. */
static PetscErrorCode replace_tets(const wring_refinement *r, const PetscInt *global)
{
  wring_mesh *const m = r->m;
  const size_t      n = CHILDREN * (size_t)m->n_tet;
  PetscInt         *tet, *region;
  PetscInt64       *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(CORNERS * n, &tet));
  PetscCall(PetscMalloc1(n, &region));
  PetscCall(PetscMalloc1(n, &number));
  fill_tets(r, global, tet, region, number);
  PetscCall(PetscFree(m->tet));
  PetscCall(PetscFree(m->region));
  PetscCall(PetscFree(m->tet_original));
  m->tet          = tet;
  m->region       = region;
  m->tet_original = number;
  m->n_tet        = (PetscInt)n;
  m->n_interior   = r->n_interior;
  m->n_tet_global *= CHILDREN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode replace_mesh(const wring_refinement *r)
{
  PetscInt *global;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)r->n_point, &global));
  PetscCall(replace_vertices(r));
  PetscCall(number_points(r, global));
  PetscCall(replace_tets(r, global));
  PetscCall(PetscFree(global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one refinement ---------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy(wring_refinement *r)
{
  PetscFunctionBegin;
  PetscCall(forget_edges(r));
  PetscCall(PetscFree(r->found));
  PetscCall(PetscFree2(r->free_end, r->is_line));
  PetscCall(PetscFree(r->X));
  PetscCall(PetscFree(r->original));
  PetscCall(PetscFree(r->owned));
  PetscCall(PetscFree(r->diagonal));
  PetscCall(PetscFree(r->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refine(wring_refinement *r, PetscInt done, PetscInt times)
{
  wring_mesh *const m = r->m;
  wring_members     members;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &r->rank));
  PetscCall(check_counts(r, done, times));
  PetscCall(number_edges(r));
  PetscCall(check_counts(r, done, times));
  PetscCall(PetscMalloc1((size_t)r->n_edge, &r->found));
  PetscCall(wring_edges_find(&r->edges, r->n_edge, r->key, r->found));
  PetscCall(place_points(r));
  PetscCall(order_points(r));
  PetscCall(cut_tets(r, done));
  PetscCall(wring_refine_find_members(r, &members));
  PetscCall(wring_refine_values(r));
  PetscCall(replace_mesh(r));
  PetscCall(destroy(r));
  PetscCall(wring_mesh_join(m));
  PetscCall(wring_refine_fill_sets(m, &members));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_elements(const wring_mesh *m, PetscInt times)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&m->n_set_element, &n, 1, MPIU_INT, MPI_MAX, m->comm));
  if (times > 0 && m->n_tet_global == 0 && n == 0)
    WRING_REFUSE(m->comm, "mesh_refine: %d, but the mesh has only points, expected 0", (int)times);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_refine(wring_mesh *m, PetscInt times)
{
  PetscErrorCode status = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(check_elements(m, times));
  for (PetscInt done = 0; done < times && !status; done++) {
    wring_refinement r = {.m = m};
    status             = refine(&r, done, times);
    PetscCall(destroy(&r));
  }
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_refine_values(wring_mesh *m, int width, double **value)
{
  wring_refinement r = {.m = m, .width = width, .value = *value};

  PetscFunctionBegin;
  PetscCall(check_elements(m, 1));
  const PetscErrorCode status = refine(&r, 0, 1);
  PetscCall(destroy(&r));
  *value = r.value;
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
