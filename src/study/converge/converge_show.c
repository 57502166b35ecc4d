/* Tables on the screen: the levels and their cost, then how each quantity converges. */
#include "converge.h"
#include "study/common/table.h"
#include <math.h>

static PetscErrorCode add_real(wring_table *t, const char *format, double value)
{
  char text[64];

  PetscFunctionBegin;
  if (isnan(value))
    snprintf(text, sizeof text, "-");
  else
    snprintf(text, sizeof text, format, value);
  PetscCall(wring_table_add(t, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_heads(wring_table *t, int n, const char *const *head)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) PetscCall(wring_table_add(t, "%s", head[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_levels(const wring_converge *c)
{
  static const char *const head[] = {"level",         "refine",     "step",   "vertices",          "tets",   "steps",
                                     "not converged", "iterations", "a step", "linear iterations", "seconds"};
  enum { COLUMNS = sizeof head / sizeof head[0] };
  wring_table *t;

  PetscFunctionBegin;
  PetscCall(wring_table_create(COLUMNS, 1, &t));
  PetscCall(add_heads(t, COLUMNS, head));
  for (int k = 0; k < c->n; k++) {
    const wring_level *const l = &c->level[k];
    PetscCall(wring_table_add(t, "%d", k));
    PetscCall(wring_table_add(t, "%" PetscInt_FMT, l->refine));
    PetscCall(add_real(t, "%.4g", c->is_static ? NAN : l->step));
    PetscCall(wring_table_add(t, "%" PetscInt_FMT, l->vertices));
    PetscCall(wring_table_add(t, "%" PetscInt64_FMT, l->tets));
    PetscCall(wring_table_add(t, "%" PetscInt_FMT, l->steps));
    PetscCall(wring_table_add(t, "%" PetscInt_FMT, l->unconverged));
    PetscCall(wring_table_add(t, "%" PetscInt64_FMT, l->iterations));
    PetscCall(add_real(t, "%.3g", (double)l->iterations / (double)l->steps));
    PetscCall(wring_table_add(t, "%" PetscInt64_FMT, l->linear_iterations));
    PetscCall(add_real(t, "%.3g", l->seconds));
  }
  PetscCall(wring_table_print(c->comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quantity that is 0 at all levels, such as a velocity in statics, has no rows. */
static PetscBool is_zero(const wring_converge *c, const wring_quantity *q)
{
  for (int k = 0; k < c->n; k++)
    if (q->at[k].value != 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode print_quantities(const wring_converge *c)
{
  static const char *const head[] = {"quantity", "level", "value", "difference", "error", "order", "estimate", "limit"};
  enum { COLUMNS = sizeof head / sizeof head[0] };
  wring_table *t;

  PetscFunctionBegin;
  PetscCall(wring_table_create(COLUMNS, 2, &t));
  PetscCall(add_heads(t, COLUMNS, head));
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const q = &c->quantity[i];
    for (int k = 0; k < c->n && !is_zero(c, q); k++) {
      PetscCall(wring_table_add(t, "%s", k ? "" : q->name));
      PetscCall(wring_table_add(t, "%d", k));
      PetscCall(add_real(t, "%.8g", q->at[k].value));
      PetscCall(add_real(t, "%.3e", q->at[k].difference));
      PetscCall(add_real(t, "%.3e", q->at[k].error));
      PetscCall(add_real(t, "%.3f", q->at[k].order));
      PetscCall(add_real(t, "%.3e", q->at[k].estimate));
      PetscCall(add_real(t, "%.8g", q->at[k].limit));
    }
  }
  PetscCall(wring_table_print(c->comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_print(const wring_converge *c)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(c->comm, "\nlevels, with iterations and seconds of the solver\n"));
  PetscCall(print_levels(c));
  PetscCall(PetscPrintf(c->comm,
                        "\nconvergence: difference from the level before, error from the %s, order by which the "
                        "difference falls%s,\nestimate of the error and limit of the value by that order\n",
                        c->table[0] ? "table" : "finest level", c->table[0] ? " (before the finest: the error)" : ""));
  PetscCall(print_quantities(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
