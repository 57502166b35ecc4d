/*
  A new operator is built when keeping the present one has wasted as many evaluations as a new one costs: in steps that
  line searches have rejected, or in solves that have become longer than the first with this operator. The total cost is
  then at most twice the best possible, if a new operator helps. Solves may also become longer for other reasons, such
  as contacts: an operator that has not saved its price doubles the evaluations that are lost before the next one. A
  Hessian is built by the same rule, or earlier where the predicted rest costs much more, and its price doubles each
  time it falls behind the operator.
*/
#include "costs.h"
#include <math.h>
#include <string.h>

enum { MOST_DOUBLINGS = 16, DECADES_UNKNOWN = 4 };
enum { LONG = 4 }; // prices: a first solve, which has nothing to be compared with, is long

static const double clearly = 0.8; // a smaller change of the mean of few solves may be chance

static double doubled(double price, PetscInt times)
{
  return ldexp(price, (int)PetscMin(times, MOST_DOUBLINGS));
}

/* ---- a new operator ---------------------------------------------------------------------------------------------- */

/* A new operator either pays, or doubles what must be lost before the next one. */
static void note_gain(wring_renewal *r, PetscBool paid)
{
  r->misses = paid ? PetscMax(r->misses - 1, 0) : PetscMin(r->misses + 1, MOST_DOUBLINGS);
}

/* After a solve in which the operator was renewed: it helped if the rest was short compared with what came before. */
static void book_rest(wring_renewal *r)
{
  const PetscInt rest = r->solve.evaluations - r->solve.renewed;
  r->guess            = 2 * (r->solve.evaluations - r->solve.since);
  if (4 * rest <= r->solve.renewed)
    note_gain(r, PETSC_TRUE);
  else if (2 * rest > r->solve.renewed)
    note_gain(r, PETSC_FALSE);
}

/* Adds the evaluations of the last solve. */
static void book(wring_renewal *r)
{
  const PetscInt n = r->with.n, evaluations = r->solve.evaluations;
  if (evaluations == 0) return;
  if (r->solve.partial) {
    book_rest(r);
    return;
  }
  if (n < WRING_COSTS_FEW) r->with.early[n] = evaluations;
  r->with.late[n % WRING_COSTS_FEW] = evaluations;
  r->with.n++;
  r->with.excess = PetscMax(r->with.excess + evaluations - r->with.early[0], 0);
}

void wring_renewal_begin(wring_renewal *r, PetscBool changed)
{
  if (changed)
    *r = (wring_renewal){.price = r->price, .misses = r->misses};
  else
    book(r);
  memset(&r->solve, 0, sizeof r->solve);
}

PetscBool wring_renewal_is_due(const wring_renewal *r, PetscInt evaluations)
{
  const PetscInt now = evaluations - r->solve.since, usual = r->with.n > 0 ? r->with.early[0] : r->guess;
  PetscInt       extra = r->with.excess + PetscMax(now - usual, 0); // beyond those of usual solves
  if (r->solve.partial)
    extra = r->with.excess + now;
  else if (usual == 0)
    extra = PetscMax(now - (LONG - 1) * r->price, 0);
  const double wasted = (double)PetscMax(r->with.rejected, extra);
  return (PetscBool)(r->price > 0 && wasted > doubled((double)r->price, r->solve.times + r->misses));
}

/* Whether the present operator, which replaced another, has saved its price by now; its costs are those before. */
static void judge(wring_renewal *r)
{
  const PetscInt n = r->with.n, few = PetscMin(PetscMax(n / 2, 1), WRING_COSTS_FEW);
  double         early = 0, late = 0;
  if (n == 0) return;
  for (PetscInt i = 0; i < few; i++) early += (double)r->with.early[i];
  for (PetscInt i = 1; i <= few; i++) late += (double)r->with.late[(n - i) % WRING_COSTS_FEW];
  early /= (double)few;
  if (r->before > 0)
    note_gain(r, (PetscBool)((double)n * (r->before - early) >= (double)r->price && early <= clearly * r->before));
  r->before = late / (double)few;
}

void wring_renewal_done(wring_renewal *r, PetscInt evaluations, PetscBool middle)
{
  judge(r);
  memset(&r->with, 0, sizeof r->with);
  r->solve.since = evaluations;
  if (r->solve.times == 0) r->solve.renewed = evaluations;
  r->solve.partial = middle;
  r->solve.times++;
}

