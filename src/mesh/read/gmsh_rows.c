/* The rows of Gmsh's nodes, elements and data: each rank reads its part of a block. */
#include "gmsh.h"
#include "base/count.h"

static const wring_gmsh_type types[] = {{1, 1, 2, 2, "line"},
                                        {2, 2, 3, 3, "triangle"},
                                        {4, 3, 4, 4, "tetrahedron"},
                                        {15, 0, 1, 1, "point"},
                                        {8, 1, 2, 3, "second-order line"},
                                        {9, 2, 3, 6, "second-order triangle"},
                                        {11, 3, 4, 10, "second-order tetrahedron"},
                                        {3, 2, 4, 0, "quadrangle"},
                                        {5, 3, 8, 0, "hexahedron"},
                                        {6, 3, 6, 0, "prism"},
                                        {7, 3, 5, 0, "pyramid"},
                                        {21, 2, 3, 0, "third-order triangle"},
                                        {26, 1, 2, 0, "third-order line"},
                                        {29, 3, 4, 0, "third-order tetrahedron"}};

static const wring_gmsh_type unknown = {0, 0, 0, 0, "unknown"};

const wring_gmsh_type *wring_gmsh_find_type(wring_scan *s, int64_t line, int64_t type)
{
  const wring_gmsh_type *t = &unknown;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (types[i].type == type) t = &types[i];
  if (t->nodes == 0)
    wring_scan_fail(s, line,
                    "element type %lld (%s), expected points, lines, triangles or tetrahedra of first or second order",
                    (long long)type, t->name);
  return t;
}

/* ---- widths ------------------------------------------------------------------------------------------------------ */

/* Of a row: 1 in a text, else its bytes. Nodes of 4.1 are in two lists, of tags and of coordinates. */
static int64_t width_of_tag(const wring_gmsh *r)
{
  return r->binary ? 8 : 1;
}

static int64_t width_of_coordinates(const wring_gmsh *r, const wring_row_block *b)
{
  return r->binary ? 8 * (3 + b->extra) : 1;
}

static int tags_of(const wring_row_block *b)
{
  return b->extra & ~WRING_GMSH_HEAD;
}

static int64_t width_of_element(const wring_gmsh *r, const wring_row_block *b)
{
  if (!r->binary) return 1;
  const int nodes = wring_gmsh_find_type(r->s, 0, b->type)->nodes;
  if (r->v41) return 8 * (1 + nodes);
  return 4 * (1 + (int64_t)tags_of(b) + nodes) + (b->extra & WRING_GMSH_HEAD ? 12 : 0);
}

static int64_t width_of_row(const wring_gmsh *r, const wring_row_block *b)
{
  if (!r->binary) return b->kind == WRING_ROW_NODES && r->v41 ? 2 : 1;
  if (b->kind == WRING_ROW_NODES) return r->v41 ? width_of_tag(r) + width_of_coordinates(r, b) : 4 + 3 * 8;
  if (b->kind == WRING_ROW_DATA || b->kind == WRING_ROW_OTHER) return 4 + 8 * b->extra;
  return width_of_element(r, b);
}

