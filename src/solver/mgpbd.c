/*
  MGPBD [Li et al. 2025]: XPBD with one linear system for all constraints. With J = dC/dx and a = alpha/h^2 at the
  iterate, and multipliers l = 0 at the start of a step, docs/theory.md (5.44) and (5.45),
    (J M^-1 J^T + a) dl = -C - a l,   x <- x + t M^-1 J^T dl,   l <- l + t dl.
  With S such that S^-1 (J M^-1 J^T + a) S^-1 has a diagonal of ones and B = S^-1 J M^(-1/2), the unknowns are z = S dl.
  The system is solved by conjugate gradients with PETSc's multigrid of unsmoothed aggregates. At the limit C + a l = 0,
  but x - y is a sum of M^-1 J^T dl with the J of all iterates, so that g is not at its minimum.
*/
#include "operator/direct/factor.h"
#include "operator/judge.h"
#include "solver/common/constraints.h"
#include <math.h>

/* Steps that share their aggregates, and the shortest t. These and the defaults of keys are of the authors' program. */
enum { RENEW = 20 };
static const double shortest = 1e-9;

/* Vectors of numbers of constraints: a S^-2; -S^-1 (C + a l); S^-1; l; S dl, later dl. */
enum { COMPLIANCE, RIGHT, SCALE, MULTIPLIER, UNKNOWN, N_VEC };

typedef struct {
  double            rtol, relaxation;
  PetscInt          inner_max_it;
  wring_constraints all;
  PetscInt          n_row;    // constraints of this rank
  PetscInt          revision; // of the potential when the layout of the system was created
  PetscInt          steps;    // begun with this layout
  double            residual; // J^(1/2): (sum (C + a l)^2/alpha)^(1/2) at the iterate

  Mat  B, BT, A; // [n_row][3 n_owned]; its transpose; B B^T + a S^-2
  Vec *v;        // [N_VEC][n_row]
  Vec  d;        // [n_owned][3] M^-1 J^T dl
  KSP  ksp;
} mgpbd_data;

static const wring_option mgpbd_options[] = {
  {"rtol", WRING_REAL, .range = "(0,1)", .value = "1e-5", .at = WRING_AT(mgpbd_data, rtol),
   .help = "Relative tolerance of conjugate gradients."},
  {"inner_max_it", WRING_INT, .range = "[1,inf)", .value = "100", .at = WRING_AT(mgpbd_data, inner_max_it),
   .help = "Most iterations of conjugate gradients, whose last iterate is used."},
  {"relaxation", WRING_REAL, .range = "(0,1]", .value = "1", .at = WRING_AT(mgpbd_data, relaxation),
   .help = "Fraction of each step that is applied; it is halved until the residual of the constraints does not rise."},
  {0},
};

