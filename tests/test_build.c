/* ranks: 1 2 4
  The nodes and elements of a file, cut into parts in several ways: fails if the mesh depends on them in a single bit,
  if the numbers of nodes (in order, shuffled, with gaps, above 2^62) matter, or if a fault is not the one that one rank
  finds. */
#include <wring/mesh.h>
#include "check.h"
#include "mesh/build/build.h"
#include <string.h>

static PetscMPIInt rank, size;

enum { NOTES = 1024 };

/* ---- a file ------------------------------------------------------------------------------------------------------ */

enum { IN_ORDER, SHUFFLED, SPARSE, NUMBERINGS };

static int64_t tag_of(int numbering, PetscInt node, PetscInt n)
{
  if (numbering == IN_ORDER) return node + 5;
  if (numbering == SHUFFLED) return n - node;
  return (int64_t)(wring_mix((uint64_t)node) >> 1);
}

static void add_node(wring_raw *raw, int numbering, PetscInt n, const double *x)
{
  const PetscInt v = raw->nodes.n++;
  const size_t   m = (size_t)raw->nodes.n;
  PetscCallAbort(PETSC_COMM_SELF, PetscRealloc(m * sizeof *raw->nodes.tag, &raw->nodes.tag));
  PetscCallAbort(PETSC_COMM_SELF, PetscRealloc(m * sizeof *raw->nodes.line, &raw->nodes.line));
  PetscCallAbort(PETSC_COMM_SELF, PetscRealloc(3 * m * sizeof *raw->nodes.X, &raw->nodes.X));
  raw->nodes.tag[v]  = tag_of(numbering, v, n);
  raw->nodes.line[v] = v + 1;
  memcpy(raw->nodes.X + 3 * v, x, 3 * sizeof *x);
}

static void add_element(wring_raw *raw, PetscInt source, int n, const PetscInt *node)
{
  wring_error   none = {""};
  wring_scan    s    = {.file = "a.msh", .e = &none};
  wring_element e    = {.n = n, .source = source, .number = 7 + raw->tets.n + raw->lower.n};
  e.line             = 10000 + e.number;
  for (int a = 0; a < n; a++) e.tag[a] = raw->nodes.tag[node[a]];
  PetscCallAbort(PETSC_COMM_SELF, wring_raw_add_element(raw, &s, &e));
}

/* Source 0 is in no group, source 1 + g in group g; the last is in two. */
static void add_groups(wring_raw *raw)
{
  static const char *const name[]  = {"soft", "Edge", "nothing", "cloth", "side", "hard", "tip"};
  static const PetscInt    group[] = {0, 1, 2, 3, 4, 5, 6, 1, 4};
  for (int g = 0; g < 7; g++) PetscCallAbort(PETSC_COMM_SELF, wring_names_add(&raw->groups, name[g], strlen(name[g])));
  raw->sources.n = 9;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(10, &raw->sources.start));
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(9, &raw->sources.group));
  for (int i = 0; i <= 9; i++) raw->sources.start[i] = i == 9 ? 9 : i > 0 ? i - 1 : 0;
  memcpy(raw->sources.group, group, sizeof group);
}

enum { NONE, SOFT, EDGE, NOTHING, CLOTH, SIDE, HARD, TIP, EDGE_AND_SIDE };

