/*
  TetGen's pair of files [Si 2015, "TetGen, a Delaunay-based quality tetrahedral mesh generator"]:
    name.node  "<n> 3 <attributes> <markers>", then "<number> <x> <y> <z> ..." in ascending order from 0 or 1;
    name.ele   "<n> 4 <attributes>", then "<number> <4 nodes> [<attribute>]".
  The first attribute of a tet is the tag of its region. Markers of nodes are ignored. Comments begin with #.
*/
#include "tags.h"
#include <math.h>
#include <string.h>

typedef struct {
  wring_scan *s; // of the current file
  wring_raw  *raw;
  wring_tags  tags;
  int64_t     first; // number of the first node: 0 or 1
} reader;

static void skip_comments(wring_scan *s)
{
  const char *word;
  while (s->at < s->end && wring_scan_peek(s, &word) > 0 && *word == '#') wring_scan_skip_line(s);
}

/* The rest of a row: attributes and markers. */
static void end_row(wring_scan *s)
{
  if (wring_scan_ok(s)) wring_scan_skip_line(s);
  skip_comments(s);
}

static PetscInt read_header(wring_scan *s, const char *what, int64_t expected, int64_t *attributes)
{
  skip_comments(s);
  const int64_t  line  = wring_scan_place(s);
  const PetscInt n     = wring_scan_count(s, what);
  const int64_t  width = wring_scan_int(s, "the second number of the header");
  *attributes          = wring_scan_int(s, "the number of attributes");
  if (wring_scan_ok(s) && width != expected)
    wring_scan_fail(s, line, "the second number is %lld, expected %lld", (long long)width, (long long)expected);
  if (wring_scan_ok(s) && *attributes < 0)
    wring_scan_fail(s, line, "%lld attributes, expected at least 0", (long long)*attributes);
  end_row(s);
  return n;
}

static PetscErrorCode read_nodes(reader *r)
{
  wring_raw     *raw = r->raw;
  int64_t        attributes;
  const PetscInt n = read_header(r->s, "the number of nodes", 3, &attributes);

  PetscFunctionBegin;
  PetscCall(wring_raw_make_nodes(raw, n));
  for (raw->n_node = 0; raw->n_node < n && wring_scan_ok(r->s); raw->n_node++) {
    const int64_t line = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of a node");
    if (raw->n_node == 0) r->first = number;
    if (wring_scan_ok(r->s) && raw->n_node == 0 && number != 0 && number != 1)
      wring_scan_fail(r->s, line, "the first node has number %lld, expected 0 or 1", (long long)number);
    if (wring_scan_ok(r->s) && number != r->first + raw->n_node)
      wring_scan_fail(r->s, line, "node %lld, expected %lld", (long long)number, (long long)(r->first + raw->n_node));
    raw->node_line[raw->n_node] = line;
    raw->node_tag[raw->n_node]  = number;
    for (int c = 0; c < 3; c++)
      raw->X[3 * (size_t)raw->n_node + (size_t)c] = wring_scan_real(r->s, "a finite coordinate");
    end_row(r->s);
  }
  if (wring_scan_ok(r->s) && r->s->at < r->s->end)
    wring_scan_fail(r->s, wring_scan_place(r->s), "more rows than the %" PetscInt_FMT " nodes announced", n);
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

static PetscErrorCode read_tet(reader *r, int64_t attributes)
{
  wring_element e = {.line = wring_scan_place(r->s), .n = 4};
  PetscBool     added;

  PetscFunctionBegin;
  e.number = wring_scan_int(r->s, "the number of a tetrahedron");
  for (int a = 0; a < 4; a++) e.tag[a] = wring_scan_int(r->s, "the number of a node");
  const int64_t tag = attributes > 0 ? read_attribute(r->s) : 0;
  end_row(r->s);
  PetscCall(wring_tags_source(&r->tags, 3, tag, &e.source, &added));
  if (added) PetscCall(wring_tags_add(&r->tags, tag));
  PetscCall(wring_raw_add_element(r->raw, r->s, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_tets(reader *r)
{
  int64_t        attributes;
  const PetscInt n = read_header(r->s, "the number of tetrahedra", 4, &attributes);

  PetscFunctionBegin;
  PetscCall(wring_raw_make_tets(r->raw, n));
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) PetscCall(read_tet(r, attributes));
  if (wring_scan_ok(r->s) && r->s->at < r->s->end)
    wring_scan_fail(r->s, wring_scan_place(r->s), "more rows than the %" PetscInt_FMT " tetrahedra announced", n);
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
  PetscCall(read_nodes(&r));
  r.s = tets;
  if (wring_scan_ok(tets)) PetscCall(read_tets(&r));
  if (wring_scan_ok(tets)) PetscCall(wring_tags_resolve(&r.tags));
  PetscCall(wring_tags_destroy(&r.tags));
  PetscFunctionReturn(PETSC_SUCCESS);
}
