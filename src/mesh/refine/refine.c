/*
  Uniform refinement, 1 -> 8 of tets, 1 -> 4 of triangles and 1 -> 2 of lines: each rank cuts its own elements. Raising
  to second order: each tet keeps its corners and gets the midpoints of its edges, and so do lines and triangles.
*/
#include "refine.h"
#include "base/count.h"
#include "mesh/data.h"
#include "mesh/distribute/halo.h"

enum { CHILDREN = 8 };

/*
  Refinement takes V, E, T to V + E, 2 E + 3 F + T, 8 T, and F >= 2 T, E > V + T: these are lower bounds of the
  vertices, with three coordinates each. The lines and triangles of a rank's sets have rows of four, the members of its
  sets rows of two. All these, and the tets of a rank (mesh.h), are counted by PetscInt; the key of an edge has 64 bits.
  Called before the number of edges is known, and again after.
*/
static PetscErrorCode check_counts(const wring_refinement *r, PetscInt done, PetscInt times)
{
  const double keys = 4294967296.0, numbers = (double)PETSC_MAX_INT;
  double       v = (double)r->m->number.n_global, t = (double)r->m->tets.n_global;
  double       e = PetscMax((double)r->edge.all.total, t > 0 ? v + t : 0), members = 0;
  double       entries = PetscMax(WRING_TET_ENTRIES * (double)r->m->tets.n, 4 * (double)r->m->set.n_element);
  PetscInt     fits    = -1;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < r->m->set.names.n; s++) members += 2 * (double)r->m->set.count[s];
  entries = PetscMax(entries, members);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &entries, 1, MPI_DOUBLE, MPI_MAX, r->m->comm));
  for (PetscInt k = done; k < times; k++) {
    if (fits < 0 && (v >= keys || 3 * (v + e) > numbers || CHILDREN * entries > numbers)) fits = k;
    v += e;
    e = 2 * e + 7 * t;
    t *= CHILDREN;
    entries *= CHILDREN;
  }
  if (fits >= 0)
    WRING_REFUSE(r->m->comm,
                 "mesh_refine: %d gives about %.2g vertices and %.2g tetrahedra, too many for the %d-bit "
                 "integers of this PETSc on these ranks, expected at most %d",
                 (int)times, v, t, (int)(8 * sizeof(PetscInt)), (int)fits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for a mesh that is raised. */
static PetscErrorCode check_raised(const wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  wring_error             error = {""};

  PetscFunctionBegin;
  if (wring_count_fits(wring_count_plus(m->number.n_global, r->edge.all.total), 3, "mesh_order: 2", "vertices", &error))
    wring_count_fits(m->set.n_element, WRING_TET_EDGES, "mesh_order: 2", "elements of the sets of a rank", &error);
  if ((uint64_t)m->number.n_global >> 32) wring_error_set(&error, "mesh_order: 2 is for at most 4294967295 vertices");
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

/* The shortest diagonal, to round-off; the lowest original number at an end breaks ties. */
static char choose_diagonal(const wring_refinement *r, PetscInt e)
{
  const double round_off = 1e-10;
  PetscInt     p[WRING_TET_POINTS], least[3];
  double       square[3] = {0, 0, 0};
  int          best      = 0;
  wring_refine_tet_points(r, e, p);
  for (int d = 0; d < 3; d++) {
    const PetscInt a = p[wring_refine_diagonal[d][0]], b = p[wring_refine_diagonal[d][1]];
    for (int c = 0; c < 3; c++) square[d] += PetscSqr(r->point.X[3 * a + c] - r->point.X[3 * b + c]);
    least[d] = PetscMin(r->point.original[a], r->point.original[b]);
    if (square[d] < (1 - round_off) * square[best] ||
        (square[d] <= (1 + round_off) * square[best] && least[d] < least[best]))
      best = d;
  }
  return (char)best;
}

/* Children of nearly flat tets may have no volume to round-off. */
static PetscErrorCode cut_tets(wring_refinement *r, PetscInt done)
{
  const double *const X = r->point.X;
  PetscInt            v[WRING_TET_POINTS], flat = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)r->m->tets.n, &r->tets.diagonal));
  for (PetscInt e = 0; e < r->m->tets.n; e++) r->tets.diagonal[e] = choose_diagonal(r, e);
  for (PetscInt i = 0; i < CHILDREN * r->m->tets.n; i++) {
    wring_refine_child_points(r, i, v);
    flat += !(wring_tet_det(X + 3 * v[0], X + 3 * v[1], X + 3 * v[2], X + 3 * v[3]) > 0);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &flat, 1, MPIU_INT, MPI_SUM, r->m->comm));
  if (flat)
    WRING_REFUSE(r->m->comm, "mesh_refine: refinement %d leaves %d tetrahedra of zero volume, expected at most %d",
                 (int)done + 1, (int)flat, (int)done);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* Refines the mesh, or raises it to second order. */
