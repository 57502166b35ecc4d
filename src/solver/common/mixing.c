/* Anderson mixing by normal equations; each iteration adds one row to their matrix. */
#include "mixing.h"

static const double dependent = 1e-10; // part of |dF|^2 independent of newer ones; below it a difference is ignored

PetscErrorCode wring_mixing_create(MPI_Comm comm, wring_phases *phases, PetscInt window, PetscInt n, wring_mixing *m)
{
  PetscFunctionBegin;
  *m = (wring_mixing){.comm = comm, .phases = phases, .n = n, .window = window};
  PetscCall(PetscMalloc3(n, &m->p, n, &m->F, n, &m->last));
  PetscCall(PetscMalloc1(2 * (size_t)window * (size_t)n, &m->block));
  PetscCall(PetscMalloc5(window * window, &m->gram, 2 * window, &m->dots, window, &m->theta, window * window,
                         &m->factor, window, &m->with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mixing_destroy(wring_mixing *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(m->p, m->F, m->last));
  PetscCall(PetscFree(m->block));
  PetscCall(PetscFree5(m->gram, m->dots, m->theta, m->factor, m->with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_mixing_restart(wring_mixing *m)
{
  m->count = m->newest = 0;
  m->moved             = PETSC_FALSE;
}

/* The slot of the difference that is `age` iterations older than the newest. */
static PetscInt slot(const wring_mixing *m, PetscInt age)
{
  return (m->newest - age + m->window) % m->window;
}

static double *difference_F(const wring_mixing *m, PetscInt i)
{
  return m->block + (size_t)i * (size_t)m->n;
}

static double *difference_G(const wring_mixing *m, PetscInt i)
{
  return difference_F(m, m->window + i);
}

/* Puts the newest difference in the place of the oldest; dot products of it and of F with all differences. */
static void add_difference(wring_mixing *m)
{
  m->newest        = slot(m, -1);
  m->count         = PetscMin(m->count + 1, m->window);
  double *const dF = difference_F(m, m->newest), *const dG = difference_G(m, m->newest);
  const int count = (int)m->count;

  wring_waxpy(m->n, -1, m->last, m->F, dF);
  wring_waxpy(m->n, 1, m->p, dF, dG);
  for (PetscInt age = 0; age < count; age++) m->with[age] = difference_F(m, slot(m, age));
  wring_dots(m->n, count, dF, m->with, m->dots);
  wring_dots(m->n, count, m->F, m->with, m->dots + count);
}

/* Row i of the Cholesky factor L, newest first; a column that depends on newer ones gets 0 on the diagonal. */
static void factor_row(const wring_mixing *m, PetscInt i)
{
  const PetscInt      w   = m->window;
  const double *const row = m->gram + slot(m, i) * w;
  double *const       L   = m->factor;
  for (PetscInt j = 0; j < i; j++) {
    double sum = row[slot(m, j)];
    for (PetscInt k = 0; k < j; k++) sum -= L[i * w + k] * L[j * w + k];
    L[i * w + j] = L[j * w + j] > 0 ? sum / L[j * w + j] : 0;
  }
  double rest = row[slot(m, i)];
  for (PetscInt k = 0; k < i; k++) rest -= PetscSqr(L[i * w + k]);
  L[i * w + i] = rest > dependent * row[slot(m, i)] ? PetscSqrtReal(rest) : 0;
}

/* theta from the normal equations; 0 for a difference that depends on newer ones. */
static void find_theta(const wring_mixing *m)
{
  const PetscInt      w = m->window, c = m->count;
  const double *const L     = m->factor;
  double *const       theta = m->theta;
  for (PetscInt i = 0; i < c; i++) {
    factor_row(m, i);
    theta[i] = m->dots[c + i];
    for (PetscInt k = 0; k < i; k++) theta[i] -= L[i * w + k] * theta[k];
    theta[i] = L[i * w + i] > 0 ? theta[i] / L[i * w + i] : 0;
  }
  for (PetscInt i = c - 1; i >= 0; i--) {
    for (PetscInt k = i + 1; k < c; k++) theta[i] -= L[k * w + i] * theta[k];
    theta[i] = L[i * w + i] > 0 ? theta[i] / L[i * w + i] : 0;
  }
}

/* p = F - sum_j theta_j dG_j, in one pass. */
static void combine(const wring_mixing *m)
{
  const int     count = (int)m->count;
  const double *with[count + 1];
  double        factor[count + 1];
  with[0]   = m->F;
  factor[0] = 1;
  for (int age = 0; age < count; age++) {
    with[age + 1]   = difference_G(m, slot(m, age));
    factor[age + 1] = -m->theta[age];
  }
  wring_combine(m->n, count + 1, factor, with, m->p);
}

PetscErrorCode wring_mixing_step(wring_mixing *m)
{
  double *const     F   = m->F;
  const wring_phase old = wring_phases_switch(m->phases, WRING_PHASE_VECTOR);

  PetscFunctionBegin;
  if (m->moved && m->window > 0) {
    add_difference(m);
    wring_phases_switch(m->phases, WRING_PHASE_REDUCTION);
    wring_count(m->phases, WRING_WORK_REDUCTIONS, 1);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, m->dots, 2 * (int)m->count, MPI_DOUBLE, MPI_SUM, m->comm));
    wring_phases_switch(m->phases, WRING_PHASE_VECTOR);
    for (PetscInt age = 0; age < m->count; age++) {
      const PetscInt i                   = slot(m, age);
      m->gram[m->newest * m->window + i] = m->gram[i * m->window + m->newest] = m->dots[age];
    }
    find_theta(m);
  }
  combine(m);
  m->F     = m->last;
  m->last  = F;
  m->moved = PETSC_TRUE;
  wring_phases_switch(m->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
