#include "membrane.h"
#include "base/block3.h"

enum { ROWS = 6 };

void wring_membrane_project(const wring_law *self, wring_in par, wring_in z, wring_out p)
{
  const wring_membrane *const rule = self->rule;
  WRING_ALIGNED double        u[9][WRING_LANES], s[2][WRING_LANES], v[4][WRING_LANES], t[2][WRING_LANES];

  wring_block32_svd(z, u, s, v);
  rule->target(par, (wring_in)s, t);
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double a = u[3 * c][lane] * t[0][lane], b = u[3 * c + 1][lane] * t[1][lane];
      p[2 * c][lane]     = a * v[0][lane] + b * v[1][lane];
      p[2 * c + 1][lane] = a * v[2][lane] + b * v[3][lane];
    }
  }
}

/* ---- Hessians ---------------------------------------------------------------------------------------------------- */

/* Filters the eigenvalues; a semidefinite Hessian is left unchanged to the last bit. */
static void lift(wring_filter filter, wring_membrane_modes *m)
{
  const double share = filter;

#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double a = m->a[0][lane], b = m->a[1][lane], off = m->a[2][lane];
    const plane3 g   = plane3_jacobi(a, off, b);
    const double low = share * block3_max(-(a - g.t * off), 0), high = share * block3_max(-(b + g.t * off), 0);
    m->a[0][lane] = a + low * g.c * g.c + high * g.s * g.s;
    m->a[1][lane] = b + low * g.s * g.s + high * g.c * g.c;
    m->a[2][lane] = off + (high - low) * g.c * g.s;
    m->twist[lane] += share * block3_max(-m->twist[lane], 0);
    m->flip[lane] += share * block3_max(-m->flip[lane], 0);
    m->out[0][lane] += share * block3_max(-m->out[0][lane], 0);
    m->out[1][lane] += share * block3_max(-m->out[1][lane], 0);
  }
}

/* e_im = u_i v_m^T as a vector of 6, row by row, at e[2 * i + m]. */
static void basis(wring_in u, wring_in v, double (*e)[ROWS][WRING_LANES])
{
  for (int im = 0; im < 6; im++) {
    for (int row = 0; row < ROWS; row++) {
      const double *ui = u[3 * (row / 2) + im / 2], *vm = v[2 * (row % 2) + im % 2];
#pragma omp simd
      for (int lane = 0; lane < WRING_LANES; lane++) e[im][row][lane] = ui[lane] * vm[lane];
    }
  }
}

/* q_im = H e_im. */
static void image(const wring_membrane_modes *m, double (*e)[ROWS][WRING_LANES], double (*q)[ROWS][WRING_LANES])
{
  enum { E00, E01, E10, E11, E20, E21 };
  for (int row = 0; row < ROWS; row++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double same = 0.5 * (m->flip[lane] + m->twist[lane]), swap = 0.5 * (m->flip[lane] - m->twist[lane]);
      q[E00][row][lane] = m->a[0][lane] * e[E00][row][lane] + m->a[2][lane] * e[E11][row][lane];
      q[E11][row][lane] = m->a[2][lane] * e[E00][row][lane] + m->a[1][lane] * e[E11][row][lane];
      q[E01][row][lane] = same * e[E01][row][lane] + swap * e[E10][row][lane];
      q[E10][row][lane] = same * e[E10][row][lane] + swap * e[E01][row][lane];
      q[E20][row][lane] = m->out[0][lane] * e[E20][row][lane];
      q[E21][row][lane] = m->out[1][lane] * e[E21][row][lane];
    }
  }
}

void wring_membrane_hessian(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_out h)
{
  const wring_membrane *const        rule = self->rule;
  WRING_ALIGNED double               u[9][WRING_LANES], s[2][WRING_LANES], v[4][WRING_LANES];
  WRING_ALIGNED double               e[6][ROWS][WRING_LANES], q[6][ROWS][WRING_LANES];
  WRING_ALIGNED wring_membrane_modes modes;

  wring_block32_svd(z, u, s, v);
  rule->modes(par, (wring_in)s, &modes);
  if (filter) lift(filter, &modes);
  basis((wring_in)u, (wring_in)v, e);
  image(&modes, e, q);
  for (int row = 0; row < ROWS; row++) {
    for (int col = 0; col <= row; col++) {
#pragma omp simd
      for (int lane = 0; lane < WRING_LANES; lane++) {
        double sum = 0;
        for (int im = 0; im < 6; im++) sum += e[im][row][lane] * q[im][col][lane];
        h[ROWS * row + col][lane] = sum;
        h[ROWS * col + row][lane] = sum;
      }
    }
  }
}
