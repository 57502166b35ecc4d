/* Attachment: psi(x) = k/2 |x - t|^2, a spring of length 0 to the target t [m]; k [N/m]. */
#include "law/common/distance.h"

enum { K, TARGET, N_PAR = TARGET + 3 };

static void project(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  (void)z;
  for (int c = 0; c < 3; c++) {
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = par[TARGET + c][lane];
  }
}

/* C_c = x_c - t_c: the scalar form |x - t| has no gradient at x = t. */
static void row(WRING_SELF, int c, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  for (int i = 0; i < 3; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) dC[i][lane] = i == c;
  }
  for (int lane = 0; lane < WRING_LANES; lane++) {
    C[lane] = z[c][lane] - par[TARGET + c][lane];
    k[lane] = par[K][lane];
  }
}

static const double example[N_PAR] = {1e4, 0.3, 0.1, 0.2};

const wring_law wring_law_attachment = {
  .name        = "attachment",
  .q           = 1,
  .n_par       = N_PAR,
  .example_par = example,
  .pose        = WRING_POSE_PROJECT,
  .hessian     = wring_distance_point_hessian,
  .project     = project,
  .n_row       = 3,
  .row         = row,
  WRING_DISTANCE,
};
