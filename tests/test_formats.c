/* ranks: 1 3
  One mesh in every format that can represent it gives the same evaluate.json and gradient.csv, byte by byte: Gmsh 2.2
  and 4.1 in text and in binary, MEDIT, TetGen numbered from 0 and from 1, and the output of wring_gmsh_write. */
#include "keys.h"
#include <inttypes.h>
#include <unistd.h>
#include <wring/io.h>
#include <wring/study.h>

enum { MAX_FILE = 1 << 20 };

static char        directory[64];
static PetscMPIInt rank;

/* Tets have the tags 2, 1, 1, 2, 1, 1, ...: the first tag in the file is not the smallest. */
static int tag_of(PetscInt e)
{
  return e % 3 ? 1 : 2;
}

static FILE *open_file(const char *name)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *const f = fopen(path, "wb");
  CHECK(f, "%s", path);
  return f;
}

static void close_file(FILE *f)
{
  CHECK(!ferror(f) && fclose(f) == 0, "writing");
}

/* ---- Gmsh -------------------------------------------------------------------------------------------------------- */

static void put_ints(FILE *f, int n, const int *value)
{
  CHECK(fwrite(value, sizeof *value, (size_t)n, f) == (size_t)n, "writing");
}

static void put_longs(FILE *f, int n, const int64_t *value)
{
  CHECK(fwrite(value, sizeof *value, (size_t)n, f) == (size_t)n, "writing");
}

static void put_format(FILE *f, const char *version, int binary)
{
  const int one = 1;
  fprintf(f, "$MeshFormat\n%s %d 8\n", version, binary);
  if (binary) put_ints(f, 1, &one);
  fprintf(f, "%s$EndMeshFormat\n", binary ? "\n" : "");
}

static void write_msh22(const char *name, const wring_mesh_data *d, int binary)
{
  FILE *const f = open_file(name);
  put_format(f, "2.2", binary);
  fprintf(f, "$Nodes\n%d\n", (int)d->n_vertex);
  for (int v = 0; v < d->n_vertex; v++) {
    const double *const x      = d->X + 3 * v;
    const int           number = 10 * v + 7;
    if (!binary) fprintf(f, "%d %.17g %.17g %.17g\n", number, x[0], x[1], x[2]);
    if (binary) put_ints(f, 1, &number), fwrite(x, sizeof *x, 3, f);
  }
  fprintf(f, "%s$EndNodes\n$Elements\n%d\n", binary ? "\n" : "", (int)d->n_tet);
  for (int e = 0; e < d->n_tet; e++) {
    const PetscInt *const t       = d->tet + 4 * e;
    const int             head[3] = {4, 1, 2};
    const int             row[7]  = {
                   e + 1, tag_of(e), 5, 10 * (int)t[0] + 7, 10 * (int)t[1] + 7, 10 * (int)t[2] + 7, 10 * (int)t[3] + 7};
    if (!binary) fprintf(f, "%d 4 2 %d %d %d %d %d %d\n", row[0], row[1], row[2], row[3], row[4], row[5], row[6]);
    if (binary) put_ints(f, 3, head), put_ints(f, 7, row);
  }
  fprintf(f, "%s$EndElements\n", binary ? "\n" : "");
  close_file(f);
}

static void put_entities(FILE *f, int binary)
{
  const double  box[6] = {0, 0, 0, 1, 1, 1};
  const int64_t n[4] = {0, 0, 0, 2}, one = 1, none = 0;
  if (!binary) fprintf(f, "$Entities\n0 0 0 2\n1 0 0 0 1 1 1 1 1 0\n2 0 0 0 1 1 1 1 2 0\n$EndEntities\n$Nodes\n");
  if (!binary) return;
  fprintf(f, "$Entities\n");
  put_longs(f, 4, n);
  for (int tag = 1; tag <= 2; tag++) {
    put_ints(f, 1, &tag);
    fwrite(box, sizeof *box, 6, f);
    put_longs(f, 1, &one);
    put_ints(f, 1, &tag);
    put_longs(f, 1, &none);
  }
  fprintf(f, "\n$EndEntities\n$Nodes\n");
}

