/* The Hessian of a row, and the mean of the Hessian's diagonal blocks. docs/theory.md (3.2), (5.13) */
#include "kernels.h"

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

/* on [LANES]: whether an element of a block has a marked vertex; returns the number of these. */
static int mark_lanes(const wring_term *t, const char *marks, PetscInt b, int *on)
{
  int      count = 0;
  PetscInt v[MAX_M];
  for (int l = 0; l < LANES; l++) {
    on[l] = 0;
    term_vertices(t, b * LANES + l, v);
    for (int a = 0; a < t->m; a++) on[l] |= marks[v[a]] != 0;
    count += on[l];
  }
  return count;
}

static void row_hessian_of(const term_row *r, wring_filtering which, wring_in g, wring_out h)
{
  const wring_law *const law = r->t->law;
  if (row_is_pressed(r, which))
    wring_term_pressed_hessian(r, which.filter, h);
  else if (g)
    law->blocks(law, which.filter, term_par(r->t, r->row), r->z, g, h);
  else
    law->hessian(law, which.filter, term_par(r->t, r->row), r->z, h);
}

void wring_term_row_hessian(const term_row *r, wring_filtering which, wring_in g, wring_out h)
{
  WRING_ALIGNED lanes plain[9 * MAX_Q * MAX_Q];
  int                 on[LANES];
  const int           count = which.marks ? mark_lanes(r->t, which.marks, r->block, on) : LANES, q = r->t->law->q;

  if (count == 0 || (which.thin && r->t->law->kind != WRING_LAW_OTHER)) which.filter = WRING_FILTER_NONE;
  row_hessian_of(r, which, g, h);
  if (which.filter == WRING_FILTER_NONE || count == LANES) return;
  which.filter = WRING_FILTER_NONE;
  row_hessian_of(r, which, g, plain);
  for (int i = 0; i < (g ? TET_BLOCKS : 9 * q * q); i++) {
    for (int l = 0; l < LANES; l++) h[i][l] = on[l] ? h[i][l] : plain[i][l];
  }
}

/* ---- the mean of the Hessian's diagonal blocks ------------------------------------------------------------------- */

/* What it is of, and what it is added to. */
typedef struct {
  wring_filtering      which;
  double               factor;
  const wring_pattern *p;
  double              *value;
} mean_hessian;

/* K = w B is at most this many times w k: a few elements that are almost flat would leave nothing of the rest of A. */
static const double most = 1e6;

static void bound_mean(const term_row *r, double (*K)[LANES])
{
  const int           q      = r->t->law->q;
  const double *const weight = r->t->weight + (size_t)r->row * LANES;
  WRING_ALIGNED lanes k[1];
  row_slope(r->t, r->row, k[0]);
  for (int l = 0; l < LANES; l++) {
    double trace = 0;
    for (int a = 0; a < q; a++) trace += K[(q + 1) * a][l];
    const double bound = most * q * weight[l] * k[0][l];
    for (int e = 0; e < q * q && bound > 0 && trace > bound; e++) K[e][l] *= bound / trace;
  }
}

/* K [points][q][q] = w B of a row, from its Hessian. */
static void map_mean(const term_row *r)
{
  const int           q        = r->t->law->q;
  const double *const weight   = r->t->weight + (size_t)r->row * LANES;
  double(*const K)[LANES]      = matrices_of(r) + q * q * r->point;
  const mean_hessian *const of = context_of(r);
  WRING_ALIGNED lanes       h[9 * MAX_Q * MAX_Q];
  wring_term_row_hessian(r, of->which, NULL, h);
  for (int k = 0; k < q * q; k++) {
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int d = 0; d < 3; d++) sum += h[(q * d + k / q) * 3 * q + q * d + k % q][l];
      K[k][l] = weight[l] * sum / 3;
    }
  }
  bound_mean(r, K);
}

/* Adds the elements of a block, K [points][q][q]. */
static void add_means(const wring_term *t, PetscInt b, const double (*K)[LANES], void *context)
{
  const mean_hessian *const to = context;
  wring_term_add_products(t, b, to->factor, K, to->p, to->value);
}

void wring_term_add_mean_hessian(const wring_term *t, PetscBool pressed, double factor, const double *x,
                                 const wring_pattern *p, double *value)
{
  const wring_filtering which = {.filter = WRING_FILTER_CLAMP, .pressed = pressed};
  const int             size  = t->points * t->law->q * t->law->q;
  const wring_matrices  work  = {map_mean, add_means, &(mean_hessian){which, factor, p, value}, size};
  wring_term_add_matrices(t, &work, x);
}
