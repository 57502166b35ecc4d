/* Differences, errors, orders and limits of quantities. docs/theory.md (11.3), (11.4) */
#include "converge.h"
#include <math.h>
#include <string.h>

/* Differences that are smaller than this share of the value are taken for errors of the solves: they have no order. */
static const double NOISE = 1e-9;

/* Slower convergence than this is none. Two orders agree, or are near that of elements, within these differences. */
static const double LEAST_ORDER = 0.1, AGREES = 0.3, NEAR = 0.5;

/* Factors of safety of the grid convergence index [Roache 1994]: with an order that two levels confirm, and without. */
static const double CONFIRMED = 1.25, UNCONFIRMED = 3;

/*
  The largest value of a quantity, or of components x, y and z of a probe, whose names differ in the last letter; of
  displacements, at least their root mean square over the body.
*/
static double find_scale(const wring_converge *c, const wring_quantity *q)
{
  const size_t n       = strlen(q->name);
  const int    moves   = q->scalar && n > 3 && q->name[n - 3] == '_' && q->name[n - 2] == 'u';
  double       largest = moves ? c->quantity[0].at[c->n - 1][WRING_OF_VALUE] : 0;
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const other = &c->quantity[i];
    if (strlen(other->name) != n || strncmp(other->name, q->name, n - 1) != 0) continue;
    for (int k = 0; k < c->n; k++) largest = fmax(largest, fabs(other->at[k][WRING_OF_VALUE]));
  }
  return largest;
}

/* The orders that elements of order k, and first and second-order rules in time, have. */
static void find_formal(const wring_converge *c, const wring_quantity *q, double *least, double *most)
{
  const double k = c->in_mesh ? c->order : 1;
  *least = k, *most = 2 * k;
  if (!q->scalar && c->in_mesh && !c->in_time) *least = *most = strcmp(q->name, "displacement_H1") == 0 ? k : k + 1;
}

static PetscBool is_near(const wring_converge *c, const wring_quantity *q, double p)
{
  double least, most;
  find_formal(c, q, &least, &most);
  return (PetscBool)(p >= least - NEAR && p <= most + NEAR);
}

/* Whether the order at level k is confirmed by that of the level before. */
static PetscBool is_confirmed(const wring_converge *c, const wring_quantity *q, int k)
{
  const double p = q->at[k][WRING_OF_ORDER], before = k > 1 ? q->at[k - 1][WRING_OF_ORDER] : NAN;
  return (PetscBool)(is_near(c, q, p) && is_near(c, q, before) && fabs(p - before) <= AGREES);
}

/* What the levels show; two orders that agree, and are near that of elements, give a limit. docs/theory.md (11.5) */
static void judge(const wring_converge *c, wring_quantity *q)
{
  const int    K = c->n - 1;
  const double p = q->at[K][WRING_OF_ORDER], before = K > 1 ? q->at[K - 1][WRING_OF_ORDER] : NAN;
  q->verdict = K < 2 && isnan(p) ? "too few levels for an order" : "not in the asymptotic range";
  q->least = q->most = NAN;
  for (int k = 1; k <= K; k++) {
    q->least = fmin(q->least, q->at[k][WRING_OF_ORDER]);
    q->most  = fmax(q->most, q->at[k][WRING_OF_ORDER]);
  }
  if (q->noise)
    q->verdict = "round-off";
  else if (p < LEAST_ORDER && before < LEAST_ORDER)
    q->verdict = "diverges";
  else if (is_near(c, q, p) && isnan(before))
    q->verdict = "one order";
  else if (is_confirmed(c, q, K))
    q->verdict = "converges";
}

