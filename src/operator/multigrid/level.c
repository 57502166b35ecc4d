/*
  The kernels of a cycle: a row of the matrix times three components at once, read as four floats. They are bound by memory, so
  each goes over its matrix once and does all there is to do with a row. docs/theory.md (4.7)-(4.11)
*/
#include "multigrid_impl.h"

/* The sum over a row for the components; the fourth number means nothing. */
static inline wring_float4 row_times(const wring_csr *a, PetscInt i, const float *x)
{
  wring_float4 sum = {0}, other = {0};
  PetscInt     k = a->start[i];
  for (const PetscInt end = a->start[i + 1] - 1; k < end; k += 2) {
    sum += a->value[k] * wring_load_float(x + 3 * (size_t)a->column[k]);
    other += a->value[k + 1] * wring_load_float(x + 3 * (size_t)a->column[k + 1]);
  }
  if (k < a->start[i + 1]) sum += a->value[k] * wring_load_float(x + 3 * (size_t)a->column[k]);
  return sum + other;
}

static void combine_own(const wring_level *l, float p, const float *b, float q, const float *x, float *y,
                        const float *scale)
{
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++) {
    for (PetscInt i = wring_strip(l->n, s); i < wring_strip(l->n, s + 1); i++) {
      const wring_float4 sum = row_times(&l->own, i, x);
      const float        d   = scale ? scale[i] : 1;
      for (int c = 0; c < 3; c++) y[3 * i + c] = d * (p * b[3 * i + c] + q * x[3 * i + c] - l->omega * sum[c]);
    }
  }
}

static void combine_ghosts(const wring_level *l, const float *ghost, float *y, const float *scale)
{
#pragma omp parallel for schedule(static) if (l->n_boundary > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < l->n_boundary; k++) {
    const PetscInt     i    = l->boundary[k];
    const wring_float4 sum  = row_times(&l->ghost, i, ghost);
    const float        step = scale ? scale[i] * l->omega : l->omega;
    for (int c = 0; c < 3; c++) y[3 * i + c] -= step * sum[c];
  }
}

PetscErrorCode wring_level_combine(const wring_cycle *c, const wring_level *l, float p, const float *b, float q,
                                   float *x, float *y, const float *scale)
{
  float *const ghost = x + 3 * (size_t)l->n;

  PetscFunctionBegin;
  if (l->halo) PetscCall(PetscSFBcastBegin(l->halo, c->vertex, x, ghost, MPI_REPLACE));
  combine_own(l, p, b, q, x, y, scale);
  if (l->halo) PetscCall(PetscSFBcastEnd(l->halo, c->vertex, x, ghost, MPI_REPLACE));
  combine_ghosts(l, ghost, y, scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void multiply(const wring_csr *a, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) {
      const wring_float4 sum = row_times(a, i, x);
      for (int c = 0; c < 3; c++) y[3 * i + c] = sum[c];
    }
  }
}

/* The rows of a matrix from `first` on, as a matrix. */
static wring_csr rows_from(const wring_csr *a, PetscInt first)
{
  wring_csr rest = *a;
  rest.start += first;
  return rest;
}

/* Ranks add in the order of their numbers, whatever comes first. */
static void add_shares(const wring_level *l, float *coarse)
{
  for (PetscInt i = 0; i < l->n_coarse; i++) {
    for (PetscInt k = l->slot[i]; k < l->slot[i + 1]; k++)
      for (int c = 0; c < 3; c++) coarse[3 * i + c] += l->share[3 * k + c];
  }
}

PetscErrorCode wring_level_restrict(const wring_cycle *c, const wring_level *l, const float *r, float *ghost,
                                    float *coarse)
{
  PetscFunctionBegin;
  if (l->coarse_halo) {
    const wring_csr rest = rows_from(&l->R, l->n_coarse);
    multiply(&rest, l->n_coarse_ghost, r, ghost);
    PetscCall(PetscSFGatherBegin(l->coarse_halo, c->vertex, ghost, l->share));
  }
  multiply(&l->R, l->n_coarse, r, coarse);
  if (l->coarse_halo) {
    PetscCall(PetscSFGatherEnd(l->coarse_halo, c->vertex, ghost, l->share));
    add_shares(l, coarse);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_prolong(const wring_cycle *c, const wring_level *l, float *coarse, const float *b, float *x)
{
  float *const ghost = coarse + 3 * (size_t)l->n_coarse;

  PetscFunctionBegin;
  if (l->coarse_halo) {
    PetscCall(PetscSFBcastBegin(l->coarse_halo, c->vertex, coarse, ghost, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(l->coarse_halo, c->vertex, coarse, ghost, MPI_REPLACE));
  }
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++) {
    for (PetscInt i = wring_strip(l->n, s); i < wring_strip(l->n, s + 1); i++) {
      const wring_float4 sum = row_times(&l->P, i, coarse);
      for (int d = 0; d < 3; d++) x[3 * i + d] = l->omega * b[3 * i + d] + sum[d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_level_dots(PetscInt n, const float *a, const float *b, double ab[3], double bb[3])
{
  double part[6][WRING_STRIPS];
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++) {
    double sum[6] = {0};
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) {
      for (int c = 0; c < 3; c++) {
        const double bi = b[3 * i + c];
        sum[c] += a[3 * i + c] * bi;
        sum[3 + c] += bi * bi;
      }
    }
    for (int k = 0; k < 6; k++) part[k][s] = sum[k];
  }
  for (int c = 0; c < 3; c++) {
    ab[c] = wring_pairwise_sum(WRING_STRIPS, part[c]);
    bb[c] = wring_pairwise_sum(WRING_STRIPS, part[3 + c]);
  }
}
