/* What a result was made from: the deck, as typed, and the files that it names. */
#pragma once
#include <jansson.h>
#include <wring/problem.h>

/*
  Every key of the deck and of the command line but those that begin with one of the texts of `without`, whose end is
  NULL. *files: an object of the keys that name files: {"path", "sha256"}; `mesh_file_other` is the second file of
  TetGen's meshes; a checkpoint (initial_restart) has its seal for a hash. sha256 null: it cannot be read. checkpoint:
  that of a problem, "" without one. New reference. Not collective: rank 0.
*/
PetscErrorCode wring_inputs_files(const wring_options *o, const char *const *without, const char *checkpoint,
                                  json_t **files);

/* Removes the keys of an object that begin with one of these texts. */
void wring_inputs_leave_out(const char *const *without, json_t *keys);

/*
  The first key or file that differs from those of an earlier result, in a few words, such as "solver_type was qn, now
  pd"; "" if none does. Not collective.
*/
void wring_inputs_find_change(json_t *keys, json_t *old_keys, json_t *files, json_t *old_files, size_t size,
                              char *text);
