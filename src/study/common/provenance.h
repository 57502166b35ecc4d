/* Provenance of a result: the record of a command, its keys and the files that they name, and that of its problem. */
#pragma once
#include "output/record/record.h"

/*
  *made: how and where the results of a command are made, which does not change while it runs: `schema`, `command`,
  `command_line`, `started`, `working_directory`, versions, `libraries`, `build`, ranks and threads, `hosts`,
  `ranks_per_host`, `processor`, `binding`, `job`, `deck_sha256`, `mesh_sha256`, `files`. Reads the deck and every file
  that it names, on rank 0. checkpoint: that of a problem, "" without one; the mesh of a deck that names none is then
  that of the first run of its chain. New reference; on other ranks it has no more than `command`. Collective.
*/
PetscErrorCode wring_provenance_begin(const wring_options *o, const char *command, const char *checkpoint,
                                      json_t **made);

/* The same with `date` and the keys in force of a command on its own. New reference. Collective. */
PetscErrorCode wring_provenance_of_command(const wring_options *o, const char *command, const char *checkpoint,
                                           json_t **json);

/*
  A copy of `made` with `date`, keys in force (solver [n_solver]: wring_keys_in_force), mesh, operator, cost. New
  reference. Collective.
*/
PetscErrorCode wring_provenance(wring_problem *p, const json_t *made, PetscInt n_solver, const char *const *solver,
                                json_t **json);

/* Keeps the words of a command line in the database, quoted for a shell. Logically collective. */
PetscErrorCode wring_provenance_keep_words(int n, char *const *word, wring_options *o);

/*
  *files: an object of the keys that name files: {"path", "sha256"}; `mesh_file_other` is the second file of TetGen's
  meshes; a checkpoint (initial_restart) has its seal for a hash. sha256 null: it cannot be read. checkpoint: that of a
  problem, "" without one. New reference. Not collective: rank 0.
*/
PetscErrorCode wring_provenance_files(const wring_options *o, const char *checkpoint, json_t **files);
