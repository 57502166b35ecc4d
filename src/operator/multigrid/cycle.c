/*
  A V-cycle with one step of Chebyshev's iteration with Jacobi before and after each coarser level (Adams, Brezina, Hu,
  Tuminaro, J. Comput. Phys. 188, 2003). With zero to start from, the first step and the residual are one pass; the second step
  and the sum of all corrections another. docs/theory.md (4.7)-(4.12)
*/
#include "multigrid_impl.h"

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* d = D^(-1/2) of owned rows and, by the halo, of ghosts. */
static PetscErrorCode create_scale(MPI_Comm comm, Mat A, wring_level *l)
{
  PetscBool     definite = PETSC_TRUE;
  Vec           diagonal;
  const double *d;

  PetscFunctionBegin;
  PetscCall(wring_float_create(l->n + l->n_ghost, &l->scale));
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecGetArrayRead(diagonal, &d));
  for (PetscInt i = 0; i < l->n; i++) {
    if (!(d[i] > 0)) definite = PETSC_FALSE;
    l->scale[i] = (float)(1 / PetscSqrtReal(d[i]));
  }
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, MPIU_BOOL, MPI_LAND, comm));
  if (!definite) WRING_REFUSE(comm, "operator: the matrix is not positive definite (its diagonal)");
  if (!l->halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFBcastBegin(l->halo, MPI_FLOAT, l->scale, l->scale + l->n, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(l->halo, MPI_FLOAT, l->scale, l->scale + l->n, MPI_REPLACE));
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

/* The matrix of a level; only the finest outlives its PETSc matrix. */
static PetscErrorCode create_matrix(MPI_Comm comm, Mat A, PetscBool finest, wring_level *l)
{
  Mat             own, ghost;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &l->n, NULL));
  PetscCall(wring_mat_halo(A, &l->halo, &l->n_ghost));
  PetscCheck(3 * (int64_t)(l->n + l->n_ghost) < INT32_MAX, comm, PETSC_ERR_SUP, "Too many vertices on a rank");
  PetscCall(create_scale(comm, A, l));
  PetscCall(wring_mat_parts(A, &own, &ghost, &global));
  PetscCall(wring_csr_create(own, finest, l->scale, l->scale, &l->own));
  if (!ghost) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_csr_create(ghost, finest, l->scale, l->scale + l->n, &l->ghost));
  PetscCall(find_boundary(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the shares of other ranks go that restriction gathers. */
static PetscErrorCode create_slots(wring_level *l)
{
  const PetscInt *degree;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)l->n_coarse + 1, &l->slot));
  PetscCall(PetscSFComputeDegreeBegin(l->coarse_halo, &degree));
  PetscCall(PetscSFComputeDegreeEnd(l->coarse_halo, &degree));
  for (PetscInt i = 0; i < l->n_coarse; i++) l->slot[i + 1] = l->slot[i] + degree[i];
  PetscCall(PetscMalloc1(3 * (size_t)l->slot[l->n_coarse] + 1, &l->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D^(1/2) P D_coarse^(-1/2) and its transpose. */
static PetscErrorCode create_interpolation(Mat P, wring_level *l, const wring_level *coarse)
{
  Mat             own, ghost;
  const PetscInt *global;
  float          *row, *column;

  PetscFunctionBegin;
  PetscCall(wring_mat_parts(P, &own, &ghost, &global));
  PetscCall(wring_mat_halo(P, &l->coarse_halo, &l->n_coarse_ghost));
  l->n_coarse = coarse->n;
  PetscCall(PetscMalloc2(l->n, &row, l->n_coarse + l->n_coarse_ghost, &column));
  for (PetscInt i = 0; i < l->n; i++) row[i] = 1 / l->scale[i];
  PetscCall(PetscArraycpy(column, coarse->scale, l->n_coarse));
  if (l->coarse_halo) {
    PetscCall(PetscSFBcastBegin(l->coarse_halo, MPI_FLOAT, coarse->scale, column + l->n_coarse, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(l->coarse_halo, MPI_FLOAT, coarse->scale, column + l->n_coarse, MPI_REPLACE));
    PetscCall(create_slots(l));
  }
  PetscCall(PetscMalloc1(l->n_coarse_ghost, &l->coarse_global));
  PetscCall(PetscArraycpy(l->coarse_global, global, l->n_coarse_ghost));
  PetscCall(wring_csr_join(own, ghost, l->n_coarse, row, column, &l->P));
  PetscCall(wring_csr_transpose(l->n, l->n_coarse + l->n_coarse_ghost, &l->P, &l->R));
  PetscCall(PetscFree2(row, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_vectors(wring_level *l, PetscInt finer_ghosts)
{
  PetscFunctionBegin;
  l->y_ghost = PetscMax(l->n_ghost, finer_ghosts);
  PetscCall(wring_float_create(3 * (l->n + l->n_ghost), &l->b));
  PetscCall(wring_float_create(3 * (l->n + l->n_ghost), &l->x));
  PetscCall(wring_float_create(3 * (l->n + l->y_ghost), &l->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the step of the smoother ------------------------------------------------------------------------------------ */

static void start_power(wring_level *l, PetscInt first)
{
  for (PetscInt i = 0; i < 3 * l->n; i++) l->x[i] = (float)(wring_uniform((uint64_t)(3 * first + i)) - 0.5);
}

/* x . A x / x . x, where x . x is known, and x = A x / |A x|: for each component. */
static PetscErrorCode power_step(const wring_cycle *c, wring_level *l, double xx[3], double *largest)
{
  double sum[6];

  PetscFunctionBegin;
  PetscCall(wring_level_combine(c, l, 0, l->x, 0, l->x, l->y, NULL));
  wring_level_dots(l->n, l->x, l->y, sum, sum + 3);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_DOUBLE, MPI_SUM, c->comm));
  *largest = 0;
  for (int d = 0; d < 3; d++) {
    *largest = PetscMax(*largest, sum[d] / xx[d]);
    xx[d]    = 1;
  }
  for (PetscInt i = 0; i < 3 * l->n; i++) l->x[i] = (float)(l->y[i] / PetscSqrtReal(sum[3 + i % 3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Chebyshev's iteration of one step on [0.1, 1.1] times the largest eigenvalue is Jacobi damped by 1/0.6. The power method comes
  from below, hence a margin; a step below 2 / eigenvalue is all that is needed for a definite cycle.
*/
static PetscErrorCode find_omega(const wring_cycle *c, PetscInt first, wring_level *l)
{
  enum { STEPS = 20 };
  const double margin  = 1.05;
  double       largest = 1, ignored[3], xx[3];

  PetscFunctionBegin;
  l->omega = -1; // combine then multiplies
  start_power(l, first);
  wring_level_dots(l->n, l->x, l->x, ignored, xx);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, xx, 3, MPI_DOUBLE, MPI_SUM, c->comm));
  for (int i = 0; i < STEPS; i++) PetscCall(power_step(c, l, xx, &largest));
  if (!(largest > 0)) WRING_REFUSE(c->comm, "operator: the matrix is not positive definite (multigrid's estimate)");
  l->omega = (float)(1 / (0.6 * margin * largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all levels -------------------------------------------------------------------------------------------------- */

static double level_memory(const wring_level *l)
{
  const double vertex = 3 * sizeof(float);
  return wring_csr_memory(l->n, &l->own) + wring_csr_memory(l->n, &l->ghost) + wring_csr_memory(l->n, &l->P) +
         wring_csr_memory(l->n_coarse + l->n_coarse_ghost, &l->R) +
         vertex * (3.0 * l->n + 2.0 * l->n_ghost + l->y_ghost) + sizeof(float) * (double)(l->n + l->n_ghost) +
         (l->slot ? vertex * l->slot[l->n_coarse] : 0);
}

static PetscErrorCode create_level(wring_cycle *c, int i, Mat A)
{
  wring_level *const l = &c->level[i];
  PetscInt           first;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(create_vectors(l, i > 0 ? c->level[i - 1].n_coarse_ghost : 0));
  PetscCall(find_omega(c, first, l));
  c->memory += level_memory(l);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_create(MPI_Comm comm, int n_level, Mat *A, Mat *P, wring_cycle **out)
{
  wring_cycle *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *out       = c;
  c->comm    = comm;
  c->n_level = n_level;
  PetscCallMPI(MPI_Type_contiguous(3, MPI_FLOAT, &c->vertex));
  PetscCallMPI(MPI_Type_commit(&c->vertex));
  PetscCall(PetscCalloc1(n_level, &c->level));
  c->coarsest.comm = MPI_COMM_NULL;
  for (int i = 0; i < n_level; i++) PetscCall(create_matrix(comm, A[i], (PetscBool)(i == 0), &c->level[i]));
  for (int i = 0; i + 1 < n_level; i++) PetscCall(create_interpolation(P[i], &c->level[i], &c->level[i + 1]));
  for (int i = 0; i < n_level; i++) PetscCall(create_level(c, i, A[i]));
  PetscCall(wring_coarsest_create(comm, A[n_level - 1], &c->level[n_level - 1], &c->coarsest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_level(wring_level *l)
{
  PetscFunctionBegin;
  PetscCall(wring_csr_destroy(&l->own));
  PetscCall(wring_csr_destroy(&l->ghost));
  PetscCall(wring_csr_destroy(&l->P));
  PetscCall(wring_csr_destroy(&l->R));
  PetscCall(PetscSFDestroy(&l->halo));
  PetscCall(PetscSFDestroy(&l->coarse_halo));
  PetscCall(PetscFree(l->boundary));
  PetscCall(PetscFree(l->scale));
  PetscCall(PetscFree(l->coarse_global));
  PetscCall(PetscFree(l->slot));
  PetscCall(PetscFree(l->share));
  PetscCall(PetscFree(l->b));
  PetscCall(PetscFree(l->x));
  PetscCall(PetscFree(l->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_destroy(wring_cycle **c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < (*c)->n_level; i++) PetscCall(destroy_level(&(*c)->level[i]));
  PetscCall(wring_coarsest_destroy(&(*c)->coarsest));
  PetscCallMPI(MPI_Type_free(&(*c)->vertex));
  PetscCall(PetscFree((*c)->level));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cycle --------------------------------------------------------------------------------------------------- */

static void scale_by(PetscInt n, const float *scale, float *y)
{
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) y[3 * i + c] *= scale[i];
}

/* y = A^(-1) b, or a few steps of the smoother from zero. */
static PetscErrorCode solve_coarsest(wring_cycle *c, wring_level *l, const float *scale)
{
  enum { STEPS = 4 };

  PetscFunctionBegin;
  if (c->coarsest.dense) {
    PetscCall(wring_coarsest_solve(&c->coarsest, l->n, l->b, l->y));
  } else {
    for (PetscInt i = 0; i < 3 * l->n; i++) l->y[i] = l->omega * l->b[i];
    for (int k = 0; k < STEPS; k++) {
      PetscCall(PetscArraycpy(l->x, l->y, 3 * l->n));
      PetscCall(wring_level_combine(c, l, l->omega, l->b, 1, l->x, l->y, NULL));
    }
  }
  if (scale) scale_by(l->n, scale, l->y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_apply(wring_cycle *c)
{
  const int          last  = c->n_level - 1;
  wring_level *const level = c->level;
  const float *const scale = level->scale;

  PetscFunctionBegin;
  for (int i = 0; i < last; i++) { // y = b - omega A b, the residual of x = omega b
    PetscCall(wring_level_combine(c, &level[i], 0, level[i].b, 1, level[i].b, level[i].y, NULL));
    PetscCall(wring_level_restrict(c, &level[i], level[i].y, level[i + 1].y, level[i + 1].b));
  }
  PetscCall(solve_coarsest(c, &level[last], last == 0 ? scale : NULL));
  for (int i = last - 1; i >= 0; i--) {
    wring_level *const l = &level[i];
    PetscCall(wring_level_prolong(c, l, level[i + 1].y, l->b, l->x));
    PetscCall(wring_level_combine(c, l, l->omega, l->b, 1, l->x, l->y, i == 0 ? scale : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