static PetscErrorCode refine(wring_refinement *r, PetscInt done, PetscInt times)
{
  const PetscBool   raises = (PetscBool)(r->children == 1);
  wring_mesh *const m      = r->m;
  wring_members     members;
  PetscInt         *mid;

  PetscFunctionBegin;
  PetscCall(raises ? check_raised(r) : check_counts(r, done, times));
  PetscCall(wring_refine_number_edges(r));
  PetscCall(raises ? check_raised(r) : check_counts(r, done, times));
  PetscCall(wring_refine_find_points(r));
  if (raises) {
    PetscCall(wring_refine_curve(r));
    PetscCall(wring_refine_check_folded(r));
  } else {
    PetscCall(cut_tets(r, done));
  }
  PetscCall(wring_refine_find_members(r, &mid, &members));
  if (raises)
    m->set.mid = mid;
  else
    PetscCall(wring_refine_cut_elements(m, &mid));
  PetscCall(wring_refine_values(r));
  PetscCall(wring_refine_replace_mesh(r));
  PetscCall(wring_refine_destroy(r));
  if (raises)
    m->tets.order = 2;
  else
    m->number.n_corner = m->number.n_global;
  PetscCall(wring_mesh_join(m));
  PetscCall(wring_middles_clear(&m->read.middles));
  PetscCall(wring_mesh_fill_sets(m, members.n, members.member));
  PetscCall(PetscFree(members.member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- second order ------------------------------------------------------------------------------------------------ */

/* Whether x is away from the middle of a and b by more than 1e-6 of their distance, to which files round. */
static PetscBool is_curved(const double *a, const double *b, const double *x)
{
  double length = 0, away = 0;
  for (int c = 0; c < 3; c++) {
    length += PetscSqr(b[c] - a[c]);
    away += PetscSqr(x[c] - 0.5 * (a[c] + b[c]));
  }
  return (PetscBool)(away > 1e-12 * length);
}

/* n: the edges of this rank that are curved. Collective. */
static PetscErrorCode refuse_curved(MPI_Comm comm, PetscInt64 n)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT64, MPI_SUM, comm));
  if (n)
    WRING_REFUSE(comm,
                 "mesh_refine: %lld edges of the second-order mesh are curved, which refinement would straighten, "
                 "expected mesh_refine: 0, or mesh_order: 1 for its corners alone",
                 (long long)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refinement is straight: it takes the corners of a second-order mesh whose middles are midpoints. */
static PetscErrorCode drop_middles(wring_mesh *m)
{
  wring_refinement r      = {.m = m};
  PetscInt64       curved = 0;

  PetscFunctionBegin;
  PetscCall(check_counts(&r, 0, 1));
  PetscCall(wring_refine_number_edges(&r));
  PetscCall(wring_refine_find_points(&r));
  PetscCall(wring_refine_curve(&r));
  for (PetscInt j = 0; j < r.edge.n; j++)
    curved += r.edge.found[j].owner == r.rank &&
              is_curved(r.point.X + 3 * r.edge.end[2 * j], r.point.X + 3 * r.edge.end[2 * j + 1],
                        r.point.X + 3 * (m->n_local + j));
  PetscCall(wring_refine_destroy(&r));
  PetscCall(refuse_curved(m->comm, curved));
  PetscCall(wring_middles_clear(&m->read.middles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ends of the edge of mid k of tet e, and the vertex at its middle. */
static void middle_of(const wring_mesh *m, PetscInt e, int k, PetscInt v[3])
{
  v[0] = m->tets.corner[4 * e + wring_tet_edge[k][0]];
  v[1] = m->tets.corner[4 * e + wring_tet_edge[k][1]];
  v[2] = m->tets.mid[6 * e + k];
}

/* Moves the middles of edges, which are not curved, to their midpoints. An edge of several tets counts for each. */
static PetscErrorCode straighten(wring_mesh *m)
{
  PetscInt64 curved = 0;
  PetscInt   v[3];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 6 * m->tets.n; i++) {
    middle_of(m, i / 6, (int)(i % 6), v);
    curved += is_curved(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2]);
  }
  PetscCall(refuse_curved(m->comm, curved));
  for (PetscInt i = 0; i < 6 * m->tets.n; i++) {
    middle_of(m, i / 6, (int)(i % 6), v);
    for (int c = 0; c < 3; c++) m->X[3 * v[2] + c] = 0.5 * (m->X[3 * v[0] + c] + m->X[3 * v[1] + c]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Cuts the tets of a second-order mesh in eight of first order: the mesh that wring_mesh_refine makes of that of its
  corners. Vertices, their numbers and owners, and members of sets stay.
*/
static PetscErrorCode cut_second_order(wring_refinement *r)
{
  wring_mesh *const m = r->m;

  PetscFunctionBegin;
  PetscCall(check_counts(r, 0, 1));
  PetscCall(straighten(m));
  PetscCall(wring_refine_take_points(r, 0));
  PetscCall(cut_tets(r, 0));
  PetscCall(wring_refine_order_children(r));
  PetscCall(wring_refine_cut_elements(m, &m->set.mid));
  PetscCall(wring_refine_replace_tets(r, m->number.global));
  PetscCall(wring_refine_destroy(r));
  m->tets.order      = 1;
  m->number.n_corner = m->number.n_global;
  PetscCall(wring_mesh_join(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refines a second-order mesh by cutting its tets, and raising those. */
static PetscErrorCode refine_second_order(wring_refinement *r)
{
  wring_refinement cut = {.m = r->m, .children = CHILDREN};

  PetscFunctionBegin;
  const PetscErrorCode status = cut_second_order(&cut);
  PetscCall(wring_refine_destroy(&cut));
  PetscCall(status);
  PetscCall(refine(r, 0, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode check_elements(const wring_mesh *m, PetscInt times)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&m->set.n_element, &n, 1, MPIU_INT, MPI_MAX, m->comm));
  if (times > 0 && m->tets.n_global == 0 && n == 0)
    WRING_REFUSE(m->comm, "mesh_refine: %d, but the mesh has only points, expected 0", (int)times);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_refine(wring_mesh *m, PetscInt times)
{
  PetscErrorCode status = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCheck(m->tets.order == 1, m->comm, PETSC_ERR_ARG_WRONGSTATE, "refinement comes before wring_mesh_raise");
  PetscCall(check_elements(m, times));
  if (m->read.order == 2 && times > 0) PetscCall(drop_middles(m));
  for (PetscInt done = 0; done < times && !status; done++) {
    wring_refinement r = {.m = m, .children = CHILDREN};
    status             = refine(&r, done, times);
    PetscCall(wring_refine_destroy(&r));
  }
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_refine_values(wring_mesh *m, int width, double **value)
{
  const PetscBool  second = (PetscBool)(m->tets.order == 2);
  wring_refinement r      = {.m = m, .children = second ? 1 : CHILDREN, .value.width = width, .value.row = *value};

  PetscFunctionBegin;
  PetscCall(check_elements(m, 1));
  if (m->tets.order == 1 && m->read.order == 2) PetscCall(drop_middles(m));
  const PetscErrorCode status = second ? refine_second_order(&r) : refine(&r, 0, 1);
  PetscCall(wring_refine_destroy(&r));
  *value = r.value.row;
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_raise(wring_mesh *m)
{
  wring_refinement r = {.m = m, .children = 1};

  PetscFunctionBegin;
  PetscCheck(m->tets.order == 1, m->comm, PETSC_ERR_ARG_WRONGSTATE, "the mesh already has order %d", m->tets.order);
  const PetscErrorCode status = refine(&r, 0, 1);
  PetscCall(wring_refine_destroy(&r));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