void wring_renewal_return(wring_renewal *r, PetscInt evaluations, PetscBool middle)
{
  *r = (wring_renewal){
    .price = r->price, .misses = r->misses, .solve = {evaluations, evaluations, evaluations, r->solve.times, middle}};
}

void wring_renewal_count(wring_renewal *r, PetscInt evaluations)
{
  const PetscInt now = evaluations - PetscMax(r->solve.evaluations, 1); // the first is that of x_0
  r->with.rejected += PetscMax(now - 1, 0);
  r->solve.evaluations = evaluations;
}

/* ---- a Hessian --------------------------------------------------------------------------------------------------- */

enum { TRIES = 3, EXPLORE = 16 }; // trials before Hessians are left in a long solve; without a long solve

static const double first_look = 60, early = 0.7; // evaluations before a rate is believed; trials
static const double least_gain  = 0.5;            // decades: an operator that gains less may be as slow as a Hessian
static const double least_trial = 110;            // evaluations: rates of less are chance
static const double fade        = 0.6;            // of what the last iterations count, in each

/* What is paid to find out whether Hessians are better. */
static double trial(const wring_trade *t)
{
  return fmax(t->first + t->price, least_trial);
}

void wring_trade_add(wring_trade *t, double cost, double norm)
{
  const double memory = 4 * trial(t), decades = norm < t->best && norm > 0 ? log10(t->best / norm) : 0;
  if (decades > 0) t->best = norm;
  t->with[t->use].cost += cost;
  t->with[t->use].decades += decades;
  t->since.cost += cost;
  t->since.decades += decades;
  t->spent += cost;
  t->last.cost    = fade * t->last.cost + cost;
  t->last.decades = fade * t->last.decades + decades;
  if (t->with[t->use].cost <= memory) return;
  t->with[t->use].cost /= 2;
  t->with[t->use].decades /= 2;
}

/* Decades per evaluation. */
static double rate(const wring_trade *t, wring_use use)
{
  return t->with[use].cost > 0 ? t->with[use].decades / t->with[use].cost : 0;
}

/* Decades that are left. */
static double decades_left(const wring_trade *t, double target)
{
  return target > 0 ? fmax(log10(t->best / target), 0) : DECADES_UNKNOWN;
}

double wring_trade_rest(const wring_trade *t, double target)
{
  const double left = decades_left(t, target), r = rate(t, WRING_USE_OPERATOR);
  if (left == 0) return 0;
  return r > 0 ? left / r : INFINITY;
}

PetscBool wring_trade_is_due(const wring_trade *t, double target)
{
  const double price = doubled(trial(t), t->misses), rest = wring_trade_rest(t, target);
  if (t->since.cost >= doubled(first_look, t->misses) && rest > early * price) return PETSC_TRUE;
  if (t->since.cost < price) return PETSC_FALSE;
  return (PetscBool)(t->since.cost >= EXPLORE * price || rest > price / 2);
}

/* Whether the last iterations gain less for their cost than all since the Hessian was built, and its price. */
static PetscBool is_stale(const wring_trade *t)
{
  return (PetscBool)(t->last.decades * (t->since.cost + t->price) < t->since.decades * t->last.cost);
}

wring_verdict wring_trade_judge(const wring_trade *t, double target)
{
  if (t->since.cost < t->price && !is_stale(t)) return WRING_KEEP;
  if (decades_left(t, target) * t->last.cost < t->last.decades * t->price) return WRING_KEEP;
  if (t->spent < TRIES * trial(t) && wring_trade_rest(t, target) > t->price) return WRING_REBUILD;
  const PetscBool slower = (PetscBool)(rate(t, WRING_USE_HESSIAN) < rate(t, WRING_USE_OPERATOR));
  return slower && t->with[WRING_USE_OPERATOR].decades > least_gain ? WRING_LEAVE : WRING_REBUILD;
}

static void begin_use(wring_trade *t, wring_use use)
{
  t->use = use;
  memset(&t->since, 0, sizeof t->since);
  memset(&t->last, 0, sizeof t->last);
}

void wring_trade_build(wring_trade *t)
{
  if (t->use == WRING_USE_OPERATOR) memset(&t->with[WRING_USE_HESSIAN], 0, sizeof t->with[WRING_USE_HESSIAN]);
  if (t->use == WRING_USE_OPERATOR) t->spent = 0;
  t->with[WRING_USE_HESSIAN].cost += t->price;
  t->spent += t->price;
  begin_use(t, WRING_USE_HESSIAN);
}

void wring_trade_leave(wring_trade *t)
{
  t->misses++;
  begin_use(t, WRING_USE_OPERATOR);
}