static void put_nodes41(FILE *f, const wring_mesh_data *d, int binary)
{
  const int64_t n = d->n_vertex, head[4] = {1, n, 1, n};
  const int     place[3] = {3, 1, 0};
  if (!binary) fprintf(f, "1 %d 1 %d\n3 1 0 %d\n", (int)n, (int)n, (int)n);
  if (binary) put_longs(f, 4, head), put_ints(f, 3, place), put_longs(f, 1, &n);
  for (int64_t v = 1; v <= n; v++) {
    if (!binary) fprintf(f, "%" PRId64 "\n", v);
    if (binary) put_longs(f, 1, &v);
  }
  for (int v = 0; v < n; v++) {
    const double *const x = d->X + 3 * v;
    if (!binary) fprintf(f, "%.17g %.17g %.17g\n", x[0], x[1], x[2]);
    if (binary) fwrite(x, sizeof *x, 3, f);
  }
}

/* A block for each element, so that tets keep their order. */
static void write_msh41(const char *name, const wring_mesh_data *d, int binary)
{
  const int64_t n = d->n_tet, head[4] = {n, n, 1, n}, one = 1;
  FILE *const   f = open_file(name);
  put_format(f, "4.1", binary);
  put_entities(f, binary);
  put_nodes41(f, d, binary);
  fprintf(f, "%s$EndNodes\n$Elements\n", binary ? "\n" : "");
  if (!binary) fprintf(f, "%d %d 1 %d\n", (int)n, (int)n, (int)n);
  if (binary) put_longs(f, 4, head);
  for (int e = 0; e < n; e++) {
    const PetscInt *const t        = d->tet + 4 * e;
    const int             block[3] = {3, tag_of(e), 4};
    const int64_t         row[5]   = {e + 1, t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1};
    if (!binary) fprintf(f, "3 %d 4 1\n", tag_of(e));
    for (int i = 0; i < 5 && !binary; i++) fprintf(f, "%" PRId64 "%c", row[i], i < 4 ? ' ' : '\n');
    if (binary) put_ints(f, 3, block), put_longs(f, 1, &one), put_longs(f, 5, row);
  }
  fprintf(f, "%s$EndElements\n", binary ? "\n" : "");
  close_file(f);
}

/* ---- MEDIT, TetGen ----------------------------------------------------------------------------------------------- */