/*
  A box whose nodes come in another order, every third tet with negative volume, some in no volume; triangles of its
  sides, lines, points; a cloth, a triangle and a line in no group, and nodes of nothing.
*/
static void make_file(int numbering, wring_raw *raw)
{
  const wring_box  box = {.size = {1, 2, 3}, .cells = {3, 4, 5}, .jitter = 0.3};
  wring_error      e   = {""};
  wring_mesh_data *d;
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_box(PETSC_COMM_SELF, &box, &d, &e));
  const PetscInt n = d->n_vertex, all = n + 8;
  PetscInt      *at;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(n, &at));
  *raw = (wring_raw){.format = "Gmsh"};
  add_groups(raw);
  for (PetscInt v = 0; v < n; v++) {
    const PetscInt from = (PetscInt)((v * 7 + 3) % n);
    if (v % 29 == 11 && raw->nodes.n < v + 8) add_node(raw, numbering, all, (double[]){9, 9, (double)v});
    at[from] = raw->nodes.n;
    add_node(raw, numbering, all, d->X + 3 * from);
  }
  while (raw->nodes.n < all)
    add_node(raw, numbering, all, (double[]){(double)raw->nodes.n, (double)(raw->nodes.n % 3), 1});
  PetscCallAbort(PETSC_COMM_SELF, wring_raw_make_tets(raw, (size_t)d->n_tet + 2));
  add_element(raw, TIP, 1, (PetscInt[]){at[0]});
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const row = d->set_element + 4 * i;
    add_element(raw,
                row[0] % 2 ? SIDE
                : i % 3    ? NONE
                           : EDGE_AND_SIDE,
                3, (PetscInt[]){at[row[1]], at[row[2]], at[row[3]]});
    if (i % 4 == 0) add_element(raw, EDGE, 2, (PetscInt[]){at[row[1]], at[row[2]]});
  }
  for (PetscInt t = 0; t < d->n_tet; t++) {
    const PetscInt *const v = d->tet + 4 * t;
    add_element(raw,
                t % 5   ? HARD
                : t % 2 ? SOFT
                        : NONE,
                4,
                t % 3 ? (PetscInt[]){at[v[0]], at[v[1]], at[v[2]], at[v[3]]}
                      : (PetscInt[]){at[v[1]], at[v[0]], at[v[2]], at[v[3]]});
  }
  add_element(raw, CLOTH, 3, (PetscInt[]){all - 1, all - 2, at[5]});
  add_element(raw, NONE, 3, (PetscInt[]){all - 1, all - 3, at[5]});
  add_element(raw, NOTHING, 1, (PetscInt[]){all - 4});
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(at));
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&d));
  CHECK(raw->nodes.n == all, "%d nodes", (int)raw->nodes.n);
}

static void make_points(int numbering, wring_raw *raw)
{
  const PetscInt n = 57;
  *raw             = (wring_raw){.format = "CSV", .points = PETSC_TRUE};
  for (PetscInt v = 0; v < n; v++) add_node(raw, IN_ORDER, n, (double[]){(double)v, 1, 2});
  for (PetscInt v = 0; v < n; v++) raw->nodes.tag[v] = numbering == IN_ORDER ? v : (v * 10 + 4) % n;
}

/* ---- parts of it ------------------------------------------------------------------------------------------------- */

enum { ON_FIRST, ON_LAST, EVEN, RANDOM, WITH_GAPS, WAYS };

static void cut(int way, PetscInt n, int what, PetscInt *first, PetscInt *end)
{
  PetscInt start[65] = {0};
  uint64_t state     = (uint64_t)what;
  for (PetscMPIInt p = 1; p <= size; p++) {
    const PetscInt even = (PetscInt)((double)n * p / size), odd = (p + what) % 2;
    const PetscInt at[WAYS] = {n, 0, even, (PetscInt)((double)n * test_random(&state)), odd ? even : 0};
    start[p]                = p == size ? n : PetscMin(PetscMax(at[way], start[p - 1]), n);
  }
  *first = start[rank];
  *end   = start[rank + 1];
}

static void take(PetscInt first, PetscInt *n, PetscInt end, size_t width, void *rows)
{
  char *const all = *(char **)rows;
  if (end > first) memmove(all, all + (size_t)first * width, (size_t)(end - first) * width);
  *n = end - first;
}

static void keep_part(wring_raw *raw, int way)
{
  PetscInt first, end, n;
  cut(way, raw->nodes.n, 1, &first, &end);
  take(first, &n, end, sizeof *raw->nodes.tag, &raw->nodes.tag);
  take(first, &n, end, sizeof *raw->nodes.line, &raw->nodes.line);
  take(first, &raw->nodes.n, end, 3 * sizeof *raw->nodes.X, &raw->nodes.X);
  cut(way, raw->tets.n, 2, &first, &end);
  take(first, &n, end, sizeof *raw->tets.source, &raw->tets.source);
  take(first, &n, end, sizeof *raw->tets.number, &raw->tets.number);
  take(first, &n, end, sizeof *raw->tets.line, &raw->tets.line);
  take(first, &raw->tets.n, end, 4 * sizeof *raw->tets.tag, &raw->tets.tag);
  cut(way, raw->lower.n, 3, &first, &end);
  take(first, &raw->lower.n, end, sizeof *raw->lower.element, &raw->lower.element);
}

