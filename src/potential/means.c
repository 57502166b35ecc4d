/*
  Terms with means of J over patches: the patches' part of the Hessian,
  sum_p D_p g_p g_p^T, as G^T D G with a sparse matrix G of the gradients g_p. docs/theory.md 3.12
*/
#include "potential_impl.h"

/* Of a term: G with a row for each patch, D G, G^T D G; vertices of the elements [n][m]; NULL before the first. */
struct wring_means {
  Mat       G, DG, product;
  PetscInt *vertex;
};

PetscErrorCode wring_potential_find_means(wring_potential *g, const double *x)
{
  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_find_means(g->term[i], g->phases, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_potential_has_means(const wring_potential *g)
{
  PetscBool any = PETSC_FALSE;
  for (int i = 0; i < g->n_term; i++) any = (PetscBool)(any || wring_term_patches(g->term[i]));
  return any;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_potential_add_mean_products(wring_potential *g, wring_filter filter, const double *x,
                                                 const double *u, const double *p, double sum[3])
{
  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) {
    const wring_patches *const patches = wring_term_patches(g->term[i]);
    double                    *a, *b, *D;
    if (!patches) continue;
    PetscCall(PetscMalloc3(patches->n, &a, patches->n, &b, patches->n, &D));
    PetscCall(wring_term_patch_changes(g->term[i], g->phases, x, u, p, a, b));
    wring_term_patch_curvatures(g->term[i], filter, D);
    for (PetscInt k = 0; k < patches->n; k++) {
      const double d = patches->volume[k] > 0 ? D[k] / PetscSqr(patches->volume[k]) : 0;
      sum[0] += d * a[k] * a[k], sum[1] += d * a[k] * b[k], sum[2] += d * b[k] * b[k];
    }
    PetscCall(PetscFree3(a, b, D));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

/* An empty G with a row for each patch. */
static PetscErrorCode create_gradients(const wring_potential *g, const wring_term *t, wring_means *means)
{
  const PetscInt n = wring_term_size(t), m = wring_term_corners(t);
  PetscInt      *number, *row, *column;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m * n, &means->vertex));
  PetscCall(PetscMalloc3(n, &number, 3 * m * n, &row, 3 * m * n, &column));
  wring_term_patch_vertices(t, number, means->vertex);
  for (PetscInt i = 0; i < 3 * m * n; i++) {
    row[i]    = number[i / (3 * m)];
    column[i] = 3 * g->mesh->number.global[means->vertex[i / 3]] + i % 3;
  }
  PetscCall(MatCreate(g->comm, &means->G));
  PetscCall(MatSetSizes(means->G, wring_term_patches(t)->n, 3 * g->mesh->n_owned, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(means->G, MATAIJ));
  PetscCall(MatSetBlockSizes(means->G, 1, 3));
  PetscCall(MatSetPreallocationCOO(means->G, 3 * m * n, row, column));
  PetscCall(PetscFree3(number, row, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G at x; gradients of held coordinates are 0. */
static PetscErrorCode fill_gradients(const wring_potential *g, const wring_term *t, const double *x, wring_means *means)
{
  const PetscInt    n    = 3 * wring_term_size(t) * wring_term_corners(t);
  const char *const mark = g->held.mark;
  double           *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &value));
  wring_term_patch_gradients(t, x, value);
  for (PetscInt i = 0; mark && i < n; i++)
    if (mark[means->vertex[i / 3]] >> i % 3 & 1) value[i] = 0;
  PetscCall(MatSetValuesCOO(means->G, value, INSERT_VALUES));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G and D G of a term at x, where the means are known. */
static PetscErrorCode fill_term(wring_potential *g, int i, wring_filter filter, const double *x)
{
  wring_means *means;
  Vec          D;
  double      *value;

  PetscFunctionBegin;
  if (!g->means) PetscCall(PetscCalloc1(g->n_term, &g->means));
  means = &g->means[i];
  if (!means->G) PetscCall(create_gradients(g, g->term[i], means));
  PetscCall(fill_gradients(g, g->term[i], x, means));
  if (means->DG)
    PetscCall(MatCopy(means->G, means->DG, SAME_NONZERO_PATTERN));
  else
    PetscCall(MatDuplicate(means->G, MAT_COPY_VALUES, &means->DG));
  PetscCall(MatCreateVecs(means->G, NULL, &D));
  PetscCall(VecGetArrayWrite(D, &value));
  wring_term_patch_curvatures(g->term[i], filter, value);
  PetscCall(VecRestoreArrayWrite(D, &value));
  PetscCall(MatDiagonalScale(means->DG, D, NULL));
  PetscCall(VecDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one part; to, from: numbers of the columns, ascending; NULL: columns are numbered alike. */
static PetscErrorCode add_part(Mat H, const PetscInt *to, Mat X, const PetscInt *from)
{
  const PetscInt *start, *column, *first, *other;
  const double   *x;
  double         *h;
  PetscBool       done;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(H, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCall(MatGetRowIJ(X, 0, PETSC_FALSE, PETSC_FALSE, &n, &first, &other, &done));
  PetscCall(MatSeqAIJGetArray(H, &h));
  PetscCall(MatSeqAIJGetArrayRead(X, &x));
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = first[i], at = start[i]; k < first[i + 1]; k++) {
      while ((to ? to[column[at]] : column[at]) != (from ? from[other[k]] : other[k])) at++;
      h[at] += x[k];
    }
  }
  PetscCall(MatSeqAIJRestoreArrayRead(X, &x));
  PetscCall(MatSeqAIJRestoreArray(H, &h));
  PetscCall(MatRestoreRowIJ(X, 0, PETSC_FALSE, PETSC_FALSE, &n, &first, &other, &done));
  PetscCall(MatRestoreRowIJ(H, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H += X, whose entries H has too. MatAXPY searches the row for each of them. */
static PetscErrorCode add_subset(Mat H, Mat X)
{
  Mat             h[2] = {H}, x[2] = {X};
  const PetscInt *to = NULL, *from = NULL;
  PetscBool       mpi;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)H, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(H, &h[0], &h[1], &to));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(X, &x[0], &x[1], &from));
  PetscCall(add_part(h[0], NULL, x[0], NULL));
  if (mpi) PetscCall(add_part(h[1], to, x[1], from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H is that of the elements, with the pattern of the patches added at first; a later one has it already. */
PetscErrorCode wring_potential_add_means(wring_potential *g, wring_filter filter, const double *x, Mat elements, Mat *H)
{
  const PetscBool first = (PetscBool) !*H;

  PetscFunctionBegin;
  if (first)
    PetscCall(MatDuplicate(elements, MAT_COPY_VALUES, H));
  else {
    PetscCall(MatZeroEntries(*H));
    PetscCall(add_subset(*H, elements));
  }
  for (int i = 0; i < g->n_term; i++) {
    if (!wring_term_patches(g->term[i])) continue;
    PetscCall(fill_term(g, i, filter, x));
    wring_means *const means = &g->means[i];
    const MatReuse     reuse = means->product ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
    PetscCall(MatTransposeMatMult(means->G, means->DG, reuse, PETSC_DEFAULT, &means->product));
    if (first)
      PetscCall(MatAXPY(*H, 1, means->product, DIFFERENT_NONZERO_PATTERN));
    else
      PetscCall(add_subset(*H, means->product));
  }
  PetscCall(MatSetOption(*H, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*H, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum [n_owned][6] xx yy zz xy yz xz += D_p g_p g_p^T at the vertices of the patches of row p of G. */
static PetscErrorCode add_row_blocks(Mat G, PetscInt p, double D, Vec sum)
{
  const PetscInt *column;
  const double   *value;
  PetscInt        n;

  PetscFunctionBegin;
  if (D == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetRow(G, p, &n, &column, &value));
  for (PetscInt k = 0; k < n; k += 3) { // the three columns of a vertex are consecutive
    PetscInt at[6];
    double   block[6];
    for (int i = 0; i < 6; i++) {
      at[i]    = 2 * column[k] + i;
      block[i] = D * value[k + wring_sym_row[i]] * value[k + wring_sym_column[i]];
    }
    PetscCall(VecSetValues(sum, 6, at, block, ADD_VALUES));
  }
  PetscCall(MatRestoreRow(G, p, &n, &column, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_term_blocks(wring_potential *g, int i, wring_filter filter, const double *x, Vec sum)
{
  const wring_patches *const p = wring_term_patches(g->term[i]);
  PetscInt                   begin;
  double                    *D;

  PetscFunctionBegin;
  PetscCall(fill_term(g, i, filter, x));
  PetscCall(PetscMalloc1(p->n, &D));
  wring_term_patch_curvatures(g->term[i], filter, D);
  PetscCall(MatGetOwnershipRange(g->means[i].G, &begin, NULL));
  for (PetscInt k = 0; k < p->n; k++) PetscCall(add_row_blocks(g->means[i].G, begin + k, D[k], sum));
  PetscCall(PetscFree(D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_add_mean_diagonal(wring_potential *g, wring_filter filter, const double *x,
                                                 double *block)
{
  const double *value;
  Vec           sum;

  PetscFunctionBegin;
  if (!wring_potential_has_means(g)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCreateMPI(g->comm, 6 * g->mesh->n_owned, PETSC_DETERMINE, &sum));
  for (int i = 0; i < g->n_term; i++)
    if (wring_term_patches(g->term[i])) PetscCall(add_term_blocks(g, i, filter, x, sum));
  PetscCall(VecAssemblyBegin(sum));
  PetscCall(VecAssemblyEnd(sum));
  PetscCall(VecGetArrayRead(sum, &value));
  for (PetscInt k = 0; k < 6 * g->mesh->n_owned; k++) block[k] += value[k];
  PetscCall(VecRestoreArrayRead(sum, &value));
  PetscCall(VecDestroy(&sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_destroy_means(wring_potential *g)
{
  PetscFunctionBegin;
  for (int i = 0; g->means && i < g->n_term; i++) {
    PetscCall(MatDestroy(&g->means[i].G));
    PetscCall(MatDestroy(&g->means[i].DG));
    PetscCall(MatDestroy(&g->means[i].product));
    PetscCall(PetscFree(g->means[i].vertex));
  }
  PetscCall(PetscFree(g->means));
  PetscFunctionReturn(PETSC_SUCCESS);
}
