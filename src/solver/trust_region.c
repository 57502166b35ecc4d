/*
  Newton's method in a trust region [Conn, Gould, Toint 2000, algorithms 6.1.1 and 7.5.1]. With the Hessian H at x_k as
  it is, which may be indefinite, the step s minimises, approximately,
    m(s) = grad g . s + 1/2 s . H s   over   |s|_A <= radius,   |s|_A^2 = s . A s,
  by conjugate gradients with A^{-1} as preconditioner [Steihaug 1983]: they end where the residual of H s = -grad g is
  small enough, or at the boundary of the region, which they reach along a direction of negative curvature too. The
  ratio of the decreases of g and of m decides whether x_k + s is accepted, and the next radius.
  docs/theory.md (5.36) to (5.39)

  The loop of solve.c measures every iterate, changes contacts between iterations and ends a solve: TaoNTR, which has
  its own loop and keeps its radius inside of it, cannot be called iteration by iteration. The solves with A may be
  rough: beta is therefore Polak and Ribiere's [Notay 2000], and |s|_A is computed with A itself, where PETSc's
  KSPSTCG would take the norm from an exact preconditioner.
*/
#include "solver/common/inner.h"
#include "solver/common/line_search.h"
#include <math.h>

enum { MAX_SHRINKS = 100 };
static const double with_barrier = 0.01; // of forcing: A knows no contacts, whose part hides that of all else in r . z

typedef struct {
  double   first;          // radius of the first iteration, in multiples of |A^{-1} grad g|_A
  double   accept, good;   // ratios of decreases from which a step is accepted, and the radius may grow
  double   shrink, expand; // factors on |s|_A
  double   forcing, power; // CG ends at min(forcing, (|grad g|/|grad g(x_0)|)^power) times the first residual
  PetscInt max_it;         // steps of CG
} trust_keys;

typedef struct {
  double     radius; // J^(1/2); 0: not known yet; kept where another method moves x
  trust_keys keys;
  double     norm_0; // N: |grad g(x_0)|
  Mat        H;      // owned
  Vec        s;      // [n_owned][3] m: the step
  Vec        r;      // N: grad m(s)
  Vec        z, p;   // m: A^{-1} r, the direction of CG
  Vec        Hp, Ap; // N
} trust_data;

/* The step in hand. */
typedef struct {
  double    model;   // J: m(s)
  double    squared; // J: |s|_A^2
  double    first;   // J: grad g . A^{-1} grad g
  PetscBool outside; // ends at the boundary
} trust_step;

static const wring_option trust_options[] = {
  {"radius", WRING_REAL, .range = "(0,inf)", .value = "1", .at = WRING_AT(trust_data, keys.first),
   .help = "First radius of each solve, in multiples of the length of the step by the operator alone; lengths are "
           "measured by the operator."},
  {"accept", WRING_REAL, .range = "(0,1)", .value = "0.01", .at = WRING_AT(trust_data, keys.accept),
   .help = "A step is accepted if g falls by at least this part of what its quadratic model promises."},
  {"good", WRING_REAL, .range = "(0,1)", .value = "0.9", .at = WRING_AT(trust_data, keys.good),
   .help = "The radius may grow if g falls by at least this part of what the model promises."},
  {"shrink", WRING_REAL, .range = "(0,1)", .value = "0.5", .at = WRING_AT(trust_data, keys.shrink),
   .help = "New radius, in lengths of the step, after a step that is not accepted."},
  {"expand", WRING_REAL, .range = "(1,inf)", .value = "2", .at = WRING_AT(trust_data, keys.expand),
   .help = "Least new radius, in lengths of the step, after a step from which the radius may grow."},
  {"forcing", WRING_REAL, .range = "(0,1)", .value = "0.1", .at = WRING_AT(trust_data, keys.forcing),
   .help = "Largest relative tolerance of conjugate gradients for Newton's system; with a barrier a hundredth of it."},
  {"power", WRING_REAL, .range = "[0,1]", .value = "0.5", .at = WRING_AT(trust_data, keys.power),
   .help = "Conjugate gradients are solved to the relative size of grad g to this power, or to the largest tolerance: "
           "1 gives quadratic, 0 linear convergence."},
  {"cg_max_it", WRING_INT, .range = "[1,inf)", .value = "1000", .at = WRING_AT(trust_data, keys.max_it),
   .help = "Most steps of conjugate gradients in one iteration."},
  {0},
};

