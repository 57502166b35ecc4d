/* Private to the library: bounding boxes, and orders along a space-filling curve. */
#pragma once
#include <wring/base.h>

/* Sorts order [n] of tets stably: interior ones (boundary 0), which are counted, before the others (1), by region. */
PetscErrorCode wring_order_tets(PetscInt n, PetscInt n_region, const PetscInt *region, const PetscInt *boundary,
                                PetscInt *order, PetscInt *n_interior);

/* Bounding box of X [n][3] of all ranks; low = infinity, high = -infinity if they have none. Collective. */
PetscErrorCode wring_bounds_find(MPI_Comm comm, PetscInt n, const double *X, double low[3], double high[3]);

/* Position of x along a Hilbert curve with 2^21 steps a side through the cube with lowest corner low and this side. */
uint64_t wring_hilbert_key(const double x[3], const double low[3], double side);

/*
  The same for many points, of which WRING_HILBERT_LANES are computed at a time: the keys of the points added between
  wring_hilbert_begin and wring_hilbert_end, in this order, are written to key, which is borrowed.
*/
enum { WRING_HILBERT_LANES = 16 };

typedef struct {
  double    low[3], side;
  uint64_t *key; // of the next point
  int       n_point;
  double    point[WRING_HILBERT_LANES][3]; // [n_point] without keys
} wring_hilbert;

wring_hilbert wring_hilbert_begin(const double low[3], double side, uint64_t *key);
void          wring_hilbert_add(wring_hilbert *h, const double x[3]);
void wring_hilbert_add_tet(wring_hilbert *h, const double *X, const PetscInt tet[4]); // mean of four points of X
void wring_hilbert_end(wring_hilbert *h);

/* Longest side of the box, or 1 if the box is a point. */
double wring_hilbert_side(const double low[3], const double high[3]);
