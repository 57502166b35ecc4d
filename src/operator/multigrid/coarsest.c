/* The inverse of the coarsest level. */
#include "coarsest.h"

/*
  Above this number of rows an inverse costs more time and memory than it saves (aggregation did not coarsen enough).
*/
enum { DENSE_LIMIT = 1000 };

/* Rows of the scaled matrix, dense [n][n_global]. */
static void own_rows(const wring_level *l, PetscInt n_global, double *dense)
{
  for (PetscInt i = 0; i < l->n; i++) {
    double *row = dense + i * n_global;
    for (PetscInt k = l->own.start[i]; k < l->own.start[i + 1]; k++) row[l->first + l->own.column[k]] = l->own.value[k];
    if (!l->ghost.start) continue;
    for (PetscInt k = l->ghost.start[i]; k < l->ghost.start[i + 1]; k++)
      row[l->near.global[l->ghost.column[k]]] = l->ghost.value[k];
  }
}

static PetscBool invert(PetscInt n, double *a)
{
  for (PetscInt p = 0; p < n; p++) {
    double *const pivot = a + p * n, inverse = 1 / pivot[p];
    if (!(pivot[p] > 0)) return PETSC_FALSE;
    pivot[p] = 1;
    for (PetscInt j = 0; j < n; j++) pivot[j] *= inverse;
    for (PetscInt i = 0; i < n; i++) {
      const double factor = a[i * n + p];
      if (i == p || factor == 0) continue;
      a[i * n + p] = 0;
      for (PetscInt j = 0; j < n; j++) a[i * n + j] -= factor * pivot[j];
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode wring_coarsest_invert(PetscInt n, double most, double *a, PetscBool *definite)
{
  const size_t size = (size_t)n * (size_t)n;
  double      *copy;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, &copy));
  PetscCall(PetscArraycpy(copy, a, size));
  *definite = invert(n, a);
  for (double shift = 1e-6; !*definite && shift < most; shift *= 10) {
    PetscCall(PetscArraycpy(a, copy, size));
    for (PetscInt i = 0; i < n; i++) a[i * n + i] += shift;
    *definite = invert(n, a);
  }
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts and offsets of the ranks' rows, and memory to gather a vector. */
static PetscErrorCode count_shares(PetscInt n, wring_coarsest *c)
{
  const int mine = (int)n;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(c->comm);
  PetscCall(PetscMalloc2(size, &c->count, size, &c->offset));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, c->count, 1, MPI_INT, c->comm));
  for (int i = 0; i < size; i++) c->offset[i] = i > 0 ? c->offset[i - 1] + c->count[i - 1] : 0;
  if (size > 1) PetscCall(PetscMalloc1(3 * c->n_global, &c->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by the ranks that own rows. */
static PetscErrorCode create_inverse(const wring_level *l, wring_coarsest *c, PetscBool *definite)
{
  const PetscInt n = l->n, size_of_row = c->n_global;
  MPI_Datatype   row;
  double        *mine, *dense;

  PetscFunctionBegin;
  PetscCall(count_shares(n, c));
  PetscCall(PetscCalloc1(n * size_of_row, &mine));
  PetscCall(PetscMalloc1(size_of_row * size_of_row, &dense));
  PetscCall(PetscMalloc1(n * size_of_row, &c->inverse));
  own_rows(l, size_of_row, mine);
  PetscCallMPI(MPI_Type_contiguous((int)size_of_row, MPI_DOUBLE, &row));
  PetscCallMPI(MPI_Type_commit(&row));
  PetscCallMPI(MPI_Allgatherv(mine, (int)n, row, dense, c->count, c->offset, row, c->comm));
  PetscCallMPI(MPI_Type_free(&row));
  PetscCall(wring_coarsest_invert(size_of_row, 1e-3, dense, definite));
  for (PetscInt i = 0; i < n * size_of_row; i++) c->inverse[i] = (float)dense[l->first * size_of_row + i];
  PetscCall(PetscFree(dense));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_create(const wring_level *l, wring_coarsest *c)
{
  const MPI_Comm comm     = l->comm;
  PetscBool      definite = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&l->n, &c->n_global, 1, MPIU_INT, MPI_SUM, comm));
  c->comm  = MPI_COMM_NULL;
  c->dense = (PetscBool)(c->n_global <= DENSE_LIMIT);
  if (!c->dense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_split(comm, l->n > 0 ? 0 : MPI_UNDEFINED, wring_comm_rank(comm), &c->comm));
  PetscCallMPI(MPI_Type_contiguous(3, MPI_FLOAT, &c->three));
  PetscCallMPI(MPI_Type_commit(&c->three));
  if (c->comm != MPI_COMM_NULL) PetscCall(create_inverse(l, c, &definite));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, WRING_MPI_BOOL, MPI_LAND, comm));
  if (!definite) WRING_REFUSE(comm, "operator: the matrix is not positive definite (multigrid's coarsest level)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_destroy(wring_coarsest *c)
{
  PetscFunctionBegin;
  if (c->comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&c->comm));
  if (c->dense) PetscCallMPI(MPI_Type_free(&c->three));
  PetscCall(PetscFree(c->inverse));
  PetscCall(PetscFree(c->all));
  PetscCall(PetscFree2(c->count, c->offset));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_solve(wring_coarsest *c, PetscInt n, const float *b, float *x)
{
  const float *all = b;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->all) {
    PetscCallMPI(MPI_Allgatherv(b, (int)n, c->three, c->all, c->count, c->offset, c->three, c->comm));
    all = c->all;
  }
  for (PetscInt i = 0; i < n; i++) {
    const float *row    = c->inverse + i * c->n_global;
    float        sum[3] = {0};
    for (PetscInt j = 0; j < c->n_global; j++)
      for (int d = 0; d < 3; d++) sum[d] += row[j] * all[3 * j + d];
    for (int d = 0; d < 3; d++) x[3 * i + d] = sum[d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