static void write_medit(const char *name, const wring_mesh_data *d)
{
  FILE *const f = open_file(name);
  fprintf(f, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", (int)d->n_vertex);
  for (int v = 0; v < d->n_vertex; v++)
    fprintf(f, "%.17g %.17g %.17g 0\n", d->X[3 * v], d->X[3 * v + 1], d->X[3 * v + 2]);
  fprintf(f, "Tetrahedra\n%d\n", (int)d->n_tet);
  for (int e = 0; e < d->n_tet; e++) {
    for (int a = 0; a < 4; a++) fprintf(f, "%d ", (int)d->tet[4 * e + a] + 1);
    fprintf(f, "%d\n", tag_of(e));
  }
  fprintf(f, "End\n");
  close_file(f);
}

static void write_tetgen(const char *node, const char *ele, const wring_mesh_data *d, int first)
{
  FILE *f = open_file(node);
  fprintf(f, "%d 3 0 0\n", (int)d->n_vertex);
  for (int v = 0; v < d->n_vertex; v++)
    fprintf(f, "%d %.17g %.17g %.17g\n", v + first, d->X[3 * v], d->X[3 * v + 1], d->X[3 * v + 2]);
  close_file(f);
  f = open_file(ele);
  fprintf(f, "%d 4 1\n", (int)d->n_tet);
  for (int e = 0; e < d->n_tet; e++) {
    fprintf(f, "%d ", e + first);
    for (int a = 0; a < 4; a++) fprintf(f, "%d ", (int)d->tet[4 * e + a] + first);
    fprintf(f, "%d\n", tag_of(e));
  }
  close_file(f);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"text22.msh", "binary22.msh", "text41.msh", "binary41.msh", "medit.mesh",
                                    "zero.node",  "one.ele",      "own.msh",    "own_b.msh"};

enum { N_NAME = sizeof names / sizeof names[0] };

static void write_positions(const wring_mesh_data *d)
{
  FILE *const f = open_file("positions.csv");
  fprintf(f, "vertex,x,y,z\n");
  for (int v = 0; v < d->n_vertex; v++) {
    const double *const x = d->X + 3 * v;
    fprintf(f, "%d,%.17g,%.17g,%.17g\n", v, x[0] + 0.1 * x[1] * x[1], x[1] - 0.2 * x[2], 1.1 * x[2]);
  }
  close_file(f);
}

static PetscErrorCode write_own(void)
{
  char             path[128], notes[64] = "";
  wring_error      e = {""};
  wring_mesh_data *d;

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/medit.mesh", directory);
  PetscCall(wring_mesh_read(PETSC_COMM_SELF, path, 1, PETSC_FALSE, &d, &e, sizeof notes, notes));
  CHECK(d && !notes[0], "%s%s", e.text, notes);
  for (int binary = 0; binary < 2; binary++) {
    snprintf(path, sizeof path, "%s/%s", directory, names[7 + binary]);
    PetscCall(wring_gmsh_write(path, d, (PetscBool)binary, &e));
    CHECK(!e.text[0], "%s", e.text);
  }
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_all(void)
{
  const wring_box  box = {.size = {1, 0.5, 0.7}, .cells = {4, 2, 3}, .jitter = 0.2};
  wring_error      e   = {""};
  wring_mesh_data *d;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &e));
  for (int binary = 0; binary < 2; binary++) {
    write_msh22(names[binary], d, binary);
    write_msh41(names[2 + binary], d, binary);
  }
  write_medit("medit.mesh", d);
  write_tetgen("zero.node", "zero.ele", d, 0);
  write_tetgen("one.node", "one.ele", d, 1);
  PetscCall(write_own());
  write_positions(d);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(const char *name)
{
  wring_options *o;
  wring_ending   end = {0};

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(test_set(o, "", "material_model=corotated material_young=1e6 material_poisson=0.3 material_density=1000"));
  PetscCall(test_set(o, "", "region_tag2_young=1e7 gravity=0,0,-9.81 time_step=1e-2 time_steps=1"));
  PetscCall(test_set(o, "", "set_grip_box=0,0,0,0,1,1 attach_grip_stiffness=1e5 evaluate_gradient=true"));
  PetscCall(test_set(o, "", "mesh_file=%s/%s evaluate_positions=%s/positions.csv output_directory=%s", directory, name,
                     directory, directory));
  PetscCall(wring_study_evaluate(PETSC_COMM_WORLD, o, &end));
  CHECK(end.status == WRING_EXIT_DONE, "%s: status %d", name, (int)end.status);
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Returns both files, concatenated, as a text; deletes the files. */
static void take_results(char *text)
{
  static const char *const result[] = {"evaluate.json", "gradient.csv"};
  size_t                   n        = 0;
  char                     path[128];
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, result[i]);
    FILE *const f = fopen(path, "rb");
    CHECK(f, "%s", path);
    n += fread(text + n, 1, MAX_FILE - n - 1, f);
    fclose(f);
    CHECK(remove(path) == 0 && n > 0 && n < MAX_FILE - 1, "%s", path);
  }
  text[n] = '\0';
}

/* evaluate.json names the file that it was made from: the provenance is taken out. */
static void remove_provenance(char *text)
{
  char *const begin = strstr(text, "  \"provenance\": {");
  CHECK(begin, "evaluate.json has no provenance");
  char *const end = strstr(begin, "\n  }");
  CHECK(end, "the provenance has no end");
  memmove(begin, end + 4, strlen(end + 4) + 1);
}

static void clean_up(void)
{
  static const char *const more[] = {"zero.ele", "one.node", "positions.csv"};
  char                     path[128];
  for (size_t i = 0; i < N_NAME + sizeof more / sizeof more[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, i < N_NAME ? names[i] : more[i - N_NAME]);
    CHECK(remove(path) == 0, "%s", path);
  }
  CHECK(rmdir(directory) == 0, "%s", directory);
}

int main(int argc, char **argv)
{
  char *first, *text;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(PetscMalloc2(MAX_FILE, &first, MAX_FILE, &text));
  snprintf(directory, sizeof directory, "test_formats_%d", size);
  PetscCall(wring_make_directory(PETSC_COMM_WORLD, directory));
  if (rank == 0) PetscCall(write_all());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD)); // all ranks read the files
  for (int i = 0; i < N_NAME; i++) {
    PetscCall(evaluate(names[i]));
    if (rank) continue;
    take_results(i ? text : first);
    remove_provenance(i ? text : first);
    CHECK(i == 0 || !strcmp(first, text), "%s is not %s", names[i], names[0]);
  }
  if (rank == 0) clean_up();
  PetscCall(PetscFree2(first, text));
  PetscCall(PetscFinalize());
  return 0;
}
