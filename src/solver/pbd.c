/*
  Position based dynamics [Mueller et al. 2007; thesis, algorithm 8]: each constraint moves its vertices by the part
  k' of the way to C = 0, (5.27), whatever the stiffness of its law. With rule plain, k' is the key stiffness k in [0,
  1]; with rule exponent it is 1 - (1 - k)^(1/n), which leaves 1 - k of an error after n = max_it iterations. The
  method does not minimise g.
*/
#include "solver/common/sweeps.h"
#include <math.h>

typedef struct {
  solver_sweeps sweeps;
  double        stiffness;
  PetscBool     exponent;
} pbd_data;

static const wring_option pbd_options[] = {
  WRING_SWEEPS_ORDER,
  {.key   = "stiffness",
   .type  = WRING_REAL,
   .range = "[0,1]",
   .value = "1",
   .help  = "Stiffness k: fraction of each projection onto C = 0 that is applied."},
  {.key     = "rule",
   .type    = WRING_WORD,
   .choices = "plain|exponent",
   .value   = "plain",
   .help =
     "Factor of each projection: k (plain), or 1 - (1 - k)^(1/max_it), which amounts to k over max_it iterations."},
  {.key = NULL},
};

static PetscErrorCode pbd_create(wring_solver *s)
{
  pbd_data *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  s->data = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pbd_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  pbd_data   *d = s->data;
  const char *rule;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_get_order(s, o, prefix, pbd_options));
  PetscCall(wring_options_get_real(o, prefix, pbd_options, "stiffness", &d->stiffness));
  PetscCall(wring_options_get_word(o, prefix, pbd_options, "rule", &rule));
  PetscCall(PetscStrcmp(rule, "exponent", &d->exponent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pbd_begin(wring_solver *s, Vec x)
{
  pbd_data    *d = s->data;
  const double k = d->stiffness;

  PetscFunctionBegin;
  (void)x;
  d->sweeps.rule.type   = WRING_SWEEP_RIGID;
  d->sweeps.rule.factor = d->exponent ? 1 - pow(1 - k, 1. / PetscMax(1, s->limits.max_it)) : k;
  PetscCall(wring_sweeps_begin(s, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_pbd = {
  .name             = "pbd",
  .needs            = WRING_CAN_CONSTRAIN,
  .declares         = WRING_KEEPS_MOMENTUM,
  .contacts         = wring_sweeps_contacts,
  .options          = pbd_options,
  .create           = pbd_create,
  .set_from_options = pbd_set_from_options,
  .set_up           = wring_sweeps_set_up,
  .begin            = pbd_begin,
  .iterate          = wring_sweeps_iterate,
  .destroy          = wring_sweeps_destroy,
};
