/*
  Preconditioned nonlinear conjugate gradients [Shen et al. 2024]. With the gradient g_k and a preconditioner P,
    d_k = -P g_k + beta_k d_(k-1),   x_(k+1) = x_k + alpha_k d_k,   alpha_k = -g_k . d_k / d_k . H d_k,
  with H the Hessian at x_k, of which only the products with P g and d are needed: these are sums over elements, and no
  matrix is assembled. P is the inverse of the 3 x 3 diagonal blocks of H, as they were at most `renew` iterations ago,
  A^{-1}, or a V-cycle of multigrid for A. beta_k is one of, y = g_k - g_(k-1),
    dai_kou   (g_k . P y - (y . P y)(g_k . d)/(y . d))/(y . d)     [Dai, Kou 2013]
    dai_yuan  g_k . P g_k/(y . d)                                  [Dai, Yuan 1999]
    subspace  of the minimum of the quadratic model over the span of P g_k and d_(k-1) [Zhang et al. 2026].
  If g is quadratic and P constant, all three are linear conjugate gradients. docs/theory.md (5.32) to (5.35)

  Where the decrease is insufficient, backtracking halves alpha. A direction that does not descend, or has no positive
  curvature, is replaced by -P g, which restarts the method; so is the one after a step that contacts have cut.

  With diagonal blocks an iteration has one reduction: all sums of the next direction are found at the trial point and
  reduced with g; a trial that is rejected has formed them in vain.
*/
#include "operator/multigrid/cycle_pc.h"
#include "operator/schwarz.h"
#include "solver/common/correction.h"
#include "solver/common/inner.h"
#include "solver/common/line_search.h"

typedef enum { JACOBI, OPERATOR, CYCLE, SCHWARZ } pncg_preconditioner;
typedef enum { DAI_KOU, DAI_YUAN, SUBSPACE } pncg_rule;

/*
  Sums at x_k; u = P g_k, v = P g_(k-1) with the same P, d the last direction. The first DOTS are products of g_k with
  g_k, u, v, d.
*/
enum { GG, GU, GV, GD, VG, UHU, UHD, DHD, N_SUMS, DOTS = 4 };

typedef struct {
  PC                  pc;       // the cycle, or Schwarz of H; NULL without
  Mat                 H;        // of clamped elements at some x_k; NULL without Schwarz
  PetscInt            revision; // of g when it was built; -1: not yet
  wring_correction    contacts; // of A
  PetscInt            age;      // of the blocks, in iterations; -1: none yet
  double             *block;    // [n_owned][6] m/N: inverse blocks, xx yy zz xy yz xz; NULL with A^{-1}
  Vec                 u, v, d;  // [n_owned][3] m, with ghosts
  double              sum[N_SUMS];
  PetscBool           ready;   // sum and u are those of x_k
  PetscBool           frozen;  // y belongs to another g: v holds -P y until u is known
  double              yd, yPy; // J: y . d, y . P y; yd is 0 if there is no d
  double              slope;   // J: g_(k-1) . d, then that of the new direction
  pncg_preconditioner by;
  pncg_rule           rule;
  wring_filter        filter; // of every element's Hessian in products
  PetscInt            renew;  // iterations between new diagonal blocks
  PetscBool           search;
} pncg_data;

static const wring_option pncg_options[] = {
  {"precondition", WRING_WORD, .choices = "jacobi|operator|cycle|schwarz", .value = "operator",
   .at = WRING_AT(pncg_data, by),
   .help =
     "Preconditioner: the 3 x 3 diagonal blocks of the Hessian, the solver of operator_type, with what contacts by a "
     "barrier add to it, one V-cycle of multigrid for the operator, or additive Schwarz on two levels of the Hessian."},
  {"beta", WRING_WORD, .choices = "dai_kou|dai_yuan|subspace", .value = "dai_kou", .at = WRING_AT(pncg_data, rule),
   .help = "Weight of the last direction: by a formula, or from the minimum of the quadratic model of g over the plane "
           "of the preconditioned gradient and the last direction."},
  {"filter", WRING_WORD, .choices = "none|clamp", .value = "none", .at = WRING_AT(pncg_data, filter),
   .help =
     "What is done with negative eigenvalues of the Hessian of every element in the step length: nothing, or they "
     "become 0; in the diagonal blocks they always do."},
  {"renew", WRING_INT, .range = "[1,inf)", .at = WRING_AT(pncg_data, renew),
   .help = "Iterations after which the diagonal blocks, or Schwarz, are computed again; default: 1, with schwarz 20."},
  {"line_search", WRING_WORD, .choices = "none|armijo", .value = "armijo", .at = WRING_AT(pncg_data, search),
   .help = "Armijo halves the step until g decreases enough; none takes the step of the quadratic model, "
           "as published, bounded by contacts of the barrier alone."},
  {0},
};

