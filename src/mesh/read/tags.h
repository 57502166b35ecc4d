/*
  Private to src/mesh: converts the integer tags of a file's elements to named groups: physical tags of Gmsh, references
  of MEDIT, attributes of TetGen. A tag N without a name is "tagN"; 0 means no tag.

  A reader adds sources (raw.h) while it reads elements; wring_tags_resolve converts their tags to groups at the end, so
  that names may precede or follow the elements. Faults are reported to the scanner.
*/
#pragma once
#include "raw.h"

typedef struct {
  wring_scan *s;            // borrowed, as is raw
  wring_raw  *raw;          // receives sources and groups
  wring_map   named, group; // group of a (dimension, tag) with a name in the file; of a hash of the name
  wring_map   source;       // of (dimension, tag)
  PetscInt    source_room, tag_room;
  int        *source_dim; // [n_source]
  int64_t    *tag;        // [source_start[n_source]] > 0
} wring_tags;

/* An empty wring_tags has s and raw set and is zero otherwise. */
PetscErrorCode wring_tags_destroy(wring_tags *t);

/* The next number of the line, a tag of at most 32 bits; `what` names it in the message. */
int64_t wring_tags_scan(wring_scan *s, const char *what);

/* Sets the name of (dim, tag). */
PetscErrorCode wring_tags_name(wring_tags *t, int64_t line, int64_t dim, int64_t tag, const char *name, size_t length);

/* The source of (dim, tag); *added: it is new and has no tags yet. */
PetscErrorCode wring_tags_source(wring_tags *t, int64_t dim, int64_t tag, PetscInt *source, PetscBool *added);
PetscBool      wring_tags_has_source(const wring_tags *t, int64_t dim, int64_t tag);

/* Adds a tag to the last source. A negative tag is the group with the opposite orientation. */
PetscErrorCode wring_tags_add(wring_tags *t, int64_t tag);

PetscErrorCode wring_tags_resolve(wring_tags *t);

extern const char *const wring_dimension_name[4]; // "point", "curve", "surface", "volume"
