/*
  Provenance of a result: what it was made from, how and where; and its cost. Read in this order:

    record.c        the record of a command, and that of a problem with its cost; the files that a deck names
    libraries.c     versions of libraries, and how wring was compiled
    machine.c       hosts, ranks, processor, cores, the job of a batch system
*/
#pragma once
#include "io/json.h"
#include <wring/problem.h>

/* "wring 0.2.0 (commit), PETSc 3.18.5, Open MPI v4.1.4, gcc 12.2.0". Not collective. */
void wring_version_line(size_t size, char *line);

/*
  *made: how and where the results of a command are made, which does not change while it runs: `schema`, `command`,
  `command_line`, `started`, `working_directory`, versions, `libraries`, `build`, ranks and threads, `hosts`,
  `ranks_per_host`, `processor`, `binding`, `job`, `deck_sha256`, `mesh_sha256`, `files`. Reads the deck and every file
  that it names, on rank 0: once for a command. checkpoint: that of a problem, "" without one. New reference; on other
  ranks it has no more than `command`. Collective.
*/
PetscErrorCode wring_provenance_begin(const wring_options *o, const char *command, const char *checkpoint,
                                      json_t **made);

/* The same with `date` and the keys in force of a command without a problem. New reference. Collective. */
PetscErrorCode wring_provenance_of_command(const wring_options *o, const char *command, json_t **json);

/* Adds the time now, UTC, such as "2026-11-22T15:23:41Z". Not collective. */
void wring_provenance_date(const char *key, json_t *json);

/*
  A copy of `made` with `date`, keys in force (solver [n_solver]: wring_keys_in_force), mesh, operator, cost. New
  reference. Collective.
*/
PetscErrorCode wring_provenance(wring_problem *p, const json_t *made, PetscInt n_solver, const char *const *solver,
                                json_t **json);

/* Keeps the words of a command line in the database, quoted for a shell. Logically collective. */
PetscErrorCode wring_provenance_keep_words(int n, char *const *word, wring_options *o);

/* ---- parts of the record ----------------------------------------------------------------------------------------- */

/*
  *files: an object of the keys that name files: {"path", "sha256"}; `mesh_file_other` is the second file of TetGen's
  meshes; a checkpoint (initial_restart) has its seal for a hash. sha256 null: it cannot be read. checkpoint: that of a
  problem, "" without one. New reference. Not collective: rank 0.
*/
PetscErrorCode wring_record_files(const wring_options *o, const char *checkpoint, json_t **files);

/* Adds `hosts`, `ranks_per_host`, `processor`, `binding`, `job`. Collective; the object of rank 0 is filled. */
PetscErrorCode wring_record_machine(MPI_Comm comm, json_t *json);

/* Adds `libraries`: an object of names and versions; and `build`. Not collective. */
void wring_record_libraries(json_t *json);
void wring_record_build(json_t *json);

/* "Open MPI v4.1.4"; "gcc 12.2.0". */
void        wring_mpi_version(size_t size, char *text);
void        wring_petsc_version(size_t size, char *text);
const char *wring_compiler(void);
