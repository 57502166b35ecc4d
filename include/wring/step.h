/*
  Layer 9, time integrators: the target y and step of the potential before the solve, the new state after it.
  docs/theory.md 6.
*/
#pragma once
#include <wring/load.h>
#include <wring/solver.h>

/* Deck keys behind "time_" (step, end, steps, integrator, limit) and the plain keys "gravity" and "gravity_curve". */
extern const wring_option wring_time_options[], wring_load_options[];

typedef struct {
  PetscInt step; // steps done
  double   time; // s
  Vec      q, v; // positions m, velocities m/s: [n_owned][3], made by wring_potential_create_vec
} wring_state;

typedef struct wring_stepper wring_stepper;

PetscErrorCode wring_stepper_create(wring_potential *g, const wring_options *o, wring_stepper **s); // g is borrowed
PetscErrorCode wring_stepper_destroy(wring_stepper **s);
double         wring_stepper_size(const wring_stepper *s);    // h, s
PetscInt       wring_stepper_steps(const wring_stepper *s);   // ceil(end/step - 1e-9), or steps; 1 if neither is given
const double  *wring_stepper_gravity(const wring_stepper *s); // [3] m/s^2, to be multiplied by its factor of time
/* Loads beside gravity, borrowed; they are taken at the time that targets of attachments are. docs/theory.md 6 */
PetscErrorCode wring_stepper_set_loads(wring_stepper *s, const wring_loads *loads);
const char    *wring_stepper_integrator(const wring_stepper *s); // "implicit_euler"

/* Whether a step is begin, a solver's minimisation of g, finish; otherwise it is begin, advance, finish. Not collective. */
PetscBool wring_stepper_minimises(const wring_stepper *s);

/*
  g of the step from t to t + h: its h, start, target and drag, and the terms' time. *changed: A must be built again (true at the first
  call).
*/
PetscErrorCode wring_stepper_prepare(wring_stepper *s, const wring_state *state, PetscBool *changed);

/*
  Before the solve: prepares g, and x = x_0: y, or q + t (y - q) with the first t of 1/2, 1/4, ... that makes g finite (a notice
  says so; refused if g(q) is not finite). The implicit midpoint rule solves for the midpoint (x + q)/2.
*/
PetscErrorCode wring_stepper_begin(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed);

/*
  g and its gradient at the x of the last begin, which has evaluated them there, for wring_solver_know_start; NULL where there are
  contacts, or nothing is minimised. Borrowed, until the next call with this stepper. Not collective.
*/
const wring_evaluation *wring_stepper_evaluation(const wring_stepper *s);

/*
  In the place of a solve, where nothing is minimised: x, the new positions. The outcome has one iteration, whose value is
  implicit Euler's g at x; it fails if that is not finite, or the linear system is singular.
*/
PetscErrorCode wring_stepper_advance(wring_stepper *s, const wring_state *state, Vec x, wring_outcome *outcome);

/* Bytes that advance would take on this rank beyond H, which is assembled for it and stays. After begin. */
PetscErrorCode wring_stepper_predict(wring_stepper *s, const wring_state *state, double *bytes);

/*
  After the solve or advance: velocities and positions from x, which may be changed; step and time advance. *elastic [J]: that
  of g at x in, E of the new positions out; if it is not finite, the step has failed and the state is as it was.
*/
PetscErrorCode wring_stepper_finish(wring_stepper *s, Vec x, wring_state *state, double *elastic);

/* ---- checkpoints: what a rule of several steps needs beside the state ---------------------------------------------- */

typedef struct {
  const char *name;
  Vec         value; // [n_owned][3], borrowed
} wring_memory;

int       wring_stepper_memory(const wring_stepper *s, wring_memory memory[2]); // number of arrays; not collective
PetscBool wring_stepper_remembers(const wring_stepper *s); // they hold the last step; not collective
void      wring_stepper_remember(wring_stepper *s);        // they have been filled; on all ranks
