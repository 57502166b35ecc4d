/* ranks: 1 2 4
  Uniform refinement: every check is on the mesh gathered from all ranks, or on each rank's part. */
#include <wring/mesh.h>
#include "check.h"
#include "distribute.h"
#include "mesh/data.h"
#include "mesh/surface/faces.h"
#include "refused.h"

static PetscMPIInt rank, size;

static PetscInt sum_ranks(PetscInt n)
{
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  return n;
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

static const wring_box beam = {{4, 1, 0.5}, {6, 3, 2}, {1, 2, 3}, 0.3};

/* A file, and the number of elements written to it. */
typedef struct {
  FILE    *file;
  PetscInt n;
} writer;

static void write_element(writer *w, int type, int tag, int corners, const PetscInt *v)
{
  fprintf(w->file, "%d %d 2 %d %d", (int)++w->n, type, tag, tag);
  for (int a = 0; a < corners; a++) fprintf(w->file, " %d", (int)v[a] + 1);
  fputc('\n', w->file);
}

/*
  Writes the box of 2 x 2 x 2 unit cells as a Gmsh file: its halves below and above z = 1 are volumes, its whole surface
  is "skin", the edge y = z = 0 is "rim", its corner 0 "tip"; the line "stray" connects the corners 0 and 26, which is
  not an edge of a tet.
*/
static PetscErrorCode write_groups(const char *name)
{
  const wring_box  box    = {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, 0};
  const PetscInt   rim[3] = {0, 1, 2}, stray[2] = {0, 26};
  wring_mesh_data *d;
  writer           w = {.file = fopen(name, "w")};

  PetscFunctionBegin;
  CHECK(w.file, "%s cannot be written", name);
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &(wring_error){""}));
  fprintf(w.file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n6\n0 1 \"tip\"\n1 2 \"rim\"\n1 3 \"stray\"\n"
                  "2 4 \"skin\"\n3 5 \"lower\"\n3 6 \"upper\"\n$EndPhysicalNames\n$Nodes\n27\n");
  for (int v = 0; v < 27; v++) fprintf(w.file, "%d %g %g %g\n", v + 1, d->X[3 * v], d->X[3 * v + 1], d->X[3 * v + 2]);
  fprintf(w.file, "$EndNodes\n$Elements\n%d\n", (int)(d->n_tet + d->n_set_element + 4));
  write_element(&w, 15, 1, 1, rim);
  write_element(&w, 1, 2, 2, rim);
  write_element(&w, 1, 2, 2, rim + 1);
  write_element(&w, 1, 3, 2, stray);
  for (PetscInt i = 0; i < d->n_set_element; i++) write_element(&w, 2, 4, 3, d->set_element + 4 * i + 1);
  for (PetscInt e = 0; e < d->n_tet; e++) write_element(&w, 4, e < 24 ? 5 : 6, 4, d->tet + 4 * e);
  fprintf(w.file, "$EndElements\n");
  fclose(w.file);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode distribute_groups(MPI_Comm comm, wring_mesh **m)
{
  wring_mesh_data *d     = NULL;
  wring_error      error = {""};
  char             name[64], notes[256];

  PetscFunctionBegin;
  snprintf(name, sizeof name, "test_refine_%d_%d.msh", (int)size, (int)rank);
  if (comm == PETSC_COMM_SELF || rank == 0) {
    PetscCall(write_groups(name));
    PetscCall(wring_mesh_read(PETSC_COMM_SELF, name, 1, PETSC_FALSE, &d, &error, sizeof notes, notes));
    CHECK(d && !error.text[0], "%s", error.text);
    remove(name);
  }
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, &d, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one refinement, gathered ------------------------------------------------------------------------------------ */

static int compare_longs(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/*
  The edges of a mesh in lexicographic order of (smaller, larger) end, found by sorting: edge [*n], freed by the caller.
*/
static int64_t *list_edges(const wring_mesh_data *d, PetscInt *n)
{
  int64_t *edge = malloc(6 * (size_t)d->n_tet * sizeof *edge);
  size_t   all = 0, kept = 0;
  for (PetscInt e = 0; e < d->n_tet; e++) {
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b < a; b++) {
        const PetscInt v = d->tet[4 * e + a], w = d->tet[4 * e + b];
        edge[all++] = (int64_t)PetscMin(v, w) * d->n_vertex + PetscMax(v, w);
      }
    }
  }
  qsort(edge, all, sizeof *edge, compare_longs);
  for (size_t i = 0; i < all; i++)
    if (i == 0 || edge[i] != edge[kept - 1]) edge[kept++] = edge[i];
  *n = (PetscInt)kept;
  return edge;
}

