/*
  Extended position based dynamics [Macklin et al. 2016; thesis, algorithm 9]: each constraint has a compliance
  alpha = 1/(w k) and a multiplier, which is 0 at the start of the step, and moves its vertices by (5.26). Damping is
  that of the essay on particle systems, eq. 48. The method does not minimise g: it stops above the minimum.
*/
#include "solver/common/sweeps.h"

static const wring_option xpbd_options[] = {
  WRING_SWEEPS_ORDER,
  {.key   = "damping",
   .type  = WRING_REAL,
   .unit  = "N s/m",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Damping beta of each constraint that does not set its own: the force -beta dC/dt along its gradient."},
  {.key = NULL},
};

static PetscErrorCode xpbd_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  solver_sweeps *w = s->data;

  PetscFunctionBegin;
  w->rule.type = WRING_SWEEP_COMPLIANT;
  PetscCall(wring_sweeps_get_order(s, o, prefix, xpbd_options));
  PetscCall(wring_options_get_real(o, prefix, xpbd_options, "damping", &w->rule.damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  PetscCall(wring_sweeps_begin(s, wring_potential_start(s->g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_xpbd = {
  .name             = "xpbd",
  .needs            = WRING_CAN_CONSTRAIN,
  .declares         = WRING_KEEPS_MOMENTUM,
  .damps            = PETSC_TRUE,
  .contacts         = wring_sweeps_contacts,
  .options          = xpbd_options,
  .create           = wring_sweeps_create,
  .set_from_options = xpbd_set_from_options,
  .set_up           = wring_sweeps_set_up,
  .begin            = xpbd_begin,
  .iterate          = wring_sweeps_iterate,
  .destroy          = wring_sweeps_destroy,
};
