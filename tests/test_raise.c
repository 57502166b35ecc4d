/* ranks: 1 2 4
  Second-order meshes made from first-order ones: on the mesh gathered from all ranks, and on each rank's part. */
#define _POSIX_C_SOURCE 200809L // mkdir
#include <sys/stat.h>
#include <unistd.h>
#include <wring/io.h>
#include "check.h"
#include "distribute.h"
#include "mesh/data.h"
#include "mesh/surface/faces.h"
#include "mesh/surface/skin.h"
#include "refused.h"

static PetscMPIInt rank, size;

static const int mid_end[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static PetscInt64 sum_ranks(PetscInt64 n)
{
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD);
  return n;
}

static const wring_box beam = {{4, 1, 0.5}, {6, 3, 2}, {1, 2, 3}, 0.3};

/* ---- the whole mesh ---------------------------------------------------------------------------------------------- */

/* The position of the edge a b in the list of the refined mesh's midpoints: fails if it is not a midpoint. */
static void check_middle(const wring_mesh_data *d, PetscInt mid, PetscInt a, PetscInt b)
{
  CHECK(mid >= 0 && mid < d->n_vertex, "vertex %d at the middle of %d %d", (int)mid, (int)a, (int)b);
  for (int c = 0; c < 3; c++)
    CHECK(d->X[3 * mid + c] == 0.5 * (d->X[3 * a + c] + d->X[3 * b + c]), "vertex %d is not in the middle of %d %d",
          (int)mid, (int)a, (int)b);
}

/*
  Fails if a corner or its number changes, a middle is elsewhere, two edges share one, or their numbers are in another
  order than the edges. Each vertex between the corners and n_vertex is the middle of exactly one edge.
*/
static void check_middles(const wring_mesh_data *coarse, const wring_mesh_data *d)
{
  const PetscInt  n   = d->n_vertex - coarse->n_vertex;
  PetscInt *const end = malloc(2 * (size_t)n * sizeof *end);
  CHECK(d->n_tet == coarse->n_tet && !memcmp(d->tet, coarse->tet, 4 * sizeof *d->tet * (size_t)d->n_tet), "corners");
  CHECK(!memcmp(d->region, coarse->region, sizeof *d->region * (size_t)d->n_tet), "regions");
  CHECK(!memcmp(d->X, coarse->X, 3 * sizeof *d->X * (size_t)coarse->n_vertex), "corners have moved");
  for (PetscInt i = 0; i < 2 * n; i++) end[i] = -1;
  for (PetscInt i = 0; i < 6 * d->n_tet; i++) {
    const PetscInt *const v = d->tet + 4 * (i / 6), p = v[mid_end[i % 6][0]], q = v[mid_end[i % 6][1]];
    PetscInt *const       e = end + 2 * (d->mid[i] - coarse->n_vertex);
    check_middle(d, d->mid[i], p, q);
    CHECK(d->mid[i] >= coarse->n_vertex, "a corner is in the middle");
    CHECK(e[0] < 0 || (e[0] == PetscMin(p, q) && e[1] == PetscMax(p, q)), "two edges have vertex %d", (int)d->mid[i]);
    e[0] = PetscMin(p, q), e[1] = PetscMax(p, q);
  }
  for (PetscInt i = 0; i < n; i++) {
    CHECK(end[2 * i] >= 0, "vertex %d is in no tet", (int)(coarse->n_vertex + i));
    CHECK(i == 0 || end[2 * i] > end[2 * i - 2] || (end[2 * i] == end[2 * i - 2] && end[2 * i + 1] > end[2 * i - 1]),
          "vertex %d is not in the order of edges", (int)(coarse->n_vertex + i));
  }
  free(end);
}

