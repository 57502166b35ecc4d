/*
  Implicit Euler with forces linear about q: (M - h^2 K) v' = M v + h f(q), x = q + h v', K = df/dq.    [thesis, eq. 3.9]
  Divided by h, with H = M/h^2 - K the Hessian of g at q: H (x - q) = -grad g(q), one full step of Newton's method. H is not
  projected and may be indefinite, so that it takes a factor with pivots. With hard attachments the step starts from q with the
  vertices that they hold at their new places, (6.11).
*/
#include "step_impl.h"

/* MUMPS, or on one rank PETSc's own LU where this PETSc lacks it. */
static PetscErrorCode choose_factor(MPI_Comm comm, Mat H, PC pc)
{
  PetscMPIInt size;
  PetscBool   mumps;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatGetFactorAvailable(H, MATSOLVERMUMPS, MAT_FACTOR_LU, &mumps));
  if (!mumps && size > 1) {
    WRING_REFUSE(comm,
                 "time_integrator 'linear_implicit_euler' on %d ranks needs a PETSc with MUMPS, expected one rank",
                 (int)size);
  }
  PetscCall(PCSetType(pc, PCLU));
  if (mumps) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_ksp(wring_stepper *s)
{
  const MPI_Comm    comm     = wring_potential_mesh(s->g)->comm;
  static const char prefix[] = "step_";
  PetscBool         set;
  PC                pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(comm, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, prefix));
  PetscCall(KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(choose_factor(comm, s->H, pc));
  /* Pivots need more room than MUMPS takes by itself: percent above its estimate. */
  PetscCall(PetscOptionsHasName(NULL, prefix, "-mat_mumps_icntl_14", &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, "-step_mat_mumps_icntl_14", "100"));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H at x, factorised. */
static PetscErrorCode set_matrix(wring_stepper *s, Vec x)
{
  wring_phases *const phases = wring_potential_phases(s->g);

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, x, PETSC_FALSE, &s->H));
  const wring_phase old = wring_phases_switch(phases, WRING_PHASE_OPERATOR_SET_UP);
  if (!s->ksp) PetscCall(make_ksp(s));
  PetscCall(KSPSetOperators(s->ksp, s->H, s->H));
  PetscCall(KSPSetUp(s->ksp));
  wring_phases_switch(phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor that does not exist is an end of the step; one that does not fit is not. */
static PetscErrorCode judge(const wring_stepper *s, wring_reason *reason)
{
  KSPConvergedReason converged;
  PCFailedReason     failed;
  PC                 pc;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(s->ksp, &converged));
  if (converged > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (failed == PC_FACTOR_OUTMEMORY) {
    WRING_REFUSE(wring_potential_mesh(s->g)->comm,
                 "time_integrator 'linear_implicit_euler': out of memory in the factor; implicit_euler needs less");
  }
  *reason = WRING_STOPPED_SINGULAR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode linear_implicit_euler_advance(wring_stepper *s, const wring_state *state, Vec x,
                                                    wring_reason *reason)
{
  wring_phases *const phases = wring_potential_phases(s->g);

  PetscFunctionBegin;
  PetscCall(VecCopy(state->q, x));
  PetscCall(wring_potential_place(s->g, x));
  if (wring_potential_held(s->g) > 0) PetscCall(wring_potential_gradient(s->g, x, s->gradient));
  PetscCall(set_matrix(s, x));
  const wring_phase old = wring_phases_switch(phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscCall(KSPSolve(s->ksp, s->gradient, s->v_new));
  wring_phases_switch(phases, old);
  PetscCall(judge(s, reason));
  if (*reason != WRING_CONVERGED) PetscCall(VecZeroEntries(s->v_new));
  PetscCall(VecAXPY(x, -1, s->v_new));
  PetscCall(VecScale(s->v_new, -1 / s->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode linear_implicit_euler_predict(wring_stepper *s, const wring_state *state, double *bytes)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, state->q, PETSC_FALSE, &s->H));
  PetscCall(wring_factor_predict(s->H, MATSOLVERMUMPS, MAT_FACTOR_LU, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_linear_implicit_euler = {
  .name    = "linear_implicit_euler",
  .part    = 1,
  .when    = 1,
  .needs   = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN,
  .advance = linear_implicit_euler_advance,
  .predict = linear_implicit_euler_predict,
};
