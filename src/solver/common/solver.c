/* Creation of a solver: its type and keys, its requirements on the potential, what it reports. */
#include "solver_impl.h"
#include "base/text.h"
#include "base/vector3.h"
#include <string.h>
#include <math.h>

enum { MAX_IT = 5000, MAX_SWEEPS = 100 }; // defaults of max_it, of methods that minimise g and of the others
enum { EXPECTED_IT = 100 };               // most iterations of a solve that are expected where max_it is larger

PetscErrorCode wring_solver_create(MPI_Comm comm, wring_potential *g, wring_operator *op, wring_phases *phases,
                                   wring_solver **solver)
{
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *s        = (wring_solver){.comm = comm, .g = g, .op = op, .phases = phases, .choices = {.solve = -1}};
  s->limits = (wring_solver_limits){.rtol = 1e-5, .measure = 1, .seconds = INFINITY, .stop = WRING_STOP_RELATIVE};
  *solver   = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_method(wring_solver *s)
{
  PetscFunctionBegin;
  if (s->data && s->ops->destroy) PetscCall(s->ops->destroy(s));
  while (s->n_own > 0) PetscCall(VecDestroy(&s->own[--s->n_own]));
  PetscCall(PetscFree(s->data));
  PetscCall(wring_solver_destroy(&s->inner));
  PetscCall(TaoLineSearchDestroy(&s->wolfe));
  PetscCall(wring_decrement_destroy(s));
  PetscCall(VecDestroy(&s->current.grad));
  PetscCall(VecDestroy(&s->trial.x));
  PetscCall(VecDestroy(&s->trial.grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_destroy(wring_solver **solver)
{
  PetscFunctionBegin;
  if (!*solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_method(*solver));
  PetscCall(PetscFree((*solver)->choices.list));
  PetscCall(PetscFree(*solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_name(const wring_solver *s, const wring_options *o, const char *name)
{
  const char *nearest = NULL, *type;
  int         least   = 2 + (int)strlen(name) / 3; // a larger edit distance means a different name

  PetscFunctionBegin;
  for (int i = 0; (type = wring_solver_type(i)) != NULL; i++)
    if (wring_is_nearer(name, type, &least)) nearest = type;
  WRING_REFUSE(s->comm, "%s: solver '%s' is neither a variant with a type nor one of %s%s%s%s",
               wring_options_family_origin(o, "compare_solvers"), name, wring_option_choices(&wring_solver_options[0]),
               nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* The type of the solver or variant `name`, and the prefix of its keys. */
static PetscErrorCode find_type(wring_solver *s, const wring_options *o, const char *name, const char **type,
                                size_t size, char *prefix)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, size, "variant_%s_", name));
  const PetscBool variant = wring_options_has(o, prefix, "type"), known = (PetscBool)(wring_solver_find(name) != NULL);
  if (variant && known)
    WRING_REFUSE(s->comm, "%s: '%s' is already a solver type, expected another name",
                 wring_options_origin(o, prefix, "type"), name);
  if (!variant && !known) PetscCall(refuse_name(s, o, name));
  PetscCall(wring_solver_find_keys(o, name, type, size, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const stop_names[] = {"force", "relative", "gradient", "decrement"};

const char *wring_solver_stop_name(wring_solver_stop stop)
{
  return stop_names[stop];
}

PetscErrorCode wring_solver_set_from_options(wring_solver *s, const wring_options *o, const char *name)
{
  const char *type;
  char        prefix[sizeof s->name + 16];

  PetscFunctionBegin;
  PetscCall(destroy_method(s));
  if (!name) PetscCall(wring_solver_default_type(o, &name));
  PetscCall(find_type(s, o, name, &type, sizeof prefix, prefix));
  PetscCall(PetscStrncpy(s->name, name, sizeof s->name));
  PetscCall(PetscSNPrintf(s->who, sizeof s->who, "solver '%s'", name));
  s->ops = wring_solver_find(type);
  PetscCall(PetscCalloc(s->ops->data_size, &s->data));
  PetscCall(wring_options_read(o, prefix, s->ops->options, s->data));
  if (s->ops->set_from_options) PetscCall(s->ops->set_from_options(s, o, prefix));
  s->limits.max_it = wring_solver_minimises(s) ? MAX_IT : MAX_SWEEPS;
  PetscCall(wring_options_read(o, "solver_", wring_solver_options, &s->limits));
  if (wring_options_has(o, "solver_", "stop") && s->limits.stop == WRING_STOP_GRADIENT && !(s->limits.atol > 0))
    WRING_REFUSE(s->comm, "%s: solver_stop gradient compares |grad g| with solver_atol, which is 0, expected more",
                 wring_options_origin(o, "solver_", "stop"));
  if (s->limits.stop == WRING_STOP_DECREMENT) PetscCall(wring_decrement_create(s, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_solver_minimises(const wring_solver *s)
{
  return (PetscBool)((s->ops->declares & WRING_MINIMISES) != 0);
}

PetscErrorCode wring_solver_set_stop(wring_solver *s, wring_solver_stop stop)
{
  PetscFunctionBegin;
  PetscCheck(stop != WRING_STOP_DECREMENT || s->decrement.op, s->comm, PETSC_ERR_ARG_WRONG,
             "the rule decrement needs an operator, which options give: expected wring_solver_set_from_options");
  if (stop != WRING_STOP_DECREMENT) PetscCall(wring_decrement_destroy(s));
  s->limits.stop = stop;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_get_limits(const wring_solver *s, wring_solver_limits *limits)
{
  *limits = s->limits;
}

void wring_solver_set_limits(wring_solver *s, PetscInt max_it, double rtol, double atol, PetscInt measure)
{
  s->limits.max_it  = max_it;
  s->limits.rtol    = rtol;
  s->limits.atol    = atol;
  s->limits.measure = measure;
}

void wring_solver_set_monitor(wring_solver *s, wring_monitor *monitor, void *context)
{
  s->monitor         = monitor;
  s->monitor_context = context;
}

void wring_solver_know_start(wring_solver *s, const wring_evaluation *start)
{
  s->start = start;
}

void wring_solver_set_interrupt(wring_solver *s, wring_interrupt *interrupt, void *context)
{
  s->interrupt         = interrupt;
  s->interrupt_context = context;
}

void wring_solver_set_budget(wring_solver *s, double seconds)
{
  s->limits.seconds = seconds;
}

double wring_solver_operator_factor(const wring_solver *s)
{
  if (s->inner) return wring_solver_operator_factor(s->inner);
  return s->ops->operator_factor ? s->ops->operator_factor(s) : 0;
}

void wring_solver_expect_solves(const wring_solver *s, PetscInt64 steps)
{
  if (wring_solver_operator_factor(s) == 0) return;
  const PetscInt iterations = PetscMin(s->limits.max_it, EXPECTED_IT);
  wring_operator_expect(s->op, &(wring_operator_use){.solves = steps * iterations, .rtol = s->ops->operator_rtol});
}

PetscErrorCode wring_solver_newton_decrement(wring_solver *s, Vec x, double *decrement)
{
  PetscFunctionBegin;
  PetscCheck(s->ops->decrement, s->comm, PETSC_ERR_ARG_WRONG, "solver '%s' has no Newton decrement", s->ops->name);
  s->current.known = s->end.given = PETSC_FALSE;
  s->start                        = NULL;
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(s->ops->decrement(s, x, decrement));
  s->end.given = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_solver_tolerance(const wring_solver *s, const wring_outcome *outcome)
{
  if (s->limits.stop > WRING_STOP_RELATIVE) return s->limits.atol;
  return PetscMax(s->limits.rtol * outcome->last.reference, s->limits.atol);
}

/* x whose coordinates are moved by four units in the last place, to sides that differ from neighbour to neighbour. */
static PetscErrorCode shake(const wring_mesh *m, Vec x, Vec shaken)
{
  const double *from;
  double       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(shaken, &to));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) {
    const uint32_t number = 3 * (uint32_t)m->number.original[i / 3] + (uint32_t)(i % 3);
    to[i]                 = from[i] * (1 + (number * 2654435761u >> 31 ? 4 : -4) * PETSC_MACHINE_EPSILON);
  }
  PetscCall(VecRestoreArrayWrite(shaken, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  grad g at x, its norm, the norm of what ten times the rounding of x does not explain of it, vertex by vertex, and the
  norm of what that explains at most.
*/
static PetscErrorCode find_excess(wring_solver *s, Vec x, double *excess, double *noise)
{
  const double *grad, *change;
  double        sum[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscCall(wring_potential_gradient(s->g, x, s->current.grad)); // loads may have changed since the solve
  PetscCall(shake(wring_potential_mesh(s->g), x, s->trial.x));
  PetscCall(wring_potential_gradient(s->g, s->trial.x, s->trial.grad));
  PetscCall(VecAXPY(s->trial.grad, -1, s->current.grad));
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  PetscCall(VecGetArrayRead(s->trial.grad, &change));
  for (PetscInt i = 0; i < s->n; i += 3) {
    const double square = wring_dot3(grad + i, grad + i), explained = 100 * wring_dot3(change + i, change + i);
    sum[0] += square;
    if (!(square <= explained)) sum[1] += PetscSqr(sqrt(square) - sqrt(explained));
    sum[2] += explained;
  }
  PetscCall(VecRestoreArrayRead(s->trial.grad, &change));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscCall(wring_solver_sum(s, 3, sum));
  s->current.norm = sqrt(sum[0]);
  *excess         = sqrt(sum[1]);
  *noise          = sqrt(sum[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_unbalance(wring_solver *s, Vec x, double *share)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_MEASURING);
  wring_forces      forces;
  double            excess = 0, noise = 0;

  PetscFunctionBegin;
  PetscCall(find_excess(s, x, &excess, &noise));
  PetscCall(wring_potential_forces(s->g, x, s->current.grad, &forces));
  const double given = PetscMax(forces.inertial, forces.external); // the others have the rounding of x
  const double known = PetscMax(given, wring_forces_largest(&forces) - noise);
  *share             = excess == 0 || known <= 0 ? 0 : excess / known;
  wring_phases_leave_measuring(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_fitting(const wring_solver *s, size_t size, char *list);

/* Refuses a potential that this type cannot minimise; suggests: and names the types that can. */
static PetscErrorCode require_fitting(const wring_solver *s, PetscBool suggests)
{
  const char *why;
  char        others[512] = "";

  PetscFunctionBegin;
  PetscCall(wring_potential_require(s->g, s->ops->needs, "solver", s->ops->name, NULL));
  why = wring_potential_refuses_contacts(s->g, s->ops->contacts ? s->ops->contacts(s) : s->ops->way);
  if (!why && wring_potential_is_static(s->g) && !wring_solver_minimises(s)) // no mass, step or velocity
    why = "time_integrator 'static': it does not minimise g";
  if (why && suggests) PetscCall(list_fitting(s, sizeof others, others));
  if (why)
    WRING_REFUSE(s->comm, "solver '%s' cannot use %s%s%s", s->ops->name, why,
                 !others[0]                   ? ""
                 : strstr(why, ", expected ") ? " or solver "
                                              : ", expected solver ",
                 others);
  if (!s->ops->damps && !wring_potential_is_static(s->g))
    PetscCall(wring_potential_require_undamped(s->g, "solver", s->ops->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "auto, qn, newton": the types that can minimise s->g with their default keys. */
static PetscErrorCode list_fitting(const wring_solver *s, size_t size, char *list)
{
  const char    *type;
  wring_solver  *other;
  wring_options *none;
  wring_error    fault = {""};
  char           word[128];

  PetscFunctionBegin;
  PetscCall(wring_options_create(s->comm, &none));
  for (int i = 0; (type = wring_solver_type(i)); i++) {
    PetscCall(wring_solver_create(s->comm, s->g, NULL, s->phases, &other));
    PetscCall(wring_solver_set_from_options(other, none, type));
    wring_error_clear(&fault);
    PetscCall(PetscPushErrorHandler(wring_error_catch, &fault));
    snprintf(word, sizeof word, "%s%s", type, other->ops == s->ops ? " with its default keys" : "");
    if (!require_fitting(other, PETSC_FALSE)) wring_text_list(list, size, word);
    PetscCall(PetscPopErrorHandler());
    PetscCall(wring_solver_destroy(&other));
  }
  PetscCall(wring_options_destroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_set_up(wring_solver *s)
{
  PetscFunctionBegin;
  PetscCheck(s->ops, s->comm, PETSC_ERR_ARG_WRONGSTATE, "the solver has no type yet");
  PetscCheck(s->op || wring_solver_operator_factor(s) == 0, s->comm, PETSC_ERR_ARG_NULL,
             "solver '%s' needs an operator", s->ops->name);
  PetscCall(require_fitting(s, PETSC_TRUE));
  PetscCall(wring_potential_create_vec(s->g, &s->current.grad));
  PetscCall(VecDuplicate(s->current.grad, &s->trial.x));
  PetscCall(VecDuplicate(s->current.grad, &s->trial.grad));
  PetscCall(VecGetLocalSize(s->current.grad, &s->n));
  PetscCall(wring_decrement_set_up(s));
  if (s->inner) PetscCall(wring_solver_set_up(s->inner));
  PetscCall(s->ops->set_up(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_predict(wring_solver *s, Vec x, double *bytes)
{
  PetscFunctionBegin;
  *bytes = 0;
  if (s->inner) PetscCall(wring_solver_predict(s->inner, x, bytes));
  if (s->ops->predict) PetscCall(s->ops->predict(s, x, bytes));
  PetscCall(wring_decrement_predict(s, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_predict_later(wring_solver *s, Vec x, double *bytes)
{
  PetscFunctionBegin;
  *bytes = 0;
  if (s->inner) PetscCall(wring_solver_predict_later(s->inner, x, bytes));
  if (s->ops->predict_later) PetscCall(s->ops->predict_later(s, x, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_solver_has_residuals(const wring_solver *s)
{
  return s->ops->has_residuals;
}

const char *wring_solver_advice(const wring_solver *s, const wring_outcome *o)
{
  return o->reason == WRING_MAX_IT && s->ops->advise ? s->ops->advise(s, o) : NULL;
}

const char *wring_solver_about(const wring_solver *s)
{
  return s->ops->about;
}

PetscInt wring_solver_choices(const wring_solver *s, const wring_solver_choice **list)
{
  *list = s->choices.list;
  return s->choices.n;
}

const char *wring_solver_name(const wring_solver *s)
{
  return s->name;
}
