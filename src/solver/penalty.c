/*
  Penalty forces [essay on particle systems, eq. 22 and 23, algorithm 2]: from y, every constraint in turn moves its vertices
  by h^2 times the accelerations of its spring and damping force, (5.23). One iteration is one pass: semi-implicit Euler with
  forces at moving positions. More passes apply the forces again, as the essay does: stiffer, and no closer to the minimum of
  g. Stable for about w_i k h^2 |grad C|^2 < 2 only.
*/
#include "sweeps.h"

typedef struct {
  solver_sweeps sweeps;
  double        damping;
} penalty_data;

static const wring_option penalty_options[] = {
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
   .help  = "Damping c of every constraint without one of its own: the force -c dC/dt along its gradient."},
  {.key = NULL},
};

static PetscErrorCode penalty_create(wring_solver *s)
{
  penalty_data *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  s->data = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode penalty_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  penalty_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_get_order(s, o, prefix, penalty_options, &d->sweeps));
  PetscCall(wring_options_get_real(o, prefix, penalty_options, "damping", &d->damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode penalty_set_up(wring_solver *s)
{
  penalty_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_set_up(s, &d->sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of C is that of the predictor, (y - q)/h. */
static PetscErrorCode penalty_begin(wring_solver *s, Vec x)
{
  penalty_data          *d    = s->data;
  const double           h    = wring_potential_step(s->g);
  const wring_sweep_rule rule = {.type = WRING_SWEEP_PENALTY, .damping = d->damping};

  PetscFunctionBegin;
  (void)x;
  PetscCall(VecWAXPY(s->trial, -1, wring_potential_start(s->g), wring_potential_target(s->g)));
  PetscCall(VecScale(s->trial, 1 / h));
  PetscCall(wring_sweeps_begin(s, &d->sweeps, rule, s->trial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode penalty_iterate(wring_solver *s, Vec x)
{
  penalty_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_iterate(s, &d->sweeps, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode penalty_destroy(wring_solver *s)
{
  penalty_data *d = s->data;

  PetscFunctionBegin;
  PetscCall(wring_sweeps_destroy(s, &d->sweeps));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_penalty = {
  .name             = "penalty",
  .needs            = WRING_CAN_CONSTRAIN,
  .damps            = PETSC_TRUE,
  .options          = penalty_options,
  .create           = penalty_create,
  .set_from_options = penalty_set_from_options,
  .set_up           = penalty_set_up,
  .begin            = penalty_begin,
  .iterate          = penalty_iterate,
  .destroy          = penalty_destroy,
};
