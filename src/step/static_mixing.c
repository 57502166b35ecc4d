/*
  Loads f that depend on the solution x(f) of statics: f = G(f), the load at x(f), by Anderson's mixing, which converges
  also where the plain repetition f <- G(f) does not. docs/theory.md (6.14)
*/
#include "step_impl.h"

struct wring_load_mixing {
  int count, newest;                    // differences in use; slot of the newest one
  Vec f, r;                             // f of the last solve, G(f) - f of the one before it, N
  Vec g;                                // G of the one before it
  Vec dr[LOAD_WINDOW], dg[LOAD_WINDOW]; // differences of r and of G
};

PetscErrorCode wring_load_mixing_create(Vec like, wring_load_mixing **mixing)
{
  wring_load_mixing *m;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  PetscCall(VecDuplicate(like, &m->f));
  PetscCall(VecDuplicate(like, &m->r));
  PetscCall(VecDuplicate(like, &m->g));
  for (int i = 0; i < LOAD_WINDOW; i++) {
    PetscCall(VecDuplicate(like, &m->dr[i]));
    PetscCall(VecDuplicate(like, &m->dg[i]));
  }
  *mixing = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_load_mixing_destroy(wring_load_mixing **mixing)
{
  wring_load_mixing *const m = *mixing;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&m->f));
  PetscCall(VecDestroy(&m->r));
  PetscCall(VecDestroy(&m->g));
  for (int i = 0; i < LOAD_WINDOW; i++) {
    PetscCall(VecDestroy(&m->dr[i]));
    PetscCall(VecDestroy(&m->dg[i]));
  }
  PetscCall(PetscFree(*mixing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_load_mixing_start(wring_load_mixing *m, Vec f)
{
  PetscFunctionBegin;
  m->count = m->newest = -1;
  PetscCall(VecCopy(f, m->f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* theta [n] minimises |r - sum theta_j dr_j|^2: elimination in the normal equations; 0 for dependent dr_j. */
static void solve_normal(int n, double a[LOAD_WINDOW][LOAD_WINDOW], const double *b, double *theta)
{
  double       x[LOAD_WINDOW];
  const double tiny = 1e-12;
  for (int i = 0; i < n; i++) x[i] = b[i];
  for (int i = 0; i < n; i++) {
    const double before = a[i][i];
    for (int k = 0; k < i; k++) {
      const double part = a[k][k] > 0 ? a[i][k] / a[k][k] : 0;
      for (int j = k; j < n; j++) a[i][j] -= part * a[k][j];
      x[i] -= part * x[k];
    }
    if (a[i][i] <= tiny * before) a[i][i] = 0;
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= a[i][j] * theta[j];
    theta[i] = a[i][i] > 0 ? x[i] / a[i][i] : 0;
  }
}

static PetscErrorCode find_theta(const wring_load_mixing *m, Vec r, double *theta)
{
  double a[LOAD_WINDOW][LOAD_WINDOW], b[LOAD_WINDOW];

  PetscFunctionBegin;
  for (int i = 0; i < m->count; i++) {
    PetscCall(VecMDot(m->dr[i], m->count, m->dr, a[i]));
    PetscCall(VecDot(m->dr[i], r, &b[i]));
  }
  solve_normal(m->count, a, b, theta);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores the differences to the solve before. */
static PetscErrorCode add_difference(wring_load_mixing *m, Vec r, Vec g)
{
  PetscFunctionBegin;
  if (m->count >= 0) {
    m->newest = (m->newest + 1) % LOAD_WINDOW;
    PetscCall(VecWAXPY(m->dr[m->newest], -1, m->r, r));
    PetscCall(VecWAXPY(m->dg[m->newest], -1, m->g, g));
  }
  m->count = PetscMin(m->count + 1, LOAD_WINDOW);
  PetscCall(VecCopy(r, m->r));
  PetscCall(VecCopy(g, m->g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_load_mixing_step(wring_load_mixing *m, Vec g)
{
  double theta[LOAD_WINDOW];
  Vec    r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(g, &r));
  PetscCall(VecWAXPY(r, -1, m->f, g));
  PetscCall(add_difference(m, r, g));
  PetscCall(find_theta(m, r, theta));
  for (int i = 0; i < m->count; i++) PetscCall(VecAXPY(g, -theta[i], m->dg[i]));
  PetscCall(VecCopy(g, m->f));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
