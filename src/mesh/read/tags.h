/*
  Private to src/mesh: converts the integer tags of a file's elements to named groups: physical tags of Gmsh, references
  of MEDIT, attributes of TetGen. A tag N without a name is "tagN"; 0 means no tag. Each rank adds sources (raw.h) while
  it reads elements; names, which only rank 0 has, may precede or follow them. Faults are reported to the scanner.
*/
#pragma once
#include "raw.h"

typedef struct {
  int64_t key, seen; // (dimension, tag); offset in the file after its first element, or so
} wring_sighting;

/* Empty: s and raw are set, the rest is zero. */
typedef struct {
  wring_scan     *s;            // borrowed, as is raw
  wring_raw      *raw;          // receives sources and groups
  wring_map       named, group; // group of a (dimension, tag) with a name in the file; of a hash of the name
  wring_map       source;       // of (dimension, tag)
  PetscInt        source_room, tag_room;
  wring_sighting *first; // [n_source]
  int64_t        *tag;   // [source_start[n_source]] not 0
} wring_tags;

/* The next number of the line, a tag of at most 32 bits; `what` names it in the message. */
int64_t wring_tags_scan(wring_scan *s, const char *what);

/* Sets the name of (dim, tag). */
PetscErrorCode wring_tags_name(wring_tags *t, int64_t line, int64_t dim, int64_t tag, const char *name, size_t length);

/* The source of (dim, tag); *added: it is new and has no tags yet. */
PetscErrorCode wring_tags_source(wring_tags *t, int64_t dim, int64_t tag, PetscInt *source, PetscBool *added);
PetscBool      wring_tags_has_source(const wring_tags *t, int64_t dim, int64_t tag);

/* Adds a tag to the last source. */
PetscErrorCode wring_tags_add(wring_tags *t, int64_t tag);

/* The source of an element that has one tag. */
PetscErrorCode wring_tags_element(wring_tags *t, int64_t dim, int64_t tag, PetscInt *source);

/*
  Converts the tags of sources to groups, and gives every rank the sources and groups; frees t. each: every rank has
  sources, of rows that each have one tag, which become those of all, in the order of the file; otherwise those of rank
  0 count. Collective.
*/
PetscErrorCode wring_tags_finish(wring_tags *t, PetscBool each);

extern const char *const wring_dimension_name[4]; // "point", "curve", "surface", "volume"
