/*
  Creates a level from a PETSc matrix, gives it new values, and multiplies by it: the scaled rows, the vectors, the step
  of the smoother. docs/theory.md (4.5)-(4.8), (4.19)
*/
#include "level.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* *root [n] = D^(1/2) of the values of l->own, freed by the caller. A refusal changes nothing in l. */
static PetscErrorCode find_roots(const wring_level *l, const double *value, double **root)
{
  PetscBool definite = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(l->n, root));
  for (PetscInt i = 0; i < l->n; i++) {
    const double d = wring_csr_diagonal(&l->own, value, i);
    definite       = (PetscBool)(definite && d > 0);
    (*root)[i]     = PetscSqrtReal(d);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, WRING_MPI_BOOL, MPI_LAND, l->comm));
  if (!definite) PetscCall(PetscFree(*root));
  if (!definite) WRING_REFUSE(l->comm, "operator: the matrix is not positive definite (its diagonal)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of A, with rows r, borrowed where possible, or copied. */
static PetscErrorCode create_pattern(MPI_Comm comm, Mat A, const wring_rows *r, PetscBool borrow, wring_level *l)
{
  PetscFunctionBegin;
  *l = (wring_level){.comm = comm, .n = r->own.n, .first = r->first};
  PetscCall(wring_aij_neighbours(A, &l->near));
  l->n_ghost = l->near.n_ghost;
  PetscCall(wring_neighbours_check(comm, (PetscInt64)l->n + l->n_ghost));
  PetscCall(wring_csr_create(&r->own, borrow, &l->own));
  if (r->ghost.start) PetscCall(wring_csr_create(&r->ghost, borrow, &l->ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of own and ghost, rows and columns times `by`. */
static void set_values(wring_level *l, const double *own, const double *ghost, const float *by)
{
  wring_csr_set_values(l->n, own, by, by, &l->own);
  if (l->ghost.start) wring_csr_set_values(l->n, ghost, by, by + l->n, &l->ghost);
}

PetscErrorCode wring_level_create(MPI_Comm comm, Mat A, PetscBool finest, wring_level *l)
{
  wring_rows r;
  double    *root;

  PetscFunctionBegin;
  PetscCall(wring_rows_get(A, &r));
  PetscCall(create_pattern(comm, A, &r, finest, l));
  PetscCall(wring_messages_create(&l->near, MPI_FLOAT, 3, PETSC_TRUE, &l->fetch));
  PetscCall(PetscMalloc1(l->own.start[l->n], &l->own.value));
  if (l->ghost.start) PetscCall(PetscMalloc1(l->ghost.start[l->n], &l->ghost.value));
  PetscCall(PetscMalloc1(l->n, &l->boundary));
  if (l->ghost.start)
    for (PetscInt i = 0; i < l->n; i++)
      if (l->ghost.start[i + 1] > l->ghost.start[i]) l->boundary[l->n_boundary++] = i;
  PetscCall(PetscRealloc(sizeof *l->boundary * (size_t)l->n_boundary, &l->boundary));
  PetscCall(wring_vec_create((size_t)(l->n + l->n_ghost), sizeof(float), &l->scale));
  PetscCall(find_roots(l, r.own.value, &root));
  for (PetscInt i = 0; i < l->n; i++) l->scale[i] = (float)(1 / root[i]);
  PetscCall(wring_neighbours_fetch(&l->near, sizeof *l->scale, l->scale, l->scale + l->n));
  set_values(l, r.own.value, r.ghost.value, l->scale);
  PetscCall(wring_rows_restore(&r));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_renew(wring_level *l, const wring_level_values *a, float *q)
{
  double *root;

  PetscFunctionBegin;
  PetscCall(find_roots(l, a->own, &root));
  for (PetscInt i = 0; i < l->n; i++) {
    const double old = l->scale[i];
    l->scale[i]      = (float)((a->scale ? 1 : old) / root[i]);
    q[i]             = (float)(a->scale ? l->scale[i] / old : 1 / root[i]);
  }
  PetscCall(PetscFree(root));
  PetscCall(wring_neighbours_fetch(&l->near, sizeof *q, q, q + l->n));
  PetscCall(wring_neighbours_fetch(&l->near, sizeof *q, l->scale, l->scale + l->n));
  set_values(l, a->own, a->ghost, a->scale ? l->scale : q);
  PetscCall(wring_level_find_omega(l));
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
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++)
    for (int c = 0; c < 3; c++) l->x[3 * i + c] = (float)(l->y[3 * i + c] / length[c]);
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
  const size_t n = 3 * ((size_t)l->n + (size_t)l->n_ghost) + 1;

  PetscFunctionBegin;
  l->n_y = PetscMax(n, 3 * ((size_t)l->n + (size_t)finer_ghosts));
  PetscCall(wring_vec_create(n, sizeof(float), &l->b));
  PetscCall(wring_vec_create(n, sizeof(float), &l->x));
  PetscCall(wring_vec_create(l->n_y, sizeof(float), &l->y));
  PetscCall(wring_level_find_omega(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* It is limited by memory bandwidth: one pass over the matrix does all that needs a row. docs/theory.md (4.7), (4.8) */
PetscErrorCode wring_level_combine(wring_level *l, PetscBool fetch, float p, const float *b, float q, float *x,
                                   float *y, const float *scale)
{
  float *const ghost = wring_level_ghosts(l, x);

  PetscFunctionBegin;
  if (fetch) PetscCall(wring_fetch_begin(&l->fetch, x));
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++) {
    const wring_float4 sum = wring_csr_row(&l->own, i, x);
    const float        d   = scale ? scale[i] : 1;
    for (int c = 0; c < 3; c++) y[3 * i + c] = d * (p * b[3 * i + c] + q * x[3 * i + c] - l->omega * sum[c]);
  }
  if (fetch) PetscCall(wring_fetch_end(&l->fetch, ghost));
#pragma omp parallel for schedule(static) if (l->n_boundary > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < l->n_boundary; k++) {
    const PetscInt     i    = l->boundary[k];
    const wring_float4 sum  = wring_csr_row(&l->ghost, i, ghost);
    const float        step = scale ? scale[i] * l->omega : l->omega;
    for (int c = 0; c < 3; c++) y[3 * i + c] -= step * sum[c];
  }
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

PetscErrorCode wring_level_release(wring_level *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->own.value));
  PetscCall(PetscFree(l->ghost.value));
  PetscCall(PetscFree(l->top));
  PetscCall(PetscFree(l->b));
  PetscCall(PetscFree(l->x));
  PetscCall(PetscFree(l->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_destroy(wring_level *l)
{
  PetscFunctionBegin;
  PetscCall(wring_level_release(l));
  PetscCall(wring_csr_destroy(&l->own));
  PetscCall(wring_csr_destroy(&l->ghost));
  PetscCall(wring_interpolation_destroy(&l->from_coarse));
  PetscCall(wring_messages_destroy(&l->fetch));
  PetscCall(wring_neighbours_destroy(&l->near));
  PetscCall(PetscFree(l->boundary));
  PetscCall(PetscFree(l->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}
