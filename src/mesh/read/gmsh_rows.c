/* The rows of Gmsh's nodes, elements and data: each rank reads its part of a block. */
#include "gmsh.h"

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

/* Tags of an element of 2.2, without the mark of its head. */
static int tags_of(const wring_row_block *b)
{
  return b->extra & ~WRING_GMSH_HEAD;
}

int64_t wring_gmsh_width(const wring_gmsh *r, const wring_row_block *b)
{
  if (!r->binary) return 1;
  if (b->kind == WRING_ROW_NODES) return r->v41 ? 8 : 4 + 3 * 8;
  if (b->kind == WRING_ROW_COORDINATES) return 8 * (3 + b->extra);
  if (b->kind == WRING_ROW_DATA || b->kind == WRING_ROW_OTHER) return 4 + 8 * b->extra;
  const int nodes = wring_gmsh_find_type(r->s, 0, b->type)->nodes;
  if (r->v41) return 8 * (1 + nodes);
  return 4 * (1 + (int64_t)tags_of(b) + nodes) + (b->extra & WRING_GMSH_HEAD ? 12 : 0);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Numbers: ints in 2.2, longs in 4.1. */
static int64_t scan_number(wring_gmsh *r, const char *what)
{
  return r->v41 ? wring_scan_long(r->s, what) : wring_scan_int(r->s, what);
}

/* 2.2: a number and coordinates; 4.1: the numbers of a block come first, then its coordinates. */
static void read_node(wring_gmsh *r)
{
  const int64_t line = wring_scan_place(r->s), number = scan_number(r, "the number of a node");
  if (wring_scan_ok(r->s) && number < 1)
    wring_scan_fail(r->s, line, "node %lld, expected a number above 0", (long long)number);
  if (r->v41) {
    r->raw->nodes.line[r->n_numbered]  = line;
    r->raw->nodes.tag[r->n_numbered++] = number;
  } else {
    wring_raw_read_node(r->raw, r->s, line, number);
  }
  wring_scan_end_line(r->s);
}

static void read_coordinates(wring_gmsh *r, int parameters)
{
  wring_raw *const raw = r->raw;
  wring_raw_read_node(raw, r->s, raw->nodes.line[raw->nodes.n], raw->nodes.tag[raw->nodes.n]);
  for (int c = 0; c < parameters; c++) wring_scan_real(r->s, "a parametric coordinate");
  wring_scan_end_line(r->s);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The nodes of an element, and the end of its line. */
static PetscErrorCode read_element_nodes(wring_gmsh *r, const wring_gmsh_type *t, wring_element *e)
{
  PetscFunctionBegin;
  e->n     = t->corners;
  e->n_mid = t->nodes - t->corners;
  for (int a = 0; a < t->nodes; a++) e->tag[a] = scan_number(r, "the number of a node");
  if (e->n_mid == 6) { // Gmsh has the edges 23 13 last
    const int64_t last = e->tag[9];
    e->tag[9]          = e->tag[8];
    e->tag[8]          = last;
  }
  wring_scan_end_line(r->s);
  PetscCall(wring_raw_add_element(r->raw, r->s, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Number and nodes; in 2.2 tags before the nodes, the physical one first, and perhaps a head of three numbers. A text of
  2.2 has type and number of tags in each row.
*/
static PetscErrorCode read_element(wring_gmsh *r, const wring_row_block *b)
{
  const PetscBool alone = (PetscBool)(b->kind == WRING_ROW_ELEMENTS);

  PetscFunctionBegin;
  for (int i = 0; i < 3 && b->extra & WRING_GMSH_HEAD; i++) wring_scan_int(r->s, "the head of a block");
  wring_element e              = {.line = wring_scan_place(r->s), .source = b->source};
  e.number                     = scan_number(r, "the number of an element");
  const int64_t          type  = alone ? wring_scan_int(r->s, "the type of an element") : b->type;
  const wring_gmsh_type *t     = wring_gmsh_find_type(r->s, e.line, type);
  const int64_t          n_tag = alone ? wring_scan_count(r->s, "the number of tags") : tags_of(b);
  if (!r->v41) {
    const int64_t tag = n_tag > 0 ? wring_gmsh_scan_tag(r) : 0;
    for (int64_t i = 1; i < n_tag && wring_scan_ok(r->s); i++) wring_scan_int(r->s, "a tag");
    if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(wring_tags_element(&r->tags, t->dim, tag, &e.source));
  }
  PetscCall(read_element_nodes(r, t, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores a row if d is not NULL. */
static void read_data_row(wring_gmsh *r, int components, wring_raw_data *d)
{
  const int64_t         place = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");
  wring_raw_cell *const row = d ? d->row + (size_t)d->n * (size_t)(2 + d->width) : NULL;
  for (int c = 0; c < components && wring_scan_ok(r->s); c++) {
    const double v = wring_scan_real(r->s, "a finite value");
    if (row) row[2 + c].real = v;
  }
  wring_scan_end_line(r->s);
  if (!row || !wring_scan_ok(r->s)) return;
  row[0].whole = number;
  row[1].whole = place;
  d->n++;
}

PetscErrorCode wring_gmsh_read_row(void *reader, const wring_row_block *b, int64_t i)
{
  wring_gmsh *const r = reader;

  PetscFunctionBegin;
  (void)i;
  if (b->kind == WRING_ROW_NODES)
    read_node(r);
  else if (b->kind == WRING_ROW_COORDINATES)
    read_coordinates(r, b->extra);
  else if (b->kind == WRING_ROW_DATA || b->kind == WRING_ROW_OTHER)
    read_data_row(r, b->extra, b->kind == WRING_ROW_DATA ? r->raw->data : NULL);
  else
    PetscCall(read_element(r, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
