/*
  Anderson acceleration of projective dynamics [Peng et al. 2018]. With the map G(x) = x - A^{-1} grad g(x) of one iteration of
  pd, F = G - x, and the last m differences dF_j = F_(j+1) - F_j and dG_j = G_(j+1) - G_j,
    x_(k+1) = G(x_k) - sum_j theta_j dG_j,   theta = argmin |F_k - sum_j theta_j dF_j|^2.
  Where that makes g rise, x_(k+1) = G(x_k) instead, so that g never rises where it does not under pd.

  theta solves the normal equations; their matrix dF_i . dF_j gains a row in each iteration, which takes one reduction.
*/
#include "solver_impl.h"

typedef struct {
  PetscInt       window;     // m, most differences
  PetscInt       count;      // in use
  PetscInt       newest;     // slot of the newest one; the older ones lie before it, cyclic
  double        *block;      // [2][m][n] m: every dF, then every dG
  double        *gram;       // [m][m] m^2: dF_i . dF_j
  double        *dots;       // [2 m] m^2: of one reduction
  double        *theta;      // [m], newest first
  double        *factor;     // [m][m] of the normal equations, newest first
  const double **with;       // [m]: vectors that one pass takes dots with
  PetscBool      moved;      // last and p are those of the iteration before
  Vec            F, last, p; // [n_owned][3] m: F_k, F_(k-1), x_k - x_(k-1)
} anderson_data;

static const double dependent = 1e-10; // what is left of |dF|^2 beside newer ones: less counts as nothing

static const wring_option anderson_options[] = {
  {.key = "inner", .type = WRING_WORD, .choices = "pd", .value = "pd", .help = "method that is accelerated"},
  {.key   = "window",
   .type  = WRING_INT,
   .range = "[0,20]",
   .value = "5",
   .help  = "most differences of iterates that the next one is mixed from"},
  {.key = NULL},
};

