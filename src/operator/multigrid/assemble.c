/* Rows by strips, in threads; then their copy to a matrix. */
#include "assemble.h"
#include "base/count.h"
#include <omp.h>
#include <stdlib.h>

/* A matrix in work. */
typedef struct {
  PetscInt        n, first, end; // rows; the columns of this rank
  wring_new_rows *strip;         // [wring_strips(n)]
  PetscInt       *own, *other;   // [n] entries of a row in columns of this rank, and of other ranks
} assembly;

/* Not PetscRealloc: threads add rows. */
PetscBool wring_new_rows_reserve(wring_new_rows *rows, size_t more)
{
  if (rows->n + more <= rows->room) return PETSC_TRUE;
  const size_t    room   = 2 * (rows->n + more);
  PetscInt *const column = realloc(rows->column, room * sizeof *column);
  if (column) rows->column = column;
  double *const value = realloc(rows->value, room * sizeof *value);
  if (value) rows->value = value;
  if (!column || !value) return PETSC_FALSE;
  rows->room = room;
  return PETSC_TRUE;
}

static void count_row(const assembly *m, PetscInt i, const wring_new_rows *rows, size_t begin)
{
  PetscInt own = 0;
  for (size_t k = begin; k < rows->n; k++) own += rows->column[k] >= m->first && rows->column[k] < m->end;
  m->own[i]   = own;
  m->other[i] = (PetscInt)(rows->n - begin) - own;
}

static PetscErrorCode compute(const assembly *m, int n_thread, wring_append_row append, const void *of)
{
  int failed = 0;

  PetscFunctionBegin;
#pragma omp parallel for schedule(static) num_threads(n_thread) reduction(| : failed) if (n_thread > 1)
  for (int s = 0; s < wring_strips(m->n); s++) {
    for (PetscInt i = wring_strip(m->n, s); i < wring_strip(m->n, s + 1) && !failed; i++) {
      const size_t begin = m->strip[s].n;
      failed             = !append(of, omp_get_thread_num(), i, &m->strip[s]);
      count_row(m, i, &m->strip[s], begin);
    }
  }
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a matrix of multigrid");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode preallocate(const assembly *m, Mat M)
{
  PetscInt64 all = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->n; i++) all += m->own[i] + m->other[i];
  PetscCall(wring_count_check(PetscObjectComm((PetscObject)M), all, 1, "coarse matrix on one rank", "entries"));
  PetscCall(MatSeqAIJSetPreallocation(M, 0, m->own)); // each sets its own type of matrix only
  PetscCall(MatMPIAIJSetPreallocation(M, 0, m->own, 0, m->other));
  PetscCall(MatSetOption(M, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the strips to M and frees them. */
static PetscErrorCode copy_strips(const assembly *m, Mat M)
{
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(M, &first, NULL));
  for (int s = 0; s < wring_strips(m->n); s++) {
    wring_new_rows *const rows = &m->strip[s];
    size_t                at   = 0;
    for (PetscInt i = wring_strip(m->n, s); i < wring_strip(m->n, s + 1); i++) {
      const PetscInt row = first + i, n = m->own[i] + m->other[i];
      PetscCall(MatSetValues(M, 1, &row, n, rows->column + at, rows->value + at, INSERT_VALUES));
      at += (size_t)n;
    }
    free(rows->column);
    free(rows->value);
  }
  PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_assemble(MPI_Comm comm, PetscInt n, PetscInt n_column, int n_thread, wring_append_row append,
                              const void *of, Mat *M)
{
  assembly    m = {.n = n};
  PetscLayout columns;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, M));
  PetscCall(MatSetSizes(*M, n, n_column, PETSC_DECIDE, PETSC_DECIDE));
  PetscCall(MatSetType(*M, MATAIJ));
  PetscCall(MatGetLayouts(*M, NULL, &columns));
  PetscCall(PetscLayoutSetUp(columns));
  PetscCall(PetscLayoutGetRange(columns, &m.first, &m.end));
  PetscCall(PetscCalloc1((size_t)wring_strips(n), &m.strip));
  PetscCall(PetscMalloc2((size_t)n, &m.own, (size_t)n, &m.other));
  PetscCall(compute(&m, n_thread, append, of));
  PetscCall(preallocate(&m, *M));
  PetscCall(copy_strips(&m, *M));
  PetscCall(PetscFree2(m.own, m.other));
  PetscCall(PetscFree(m.strip));
  PetscFunctionReturn(PETSC_SUCCESS);
}
