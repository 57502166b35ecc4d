/*
  Relaxed geometric constraints [essay on particle systems, eq. 50]: position based dynamics with a factor s on every move,
  (5.22): softer below 1, over-relaxed above; it may diverge from about 1.5 on. It does not minimise g.
*/
#include "sweeps.h"

typedef struct {
  solver_sweeps sweeps;
  double        factor;
} rgc_data;

static const wring_option rgc_options[] = {
  {.key     = "order",
   .type    = WRING_WORD,
   .choices = "colored|hybrid|sequential",
   .value   = "colored",
   .help = "Order of constraints: colored, the same on any ranks; hybrid, by colours inside a rank, averaged between "
           "ranks; sequential, of the mesh, on one rank."},
  {.key   = "factor",
   .type  = WRING_REAL,
   .range = "(0,2)",
   .value = "1",
   .help  = "Factor of every move: softer below 1, stiffer above, likely to diverge above 1.5."},
  {.key = NULL},
};

static PetscErrorCode rgc_create(wring_solver *s)
{
  rgc_data *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  s->data = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  rgc_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_get_order(s, o, prefix, rgc_options, &d->sweeps));
  PetscCall(wring_options_get_real(o, prefix, rgc_options, "factor", &d->factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_set_up(wring_solver *s)
{
  rgc_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_set_up(s, &d->sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_begin(wring_solver *s, Vec x)
{
  rgc_data              *d    = s->data;
  const wring_sweep_rule rule = {.type = WRING_SWEEP_RIGID, .factor = d->factor};

  PetscFunctionBegin;
  (void)x;
  PetscCall(wring_sweeps_begin(s, &d->sweeps, rule, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_iterate(wring_solver *s, Vec x)
{
  rgc_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_iterate(s, &d->sweeps, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_destroy(wring_solver *s)
{
  rgc_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_destroy(s, &d->sweeps));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_rgc = {
  .name             = "rgc",
  .needs            = WRING_CAN_CONSTRAIN,
  .options          = rgc_options,
  .create           = rgc_create,
  .set_from_options = rgc_set_from_options,
  .set_up           = rgc_set_up,
  .begin            = rgc_begin,
  .iterate          = rgc_iterate,
  .destroy          = rgc_destroy,
};