/* Fails if a vertex is missing, duplicated, moved, or numbered in another order than the edges. */
static void check_vertices(const wring_mesh_data *coarse, const wring_mesh_data *fine)
{
  PetscInt       n;
  int64_t *const edge = list_edges(coarse, &n);
  CHECK(fine->n_vertex == coarse->n_vertex + n, "%d vertices of %d and %d edges", (int)fine->n_vertex,
        (int)coarse->n_vertex, (int)n);
  CHECK(!memcmp(fine->X, coarse->X, 3 * sizeof(double) * (size_t)coarse->n_vertex), "an old vertex has moved");
  for (PetscInt i = 0; i < n; i++) {
    const double *const        a = coarse->X + 3 * (edge[i] / coarse->n_vertex),
                        *const b = coarse->X + 3 * (edge[i] % coarse->n_vertex),
                        *const x = fine->X + 3 * (coarse->n_vertex + i);
    for (int c = 0; c < 3; c++) CHECK(x[c] == 0.5 * (a[c] + b[c]), "vertex %d is no middle of its edge", (int)i);
  }
  free(edge);
}

static double volume_of(const wring_mesh_data *d, PetscInt e)
{
  const PetscInt *v = d->tet + 4 * e;
  return wring_tet_det(d->X + 3 * v[0], d->X + 3 * v[1], d->X + 3 * v[2], d->X + 3 * v[3]) / 6;
}

/* Fails if a child is inverted, overlaps others, is in another region, or is not a part of its parent. */
static void check_children(const wring_mesh_data *coarse, const wring_mesh_data *fine)
{
  CHECK(fine->n_tet == 8 * coarse->n_tet, "%d tets", (int)fine->n_tet);
  for (PetscInt e = 0; e < coarse->n_tet; e++) {
    const double whole = volume_of(coarse, e);
    for (PetscInt c = 8 * e; c < 8 * e + 8; c++) {
      CHECK(fabs(volume_of(fine, c) - whole / 8) < 1e-13 * whole, "child %d has volume %g of %g", (int)c,
            volume_of(fine, c), whole);
      CHECK(fine->region[c] == coarse->region[e], "region of child %d", (int)c);
    }
    for (int a = 0; a < 4; a++)
      CHECK(fine->tet[4 * (8 * e + a) + a] == coarse->tet[4 * e + a], "child %d is not at its corner", a);
  }
}

static void visit_face(void *boundary, PetscInt n, wring_face *f)
{
  CHECK(n <= 2, "tets %d, %d and %d share a face", (int)f[0].place / 4, (int)f[1].place / 4, (int)f[2].place / 4);
  *(PetscInt *)boundary += n == 1;
}

