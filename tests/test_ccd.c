/*
  The bound of steps on random and degenerate queries, against exact arithmetic. That nothing passes on [0, alpha] is
  proved for each query: time is cut into intervals, each with planes whose order along a normal is the same at both
  ends, and with it between them; signs are those of exact sums of products of the given numbers. A step that is too
  long has no proof and fails. Steps that are shorter than they had to be are counted. The second argument is the number
  of queries, 20,000 by default.
*/
#include "check.h"
#include "contact/barrier/ccd.h"
#include <float.h>

enum { DOF = 3 * WRING_MOST_CORNERS, MOST_TERMS = 128, DEPTH = 48 };

typedef struct {
  wring_pair_kind kind;
  double          x[DOF], dx[DOF], radius, keep;
} query;

/* ---- exact signs ------------------------------------------------------------------------------------------------- */

/* A sum of doubles without overlap, in increasing order: its value is exact [Shewchuk 1997]. */
typedef struct {
  int    n;
  double term[MOST_TERMS];
} expansion;

static void add(expansion *e, double b)
{
  int n = 0;
  for (int i = 0; i < e->n; i++) {
    const double a = e->term[i], sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
    if (error != 0) e->term[n++] = error;
    b = sum;
  }
  if (b != 0) e->term[n++] = b;
  e->n = n;
}

static void add_product(expansion *e, double a, double b)
{
  const double p = a * b;
  add(e, fma(a, b, -p));
  add(e, p);
}

static void add_triple(expansion *e, double a, double b, double c)
{
  const double p = a * b;
  add_product(e, fma(a, b, -p), c);
  add_product(e, p, c);
}

/* True if n . (x_i - x_j + t (dx_i - dx_j)) > 0, exactly. */
static int is_apart(const query *q, const double n[3], double t, int i, int j)
{
  double value = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    const double at = n[k] * (q->x[3 * i + k] - q->x[3 * j + k]), by = n[k] * (q->dx[3 * i + k] - q->dx[3 * j + k]);
    value += at + t * by;
    size += fabs(at) + t * fabs(by);
  }
  if (fabs(value) > 1e-14 * size) return value > 0; // certain: the rounding of 20 operations is below it
  expansion e = {0, {0}};
  for (int k = 0; k < 3; k++) {
    add_product(&e, n[k], q->x[3 * i + k]);
    add_product(&e, -n[k], q->x[3 * j + k]);
    add_triple(&e, t, n[k], q->dx[3 * i + k]);
    add_triple(&e, t, -n[k], q->dx[3 * j + k]);
  }
  return e.n > 0 && e.term[e.n - 1] > 0;
}

/* ---- proofs ------------------------------------------------------------------------------------------------------ */

/* True if planes normal to n separate the bodies at time t, `width` apart up to rounding. */
static int separates(const query *q, const double n[3], double t, double width)
{
  const int first = wring_pair_first(q->kind), corners = wring_pair_corners(q->kind);
  for (int i = 0; i < first; i++)
    for (int j = first; j < corners; j++) {
      double room = 0;
      if (!is_apart(q, n, t, i, j)) return 0;
      for (int k = 0; k < 3; k++)
        room += n[k] * (q->x[3 * i + k] - q->x[3 * j + k] + t * (q->dx[3 * i + k] - q->dx[3 * j + k]));
      if (room < width) return 0;
    }
  return 1;
}

static double distance(const query *q, double t, double n[3])
{
  double     at[DOF];
  wring_foot f;
  for (int i = 0; i < DOF; i++) at[i] = q->x[i] - q->x[i % 3] + t * (q->dx[i] - q->dx[i % 3]);
  wring_pair_closest(q->kind, at, &f);
  const double d = sqrt(f.distance2);
  for (int k = 0; k < 3; k++) n[k] = d > 0 ? f.r[k] / d : 0;
  return d;
}

