/*
  A new operator is built when keeping the present one has wasted as many evaluations as a new one costs: in steps that
  line searches have rejected, or in solves that have become longer than the first with this operator. The total cost is
  then at most twice the best possible, if a new operator helps. Solves may also become longer for other reasons, such
  as contacts: an operator that has not saved its price doubles the evaluations that are lost before the next one.
  Evaluations are counted, not seconds, so that all ranks make the same decisions and runs can be repeated.
*/
#include "refresh.h"

/*
  The eigenvalues of H relative to the mean of its diagonal blocks are 1 on average, and at most 3 for an isotropic
  material at rest.
*/
static const double factor = 2;

enum { MOST_DOUBLINGS = 16 };

enum { LONG = 4 }; // prices: a first solve, which has nothing to be compared with, is long

static const double clearly = 0.8; // a smaller change of the mean of few solves may be chance

/* A new operator either pays, or doubles what must be lost before the next one. */
static void note_gain(wring_refresh *r, PetscBool paid)
{
  r->misses = paid ? PetscMax(r->misses - 1, 0) : PetscMin(r->misses + 1, MOST_DOUBLINGS);
}

/* After a solve in which the operator was renewed: it helped if the rest was short compared with what came before. */
static void book_rest(wring_refresh *r)
{
  const PetscInt rest = r->evaluations - r->renewed;
  r->guess            = 2 * (r->evaluations - r->since);
  if (4 * rest <= r->renewed)
    note_gain(r, PETSC_TRUE);
  else if (2 * rest > r->renewed)
    note_gain(r, PETSC_FALSE);
}

/* Adds the evaluations of the last solve to the excess. */
static void book(wring_refresh *r)
{
  r->rejected += r->steps;
  if (r->evaluations > 0 && r->partial) book_rest(r);
  if (r->evaluations == 0 || r->partial) return;
  if (r->solves < WRING_REFRESH_FEW) r->early[r->solves] = r->evaluations;
  r->late[r->solves++ % WRING_REFRESH_FEW] = r->evaluations;
  if (r->first == 0)
    r->first = r->evaluations;
  else
    r->excess = PetscMax(r->excess + r->evaluations - r->first, 0);
}

/* The first and the last solves with an operator, of which means are taken: half of them, if they are few. */
static PetscInt count_few(const wring_refresh *r)
{
  return PetscMin(PetscMax(r->solves / 2, 1), WRING_REFRESH_FEW);
}

static double early(const wring_refresh *r)
{
  double sum = 0;
  for (PetscInt i = 0; i < count_few(r); i++) sum += (double)r->early[i];
  return sum / (double)count_few(r);
}

static double late(const wring_refresh *r)
{
  double sum = 0;
  for (PetscInt i = 1; i <= count_few(r); i++) sum += (double)r->late[(r->solves - i) % WRING_REFRESH_FEW];
  return sum / (double)count_few(r);
}

/* Whether the present operator, which replaced another, has saved its price by now; begins to count for the next. */
static void judge(wring_refresh *r)
{
  if (r->solves == 0) return;
  const double    now = early(r), saved = (double)r->solves * (r->before - now);
  const PetscBool paid = (PetscBool)(saved >= (double)r->patience && now <= clearly * r->before);
  if (r->before > 0) note_gain(r, paid);
  r->before = late(r);
  r->solves = 0;
}

void wring_refresh_begin(wring_solver *s, wring_refresh *r, PetscBool *changed)
{
  const PetscInt revision = wring_potential_revision(s->g);

  *changed = (PetscBool)(r->revision != revision);
  if (*changed) {
    r->first = r->guess = r->excess = r->solves = 0;
    r->before = r->rejected = 0;
  } else {
    book(r);
  }
  r->revision    = revision;
  r->evaluations = r->since = r->times = r->steps = 0;
  r->partial                                      = PETSC_FALSE;
}

/* Evaluations beyond those of usual solves or, without a solve to compare with, beyond those of a long one. */
static PetscInt count_extra(const wring_solver *s, const wring_refresh *r)
{
  const PetscInt now   = s->work.evaluations - r->since;
  const PetscInt usual = r->first > 0 ? r->first : r->guess;
  if (r->partial) return r->excess + now;
  if (usual == 0) return PetscMax(now - (LONG - 1) * r->patience, 0);
  return r->excess + PetscMax(now - usual, 0);
}

/* Whether keeping the operator has cost as much as a new one; within a solve each is kept twice as long as the last. */
static PetscBool is_due(const wring_solver *s, const wring_refresh *r)
{
  const PetscInt wasted = PetscMax(r->rejected + r->steps, count_extra(s, r));
  return (PetscBool)(r->patience > 0 && wasted > r->patience << PetscMin(r->times + r->misses, MOST_DOUBLINGS));
}

PetscErrorCode wring_refresh_operator(wring_solver *s, wring_refresh *r, Vec x)
{
  Mat A[3];

  PetscFunctionBegin;
  if (!is_due(s, r)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_operator_get_matrices(s->op, A));
  PetscCall(wring_potential_mean_matrices(s->g, x, factor, A));
  PetscCall(wring_operator_set_matrices(s->op, A));
  PetscCall(wring_matrices_destroy(A));
  judge(r);
  r->first = r->excess = r->rejected = r->steps = 0;
  r->since                                      = s->work.evaluations;
  if (r->times == 0) r->renewed = r->since;
  r->partial = (PetscBool)(s->current.iteration > 0);
  r->times++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_refresh_return(const wring_solver *s, wring_refresh *r)
{
  const PetscInt now = s->work.evaluations;
  *r                 = (wring_refresh){.patience    = r->patience,
                                       .revision    = wring_potential_revision(s->g),
                                       .evaluations = now,
                                       .since       = now,
                                       .renewed     = now,
                                       .times       = r->times,
                                       .misses      = r->misses,
                                       .partial     = (PetscBool)(s->current.iteration > 0)};
}

void wring_refresh_count(const wring_solver *s, wring_refresh *r)
{
  const PetscInt now = s->work.evaluations - PetscMax(r->evaluations, 1); // the first is that of x_0
  r->steps += PetscMax(now - 1, 0);
  wring_refresh_skip(s, r);
}

void wring_refresh_skip(const wring_solver *s, wring_refresh *r)
{
  r->evaluations = s->work.evaluations;
}
