/* Differences, errors, orders and limits of quantities. docs/theory.md (11.3), (11.4) */
#include "converge.h"
#include <math.h>
#include <string.h>

/* Differences that are smaller than this share of the value are taken for errors of the solves: they have no order. */
static const double NOISE = 1e-9;

/* Slower convergence than this gives no limit. */
static const double LEAST_ORDER = 0.1;

/* Components x, y and z of a probe differ in the last letter of their names. */
static PetscBool are_components(const wring_quantity *a, const wring_quantity *b)
{
  const size_t n = strlen(a->name);
  return (PetscBool)(n == strlen(b->name) && strncmp(a->name, b->name, n - 1) == 0);
}

/* The largest value of a quantity, or of other components of it. */
static double find_scale(const wring_converge *c, const wring_quantity *q)
{
  double largest = 0;
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const other = &c->quantity[i];
    for (int k = 0; k < c->n && are_components(q, other); k++) largest = fmax(largest, fabs(other->at[k].value));
  }
  return largest;
}

/* NaN unless both are above the noise and, of numbers, have the same sign. */
static double find_order(const wring_quantity *q, double before, double now, double noise)
{
  if (!(fabs(before) > noise) || !(fabs(now) > noise)) return NAN;
  if (q->scalar && before * now < 0) return NAN;
  return log2(before / now);
}

/*
  Whether the order at a level is that of errors. At the finest mesh the table has only the values at vertices, whose
  errors are smaller than those between them: the order is then that of the differences.
*/
static PetscBool by_errors(const wring_converge *c, const wring_quantity *q, int k)
{
  return (PetscBool)(q->exact && !(c->in_mesh && k == c->n - 1));
}

static void extrapolate(const wring_converge *c, wring_quantity *q)
{
  const double noise = NOISE * find_scale(c, q);
  for (int k = 0; k < c->n; k++) {
    wring_measure *const at = &q->at[k], *const before = k ? &q->at[k - 1] : NULL;
    at->order = at->estimate = at->limit = NAN;
    if (!before) continue;
    at->order = by_errors(c, q, k) ? find_order(q, before->error, at->error, noise)
                                   : find_order(q, before->difference, at->difference, noise);
    if (!(at->order > LEAST_ORDER)) continue;
    const double factor = exp2(at->order) - 1;
    at->estimate        = fabs(at->difference) / factor;
    at->limit           = at->value + (at->value - before->value) / factor;
  }
}

/* ---- quantities -------------------------------------------------------------------------------------------------- */

/* Differences of a number have a sign, which converge.csv shows too; errors are those from the finest level. */
static void set_scalar(const wring_converge *c, int i, wring_quantity *q)
{
  const double finest = c->level[c->n - 1].scalar[i].value;
  *q                  = (wring_quantity){.scalar = PETSC_TRUE};
  snprintf(q->name, sizeof q->name, "%s", c->level[0].scalar[i].name);
  for (int k = 0; k < c->n; k++) {
    const double value  = c->level[k].scalar[i].value;
    q->at[k].value      = value;
    q->at[k].difference = k ? value - c->level[k - 1].scalar[i].value : NAN;
    q->at[k].error      = k < c->n - 1 ? fabs(value - finest) : NAN;
  }
}

/* A norm of displacements: kind is its place in wring_norms. */
static void set_norm(const wring_converge *c, const char *name, int kind, const wring_norms *norms, wring_quantity *q)
{
  *q = (wring_quantity){.exact = (PetscBool)(c->table[0] != '\0')};
  snprintf(q->name, sizeof q->name, "%s", name);
  for (int k = 0; k < c->n; k++) {
    q->at[k].value      = norms[k].value[kind];
    q->at[k].difference = k ? norms[k].difference[kind] : NAN;
    q->at[k].error      = q->exact || k < c->n - 1 ? norms[k].error[kind] : NAN;
  }
}

PetscErrorCode wring_converge_measure(wring_converge *c)
{
  wring_norms norms[WRING_MAX_LEVELS];

  PetscFunctionBegin;
  c->n_quantity = 2 + c->level[0].n_scalar;
  PetscCall(PetscCalloc1((size_t)c->n_quantity, &c->quantity));
  PetscCall(wring_nested_measure(c, norms, &c->volume));
  set_norm(c, "displacement_L2", WRING_L2, norms, &c->quantity[0]);
  set_norm(c, "displacement_H1", WRING_H1, norms, &c->quantity[1]);
  for (int i = 0; i < c->level[0].n_scalar; i++) set_scalar(c, i, &c->quantity[2 + i]);
  for (int i = 0; i < c->n_quantity; i++) extrapolate(c, &c->quantity[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
