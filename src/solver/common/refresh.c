/*
  A new operator is built when several solves, or one long solve, have taken more evaluations than the first solve with
  the present operator, by as many as a new operator costs. The total cost is then at most twice the best possible.
  Evaluations are counted, not seconds, so that all ranks make the same decisions and runs can be repeated.
*/
#include "refresh.h"

/*
  The eigenvalues of H relative to the mean of its diagonal blocks are 1 on average, and at most 3 for an isotropic
  material at rest.
*/
static const double factor = 2;

enum { MOST_DOUBLINGS = 16 };

/* Adds the evaluations of the last solve to the excess. */
static void book(wring_refresh *r)
{
  if (r->evaluations == 0 || r->partial) return;
  if (r->first == 0)
    r->first = r->evaluations;
  else
    r->excess = PetscMax(r->excess + r->evaluations - r->first, 0);
}

void wring_refresh_begin(wring_solver *s, wring_refresh *r, PetscBool *changed)
{
  const PetscInt revision = wring_potential_revision(s->g);

  *changed = (PetscBool)(r->revision != revision);
  if (*changed)
    r->first = r->excess = 0;
  else
    book(r);
  r->revision    = revision;
  r->evaluations = r->since = r->times = 0;
  r->partial                           = PETSC_FALSE;
}

/* Whether keeping the operator has cost as much as a new one; within a solve each is kept twice as long as the last. */
static PetscBool is_due(const wring_solver *s, const wring_refresh *r)
{
  const PetscInt now   = s->work.evaluations - r->since;
  const PetscInt extra = r->partial ? now : PetscMax(now - r->first, 0);
  return (PetscBool)(r->patience > 0 && r->excess + extra > r->patience << PetscMin(r->times, MOST_DOUBLINGS));
}

PetscErrorCode wring_refresh_operator(wring_solver *s, wring_refresh *r, Vec x)
{
  Mat A = wring_operator_matrix(s->op);

  PetscFunctionBegin;
  if (!is_due(s, r)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_mean_matrix(s->g, x, factor, &A));
  PetscCall(wring_operator_set_matrix(s->op, A));
  r->first = r->excess = 0;
  r->since             = s->work.evaluations;
  r->partial           = (PetscBool)(s->current.iteration > 0);
  r->times++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_refresh_count(const wring_solver *s, wring_refresh *r)
{
  r->evaluations = s->work.evaluations;
}
