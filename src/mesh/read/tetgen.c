/*
  TetGen's pair of files [Si 2015, "TetGen, a Delaunay-based quality tetrahedral mesh generator"]:
    name.node  "<n> 3 <attributes> <markers>", then "<number> <x> <y> <z> ..." in ascending order from 0 or 1;
    name.ele   "<n> 4 <attributes>", then "<number> <4 nodes> [<attribute>]".
  The first attribute of a tet is the tag of its region. Markers of nodes are ignored. Comments begin with #.
*/
#include "row_blocks.h"
#include "tags.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

typedef struct {
  wring_scan *s; // of the current file
  wring_raw  *raw;
  wring_tags  tags;
  int64_t     first;      // number of the first node: 0 or 1
  int64_t     attributes; // of a tet
} reader;

/* The rest of a row: attributes and markers. */
static void end_row(wring_scan *s)
{
  if (wring_scan_ok(s)) wring_scan_skip_line(s);
}

static int64_t read_header(wring_scan *s, const char *what, int64_t expected, int64_t *attributes)
{
  const int64_t line  = wring_scan_place(s);
  const int64_t n     = wring_scan_count(s, what);
  const int64_t width = wring_scan_int(s, "the second number of the header");
  *attributes         = wring_scan_int(s, "the number of attributes");
  if (wring_scan_ok(s) && expected == 4 && width == 10)
    wring_scan_fail(s, line, "tetrahedra of second order, with 10 nodes, expected 4; Gmsh's formats can have 10");
  if (wring_scan_ok(s) && width != expected)
    wring_scan_fail(s, line, "the second number is %lld, expected %lld", (long long)width, (long long)expected);
  if (wring_scan_ok(s) && *attributes < 0)
    wring_scan_fail(s, line, "%lld attributes, expected at least 0", (long long)*attributes);
  end_row(s);
  return n;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_node(void *context, const wring_row_block *b, int64_t i)
{
  reader *const r    = context;
  const int64_t line = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of a node");

  PetscFunctionBegin;
  (void)b;
  if (wring_scan_ok(r->s) && i == 0 && number != 0 && number != 1)
    wring_scan_fail(r->s, line, "the first node has number %lld, expected 0 or 1", (long long)number);
  if (wring_scan_ok(r->s) && number != r->first + i)
    wring_scan_fail(r->s, line, "node %lld, expected %lld", (long long)number, (long long)(r->first + i));
  wring_raw_read_node(r->raw, r->s, line, number);
  end_row(r->s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The region of a tet; attributes are real numbers in the file. */
static int64_t read_attribute(wring_scan *s)
{
  const int64_t line = wring_scan_place(s);
  const double  a    = wring_scan_real(s, "the attribute of a tetrahedron");
  if (a == floor(a) && fabs(a) <= INT32_MAX) return (int64_t)a;
  wring_scan_fail(s, line, "attribute %g, expected the whole number of a region", a);
  return 0;
}

static PetscErrorCode read_tet(void *context, const wring_row_block *b, int64_t i)
{
  reader *const r = context;
  wring_element e = {.line = wring_scan_place(r->s), .n = 4};

  PetscFunctionBegin;
  (void)b, (void)i;
  e.number = wring_scan_int(r->s, "the number of a tetrahedron");
  for (int a = 0; a < 4; a++) e.tag[a] = wring_scan_int(r->s, "the number of a node");
  const int64_t tag = r->attributes > 0 ? read_attribute(r->s) : 0;
  end_row(r->s);
  PetscCall(wring_tags_element(&r->tags, 3, tag, &e.source));
  PetscCall(wring_raw_add_element(r->raw, r->s, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the files --------------------------------------------------------------------------------------------------- */

/* Nodes or tetrahedra: a header, and as many rows as it announces. */
static PetscErrorCode read_file(reader *r, wring_row_kind kind, wring_row_reader read_row)
{
  const PetscBool   nodes  = (PetscBool)(kind == WRING_ROW_NODES);
  const char *const what   = nodes ? "nodes" : "tetrahedra";
  wring_scan *const s      = r->s;
  wring_row_blocks  blocks = {0};
  const char       *word;

  PetscFunctionBegin;
  PetscCall(wring_scan_index(s, PETSC_TRUE));
  if (wring_comm_rank(s->comm) == 0) { // a fault of the first number is found when its row is read
    const int64_t n =
      read_header(s, nodes ? "the number of nodes" : "the number of tetrahedra", nodes ? 3 : 4, &r->attributes);
    wring_scan_peek(s, &word);
    if (nodes && wring_text_int(word, &r->first) && r->first != 0) r->first = 1;
    PetscCall(wring_row_blocks_add(&blocks, s, (wring_row_block){.kind = kind, .width = 1, .n = n}));
    if (wring_scan_ok(s) && s->at < s->end)
      wring_scan_fail(s, wring_scan_place(s), "more rows than the %lld %s announced", (long long)n, what);
  }
  PetscCallMPI(MPI_Bcast(&r->first, 1, MPI_INT64_T, 0, s->comm));
  PetscCallMPI(MPI_Bcast(&r->attributes, 1, MPI_INT64_T, 0, s->comm));
  PetscCall(wring_row_blocks_read(&blocks, s, r->raw, read_row, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_tetgen_pair(const char *file, size_t size, char *node, char *ele)
{
  const char *const dot = strrchr(file, '.');
  if (!dot || (strcmp(dot, ".node") && strcmp(dot, ".ele"))) return PETSC_FALSE;
  const int stem = (int)(dot - file);
  snprintf(node, size, "%.*s.node", stem, file);
  snprintf(ele, size, "%.*s.ele", stem, file);
  return PETSC_TRUE;
}

PetscErrorCode wring_tetgen_read(wring_scan *nodes, wring_scan *tets, wring_raw *raw)
{
  reader r = {.s = nodes, .raw = raw, .tags = {.s = tets, .raw = raw}};

  PetscFunctionBegin;
  raw->format = "TetGen";
  PetscCall(read_file(&r, WRING_ROW_NODES, read_node));
  r.s = tets;
  if (wring_scan_ok(tets)) PetscCall(read_file(&r, WRING_ROW_TETS, read_tet));
  PetscCall(wring_tags_finish(&r.tags, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
