/* The inverse of the coarsest level. */
#include "coarsest.h"

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

PetscErrorCode wring_coarsest_create(const wring_level *l, int bs, int width, PetscInt most, wring_coarsest *c)
{
  const int mine = (int)l->n;
  PetscInt  n;

  PetscFunctionBegin;
  *c = (wring_coarsest){.comm = MPI_COMM_NULL, .bs = bs};
  PetscCallMPI(MPI_Allreduce(&l->n, &n, 1, MPIU_INT, MPI_SUM, l->comm));
  c->dense = (PetscBool)(n <= most / bs);
  if (!c->dense) PetscFunctionReturn(PETSC_SUCCESS);
  c->n_global = bs * n;
  PetscCallMPI(MPI_Type_contiguous(width, MPI_FLOAT, &c->numbers));
  PetscCallMPI(MPI_Type_commit(&c->numbers));
  PetscCallMPI(MPI_Comm_split(l->comm, mine > 0 ? 0 : MPI_UNDEFINED, wring_comm_rank(l->comm), &c->comm));
  if (c->comm == MPI_COMM_NULL) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscMPIInt size = wring_comm_size(c->comm);
  PetscCall(PetscMalloc2(size, &c->count, size, &c->offset));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, c->count, 1, MPI_INT, c->comm));
  for (int i = 0; i < size; i++) c->offset[i] = i > 0 ? c->offset[i - 1] + c->count[i - 1] : 0;
  if (size > 1) PetscCall(PetscMalloc1(width * n, &c->all));
  PetscCall(PetscMalloc1(bs * mine * c->n_global, &c->inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by the ranks that own rows. */
static PetscErrorCode find_inverse(const wring_level *l, double most, const double *rows, wring_coarsest *c,
                                   PetscBool *definite)
{
  const PetscInt n = c->bs * l->n, all = c->n_global;
  MPI_Datatype   block;
  double        *dense;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(all * all, &dense));
  PetscCallMPI(MPI_Type_contiguous((int)(c->bs * all), MPI_DOUBLE, &block));
  PetscCallMPI(MPI_Type_commit(&block));
  PetscCallMPI(MPI_Allgatherv(rows, (int)l->n, block, dense, c->count, c->offset, block, c->comm));
  PetscCallMPI(MPI_Type_free(&block));
  PetscCall(wring_coarsest_invert(all, most, dense, definite));
  for (PetscInt i = 0; i < n * all; i++) c->inverse[i] = (float)dense[c->bs * l->first * all + i];
  PetscCall(PetscFree(dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_fill(const wring_level *l, double most, const double *rows, wring_coarsest *c)
{
  PetscBool definite = PETSC_TRUE;

  PetscFunctionBegin;
  if (c->comm != MPI_COMM_NULL) PetscCall(find_inverse(l, most, rows, c, &definite));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, WRING_MPI_BOOL, MPI_LAND, l->comm));
  if (!definite) WRING_REFUSE(l->comm, "operator: the matrix is not positive definite (multigrid's coarsest level)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_set(const wring_level *l, wring_coarsest *c)
{
  double *rows;

  PetscFunctionBegin;
  if (!c->dense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(l->n * c->n_global, &rows));
  own_rows(l, c->n_global, rows);
  PetscCall(wring_coarsest_fill(l, 1e-3, rows, c));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_destroy(wring_coarsest *c)
{
  PetscFunctionBegin;
  if (c->comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&c->comm));
  if (c->dense) PetscCallMPI(MPI_Type_free(&c->numbers));
  PetscCall(PetscFree(c->inverse));
  PetscCall(PetscFree(c->all));
  PetscCall(PetscFree2(c->count, c->offset));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_gather(wring_coarsest *c, PetscInt n, const float *b, const float **all)
{
  PetscFunctionBegin;
  *all = c->all ? c->all : b;
  if (!c->all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allgatherv(b, (int)n, c->numbers, c->all, c->count, c->offset, c->numbers, c->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsest_solve(wring_coarsest *c, PetscInt n, const float *b, float *x)
{
  const float *all;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_coarsest_gather(c, n, b, &all));
  for (PetscInt i = 0; i < n; i++) {
    const float *row    = c->inverse + i * c->n_global;
    float        sum[3] = {0};
    for (PetscInt j = 0; j < c->n_global; j++)
      for (int d = 0; d < 3; d++) sum[d] += row[j] * all[3 * j + d];
    for (int d = 0; d < 3; d++) x[3 * i + d] = sum[d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
