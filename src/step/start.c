/*
  The x_0 of a solve. y, the minimiser of the inertial part of g, is a good start of a body that moves freely, and a bad
  one of a body whose stiffness or supports dominate: there it moves light or loaded vertices far away and inverts
  tetrahedra. q and q + h v are good starts of bodies at rest and of steady motion; where the body moves smoothly, its
  velocities extrapolated from the last two or three steps are better. Each candidate costs an evaluation, so that they
  are compared only now and then; between, the start is of the same kind. docs/theory.md (2.3)
*/
#include "step_impl.h"
#include <math.h>

enum { Q, STEADY, Y, ACCELERATED, QUADRATIC, N_CANDIDATE };

static const char *const names[] = {
  [Q] = "q", [STEADY] = "q + h v", [ACCELERATED] = "v + h a", [QUADRATIC] = "v + h (2 a - a_-)", [Y] = "y"};

const char *wring_start_name(wring_start start)
{
  static const char *const name[] = {[WRING_START_AUTO] = "auto", [WRING_START_Y] = "y", [WRING_START_Q] = "q"};
  return name[start];
}

void wring_stepper_set_start(wring_stepper *s, wring_start start)
{
  s->start_rule = s->keys.start >= 0 ? (wring_start)s->keys.start : start;
}

wring_start wring_stepper_get_start(const wring_stepper *s)
{
  return s->start_rule;
}

