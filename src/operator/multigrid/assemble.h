/* A PETSc matrix from rows that threads compute. */
#pragma once
#include "vec.h"
#include <petscmat.h>

/* Rows that were computed one after the other: global columns, ascending in each row. */
typedef struct {
  size_t    n, room;
  PetscInt *column; // [n]
  double   *value;  // [n]
} wring_new_rows;

/* Computes row i of `of` on `thread` and appends it; PETSC_FALSE: there is no memory. */
typedef PetscBool wring_append_row(const void *of, int thread, PetscInt i, wring_new_rows *rows);

/* Makes room for `more` entries; PETSC_FALSE: there is no memory. Called by all threads. */
PetscBool wring_new_rows_reserve(wring_new_rows *rows, size_t more);

/* M: aij, with n rows and n_column columns of this rank, those that `append` gives. Collective. */
PetscErrorCode wring_assemble(MPI_Comm comm, PetscInt n, PetscInt n_column, int n_thread, wring_append_row append,
                              const void *of, Mat *M);
