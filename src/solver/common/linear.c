/*
  Systems whose matrix is not the constant operator, or which are solved by a given number of steps. docs/theory.md 5
*/
#include "linear.h"
#include "operator/direct/factor.h"
#include "operator/multigrid/cycle_pc.h"
#include "operator/schwarz.h"
#include <math.h>
#include <string.h>

enum { DIRECT_BELOW = 30000 };    // vertices, all ranks, of a matrix with many solves
enum { NO_FACTOR_FROM = 200000 }; // of one with few solves: one rank collects the graph

PetscBool wring_linear_couples_more(const wring_solver *s)
{
  return (PetscBool)(wring_potential_has_means(s->g) && wring_potential_mesh(s->g)->tets.order == 1);
}

static const double usual = 6; // (lambda + 2 mu)/mu of nu = 0.4; more iterations as the root of it

/* By the cost of a factor for a matrix with few solves; CG if PETSc's options give a preconditioner. */
static PetscErrorCode choose(wring_solver *s, wring_linear *l)
{
  const PetscInt n      = wring_potential_mesh(s->g)->number.n_global;
  PetscBool      direct = (PetscBool)(n < DIRECT_BELOW && l->solves == 0);
  double         expected;
  Mat            graph  = NULL;
  char           pc[64] = "";

  PetscFunctionBegin;
  if (l->type != WRING_LINEAR_AUTO) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetString(NULL, l->prefix, "-pc_type", pc, sizeof pc, NULL));
  if (pc[0] && strcmp(pc, PCCHOLESKY) != 0 && strcmp(pc, PCLU) != 0) {
    direct = PETSC_FALSE;
  } else if (n < NO_FACTOR_FROM && l->solves > 0) {
    const double ratio = wring_potential_volume_ratio(s->g);
    wring_solver_begin_setup(s);
    PetscCall(wring_potential_graph(s->g, &graph));
    PetscCall(wring_factor_worth(graph, ratio > 0 ? sqrt(ratio / usual) : 1, &expected, &l->factor));
    if (wring_linear_couples_more(s)) l->factor *= WRING_FLOPS_OF_MEAN;
    direct = (PetscBool)(l->factor < l->solves * expected);
    if (pc[0]) l->factor = 0; // conjugate gradients stay where options choose
    PetscCall(MatDestroy(&graph));
    wring_solver_end_setup(s);
  }
  l->type = direct ? WRING_LINEAR_DIRECT : WRING_LINEAR_MULTIGRID;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Conjugate gradients give way to a factor when their iterations have cost as much as a factor of every H and two more;
  but not with a barrier, whose contacts change the pattern of H.
*/
static const double patience = 2; // factors
static const double of_other = 4; // iterations with the V-cycle of H, in one with PETSc's aggregation or a cycle of A
static const double of_means = 8; // in one where H has means of several tetrahedra

static PetscBool may_give_way(const wring_solver *s, const wring_linear *l)
{
  return (PetscBool)(l->type == WRING_LINEAR_MULTIGRID && l->factor > 0 && !wring_potential_has_bounded_contacts(s->g));
}

PetscBool wring_linear_gives_way(const wring_solver *s, const wring_linear *l)
{
  return (PetscBool)(may_give_way(s, l) && l->excess > patience * l->factor);
}

static double weight_of(const wring_solver *s, const wring_linear *l)
{
  return l->blocks ? 1 : wring_linear_couples_more(s) ? of_means : of_other;
}

/* The iterations that are left until conjugate gradients give way. */
static PetscInt allowance(const wring_solver *s, const wring_linear *l)
{
  const double left = fmax(0, patience * l->factor - l->excess) / weight_of(s, l);
  return may_give_way(s, l) && left < PETSC_MAX_INT / 2 ? (PetscInt)left + 1 : PETSC_MAX_INT;
}

static PetscBool is_incomplete_factor(const wring_linear *l)
{
  return (PetscBool)(l->type == WRING_LINEAR_STEPS && strcmp(l->pc, PCICC) == 0);
}

