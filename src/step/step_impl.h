/*
  Private to src/step: a stepper, and the functions that a time integrator supplies. Map of src/step, in reading order:
    integrators.c            the array of all rules, keys time_... and gravity
    euler.c                  rules of one step: formulas, functions, tables
    bdf2.c, ...              a file per other rule
    step_impl.h              this file
    stepper.c                create, destroy, what a stepper reports, the stored vectors of multistep rules
    march.c                  one step: g of the step, steps without a solve, the end of the step
    start.c                  the x_0 of the solve
    approach.c               held vertices that contacts stop
    lagging.c                the normal forces of friction, at the solution
    static.c                 load steps: their g, their parts, loads and contacts that depend on the solution
    static_start.c           the x_0 of a load step
    chain.c                  an analysis that begins where another has ended
    support.c                what holds the body in statics
    loads.c                  forces that depend on time, wring/load.h
  Not here: the solve (src/solver), what a run writes and when it stops (src/study/run).
*/
#pragma once
#include "solver/common/mixing.h"
#include <petscksp.h>
#include <wring/step.h>

/* Momenta of a free body without loads that a rule conserves, up to the errors of solves. Tests check every rule. */
typedef enum {
  WRING_KEEPS_LINEAR  = 1, // sum m_i v_i
  WRING_KEEPS_ANGULAR = 2  // sum m_i x_i x v_i
} wring_momenta;

/*
  A rule either minimises g and then finishes, or it advances without a minimisation and takes forces from g; `advance`
  is not NULL in the second case. In both cases g has h = part * step and y = q + h v + h^2 a, where a is the
  acceleration by gravity and loads, unless the rule has its own target.
*/
typedef struct wring_integrator {
  const char *name;      // as in a deck
  PetscBool   is_static; // load steps without inertia: static.c
  int         order;     // order of the error in positions after a given time
  unsigned    keeps;     // wring_momenta
  double      part;      // h of g, and
  double      when;      // the time of the attachments' targets and of loads in the step, both as parts of the step
  unsigned    needs;     // WRING_CAN_... required of every law
  const char *memory[2]; // names, in checkpoints, of what else the next step needs: s->memory; or NULL

  /* What wring_stepper_prepare and wring_stepper_begin do, and how the step is counted; NULL: as for implicit Euler. */
  PetscErrorCode (*prepare)(wring_stepper *s, const wring_state *state, PetscBool *changed);
  PetscErrorCode (*begin)(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed);
  void (*count)(wring_stepper *s, wring_state *state);

  /* For rules that store the last step: sets s->y, start and h of g [s], once there is a last step; or NULL. */
  PetscErrorCode (*target)(wring_stepper *s, const wring_state *state, double *h);
  PetscErrorCode (*extrapolate)(Vec q, Vec x); // minimiser in, new positions out; NULL: they are the same

  /* Computes new velocities from the new positions x, which are then copied to the state; or NULL. */
  PetscErrorCode (*finish)(wring_stepper *s, Vec x, wring_state *state);

  /*
    Computes new positions x and velocities s->v_new from q, v and s->gradient = grad g(q); reports a failure in
    *reason; or NULL.
  */
  PetscErrorCode (*advance)(wring_stepper *s, const wring_state *state, Vec x, wring_reason *reason);

  PetscErrorCode (*predict)(wring_stepper *s, const wring_state *state,
                            double *bytes); // wring_stepper_predict, or NULL
} wring_integrator;

/* In the memory of load steps: positions at pseudo-time 0, m; m per pseudo-time, of the last part. */
enum { WRING_STATIC_ORIGIN, WRING_STATIC_MOTION };

/* The part of a load step that is being solved, in pseudo-time: all of it, unless its solve has failed. */
typedef struct {
  double    begin, end;
  double    length; // of the last part that was solved; 0: none
  PetscBool adrift; // no contact stops it: a shorter part would not help
} load_part;

/* Of the deck. */
typedef struct {
  int      integrator;
  PetscInt steps, more_steps; // more_steps 0: not given
  double   end, gravity[3];   // s, 0: not given; m/s^2
  int      start;             // solver_start, -1: not given
} step_keys;

struct wring_stepper {
  wring_potential        *g; // borrowed
  const wring_integrator *integrator;
  step_keys               keys;
  double                  h;           // s
  const wring_loads      *loads;       // borrowed; NULL: gravity only
  double                  drag_factor; // factor of the drag in g; NAN: none so far
  PetscInt                steps;
  double                  h_of_A; // h of the last A requested; 0: none
  Vec                     y;      // target; work vector once g has it: gradient at x_0, differences in `finish`

  Vec    load;          // external dead forces of the step, N
  double friction_work; // J, of the last finish