static PetscErrorCode pncg_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  pncg_data *pncg = s->data;

  PetscFunctionBegin;
  if (!wring_options_has(o, prefix, "renew")) pncg->renew = pncg->by == SCHWARZ ? 20 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pncg_set_up(wring_solver *s)
{
  pncg_data *pncg = s->data;

  PetscFunctionBegin;
  PetscCall(wring_solver_create_vecs(s, 3, (Vec *[]){&pncg->u, &pncg->v, &pncg->d}));
  if (pncg->by == JACOBI) PetscCall(PetscMalloc1(2 * s->n, &pncg->block));
  pncg->revision = -1;
  if (pncg->by != CYCLE && pncg->by != SCHWARZ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCCreate(s->comm, &pncg->pc));
  PetscCall(pncg->by == CYCLE ? wring_cycle_pc_set(pncg->pc, s->op) : wring_schwarz_pc_set(pncg->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the preconditioner ------------------------------------------------------------------------------------------ */

/* The inverse blocks at `at`, whose ghosts are up to date. */
static PetscErrorCode find_blocks(wring_solver *s, Vec at)
{
  pncg_data *pncg = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_diagonal(s->g, at, WRING_FILTER_CLAMP, pncg->block));
  wring_invert_blocks(s->n / 3, pncg->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The hierarchy of A, built again when A has changed: set-up. */
static PetscErrorCode renew_cycle(wring_solver *s)
{
  pncg_data     *pncg     = s->data;
  const PetscInt revision = wring_potential_revision(s->g);
  Mat            A        = NULL;

  PetscFunctionBegin;
  if (pncg->by != CYCLE || pncg->revision == revision) PetscFunctionReturn(PETSC_SUCCESS);
  if (wring_potential_holds_components(s->g))
    WRING_REFUSE(s->comm,
                 "solver '%s': precondition cycle needs the same matrix for x, y and z, expected attachments of "
                 "all three components, or precondition operator",
                 s->name);
  wring_solver_begin_setup(s);
  PetscCall(wring_potential_operator_matrix(s->g, 1, &A));
  PetscCall(wring_cycle_pc_set_matrix(pncg->pc, A, NULL));
  PetscCall(MatDestroy(&A));
  wring_count(s->phases, WRING_WORK_FACTORISATIONS, 1);
  pncg->revision = revision;
  wring_solver_end_setup(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Schwarz of H at x, every `renew` iterations; *fresh: it is another one. */
static PetscErrorCode renew_schwarz(wring_solver *s, Vec x, PetscBool *fresh)
{
  pncg_data        *pncg = s->data;
  const wring_phase old  = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);

  PetscFunctionBegin;
  pncg->age = pncg->age < 0 || pncg->age + 1 >= pncg->renew ? 0 : pncg->age + 1;
  *fresh    = (PetscBool)(pncg->age == 0);
  if (*fresh) {
    PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &pncg->H));
    PetscCall(PCSetOperators(pncg->pc, pncg->H, pncg->H));
    PetscCall(wring_schwarz_pc_place(pncg->pc, x));
    PetscCall(PCSetUp(pncg->pc));
    wring_count(s->phases, WRING_WORK_FACTORISATIONS, 1);
  }
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One V-cycle, or Schwarz. */
static PetscErrorCode apply_pc(wring_solver *s, Vec grad, Vec u)
{
  pncg_data        *pncg = s->data;
  const wring_phase old  = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SOLVE);

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_LINEAR_SOLVES, 1);
  PetscCall(pncg->by == CYCLE ? wring_cycle_pc_apply(pncg->pc, grad, u) : PCApply(pncg->pc, grad, u));
  PetscCall(wring_potential_clear(s->g, u));
  s->work.linear_iterations++;
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = P grad; held coordinates stay 0. */
static PetscErrorCode precondition(wring_solver *s, Vec grad, Vec u)
{
  pncg_data    *pncg = s->data;
  const double *ga;
  double       *ua;

  PetscFunctionBegin;
  if (pncg->by != JACOBI) {
    PetscCall(pncg->pc ? apply_pc(s, grad, u) : wring_solver_apply_inverse(s, grad, u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(grad, &ga));
  PetscCall(VecGetArray(u, &ua));
  wring_multiply_blocks(s->n / 3, pncg->block, ga, ua);
  PetscCall(VecRestoreArray(u, &ua));
  PetscCall(VecRestoreArrayRead(grad, &ga));
  PetscCall(wring_potential_clear(s->g, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode fill_ghosts(const wring_solver *s, Vec x)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(s->g, x, &xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = P grad and this rank's sums at the point `at`, whose ghosts are up to date; last is g_(k-1). */
static PetscErrorCode find_sums(wring_solver *s, Vec at, Vec grad, Vec last, double *sum)
{
  pncg_data *const pncg       = s->data;
  const Vec        with[DOTS] = {grad, pncg->u, pncg->v, pncg->d};

  PetscFunctionBegin;
  PetscCall(precondition(s, grad, pncg->u));
  if (pncg->frozen) PetscCall(VecAXPY(pncg->v, 1, pncg->u));
  PetscCall(wring_solver_dots(s, grad, DOTS, with, sum));
  PetscCall(wring_solver_dots(s, last, 1, &pncg->v, sum + VG));
  PetscCall(wring_potential_products_local(s->g, at, pncg->filter, pncg->u, pncg->d, sum + UHU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At a trial point. With A^{-1} a rejected point would cost a solve: only the norm. */
static PetscErrorCode pncg_add_sums(wring_solver *s, Vec grad, int *n, double *sums)
{
  pncg_data *const pncg = s->data;

  PetscFunctionBegin;
  *n = pncg->by != JACOBI ? 1 : N_SUMS;
  if (pncg->by != JACOBI) {
    PetscCall(wring_solver_dots(s, grad, 1, &grad, sums));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pncg->age + 1 >= pncg->renew) {
    PetscCall(find_blocks(s, s->trial.x));
    PetscCall(precondition(s, s->current.grad, pncg->v));
  }
  PetscCall(find_sums(s, s->trial.x, grad, s->current.grad, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums of x_k are in `sum`. */
static void take_sums(pncg_data *pncg)
{
  const double *const a = pncg->sum;
  if (!pncg->frozen) {
    pncg->yd  = a[GD] - pncg->slope;
    pncg->yPy = a[GU] - 2 * a[GV] + a[VG];
  }
  pncg->frozen = PETSC_FALSE;
  pncg->ready  = PETSC_TRUE;
}

/* u and the sums of x_k, unless they were found when it was a trial point. */
static PetscErrorCode get_ready(wring_solver *s, Vec x)
{
  pncg_data *const pncg  = s->data;
  PetscBool        fresh = PETSC_FALSE;

  PetscFunctionBegin;
  if (pncg->ready) PetscFunctionReturn(PETSC_SUCCESS);
  if (pncg->by == SCHWARZ) PetscCall(renew_schwarz(s, x, &fresh));
  if (pncg->by == OPERATOR) PetscCall(wring_correction_update(s, &pncg->contacts, x, &fresh));
  if (fresh && !pncg->frozen) PetscCall(precondition(s, s->trial.grad, pncg->v));
  if (pncg->by == JACOBI && pncg->age < 0) {
    PetscCall(find_blocks(s, x));
    pncg->age = 0;
  }
  PetscCall(find_sums(s, x, s->current.grad, s->trial.grad, pncg->sum));
  PetscCall(wring_solver_sum(s, N_SUMS, pncg->sum));
  take_sums(pncg);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets the last direction, which vanishes with its ghosts, and the blocks. */
static PetscErrorCode forget(const wring_solver *s)
{
  pncg_data *const pncg = s->data;
  double          *d;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(pncg->v));
  PetscCall(VecGetArrayWrite(pncg->d, &d));
  wring_fill(3 * wring_potential_mesh(s->g)->n_local, 0, d);
  PetscCall(VecRestoreArrayWrite(pncg->d, &d));
  pncg->age    = -1;
  pncg->slope  = 0;
  pncg->ready  = PETSC_FALSE;
  pncg->frozen = PETSC_TRUE;
  pncg->yd = pncg->yPy = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pncg_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  PetscCall(renew_cycle(s));
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(fill_ghosts(s, x)); // g at x_0 may have been known; every later x_k is a point of an evaluation
  PetscCall(forget(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Contacts change g at x_k, after which grad is that of the new g: y = g_k - g_(k-1) is that of the old one, which is
  known with diagonal blocks.
*/
static PetscErrorCode pncg_change(wring_solver *s)
{
  pncg_data *const pncg = s->data;

  PetscFunctionBegin;
  if (pncg->ready)
    PetscCall(VecAXPY(pncg->v, -1, pncg->u));
  else
    pncg->yd = pncg->yPy = 0;
  pncg->frozen = PETSC_TRUE;
  pncg->ready  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

/* -u + beta d, its slope and curvature. */
typedef struct {
  double beta, slope, curvature;
} pncg_plane;

static pncg_plane with_beta(const double *a, double beta)
{
  return (pncg_plane){beta, beta * a[GD] - a[GU], a[UHU] + beta * (beta * a[DHD] - 2 * a[UHD])};
}

/*
  The minimum of -c g . u + e g . d + 1/2 (c^2 u . H u - 2 c e u . H d + e^2 d . H d) in c and e, as beta = e/c; 0
  unless H is positive definite in this plane.
*/
static double subspace_beta(const double *a)
{
  const double determinant = a[UHU] * a[DHD] - a[UHD] * a[UHD];
  const double c = a[GU] * a[DHD] - a[GD] * a[UHD], e = a[GU] * a[UHD] - a[GD] * a[UHU];
  return a[UHU] > 0 && determinant > 1e-10 * a[UHU] * a[DHD] && c > 0 ? e / c : 0;
}

static double find_beta(const pncg_data *pncg)
{
  const double *const a = pncg->sum;
  if (pncg->rule == SUBSPACE) return subspace_beta(a);
  if (!(pncg->yd > 0)) return 0;
  if (pncg->rule == DAI_YUAN) return a[GU] / pncg->yd;
  return (a[GU] - a[GV] - pncg->yPy * a[GD] / pncg->yd) / pncg->yd;
}

/*
  d = alpha (-u + beta d), which ends at the minimum of the quadratic model along it; its ghosts follow from those of u
  and d.
*/
static PetscErrorCode find_direction(wring_solver *s)
{
  pncg_data *const pncg    = s->data;
  const PetscInt   n_local = 3 * wring_potential_mesh(s->g)->n_local;
  pncg_plane       p       = with_beta(pncg->sum, pncg->search && s->bound.first < 1 ? 0 : find_beta(pncg));

  PetscFunctionBegin;
  if (!(p.slope < 0 && p.curvature > 0)) p = with_beta(pncg->sum, 0);
  const double alpha = p.curvature > 0 ? -p.slope / p.curvature : 1, by[] = {alpha * p.beta, -alpha};
  PetscCall(wring_solver_combine(n_local, 2, by, (const Vec[]){pncg->d, pncg->u}, pncg->d));
  pncg->slope = alpha * p.slope;
  const Vec u = pncg->u; // the trial point needs P g_k as its v
  pncg->u     = pncg->v;
  pncg->v     = u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/* A step along d; without success along -g. */
static PetscErrorCode search(wring_solver *s, Vec x, wring_search *result)
{
  pncg_data *const pncg = s->data;

  PetscFunctionBegin;
  *result = WRING_SEARCH_FOUND;
  if (pncg->search) {
    PetscCall(wring_solver_backtrack(s, x, pncg->d, pncg->slope, result));
  } else {
    PetscCall(wring_solver_begin_search(s, x, pncg->d));
    PetscCall(wring_solver_try(s, x, s->bound.first, pncg->d));
  }
  if (*result != WRING_SEARCH_FAILED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_steepest(s, x, pncg->d, &pncg->slope));
  PetscCall(fill_ghosts(s, pncg->d));
  PetscCall(wring_solver_backtrack(s, x, pncg->d, pncg->slope, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pncg_iterate(wring_solver *s, Vec x)
{
  pncg_data *const  pncg = s->data;
  const wring_phase old  = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  wring_search      result;

  PetscFunctionBegin;
  PetscCall(get_ready(s, x));
  PetscCall(find_direction(s));
  pncg->ready = PETSC_FALSE;
  wring_phases_switch(s->phases, old);
  s->current.decrement = -0.5 * pncg->slope;
  PetscCall(search(s, x, &result));
  PetscCall(wring_solver_end_search(s, x, result));
  if (s->end.given || pncg->by != JACOBI) PetscFunctionReturn(PETSC_SUCCESS);
  pncg->age = pncg->age + 1 >= pncg->renew ? 0 : pncg->age + 1;
  PetscCall(PetscArraycpy(pncg->sum, s->trial.sums, N_SUMS));
  take_sums(pncg);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static double pncg_operator_factor(const wring_solver *s)
{
  const pncg_data *pncg = s->data;
  return pncg->by == OPERATOR;
}

/* The hierarchy of a cycle; that of the operator is not the method's own. */
static PetscErrorCode pncg_predict(wring_solver *s, Vec x, double *bytes)
{
  pncg_data *const pncg = s->data;
  Mat              A    = NULL;

  PetscFunctionBegin;
  if (pncg->by == SCHWARZ) {
    PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &pncg->H));
    PetscCall(wring_schwarz_pc_predict(pncg->H, bytes));
  }
  if (pncg->by != CYCLE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_operator_matrix(s->g, 1, &A));
  PetscCall(wring_multigrid_predict(A, bytes));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pncg_destroy(wring_solver *s)
{
  pncg_data *pncg = s->data;

  PetscFunctionBegin;
  PetscCall(wring_correction_destroy(&pncg->contacts));
  PetscCall(PCDestroy(&pncg->pc));
  PetscCall(MatDestroy(&pncg->H));
  PetscCall(PetscFree(pncg->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As a fixed-point iteration: v is x. The last direction belongs to another point: every iteration is the first. */
static PetscErrorCode pncg_put(const wring_solver *s, const double *v, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_state_put_x(s, v, x));
  PetscCall(fill_ghosts(s, x));
  PetscCall(forget(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const wring_solver_state pncg_state = {.put = pncg_put};

/* Without a line search g may rise, which contacts in g do not allow. */
static wring_contact_way pncg_contacts(const wring_solver *s)
{
  const pncg_data *pncg = s->data;
  return pncg->search || wring_potential_has_bounded_contacts(s->g) ? WRING_CONTACT_BOUNDED : WRING_CONTACT_REFUSED;
}

const wring_solver_ops wring_solver_pncg = {
  .name             = "pncg",
  .needs            = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN | WRING_CAN_SLOPE,
  .declares         = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor  = pncg_operator_factor,
  .operator_rtol    = WRING_OPERATOR_ROUGH,
  .contacts         = pncg_contacts,
  .options          = pncg_options,
  .data_size        = sizeof(pncg_data),
  .set_from_options = pncg_set_from_options,
  .set_up           = pncg_set_up,
  .begin            = pncg_begin,
  .iterate          = pncg_iterate,
  .change           = pncg_change,
  .add_sums         = pncg_add_sums,
  .state            = &pncg_state,
  .predict          = pncg_predict,
  .destroy          = pncg_destroy,
};
