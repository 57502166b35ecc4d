/*
  Private to src/mesh: integer tags of a file's elements become named groups. Physical tags of Gmsh, references of
  MEDIT, attributes of TetGen: a tag without a name is "tagN", 0 is none.

  A reader adds sources (raw.h) while it reads elements; wring_tags_resolve makes groups of their tags at the end, so
  that names may come before or after. Faults go to the scanner.
*/
#pragma once
#include "raw.h"

typedef struct {
  wring_scan *s;            // borrowed, as is raw
  wring_raw  *raw;          // its sources and groups are filled
  wring_map   named, group; // group of (dimension, tag) as the file names it; of a hash of the name
  wring_map   source;       // of (dimension, tag)
  PetscInt    source_room, tag_room;
  int        *source_dim; // [n_source]
  int64_t    *tag;        // [source_start[n_source]] > 0
} wring_tags;

/* s and raw set, the rest zero, is an empty one. */
PetscErrorCode wring_tags_destroy(wring_tags *t);

/* The next number of the line, a tag of at most 32 bits; `what` names it in the message. */
int64_t wring_tags_scan(wring_scan *s, const char *what);

/* Says that (dim, tag) has this name. */
PetscErrorCode wring_tags_name(wring_tags *t, int64_t line, int64_t dim, int64_t tag, const char *name, size_t length);

/* The source of (dim, tag); *added: it is new and has no tags yet. */
PetscErrorCode wring_tags_source(wring_tags *t, int64_t dim, int64_t tag, PetscInt *source, PetscBool *added);
PetscBool      wring_tags_has_source(const wring_tags *t, int64_t dim, int64_t tag);

/* Adds a tag to the last source. A negative one is a group with the other orientation. */
PetscErrorCode wring_tags_add(wring_tags *t, int64_t tag);

PetscErrorCode wring_tags_resolve(wring_tags *t);

extern const char *const wring_dimension_name[4]; // "point", "curve", "surface", "volume"