/*
  Richardson's extrapolation at level k by its order, (11.4), and the grid convergence index: the estimated error by the
  order, which no order above the formal one makes smaller, in terms of `scale`.
*/
static void extrapolate(const wring_converge *c, wring_quantity *q, double scale, int k)
{
  double *const   at = q->at[k];
  const double    p = at[WRING_OF_ORDER], value = at[WRING_OF_VALUE], difference = fabs(at[WRING_OF_DIFFERENCE]);
  const PetscBool confirmed = is_confirmed(c, q, k);
  double          least, most;
  if (!(p > LEAST_ORDER)) return;
  find_formal(c, q, &least, &most);
  at[WRING_OF_ESTIMATE] = difference / (exp2(p) - 1);
  at[WRING_OF_GCI]      = (confirmed ? CONFIRMED : UNCONFIRMED) * difference / (exp2(fmin(p, most)) - 1) / scale;
  if (confirmed) at[WRING_OF_LIMIT] = value + (value - q->at[k - 1][WRING_OF_VALUE]) / (exp2(p) - 1);
}

/*
  The order at a level is that of errors from a table, else of differences; NaN unless both are above the noise and, of
  numbers, have the same sign. At the finest mesh the table has only the values at vertices, whose errors are smaller
  than those between them: the order is then that of the differences.
*/
static void find_orders(const wring_converge *c, wring_quantity *q)
{
  const double scale = find_scale(c, q), noise = NOISE * scale;
  q->noise = PETSC_TRUE;
  for (int k = 1; k < c->n; k++) {
    double *const at = q->at[k], *const before = q->at[k - 1];
    const wring_measure by    = q->exact && !(c->in_mesh && k == c->n - 1) ? WRING_OF_ERROR : WRING_OF_DIFFERENCE;
    const PetscBool     above = (PetscBool)(fabs(before[by]) > noise && fabs(at[by]) > noise);
    if (above && !(q->scalar && before[by] * at[by] < 0)) at[WRING_OF_ORDER] = log2(before[by] / at[by]);
    q->noise = (PetscBool)(q->noise && fabs(at[WRING_OF_DIFFERENCE]) <= noise);
    extrapolate(c, q, scale, k);
  }
  judge(c, q);
}

static void clear(const char *name, PetscBool scalar, PetscBool exact, wring_quantity *q)
{
  *q = (wring_quantity){.name = name, .scalar = scalar, .exact = exact};
  for (int k = 0; k < WRING_MAX_LEVELS; k++)
    for (int i = 0; i < WRING_N_MEASURE; i++) q->at[k][i] = NAN;
}

/* Differences of a number have a sign, which converge.csv shows too; errors are those from the finest level. */
static void set_scalar(const wring_converge *c, const char *name, wring_quantity *q)
{
  clear(name, PETSC_TRUE, PETSC_FALSE, q);
  for (int k = 0; k < c->n; k++)
    q->at[k][WRING_OF_VALUE] = wring_json_number(json_object_get(c->level[k].results, "scalars"), name);
  for (int k = 1; k < c->n; k++) {
    const double before           = q->at[k - 1][WRING_OF_VALUE];
    q->at[k][WRING_OF_DIFFERENCE] = q->at[k][WRING_OF_VALUE] - before;
    q->at[k - 1][WRING_OF_ERROR]  = fabs(before - q->at[c->n - 1][WRING_OF_VALUE]);
  }
}

PetscErrorCode wring_converge_measure(wring_converge *c)
{
  static const char *const name[WRING_N_NORM] = {"displacement_L2", "displacement_H1"};
  json_t *const            scalars            = json_object_get(c->level[0].results, "scalars");

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(WRING_N_NORM + json_object_size(scalars), &c->quantity));
  for (int i = 0; i < WRING_N_NORM; i++)
    clear(name[i], PETSC_FALSE, (PetscBool)(c->table[0] != '\0'), &c->quantity[c->n_quantity++]);
  PetscCall(wring_nested_measure(c));
  for (void *i = json_object_iter(scalars); i; i = json_object_iter_next(scalars, i))
    set_scalar(c, json_object_iter_key(i), &c->quantity[c->n_quantity++]);
  for (int i = 0; i < c->n_quantity; i++) find_orders(c, &c->quantity[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
