/* Closest points of pairs: the nearest of the points on boundaries, and of those inside both bodies. (9.13), (9.14) */
#include "closest.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

enum { CORNERS = WRING_MOST_CORNERS };

static const double parallel = 1e-24; // squared sine below which edges are parallel, and a triangle is its edges
static const double accurate = 1e-6;  // above which points inside are accurate
static const double border   = 1e-9;  // weights that points on a border, which has n_free < 2, may get by round-off

int wring_pair_corners(wring_pair_kind kind)
{
  static const int corners[WRING_N_PAIR] = {2, 3, 4, 4};
  return corners[kind];
}

int wring_pair_first(wring_pair_kind kind)
{
  return kind == WRING_PAIR_EDGE_EDGE ? 2 : 1;
}

static void combine(const double c[CORNERS], const double y[3 * CORNERS], double r[3])
{
  for (int k = 0; k < 3; k++) r[k] = c[0] * y[k] + c[1] * y[3 + k] + c[2] * y[6 + k] + c[3] * y[9 + k];
}

/* Corner p and the edge of corners a and b; sign 1 if p is of the first body, else -1. */
static void near_edge(const double *y, int p, int a, int b, double sign, wring_foot *best)
{
  double e[3], r[3];
  wring_subtract3(y + 3 * b, y + 3 * a, e);
  wring_subtract3(y + 3 * p, y + 3 * a, r);
  const double t = wring_dot3(e, r) / wring_dot3(e, e), at = t > 0 ? fmin(t, 1) : 0; // 0 without length
  if (at == 1) wring_subtract3(y + 3 * p, y + 3 * b, r);                             // exact, as it is at a
  for (int k = 0; k < 3; k++) r[k] = sign * (at == 1 ? r[k] : r[k] - at * e[k]);
  const double distance2 = wring_dot3(r, r);
  if (!(distance2 < best->distance2)) return;
  *best         = (wring_foot){.distance2 = distance2, .r = {r[0], r[1], r[2]}, .n_free = at > 0 && at < 1};
  best->c[p]    = sign;
  best->c[a]    = -sign * (1 - at);
  best->c[b]    = -sign * at;
  best->s[0][a] = sign;
  best->s[0][b] = -sign;
}

/*
  Points inside both bodies: r = sum of (c + t_0 s_0 + t_1 s_1)[i] y[i] normal to e_j = sum of s_j[i] y[i]. Sets foot if
  there are; returns whether they are, beyond round-off, the closest ones.
*/
static int near_inside(const double *y, const wring_foot *start, int first, wring_foot *foot)
{
  wring_foot at    = *start;
  double     least = 1, e[2][3], r[3], n[3], a[3];
  for (int j = 0; j < 2; j++) combine(start->s[j], y, e[j]);
  combine(start->c, y, r);
  wring_cross3(e[0], e[1], n);
  const double nn = wring_dot3(n, n), sine2 = nn / (wring_dot3(e[0], e[0]) * wring_dot3(e[1], e[1]));
  if (!(sine2 > parallel)) return 0;
  wring_cross3(r, e[1], a);
  const double t0 = -wring_dot3(a, n) / nn; // inaccurate if the edges are near parallel, but t1 fits it
  const double t1 = -(wring_dot3(r, e[1]) + t0 * wring_dot3(e[0], e[1])) / wring_dot3(e[1], e[1]);
  for (int i = 0; i < CORNERS; i++) {
    at.c[i] += t0 * start->s[0][i] + t1 * start->s[1][i];
    least = fmin(least, i < first ? at.c[i] : -at.c[i]);
  }
  if (!(least >= 0)) return 0;
  combine(at.c, y, at.r);
  at.distance2 = wring_dot3(at.r, at.r);
  *foot        = at;
  return sine2 > accurate && least > border;
}

/* r -= the part of r along e, which is not 0 */
static void remove_part(const double e[3], double r[3])
{
  const double a = wring_dot3(r, e) / wring_dot3(e, e);
  for (int k = 0; k < 3; k++) r[k] -= a * e[k];
}

/*
  Makes r normal to what its parameters move: otherwise it is off by 1e-16 of the size of the pair, which is much of a
  small distance.
*/
static void straighten(const double *y, wring_foot *foot)
{
  double e[2][3];
  for (int j = 0; j < foot->n_free; j++) {
    combine(foot->s[j], y, e[j]);
    if (j == 1) remove_part(e[0], e[1]);
    remove_part(e[j], foot->r);
  }
  foot->distance2 = wring_dot3(foot->r, foot->r);
}

