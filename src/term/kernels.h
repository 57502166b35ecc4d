/* Private to src/term: kernels of one block, inlined with constant m and q. docs/theory.md (3.1), (3.2) */
#pragma once
#include "term_impl.h"

enum { LANES = WRING_LANES, MAX_M = 4, MAX_Q = 3 };

typedef double lanes[LANES];

/*
  Calls body with the term's m and q as constants, without which its loops would be scalar: tets and what is one number of a
  tet (fibres, hinges), triangles likewise, edges, points. body must be always_inline; the one list of the stencils.
*/
static inline __attribute__((always_inline)) void with_stencil(const wring_term *t, void (*body)(int, int, void *),
                                                               void             *context)
{
  const int m = t->m, q = t->law->q;
  if (m == 4 && q == 3)
    body(4, 3, context);
  else if (m == 4)
    body(4, 1, context);
  else if (m == 3 && q == 2)
    body(3, 2, context);
  else if (m == 3)
    body(3, 1, context);
  else if (m == 2)
    body(2, 1, context);
  else
    body(1, 1, context);
}

/* z = G x: columns D_a = x_a - x_last (or x itself for points), z = D coef. */
static inline __attribute__((always_inline)) void form_z(int m, int q, const double *coef,
                                                         const double (*restrict x)[LANES], double (*restrict z)[LANES])
{
  const int n_free = free_vertices(m);
  if (!coef) { // G = 1 on the one free vertex
    for (int c = 0; c < 3; c++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) z[c][l] = m > 1 ? x[c][l] - x[3 + c][l] : x[c][l];
    }
    return;
  }
  const double(*restrict g)[LANES] = (const double(*)[LANES])coef;
  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < q; k++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) {
        double sum = 0;
        for (int a = 0; a < n_free; a++) sum += (x[3 * a + c][l] - x[3 * (m - 1) + c][l]) * g[q * a + k][l];
        z[q * c + k][l] = sum;
      }
    }
  }
}

/* f = G^T p of a block: the free vertices, then minus their sum. */
static inline __attribute__((always_inline)) void
form_forces(int m, int q, const double *coef, const double (*restrict p)[LANES], double (*restrict f)[LANES])
{
  const int n_free                 = free_vertices(m);
  const double(*restrict g)[LANES] = (const double(*)[LANES])coef;
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double last = 0;
      for (int a = 0; a < n_free; a++) {
        double sum = 0;
        for (int k = 0; k < q; k++) sum += (g ? g[q * a + k][l] : 1) * p[q * c + k][l];
        f[3 * a + c][l] = sum;
        last -= sum;
      }
      if (m > 1) f[3 * (m - 1) + c][l] = last;
    }
  }
}

static inline void gather(int m, const uint16_t *corner, const double *x, double (*restrict xe)[LANES])
{
  for (int a = 0; a < m; a++) {
    for (int l = 0; l < LANES; l++) {
      const double *restrict v = x + 4 * corner[a * LANES + l];
      for (int c = 0; c < 3; c++) xe[3 * a + c][l] = v[c];
    }
  }
}

static inline void scatter(int m, const uint16_t *corner, const double (*restrict fe)[LANES], double *restrict f)
{
  for (int l = 0; l < LANES; l++) {
    for (int a = 0; a < m; a++) {
      double *restrict v = f + 4 * corner[a * LANES + l];
      for (int c = 0; c < 3; c++) v[c] += fe[3 * a + c][l];
    }
  }
}

/* Positions of a chunk's vertices, x_private [vertices][4]. */
static inline void load_chunk(const wring_term *t, PetscInt c, const double *x, double *x_private)
{
  const PetscInt  n      = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  const PetscInt *vertex = t->vertex + t->chunk_vertex[c];
  for (PetscInt i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) x_private[4 * i + k] = x[3 * vertex[i] + k];
  }
}

/* Sums of a chunk's vertices to f, or to its rows of `share` where other chunks add to the same vertex. */
static inline void store_chunk(wring_term *t, PetscInt c, const double *f_private, double *f)
{
  const PetscInt  n      = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  const PetscInt *vertex = t->vertex + t->chunk_vertex[c], *slot = t->slot + t->chunk_vertex[c];
  for (PetscInt i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      if (slot[i] < 0) {
        f[3 * vertex[i] + k] += f_private[4 * i + k];
      } else {
        t->share[3 * slot[i] + k] = f_private[4 * i + k];
      }
    }
  }
}

/* z of block b of the chunk whose positions are in x_private. */
static inline __attribute__((always_inline)) void load_z(const wring_term *t, PetscInt b, int m, int q,
                                                         const double *x_private, lanes *xe, lanes *z)
{
  gather(m, t->corner + (size_t)b * m * LANES, x_private, xe);
  form_z(m, q, block_coef(t, b), (wring_in)xe, z);
}
