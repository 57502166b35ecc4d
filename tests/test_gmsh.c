/* ranks: 1
  Gmsh and point readers: both versions, in text and in binary, give one mesh; every error is reported with its line and
  its message; no truncated file crashes. */
#include <wring/mesh.h>
#include "check.h"
#include <string.h>

static const char *const names = "$PhysicalNames\n5\n0 1 \"Tip\"\n1 7 \"edge\"\n2 3 \"left side\"\n3 1 \"soft\"\n"
                                 "3 2 \"hard\"\n$EndPhysicalNames\n";

/* Two tets with the common face 10 20 30, node 99 unused, the second tet with negative volume. */
static const char *const nodes22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n%s$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n"
                                   "99 5.5e+0 -1 .25\n40 0 0 1.0\n50 1 1 -1\n$EndNodes\n";
static const char *const rest22  = "$Elements\n5\n1 15 2 1 1 40\n2 1 2 7 1 10 20\n3 2 2 3 1 10 30 40\n"
                                   "4 4 2 1 1 10 20 30 40\n5 4 2 2 2 10 20 30 50\n$EndElements\n";
static const char *const head41 =
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n%s$Entities\n1 1 1 2\n4 0 0 1 1 1 \n1 0 0 0 1 0 0 1 7 2 1 -2 \n"
  "6 0 0 0 0 1 1 1 -3 0 \n8 0 0 0 1 1 1 1 1 1 6 \n9 0 0 -1 1 1 0 1 2 0 \n$EndEntities\n";
static const char *const rest41 = "$Nodes\n2 6 10 99\n3 8 0 4\n10\n20\n30\n99\n0 0 0\n1 0 0\n0 1 0\n5.5 -1 .25\n"
                                  "2 6 1 2\n40\n50\n0 0 1 0.5 0.5\n1 1 -1 0 0\n$EndNodes\n$Elements\n5 5 1 5\n"
                                  "0 4 15 1\n1 40\n1 1 1 1\n2 10 20\n2 6 2 1\n3 10 30 40\n3 8 4 1\n4 10 20 30 40\n"
                                  "3 9 4 1\n5 10 20 30 50\n$EndElements\n";

static const char *const file = "test_gmsh.msh";

static char text22[4096], text41[4096];

/* ---- the same in binary ------------------------------------------------------------------------------------------ */

typedef struct {
  size_t n;
  char   text[4096];
} bytes;

static bytes binary22, binary41;

static void put(bytes *b, size_t n, const void *value)
{
  CHECK(b->n + n <= sizeof b->text, "room");
  memcpy(b->text + b->n, value, n);
  b->n += n;
}

static void put_text(bytes *b, const char *text)
{
  put(b, strlen(text), text);
}

static void put_ints(bytes *b, int n, const int *value)
{
  put(b, (size_t)n * sizeof *value, value);
}

static void put_longs(bytes *b, int n, const int64_t *value)
{
  put(b, (size_t)n * sizeof *value, value);
}

static void put_reals(bytes *b, int n, const double *value)
{
  put(b, (size_t)n * sizeof *value, value);
}

static const int    tags[6]      = {10, 20, 30, 99, 40, 50};
static const double coords[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5.5, -1, .25}, {0, 0, 1}, {1, 1, -1}};

static void put_format(bytes *b, const char *line)
{
  put_text(b, line);
  put_ints(b, 1, (int[]){1});
  put_text(b, "\n$EndMeshFormat\n");
  put_text(b, names);
}

static void write_binary22(bytes *b)
{
  put_format(b, "$MeshFormat\n2.2 1 8\n");
  put_text(b, "$Nodes\n6\n");
  for (int i = 0; i < 6; i++) {
    put_ints(b, 1, &tags[i]);
    put_reals(b, 3, coords[i]);
  }
  put_text(b, "\n$EndNodes\n$Elements\n5\n");
  put_ints(b, 7, (int[]){15, 1, 2, 1, 1, 1, 40});
  put_ints(b, 8, (int[]){1, 1, 2, 2, 7, 1, 10, 20});
  put_ints(b, 9, (int[]){2, 1, 2, 3, 3, 1, 10, 30, 40});
  put_ints(b, 17, (int[]){4, 2, 2, 4, 1, 1, 10, 20, 30, 40, 5, 2, 2, 10, 20, 30, 50});
  put_text(b, "\n$EndElements\n");
}

