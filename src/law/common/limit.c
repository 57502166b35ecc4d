#include "limit.h"
#include "base/block3.h"
#include "keys.h"
#include "stretch_prox.h"
#include <string.h>

typedef double lanes[WRING_LANES];

static const WRING_ALIGNED lanes one = {1, 1, 1, 1, 1, 1, 1, 1};

/*
  e [3] = s - t and d = U diag(factor e) V^T, factor [WRING_LANES] times F - p; exactly 0 if all lanes are in the set.
*/
static void outside(const wring_limit *rule, wring_in par, wring_in z, const double *factor, wring_out e, wring_out d)
{
  WRING_ALIGNED lanes u[9], s[3], v[9], scaled[3];

  if (rule->holds && rule->holds(par, z)) {
    memset(e, 0, 3 * sizeof *e);
    memset(d, 0, 9 * sizeof *d);
    return;
  }
  wring_block3_svd(z, u, s, v);
  rule->excess(par, (wring_in)s, e);
  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) scaled[i][lane] = factor[lane] * e[i][lane];
  }
  wring_stretch_assemble((wring_in)u, (wring_in)scaled, (wring_in)v, d);
}

/* z - U diag(factor e) V^T: z itself if it is in the set. */
static void move_inside(const wring_limit *rule, wring_in par, wring_in z, const double *factor, wring_out p)
{
  WRING_ALIGNED lanes e[3];

  outside(rule, par, z, factor, e, p);
  for (int i = 0; i < 9; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[i][lane] = z[i][lane] - p[i][lane];
  }
}

void wring_limit_project(const wring_law *self, wring_in par, wring_in z, wring_out p)
{
  move_inside(self->rule, par, z, one, p);
}

/* The gradient is k (F - p), since p is the closest point. */
void wring_limit_fused(const wring_law *self, wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED lanes e[3];

  outside(self->rule, par, z, par[LIMIT_K], e, p);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double squared = e[0][lane] * e[0][lane] + e[1][lane] * e[1][lane] + e[2][lane] * e[2][lane];
    psi[lane]            = 0.5 * par[LIMIT_K][lane] * squared;
  }
}

/* (k p(z) + rho z)/(k + rho), docs/theory.md 3.8 */
void wring_limit_prox(const wring_law *self, wring_in par, const double *rho, wring_in z, wring_out p)
{
  WRING_ALIGNED lanes part;

  for (int lane = 0; lane < WRING_LANES; lane++) part[lane] = par[LIMIT_K][lane] / (par[LIMIT_K][lane] + rho[lane]);
  move_inside(self->rule, par, z, part, p);
}

void wring_limit_constraint(const wring_law *self, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  WRING_ALIGNED lanes e[3], inverse;

  (void)j;
  outside(self->rule, par, z, one, e, dC);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f       = mat3_load(z, lane);
    const double squared = e[0][lane] * e[0][lane] + e[1][lane] * e[1][lane] + e[2][lane] * e[2][lane];
    const int    nothing = squared <= LAW_ROOT_NOISE * mat3_dot(f, f);
    inverse[lane]        = nothing ? 0 : block3_rsqrt(squared);
    C[lane]              = squared * inverse[lane];
    k[lane]              = par[LIMIT_K][lane];
  }
  for (int i = 0; i < 9; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) dC[i][lane] *= inverse[lane];
  }
}

PetscErrorCode wring_limit_set_par(const wring_law *self, const wring_options *o, const char *prefix,
                                   const char *fallback, double *par)
{
  const char *const key = self->options[LIMIT_MAX].key;

  PetscFunctionBegin;
  PetscCall(wring_law_get_in_order(self, o, prefix, fallback, par));
  if (par[LIMIT_MIN] > par[LIMIT_MAX]) {
    const char *const at     = wring_law_prefix(o, prefix, fallback, key);
    const char *const origin = wring_options_origin(o, at, key);
    WRING_REFUSE(wring_options_comm(o), "%s: %s%s is %.6g, expected at least %s_min = %.6g",
                 origin ? origin : wring_options_deck(o), at, key, par[LIMIT_MAX], self->name, par[LIMIT_MIN]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
