/*
  Chebyshev semi-iterative acceleration [Wang 2015] of the steps q = -A^{-1} grad g [Liu et al. 2017, alg. 3]:
    d = w_(k+1) (x_k + q - x_(k-1)) + x_(k-1) - x_k = w q + (w - 1) p,   p = x_k - x_(k-1) the previous step,
    w_(k+1) = 1 for k < S,   2/(2 - rho^2) for k = S,   4/(4 - rho^2 w_k) for k > S.
  rho is the spectral radius of the plain iteration, the factor by which its error decreases. If it is not given,
  every solve estimates it by |q_S|_A/|q_(S-1)|_A: for a quadratic g these ratios increase towards rho. Every solve
  starts with w = 1.

  With precondition jacobi A is replaced by its diagonal D, as Wang's solver for a graphics processor does. rho is close
  to 1 there; q may overshoot where eigenvalues of D^{-1} A exceed 2, which the line search mends.

  Around another method with the iteration G, q = G(x_k) - x_k, and lengths are those of q itself. If g(x_k + d) is
  above g(x_k), or above g(G(x_k)) where the method knows that, x_(k+1) is G(x_k), and the weights start again.

  With line_search armijo, the default, g never rises: if d is not a descent direction, q is used instead. With none, as
  published, g may rise and the iterates may diverge.
*/
#include "solver/common/inner.h"
#include "solver/common/line_search.h"

typedef struct {
  Vec       q, p, d; // [n_owned][3] m
  Vec       y;       // m: G(x_k), around another method
  PetscBool given;   // rho; otherwise it is estimated
  double    rho;
  PetscInt  delay; // S
  PetscBool search;
  PetscBool jacobi;
  PetscInt  revision; // of g when D was found; -1: not yet
  Vec       D;        // [n_owned][3] N/m; NULL with A or an inner method
  double    weight;   // w
  PetscInt  count;    // iterations from which the weights follow
  double    length;   // |q|_A of the last plain step, J^(1/2), or |q|, m; 0: none so far
} chebyshev_data;

static const double largest_rho = 0.999; // upper bound of the estimate: with rho >= 1 the weights would not converge

static const wring_option chebyshev_options[] = {
  {"inner", WRING_WORD, .choices = "operator|vbd|pncg|trust_region", .value = "operator",
   .help = "Method that is accelerated: the step of pd for any material, or a method with its own keys, such as those "
           "of solver.vbd."},
  {"rho", WRING_REAL, .range = "[0,1)", .at = WRING_AT(chebyshev_data, rho),
   .help = "Spectral radius of the plain iteration; default: the ratio of its last two steps in the norm of A, at most "
           "0.999."},
  {"delay", WRING_INT, .range = "[0,inf)", .value = "10", .at = WRING_AT(chebyshev_data, delay),
   .help = "Number of plain iterations at the start; at least one is made."},
  {"line_search", WRING_WORD, .choices = "none|armijo", .value = "armijo", .at = WRING_AT(chebyshev_data, search),
   .help = "Armijo halves the step until g decreases enough; none takes the full step, as published, and may "
           "diverge."},
  {"precondition", WRING_WORD, .choices = "operator|jacobi", .value = "operator",
   .at   = WRING_AT(chebyshev_data, jacobi),
   .help = "Without inner: the solver of operator_type, or the diagonal of the operator, as published for graphics "
           "processors."},
  {0},
};

