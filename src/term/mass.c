/*
  The nearest rest state of an element in the metric of its vertices' masses, docs/theory.md (5.4): a tet's rest shape,
  rotated and translated [Mueller et al. 2005], a spring's ends at its length, an attachment's target. It does not
  depend on the stiffness.
*/
#include "base/block3.h"
#include "kernels.h"

void wring_term_set_masses(wring_term *t, const double *mass)
{
  t->mass = mass;
}

PetscBool wring_term_has_rest_pose(const wring_term *t)
{
  return (PetscBool)(t->law->pose != WRING_POSE_UNKNOWN);
}

/* Rest positions of a tet's corners about the last one, [4][3]: the columns of D_m, from the rows of D_m^(-1). */
static void rest_corners(wring_in coef, lanes *X)
{
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    const mat3   inverse = mat3_load(coef, l), cofactor = mat3_cofactor(inverse);
    const double scale = 1 / mat3_det(inverse, cofactor);
    mat3_store(X, l, mat3_scale(scale, cofactor));
  }
  for (int c = 0; c < 3; c++) {
    for (int l = 0; l < LANES; l++) X[9 + c][l] = 0;
  }
}

/* Moves the weighted mean of the vertices x [m][3] to 0; weights w [m] sum to 1. */
TERM_INLINE void centre(int m, const lanes *w, lanes *x)
{
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double mean = 0;
      for (int a = 0; a < m; a++) mean += w[a][l] * x[3 * a + c][l];
      for (int a = 0; a < m; a++) x[3 * a + c][l] -= mean;
    }
  }
}

/*
  x <- R X - x about the centres of mass, the displacement to the nearest pose, X [m][3] at rest; R is closest to sum m
  x X^T.
*/
TERM_INLINE void towards_pose(int m, const lanes *mass, lanes *X, lanes *x)
{
  WRING_ALIGNED lanes w[MAX_M], moment[9], R[9];
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    double whole = mass[0][l];
    for (int a = 1; a < m; a++) whole += mass[a][l];
    for (int a = 0; a < m; a++) w[a][l] = mass[a][l] / whole;
  }
  centre(m, (const lanes *)w, X);
  centre(m, (const lanes *)w, x);
  for (int i = 0; i < 9; i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int a = 0; a < m; a++) sum += w[a][l] * x[3 * a + i / 3][l] * X[3 * a + i % 3][l];
      moment[i][l] = sum;
    }
  }
  wring_block3_rotation((wring_in)moment, R);
  for (int i = 0; i < 3 * m; i++) {
    const int a = i / 3, c = i % 3;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      x[i][l] =
        R[3 * c][l] * X[3 * a][l] + R[3 * c + 1][l] * X[3 * a + 1][l] + R[3 * c + 2][l] * X[3 * a + 2][l] - x[i][l];
    }
  }
}

/* The same for tets of first or second order. */
static void towards_shape(const wring_term *t, PetscInt c, PetscInt b, const lanes *mass, lanes *x)
{
  WRING_ALIGNED lanes X[3 * MAX_M];
  if (t->m == QUADRATIC) {
    for (int i = 0; i < 3 * QUADRATIC; i++)
      for (int l = 0; l < LANES; l++) X[i][l] = t->rest[3 * (size_t)term_corner(t, c, b, i / 3, l) + (size_t)(i % 3)];
    towards_pose(QUADRATIC, mass, X, x);
  } else {
    rest_corners((wring_in)row_coef(t, b), X);
    towards_pose(4, mass, X, x);
  }
}

/* x <- p - x of springs and attachments: z moves to the law's projection, each end by the other's share of the mass. */
static void towards_length(const wring_term *t, PetscInt b, const lanes *mass, lanes *x)
{
  WRING_ALIGNED lanes z[3], p[3];
  if (t->m == 2) // constants, so that the compiler can vectorise
    form_z(2, 1, NULL, NULL, (wring_in)x, z);
  else
    form_z(1, 1, NULL, NULL, (wring_in)x, z);
  t->law->project(t->law, term_par(t, b), (wring_in)z, p);
  for (int c = 0; c < 3; c++) {
    for (int l = 0; l < LANES; l++) {
      const double whole = t->m > 1 ? mass[0][l] + mass[1][l] : 1;
      x[c][l]            = (p[c][l] - z[c][l]) * (t->m > 1 ? mass[1][l] / whole : 1);
      if (t->m > 1) x[3 + c][l] = (z[c][l] - p[c][l]) * mass[0][l] / whole;
    }
  }
}

/* d <- M d, 0 in padded lanes; returns sum |d|_M^2/2. */
static double weigh(int m, const double *w, const lanes *mass, lanes *d)
{
  double sum = 0;
  for (int i = 0; i < 3 * m; i++) {
    for (int l = 0; l < LANES; l++) {
      const double force = w[l] > 0 ? mass[i / 3][l] * d[i][l] : 0;
      sum += 0.5 * force * d[i][l];
      d[i][l] = force;
    }
  }
  return sum;
}

void wring_mass_chunk(const wring_pass *pass, PetscInt c, const double *x, double *f, double *sum)
{
  const wring_term *const t = pass->t;
  WRING_ALIGNED lanes     mass[MAX_M], xe[3 * MAX_M];
  for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
    const uint16_t *corner = t->corner + (size_t)b * t->m * LANES;
    gather(t->m, corner, x, xe);
    for (int i = 0; i < t->m * LANES; i++)
      mass[i / LANES][i % LANES] = t->mass[term_corner(t, c, b, i / LANES, i % LANES)];
    if (t->law->pose == WRING_POSE_SHAPE)
      towards_shape(t, c, b, (const lanes *)mass, xe);
    else
      towards_length(t, b, (const lanes *)mass, xe);
    sum[0] += weigh(t->m, block_weight(t, b), (const lanes *)mass, xe);
    scatter(t->m, corner, (wring_in)xe, f);
  }
}

void wring_count_chunk(const wring_pass *pass, PetscInt c, const double *x, double *f, double *sum)
{
  const wring_term *const t = pass->t;
  (void)x, (void)sum;
  WRING_ALIGNED lanes one[3 * MAX_M];
  for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
    for (int i = 0; i < 3 * t->m; i++) {
      for (int l = 0; l < LANES; l++) one[i][l] = block_weight(t, b)[l] > 0;
    }
    scatter(t->m, t->corner + (size_t)b * t->m * LANES, (wring_in)one, f);
  }
}
