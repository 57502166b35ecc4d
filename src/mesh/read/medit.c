/*
  MEDIT .mesh, ASCII [Frey 2001, "MEDIT: an interactive mesh visualization software"]: keywords, each with a count and
  that many rows; the last number of a row is a reference, 0 for none. Tetrahedra, triangles and edges of reference N
  are the group "tagN"; references of vertices are ignored, because generators use them for many other purposes. Nodes
  count from 1.
*/
#include "row_blocks.h"
#include "tags.h"

typedef struct {
  wring_scan      *s;
  wring_raw       *raw;
  wring_tags       tags;
  wring_row_blocks blocks;
  PetscBool        has_nodes, has_tets;
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

enum { N_SECTION = sizeof sections / sizeof sections[0] };

/* The count of a keyword is on the same line or on the next. The scanner skips other lines that begin with #. */
static void skip_comments(wring_scan *s)
{
  const char *word;
  while (wring_scan_ok(s) && s->at < s->end) {
    const size_t length = wring_scan_peek(s, &word);
    if (length > 0 && *word != '#') return;
    wring_scan_skip_line(s);
  }
}

static int64_t read_count(reader *r, const char *what)
{
  skip_comments(r->s);
  const int64_t n = wring_scan_count(r->s, what);
  wring_scan_end_line(r->s);
  return n;
}

static PetscErrorCode read_section(reader *r, int k, int64_t line)
{
  static const wring_row_kind kind[] = {WRING_ROW_LOWER, WRING_ROW_LOWER, WRING_ROW_LOWER, WRING_ROW_TETS};
  const int                   dim    = sections[k].dim;

  PetscFunctionBegin;
  if (dim > 0 && !r->has_nodes) wring_scan_fail(r->s, line, "%s before Vertices", sections[k].name);
  if (dim == 3 && r->has_tets) wring_scan_fail(r->s, line, "a second list of tetrahedra");
  if (dim == 3) r->has_tets = PETSC_TRUE;
  const int64_t         n     = read_count(r, "the number of rows");
  const wring_row_block block = {.kind = dim < 0 ? WRING_ROW_OTHER : kind[dim], .type = k, .width = 1, .n = n};
  PetscCall(wring_row_blocks_add(&r->blocks, r->s, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_element(reader *r, const section *k, int64_t number)
{
  wring_element e = {.number = number, .n = k->width, .line = wring_scan_place(r->s)};

  PetscFunctionBegin;
  for (int a = 0; a < e.n; a++) e.tag[a] = wring_scan_int(r->s, "the number of a vertex");
  const int64_t tag = wring_tags_scan(r->s, "a reference");
  wring_scan_end_line(r->s);
  PetscCall(wring_tags_element(&r->tags, k->dim, tag, &e.source));
  PetscCall(wring_raw_add_element(r->raw, r->s, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes count from 1, elements in their section. */
static PetscErrorCode read_row(void *context, const wring_row_block *b, int64_t i)
{
  reader *const r = context;

  PetscFunctionBegin;
  if (b->kind == WRING_ROW_NODES) {
    wring_raw_read_node(r->raw, r->s, wring_scan_place(r->s), i + 1);
    wring_tags_scan(r->s, "the reference of a vertex");
    wring_scan_end_line(r->s);
  } else if (b->kind != WRING_ROW_OTHER) {
    PetscCall(read_element(r, &sections[b->type], i + 1));
  } else {
    for (int c = 0; c < sections[b->type].width; c++) wring_scan_real(r->s, "a number");
    wring_scan_end_line(r->s);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

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
    if (r->has_nodes) wring_scan_fail(r->s, line, "a second list of vertices");
    const int64_t n = read_count(r, "the number of vertices");
    PetscCall(wring_row_blocks_add(&r->blocks, r->s, (wring_row_block){.kind = WRING_ROW_NODES, .width = 1, .n = n}));
    r->has_nodes = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < N_SECTION; k++) {
    if (!wring_scan_word(r->s, sections[k].name)) continue;
    PetscCall(read_section(r, k, line));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const size_t    length = wring_scan_peek(r->s, &word);
  const PetscBool second = (PetscBool)(length > 2 && word[length - 2] == 'P' && word[length - 1] == '2');
  wring_scan_fail(r->s, line,
                  second ? "found '%.*s', of second order, expected the first; Gmsh's formats can have the second"
                         : "found '%.*s', expected a section that a mesh of tetrahedra has (Vertices, Tetrahedra, ...)",
                  (int)PetscMin(length, 20), word);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: all but the rows. */
static PetscErrorCode read_keywords(reader *r)
{
  wring_scan *s   = r->s;
  PetscBool   end = PETSC_FALSE;

  PetscFunctionBegin;
  read_header(r);
  for (skip_comments(s); wring_scan_ok(s) && s->at < s->end && !end; skip_comments(s)) {
    end = wring_scan_word(s, "End");
    if (!end) PetscCall(read_keyword(r));
  }
  if (!end) wring_scan_fail(s, wring_scan_place(s), "the file ends without End");
  if (!r->has_nodes) wring_scan_fail(s, wring_scan_place(s), "the file ends without Vertices");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_medit_read(wring_scan *s, wring_raw *raw)
{
  reader r = {.s = s, .raw = raw, .tags = {.s = s, .raw = raw}};

  PetscFunctionBegin;
  raw->format = "MEDIT, ASCII";
  PetscCall(wring_scan_index(s, PETSC_TRUE));
  if (wring_comm_rank(s->comm) == 0) PetscCall(read_keywords(&r));
  PetscCall(wring_row_blocks_read(&r.blocks, s, raw, read_row, &r));
  PetscCall(wring_tags_finish(&r.tags, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
