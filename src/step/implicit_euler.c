/* Implicit Euler as a minimisation: y = q + h v + h^2 gravity, v' = (x - q)/h.    [thesis, eq. 3.7; Liu et al. 2017, eq. 3] */
#include "step_impl.h"

static PetscErrorCode implicit_euler_target(double h, const double gravity[3], const wring_state *state, Vec y)
{
  const double *q, *v;
  double       *ya;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(state->q, &q));
  PetscCall(VecGetArrayRead(state->v, &v));
  PetscCall(VecGetArrayWrite(y, &ya));
  wring_waxpy(n, h, v, q, ya);
  for (PetscInt i = 0; i < n; i += 3) {
    for (int c = 0; c < 3; c++) ya[i + c] += h * h * gravity[c];
  }
  PetscCall(VecRestoreArrayWrite(y, &ya));
  PetscCall(VecRestoreArrayRead(state->v, &v));
  PetscCall(VecRestoreArrayRead(state->q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode implicit_euler_finish(double h, Vec x, wring_state *state)
{
  const double *xa;
  double       *q, *v;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(state->q, &q));
  PetscCall(VecGetArrayWrite(state->v, &v));
  wring_waxpy(n, -1, q, xa, v);
  wring_scale(n, 1 / h, v);
  wring_copy(n, xa, q);
  PetscCall(VecRestoreArrayWrite(state->v, &v));
  PetscCall(VecRestoreArray(state->q, &q));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_implicit_euler = {
  .name   = "implicit_euler",
  .target = implicit_euler_target,
  .finish = implicit_euler_finish,
};
