/*
  wring bench: the bandwidth of this machine, and the time and bytes of each part of wring on a box. docs/operations.md
  defines the rows and their bytes. Read in this order:

    bench.c            the command: keys, parts, the triad, which all rows are compared with
    bench_measure.c    timing, rows, progress
    bench_body.c       the box and its state; bytes that an algorithm must move
    bench_laws.c       element loops of each law
    bench_operator.c   exchange between ranks; set-up and solves of the operator
    bench_solvers.c    an iteration of each solver on each material; the figure of merit
    bench_files.c      the table, bench.json, bench.csv

  Not here: kernels of its own; everything that is timed is called as a run calls it. Everything is collective.
*/
#pragma once
#include "study/common/command_keys.h"
#include "study/common/cores.h"
#include "study/common/stop.h"

/* Texts are static, or of the bench. */
typedef struct {
  const char *part;             // "law", "exchange", "operator", "solver"
  const char *name, *work;      // "neohookean", "energy+gradient"; "multigrid", "solve to 1e-2"; "qn", "iteration"
  const char *material, *ended; // NULL where it does not matter; how a solve ended
  double      tets;             // of the mesh that it was measured on
  double      seconds, bytes;   // the median; what must move, of all ranks
  double      waited;           // part of the time in which threads waited for a core, on the rank with the most
  int         repeats;          // whose median it is
  PetscInt    iterations;       // of a solve; -1: none
} wring_bench_row;

typedef struct {
  MPI_Comm             comm;
  const wring_options *o; // borrowed: the command line
  wring_output         output;
  char                 spline[PETSC_MAX_PATH_LEN]; // spline: the table of that material
  PetscInt             tets, order, n_part, n_material;
  char               **part, **material;
  double               budget, h; // s
  double               cache;     // bytes of the last cache, 0: not known
  double               triad[3];  // bytes/s: one thread, all threads of a rank, all ranks; NaN: not measured
  double               array;     // bytes of each array of the triad of one rank
  double               merit;     // unknowns of a step over its seconds, 0 if it did not converge; NaN: not measured
  PetscInt             n_row;
  wring_bench_row     *row;            // [n_row]
  json_t              *skips;          // what was not measured, and why: {"part", "name", "material", "reason"}
  PetscBool            terminal;       // progress rewrites its line
  double               start, printed; // MPI_Wtime; of the last line of progress
  wring_stopper        stopper;
  wring_core_watch     watch;
} wring_bench;

/* ---- measuring (bench_measure.c) --------------------------------------------------------------------------------- */

/* What is timed: `run`; `before`, unless NULL, goes before each run and is not. */
typedef struct {
  PetscErrorCode (*before)(void *context), (*run)(void *context);
  void *context;
} wring_bench_work;

/*
  Sets the row's seconds, the median of repeats in `budget` seconds on the slowest rank, and repeats. Work that takes
  longer is run once.
*/
PetscErrorCode wring_bench_time(const wring_bench *b, const wring_bench_work *w, double budget, wring_bench_row *row);

/* Seconds of the slowest rank. */
PetscErrorCode wring_bench_slowest(const wring_bench *b, double *seconds);

/* Before each row: *due is false, and nothing printed, once the bench is stopped; else it prints what it measures. */
PetscErrorCode wring_bench_begin_row(wring_bench *b, const char *what, const char *work, PetscBool *due);
PetscErrorCode wring_bench_keep(wring_bench *b, const wring_bench_row *row); // copied

/* Begins a row, times and keeps it: *kept, until the next one is kept; NULL once the bench is stopped. */
PetscErrorCode wring_bench_measure(wring_bench *b, const wring_bench_work *w, const wring_bench_row *row,
                                   wring_bench_row **kept);

void wring_bench_leave_out(wring_bench *b, const char *part, const char *name, const char *material,
                           const char *reason);

/* ---- the box (bench_body.c) -------------------------------------------------------------------------------------- */

typedef struct {
  wring_options *o;
  wring_problem *p;
  Vec            x;                     // x_0 of a step from a twisted, uneven state
  double         tets, local, vertices; // of all ranks: tetrahedra; vertices, ghosts counted too; vertices
  double         entries;               // of A
  int            points, corners;       // of quadrature and vertices of a tetrahedron
} wring_bench_body;

PetscErrorCode wring_bench_body_create(const wring_bench *b, const char *material, PetscInt tets,
                                       wring_bench_body *body);
PetscErrorCode wring_bench_body_destroy(wring_bench_body *body);

/* Bytes of a pass over elements under a law with q columns at each point, and their vertices; without coefficients. */
double wring_bench_pass_bytes(const wring_bench_body *body, int q);
double wring_bench_count_bytes(const wring_bench_body *body);
double wring_bench_split_bytes(const wring_bench_body *body, int q); // what a prox has beside a pass

double wring_bench_set_up_bytes(const wring_bench_body *body, const wring_operator_info *info);
/* Of `solves` solves with so many iterations in all. */
double wring_bench_solve_bytes(const wring_bench_body *body, const wring_operator_info *info, double solves,
                               double iterations);
/* What an iteration of a method has beside passes and solves. */
PetscErrorCode wring_bench_method_bytes(const wring_bench_body *body, const char *method, double *bytes);

/* ---- parts ------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_bench_laws(wring_bench *b, const wring_bench_body *body);
PetscErrorCode wring_bench_exchange(wring_bench *b, const wring_bench_body *body);
PetscErrorCode wring_bench_operator(wring_bench *b, const wring_bench_body *body);
PetscErrorCode wring_bench_solvers(wring_bench *b);
PetscErrorCode wring_bench_merit(wring_bench *b, const wring_bench_body *body); // a step to its end by the solver auto

void           wring_bench_print(const wring_bench *b, const wring_bench_body *body);
PetscErrorCode wring_bench_write(const wring_bench *b, const wring_bench_body *body); // bench.json, bench.csv
