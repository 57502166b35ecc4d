/*
  The time of an iteration, of ten from the same x_0, of every solver on each material that it can use. Each is tried
  on a small box first, and measured there if an iteration on the large one would take too long.
*/
#include "bench.h"
#include "study/common/median.h"
#include "output/tally.h"
#include <math.h>
#include <stdio.h>

enum { ITERATIONS = 10, SMALL = 16000, MOST_SAMPLES = 15 };
static const double share = 2, patience = 50; // budgets of a row; budgets that one iteration may take

/* The boxes of a material; `large` is made when it is needed, and is `small` where that has all tets. */
typedef struct {
  const char      *material;
  wring_bench_body small, large;
} boxes;

/* ---- a solver ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const char       *type;
  wring_bench_body *body;
  wring_solver     *solver;
  Vec               x;
  wring_outcome     outcome; // of the last solve
} method;

/* Its refusal, which all ranks see alike, in fault; then the solver is gone. */
static PetscErrorCode create_method(const wring_bench *b, wring_bench_body *body, const char *type, method *m,
                                    wring_error *fault)
{
  wring_problem *const p = body->p;

  PetscFunctionBegin;
  *m = (method){.type = type, .body = body};
  PetscCall(wring_solver_create(b->comm, p->g, p->op, &p->phases, &m->solver));
  PetscCall(PetscPushErrorHandler(wring_error_catch, fault));
  PetscErrorCode code = wring_solver_set_from_options(m->solver, body->o, type);
  if (!code) code = wring_solver_set_up(m->solver);
  PetscCall(PetscPopErrorHandler());
  if (code) PetscCall(wring_solver_destroy(&m->solver));
  if (code && !wring_failed(fault)) wring_error_set(fault, "it fails with code %d", (int)code);
  if (!code) PetscCall(VecDuplicate(body->x, &m->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_method(method *m)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_destroy(&m->solver));
  PetscCall(VecDestroy(&m->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of one of at most n iterations from x_0; n 0: of those of a step. */
static PetscErrorCode iterate(const wring_bench *b, method *m, PetscInt n, double *seconds)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_renew_operator(m->body->p, wring_solver_operator_factor(m->solver)));
  if (n > 0) wring_solver_set_limits(m->solver, n, 0, 0, 0);
  PetscCall(VecCopy(m->body->x, m->x));
  PetscCallMPI(MPI_Barrier(b->comm));
  PetscCall(wring_solver_minimise(m->solver, m->x, &m->outcome));
  *seconds = m->outcome.last.seconds / (double)PetscMax(m->outcome.iterations, 1);
  PetscCall(wring_bench_slowest(b, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time of an iteration on the large box: proportional to the tets, or to their square with systems of its own. */
static PetscErrorCode predict(const wring_bench *b, method *m, double *seconds)
{
  const double growth = (double)b->tets / m->body->tets;
  double       bytes;

  PetscFunctionBegin;
  PetscCall(iterate(b, m, 1, seconds));
  PetscCall(wring_solver_predict(m->solver, m->body->x, &bytes));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, b->comm));
  *seconds *= bytes > 0 ? growth * growth : growth;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements are read at least once in an iteration. */
static PetscErrorCode count_bytes(const method *m, const wring_operator_info *before, double *bytes)
{
  const double        each = 1 / (double)PetscMax(m->outcome.iterations, 1);
  wring_operator_info info;

  PetscFunctionBegin;
  wring_operator_get_info(m->body->p->op, &info);
  const double solves = (double)(info.solves - before->solves),
               inner  = (double)(info.total_iterations - before->total_iterations);
  PetscCall(wring_bench_method_bytes(m->body, m->type, bytes));
  *bytes += wring_bench_pass_bytes(m->body, 3) * fmax(1, (double)m->outcome.last.evaluations * each);
  if (solves > 0) *bytes += each * wring_bench_solve_bytes(m->body, &info, solves, inner);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(wring_bench *b, const char *material, method *m)
{
  const double        budget = share * b->budget;
  wring_bench_row     row    = {"solver", m->type, "iteration", material, .tets = m->body->tets};
  double              seconds[MOST_SAMPLES], first, sum = 0;
  wring_operator_info before;
  wring_core_use      use;

  PetscFunctionBegin;
  wring_operator_get_info(m->body->p->op, &before);
  wring_core_use_measure(&use);
  PetscCall(iterate(b, m, 1, &first));
  if (first >= budget) seconds[row.repeats++] = first;
  const PetscInt iterations = (PetscInt)PetscMax(1, PetscMin(ITERATIONS, budget / PetscMax(first, 1e-9)));
  PetscCall(wring_stopper_check(&b->stopper));
  while (first < budget && row.repeats < MOST_SAMPLES && sum < budget && !b->stopper.cause) {
    wring_operator_get_info(m->body->p->op, &before);
    PetscCall(iterate(b, m, iterations, &seconds[row.repeats]));
    sum += seconds[row.repeats++] * (double)PetscMax(m->outcome.iterations, 1);
    PetscCall(wring_stopper_check(&b->stopper));
  }
  if (row.repeats == 0) seconds[row.repeats++] = first; // stopped
  PetscCall(wring_median(row.repeats, seconds, &row.seconds));
  PetscCall(wring_core_share(b->comm, &use, &row.waited));
  row.iterations = m->outcome.iterations;
  row.ended      = wring_reason_name(m->outcome.reason);
  PetscCall(count_bytes(m, &before, &row.bytes));
  PetscCall(wring_bench_keep(b, &row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* On the large box, unless one iteration would take too long there. */
static PetscErrorCode measure_on(wring_bench *b, boxes *x, method *m)
{
  wring_error fault   = {""};
  double      seconds = 0;
  char        note[256];
  const char *type = m->type;

  PetscFunctionBegin;
  if (b->tets > SMALL) PetscCall(predict(b, m, &seconds));
  if (b->tets > SMALL && seconds <= patience * b->budget) {
    PetscCall(destroy_method(m));
    if (!x->large.p) PetscCall(wring_bench_body_create(b, x->material, b->tets, &x->large));
    PetscCall(create_method(b, &x->large, type, m, &fault));
    PetscCheck(m->solver, b->comm, PETSC_ERR_PLIB, "solver '%s' rejects the large box: %s", type, fault.text);
  }
  PetscCall(measure(b, x->material, m));
  if (b->tets > SMALL && m->body == &x->small) {
    snprintf(note, sizeof note, "an iteration would take about %.2g s; the row is of %.0f tets", seconds,
             m->body->tets);
    wring_bench_leave_out(b, "solver", type, x->material, note);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_solvers(wring_bench *b)
{
  const char *type;
  method      m;
  PetscBool   due;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < b->n_material && !b->stopper.cause; k++) {
    boxes x = {.material = b->material[k]};
    PetscCall(wring_bench_body_create(b, x.material, PetscMin(b->tets, SMALL), &x.small));
    for (int i = 0; (type = wring_solver_type(i)); i++) {
      wring_error fault = {""};
      PetscCall(wring_bench_begin_row(b, type, x.material, &due));
      if (!due) break;
      PetscCall(create_method(b, &x.small, type, &m, &fault));
      if (m.solver)
        PetscCall(measure_on(b, &x, &m));
      else
        wring_bench_leave_out(b, "solver", type, x.material, fault.text);
      PetscCall(destroy_method(&m));
    }
    PetscCall(wring_bench_body_destroy(&x.small));
    PetscCall(wring_bench_body_destroy(&x.large));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As in a run, until the forces are in balance; what is set up once for all steps is not timed. */
PetscErrorCode wring_bench_merit(wring_bench *b, const wring_bench_body *body)
{
  method    m = {.body = (wring_bench_body *)body};
  double    each;
  PetscBool due;

  PetscFunctionBegin;
  PetscCall(wring_bench_begin_row(b, "auto", "a step", &due));
  if (!due) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_problem_create_solver(body->p, NULL, &m.solver));
  PetscCall(VecDuplicate(body->x, &m.x));
  for (int i = 0; i < 2; i++) PetscCall(iterate(b, &m, 0, &each)); // the first one sets up
  const double seconds = each * (double)PetscMax(m.outcome.iterations, 1);
  b->merit             = wring_reason_converged(m.outcome.reason) ? 3 * body->vertices / seconds : 0;
  PetscCall(destroy_method(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
