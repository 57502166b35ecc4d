/*
  Private to src/mesh/read: what the two parts of Gmsh's reader share. gmsh.c reads sections, gmsh_rows.c their rows.
*/
#pragma once
#include "row_blocks.h"
#include "tags.h"

typedef struct {
  wring_scan      *s;
  wring_raw       *raw;
  PetscBool        v41, binary, has_format, has_entities, has_nodes, has_elements;
  wring_tags       tags;
  wring_row_blocks blocks;
} wring_gmsh;

typedef struct {
  int         type, dim, corners, nodes; // nodes 0: not read
  const char *name;
} wring_gmsh_type;

/* The type with this number, which must be one that is read: otherwise a fault at this line. */
const wring_gmsh_type *wring_gmsh_find_type(wring_scan *s, int64_t line, int64_t type);

/*
  Blocks, by their type and extra:
    nodes     extra: parameters after the coordinates of a node
    elements  type: of Gmsh; extra: in 2.2, tags of each, and WRING_GMSH_HEAD if each has its own head;
              WRING_ROW_ELEMENTS: rows of 2.2 that tell their type
    data      extra: components; also those of rows that are checked, but not kept
*/
enum { WRING_GMSH_HEAD = 1 << 30 };

/* Rows of text, or bytes, of a block: what wring_scan_go must pass. */
int64_t wring_gmsh_extent(const wring_gmsh *r, const wring_row_block *block);

/* Reads rows of a block: a wring_row_reader of a wring_gmsh. */
PetscErrorCode wring_gmsh_read_rows(void *reader, const wring_row_block *block, int64_t begin, int64_t end);
