/*
  The bound of steps on random and degenerate queries, against exact arithmetic. That the bodies stay as far apart as
  promised on [0, alpha] is proved for each query: time is cut into intervals, each with planes whose order along a
  normal is the same at both ends, and with it between them; signs are those of exact sums of products of the given
  numbers, and if the closest points give no such planes, the normals of all features are tried. Planes that turn with
  the bodies are tried too, in long double with the errors of its rounding. A step that is too long has no proof and
  fails, as one does in which closest points come too near. Steps that are shorter than they had to be are counted. The
  second argument is the number of queries, 20,000 by default.
*/
#include "check.h"
#include "contact/barrier/ccd.h"
#include <float.h>

enum { DOF = 3 * WRING_MOST_CORNERS, MOST_TERMS = 128, DEPTH = 52, INTERVALS = 20000 };

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

/* True if n . (x_i - x_j + t (dx_i - dx_j)) > width, exactly. */
static int is_apart(const query *q, const double n[3], double t, int i, int j, double width)
{
  double value = -width, size = width;
  for (int k = 0; k < 3; k++) {
    const double at = n[k] * (q->x[3 * i + k] - q->x[3 * j + k]), by = n[k] * (q->dx[3 * i + k] - q->dx[3 * j + k]);
    value += at + t * by;
    size += fabs(at) + t * fabs(by);
  }
  if (fabs(value) > 1e-14 * size) return value > 0; // certain: the rounding of 20 operations is below it
  expansion e = {0, {0}};
  add(&e, -width);
  for (int k = 0; k < 3; k++) {
    add_product(&e, n[k], q->x[3 * i + k]);
    add_product(&e, -n[k], q->x[3 * j + k]);
    add_triple(&e, t, n[k], q->dx[3 * i + k]);
    add_triple(&e, t, -n[k], q->dx[3 * j + k]);
  }
  return e.n > 0 && e.term[e.n - 1] > 0;
}

/* ---- proofs ------------------------------------------------------------------------------------------------------ */

typedef enum { FREE, MET, UNDECIDED } verdict;

typedef struct {
  double width;      // m, what must be between the bodies
  double resolution; // m, below which they have met, however small the width is
  int    intervals;  // that may still be looked at
} proof;

/* True if planes normal to n separate the bodies by `width` at the times from and to, hence between them. */
static int separates(const query *q, const double n[3], double from, double to, double width)
{
  const int first = wring_pair_first(q->kind), corners = wring_pair_corners(q->kind);
  for (int i = 0; i < first; i++)
    for (int j = first; j < corners; j++)
      if (!is_apart(q, n, from, i, j, width) || !is_apart(q, n, to, i, j, width)) return 0;
  return 1;
}

/* Corners from the first one at time t: differences have no cancellation. */
static void corners_at(const query *q, double t, double *at)
{
  for (int i = 0; i < DOF; i++) at[i] = q->x[i] - q->x[i % 3] + t * (q->dx[i] - q->dx[i % 3]);
}

static double distance(const query *q, double t, double n[3])
{
  double     at[DOF];
  wring_foot f;
  corners_at(q, t, at);
  wring_pair_closest(q->kind, at, &f);
  return wring_foot_normal(&f, n);
}

static void remove_part(const double e[3], double r[3])
{
  const double ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2], a = e[0] * r[0] + e[1] * r[1] + e[2] * r[2];
  for (int k = 0; k < 3 && ee > 0; k++) r[k] -= a / ee * e[k];
}

/*
  The unit normal n of a feature of each body that meet corners i and j: from j to i without its parts along those edges
  at i and j that `free` has; returns 0 if nothing is left. The closest points' n is that of one of the choices of i, j
  and free, but which one it is, is not known where a distance is that of two features up to rounding.
*/
static int normal(const query *q, const double *at, int i, int j, int free, double n[3])
{
  const int first = wring_pair_first(q->kind), corners = wring_pair_corners(q->kind);
  double    e[2][3], size;
  int       edges = 0;
  for (int a = 0, bit = 1; a < corners; a++) {
    const int end = a < first ? i : j;
    if (a == end) continue;
    for (int k = 0; k < 3 && (free & bit); k++) e[edges][k] = at[3 * a + k] - at[3 * end + k];
    edges += (free & bit) != 0;
    bit *= 2;
  }
  if (edges == 2) remove_part(e[0], e[1]);
  for (int k = 0; k < 3; k++) n[k] = at[3 * i + k] - at[3 * j + k];
  for (int twice = 0; twice < 2; twice++) // the second time for what rounding has left of a long difference
    for (int b = 0; b < edges; b++) remove_part(e[b], n);
  size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; k++) n[k] /= size;
  return size > 0;
}

