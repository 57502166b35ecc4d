/* ranks: 1 2 4
  Second-order files of Gmsh, 2.2 and 4.1, text and binary: read on all ranks, raised, and gathered. */
#include <wring/mesh.h>
#include "check.h"
#include "refused.h"

static PetscMPIInt rank, size;

static const int mid_end[6][2]  = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int gmsh_column[6] = {0, 1, 2, 3, 5, 4}; // of the edges in Gmsh's rows: 23 13 are last

/* ---- a file ------------------------------------------------------------------------------------------------------ */

typedef struct {
  FILE     *file;
  PetscBool v41, binary;
} writer;

static void put_int(const writer *w, int value)
{
  if (w->binary)
    fwrite(&value, sizeof value, 1, w->file);
  else
    fprintf(w->file, "%d ", value);
}

/* An int of 2.2, a long of 4.1. */
static void put_long(const writer *w, int64_t value)
{
  if (w->binary && w->v41)
    fwrite(&value, sizeof value, 1, w->file);
  else
    put_int(w, (int)value);
}

static void put_reals(const writer *w, int n, const double *value)
{
  for (int i = 0; i < n; i++) {
    if (w->binary)
      fwrite(&value[i], sizeof *value, 1, w->file);
    else
      fprintf(w->file, "%.17g ", value[i]);
  }
}

static void end_line(const writer *w)
{
  if (!w->binary) fputc('\n', w->file);
}

/*
  A mesh with a middle on each edge: nodes [n_node] are corners, then middles; the place of node v in the file is
  place[v], its number tag[v].
*/
typedef struct {
  PetscInt n_corner, n_node, n_tet, n_triangle, n_line;
  double  *X;
  int     *tag, *at;  // of the nodes; at: the node at each place
  int (*tet)[10];     // as in the file: Gmsh's order
  int (*triangle)[7]; // set, then nodes
  int (*line)[4];
} picture;

static void put_block(const writer *w, int dim, int entity, int type, int n)
{
  if (w->v41) {
    put_int(w, dim);
    put_int(w, entity);
    put_int(w, type);
    put_long(w, n);
    end_line(w);
  } else if (w->binary) {
    put_int(w, type);
    put_int(w, n);
    put_int(w, 2);
  }
}

static void put_element(const writer *w, const picture *p, int type, int physical, int number, int n, const int *node)
{
  put_long(w, number);
  if (!w->v41 && !w->binary) put_int(w, type);
  if (!w->v41 && !w->binary) put_int(w, 2);
  for (int i = 0; i < 2 && !w->v41; i++) put_int(w, physical);
  for (int i = 0; i < n; i++) put_long(w, p->tag[node[i]]);
  end_line(w);
}

