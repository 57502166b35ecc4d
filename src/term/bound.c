/* The longest step before an element of a law that is infinite for det F <= 0 becomes flat. docs/theory.md (5.10) */
#include "kernels.h"
#include "base/block3.h"
#include <math.h>

enum { BISECTIONS = 64 };

/* det(F + a D) = c0 + c1 a + c2 a^2 + c3 a^3 */
typedef struct {
  double c0, c1, c2, c3;
} cubic;

static double value(cubic p, double a)
{
  return p.c0 + a * (p.c1 + a * (p.c2 + a * p.c3));
}

/* The stationary points of p in (0, 1), in ascending order; returns their number. */
static int stationary_points(cubic p, double at[2])
{
  const double a = 3 * p.c3, b = p.c2, c = p.c1, discriminant = b * b - a * c; // a t^2 + 2 b t + c = 0
  const double q = -(b + copysign(sqrt(fmax(discriminant, 0)), b));
  double       root[2];
  int          n = 0;
  if (discriminant < 0) return 0;
  root[0] = fmin(q / a, c / q), root[1] = fmax(q / a, c / q); // not finite if there is no root
  for (int i = 0; i < 2; i++) {
    if (root[i] > 0 && root[i] < 1) at[n++] = root[i];
  }
  return n;
}

/* The first a in (0, 1] with p <= 0, approximated from below; INFINITY if there is none or if p(0) is not above 0. */
static double first_root(cubic p)
{
  double at[3], from = 0, to = 1;
  int    n = stationary_points(p, at), i = 0;
  at[n++] = 1;
  if (!(p.c0 > 0)) return INFINITY;
  for (; i < n && value(p, at[i]) > 0; i++) from = at[i];
  if (i == n || !isfinite(value(p, 1))) return INFINITY;
  to = at[i];
  for (int k = 0; k < BISECTIONS; k++) {
    const double middle = 0.5 * (from + to);
    if (value(p, middle) > 0)
      from = middle;
    else
      to = middle;
  }
  return from;
}

/*
  The cubics of a block. Returns 1 if all of their Bernstein coefficients are positive, so that all cubics stay above 0
  on [0, 1]: the common case, which needs no roots.
*/
static int find_cubics(wring_in z, wring_in dz, double (*c)[LANES])
{
  WRING_ALIGNED lanes least;
  int                 positive = 1;
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    const mat3   f = mat3_load(z, l), d = mat3_load(dz, l), cf = mat3_cofactor(f), cd = mat3_cofactor(d);
    const double c0 = mat3_det(f, cf), c1 = mat3_dot(cf, d), c2 = mat3_dot(f, cd), c3 = mat3_det(d, cd);
    c[0][l] = c0, c[1][l] = c1, c[2][l] = c2, c[3][l] = c3;
    least[l] = block3_min(block3_min(c0, c0 + c1 / 3), block3_min(c0 + (2 * c1 + c2) / 3, c0 + c1 + c2 + c3));
  }
  for (int l = 0; l < LANES; l++) positive &= least[l] > 0; // false for NaN
  return positive;
}

/* The least bound of the elements of a row; padded lanes repeat an element. */
static void map_bound(const term_row *r)
{
  WRING_ALIGNED lanes p[4];
  if (find_cubics(r->z, r->z + FIELD, p)) return;
  for (int l = 0; l < LANES; l++) r->sum[0] = fmin(r->sum[0], first_root((cubic){p[0][l], p[1][l], p[2][l], p[3][l]}));
}

PetscBool wring_term_is_bounded(const wring_term *t)
{
  return (PetscBool)(t->law->positive && t->active);
}

void wring_term_mark_cells(const wring_term *t, char *mark)
{
  if (!t->cell) return;
  for (PetscInt e = 0; e < t->n; e++) mark[t->cell[e]] = 1;
}

double wring_term_bound(const wring_term *t, const double *x, const double *d)
{
  const wring_pass pass  = {.t = t, .map = map_bound, .more = {d}, .n_more = 1, .n_sum = 1, .start = INFINITY};
  double           bound = INFINITY;
  if (!wring_term_is_bounded(t)) return bound;
  wring_pass_run(&pass, WRING_ALL, x, NULL, NULL);
  for (PetscInt c = 0; c < t->n_chunk; c++) bound = fmin(bound, t->partial[c]);
  return bound <= 1 ? bound : INFINITY;
}
