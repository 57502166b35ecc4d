/*
  The closest points of pairs: weights that belong to both bodies, and planes that separate them by as much as the
  distance, which together prove it; the derivative by finite differences; order of corners and rigid motion; widths.
  A region left out, a wrong sign or a closest point that is not the closest fails.
*/
#include "check.h"
#include "contact/barrier/closest.h"
#include <float.h>

enum { DOF = 3 * WRING_MOST_CORNERS };

/* Random corners: some on a lattice, flat, or without length, where regions meet. */
static void draw(uint64_t *state, int how, double x[DOF])
{
  for (int i = 0; i < DOF; i++) x[i] = how % 3 == 1 ? floor(2.5 * test_random(state)) : test_random(state);
  if (how % 5 == 1)
    for (int i = 2; i < DOF; i += 3) x[i] = 0.25 * (i == 2);
  if (how % 7 == 1) memcpy(x + 9, x + 6, 3 * sizeof *x);
  if (how % 11 == 1)
    for (int k = 0; k < 3; k++) x[9 + k] = x[6 + k] + (x[3 + k] - x[k]) * (1 + 1e-9 * test_random(state));
}

/* Without what draw makes of others: parallel edges, and edges or triangles without size, have no derivative. */
static int is_generic(int how)
{
  return how % 3 != 1 && how % 7 != 1 && how % 11 != 1;
}

/*
  Both bodies are on their sides of planes normal to r, which are |r| apart: no points of them are closer. Between edges
  that are nearly parallel r may turn by a little more than their angle without a change of the distance: slack.
*/
static void check_foot(wring_pair_kind kind, const double *x, double slack, const wring_foot *f)
{
  const int    n = wring_pair_corners(kind), first = wring_pair_first(kind);
  const double size2 = 100, d2 = f->distance2;
  double       r[3] = {0}, sum[2] = {0, 0}, low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double side = i < first ? 1 : -1;
    double       at   = 0;
    CHECK(side * f->c[i] >= 0, "kind %d: weight %d is %g", kind, i, f->c[i]);
    sum[i >= first] += side * f->c[i];
    for (int k = 0; k < 3; k++) r[k] += f->c[i] * x[3 * i + k], at += f->r[k] * x[3 * i + k];
    if (i < first)
      low = fmin(low, at);
    else
      high = fmax(high, at);
  }
  for (int s = 0; s < 2; s++) CHECK(fabs(sum[s] - 1) < 1e-14, "kind %d: weights add up to %.17g", kind, sum[s]);
  for (int k = 0; k < 3; k++) CHECK(fabs(r[k] - f->r[k]) < 1e-14, "kind %d: r is %g, not %g", kind, f->r[k], r[k]);
  CHECK(low - high > d2 - slack * size2, "kind %d: planes %g apart, squared distance %g", kind, low - high, d2);
}

static void check_parameters(wring_pair_kind kind, const double *x, const wring_foot *f)
{
  for (int a = 0; a < f->n_free; a++) {
    double e[3] = {0}, along = 0, length = 0;
    for (int i = 0; i < 3 * wring_pair_corners(kind); i++) e[i % 3] += f->s[a][i / 3] * x[i];
    for (int k = 0; k < 3; k++) along += e[k] * f->r[k], length += e[k] * e[k];
    CHECK(length > 0, "kind %d: parameter %d moves nothing", kind, a);
    CHECK(fabs(along) < 1e-6, "kind %d: parameter %d moves the points by %g along r", kind, a, along);
  }
}

static double distance2(wring_pair_kind kind, const double *x)
{
  wring_foot f;
  wring_pair_closest(kind, x, &f);
  return f.distance2;
}

static void check_gradient(wring_pair_kind kind, const double *x, const wring_foot *f)
{
  const double step = 1e-6;
  for (int i = 0; i < 3 * wring_pair_corners(kind); i++) {
    double y[DOF];
    memcpy(y, x, sizeof y);
    y[i]               = x[i] + step;
    const double above = distance2(kind, y);
    y[i]               = x[i] - step;
    const double slope = (above - distance2(kind, y)) / (2 * step), g = 2 * f->c[i / 3] * f->r[i % 3];
    CHECK(fabs(slope - g) < 2e-5, "kind %d: derivative %d is %g, not %g", kind, i, g, slope);
  }
}

