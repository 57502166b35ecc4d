/*
  Type petsc: three KSP solves, one per component. The default is conjugate gradients with Jacobi; PETSc's options with
  the prefix "operator_" change it.
*/
#include "operator/direct/factor.h"
#include "operator/judge.h"
#include "operator_impl.h"

/* User options that PETSc does not accept are refused in one line. */
static PetscErrorCode read_options(KSP ksp)
{
  wring_error fault = {""};

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(wring_error_catch, &fault));
  const PetscErrorCode code = KSPSetFromOptions(ksp); // all ranks have the same options
  PetscCall(PetscPopErrorHandler());
  for (char *c = fault.text; *c; c++) *c = *c == '\n' ? ' ' : *c;
  if (code) WRING_REFUSE(PetscObjectComm((PetscObject)ksp), "petsc_operator_...: PETSc rejects it: %s", fault.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor alone (preonly) takes neither an initial guess nor a norm. */
static PetscErrorCode create(wring_operator_part *part)
{
  KSP       ksp;
  PC        pc;
  PetscBool preonly;

  PetscFunctionBegin;
  PetscCall(KSPCreate(part->set->comm, &ksp));
  part->data = ksp;
  PetscCall(KSPSetOptionsPrefix(ksp, "operator_"));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(read_options(ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &preonly));
  if (!preonly) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_memory(PetscInt n, Mat **list, double *bytes)
{
  const double entry = sizeof(PetscScalar) + sizeof(PetscInt);
  MatInfo      info;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatGetInfo((*list)[i], MAT_GLOBAL_SUM, &info)); // info.memory is 0 unless PETSc logs
    *bytes += entry * info.nz_used;
    PetscCall(MatDestroy(&(*list)[i]));
  }
  PetscCall(PetscFree(*list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hierarchy_memory(PC pc, double *bytes)
{
  PetscBool gamg;
  PetscInt  n;
  Mat      *list;

  PetscFunctionBegin;
  *bytes = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &gamg));
  if (!gamg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetCoarseOperators(pc, &n, &list));
  PetscCall(add_memory(n - 1, &list, bytes));
  PetscCall(PCGetInterpolations(pc, &n, &list));
  PetscCall(add_memory(n - 1, &list, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(wring_operator_part *part)
{
  KSP ksp = part->data;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
  PetscCall(KSPSetOperators(ksp, part->A, part->A));
  PetscCall(wring_factor_set_up(ksp));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &part->info.library));
  PetscCall(hierarchy_memory(pc, &part->info.memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of conjugate gradients. The memory of other methods, set by PETSc's options, is not known here. */
static PetscErrorCode predict(wring_operator_part *part, double *bytes)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(part->A, &n, NULL));
  *bytes = 8.0 * 6 * (double)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Solves for part->out with the right-hand side part->in. Running out of iterations is reported to the caller; a matrix
  that is not definite is an error.
*/
static PetscErrorCode solve_one(wring_operator_part *part, PetscBool *reached, PetscInt64 *most)
{
  const MPI_Comm  comm = part->set->comm;
  KSP             ksp  = part->data;
  wring_solve_end end;
  PetscReal       norm;
  PetscInt        it;
  PetscInt64      products;

  PetscFunctionBegin;
  wring_count(part->set->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCall(VecNorm(part->in, NORM_2, &norm));
  if (norm == 0) PetscFunctionReturn(VecSet(part->out, 0));
  PetscCall(KSPSolve(ksp, part->in, part->out));
  PetscCall(KSPGetIterationNumber(ksp, &it));
  part->info.iterations = PetscMax(part->info.iterations, it);
  PetscCall(wring_solve_count(ksp, part->set->phases, &products));
  *most = PetscMax(*most, products);
  PetscCall(wring_solve_judge(ksp, "operator", &end));
  if (end == WRING_SOLVE_SINGULAR) WRING_REFUSE(comm, "operator: the matrix is not positive definite");
  if (end == WRING_SOLVE_NOT_FINITE) WRING_REFUSE(comm, "operator: the iteration failed: a number is not finite");
  if (end == WRING_SOLVE_SHORT) *reached = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator_part *part, double rtol, const wring_operator_zero *zero, const double *b,
                            double *x, PetscBool *reached)
{
  const double never = 1e30; // a poor guess may start far above |b|; this is not divergence
  PetscInt64   most  = 0;

  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(part->data, rtol, 0, never, part->set->max_it));
  for (int c = 0; c < 3; c++) {
    PetscCall(wring_operator_gather(b, c, part->in));
    if (zero)
      PetscCall(VecSet(part->out, 0));
    else
      PetscCall(wring_operator_gather(x, c, part->out));
    PetscCall(solve_one(part, reached, &most));
    PetscCall(wring_operator_scatter(part->out, c, x));
  }
  wring_count(part->set->phases, WRING_WORK_PRODUCTS, most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator_part *part)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy((KSP *)&part->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_note_unused(MPI_Comm comm)
{
  PetscInt n;
  char   **name, **value;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(wring_note(comm, "petsc_%s was not used: PETSc did not query it", name[i]));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_petsc = {
  .type = "petsc", .create = create, .set_up = set_up, .predict = predict, .solve = solve, .destroy = destroy};
