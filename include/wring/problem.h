/*
  Layer 11, problems: everything that a deck describes, ready to be solved: mesh, potential, operator, stepper and
  state.

  docs/developer.md, "From a deck to a solver", has a program that makes a step of a deck.

  The files of src/problem are listed in src/problem/problem_impl.h.

  Every function is collective on the problem's communicator unless its comment states otherwise. A deck that cannot be
  used is refused: all ranks return PETSC_ERR_USER_INPUT with one message that names the deck's line and what is
  expected. What was allocated before an error is not freed. Call from one thread.
*/
#pragma once
#include <wring/io.h>
#include <wring/step.h>

extern const wring_option wring_initial_options[]; // deck keys with prefix "initial_"

typedef struct wring_problem_parts wring_problem_parts; // private

/* All pointers belong to the problem: callers may use them until wring_problem_destroy. */
typedef struct {
  MPI_Comm             comm;
  PetscMPIInt          rank, size;
  const wring_options *options; // borrowed: must outlive the problem
  wring_phases         phases;  // seconds that this rank has spent on each phase
  wring_mesh          *mesh;
  double              *mass;       // [n_owned] kg, lumped
  double               total_mass; // kg, of all ranks
  wring_potential     *g;          // terms and contacts of the deck; the stepper sets its step size and target
  wring_operator      *op;         // solves with A; its matrix is set by wring_problem_prepare_operator
  wring_loads         *loads;
  wring_stepper       *stepper;
  wring_state          state;   // at rest, of a checkpoint, or as the keys initial_ give it
  const char          *restart; // the checkpoint that mesh and state come from, or ""
  PetscBool            chained; // restart is the end of another analysis: step and time are 0
  wring_problem_parts *parts;   // private
} wring_problem;

/*
  Reads every input file that the deck names and builds all parts. wring_study_check_keys (wring/study.h) checks all
  keys against their tables; here a value is checked when it is read, and a key that nothing reads is ignored.
*/
PetscErrorCode wring_problem_create(MPI_Comm comm, const wring_options *o, wring_problem **p);

/*
  The same for solves by these solver types or variants in the place of solver_type: material_volumetric auto is mean
  only where all of them can use it.
*/
PetscErrorCode wring_problem_create_for(MPI_Comm comm, const wring_options *o, PetscInt n, const char *const *solver,
                                        wring_problem **p);
PetscErrorCode wring_problem_destroy(wring_problem **p);

/*
  The refined mesh of a deck without initial.restart, and without sets and terms of the deck. Freed by
  wring_mesh_destroy. Collective.
*/
PetscErrorCode wring_problem_make_mesh(const wring_options *o, wring_mesh **m);

/*
  A solver on the problem's potential and operator, set up. name: a solver type or a variant of the deck, NULL: the key
  solver_type. As in `run`, it stops by forces and the stepper chooses the start, unless the deck has solver_stop or
  solver_start. The caller destroys it before the problem. Refused if the method cannot use a law or contact.
*/
PetscErrorCode wring_problem_create_solver(wring_problem *p, const char *name, wring_solver **solver);

/*
  Assembles A = M/h^2 + factor L, docs/theory.md (4.1), at the potential's h and time and gives it to the operator,
  unless it already has this A and nothing has changed. factor: that of wring_solver_operator_factor; 0: no A is needed
  and nothing is done. changed: that of wring_stepper_begin.
*/
PetscErrorCode wring_problem_prepare_operator(wring_problem *p, double factor, PetscBool changed);

/* The same where another method has used the operator before: A is set again if that method has changed its values. */
PetscErrorCode wring_problem_renew_operator(wring_problem *p, double factor);
/* Frees A and the operator's data: the next call of the two functions above makes them anew, with all their set-up. */
PetscErrorCode wring_problem_forget_operator(wring_problem *p);
PetscBool      wring_problem_has_matrix(const wring_problem *p); // an A has been assembled; not collective

/*
  Makes one step, or in statics one load step, as `run` does: begins it, prepares A, solves, and ends it. A step in
  which the direction of `auto` fails, or that ends with WRING_STOPPED_UNBALANCED, is repeated by newton, which then
  makes the later steps, too; a load step that fails then is made in parts. solver: of wring_problem_create_solver, NULL
  if the stepper does not minimise. x: from wring_potential_create_vec, receives the new positions. *outcome: of all
  solves of the step. After a failure, wring_reason_failed, or WRING_INTERRUPTED the state is that before the step, in
  statics the last one in equilibrium; x is then the last iterate. *elastic [J]: E at the new positions.
*/
PetscErrorCode wring_problem_step(wring_problem *p, wring_solver *solver, Vec x, wring_outcome *outcome,
                                  double *elastic);

/* Minimises the g of begin_step from x, once, by a solver of the problem; the state stays as it is. */
PetscErrorCode wring_problem_minimise(wring_problem *p, wring_solver *solver, Vec x, wring_outcome *outcome);

