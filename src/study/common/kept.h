/*
  Results that the same command takes when it is started again, in JSON files. Each has its origin, what it belongs to:
  the program, the keys in force with their defaults, the files that the deck names.
*/
#pragma once
#include "io/json.h"
#include <wring/options.h>

/*
  *origin: `schema`, `keys`, `files`. Takes over keys, those in force, of which those that change no result are left
  out, and those of other commands than `command`. checkpoint: that of a problem, "" without one. New reference. Rank 0.
*/
PetscErrorCode wring_kept_origin(const wring_options *o, const char *command, const char *checkpoint, json_t *keys,
                                 json_t **origin);

/*
  *result: what a file contains, NULL if there is none, and NULL with an error on rank 0 if it cannot be read. change:
  what differs from the origin (of rank 0; NULL: it is not looked at), which the file has beside the result, in a few
  words, such as "solver_type was qn, now pd"; empty if nothing does. Both are the same on all ranks. New reference.
  Collective.
*/
PetscErrorCode wring_kept_read(MPI_Comm comm, const char *path, const json_t *origin, wring_error *change,
                               json_t **result, wring_error *e);

/*
  Adds "; solver_type was qn, now pd" to change [size] for each key of one of the objects whose values differ; counts:
  only keys for which it is true; NULL: all. Not collective.
*/
void wring_kept_describe(json_t *before, json_t *now, PetscBool (*counts)(const char *key), size_t size, char *change);