const wring_evaluation *wring_stepper_evaluation(const wring_stepper *s)
{
  return s->start_known ? &s->start : NULL;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

/* The unknown of g for a guess v' of the new velocity: its own velocity is v + part (v' - v). (2.3) */
static PetscErrorCode extrapolate(const wring_stepper *s, const wring_state *state, int candidate, Vec x)
{
  const double h = wring_potential_step(s->g), change = h * s->integrator->part * s->h;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(x, h, state->v, wring_potential_start(s->g)));
  if (candidate == ACCELERATED) PetscCall(VecAXPY(x, change, s->change[0]));
  if (candidate == QUADRATIC) PetscCall(VecAXPBYPCZ(x, 2 * change, -change, 1, s->change[0], s->change[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Whether a candidate may be better than the best one before it: an extrapolation, if this is the one of next lower
  order; y in the first step, or where the body does not go on.
*/
static PetscBool may_be_better(const wring_stepper *s, int candidate, int best)
{
  switch (candidate) {
  case Y:
    return (PetscBool)(!s->known || best == Q);
  case ACCELERATED:
    return (PetscBool)(s->known && best == STEADY);
  case QUADRATIC:
    return (PetscBool)(best == ACCELERATED);
  default:
    return PETSC_TRUE;
  }
}

/* In the unknown of g, which is the midpoint of the step for the midpoint rule. */
static PetscErrorCode form(const wring_stepper *s, const wring_state *state, int candidate, const start_merit *best,
                           Vec x, PetscBool *is_new)
{
  PetscFunctionBegin;
  *is_new = (PetscBool)(candidate == best->candidate || may_be_better(s, candidate, best->candidate));
  if (!*is_new) PetscFunctionReturn(PETSC_SUCCESS);
  if (candidate == Q || candidate == Y)
    PetscCall(VecCopy(candidate == Q ? state->q : wring_potential_target(s->g), x));
  else
    PetscCall(extrapolate(s, state, candidate, x));
  PetscCall(wring_potential_place(s->g, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g at x with the contacts at x. */
static PetscErrorCode value_at(wring_potential *g, Vec x, double *value)
{
  wring_value parts;

  PetscFunctionBegin;
  PetscCall(wring_potential_update_contacts(g, x, PETSC_TRUE, NULL));
  PetscCall(wring_potential_value(g, x, &parts));
  *value = parts.objective;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The i-th candidate, as far on the way from q as contacts let it. */
static PetscErrorCode approach(wring_stepper *s, const wring_state *state, int i, const start_merit *best,
                               start_candidate *set, Vec x, PetscBool *is_new, start_merit *m)
{
  PetscFunctionBegin;
  PetscCall(set(s, state, i, best, x, is_new));
  if (!*is_new) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_set_progress(s->g, 0));
  PetscCall(wring_potential_advance(s->g, state->q, x, &m->part));
  m->placed = PETSC_TRUE;
  if (m->part < 1) PetscCall(wring_potential_is_placed(s->g, x, &m->placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode judge(wring_stepper *s, const wring_state *state, Vec x, start_merit *m)
{
  PetscFunctionBegin;
  PetscCall(value_at(s->g, x, &m->g));
  m->finite = (PetscBool)!PetscIsInfOrNanReal(m->g);
  if (m->finite) PetscCall(wring_potential_inverted(s->g, state->q, x, PETSC_FALSE, &m->newly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_better(const start_merit *a, const start_merit *b)
{
  if (!a->finite || !b->finite) return (PetscBool)(a->finite && !b->finite);
  if (!a->placed || !b->placed) return (PetscBool)(a->placed || (!b->placed && a->part > b->part));
  return (PetscBool)(a->newly != b->newly ? a->newly < b->newly : a->g < b->g);
}

PetscErrorCode wring_step_take_best(wring_stepper *s, const wring_state *state, int n, start_candidate *set, Vec x,
                                    start_merit *m)
{
  start_merit other  = {.finite = PETSC_FALSE};
  int         formed = 0;
  PetscBool   is_new;

  PetscFunctionBegin;
  m->candidate = 0;
  for (int i = 0; i < n; i++) {
    PetscCall(approach(s, state, i, m, set, x, &is_new, i == 0 ? m : &other));
    formed = i;
    if (!is_new) continue;
    PetscCall(judge(s, state, x, i == 0 ? m : &other));
    if (i == 0 || !is_better(&other, m)) continue;
    *m           = other;
    m->candidate = i;
  }
  if (m->candidate != formed) PetscCall(approach(s, state, m->candidate, m, set, x, &is_new, m));
  PetscCall(wring_step_begin_approach(s, x, m->placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_place(wring_stepper *s, Vec from, Vec x, double *part, PetscBool *placed)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_restore_places(s->g));
  PetscCall(wring_potential_place(s->g, x));
  PetscCall(wring_potential_advance(s->g, from, x, part));
  PetscCall(wring_potential_is_placed(s->g, x, placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_start_from(wring_stepper *s, const wring_state *state, Vec start, Vec x)
{
  const double progress = wring_potential_progress(s->g);
  start_merit  chosen = {.part = progress, .placed = (PetscBool)!s->approaching}, m = {.finite = PETSC_FALSE};
  Vec          other;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &other));
  PetscCall(VecCopy(start, other));
  PetscCall(wring_potential_set_progress(s->g, 0));
  PetscCall(wring_step_place(s, state->q, other, &m.part, &m.placed));
  PetscCall(judge(s, state, other, &m));
  const double of_other = wring_potential_progress(s->g);
  PetscCall(wring_potential_set_progress(s->g, progress));
  PetscCall(judge(s, state, x, &chosen));
  if (is_better(&m, &chosen)) {
    PetscCall(VecCopy(other, x));
    PetscCall(wring_potential_set_progress(s->g, of_other));
    chosen.placed  = m.placed;
    s->start_known = PETSC_FALSE;
  }
  PetscCall(wring_step_begin_approach(s, x, chosen.placed));
  PetscCall(VecDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_begin_approach(wring_stepper *s, Vec x, PetscBool placed)
{
  PetscFunctionBegin;
  s->approaching = (PetscBool)!placed;
  if (!placed) PetscCall(wring_potential_hold_at(s->g, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x becomes the best candidate; with *m. */
static PetscErrorCode take_best(wring_stepper *s, const wring_state *state, Vec x, start_merit *m)
{
  PetscFunctionBegin;
  PetscCall(wring_step_take_best(s, state, N_CANDIDATE, form, x, m));
  s->usual = s->known ? 1 + m->candidate : 0; // without known changes of velocity there are fewer candidates
  PetscCall(
    PetscInfo(NULL, "Step %" PetscInt_FMT " starts from %s, g %g J\n", state->step + 1, names[m->candidate], m->g));
  if (m->finite && m->newly > 0)
    PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                         "the step to time %g s starts with %" PetscInt64_FMT " inverted tetrahedra: attachments move "
                         "far in one step; a smaller time_step avoids this",
                         state->time + s->h, m->newly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- where g is not finite --------------------------------------------------------------------------------------- */

PetscErrorCode wring_step_require_finite(wring_stepper *s, const wring_state *state)
{
  double g = NAN;

  PetscFunctionBegin;
  PetscCall(value_at(s->g, state->q, &g));
  if (PetscIsInfOrNanReal(g)) {
    WRING_REFUSE(wring_potential_mesh(s->g)->comm,
                 "the step to time %.6g s: the energy at its initial positions is not finite, expected "
                 "elements that are not inverted, or a material that allows it, and no huge loads or velocities",
                 state->time + s->h);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = q + t (y - q) with the first t of 1/2, 1/4, ..., 0 where g is finite. */
static PetscErrorCode halve(wring_stepper *s, const wring_state *state, Vec x)
{
  const Vec y = wring_potential_target(s->g);
  double    t = 1, g = NAN;

  PetscFunctionBegin;
  PetscCall(wring_step_require_finite(s, state));
  do {
    t = t > PETSC_MACHINE_EPSILON ? t / 2 : 0;
    PetscCall(VecWAXPY(x, -1, state->q, y));
    PetscCall(VecAYPX(x, t, state->q));
    PetscCall(wring_potential_place(s->g, x));
    PetscCall(value_at(s->g, x, &g));
  } while (PetscIsInfOrNanReal(g) && t > 0);
  if (PetscIsInfOrNanReal(g)) // at q with the held vertices placed
    WRING_REFUSE(wring_potential_mesh(s->g)->comm,
                 "the step to time %.6g s: hard attachments move so far that the energy is not finite, expected a "
                 "smaller time_step, or a material that allows it",
                 state->time + s->h);
  PetscCall(wring_note(
    wring_potential_mesh(s->g)->comm,
    "the step to time %g s starts from %g of the way that velocities and loads alone would lead to: the energy is "
    "not finite beyond",
    state->time + s->h, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/*
  g and its gradient at x, into s->y, for the solve that starts at x. They are omitted if there are contacts, because
  the solve first searches for them at x, which changes g.
*/
static PetscErrorCode evaluate(wring_stepper *s, Vec x)
{
  PetscFunctionBegin;
  s->start_known = (PetscBool)(wring_potential_contacts(s->g, NULL) == 0);
  s->start.grad  = s->y;
  if (s->start_known)
    PetscCall(wring_potential_fused(s->g, x, &s->start.value, s->start.grad));
  else
    PetscCall(wring_potential_value(s->g, x, &s->start.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a step starts like the last ones, without a comparison. A restart must decide as the run before it. */
static PetscBool goes_on(const wring_stepper *s, const wring_state *state)
{
  enum { FIRST = 4, EVERY = 8 }; // steps with a comparison
  const PetscBool is_usual = (PetscBool)(s->usual >= 1 && s->usual <= N_CANDIDATE);
  if (!s->known || !is_usual || wring_potential_contacts(s->g, NULL) > 0) return PETSC_FALSE;
  return (PetscBool)(state->step >= FIRST && state->step % EVERY != 0);
}

/* x becomes candidate i, and g is evaluated there; sets all of *m but the inverted tets. */
static PetscErrorCode take(wring_stepper *s, const wring_state *state, int i, Vec x, start_merit *m)
{
  PetscBool is_new;

  PetscFunctionBegin;
  m->candidate = i;
  PetscCall(approach(s, state, i, m, form, x, &is_new, m));
  PetscCall(wring_step_begin_approach(s, x, m->placed));
  PetscCall(evaluate(s, x));
  m->g      = s->start.value.objective;
  m->finite = (PetscBool)!PetscIsInfOrNanReal(m->g);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of the usual candidate; *good: g is finite, no tet is newly inverted, held vertices are at their places. */
static PetscErrorCode take_usual(wring_stepper *s, const wring_state *state, Vec x, start_merit *m, PetscBool *good)
{
  PetscFunctionBegin;
  PetscCall(take(s, state, (int)s->usual - 1, x, m));
  if (m->finite) PetscCall(wring_potential_inverted(s->g, state->q, x, PETSC_FALSE, &m->newly));
  *good = (PetscBool)(m->finite && m->placed && m->newly == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_choose_start(wring_stepper *s, const wring_state *state, Vec x)
{
  const PetscBool named = (PetscBool)(s->start_rule != WRING_START_AUTO);
  start_merit     m     = {.finite = PETSC_FALSE};
  PetscBool       done  = PETSC_FALSE;

  PetscFunctionBegin;
  if (named) {
    PetscCall(take(s, state, s->start_rule == WRING_START_Q ? Q : Y, x, &m));
    done = m.finite;
  } else if (goes_on(s, state)) {
    PetscCall(take_usual(s, state, x, &m, &done));
  }
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (!named) PetscCall(take_best(s, state, x, &m));
  if (!m.finite) PetscCall(halve(s, state, x));
  PetscCall(evaluate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
