/*
  Isometric bending: psi(z) = k/2 |z|^2, z [1/m] the curvature vector of a hinge, linear in positions; k [N m].
  docs/theory.md (3.60); [Bergou et al. 2006].
*/
#include "law/common/distance.h"

enum { N_PAR = 1 };

static void project(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  (void)par, (void)z;
  for (int c = 0; c < 3; c++) {
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = 0;
  }
}

static const double example[N_PAR] = {1e-2};

const wring_law wring_law_bending_isometric = {
  .name        = "bending_isometric",
  .q           = 1,
  .n_par       = N_PAR,
  .example_par = example,
  .hessian     = wring_distance_point_hessian,
  .project     = project,
  WRING_DISTANCE,
};
