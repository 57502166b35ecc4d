/* Blocks of pairs in matrices and on the diagonal. */
#include "blocks.h"
#include <wring/term.h>

enum { MOST = WRING_PAIR_NUMBERS, MOST_CORNERS = MOST / 3 };

PetscErrorCode wring_blocks_count(const wring_blocks *b, PetscInt *count, PetscBool *joined)
{
  const PetscInt n_owned = b->corners->mesh->n_owned;
  PetscInt      *far, place[MOST_CORNERS], any = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->corners->n, &far));
  for (PetscInt i = 0; i < b->n; i++) {
    const int n = b->of(b->context, b->x, i, NULL, place) / 3;
    any |= n > 0;
    for (int a = 0; a < n; a++) *(place[a] < n_owned ? count + place[a] : far + place[a] - n_owned) += n - 1;
  }
  PetscCall(wring_corners_add(b->corners, MPIU_INT, far, count));
  PetscCall(PetscFree(far));
  wring_count(b->corners->phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, b->corners->mesh->comm));
  if (any) *joined = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Adds H [n][n] of a pair; rows and columns of held components are 0. PETSc ignores those of vertices that are held in
  all, numbered -1.
*/
static PetscErrorCode add_pair(const wring_corners *c, int n, double *value, const PetscInt *place, const char *held,
                               const char *far_held, Mat H)
{
  PetscInt row[MOST_CORNERS];

  PetscFunctionBegin;
  for (int a = 0; a < n / 3; a++) {
    const PetscInt far  = place[a] - c->mesh->n_owned;
    const int      mark = !held ? 0 : far < 0 ? held[place[a]] : far_held[far];
    row[a]              = mark == WRING_XYZ ? -1 : wring_corners_global(c, place[a]);
    for (int i = 3 * a; i < 3 * a + 3; i++)
      for (int k = 0; k < n && (mark >> (i - 3 * a) & 1); k++) value[n * i + k] = value[n * k + i] = 0;
  }
  PetscCall(MatSetValuesBlocked(H, n / 3, row, n / 3, row, value, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of H [n][n] of a pair between coordinates of axis c; row [n/3], -1: held. */
static PetscErrorCode add_component(int n, const double *H, int c, const PetscInt *row, Mat A)
{
  const int m = n / 3;
  double    part[MOST_CORNERS * MOST_CORNERS];

  PetscFunctionBegin;
  for (int k = 0; k < m * m; k++) part[k] = H[n * (3 * (k / m) + c) + 3 * (k % m) + c];
  PetscCall(MatSetValues(A, m, row, m, row, part, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_blocks_add_components(const wring_blocks *b, const char *held, const Mat A[3])
{
  PetscInt place[MOST_CORNERS], row[MOST_CORNERS];
  double   H[MOST * MOST];
  char    *far_held;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->corners->n, &far_held));
  if (held) PetscCall(wring_corners_fetch(b->corners, MPI_CHAR, held, far_held));
  for (PetscInt i = 0; i < b->n; i++) {
    const int n = b->of(b->context, b->x, i, H, place);
    for (int c = 0; c < 3 && n > 0; c++) {
      for (int a = 0; a < n / 3; a++) {
        const PetscInt far  = place[a] - b->corners->mesh->n_owned;
        const int      mark = !held ? 0 : far < 0 ? held[place[a]] : far_held[far];
        row[a]              = mark >> c & 1 ? -1 : wring_corners_global(b->corners, place[a]);
      }
      PetscCall(add_component(n, H, c, row, A[c]));
    }
  }
  PetscCall(PetscFree(far_held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_blocks_add(const wring_blocks *b, const char *held, Mat H)
{
  PetscInt place[MOST_CORNERS];
  double   value[MOST * MOST];
  char    *far_held;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->corners->n, &far_held));
  if (held) PetscCall(wring_corners_fetch(b->corners, MPI_CHAR, held, far_held));
  for (PetscInt i = 0; i < b->n; i++) {
    const int n = b->of(b->context, b->x, i, value, place);
    if (n > 0) PetscCall(add_pair(b->corners, n, value, place, held, far_held, H));
  }
  PetscCall(PetscFree(far_held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_blocks_add_diagonal(const wring_blocks *b, double *diagonal)
{
  const PetscInt n_owned = b->corners->mesh->n_owned;
  PetscInt       place[MOST_CORNERS];
  MPI_Datatype   block;
  double         H[MOST * MOST], *sum, *far;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(9 * (size_t)n_owned, &sum, 9 * (size_t)b->corners->n, &far));
  for (PetscInt i = 0; i < b->n; i++) {
    const int n = b->of(b->context, b->x, i, H, place);
    for (int a = 0; a < n / 3; a++) {
      double *const to = place[a] < n_owned ? sum + 9 * (size_t)place[a] : far + 9 * (size_t)(place[a] - n_owned);
      for (int c = 0; c < 9; c++) to[c] += H[n * (3 * a + c / 3) + 3 * a + c % 3];
    }
  }
  PetscCallMPI(MPI_Type_contiguous(9, MPI_DOUBLE, &block));
  PetscCallMPI(MPI_Type_commit(&block));
  PetscCall(wring_corners_add(b->corners, block, far, sum));
  PetscCallMPI(MPI_Type_free(&block));
  for (PetscInt i = 0; i < 9 * n_owned; i++) diagonal[i] += sum[i];
  PetscCall(PetscFree2(sum, far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_blocks_add_products(const wring_blocks *b, const double *u, const double *v, double sum[3])
{
  const size_t       n_far  = 3 * (size_t)b->corners->n;
  const MPI_Datatype vector = b->corners->mesh->forest.vector;
  PetscInt           place[MOST_CORNERS];
  double             H[MOST * MOST], of_u[MOST], of_v[MOST], *far_u, *far_v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n_far, &far_u, n_far, &far_v));
  PetscCall(wring_corners_fetch(b->corners, vector, u, far_u));
  PetscCall(wring_corners_fetch(b->corners, vector, v, far_v));
  for (PetscInt k = 0; k < b->n; k++) {
    const int n = b->of(b->context, b->x, k, H, place);
    for (int i = 0; i < n; i++) {
      of_u[i] = wring_corners_at(b->corners, place[i / 3], (double *)u, far_u)[i % 3];
      of_v[i] = wring_corners_at(b->corners, place[i / 3], (double *)v, far_v)[i % 3];
    }
    for (int i = 0; i < n; i++) {
      double Hu = 0, Hv = 0;
      for (int j = 0; j < n; j++) Hu += H[n * i + j] * of_u[j], Hv += H[n * i + j] * of_v[j];
      sum[0] += of_u[i] * Hu;
      sum[1] += of_u[i] * Hv;
      sum[2] += of_v[i] * Hv;
    }
  }
  PetscCall(PetscFree2(far_u, far_v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
