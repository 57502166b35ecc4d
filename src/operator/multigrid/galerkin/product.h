/* Private to this folder: a product P^T A P, its rows, and the parts of rows that other ranks own. */
#pragma once
#include "galerkin.h"

/* An entry of P^T A P for another rank. */
typedef struct {
  PetscInt row, column; // global
  double   value;
} wring_galerkin_part;

/* Columns of a product: those of P, then others, which only parts of other ranks have. */
typedef struct {
  const wring_level        *fine; // with P
  const wring_level_values *a;
  PetscInt                  n_part;
  wring_galerkin_part      *part;   // [n_part] from other ranks, by rank
  PetscInt                 *column; // [n_part]
  PetscInt                 *start;  // [n_coarse + 1] parts by row; NULL on one rank
  PetscInt                 *order;  // [n_part]
  PetscInt                  n_other;
  PetscInt                 *other; // [n_other] global numbers
} wring_galerkin_product;

/* ---- row.c ---- */

/* A number of a row in work, at its column, and the row that wrote it; -1: none. Both are in one cache line. */
typedef struct {
  double   value;
  PetscInt row;
} wring_galerkin_entry;

/* A row in work, of one thread. */
typedef struct {
  wring_galerkin_entry *fine;      // [n + n_ghost] of P^T A, by columns of the finer level, ghosts from n on
  PetscInt             *fine_list; // [n + n_ghost + 1] its columns
  PetscInt              n_fine;
  wring_galerkin_entry *coarse;      // [width] of P^T A P, by columns of P, then others
  PetscInt             *coarse_list; // [width + 1]
  PetscInt              n_coarse;
} wring_galerkin_row;

/* One for each of n_thread threads. Not collective. */
PetscErrorCode wring_galerkin_rows_create(const wring_galerkin_product *g, int n_thread, wring_galerkin_row **v);
PetscErrorCode wring_galerkin_rows_destroy(int n_thread, wring_galerkin_row **v);

/*
  v->coarse = this rank's part of a row of P^T A P: `row` of R times A, times P. Lists its columns; without `list`, in
  half the time, the caller has set them to {0, row}.
*/
void wring_galerkin_row_compute(const wring_level *l, const wring_level_values *a, PetscInt row, PetscBool list,
                                wring_galerkin_row *v);

/*
  v->coarse[column] += value. The list is written for known columns too, which is cheaper than a branch; likewise in
  row.c.
*/
static inline void wring_galerkin_row_add(PetscInt row, PetscInt column, double value, wring_galerkin_row *v)
{
  wring_galerkin_entry *const e     = &v->coarse[column];
  const PetscBool             known = (PetscBool)(e->row == row);
  v->coarse_list[v->n_coarse]       = column;
  v->n_coarse += !known;
  *e = (wring_galerkin_entry){(known ? e->value : 0) + value, row};
}

/* ---- product.c ---- */

PetscErrorCode wring_galerkin_product_create(const wring_level *fine, const wring_level_values *a,
                                             wring_galerkin_product *g); // collective
PetscErrorCode wring_galerkin_product_destroy(wring_galerkin_product *g);

/* The global number of a column. */
static inline PetscInt wring_galerkin_number(const wring_galerkin_product *g, PetscInt column)
{
  const wring_interpolation *const p     = &g->fine->from_coarse;
  const PetscInt                   known = p->n_coarse + p->columns.n_ghost;
  return column < known ? wring_interpolation_number(p, column) : g->other[column - known];
}

/* v->coarse = row i of the product; list: as above. Called by all threads. */
void wring_galerkin_product_row(const wring_galerkin_product *g, PetscInt i, PetscBool list, wring_galerkin_row *v);
