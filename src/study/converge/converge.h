/*
  wring converge: a deck at several levels of mesh, time step or both, and how its results converge. Read in this order:

    converge.c         overview: set up, run or take each level, measure, write, print
    converge_keys.c    keys; the deck of each level; what is refused before the first level runs
    converge_level.c   the run of a level; level.json: what is kept of it, if it belongs to this deck and program
    converge_nested.c  displacements of all levels on the finest mesh, and their norms
    converge_orders.c  differences, errors, orders and limits
    converge_files.c   converge.csv, converge.json, tables on the screen
    converge_plot.c    converge.gp, the script of converge.png

  Level k has the mesh refined k times more than the deck's, or the time step h/2^k, or both; all levels end at the same
  time. Each level is a run in output.directory/level_k. docs/theory.md 11. Not here: the march (study/run), refinement
  and prolongation (src/mesh/refine).
*/
#pragma once
#include "study/common/command_keys.h"
#include "io/json.h"
#include "study/common/stop.h"
#include <wring/study.h>

enum { WRING_MAX_LEVELS = 11 };

typedef struct {
  wring_options *deck;                          // of its run
  char           directory[PETSC_MAX_PATH_LEN]; // "out/level_0"
  PetscInt       refine, steps;                 // of mesh.refine; of time.steps
  double         step;                          // h [s]; in statics 1/steps
  PetscBool      replaces; // files of a level that was not finished, or with output.overwrite those of another one
  /*
    Of a finished level, the same on all ranks, otherwise NULL: vertices, tets, time (s, at the end of the run),
    iterations, linear_iterations, seconds (of the solver), steps_not_converged, and an object `scalars` of the numbers
    that it ends with, such as "elastic"; null: not defined.
  */
  json_t *results;
} wring_converge_level;

/* What is measured of a quantity at a level. docs/theory.md (11.1)-(11.4) */
typedef enum {
  WRING_OF_VALUE,
  WRING_OF_DIFFERENCE, // from the level before
  WRING_OF_ERROR,      // from the finest level or from the table
  WRING_OF_ORDER,      // by which difference or error have become smaller since the level before
  WRING_OF_ESTIMATE,   // of the error, by the order
  WRING_OF_LIMIT,      // of the value, by the order, where two orders agree and are near that of the elements
  WRING_OF_GCI,        // grid convergence index, a bound of the relative error
  WRING_N_MEASURE
} wring_measure;

typedef struct {
  const char *name;                                  // borrowed
  PetscBool   scalar;                                // a number, whose differences have signs; otherwise a norm
  PetscBool   exact;                                 // errors are those from a table
  PetscBool   noise;                                 // its differences are round-off: it is not shown
  const char *verdict;                               // "converges", "diverges", ...: static
  double      least, most;                           // orders of all levels; NaN: none
  double      at[WRING_MAX_LEVELS][WRING_N_MEASURE]; // NaN: not given
} wring_quantity;

typedef struct {
  MPI_Comm             comm;
  const wring_options *o;
  wring_output         output;
  PetscBool            in_mesh, in_time; // what becomes finer
  PetscBool            is_static;
  PetscInt64           tets;                      // of level 0
  int                  order;                     // of tets
  char                 table[PETSC_MAX_PATH_LEN]; // of exact positions, "": none
  json_t              *keys;                      // of rank 0: in force in the deck's problem
  int                  n;                         // levels
  int                  first, end;                // levels [first, end) are run: all of them or one
  wring_converge_level level[WRING_MAX_LEVELS];
  wring_stopper        stopper;
  wring_exit           status;
  double               volume; // m^3
  int                  n_quantity;
  wring_quantity      *quantity; // [n_quantity]
} wring_converge;

/* ---- keys, decks, refusals (converge_keys.c); collective, as all functions but those marked ---------------------- */

PetscErrorCode wring_converge_get_keys(const wring_options *o, wring_converge *c);
/* Refuses bad input, and makes the decks of the levels; then refuses levels that are too large, or no table's mesh. */
PetscErrorCode wring_converge_check(wring_converge *c);
PetscErrorCode wring_converge_check_finest(const wring_converge *c);

/* ---- levels (converge_level.c) ----------------------------------------------------------------------------------- */

/*
  Takes a finished level of the same program, keys in force and files from its directory. Sets an error, the same on all
  ranks, if the directory holds the files of another deck, program or run and output.overwrite is false.
*/
PetscErrorCode wring_level_take(const wring_converge *c, int k, wring_converge_level *l, wring_error *e);

/* Runs a level that is not finished; c->status: how it ended, WRING_EXIT_DONE if it is finished now. */
PetscErrorCode wring_level_run(wring_converge *c, int k);

/* (volume/tets)^(1/3) [m] of a finished level, once the volume is known. Not collective. */
double wring_level_size(const wring_converge *c, int k);

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Fills c->quantity from the finished levels: norms of displacements (converge_nested.c), then scalars. */
PetscErrorCode wring_converge_measure(wring_converge *c);

enum { WRING_N_NORM = 2 };

/*
  Norms of the levels' displacements, the first quantities, sqrt of the mean over the volume of |u|^2 [m] and of
  |grad u|^2: their values, differences from the level before, errors from the table or else from the finest level; and
  the volume.
*/
PetscErrorCode wring_nested_measure(wring_converge *c);

/* ---- files and tables -------------------------------------------------------------------------------------------- */

PetscErrorCode wring_converge_write(const wring_converge *c, wring_ending *end); // converge.csv, .json, .gp

/* The tables; the script, unless all levels are equal. Rank 0, not collective. */
void wring_converge_print(const wring_converge *c);
void wring_converge_plot(const wring_converge *c, wring_ending *end, wring_error *e);
