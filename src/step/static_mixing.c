/*
  Loads f that depend on the solution x(f) of statics: f = G(f), the load at x(f), by Anderson's mixing, which converges
  also where the plain repetition f <- G(f) does not. docs/theory.md (6.14)
*/
#include "solver/common/mixing.h"
#include "step_impl.h"

enum { LOAD_WINDOW = 5 };

struct wring_load_mixing {
  wring_mixing mixing;
  Vec          f; // N: of the last solve
};

PetscErrorCode wring_load_mixing_create(Vec like, wring_load_mixing **mixing)
{
  wring_load_mixing *m;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  PetscCall(VecDuplicate(like, &m->f));
  PetscCall(VecGetLocalSize(like, &n));
  PetscCall(wring_mixing_create(PetscObjectComm((PetscObject)like), NULL, LOAD_WINDOW, n, &m->mixing));
  *mixing = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_load_mixing_destroy(wring_load_mixing **mixing)
{
  wring_load_mixing *const m = *mixing;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&m->f));
  PetscCall(wring_mixing_destroy(&m->mixing));
  PetscCall(PetscFree(*mixing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_load_mixing_start(wring_load_mixing *m, Vec f)
{
  PetscFunctionBegin;
  wring_mixing_restart(&m->mixing);
  PetscCall(VecCopy(f, m->f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_load_mixing_step(wring_load_mixing *m, Vec g)
{
  const PetscInt n = m->mixing.n;
  double        *f, *ga;

  PetscFunctionBegin;
  PetscCall(VecGetArray(m->f, &f));
  PetscCall(VecGetArray(g, &ga));
  wring_waxpy(n, -1, f, ga, m->mixing.F);
  PetscCall(wring_mixing_step(&m->mixing));
  wring_axpy(n, 1, m->mixing.p, f);
  wring_copy(n, f, ga);
  PetscCall(VecRestoreArray(g, &ga));
  PetscCall(VecRestoreArray(m->f, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
