/*
  Layer 9, time integrators: the target y and step of the potential before the solve, the new state after it.
  docs/theory.md 6. A step is prepared by wring_stepper_begin, solved by a solver (wring/solver.h) or by
  wring_stepper_advance, and ended by wring_stepper_finish. The map of the layer is src/step/step_impl.h.

  All functions are collective unless their comments state otherwise. Vectors come from wring_potential_create_vec;
  their ghosts are overwritten. One thread of a process calls a stepper and its potential. Refusals are
  PETSC_ERR_USER_INPUT on all ranks.
*/
#pragma once
#include <wring/load.h>
#include <wring/solver.h>

/*
  Deck keys with prefix "time_" (step, end, steps, more_steps, integrator, limit), and the keys "gravity" and
  "gravity_curve" without a prefix.
*/
extern const wring_option wring_time_options[], wring_load_options[];

typedef struct {
  PetscInt step; // steps done
  double   time; // s
  double   work; // J: what pressure and drag have done since the start of the run
  Vec      q, v; // positions m, velocities m/s: [n_owned][3], made by wring_potential_create_vec
} wring_state;

typedef struct wring_stepper wring_stepper;

/*
  g is borrowed, must outlive the stepper and must have all its terms and contacts; o is only read in this call. Refuses
  laws, contacts and damping that the integrator cannot use.
*/
PetscErrorCode wring_stepper_create(wring_potential *g, const wring_options *o, wring_stepper **s);
PetscErrorCode wring_stepper_destroy(wring_stepper **s);

/* Values of the deck; not collective. In statics h is 1/steps, and times are pseudo-times. */
double        wring_stepper_size(const wring_stepper *s);    // h, s
PetscInt      wring_stepper_steps(const wring_stepper *s);   // ceil(end/step - 1e-9), or steps; 1 if neither is given
const double *wring_stepper_gravity(const wring_stepper *s); // [3] m/s^2, to be multiplied by its factor of time
/* Loads other than gravity, borrowed: evaluated at the same time as the targets of attachments. docs/theory.md 6 */
void        wring_stepper_set_loads(wring_stepper *s, const wring_loads *loads);
const char *wring_stepper_integrator(const wring_stepper *s); // "implicit_euler"

PetscBool wring_stepper_is_static(const wring_stepper *s); // load steps without inertia; not collective

/* Whether a solver minimises g between begin and finish; otherwise wring_stepper_advance is called. Not collective. */
PetscBool wring_stepper_minimises(const wring_stepper *s);
/* Whether a step follows from more than positions and velocities, once there is one before it. Not collective. */
PetscBool wring_stepper_is_multistep(const wring_stepper *s);
/* Whether a step solves no equation, so that its size is limited by the fastest motion of the body. Not collective. */
PetscBool wring_stepper_is_explicit(const wring_stepper *s);

/* Where a solve starts, as the choices of solver_start; docs/theory.md 2. */
typedef enum {
  WRING_START_AUTO, // of guesses, (2.3), those that invert fewest tets, and of these the one of lowest g; without
                    // contacts of g, in most steps the kind of guess that was chosen last
  WRING_START_Y,
  WRING_START_Q
} wring_start;
/* The key solver_start; `start` if the deck has none. Before: WRING_START_Y. Not collective. */
void        wring_stepper_set_start(wring_stepper *s, wring_start start);
wring_start wring_stepper_get_start(const wring_stepper *s);
const char *wring_start_name(wring_start start); // as in a deck

/*
  Sets up g for the step from t to t + h: its h, start, target and drag, and the time of the terms. *changed: A must be
  rebuilt, as at the first call.
*/
PetscErrorCode wring_stepper_prepare(wring_stepper *s, const wring_state *state, PetscBool *changed);

/*
  Prepares g, and sets x to the x_0 of the solve, chosen by wring_start. If g is not finite there, x_0 is q + t (y - q)
  with the first t of 1/2, 1/4, ... at which g is finite, with a note; refused if there is none, or g(q) is not finite.
  In statics the part of the load step is halved instead, also where x_0 inverts tets that q does not. With the implicit
  midpoint rule the unknown is the midpoint (x + q)/2. x is unchanged if the integrator does not minimise.
*/
PetscErrorCode wring_stepper_begin(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed);

