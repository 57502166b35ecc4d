/*
  wring converge: a deck at several levels of mesh, time step or both, and how its results converge. Read in this order:

    converge.c         overview: set up, run or take each level, measure, write, print
    converge_keys.c    keys; the deck of each level
    converge_check.c   what is refused before the first level runs
    converge_level.c   the run of a level
    converge_store.c   level.json: what is kept of a level, and whether it belongs to this deck and program
    converge_nested.c  displacements of all levels on the finest mesh, and their norms
    converge_orders.c  differences, errors, orders and limits
    converge_files.c   converge.csv, converge.json
    converge_show.c    tables on the screen
    converge_plot.c    converge.gp, the script of converge.png

  Level k has the mesh refined k times more than the deck's, or the time step h/2^k, or both; all levels end at the same
  time. Each level is a run in output.directory/level_k. docs/theory.md 11. Not here: the march (study/run), refinement
  and prolongation (src/mesh/refine).
*/
#pragma once
#include "study/common/command_keys.h"
#include "study/common/json.h"
#include "study/common/stop.h"
#include <wring/study.h>

enum { WRING_MAX_LEVELS = 11, WRING_QUANTITY_NAME = 128 };

/* A number that a level ends with. */
typedef struct {
  char   name[WRING_QUANTITY_NAME]; // "elastic"
  double value;                     // NaN: not defined
} wring_scalar;

/* A level; the values of a finished one are the same on all ranks. */
typedef struct {
  wring_options *deck;                          // of its run
  char           directory[PETSC_MAX_PATH_LEN]; // "out/level_0"
  PetscInt       refine, steps;                 // of mesh.refine; of time.steps
  double         step;                          // h [s]; in statics 1/steps
  PetscBool      finished;
  PetscBool      replaces; // files of a level that was not finished, or with output.overwrite those of another one
  PetscInt       vertices, unconverged; // steps that did not converge
  PetscInt64     tets, iterations, linear_iterations;
  double         time, seconds; // s: at the end of the run; of the solver
  int            n_scalar;
  wring_scalar  *scalar; // [n_scalar]
} wring_level;

/* Of a quantity at a level; NaN: not given. docs/theory.md (11.1)-(11.4) */
typedef struct {
  double value;
  double difference; // from the level before
  double error;      // from the finest level or from the table
  double order;      // by which difference or error have become smaller since the level before
  double estimate;   // of the error, by the order
  double limit;      // of the value, by the order
} wring_measure;

typedef struct {
  char          name[WRING_QUANTITY_NAME];
  PetscBool     scalar; // a number, whose differences have signs; otherwise a norm
  PetscBool     exact;  // errors are those from a table
  wring_measure at[WRING_MAX_LEVELS];
} wring_quantity;

typedef struct {
  MPI_Comm             comm;
  PetscMPIInt          rank, size;
  const wring_options *o;
  char                 directory[PETSC_MAX_PATH_LEN];
  PetscBool            in_mesh, in_time; // what becomes finer
  PetscBool            is_static;
  PetscInt64           tets;                      // of level 0
  int                  order;                     // of tets
  char                 table[PETSC_MAX_PATH_LEN]; // of exact positions, "": none
  json_t              *keys;                      // of rank 0: in force in the deck's problem
  int                  n;                         // levels
  int                  only;                      // the one level to run, -1: all
  wring_level          level[WRING_MAX_LEVELS];
  wring_stopper        stopper;
  wring_exit           status;
  double               volume; // m^3
  int                  n_quantity;
  wring_quantity      *quantity; // [n_quantity]
} wring_converge;

/* ---- keys, decks, refusals (converge_keys.c, converge_check.c); collective, as all functions but those marked ---- */

PetscErrorCode wring_converge_get_keys(const wring_options *o, wring_converge *c);
PetscErrorCode wring_converge_make_decks(wring_converge *c, PetscInt steps, double step);
PetscErrorCode wring_converge_destroy(wring_converge *c);

/* Refuses bad input, and makes the decks of the levels; then refuses levels that are too large, or no table's mesh. */
PetscErrorCode wring_converge_check(wring_converge *c);
PetscErrorCode wring_converge_check_finest(const wring_converge *c);

/* ---- levels (converge_level.c, converge_store.c) ----------------------------------------------------------------- */

/* Runs a level that is not finished; c->status: how it ended, WRING_EXIT_DONE if it is finished now. */
PetscErrorCode wring_level_run(wring_converge *c, int k);

/*
  Takes a finished level of the same program, keys in force and files from its directory. Sets an error, the same on all
  ranks, if the directory holds the files of another deck, program or run and output.overwrite is false.
*/
PetscErrorCode wring_level_take(const wring_converge *c, int k, wring_level *l, wring_error *e);

/* Writes level.json: of a level that is not finished, only the program, keys and files of the run in its directory. */
PetscErrorCode wring_level_store(const wring_converge *c, const wring_level *l);

/* What level.json and converge.json have of a finished level; to be released. Not collective. */
json_t *wring_level_results(const wring_level *l);

/* Adds a number to those of a level. Not collective. */
PetscErrorCode wring_level_add(wring_level *l, const char *name, double value);

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Fills c->quantity from the finished levels: norms of displacements (converge_nested.c), then scalars. */
PetscErrorCode wring_converge_measure(wring_converge *c);

enum { WRING_L2, WRING_H1, WRING_N_NORM }; // sqrt of the mean of |u|^2 over the volume [m], of |grad u|^2

/* Norms of a level's displacement, of its difference from the level before, of its error. */
typedef struct {
  double value[WRING_N_NORM], difference[WRING_N_NORM], error[WRING_N_NORM];
} wring_norms;

/* Fills norms [n] of the levels, with errors from the table or else from the finest level; and the volume [m^3]. */
PetscErrorCode wring_nested_measure(const wring_converge *c, wring_norms *norms, double *volume);

/* Refuses a table whose vertices are not those of a mesh. value [n_owned][3]: positions. */
PetscErrorCode wring_nested_read_table(const wring_converge *c, const wring_mesh *m, double **value);

/* ---- files and tables; the first three on rank 0, not collective ------------------------------------------------- */

void wring_converge_csv(const wring_converge *c, wring_error *e);
void wring_converge_json(const wring_converge *c, json_t *json, wring_error *e); // adds to json
void wring_converge_plot(const wring_converge *c, wring_ending *end, wring_error *e);

PetscErrorCode wring_converge_print(const wring_converge *c);
