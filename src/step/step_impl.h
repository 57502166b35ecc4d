/* Private to src/step: what a time integrator supplies. */
#pragma once
#include <wring/step.h>

typedef struct {
  const char *name; // as in a deck
  /* The target y [n_owned][3] m of g, from the state at the start of the step of size h. */
  PetscErrorCode (*target)(double h, const double gravity[3], const wring_state *state, Vec y);
  /* The state's positions and velocities from x, the minimiser of g. */
  PetscErrorCode (*finish)(double h, Vec x, wring_state *state);
} wring_integrator;

extern const wring_integrator wring_integrator_implicit_euler;