  /* the x_0 of this step */
  wring_start      start_rule;
  double           usual; // 1 + the candidate that the last comparison took; 0: none
  PetscBool        start_known;
  wring_evaluation start;
  PetscBool        approaching; // contacts have stopped held vertices on the way to their places

  /* rules that advance */
  Vec gradient, v_new;
  Mat H; // linear_implicit_euler
  KSP ksp;

  /* rules that minimise */
  Vec       change[2]; // in time: (v - v_-)/h of the last step; of the one before, or again of the last; m/s^2
  Vec       memory[2];
  PetscBool known; // change and memory are those of the last step: after the first one, or a restart

  /* load steps: static.c */
  PetscBool    begun;       // the origin in memory is known
  PetscBool    regularised; // g has k_i, (2.9)
  load_part    part;
  wring_mixing mixing; // of the loads
  Vec          mixed;  // N, the loads of the last solve; NULL: they do not depend on positions

  /* an analysis that begins where another has ended: chain.c; NULL: none */
  Vec chain_position; // m, where it begins
  Vec chain_force;    // N, in statics what is out of balance there
};

/* What keeps positions q from equilibrium in statics, with the loads of pseudo-time 0: the gradient of g there [N]. */
PetscErrorCode wring_static_find_residual(wring_stepper *s, Vec q, Vec residual);

const wring_integrator *wring_integrator_get(int i); // in the order of the help text; NULL past the end

/* y += factor a, where a is the acceleration by gravity and loads; M a becomes the load of g. */
PetscErrorCode wring_step_add_loads(const wring_stepper *s, const wring_state *state, double factor, Vec y);
/*
  Sets x to the x_0 of the solve, for g as prepared; evaluates g, and its gradient if there are no contacts, which a
  solve searches for first.
*/
PetscErrorCode wring_step_choose_start(wring_stepper *s, const wring_state *state, Vec x);
/* Refuses positions q at which g is not finite. */
PetscErrorCode wring_step_require_finite(wring_stepper *s, const wring_state *state);

/* By which candidates for x_0 are compared. */
typedef struct {
  int        candidate;
  PetscBool  finite;
  PetscInt64 newly;  // tets that are inverted there but not at q
  double     g;      // J
  double     part;   // of the way from q that contacts allow
  PetscBool  placed; // held vertices are where they are to be
} start_merit;

/*
  Sets x to the i-th candidate, in the unknown of g; `best` is that of those before, or i. *is_new: it may differ from
  those before and be better.
*/
typedef PetscErrorCode start_candidate(const wring_stepper *s, const wring_state *state, int i, const start_merit *best,
                                       Vec x, PetscBool *is_new);

/* x becomes the one of n candidates that inverts fewest tets, and then has the lowest g; with its *m. */
PetscErrorCode wring_step_take_best(wring_stepper *s, const wring_state *state, int n, start_candidate *set, Vec x,
                                    start_merit *m);

/* x with held vertices at their places, as far on the way from `from` as contacts let it; *placed: they are there. */
PetscErrorCode wring_step_place(wring_stepper *s, Vec from, Vec x, double *part, PetscBool *placed);

/* Holds the vertices where x has them, unless they are placed; approach.c moves them on. */
PetscErrorCode wring_step_begin_approach(wring_stepper *s, Vec x, PetscBool placed);

/*
  The solve of a step from x_0. Held vertices that contacts have stopped are moved on as the free ones give way, with a
  solve for each part. They end at their places, or the step ends as blocked. docs/theory.md (9.24)
*/
PetscErrorCode wring_step_minimise(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome);

/* Statics: sets x to the x_0 of the solve, for g as prepared. */
PetscErrorCode wring_step_start_part(wring_stepper *s, const wring_state *state, Vec x, start_merit *m);

/*
  Statics, with the attachments of a step that ends at `time`: refuses a part of the mesh in which they leave a rigid
  motion free, unless there are contacts; or sets the regularisation of g. Collective.
*/
PetscErrorCode wring_step_check_support(wring_stepper *s, double time, PetscBool refuses);

/*
  Statics, after a solve whose g is provisional: takes pressure and contacts anew at x and repeats the solve until the
  residual with those at x meets the tolerance; gives up when it stays. *outcome: of all solves. Collective.
*/
PetscErrorCode wring_step_settle(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome);

/*
  After a solve of g with friction: takes normal forces and directions anew at x and repeats the solve until the
  residual with those at x meets the tolerance. *outcome: of all solves; where it is not met, a failure in statics,
  and WRING_MAX_IT in time. Collective.
*/
PetscErrorCode wring_step_settle_friction(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome,
                                          PetscBool *settled);