/* The physical tags: 1 to 6 the sides, 7 the volume, 8 the rim, a curve. Entities of 4.1 have the same numbers. */
static void put_names(const writer *w)
{
  static const char *const sides[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  fprintf(w->file, "$MeshFormat\n%s %d 8\n", w->v41 ? "4.1" : "2.2", w->binary);
  if (w->binary) put_int(w, 1);
  if (w->binary) fputc('\n', w->file);
  fprintf(w->file, "$EndMeshFormat\n$PhysicalNames\n8\n1 8 \"rim\"\n");
  for (int s = 0; s < 6; s++) fprintf(w->file, "2 %d \"%s\"\n", s + 1, sides[s]);
  fprintf(w->file, "3 7 \"box\"\n$EndPhysicalNames\n");
}

static void put_entities(const writer *w)
{
  const int    n[4] = {0, 1, 6, 1}, first[4] = {0, 8, 1, 7};
  const double box[6] = {0, 0, 0, 1, 1, 1};
  fprintf(w->file, "$Entities\n");
  for (int dim = 0; dim < 4; dim++) put_long(w, n[dim]);
  end_line(w);
  for (int dim = 1; dim < 4; dim++) {
    for (int i = 0; i < n[dim]; i++) {
      put_int(w, first[dim] + i);
      put_reals(w, 6, box);
      put_long(w, 1);
      put_int(w, first[dim] + i);
      put_long(w, 0);
      end_line(w);
    }
  }
  fprintf(w->file, "%s$EndEntities\n", w->binary ? "\n" : "");
}

static void put_nodes(const writer *w, const picture *p)
{
  fprintf(w->file, "$Nodes\n");
  if (w->v41) {
    put_long(w, 1), put_long(w, p->n_node), put_long(w, 1), put_long(w, 1 << 20);
    end_line(w);
    put_int(w, 3), put_int(w, 7), put_int(w, 0), put_long(w, p->n_node);
    end_line(w);
  } else {
    fprintf(w->file, "%d\n", (int)p->n_node);
  }
  for (PetscInt i = 0; i < p->n_node && w->v41; i++) {
    put_long(w, p->tag[p->at[i]]);
    end_line(w);
  }
  for (PetscInt i = 0; i < p->n_node; i++) {
    if (!w->v41) put_int(w, p->tag[p->at[i]]);
    put_reals(w, 3, p->X + 3 * p->at[i]);
    end_line(w);
  }
  fprintf(w->file, "%s$EndNodes\n", w->binary ? "\n" : "");
}

static void put_elements(const writer *w, const picture *p)
{
  const int all    = (int)(p->n_tet + p->n_triangle + p->n_line);
  int       number = 1;
  fprintf(w->file, "$Elements\n");
  if (w->v41) {
    put_long(w, 1 + 1 + p->n_triangle), put_long(w, all), put_long(w, 1), put_long(w, all);
    end_line(w);
  } else {
    fprintf(w->file, "%d\n", all);
  }
  put_block(w, 1, 8, 8, (int)p->n_line);
  for (PetscInt i = 0; i < p->n_line; i++) put_element(w, p, 8, p->line[i][0], number++, 3, p->line[i] + 1);
  for (PetscInt i = 0; i < p->n_triangle; i++) { // each with its own head
    put_block(w, 2, p->triangle[i][0], 9, 1);
    put_element(w, p, 9, p->triangle[i][0], number++, 6, p->triangle[i] + 1);
  }
  put_block(w, 3, 7, 11, (int)p->n_tet);
  for (PetscInt i = 0; i < p->n_tet; i++) put_element(w, p, 11, 7, number++, 10, p->tet[i]);
  fprintf(w->file, "%s$EndElements\n", w->binary ? "\n" : "");
}

static void write_file(const char *name, PetscBool v41, PetscBool binary, const picture *p)
{
  const writer w = {fopen(name, "wb"), v41, binary};
  CHECK(w.file, "%s cannot be written", name);
  put_names(&w);
  if (v41) put_entities(&w);
  put_nodes(&w, p);
  put_elements(&w, p);
  fclose(w.file);
}

/* ---- its mesh ---------------------------------------------------------------------------------------------------- */

static void place_middle(const double *a, const double *b, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = 0.5 * (a[c] + b[c]);
  x[2] += 0.01 * sin(3 * x[0]) * cos(2 * x[1]);
}

/* The node at the middle of an edge, which is made if it is new; key [n_node - n_corner]. */
static int middle_of(picture *p, int64_t *key, int a, int b)
{
  const int64_t k = (int64_t)PetscMin(a, b) * p->n_corner + PetscMax(a, b);
  for (PetscInt i = p->n_corner; i < p->n_node; i++)
    if (key[i - p->n_corner] == k) return (int)i;
  key[p->n_node - p->n_corner] = k;
  place_middle(p->X + 3 * a, p->X + 3 * b, p->X + 3 * p->n_node);
  return (int)p->n_node++;
}

static const wring_box beam = {{4, 1, 0.5}, {4, 2, 2}, {1, 2, 3}, 0.3};

/* Every third tet has negative volume. Places are far from the order of nodes; numbers have gaps if `sparse`. */
static PetscErrorCode draw(PetscBool sparse, picture *p)
{
  wring_mesh_data *d;
  int64_t         *key;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &beam, &d, &(wring_error){""}));
  *p = (picture){.n_corner = d->n_vertex, .n_node = d->n_vertex, .n_tet = d->n_tet, .n_triangle = d->n_set_element};
  p->n_line         = beam.cells[0];
  const size_t most = (size_t)(d->n_vertex + 6 * d->n_tet);
  p->X              = malloc(3 * most * sizeof *p->X);
  p->tag            = malloc(most * sizeof *p->tag);
  p->at             = malloc(most * sizeof *p->at);
  p->tet            = malloc((size_t)p->n_tet * sizeof *p->tet);
  p->triangle       = malloc((size_t)p->n_triangle * sizeof *p->triangle);
  p->line           = malloc((size_t)p->n_line * sizeof *p->line);
  key               = malloc(most * sizeof *key);
  memcpy(p->X, d->X, 3 * (size_t)d->n_vertex * sizeof *p->X);
  for (PetscInt e = 0; e < p->n_tet; e++) {
    int *const t = p->tet[e];
    for (int a = 0; a < 4; a++) t[a] = (int)d->tet[4 * e + (e % 3 == 0 && a < 2 ? 1 - a : a)];
    for (int k = 0; k < 6; k++) t[4 + gmsh_column[k]] = middle_of(p, key, t[mid_end[k][0]], t[mid_end[k][1]]);
  }
  for (PetscInt i = 0; i < p->n_triangle; i++) {
    const PetscInt *const row = d->set_element + 4 * i;
    int *const            t   = p->triangle[i];
    t[0]                      = (int)row[0] + 1;
    for (int a = 0; a < 3; a++) t[1 + a] = (int)row[1 + a];
    for (int a = 0; a < 3; a++) t[4 + a] = middle_of(p, key, t[1 + a], t[1 + (a + 1) % 3]);
  }
  for (int i = 0; i < p->n_line; i++) {
    const int line[4] = {8, i, i + 1, middle_of(p, key, i, i + 1)};
    memcpy(p->line[i], line, sizeof line);
  }
  for (PetscInt v = 0; v < p->n_node; v++) {
    p->at[v]         = (int)(v * 101 % p->n_node); // coprime
    p->tag[p->at[v]] = (int)(sparse ? 1000 - 2 * v + 2000 * (v % 2) : 5 + v);
  }
  CHECK(p->n_node % 101, "the places are no permutation");
  free(key);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void destroy(picture *p)
{
  free(p->X), free(p->tag), free(p->at), free(p->tet), free(p->triangle), free(p->line);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The raised mesh of the file, whole, on rank 0; table: the middles of the slice that was read, on each rank. */
static PetscErrorCode read_raised(MPI_Comm comm, const char *name, wring_mesh_data **d)
{
  wring_mesh *m;
  wring_error error = {""};
  char        notes[256];

  PetscFunctionBegin;
  PetscCall(wring_mesh_read(comm, name, 1, PETSC_FALSE, d, &error, sizeof notes, notes));
  CHECK(*d && !error.text[0], "%s", error.text);
  CHECK(strstr(notes, "tetrahedra had negative volume") && !strstr(notes, "dropped"), "notes: %s", notes);
  CHECK((*d)->order == 2, "order %d", (*d)->order);
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, d, &m));
  PetscCall(wring_mesh_raise(m));
  PetscCall(wring_mesh_gather(m, d));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners have the order of the file, and middles are on their edges, in the order of these. */
