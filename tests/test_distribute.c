/* ranks: 1 2 4
  A mesh cut into slices in several ways: fails if the distributed mesh depends on them in a single bit, or if a tet is
  lost or sent twice. A graph cut in steps: fails if its parts depend on the ranks that cut, or are worse than METIS's.
  Many parts: fails if a number of each of them is summed over all ranks.
*/
#include <wring/mesh.h>
#include "check.h"
#include "blocks.h"
#include "mesh/data.h"
#include "mesh/distribute/distribute.h"
#include "mesh/distribute/pieces.h"
#include "mesh/partition/partition.h"
#include <string.h>

static PetscMPIInt rank, size;

/* ---- slices ------------------------------------------------------------------------------------------------------ */

enum { ON_FIRST, ON_LAST, EVEN, RANDOM, WITH_GAPS, WAYS };

/* start [size + 1] of the blocks of n rows; what: vertices and tets are cut differently. */
static void cut(int way, PetscInt n, int what, PetscInt *start)
{
  uint64_t state = (uint64_t)what;
  start[0]       = 0;
  start[size]    = n;
  for (PetscMPIInt p = 1; p < size; p++) {
    const PetscInt even = n / size * p, odd = (p + what) % 2;
    const PetscInt at[WAYS] = {n, 0, even, (PetscInt)((double)n * 0.5 * (1 + test_random(&state))), odd ? even : 0};
    start[p]                = at[way];
  }
  for (PetscMPIInt p = 1; p <= size; p++) start[p] = PetscMax(start[p], start[p - 1]);
}

/* The rank that has row i of set_element. */
static PetscMPIInt holder(int way, PetscInt i)
{
  if (way == ON_FIRST) return 0;
  if (way == ON_LAST) return size - 1;
  return (PetscMPIInt)(wring_mix((uint64_t)(i + way)) % (uint64_t)size);
}

static void take_sets(const wring_mesh_data *d, int way, PetscInt first, PetscInt end, wring_mesh_data *s)
{
  PetscInt n = 0;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1((size_t)d->sets.n + 1, &s->set_start));
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1((size_t)d->set_start[d->sets.n], &s->set_vertex));
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(4 * (size_t)d->n_set_element, &s->set_element));
  for (PetscInt k = 0; k < d->sets.n; k++) {
    s->set_start[k] = n;
    for (PetscInt i = d->set_start[k]; i < d->set_start[k + 1]; i++)
      if (d->set_vertex[i] >= first && d->set_vertex[i] < end) s->set_vertex[n++] = d->set_vertex[i];
  }
  s->set_start[d->sets.n] = n;
  for (PetscInt i = 0; i < d->n_set_element; i++)
    if (holder(way, i) == rank)
      memcpy(s->set_element + 4 * s->n_set_element++, d->set_element + 4 * i, 4 * sizeof *s->set_element);
}

static wring_mesh_data *slice_of(const wring_mesh_data *d, int way)
{
  wring_mesh_data *s;
  PetscInt         v[65], t[65];
  cut(way, d->n_vertex, 1, v);
  cut(way, d->n_tet, 2, t);
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_create(v[rank + 1] - v[rank], t[rank + 1] - t[rank], &s));
  PetscCallAbort(PETSC_COMM_SELF, wring_names_copy(&d->regions, &s->regions));
  PetscCallAbort(PETSC_COMM_SELF, wring_names_copy(&d->sets, &s->sets));
  PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(s->X, d->X + 3 * v[rank], 3 * s->n_vertex));
  PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(s->tet, d->tet + 4 * t[rank], 4 * s->n_tet));
  PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(s->region, d->region + t[rank], s->n_tet));
  take_sets(d, way, v[rank], v[rank + 1], s);
  return s;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static PetscBool same(PetscInt n, size_t width, const void *a, const void *b)
{
  return (PetscBool)(n == 0 || !memcmp(a, b, (size_t)n * width));
}

