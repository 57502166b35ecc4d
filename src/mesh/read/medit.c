/*
  MEDIT .mesh, ASCII [Frey 2001, "MEDIT: an interactive mesh visualization software"]: keywords, each with a count and
  that many rows; the last number of a row is a reference, 0 for none. Tetrahedra, triangles and edges of reference N
  are the group "tagN"; references of vertices are ignored, because generators use them for many other purposes. Nodes
  count from 1.
*/
#include "tags.h"
#include <string.h>

typedef struct {
  wring_scan *s;
  wring_raw  *raw;
  wring_tags  tags;
  PetscBool   has_nodes, has_tets;
} reader;

/* A list: `width` numbers in each row, followed by a reference for elements. */
typedef struct {
  const char *name;
  int         dim, width; // dim -1: the rows are skipped
} section;

static const section sections[] = {{"Tetrahedra", 3, 4},
                                   {"Triangles", 2, 3},
                                   {"Edges", 1, 2},
                                   {"Corners", -1, 1},
                                   {"Ridges", -1, 1},
                                   {"RequiredVertices", -1, 1},
                                   {"RequiredEdges", -1, 1},
                                   {"RequiredTriangles", -1, 1},
                                   {"Normals", -1, 3},
                                   {"Tangents", -1, 3},
                                   {"NormalAtVertices", -1, 2},
                                   {"TangentAtVertices", -1, 2}};

/* The count of a keyword is on the same line or on the next. Comments begin with #. */
static void skip_comments(wring_scan *s)
{
  const char *word;
  while (wring_scan_ok(s) && s->at < s->end) {
    const size_t length = wring_scan_peek(s, &word);
    if (length > 0 && *word != '#') return;
    wring_scan_skip_line(s);
  }
}

static PetscInt read_count(reader *r, const char *what)
{
  skip_comments(r->s);
  const PetscInt n = wring_scan_count(r->s, what);
  wring_scan_end_line(r->s);
  return n;
}

static PetscErrorCode read_vertices(reader *r, int64_t line)
{
  wring_raw *raw = r->raw;

  PetscFunctionBegin;
  if (r->has_nodes) wring_scan_fail(r->s, line, "a second list of vertices");
  const PetscInt n = read_count(r, "the number of vertices");
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_raw_make_nodes(raw, n));
  for (raw->n_node = 0; raw->n_node < n && wring_scan_ok(r->s); raw->n_node++) {
    skip_comments(r->s);
    raw->node_line[raw->n_node] = wring_scan_place(r->s);
    raw->node_tag[raw->n_node]  = (int64_t)raw->n_node + 1;
    for (int c = 0; c < 3; c++)
      raw->X[3 * (size_t)raw->n_node + (size_t)c] = wring_scan_real(r->s, "a finite coordinate");
    wring_tags_scan(r->s, "the reference of a vertex");
    wring_scan_end_line(r->s);
  }
  r->has_nodes = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_element(reader *r, const section *k, int64_t number)
{
  wring_element e = {.number = number, .n = k->width};
  PetscBool     added;

  PetscFunctionBegin;
  skip_comments(r->s);
  e.line = wring_scan_place(r->s);
  for (int a = 0; a < e.n; a++) e.tag[a] = wring_scan_int(r->s, "the number of a vertex");
  const int64_t tag = wring_tags_scan(r->s, "a reference");
  wring_scan_end_line(r->s);
  PetscCall(wring_tags_source(&r->tags, k->dim, tag, &e.source, &added));
  if (added) PetscCall(wring_tags_add(&r->tags, tag));
  PetscCall(wring_raw_add_element(r->raw, r->s, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_section(reader *r, const section *k, int64_t line)
{
  PetscFunctionBegin;
  if (k->dim > 0 && !r->has_nodes) wring_scan_fail(r->s, line, "%s before Vertices", k->name);
  if (k->dim == 3 && r->has_tets) wring_scan_fail(r->s, line, "a second list of tetrahedra");
  const PetscInt n = read_count(r, "the number of rows");
  if (k->dim == 3) {
    PetscCall(wring_raw_make_tets(r->raw, n));
    r->has_tets = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) {
    if (k->dim > 0) {
      PetscCall(read_element(r, k, i + 1));
      continue;
    }
    for (int c = 0; c < k->width; c++) wring_scan_real(r->s, "a number");
    wring_scan_end_line(r->s);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "MeshVersionFormatted 1" (single precision) or 2 (double), "Dimension 3". */
static void read_header(reader *r)
{
  wring_scan_word(r->s, "MeshVersionFormatted");
  skip_comments(r->s);
  const int64_t line = wring_scan_place(r->s), version = wring_scan_int(r->s, "a version of MEDIT's format");
  if (wring_scan_ok(r->s) && (version < 1 || version > 4))
    wring_scan_fail(r->s, line, "MEDIT format %lld, expected 1 to 4", (long long)version);
  wring_scan_end_line(r->s);
}

static void read_dimension(reader *r, int64_t line)
{
  skip_comments(r->s);
  const int64_t dim = wring_scan_int(r->s, "the dimension of the mesh");
  if (wring_scan_ok(r->s) && dim != 3)
    wring_scan_fail(r->s, line, "a mesh in %lld dimensions, expected 3", (long long)dim);
  wring_scan_end_line(r->s);
}

static PetscErrorCode read_keyword(reader *r)
{
  const int64_t line = wring_scan_place(r->s);
  const char   *word;

  PetscFunctionBegin;
  if (wring_scan_word(r->s, "Dimension")) {
    read_dimension(r, line);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (wring_scan_word(r->s, "Vertices")) {
    PetscCall(read_vertices(r, line));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++) {
    if (!wring_scan_word(r->s, sections[k].name)) continue;
    PetscCall(read_section(r, &sections[k], line));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const size_t length = wring_scan_peek(r->s, &word);
  wring_scan_fail(r->s, line,
                  "found '%.*s', expected a section that a mesh of tetrahedra has (Vertices, Tetrahedra, ...)",
                  (int)PetscMin(length, 20), word);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_medit_read(wring_scan *s, wring_raw *raw)
{
  reader    r   = {.s = s, .raw = raw, .tags = {.s = s, .raw = raw}};
  PetscBool end = PETSC_FALSE;

  PetscFunctionBegin;
  raw->format = "MEDIT, ASCII";
  read_header(&r);
  for (skip_comments(s); wring_scan_ok(s) && s->at < s->end && !end; skip_comments(s)) {
    end = wring_scan_word(s, "End");
    if (!end) PetscCall(read_keyword(&r));
  }
  if (!end) wring_scan_fail(s, wring_scan_place(s), "the file ends without End");
  if (!r.has_nodes) wring_scan_fail(s, wring_scan_place(s), "the file ends without Vertices");
  if (wring_scan_ok(s)) PetscCall(wring_tags_resolve(&r.tags));
  PetscCall(wring_tags_destroy(&r.tags));
  PetscFunctionReturn(PETSC_SUCCESS);
}