static PetscErrorCode mgpbd_set_up(wring_solver *s)
{
  mgpbd_data *const c = s->data;

  PetscFunctionBegin;
  PetscCall(wring_constraints_create(s, PETSC_TRUE, &c->all));
  PetscCall(wring_solver_create_vecs(s, 1, (Vec *[]){&c->d}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode forget_layout(mgpbd_data *c)
{
  PetscFunctionBegin;
  if (c->v) PetscCall(VecDestroyVecs(N_VEC, &c->v));
  PetscCall(KSPDestroy(&c->ksp));
  PetscCall(MatDestroy(&c->B));
  PetscCall(MatDestroy(&c->BT));
  PetscCall(MatDestroy(&c->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its aggregates are those of its first system. Options of PETSc with the prefix mgpbd_ may replace the multigrid. */
static PetscErrorCode create_ksp(wring_solver *s)
{
  mgpbd_data *const c = s->data;
  PC                pc;

  PetscFunctionBegin;
  PetscCall(KSPDestroy(&c->ksp));
  PetscCall(KSPCreate(s->comm, &c->ksp));
  PetscCall(KSPSetOptionsPrefix(c->ksp, "mgpbd_"));
  PetscCall(KSPSetType(c->ksp, KSPCG));
  PetscCall(KSPSetNormType(c->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(c->ksp, c->rtol, 0, PETSC_DEFAULT, c->inner_max_it));
  PetscCall(KSPGetPC(c->ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCGAMGSetNSmooths(pc, 0));
  PetscCall(PCGAMGSetReuseInterpolation(pc, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(c->ksp));
  PetscCall(PCGAMGSetAggressiveLevels(pc, 0)); // last: PETSc 3.18 sets 1 with the options
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of the rows changes only when an attachment is released, which raises the revision. */
static PetscErrorCode lay_out(wring_solver *s, Vec x)
{
  mgpbd_data *const c        = s->data;
  const PetscInt    revision = wring_potential_revision(s->g);
  PetscInt          most     = 0;
  Vec               like;

  PetscFunctionBegin;
  if (c->B && c->revision == revision) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_constraints_find(s, x, &c->all, &c->n_row));
  PetscCall(forget_layout(c));
  c->revision = revision;
  c->steps    = 0;
  for (int t = 0; t < c->all.n_term; t++) most = PetscMax(most, 3 * c->all.rows[t].m);
  PetscCall(MatCreateAIJ(s->comm, c->n_row, s->n, PETSC_DETERMINE, PETSC_DETERMINE, most, NULL, most, NULL, &c->B));
  PetscCall(MatCreateVecs(c->B, NULL, &like));
  PetscCall(VecDuplicateVecs(like, N_VEC, &c->v));
  PetscCall(VecDestroy(&like));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iterate ------------------------------------------------------------------------------------------------- */

/* Row j of r, the i-th of this rank, into B and the arrays v; *sum += (C + a l)^2/alpha. */
static PetscErrorCode fill_row(wring_solver *s, const wring_constraint_rows *r, PetscInt j, PetscInt i, double **v,
                               double *sum)
{
  mgpbd_data *const     c      = s->data;
  const PetscInt *const global = wring_potential_mesh(s->g)->number.global;
  const double          alpha  = 1 / (PetscSqr(wring_potential_step(s->g)) * r->k[j]);
  const double          error  = r->C[j] + alpha * v[MULTIPLIER][i];
  double                row[WRING_MAX_ROW];
  PetscInt              column[WRING_MAX_ROW], first;

  PetscFunctionBegin;
  const double scale = 1 / sqrt(wring_constraint_inertia(&c->all, r, j, row) + alpha);
  for (int k = 0; k < 3 * r->m; k++) {
    column[k] = 3 * global[r->vertex[r->m * j + k / 3]] + k % 3;
    row[k] *= scale;
  }
  PetscCall(MatGetOwnershipRange(c->B, &first, NULL));
  first += i;
  PetscCall(MatSetValues(c->B, 1, &first, 3 * r->m, column, row, INSERT_VALUES));
  v[SCALE][i]      = scale;
  v[COMPLIANCE][i] = alpha * scale * scale;
  v[RIGHT][i]      = -scale * error;
  *sum += r->k[j] * error * error;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* l += t dl; B and the vectors of rows at x; *residual, the same on all ranks. */
static PetscErrorCode fill(wring_solver *s, Vec x, double t, double *residual)
{
  mgpbd_data *const c = s->data;
  double          **v;
  PetscInt          i = 0;

  PetscFunctionBegin;
  PetscCall(wring_constraints_find(s, x, &c->all, &c->n_row));
  PetscCall(VecAXPY(c->v[MULTIPLIER], t, c->v[UNKNOWN]));
  PetscCall(VecGetArrays(c->v, UNKNOWN, &v));
  *residual = 0;
  for (int k = 0; k < c->all.n_term; k++) {
    for (PetscInt j = 0; j < c->all.rows[k].n; j++, i++) PetscCall(fill_row(s, &c->all.rows[k], j, i, v, residual));
  }
  PetscCall(VecRestoreArrays(c->v, UNKNOWN, &v));
  PetscCall(wring_solver_sum(s, 1, residual));
  *residual = sqrt(*residual);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mgpbd_begin(wring_solver *s, Vec x)
{
  mgpbd_data *const c = s->data;

  PetscFunctionBegin;
  PetscCall(wring_constraints_set_masses(s, &c->all));
  wring_solver_begin_setup(s);
  PetscCall(lay_out(s, x));
  if (c->steps++ % RENEW == 0) PetscCall(create_ksp(s));
  wring_solver_end_setup(s);
  PetscCall(VecSet(c->v[MULTIPLIER], 0));
  PetscCall(VecSet(c->v[UNKNOWN], 0));
  PetscCall(fill(s, x, 0, &c->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- an iteration ------------------------------------------------------------------------------------------------ */

/* PETSc 3.18 has no MatMatTransposeMult on several ranks. */
static PetscErrorCode multiply(mgpbd_data *c)
{
  const MatReuse reuse = c->A ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;

  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(c->B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(c->B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatTranspose(c->B, reuse, &c->BT));
  PetscCall(MatMatMult(c->B, c->BT, reuse, PETSC_DEFAULT, &c->A));
  PetscCall(MatDiagonalSet(c->A, c->v[COMPLIANCE], ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_system(wring_solver *s)
{
  mgpbd_data *const c   = s->data;
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);

  PetscFunctionBegin;
  PetscCall(multiply(c));
  PetscCall(KSPSetOperators(c->ksp, c->A, c->A));
  PetscCall(wring_factor_set_up(c->ksp));
  wring_count(s->phases, WRING_WORK_FACTORISATIONS, 1);
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dl and d. A solve that is short of its tolerance is used. */
static PetscErrorCode solve(wring_solver *s)
{
  mgpbd_data *const c   = s->data;
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SOLVE);
  const Vec         z   = c->v[UNKNOWN];
  wring_solve_end   end;
  PetscInt          iterations;
  PetscInt64        products;
  double           *d;

  PetscFunctionBegin;
  PetscCall(KSPSolve(c->ksp, c->v[RIGHT], z));
  PetscCall(KSPGetIterationNumber(c->ksp, &iterations));
  PetscCall(wring_solve_count(c->ksp, s->phases, &products));
  PetscCall(wring_solve_judge(c->ksp, s->who, &end));
  wring_count(s->phases, WRING_WORK_LINEAR_SOLVES, 1);
  wring_count(s->phases, WRING_WORK_PRODUCTS, products + 1);
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  s->work.linear_iterations += iterations;
  if (end >= WRING_SOLVE_SINGULAR)
    wring_solver_end(s, end == WRING_SOLVE_SINGULAR ? WRING_STOPPED_SINGULAR : WRING_STOPPED_NOT_FINITE);
  PetscCall(MatMult(c->BT, z, c->d));
  PetscCall(VecPointwiseMult(z, z, c->v[SCALE]));
  PetscCall(VecGetArray(c->d, &d));
  for (PetscInt i = 0; i < s->n; i++) d[i] *= c->all.root[i];
  PetscCall(VecRestoreArray(c->d, &d));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Halves t until the residual does not rise. Without such a t all later iterations would repeat this one. */
static PetscErrorCode mgpbd_iterate(wring_solver *s, Vec x)
{
  mgpbd_data *const c = s->data;
  double            residual, last = 0, t = c->relaxation;

  PetscFunctionBegin;
  PetscCall(set_up_system(s));
  PetscCall(solve(s));
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  for (;; t /= 2) {
    PetscCall(VecWAXPY(s->trial.x, t, c->d, x));
    PetscCall(fill(s, s->trial.x, t - last, &residual));
    if (residual <= c->residual || t < shortest) break;
    last = t;
  }
  if (!(residual <= c->residual)) wring_solver_end(s, WRING_MAX_IT);
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  c->residual = residual;
  PetscCall(VecCopy(s->trial.x, x));
  wring_solver_moved(s);
  s->current.step        = t;
  s->current.residual[1] = residual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mgpbd_predict(wring_solver *s, Vec x, double *bytes)
{
  mgpbd_data *const c = s->data;

  PetscFunctionBegin;
  PetscCall(mgpbd_begin(s, x));
  PetscCall(multiply(c));
  PetscCall(wring_multigrid_predict(c->A, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mgpbd_destroy(wring_solver *s)
{
  mgpbd_data *const c = s->data;

  PetscFunctionBegin;
  PetscCall(forget_layout(c));
  PetscCall(wring_constraints_destroy(&c->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_mgpbd = {
  .name          = "mgpbd",
  .needs         = WRING_CAN_CONSTRAIN | WRING_CAN_ALONE,
  .declares      = WRING_KEEPS_MOMENTUM,
  .has_residuals = PETSC_TRUE,
  .options       = mgpbd_options,
  .data_size     = sizeof(mgpbd_data),
  .set_up        = mgpbd_set_up,
  .begin         = mgpbd_begin,
  .iterate       = mgpbd_iterate,
  .predict       = mgpbd_predict,
  .destroy       = mgpbd_destroy,
};
