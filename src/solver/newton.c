/*
  Newton's method [thesis, algorithm 2]: H d = -grad g with backtracking, where every element's Hessian is made positive
  semidefinite [Teran et al. 2005], so that H = M/h^2 + sum is positive definite and d goes downhill.

  The system has three unknowns per vertex. Direct: a Cholesky factor. cg: conjugate gradients with smoothed aggregation
  that knows the six rigid motions of the current positions.
*/
#include "solver_impl.h"
#include <petscksp.h>

typedef enum { AUTO, DIRECT, CG } newton_linear;

enum { DIRECT_BELOW = 30000 }; // vertices, all ranks

typedef struct {
  newton_linear linear;
  double        rtol; // of cg
  Mat           H;
  KSP           ksp;
  Vec           d; // [n_owned][3] m
} newton_data;

static const wring_option newton_options[] = {
  {.key     = "linear",
   .type    = WRING_WORD,
   .choices = "auto|direct|cg",
   .value   = "auto",
   .help    = "how the Newton system is solved: a factor, conjugate gradients, or what suits the number of vertices"},
  {.key   = "rtol",
   .type  = WRING_REAL,
   .range = "(0,1)",
   .value = "1e-8",
   .help  = "relative residual to which conjugate gradients solve the Newton system"},
  {.key = NULL},
};

static PetscErrorCode newton_create(wring_solver *s)
{
  newton_data *newton;

  PetscFunctionBegin;
  PetscCall(PetscNew(&newton));
  s->data = newton;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  newton_data *newton = s->data;
  const char  *linear;
  PetscBool    direct, cg;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, newton_options, "linear", &linear));
  PetscCall(wring_options_get_real(o, prefix, newton_options, "rtol", &newton->rtol));
  PetscCall(PetscStrcmp(linear, "direct", &direct));
  PetscCall(PetscStrcmp(linear, "cg", &cg));
  newton->linear = direct ? DIRECT : cg ? CG : AUTO;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CHOLMOD on one rank and MUMPS on several, where this PETSc has them; else what it has. */
static PetscErrorCode choose_factor(MPI_Comm comm, Mat H, PC pc)
{
  PetscMPIInt   size;
  MatSolverType library;
  PetscBool     available;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  library = size == 1 ? MATSOLVERCHOLMOD : MATSOLVERMUMPS;
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(MatGetFactorAvailable(H, library, MAT_FACTOR_CHOLESKY, &available));
  if (available) PetscCall(PCFactorSetMatSolverType(pc, library));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver of H, which the potential has marked as symmetric and positive definite. */
static PetscErrorCode make_ksp(wring_solver *s)
{
  newton_data *newton = s->data;
  PC           pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(s->comm, &newton->ksp));
  PetscCall(KSPSetOptionsPrefix(newton->ksp, "newton_"));
  PetscCall(KSPGetPC(newton->ksp, &pc));
  if (newton->linear == DIRECT) {
    PetscCall(KSPSetType(newton->ksp, KSPPREONLY));
    PetscCall(choose_factor(s->comm, newton->H, pc));
  } else {
    PetscCall(KSPSetType(newton->ksp, KSPCG));
    PetscCall(KSPSetTolerances(newton->ksp, newton->rtol, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(PCSetType(pc, PCGAMG));
  }
  PetscCall(KSPSetFromOptions(newton->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_set_up(wring_solver *s)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->grad, &newton->d));
  if (newton->linear == AUTO) newton->linear = wring_potential_mesh(s->g)->n_global < DIRECT_BELOW ? DIRECT : CG;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_evaluate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rigid motions of the body at x, which aggregation must represent. */
static PetscErrorCode set_near_null_space(Mat H, Vec x)
{
  MatNullSpace rigid;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(H, &coordinates, NULL));
  PetscCall(VecCopy(x, coordinates));
  PetscCall(VecSetBlockSize(coordinates, 3));
  PetscCall(MatNullSpaceCreateRigidBody(coordinates, &rigid));
  PetscCall(MatSetNearNullSpace(H, rigid));
  PetscCall(MatNullSpaceDestroy(&rigid));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H at x, ready to be solved with. */
static PetscErrorCode set_matrix(wring_solver *s, Vec x)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, x, PETSC_TRUE, &newton->H));
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);
  if (!newton->ksp) PetscCall(make_ksp(s));
  if (newton->linear == CG) PetscCall(set_near_null_space(newton->H, x));
  PetscCall(KSPSetOperators(newton->ksp, newton->H, newton->H));
  PetscCall(KSPSetUp(newton->ksp));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = -H^{-1} grad g and grad g . d. A solve that falls short of its tolerance still gives a direction. */
static PetscErrorCode newton_direction(wring_solver *s, Vec x, double *slope)
{
  newton_data *newton = s->data;
  PetscInt     iterations;

  PetscFunctionBegin;
  PetscCall(set_matrix(s, x));
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscCall(KSPSolve(newton->ksp, s->grad, newton->d));
  PetscCall(VecScale(newton->d, -1));
  wring_phases_switch(s->phases, old);
  PetscCall(KSPGetIterationNumber(newton->ksp, &iterations));
  if (newton->linear == CG) s->linear_iterations += iterations;
  PetscCall(wring_solver_dot(s, s->grad, newton->d, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_iterate(wring_solver *s, Vec x)
{
  newton_data *newton = s->data;
  wring_search result;
  double       slope;

  PetscFunctionBegin;
  PetscCall(newton_direction(s, x, &slope));
  PetscCall(wring_solver_backtrack(s, x, newton->d, slope, &result));
  if (result == WRING_SEARCH_FAILED) {
    PetscCall(wring_solver_steepest(s, newton->d, &slope));
    PetscCall(wring_solver_backtrack(s, x, newton->d, slope, &result));
  }
  if (result == WRING_SEARCH_FOUND)
    PetscCall(wring_solver_accept(s, x));
  else
    wring_solver_give_up(s, result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_destroy(wring_solver *s)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(KSPDestroy(&newton->ksp));
  PetscCall(MatDestroy(&newton->H));
  PetscCall(VecDestroy(&newton->d));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_newton = {
  .name             = "newton",
  .needs            = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN,
  .options          = newton_options,
  .create           = newton_create,
  .set_from_options = newton_set_from_options,
  .set_up           = newton_set_up,
  .begin            = newton_begin,
  .iterate          = newton_iterate,
  .destroy          = newton_destroy,
};