static void check_mesh(const picture *p, const wring_mesh_data *d)
{
  PetscInt        n   = 0;
  PetscInt *const end = malloc(2 * (size_t)(p->n_node - p->n_corner) * sizeof *end);
  CHECK(d->n_vertex == p->n_node && d->n_tet == p->n_tet, "%d vertices, %d tets", (int)d->n_vertex, (int)d->n_tet);
  for (PetscInt i = 0; i < p->n_node; i++) {
    if (p->at[i] >= p->n_corner) continue;
    for (int c = 0; c < 3; c++) CHECK(d->X[3 * n + c] == p->X[3 * p->at[i] + c], "corner %d is elsewhere", (int)n);
    n++;
  }
  for (PetscInt i = 0; i < 6 * d->n_tet; i++) {
    const PetscInt *const v = d->tet + 4 * (i / 6), a = v[mid_end[i % 6][0]], b = v[mid_end[i % 6][1]];
    double                x[3];
    place_middle(d->X + 3 * a, d->X + 3 * b, x);
    for (int c = 0; c < 3; c++) CHECK(fabs(d->X[3 * d->mid[i] + c] - x[c]) < 1e-15, "middle of %d %d", (int)a, (int)b);
    CHECK(d->mid[i] >= n, "a middle is a corner");
    end[2 * (d->mid[i] - n)]     = PetscMin(a, b);
    end[2 * (d->mid[i] - n) + 1] = PetscMax(a, b);
  }
  for (PetscInt i = 2; i < 2 * (p->n_node - n); i += 2)
    CHECK(end[i] > end[i - 2] || (end[i] == end[i - 2] && end[i + 1] > end[i - 1]),
          "middle %d is not in the order of edges", (int)(i / 2));
  free(end);
}

