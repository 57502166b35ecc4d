/* Held vertices that contacts stop on the way to their places. */
#include "step_impl.h"

enum { MAX_PARTS = 200, PATIENCE = 6 };
static const double progress = 0.05; // of the longest part so far: a shorter one is none

/* Moves the held vertices on from x, as far as contacts let them; *part of the way that is left. */
static PetscErrorCode move_on(wring_stepper *s, Vec x, double *part)
{
  PetscBool placed;
  Vec       from;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &from));
  PetscCall(VecCopy(x, from));
  PetscCall(wring_step_place(s, from, x, part, &placed));
  PetscCall(wring_step_begin_approach(s, x, placed));
  PetscCall(VecDestroy(&from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_blocked(wring_stepper *s, wring_outcome *outcome)
{
  PetscFunctionBegin;
  outcome->reason = WRING_STOPPED_BLOCKED;
  PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                       "vertex %" PetscInt_FMT ", which is held, is stopped by a contact on the way to its place: "
                       "expected an attachment that leaves room or gives way (stiffness), or a smaller time_step",
                       wring_potential_stop(s->g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_approach(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  int           tries = 0;
  double        part, left = 1, longest = 0; // of the way from here
  wring_outcome more;

  PetscFunctionBegin;
  for (int i = 0; i < MAX_PARTS && s->approaching && tries < PATIENCE; i++) {
    if (wring_reason_failed(outcome->reason) || outcome->reason == WRING_INTERRUPTED)
      PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(move_on(s, x, &part));
    tries   = part * left < progress * longest ? tries + 1 : 0;
    longest = PetscMax(longest, part * left);
    left *= 1 - part;
    PetscCall(wring_solver_minimise(solver, x, &more));
    wring_outcome_add(&more, outcome);
  }
  if (s->approaching && !wring_reason_failed(outcome->reason)) PetscCall(end_blocked(s, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}