/* dim > 0: a box, one or no physical tag, and `bounds` entities around it. */
static void put_entity(bytes *b, int tag, int physical, int bounds)
{
  put_ints(b, 1, &tag);
  put_reals(b, 6, (double[]){0, 0, 0, 1, 1, 1});
  put_longs(b, 1, (int64_t[]){physical > 0});
  if (physical) put_ints(b, 1, &physical);
  put_longs(b, 1, (int64_t[]){bounds});
  for (int i = 0; i < bounds; i++) put_ints(b, 1, (int[]){-1 - i});
}

static void put_block(bytes *b, int dim, int entity, int type, int number, int n, const int64_t *node)
{
  put_ints(b, 3, (int[]){dim, entity, type});
  put_longs(b, 2, (int64_t[]){1, number});
  put_longs(b, n, node);
}

static void write_binary41(bytes *b)
{
  put_format(b, "$MeshFormat\n4.1 1 8\n");
  put_text(b, "$Entities\n");
  put_longs(b, 4, (int64_t[]){1, 1, 1, 2});
  put_ints(b, 1, (int[]){4});
  put_reals(b, 3, (double[]){0, 0, 1});
  put_longs(b, 1, (int64_t[]){1});
  put_ints(b, 1, (int[]){1});
  put_entity(b, 1, 7, 2);
  put_entity(b, 6, 3, 0);
  put_entity(b, 8, 1, 1);
  put_entity(b, 9, 2, 0);
  put_text(b, "\n$EndEntities\n$Nodes\n");
  put_longs(b, 4, (int64_t[]){2, 6, 10, 99});
  put_ints(b, 3, (int[]){3, 8, 0});
  put_longs(b, 5, (int64_t[]){4, 10, 20, 30, 99});
  put_reals(b, 12, coords[0]);
  put_ints(b, 3, (int[]){2, 6, 1});
  put_longs(b, 3, (int64_t[]){2, 40, 50});
  put_reals(b, 10, (double[]){0, 0, 1, .5, .5, 1, 1, -1, 0, 0});
  put_text(b, "\n$EndNodes\n$Elements\n");
  put_longs(b, 4, (int64_t[]){5, 5, 1, 5});
  put_block(b, 0, 4, 15, 1, 1, (int64_t[]){40});
  put_block(b, 1, 1, 1, 2, 2, (int64_t[]){10, 20});
  put_block(b, 2, 6, 2, 3, 3, (int64_t[]){10, 30, 40});
  put_block(b, 3, 8, 4, 4, 4, (int64_t[]){10, 20, 30, 40});
  put_block(b, 3, 9, 4, 5, 4, (int64_t[]){10, 20, 30, 50});
  put_text(b, "\n$EndElements\n");
}