/* True if the bodies are proved to be apart, by at least `width`, on [from, to]. */
static int is_free(const query *q, double from, double to, double width, int depth)
{
  const double mid = 0.5 * (from + to), at[3] = {mid, from, to};
  for (int k = 0; k < 3; k++) {
    double n[3];
    if (distance(q, at[k], n) < width) return 0;
    if (separates(q, n, from, width) && separates(q, n, to, width)) return 1;
  }
  return depth > 0 && mid > from && mid < to && is_free(q, from, mid, width, depth - 1) &&
         is_free(q, mid, to, width, depth - 1);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

static double pick(uint64_t *state, int n)
{
  return floor(n * (0.5 + 0.5 * test_random(state)));
}

static void draw_corners(uint64_t *state, double *x, double size, int lattice)
{
  for (int i = 0; i < DOF; i++) x[i] = size * (lattice ? pick(state, 5) - 2 : test_random(state));
}

/* Degenerate queries: coplanar, parallel, without length, touching, grazing, slow, translated, at rest. */
static void degrade(uint64_t *state, query *q)
{
  const int what = (int)pick(state, 12), body = 3 * wring_pair_first(q->kind);
  if (what == 0)
    for (int i = 2; i < DOF; i += 3) q->x[i] = 1, q->dx[i] = 0;
  if (what == 1 || what == 2)
    for (int k = 0; k < 3; k++) {
      q->x[9 + k] = q->x[6 + k] + 0.5 * (q->x[3 + k] - q->x[k]);
      if (what == 2) q->dx[9 + k] = q->dx[6 + k] + 0.5 * (q->dx[3 + k] - q->dx[k]);
    }
  if (what == 3) memcpy(q->x + 9, q->x + 6, 3 * sizeof *q->x);
  if (what == 4)
    for (int k = 0; k < 3; k++) q->x[k] = q->x[body + k];
  if (what == 5) memset(q->dx, 0, sizeof q->dx);
  if (what == 6)
    for (int i = 3; i < DOF; i++) q->dx[i] = q->dx[i % 3];
  if (what == 7)
    for (int i = 0; i < DOF; i++) q->dx[i] *= 1e-9;
  if (what == 8) memcpy(q->dx + 9, q->dx + 6, 3 * sizeof *q->dx), memcpy(q->x + 9, q->x + 6, 3 * sizeof *q->x);
}

/* Half of the bodies are brought close: their distance becomes a part of itself, by a shift of the first one. */
static void bring_close(uint64_t *state, query *q)
{
  double       n[3];
  const double d = distance(q, 0, n), part = pow(10, -10 * (0.5 + 0.5 * test_random(state)));
  for (int i = 0; i < 3 * wring_pair_first(q->kind); i++) q->x[i] -= (1 - part) * d * n[i % 3];
}

static void draw(uint64_t *state, query *q)
{
  static const double sizes[] = {1, 1, 1, 1e-6, 1e3};
  const double        size = sizes[(int)pick(state, 5)], far = pick(state, 4) == 0 ? 1e6 * test_random(state) : 0;
  const int           lattice = pick(state, 3) == 0;
  memset(q, 0, sizeof *q);
  q->kind   = (wring_pair_kind)pick(state, WRING_N_PAIR);
  q->keep   = pick(state, 2) == 0 ? 0.2 : 0.01;
  q->radius = 0;
  draw_corners(state, q->x, size, lattice);
  draw_corners(state, q->dx, 2 * size, lattice);
  degrade(state, q);
  if (pick(state, 2) == 0) bring_close(state, q);
  for (int i = 0; i < DOF; i++) q->x[i] += far;
  double n[3];
  if (pick(state, 4) == 0) q->radius = 0.5 * distance(q, 0, n);
}

/* ---- what is counted --------------------------------------------------------------------------------------------- */

typedef struct {
  long queries, whole, cut, none; // steps of 1, between, 0
  long passed;                    // longer than proved: must be 0
  long unresolved;                // cut; the distance is below 1e-13 of the coordinates, or not much above it
  long wary;                      // cut, although the bodies would not have met on the whole step
  long false_positive;            // cut, although they would have stayed well above the distance that ends a step
} counts;

/* The largest difference of coordinates, and motion. */
static double size_of(const query *q)
{
  double size = 0;
  for (int i = 0; i < 3 * wring_pair_corners(q->kind); i++)
    size = fmax(size, fmax(fabs(q->x[i] - q->x[i % 3]), fabs(q->dx[i])));
  return size;
}

/* The largest coordinate on the way: positions are as accurate as it is. */
static double reach_of(const query *q)
{
  double reach = 0;
  for (int i = 0; i < 3 * wring_pair_corners(q->kind); i++) reach = fmax(reach, fabs(q->x[i]) + fabs(q->dx[i]));
  return reach;
}

static void judge(const query *q, counts *c)
{
  double       n[3];
  const double d = distance(q, 0, n), least = q->radius + q->keep * (d - q->radius);
  const double alpha = wring_pair_bound(q->kind, q->x, q->dx, q->radius, q->keep);
  CHECK(alpha >= 0 && alpha <= 1, "a step of %g", alpha);
  c->queries++;
  c->whole += alpha == 1, c->none += alpha == 0, c->cut += alpha > 0 && alpha < 1;
  int moves = 0;
  for (int i = 0; i < 3 * wring_pair_corners(q->kind); i++) moves |= q->dx[i] != 0;
  CHECK(moves || alpha == 1, "a pair at rest is bounded by %g", alpha);
  if (!moves) return;
  if (alpha > 0 && !is_free(q, 0, alpha, least - 1e-14 * size_of(q), DEPTH)) c->passed++;
  if (alpha == 1 || !(d > q->radius)) return;
  if ((1 - q->keep) * (d - q->radius) < 1e-13 * reach_of(q)) {
    c->unresolved++;
    return;
  }
  c->wary += is_free(q, 0, 1, 0, DEPTH);
  c->false_positive += is_free(q, 0, 1, least + 0.1 * (d - least), DEPTH);
}

/* ---- single cases ------------------------------------------------------------------------------------------------ */

/* A vertex falls onto a triangle: the step is known. */
static void check_fall(void)
{
  const double x[DOF] = {0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, dx[DOF] = {0, 0, -10};
  const double alpha = wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2);
  CHECK(fabs(alpha - 0.08) < 1e-12, "the step is %.15g", alpha);
  const double thick = wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0.5, 0.2);
  CHECK(fabs(thick - 0.04) < 1e-12, "the step of a thick triangle is %.15g", thick);
}

