/* One solve of a comparison: from x_0, by a solver and an A that are new. */
#include "comparison.h"
#include "base/grow.h"
#include <string.h>

static const double WARM_UP = 0.02, FIRST_WARM_UP = 0.1; // s

PetscErrorCode wring_compare_create_solver(const wring_compare *s, const char *name, wring_error *refusal,
                                           wring_solver **solver)
{
  wring_problem *const p = s->p;

  PetscFunctionBegin;
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, solver));
  PetscCall(wring_solver_set_from_options(*solver, p->options, name));
  if (refusal) PetscCall(PetscPushErrorHandler(wring_error_catch, refusal));
  const PetscErrorCode code = wring_solver_set_up(*solver);
  if (refusal) PetscCall(PetscPopErrorHandler());
  if (!refusal) PetscCall(code);
  PetscCheck(!code || code == PETSC_ERR_USER_INPUT, p->comm, code, "%s", refusal->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- at the iterates --------------------------------------------------------------------------------------------- */

/* What a solve leaves, and what ends it early besides its own rules and its budget; outside of the solver's time. */
typedef struct {
  const wring_compare *s;
  wring_solve         *one;
  wring_solver        *newton; // for Newton's decrement; NULL: it is not asked for
  double               target; // relative error, 0: none
} watched;

static PetscErrorCode keep_row(void *context, const wring_iteration *it)
{
  const watched *const w   = context;
  wring_solve *const   one = w->one;
  double               difference;

  PetscFunctionBegin;
  PetscCall(wring_problem_own_contacts(w->s->p, w->s->x, &difference));
  PetscCall(wring_grow(one->n + 1, &one->capacity, sizeof *one->row, &one->row));
  wring_iteration *const row = &one->row[one->n++];
  *row                       = *it;
  row->value.objective += difference;
  row->value.elastic += difference;
  if (w->newton) PetscCall(wring_solver_newton_decrement(w->newton, w->s->x, &row->newton_decrement));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the contacts at each iterate, which the solver does not see: its last values, and where they rise. */
static void count_rises(const wring_compare *s, wring_solve *one)
{
  wring_outcome *const o = &one->outcome;
  if (!s->c.renews || one->n == 0) return;
  o->last.value = one->row[one->n - 1].value;
  o->rises      = (wring_rises){.measured = one->n - 1};
  for (PetscInt i = 1; i < one->n; i++) {
    const double before = one->row[i - 1].value.objective, rise = one->row[i].value.objective - before;
    if (!(rise > 1e-12 * PetscAbsReal(before))) continue;
    o->rises.count++;
    o->rises.largest = PetscMax(o->rises.largest, rise / PetscAbsReal(before));
  }
}

/* By the last measured iterate. */
static PetscBool reaches_target(const watched *w)
{
  return (PetscBool)(w->target > 0 && wring_relative_error(&w->s->c, &w->one->row[w->one->n - 1]) <= w->target);
}

static PetscErrorCode ask_end(void *context, PetscBool *stop)
{
  const watched *const w = context;

  PetscFunctionBegin;
  *stop = reaches_target(w);
  if (!*stop) PetscCall(wring_stopper_ask(w->s->stopper, stop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* The solver and its A, both new, and what this takes. */
static PetscErrorCode set_up(wring_compare *s, const char *name, wring_setup *setup, wring_solver **solver)
{
  wring_problem *const p    = s->p;
  const wring_counts   work = wring_counts_now(&p->phases);

  PetscFunctionBegin;
  PetscCall(wring_problem_forget_operator(p));
  PetscCallMPI(MPI_Barrier(p->comm));
  const double start = MPI_Wtime();
  PetscCall(wring_compare_create_solver(s, name, NULL, solver));
  PetscCall(wring_problem_renew_operator(p, wring_solver_operator_factor(*solver)));
  PetscCallMPI(MPI_Barrier(p->comm));
  *setup = (wring_setup){.seconds = MPI_Wtime() - start, .work = wring_counts_since(&p->phases, &work)};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Discarded solves by other solvers of this name, counted as measuring: caches, memory and clocks of the cores are then
  those of this solver. The first one of a comparison takes longer: threads that meet for the first time may share a
  core, and each of their barriers then takes a time slice, until the system has moved one of them.
*/
static PetscErrorCode warm_up(wring_compare *s, const char *name)
{
  const wring_phase old   = wring_phases_switch(&s->p->phases, WRING_PHASE_MEASURING);
  const double      start = MPI_Wtime();
  wring_solver     *solver;
  wring_outcome     outcome;
  int               again;

  PetscFunctionBegin;
  do {
    PetscCall(wring_compare_create_solver(s, name, NULL, &solver));
    PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
    wring_solver_set_limits(solver, s->limits.iterations, s->limits.rtol, 0, 0);
    wring_solver_set_budget(solver, s->warm ? WARM_UP : FIRST_WARM_UP);
    wring_solver_set_interrupt(solver, wring_stopper_ask, s->stopper);
    PetscCall(VecCopy(s->start, s->x));
    PetscCall(wring_solver_minimise(solver, s->x, &outcome));
    PetscCall(wring_solver_destroy(&solver));
    again = !s->warm && MPI_Wtime() - start < FIRST_WARM_UP;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, s->p->comm));
  } while (again && !s->stopper->cause);
  s->warm = PETSC_TRUE;
  wring_phases_leave_measuring(&s->p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With decrements by a Newton solver that is no part of what is compared: without phases, nothing of it is counted. */
static PetscErrorCode iterate(wring_compare *s, const wring_compare_limits *limits, wring_solver *solver,
                              wring_solve *one)
{
  watched             watch  = {.s = s, .one = one, .target = limits->target};
  wring_reason *const reason = &one->outcome.reason;
  wring_solver_limits own;

  PetscFunctionBegin;
  wring_solver_get_limits(solver, &own);
  const double atol = own.stop == WRING_STOP_GRADIENT ? own.atol : 0;
  wring_solver_set_limits(solver, limits->iterations, limits->rtol, atol, s->measure);
  wring_solver_set_budget(solver, limits->seconds);
  wring_solver_set_monitor(solver, keep_row, &watch);
  wring_solver_set_interrupt(solver, ask_end, &watch);
  if (s->c.has_decrement) {
    PetscCall(wring_solver_create(s->p->comm, s->p->g, NULL, NULL, &watch.newton));
    PetscCall(wring_solver_set_from_options(watch.newton, s->p->options, "newton"));
    PetscCall(wring_solver_set_up(watch.newton));
  }
  PetscCall(VecCopy(s->start, s->x));
  PetscCall(wring_solver_minimise(solver, s->x, &one->outcome));
  PetscCall(wring_solver_destroy(&watch.newton));
  count_rises(s, one);
  if (!wring_reason_failed(*reason) && reaches_target(&watch))
    *reason = WRING_AT_TARGET; // also the last that limits allow
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sum over all numbers of a hash of their bits, which does not depend on the partition. */
static PetscErrorCode find_fingerprint(const wring_compare *s, uint64_t *sum)
{
  const wring_mesh *const m = s->p->mesh;
  const double           *x;

  PetscFunctionBegin;
  *sum = 0;
  PetscCall(VecGetArrayRead(s->x, &x));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    *sum += wring_mix(bits ^ wring_mix((uint64_t)(3 * m->number.original[i / 3] + i % 3)));
  }
  PetscCall(VecRestoreArrayRead(s->x, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_UINT64_T, MPI_SUM, s->p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_compare_solve(wring_compare *s, const char *name, const wring_compare_limits *limits,
                                   PetscBool warm, wring_solve *one)
{
  wring_solver  *solver;
  wring_core_use use;
  PetscBool      found;

  PetscFunctionBegin;
  PetscCall(wring_sittings_take(s, name, one, &found));
  if (found) {
    PetscCall(VecCopy(s->start, s->x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(set_up(s, name, &one->setup, &solver));
  if (warm) {
    PetscCall(warm_up(s, name));
    PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
  }
  wring_core_use_measure(&use);
  PetscCall(iterate(s, limits, solver, one));
  PetscCall(wring_core_share(s->p->comm, &use, &one->waited));
  for (PetscInt i = 0; i < one->n; i++) one->row[i].setup.seconds += one->setup.seconds;
  one->setup.seconds += one->outcome.last.setup.seconds;
  wring_counts_add(&one->outcome.last.setup.work, &one->setup.work);
  PetscCall(find_fingerprint(s, &one->fingerprint));
  wring_core_watch_look(&s->watch);
  PetscCall(wring_sittings_keep(s, name, one));
  const char *const advice = wring_solver_advice(solver, &one->outcome);
  if (advice) PetscCall(wring_note(s->p->comm, "%s: %s", name, advice));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}