static PetscErrorCode anderson_create(wring_solver *s)
{
  anderson_data *anderson;

  PetscFunctionBegin;
  PetscCall(PetscNew(&anderson));
  s->data = anderson;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode anderson_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  anderson_data *anderson = s->data;
  const char    *inner;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, anderson_options, "inner", &inner));
  PetscCall(wring_options_get_int(o, prefix, anderson_options, "window", &anderson->window));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode anderson_set_up(wring_solver *s)
{
  anderson_data *anderson = s->data;
  const PetscInt m        = anderson->window;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->grad, &anderson->F));
  PetscCall(VecDuplicate(s->grad, &anderson->last));
  PetscCall(VecDuplicate(s->grad, &anderson->p));
  PetscCall(PetscMalloc1(2 * (size_t)m * (size_t)s->n, &anderson->block));
  PetscCall(PetscMalloc5(m * m, &anderson->gram, 2 * m, &anderson->dots, m, &anderson->theta, m * m, &anderson->factor,
                         m, &anderson->with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode anderson_begin(wring_solver *s, Vec x)
{
  anderson_data *anderson = s->data;

  PetscFunctionBegin;
  anderson->count = anderson->newest = 0;
  anderson->moved                    = PETSC_FALSE;
  PetscCall(wring_solver_evaluate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

/* The slot of the difference that is `age` iterations older than the newest. */
static PetscInt slot(const anderson_data *anderson, PetscInt age)
{
  return (anderson->newest - age + anderson->window) % anderson->window;
}

static double *difference_F(const anderson_data *anderson, PetscInt n, PetscInt i)
{
  return anderson->block + (size_t)i * (size_t)n;
}

static double *difference_G(const anderson_data *anderson, PetscInt n, PetscInt i)
{
  return difference_F(anderson, n, anderson->window + i);
}

/* The newest difference in the place of the oldest, its dots with all others and those of F with all. */
static void add_difference(const wring_solver *s, const double *F, const double *last, const double *p)
{
  anderson_data *const anderson = s->data;
  const PetscInt       n        = s->n;
  anderson->newest              = slot(anderson, -1);
  anderson->count               = PetscMin(anderson->count + 1, anderson->window);
  double *const dF              = difference_F(anderson, n, anderson->newest), *const dG =
                                                                    difference_G(anderson, n, anderson->newest);
  const int count = (int)anderson->count;

  wring_waxpy(n, -1, last, F, dF);
  wring_waxpy(n, 1, p, dF, dG);
  for (PetscInt age = 0; age < count; age++) anderson->with[age] = difference_F(anderson, n, slot(anderson, age));
  wring_dots(n, count, dF, anderson->with, anderson->dots);
  wring_dots(n, count, F, anderson->with, anderson->dots + count);
}

/*
  theta from the dots. The columns dF are scaled to length 1 and taken into a Cholesky factor from the newest to the oldest; one
  that depends on newer ones is left out, theta = 0.
*/
static void solve_normal_equations(const anderson_data *anderson)
{
  const PetscInt m = anderson->window, c = anderson->count, newest = anderson->newest;
  double *const gram = anderson->gram, *const L = anderson->factor, *const theta = anderson->theta;

  for (PetscInt age = 0; age < c; age++) {
    gram[newest * m + slot(anderson, age)] = gram[slot(anderson, age) * m + newest] = anderson->dots[age];
  }
  for (PetscInt i = 0; i < c; i++) {
    const double *row  = gram + slot(anderson, i) * m;
    const double  size = PetscSqrtReal(row[slot(anderson, i)]);
    theta[i]           = anderson->dots[c + i];
    for (PetscInt j = 0; j <= i; j++) {
      double sum = row[slot(anderson, j)];
      for (PetscInt k = 0; k < j; k++) sum -= L[i * m + k] * L[j * m + k];
      if (j < i)
        L[i * m + j] = L[j * m + j] > 0 ? sum / L[j * m + j] : 0;
      else
        L[i * m + i] = sum > dependent * size * size ? PetscSqrtReal(sum) : 0;
    }
    for (PetscInt k = 0; k < i; k++) theta[i] -= L[i * m + k] * theta[k];
    theta[i] = L[i * m + i] > 0 ? theta[i] / L[i * m + i] : 0;
  }
  for (PetscInt i = c - 1; i >= 0; i--) {
    for (PetscInt k = i + 1; k < c; k++) theta[i] -= L[k * m + i] * theta[k];
    theta[i] = L[i * m + i] > 0 ? theta[i] / L[i * m + i] : 0;
  }
}

/* p = F - sum theta_j dG_j, the step to the mixed iterate. */
static PetscErrorCode mix(wring_solver *s)
{
  anderson_data    *anderson = s->data;
  const wring_phase old      = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double     *F, *last;
  double           *p;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(anderson->F, &F));
  PetscCall(VecGetArrayRead(anderson->last, &last));
  PetscCall(VecGetArray(anderson->p, &p));
  if (anderson->moved && anderson->window > 0) {
    add_difference(s, F, last, p);
    PetscCall(wring_solver_sum(s, 2 * (int)anderson->count, anderson->dots));
    solve_normal_equations(anderson);
  }
  wring_copy(s->n, F, p);
  for (PetscInt age = 0; age < anderson->count; age++)
    wring_axpy(s->n, -anderson->theta[age], difference_G(anderson, s->n, slot(anderson, age)), p);
  PetscCall(VecRestoreArray(anderson->p, &p));
  PetscCall(VecRestoreArrayRead(anderson->last, &last));
  PetscCall(VecRestoreArrayRead(anderson->F, &F));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

static PetscErrorCode anderson_iterate(wring_solver *s, Vec x)
{
  anderson_data *anderson = s->data;
  const Vec      oldest   = anderson->last;

  PetscFunctionBegin;
  anderson->last = anderson->F;
  anderson->F    = oldest;
  PetscCall(wring_solver_operator_step(s, anderson->F));
  PetscCall(mix(s));
  PetscCall(wring_solver_try(s, x, 1, anderson->p));
  if (anderson->count > 0 && !(s->trial_value.objective <= s->value.objective)) {
    PetscCall(VecCopy(anderson->F, anderson->p));
    PetscCall(wring_solver_try(s, x, 1, anderson->p));
  }
  PetscCall(wring_solver_accept(s, x));
  anderson->moved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode anderson_destroy(wring_solver *s)
{
  anderson_data *anderson = s->data;

  PetscFunctionBegin;
  PetscCall(VecDestroy(&anderson->F));
  PetscCall(VecDestroy(&anderson->last));
  PetscCall(VecDestroy(&anderson->p));
  PetscCall(PetscFree(anderson->block));
  PetscCall(PetscFree5(anderson->gram, anderson->dots, anderson->theta, anderson->factor, anderson->with));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double anderson_operator_factor(const wring_solver *s)
{
  (void)s;
  return 1;
}

const wring_solver_ops wring_solver_anderson = {
  .name             = "anderson",
  .needs            = WRING_CAN_GRADIENT | WRING_CAN_PROJECT | WRING_CAN_SLOPE,
  .operator_factor  = anderson_operator_factor,
  .options          = anderson_options,
  .create           = anderson_create,
  .set_from_options = anderson_set_from_options,
  .set_up           = anderson_set_up,
  .begin            = anderson_begin,
  .iterate          = anderson_iterate,
  .destroy          = anderson_destroy,
};
