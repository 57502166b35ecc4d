/* Private to this folder: a row of P^T A P, and the parts of rows that other ranks own. */
#pragma once
#include "galerkin.h"

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
  wring_galerkin_entry *coarse;      // [width] of P^T A P, by columns of P
  PetscInt             *coarse_list; // [width + 1]
  PetscInt              n_coarse;
} wring_galerkin_row;

/* width: the number of columns of P, or more. Not collective. */
PetscErrorCode wring_galerkin_row_create(const wring_level *l, PetscInt width, wring_galerkin_row *v);
PetscErrorCode wring_galerkin_row_destroy(wring_galerkin_row *v);

/* One for each of the threads that share the rows of the product. Not collective. */
PetscErrorCode wring_galerkin_rows_create(const wring_level *l, PetscInt width, int *n_thread, wring_galerkin_row **v);
PetscErrorCode wring_galerkin_rows_destroy(int n_thread, wring_galerkin_row **v);

/* v->fine = this rank's part of a row of P^T A: `row` of R times A. */
void wring_galerkin_row_by_matrix(const wring_level *l, const wring_level_values *a, PetscInt row,
                                  wring_galerkin_row *v);

/* v->coarse = v->fine, of `row`, times P, with the list of its columns. */
void wring_galerkin_row_by_interpolation_listed(const wring_level *l, const wring_level_values *a, PetscInt row,
                                                wring_galerkin_row *v);

/* v->coarse[column] += value; the column is listed. */
static inline void wring_galerkin_row_add(PetscInt row, PetscInt column, double value, wring_galerkin_row *v)
{
  wring_galerkin_entry *const e     = &v->coarse[column];
  const PetscBool             known = (PetscBool)(e->row == row);
  v->coarse_list[v->n_coarse]       = column;
  v->n_coarse += !known;
  *e = (wring_galerkin_entry){(known ? e->value : 0) + value, row};
}

/* v->coarse += v->fine times P, without a list; the columns of v->coarse that are used have to be cleared before. */
void wring_galerkin_row_by_interpolation(const wring_level *l, const wring_level_values *a, wring_galerkin_row *v);

/* ---- others.c ---- */

/* An entry of P^T A P for another rank. */
typedef struct {
  PetscInt64 row, column; // global
  double     value;
} wring_galerkin_part;

/*
  Parts of this rank's rows that other ranks computed, in the order of ranks; freed by the caller with PetscFree.
  coarse: n, first and comm are used. Collective.
*/
PetscErrorCode wring_galerkin_get_parts(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                                        PetscInt *n_part, wring_galerkin_part **part);
