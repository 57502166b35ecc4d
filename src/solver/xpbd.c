/*
  Extended position based dynamics [Macklin et al. 2016; thesis, algorithm 9]: every constraint has a compliance
  alpha = 1/(w k) and a multiplier, 0 at the start of the step, and moves its vertices by (5.21). Damping is that of the
  essay on particle systems, eq. 48. It does not minimise g: it stops above the minimum.
*/
#include "sweeps.h"

typedef struct {
  solver_sweeps sweeps;
  double        damping;
} xpbd_data;

static const wring_option xpbd_options[] = {
  {.key     = "order",
   .type    = WRING_WORD,
   .choices = "colored|hybrid|sequential",
   .value   = "colored",
   .help = "Order of constraints: colored, the same on any ranks; hybrid, by colours inside a rank, averaged between "
           "ranks; sequential, of the mesh, on one rank."},
  {.key   = "damping",
   .type  = WRING_REAL,
   .unit  = "N s/m",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Damping beta of every constraint without one of its own: the force -beta dC/dt along its gradient."},
  {.key = NULL},
};

static PetscErrorCode xpbd_create(wring_solver *s)
{
  xpbd_data *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  s->data = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  xpbd_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_get_order(s, o, prefix, xpbd_options, &d->sweeps));
  PetscCall(wring_options_get_real(o, prefix, xpbd_options, "damping", &d->damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_set_up(wring_solver *s)
{
  xpbd_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_set_up(s, &d->sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_begin(wring_solver *s, Vec x)
{
  xpbd_data             *d    = s->data;
  const wring_sweep_rule rule = {.type = WRING_SWEEP_COMPLIANT, .damping = d->damping};

  PetscFunctionBegin;
  (void)x;
  PetscCall(wring_sweeps_begin(s, &d->sweeps, rule, wring_potential_start(s->g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_iterate(wring_solver *s, Vec x)
{
  xpbd_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_iterate(s, &d->sweeps, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_destroy(wring_solver *s)
{
  xpbd_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_destroy(s, &d->sweeps));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_xpbd = {
  .name             = "xpbd",
  .needs            = WRING_CAN_CONSTRAIN,
  .damps            = PETSC_TRUE,
  .options          = xpbd_options,
  .create           = xpbd_create,
  .set_from_options = xpbd_set_from_options,
  .set_up           = xpbd_set_up,
  .begin            = xpbd_begin,
  .iterate          = xpbd_iterate,
  .destroy          = xpbd_destroy,
};