/* Euler: V - E + F - T of a solid without holes is 1; fails if an edge is counted twice. */
static PetscErrorCode check_euler(const wring_mesh_data *d, PetscInt corners)
{
  PetscInt *neighbour, boundary = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)d->n_tet, &neighbour));
  PetscCall(wring_faces_match(d->n_vertex, d->n_tet, d->tet, neighbour));
  for (PetscInt i = 0; i < 4 * d->n_tet; i++) boundary += neighbour[i] < 0;
  PetscCall(PetscFree(neighbour));
  const PetscInt edges = d->n_vertex - corners, faces = (4 * d->n_tet + boundary) / 2;
  CHECK(corners - edges + faces - d->n_tet == 1, "%d vertices, %d edges, %d faces, %d tets", (int)corners, (int)edges,
        (int)faces, (int)d->n_tet);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines and triangles keep their corners and have the middles of their edges. */
static void check_set_elements(const wring_mesh_data *coarse, const wring_mesh_data *d)
{
  const size_t n = 4 * (size_t)d->n_set_element;
  CHECK(d->n_set_element == coarse->n_set_element && !memcmp(d->set_element, coarse->set_element, n * sizeof(PetscInt)),
        "elements of sets");
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const v = d->set_element + 4 * i + 1, *const mid = d->set_mid + 3 * i;
    for (int k = 0; k < (v[2] < 0 ? 1 : 3); k++) check_middle(d, mid[k], v[k], v[(k + 1) % 3]);
    CHECK(v[2] >= 0 || (mid[1] == -1 && mid[2] == -1), "a line with more than one middle");
  }
}

/* A set has the vertices on this plane of the box, or all if `at` is negative. */
static void check_set(const wring_mesh_data *d, const char *name, int axis, double at)
{
  const PetscInt s = wring_names_find(&d->sets, name);
  PetscInt       n = d->set_start[s];
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    if (at >= 0 && d->X[3 * v + axis] != at) continue;
    CHECK(n < d->set_start[s + 1] && d->set_vertex[n] == v, "vertex %d is not in %s", (int)v, name);
    n++;
  }
  CHECK(n == d->set_start[s + 1], "%s has %d strangers", name, (int)(d->set_start[s + 1] - n));
}

/* Fails if anything depends on the partition. */
static void check_same(const wring_mesh_data *d, const wring_mesh_data *one)
{
  const size_t vertices = (size_t)d->n_vertex, tets = (size_t)d->n_tet, rows = (size_t)d->n_set_element;
  CHECK(d->n_vertex == one->n_vertex && d->n_tet == one->n_tet && d->sets.n == one->sets.n &&
          d->n_set_element == one->n_set_element,
        "counts");
  CHECK(!memcmp(d->X, one->X, 3 * sizeof(double) * vertices), "positions");
  CHECK(!memcmp(d->tet, one->tet, 4 * sizeof(PetscInt) * tets), "tets");
  CHECK(!memcmp(d->mid, one->mid, 6 * sizeof(PetscInt) * tets), "middles");
  CHECK(!memcmp(d->region, one->region, sizeof(PetscInt) * tets), "regions");
  CHECK(!memcmp(d->set_start, one->set_start, ((size_t)d->sets.n + 1) * sizeof(PetscInt)), "sizes of sets");
  CHECK(!memcmp(d->set_vertex, one->set_vertex, (size_t)d->set_start[d->sets.n] * sizeof(PetscInt)), "sets");
  CHECK(!memcmp(d->set_element, one->set_element, 4 * rows * sizeof(PetscInt)), "elements of sets");
  CHECK(!memcmp(d->set_mid, one->set_mid, 3 * rows * sizeof(PetscInt)), "their middles");
}

/* ---- the part of each rank --------------------------------------------------------------------------------------- */