/* d is NULL if and only if there is an error. */
static PetscErrorCode read_text(size_t length, const char *text, wring_mesh_data **d, wring_error *e, char notes[512])
{
  PetscFunctionBegin;
  test_write_bytes(file, length, text);
  e->text[0] = '\0';
  PetscCall(wring_mesh_read(PETSC_COMM_SELF, file, 2, PETSC_FALSE, d, e, 512, notes));
  CHECK((*d == NULL) == (e->text[0] != '\0'), "data or error, never both: %s", e->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_set(const wring_mesh_data *d, const char *name, PetscInt n, const PetscInt *vertex)
{
  const PetscInt s = wring_names_find(&d->sets, name);
  CHECK(s >= 0, "no set %s", name);
  CHECK(d->set_start[s + 1] - d->set_start[s] == n, "size of %s", name);
  for (PetscInt i = 0; i < n; i++)
    CHECK(d->set_vertex[d->set_start[s] + i] == vertex[i], "member %d of %s", (int)i, name);
}

/* Both versions: scale 2, node 99 dropped without a gap, the second tet reoriented. */
static PetscErrorCode test_good(size_t length, const char *text)
{
  static const double X[15] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 2, -2};
  wring_mesh_data    *d;
  wring_error         e;
  char                notes[512];

  PetscFunctionBegin;
  PetscCall(read_text(length, text, &d, &e, notes));
  CHECK(d, "%s", e.text);
  CHECK(d->n_vertex == 5 && d->n_tet == 2, "counts");
  CHECK(!memcmp(d->X, X, sizeof X), "positions");
  CHECK(d->tet[0] == 0 && d->tet[1] == 1 && d->tet[2] == 2 && d->tet[3] == 3, "first tet is left as it is");
  CHECK(d->tet[4] == 1 && d->tet[5] == 0 && d->tet[6] == 2 && d->tet[7] == 4, "second tet is turned");
  CHECK(d->regions.n == 2 && !strcmp(d->regions.name[d->region[0]], "soft"), "region of the first tet");
  CHECK(!strcmp(d->regions.name[d->region[1]], "hard"), "region of the second tet");
  CHECK(d->sets.n == 5, "%d sets", (int)d->sets.n);
  CHECK(d->n_set_element == 2, "%d lines and triangles, expected one of each", (int)d->n_set_element);
  check_set(d, "tip", 1, (PetscInt[]){3});
  check_set(d, "edge", 2, (PetscInt[]){0, 1});
  check_set(d, "left side", 3, (PetscInt[]){0, 2, 3});
  check_set(d, "soft", 4, (PetscInt[]){0, 1, 2, 3});
  check_set(d, "hard", 4, (PetscInt[]){0, 1, 2, 4});
  CHECK(strstr(notes, "1 tetrahedra had negative volume"), "%s", notes);
  CHECK(strstr(notes, "\n1 nodes that no tetrahedron uses were dropped"), "%s", notes);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *version, *from, *to, *message; // the first `from` in the text becomes `to`
} variant;

static const variant variants[] = {
  {"22", "2.2 0 8", "2.2 2 8", ":2: file type 2, expected 0 (ASCII) or 1 (binary)"},
  {"22", "2.2 0 8", "2.2 1 4", ":2: numbers of 4 bytes, expected 8"},
  {"22", "2.2 0 8", "2.2 1 8", ": byte 20: found 1684948260, expected 1"},
  {"22", "2.2 0 8", "4 0 8", ":2: Gmsh format '4', expected 2.2 or 4.1"},
  {"22", "2.2 0 8", "", "expected 2.2 or 4.1"},
  {"22", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "", ":1: $PhysicalNames before $MeshFormat"},
  {"22", "$EndMeshFormat", "$EndFormat", "found '$EndFormat', expected $EndMeshFormat"},
  {"22", "$MeshFormat", "hello", ":1: not a mesh"},
  {"22", "\"soft\"", "\"\"", ":9: an empty name"},
  {"22", "\"soft\"", "\"tip\"", ":9: names 'Tip' and 'tip' differ only in case"},
  {"22", "\"soft\"", "soft", ":9: found 'soft', expected '\"'"},
  {"22", "\"soft\"", "\"soft", ":9: a name without a closing quote"},
  {"22", "3 2 \"hard\"", "3 1 \"hard\"", ":10: physical volume 1 has two names"},
  {"22", "3 2 \"hard\"", "4 2 \"hard\"", ":10: dimension 4, expected 0 to 3"},
  {"22", "\n5\n0 1", "\n6\n0 1", "expected a dimension"},
  {"22", "\n5\n0 1", "\n4\n0 1", "expected $EndPhysicalNames"},
  {"22", "\n6\n10", "\n7\n10", ":20: found '$EndNodes', expected the number of a node"},
  {"22", "\n6\n10", "\n5\n10", ":19: found '50', expected $EndNodes"},
  {"22", "\n6\n10", "\n99999999999\n10", ":13: 99999999999 cannot be the number of nodes"},
  {"22", "\n6\n10", "\n-6\n10", ":13: -6 cannot be the number of nodes"},
  {"22", "\n6\n10", "\n99999999999999999999999\n10", "expected the number of nodes"},
  {"22", "20 1 0 0", "10 1 0 0", ":15: node 10 is given twice"},
  {"22", "20 1 0 0", "0 1 0 0", ":15: node 0, expected a number above 0"},
  {"22", "20 1 0 0", "20 nan 0 0", ":15: found 'nan', expected a finite coordinate"},
  {"22", "20 1 0 0", "20 inf 0 0", ":15: found 'inf', expected a finite coordinate"},
  {"22", "20 1 0 0", "20 1e999 0 0", ":15: found '1e999', expected a number below"},
  {"22", "20 1 0 0", "20 1,5 0 0", ":15: found ',', expected a finite coordinate"},
  {"22", "20 1 0 0", "20 0x1p3 0 0", ":15: found '0x1p3'"},
  {"22", "20 1 0 0", "20 1 0", ":15: the line ends, expected a finite coordinate"},
  {"22", "20 1 0 0", "20 1 0 0 0", ":15: found '0', expected the end of the line"},
  {"22", "20 1 0 0", "20 1e308 0 0", "a coordinate times the scale 2 is inf, expected at most 1e100"},
  {"22", "20 30 40\n", "20 30 95\n", ":26: element 4 refers to node 95, which does not exist"},
  {"22", "20 30 40\n", "20 30 20\n", ":26: element 4 has node 20 twice"},
  {"22", "20 30 40\n", "20 30\n", ":26: the line ends, expected the number of a node"},
  {"22", "20 30 50\n", "20 30 40\n", ":27: element 5 has the nodes of element 4 (line 26)"},
  {"22", "40 0 0 1.0", "40 .5 .5 0", ":26: element 4 is a tetrahedron of zero volume"},
  {"22", "4 4 2 1", "4 11 2 1", ":26: the line ends, expected the number of a node"},
  {"22", "4 4 2 1", "4 77 2 1", ":26: element type 77 (unknown), expected points, lines, triangles"},
  {"22", "4 4 2 1", "4 4 2000000 1", ":26: 2000000 cannot be the number of tags"},
  {"22", "4 4 2 1", "4 4 2 9999999999", ":26: 9999999999 is too large for a physical tag"},
  {"22", "$Elements\n5", "$Elements\n6", ":28: found '$EndElements', expected the number of an element"},
  {"22", "$Elements\n5", "$Elements\n4", ":27: found '5', expected $EndElements"},
  {"22", "$Elements\n5\n", "$Elements\n6\n6 4 2 1 1 10 20 30 99\n", "share a face, expected at most two"},
  {"22", "$Elements", "$Comments\n$EndComments\n$Elements2", "this section has no $EndElements2"},
  {"22", "$EndNodes\n", "$EndNodes\n$Nodes\n0\n$EndNodes\n", ":21: a second $Nodes"},
  {"41", "1 1 1 2\n", "1 1 1 3\n", "found '$EndEntities', expected the tag of an entity"},
  {"41", "1 1 1 2\n", "1 1 1 99999\n", ":13: 99999 cannot be a number of entities"},
  {"41", "9 0 0 -1", "8 0 0 -1", ":18: volume 8 is listed twice"},
  {"41", "1 2 0 \n", "2 2 1 0 \n", "belongs to the physical volumes 'hard' and 'soft', expected one"},
  {"41", "1 2 0 \n", "99 2 0 \n", ":18: the line ends, expected a physical tag"},
  {"41", "2 6 10 99", "2 5 10 99", ":31: more nodes than the 5 announced"},
  {"41", "2 6 10 99", "2 7 10 99", ":21: 7 nodes announced, 6 found"},
  {"41", "5 5 1 5", "5 6 1 5", "6 elements announced, 1 of them are missing"},
  {"41", "5 5 1 5", "5 4 1 5", "a block of 1 elements, but only 0 more are announced"},
  {"41", "5 5 1 5", "4 5 1 5", "5 elements announced, 1 of them are missing"},
  {"41", "3 9 4 1", "3 7 4 1", "volume 7 is not among the $Entities"},
  {"41", "3 9 4 1", "2 6 4 1", "a tetrahedron in an entity of dimension 2, expected 3"},
  {"41", "3 9 4 1", "3 9 5 1", "element type 5 (hexahedron), expected points, lines, triangles"},
  {"41", "$Entities", "$Elements\n0 0 0 0\n$EndElements\n$Entities", "$Elements before $Nodes"},
};

static void apply(const variant *v, char *text)
{
  const char *base = v->version[0] == '2' ? text22 : text41, *at = strstr(base, v->from);
  CHECK(at, "variant '%s' is not in the text", v->from);
  snprintf(text, 8192, "%.*s%s%s", (int)(at - base), base, v->to, at + strlen(v->from));
}

static PetscErrorCode test_variants(void)
{
  wring_mesh_data *d;
  wring_error      e;
  char             text[8192], notes[512];

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
    apply(&variants[i], text);
    PetscCall(read_text(strlen(text), text, &d, &e, notes));
    CHECK(strstr(e.text, variants[i].message), "'%s' -> '%s': expected '%s', found '%s'", variants[i].from,
          variants[i].to, variants[i].message, e.text);
    CHECK(strstr(e.text, file) == e.text && !strchr(e.text, '\n'), "one line that names the file: %s", e.text);
    PetscCall(wring_mesh_data_destroy(&d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a surface with two tags of one group has its triangle twice there, or if such a volume is refused. */
static PetscErrorCode test_repeated_group(void)
{
  static const variant twice[] = {{"41", "1 -3 0 \n", "2 -3 3 0 \n", ""}, {"41", "1 2 0 \n", "2 2 2 0 \n", ""}};
  char                 text[8192];

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    apply(&twice[i], text);
    PetscCall(test_good(strlen(text), text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A file truncated anywhere is refused, unless only its last newline is missing; a file with any byte changed never
  crashes.
*/
static PetscErrorCode test_damage(size_t n, const char *text)
{
  wring_mesh_data *d;
  wring_error      e;
  char             notes[512], changed[4096];
  uint64_t         random = 1;

  PetscFunctionBegin;
  for (size_t length = 0; length < n - 1; length++) {
    PetscCall(read_text(length, text, &d, &e, notes));
    CHECK(!d, "a file of %d of %d bytes is read", (int)length, (int)n);
  }
  for (size_t i = 0; i < n; i++) {
    memcpy(changed, text, n);
    changed[i] = (char)(128 * test_random(&random));
    PetscCall(read_text(n, changed, &d, &e, notes));
    PetscCall(wring_mesh_data_destroy(&d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Damaged numbers in the binary files: the message must name the byte. */
typedef struct {
  const char *section; // the damage is `offset` bytes after this section's name
  size_t      offset, width;
  int64_t     value;
  const char *message;
} binary_variant;

static const binary_variant variants22[] = {
  {"$MeshFormat\n2.2 1 8", 1, 4, 1 << 24, "byte 20: written in the opposite byte order"},
  {"$Nodes\n6", 1, 4, 0, "node 0, expected a number above 0"},
  {"$Nodes\n6", 5, 8, -1, "found -nan, expected a finite coordinate"},
  {"$Elements\n5", 1, 4, 29, "element type 29 (third-order tetrahedron)"},
  {"$Elements\n5", 5, 4, 6, "a block of 6 elements, expected 1 to 5"},
  {"$Elements\n5", 5, 4, -1, "-1 cannot be the number of elements of the block"},
  {"$Elements\n5", 25, 4, 77, "element 1 refers to node 77, which does not exist"},
};
static const binary_variant variants41[] = {
  {"$Entities", 1, 8, 1000000, "1000000 cannot be a number of entities"},
  {"$Entities", 1, 8, 2, "cannot be the number of physical tags"},
  {"$Nodes", 9, 8, 5, "more nodes than the 5 announced"},
  {"$Nodes", 1, 8, -1, "-1 cannot be the number of blocks"},
  {"$Elements", 33, 4, 4, "dimension 4, expected 0 to 3"},
  {"$Elements", 41, 4, 4, "a tetrahedron in an entity of dimension 0, expected 3"},
};

/* Start of a section's bytes. */
static char *find_section(bytes *b, const char *section)
{
  const size_t length = strlen(section);
  for (size_t i = 0; i + length <= b->n; i++)
    if (!memcmp(b->text + i, section, length)) return b->text + i + length;
  CHECK(0, "no %s", section);
  return NULL;
}

/* Fails if a wrong number is accepted, or if its byte is not reported. */
static PetscErrorCode test_binary(const bytes *whole, size_t n, const binary_variant *v)
{
  wring_mesh_data *d;
  wring_error      e;
  char             notes[512];

  PetscFunctionBegin;
  for (size_t i = 0; i < n; i++, v++) {
    bytes b = *whole;
    memcpy(find_section(&b, v->section) + v->offset, &v->value, v->width);
    PetscCall(read_text(b.n, b.text, &d, &e, notes));
    CHECK(strstr(e.text, v->message) && strstr(e.text, ": byte "), "expected '%s', found '%s'", v->message, e.text);
    PetscCall(wring_mesh_data_destroy(&d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_binary_variants(void)
{
  PetscFunctionBegin;
  PetscCall(test_binary(&binary22, sizeof variants22 / sizeof variants22[0], variants22));
  PetscCall(test_binary(&binary41, sizeof variants41 / sizeof variants41[0], variants41));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_points(const char *text, const char *message)
{
  wring_mesh_data *d;
  wring_error      e;
  char             notes[512];

  PetscFunctionBegin;
  PetscCall(read_text(strlen(text), text, &d, &e, notes));
  if (message) {
    CHECK(strstr(e.text, message), "expected '%s', found '%s'", message, e.text);
  } else {
    CHECK(d && d->n_vertex == 2 && d->n_tet == 0 && d->sets.n == 0, "%s", e.text);
    CHECK(d->X[0] == 2 && d->X[1] == -4 && d->X[5] == 0.5, "positions by number, scaled");
  }
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points(void)
{
  PetscFunctionBegin;
  PetscCall(check_points("vertex,x,y,z\n1,0,0,.25\n0,1,-2,3\n", NULL));
  PetscCall(check_points("vertex,x,y,z\n0,0,0,0\n0,1,2,3\n", ":3: vertex 0 is given twice"));
  PetscCall(check_points("vertex,x,y,z\n0,0,0,0\n2,1,2,3\n", "vertex 1 is missing, expected 0 to 1"));
  PetscCall(check_points("vertex,x,y,z\n0,0,0\n", ":2: the line ends, expected ','"));
  PetscCall(check_points("vertex,x,y,z\n0,0,0,1,2\n", ":2: found ',', expected the end of the line"));
  PetscCall(check_points("vertex,x,y,z\n-1,0,0,1\n", ":2: vertex -1, expected 0 or above"));
  PetscCall(check_points("vertex,x,y\n0,0,0\n", ":1: "));
  PetscCall(check_points("vertex,x,y,z\n", "the mesh has no elements"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  snprintf(text22, sizeof text22, nodes22, names);
  strcat(text22, rest22);
  snprintf(text41, sizeof text41, head41, names);
  strcat(text41, rest41);
  write_binary22(&binary22);
  write_binary41(&binary41);
  PetscCall(test_good(strlen(text22), text22));
  PetscCall(test_good(strlen(text41), text41));
  PetscCall(test_good(binary22.n, binary22.text));
  PetscCall(test_good(binary41.n, binary41.text));
  PetscCall(test_variants());
  PetscCall(test_repeated_group());
  PetscCall(test_binary_variants());
  PetscCall(test_damage(strlen(text22), text22));
  PetscCall(test_damage(strlen(text41), text41));
  PetscCall(test_damage(binary22.n, binary22.text));
  PetscCall(test_damage(binary41.n, binary41.text));
  PetscCall(test_points());
  remove(file);
  PetscCall(PetscFinalize());
  return 0;
}
