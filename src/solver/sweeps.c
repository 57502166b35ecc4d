/*
  The methods that sweep over constraints, each of which moves its vertices in turn. They do not minimise g.

  xpbd     Extended position based dynamics [Macklin et al. 2016; thesis, algorithm 9]: each constraint has a compliance
           alpha = 1/(w k) and a multiplier, which is 0 at the start of the step, and moves its vertices by (5.26).
           Damping is that of the essay on particle systems, eq. 48. It stops above the minimum.
  pbd      Position based dynamics [Mueller et al. 2007; thesis, algorithm 8]: the part k' of the way to C = 0, (5.27),
           whatever the stiffness of the law. With rule plain, k' is the key stiffness k in [0, 1]; with rule exponent
           it is 1 - (1 - k)^(1/n), which leaves 1 - k of an error after n = max_it iterations.
  rgc      Relaxed geometric constraints [essay on particle systems, eq. 50]: pbd with a factor s on each move, (5.27).
           s < 1 is softer, s > 1 is over-relaxation, which may diverge for s above about 1.5.
  penalty  Penalty forces [essay on particle systems, eq. 22 and 23, algorithm 2]: starting from y, h^2 times the
           accelerations of the constraint's spring force and damping force, (5.28). One iteration is semi-implicit
           Euler with forces at positions that change during the sweep. Further sweeps apply the forces again, as the
           essay does, which is stiffer and no closer to the minimum of g. Stable only for about
           w_i k h^2 |grad C|^2 < 2.
*/
#include "solver/common/solver_impl.h"
#include <wring/sweep.h>
#include <math.h>

typedef struct {
  wring_sweep     *sweep;
  wring_order      order;
  wring_sweep_rule rule;
  double           stiffness; // of pbd, as exponent
  PetscBool        exponent;
} sweeps_data;

#define ORDER                                                                                                          \
  {                                                                                                                    \
    "order", WRING_WORD,                                                                                               \
      .choices = "colored|hybrid|sequential", .value = "colored",                                                      \
      .help = "Order of constraints: colored, the same on any ranks; hybrid, by colours in each rank, averaged "       \
              "between ranks; sequential, of the mesh, on one rank.",                                                  \
      .at   = WRING_AT(sweeps_data, order)                                                                             \
  }

static const wring_option xpbd_options[] = {
  ORDER,
  {"damping", WRING_REAL, .unit = "N s/m", .range = "[0,inf)", .value = "0", .at = WRING_AT(sweeps_data, rule.damping),
   .help = "Damping beta of each constraint that does not set its own: the force -beta dC/dt along its gradient."},
  {0},
};

static const wring_option pbd_options[] = {
  ORDER,
  {"stiffness", WRING_REAL, .range = "[0,1]", .value = "1", .at = WRING_AT(sweeps_data, stiffness),
   .help = "Stiffness k: fraction of each projection onto C = 0 that is applied."},
  {"rule", WRING_WORD, .choices = "plain|exponent", .value = "plain", .at = WRING_AT(sweeps_data, exponent),
   .help = "Factor of each projection: k (plain), or 1 - (1 - k)^(1/max_it), which amounts to k over max_it "
           "iterations."},
  {0},
};

static const wring_option rgc_options[] = {
  ORDER,
  {"factor", WRING_REAL, .range = "(0,2)", .value = "1", .at = WRING_AT(sweeps_data, rule.factor),
   .help = "Factor on each displacement: softer below 1, stiffer above 1; divergence is likely above 1.5."},
  {0},
};

static const wring_option penalty_options[] = {
  ORDER,
  {"damping", WRING_REAL, .unit = "N s/m", .range = "[0,inf)", .value = "0", .at = WRING_AT(sweeps_data, rule.damping),
   .help = "Damping c of each constraint that does not set its own: the force -c dC/dt along its gradient."},
  {0},
};

