/* ranks: 1 3
  A mesh written as Gmsh 4.1, in text and in binary, is read back bit by bit: vertices, tets, regions and sets in their
  order.
  The writer is not collective: every rank writes its own file. */
#include "refused.h"
#include <wring/io.h>

static char file[64];

static PetscErrorCode read_mesh(const char *name, wring_mesh_data **d)
{
  wring_error e          = {""};
  char        notes[512] = "";

  PetscFunctionBegin;
  PetscCall(wring_mesh_read(PETSC_COMM_SELF, name, 1, PETSC_FALSE, d, &e, sizeof notes, notes));
  CHECK(*d, "%s", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_names(const wring_names *a, const wring_names *b)
{
  CHECK(a->n == b->n, "%d names, %d before", (int)a->n, (int)b->n);
  for (PetscInt i = 0; i < a->n; i++) CHECK(!strcmp(a->name[i], b->name[i]), "%s, before %s", a->name[i], b->name[i]);
}

static int compare_rows(const void *a, const void *b)
{
  const PetscInt *const x = a, *const y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* Compares lines and triangles of sets, whose order may differ: sorts both. */
static void check_elements(const wring_mesh_data *a, const wring_mesh_data *b)
{
  const size_t width = 4 * sizeof *a->set_element;
  CHECK(a->n_set_element == b->n_set_element, "%d elements of sets, %d before", (int)b->n_set_element,
        (int)a->n_set_element);
  if (!a->n_set_element) return;
  qsort(a->set_element, (size_t)a->n_set_element, width, compare_rows);
  qsort(b->set_element, (size_t)b->n_set_element, width, compare_rows);
  CHECK(!memcmp(a->set_element, b->set_element, (size_t)a->n_set_element * width), "elements of sets");
}

/* Fails if a number loses a digit, a vertex, tet or group changes its position, or a group gains or loses a vertex. */
static void check_same(const wring_mesh_data *a, const wring_mesh_data *b)
{
  CHECK(a->n_vertex == b->n_vertex && a->n_tet == b->n_tet, "counts");
  CHECK(!memcmp(a->X, b->X, 3 * (size_t)a->n_vertex * sizeof *a->X), "positions");
  CHECK(!a->n_tet || !memcmp(a->tet, b->tet, 4 * (size_t)a->n_tet * sizeof *a->tet), "tets");
  CHECK(!a->n_tet || !memcmp(a->region, b->region, (size_t)a->n_tet * sizeof *a->region), "regions of tets");
  check_names(&a->regions, &b->regions);
  check_names(&a->sets, &b->sets);
  check_elements(a, b);
  for (PetscInt s = 0; s < a->sets.n; s++) {
    const PetscInt n = a->set_start[s + 1] - a->set_start[s];
    CHECK(n == b->set_start[s + 1] - b->set_start[s], "size of %s", a->sets.name[s]);
    CHECK(!memcmp(a->set_vertex + a->set_start[s], b->set_vertex + b->set_start[s], (size_t)n * sizeof *a->set_vertex),
          "vertices of %s", a->sets.name[s]);
  }
}

static PetscErrorCode check_round_trip(const wring_mesh_data *d)
{
  wring_mesh_data *back;

  PetscFunctionBegin;
  for (int binary = 0; binary < 2; binary++) {
    wring_error e = {""};
    PetscCall(wring_gmsh_write(file, d, (PetscBool)binary, &e));
    CHECK(!e.text[0], "%s", e.text);
    PetscCall(read_mesh(file, &back));
    CHECK(!strcmp(back->format, binary ? "Gmsh 4.1, binary" : "Gmsh 4.1, ASCII"), "%s", back->format);
    check_same(d, back);
    PetscCall(wring_mesh_data_destroy(&back));
  }
  CHECK(remove(file) == 0, "%s", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of 17 digits. */
static PetscErrorCode test_box(void)
{
  const wring_box  box = {.size = {1. / 3, 1e-3, 30}, .cells = {4, 3, 2}, .origin = {-0.1, 0, 1}, .jitter = 0.05};
  wring_error      e   = {""};
  wring_mesh_data *d;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &e));
  CHECK(d, "%s", e.text);
  PetscCall(check_round_trip(d));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_file(const char *name)
{
  wring_mesh_data *d;

  PetscFunctionBegin;
  PetscCall(read_mesh(name, &d));
  PetscCall(check_round_trip(d));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_text(const char *ending, const char *text)
{
  char name[80];

  PetscFunctionBegin;
  snprintf(name, sizeof name, "source_%s.%s", file, ending);
  test_write_bytes(name, strlen(text), text);
  PetscCall(test_file(name));
  CHECK(remove(name) == 0, "%s", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Tets without a group between tets of groups; a name with blanks; a group of a volume, a point and a triangle; one set
  of two elements. The reader refuses a volume in two groups, so that no test is needed here.
*/
static const char *const groups =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n2 7 \"the skin\"\n3 4 \"hard\"\n0 4 \"hard\"\n1 9 "
  "\"edge\"\n3 2 \"soft\"\n"
  "$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 -1\n6 1 1 1.25\n$EndNodes\n$Elements\n7\n"
  "1 15 2 4 1 1\n2 1 2 9 1 1 2\n3 2 2 7 1 1 2 3\n4 2 2 7 1 1 3 4\n5 4 2 4 1 2 3 4 6\n6 4 2 0 1 1 2 3 4\n7 4 2 2 1 1 3 "
  "2 5\n"
  "$EndElements\n";
static const char *const only_points = "vertex,x,y,z\n0,0,0,0\n1,1e-300,0,-0.0\n2,2,0.5,0.1\n";
static const char *const only_lines =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 3 0 0\n"
  "$EndNodes\n$Elements\n3\n1 1 2 0 1 1 2\n2 1 2 0 1 3 4\n3 15 2 5 1 3\n$EndElements\n";
static const char *const tags =
  "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 -1 0\n"
  "Triangles 1\n1 2 3 1\nTetrahedra 2\n1 2 3 4 0\n1 3 2 5 1\nEnd\n";

/* A directory that does not exist: reported in one line, and no file is left. */
static PetscErrorCode test_refused(void)
{
  const wring_box  box = {.size = {1, 1, 1}, .cells = {1, 1, 1}};
  wring_error      e   = {""};
  wring_mesh_data *d;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &e));
  PetscCall(wring_gmsh_write("test_gmsh_write_nowhere/a.msh", d, PETSC_FALSE, &e));
  CHECK(strstr(e.text, "test_gmsh_write_nowhere/a.msh: cannot be written"), "%s", e.text);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char lamp[PETSC_MAX_PATH_LEN];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  snprintf(file, sizeof file, "test_gmsh_write_%d_%d.msh", size, rank); // tests on other ranks may run meanwhile
  snprintf(lamp, sizeof lamp, "%s/inputs/meshes/lamp.msh", argc > 1 ? argv[1] : ".");
  PetscCall(test_box());
  PetscCall(test_file(lamp));
  PetscCall(test_text("msh", groups));
  PetscCall(test_text("mesh", tags));
  PetscCall(test_text("msh", only_lines));
  PetscCall(test_text("csv", only_points));
  PetscCall(test_refused());
  PetscCall(PetscFinalize());
  return 0;
}
