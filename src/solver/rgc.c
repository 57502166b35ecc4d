/*
  Relaxed geometric constraints [essay on particle systems, eq. 50]: position based dynamics with a factor s on each
  move, (5.27). s < 1 is softer, s > 1 is over-relaxation, which may diverge for s above about 1.5. The method does not
  minimise g.
*/
#include "solver/common/sweeps.h"

static const wring_option rgc_options[] = {
  WRING_SWEEPS_ORDER,
  {.key   = "factor",
   .type  = WRING_REAL,
   .range = "(0,2)",
   .value = "1",
   .help  = "Factor on each displacement: softer below 1, stiffer above 1; divergence is likely above 1.5."},
  {.key = NULL},
};

static PetscErrorCode rgc_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  solver_sweeps *w = s->data;

  PetscFunctionBegin;
  w->rule.type = WRING_SWEEP_RIGID;
  PetscCall(wring_sweeps_get_order(s, o, prefix, rgc_options));
  PetscCall(wring_options_get_real(o, prefix, rgc_options, "factor", &w->rule.factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  PetscCall(wring_sweeps_begin(s, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_rgc = {
  .name             = "rgc",
  .needs            = WRING_CAN_CONSTRAIN,
  .declares         = WRING_KEEPS_MOMENTUM,
  .contacts         = wring_sweeps_contacts,
  .options          = rgc_options,
  .create           = wring_sweeps_create,
  .set_from_options = rgc_set_from_options,
  .set_up           = wring_sweeps_set_up,
  .begin            = rgc_begin,
  .iterate          = wring_sweeps_iterate,
  .destroy          = wring_sweeps_destroy,
};
