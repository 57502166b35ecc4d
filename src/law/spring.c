/* Spring: psi(z) = k/2 (|z| - l)^2, z = x_i - x_j [m]; k [N/m], rest length l [m]. docs/theory.md (3.4) */
#include "law/common/length.h"
#include "law/common/passes.h"

static const double example[LENGTH_N_PAR] = {1e4, 0.1};

const wring_law wring_law_spring = {
  .name         = "spring",
  .q            = 1,
  .n_par        = LENGTH_N_PAR,
  .example_par  = example,
  .pose         = WRING_POSE_PROJECT,
  .energy       = wring_length_energy,
  .fused        = wring_length_fused,
  .hessian      = wring_length_hessian,
  .project      = wring_length_project,
  .slope        = wring_law_slope_of_stiffness,
  .prox         = wring_length_prox,
  .n_constraint = 1,
  .constraint   = wring_length_constraint,
  .n_row        = 1,
  .row          = wring_length_row,
  .row_fault    = wring_length_fault,
};
