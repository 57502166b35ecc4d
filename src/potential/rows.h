/* Private to src/potential: the rows of matrices that this rank owns. */
#pragma once
#include "base/exchange.h"
#include <wring/contact.h>
#include <wring/term.h>

typedef struct {
  const wring_mesh *mesh;             // borrowed
  PetscInt          n_entry, n_ghost; // of the pattern of this rank: all, and those in the rows of ghosts
  int32_t          *place;            // [n_entry] as in wring_block_values
  PetscInt         *own, *other;      // [n_owned + 1] first columns of rows, of this rank and of others
  PetscInt         *upper;            // [n_owned + 1] first columns of this rank from the diagonal on
  PetscInt         *column;           // [own[n_owned] + other[n_owned]] global: by row those of this rank, then others
  wring_exchange    x;                // of the entries in the rows of ghosts, to the owners
  PetscInt         *got_row;          // [x.n_got] where they are there
  int32_t          *got_place;        // [x.n_got]
  PetscContainer    tag;              // borrowed: on the matrices that were created with such rows; NULL: wider ones
} wring_block_rows;

/* tag: of all rows of this pattern, borrowed, which may be created again. Refuses too many entries. Collective. */
PetscErrorCode wring_block_rows_create(const wring_mesh *m, const wring_pattern *p, PetscContainer tag,
                                       wring_block_rows **r);
PetscErrorCode wring_block_rows_destroy(wring_block_rows **r);

/*
  *A, AIJ, replaced, or created if it is NULL, unless it has the tag of r, is the sum of the rows of all ranks,
  value [n_entry] in p; to be assembled by the caller. Collective.
*/
PetscErrorCode wring_block_rows_fill(const wring_block_rows *r, const wring_pattern *p, const double *value, Mat *A);

/* Refuses more blocks, those that other ranks receive among them, than v may have. Collective. */
PetscErrorCode wring_block_rows_check(const wring_block_rows *r);
/*
  v: of these rows, 0; v->value is created, for PetscFree, if it is NULL. Terms add to it; the second adds the rows of
  ghosts to those of their owners, collective. The third makes *H of v, AIJ with blocks of 3, as fill does.
*/
PetscErrorCode wring_block_rows_begin(const wring_block_rows *r, wring_block_values *v);
PetscErrorCode wring_block_rows_end(const wring_block_rows *r, const wring_block_values *v);
PetscErrorCode wring_block_rows_convert(const wring_block_rows *r, const wring_block_values *v, Mat *H);

/* Couplings of contacts: whether a row has this column; c is added to a block of v, or left out below the diagonal. */
PetscBool wring_block_rows_have(const wring_block_rows *r, PetscInt i, PetscInt column);
void      wring_block_rows_add(const wring_block_rows *r, const wring_block_values *v, const wring_coupling *c);

/* Rows with the columns of more [n_more] as well, without ghosts; copy adds v to `to`, of such rows. Not collective. */
PetscErrorCode wring_block_rows_widen(const wring_block_rows *r, PetscInt n_more, const wring_coupling *more,
                                      wring_block_rows **wider);
void wring_block_rows_copy(const wring_block_rows *r, const wring_block_values *v, const wring_block_rows *wider,
                           const wring_block_values *to);

/*
  H, of blocks (block_matrix.c), as create_blocks makes it, but with means as well; it has the rows r from now on, which
  must live as long. Or it is given rows, to be destroyed with it, and references `inner`, of blocks, which stands for
  it in the pattern of elements. Collective.
*/
PetscErrorCode wring_block_matrix_create(const wring_mesh *m, Mat *H);
PetscErrorCode wring_block_matrix_set_rows(Mat H, const wring_block_rows *r);
PetscErrorCode wring_block_matrix_give_rows(Mat H, wring_block_rows *r, Mat inner);
