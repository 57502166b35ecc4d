/* Systems A x = b on grids, with three components of b and x, for tests of operators. */
#pragma once
#include "check.h"
#include "keys.h"
#include <wring/operator.h>

/*
  Weights of edges: 1; `contrast` in the half x < m/2, or inside 3 x 3 x 3 of every 5 x 5 x 5 vertices, and 1 elsewhere;
  up to 1e10, by layer; 0 between every third layer, and 1 elsewhere.
*/
typedef enum { GRID_PLAIN, GRID_HALVES, GRID_ISLANDS, GRID_STIFF, GRID_PIECES } test_edges;

/* m x m x m vertices; contrast 0: no edges. */
typedef struct {
  test_edges edges;
  PetscInt   m;
  double     contrast, shift;
} test_grid;

static inline double test_edge_weight(const test_grid *g, PetscInt r, PetscInt other)
{
  const PetscInt m = g->m, step[3] = {1, m, m * m}, layer = PetscMin(r, other) / (m * m);
  if (g->edges == GRID_PLAIN) return 1;
  if (g->edges == GRID_STIFF) return pow(10, 10.0 * (double)layer / (double)m);
  if (g->edges == GRID_PIECES) return PetscAbsInt(r - other) == m * m && layer % 3 == 2 ? 0 : 1;
  if (g->edges == GRID_HALVES) return PetscMax(r % m, other % m) < m / 2 ? g->contrast : 1;
  for (int k = 0; k < 3; k++)
    if (r / step[k] % m % 5 > 2 || other / step[k] % m % 5 > 2) return 1;
  return g->contrast;
}

/* The graph Laplacian plus shift. The last ranks may own nothing. */
static inline PetscErrorCode test_grid_matrix(const test_grid *g, Mat *A)
{
  const PetscInt m = g->m, n = m * m * m, step[3] = {1, m, m * m};
  PetscInt       first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 7, NULL, 6, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    double diagonal = g->shift;
    for (int k = 0; g->contrast > 0 && k < 6; k++) {
      const PetscInt sign = k % 2 ? 1 : -1, at = r / step[k / 2] % m + sign, other = r + sign * step[k / 2];
      if (at < 0 || at >= m) continue;
      const double weight = test_edge_weight(g, r, other);
      PetscCall(MatSetValue(*A, r, other, -weight, INSERT_VALUES));
      diagonal += weight;
    }
    PetscCall(MatSetValue(*A, r, r, diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operator with these keys, which has the matrix unless that is NULL. */
static inline PetscErrorCode test_operator_create(const char *keys, Mat A, wring_operator **op)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(test_set(o, "operator_", "%s", keys));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, o, NULL, op));
  if (A) PetscCall(wring_operator_set_matrix(*op, A));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Mat             A;
  Vec             b, x;
  wring_operator *op;
} problem;

/* b [n][3]: random numbers times the size of the component; x = 0; an operator of A with these keys, NULL: none. */
static inline PetscErrorCode problem_create(const test_grid *g, const double size[3], const char *keys, problem *p)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(test_grid_matrix(g, &p->A));
  PetscCall(MatGetOwnershipRange(p->A, &first, &end));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3 * (end - first), PETSC_DETERMINE, &p->b));
  for (PetscInt i = 3 * first; i < 3 * end; i++) {
    uint64_t state = (uint64_t)i;
    PetscCall(VecSetValue(p->b, i, size[i % 3] * test_random(&state), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(p->b));
  PetscCall(VecAssemblyEnd(p->b));
  PetscCall(VecSetBlockSize(p->b, 3));
  PetscCall(VecDuplicate(p->b, &p->x));
  p->op = NULL;
  if (keys) PetscCall(test_operator_create(keys, p->A, &p->op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode problem_destroy(problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_operator_destroy(&p->op));
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(MatDestroy(&p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |b - A x| of each component by PETSc's product, and |b|. */
static inline PetscErrorCode problem_residual(const problem *p, double r[3], double b[3])
{
  Vec xc, rc, bc;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(p->A, &xc, &rc));
  PetscCall(VecDuplicate(rc, &bc));
  PetscCall(VecStrideNormAll(p->b, NORM_2, b));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideGather(p->x, c, xc, INSERT_VALUES));
    PetscCall(VecStrideGather(p->b, c, bc, INSERT_VALUES));
    PetscCall(MatMult(p->A, xc, rc));
    PetscCall(VecAXPY(rc, -1, bc));
    PetscCall(VecNorm(rc, NORM_2, &r[c]));
  }
  PetscCall(VecDestroy(&xc));
  PetscCall(VecDestroy(&rc));
  PetscCall(VecDestroy(&bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
