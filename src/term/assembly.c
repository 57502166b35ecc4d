/*
  Matrices over the vertices, element by element: A of elements with several points, the Hessian of a row, and the mean
  of the Hessian's diagonal blocks. docs/theory.md (3.2), (4.1), (5.13)
*/
#include "kernels.h"

enum { GROUP = 16 }; // rows whose element matrices one thread holds

/* The chunk of a block, searched forward from chunk c. */
static PetscInt chunk_of(const wring_term *t, PetscInt block, PetscInt c)
{
  while (t->chunk_block[c + 1] <= block) c++;
  return c;
}

/* v: the local vertices of the element in a lane. Returns PETSC_FALSE for padded lanes. */
static PetscBool lane_vertices(const wring_term *t, PetscInt chunk, PetscInt block, int lane, PetscInt *v)
{
  for (int a = 0; a < t->m; a++) v[a] = term_corner(t, chunk, block, a, lane);
  return (PetscBool)(block_weight(t, block)[lane] > 0);
}

/* ---- A ----------------------------------------------------------------------------------------------------------- */

/* The rows of the free vertices of block b at point p; room [9 q] for those of second-order tets. */
static const double *block_rows(const wring_term *t, PetscInt b, int p, lanes *room)
{
  const PetscInt row = b * t->points + p;
  if (t->m == QUADRATIC) return form_rows(QUADRATIC, t->law->q, t->rule->L[p], row_coef(t, row), room);
  return row_coef(t, row);
}

/* value += wk G^T G of the element with vertices v. */
static void add_product(const wring_term *t, const double *g, double wk, const PetscInt *v, const wring_pattern *p,
                        double *value)
{
  const int q = t->law->q;
  for (int i = 0; i < t->m; i++) {
    for (int j = 0; j < t->m; j++) {
      double sum = 0;
      for (int a = 0; a < q; a++) sum += g[q * i + a] * g[q * j + a];
      value[wring_pattern_find(p, v[i], v[j])] += wk * sum;
    }
  }
}

/* The elements of block b of chunk c at a point. */
static void add_point(const wring_term *t, PetscInt c, PetscInt b, int point, const wring_pattern *p, double factor,
                      double *value)
{
  PetscInt            v[MAX_M];
  double              g[MAX_M * MAX_Q];
  WRING_ALIGNED lanes k[1], room[9 * MAX_Q];
  const double *const rows = block_rows(t, b, point, room), *const w = block_weight(t, b) + point * LANES;
  row_slope(t, b * t->points + point, k[0]);
  for (int l = 0; l < LANES; l++) {
    if (!lane_vertices(t, c, b, l, v)) continue;
    lane_coef(t, rows, l, g);
    add_product(t, g, factor * w[l] * k[0][l], v, p, value);
  }
}

void wring_term_add_laplacian(const wring_term *t, const wring_pattern *p, double factor, double *value)
{
  for (PetscInt b = 0, c = 0; b < t->n_block; b++) {
    c = chunk_of(t, b, c);
    for (int point = 0; point < t->points; point++) add_point(t, c, b, point, p, factor, value);
  }
}

static void add_element(int m, int q, const double *g, const double *B, const PetscInt *v, const wring_pattern *p,
                        double *value)
{
  for (int i = 0; i < m; i++) {
    double gB[MAX_Q] = {0};
    for (int k = 0; k < q * q; k++) gB[k % q] += g[q * i + k / q] * B[k];
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < q; k++) sum += gB[k] * g[q * j + k];
      value[wring_pattern_find(p, v[i], v[j])] += sum;
    }
  }
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

/* on [LANES]: whether an element of a block has a marked vertex; returns the number of these. */
static int mark_lanes(const wring_term *t, const char *marks, PetscInt c, PetscInt b, int *on)
{
  int      count = 0;
  PetscInt v[MAX_M];
  for (int l = 0; l < LANES; l++) {
    on[l] = 0;
    lane_vertices(t, c, b, l, v);
    for (int a = 0; a < t->m; a++) on[l] |= marks[v[a]] != 0;
    count += on[l];
  }
  return count;
}

void wring_term_row_hessian(const wring_term *t, wring_filtering which, PetscInt c, PetscInt row, wring_in z,
                            wring_out h)
{
  const int           n = 9 * t->law->q * t->law->q;
  WRING_ALIGNED lanes plain[9 * MAX_Q * MAX_Q];
  int                 on[LANES];
  const int           count = which.marks ? mark_lanes(t, which.marks, c, row / t->points, on) : LANES;

  t->law->hessian(t->law, count > 0 ? which.filter : WRING_FILTER_NONE, term_par(t, row), z, h);
  if (count == 0 || count == LANES) return;
  t->law->hessian(t->law, WRING_FILTER_NONE, term_par(t, row), z, plain);
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < LANES; l++) h[i][l] = on[l] ? h[i][l] : plain[i][l];
  }
}