static PetscErrorCode sweeps_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  const sweeps_data *w = s->data;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(s->comm);
  if (w->order == WRING_ORDER_SEQUENTIAL && size > 1)
    WRING_REFUSE(s->comm, "%s: %sorder sequential on %d ranks, expected colored or hybrid, or one rank",
                 wring_options_origin(o, prefix, "order"), prefix, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sweeps_set_up(wring_solver *s)
{
  sweeps_data       *w = s->data;
  wring_term *const *terms;
  const int          n   = wring_potential_terms(s->g, &terms);
  const wring_phase  old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);

  PetscFunctionBegin;
  PetscCall(wring_sweep_create(wring_potential_mesh(s->g), n, terms, w->order, s->phases, &w->sweep));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts a solve; reference as in wring_sweep_begin, NULL for RIGID. */
static PetscErrorCode begin(wring_solver *s, wring_sweep_type type, Vec reference)
{
  sweeps_data  *w    = s->data;
  const char   *mark = wring_potential_held_marks(s->g);
  const double *own = wring_potential_mass(s->g), *a = NULL;
  double       *mass;

  PetscFunctionBegin;
  w->rule.type = type;
  w->rule.h    = wring_potential_step(s->g);
  PetscCall(PetscMalloc1(s->n / 3, &mass));
  for (PetscInt i = 0; i < s->n / 3; i++) mass[i] = mark && mark[i] == WRING_XYZ ? INFINITY : own[i];
  if (reference) PetscCall(VecGetArrayRead(reference, &a));
  PetscCall(wring_sweep_begin(w->sweep, &w->rule, mass, wring_potential_holds_components(s->g) ? mark : NULL, a));
  if (reference) PetscCall(VecRestoreArrayRead(reference, &a));
  PetscCall(PetscFree(mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode xpbd_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  PetscCall(begin(s, WRING_SWEEP_COMPLIANT, wring_potential_start(s->g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rgc_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  PetscCall(begin(s, WRING_SWEEP_RIGID, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pbd_begin(wring_solver *s, Vec x)
{
  sweeps_data *const w = s->data;
  const double       k = w->stiffness;

  PetscFunctionBegin;
  w->rule.factor = w->exponent ? 1 - pow(1 - k, 1. / PetscMax(1, s->limits.max_it)) : k;
  PetscCall(rgc_begin(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of change of C is that of the predictor, (y - q)/h. */
static PetscErrorCode penalty_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  PetscCall(VecWAXPY(s->trial.x, -1, wring_potential_start(s->g), wring_potential_target(s->g)));
  PetscCall(VecScale(s->trial.x, 1 / wring_potential_step(s->g)));
  PetscCall(begin(s, WRING_SWEEP_PENALTY, s->trial.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sweep, then contacts are projected. */
static PetscErrorCode sweeps_iterate(wring_solver *s, Vec x)
{
  const sweeps_data *w = s->data;
  double            *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  PetscCall(wring_sweep_run(w->sweep, xa));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(wring_potential_project_contacts(s->g, x));
  wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says whether constraints were left out. */
static PetscErrorCode sweeps_destroy(wring_solver *s)
{
  sweeps_data *w = s->data;
  PetscInt64   n;

  PetscFunctionBegin;
  if (!w->sweep) PetscFunctionReturn(PETSC_SUCCESS);
  n = wring_sweep_not_finite(w->sweep);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT64, MPI_SUM, s->comm));
  if (n > 0)
    PetscCall(wring_note(s->comm, "solver '%s' skipped %lld constraints that were not finite", s->name, (long long)n));
  PetscCall(wring_sweep_destroy(&w->sweep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// clang-format off
#define COMMON \
  .needs            = WRING_CAN_CONSTRAIN, \
  .declares         = WRING_KEEPS_MOMENTUM, \
  .data_size        = sizeof(sweeps_data), \
  .way              = WRING_CONTACT_PROJECTION, \
  .set_from_options = sweeps_set_from_options, \
  .set_up           = sweeps_set_up, \
  .iterate          = sweeps_iterate, \
  .destroy          = sweeps_destroy

// clang-format on

const wring_solver_ops wring_solver_xpbd = {
  .name = "xpbd", .options = xpbd_options, .begin = xpbd_begin, .damps = PETSC_TRUE, COMMON};
const wring_solver_ops wring_solver_pbd     = {.name = "pbd", .options = pbd_options, .begin = pbd_begin, COMMON};
const wring_solver_ops wring_solver_rgc     = {.name = "rgc", .options = rgc_options, .begin = rgc_begin, COMMON};
const wring_solver_ops wring_solver_penalty = {
  .name = "penalty", .options = penalty_options, .begin = penalty_begin, .damps = PETSC_TRUE, COMMON};