static PetscErrorCode trust_set_up(wring_solver *s)
{
  trust_data *const trust = s->data;
  Vec *const        of[]  = {&trust->s, &trust->r, &trust->z, &trust->p, &trust->Hp, &trust->Ap};

  PetscFunctionBegin;
  PetscCall(wring_solver_create_vecs(s, 6, of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode trust_begin(wring_solver *s, Vec x)
{
  trust_data *const trust = s->data;

  PetscFunctionBegin;
  trust->radius = 0;
  PetscCall(wring_solver_evaluate(s, x));
  trust->norm_0 = s->current.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conjugate gradients ----------------------------------------------------------------------------------------- */

/* y = b y + a x. */
static PetscErrorCode add(const wring_solver *s, double b, Vec y, double a, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_combine(s->n, 2, (const double[]){b, a}, (const Vec[]){y, x}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = A^{-1} r, dots = z . r and z . Hp. */
static PetscErrorCode precondition(wring_solver *s, double dots[2])
{
  trust_data *const trust = s->data;

  PetscFunctionBegin;
  PetscCall(
    wring_solver_apply_inverse_with_dots(s, 0, trust->r, trust->z, 2, (const Vec[]){trust->r, trust->Hp}, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { PHP, PAP, PR, SAP, N_SUMS };

/* Hp, Ap and the products with them; one reduction. */
static PetscErrorCode multiply(wring_solver *s, double sum[N_SUMS])
{
  trust_data *const trust  = s->data;
  const Vec         with[] = {[PHP] = trust->Hp, [PAP] = trust->Ap, [PR] = trust->r};

  PetscFunctionBegin;
  PetscCall(MatMult(trust->H, trust->p, trust->Hp));
  wring_count(s->phases, WRING_WORK_PRODUCTS, 1);
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(wring_operator_apply(s->op, trust->p, trust->Ap));
  PetscCall(wring_solver_dots(s, trust->p, 3, with, sum));
  PetscCall(wring_solver_dots(s, trust->s, 1, &trust->Ap, &sum[SAP]));
  PetscCall(wring_solver_sum(s, N_SUMS, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The length along p: to the minimum of m, or to the boundary if that is nearer or m has no minimum along p. */
static double length_along(const trust_data *trust, const double *sum, trust_step *t)
{
  const double minimum = sum[PHP] > 0 ? -sum[PR] / sum[PHP] : INFINITY;
  const double room    = fmax(trust->radius * trust->radius - t->squared, 0);
  const double boundary =
    room / (sum[SAP] + sqrt(sum[SAP] * sum[SAP] + sum[PAP] * room)); // |s + boundary p|_A = radius
  t->outside     = (PetscBool) !(minimum < boundary);
  const double a = t->outside ? boundary : minimum;
  t->model += a * sum[PR] + 0.5 * a * a * sum[PHP];
  t->squared += 2 * a * sum[SAP] + a * a * sum[PAP];
  return a;
}

/* r = grad g, z = A^{-1} r, p = -z, s = 0; *rz = r . z, which sets the first radius. */
static PetscErrorCode start_step(wring_solver *s, double *rz)
{
  trust_data *const trust = s->data;
  double            dots[2];

  PetscFunctionBegin;
  PetscCall(VecCopy(s->current.grad, trust->r));
  PetscCall(VecZeroEntries(trust->s));
  PetscCall(VecZeroEntries(trust->p));
  PetscCall(VecZeroEntries(trust->Hp));
  PetscCall(precondition(s, dots));
  PetscCall(add(s, 0, trust->p, -1, trust->z));
  *rz = dots[0];
  if (trust->radius == 0) trust->radius = trust->keys.first * PetscSqrtReal(PetscMax(*rz, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step s of this radius. */
static PetscErrorCode find_step(wring_solver *s, trust_step *t)
{
  trust_data *const trust   = s->data;
  const double      forcing = trust->keys.forcing * (wring_potential_has_bounded_contacts(s->g) ? with_barrier : 1),
               tolerance    = fmin(forcing, pow(s->current.norm / trust->norm_0, trust->keys.power));
  double rz                 = 0, first, dots[2], sum[N_SUMS];

  PetscFunctionBegin;
  *t = (trust_step){0};
  PetscCall(start_step(s, &rz));
  first = t->first = rz;
  for (PetscInt k = 0; k < trust->keys.max_it && rz > 0; k++) {
    PetscCall(multiply(s, sum));
    s->work.linear_iterations++;
    const double a = length_along(trust, sum, t);
    PetscCall(add(s, 1, trust->s, a, trust->p));
    if (t->outside) break;
    PetscCall(add(s, 1, trust->r, a, trust->Hp));
    PetscCall(precondition(s, dots));
    if (!(dots[0] > tolerance * tolerance * first)) break;
    PetscCall(add(s, a * dots[1] / rz, trust->p, -1, trust->z));
    rz = dots[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/* m(a s)/m(s) of a step that is cut to its part a by contacts. */
static PetscErrorCode part_of_model(wring_solver *s, const trust_step *t, double a, double *part)
{
  trust_data *const trust = s->data;
  double            slope;

  PetscFunctionBegin;
  *part = 1;
  if (a == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_dot(s, s->current.grad, trust->s, &slope));
  *part = (a * slope + a * a * (t->model - slope)) / t->model;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Tries x + s and changes the radius; a step that inverts elements is cut before the first of them. A step towards a
  contact is tried as far as it may go.
*/
static PetscErrorCode try_step(wring_solver *s, Vec x, const trust_step *t, wring_search *result)
{
  trust_data *const       trust  = s->data;
  const trust_keys *const k      = &trust->keys;
  const double            length = PetscSqrtReal(t->squared);
  double                  ratio  = -INFINITY, part;

  PetscFunctionBegin;
  PetscCall(wring_solver_begin_search(s, x, trust->s));
  if (s->bound.step > 1 || s->bound.first < 1) {
    PetscCall(wring_solver_try(s, x, s->bound.first, trust->s));
    PetscCall(part_of_model(s, t, s->bound.first, &part));
    if (PetscIsInfOrNanReal(s->trial.value.objective))
      PetscCall(wring_solver_meet_infinity(s, x, trust->s));
    else
      ratio = (s->trial.value.objective - s->current.value.objective) / (part * t->model);
  }
  *result = ratio >= k->accept ? WRING_SEARCH_FOUND : WRING_SEARCH_FAILED;
  if (ratio >= k->good && s->bound.first == 1)
    trust->radius = fmax(trust->radius, k->expand * length);
  else if (*result != WRING_SEARCH_FOUND)
    trust->radius = fmin(k->shrink, s->bound.step) * length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The slope whose predicted decrease is -m(s). A step that ends at the boundary promises less the smaller the region is:
  the decrease that the step of A promises is then the least.
*/
static double slope_of(const trust_step *t)
{
  const double slope = 2 * t->model;
  return t->outside ? fmin(slope, -t->first) : slope;
}

static PetscErrorCode trust_iterate(wring_solver *s, Vec x)
{
  trust_data *const trust  = s->data;
  wring_search      result = WRING_SEARCH_FAILED;
  trust_step        t;
  double            slope;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_NONE, &trust->H));
  for (int i = 0; i < MAX_SHRINKS && result == WRING_SEARCH_FAILED; i++) {
    PetscCall(find_step(s, &t));
    if (i == 0) s->current.decrement = -0.5 * slope_of(&t);
    if (wring_solver_is_tiny(s, 1, t.model)) { // rounding hides what the model promises: s is judged by grad g
      PetscCall(wring_solver_dot(s, s->current.grad, trust->s, &slope));
      PetscCall(wring_solver_backtrack(s, x, trust->s, slope, &result));
      break;
    }
    PetscCall(try_step(s, x, &t, &result));
  }
  PetscCall(wring_solver_end_search(s, x, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* H, which stays, as that of newton does, and is counted by the caller. */
static PetscErrorCode trust_predict(wring_solver *s, Vec x, double *bytes)
{
  trust_data *const trust = s->data;

  PetscFunctionBegin;
  (void)bytes;
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_NONE, &trust->H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode trust_destroy(wring_solver *s)
{
  trust_data *const trust = s->data;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&trust->H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_trust_region = {
  .name            = "trust_region",
  .needs           = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN | WRING_CAN_SLOPE,
  .declares        = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor = wring_solver_operator_as_is,
  .operator_rtol   = WRING_OPERATOR_ROUGH,
  .way             = WRING_CONTACT_BOUNDED,
  .options         = trust_options,
  .data_size       = sizeof(trust_data),
  .set_up          = trust_set_up,
  .begin           = trust_begin,
  .iterate         = trust_iterate,
  .predict         = trust_predict,
  .state           = &wring_state_x,
  .destroy         = trust_destroy,
};