/*
  g and its gradient at the x of the last begin, which has evaluated them there, for wring_solver_know_start; NULL if
  there are contacts or the integrator does not minimise. Borrowed, valid until a solve or the next step has begun. Not
  collective.
*/
const wring_evaluation *wring_stepper_evaluation(const wring_stepper *s);
/*
  x_0 of a step that has begun, x, becomes `start`, as far on the way from q as contacts let it, if this is better: its
  g is finite, it inverts fewer tets, or g is less. Collective.
*/
PetscErrorCode wring_stepper_start_from(wring_stepper *s, const wring_state *state, Vec start, Vec x);

/*
  The time at which the step that begin has prepared ends: t + h; in statics the end of the load step, or of a part of
  it. Not collective.
*/
double wring_stepper_end(const wring_stepper *s, const wring_state *state);

/*
  Minimises g from x, as wring_solver_solve does. In statics, pressure and contacts are then taken anew at x and the
  solve is repeated, until |grad g| with them meets the solver's tolerance; the outcome is that of all solves,
  and is WRING_STOPPED_LOADS if they do not settle. A method that minimises g and ends at max_it or at round-off has
  failed, WRING_STOPPED_UNBALANCED, where it leaves too large a force out of balance; docs/theory.md (2.8b).
*/
PetscErrorCode wring_stepper_solve(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome);

/*
  Statics, after a failed solve: makes the next begin from this state prepare half of the last part of the load step,
  with a note. *halved: PETSC_FALSE for other integrators, where the part is 1/64 of a load step already, and where
  no contact stops a part of the body that only contacts may hold: a shorter part would not help.
*/
PetscErrorCode wring_stepper_halve(wring_stepper *s, const wring_state *state, PetscBool *halved);

/*
  Computes the step of an integrator that does not minimise: x receives the new positions. The outcome has one
  iteration, whose value is implicit Euler's g at x; it is a failure if that is not finite, or the linear system is
  singular, and the state is then unchanged. A factor that runs out of memory is refused.
*/
PetscErrorCode wring_stepper_advance(wring_stepper *s, const wring_state *state, Vec x, wring_outcome *outcome);

/*
  Bytes that advance would take on this rank beyond H, which is assembled for the estimate and kept. Call after begin.
*/
PetscErrorCode wring_stepper_predict(wring_stepper *s, const wring_state *state, double *bytes);

/*
  Ends the step after the solve or advance: new velocities and positions from x, which may be changed; step, time and
  work advance, in statics the step only when a load step is whole. *elastic [J] is E of g at x on input, E at the new
  positions on output. If that is not finite the step has failed, and the state is unchanged.
*/
PetscErrorCode wring_stepper_finish(wring_stepper *s, Vec x, wring_state *state, double *elastic);
double wring_stepper_friction_work(const wring_stepper *s); // J: of friction on the bodies, in the step that this ended

/* ---- checkpoints: arrays of multistep rules and of statics in addition to the state ------------------------------ */

typedef struct {
  const char *name;
  Vec         value; // [n_owned][3], borrowed
} wring_memory;

enum { WRING_MOST_MEMORY = 4 };

/*
  memory: the arrays, borrowed; returns their number, 0 to WRING_MOST_MEMORY; the first *needed of them are those that a
  restart needs (NULL: not asked for). remembers: whether they hold the last step. Both are not collective. remember: a
  restart has filled the first n, at least those that it needs; collective.
*/
int            wring_stepper_memory(const wring_stepper *s, wring_memory memory[WRING_MOST_MEMORY], int *needed);
double        *wring_stepper_usual_start(wring_stepper *s); // for checkpoints: 1 + the kind of x_0 chosen last, 0: none
PetscBool      wring_stepper_remembers(const wring_stepper *s);
PetscErrorCode wring_stepper_remember(wring_stepper *s, int n);

/* ---- chains: an analysis that begins where another has ended, docs/theory.md (6.19) ------------------------------ */

#define WRING_CHAIN_POSITION "chain_position" // of wring_stepper_chain_memory

/*
  The state, at step 0 and time 0, is the end of another analysis. Hard attachments start from where their vertices are;
  in statics what is out of balance fades out as loads grow. Call before the first begin, with all terms, contacts and
  loads. Contacts are searched for.
*/
PetscErrorCode wring_stepper_chain_begin(wring_stepper *s, const wring_state *state);

/* Arrays that checkpoints of a chain have in addition, borrowed; their number, 0 without a chain. Not collective. */
int wring_stepper_chain_memory(const wring_stepper *s, wring_memory memory[2]);

/* For a restart of the new analysis: makes these arrays, which the caller fills; then starts targets from there. */
PetscErrorCode wring_stepper_chain_create(wring_stepper *s);
PetscErrorCode wring_stepper_chain_hold(wring_stepper *s);
