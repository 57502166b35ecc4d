/*
  Gmsh MSH 2.2 and 4.1, ASCII and binary [gmsh.info/doc/texinfo/gmsh.html, "MSH file format" and its legacy version 2].

  $Entities, $Nodes and $Elements are in this order, as Gmsh writes them. Elements keep their source (raw.h): the
  physical tag in 2.2, the entity in 4.1; its tags are converted to names when the whole file has been read.
*/
#include "tags.h"
#include <string.h>

typedef struct {
  wring_scan *s;
  wring_raw  *raw;
  PetscBool   v41, binary, has_format, has_entities, has_nodes, has_elements;
  wring_tags  tags;
} reader;

typedef struct {
  int         type, dim, nodes; // nodes 0: not read
  const char *name;
} element_type;

static const element_type element_types[] = {{1, 1, 2, "line"},
                                             {2, 2, 3, "triangle"},
                                             {4, 3, 4, "tetrahedron"},
                                             {15, 0, 1, "point"},
                                             {3, 2, 0, "quadrangle"},
                                             {5, 3, 0, "hexahedron"},
                                             {6, 3, 0, "prism"},
                                             {7, 3, 0, "pyramid"},
                                             {8, 1, 0, "second-order line"},
                                             {9, 2, 0, "second-order triangle"},
                                             {11, 3, 0, "second-order tetrahedron"}};

static const element_type unknown_type = {0, 0, 0, "unknown"};

static const element_type *find_type(int64_t type)
{
  for (size_t i = 0; i < sizeof element_types / sizeof element_types[0]; i++)
    if (element_types[i].type == type) return &element_types[i];
  return &unknown_type;
}