static PetscErrorCode chebyshev_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  chebyshev_data *chebyshev = s->data;
  const char     *inner;
  PetscBool       operator;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, chebyshev_options, "inner", &inner));
  PetscCall(PetscStrcmp(inner, "operator", &operator));
  if (!operator) PetscCall(wring_inner_create(s, o, inner));
  if (!operator&& chebyshev->jacobi)
    WRING_REFUSE(s->comm, "%s: precondition jacobi with inner %s, expected inner operator",
                 wring_options_origin(o, prefix, "precondition"), inner);
  chebyshev->given = wring_options_has(o, prefix, "rho");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode chebyshev_set_up(wring_solver *s)
{
  chebyshev_data *chebyshev = s->data;

  PetscFunctionBegin;
  Vec *const v[] = {&chebyshev->q, &chebyshev->p, &chebyshev->d, &chebyshev->y};
  if (!s->inner) PetscCall(wring_potential_require(s->g, WRING_CAN_SLOPE, "solver", s->ops->name, NULL));
  PetscCall(wring_solver_create_vecs(s, s->inner ? 4 : 3, v));
  chebyshev->revision = -1;
  if (chebyshev->jacobi) PetscCall(wring_solver_create_vecs(s, 1, (Vec *[]){&chebyshev->D}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D of the three components, found again when A has changed: set-up. */
static PetscErrorCode renew_diagonal(wring_solver *s)
{
  chebyshev_data *const chebyshev = s->data;
  const PetscInt        revision  = wring_potential_revision(s->g);
  Mat                   A[3]      = {NULL};
  Vec                   diagonal;

  PetscFunctionBegin;
  if (!chebyshev->jacobi || chebyshev->revision == revision) PetscFunctionReturn(PETSC_SUCCESS);
  wring_solver_begin_setup(s);
  PetscCall(wring_potential_operator_matrices(s->g, 1, A));
  PetscCall(MatCreateVecs(A[0], &diagonal, NULL));
  for (int c = 0; c < 3; c++) {
    PetscCall(MatGetDiagonal(A[c], diagonal));
    PetscCall(VecStrideScatter(diagonal, c, chebyshev->D, INSERT_VALUES));
    PetscCall(MatDestroy(&A[c]));
  }
  PetscCall(VecDestroy(&diagonal));
  chebyshev->revision = revision;
  wring_solver_end_setup(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q = D^{-1} b, or A^{-1} b; held coordinates of b are 0. */
static PetscErrorCode chebyshev_precondition(wring_solver *s, Vec b, Vec q)
{
  chebyshev_data *const chebyshev = s->data;

  PetscFunctionBegin;
  if (chebyshev->jacobi)
    PetscCall(VecPointwiseDivide(q, b, chebyshev->D));
  else
    PetscCall(wring_solver_apply_inverse(s, b, q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode chebyshev_begin(wring_solver *s, Vec x)
{
  chebyshev_data *chebyshev = s->data;

  PetscFunctionBegin;
  chebyshev->length = 0;
  chebyshev->count  = 0;
  PetscCall(VecZeroEntries(chebyshev->p));
  PetscCall(renew_diagonal(s));
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(wring_inner_begin(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ratio of the norms of the last two plain steps, |q|_A^2 = -grad g . q. */
static PetscErrorCode estimate_rho(wring_solver *s)
{
  chebyshev_data *chebyshev = s->data;
  double          square;

  PetscFunctionBegin;
  PetscCall(wring_solver_dot(s, s->inner ? chebyshev->q : s->current.grad, chebyshev->q, &square));
  const double length = PetscSqrtReal(PetscMax(s->inner ? square : -square, 0));
  chebyshev->rho      = chebyshev->length > 0 ? PetscMin(length / chebyshev->length, largest_rho) : 0;
  chebyshev->length   = length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q, the plain step. */
static PetscErrorCode plain_step(wring_solver *s, Vec x)
{
  chebyshev_data *const chebyshev = s->data;

  PetscFunctionBegin;
  if (!chebyshev->jacobi) {
    PetscCall(wring_inner_step(s, x, chebyshev->y, chebyshev->q));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  PetscCall(chebyshev_precondition(s, s->current.grad, chebyshev->q));
  PetscCall(VecScale(chebyshev->q, -1));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = w q + (w - 1) p, w = w_(k+1). There is no x_(-1): the first iteration is plain. */
static PetscErrorCode chebyshev_direction(wring_solver *s, Vec x)
{
  chebyshev_data *chebyshev = s->data;
  const PetscInt  first     = PetscMax(chebyshev->delay, 1);

  PetscFunctionBegin;
  PetscCall(plain_step(s, x));
  if (!chebyshev->given && s->current.iteration <= first) PetscCall(estimate_rho(s));
  chebyshev->weight          = wring_chebyshev_weight(chebyshev->count++, first, chebyshev->rho, chebyshev->weight);
  const wring_phase old      = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double      factor[] = {chebyshev->weight, chebyshev->weight - 1};
  PetscCall(wring_solver_combine(s->n, 2, factor, (const Vec[]){chebyshev->q, chebyshev->p}, chebyshev->d));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Searches along d; if that fails along q, and finally along -grad g. */
static PetscErrorCode chebyshev_search(wring_solver *s, Vec x, wring_search *result)
{
  const chebyshev_data *chebyshev = s->data;
  const Vec             d         = chebyshev->d;
  double                slope;

  PetscFunctionBegin;
  PetscCall(wring_solver_dot(s, s->current.grad, d, &slope));
  PetscCall(wring_solver_backtrack(s, x, d, slope, result));
  if (*result == WRING_SEARCH_FAILED && chebyshev->weight > 1) {
    PetscCall(VecCopy(chebyshev->q, d));
    PetscCall(wring_solver_dot(s, s->current.grad, d, &slope));
    PetscCall(wring_solver_backtrack(s, x, d, slope, result));
  }
  if (*result == WRING_SEARCH_FAILED) {
    PetscCall(wring_solver_steepest(s, x, d, &slope));
    PetscCall(wring_solver_backtrack(s, x, d, slope, result));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Around another method: x + d, or G(x) if that is better, after which the weights follow those of a plain step. */
static PetscErrorCode take_better(wring_solver *s, Vec x)
{
  chebyshev_data *chebyshev = s->data;

  PetscFunctionBegin;
  if (chebyshev->weight > 1) {
    PetscCall(wring_solver_try(s, x, 1, chebyshev->d));
    if (s->trial.value.objective <= wring_inner_objective(s)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(VecCopy(chebyshev->q, chebyshev->d));
    chebyshev->count = PetscMax(chebyshev->delay, 1);
  }
  PetscCall(wring_inner_try(s, chebyshev->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode chebyshev_iterate(wring_solver *s, Vec x)
{
  chebyshev_data *chebyshev = s->data;
  wring_search    result    = WRING_SEARCH_FOUND;

  PetscFunctionBegin;
  PetscCall(chebyshev_direction(s, x));
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  if (chebyshev->search && s->inner)
    PetscCall(take_better(s, x));
  else if (chebyshev->search)
    PetscCall(chebyshev_search(s, x, &result));
  else
    PetscCall(wring_solver_try(s, x, 1, chebyshev->d));
  PetscCall(VecAXPBY(chebyshev->p, s->trial.step, 0, chebyshev->d));
  PetscCall(wring_solver_end_search(s, x, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of the inner method belongs to another g. */
static PetscErrorCode chebyshev_change(wring_solver *s)
{
  PetscFunctionBegin;
  if (s->inner && s->inner->ops->change) PetscCall(s->inner->ops->change(s->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a line search g may rise. What is around another method does not search, but tries one step. */
static wring_contact_way chebyshev_contacts(const wring_solver *s)
{
  const chebyshev_data *chebyshev = s->data;
  if (!chebyshev->search) return WRING_CONTACT_REFUSED;
  return s->inner ? WRING_CONTACT_ENERGY : WRING_CONTACT_BOUNDED;
}

static double chebyshev_operator_factor(const wring_solver *s)
{
  const chebyshev_data *chebyshev = s->data;
  return !chebyshev->jacobi;
}

const wring_solver_ops wring_solver_chebyshev = {
  .name             = "chebyshev",
  .needs            = WRING_CAN_GRADIENT,
  .declares         = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor  = chebyshev_operator_factor,
  .contacts         = chebyshev_contacts,
  .options          = chebyshev_options,
  .data_size        = sizeof(chebyshev_data),
  .set_from_options = chebyshev_set_from_options,
  .set_up           = chebyshev_set_up,
  .begin            = chebyshev_begin,
  .iterate          = chebyshev_iterate,
  .change           = chebyshev_change,
  .precondition     = chebyshev_precondition,
};
