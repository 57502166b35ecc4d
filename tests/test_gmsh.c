/* ranks: 1
  Gmsh and point readers: the two versions give one mesh; every fault has its line and its message; no cut crashes. */
#include <wring/mesh.h>
#include "check.h"
#include <string.h>

static const char *const names = "$PhysicalNames\n5\n0 1 \"Tip\"\n1 7 \"edge\"\n2 3 \"left side\"\n3 1 \"soft\"\n"
                                 "3 2 \"hard\"\n$EndPhysicalNames\n";

/* Two tets that share face 10 20 30, node 99 unused, the second tet of negative volume. */
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

static void write_text(size_t length, const char *text)
{
  FILE *f = fopen(file, "wb");
  CHECK(f && fwrite(text, 1, length, f) == length && fclose(f) == 0, "%s", file);
}

/* d is NULL exactly if there is an error. */
static PetscErrorCode read_text(size_t length, const char *text, wring_mesh_data **d, wring_error *e, char notes[512])
{
  PetscFunctionBegin;
  write_text(length, text);
  e->text[0] = '\0';
  PetscCall(wring_mesh_read(file, 2, d, e, 512, notes));
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

/* Both versions: scale 2, node 99 dropped without a gap, the second tet turned. */
static PetscErrorCode test_good(const char *text)
{
  static const double X[15] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 2, -2};
  wring_mesh_data    *d;
  wring_error         e;
  char                notes[512];

  PetscFunctionBegin;
  PetscCall(read_text(strlen(text), text, &d, &e, notes));
  CHECK(d, "%s", e.text);
  CHECK(d->n_vertex == 5 && d->n_tet == 2, "counts");
  CHECK(!memcmp(d->X, X, sizeof X), "positions");
  CHECK(d->tet[0] == 0 && d->tet[1] == 1 && d->tet[2] == 2 && d->tet[3] == 3, "first tet is left as it is");
  CHECK(d->tet[4] == 1 && d->tet[5] == 0 && d->tet[6] == 2 && d->tet[7] == 4, "second tet is turned");
  CHECK(d->regions.n == 2 && !strcmp(d->regions.name[d->region[0]], "soft"), "region of the first tet");
  CHECK(!strcmp(d->regions.name[d->region[1]], "hard"), "region of the second tet");
  CHECK(d->sets.n == 5, "%d sets", (int)d->sets.n);
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
  {"22", "2.2 0 8", "2.2 1 8", ":2: a binary Gmsh file"},
  {"22", "2.2 0 8", "4 0 8", ":2: Gmsh format '4', expected 2.2 or 4.1"},
  {"22", "2.2 0 8", "", "expected 2.2 or 4.1"},
  {"22", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "", ":1: $PhysicalNames before $MeshFormat"},
  {"22", "$EndMeshFormat", "$EndFormat", "found '$EndFormat', expected $EndMeshFormat"},
  {"22", "$MeshFormat", "hello", ":1: not a mesh"},
  {"22", "\"soft\"", "\"\"", ":9: an empty name"},
  {"22", "\"soft\"", "\"tip\"", ":9: names 'Tip' and 'tip' differ only in case"},
  {"22", "\"soft\"", "soft", ":9: found 'soft', expected '\"'"},
  {"22", "\"soft\"", "\"soft", ":9: a name without its closing quote"},
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
  {"22", "20 1 0 0", "20 1e308 0 0", "a coordinate times the scale 2 is inf, expected 1e100 at most"},
  {"22", "20 30 40\n", "20 30 95\n", ":26: element 4 refers to node 95, which does not exist"},
  {"22", "20 30 40\n", "20 30 20\n", ":26: element 4 has node 20 twice"},
  {"22", "20 30 40\n", "20 30\n", ":26: the line ends, expected the number of a node"},
  {"22", "20 30 50\n", "20 30 40\n", ":27: element 5 has the nodes of element 4 (line 26)"},
  {"22", "40 0 0 1.0", "40 .5 .5 0", ":26: element 4 is a tetrahedron without volume"},
  {"22", "4 4 2 1", "4 11 2 1", ":26: element type 11 (second-order tetrahedron), expected first-order"},
  {"22", "4 4 2 1", "4 77 2 1", ":26: element type 77 (unknown), expected first-order"},
  {"22", "4 4 2 1", "4 4 2000000 1", ":26: 2000000 cannot be the number of tags"},
  {"22", "4 4 2 1", "4 4 2 9999999999", ":26: 9999999999 is too large for a physical tag"},
  {"22", "$Elements\n5", "$Elements\n6", ":28: found '$EndElements', expected the number of an element"},
  {"22", "$Elements\n5", "$Elements\n4", ":27: found '5', expected $EndElements"},
  {"22", "$Elements\n5\n", "$Elements\n6\n6 4 2 1 1 10 20 30 99\n", "share a face, expected two at most"},
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
  {"41", "3 9 4 1", "3 9 5 1", "element type 5 (hexahedron), expected first-order"},
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

/* A file cut anywhere is refused, unless only its last newline is lost; a file with any byte changed never crashes. */
static PetscErrorCode test_damage(const char *text)
{
  const size_t     n = strlen(text);
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
  PetscCall(test_good(text22));
  PetscCall(test_good(text41));
  PetscCall(test_variants());
  PetscCall(test_damage(text22));
  PetscCall(test_damage(text41));
  PetscCall(test_points());
  remove(file);
  PetscCall(PetscFinalize());
  return 0;
}