/* Sets have the corners and middles of their elements: as many as in the same box made by wring. */
static void check_sets(const wring_mesh_data *d)
{
  static const struct {
    const char *name;
    PetscInt    n;
  } sets[] = {{"xmin", 25}, {"xmax", 25}, {"ymin", 45}, {"zmax", 45}, {"box", 225}, {"rim", 9}}; // (2 x + 1)(2 y + 1)
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    const PetscInt s = wring_names_find(&d->sets, sets[i].name);
    CHECK(s >= 0 && d->set_start[s + 1] - d->set_start[s] == sets[i].n, "%s has %d vertices", sets[i].name,
          s < 0 ? -1 : (int)(d->set_start[s + 1] - d->set_start[s]));
  }
}

static void check_same(const wring_mesh_data *d, const wring_mesh_data *one)
{
  CHECK(!memcmp(d->X, one->X, 3 * sizeof(double) * (size_t)d->n_vertex), "positions");
  CHECK(!memcmp(d->tet, one->tet, 4 * sizeof(PetscInt) * (size_t)d->n_tet), "tets");
  CHECK(!memcmp(d->mid, one->mid, 6 * sizeof(PetscInt) * (size_t)d->n_tet), "middles");
  CHECK(!memcmp(d->set_start, one->set_start, ((size_t)d->sets.n + 1) * sizeof(PetscInt)), "sizes of sets");
  CHECK(!memcmp(d->set_vertex, one->set_vertex, (size_t)d->set_start[d->sets.n] * sizeof(PetscInt)), "sets");
}

