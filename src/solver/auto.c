/*
  L-BFGS that chooses its initial Hessian by what the solve has cost so far; docs/theory.md (5.40) to (5.43).

  It begins with the operator A, which qn's rule (5.14) replaces by the mean of the diagonal blocks of the Hessian. If
  line searches reject many steps, products with the Hessian find better ones. The Hessian H(x_k) takes the place of A
  where the rest of the solve with A, at the rate so far, costs more than one, or when the iterations with A have cost
  as much as one and much is left; the first one costs more than later ones. It is kept while it works, built again
  where its last iterations gain less for their cost than those before, and left, for twice as long, where it is slower
  than A. A new Hessian drops the pairs of L-BFGS, which belong to other points. While surfaces are in contact by a
  barrier, every iteration is Newton's, with its linear solver, and the pair of the last step where full steps have
  become too short. Costs are counted, not timed: all ranks decide alike, and runs can be repeated.
*/
#include "operator/direct/factor.h"
#include "solver/common/linear.h"
#include "solver/lbfgs/lbfgs.h"
#include <math.h>

enum { HISTORY = 10, PATIENCE = 40 };

/* Steps that line searches reject, each counted as `forget` an iteration later, from which on H chooses steps. */
static const double many = 12, forget = 0.9;

static const double rough = 1e-1; // of a Hessian that L-BFGS corrects

/*
  A full step with the Hessian of contacts is slow if it leaves more of |grad g|; a pair with less of s . y over
  |s . grad g| does not lengthen the next one.
*/
static const double slowly = 0.5, shortest = 1e-2;

/* (5.40), in ns of one core, of which only ratios matter: measured with 12,000 and 98,000 tetrahedra of both orders */
static const double point = 7.5, point_of_mean = 26, inertia = 8; // an evaluation: points of tets, with means; vertices
static const double step = 65, plane = 2.2;               // an iteration with A, by vertices; (5.43), in evaluations
static const double first_places = 27, first_levels = 80; // the first H, by its numbers
static const double entries_of_h = 6.6, blocks = 3.5, levels = 12, cycle = 0.9;    // each H; an inner iteration
static const double operation = 1 / 60.0, analysis = 20, number = 6.8, read = 0.9; // a factor, by its numbers

/* Guesses: numbers of H, by vertices, at order 1 and 2; with means of several tetrahedra more, also of its factor. */
static const double row_numbers[] = {124, 238}, of_mean = 5, entries_of_mean = 2;

/* Of a Hessian, in evaluations: the first time more; each time; a solve with its factor or an inner iteration. */
typedef struct {
  double first, again, solve;
} auto_price;

typedef struct {
  wring_lbfgs   pairs;
  wring_linear  hessian;
  Vec           x;             // the iterate, borrowed
  PetscBool     thin;          // only thin parts are projected in H
  PetscBool     next_thin;     // the same of the next H of contacts
  wring_forcing forcing;       // of systems with contacts
  int           slow;          // their last steps that were full and slow
  double        step;          // of an iteration with A, or of a cycle of it, beside the evaluation
  auto_price    factor, cycle; // of the Hessian; INFINITY: it is too large
  wring_trade   trade;
  double        rejected;    // steps by recent line searches of this solve with the present operator
  PetscInt      evaluations; // of this solve, as counted so far
  PetscInt64    linear_iterations;
} auto_data;

