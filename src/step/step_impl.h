/* Private to src/step: what a time integrator supplies, and what integrators share. */
#pragma once
#include <petscksp.h>
#include <wring/step.h>

/*
  A rule minimises g and then finishes, or it advances without a minimisation, with g as a source of forces: `advance` says
  which. In both cases g has h = part * step and y = q + h v + h^2 a, a of gravity and loads, unless the rule has a target of its own.
*/
typedef struct {
  const char *name;  // as in a deck
  double      part;  // h of g, and
  double      when;  // the time of the attachments' targets and of loads in the step, both as parts of the step
  unsigned    needs; // WRING_CAN_... of every law

  /* Rules that remember the last step: s->y, the start and the h of g [s], once s->lead and s->change are known; or NULL. */
  PetscErrorCode (*target)(wring_stepper *s, const wring_state *state, double *h);
  PetscErrorCode (*extrapolate)(Vec q, Vec x); // minimiser in, new positions out; NULL: they are the same
  PetscErrorCode (*finish)(wring_stepper *s, Vec x,
                           wring_state *state); // new velocities; positions are copied after it

  PetscErrorCode (*predict)(wring_stepper *s, const wring_state *state,
                            double *bytes); // wring_stepper_predict, or NULL

  /* New positions x and velocities s->v_new from q, v and s->gradient = grad g(q); a failure goes into *reason; or NULL. */
  PetscErrorCode (*advance)(wring_stepper *s, const wring_state *state, Vec x, wring_reason *reason);
} wring_integrator;

struct wring_stepper {
  wring_potential        *g; // borrowed
  const wring_integrator *integrator;
  double                  h, gravity[3]; // s, m/s^2
  const wring_loads      *loads;         // borrowed; NULL: gravity alone
  double                  drag_factor;   // that the drag of g has; NAN: none yet
  PetscInt                steps;
  double                  h_of_A;          // h of the A that has been asked for, 0: none
  Vec                     y;               // target; free for other use after the solve
  Vec                     gradient, v_new; // of rules that advance
  Vec                     lead, change;    // of rules that remember: bdf2.c, m/s^2
  PetscBool               known;           // lead and change are those of the last step
  Mat                     H;               // linear_implicit_euler
  KSP                     ksp;
};

extern const wring_integrator wring_integrator_implicit_euler, wring_integrator_implicit_midpoint,
  wring_integrator_bdf2, wring_integrator_linear_implicit_euler, wring_integrator_symplectic_euler,
  wring_integrator_explicit_euler;

/* y += factor a, the acceleration by gravity and loads. */
PetscErrorCode wring_step_add_loads(const wring_stepper *s, const wring_state *state, double factor, Vec y);
PetscErrorCode wring_step_push(wring_stepper *s); // v_new = v + h M^{-1} f(q) = -h M^{-1} grad g(q)
