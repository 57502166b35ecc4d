/* The files that a result was made from. */
#pragma once
#include <jansson.h>
#include <wring/problem.h>

/*
  *files: an object of the keys that name files: {"path", "sha256"}; `mesh_file_other` is the second file of TetGen's
  meshes; a checkpoint (initial_restart) has its seal for a hash. sha256 null: it cannot be read. checkpoint: that of a
  problem, "" without one. New reference. Not collective: rank 0.
*/
PetscErrorCode wring_inputs_files(const wring_options *o, const char *checkpoint, json_t **files);
