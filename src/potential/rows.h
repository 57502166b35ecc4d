/* Private to src/potential: the rows of matrices that this rank owns. */
#pragma once
#include "base/exchange.h"
#include <wring/term.h>

typedef struct {
  const wring_mesh *mesh;             // borrowed
  PetscInt          n_entry, n_ghost; // of the pattern of this rank: all, and those in the rows of ghosts
  int32_t          *place;            // [n_entry] as in wring_block_values
  PetscInt         *own, *other;      // [n_owned + 1] first columns of rows, of this rank and of others
  PetscInt         *column;           // [own[n_owned] + other[n_owned]] global: by row those of this rank, then others
  wring_exchange    x;                // of the entries in the rows of ghosts, to the owners
  PetscInt         *got_row;          // [x.n_got] where they are there
  int32_t          *got_place;        // [x.n_got]
  PetscContainer    tag;              // on the matrices that were created with these rows
} wring_block_rows;

PetscErrorCode wring_block_rows_create(const wring_mesh *m, const wring_pattern *p, wring_block_rows **r); // collective
PetscErrorCode wring_block_rows_destroy(wring_block_rows **r);

static inline PetscInt wring_block_rows_length(const wring_block_rows *r, PetscInt i)
{
  return r->own[i + 1] - r->own[i] + r->other[i + 1] - r->other[i];
}

/*
  v: the arrays of *A, an AIJ matrix with blocks of bs, 0 now; *A is replaced, or created if it is NULL, unless it has
  been created with r. Between the two calls terms add to v; the second adds the rows of ghosts to those of their
  owners. The matrix is to be assembled afterwards. Collective.
*/
PetscErrorCode wring_block_rows_begin(const wring_block_rows *r, PetscInt bs, Mat *A, wring_block_values *v);
PetscErrorCode wring_block_rows_end(const wring_block_rows *r, Mat A, wring_block_values *v);

/*
  *A is created with the values of E, assembled, and room for more [n_owned] blocks in rows and columns; to be
  assembled. Collective.
*/
PetscErrorCode wring_block_rows_copy(const wring_block_rows *r, const PetscInt *more, Mat E, Mat *A);
