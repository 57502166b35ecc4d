/*
  The scalar constraint of a law that has no other: C = sqrt(2 psi), k = 1, so that psi = C^2/2. docs/theory.md (3.36)
*/
#pragma once
#include "isotropic.h"

/*
  Where C^2 of a constraint is below this fraction of its scale, it is rounding error and the gradient is 0/0. A law
  then returns C = 0 and dC = 0, which callers skip.
*/
#define LAW_ROOT_NOISE 1e-28

/*
  C and dC = dpsi/dz / C [9] of a law with q = 3, from its fused pass. The rule is a wring_isotropic; its modulus is the
  scale of psi. C is infinite where psi is.
*/
wring_law_constraint wring_law_root;