static wring_mesh_data *build(MPI_Comm comm, wring_raw *raw, wring_error *e, char *notes)
{
  const wring_scan s = {.file = "a.msh", .e = e};
  wring_mesh_data *d;
  e->text[0] = notes[0] = '\0';
  PetscCallAbort(comm, wring_raw_build(comm, raw, 2, &s, &d, NOTES, notes));
  PetscCallAbort(comm, wring_raw_destroy(raw));
  CHECK((d == NULL) == (e->text[0] != '\0'), "data or error, never both: %s", e->text);
  return d;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static PetscInt begin_of(PetscInt n)
{
  PetscInt end = 0;
  MPI_Scan(&n, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  return end - n;
}

static void check_names(const wring_names *a, const wring_names *b)
{
  CHECK(a->n == b->n, "%d names, expected %d", (int)b->n, (int)a->n);
  for (PetscInt i = 0; i < a->n; i++) CHECK(!strcmp(a->name[i], b->name[i]), "%s is %s", a->name[i], b->name[i]);
}

/* The members of the slice are those of the whole in this block. */
static void check_sets(const wring_mesh_data *whole, const wring_mesh_data *d, PetscInt begin)
{
  for (PetscInt s = 0; s < whole->sets.n; s++) {
    PetscInt k = d->set_start[s];
    for (PetscInt i = whole->set_start[s]; i < whole->set_start[s + 1]; i++) {
      if (whole->set_vertex[i] < begin || whole->set_vertex[i] >= begin + d->n_vertex) continue;
      CHECK(k < d->set_start[s + 1] && d->set_vertex[k] == whole->set_vertex[i], "member of %s", whole->sets.name[s]);
      k++;
    }
    CHECK(k == d->set_start[s + 1], "%s has other members", whole->sets.name[s]);
  }
}

static uint64_t hash_rows(PetscInt n, const PetscInt *row)
{
  uint64_t sum = (uint64_t)n;
  for (PetscInt i = 0; i < n; i++) {
    uint64_t h = 0;
    for (int a = 0; a < 4; a++) h = wring_mix(h ^ (uint64_t)(row[4 * i + a] + 2));
    sum += h;
  }
  return sum;
}

static void check_slice(const wring_mesh_data *whole, const wring_mesh_data *d)
{
  const PetscInt v = begin_of(d->n_vertex), t = begin_of(d->n_tet);
  uint64_t       rows = hash_rows(d->n_set_element, d->set_element), all;
  MPI_Allreduce(&rows, &all, 1, MPI_UINT64_T, MPI_SUM, PETSC_COMM_WORLD);
  CHECK(all == hash_rows(whole->n_set_element, whole->set_element), "other lines or triangles");
  CHECK(v + d->n_vertex <= whole->n_vertex && t + d->n_tet <= whole->n_tet, "counts");
  CHECK(rank < size - 1 || (v + d->n_vertex == whole->n_vertex && t + d->n_tet == whole->n_tet), "counts");
  CHECK(!d->n_vertex || !memcmp(d->X, whole->X + 3 * v, 3 * (size_t)d->n_vertex * sizeof *d->X), "positions");
  CHECK(!d->n_tet || !memcmp(d->tet, whole->tet + 4 * t, 4 * (size_t)d->n_tet * sizeof *d->tet), "tets");
  CHECK(!d->n_tet || !memcmp(d->region, whole->region + t, (size_t)d->n_tet * sizeof *d->region), "regions");
  check_names(&whole->regions, &d->regions);
  check_names(&whole->sets, &d->sets);
  check_sets(whole, d, v);
}

typedef void maker(int numbering, wring_raw *raw);

static void test_slices(maker *make, int numbering)
{
  wring_raw        raw;
  wring_error      e;
  char             notes[NOTES], expected[NOTES];
  wring_mesh_data *whole, *d;
  make(numbering, &raw);
  whole = build(PETSC_COMM_SELF, &raw, &e, expected);
  CHECK(whole, "%s", e.text);
  for (int way = 0; way < WAYS; way++) {
    make(numbering, &raw);
    keep_part(&raw, way);
    d = build(PETSC_COMM_WORLD, &raw, &e, notes);
    CHECK(d, "%s", e.text);
    check_slice(whole, d);
    CHECK(!strcmp(notes, expected), "notes '%s', expected '%s'", notes, expected);
    PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&d));
  }
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&whole));
}

