/* Systems whose matrix is not the constant operator, or which are to be solved by a given number of steps. docs/theory.md 5 */
#include "linear.h"

enum { DIRECT_BELOW = 30000 }; // vertices, all ranks

static PetscErrorCode factor_library(MPI_Comm comm, MatSolverType *library)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  *library = size == 1 ? MATSOLVERCHOLMOD : MATSOLVERMUMPS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CHOLMOD on one rank and MUMPS on several, where this PETSc has them; else what it has. */
static PetscErrorCode choose_factor(MPI_Comm comm, Mat A, PC pc)
{
  MatSolverType library;
  PetscBool     available;

  PetscFunctionBegin;
  PetscCall(factor_library(comm, &library));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(MatGetFactorAvailable(A, library, MAT_FACTOR_CHOLESKY, &available));
  if (available) PetscCall(PCFactorSetMatSolverType(pc, library));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number of steps, fewer only where rounding leaves nothing to do; the norm is the one that costs no reduction. */
static PetscErrorCode set_steps(wring_solver *s, const wring_linear *l, PC pc)
{
  PetscMPIInt size;
  PetscBool   icholesky;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  PetscCall(KSPSetNormType(l->ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(l->ksp, PETSC_MACHINE_EPSILON, 0, PETSC_DEFAULT, l->max_it));
  PetscCall(PetscStrcmp(l->pc, PCICC, &icholesky));
  PetscCall(PCSetType(pc, icholesky && size > 1 ? PCBJACOBI : l->pc));
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
    PetscCall(choose_factor(s->comm, l->A, pc));
  } else if (l->type == WRING_LINEAR_STEPS) {
    PetscCall(set_steps(s, l, pc));
  } else {
    PetscCall(KSPSetTolerances(l->ksp, l->rtol, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(PCSetType(pc, l->type == WRING_LINEAR_MULTIGRID ? PCGAMG : PCJACOBI));
  }
  PetscCall(KSPSetFromOptions(l->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rigid motions of the body at x, which aggregation must represent. */
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

static PetscErrorCode make_components(wring_linear *l)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(l->A, &rows));
  if (rows == 1) PetscCall(MatCreateVecs(l->A, &l->in, &l->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static wring_linear_type chosen(const wring_solver *s, const wring_linear *l)
{
  if (l->type != WRING_LINEAR_AUTO) return l->type;
  return wring_potential_mesh(s->g)->n_global < DIRECT_BELOW ? WRING_LINEAR_DIRECT : WRING_LINEAR_MULTIGRID;
}

PetscErrorCode wring_linear_set_up(wring_solver *s, wring_linear *l, Mat P, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);

  PetscFunctionBegin;
  l->type = chosen(s, l);
  if (!l->ksp) {
    PetscCall(make_ksp(s, l));
    PetscCall(make_components(l));
  }
  if (l->type == WRING_LINEAR_MULTIGRID) PetscCall(set_near_null_space(l->A, x));
  PetscCall(KSPSetOperators(l->ksp, l->A, P));
  PetscCall(KSPSetUp(l->ksp));
  PetscCall(set_blocks(l));
  PetscCall(KSPSetUpOnBlocks(l->ksp));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that falls short of its tolerance is the caller's business. */
static PetscErrorCode solve_one(const wring_linear *l, Vec b, Vec x, PetscInt *most)
{
  PetscInt iterations;

  PetscFunctionBegin;
  PetscCall(KSPSolve(l->ksp, b, x));
  PetscCall(KSPGetIterationNumber(l->ksp, &iterations));
  *most = PetscMax(*most, iterations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_linear_solve(wring_solver *s, wring_linear *l, Vec b, Vec x)
{
  const wring_phase old        = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscInt          iterations = 0;

  PetscFunctionBegin;
  if (!l->in) PetscCall(solve_one(l, b, x, &iterations));
  for (int c = 0; l->in && c < 3; c++) {
    PetscCall(VecStrideGather(b, c, l->in, INSERT_VALUES));
    PetscCall(solve_one(l, l->in, l->out, &iterations));
    PetscCall(VecStrideScatter(l->out, c, x, INSERT_VALUES));
  }
  PetscCall(wring_potential_clear(s->g, x));
  if (l->type != WRING_LINEAR_DIRECT) s->work.linear_iterations += iterations;
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An incomplete factor is about half of the symmetric matrix. */
PetscErrorCode wring_linear_predict(const wring_solver *s, const wring_linear *l, double *bytes)
{
  const wring_linear_type type = chosen(s, l);
  MatSolverType           library;
  MatInfo                 info;
  PetscBool               icholesky;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(l->A, MAT_LOCAL, &info));
  PetscCall(PetscStrcmp(l->pc, PCICC, &icholesky));
  *bytes = 8.0 * 6 * (double)s->n;
  PetscCall(factor_library(s->comm, &library));
  if (type == WRING_LINEAR_DIRECT) PetscCall(wring_factor_predict(l->A, library, MAT_FACTOR_CHOLESKY, bytes));
  if (type == WRING_LINEAR_MULTIGRID) PetscCall(wring_multigrid_predict(l->A, bytes));
  if (type == WRING_LINEAR_STEPS && icholesky) *bytes += 0.5 * (8 + sizeof(PetscInt)) * info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_linear_destroy(wring_linear *l)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&l->ksp));
  PetscCall(MatDestroy(&l->A));
  PetscCall(VecDestroy(&l->in));
  PetscCall(VecDestroy(&l->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
