/*
  The Hessian of one vertex, its definite model, and products of two directions with the Hessian: from that of psi or in
  closed form.
*/
#include "base/block3.h"
#include "law/common/closed_forms.h"
#include "law/common/lame.h"

/* The model of a definite Hessian of laws whose first parameters are mu and lambda. */
static void model(double shear, wring_in par, wring_in z, wring_in g, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3   row = vertex_row(g, lane), c = mat3_apply(mat3_cofactor(mat3_load(z, lane)), row);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    vertex_store(K, lane, sym3_of_vector(shear * mu * vec3_dot(row, row), lambda > 0 ? lambda : 0, c));
  }
}

void wring_law_contract(const wring_law *law, PetscBool definite, wring_in par, wring_in z, wring_in g, wring_out K)
{
  const int            q = law->q;
  WRING_ALIGNED double h[81][WRING_LANES];
  if (definite && law->definite_mu > 0) {
    model(law->definite_mu, par, z, g, K);
    return;
  }
  if (!definite && law->contracted) {
    law->contracted(law, par, z, g, K);
    return;
  }
  law->hessian(law, definite ? WRING_FILTER_CLAMP : WRING_FILTER_NONE, par, z, h);
  for (int i = 0; i < 6; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) K[i][lane] = 0;
    for (int kl = 0; kl < q * q; kl++) {
      const double *a = g[kl / q], *b = g[kl % q],
                   *entry = h[(q * wring_sym_row[i] + kl / q) * 3 * q + q * wring_sym_column[i] + kl % q];
#pragma omp simd
      for (int lane = 0; lane < WRING_LANES; lane++) K[i][lane] += a[lane] * b[lane] * entry[lane];
    }
  }
}

void wring_law_multiply(const wring_law *law, wring_filter filter, wring_in par, wring_in z, wring_in a, wring_in b,
                        wring_out sum)
{
  const int            n = 3 * law->q;
  WRING_ALIGNED double h[81][WRING_LANES];
  if (law->products) {
    law->products(law, filter, par, z, a, b, sum);
    return;
  }
  law->hessian(law, filter, par, z, h);
  for (int lane = 0; lane < WRING_LANES; lane++) sum[0][lane] = sum[1][lane] = sum[2][lane] = 0;
  for (int i = 0; i < n; i++) {
    WRING_ALIGNED double ha[WRING_LANES] = {0}, hb[WRING_LANES] = {0};
    for (int j = 0; j < n; j++) { // outside the loop over lanes: clang vectorises no loop around another one
      const double *entry = h[i * n + j], *aj = a[j], *bj = b[j];
#pragma omp simd
      for (int lane = 0; lane < WRING_LANES; lane++)
        ha[lane] += entry[lane] * aj[lane], hb[lane] += entry[lane] * bj[lane];
    }
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      sum[0][lane] += a[i][lane] * ha[lane], sum[1][lane] += a[i][lane] * hb[lane];
      sum[2][lane] += b[i][lane] * hb[lane];
    }
  }
}
