/*
  Private to src/mesh/read: what the two parts of Gmsh's reader share. gmsh.c reads sections, gmsh_rows.c their rows.
*/
#pragma once
#include "row_blocks.h"
#include "tags.h"

enum { GMSH_FORMAT, GMSH_NAMES, GMSH_ENTITIES, GMSH_NODES, GMSH_ELEMENTS, GMSH_DATA, GMSH_SECTIONS };

typedef struct {
  wring_scan      *s;
  wring_raw       *raw;
  PetscBool        v41, binary, has[GMSH_SECTIONS]; // which sections were read
  wring_tags       tags;
  wring_row_blocks blocks;
  PetscInt         n_numbered; // nodes of 4.1 with a number, before they have coordinates
} wring_gmsh;

/* The next physical tag; a negative one is the group with the opposite orientation. */
static inline int64_t wring_gmsh_scan_tag(wring_gmsh *r)
{
  const int64_t tag = wring_tags_scan(r->s, "a physical tag");
  return tag < 0 ? -tag : tag;
}

typedef struct {
  int         type, dim, corners, nodes; // nodes 0: not read
  const char *name;
} wring_gmsh_type;

/* The type with this number, which must be one that is read: otherwise a fault at this line. */
const wring_gmsh_type *wring_gmsh_find_type(wring_scan *s, int64_t line, int64_t type);

/*
  Blocks, by their type and extra:
    nodes     in 4.1 numbers only; coordinates: extra: parameters after those of a node
    elements  type: of Gmsh; extra: in 2.2, tags of each, and WRING_GMSH_HEAD if each has its own head;
              WRING_ROW_ELEMENTS: rows of 2.2 that tell their type
    data      extra: components; also those of rows that are checked, but not kept
*/
enum { WRING_GMSH_HEAD = 1 << 30 };

int64_t wring_gmsh_width(const wring_gmsh *r, const wring_row_block *block); // of a row, from kind, type and extra

/* Reads a row of a block: a wring_row_reader of a wring_gmsh. */
PetscErrorCode wring_gmsh_read_row(void *reader, const wring_row_block *block, int64_t i);
