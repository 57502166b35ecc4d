/*
  Backtracking [Liu et al. 2017, alg. 1]: alpha = 1, 1/2, 1/4, ... until
    g(x + alpha d) <= g(x) + gamma alpha grad g . d.
  A point where g is infinite or NaN fails this test. For laws that are infinite for det F <= 0, the first such point
  starts a search for the step lengths that invert an element, which are then not tried, docs/theory.md (5.10).

  Round-off, docs/theory.md (2.4): if rounding hides the decrease of g that the test asks for, a step is judged by
  grad g, which is still accurate [Hager and Zhang 2005]. The same holds where alpha d is no longer than the spacing of
  floating-point numbers at x: in free fall from rest g is 0 except for the rounding of x. Where the curvature of g
  jumps (limits of strain, area and volume), a full step may go too far although its promised decrease is hidden:
  shorter steps are then judged too, until this no longer helps.
*/
#include "line_search.h"

enum { MAX_HALVINGS = 100 }; // steepest descent starts |g|/|grad g| long, which near a minimum is 1e20 times too long

static const double sufficient = 0.3;   // gamma
static const double round_off  = 1e-11; // of |g|
static const double rise       = 1e-12; // of |g|: a larger rise is an increase
static const double exhausted  = 1e-9;  // of the reference of rtol: a search that fails there has met rounding
static const double spacing    = 64 * PETSC_MACHINE_EPSILON;

enum { MAX_TOO_FAR = 10 }; // searches whose full step goes too far, for each halving of |grad g|

