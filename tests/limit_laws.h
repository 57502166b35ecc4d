/*
  Parameters of laws on top of a material, for tests of all laws: limits far from every stretch and volume of the cases
  in test_law.
*/
#pragma once
#include <wring/law.h>

static inline int test_is_limit(const wring_law *law)
{
  return law == &wring_law_volume || law == &wring_law_strain_limit;
}

/* par [4]: {k, 1, ...} of a fibre, {k, min, max, ...} of a limit; others are not changed. Lanes differ. */
static inline void test_limit_par(const wring_law *law, int kind, double (*par)[WRING_LANES])
{
  static const double stretch[6][2] = {{0.7, 0.85}, {0.9, 1.335}, {0.59, 5}, {0.9, 1.1}, {0.5, 0.85}, {0.7, 1.035}};
  static const double volume[2][2]  = {{0.3, 0.5}, {0.9, 1.1}};
  const double *const limit         = law == &wring_law_volume ? volume[kind > 0] : stretch[kind < 6 ? kind : 3];
  for (int lane = 0; lane < WRING_LANES; lane++) {
    if (law == &wring_law_fibre) par[1][lane] = 1;
    for (int i = 0; i < 2 && test_is_limit(law); i++) par[1 + i][lane] = limit[i] * (1 + 1e-3 * lane);
  }
}