static void near_triangle(const double *y, wring_foot *best)
{
  static const wring_foot start  = {.c = {1, -1}, .n_free = 2, .s = {{0, 1, -1, 0}, {0, 1, 0, -1}}};
  wring_foot              inside = {.distance2 = INFINITY};
  const int               sure   = near_inside(y, &start, 1, &inside);
  for (int a = 1; a < 4 && !sure; a++) near_edge(y, 0, a, a % 3 + 1, 1, best);
  if (inside.distance2 < best->distance2) *best = inside;
}

static void near_edges(const double *y, wring_foot *best)
{
  static const wring_foot start  = {.c = {1, 0, -1, 0}, .n_free = 2, .s = {{-1, 1, 0, 0}, {0, 0, 1, -1}}};
  wring_foot              inside = {.distance2 = INFINITY};
  const int               sure   = near_inside(y, &start, 2, &inside);
  for (int p = 0; p < 2 && !sure; p++) near_edge(y, p, 2, 3, 1, best);
  for (int p = 2; p < 4 && !sure; p++) near_edge(y, p, 0, 1, -1, best);
  if (inside.distance2 < best->distance2) *best = inside;
}

void wring_pair_closest(wring_pair_kind kind, const double *x, wring_foot *foot)
{
  double y[3 * CORNERS] = {0}; // from the first corner: differences of positions have no cancellation
  for (int i = 3; i < 3 * wring_pair_corners(kind); i++) y[i] = x[i] - x[i % 3];
  *foot = (wring_foot){.distance2 = INFINITY};
  if (kind == WRING_PAIR_POINT_POINT)
    *foot = (wring_foot){.c = {1, -1}, .r = {-y[3], -y[4], -y[5]}, .distance2 = wring_dot3(y + 3, y + 3)};
  else if (kind == WRING_PAIR_POINT_EDGE)
    near_edge(y, 0, 1, 2, 1, foot);
  else if (kind == WRING_PAIR_POINT_TRIANGLE)
    near_triangle(y, foot);
  else
    near_edges(y, foot);
  straighten(y, foot);
}

double wring_foot_normal(const wring_foot *foot, double n[3])
{
  const double d = sqrt(foot->distance2);
  for (int k = 0; k < 3; k++) n[k] = d > 0 ? foot->r[k] / d : 0;
  return d;
}

double wring_pair_width(wring_pair_kind kind, const double *x, const double n[3])
{
  const int corners = wring_pair_corners(kind), first = wring_pair_first(kind);
  double    least = INFINITY, most = -INFINITY, sum = 0;
  for (int i = 0; i < corners; i++) {
    double from_first[3];
    wring_subtract3(x + 3 * i, x, from_first);
    const double at = wring_dot3(n, from_first);
    if (i < first)
      least = at < least ? at : least;
    else
      most = at > most ? at : most;
    sum += at;
  }
  return least - most + 0 * sum; // NaN if a corner is not finite
}

/* The corner that has most of the closest point of a body. */
static int heaviest(const wring_foot *foot, int from, int to)
{
  int at = from;
  for (int i = from + 1; i < to; i++)
    if (fabs(foot->c[i]) > fabs(foot->c[at])) at = i;
  return at;
}

void wring_pair_turn(wring_pair_kind kind, const double *x, wring_foot *foot)
{
  const int first = wring_pair_first(kind), corners = wring_pair_corners(kind);
  const int base[2]        = {heaviest(foot, 0, first), heaviest(foot, first, corners)};
  double    y[3 * CORNERS] = {0}, edge[3], most = 0;
  int       worst = -1;
  if (foot->n_free == 2) return;
  for (int i = 0; i < 3 * corners; i++) y[i] = x[i] - x[i % 3];
  for (int i = 0; i < corners; i++) {
    wring_subtract3(y + 3 * i, y + 3 * base[i >= first], edge);
    const double beyond = wring_dot3(edge, foot->r) * (i < first ? -1 : 1);
    if (beyond > most) most = beyond, worst = i;
  }
  if (worst < 0) return;
  double *const s         = memset(foot->s[foot->n_free++], 0, sizeof foot->s[0]);
  s[worst]                = 1;
  s[base[worst >= first]] = -1;
  straighten(y, foot);
}
