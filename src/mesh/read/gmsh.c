/*
  Gmsh MSH 2.2 and 4.1, ASCII and binary [gmsh.info/doc/texinfo/gmsh.html, "MSH file format" and its legacy version 2].

  $Entities, $Nodes and $Elements are in this order, as Gmsh writes them. Elements keep their source (raw.h): the
  physical tag in 2.2, the entity in 4.1; its tags are converted to names when the whole file has been read.
*/
#include "gmsh.h"
#include <string.h>

static const char *const formats[2][2] = {{"Gmsh 2.2, ASCII", "Gmsh 2.2, binary"},
                                          {"Gmsh 4.1, ASCII", "Gmsh 4.1, binary"}};

static int64_t read_dimension(wring_gmsh *r)
{
  const int64_t line = wring_scan_place(r->s), dim = wring_scan_int(r->s, "a dimension from 0 to 3");
  if (dim >= 0 && dim <= 3) return dim;
  wring_scan_fail(r->s, line, "dimension %lld, expected 0 to 3", (long long)dim);
  return 0;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* Follows the format of a binary file: the integer 1. */
static void read_byte_order(wring_gmsh *r)
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

/* Ends a line, which a binary part follows or another one. */
static void end_line(wring_gmsh *r, int binary)
{
  if (binary)
    wring_scan_begin_binary(r->s);
  else
    wring_scan_end_line(r->s);
}

static PetscErrorCode read_format(wring_gmsh *r)
{
  const char   *version;
  const int64_t line   = wring_scan_place(r->s);
  const size_t  length = wring_scan_peek(r->s, &version);

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

static PetscErrorCode read_physical_name(wring_gmsh *r)
{
  const char   *name;
  const int64_t line = wring_scan_place(r->s), dim = read_dimension(r), tag = wring_tags_scan(r->s, "a physical tag");
  const size_t  length = read_quoted(r->s, &name);

  PetscFunctionBegin;
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (length == 0)
    wring_scan_fail(r->s, line, "an empty name, expected the name of a physical %s", wring_dimension_name[dim]);
  if (memchr(name, '\0', length)) wring_scan_fail(r->s, line, "a zero byte in a name");
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_tags_name(&r->tags, line, dim, tag, name, length));
  wring_scan_end_line(r->s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_names(wring_gmsh *r)
{
  const int64_t n = wring_scan_count(r->s, "the number of names");

  PetscFunctionBegin;
  wring_scan_end_line(r->s);
  for (int64_t i = 0; i < n && wring_scan_ok(r->s); i++) PetscCall(read_physical_name(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tag, a point or a bounding box, the physical tags; the bounding entities are skipped. */
static PetscErrorCode read_entity(wring_gmsh *r, int64_t dim)
{
  const int64_t line = wring_scan_place(r->s), tag = wring_tags_scan(r->s, "the tag of an entity");
  PetscInt      source;
  PetscBool     added;

  PetscFunctionBegin;
  for (int c = 0; c < (dim ? 6 : 3); c++) wring_scan_real(r->s, "a coordinate");
  PetscCall(wring_tags_source(&r->tags, dim, tag, &source, &added));
  if (!added) wring_scan_fail(r->s, line, "%s %lld is listed twice", wring_dimension_name[dim], (long long)tag);
  int64_t n = wring_scan_long_count(r->s, "the number of physical tags");
  for (int64_t i = 0; i < n && wring_scan_ok(r->s); i++) PetscCall(wring_tags_add(&r->tags, wring_gmsh_scan_tag(r)));
  n = dim > 0 ? wring_scan_long_count(r->s, "the number of bounding entities") : 0;
  for (int64_t i = 0; i < n && wring_scan_ok(r->s); i++) wring_scan_int(r->s, "the tag of an entity");
  if (wring_scan_ok(r->s)) wring_scan_end_line(r->s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entities(wring_gmsh *r)
{
  int64_t n[4];

  PetscFunctionBegin;
  for (int dim = 0; dim < 4; dim++) n[dim] = wring_scan_long_count(r->s, "a number of entities");
  wring_scan_end_line(r->s);
  for (int dim = 0; dim < 4; dim++)
    for (int64_t i = 0; i < n[dim] && wring_scan_ok(r->s); i++) PetscCall(read_entity(r, dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_block(wring_gmsh *r, wring_row_block block)
{
  PetscFunctionBegin;
  block.width = wring_gmsh_width(r, &block);
  PetscCall(wring_row_blocks_add(&r->blocks, r->s, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tags first, then coordinates; in parametric blocks the parameters of a node follow its coordinates. */
static PetscErrorCode read_node_block(wring_gmsh *r, int64_t announced)
{
  wring_row_block block = {.kind = WRING_ROW_NODES};
  const int64_t   dim   = read_dimension(r);

  PetscFunctionBegin;
  wring_tags_scan(r->s, "the tag of an entity");
  const int64_t line       = wring_scan_place(r->s);
  const int     parameters = wring_scan_int(r->s, "0 or 1 (parametric)") ? (int)dim : 0;
  block.n                  = wring_scan_long_count(r->s, "the number of nodes of the block");
  wring_scan_end_line(r->s);
  if (block.n > announced - r->blocks.total[WRING_ROW_NODES])
    wring_scan_fail(r->s, line, "more nodes than the %lld announced", (long long)announced);
  PetscCall(add_block(r, block));
  PetscCall(add_block(r, (wring_row_block){.kind = WRING_ROW_COORDINATES, .extra = parameters, .n = block.n}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_nodes(wring_gmsh *r)
{
  const int64_t line   = wring_scan_place(r->s);
  const int64_t blocks = r->v41 ? wring_scan_long_count(r->s, "the number of blocks") : 0;

  PetscFunctionBegin;
  const int64_t n = wring_scan_long_count(r->s, "the number of nodes");
  for (int i = 0; i < 2 && r->v41; i++) wring_scan_long(r->s, "the smallest and the largest node number");
  end_line(r, r->binary && !r->v41);
  for (int64_t b = 0; b < blocks && wring_scan_ok(r->s); b++) PetscCall(read_node_block(r, n));
  if (!r->v41) PetscCall(add_block(r, (wring_row_block){.kind = WRING_ROW_NODES, .n = n}));
  if (r->blocks.total[WRING_ROW_NODES] < n)
    wring_scan_fail(r->s, line, "%lld nodes announced, %lld found", (long long)n,
                    (long long)r->blocks.total[WRING_ROW_NODES]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static wring_row_kind kind_of(const wring_gmsh_type *t)
{
  return t->dim == 3 ? WRING_ROW_TETS : WRING_ROW_LOWER;
}

/* Adds an element with its own head to the last block, if that has the like of it up to here. */
static PetscBool append_element(wring_gmsh *r, const wring_row_block *element)
{
  wring_row_blocks *const b    = &r->blocks;
  wring_row_block *const  last = b->n ? &b->block[b->n - 1] : NULL;
  if (!last || last->kind != element->kind || last->type != element->type || last->extra != element->extra ||
      last->start + last->n * last->width != element->start)
    return PETSC_FALSE;
  last->n++;
  b->total[element->kind]++;
  wring_scan_go(r->s, last->start + last->n * last->width);
  return PETSC_TRUE;
}

/*
  Version 2.2, binary: a head with type, number of elements and of tags; then number, tags and nodes of each. Gmsh gives
  each element a head of its own.
*/
static PetscErrorCode read_binary_elements(wring_gmsh *r, int64_t *left)
{
  const int64_t          place = wring_scan_place(r->s);
  const wring_gmsh_type *t     = wring_gmsh_find_type(r->s, place, wring_scan_int(r->s, "the type of an element"));
  const int64_t          n     = wring_scan_count(r->s, "the number of elements of the block");
  const int64_t          n_tag = wring_scan_count(r->s, "the number of tags");
  wring_row_block        block = {.kind = kind_of(t), .type = t->type, .extra = (int)n_tag, .n = n};

  PetscFunctionBegin;
  if (wring_scan_ok(r->s) && (n > *left || n < 1))
    wring_scan_fail(r->s, place, "a block of %lld elements, expected 1 to %lld", (long long)n, (long long)*left);
  if (n_tag >= WRING_GMSH_HEAD)
    wring_scan_fail(r->s, place, "%lld tags, expected less than %d", (long long)n_tag, WRING_GMSH_HEAD);
  *left -= n;
  if (n == 1) {
    block.start = place;
    block.extra |= WRING_GMSH_HEAD;
    if (wring_scan_ok(r->s) && append_element(r, &block)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(add_block(r, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Version 4.1: dimension and tag of the entity, type, number of elements; then number and nodes of each. */
static PetscErrorCode read_element_block(wring_gmsh *r, int64_t *left)
{
  const int64_t line = wring_scan_place(r->s), dim = read_dimension(r),
                tag            = wring_tags_scan(r->s, "the tag of an entity");
  const wring_gmsh_type *t     = wring_gmsh_find_type(r->s, line, wring_scan_int(r->s, "the type of an element"));
  const int64_t          n     = wring_scan_long_count(r->s, "the number of elements of the block");
  wring_row_block        block = {.kind = kind_of(t), .type = t->type, .n = n};
  PetscBool              added;

  PetscFunctionBegin;
  wring_scan_end_line(r->s);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (t->dim != dim)
    wring_scan_fail(r->s, line, "a %s in an entity of dimension %lld, expected %d", t->name, (long long)dim, t->dim);
  if (n > *left)
    wring_scan_fail(r->s, line, "a block of %lld elements, but only %lld more are announced", (long long)n,
                    (long long)*left);
  if (r->has[GMSH_ENTITIES] && !wring_tags_has_source(&r->tags, dim, tag))
    wring_scan_fail(r->s, line, "%s %lld is not among the $Entities", wring_dimension_name[dim], (long long)tag);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_tags_source(&r->tags, dim, tag, &block.source, &added));
  *left -= n;
  PetscCall(add_block(r, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_elements(wring_gmsh *r)
{
  const int64_t line   = wring_scan_place(r->s);
  const int64_t blocks = r->v41 ? wring_scan_long_count(r->s, "the number of blocks") : 0;

  PetscFunctionBegin;
  const int64_t n    = wring_scan_long_count(r->s, "the number of elements");
  int64_t       left = n;
  for (int i = 0; i < 2 && r->v41; i++) wring_scan_long(r->s, "the smallest and the largest element number");
  end_line(r, r->binary && !r->v41);
  if (!r->has[GMSH_NODES]) wring_scan_fail(r->s, line, "$Elements before $Nodes");
  for (int64_t b = 0; b < blocks && wring_scan_ok(r->s); b++) PetscCall(read_element_block(r, &left));
  while (left > 0 && r->binary && !r->v41 && wring_scan_ok(r->s)) PetscCall(read_binary_elements(r, &left));
  if (!r->binary && !r->v41) {
    PetscCall(add_block(r, (wring_row_block){.kind = WRING_ROW_ELEMENTS, .n = n}));
    left = 0;
  }
  if (left > 0)
    wring_scan_fail(r->s, line, "%lld elements announced, %lld of them are missing", (long long)n, (long long)left);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/*
  The tags before the rows of $ElementData: the name, and the numbers of components and rows. They are text even in
  binary files.
*/
typedef struct {
  PetscBool is; // of the name that is requested
  int64_t   components, rows;
} data_header;

/* The first string is the name. */
static PetscBool read_data_name(wring_gmsh *r, int64_t n)
{
  PetscBool is = (PetscBool)!r->raw->data->name[0];
  for (int64_t i = 0; i < n && wring_scan_ok(r->s); i++) {
    const char  *text;
    const size_t length = read_quoted(r->s, &text);
    if (i == 0) is = (PetscBool)(strlen(r->raw->data->name) == length && !memcmp(r->raw->data->name, text, length));
    wring_scan_end_line(r->s);
  }
  return is;
}

static data_header read_data_header(wring_gmsh *r)
{
  data_header   h         = {PETSC_FALSE, 0, 0};
  const int64_t n_strings = wring_scan_count(r->s, "the number of string tags");
  wring_scan_end_line(r->s);
  h.is                  = read_data_name(r, n_strings);
  const int64_t n_reals = wring_scan_count(r->s, "the number of real tags");
  wring_scan_end_line(r->s);
  for (int64_t i = 0; i < n_reals && wring_scan_ok(r->s); i++) {
    wring_scan_real(r->s, "a real tag");
    wring_scan_end_line(r->s);
  }
  const int64_t line   = wring_scan_place(r->s);
  const int64_t n_ints = wring_scan_count(r->s, "the number of integer tags");
  if (wring_scan_ok(r->s) && n_ints < 3)
    wring_scan_fail(r->s, line, "%lld integer tags, expected at least 3 (step, components, rows)", (long long)n_ints);
  for (int64_t i = 0; i < n_ints && wring_scan_ok(r->s); i++) {
    wring_scan_end_line(r->s);
    const int64_t tag = wring_scan_int(r->s, "an integer tag");
    if (i == 1) h.components = tag;
    if (i == 2) h.rows = tag;
  }
  return h;
}

/* The rows of a section with another name are only checked. */
static PetscErrorCode read_element_data(wring_gmsh *r)
{
  wring_raw_data   *d    = r->raw->data;
  const int64_t     line = wring_scan_place(r->s);
  const data_header h    = read_data_header(r);

  PetscFunctionBegin;
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (h.is && d->found) wring_scan_fail(r->s, line, "a second $ElementData \"%s\", expected one", d->name);
  if (h.is && h.components != d->width)
    wring_scan_fail(r->s, line, "$ElementData \"%s\" has %lld components, expected %d", d->name,
                    (long long)h.components, d->width);
  if (h.components < 1 || h.components > 9 || h.rows < 0 || h.rows > (r->s->size - wring_scan_offset(r->s)) / 2)
    wring_scan_fail(r->s, line,
                    "%lld rows of %lld components, expected the number of rows that follow, of 1 to 9 components",
                    (long long)h.rows, (long long)h.components);
  end_line(r, r->binary);
  if (!wring_scan_ok(r->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (h.is) d->found = PETSC_TRUE;
  const wring_row_kind kind = h.is ? WRING_ROW_DATA : WRING_ROW_OTHER;
  PetscCall(add_block(r, (wring_row_block){.kind = kind, .extra = (int)h.components, .n = h.rows}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

enum { ONCE = 1, REQUIRED = 2, BINARY = 4, MAX_SECTION_NAME = 64 }; // BINARY: in binary files of 4.1

typedef struct {
  const char *name;
  int         is;
  PetscErrorCode (*read)(wring_gmsh *);
} section;

static const section sections[GMSH_SECTIONS] = {
  [GMSH_FORMAT]   = {"MeshFormat", ONCE | REQUIRED, read_format},
  [GMSH_NAMES]    = {"PhysicalNames", 0, read_names},
  [GMSH_ENTITIES] = {"Entities", ONCE | BINARY, read_entities},
  [GMSH_NODES]    = {"Nodes", ONCE | REQUIRED | BINARY, read_nodes},
  [GMSH_ELEMENTS] = {"Elements", ONCE | REQUIRED | BINARY, read_elements},
  [GMSH_DATA]     = {"ElementData", 0, read_element_data},
};

/* Skips a section to its end: comments, periodic links, data that is not requested. */
static void skip_section(wring_gmsh *r, int64_t line, const char *end)
{
  PetscBool found = PETSC_FALSE;
  while (!found && r->s->at < r->s->end) {
    found = wring_scan_word(r->s, end);
    wring_scan_skip_line(r->s);
  }
  if (!found) wring_scan_fail(r->s, line, "this section has no %s", end);
}

static PetscErrorCode read_section(wring_gmsh *r)
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
  for (int k = 0; k < GMSH_SECTIONS; k++) {
    if (strcmp(name, sections[k].name) || (sections[k].read == read_element_data && !r->raw->data)) continue;
    end_line(r, r->binary && r->v41 && sections[k].is & BINARY);
    if (k > 0 && !r->has[GMSH_FORMAT]) wring_scan_fail(r->s, line, "$%s before $MeshFormat", name);
    if (r->has[k] && sections[k].is & ONCE) wring_scan_fail(r->s, line, "a second $%s", name);
    if (wring_scan_ok(r->s)) PetscCall(sections[k].read(r));
    r->has[k] = PETSC_TRUE;
    if (r->s->binary) wring_scan_end_binary(r->s);
    wring_scan_keyword(r->s, end);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  skip_section(r, line, end);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the file has binary parts, from its $MeshFormat; faults are found later. Moves to the end of that line. */
static PetscBool has_binary(wring_scan *s)
{
  const char *word;
  while (s->at < s->end && !wring_scan_word(s, "$MeshFormat")) wring_scan_skip_line(s);
  wring_scan_skip_line(s);
  s->at += wring_scan_peek(s, &word);
  return (PetscBool)(wring_scan_peek(s, &word) == 1 && *word == '1');
}

/* Gives all ranks what rank 0 knows of the format. */
static PetscErrorCode share_format(wring_gmsh *r)
{
  PetscBool known[4] = {r->v41, r->binary, r->s->by_byte, (PetscBool)(r->raw->data && r->raw->data->found)};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(known, 4, WRING_MPI_BOOL, 0, r->s->comm));
  r->v41         = known[0];
  r->binary      = known[1];
  r->s->by_byte  = known[2];
  r->s->binary   = r->binary; // as all rows are
  r->raw->format = formats[r->v41][r->binary];
  if (r->raw->data) r->raw->data->found = known[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_gmsh_read(wring_scan *s, wring_raw *raw)
{
  wring_gmsh r      = {.s = s, .raw = raw, .tags = {.s = s, .raw = raw}};
  PetscBool  binary = PETSC_FALSE;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(s->comm);
  if (rank == 0) binary = has_binary(s);
  PetscCallMPI(MPI_Bcast(&binary, 1, WRING_MPI_BOOL, 0, s->comm));
  if (binary)
    wring_scan_rewind(s);
  else
    PetscCall(wring_scan_index(s, PETSC_FALSE));
  while (rank == 0 && wring_scan_ok(s) && s->at < s->end) PetscCall(read_section(&r));
  for (int k = 0; k < GMSH_SECTIONS && rank == 0; k++) // rank 0 has read all but the rows
    if ((sections[k].is & REQUIRED) && !r.has[k])
      wring_scan_fail(s, wring_scan_place(s), "the file ends without $%s", sections[k].name);
  PetscCall(share_format(&r));
  if (!r.binary && s->lines.n == 0) PetscCall(wring_scan_index(s, PETSC_FALSE)); // the line was not that of a section
  PetscCall(wring_row_blocks_read(&r.blocks, s, raw, wring_gmsh_read_row, &r));
  PetscCall(wring_tags_finish(&r.tags, (PetscBool)!r.v41));
  PetscFunctionReturn(PETSC_SUCCESS);
}
