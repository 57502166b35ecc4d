/*
  Creates a level from a PETSc matrix: the scaled rows, the vectors, the step of the smoother. docs/theory.md
  (4.5)-(4.7)
*/
#include "level.h"
#include "operator/aij.h"

/* d = D^(-1/2) of the owned rows and, from their owners, of the ghosts. */
static PetscErrorCode create_scale(Mat A, wring_level *l)
{
  PetscBool     definite = PETSC_TRUE;
  Vec           diagonal;
  const double *d;

  PetscFunctionBegin;
  PetscCall(wring_float_create((size_t)(l->n + l->n_ghost), &l->scale));
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecGetArrayRead(diagonal, &d));
  for (PetscInt i = 0; i < l->n; i++) {
    if (!(d[i] > 0)) definite = PETSC_FALSE;
    l->scale[i] = (float)(1 / PetscSqrtReal(d[i]));
  }
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, WRING_MPI_BOOL, MPI_LAND, l->comm));
  if (!definite) WRING_REFUSE(l->comm, "operator: the matrix is not positive definite (its diagonal)");
  PetscCall(wring_neighbours_fetch(&l->near, sizeof(float), l->scale, l->scale + l->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_boundary(wring_level *l)
{
  const PetscInt *start = l->ghost.start;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < l->n; i++) l->n_boundary += start[i + 1] > start[i];
  PetscCall(PetscMalloc1(l->n_boundary, &l->boundary));
  for (PetscInt i = 0, k = 0; i < l->n; i++)
    if (start[i + 1] > start[i]) l->boundary[k++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows and their neighbours. */
static PetscErrorCode create_rows(MPI_Comm comm, Mat A, wring_level *l)
{
  PetscFunctionBegin;
  *l = (wring_level){.comm = comm};
  PetscCall(MatGetLocalSize(A, &l->n, NULL));
  PetscCall(MatGetOwnershipRange(A, &l->first, NULL));
  PetscCall(wring_aij_neighbours(A, &l->near));
  l->n_ghost = l->near.n_ghost;
  PetscCheck(3 * ((int64_t)l->n + l->n_ghost) < INT32_MAX, comm, PETSC_ERR_SUP, "Too many vertices on a rank");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_create_pattern(MPI_Comm comm, Mat A, wring_level *l)
{
  Mat             own, ghost;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(create_rows(comm, A, l));
  PetscCall(wring_aij_split(A, &own, &ghost, &global));
  PetscCall(wring_csr_create(own, PETSC_TRUE, NULL, NULL, &l->own));
  if (ghost) PetscCall(wring_csr_create(ghost, PETSC_TRUE, NULL, NULL, &l->ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_create(MPI_Comm comm, Mat A, PetscBool finest, wring_level *l)
{
  Mat             own, ghost;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(create_rows(comm, A, l));
  PetscCall(wring_messages_create(&l->near, MPI_FLOAT, PETSC_TRUE, &l->fetch));
  PetscCall(create_scale(A, l));
  PetscCall(wring_aij_split(A, &own, &ghost, &global));
  PetscCall(wring_csr_create(own, finest, l->scale, l->scale, &l->own));
  if (!ghost) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_csr_create(ghost, finest, l->scale, l->scale + l->n, &l->ghost));
  PetscCall(find_boundary(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_number_ghosts(const wring_level *l, const wring_neighbours *near, PetscInt *global)
{
  PetscInt *own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(l->n, &own));
  for (PetscInt i = 0; i < l->n; i++) own[i] = l->first + i;
  PetscCall(wring_neighbours_fetch(near, sizeof *own, own, global));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_vectors(wring_level *l, PetscInt finer_ghosts)
{
  const size_t n = 3 * ((size_t)l->n + (size_t)l->n_ghost) + 1;

  PetscFunctionBegin;
  l->n_y = PetscMax(n, 3 * ((size_t)l->n + (size_t)finer_ghosts));
  PetscCall(wring_float_create(n, &l->b));
  PetscCall(wring_float_create(n, &l->x));
  PetscCall(wring_float_create(l->n_y, &l->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the step of the smoother ------------------------------------------------------------------------------------ */

/* Random numbers; where the last estimate ended in the place of the first component, if there was one. */
static void start_power(wring_level *l)
{
  const uint64_t seed = wring_level_seed(l->first);
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++) {
    for (int c = 0; c < 3; c++) l->x[3 * i + c] = (float)(wring_uniform(seed + 3 * (uint64_t)i + (uint64_t)c) - 0.5);
    if (l->top) l->x[3 * i] = l->top[i];
  }
}

/* x = y, each component divided by its length. */
static void normalise(PetscInt n, const double length[3], const float *y, float *x)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[3 * i + c] = (float)(y[3 * i + c] / length[c]);
}

/* For each component: x . A x / x . x with known x . x, then x = A x / |A x|. The largest, and its component. */
static PetscErrorCode power_step(wring_level *l, double xx[3], double *largest, int *component)
{
  double sum[6], length[3];

  PetscFunctionBegin;
  PetscCall(wring_level_combine(l, PETSC_TRUE, 0, l->x, 0, l->x, l->y, NULL));
  wring_float_dots(l->n, l->x, l->y, sum, sum + 3);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_DOUBLE, MPI_SUM, l->comm));
  *largest = 0;
  for (int d = 0; d < 3; d++) {
    if (sum[d] / xx[d] > *largest) *component = d;
    *largest  = PetscMax(*largest, sum[d] / xx[d]);
    xx[d]     = 1;
    length[d] = PetscSqrtReal(sum[3 + d]);
  }
  normalise(l->n, length, l->y, l->x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  One step of Chebyshev's iteration on [0.1, 1.1] times the largest eigenvalue is Jacobi damped by 1/0.6. The power
  method approaches the eigenvalue from below, hence the margin; a cycle is positive definite for every step below 2 /
  eigenvalue.
*/
PetscErrorCode wring_level_find_omega(wring_level *l)
{
  const int    steps     = l->omega > 0 ? 10 : 20; // not l->top, NULL on ranks without rows
  const double margin    = 1.05;
  double       largest   = 1, ignored[3], xx[3];
  int          component = 0;

  PetscFunctionBegin;
  l->omega = -1; // combine then computes A x
  start_power(l);
  wring_float_dots(l->n, l->x, l->x, ignored, xx);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, xx, 3, MPI_DOUBLE, MPI_SUM, l->comm));
  for (int i = 0; i < steps; i++) PetscCall(power_step(l, xx, &largest, &component));
  if (!(largest > 0)) WRING_REFUSE(l->comm, "operator: the matrix is not positive definite (multigrid's estimate)");
  l->omega = (float)(1 / (0.6 * margin * largest));
  if (!l->top) PetscCall(PetscMalloc1(l->n, &l->top));
  for (PetscInt i = 0; i < l->n; i++) l->top[i] = l->x[3 * i + component];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_set_up(wring_level *l, PetscInt finer_ghosts)
{
  PetscFunctionBegin;
  PetscCall(create_vectors(l, finer_ghosts));
  PetscCall(wring_level_find_omega(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

double wring_level_memory(const wring_level *l)
{
  const double vectors = 2 * (3.0 * (double)(l->n + l->n_ghost) + 1) + (double)l->n_y;
  return wring_csr_memory(l->n, &l->own) + wring_csr_memory(l->n, &l->ghost) + wring_neighbours_memory(&l->near) +
         wring_messages_memory(&l->fetch) + wring_interpolation_memory(&l->from_coarse) +
         sizeof(float) * (vectors + (double)(2 * l->n + l->n_ghost));
}

PetscErrorCode wring_level_destroy(wring_level *l)
{
  PetscFunctionBegin;
  PetscCall(wring_csr_destroy(&l->own));
  PetscCall(wring_csr_destroy(&l->ghost));
  PetscCall(wring_interpolation_destroy(&l->from_coarse));
  PetscCall(wring_messages_destroy(&l->fetch));
  PetscCall(wring_neighbours_destroy(&l->near));
  PetscCall(PetscFree(l->boundary));
  PetscCall(PetscFree(l->scale));
  PetscCall(PetscFree(l->top));
  PetscCall(PetscFree(l->b));
  PetscCall(PetscFree(l->x));
  PetscCall(PetscFree(l->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