/* All four formats give one mesh on any number of ranks. */
static PetscErrorCode test_formats(PetscBool sparse)
{
  picture          p;
  wring_mesh_data *d, *one = NULL;
  char             name[64];

  PetscFunctionBegin;
  PetscCall(draw(sparse, &p));
  for (int format = 0; format < 4; format++) {
    snprintf(name, sizeof name, "test_second_order_%d_%d.msh", (int)size, format);
    if (rank == 0) write_file(name, (PetscBool)(format / 2), (PetscBool)(format % 2), &p);
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    if (!one) PetscCall(read_raised(PETSC_COMM_SELF, name, &one));
    PetscCall(read_raised(PETSC_COMM_WORLD, name, &d));
    if (d) {
      check_mesh(&p, d);
      check_sets(d);
      check_same(d, one);
    }
    PetscCall(wring_mesh_data_destroy(&d));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    if (rank == 0) remove(name);
  }
  PetscCall(wring_mesh_data_destroy(&one));
  destroy(&p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file's numbers of all vertices: those of corners in the slices, of middles in the table. */
static PetscErrorCode test_tags(void)
{
  picture          p;
  wring_mesh_data *d;
  wring_error      error = {""};
  char             name[64], notes[256];
  PetscInt         n = 0, end;

  PetscFunctionBegin;
  PetscCall(draw(PETSC_TRUE, &p));
  snprintf(name, sizeof name, "test_second_order_%d.msh", (int)size);
  if (rank == 0) write_file(name, PETSC_TRUE, PETSC_TRUE, &p);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(wring_mesh_read(PETSC_COMM_WORLD, name, 1, PETSC_TRUE, &d, &error, sizeof notes, notes));
  CHECK(d, "%s", error.text);
  PetscCallMPI(MPI_Scan(&d->n_vertex, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  for (PetscInt i = 0; i < p.n_node; i++) {
    if (p.at[i] >= p.n_corner) continue;
    const PetscInt v = n++ - (end - d->n_vertex);
    CHECK(v < 0 || v >= d->n_vertex || d->tag[v] == p.tag[p.at[i]], "the number of vertex %d", (int)v);
  }
  for (PetscInt i = 0; i < d->middles.n; i++) {
    PetscInt k = p.n_corner;
    while (k < p.n_node && p.tag[k] != d->middles.tag[i]) k++;
    CHECK(k < p.n_node && !memcmp(p.X + 3 * k, d->middles.X + 3 * i, 3 * sizeof(double)), "the number of a middle");
  }
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) remove(name);
  destroy(&p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* A change of tet e of the file, and what the message says. */
typedef struct {
  int         tet, column, like, like_column; // its node becomes that of tet `like`; like < 0: a number without node
  const char *fault, *more;
} fault;

/* The last line of a text that begins with the number of element 125. */
static int find_line(const char *name)
{
  FILE *const f = fopen(name, "rb");
  char        line[512];
  int         found = 0;
  CHECK(f, "%s cannot be read", name);
  for (int n = 1; fgets(line, sizeof line, f); n++)
    if (!strncmp(line, "125 ", 4)) found = n;
  fclose(f);
  return found;
}

/* Fails if a fault is not found in every format, or is reported at another line. */
static PetscErrorCode check_fault(const fault *f, int format)
{
  picture          p;
  wring_mesh_data *d;
  wring_error      error = {""};
  char             name[64], place[96], notes[256];

  PetscFunctionBegin;
  PetscCall(draw(PETSC_FALSE, &p));
  p.tag                    = realloc(p.tag, (size_t)(p.n_node + 1) * sizeof *p.tag);
  p.tag[p.n_node]          = f->like == -1 ? 77777 : f->like;
  p.tet[f->tet][f->column] = f->like < 0 ? (int)p.n_node : p.tet[f->like][f->like_column];
  snprintf(name, sizeof name, "test_second_order_%d_fault.msh", (int)size);
  if (rank == 0) write_file(name, (PetscBool)(format / 2), (PetscBool)(format % 2), &p);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (format % 2)
    snprintf(place, sizeof place, "%s: byte ", name);
  else
    snprintf(place, sizeof place, "%s:%d: ", name, find_line(name));
  PetscCall(wring_mesh_read(PETSC_COMM_WORLD, name, 1, PETSC_FALSE, &d, &error, sizeof notes, notes));
  CHECK(!d && strstr(error.text, f->fault) && strstr(error.text, f->more), "format %d: %s", format, error.text);
  CHECK(f->like >= 0 || !strncmp(error.text, place, strlen(place)), "expected %s, found %s", place, error.text);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) remove(name);
  destroy(&p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_faults(void)
{
  static const fault faults[] = {
    {40, 4, 90, 9, "at the middle of the edge", "another element"},       // an edge with two nodes, or a node of two
    {40, 5, 90, 0, "at the middle of an edge", "is a corner of another"}, //
    {40, 6, 40, 1, "element 125 has node ", " twice"},                    //
    {40, 7, -1, 0, "element 125 refers to node 77777", "does not exist"}, //
    {40, 8, -2, 0, "element 125 refers to node -2", "does not exist"}};   // and not "no node", a straight edge

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
    for (int format = 0; format < 4; format++) PetscCall(check_fault(&faults[i], format));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(test_formats(PETSC_FALSE));
  PetscCall(test_formats(PETSC_TRUE));
  PetscCall(test_tags());
  PetscCall(test_faults());
  PetscCall(PetscFinalize());
  return 0;
}