int64_t wring_gmsh_extent(const wring_gmsh *r, const wring_row_block *b)
{
  return wring_count_times(b->n, width_of_row(r, b));
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Tags and nodes: ints in 2.2, longs in 4.1. */
static int64_t scan_tag(wring_gmsh *r, const char *what)
{
  return r->v41 ? wring_scan_long(r->s, what) : wring_scan_int(r->s, what);
}

/* The number of a node, at this place of the file. */
static int64_t scan_node(wring_gmsh *r, int64_t line)
{
  const int64_t tag = scan_tag(r, "the number of a node");
  if (wring_scan_ok(r->s) && tag < 1)
    wring_scan_fail(r->s, line, "node %lld, expected a number above 0", (long long)tag);
  return tag;
}

/* 4.1: the tags of a block come first, then its coordinates. */
static void read_listed_nodes(wring_gmsh *r, const wring_row_block *b, int64_t begin, int64_t end)
{
  wring_raw *const raw = r->raw;
  wring_scan_go(r->s, b->start + begin * width_of_tag(r));
  for (int64_t i = begin; i < end && wring_scan_ok(r->s); i++) {
    const PetscInt node   = raw->nodes.n + (PetscInt)(i - begin);
    raw->nodes.line[node] = wring_scan_place(r->s);
    raw->nodes.tag[node]  = scan_node(r, raw->nodes.line[node]);
    wring_scan_end_line(r->s);
  }
  r->s->stage = WRING_SCAN_COORDINATES;
  wring_scan_go(r->s, b->start + b->n * width_of_tag(r) + begin * width_of_coordinates(r, b));
  for (int64_t i = begin; i < end && wring_scan_ok(r->s); i++) {
    wring_raw_read_node(raw, r->s, raw->nodes.line[raw->nodes.n], raw->nodes.tag[raw->nodes.n]);
    for (int c = 0; c < b->extra; c++) wring_scan_real(r->s, "a parametric coordinate");
    wring_scan_end_line(r->s);
  }
  r->s->stage = WRING_SCAN_ROWS;
}

/* 2.2: a tag and coordinates. */
static void read_node(wring_gmsh *r)
{
  const int64_t line = wring_scan_place(r->s), tag = scan_node(r, line);
  wring_raw_read_node(r->raw, r->s, line, tag);
  wring_scan_end_line(r->s);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The nodes of one element, and the end of its line. */
static PetscErrorCode read_element_nodes(wring_gmsh *r, int64_t line, int64_t number, const wring_gmsh_type *t,
                                         PetscInt source)
{
  wring_element e = {.line = line, .number = number, .source = source, .n = t->corners, .n_mid = t->nodes - t->corners};

  PetscFunctionBegin;
  for (int a = 0; a < t->nodes; a++) e.tag[a] = scan_tag(r, "the number of a node");
  if (e.n_mid == 6) { // Gmsh has the edges 23 13 last
    const int64_t last = e.tag[9];
    e.tag[9]           = e.tag[8];
    e.tag[8]           = last;
  }
  wring_scan_end_line(r->s);
  PetscCall(wring_raw_add_element(r->raw, r->s, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Version 2.2: the tags of an element, the physical one first, and its nodes. */
static PetscErrorCode read_tagged_nodes(wring_gmsh *r, int64_t line, int64_t number, const wring_gmsh_type *t,
                                        int64_t n_tag)
{
  const int64_t tag = n_tag > 0 ? wring_tags_scan(r->s, "a physical tag") : 0;
  PetscInt      source;

  PetscFunctionBegin;
  for (int64_t i = 1; i < n_tag && wring_scan_ok(r->s); i++) wring_scan_int(r->s, "a tag");
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_tags_element(&r->tags, t->dim, tag, &source));
  PetscCall(read_element_nodes(r, line, number, t, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2.2, text: number, type, number of tags, tags, nodes. */
static PetscErrorCode read_element(wring_gmsh *r)
{
  const int64_t          line = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");
  const wring_gmsh_type *t     = wring_gmsh_find_type(r->s, line, wring_scan_int(r->s, "the type of an element"));
  const int64_t          n_tag = wring_scan_count(r->s, "the number of tags");

  PetscFunctionBegin;
  PetscCall(read_tagged_nodes(r, line, number, t, n_tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2.2, binary: number, tags and nodes, perhaps after a head of three numbers. */
static PetscErrorCode read_binary_element(wring_gmsh *r, const wring_row_block *b, const wring_gmsh_type *t)
{
  PetscFunctionBegin;
  for (int i = 0; i < 3 && b->extra & WRING_GMSH_HEAD; i++) wring_scan_int(r->s, "the head of a block");
  const int64_t place = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");
  PetscCall(read_tagged_nodes(r, place, number, t, tags_of(b)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements(wring_gmsh *r, const wring_row_block *b, int64_t n)
{
  const wring_gmsh_type *const t = b->kind == WRING_ROW_ELEMENTS ? NULL : wring_gmsh_find_type(r->s, 0, b->type);

  PetscFunctionBegin;
  for (; n > 0 && wring_scan_ok(r->s); n--) {
    if (!t) {
      PetscCall(read_element(r));
    } else if (!r->v41) {
      PetscCall(read_binary_element(r, b, t));
    } else {
      const int64_t line = wring_scan_place(r->s), number = wring_scan_long(r->s, "the number of an element");
      PetscCall(read_element_nodes(r, line, number, t, b->source));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores a row if d is not NULL. */
static void read_data_row(wring_gmsh *r, int components, wring_raw_data *d)
{
  const int64_t place = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");
  for (int c = 0; c < components && wring_scan_ok(r->s); c++) {
    const double v = wring_scan_real(r->s, "a finite value");
    if (d) d->value[(size_t)d->n * (size_t)d->width + (size_t)c] = v;
  }
  wring_scan_end_line(r->s);
  if (!d || !wring_scan_ok(r->s)) return;
  d->number[d->n]  = number;
  d->place[d->n++] = place;
}

PetscErrorCode wring_gmsh_read_rows(void *reader, const wring_row_block *b, int64_t begin, int64_t end)
{
  wring_gmsh *const r = reader;

  PetscFunctionBegin;
  if (b->kind == WRING_ROW_NODES && r->v41) {
    read_listed_nodes(r, b, begin, end);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  wring_scan_go(r->s, wring_count_plus(b->start, wring_count_times(begin, width_of_row(r, b))));
  if (b->kind == WRING_ROW_NODES) {
    for (int64_t i = begin; i < end && wring_scan_ok(r->s); i++) read_node(r);
  } else if (b->kind == WRING_ROW_DATA || b->kind == WRING_ROW_OTHER) {
    for (int64_t i = begin; i < end && wring_scan_ok(r->s); i++)
      read_data_row(r, b->extra, b->kind == WRING_ROW_DATA ? r->raw->data : NULL);
  } else {
    PetscCall(read_elements(r, b, end - begin));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
