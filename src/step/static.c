/*
  Statics: a load step ends at a minimum of E less the work of the loads, over a pseudo-time that ends at 1. A load step
  whose solve fails is made in parts. docs/theory.md (6.12), (6.13)
*/
#include "step_impl.h"
#include <math.h>

enum { MAX_HALVINGS = 6, MAX_RENEWALS = 100, PATIENCE = 15, LOAD_WINDOW = 5 };

static const double nearly_all = 1 - 1e-9; // of the rest of a load step: a longer part takes all of the rest

/* The end of the load step that contains a time, and the shortest part of it. */
static double whole_end(const wring_stepper *s, const wring_state *state)
{
  return (double)(state->step + 1) / (double)s->steps;
}

static double shortest(const wring_stepper *s)
{
  return 1 / ((double)s->steps * (double)(1 << MAX_HALVINGS));
}

/* ---- g of a load step, or of a part of it ------------------------------------------------------------------------ */

/* Gravity and loads at the end of the part, pressure on the surfaces at x, and what fades out of a chain, (6.19). */
static PetscErrorCode set_load(wring_stepper *s, Vec x)
{
  const double *const mass = s->loads ? wring_loads_weight(s->loads) : wring_potential_body_mass(s->g),
                      time = s->part.end;
  const double factor      = s->loads ? wring_loads_gravity_factor(s->loads, time) : 1;
  PetscScalar *f;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(s->load, &n));
  PetscCall(VecGetArrayWrite(s->load, &f));
  for (PetscInt i = 0; i < n; i++) f[i] = mass[i / 3] * factor * s->keys.gravity[i % 3];
  if (s->loads) PetscCall(wring_loads_add_to(s->loads, time, x, f));
  PetscCall(VecRestoreArrayWrite(s->load, &f));
  if (s->chain_force) PetscCall(VecAXPY(s->load, 1 - time, s->chain_force));
  PetscCall(wring_potential_set_load(s->g, s->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_static_find_residual(wring_stepper *s, Vec q, Vec residual)
{
  PetscBool changed;

  PetscFunctionBegin;
  s->part.end = 0;
  PetscCall(wring_potential_set_step(s->g, 1));
  PetscCall(wring_potential_set_end(s->g, q));
  PetscCall(wring_potential_set_target(s->g, q));
  wring_potential_set_begin(s->g, 0);
  PetscCall(wring_potential_set_time(s->g, 0, 0, &changed));
  PetscCall(set_load(s, q));
  PetscCall(wring_potential_update_contacts(s->g, q, PETSC_TRUE, NULL));
  PetscCall(wring_potential_gradient(s->g, q, residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The part that begins at the state: the rest of the load step, but at most twice as long as the last part, unless only
  rounding would be left.
*/
static void choose_part(wring_stepper *s, const wring_state *state)
{
  const double end = whole_end(s, state), most = 2 * s->part.length;
  if (s->part.begin == state->time && s->part.end > state->time) return; // chosen by `halve`
  s->part.end   = most > 0 && most < nearly_all * (end - state->time) ? state->time + most : end;
  s->part.begin = state->time;
}

/* Drag and damping are forces of velocities. */
static PetscErrorCode note_ignored(const wring_stepper *s)
{
  const MPI_Comm     comm = wring_potential_mesh(s->g)->comm;
  wring_term *const *term;
  const int          n      = wring_potential_terms(s->g, &term);
  int                damped = 0;

  PetscFunctionBegin;
  if (s->loads && wring_loads_has_drag(s->loads))
    PetscCall(wring_note(comm, "drag does not act with time_integrator 'static', which has no velocities"));
  for (int i = 0; i < n; i++) damped |= wring_term_is_damped(term[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &damped, 1, MPI_INT, MPI_MAX, comm));
  if (damped) PetscCall(wring_note(comm, "the damping of springs does not act with time_integrator 'static'"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool depends_on_solution(const wring_stepper *s)
{
  wring_contact *const *contact;
  const int             n = wring_potential_contacts(s->g, &contact);
  if (s->regularised || (s->loads && wring_loads_follow(s->loads))) return PETSC_TRUE;
  for (int i = 0; i < n; i++)
    if (!wring_contact_is_bounded(contact[i]) && !wring_contact_is_friction(contact[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The first load step begins at the origin, unless a restart has set it. */
static PetscErrorCode set_origin(wring_stepper *s, const wring_state *state)
{
  PetscFunctionBegin;
  if (s->h_of_A > 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->begun) PetscCall(VecCopy(state->q, s->memory[WRING_STATIC_ORIGIN]));
  s->begun = PETSC_TRUE;
  PetscCall(note_ignored(s));
  PetscCall(wring_potential_set_origin(s->g, s->memory[WRING_STATIC_ORIGIN]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode static_prepare(wring_stepper *s, const wring_state *state, PetscBool *changed)
{
  PetscFunctionBegin;
  PetscCall(set_origin(s, state));
  choose_part(s, state);
  PetscCall(wring_potential_set_step(s->g, s->part.end - state->time));
  PetscCall(wring_potential_set_start(s->g, state->q));
  PetscCall(wring_potential_set_target(s->g, state->q));
  wring_potential_set_begin(s->g, state->time);
  PetscCall(wring_potential_set_time(s->g, s->part.end, s->part.end, changed));
  PetscCall(set_load(s, state->q));
  if (s->h_of_A == 0) {
    *changed = PETSC_TRUE;
    PetscCall(wring_step_check_support(s, 1, PETSC_TRUE)); // with those attachments that no later load step releases
  }
  if (*changed) PetscCall(wring_step_check_support(s, s->part.end, PETSC_FALSE));
  s->h_of_A = s->h;
  wring_potential_set_provisional(s->g, depends_on_solution(s));
  if (wring_potential_friction(s->g)) PetscCall(wring_potential_lag_friction(s->g, state->q, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_halve(wring_stepper *s, const wring_state *state, PetscBool *halved)
{
  const double length = (s->part.end - state->time) / 2;

  PetscFunctionBegin;
  *halved = (PetscBool)(s->integrator->is_static && !s->part.adrift && length > 0.75 * shortest(s));
  if (!*halved) PetscFunctionReturn(PETSC_SUCCESS);
  s->part.end = state->time + length;
  PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                       "load step %" PetscInt_FMT " fails from pseudo-time %.6g to %.6g: it goes on with half of this",
                       state->step + 1, state->time, state->time + 2 * length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A start that inverts tets may lead to a wrong minimum: a shorter part is tried first, as if it had failed. */
static PetscErrorCode static_begin(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed)
{
  start_merit m      = {.finite = PETSC_FALSE};
  PetscBool   halved = PETSC_TRUE, one;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  while (halved) {
    PetscCall(static_prepare(s, state, &one));
    if (one) *changed = PETSC_TRUE;
    PetscCall(wring_step_start_part(s, state, x, &m));
    if (m.finite && m.newly == 0) break;
    PetscCall(wring_stepper_halve(s, state, &halved));
  }
  if (!m.finite)
    WRING_REFUSE(wring_potential_mesh(s->g)->comm,
                 "load step %" PetscInt_FMT ", pseudo-time %.6g: the energy at its start is not finite, expected "
                 "elements that are not inverted, and hard attachments that move less in a load step",
                 state->step + 1, state->time);
  if (m.newly > 0)
    PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                         "load step %" PetscInt_FMT " starts at pseudo-time %.6g with %" PetscInt64_FMT
                         " inverted tetrahedra: attachments move far in one load step, expected more time_steps",
                         state->step + 1, state->time, m.newly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- loads and contacts that depend on the solution -------------------------------------------------------------- */

/* Takes pressure and contacts anew at x, and moves the regularisation there; *norm: |grad g| with them. */
static PetscErrorCode renew(wring_stepper *s, Vec x, double *norm)
{
  PetscFunctionBegin;
  PetscCall(set_load(s, x));
  PetscCall(wring_potential_set_end(s->g, x));
  PetscCall(wring_potential_set_target(s->g, x));
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_TRUE, NULL));
  if (wring_potential_friction(s->g)) PetscCall(wring_potential_lag_friction(s->g, x, PETSC_FALSE));
  PetscCall(wring_potential_gradient(s->g, x, s->y));
  wring_count(wring_potential_phases(s->g), WRING_WORK_REDUCTIONS, 1);
  PetscCall(VecNorm(s->y, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Loads f that depend on the solution x(f): f = G(f), the load at x(f), by Anderson's mixing, which converges also where
  the plain repetition f <- G(f) does not. docs/theory.md (6.14)
*/
static PetscErrorCode start_mixing(wring_stepper *s)
{
  PetscInt n;

  PetscFunctionBegin;
  if (!s->loads || !wring_loads_follow(s->loads)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->mixed) {
    PetscCall(VecDuplicate(s->load, &s->mixed));
    PetscCall(VecGetLocalSize(s->load, &n));
    PetscCall(wring_mixing_create(PetscObjectComm((PetscObject)s->load), NULL, LOAD_WINDOW, n, &s->mixing));
  }
  wring_mixing_restart(&s->mixing);
  PetscCall(VecCopy(s->load, s->mixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From G(f) to the f of the next solve, unless that is the load of its start. */
static PetscErrorCode mix_loads(wring_stepper *s)
{
  wring_mixing *const m = &s->mixing;
  double             *f, *load;

  PetscFunctionBegin;
  if (!s->mixed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(s->mixed, &f));
  PetscCall(VecGetArray(s->load, &load));
  wring_waxpy(m->n, -1, f, load, m->F);
  PetscCall(wring_mixing_step(m));
  wring_axpy(m->n, 1, m->p, f);
  wring_copy(m->n, f, load);
  PetscCall(VecRestoreArray(s->load, &load));
  PetscCall(VecRestoreArray(s->mixed, &f));
  PetscCall(wring_potential_set_load(s->g, s->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_unsettled(wring_stepper *s, wring_outcome *outcome)
{
  PetscFunctionBegin;
  outcome->reason = WRING_STOPPED_LOADS;
  s->part.adrift  = s->regularised;
  if (s->regularised)
    PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                         "no contact stops the part that only contacts may hold, or it slides: %s; place it nearer to "
                         "what stops it, or attach it",
                         wring_potential_friction(s->g) ? "friction is too small" : "there is no friction"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_settle(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  const double  tolerance = wring_solver_tolerance(solver, outcome);
  const int     patience  = s->regularised ? MAX_RENEWALS : PATIENCE; // a part that falls has a constant residual
  double        norm = 0, least = INFINITY;
  wring_outcome more;

  PetscFunctionBegin;
  PetscCall(start_mixing(s));
  for (int i = 0, last = 0; i < MAX_RENEWALS && i - last < patience; i++) {
    if (!wring_reason_converged(outcome->reason)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(renew(s, x, &norm));
    if (norm <= tolerance) outcome->reason = WRING_CONVERGED;
    if (norm <= PetscMax(tolerance, 2 * outcome->last.gradient_norm)) PetscFunctionReturn(PETSC_SUCCESS);
    if (norm < 0.9 * least) least = norm, last = i;
    PetscCall(mix_loads(s));
    PetscCall(wring_solver_minimise(solver, x, &more));
    wring_outcome_add(&more, outcome);
    if (wring_potential_friction(s->g)) outcome->friction.repeats++;
  }
  if (wring_reason_converged(outcome->reason)) PetscCall(end_unsettled(s, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode static_finish(wring_stepper *s, Vec x, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(s->memory[WRING_STATIC_MOTION], -1, state->q, x));
  s->part.length = s->part.end - state->time;
  PetscCall(VecScale(s->memory[WRING_STATIC_MOTION], 1 / s->part.length));
  PetscCall(VecSet(state->v, 0));
  s->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step is counted when the whole load step is done. */
static void static_count(wring_stepper *s, wring_state *state)
{
  state->time = s->part.end;
  if (state->time >= whole_end(s, state)) state->step++;
}

const wring_integrator wring_integrator_static = {
  .name      = "static",
  .part      = 1,
  .when      = 1,
  .needs     = WRING_CAN_GRADIENT,
  .is_static = PETSC_TRUE,
  .memory    = {[WRING_STATIC_ORIGIN] = "start_position", [WRING_STATIC_MOTION] = "motion"},
  .prepare   = static_prepare,
  .begin     = static_begin,
  .finish    = static_finish,
  .count     = static_count,
};