/*
  The file's own contents, so that all ways cannot be wrong alike: 120 vertices and 360 tets of the box, two of a cloth.
*/
static void test_contents(void)
{
  wring_raw        raw;
  wring_error      e;
  char             notes[NOTES];
  wring_mesh_data *d;
  make_file(SPARSE, &raw);
  d = build(PETSC_COMM_SELF, &raw, &e, notes);
  CHECK(d->n_vertex == 122 && d->n_tet == 360, "%d vertices, %d tets", (int)d->n_vertex, (int)d->n_tet);
  CHECK(strstr(notes, "120 tetrahedra had negative volume and were reoriented\n6 nodes that no"), "%s", notes);
  CHECK(strstr(notes, "'nothing' has no vertex"), "%s", notes);
  CHECK(d->regions.n == 3 && d->sets.n == 6, "%d regions, %d sets", (int)d->regions.n, (int)d->sets.n);
  const PetscInt tip = wring_names_find(&d->sets, "tip"), cloth = wring_names_find(&d->sets, "cloth");
  CHECK(d->set_start[tip + 1] - d->set_start[tip] == 1 && d->set_start[cloth + 1] - d->set_start[cloth] == 3, "sets");
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&d));
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Damages the whole file; the first line of the message must be there. */
typedef struct {
  void (*damage)(wring_raw *raw);
  const char *message;
  maker      *make;
} fault;

static void repeat_node(wring_raw *raw)
{
  raw->nodes.tag[100] = raw->nodes.tag[20];
  raw->nodes.tag[90]  = raw->nodes.tag[110];
}

static void lose_node(wring_raw *raw)
{
  raw->tets.tag[4 * 300 + 1] = raw->tets.tag[4 * 200] = 3000000000;
  raw->lower.element[raw->lower.n - 1].tag[0]         = 77777;
}

static void use_twice(wring_raw *raw)
{
  raw->tets.tag[4 * 300]       = raw->tets.tag[4 * 300 + 3];
  raw->lower.element[4].tag[1] = raw->lower.element[4].tag[0];
}

static void flatten(wring_raw *raw)
{
  for (int t = 150; t > 50; t -= 10) {
    for (int i = 0; i < raw->nodes.n; i++)
      if (raw->nodes.tag[i] == raw->tets.tag[4 * t])
        memcpy(raw->nodes.X + 3 * i, raw->nodes.X + 3 * 119, 3 * sizeof *raw->nodes.X);
  }
}

static void enlarge(wring_raw *raw)
{
  raw->nodes.X[3 * 100] = 1e300;
  raw->nodes.X[3 * 70]  = 2e300;
}

static void repeat_tet(wring_raw *raw)
{
  for (int a = 0; a < 4; a++) {
    raw->tets.tag[4 * 350 + a] = raw->tets.tag[4 * 3 + (a + 1) % 4];
    raw->tets.tag[4 * 250 + a] = raw->tets.tag[4 * 2 + (a + 2) % 4];
  }
}

/* Two tets of the file get a third one on a face, with a node of the cloth, in two places. */
static void crowd(wring_raw *raw)
{
  for (int i = 0; i < 2; i++) {
    for (int a = 0; a < 3; a++) raw->tets.tag[4 * (359 - i) + a] = raw->tets.tag[4 * (100 + 150 * i) + a];
    raw->tets.tag[4 * (359 - i) + 3] = raw->nodes.tag[raw->nodes.n - 1];
  }
}

