/*
  Private to src/operator: a supernodal factor A = L L^T copied into single precision, for three right-hand sides at
  once. docs/theory.md 4.2. Panels of PANEL columns are read in one pass over the rows. The rows below a block are cut
  into units, which are summed one by one: results do not depend on which threads process them.
*/
#pragma once
#include "cholmod_names.h"

enum {
  WRING_PACKED_PANEL  = 4,
  WRING_PACKED_LANES  = 16,  // rows are padded to multiples of this
  WRING_PACKED_UNIT   = 256, // rows
  WRING_PACKED_WIDEST = 128  // columns of a block
};

/* Columns of one supernode. Its rows are these columns, then the rows below, in ascending order. */
typedef struct {
  PetscInt first, n_column, n_below;
  PetscInt parent;         // block whose rows include all rows below; -1: none
  PetscInt child, sibling; // first child, next child of the parent, ascending; -1 for none
  PetscInt n_inner;        // number of rows below that are columns of the parent
  size_t   y, u;           // first padded row in p->y and p->u
  size_t   row;            // first in p->place
  size_t   value;          // first in p->value
} wring_packed_block;

typedef struct {
  PetscInt            n, n_block;
  size_t              n_value, n_place, n_y, n_u; // lengths of the arrays below; of y and u in padded rows
  wring_packed_block *block;
  PetscInt           *perm;    // [n]
  int32_t            *place;   // position of each row below among the parent's rows
  float              *value;   // for each block: the panels of its triangle, then its units; docs/theory.md 4.2
  float              *y, *u;   // work: for each block [3][columns], [3][rows below], padded
  float              *partial; // work: [units of the tallest block][3][WRING_PACKED_WIDEST]
  double              scale;   // L is stored times scale, a power of two
  wring_shared        memory;  // perm to partial
  size_t              bytes;
  wring_team         *team;  // borrowed
  int                *owner; // [n_block] thread of a block; -1: all threads share it
  int                 size;  // number of threads that owner was computed for
} wring_packed;

/* f, supernodal, is read on rank 0 of the team only. *p is NULL if too little memory can be shared. Collective. */
PetscErrorCode wring_packed_create(wring_team *t, const cholmod_factor *f, wring_packed **p);
PetscErrorCode wring_packed_destroy(wring_packed **p);
PetscErrorCode wring_packed_predict(const cholmod_factor *f, double *bytes); // of all ranks; f needs no values

/*
  x = A^{-1} b, or x += A^{-1} b, to single precision. b, x [n][3] are the same memory on all ranks of the team, and x
  is complete on return. scale[c]: power of two that brings component c of b to about 1, or 0. Collective.
*/
PetscErrorCode wring_packed_solve(wring_packed *p, const double scale[3], const double *b, PetscBool add, double *x);

static inline PetscInt wring_packed_pad(PetscInt n)
{
  return (n + WRING_PACKED_LANES - 1) / WRING_PACKED_LANES * WRING_PACKED_LANES;
}

/*
  Rows of panel j of a triangle: from the start of the group of lanes that holds the first row below the panel, to the
  last column.
*/
static inline PetscInt wring_packed_start(PetscInt j)
{
  return (j + WRING_PACKED_PANEL) / WRING_PACKED_LANES * WRING_PACKED_LANES;
}

static inline PetscInt wring_packed_rows(const wring_packed_block *b, PetscInt j)
{
  return j + WRING_PACKED_PANEL < b->n_column ? wring_packed_pad(b->n_column) - wring_packed_start(j) : 0;
}

static inline PetscInt wring_packed_panels(const wring_packed_block *b)
{
  return (b->n_column + WRING_PACKED_PANEL - 1) / WRING_PACKED_PANEL;
}

static inline PetscInt wring_packed_units(const wring_packed_block *b)
{
  return (b->n_below + WRING_PACKED_UNIT - 1) / WRING_PACKED_UNIT;
}

static inline PetscInt wring_packed_unit_rows(const wring_packed_block *b, PetscInt unit)
{
  const PetscInt left = b->n_below - unit * WRING_PACKED_UNIT;
  return left < WRING_PACKED_UNIT ? wring_packed_pad(left) : WRING_PACKED_UNIT;
}

/* Number of values before the units of a block. */
static inline size_t wring_packed_triangle(const wring_packed_block *b)
{
  size_t n = 0;
  for (PetscInt j = 0; j < b->n_column; j += WRING_PACKED_PANEL)
    n += (size_t)WRING_PACKED_PANEL * (size_t)(WRING_PACKED_PANEL + wring_packed_rows(b, j));
  return n;
}