/* Fails if ghosts, numbers, halos or n_interior ignore the middles. */
static PetscErrorCode check_part(const wring_mesh *m)
{
  double *x;
  char   *used;

  PetscFunctionBegin;
  CHECK(m->tets.order == 2 && sum_ranks(m->n_owned) == m->number.n_global && sum_ranks(m->tets.n) == m->tets.n_global,
        "counts");
  PetscCall(PetscCalloc2(3 * (size_t)m->n_local, &x, (size_t)m->n_local, &used));
  for (PetscInt e = 0; e < m->tets.n; e++) {
    PetscBool inside = PETSC_TRUE;
    for (int a = 0; a < 10; a++) {
      const PetscInt v = a < 4 ? m->tets.corner[4 * e + a] : m->tets.mid[6 * e + a - 4];
      CHECK(v >= 0 && v < m->n_local, "local vertex %d of %d", (int)v, (int)m->n_local);
      inside  = (PetscBool)(inside && v < m->n_owned);
      used[v] = 1;
    }
    CHECK(inside == (e < m->tets.n_interior), "tet %d is on the wrong side of n_interior", (int)e);
  }
  for (PetscInt v = 0; v < m->n_local; v++) {
    CHECK(wring_mesh_local(m, m->number.original[v]) == v, "look-up of vertex %d", (int)v);
    CHECK(v >= m->n_owned || m->number.global[v] == m->number.begin + v, "global number of vertex %d", (int)v);
    CHECK(v < m->n_owned || used[v], "ghost %d is of no use", (int)v);
  }
  PetscCall(PetscArraycpy(x, m->X, 3 * (size_t)m->n_owned));
  PetscCall(PetscSFBcastBegin(m->forest.halo, m->forest.vector, x, x, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, m->forest.vector, x, x, MPI_REPLACE));
  for (PetscInt i = 0; i < 6 * m->tets.n; i++) { // with the ghosts that the halo brought
    const PetscInt *const v = m->tets.corner + 4 * (i / 6);
    for (int c = 0; c < 3; c++)
      CHECK(x[3 * m->tets.mid[i] + c] == 0.5 * (x[3 * v[mid_end[i % 6][0]] + c] + x[3 * v[mid_end[i % 6][1]] + c]),
            "the middle of an edge of tet %d", (int)(i / 6));
  }
  PetscCall(PetscFree2(x, used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Middles stay in place when other terms add ghosts. */
static PetscErrorCode check_extended(wring_mesh *m)
{
  PetscInt all[64], n = 0;

  PetscFunctionBegin;
  for (PetscInt v = rank; v < m->number.n_global && n < 64; v += 7) all[n++] = v;
  PetscCall(wring_mesh_extend_halo(m, n, all));
  for (PetscInt i = 0; i < 6 * m->tets.n; i++) {
    const PetscInt *const v = m->tets.corner + 4 * (i / 6);
    for (int c = 0; c < 3; c++)
      CHECK(m->X[3 * m->tets.mid[i] + c] ==
              0.5 * (m->X[3 * v[mid_end[i % 6][0]] + c] + m->X[3 * v[mid_end[i % 6][1]] + c]),
            "the middle of an edge of tet %d, with more ghosts", (int)(i / 6));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_box(PetscInt refine)
{
  wring_mesh      *m, *serial;
  wring_mesh_data *coarse, *d, *one;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &beam, &m));
  PetscCall(wring_mesh_refine(m, refine));
  PetscCall(wring_mesh_gather(m, &coarse));
  const PetscInt corners = m->number.n_global;
  PetscCall(wring_mesh_raise(m));
  CHECK(m->number.n_corner == corners, "%d corners of %d", (int)m->number.n_corner, (int)corners);
  PetscCall(check_part(m));
  PetscCall(wring_mesh_gather(m, &d));
  if (d) {
    check_middles(coarse, d);
    PetscCall(check_euler(d, coarse->n_vertex));
    check_set_elements(coarse, d);
    check_set(d, "xmin", 0, 1);
    check_set(d, "zmax", 2, 3.5);
    check_set(d, "box", 0, -1);
  }
  PetscCall(test_distribute_box(PETSC_COMM_SELF, &beam, &serial));
  PetscCall(wring_mesh_refine(serial, refine));
  PetscCall(wring_mesh_raise(serial));
  PetscCall(wring_mesh_gather(serial, &one));
  if (d) check_same(d, one);
  PetscCall(check_extended(m));
  PetscCall(wring_mesh_data_destroy(&coarse));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_data_destroy(&one));
  PetscCall(wring_mesh_destroy(&serial));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double area_of(const wring_mesh *m, const PetscInt *v, PetscBool local)
{
  double x[3][3], a[3], b[3], n[3];
  for (int k = 0; k < 3; k++) {
    const PetscInt i = local ? v[k] : wring_mesh_local(m, v[k]);
    for (int c = 0; c < 3; c++) x[k][c] = m->X[3 * i + c];
  }
  for (int c = 0; c < 3; c++) a[c] = x[1][c] - x[0][c], b[c] = x[2][c] - x[0][c];
  for (int c = 0; c < 3; c++) n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/*
  Surfaces are cut in four: fails if a part is missing, has another size or an orientation of its own. Faces between
  ranks are no surface.
*/
static PetscErrorCode test_surfaces(void)
{
  wring_mesh *m;
  wring_skin *skin;
  PetscInt    n, *triangle, used = 0;
  PetscInt64  first, second;
  double      area[3] = {0};

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &beam, &m));
  const PetscInt xmin = wring_names_find(&m->set.names, "xmin");
  PetscCall(wring_mesh_count_elements(m, xmin, 3, &first));
  PetscCall(wring_mesh_raise(m));
  PetscCall(wring_mesh_count_elements(m, xmin, 3, &second));
  CHECK(first == 12 && second == 4 * first, "%d triangles, then %d", (int)first, (int)second);
  PetscCall(wring_mesh_list_elements(m, xmin, 3, &n, &triangle));
  CHECK(sum_ranks(n) == second, "%d are listed", (int)n);
  PetscCall(wring_mesh_extend_halo(m, 3 * n, triangle));
  for (PetscInt i = 0; i < n; i++) area[0] += area_of(m, triangle + 3 * i, PETSC_FALSE);
  PetscCall(PetscFree(triangle));
  PetscCall(wring_mesh_surface(m, xmin, PETSC_FALSE, &n, &triangle));
  CHECK(sum_ranks(n) == first, "%d are oriented", (int)n);
  for (PetscInt i = 0; i < n; i++) {
    double x[3][3];
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) x[k][c] = m->X[3 * wring_mesh_local(m, triangle[WRING_FACE * i + k]) + c];
    const double outward = (x[1][1] - x[0][1]) * (x[2][2] - x[0][2]) - (x[1][2] - x[0][2]) * (x[2][1] - x[0][1]);
    CHECK(outward < 0, "a triangle looks inward");
    area[1] += area_of(m, triangle + WRING_FACE * i, PETSC_FALSE);
  }
  PetscCall(PetscFree(triangle));
  PetscCall(wring_skin_create(m, &skin));
  for (PetscInt i = 0; i < skin->n; i++) area[2] += area_of(m, skin->corner + 3 * i, PETSC_TRUE);
  for (PetscInt v = 0; v < m->n_local; v++) used += skin->body[v] == 0;
  CHECK(used == m->n_local, "%d vertices are in other bodies", (int)(m->n_local - used));
  CHECK(sum_ranks(skin->n) == 4 * 144, "%d triangles of the skin", (int)sum_ranks(skin->n));
  // a closed surface of triangles: V = F / 2 + 2
  CHECK(sum_ranks(skin->n_vertex) == 2 * 144 + 2, "%d vertices of the skin", (int)sum_ranks(skin->n_vertex));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, area, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(fabs(area[0] - 0.5) < 1e-14 && fabs(area[1] - 0.5) < 1e-14 && fabs(area[2] - 13) < 1e-12, "areas %g %g %g",
        area[0], area[1], area[2]);
  PetscCall(wring_skin_destroy(&skin));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles of a sheet are cut, as refinement cuts them; points have nothing to raise. */
static PetscErrorCode test_others(void)
{
  const wring_box sheet = {{2, 1, 0}, {4, 2, 0}, {0, 0, 0}, 0};
  wring_mesh     *m;
  PetscInt64      n;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &sheet, &m));
  PetscCall(wring_mesh_raise(m));
  CHECK(m->number.n_global == 45 && m->number.n_corner == 15 && m->tets.n == 0, "%d vertices of a sheet",
        (int)m->number.n_global);
  PetscCall(wring_mesh_count_elements(m, wring_names_find(&m->set.names, "box"), 3, &n));
  CHECK(n == 64, "%d triangles of a sheet", (int)n);
  PetscCall(wring_mesh_count_elements(m, wring_names_find(&m->set.names, "xmin"), 2, &n));
  CHECK(n == 4, "%d lines of a sheet", (int)n);
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- meshes that were read --------------------------------------------------------------------------------------- */

/* Where the middle of an edge is in the file: a displaced midpoint. */
static void place_middle(const double *a, const double *b, double bulge, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = 0.5 * (a[c] + b[c]);
  x[2] += bulge * sin(3 * x[0]) * cos(2 * x[1]);
}

/* A box as a reader gives it whose file has middles: of every third edge none, hence midpoints. On rank 0. */
static PetscErrorCode make_second_order(double bulge, wring_mesh_data **out)
{
  wring_mesh_data *d;
  int64_t         *seen;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &beam, &d, &(wring_error){""}));
  *out     = d;
  d->order = 2;
  PetscCall(PetscMalloc1(12 * (size_t)d->n_tet, &d->middles.end));
  PetscCall(PetscMalloc1(18 * (size_t)d->n_tet, &d->middles.X));
  PetscCall(PetscMalloc1(6 * (size_t)d->n_tet, &seen));
  for (PetscInt i = 0; i < 6 * d->n_tet; i++) {
    const PetscInt       p = d->tet[4 * (i / 6) + mid_end[i % 6][0]], q = d->tet[4 * (i / 6) + mid_end[i % 6][1]];
    wring_middles *const t   = &d->middles;
    const int64_t        key = (int64_t)PetscMin(p, q) * d->n_vertex + PetscMax(p, q);
    PetscBool            old = (PetscBool)((p + q) % 3 == 0);
    for (PetscInt k = 0; k < t->n && !old; k++) old = (PetscBool)(seen[k] == key);
    if (old) continue;
    seen[t->n]           = key;
    t->end[2 * t->n]     = i % 2 ? p : q; // in any direction
    t->end[2 * t->n + 1] = i % 2 ? q : p;
    place_middle(d->X + 3 * p, d->X + 3 * q, bulge, t->X + 3 * t->n++);
  }
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode distribute_second_order(MPI_Comm comm, double bulge, wring_mesh **m)
{
  wring_mesh_data *d = NULL;

  PetscFunctionBegin;
  if (comm == PETSC_COMM_SELF || rank == 0) PetscCall(make_second_order(bulge, &d));
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, &d, m));
  CHECK(m[0]->tets.order == 1 && m[0]->read.order == 2, "order %d of %d", m[0]->tets.order, m[0]->read.order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the vertices of even number to the set "even", which no element has: one that a deck chose by position. */
static PetscErrorCode add_even(wring_mesh *m)
{
  const PetscInt k = m->set.names.n;
  PetscInt      *even;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n_owned, &even));
  PetscCall(PetscRealloc((size_t)(k + 1) * sizeof *m->set.vertex, &m->set.vertex));
  PetscCall(PetscRealloc((size_t)(k + 1) * sizeof *m->set.count, &m->set.count));
  m->set.vertex[k] = even;
  m->set.count[k]  = 0;
  for (PetscInt v = 0; v < m->n_owned; v++)
    if (m->number.original[v] % 2 == 0) even[m->set.count[k]++] = v;
  PetscCall(wring_names_add(&m->set.names, "even", 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the checkpoint on the first n ranks: fails if it is not the mesh that was written, d on rank 0. */
static PetscErrorCode check_restored(const char *file, const wring_mesh_data *d)
{
  wring_mesh_data *data, *again;
  wring_mesh      *m;
  PetscInt         step;
  double           time;

  PetscFunctionBegin;
  for (int n = 1; n <= size; n++) {
    MPI_Comm some;
    PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &some));
    if (some == MPI_COMM_NULL) continue;
    PetscCall(wring_checkpoint_read_mesh(some, file, &data, &step, &time));
    PetscCall(wring_mesh_distribute(some, WRING_PARTITIONER_METIS, &data, &m));
    CHECK(m->read.order == 2, "order %d of the checkpoint", m->read.order);
    PetscCall(wring_mesh_raise(m));
    PetscCall(wring_mesh_gather(m, &again));
    if (again) check_same(again, d);
    PetscCall(wring_mesh_data_destroy(&again));
    PetscCall(wring_mesh_destroy(&m));
    PetscCallMPI(MPI_Comm_free(&some));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Middles are where the table has them, the others are midpoints, on any partition; a checkpoint keeps them and the
  members of sets without elements.
*/
static PetscErrorCode test_curved(void)
{
  wring_mesh      *m, *serial;
  wring_mesh_data *d, *one;
  char             folder[64], file[128], seal[WRING_SEAL_TEXT] = "";
  double           x[3];

  PetscFunctionBegin;
  PetscCall(distribute_second_order(PETSC_COMM_WORLD, 0.02, &m));
  PetscCall(wring_mesh_raise(m));
  PetscCall(wring_mesh_gather(m, &d));
  for (PetscInt i = 0; d && i < 6 * d->n_tet; i++) {
    const PetscInt p = d->tet[4 * (i / 6) + mid_end[i % 6][0]], q = d->tet[4 * (i / 6) + mid_end[i % 6][1]];
    place_middle(d->X + 3 * p, d->X + 3 * q, (p + q) % 3 ? 0.02 : 0, x);
    for (int c = 0; c < 3; c++)
      CHECK(fabs(d->X[3 * d->mid[i] + c] - x[c]) < 1e-15, "the middle of %d %d is elsewhere", (int)p, (int)q);
  }
  PetscCall(distribute_second_order(PETSC_COMM_SELF, 0.02, &serial));
  PetscCall(wring_mesh_raise(serial));
  PetscCall(wring_mesh_gather(serial, &one));
  if (d) check_same(d, one);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_data_destroy(&one));
  PetscCall(wring_mesh_destroy(&serial));
  PetscCall(add_even(m));
  PetscCall(wring_mesh_gather(m, &d));
  snprintf(folder, sizeof folder, "test_raise_%d", (int)size);
  snprintf(file, sizeof file, "%s/checkpoint_000003.h5", folder);
  if (rank == 0) mkdir(folder, 0777);
  PetscCall(wring_checkpoint_write_mesh(folder, m, seal));
  PetscCall(wring_checkpoint_write(file, m, seal, 3, 0.5, 0, NULL));
  PetscCall(check_restored(file, d));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) {
    CHECK(unlink(file) == 0, "%s", file);
    snprintf(file, sizeof file, "%s/checkpoints_mesh.h5", folder);
    CHECK(unlink(file) == 0 && rmdir(folder) == 0, "%s is not empty", folder);
  }
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refinement is straight, and would lose what is curved; middles that fold tets are refused. */
static PetscErrorCode test_refusals(void)
{
  wring_mesh *m;

  PetscFunctionBegin;
  PetscCall(distribute_second_order(PETSC_COMM_WORLD, 0.02, &m));
  CHECK_REFUSED(wring_mesh_refine(m, 1), "mesh_refine", "edges of the second-order mesh are curved");
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(distribute_second_order(PETSC_COMM_WORLD, 1, &m));
  CHECK_REFUSED(wring_mesh_raise(m), "mesh_order: 2", "are folded");
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(distribute_second_order(PETSC_COMM_WORLD, 0, &m));
  PetscCall(wring_mesh_refine(m, 1));
  PetscCall(wring_mesh_raise(m));
  PetscCall(check_part(m));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(test_box(0));
  PetscCall(test_box(1));
  PetscCall(test_surfaces());
  PetscCall(test_others());
  PetscCall(test_curved());
  PetscCall(test_refusals());
  PetscCall(PetscFinalize());
  return 0;
}
