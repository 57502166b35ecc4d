/* The interpolation between two levels. docs/theory.md (4.9), (4.10) */
#include "interpolation.h"
#include "operator/aij.h"

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* Creates the arrays in which restriction gathers the contributions of other ranks. */
static PetscErrorCode create_slots(wring_interpolation *p)
{
  const PetscInt *degree;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)p->n_coarse + 1, &p->slot));
  PetscCall(PetscSFComputeDegreeBegin(p->halo, &degree));
  PetscCall(PetscSFComputeDegreeEnd(p->halo, &degree));
  for (PetscInt i = 0; i < p->n_coarse; i++) p->slot[i + 1] = p->slot[i] + degree[i];
  PetscCall(PetscMalloc1(3 * (size_t)p->slot[p->n_coarse] + 1, &p->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* all [n_coarse + n_ghost] = coarse and its ghosts. */
static PetscErrorCode spread(const wring_interpolation *p, const float *coarse, float *all)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(all, coarse, p->n_coarse));
  if (!p->halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFBcastBegin(p->halo, MPI_FLOAT, coarse, all + p->n_coarse, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(p->halo, MPI_FLOAT, coarse, all + p->n_coarse, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_interpolation_create(Mat P, MPI_Datatype vertex, const float *fine, const float *coarse,
                                          wring_interpolation *p)
{
  Mat             own, ghost;
  const PetscInt *global;
  float          *row, *column;

  PetscFunctionBegin;
  *p = (wring_interpolation){.vertex = vertex};
  PetscCall(MatGetLocalSize(P, &p->n, &p->n_coarse));
  PetscCall(wring_aij_split(P, &own, &ghost, &global));
  PetscCall(wring_aij_halo(P, &p->halo, &p->n_ghost));
  PetscCall(PetscMalloc2(p->n, &row, p->n_coarse + p->n_ghost, &column));
  for (PetscInt i = 0; i < p->n; i++) row[i] = 1 / fine[i];
  PetscCall(spread(p, coarse, column));
  if (p->halo) PetscCall(create_slots(p));
  PetscCall(PetscMalloc1(p->n_ghost, &p->global));
  PetscCall(PetscArraycpy(p->global, global, p->n_ghost));
  PetscCall(wring_csr_join(own, ghost, p->n_coarse, row, column, &p->P));
  PetscCall(wring_csr_transpose(p->n, p->n_coarse + p->n_ghost, &p->P, &p->R));
  PetscCall(PetscFree2(row, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_interpolation_destroy(wring_interpolation *p)
{
  PetscFunctionBegin;
  PetscCall(wring_csr_destroy(&p->P));
  PetscCall(wring_csr_destroy(&p->R));
  PetscCall(PetscSFDestroy(&p->halo));
  PetscCall(PetscFree(p->global));
  PetscCall(PetscFree(p->slot));
  PetscCall(PetscFree(p->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_interpolation_memory(const wring_interpolation *p)
{
  return wring_csr_memory(p->n, &p->P) + wring_csr_memory(p->n_coarse + p->n_ghost, &p->R) +
         (p->slot ? 3.0 * sizeof(float) * (double)p->slot[p->n_coarse] : 0);
}

/* ---- back to PETSc ----------------------------------------------------------------------------------------------- */

/* The entries of P without the scaling, and their global columns. */
static void unscale(const wring_interpolation *p, PetscInt first, const float *fine, const float *coarse,
                    PetscInt *column, double *value)
{
  for (PetscInt i = 0; i < p->n; i++) {
    for (PetscInt k = p->P.start[i]; k < p->P.start[i + 1]; k++) {
      const PetscInt j = p->P.column[k];
      column[k]        = j < p->n_coarse ? first + j : p->global[j - p->n_coarse];
      value[k]         = fine[i] * (double)p->P.value[k] / coarse[j];
    }
  }
}

PetscErrorCode wring_interpolation_restore(MPI_Comm comm, const wring_interpolation *p, const float *fine,
                                           const float *coarse, Mat *P)
{
  const size_t n_entry = (size_t)p->P.start[p->n];
  PetscInt     first   = 0, *column;
  float       *all;
  double      *value;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&p->n_coarse, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscMalloc3(n_entry, &column, n_entry, &value, p->n_coarse + p->n_ghost, &all));
  PetscCall(spread(p, coarse, all));
  unscale(p, first, fine, all, column, value);
  PetscCall(MatCreate(comm, P));
  PetscCall(MatSetSizes(*P, p->n, p->n_coarse, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*P, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*P, p->P.start, column, value));
  PetscCall(MatMPIAIJSetPreallocationCSR(*P, p->P.start, column, value));
  PetscCall(PetscFree3(column, value, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void multiply(const wring_csr *a, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) {
      const wring_float4 sum = wring_csr_row(a, i, x);
      for (int c = 0; c < 3; c++) y[3 * i + c] = sum[c];
    }
  }
}

/* The rows of a matrix from `first` on, as a matrix. */
static wring_csr rows_from(const wring_csr *a, PetscInt first)
{
  wring_csr rest = *a;
  rest.start += first;
  return rest;
}

/* Adds in the order of the ranks, whichever message arrives first. */
static void add_shares(const wring_interpolation *p, float *coarse)
{
  for (PetscInt i = 0; i < p->n_coarse; i++) {
    for (PetscInt k = p->slot[i]; k < p->slot[i + 1]; k++)
      for (int c = 0; c < 3; c++) coarse[3 * i + c] += p->share[3 * k + c];
  }
}

PetscErrorCode wring_interpolation_restrict(const wring_interpolation *p, const float *r, float *ghost, float *coarse)
{
  PetscFunctionBegin;
  if (p->halo) {
    const wring_csr rest = rows_from(&p->R, p->n_coarse);
    multiply(&rest, p->n_ghost, r, ghost);
    PetscCall(PetscSFGatherBegin(p->halo, p->vertex, ghost, p->share));
  }
  multiply(&p->R, p->n_coarse, r, coarse);
  if (p->halo) {
    PetscCall(PetscSFGatherEnd(p->halo, p->vertex, ghost, p->share));
    add_shares(p, coarse);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_interpolation_prolong(const wring_interpolation *p, float *coarse, float omega, const float *b,
                                           float *x)
{
  float *const ghost = coarse + 3 * (size_t)p->n_coarse;

  PetscFunctionBegin;
  if (p->halo) {
    PetscCall(PetscSFBcastBegin(p->halo, p->vertex, coarse, ghost, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(p->halo, p->vertex, coarse, ghost, MPI_REPLACE));
  }
#pragma omp parallel for schedule(static) if (p->n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++) {
    for (PetscInt i = wring_strip(p->n, s); i < wring_strip(p->n, s + 1); i++) {
      const wring_float4 sum = wring_csr_row(&p->P, i, coarse);
      for (int d = 0; d < 3; d++) x[3 * i + d] = omega * b[3 * i + d] + sum[d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
