/* Differences, errors, orders and limits of quantities. docs/theory.md (11.3), (11.4) */
#include "converge.h"
#include <math.h>
#include <string.h>

/* Differences that are smaller than this share of the value are taken for errors of the solves: they have no order. */
static const double NOISE = 1e-9;

/* Slower convergence than this gives no limit. */
static const double LEAST_ORDER = 0.1;

/* The largest value of a quantity, or of components x, y and z of a probe, whose names differ in the last letter. */
static double find_scale(const wring_converge *c, const wring_quantity *q)
{
  const size_t n       = strlen(q->name);
  double       largest = 0;
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const other = &c->quantity[i];
    if (strlen(other->name) != n || strncmp(other->name, q->name, n - 1) != 0) continue;
    for (int k = 0; k < c->n; k++) largest = fmax(largest, fabs(other->at[k][WRING_OF_VALUE]));
  }
  return largest;
}

/*
  The order at a level is that of errors from a table, else of differences; NaN unless both are above the noise and, of
  numbers, have the same sign. At the finest mesh the table has only the values at vertices, whose errors are smaller
  than those between them: the order is then that of the differences.
*/
static void extrapolate(const wring_converge *c, wring_quantity *q)
{
  const double noise = NOISE * find_scale(c, q);
  for (int k = 1; k < c->n; k++) {
    double *const at = q->at[k], *const before = q->at[k - 1];
    const wring_measure by    = q->exact && !(c->in_mesh && k == c->n - 1) ? WRING_OF_ERROR : WRING_OF_DIFFERENCE;
    const PetscBool     above = (PetscBool)(fabs(before[by]) > noise && fabs(at[by]) > noise);
    if (above && !(q->scalar && before[by] * at[by] < 0)) at[WRING_OF_ORDER] = log2(before[by] / at[by]);
    if (!(at[WRING_OF_ORDER] > LEAST_ORDER)) continue;
    const double factor   = exp2(at[WRING_OF_ORDER]) - 1;
    at[WRING_OF_ESTIMATE] = fabs(at[WRING_OF_DIFFERENCE]) / factor;
    at[WRING_OF_LIMIT]    = at[WRING_OF_VALUE] + (at[WRING_OF_VALUE] - before[WRING_OF_VALUE]) / factor;
  }
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
  for (int i = 0; i < c->n_quantity; i++) extrapolate(c, &c->quantity[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