static int64_t read_dimension(reader *r)
{
  const int64_t line = wring_scan_place(r->s), dim = wring_scan_int(r->s, "a dimension from 0 to 3");
  if (dim >= 0 && dim <= 3) return dim;
  wring_scan_fail(r->s, line, "dimension %lld, expected 0 to 3", (long long)dim);
  return 0;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* Follows the format of a binary file: the integer 1. */
static void read_byte_order(reader *r)
{
  r->s->by_byte = r->binary = PETSC_TRUE;
  wring_scan_begin_binary(r->s);
  const int64_t place = wring_scan_place(r->s), one = wring_scan_int(r->s, "the number 1");
  if (wring_scan_ok(r->s) && one != 1)
    wring_scan_fail(r->s, place,
                    one == 1 << 24 ? "written in the opposite byte order, expected this machine's"
                                   : "found %lld, expected 1",
                    (long long)one);
  wring_scan_end_binary(r->s);
}

/* Ends the line of a count; in 2.2 binary rows follow. */
static void end_count(reader *r)
{
  if (r->binary && !r->v41)
    wring_scan_begin_binary(r->s);
  else
    wring_scan_end_line(r->s);
}

/* Tags and counts of nodes and elements: ints in 2.2, longs in 4.1. */
static int64_t scan_tag(reader *r, const char *what)
{
  return r->v41 ? wring_scan_long(r->s, what) : wring_scan_int(r->s, what);
}

static PetscErrorCode read_format(reader *r)
{
  static const char *const formats[2][2] = {{"Gmsh 2.2, ASCII", "Gmsh 2.2, binary"},
                                            {"Gmsh 4.1, ASCII", "Gmsh 4.1, binary"}};
  const char              *version;
  const int64_t            line   = wring_scan_place(r->s);
  const size_t             length = wring_scan_peek(r->s, &version);

  PetscFunctionBegin;
  r->v41 = (PetscBool)(length == 3 && !memcmp(version, "4.1", 3));
  if (!r->v41 && !(length == 3 && !memcmp(version, "2.2", 3)))
    wring_scan_fail(r->s, line, "Gmsh format '%.*s', expected 2.2 or 4.1 (gmsh -save -format msh41)",
                    (int)PetscMin(length, 20), version);
  wring_scan_real(r->s, "a format version");
  const int64_t binary = wring_scan_int(r->s, "0 (ASCII) or 1 (binary)");
  if (wring_scan_ok(r->s) && binary != 0 && binary != 1)
    wring_scan_fail(r->s, line, "file type %lld, expected 0 (ASCII) or 1 (binary)", (long long)binary);
  const int64_t width = wring_scan_int(r->s, "the size of a number");
  if (wring_scan_ok(r->s) && binary == 1 && width != 8)
    wring_scan_fail(r->s, line, "numbers of %lld bytes, expected 8", (long long)width);
  if (binary == 1)
    read_byte_order(r);
  else
    wring_scan_end_line(r->s);
  r->raw->format = formats[r->v41][r->binary];
  r->has_format  = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text between the first and the last quote of the line. */
static size_t read_quoted(wring_scan *s, const char **name)
{
  wring_scan_character(s, '"');
  const char *end = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;
  if (!end) end = s->end;
  *name = s->at;
  while (end > s->at && end[-1] != '"') end--;
  if (end == s->at) {
    wring_scan_fail(s, wring_scan_place(s), "a name without a closing quote");
    return 0;
  }
  s->at = end;
  return (size_t)(end - 1 - *name);
}

static PetscErrorCode read_physical_name(reader *r)
{
  const char   *name;
  const int64_t line = wring_scan_place(r->s), dim = read_dimension(r), tag = wring_tags_scan(r->s, "a physical tag");
  const size_t  length = read_quoted(r->s, &name);

  PetscFunctionBegin;
  wring_scan_end_line(r->s);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (length == 0)
    wring_scan_fail(r->s, line, "an empty name, expected the name of a physical %s", wring_dimension_name[dim]);
  if (memchr(name, '\0', length)) wring_scan_fail(r->s, line, "a zero byte in a name");
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_tags_name(&r->tags, line, dim, tag, name, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_names(reader *r)
{
  const PetscInt n = wring_scan_count(r->s, "the number of names");

  PetscFunctionBegin;
  wring_scan_end_line(r->s);
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) PetscCall(read_physical_name(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Skips the numbers of the bounding entities. */
static void skip_boundary(reader *r)
{
  const PetscInt n = wring_scan_long_count(r->s, "the number of bounding entities");
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) wring_scan_int(r->s, "the tag of an entity");
}

/* Tag, a point or a bounding box, the physical tags; the bounding entities are skipped. */
static PetscErrorCode read_entity(reader *r, int64_t dim)
{
  const int64_t line = wring_scan_place(r->s), tag = wring_tags_scan(r->s, "the tag of an entity");
  PetscInt      source;
  PetscBool     added;

  PetscFunctionBegin;
  for (int c = 0; c < (dim ? 6 : 3); c++) wring_scan_real(r->s, "a coordinate");
  PetscCall(wring_tags_source(&r->tags, dim, tag, &source, &added));
  if (!added) wring_scan_fail(r->s, line, "%s %lld is listed twice", wring_dimension_name[dim], (long long)tag);
  const PetscInt n = wring_scan_long_count(r->s, "the number of physical tags");
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++)
    PetscCall(wring_tags_add(&r->tags, wring_tags_scan(r->s, "a physical tag")));
  if (dim > 0) skip_boundary(r);
  if (wring_scan_ok(r->s)) wring_scan_end_line(r->s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entities(reader *r)
{
  PetscInt n[4];

  PetscFunctionBegin;
  for (int dim = 0; dim < 4; dim++) n[dim] = wring_scan_long_count(r->s, "a number of entities");
  wring_scan_end_line(r->s);
  for (int dim = 0; dim < 4; dim++)
    for (PetscInt i = 0; i < n[dim] && wring_scan_ok(r->s); i++) PetscCall(read_entity(r, dim));
  r->has_entities = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void read_node_tag(reader *r, PetscInt node)
{
  const int64_t line = wring_scan_place(r->s), tag = scan_tag(r, "the number of a node");
  if (wring_scan_ok(r->s) && tag < 1)
    wring_scan_fail(r->s, line, "node %lld, expected a number above 0", (long long)tag);
  r->raw->node_line[node] = line;
  r->raw->node_tag[node]  = tag;
}

static void read_coordinates(reader *r, PetscInt node)
{
  for (int c = 0; c < 3; c++) r->raw->X[3 * (size_t)node + (size_t)c] = wring_scan_real(r->s, "a finite coordinate");
}

/* Tags first, then coordinates; in parametric blocks the parameters of a node follow its coordinates. */
static void read_node_block(reader *r, PetscInt announced)
{
  wring_raw    *raw = r->raw;
  const int64_t dim = read_dimension(r);
  wring_tags_scan(r->s, "the tag of an entity");
  const int64_t  line = wring_scan_place(r->s), parametric = wring_scan_int(r->s, "0 or 1 (parametric)");
  const PetscInt n = wring_scan_long_count(r->s, "the number of nodes of the block");
  wring_scan_end_line(r->s);
  if (n > announced - raw->n_node)
    wring_scan_fail(r->s, line, "more nodes than the %" PetscInt_FMT " announced", announced);
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) {
    read_node_tag(r, raw->n_node + i);
    wring_scan_end_line(r->s);
  }
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) {
    read_coordinates(r, raw->n_node + i);
    for (int64_t c = 0; c < dim && parametric; c++) wring_scan_real(r->s, "a parametric coordinate");
    wring_scan_end_line(r->s);
  }
  raw->n_node += n;
}

static PetscErrorCode read_nodes(reader *r)
{
  wring_raw     *raw    = r->raw;
  const int64_t  line   = wring_scan_place(r->s);
  const PetscInt blocks = r->v41 ? wring_scan_long_count(r->s, "the number of blocks") : 1;

  PetscFunctionBegin;
  const PetscInt announced = wring_scan_long_count(r->s, "the number of nodes");
  for (int i = 0; i < 2 && r->v41; i++) wring_scan_long(r->s, "the smallest and the largest node number");
  end_count(r);
  PetscCall(wring_raw_make_nodes(raw, announced));
  for (PetscInt b = 0; b < blocks && r->v41 && wring_scan_ok(r->s); b++) read_node_block(r, announced);
  for (; raw->n_node < announced && !r->v41 && wring_scan_ok(r->s); raw->n_node++) {
    read_node_tag(r, raw->n_node);
    read_coordinates(r, raw->n_node);
    wring_scan_end_line(r->s);
  }
  if (raw->n_node < announced)
    wring_scan_fail(r->s, line, "%" PetscInt_FMT " nodes announced, %" PetscInt_FMT " found", announced, raw->n_node);
  r->has_nodes = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const element_type *check_type(reader *r, int64_t line, int64_t type)
{
  const element_type *t = find_type(type);
  if (t->nodes == 0)
    wring_scan_fail(r->s, line, "element type %lld (%s), expected first-order points, lines, triangles or tetrahedra",
                    (long long)type, t->name);
  return t;
}

/* The nodes of one element, and the end of its line. */
static PetscErrorCode read_element_nodes(reader *r, int64_t line, int64_t number, const element_type *t,
                                         PetscInt source)
{
  wring_element e = {.line = line, .number = number, .source = source, .n = t->nodes};

  PetscFunctionBegin;
  for (int a = 0; a < t->nodes; a++) e.tag[a] = scan_tag(r, "the number of a node");
  wring_scan_end_line(r->s);
  PetscCall(wring_raw_add_element(r->raw, r->s, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Version 2.2: the tags of an element, the physical one first, and its nodes. */
static PetscErrorCode read_tagged_nodes(reader *r, int64_t line, int64_t number, const element_type *t, PetscInt n_tag)
{
  const int64_t tag = n_tag > 0 ? wring_tags_scan(r->s, "a physical tag") : 0;
  PetscInt      source;
  PetscBool     added;

  PetscFunctionBegin;
  for (PetscInt i = 1; i < n_tag && wring_scan_ok(r->s); i++) wring_scan_int(r->s, "a tag");
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_tags_source(&r->tags, t->dim, tag, &source, &added));
  if (added) PetscCall(wring_tags_add(&r->tags, tag));
  PetscCall(read_element_nodes(r, line, number, t, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Version 2.2, text: number, type, number of tags, tags, nodes. */
static PetscErrorCode read_element(reader *r)
{
  const int64_t       line = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");
  const element_type *t     = check_type(r, line, wring_scan_int(r->s, "the type of an element"));
  const PetscInt      n_tag = wring_scan_count(r->s, "the number of tags");

  PetscFunctionBegin;
  PetscCall(read_tagged_nodes(r, line, number, t, n_tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Version 2.2, binary: a header with type, number of elements and of tags; then number, tags and nodes of each. */
static PetscErrorCode read_binary_elements(reader *r, PetscInt *left)
{
  const int64_t       place = wring_scan_place(r->s);
  const element_type *t     = check_type(r, place, wring_scan_int(r->s, "the type of an element"));
  const PetscInt      n     = wring_scan_count(r->s, "the number of elements of the block");
  const PetscInt      n_tag = wring_scan_count(r->s, "the number of tags");

  PetscFunctionBegin;
  if (wring_scan_ok(r->s) && (n > *left || n < 1))
    wring_scan_fail(r->s, place, "a block of %" PetscInt_FMT " elements, expected 1 to %" PetscInt_FMT, n, *left);
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) {
    const int64_t at = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");
    PetscCall(read_tagged_nodes(r, at, number, t, n_tag));
  }
  *left -= n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Version 4.1: dimension and tag of the entity, type, number of elements; then number and nodes of each. */
static PetscErrorCode read_element_block(reader *r, PetscInt *left)
{
  const int64_t line = wring_scan_place(r->s), dim = read_dimension(r),
                tag     = wring_tags_scan(r->s, "the tag of an entity");
  const element_type *t = check_type(r, line, wring_scan_int(r->s, "the type of an element"));
  const PetscInt      n = wring_scan_long_count(r->s, "the number of elements of the block");
  PetscInt            source;
  PetscBool           added;

  PetscFunctionBegin;
  wring_scan_end_line(r->s);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (t->dim != dim)
    wring_scan_fail(r->s, line, "a %s in an entity of dimension %lld, expected %d", t->name, (long long)dim, t->dim);
  if (n > *left)
    wring_scan_fail(r->s, line, "a block of %" PetscInt_FMT " elements, but only %" PetscInt_FMT " more are announced",
                    n, *left);
  if (r->has_entities && !wring_tags_has_source(&r->tags, dim, tag))
    wring_scan_fail(r->s, line, "%s %lld is not among the $Entities", wring_dimension_name[dim], (long long)tag);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_tags_source(&r->tags, dim, tag, &source, &added));
  for (PetscInt i = 0; i < n && wring_scan_ok(r->s); i++) {
    const int64_t element_line = wring_scan_place(r->s), number = wring_scan_long(r->s, "the number of an element");
    PetscCall(read_element_nodes(r, element_line, number, t, source));
  }
  *left -= n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements(reader *r)
{
  wring_raw     *raw    = r->raw;
  const int64_t  line   = wring_scan_place(r->s);
  const PetscInt blocks = r->v41 ? wring_scan_long_count(r->s, "the number of blocks") : 0;
  PetscInt       left   = wring_scan_long_count(r->s, "the number of elements");

  PetscFunctionBegin;
  for (int i = 0; i < 2 && r->v41; i++) wring_scan_long(r->s, "the smallest and the largest element number");
  end_count(r);
  if (!r->has_nodes) wring_scan_fail(r->s, line, "$Elements before $Nodes");
  PetscCall(wring_raw_make_tets(raw, left));
  for (PetscInt b = 0; b < blocks && wring_scan_ok(r->s); b++) PetscCall(read_element_block(r, &left));
  while (left > 0 && r->binary && !r->v41 && wring_scan_ok(r->s)) PetscCall(read_binary_elements(r, &left));
  for (; left > 0 && !r->v41 && wring_scan_ok(r->s); left--) PetscCall(read_element(r));
  if (left > 0)
    wring_scan_fail(r->s, line, "%" PetscInt_FMT " elements announced, %" PetscInt_FMT " of them are missing",
                    raw->tet_room, left);
  r->has_elements = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The tags before the rows of $ElementData: the name, and the numbers of components and rows. They are text even in
  binary files.
*/
typedef struct {
  const char *name;
  size_t      length;
  int64_t     components, rows;
} data_header;

static data_header read_data_header(reader *r)
{
  data_header    h         = {.name = ""};
  const PetscInt n_strings = wring_scan_count(r->s, "the number of string tags");
  wring_scan_end_line(r->s);
  for (PetscInt i = 0; i < n_strings && wring_scan_ok(r->s); i++) {
    const char  *text;
    const size_t length = read_quoted(r->s, &text);
    if (i == 0) h.name = text, h.length = length;
    wring_scan_end_line(r->s);
  }
  const PetscInt n_reals = wring_scan_count(r->s, "the number of real tags");
  wring_scan_end_line(r->s);
  for (PetscInt i = 0; i < n_reals && wring_scan_ok(r->s); i++) {
    wring_scan_real(r->s, "a real tag");
    wring_scan_end_line(r->s);
  }
  const int64_t  line   = wring_scan_place(r->s);
  const PetscInt n_ints = wring_scan_count(r->s, "the number of integer tags");
  if (wring_scan_ok(r->s) && n_ints < 3)
    wring_scan_fail(r->s, line, "%" PetscInt_FMT " integer tags, expected at least 3 (step, components, rows)", n_ints);
  for (PetscInt i = 0; i < n_ints && wring_scan_ok(r->s); i++) {
    wring_scan_end_line(r->s);
    const int64_t tag = wring_scan_int(r->s, "an integer tag");
    if (i == 1) h.components = tag;
    if (i == 2) h.rows = tag;
  }
  return h;
}

/* Reads a row, and stores it if d is not NULL. */
static PetscErrorCode read_data_row(reader *r, const data_header *h, wring_raw_data *d)
{
  const int64_t place = wring_scan_place(r->s), number = wring_scan_int(r->s, "the number of an element");

  PetscFunctionBegin;
  for (int64_t c = 0; c < h->components && wring_scan_ok(r->s); c++) {
    const double v = wring_scan_real(r->s, "a finite value");
    if (d) d->value[(size_t)d->n * (size_t)d->width + (size_t)c] = v;
  }
  if (!r->s->binary) wring_scan_end_line(r->s);
  if (!d || !wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  d->number[d->n]  = number;
  d->place[d->n++] = place;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Skips the rows of a section with another name. */
static PetscErrorCode read_element_data(reader *r)
{
  wring_raw_data   *d    = r->raw->data;
  const int64_t     line = wring_scan_place(r->s);
  const data_header h    = read_data_header(r);
  const PetscBool   is   = (PetscBool)(strlen(d->name) == h.length && !memcmp(d->name, h.name, h.length));

  PetscFunctionBegin;
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (is && d->found) wring_scan_fail(r->s, line, "a second $ElementData \"%s\", expected one", d->name);
  if (is && h.components != d->width)
    wring_scan_fail(r->s, line, "$ElementData \"%s\" has %lld components, expected %d", d->name,
                    (long long)h.components, d->width);
  if (h.components < 1 || h.components > 9 || h.rows < 0 || h.rows > (r->s->end - r->s->at) / 2)
    wring_scan_fail(r->s, line,
                    "%lld rows of %lld components, expected the number of rows that follow, of 1 to 9 components",
                    (long long)h.rows, (long long)h.components);
  if (r->binary)
    wring_scan_begin_binary(r->s);
  else
    wring_scan_end_line(r->s);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (is) PetscCall(PetscMalloc3(h.rows, &d->number, h.rows, &d->place, h.rows * d->width, &d->value));
  if (is) d->found = PETSC_TRUE;
  for (int64_t i = 0; i < h.rows && wring_scan_ok(r->s); i++) PetscCall(read_data_row(r, &h, is ? d : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  PetscBool   binary; // in binary files of 4.1
  PetscErrorCode (*read)(reader *);
} section;

static const section sections[] = {
  {"MeshFormat", PETSC_FALSE, read_format}, {"PhysicalNames", PETSC_FALSE, read_names},
  {"Entities", PETSC_TRUE, read_entities},  {"Nodes", PETSC_TRUE, read_nodes},
  {"Elements", PETSC_TRUE, read_elements},  {"ElementData", PETSC_FALSE, read_element_data}};

enum { N_SECTION = sizeof sections / sizeof sections[0], MAX_SECTION_NAME = 64 };

static PetscBool is_repeated(const reader *r, const section *k)
{
  return (PetscBool)((r->has_format && k->read == read_format) || (r->has_entities && k->read == read_entities) ||
                     (r->has_nodes && k->read == read_nodes) || (r->has_elements && k->read == read_elements));
}

/* Skips a section to its end: comments, periodic links, data that is not requested. */
static void skip_section(reader *r, int64_t line, const char *end)
{
  PetscBool found = PETSC_FALSE;
  while (!found && r->s->at < r->s->end) {
    found = wring_scan_word(r->s, end);
    wring_scan_skip_line(r->s);
  }
  if (!found) wring_scan_fail(r->s, line, "this section has no %s", end);
}

static PetscErrorCode read_section(reader *r)
{
  const char   *word;
  char          name[MAX_SECTION_NAME + 1] = "", end[MAX_SECTION_NAME + 5] = "$End";
  const int64_t line   = wring_scan_place(r->s);
  const size_t  length = wring_scan_peek(r->s, &word);

  PetscFunctionBegin;
  if (length < 2 || length > MAX_SECTION_NAME || word[0] != '$') {
    wring_scan_fail(r->s, line, "found '%.*s', expected a section ($Nodes, $Elements, ...)", (int)PetscMin(length, 20),
                    word);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  memcpy(name, word + 1, length - 1);
  strcat(end, name);
  r->s->at += length;
  for (int k = 0; k < N_SECTION; k++) {
    if (strcmp(name, sections[k].name) || (sections[k].read == read_element_data && !r->raw->data)) continue;
    if (r->binary && r->v41 && sections[k].binary)
      wring_scan_begin_binary(r->s);
    else
      wring_scan_end_line(r->s);
    if (k > 0 && !r->has_format) wring_scan_fail(r->s, line, "$%s before $MeshFormat", name);
    if (is_repeated(r, &sections[k])) wring_scan_fail(r->s, line, "a second $%s", name);
    if (wring_scan_ok(r->s)) PetscCall(sections[k].read(r));
    if (r->s->binary) wring_scan_end_binary(r->s);
    wring_scan_keyword(r->s, end);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  skip_section(r, line, end);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_gmsh_read(wring_scan *s, wring_raw *raw)
{
  reader r = {.s = s, .raw = raw, .tags = {.s = s, .raw = raw}};

  PetscFunctionBegin;
  while (wring_scan_ok(s) && s->at < s->end) PetscCall(read_section(&r));
  if (!r.has_format) wring_scan_fail(s, wring_scan_place(s), "the file ends without $MeshFormat");
  if (!r.has_nodes) wring_scan_fail(s, wring_scan_place(s), "the file ends without $Nodes");
  if (!r.has_elements) wring_scan_fail(s, wring_scan_place(s), "the file ends without $Elements");
  if (wring_scan_ok(s)) PetscCall(wring_tags_resolve(&r.tags));
  PetscCall(wring_tags_destroy(&r.tags));
  PetscFunctionReturn(PETSC_SUCCESS);
}
