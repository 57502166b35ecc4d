/* Spring: psi(z) = k/2 (|z| - l)^2, z = x_i - x_j [m]; k [N/m], rest length l [m]. docs/theory.md (3.4) */
#include "law/common/length.h"

static const double example[LENGTH_N_PAR] = {1e4, 0.1};

const wring_law wring_law_spring = {
  .name        = "spring",
  .example_par = example,
  .pose        = WRING_POSE_PROJECT,
  .n_row       = 1,
  .row         = wring_length_row,
  .row_fault   = wring_length_fault,
  WRING_LENGTH,
};