static void move_triangle(wring_raw *raw)
{
  int n = 0;
  for (PetscInt i = raw->lower.n - 4; n < 2; i--)
    if (raw->lower.element[i].n == 3) raw->lower.element[i].tag[n++] = raw->tets.tag[4 * 180];
}

static void share_tet(wring_raw *raw)
{
  raw->tets.source[200] = raw->tets.source[300] = EDGE_AND_SIDE;
}

static void reserve(wring_raw *raw)
{
  strcpy(raw->groups.name[1], "tAg0");
}

static void drop_all(wring_raw *raw)
{
  raw->tets.n = raw->lower.n = 0;
}

static void repeat_point(wring_raw *raw)
{
  raw->nodes.tag[40] = raw->nodes.tag[3];
  raw->nodes.tag[50] = raw->nodes.tag[20];
}

static void lose_point(wring_raw *raw)
{
  raw->nodes.tag[30] = 1000;
  raw->nodes.tag[45] = 1001;
}

static const fault faults[] = {
  {repeat_node, "a.msh:101: node ", make_file},
  {lose_node, "refers to node 3000000000, which does not exist", make_file},
  {use_twice, " has node ", make_file},
  {flatten, "is a tetrahedron of zero volume", make_file},
  {enlarge, "a coordinate times the scale 2 is 4e+300, expected at most 1e100", make_file},
  {repeat_tet, " has the nodes of element ", make_file},
  {crowd, "share a face, expected at most two", make_file},
  {move_triangle, "is a triangle of nodes of tetrahedra, but not a face of any", make_file},
  {share_tet, "belongs to the physical volumes 'Edge' and 'side', expected one", make_file},
  {reserve, "a.msh: a physical group is named tag0", make_file},
  {drop_all, "a.msh: the mesh has no elements", make_file},
  {repeat_point, "a.msh:41: vertex ", make_points},
  {lose_point, " is missing, expected 0 to 56", make_points},
};

static void test_fault(const fault *f, int numbering)
{
  wring_raw   raw;
  wring_error e, expected;
  char        notes[NOTES];
  f->make(numbering, &raw);
  f->damage(&raw);
  build(PETSC_COMM_SELF, &raw, &expected, notes);
  CHECK(strstr(expected.text, f->message), "'%s', expected '%s'", expected.text, f->message);
  for (int way = 0; way < WAYS; way++) {
    f->make(numbering, &raw);
    f->damage(&raw);
    keep_part(&raw, way);
    build(PETSC_COMM_WORLD, &raw, &e, notes);
    CHECK(!strcmp(e.text, expected.text), "'%s', expected '%s'", e.text, expected.text);
  }
}

/*
  Copies of one tetrahedron, all of them on its four faces, are refused within the limit of ctest. Fails if each is
  compared with all others, which takes minutes, or if another pair than the first two is named.
*/
static void test_copies(void)
{
  const PetscInt n   = 1500000;
  wring_raw      raw = {.format = "Gmsh"};
  wring_error    e;
  char           notes[NOTES];
  add_groups(&raw);
  for (int v = 0; v < 4; v++) add_node(&raw, IN_ORDER, 4, (double[]){v == 1, v == 2, v == 3});
  PetscCallAbort(PETSC_COMM_SELF, wring_raw_make_tets(&raw, (size_t)n));
  for (PetscInt t = 0; t < n; t++) add_element(&raw, SOFT, 4, (PetscInt[]){0, 1, 2, 3});
  keep_part(&raw, EVEN);
  build(PETSC_COMM_WORLD, &raw, &e, notes);
  CHECK(!strcmp(e.text, "a.msh:10008: element 8 has the nodes of element 7 (line 10007)"), "%s", e.text);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  test_contents();
  for (int numbering = 0; numbering < NUMBERINGS; numbering++) test_slices(make_file, numbering);
  test_slices(make_points, IN_ORDER);
  test_slices(make_points, SHUFFLED);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
    for (int numbering = 0; numbering < NUMBERINGS; numbering++) test_fault(&faults[i], numbering);
  test_copies();
  PetscCall(PetscFinalize());
  return 0;
}