/* What is not finite, touches or is too near for its place stops. */
static void check_stops(void)
{
  double x[DOF] = {0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, dx[DOF] = {0, 0, 1};
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 1, "a vertex that leaves is stopped");
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 1, 0.2) == 0, "touching spheres move");
  dx[1] = NAN;
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 0, "a motion of nan is free");
  dx[1] = INFINITY;
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 0, "a motion of inf is free");
  dx[1] = 0, x[4] = NAN;
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 0, "a corner at nan is free");
  x[4] = 0, x[2] = 0;
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 0, "a vertex on the triangle is free");
  x[2] = 1e-17;
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 0, "a distance that is not resolved is free");
}

int main(int argc, char **argv)
{
  uint64_t state = 1;
  counts   c     = {0};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  check_fall();
  check_stops();
  const long n = argc > 2 ? atol(argv[2]) : 20000;
  for (long i = 0; i < n; i++) {
    query q;
    draw(&state, &q);
    judge(&q, &c);
  }
  printf("%ld queries: %ld free, %ld cut, %ld without a step; %ld passed; %ld unresolved, %ld cut without a collision, "
         "%ld far from it\n",
         c.queries, c.whole, c.cut, c.none, c.passed, c.unresolved, c.wary, c.false_positive);
  CHECK(c.passed == 0, "%ld steps are too long", c.passed);
  CHECK(c.false_positive <= 1e-3 * (double)c.queries, "%ld steps are far too short", c.false_positive);
  CHECK(c.cut > c.queries / 20, "only %ld queries are cut", c.cut);
  PetscCall(PetscFinalize());
  return 0;
}