/* max_it steps, fewer only if the residual has reached rounding; the norm is the one that needs no extra reduction. */
static PetscErrorCode set_steps(wring_solver *s, const wring_linear *l, PC pc)
{
  PetscFunctionBegin;
  PetscCall(KSPSetNormType(l->ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(l->ksp, PETSC_MACHINE_EPSILON, 0, PETSC_DEFAULT, l->max_it));
  PetscCall(PCSetType(pc, is_incomplete_factor(l) && wring_comm_size(s->comm) > 1 ? PCBJACOBI : l->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_linear_create_matrix(wring_solver *s, wring_linear *l)
{
  PetscBool other;

  PetscFunctionBegin;
  PetscCall(choose(s, l));
  PetscCall(PetscOptionsHasName(NULL, l->prefix, "-pc_type", &other));
  if (wring_linear_gives_way(s, l)) {
    PetscCall(wring_linear_destroy(l));
    l->type = WRING_LINEAR_DIRECT;
  }
  if (!l->A && !other && l->type == WRING_LINEAR_MULTIGRID && !wring_potential_holds_components(s->g))
    PetscCall(wring_potential_create_blocks(s->g, &l->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A V-cycle of A at x is for H itself, with one A for the three components; options of PETSc may replace it. */
static PetscErrorCode set_multigrid(const wring_solver *s, wring_linear *l, PC pc)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(l->A, &rows));
  if (rows == 3 && !wring_potential_holds_components(s->g)) {
    PetscCall(wring_cycle_pc_set(pc, s->op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCGAMGSetUseSAEstEig(pc, PETSC_FALSE)); // they would stay those of the first H, which may have no contacts
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_ksp(wring_solver *s, wring_linear *l)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(s->comm, &l->ksp));
  PetscCall(KSPSetOptionsPrefix(l->ksp, l->prefix));
  PetscCall(KSPGetPC(l->ksp, &pc));
  PetscCall(KSPSetType(l->ksp, l->type == WRING_LINEAR_DIRECT ? KSPPREONLY : KSPCG));
  if (l->type == WRING_LINEAR_DIRECT) {
    PetscCall(wring_factor_choose(pc, l->A, MAT_FACTOR_CHOLESKY, s->who));
  } else if (l->type == WRING_LINEAR_STEPS) {
    PetscCall(set_steps(s, l, pc));
  } else {
    PetscCall(KSPSetTolerances(l->ksp, l->rtol, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    if (l->norm == WRING_NORM_RESIDUAL) PetscCall(KSPSetNormType(l->ksp, KSP_NORM_UNPRECONDITIONED));
    if (l->type == WRING_LINEAR_MULTIGRID)
      PetscCall(set_multigrid(s, l, pc));
    else if (l->type == WRING_LINEAR_SCHWARZ)
      PetscCall(wring_schwarz_pc_set(pc));
    else
      PetscCall(PCSetType(pc, PCJACOBI));
  }
  PetscCall(KSPSetFromOptions(l->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rigid motions of the body at x, which the aggregation must represent. */
static PetscErrorCode set_near_null_space(Mat A, Vec x)
{
  MatNullSpace rigid;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &coordinates, NULL));
  PetscCall(VecCopy(x, coordinates));
  PetscCall(VecSetBlockSize(coordinates, 3));
  PetscCall(MatNullSpaceCreateRigidBody(coordinates, &rigid));
  PetscCall(MatSetNearNullSpace(A, rigid));
  PetscCall(MatNullSpaceDestroy(&rigid));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Incomplete Cholesky factors of the diagonal blocks, one per rank. */
static PetscErrorCode set_blocks(const wring_linear *l)
{
  PetscBool blocks;
  PetscInt  n;
  KSP      *ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(l->ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &blocks));
  if (!blocks || l->type != WRING_LINEAR_STEPS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &ksp));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(KSPGetPC(ksp[i], &pc));
    PetscCall(PCSetType(pc, PCICC));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  If the options of PETSc choose its own interface to CHOLMOD, on one rank, a matrix that is not positive definite is an
  error of the set-up; our factor and MUMPS say so in the solve.
*/
static PetscErrorCode set_up_ksp(const wring_solver *s, wring_linear *l)
{
  wring_error message = {""};

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(wring_error_catch, &message));
  const PetscErrorCode code = wring_factor_set_up(l->ksp);
  PetscCall(PetscPopErrorHandler());
  l->state = code ? WRING_SYSTEM_SINGULAR : WRING_SYSTEM_READY;
  if (code && code != PETSC_ERR_MAT_CH_ZRPVT) SETERRQ(s->comm, code, "%s: %s", s->who, message.text);
  if (code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_blocks(l));
  PetscCall(KSPSetUpOnBlocks(l->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What does not depend on values: set-up, not time of the solve. */
static PetscErrorCode begin_system(wring_solver *s, wring_linear *l)
{
  PetscInt rows;

  PetscFunctionBegin;
  wring_solver_begin_setup(s);
  PetscCall(make_ksp(s, l));
  PetscCall(MatGetBlockSize(l->A, &rows));
  if (rows == 1) PetscCall(MatCreateVecs(l->A, &l->in, &l->out));
  PetscCall(KSPSetOperators(l->ksp, l->A, l->P ? l->P : l->A));
  if (l->type == WRING_LINEAR_DIRECT) PetscCall(wring_factor_analyse(l->ksp));
  wring_solver_end_setup(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The V-cycle is that of H or, with means, of A at x. The first is kept until solves have taken about as many more
  iterations, in all, than its first one lets expect as its numbers cost; the second until a solve takes half as many
  again. Attachments that change end both.
*/
static const double cycle_cost = 6, cycle_more = 1.5; // iterations; docs/performance.md
static const double few = 5, early = 0.1; // excess up to `few` iterations counts a tenth, as rough solves are short

static PetscErrorCode renew_cycle(wring_solver *s, wring_linear *l, PC pc, Vec x)
{
  const PetscInt  revision = wring_potential_revision(s->g);
  const PetscBool same     = (PetscBool)(l->pace[0] > 0 && revision == l->revision);
  const PetscBool pays     = (PetscBool)(l->blocks ? l->extra <= cycle_cost : l->pace[1] <= cycle_more * l->pace[0]);

  PetscFunctionBegin;
  l->fresh = (PetscBool) !(same && pays && !l->stale);
  if (!l->fresh) PetscFunctionReturn(PETSC_SUCCESS);
  if (same && l->blocks) PetscCall(wring_cycle_pc_set_hessian(pc, l->A, x, &l->blocks));
  if (!same || !l->blocks) {
    PetscCall(wring_potential_mean_matrices(s->g, x, l->pressed, 1, l->mean));
    PetscCall(wring_cycle_pc_set_matrix(pc, l->mean[0], l->A));
    PetscCall(wring_cycle_pc_set_hessian(pc, l->A, x, &l->blocks));
  }
  wring_count(s->phases, WRING_WORK_FACTORISATIONS, 1);
  l->pace[0] = l->extra = 0;
  l->revision           = revision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rtol of this solve: a short solve counts as one digit. */
static void take_pace(wring_linear *l, PetscInt iterations)
{
  const double digits = fmax(-log10(l->rtol), 1);
  l->pace[1]          = (double)PetscMax(iterations, 1) / digits;
  if (l->pace[0] == 0) l->pace[0] = l->pace[1];
  const double excess = fmax(0, (double)iterations - l->pace[0] * digits);
  l->extra += fmax(early * excess, fmin(excess, (double)iterations - few));
}

/* What the preconditioner needs of x. A preconditioner by the diagonal, or none, is no factor. */
static PetscErrorCode prepare(wring_solver *s, wring_linear *l, Vec x)
{
  PetscBool cycle;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(l->ksp, &pc));
  PetscCall(wring_cycle_pc_is(pc, &cycle));
  if (cycle) {
    PetscCall(renew_cycle(s, l, pc, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (l->type == WRING_LINEAR_MULTIGRID) PetscCall(set_near_null_space(l->A, x));
  if (l->type == WRING_LINEAR_SCHWARZ) PetscCall(wring_schwarz_pc_place(pc, x));
  if (is_incomplete_factor(l) || (l->type != WRING_LINEAR_JACOBI && l->type != WRING_LINEAR_STEPS))
    wring_count(s->phases, WRING_WORK_FACTORISATIONS, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_linear_set_up(wring_solver *s, wring_linear *l, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);
  const Mat         P   = l->P ? l->P : l->A;

  PetscFunctionBegin;
  PetscCall(choose(s, l));
  if (!l->ksp) PetscCall(begin_system(s, l));
  if (l->state == WRING_SYSTEM_SINGULAR) { // PETSc does not analyse again in a factor of CHOLMOD that has failed
    PetscCall(KSPDestroy(&l->ksp));
    PetscCall(make_ksp(s, l));
  }
  l->excess = PetscMax(0, l->excess - l->factor);
  PetscCall(prepare(s, l, x));
  PetscCall(KSPSetOperators(l->ksp, l->A, P));
  PetscCall(set_up_ksp(s, l));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const double ew_first = 0.1, ew_most = 0.5, ew_gamma = 0.9, ew_safe = 0.1;
static const double shear    = 0.5;  // residuals of volume changes hide those of shear, mu/(lambda + 2 mu) of them
static const double ew_cheap = 1e-2; // the largest with a cycle of H or Schwarz, whose iterations cost much less than H

void wring_linear_force(const wring_solver *s, wring_linear *l, wring_forcing *f)
{
  const double wanted = wring_solver_target(s), now = s->current.norm;
  double       eta = ew_first;

  if (f->norm > 0) {
    const double before = ew_gamma * PetscSqr(f->eta);
    eta                 = ew_gamma * PetscSqr(now / f->norm);
    if (before > ew_safe) eta = PetscMax(eta, before);
  }
  if (l->pressed) eta = PetscMin(eta, shear / l->volume);
  if (now > 0) eta = PetscMax(eta, 0.5 * wanted / now);
  f->eta  = PetscMin(eta, l->blocks || l->type == WRING_LINEAR_SCHWARZ ? ew_cheap : ew_most);
  f->norm = now;
  l->rtol = PetscMax(f->eta, f->least);
}

PetscErrorCode wring_linear_begin_pressures(wring_solver *s, wring_linear *l, Vec x)
{
  const Vec   start = wring_potential_start(s->g);
  wring_value there;

  PetscFunctionBegin;
  l->volume  = wring_potential_volume_ratio(s->g);
  l->pressed = (PetscBool)(l->volume > 0);
  if (!l->pressed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_value(s->g, start, &there));
  const PetscBool less = (PetscBool)(there.elastic < s->current.value.elastic);
  PetscCall(wring_potential_find_pressures(s->g, less ? start : x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After shortened steps H with linear pressures is too soft: a slender rod takes 240 iterations, not 19. */
PetscErrorCode wring_linear_keep_pressures(wring_solver *s, wring_linear *l, Vec x, Vec d)
{
  PetscFunctionBegin;
  if (s->trial.step != 1) l->pressed = PETSC_FALSE;
  if (l->pressed) PetscCall(wring_potential_find_pressures(s->g, x, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest numbers of the components. */
typedef struct {
  PetscInt   iterations;
  PetscInt64 products;
} krylov_work;

/*
  x = A^{-1} b of one component, or of all. A library that fails is a refusal in l, and a factor with negative pivots a
  failure.
*/
static PetscErrorCode solve_one(const wring_solver *s, wring_linear *l, Vec b, Vec x, krylov_work *most)
{
  wring_solve_end    end;
  PetscInt           iterations, negative;
  PetscInt64         products;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPSolve(l->ksp, b, x));
  PetscCall(KSPGetIterationNumber(l->ksp, &iterations));
  PetscCall(KSPGetConvergedReason(l->ksp, &reason));
  l->stale = (PetscBool)(l->blocks && !l->fresh && reason == KSP_DIVERGED_INDEFINITE_PC);
  PetscCall(wring_solve_count(l->ksp, s->phases, &products));
  most->iterations = PetscMax(most->iterations, iterations);
  most->products   = PetscMax(most->products, products);
  PetscCall(PetscPushErrorHandler(wring_error_catch, &l->refusal));
  const PetscErrorCode code = wring_solve_judge(l->ksp, s->who, &end);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!code || code == PETSC_ERR_USER_INPUT, s->comm, code, "%s", l->refusal.text);
  PetscCall(wring_solve_negative_pivots(l->ksp, &negative));
  if (code) end = WRING_SOLVE_NOT_FINITE;
  if (negative > 0) end = WRING_SOLVE_SINGULAR;
  l->end = PetscMax(l->end, end);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_limit(const wring_linear *l, PetscInt iterations)
{
  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(l->ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_linear_solve(wring_solver *s, wring_linear *l, Vec b, Vec x)
{
  const wring_phase old   = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SOLVE);
  const PetscBool   ready = (PetscBool)(l->state == WRING_SYSTEM_READY);
  krylov_work       most  = {0};
  PetscInt          limit;

  PetscFunctionBegin;
  l->end   = ready ? WRING_SOLVE_REACHED : WRING_SOLVE_SINGULAR;
  l->stale = PETSC_FALSE;
  wring_error_clear(&l->refusal);
  wring_count(s->phases, WRING_WORK_LINEAR_SOLVES, 1);
  if (l->norm == WRING_NORM_RESIDUAL && (l->type == WRING_LINEAR_MULTIGRID || l->type == WRING_LINEAR_SCHWARZ))
    PetscCall(KSPSetTolerances(l->ksp, l->rtol, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT)); // keeps the others
  PetscCall(KSPGetTolerances(l->ksp, NULL, NULL, NULL, &limit));
  PetscCall(set_limit(l, PetscMin(l->most > 0 ? PetscMin(limit, l->most) : limit, allowance(s, l))));
  if (ready && !l->in) PetscCall(solve_one(s, l, b, x, &most));
  for (int c = 0; c < 3 && l->in && ready; c++) {
    PetscCall(VecStrideGather(b, c, l->in, INSERT_VALUES));
    PetscCall(solve_one(s, l, l->in, l->out, &most));
    PetscCall(VecStrideScatter(l->out, c, x, INSERT_VALUES));
  }
  PetscCall(set_limit(l, limit));
  PetscCall(wring_potential_clear(s->g, x));
  wring_count(s->phases, WRING_WORK_PRODUCTS, most.products);
  take_pace(l, most.iterations);
  l->excess += weight_of(s, l) * (double)most.iterations;
  if (l->type != WRING_LINEAR_DIRECT) s->work.linear_iterations += most.iterations;
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  An incomplete factor is about half of the symmetric matrix. Levels of A and of H were measured on boxes, as a multiple
  of the blocks of H; those of PETSc, in bytes a row of H, with means, whose rows are long, and with held components.
*/
PetscErrorCode wring_linear_predict(wring_solver *s, wring_linear *l, double *bytes)
{
  const double        levels = 80, row = 900, row_on_ranks = 3000; // bytes
  double              more = 0;
  MatInfo             info;
  wring_block_values *v;

  PetscFunctionBegin;
  PetscCall(choose(s, l));
  *bytes = 8.0 * 6 * (double)s->n;
  PetscCall(wring_potential_get_blocks(l->A, &v));
  if (v) {
    *bytes += levels * (double)(v->own[v->n_owned] + v->other[v->n_owned]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetInfo(l->A, MAT_LOCAL, &info));
  const MatSolverType library = wring_factor_library(s->comm, MAT_FACTOR_CHOLESKY);
  if (l->type == WRING_LINEAR_DIRECT) PetscCall(wring_factor_predict(l->A, library, MAT_FACTOR_CHOLESKY, &more));
  if (l->type == WRING_LINEAR_MULTIGRID) {
    const PetscBool small = (PetscBool)(wring_comm_size(s->comm) == 1 || wring_potential_has_means(s->g));
    PetscCall(wring_multigrid_predict(l->A, &more));
    more = PetscMin(more, (small ? row : row_on_ranks) * (double)s->n);
  }
  if (l->type == WRING_LINEAR_SCHWARZ) PetscCall(wring_schwarz_pc_predict(l->A, &more));
  if (is_incomplete_factor(l)) more = 0.5 * (8 + sizeof(PetscInt)) * info.nz_used;
  *bytes += more;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_linear_destroy(wring_linear *l)
{
  PetscFunctionBegin;
  l->state = WRING_SYSTEM_READY;
  PetscCall(KSPDestroy(&l->ksp));
  PetscCall(MatDestroy(&l->A));
  PetscCall(MatDestroy(&l->P));
  PetscCall(wring_matrices_destroy(l->mean));
  PetscCall(VecDestroy(&l->in));
  PetscCall(VecDestroy(&l->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