/* The distance does not change when the corners of a body change places, or both move rigidly. */
static void check_invariance(wring_pair_kind kind, const double *x, double d2, uint64_t *state)
{
  static const int order[WRING_N_PAIR][4] = {{1, 0}, {0, 2, 1}, {0, 2, 3, 1}, {3, 2, 0, 1}};
  double           R[9], shift[3], y[DOF] = {0};
  test_rotation(state, R);
  for (int k = 0; k < 3; k++) shift[k] = test_random(state);
  for (int i = 0; i < wring_pair_corners(kind); i++)
    for (int k = 0; k < 3; k++) {
      const double *const p = x + 3 * order[kind][i];
      y[3 * i + k]          = shift[k] + R[3 * k] * p[0] + R[3 * k + 1] * p[1] + R[3 * k + 2] * p[2];
    }
  const double moved = distance2(kind, y);
  CHECK(fabs(moved - d2) < 1e-13, "kind %d: squared distance %g becomes %g", kind, d2, moved);
}

/* Parallel planes between both bodies are no farther apart than closest points, and as far if they are normal to r. */
static void check_width(wring_pair_kind kind, const double *x, double slack, const wring_foot *f, uint64_t *state)
{
  const double zero[3] = {0};
  double       R[9], n[3];
  const double d = wring_foot_normal(f, n), width = wring_pair_width(kind, x, n);
  test_rotation(state, R);
  CHECK(fabs(d * d - f->distance2) < 1e-14 * fmax(1, f->distance2), "kind %d: distance %g, squared %g", kind, d,
        f->distance2);
  CHECK(d < 1e-9 || d - width < 100 * slack / d, "kind %d: planes normal to r are %g, points %g apart", kind, width, d);
  for (int i = 0; i < 9; i += 3)
    CHECK(wring_pair_width(kind, x, R + i) <= d + 1e-14, "kind %d: planes are farther apart than points, %g", kind, d);
  CHECK(wring_pair_width(kind, x, zero) == 0, "kind %d: a direction of length 0 has a width", kind);
}

/* Differences are taken before products: far from the origin nothing but the rounding of positions is lost. */
static void check_far(void)
{
  const double at = 1048576, h = 1.0 / 1048576; // exact
  const double x[DOF] = {at + h, at, at + h, at, at, at, at + 4 * h, at - 4 * h, at, at + 4 * h, at + 4 * h, at};
  const double d2     = distance2(WRING_PAIR_POINT_TRIANGLE, x);
  CHECK(fabs(d2 - h * h) < 1e-15 * h * h, "far from the origin: %.17g, not %.17g", d2, h * h);
}

int main(int argc, char **argv)
{
  uint64_t state                    = 1;
  int      seen[WRING_N_PAIR][3][5] = {{{0}}};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int q = 0; q < 20000; q++)
    for (int kind = 0; kind < WRING_N_PAIR; kind++) {
      double     x[DOF];
      wring_foot f;
      int        corners = 0;
      draw(&state, q, x);
      wring_pair_closest((wring_pair_kind)kind, x, &f);
      const double slack = q % 11 == 1 ? 1e-9 : 1e-15;
      check_foot((wring_pair_kind)kind, x, slack, &f);
      check_parameters((wring_pair_kind)kind, x, &f);
      check_invariance((wring_pair_kind)kind, x, f.distance2, &state);
      check_width((wring_pair_kind)kind, x, slack, &f, &state);
      if (is_generic(q)) check_gradient((wring_pair_kind)kind, x, &f);
      for (int i = 0; i < WRING_MOST_CORNERS; i++) corners += f.c[i] != 0;
      seen[kind][f.n_free][corners]++;
    }
  CHECK(seen[WRING_PAIR_POINT_EDGE][0][2] && seen[WRING_PAIR_POINT_EDGE][1][3], "a region of point-edge is missing");
  for (int kind = WRING_PAIR_POINT_TRIANGLE; kind < WRING_N_PAIR; kind++)
    CHECK(seen[kind][0][2] && seen[kind][1][3] && seen[kind][2][4], "a region of kind %d is missing", kind);
  check_far();
  PetscCall(PetscFinalize());
  return 0;
}