static PetscErrorCode auto_set_up(wring_solver *s)
{
  auto_data *a = s->data;

  PetscFunctionBegin;
  a->hessian.prefix = "auto_";
  a->forcing.least  = 1e-8;
  a->hessian.solves = 2; // several rough ones, as long as two
  if (wring_potential_has_bounded_contacts(s->g)) a->hessian.norm = WRING_NORM_RESIDUAL;
  a->pairs.window        = HISTORY;
  a->pairs.renewal.price = wring_potential_can(s->g, WRING_CAN_HESSIAN) ? PATIENCE : 0;
  PetscCall(wring_lbfgs_create(s, &a->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode auto_destroy(wring_solver *s)
{
  auto_data *a = s->data;

  PetscFunctionBegin;
  PetscCall(wring_linear_destroy(&a->hessian));
  PetscCall(wring_lbfgs_destroy(&a->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

/* (5.40), from numbers of H, and operations and numbers of its factor; flops 0: there is none. */
static void set_prices(const wring_solver *s, auto_data *a, double numbers, double flops, double entries)
{
  const wring_mesh *const m      = wring_potential_mesh(s->g);
  const PetscBool         mean   = wring_potential_has_means(s->g);
  const double            points = m->tets.order == 2 ? (m->tets.points ? m->tets.points : 4) : 1;
  const double            n      = (double)m->number.n_global;
  const double            one    = (double)m->tets.n_global * points * (mean ? point_of_mean : point) + inertia * n;

  a->step   = step * n / one;
  a->cycle  = (auto_price){first_levels * numbers / one, ((mean ? entries_of_h : blocks) + levels) * numbers / one,
                           cycle * numbers / one};
  a->factor = (auto_price){(first_places * numbers + analysis * entries) / one,
                           (entries_of_h * numbers + operation * flops + number * entries) / one, read * entries / one};
  if (flops == 0) a->factor.again = INFINITY;
}

/*
  Whether H gets a factor at once: with means, where the cycle is that of A, which knows nothing of how they resist
  changes of volume.
*/
static PetscBool takes_factor(const wring_solver *s, const auto_data *a)
{
  if (a->factor.again == INFINITY || wring_potential_has_bounded_contacts(s->g)) return PETSC_FALSE;
  return wring_potential_has_means(s->g);
}

/* Of the next Hessian. */
static void set_price(const wring_solver *s, auto_data *a)
{
  const PetscBool built   = (PetscBool)(a->hessian.ksp != NULL);
  const PetscBool cheaper = (PetscBool)(a->factor.first + a->factor.again < a->cycle.first + a->cycle.again);
  const PetscBool factored =
    built ? (PetscBool)(a->hessian.type == WRING_LINEAR_DIRECT) : (PetscBool)(takes_factor(s, a) || cheaper);
  const auto_price *const p = factored ? &a->factor : &a->cycle;
  a->trade.price            = wring_potential_can(s->g, WRING_CAN_HESSIAN) ? p->again : INFINITY;
  a->trade.first            = built ? 0 : p->first;
}

/* Before there is a Hessian. Its factor has blocks of 3 x 3 where that of A has numbers. */
static void find_prices(const wring_solver *s, auto_data *a)
{
  const wring_mesh *const m       = wring_potential_mesh(s->g);
  const PetscBool         mean    = wring_linear_couples_more(s);
  const double            numbers = row_numbers[m->tets.order == 2] * (double)m->number.n_global;
  wring_operator_info     info;
  wring_operator_get_info(s->op, &info);
  set_prices(s, a, numbers * (mean ? of_mean : 1), 27 * info.flops * (mean ? WRING_FLOPS_OF_MEAN : 1),
             9 * info.entries * (mean ? entries_of_mean : 1));
  set_price(s, a);
}

/* Of the Hessian that was built. */
static PetscErrorCode correct_prices(const wring_solver *s, auto_data *a)
{
  double  flops, entries;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(wring_factor_counts(a->hessian.ksp, &flops, &entries));
  if (flops > 0) {
    PetscCall(MatGetInfo(a->hessian.A, MAT_GLOBAL_SUM, &info));
    set_prices(s, a, info.nz_used, flops, entries);
  }
  set_price(s, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H_0 is another: its steps are full ones until searches reject some. */
static void trust_steps(auto_data *a)
{
  a->rejected    = 0;
  a->pairs.plane = PETSC_FALSE;
}

/* The cost of the last iteration. */
static double count_iteration(const wring_solver *s, auto_data *a)
{
  const double evaluations = (double)(s->work.evaluations - a->evaluations);
  const double iterations  = (double)(s->work.linear_iterations - a->linear_iterations);
  a->evaluations           = s->work.evaluations;
  a->linear_iterations     = s->work.linear_iterations;
  a->rejected              = forget * a->rejected + evaluations - 1;
  if (a->trade.use == WRING_USE_OPERATOR)
    return evaluations + a->step * PetscMax(iterations, 1) + (a->pairs.plane ? plane : 0);
  return evaluations + (iterations > 0 ? a->cycle.solve * iterations : a->factor.solve);
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode form_hessian(wring_solver *s, Vec x)
{
  auto_data *const           a   = s->data;
  const wring_hessian_choice how = {.filter = WRING_FILTER_CLAMP, .thin = a->thin};

  PetscFunctionBegin;
  if (!a->hessian.A && takes_factor(s, a)) a->hessian.type = WRING_LINEAR_DIRECT;
  PetscCall(wring_linear_create_matrix(s, &a->hessian));
  PetscCall(wring_potential_hessian_with(s->g, x, &how, &a->hessian.A));
  PetscCall(wring_linear_set_up(s, &a->hessian, x));
  if (a->hessian.state == WRING_SYSTEM_READY) PetscCall(correct_prices(s, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After an H that is not positive definite: all elements are projected, here and in the rest of the solve. */
static PetscErrorCode project_all(wring_solver *s, Vec x)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  a->thin = a->next_thin = PETSC_FALSE;
  a->hessian.stale       = PETSC_TRUE; // the V-cycle is of that H
  a->hessian.most        = 0;
  PetscCall(form_hessian(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `thin`: only thin parts are projected. Drops the pairs of L-BFGS but for the last one or none, `pairs`. */
static PetscErrorCode build_hessian(wring_solver *s, Vec x, PetscBool thin, PetscInt pairs, const char *text)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  a->hessian.rtol = rough;
  a->thin         = thin;
  PetscCall(form_hessian(s, x));
  if (a->hessian.state == WRING_SYSTEM_SINGULAR && thin) PetscCall(project_all(s, x));
  wring_trade_build(&a->trade);
  a->pairs.count = PetscMin(a->pairs.count, pairs);
  if (a->pairs.count == 0) a->pairs.newest = 0;
  trust_steps(a);
  if (text) PetscCall(wring_solver_note_choice(s, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode leave_hessian(wring_solver *s)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  wring_trade_leave(&a->trade);
  wring_renewal_return(&a->pairs.renewal, s->work.evaluations, (PetscBool)(s->current.iteration > 0));
  PetscCall(wring_solver_note_choice(s, "operator"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode judge_hessian(wring_solver *s, Vec x)
{
  auto_data *const    a       = s->data;
  const wring_verdict verdict = wring_trade_judge(&a->trade, wring_solver_target(s));

  PetscFunctionBegin;
  if (a->hessian.state == WRING_SYSTEM_SINGULAR || verdict == WRING_LEAVE)
    PetscCall(leave_hessian(s));
  else if (verdict == WRING_REBUILD || wring_linear_gives_way(s, &a->hessian))
    PetscCall(build_hessian(s, x, PETSC_FALSE, 0, "Hessian again"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Where surfaces repel each other by a barrier, nothing but the Hessian at x_k knows how strongly. It lacks the negative
  parts of (9.18): where bodies slip off each other's tips, its full steps are too short, and the last pair tells by how
  much. docs/theory.md 5
*/
static PetscErrorCode meet_contacts(wring_solver *s, Vec x, PetscBool *met)
{
  enum { SLOW = 2 }; // steps
  auto_data *const a = s->data;
  const PetscBool  full =
    (PetscBool)(a->trade.use == WRING_USE_HESSIAN && a->forcing.norm > 0 && s->current.step == 1 && a->pairs.added);

  PetscFunctionBegin;
  *met          = (PetscBool)(s->contacts.change.active > 0 && wring_potential_has_bounded_contacts(s->g) &&
                     wring_potential_can(s->g, WRING_CAN_HESSIAN));
  a->slow       = *met && full && s->current.norm > slowly * a->forcing.norm ? a->slow + 1 : 0;
  a->pairs.flat = *met ? shortest : 0;
  if (!*met) a->forcing.norm = 0;
  if (!*met) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(build_hessian(s, x, a->next_thin, a->slow >= SLOW,
                          a->trade.use == WRING_USE_HESSIAN ? NULL : "Hessian of contacts"));
  wring_linear_force(s, &a->hessian, &a->forcing);
  *met = (PetscBool)(a->hessian.state != WRING_SYSTEM_SINGULAR);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator, renewed or not, or a Hessian for the next direction. */
static PetscErrorCode choose(wring_solver *s, Vec x)
{
  auto_data *const a      = s->data;
  const double     target = wring_solver_target(s);
  PetscBool        renewed, met;

  PetscFunctionBegin;
  PetscCall(meet_contacts(s, x, &met));
  if (met) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->trade.use == WRING_USE_HESSIAN) PetscCall(judge_hessian(s, x));
  if (a->trade.use == WRING_USE_HESSIAN) PetscFunctionReturn(PETSC_SUCCESS);
  if (wring_trade_is_due(&a->trade, target)) {
    PetscCall(build_hessian(s, x, PETSC_FALSE, 0, "Hessian"));
    PetscCall(judge_hessian(s, x)); // which may have no factor
  }
  if (a->trade.use == WRING_USE_HESSIAN) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->rejected >= many && a->trade.price < INFINITY) a->pairs.plane = PETSC_TRUE;
  PetscCall(wring_lbfgs_renew_operator(s, &a->pairs, x, &renewed));
  if (!renewed) PetscFunctionReturn(PETSC_SUCCESS);
  trust_steps(a);
  PetscCall(wring_solver_note_choice(s, "operator of the mean Hessian"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the method -------------------------------------------------------------------------------------------------- */

static PetscErrorCode auto_begin(wring_solver *s, Vec x)
{
  auto_data *const a       = s->data;
  const PetscBool  changed = wring_lbfgs_has_changed(s, &a->pairs);

  PetscFunctionBegin;
  if (changed && !a->hessian.ksp) find_prices(s, a);
  if (a->trade.use == WRING_USE_OPERATOR) wring_renewal_begin(&a->pairs.renewal, changed);
  if (a->hessian.fresh) a->hessian.extra = 0; // the V-cycle is of this H: its age is not the cause
  a->evaluations       = 0;
  a->linear_iterations = 0;
  trust_steps(a);
  PetscCall(wring_lbfgs_begin(s, &a->pairs, (PetscBool)!changed, x));
  a->trade.best   = s->current.norm;
  a->forcing.norm = 0;
  a->next_thin    = (PetscBool)!wring_potential_is_static(s->g);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Again with the V-cycle of this H where an older one fails, and with all elements projected where H is of contacts. */
static PetscErrorCode solve_with_hessian(wring_solver *s, Vec q, Vec r)
{
  auto_data *const a          = s->data;
  const PetscBool  in_contact = (PetscBool)(a->forcing.norm > 0); // H is at x

  PetscFunctionBegin;
  a->hessian.most = in_contact && a->thin ? WRING_LINEAR_PROBE : 0;
  PetscCall(wring_linear_solve(s, &a->hessian, q, r));
  while (a->hessian.stale || (a->hessian.end > WRING_SOLVE_REACHED && a->thin && in_contact)) {
    if (a->hessian.stale)
      PetscCall(wring_linear_set_up(s, &a->hessian, a->x));
    else
      PetscCall(project_all(s, a->x));
    PetscCall(wring_linear_solve(s, &a->hessian, q, r)); // fails without a factor
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that fails is one with the operator. */
static PetscErrorCode apply(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  if (a->trade.use == WRING_USE_HESSIAN) {
    PetscCall(solve_with_hessian(s, q, r));
    if (a->hessian.end > WRING_SOLVE_SHORT) PetscCall(leave_hessian(s));
  }
  if (a->trade.use == WRING_USE_HESSIAN)
    PetscCall(wring_solver_sum_dots(s, r, n, with, dots));
  else
    PetscCall(wring_lbfgs_apply_operator(s, q, r, n, with, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode auto_iterate(wring_solver *s, Vec x)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  a->x = x;
  PetscCall(choose(s, x));
  PetscCall(wring_lbfgs_iterate(s, &a->pairs, apply, wring_solver_backtrack, x));
  if (a->trade.use == WRING_USE_OPERATOR) wring_renewal_count(&a->pairs.renewal, s->work.evaluations);
  const double cost = count_iteration(s, a);
  if (!s->end.given && s->current.known) wring_trade_add(&a->trade, cost, s->current.norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the Hessian: its matrix stays, as that of newton does, and is counted by the caller. */
static PetscErrorCode auto_predict_later(wring_solver *s, Vec x, double *bytes)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  if (!wring_potential_can(s->g, WRING_CAN_HESSIAN)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_linear_create_matrix(s, &a->hessian));
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &a->hessian.A));
  PetscCall(wring_linear_predict(s, &a->hessian, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const wring_option auto_options[] = {{0}};

const wring_solver_ops wring_solver_auto = {
  .name     = "auto",
  .about    = "L-BFGS with 10 pairs kept from step to step, and the operator A at first; the operator is renewed "
              "from the Hessian when 40 evaluations are wasted, and replaced by a factor of the Hessian where "
              "the rest costs more, at the rate so far; while surfaces are in contact by a barrier, by the "
              "Hessian of each iterate",
  .needs    = WRING_CAN_GRADIENT | WRING_CAN_SLOPE,
  .declares = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM | WRING_REMEMBERS,
  .operator_factor = wring_solver_operator_as_is,
  .operator_rtol   = WRING_OPERATOR_ROUGH,
  .way             = WRING_CONTACT_BOUNDED,
  .options         = auto_options,
  .data_size       = sizeof(auto_data),
  .set_up          = auto_set_up,
  .begin           = auto_begin,
  .iterate         = auto_iterate,
  .refresh         = wring_lbfgs_refresh,
  .precondition    = wring_solver_apply_inverse,
  .predict_later   = auto_predict_later,
  .add_sums        = wring_lbfgs_add_sums,
  .destroy         = auto_destroy,
};