/* Fails if tets with a common face no longer match: unmatched faces would remain. */
static PetscErrorCode check_faces(const wring_mesh_data *coarse, const wring_mesh_data *fine)
{
  PetscInt before = 0, after = 0;

  PetscFunctionBegin;
  PetscCall(wring_faces_visit(coarse->n_vertex, coarse->n_tet, coarse->tet, 0, NULL, visit_face, &before));
  PetscCall(wring_faces_visit(fine->n_vertex, fine->n_tet, fine->tet, 0, NULL, visit_face, &after));
  CHECK(after == 4 * before, "%d boundary faces become %d", (int)before, (int)after);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a tet is cut along a diagonal of its octahedron that is not the shortest. */
static void check_diagonals(const wring_mesh_data *fine)
{
  for (PetscInt e = 4; e < fine->n_tet; e += 8) {
    const PetscInt *const v = fine->tet + 4 * e; // the first two corners of child 4 are the ends of the diagonal
    double                length[3] = {0, 0, 0};
    PetscInt              middle[6]; // of edges 01 02 03 12 13 23 of the parent, from the children at its corners
    for (int a = 0; a < 3; a++) middle[a] = fine->tet[4 * (e - 4) + 1 + a];
    middle[3] = fine->tet[4 * (e - 3) + 2];
    middle[4] = fine->tet[4 * (e - 3) + 3];
    middle[5] = fine->tet[4 * (e - 2) + 3];
    int used  = -1;
    for (int d = 0; d < 3; d++) {
      for (int c = 0; c < 3; c++) length[d] += PetscSqr(fine->X[3 * middle[d] + c] - fine->X[3 * middle[5 - d] + c]);
      if (v[0] == middle[d] && v[1] == middle[5 - d]) used = d;
    }
    CHECK(used >= 0, "tet %d is not cut along a diagonal", (int)(e / 8));
    for (int d = 0; d < 3; d++) CHECK(length[used] <= (1 + 1e-9) * length[d], "tet %d has a shorter one", (int)(e / 8));
  }
}

static PetscErrorCode check_refinement(const wring_mesh_data *coarse, const wring_mesh_data *fine)
{
  PetscFunctionBegin;
  check_vertices(coarse, fine);
  check_children(coarse, fine);
  check_diagonals(fine);
  PetscCall(check_faces(coarse, fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the data of each rank --------------------------------------------------------------------------------------- */

/* The order that kernels need: interior tets first, both parts by region. Fails if a child keeps its parent's place. */
static void check_order(const wring_mesh *m)
{
  for (PetscInt e = 0; e < m->tets.n; e++) {
    PetscBool inside = PETSC_TRUE;
    for (int a = 0; a < 4; a++) inside = (PetscBool)(inside && m->tets.corner[4 * e + a] < m->n_owned);
    CHECK(inside == (e < m->tets.n_interior), "tet %d is on the wrong side of n_interior", (int)e);
    CHECK(e == 0 || e == m->tets.n_interior || m->tets.region[e] >= m->tets.region[e - 1],
          "tet %d is not in order of regions", (int)e);
  }
}

/* Fails if numbers, ghosts or the halo are those of the coarse mesh. */
static PetscErrorCode check_numbers(const wring_mesh *m)
{
  double  *x;
  PetscInt used = m->n_owned;

  PetscFunctionBegin;
  CHECK(sum_ranks(m->n_owned) == m->number.n_global && sum_ranks(m->tets.n) == m->tets.n_global, "counts");
  PetscCall(PetscCalloc1(3 * (size_t)m->n_local, &x));
  for (PetscInt v = 0; v < m->n_local; v++) {
    CHECK(wring_mesh_local(m, m->number.original[v]) == v, "look-up of vertex %d", (int)v);
    CHECK(v >= m->n_owned || m->number.global[v] == m->number.begin + v, "global number of vertex %d", (int)v);
    CHECK(v <= m->n_owned || m->number.global[v] > m->number.global[v - 1], "ghosts do not ascend");
  }
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) { // ghosts are exactly the vertices that tets touch
    if (m->tets.corner[i] >= m->n_owned && x[3 * m->tets.corner[i]] == 0) used++;
    x[3 * m->tets.corner[i]] = 1;
  }
  CHECK(used == m->n_local, "%d ghosts are of no use", (int)(m->n_local - used));
  PetscCall(PetscArraycpy(x, m->X, 3 * (size_t)m->n_owned));
  PetscCall(PetscSFBcastBegin(m->forest.halo, m->forest.vector, x, x, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, m->forest.vector, x, x, MPI_REPLACE));
  CHECK(m->n_local == 0 || !memcmp(x, m->X, 3 * sizeof(double) * (size_t)m->n_local),
        "ghosts are not what their owners have");
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if all new vertices go to one of the ranks that share an edge. */
static PetscErrorCode check_balance(const wring_mesh *m)
{
  wring_mesh_info info;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  const double vertex = (double)size / (double)m->number.n_global; // one more than the average
  // The mesh is too small for a balance on more ranks.
  CHECK(size > 4 || (info.balance_tets < 1.08 && info.balance_vertices < 1.05 + vertex),
        "tets %g, vertices %g of the average", info.balance_tets, info.balance_vertices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- meshes refined on all ranks and on one ---------------------------------------------------------------------- */

/*
  Fails if a result depends on the partition: numbers, positions, tets, regions and sets are bitwise those on one rank.
*/
static void check_same(const wring_mesh_data *d, const wring_mesh_data *one)
{
  CHECK(d->n_vertex == one->n_vertex && d->n_tet == one->n_tet && d->sets.n == one->sets.n, "counts");
  CHECK(!memcmp(d->X, one->X, 3 * sizeof(double) * (size_t)d->n_vertex), "positions");
  CHECK(!memcmp(d->tet, one->tet, 4 * sizeof(PetscInt) * (size_t)d->n_tet), "tets");
  CHECK(!memcmp(d->region, one->region, sizeof(PetscInt) * (size_t)d->n_tet), "regions");
  CHECK(!memcmp(d->set_start, one->set_start, ((size_t)d->sets.n + 1) * sizeof(PetscInt)), "sizes of sets");
  CHECK(!memcmp(d->set_vertex, one->set_vertex, (size_t)d->set_start[d->sets.n] * sizeof(PetscInt)), "sets");
}

/* Refines twice, one level at a time; *out: the last mesh on rank 0, NULL elsewhere. Destroys m. */
static PetscErrorCode refine_twice(wring_mesh *m, wring_mesh_data **out)
{
  wring_mesh_data *coarse, *fine;

  PetscFunctionBegin;
  PetscCall(wring_mesh_gather(m, &coarse));
  for (int k = 0; k < 2; k++) {
    PetscCall(wring_mesh_refine(m, 1));
    PetscCall(wring_mesh_gather(m, &fine));
    if (fine) PetscCall(check_refinement(coarse, fine));
    check_order(m);
    PetscCall(check_numbers(m));
    PetscCall(check_balance(m));
    PetscCall(wring_mesh_data_destroy(&coarse));
    coarse = fine;
  }
  PetscCall(wring_mesh_destroy(&m));
  *out = coarse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The members of a set are the vertices with this property, which round-off does not affect. */
static void check_set(const wring_mesh_data *d, const char *name, PetscBool (*contains)(const double *x))
{
  const PetscInt s = wring_names_find(&d->sets, name);
  CHECK(s >= 0, "set %s is lost", name);
  PetscInt n = d->set_start[s];
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    if (!contains(d->X + 3 * v)) continue;
    CHECK(n < d->set_start[s + 1] && d->set_vertex[n] == v, "vertex %d is not in %s", (int)v, name);
    n++;
  }
  CHECK(n == d->set_start[s + 1], "%s has %d strangers", name, (int)(d->set_start[s + 1] - n));
}

static PetscBool at_xmin(const double *x)
{
  return (PetscBool)(x[0] == 1);
}

static PetscBool at_zmax(const double *x)
{
  return (PetscBool)(x[2] == 3.5);
}

static PetscBool anywhere(const double *x)
{
  return (PetscBool)(x[0] == x[0]);
}

static PetscErrorCode test_box(void)
{
  wring_mesh      *m, *serial;
  wring_mesh_data *d, *one;
  wring_mesh_info  before, after;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &beam, &m));
  PetscCall(refine_twice(m, &d));
  if (d) {
    check_set(d, "xmin", at_xmin);
    check_set(d, "zmax", at_zmax);
    check_set(d, "box", anywhere);
  }
  PetscCall(test_distribute_box(PETSC_COMM_SELF, &beam, &serial));
  PetscCall(wring_mesh_get_info(serial, &before));
  PetscCall(wring_mesh_refine(serial, 2));
  PetscCall(wring_mesh_gather(serial, &one));
  if (d) check_same(d, one);
  PetscCall(wring_mesh_get_info(serial, &after));
  CHECK(fabs(after.volume - 2) < 1e-12, "volume %.17g", after.volume);
  CHECK(after.min_quality > 0.8 * before.min_quality, "quality %g becomes %g", before.min_quality, after.min_quality);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_data_destroy(&one));
  PetscCall(wring_mesh_destroy(&serial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool on_skin(const double *x)
{
  return (PetscBool)(x[0] == 0 || x[1] == 0 || x[2] == 0 || x[0] == 2 || x[1] == 2 || x[2] == 2);
}

static PetscBool on_rim(const double *x)
{
  return (PetscBool)(x[1] == 0 && x[2] == 0);
}

static PetscBool at_tip(const double *x)
{
  return (PetscBool)(x[0] == 0 && on_rim(x));
}

static PetscBool at_stray(const double *x)
{
  return (PetscBool)(at_tip(x) || (x[0] == 2 && x[1] == 2 && x[2] == 2));
}

static PetscBool in_lower(const double *x)
{
  return (PetscBool)(x[2] <= 1);
}

static PetscBool in_upper(const double *x)
{
  return (PetscBool)(x[2] >= 1);
}

/*
  Groups of every dimension. "skin" fails if the middle of every edge with both ends in a set is added to it: edges
  through the interior connect two sides. "lower" and "upper" fail if a rank does not receive a region that only another
  rank has at an edge.
*/
static PetscErrorCode test_groups(void)
{
  wring_mesh      *m, *serial;
  wring_mesh_data *d, *one;

  PetscFunctionBegin;
  PetscCall(distribute_groups(PETSC_COMM_WORLD, &m));
  PetscCall(refine_twice(m, &d));
  PetscCall(distribute_groups(PETSC_COMM_SELF, &serial));
  PetscCall(wring_mesh_refine(serial, 2));
  PetscCall(wring_mesh_gather(serial, &one));
  if (d) {
    CHECK(d->n_vertex == 9 * 9 * 9 && d->sets.n == 6, "%d vertices, %d sets", (int)d->n_vertex, (int)d->sets.n);
    check_set(d, "skin", on_skin);
    check_set(d, "rim", on_rim);
    check_set(d, "tip", at_tip);
    check_set(d, "stray", at_stray);
    check_set(d, "lower", in_lower);
    check_set(d, "upper", in_upper);
    check_same(d, one);
  }
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_data_destroy(&one));
  PetscCall(wring_mesh_destroy(&serial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Of two equally short diagonals the one with the lowest number is used: a regular octahedron in one tet. Ranks may have
  no tets.
*/
static PetscErrorCode test_tie(void)
{
  static const double X[12] = {0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1};
  wring_mesh_data    *d     = NULL;
  wring_mesh         *m;

  PetscFunctionBegin;
  if (rank == 0) {
    PetscCall(wring_mesh_data_create(4, 1, &d));
    PetscCall(PetscArraycpy(d->X, X, 12));
    const PetscInt corner[4] = {2, 1, 0, 3}; // positive volume, lowest number not first
    PetscCall(PetscArraycpy(d->tet, corner, 4));
    d->region[0] = 0;
    PetscCall(PetscCalloc1(1, &d->set_start));
    PetscCall(wring_names_add(&d->regions, "one", 3));
    CHECK(volume_of(d, 0) > 0, "the tet is turned");
  }
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &m));
  PetscCall(wring_mesh_refine(m, 1));
  PetscCall(check_numbers(m));
  PetscCall(wring_mesh_gather(m, &d));
  if (d) CHECK(PetscMin(d->tet[16], d->tet[17]) == 4, "the diagonal from %d to %d", (int)d->tet[16], (int)d->tet[17]);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_refusals(void)
{
  const double     ulp  = ldexp(1, -33); // spacing of numbers like 1e6; 4 ulp can be halved twice
  const wring_box  tiny = {{4 * ulp, 4 * ulp, 4 * ulp}, {1, 1, 1}, {1e6, 1e6, 1e6}, 0};
  wring_mesh      *m;
  wring_mesh_data *d = NULL;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &beam, &m));
  if (sizeof(PetscInt) == 4) CHECK_REFUSED(wring_mesh_refine(m, 10), "mesh_refine: 10 ", "at most");
  CHECK(m->tets.n_global == 216, "a refused mesh is as it was");
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &tiny, &m));
  CHECK_REFUSED(wring_mesh_refine(m, 3), "refinement 3 leaves", "expected at most 2");
  PetscCall(wring_mesh_destroy(&m));
  if (rank == 0) {
    PetscCall(wring_mesh_data_create(1, 0, &d));
    d->X[0] = d->X[1] = d->X[2] = 0;
    PetscCall(PetscCalloc1(1, &d->set_start));
  }
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &m));
  CHECK_REFUSED(wring_mesh_refine(m, 1), "mesh_refine: 1, but the mesh has only points", "expected 0");
  PetscCall(wring_mesh_refine(m, 0));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Two numbers at a vertex: a linear function, and one that only its number determines. */
static void set_values(const wring_mesh *m, PetscInt i, double v[2])
{
  v[0] = 1 + m->X[3 * i] - 2 * m->X[3 * i + 1] + 3 * m->X[3 * i + 2];
  v[1] = wring_uniform((uint64_t)m->number.original[i]);
}

/*
  Fails if a linear function is not linear after two refinements, for which a midpoint has the mean of the ends of its
  edge, or if an old vertex changes its value.
*/
static PetscErrorCode test_values(void)
{
  wring_mesh *m;
  double     *value, expected[2];

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &beam, &m));
  const PetscInt old = m->number.n_global;
  PetscCall(PetscMalloc1(2 * m->n_owned, &value));
  for (PetscInt i = 0; i < m->n_owned; i++) set_values(m, i, value + 2 * i);
  for (int times = 0; times < 2; times++) PetscCall(wring_mesh_refine_values(m, 2, &value));
  CHECK(m->tets.n_global == 64 * 6 * 36, "%d tets", (int)m->tets.n_global);
  for (PetscInt i = 0; i < m->n_owned; i++) {
    set_values(m, i, expected);
    CHECK(fabs(value[2 * i] - expected[0]) < 1e-13, "a linear function: %.17g, not %.17g", value[2 * i], expected[0]);
    CHECK(m->number.original[i] >= old || value[2 * i + 1] == expected[1], "an old vertex has another value");
    CHECK(value[2 * i + 1] >= 0 && value[2 * i + 1] < 1, "%g is no mean", value[2 * i + 1]);
  }
  PetscCall(PetscFree(value));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(test_box());
  PetscCall(test_groups());
  PetscCall(test_tie());
  PetscCall(test_refusals());
  PetscCall(test_values());
  PetscCall(PetscFinalize());
  return 0;
}
