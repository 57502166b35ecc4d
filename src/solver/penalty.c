/*
  Penalty forces [essay on particle systems, eq. 22 and 23, algorithm 2]: starting from y, each constraint in turn
  moves its vertices by h^2 times the accelerations of its spring force and damping force, (5.28). One iteration is
  one sweep: semi-implicit Euler with forces at positions that change during the sweep. Further sweeps apply the
  forces again, as the essay does, which is stiffer and no closer to the minimum of g. Stable only for about w_i k h^2
  |grad C|^2 < 2.
*/
#include "solver/common/sweeps.h"

static const wring_option penalty_options[] = {
  WRING_SWEEPS_ORDER,
  {.key   = "damping",
   .type  = WRING_REAL,
   .unit  = "N s/m",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Damping c of each constraint that does not set its own: the force -c dC/dt along its gradient."},
  {.key = NULL},
};

static PetscErrorCode penalty_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  solver_sweeps *w = s->data;

  PetscFunctionBegin;
  w->rule.type = WRING_SWEEP_PENALTY;
  PetscCall(wring_sweeps_get_order(s, o, prefix, penalty_options));
  PetscCall(wring_options_get_real(o, prefix, penalty_options, "damping", &w->rule.damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of change of C is that of the predictor, (y - q)/h. */
static PetscErrorCode penalty_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  PetscCall(VecWAXPY(s->trial.x, -1, wring_potential_start(s->g), wring_potential_target(s->g)));
  PetscCall(VecScale(s->trial.x, 1 / wring_potential_step(s->g)));
  PetscCall(wring_sweeps_begin(s, s->trial.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_penalty = {
  .name             = "penalty",
  .needs            = WRING_CAN_CONSTRAIN,
  .declares         = WRING_KEEPS_MOMENTUM,
  .damps            = PETSC_TRUE,
  .contacts         = wring_sweeps_contacts,
  .options          = penalty_options,
  .create           = wring_sweeps_create,
  .set_from_options = penalty_set_from_options,
  .set_up           = wring_sweeps_set_up,
  .begin            = penalty_begin,
  .iterate          = wring_sweeps_iterate,
  .destroy          = wring_sweeps_destroy,
};
