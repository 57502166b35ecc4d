/*
  The common loop. A method only knows how to get from x_k to x_(k+1); what is measured, when a solve stops and whose time it
  was are the same for all, so that methods can be compared.
*/
#include "solver_impl.h"
#include <math.h>

static const double round_off = 1e-12; // of |g|: a rise that counts as none

static const char *const reason_names[] = {"converged",          "max_it",         "at round-off", "not finite",
                                           "line search failed", "singular system"};

const char *wring_reason_name(wring_reason reason)
{
  return reason_names[reason];
}

PetscBool wring_reason_failed(wring_reason reason)
{
  return (PetscBool)(reason >= WRING_STOPPED_NOT_FINITE);
}

/* ---- what methods call ------------------------------------------------------------------------------------------- */

PetscErrorCode wring_solver_sum(wring_solver *s, int n, double *a)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_REDUCTION);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, s->comm));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_dot(wring_solver *s, Vec x, Vec y, double *dot)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double     *xa, *ya;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(y, &ya));
  wring_dots(s->n, 1, xa, &ya, dot);
  PetscCall(VecRestoreArrayRead(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_phases_switch(s->phases, old);
  PetscCall(wring_solver_sum(s, 1, dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_evaluate(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  if (s->known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_fused(s->g, x, &s->value, s->grad));
  s->evaluations++;
  s->known      = PETSC_TRUE;
  s->norm_known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_know_norm(wring_solver *s)
{
  double squared;

  PetscFunctionBegin;
  if (s->norm_known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_dot(s, s->grad, s->grad, &squared));
  s->gradient_norm = PetscSqrtReal(squared);
  s->norm_known    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_inverse_with_dots(wring_solver *s, double rtol, double size, Vec b, Vec x,
                                                    const wring_operator_dots *d)
{
  wring_operator_info info;

  PetscFunctionBegin;
  PetscCall(wring_operator_solve_from_zero(s->op, rtol, size, b, x, d));
  PetscCall(wring_potential_clear(s->g, x));
  wring_operator_get_info(s->op, &info);
  s->linear_iterations += info.iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_inverse(wring_solver *s, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse_with_dots(s, 0, 0, b, x, &(wring_operator_dots){.n = 0}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_rough_inverse(wring_solver *s, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(
    wring_solver_apply_inverse_with_dots(s, wring_operator_rough_rtol(s->op), 0, b, x, &(wring_operator_dots){.n = 0}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_swap(wring_solver *s, Vec x)
{
  const double *xa, *ta, *xr, *tr; // a restored pointer is NULL

  PetscFunctionBegin;
  if (s->swapped) {
    PetscCall(VecResetArray(x));
    PetscCall(VecResetArray(s->trial));
  } else {
    PetscCall(VecGetArrayRead(x, &xa));
    PetscCall(VecGetArrayRead(s->trial, &ta));
    xr = xa, tr = ta;
    PetscCall(VecRestoreArrayRead(s->trial, &tr));
    PetscCall(VecRestoreArrayRead(x, &xr));
    PetscCall(VecPlaceArray(x, ta));
    PetscCall(VecPlaceArray(s->trial, xa));
  }
  s->swapped = (PetscBool)!s->swapped;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x has its own array again. */
static PetscErrorCode swap_back(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  if (!s->swapped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_swap(s, x));
  PetscCall(VecCopy(s->trial, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_add(wring_solver *s, Vec d, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double     *da;
  double           *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(d, &da));
  PetscCall(VecGetArray(x, &xa));
  wring_axpy(s->n, 1, da, xa);
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecRestoreArrayRead(d, &da));
  wring_phases_switch(s->phases, old);
  s->known       = PETSC_FALSE;
  s->step_length = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_operator_step(wring_solver *s, Vec d)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  double           *da;

  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse(s, s->grad, d));
  PetscCall(VecGetArray(d, &da));
  wring_scale(s->n, -1, da);
  PetscCall(VecRestoreArray(d, &da));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_end(wring_solver *s, wring_reason end)
{
  s->ended = PETSC_TRUE;
  s->end   = end;
}

const wring_contact_way *wring_solver_contacts_in_g(const wring_solver *s)
{
  static const wring_contact_way way = WRING_CONTACT_ENERGY;
  (void)s;
  return &way;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static PetscBool has_changed(const wring_contact_change *c)
{
  return (PetscBool)(c->added > 0 || c->released > 0 || c->moved > 0);
}

/*
  The contacts of x_(k+1), in whose g the iteration from there descends; docs/theory.md (8.4). A method that knows g and grad at
  x_(k+1) is given those of the new g.
*/
static PetscErrorCode refresh(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  s->reached = s->known && s->comparable ? s->value.objective : NAN;
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_FALSE, &s->change));
  if (!has_changed(&s->change)) PetscFunctionReturn(PETSC_SUCCESS);
  s->comparable = PETSC_FALSE;
  if (!s->known) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->ops->change) PetscCall(s->ops->change(s));
  s->known = PETSC_FALSE;
  PetscCall(wring_solver_evaluate(s, x));
  if (s->ops->refresh) PetscCall(s->ops->refresh(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* The row of x_k, at the time `now`. */
static wring_iteration row(const wring_solver *s, double now)
{
  return (wring_iteration){.iteration         = s->iteration,
                           .value             = s->value,
                           .gradient_norm     = s->gradient_norm,
                           .step_length       = s->step_length,
                           .primal            = s->residual[0],
                           .dual              = s->residual[1],
                           .evaluations       = s->evaluations,
                           .linear_iterations = s->linear_iterations,
                           .seconds           = now - s->began - s->measured};
}

/* g and grad g at x_k, evaluated only if the method has not done so, and a call of the monitor: no time of the method's. */
static PetscErrorCode measure(wring_solver *s, Vec x, wring_iteration *it)
{
  const double      now         = MPI_Wtime();
  const PetscInt    evaluations = s->evaluations;
  const wring_phase old         = wring_phases_switch(s->phases, WRING_PHASE_MEASURING);

  PetscFunctionBegin;
  PetscCall(wring_solver_evaluate(s, x));
  s->evaluations = evaluations;
  PetscCall(wring_solver_know_norm(s));
  *it = row(s, now);
  if (s->monitor) PetscCall(s->monitor(s->monitor_context, it));
  wring_phases_leave_measuring(s->phases, old);
  s->measured += MPI_Wtime() - now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A measured row, x_0 aside: whether g rose since the last one, with the same contacts, where that is known; a value that is not
  finite is a failure. docs/theory.md (2.6)
*/
static void record(wring_solver *s, const wring_iteration *it, wring_outcome *outcome)
{
  const double before = outcome->last.value.objective;
  const double rise   = (s->comparable ? it->value.objective : s->reached) - before;
  outcome->last       = *it;
  s->comparable       = PETSC_TRUE;
  outcome->rises.measured++;
  if (PetscIsInfOrNanReal(rise) || rise <= round_off * PetscAbsReal(before) + s->noise) return;
  outcome->rises.count++;
  outcome->rises.largest = PetscMax(outcome->rises.largest, rise / PetscAbsReal(before));
}

void wring_rises_add(const wring_rises *one, wring_rises *sum)
{
  sum->measured += one->measured;
  sum->count += one->count;
  sum->largest = PetscMax(sum->largest, one->largest);
}

/* Whether iteration k is one of 0, N, 2 N, ..., or the last that is allowed. */
static PetscBool due(const wring_solver *s)
{
  const PetscInt k = s->iteration;
  return (PetscBool)(k == 0 || k == s->max_it || (s->measure > 0 && k % s->measure == 0));
}

/* What is known of x_k ends the solve. */
static PetscErrorCode stops(wring_solver *s, PetscBool *stop, wring_reason *reason)
{
  PetscFunctionBegin;
  *stop = PETSC_TRUE;
  if (s->known) {
    PetscCall(wring_solver_know_norm(s));
    if (s->iteration == 0) s->first_norm = s->gradient_norm;
    const double norm = s->gradient_norm;
    *reason           = WRING_STOPPED_NOT_FINITE;
    if (PetscIsInfOrNanReal(s->value.objective) || PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
    const PetscBool settled = (PetscBool)(s->iteration == 0 || s->change.added + s->change.released == 0);
    *reason                 = WRING_CONVERGED;
    if (settled && s->rtol > 0 && norm <= s->rtol * s->first_norm) PetscFunctionReturn(PETSC_SUCCESS);
    if (settled && s->atol > 0 && norm <= s->atol) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *reason = WRING_MAX_IT;
  *stop   = (PetscBool)(s->iteration >= s->max_it);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets the last solve. */
static PetscErrorCode begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  s->iteration = s->evaluations = 0;
  s->linear_iterations          = 0;
  s->step_length = s->measured = 0;
  s->residual[0] = s->residual[1] = NAN;
  s->known = s->norm_known = s->ended = s->inverts = PETSC_FALSE;
  s->comparable                                    = PETSC_TRUE;
  PetscCall(wring_potential_place(s->g, x));
  PetscCall(wring_potential_noise(s->g, &s->noise));
  s->began = MPI_Wtime();
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_TRUE, &s->change));
  if (s->ops->begin) PetscCall(s->ops->begin(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_solve(wring_solver *s, Vec x, wring_outcome *outcome)
{
  wring_iteration it;
  PetscBool       stop;

  PetscFunctionBegin;
  PetscCall(begin(s, x));
  PetscCall(measure(s, x, &it));
  *outcome = (wring_outcome){.first = it, .last = it};
  for (;;) {
    PetscCall(stops(s, &stop, &outcome->reason));
    if (stop) break;
    PetscCall(s->ops->iterate(s, x));
    if (s->ended) {
      outcome->reason = s->end;
      break;
    }
    s->iteration++;
    PetscCall(refresh(s, x));
    if (!due(s)) continue;
    PetscCall(measure(s, x, &it));
    record(s, &it, outcome);
  }
  if (outcome->last.iteration != s->iteration) {
    PetscCall(measure(s, x, &it));
    record(s, &it, outcome);
  }
  PetscCall(swap_back(s, x));
  outcome->last       = row(s, MPI_Wtime());
  outcome->iterations = s->iteration;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_solver_create(MPI_Comm comm, wring_potential *g, wring_operator *op, wring_phases *phases,
                                   wring_solver **solver)
{
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *s      = (wring_solver){.comm = comm, .g = g, .op = op, .phases = phases, .max_it = 100, .rtol = 1e-6, .measure = 1};
  *solver = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_method(wring_solver *s)
{
  PetscFunctionBegin;
  if (s->data) PetscCall(s->ops->destroy(s));
  s->data = NULL;
  PetscCall(VecDestroy(&s->grad));
  PetscCall(VecDestroy(&s->trial));
  PetscCall(VecDestroy(&s->trial_grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_destroy(wring_solver **solver)
{
  PetscFunctionBegin;
  if (!*solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_method(*solver));
  PetscCall(PetscFree(*solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type that `name` stands for, and the prefix of its keys. */
static PetscErrorCode find_type(wring_solver *s, const wring_options *o, const char *name, const char **type,
                                size_t size, char *prefix)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, size, "variant_%s_", name));
  const PetscBool variant = wring_options_has(o, prefix, "type"), known = (PetscBool)(wring_solver_find(name) != NULL);
  if (variant && known)
    WRING_REFUSE(s->comm, "%s: '%s' is a solver type already, expected another name",
                 wring_options_origin(o, prefix, "type"), name);
  if (!variant && !known) {
    WRING_REFUSE(s->comm, "%s: solver '%s' is neither a variant with a type nor one of %s",
                 wring_options_family_origin(o, "compare_solvers"), name, wring_solver_options[0].choices);
  }
  *type = name;
  if (variant)
    PetscCall(wring_options_get_word(o, prefix, wring_solver_options, "type", type));
  else
    PetscCall(PetscSNPrintf(prefix, size, "solver_%s_", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_set_from_options(wring_solver *s, const wring_options *o, const char *name)
{
  const char *type;
  char        prefix[sizeof s->name + 16];

  PetscFunctionBegin;
  PetscCall(destroy_method(s));
  if (!name) PetscCall(wring_options_get_word(o, "solver_", wring_solver_options, "type", &name));
  PetscCall(find_type(s, o, name, &type, sizeof prefix, prefix));
  PetscCall(PetscStrncpy(s->name, name, sizeof s->name));
  s->ops = wring_solver_find(type);
  PetscCall(s->ops->create(s));
  if (s->ops->set_from_options) PetscCall(s->ops->set_from_options(s, o, prefix));
  PetscCall(wring_options_get_int(o, "solver_", wring_solver_options, "max_it", &s->max_it));
  PetscCall(wring_options_get_real(o, "solver_", wring_solver_options, "rtol", &s->rtol));
  PetscCall(wring_options_get_real(o, "solver_", wring_solver_options, "atol", &s->atol));
  PetscCall(wring_options_get_int(o, "solver_", wring_solver_options, "measure", &s->measure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_set_limits(wring_solver *s, PetscInt max_it, double rtol, double atol, PetscInt measure)
{
  PetscFunctionBegin;
  s->max_it  = max_it;
  s->rtol    = rtol;
  s->atol    = atol;
  s->measure = measure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_set_monitor(wring_solver *s, wring_monitor *monitor, void *context)
{
  PetscFunctionBegin;
  s->monitor         = monitor;
  s->monitor_context = context;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_solver_operator_factor(const wring_solver *s)
{
  return s->ops->operator_factor ? s->ops->operator_factor(s) : 0;
}

void wring_solver_expect_solves(const wring_solver *s, PetscInt64 steps)
{
  if (wring_solver_operator_factor(s) == 0) return;
  wring_operator_expect(s->op,
                        &(wring_operator_use){.solves = steps * s->max_it, .rough = s->ops->begins_from_operator});
}

PetscErrorCode wring_solver_set_up(wring_solver *s)
{
  PetscFunctionBegin;
  PetscCheck(s->ops, s->comm, PETSC_ERR_ARG_WRONGSTATE, "the solver has no type yet");
  PetscCheck(s->op || wring_solver_operator_factor(s) == 0, s->comm, PETSC_ERR_ARG_NULL,
             "solver '%s' needs an operator", s->ops->name);
  PetscCall(wring_potential_require(s->g, s->ops->needs, s->ops->name));
  PetscCall(
    wring_potential_require_contacts(s->g, s->ops->contacts ? s->ops->contacts(s) : NULL, "solver", s->ops->name));
  if (!s->ops->damps) PetscCall(wring_potential_require_undamped(s->g, "solver", s->ops->name));
  PetscCall(wring_potential_create_vec(s->g, &s->grad));
  PetscCall(VecDuplicate(s->grad, &s->trial));
  PetscCall(VecDuplicate(s->grad, &s->trial_grad));
  PetscCall(VecGetLocalSize(s->grad, &s->n));
  PetscCall(s->ops->set_up(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_predict(wring_solver *s, Vec x, double *bytes)
{
  PetscFunctionBegin;
  *bytes = 0;
  if (s->ops->predict) PetscCall(s->ops->predict(s, x, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_solver_has_residuals(const wring_solver *s)
{
  return s->ops->has_residuals;
}

const char *wring_solver_name(const wring_solver *s)
{
  return s->name;
}