PetscErrorCode wring_solver_try(wring_solver *s, Vec x, double alpha, Vec d)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);

  PetscFunctionBegin;
  PetscCall(wring_solver_combine(s->n, 2, (const double[]){1, alpha}, (const Vec[]){x, d}, s->trial.x));
  wring_phases_switch(s->phases, old);
  PetscCall(wring_solver_evaluate_trial(s, s->trial.x, s->trial.grad));
  s->trial.step = alpha;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_accept(wring_solver *s, Vec x)
{
  const wring_phase old  = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const Vec         grad = s->current.grad;

  PetscFunctionBegin;
  PetscCall(wring_solver_combine(3 * wring_potential_mesh(s->g)->n_local, 1, (const double[]){1}, &s->trial.x, x));
  wring_phases_switch(s->phases, old);
  s->current.grad  = s->trial.grad;
  s->trial.grad    = grad;
  s->current.value = s->trial.value;
  s->current.norm  = s->trial.norm;
  s->current.step  = s->trial.step;
  s->current.known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The alpha at which alpha d is as short as the spacing of floating-point numbers at x. */
static PetscErrorCode shortest_step(const wring_solver *s, Vec x, Vec d, double *alpha)
{
  PetscReal x_max, d_max;

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_REDUCTIONS, 2);
  PetscCall(VecNorm(x, NORM_INFINITY, &x_max));
  PetscCall(VecNorm(d, NORM_INFINITY, &d_max));
  *alpha = spacing * x_max / d_max;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is known of a trial point at round-off. */
typedef struct {
  PetscBool better;  // than x
  PetscBool too_far; // the minimum along d lies before it
} judgement;

/*
  A better point at round-off: g does not rise, and either |grad g| decreases or, while x moves at all, the slope at the
  trial point has decreased to (1 - 2 gamma) of that at x, which for a parabola is the test above
  [Hager and Zhang 2005, eq. 4.1].
*/
static PetscErrorCode judge(wring_solver *s, Vec d, double slope, PetscBool moves, judgement *j)
{
  const double g = s->current.value.objective, trial = s->trial.value.objective;
  const double noise = wring_rounding_at(&s->scale.rounding, &s->current.value);
  double       trial_slope;

  PetscFunctionBegin;
  PetscCall(wring_solver_dot(s, s->trial.grad, d, &trial_slope));
  const int falls   = s->trial.norm < s->current.norm;
  const int flatter = moves && trial_slope <= (2 * sufficient - 1) * slope;
  j->better         = (PetscBool)((falls || flatter) && trial <= g + rise * PetscAbsReal(g) + noise);
  j->too_far        = (PetscBool)(moves && !flatter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether searches at round-off whose full step goes too far still help: |grad g| is halved within some of them. */
static PetscBool may_shorten(wring_solver *s)
{
  if (s->current.norm <= 0.5 * s->too_far.norm) s->too_far = (solver_too_far){.norm = s->current.norm};
  return (PetscBool)(++s->too_far.count <= MAX_TOO_FAR);
}

/* The first step of a search that is judged by grad g. */
typedef enum { NOT_YET, FULL_STEP, SHORTER_STEP } first_judged;

/*
  The trial point is at round-off and may still be better. If the full step is at round-off, others are tried only if it
  goes too far. If the full step is above it and g rose, d may be far too long: shorter steps are judged too, while x
  moves.
*/
static PetscErrorCode judge_by_gradient(wring_solver *s, Vec d, double slope, double shortest, first_judged *first,
                                        wring_search *result)
{
  const PetscBool moves = (PetscBool)(s->trial.step > shortest), full = (PetscBool)(s->trial.step == 1);
  const PetscBool begins = (PetscBool)(*first == NOT_YET);
  judgement       j      = {PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  if (begins) *first = full ? FULL_STEP : SHORTER_STEP;
  PetscCall(judge(s, d, slope, moves, &j));
  if (j.better)
    *result = WRING_SEARCH_FOUND;
  else if (full ? !(j.too_far && may_shorten(s)) : !moves && (begins || *first == FULL_STEP))
    *result = WRING_SEARCH_ROUND_OFF;
  else
    *result = WRING_SEARCH_FAILED; // a shorter step may be better
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_solver_is_tiny(const wring_solver *s, double alpha, double slope)
{
  const wring_value *const v = &s->current.value;
  return (PetscBool)(-alpha * slope <=
                     round_off * PetscAbsReal(v->objective) + wring_rounding_at(&s->scale.rounding, v));
}

PetscBool wring_solver_falls(const wring_solver *s, double slope)
{
  if (wring_solver_is_tiny(s, s->trial.step, slope)) return PETSC_FALSE;
  return (PetscBool)(s->trial.value.objective <= s->current.value.objective + sufficient * s->trial.step * slope);
}

PetscErrorCode wring_solver_meet_infinity(wring_solver *s, Vec x, Vec d)
{
  PetscFunctionBegin;
  if (s->bound.known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_bound(s->g, x, d, &s->bound.step));
  s->bound.known   = PETSC_TRUE;
  s->bound.inverts = (PetscBool)(s->bound.step < INFINITY);
  s->bound.first   = wring_potential_first_step(s->g, s->bound.step);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_begin_search(wring_solver *s, Vec x, Vec d)
{
  PetscFunctionBegin;
  s->bound.step  = INFINITY;
  s->bound.known = PETSC_FALSE;
  s->bound.first = 1;
  if (s->bound.inverts || wring_potential_has_bounded_contacts(s->g)) PetscCall(wring_solver_meet_infinity(s, x, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest of alpha, alpha/2, ... below the bound, after as many halvings as that takes. */
static void step_below_bound(const wring_solver *s, double *alpha, int *halvings)
{
  for (; *alpha >= s->bound.step && *halvings < MAX_HALVINGS; (*halvings)++) *alpha /= 2;
}

PetscErrorCode wring_solver_backtrack(wring_solver *s, Vec x, Vec d, double slope, wring_search *result)
{
  double       shortest = 0;
  first_judged first    = NOT_YET;

  PetscFunctionBegin;
  *result = s->current.norm == 0 ? WRING_SEARCH_ROUND_OFF : WRING_SEARCH_FAILED;
  if (!(slope < 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_begin_search(s, x, d));
  double alpha = s->bound.first;
  int    least = 0;
  step_below_bound(s, &alpha, &least);
  for (int halvings = least; halvings <= MAX_HALVINGS; halvings++, alpha /= 2) {
    step_below_bound(s, &alpha, &halvings);
    PetscCall(wring_solver_try(s, x, alpha, d));
    if (wring_solver_falls(s, slope)) {
      *result = WRING_SEARCH_FOUND;
      break;
    }
    if (halvings == least) PetscCall(shortest_step(s, x, d, &shortest));
    if (PetscIsInfOrNanReal(s->trial.value.objective)) {
      PetscCall(wring_solver_meet_infinity(s, x, d));
      continue;
    }
    if (!wring_solver_is_tiny(s, alpha, slope) && alpha > shortest) continue;
    PetscCall(judge_by_gradient(s, d, slope, shortest, &first, result));
    if (*result != WRING_SEARCH_FAILED || alpha <= shortest) break;
  }
  if (*result == WRING_SEARCH_FAILED && first == FULL_STEP) *result = WRING_SEARCH_ROUND_OFF;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_longest(wring_solver *s, Vec x, double *length)
{
  double size = 0, least, largest;

  PetscFunctionBegin;
  *length = PetscAbsReal(s->current.value.objective) / PetscSqr(s->current.norm);
  if (!wring_potential_is_static(s->g)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_count(s->phases, WRING_WORK_REDUCTIONS, 6);
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideMin(x, c, NULL, &least));
    PetscCall(VecStrideMax(x, c, NULL, &largest));
    size = PetscMax(size, largest - least);
  }
  *length = size / s->current.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_steepest(wring_solver *s, Vec x, Vec d, double *slope)
{
  double length;

  PetscFunctionBegin;
  PetscCall(wring_solver_longest(s, x, &length));
  *slope = -length * PetscSqr(s->current.norm);
  PetscCall(VecCopy(s->current.grad, d));
  PetscCall(VecScale(d, -length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_end_search(wring_solver *s, Vec x, wring_search result)
{
  const PetscBool balanced = (PetscBool)(s->current.norm <= exhausted * s->scale.reference);

  PetscFunctionBegin;
  if (result == WRING_SEARCH_FOUND) {
    s->contacts.cut += s->bound.first < 1;
    PetscCall(wring_solver_accept(s, x));
  } else {
    wring_solver_end(s, result == WRING_SEARCH_ROUND_OFF || balanced ? WRING_AT_ROUND_OFF : WRING_STOPPED_LINE_SEARCH);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
