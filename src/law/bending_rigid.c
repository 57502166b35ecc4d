/*
  Rigid bending: psi(z) = k/2 |z - R z_0|^2, z [1/m] the curvature vector of a hinge, z_0 at rest, k [N m]. For the
  rotation R that best aligns z_0 with z, |z - R z_0|^2 = (|z| - l)^2 with l = |z_0|. docs/theory.md (3.61); [Bouaziz et
  al. 2014].
*/
#include "law/common/length.h"

static const double example[LENGTH_N_PAR] = {1e-2, 2};

const wring_law wring_law_bending_rigid = {
  .name        = "bending_rigid",
  .example_par = example,
  WRING_LENGTH,
};