/*
  The last step of a run from the state, at least that of the state. time.end is a time and time.steps counts from time
  0: a restart ends at the same time. time.more_steps counts from the state. Not collective.
*/
PetscErrorCode wring_problem_find_last_step(const wring_problem *p, PetscInt *last);

/*
  Prepares g, and sets x to the x_0 of the next step; wring_problem_step does it. If this has been done since the last
  step and wring_problem_minimise, nothing is done: x is then to be the vector of that call.
*/
PetscErrorCode wring_problem_begin_step(wring_problem *p, Vec x);

/*
  A table `vertex,x,y,z` that names every vertex, or a state.csv, of which velocities or else positions are taken, into
  value [n_owned][3]. Refused with file and line. Collective.
*/
PetscErrorCode wring_problem_read_vectors(const wring_mesh *m, const char *file, PetscBool velocities, double *value);

/*
  Self-contact keeps its pairs after ten updates of a solve. *difference [J]: E with the pairs at x, less E with those
  that g has; 0 without self-contact. One search, which g does not see. Collective.
*/
PetscErrorCode wring_problem_own_contacts(wring_problem *p, Vec x, double *difference);
PetscBool      wring_problem_has_self_contact(const wring_problem *p); // not collective

/* ---- parts, as output needs them; not collective ----------------------------------------------------------------- */

enum { WRING_PIECE_TERMS = 3 };

/*
  The triangles of a set with keys membrane_ or bending_, or the springs of one file or along the lines of one set. On
  this rank: triangles whose lowest vertex is owned, springs whose first one is.
*/
typedef struct {
  int         corners; // 3 of triangles, 2 of springs
  PetscInt    n;
  PetscInt   *vertex;  // [n][corners] local
  double     *size;    // [n] m^2 or m, at rest
  double      density; // kg/m^2 or kg/m
  int         n_term;
  wring_term *term[WRING_PIECE_TERMS]; // of membranes or springs, borrowed from the potential
} wring_piece;

/* Piece i, from 0, first those of triangles, then those of springs; NULL past the end. */
const wring_piece *wring_problem_piece(const wring_problem *p, PetscInt i);

/* Triangles and springs on all ranks. Collective. */
PetscErrorCode wring_problem_count(const wring_problem *p, PetscInt64 *triangles, PetscInt64 *lines);

/* ---- probes ------------------------------------------------------------------------------------------------------ */

/* A point of the body, the mean of a set's vertices, or the largest stress, as the keys probe_NAME_ define it. */
typedef struct {
  const char *name;
  PetscBool   is_point, largest, stress;
  PetscInt    first, n; // its columns
} wring_probe;

PetscInt wring_problem_probes(const wring_problem *p, const wring_probe **probe); // in the deck's order; borrowed

/*
  The numbers that the probes measure, in order: for each the displacement from rest [m] and the velocity [m/s], of a
  set also the force of all attachments on its vertices [N], with `stress` also the Cauchy stress recovered to vertices
  [Pa], docs/theory.md (3.65), and its von Mises stress, with bounded contacts the force of these on its vertices [N];
  of the largest stress, value and place of wring_peak. *name [returned number]: "tip_ux", borrowed.
*/
PetscInt wring_problem_probe_columns(const wring_problem *p, const char *const **name);

/*
  All of them, value [columns], the same on every rank, of positions q and velocities v, such as those of the state.
  Forces of hard attachments are those of the last gradient, as of wring_potential_resultants. NaN: a stress at an
  inverted tet. One reduction; with stresses also a pass over all tets and six halo exchanges; for each largest stress a
  pass and its reductions. Collective.
*/
PetscErrorCode wring_problem_measure_probes(wring_problem *p, Vec q, Vec v, double *value);

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* The tables of keys that a deck may have. Entries [n] in the order of `wring help`; prefixes and owners are copies. */
typedef struct {
  PetscInt      n, capacity;
  wring_schema *entry;
} wring_catalogue;

/* Words that users may write for loads and attachments, for wring_options_check. */
extern const wring_key_words wring_problem_words[];

/* The keys of src/problem and of the layers below it. Studies add those of their commands. Not collective. */
PetscErrorCode wring_catalogue_create(wring_catalogue **c);
PetscErrorCode wring_catalogue_add(wring_catalogue *c, const char *prefix, const wring_option *options,
                                   const char *owner);
PetscErrorCode wring_catalogue_destroy(wring_catalogue **c);

/* Every variant has a type and keys of this type only. Refused with the type's keys. */
PetscErrorCode wring_variants_check(const wring_options *o, const wring_catalogue *c);

/* Receives a key that is in force, by its full name, with its default value. */
typedef PetscErrorCode wring_key_visitor(void *context, const char *key, const wring_option *option);

/*
  Visits every key with a default that the deck does not set and that the problem or one of these solvers uses: of
  materials, attachments, surfaces, springs, colliders, contacts, loads, time, operator. solver [n_solver]: types or
  variants of the deck. Not collective.
*/
PetscErrorCode wring_problem_visit_defaults(const wring_problem *p, PetscInt n_solver, const char *const *solver,
                                            wring_key_visitor *visit, void *context);