/* ---- the mean of the Hessian's diagonal blocks ------------------------------------------------------------------- */

/* A block of a chunk whose positions are x private [vertices][4]; K [points][q][q]. */
typedef struct {
  const wring_term *t;
  wring_filtering   which;
  PetscInt          c, b;
  const double     *x;
  double (*K)[LANES];
} work_block;

/* w B of a row, [q][q], from its Hessian. */
static inline __attribute__((always_inline)) void mean_of(int q, const double *weight, const lanes *h,
                                                          double (*K)[LANES])
{
  for (int k = 0; k < q * q; k++) {
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int d = 0; d < 3; d++) sum += h[(q * d + k / q) * 3 * q + q * d + k % q][l];
      K[k][l] = weight[l] * sum / 3;
    }
  }
}

/* w B at the points of a block. */
static inline __attribute__((always_inline)) void block_mean(int m, int q, void *context)
{
  const work_block *const w = context;
  WRING_ALIGNED lanes     z[3 * MAX_Q], h[9 * MAX_Q * MAX_Q], d[27];
  load_columns(w->t, w->b, m, w->x, d);
  for (int p = 0; p < points_of(w->t, m); p++) {
    load_z(w->t, w->b, p, m, q, w->x, (const lanes *)d, z);
    wring_term_row_hessian(w->t, w->which, w->c, w->b * points_of(w->t, m) + p, (wring_in)z, h);
    mean_of(q, block_weight(w->t, w->b) + p * LANES, (const lanes *)h, w->K + q * q * p);
  }
}

/* Adds the elements of a block at one point, K [q][q]. */
static void add_block_means(const wring_term *t, PetscInt c, PetscInt b, int point, double factor, const lanes *K,
                            const wring_pattern *p, double *value)
{
  const int           m = t->m, q = t->law->q;
  PetscInt            v[MAX_M];
  double              g[MAX_M * MAX_Q], B[MAX_Q * MAX_Q];
  WRING_ALIGNED lanes room[9 * MAX_Q];
  const double *const rows = block_rows(t, b, point, room);
  for (int l = 0; l < LANES; l++) {
    if (!lane_vertices(t, c, b, l, v)) continue;
    lane_coef(t, rows, l, g);
    for (int k = 0; k < q * q; k++) B[k] = factor * K[k][l];
    add_element(m, q, g, B, v, p, value);
  }
}

static void add_means(const wring_term *t, PetscInt c, PetscInt b0, PetscInt b1, double factor, const lanes *K,
                      const wring_pattern *p, double *value)
{
  for (PetscInt b = b0; b < b1; b++) {
    for (int i = 0; i < t->points; i++, K += t->law->q * t->law->q) add_block_means(t, c, b, i, factor, K, p, value);
  }
}

/*
  All threads compute, one group of blocks each; groups are added in their order, so that the order of summation is
  fixed.
*/
void wring_term_add_mean_hessian(const wring_term *t, double factor, const double *x, const wring_pattern *p,
                                 double *value)
{
  const PetscInt        most = PetscMax(GROUP / t->points, 1), per_chunk = (t->chunk_blocks + most - 1) / most;
  const PetscInt        size  = t->points * t->law->q * t->law->q;
  const wring_filtering which = {.filter = WRING_FILTER_CLAMP};
  if (!t->active) return;
#pragma omp parallel for ordered schedule(static, 1)
  for (PetscInt g = 0; g < t->n_chunk * per_chunk; g++) {
    const PetscInt      c = g / per_chunk, b0 = t->chunk_block[c] + g % per_chunk * most;
    const PetscInt      b1 = PetscMin(b0 + most, t->chunk_block[c + 1]);
    WRING_ALIGNED lanes K[GROUP * MAX_Q * MAX_Q];
    double              x_private[4 * t->max_vertex];
    if (b0 < b1) load_chunk(t, c, x, x_private);
    for (PetscInt b = b0; b < b1; b++) {
      with_stencil(t, block_mean, &(work_block){t, which, c, b, x_private, K + (b - b0) * size});
    }
#pragma omp ordered
    add_means(t, c, b0, b1, factor, (const lanes *)K, p, value);
  }
}
