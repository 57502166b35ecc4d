/*
  The interpolation P from a coarser level to a finer one and its transpose, scaled like the levels: D^(1/2) P
  D_coarse^(-1/2). This is the only copy: new matrix values are multiplied by it. The rows of P for the ghosts of the
  finer level are kept too, so that the ghosts of x = P coarse need no exchange.
*/
#pragma once
#include "csr.h"

typedef struct {
  PetscInt         n, n_coarse; // vertices of this rank on the finer and on the coarser level
  PetscInt         first;       // global number of the first vertex of this rank on the coarser level
  PetscInt         n_fine;      // rows of P: n and the ghosts of the finer level
  wring_csr        P;           // [n_fine] rows, to [n_coarse + columns.n_ghost]
  wring_csr        R;           // the transpose of the rows of this rank: [n_coarse + own_columns.n_ghost]
  PetscInt         n_late;
  PetscInt        *late;        // [n_late] rows of P that refer to ghosts, ascending
  wring_neighbours columns;     // of the coarser level: all ghosts
  wring_neighbours own_columns; // the ghosts that the rows of this rank refer to
  wring_messages   fetch, give; // of columns; of own_columns
} wring_interpolation;

/* The global number of a column of P. */
static inline PetscInt wring_interpolation_number(const wring_interpolation *p, PetscInt column)
{
  return column < p->n_coarse ? p->first + column : p->columns.global[column - p->n_coarse];
}

/* The row of R that belongs to a column of a row of P of this rank. */
static inline PetscInt wring_interpolation_own(const wring_interpolation *p, PetscInt column)
{
  const wring_neighbours *const own = &p->own_columns;
  if (column < p->n_coarse) return column;
  return p->n_coarse + wring_first_from(own->n_ghost, own->global, p->columns.global[column - p->n_coarse]);
}

/*
  P, PETSc's, may be destroyed afterwards; near: of the finer level; fine [n + its ghosts]: D^(-1/2) of that level.
  Columns are not scaled yet. Collective.
*/
PetscErrorCode wring_interpolation_create(Mat P, const wring_neighbours *near, const float *fine,
                                          wring_interpolation *p);
/*
  Multiplies the scaling of P by changes of the levels' scalings, fine [n_fine], NULL: none, and coarse [n_coarse].
  Collective.
*/
PetscErrorCode wring_interpolation_rescale(wring_interpolation *p, const float *fine, const float *coarse);
PetscErrorCode wring_interpolation_destroy(wring_interpolation *p);
double         wring_interpolation_memory(const wring_interpolation *p); // bytes, this rank; 0 if empty

/* coarse [n_coarse][3] = P^T r, r [n][3]. Collective. */
PetscErrorCode wring_interpolation_restrict(wring_interpolation *p, const float *r, float *coarse);

/*
  x = omega b + P coarse, with ghosts; b and x [n][3], a spare number, [n_fine - n][3]; coarse [n_coarse +
  columns.n_ghost][3]: its ghosts are filled here. Collective.
*/
PetscErrorCode wring_interpolation_prolong(wring_interpolation *p, float *coarse, float omega, const float *b,
                                           float *x);
