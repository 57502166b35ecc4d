/* Held vertices, and colliders, that contacts stop on the way to their places. */
#include "step_impl.h"

enum { MAX_PARTS = 200, PATIENCE = 6 };
static const double progress   = 0.05; // of the longest part so far: a shorter one is none
static const double on_the_way = 0.1;  // rtol of all but the last part

/* The last part of the way, between the minima `from` and x. */
typedef struct {
  Vec      from;
  double   length, left; // of all of the way
  PetscInt stop;         // the vertex that ended the next one
} last_part;

/*
  x with the held vertices on the way from `from` to their places as far as contacts let them; the others move by
  `reach` of their motion in the last part, and with them what the held ones push.
*/
static PetscErrorCode go(wring_stepper *s, const last_part *last, double begun, double reach, Vec from, Vec x,
                         double *part, PetscBool *placed)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_set_progress(s->g, begun));
  PetscCall(VecCopy(from, x));
  if (reach > 0) PetscCall(VecAXPBY(x, -reach, 1 + reach, last->from));
  PetscCall(wring_step_place(s, from, x, part, placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves the held vertices on from x, while the others go on as in the last part or stay, whichever leads farther. */
static PetscErrorCode move_on(wring_stepper *s, last_part *last, Vec x, double *part)
{
  const double begun = wring_potential_progress(s->g), reach = last->length > 0 ? last->left / last->length : 0;
  PetscBool    placed;
  Vec          from;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &from));
  PetscCall(VecCopy(x, from));
  PetscCall(go(s, last, begun, 0, from, x, part, &placed));
  if (reach > 0 && !placed) {
    const double stay = *part;
    PetscCall(go(s, last, begun, reach, from, x, part, &placed));
    if (*part < stay) PetscCall(go(s, last, begun, 0, from, x, part, &placed));
  }
  last->stop = wring_potential_stop(s->g);
  PetscCall(wring_step_begin_approach(s, x, placed));
  PetscCall(VecCopy(from, last->from));
  PetscCall(VecDestroy(&from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Minimises g; where held vertices are to move on, only so far that they can. */
static PetscErrorCode minimise(const wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  wring_solver_limits l;

  PetscFunctionBegin;
  wring_solver_get_limits(solver, &l);
  if (s->approaching && l.rtol > 0)
    wring_solver_set_limits(solver, l.max_it, PetscMax(l.rtol, on_the_way), l.atol, l.measure);
  PetscCall(wring_solver_minimise(solver, x, outcome));
  wring_solver_set_limits(solver, l.max_it, l.rtol, l.atol, l.measure);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_blocked(wring_stepper *s, PetscInt vertex, wring_outcome *outcome)
{
  PetscFunctionBegin;
  outcome->reason = WRING_STOPPED_BLOCKED;
  PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                       "vertex %" PetscInt_FMT
                       ", which is held, or a collider at it is stopped by a contact on the way "
                       "to its place: expected an attachment that leaves room or gives way (stiffness), or a smaller "
                       "time_step",
                       vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_minimise(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  int           tries = 0;
  double        part, longest = 0;
  last_part     last = {.left = 1};
  wring_outcome more;

  PetscFunctionBegin;
  PetscCall(minimise(s, solver, x, outcome));
  if (!s->approaching) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(x, &last.from));
  for (int i = 0; i < MAX_PARTS && s->approaching && tries < PATIENCE; i++) {
    if (wring_reason_failed(outcome->reason) || outcome->reason == WRING_INTERRUPTED) break;
    PetscCall(move_on(s, &last, x, &part));
    last.length = part * last.left;
    tries       = last.length < progress * longest ? tries + 1 : 0;
    longest     = PetscMax(longest, last.length);
    last.left *= 1 - part;
    PetscCall(minimise(s, solver, x, &more));
    wring_outcome_add(&more, outcome);
  }
  PetscCall(VecDestroy(&last.from));
  if (s->approaching && !wring_reason_failed(outcome->reason) && outcome->reason != WRING_INTERRUPTED)
    PetscCall(end_blocked(s, last.stop, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}
