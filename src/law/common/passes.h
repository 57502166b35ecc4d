/* Functions of a law that follow from its other functions or from its first parameter. */
#pragma once
#include <wring/law.h>

wring_law_energy wring_law_energy_by_fused;
wring_law_slope  wring_law_slope_of_stiffness; // k = par[0]

/*
  Where C^2 of a constraint is below this fraction of its scale, it is rounding error and the gradient is 0/0. A law
  then returns C = 0 and dC = 0, which callers skip.
*/
#define LAW_ROOT_NOISE 1e-28

/*
  The scalar constraint of a law that has no other: C = sqrt(2 psi), k = 1, so that psi = C^2/2, and dC = dpsi/dz / C
  [9], q = 3; docs/theory.md (3.36). The rule is a wring_isotropic; its modulus is the scale of psi. C is infinite where
  psi is.
*/
wring_law_constraint wring_law_root;