/* True if a normal of two features at time t separates the bodies from one time to another. */
static int is_separable(const query *q, double t, double from, double to, double width)
{
  const int first = wring_pair_first(q->kind), corners = wring_pair_corners(q->kind);
  double    at[DOF], n[3];
  corners_at(q, t, at);
  for (int i = 0; i < first; i++)
    for (int j = first; j < corners; j++)
      for (int free = 0; free < 1 << (corners - 2); free++)
        if (normal(q, at, i, j, free, n) && separates(q, n, from, to, width)) return 1;
  return 0;
}

/* At time t: two vectors that span the planes, and one from the second to the first. */
static void span_at(const query *q, double t, long double e[3][3])
{
  static const int of[2][3][2] = {{{2, 1}, {3, 1}, {0, 1}}, {{1, 0}, {3, 2}, {0, 2}}};
  for (int i = 0; i < 9; i++) {
    const int *const of_i = of[q->kind == WRING_PAIR_EDGE_EDGE][i / 3];
    const int        to = 3 * of_i[0] + i % 3, from = 3 * of_i[1] + i % 3;
    e[i / 3][i % 3] = (long double)q->x[to] - q->x[from] + t * ((long double)q->dx[to] - q->dx[from]);
  }
}

static long double dot(const long double a[3], const long double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_long(const long double a[3], const long double b[3], long double c[3])
{
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/*
  True if the plane of the triangle, or the two planes along both edges, separate the bodies between two times: N . r >=
  width |N| with N = e_0 x e_1, r = e_2. Coefficients of Bernstein's polynomials, by the mean of all choices of factors
  from both ends, are bounds of N . r from below; those of |N| are from above. Enough digits, with their errors.
*/
static int turns_apart(const query *q, double from, double to, double width)
{
  long double e[2][3][3], s[4] = {0}, N[3][3] = {{0}}, product[3], size[3], largest = 0, apart = INFINITY;
  if (q->kind != WRING_PAIR_POINT_TRIANGLE && q->kind != WRING_PAIR_EDGE_EDGE) return 0;
  for (int i = 0; i < DOF; i++) largest = fmaxl(largest, fabsl(q->x[i]) + fabsl(q->dx[i]));
  span_at(q, from, e[0]);
  span_at(q, to, e[1]);
  for (int c = 0; c < 8; c++) {
    const int a = c & 1, b = c >> 1 & 1, r = c >> 2;
    cross_long(e[a][0], e[b][1], product);
    s[a + b + r] += dot(product, e[r][2]);
    for (int k = 0; k < 3; k++) N[a + b][k] += product[k] / 2;
  }
  for (int k = 0; k < 3; k++) size[k] = sqrtl(fmaxl(dot(e[0][k], e[0][k]), dot(e[1][k], e[1][k])));
  const long double sign = s[0] < 0 ? -1 : 1, wide = width + 64 * LDBL_EPSILON * largest;
  const long double n[3]    = {sqrtl(dot(N[0], N[0])), sqrtl(dot(N[1], N[1])) / 2, sqrtl(dot(N[2], N[2]))};
  const long double most[4] = {n[0], (n[0] + 2 * n[1]) / 3, (2 * n[1] + n[2]) / 3, n[2]};
  for (int k = 0; k < 4; k++) apart = fminl(apart, sign * s[k] / (k % 3 ? 3 : 1) - wide * most[k]);
  return apart > 64 * LDBL_EPSILON * size[0] * size[1] * size[2];
}

/* Whether the bodies are apart, by more than the width, on [from, to]. */
static verdict is_free(const query *q, double from, double to, proof *p, int depth)
{
  const double mid = 0.5 * (from + to), at[3] = {mid, from, to};
  const double width = p->width * (1 + 1e-15); // |n| is 1 but for that
  if (p->intervals-- <= 0) return UNDECIDED;
  for (int k = 0; k < 3; k++) {
    double n[3];
    if (distance(q, at[k], n) < fmax(p->width, p->resolution)) return MET;
    if (separates(q, n, from, to, width) || turns_apart(q, from, to, width)) return FREE;
    if (!separates(q, n, at[k], at[k], width) && is_separable(q, at[k], from, to, width)) return FREE;
  }
  if (!(depth > 0 && mid > from && mid < to)) return UNDECIDED;
  const verdict left = is_free(q, from, mid, p, depth - 1);
  return left == FREE ? is_free(q, mid, to, p, depth - 1) : left;
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

static void cross(const double a[3], const double b[3], double c[3])
{
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The first corners of both bodies become closest, on the border to regions of one or two edges, up to rounding. */
static void stand_on_border(uint64_t *state, query *q)
{
  const int    body = 3 * wring_pair_first(q->kind), both = (int)pick(state, 2);
  const double height = pow(10, -5 * (0.5 + 0.5 * test_random(state)));
  double       e[2][3], up[3];
  for (int k = 0; k < 3; k++) {
    e[0][k] = q->x[body + 3 + k] - q->x[body + k];
    e[1][k] = body == 6 ? q->x[3 + k] - q->x[k] : q->x[body + 6 + k] - q->x[body + k];
    e[1][k] += both ? 0 : test_random(state);
  }
  cross(e[0], e[1], up);
  for (int k = 0; k < 3; k++) up[k] = q->x[body + k] + height * up[k] - q->x[k];
  for (int i = 0; i < body; i++) q->x[i] += up[i % 3];
}

/* The second body turns about the first one's first corner, to which a point of it is near. */
static void turn(uint64_t *state, query *q)
{
  const int    body = 3 * wring_pair_first(q->kind);
  const double near = pow(10, -4 - 4 * (0.5 + 0.5 * test_random(state)));
  double       axis[3], r[3], middle[3] = {0};
  for (int k = 0; k < 3; k++) axis[k] = test_random(state);
  for (int i = body; i < DOF; i++) middle[i % 3] += q->x[i] / ((DOF - body) / 3);
  for (int i = 0; i < body; i++) q->dx[i] = 0;
  for (int k = 0; k < 3; k++) q->x[k] = middle[k] + near * q->x[k];
  for (int i = body; i < DOF; i += 3) {
    for (int k = 0; k < 3; k++) r[k] = q->x[i + k] - middle[k];
    cross(axis, r, q->dx + i);
  }
}

/* Degenerate queries: coplanar, parallel, without length, touching, slow, translated, at rest, on borders, turning. */
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
  if (what == 9) stand_on_border(state, q);
  if (what == 10) turn(state, q);
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
  long apart;                     // steps of 1 that the first plane shows
  long other;                     // queries that the planes at t = 1/2 show to be free
  long passed;                    // longer than proved: must be 0
  long unresolved;                // cut; the distance is below 1e-13 of the coordinates, or not much above it
  long wary;                      // cut, although the bodies would not have met on the whole step
  long false_positive;            // cut, although they would have stayed well above the distance that ends a step
  long undecided;                 // cut; whether it had to be needs more intervals
} counts;

/* The largest coordinate on the way: positions are as accurate as it is. */
static double reach_of(const query *q)
{
  double reach = 0;
  for (int i = 0; i < 3 * wring_pair_corners(q->kind); i++) reach = fmax(reach, fabs(q->x[i]) + fabs(q->dx[i]));
  return reach;
}

/* Whether the bodies stay apart, by more than the width, until time `to`. */
static verdict stays_apart(const query *q, double to, double width)
{
  proof p = {width, 1e-15 * reach_of(q), INTERVALS};
  return is_free(q, 0, to, &p, DEPTH);
}

/* Whether the closest points are too near at one of many times until `to`: a test of the proofs by planes that turn. */
static int comes_near(const query *q, double to, double width)
{
  enum { TIMES = 64 };
  double n[3], least = INFINITY;
  for (int k = 0; k <= TIMES; k++) least = fmin(least, distance(q, to * k / TIMES, n));
  return least < width - 1e-14 * reach_of(q);
}

static void judge(const query *q, counts *c)
{
  double       n[3];
  const double d = distance(q, 0, n), least = q->radius + q->keep * (d - q->radius);
  const double alpha = wring_pair_bound(q->kind, q->x, q->dx, q->radius, q->keep);
  const int    apart = wring_pair_stays_apart(q->kind, q->x, q->dx, n, least);
  CHECK(alpha >= 0 && alpha <= 1, "a step of %g", alpha);
  CHECK(!apart || alpha == 1, "a pair whose plane is enough is bounded by %g", alpha);
  c->apart += apart;
  c->queries++;
  c->whole += alpha == 1, c->none += alpha == 0, c->cut += alpha > 0 && alpha < 1;
  int moves = 0;
  for (int i = 0; i < 3 * wring_pair_corners(q->kind); i++) moves |= q->dx[i] != 0;
  CHECK(moves || alpha == 1, "a pair at rest is bounded by %g", alpha);
  if (!moves) return;
  distance(q, 0.5, n);
  if (wring_pair_stays_apart(q->kind, q->x, q->dx, n, least)) c->other++, c->passed += stays_apart(q, 1, least) != FREE;
  query end = *q;
  memset(end.dx, 0, sizeof end.dx);
  for (int i = 0; i < DOF; i++) end.x[i] += alpha * q->dx[i]; // rounded
  c->passed += alpha > 0 && comes_near(q, alpha, least);
  c->passed += alpha > 0 && (stays_apart(q, alpha, least) != FREE || stays_apart(&end, 0, least) != FREE);
  if (alpha == 1 || !(d > q->radius)) return;
  if ((1 - q->keep) * (d - q->radius) < 1e-13 * reach_of(q)) {
    c->unresolved++;
    return;
  }
  const verdict any = stays_apart(q, 1, 0), far = stays_apart(q, 1, least + 0.1 * (d - least));
  c->wary += any == FREE, c->false_positive += far == FREE, c->undecided += any == UNDECIDED || far == UNDECIDED;
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

/*
  A triangle, and an edge, turn by 0.3 rad about the other body, which is 4e-7 away: no fixed normal separates them for
  more than about 1e-6 of the step. Fails if only slabs of fixed normals are tried, 512 of them.
*/
static void check_turns(void)
{
  const double tip[DOF]  = {0, 0, 4e-7, 1, 0, 0, -1, 1, 0, -1, -1, 0},
               turn[DOF] = {0, 0, 0, 0, 0, 0, 0, 0, 0.3, 0, 0, -0.3};
  const double edge[DOF] = {-1, 0, 4e-7, 1, 0, 4e-7, 0, -1, 0, 0, 1, 0}, swing[DOF] = {0, 0, -0.3, 0, 0, 0.3};
  const double alpha[2] = {wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, tip, turn, 0, 0.2),
                           wring_pair_bound(WRING_PAIR_EDGE_EDGE, edge, swing, 0, 0.2)};
  CHECK(alpha[0] == 1, "the step of a triangle that turns is %g", alpha[0]);
  CHECK(alpha[1] == 1, "the step of an edge that turns is %g", alpha[1]);
}

/*
  Closest points on the border of two regions. The proofs of the first five need normals of features; the fourth and the
  last moved by 5e-9 and 0 of their steps when n was that of the region in which the closest points were found.
*/
static void check_borders(counts *c)
{
  static const struct {
    query  q;
    double alpha; // at least
  } border[] = {
    {{WRING_PAIR_EDGE_EDGE,
      {-1.0000000152834807, 0.9999999541495579, 1, 1.9999999847165193, 0.9999999541495579, 2, 2, 1, 2, 2, 1, 2},
      {4, 4, 0, 2, -2, -2, -2, -2, -4, 2, -2, -2},
      0,
      0.2},
     0.01},
    {{WRING_PAIR_POINT_EDGE,
      {-1.0662771935192751e-09, 2, -2.1325543870385503e-09, -2, 0, 1, 0, 2, 0},
      {-2, 2, 2, -4, -2, 2, -2, 0, -2},
      1.1921341437833987e-09,
      0.01},
     1},
    {{WRING_PAIR_POINT_TRIANGLE,
      {-2.375506260606623e-15, -9.999999976244937e-07, 1.0000000023755062e-06, 0, 2e-06, -2e-06, 1e-06, -2e-06, -1e-06,
       0, -1e-06, 1e-06},
      {-2e-06, 2e-06, -2e-06, -2e-06, 4e-06, 2e-06, -4e-06, -4e-06, 2e-06, -2e-06, 4e-06, 0},
      2.0572487508146636e-15,
      0.2},
     8e-10},
    {{WRING_PAIR_EDGE_EDGE,
      {-999.9999996496034, 2000, 999.9999996496034, -999.9999996496034, -2000, 999.9999996496034, -1000, -2000, 1000,
       -1000, -4000, 1000},
      {4000, 0, -4000, 2000, 4000, -2000, 4000, 4000, -2000, 0, 0, 4000},
      2.4776780486916584e-07,
      0.01},
     1},
    {{WRING_PAIR_EDGE_EDGE,
      {1.0000115832246137, -1.9999884167753863, -1.9999884167753863, -1.9999884167753863, -0.9999884167753862,
       1.1583224613796757e-05, -2, -1, 0, -2, -1, 0},
      {2, -4, 0, 2, -2, 0, 4, 0, 2, 4, 0, 2},
      1.0031366773203838e-05,
      0.01},
     2e-6},
    {{WRING_PAIR_POINT_TRIANGLE,
      {-2.0000000015453638, -1.0000000010302428, 0.99999999793951466, -2, -1, 1, 0, 2, -2, 0, 0, -1},
      {-2, 0, 0, -2, 0, 0, -4, 2, 2, -4, -4, -2},
      0,
      0.01},
     1e-7},
  };
  for (size_t i = 0; i < sizeof border / sizeof *border; i++) {
    const query *const q     = &border[i].q;
    const double       alpha = wring_pair_bound(q->kind, q->x, q->dx, q->radius, q->keep);
    CHECK(alpha >= border[i].alpha, "the step of query %zu is %.15g", i, alpha);
    judge(q, c);
  }
  CHECK(c->passed == 0, "%ld steps on borders of regions are too long", c->passed);
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
  const double up[3] = {0, 0, 1};
  CHECK(!wring_pair_stays_apart(WRING_PAIR_POINT_TRIANGLE, x, dx, up, 0), "a vertex on the triangle is apart");
  x[2] = 1;
  CHECK(wring_pair_stays_apart(WRING_PAIR_POINT_TRIANGLE, x, dx, up, 0.9), "a vertex that leaves is not apart");
  CHECK(!wring_pair_stays_apart(WRING_PAIR_POINT_TRIANGLE, x, dx, up, 1), "a distance is more than itself");
  dx[2] = -0.5;
  CHECK(!wring_pair_stays_apart(WRING_PAIR_POINT_TRIANGLE, x, dx, up, 0.6), "the end of a way does not count");
  dx[2] = NAN;
  CHECK(!wring_pair_stays_apart(WRING_PAIR_POINT_TRIANGLE, x, dx, up, 0), "a motion of nan stays apart");
  dx[2] = 1, x[2] = 1e-17;
  CHECK(wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, dx, 0, 0.2) == 0, "a distance that is not resolved is free");
}

int main(int argc, char **argv)
{
  uint64_t state = 1;
  counts   c     = {0};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (LDBL_MANT_DIG <= DBL_MANT_DIG) {
    puts("skipped: long double has no more digits than double");
    PetscCall(PetscFinalize());
    return TEST_SKIPPED;
  }
  check_fall();
  check_turns();
  check_stops();
  check_borders(&c);
  const long n = argc > 2 ? atol(argv[2]) : 20000;
  for (long i = 0; i < n; i++) {
    query q;
    draw(&state, &q);
    judge(&q, &c);
  }
  printf("%ld queries: %ld free, %ld cut, %ld without a step; %ld passed; %ld unresolved, %ld cut without a collision, "
         "%ld far from it, %ld undecided\n",
         c.queries, c.whole, c.cut, c.none, c.passed, c.unresolved, c.wary, c.false_positive, c.undecided);
  CHECK(c.passed == 0, "%ld steps are too long", c.passed);
  CHECK(c.false_positive <= 1e-3 * (double)c.queries, "%ld steps are far too short", c.false_positive);
  CHECK(c.cut > c.queries / 20, "only %ld queries are cut", c.cut);
  CHECK(c.apart > c.whole / 2, "one plane shows %ld of %ld whole steps", c.apart, c.whole);
  CHECK(c.other > c.whole / 2, "planes at t = 1/2 show %ld of %ld whole steps", c.other, c.whole);
  PetscCall(PetscFinalize());
  return 0;
}
