/*
  To be included after splines.h. Every law of the list in the form that tests use: with the parameters of its example,
  and divided by its k (slope), so that numbers are of order 1 for every law.
*/
#pragma once
#include "check.h"
#include <wring/law.h>

/* The law that a scaled law is made from, stored in its `rule`. */
static inline const wring_law *test_original(const wring_law *self)
{
  return self->rule;
}

/* 1/k [WRING_LANES] */
static inline void test_scale(const wring_law *law, wring_in par, double *scale)
{
  law->slope(law, par, scale);
  for (int lane = 0; lane < WRING_LANES; lane++) scale[lane] = 1 / scale[lane];
}

static inline void test_multiply(int n, const double *factor, wring_out a)
{
  for (int i = 0; i < n; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) a[i][lane] *= factor[lane];
  }
}

/* p [3 q] = dpsi/dz */
static inline void test_gradient(const wring_law *law, wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];
  law->fused(law, par, z, psi, p);
}

static inline void test_scaled_energy(const wring_law *self, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double scale[WRING_LANES];
  test_scale(test_original(self), par, scale);
  test_original(self)->energy(test_original(self), par, z, psi);
  test_multiply(1, scale, (wring_out)psi);
}

static inline void test_scaled_fused(const wring_law *self, wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double scale[WRING_LANES];
  test_scale(test_original(self), par, scale);
  test_original(self)->fused(test_original(self), par, z, psi, p);
  test_multiply(1, scale, (wring_out)psi);
  test_multiply(3 * self->q, scale, p);
}

static inline void test_scaled_hessian(const wring_law *self, wring_filter filter, wring_in par, wring_in z,
                                       wring_out h)
{
  WRING_ALIGNED double scale[WRING_LANES];
  test_scale(test_original(self), par, scale);
  test_original(self)->hessian(test_original(self), filter, par, z, h);
  test_multiply(9 * self->q * self->q, scale, h);
}

static inline void test_scaled_project(const wring_law *self, wring_in par, wring_in z, wring_out p)
{
  test_original(self)->project(test_original(self), par, z, p);
}

static inline void test_scaled_slope(WRING_SELF, wring_in par, double *k)
{
  (void)par;
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 1;
}

static inline void test_scaled_prox(const wring_law *self, wring_in par, const double *rho, wring_in z, wring_out p)
{
  WRING_ALIGNED double k[WRING_LANES];
  test_original(self)->slope(test_original(self), par, k);
  test_multiply(1, rho, (wring_out)k);
  test_original(self)->prox(test_original(self), par, k, z, p);
}

static inline void test_scaled_constraint(const wring_law *self, int j, wring_in par, wring_in z, double *C,
                                          wring_out dC, double *k)
{
  WRING_ALIGNED double scale[WRING_LANES];
  test_scale(test_original(self), par, scale);
  test_original(self)->constraint(test_original(self), j, par, z, C, dC, k);
  test_multiply(1, scale, (wring_out)k);
}

static inline void test_scaled_row(const wring_law *self, int j, wring_in par, wring_in z, double *C, wring_out dC,
                                   double *k)
{
  WRING_ALIGNED double scale[WRING_LANES];
  test_scale(test_original(self), par, scale);
  test_original(self)->row(test_original(self), j, par, z, C, dC, k);
  test_multiply(1, scale, (wring_out)k);
}

/* Functions that the law lacks are also missing in its scaled form. law must have energy, fused and slope. */
static inline wring_law test_scaled(const wring_law *law)
{
  wring_law s = *law;
  s.rule      = law;
  s.energy    = test_scaled_energy;
  s.fused     = test_scaled_fused;
  s.slope     = test_scaled_slope;
  if (s.hessian) s.hessian = test_scaled_hessian;
  if (s.project) s.project = test_scaled_project;
  if (s.prox) s.prox = test_scaled_prox;
  if (s.constraint) s.constraint = test_scaled_constraint;
  if (s.row) s.row = test_scaled_row;
  return s;
}

/* Whether a key of the law is a file; its numbers must not be varied separately. */
static inline int test_has_file(const wring_law *law)
{
  for (const wring_option *k = law->options; k && k->key; k++) {
    if (k->type == WRING_PATH && law->kind == WRING_LAW_MATERIAL) return 1;
  }
  return 0;
}

/*
  par [n_par, at most n] of the law's example. Each number differs by up to 1 % from lane to lane, unless it comes from
  a file.
*/
static inline void test_example_par(const wring_law *law, int n, uint64_t *state, double (*par)[WRING_LANES])
{
  double *one;
  CHECK(law->n_par <= n && (law->example || law->example_par), "%s has no example", law->name);
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(law->n_par, &one));
  if (law->example) {
    char           path[64];
    wring_options *o;
    test_write_file("", sizeof path, path);
    PetscCallAbort(PETSC_COMM_SELF, wring_options_create(PETSC_COMM_SELF, &o));
    PetscCallAbort(PETSC_COMM_SELF, wring_law_set_example(law, "material_", path, o));
    PetscCallAbort(PETSC_COMM_SELF, law->set_par(law, o, "material_", "material_", one));
    PetscCallAbort(PETSC_COMM_SELF, wring_options_destroy(&o));
    unlink(path);
  } else {
    memcpy(one, law->example_par, (size_t)law->n_par * sizeof *one);
  }
  for (int i = 0; i < law->n_par; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++)
      par[i][lane] = one[i] * (test_has_file(law) ? 1 : 1 + 0.01 * test_random(state));
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(one));
}