static PetscErrorCode check_graphs(PetscSF a, PetscSF b)
{
  PetscInt           roots[2], leaves[2];
  const PetscInt    *at[2];
  const PetscSFNode *from[2];

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(a, &roots[0], &leaves[0], &at[0], &from[0]));
  PetscCall(PetscSFGetGraph(b, &roots[1], &leaves[1], &at[1], &from[1]));
  CHECK(roots[0] == roots[1] && leaves[0] == leaves[1], "sizes");
  CHECK(same(leaves[0], sizeof *from[0], from[0], from[1]), "roots");
  for (PetscInt i = 0; i < leaves[0]; i++) CHECK((at[0] ? at[0][i] : i) == (at[1] ? at[1][i] : i), "leaf %d", (int)i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_same(const wring_mesh *a, const wring_mesh *b)
{
  PetscFunctionBegin;
  CHECK(a->number.n_global == b->number.n_global && a->number.begin == b->number.begin &&
          a->tets.n_global == b->tets.n_global,
        "global counts");
  CHECK(a->n_owned == b->n_owned && a->n_local == b->n_local && a->tets.n == b->tets.n, "counts");
  CHECK(a->tets.n_interior == b->tets.n_interior && a->set.n_element == b->set.n_element &&
          a->set.names.n == b->set.names.n,
        "counts");
  CHECK(same(a->n_local, sizeof *a->number.global, a->number.global, b->number.global), "global numbers");
  CHECK(same(a->n_local, sizeof *a->number.original, a->number.original, b->number.original), "original numbers");
  CHECK(same(a->n_local, sizeof *a->number.by_original, a->number.by_original, b->number.by_original),
        "the order of originals");
  CHECK(same(a->n_local, 3 * sizeof *a->X, a->X, b->X), "positions");
  CHECK(same(a->tets.n, 4 * sizeof *a->tets.corner, a->tets.corner, b->tets.corner), "tets");
  CHECK(same(a->tets.n, sizeof *a->tets.region, a->tets.region, b->tets.region), "regions");
  CHECK(same(a->tets.n, sizeof *a->tets.original, a->tets.original, b->tets.original), "numbers of tets");
  CHECK(same(a->set.n_element, 4 * sizeof *a->set.element, a->set.element, b->set.element), "elements of sets");
  for (PetscInt s = 0; s < a->set.names.n; s++) {
    CHECK(!strcmp(a->set.names.name[s], b->set.names.name[s]) && a->set.count[s] == b->set.count[s], "set %d", (int)s);
    CHECK(same(a->set.count[s], sizeof(PetscInt), a->set.vertex[s], b->set.vertex[s]), "members of set %d", (int)s);
  }
  PetscCall(check_graphs(a->forest.halo, b->forest.halo));
  PetscCall(check_graphs(a->forest.coordinates, b->forest.coordinates));
  PetscCall(check_graphs(a->forest.natural, b->forest.natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every tet is on one rank, with the vertices that it had; every member of a set is found. */
static void check_complete(const wring_mesh_data *d, const wring_mesh *m)
{
  PetscInt *const seen = calloc((size_t)d->n_tet + (size_t)d->n_vertex, sizeof *seen), *const owned = seen + d->n_tet;
  PetscInt members = 0;
  CHECK(m->set.names.n == d->sets.n && m->regions.n == d->regions.n, "%d sets, %d regions", (int)m->set.names.n,
        (int)m->regions.n);
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const PetscInt64 number = m->tets.original[e];
    seen[number]++;
    CHECK(m->tets.region[e] == d->region[number], "region of tet %d", (int)number);
    for (int a = 0; a < 4; a++)
      CHECK(m->number.original[m->tets.corner[4 * e + a]] == d->tet[4 * number + a], "tet %d corner %d", (int)number,
            a);
  }
  for (PetscInt v = 0; v < m->n_owned; v++) owned[m->number.original[v]]++;
  for (PetscInt s = 0; s < m->set.names.n; s++) members += m->set.count[s];
  MPI_Allreduce(MPI_IN_PLACE, seen, (int)(d->n_tet + d->n_vertex), MPIU_INT, MPI_SUM, m->comm);
  MPI_Allreduce(MPI_IN_PLACE, &members, 1, MPIU_INT, MPI_SUM, m->comm);
  for (PetscInt e = 0; e < d->n_tet + d->n_vertex; e++)
    CHECK(seen[e] == 1, "row %d is on %d ranks", (int)e, (int)seen[e]);
  CHECK(members == d->set_start[d->sets.n], "%d members of sets", (int)members);
  free(seen);
}

static PetscErrorCode test_slices(const wring_mesh_data *d, wring_partitioner partitioner, PetscInt most)
{
  const wring_cut c = {partitioner, size, most};
  wring_mesh     *first, *m;

  PetscFunctionBegin;
  for (int way = 0; way < WAYS; way++) {
    wring_mesh_data *slice = slice_of(d, way);
    PetscCall(wring_mesh_distribute_cut(PETSC_COMM_WORLD, &c, &slice, &m));
    CHECK(!slice, "distribute consumes the slice");
    check_complete(d, m);
    if (way == 0) {
      first = m;
      continue;
    }
    PetscCall(check_same(first, m));
    PetscCall(wring_mesh_destroy(&m));
  }
  PetscCall(wring_mesh_destroy(&first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- partitions -------------------------------------------------------------------------------------------------- */

enum { SERIAL = 1000000, SMALL = 400 }; // graphs of so many tets are cut on one rank

/* The same parts by all ranks together, of slices with gaps, and by every rank alone. */
static PetscErrorCode assess(const wring_mesh_data *d, wring_partitioner partitioner, PetscInt most, PetscInt n_part,
                             wring_mesh_cut *cut)
{
  const wring_cut  c     = {partitioner, n_part, most};
  wring_mesh_data *slice = slice_of(d, WITH_GAPS);
  wring_mesh_cut   alone;

  PetscFunctionBegin;
  PetscCall(wring_mesh_assess_cut(PETSC_COMM_WORLD, &c, slice, cut));
  PetscCall(wring_mesh_assess_cut(PETSC_COMM_SELF, &c, d, &alone));
  CHECK(cut->cut_faces == alone.cut_faces && cut->ghosts == alone.ghosts && cut->tets_max == alone.tets_max &&
          cut->vertices_max == alone.vertices_max && cut->interface_vertices == alone.interface_vertices,
        "%d parts on %d ranks: %d faces and %d ghosts, on one %d and %d", (int)n_part, size, (int)cut->cut_faces,
        (int)cut->ghosts, (int)alone.cut_faces, (int)alone.ghosts);
  PetscCall(wring_mesh_data_destroy(&slice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Clusters cost at most 10 % more cut faces and ghosts than METIS of all tets; a jittered box, where METIS is good. */
static PetscErrorCode test_cuts(const wring_mesh_data *d, PetscInt n_part)
{
  const double   mean = (double)d->n_tet / n_part;
  wring_mesh_cut whole, steps, curve;

  PetscFunctionBegin;
  PetscCall(assess(d, WRING_PARTITIONER_METIS, SERIAL, n_part, &whole));
  PetscCall(assess(d, WRING_PARTITIONER_METIS, PetscMax(SMALL, 40 * n_part), n_part, &steps));
  PetscCall(assess(d, WRING_PARTITIONER_CURVE, SERIAL, n_part, &curve));
  CHECK((double)steps.cut_faces <= 1.1 * (double)whole.cut_faces, "%d parts: %d faces cut in steps, %d by METIS",
        (int)n_part, (int)steps.cut_faces, (int)whole.cut_faces);
  CHECK((double)steps.ghosts <= 1.1 * (double)whole.ghosts, "%d parts: %d ghosts, %d by METIS", (int)n_part,
        (int)steps.ghosts, (int)whole.ghosts);
  CHECK((double)steps.tets_max <= 1.04 * mean, "%d parts: %d tets in one", (int)n_part, (int)steps.tets_max);
  CHECK((double)curve.tets_max < mean + 1, "equal pieces of the curve");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- many parts -------------------------------------------------------------------------------------------------- */

static int largest; // number of entries of MPI_Allreduce

/* In the place of the library's; in brackets, since PETSc has a macro of this name. */
int(MPI_Allreduce)(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  largest = PetscMax(largest, n);
  return PMPI_Allreduce(from, to, n, type, op, comm);
}

/* Two stages of METIS, loads of parts at their homes. */
static PetscErrorCode test_many(const wring_mesh_data *d)
{
  const wring_cut  c = {WRING_PARTITIONER_METIS, 600, 0};
  wring_mesh_data *s = slice_of(d, EVEN);
  wring_mesh_cut   cut, curve;
  wring_pieces     p;
  wring_owners     o;
  wring_graph      g;
  PetscInt        *part;

  PetscFunctionBegin;
  PetscCall(wring_pieces_create(PETSC_COMM_WORLD, 600, s, &p));
  PetscCall(wring_pieces_dual(&p, PETSC_TRUE, &g));
  PetscCall(PetscMalloc1((size_t)p.n, &part));
  largest = 0;
  PetscCall(wring_graph_cut(&g, &c, part));
  PetscCall(wring_owners_create(&p, 600, part, &o));
  CHECK(largest <= 3 * 64, "%d numbers are summed over all ranks", largest);
  PetscCall(wring_owners_destroy(&o));
  PetscCall(PetscFree(part));
  PetscCall(wring_graph_destroy(&g));
  PetscCall(wring_pieces_destroy(&p));
  PetscCall(wring_mesh_data_destroy(&s));
  PetscCall(assess(d, WRING_PARTITIONER_METIS, 0, 600, &cut));
  PetscCall(assess(d, WRING_PARTITIONER_CURVE, 0, 600, &curve));
  CHECK(cut.tets_max <= d->n_tet / 600 + 2 && (double)cut.cut_faces <= 0.98 * (double)curve.cut_faces,
        "600 parts: %d tets in one, %d faces cut, %d by the curve", (int)cut.tets_max, (int)cut.cut_faces,
        (int)curve.cut_faces);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

/* By METIS, as clusters where there are more tets than parts, and by the curve. Destroys d. */
static PetscErrorCode test_mesh(wring_mesh_data *d)
{
  PetscFunctionBegin;
  PetscCall(test_slices(d, WRING_PARTITIONER_METIS, SERIAL));
  PetscCall(test_slices(d, WRING_PARTITIONER_METIS, 40));
  PetscCall(test_slices(d, WRING_PARTITIONER_CURVE, SERIAL));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static wring_mesh_data *make_box(const wring_box *box)
{
  wring_mesh_data *d;
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_box(PETSC_COMM_SELF, box, &d, &(wring_error){""}));
  return d;
}

/* A solid, two solids apart, a sheet, a line, and fewer tets than ranks. */
static PetscErrorCode test_meshes(void)
{
  static const wring_box solid = {{4, 1, 0.5}, {16, 4, 3}, {1, 2, 3}, 0.3}, sheet = {{1, 2, 0}, {9, 11, 0}, {0}, 0.3};
  static const wring_box line = {{0, 0, 1}, {0, 0, 40}, {0}, 0.1}, cell = {{1, 1, 1}, {1, 1, 1}, {0}, 0};
  static const wring_box apart[] = {{{1, 1, 1}, {4, 4, 4}, {0, 0, 0}, 0}, {{1, 1, 1}, {3, 5, 3}, {3, 0, 0}, 0.1}};

  PetscFunctionBegin;
  PetscCall(test_mesh(make_box(&solid)));
  PetscCall(test_mesh(make_box(&sheet)));
  PetscCall(test_mesh(make_box(&line)));
  PetscCall(test_mesh(make_box(&cell)));
  PetscCall(test_mesh(test_blocks_data(2, apart)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A package may give other parts when it is called again. */
static PetscErrorCode test_package(const wring_mesh_data *d, wring_partitioner partitioner)
{
  wring_mesh_data *slice;
  wring_mesh      *m;
  wring_mesh_info  info;
  const char      *missing;
  PetscBool        built;

  PetscFunctionBegin;
  PetscCall(PetscHasExternalPackage(partitioner == WRING_PARTITIONER_PTSCOTCH ? "ptscotch" : "parmetis", &built));
  const PetscBool has = wring_cut_has_package(partitioner, &missing);
  const PetscBool fit = (PetscBool)(has || sizeof(PetscInt) == 4 || !strstr(missing, "integers")); // of PT-Scotch
  CHECK(has == !missing && has == (built && fit), "the package of %d: %s", (int)partitioner, has ? "there" : missing);
  if (!has && rank == 0) printf("not tested: this PETSc has no %s\n", missing);
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  slice = slice_of(d, WITH_GAPS);
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, partitioner, &slice, &m));
  check_complete(d, m);
  PetscCall(wring_mesh_get_info(m, &info));
  CHECK(info.balance_tets < 1.1, "balance %g", info.balance_tets);
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_partitions(void)
{
  static const wring_box large   = {{2, 1, 1}, {16, 9, 9}, {0}, 0.3};
  static const PetscInt  parts[] = {2, 7, 64};
  wring_mesh_data       *d       = make_box(&large);
  wring_mesh_cut         cut;

  PetscFunctionBegin;
  PetscCall(assess(d, WRING_PARTITIONER_METIS, SMALL, 1, &cut));
  CHECK(cut.cut_faces == 0 && cut.ghosts == 0 && cut.tets_max == d->n_tet, "one part");
  for (int i = 0; i < 3; i++) PetscCall(test_cuts(d, parts[i]));
  PetscCall(test_many(d));
  PetscCall(test_package(d, WRING_PARTITIONER_PTSCOTCH));
  PetscCall(test_package(d, WRING_PARTITIONER_PARMETIS));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(test_meshes());
  PetscCall(test_partitions());
  PetscCall(PetscFinalize());
  return 0;
}
