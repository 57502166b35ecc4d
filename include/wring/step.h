/*
  Layer 9, time integrators: the target y and step of the potential before the solve, the new state after it.
  docs/theory.md 6.
*/
#pragma once
#include <wring/solver.h>

/* Deck keys behind "time_" (step, end, steps, integrator, limit) and the plain key "gravity". */
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
const double  *wring_stepper_gravity(const wring_stepper *s); // [3] m/s^2
const char    *wring_stepper_integrator(const wring_stepper *s); // "implicit_euler"

/*
  Before the solve: moves the terms to t + h, sets h and y of the potential, and x = x_0: y, or q + t (y - q) with the first
  t of 1/2, 1/4, ... that makes g finite (a notice says so; refused if g(q) is not finite). *changed: A must be built again
  (true at the first call).
*/
PetscErrorCode wring_stepper_begin(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed);

/* After the solve: velocities and positions from x; step and time advance. */
PetscErrorCode wring_stepper_finish(wring_stepper *s, Vec x, wring_state *state);
