/*
  The Hessian as a matrix of PETSc that keeps half of its blocks: products, the largest entries of rows, additions to
  the diagonal. The blocks below the diagonal are read from those above.
*/
#include "base/parallel/consensus.h"
#include "base/sort.h"
#include "potential_impl.h"
#include <petsc/private/petscimpl.h> // PetscObjectStateIncrease

typedef struct {
  const wring_block_rows *rows;  // NULL before the first values
  wring_block_rows       *given; // the same, owned, or NULL: they are borrowed
  Mat                     inner; // with given rows: stands for H in the pattern of elements
  wring_block_values      v;
  PetscInt               *below; // [own - upper] blocks whose transposes are below the diagonal, row by row
  PetscInt               *far;   // [other] places of the columns of other ranks in x
  PetscSF                 fetch; // fills x
  double                 *x;     // [leaves][3]
} block_matrix;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode clear(block_matrix *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(m->v.value));
  PetscCall(PetscFree(m->below));
  PetscCall(PetscFree(m->far));
  PetscCall(PetscFree(m->x));
  PetscCall(PetscSFDestroy(&m->fetch));
  PetscCall(wring_block_rows_destroy(&m->given));
  PetscCall(MatDestroy(&m->inner));
  m->rows = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_below(const wring_block_rows *r, PetscInt **below)
{
  const PetscInt n = r->mesh->n_owned, begin = r->mesh->number.begin;
  PetscInt      *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &next));
  PetscCall(PetscMalloc1(r->own[n] - r->upper[n], below));
  for (PetscInt i = 0; i < n; i++) next[i] = r->own[i] - r->upper[i];
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *const end = r->column + r->own[i + 1] + r->other[i]; // of the columns of this rank
    for (PetscInt b = r->upper[i] + 1; b < r->upper[i + 1]; b++) (*below)[next[end[b - r->upper[i + 1]] - begin]++] = b;
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns of other ranks, each once, and their owners. */
static PetscErrorCode find_far(block_matrix *m)
{
  const wring_block_rows *const r = m->rows;
  const PetscInt                n = r->mesh->n_owned, n_far = r->other[n];
  PetscInt                      n_once = n_far, *once;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n_far, &once));
  PetscCall(PetscMalloc1(n_far, &m->far));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(
      PetscArraycpy(once + r->other[i], r->column + r->own[i + 1] + r->other[i], r->other[i + 1] - r->other[i]));
  PetscCall(PetscArraycpy(m->far, once, n_far));
  PetscCall(wring_sort_unique(&n_once, once));
  for (PetscInt k = 0; k < n_far; k++) PetscCall(PetscFindInt(m->far[k], n_once, once, &m->far[k]));
  PetscCall(PetscMalloc1(3 * (size_t)n_once, &m->x));
  PetscCall(wring_sf_create(r->mesh->comm, n, r->mesh->number.n_global, n_once, NULL, once, &m->fetch));
  PetscCall(PetscFree(once));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_matrix_set_rows(Mat H, const wring_block_rows *r)
{
  block_matrix *m;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateIncrease((PetscObject)H));
  PetscCall(MatShellGetContext(H, &m));
  if (m->rows == r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(clear(m));
  m->rows = r;
  PetscCall(find_below(r, &m->below));
  PetscCall(find_far(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_matrix_give_rows(Mat H, wring_block_rows *r, Mat inner)
{
  block_matrix *m;

  PetscFunctionBegin;
  PetscCall(wring_block_matrix_set_rows(H, r));
  PetscCall(MatShellGetContext(H, &m));
  m->given = r;
  m->inner = inner;
  PetscCall(PetscObjectReference((PetscObject)inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode multiply(Mat H, Vec x, Vec y)
{
  block_matrix *m;
  const double *xa;
  double       *ya;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(H, &m));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayWrite(y, &ya));
  const wring_block_rows *const r   = m->rows;
  const PetscInt                n   = r->mesh->n_owned;
  const double                 *far = m->v.value + 9 * (size_t)r->upper[n];
  PetscCall(PetscSFBcastBegin(m->fetch, r->mesh->forest.vector, xa, m->x, MPI_REPLACE));
  wring_block_values_multiply(&m->v, r->column, r->mesh->number.begin, m->below, xa, ya);
  PetscCall(PetscSFBcastEnd(m->fetch, r->mesh->forest.vector, xa, m->x, MPI_REPLACE));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = r->other[i]; k < r->other[i + 1]; k++, far += 9)
      wring_block_add_product(far, m->x + 3 * m->far[k], ya + 3 * i);
  PetscCall(VecRestoreArrayWrite(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows and the diagonal --------------------------------------------------------------------------------------- */

/* Additions only. */
static PetscErrorCode add_diagonal(Mat H, Vec d, InsertMode mode)
{
  block_matrix *m;
  const double *da;

  PetscFunctionBegin;
  PetscCheck(mode == ADD_VALUES, PETSC_COMM_SELF, PETSC_ERR_SUP, "Another diagonal");
  PetscCall(MatShellGetContext(H, &m));
  PetscCall(VecGetArrayRead(d, &da));
  for (PetscInt i = 0; i < 3 * m->v.n_owned; i++) m->v.value[9 * (size_t)m->v.upper[i / 3] + 4 * (i % 3)] += da[i];
  PetscCall(VecRestoreArrayRead(d, &da));
  if (m->inner) PetscCall(add_diagonal(m->inner, d, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest entry of every row, in size. */
static PetscErrorCode get_largest(Mat H, Vec d, PetscInt *column)
{
  block_matrix *m;
  double       *da;

  PetscFunctionBegin;
  PetscCheck(!column, PETSC_COMM_SELF, PETSC_ERR_SUP, "Columns of largest entries");
  PetscCall(MatShellGetContext(H, &m));
  PetscCall(VecZeroEntries(d));
  PetscCall(VecGetArray(d, &da));
  const wring_block_rows *const r = m->rows;
  for (PetscInt i = 0; i < m->v.n_owned; i++) {
    const PetscInt *const end = r->column + r->own[i + 1] + r->other[i], kept = r->upper[i + 1] - r->upper[i];
    const PetscInt        first = r->upper[m->v.n_owned] + r->other[i];
    for (PetscInt k = -kept; k < r->other[i + 1] - r->other[i]; k++) {
      const double *const block = m->v.value + 9 * (size_t)(k < 0 ? r->upper[i + 1] + k : first + k);
      for (int c = 0; c < 9; c++) {
        double *const row    = da + 3 * i + c / 3;
        double *const turned = k < 0 ? da + 3 * (end[k] - r->mesh->number.begin) + c % 3 : row;
        *row                 = PetscMax(*row, PetscAbsReal(block[c]));
        *turned              = PetscMax(*turned, PetscAbsReal(block[c]));
      }
    }
  }
  PetscCall(VecRestoreArray(d, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy(Mat H)
{
  block_matrix *m;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(H, &m));
  PetscCall(clear(m));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_create_blocks(const wring_potential *g, Mat *H)
{
  PetscFunctionBegin;
  if (!wring_potential_has_means(g)) PetscCall(wring_block_matrix_create(g->mesh, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_matrix_create(const wring_mesh *mesh, Mat *H)
{
  const PetscInt      n = 3 * mesh->n_owned;
  wring_block_values *v = NULL;
  block_matrix       *m;

  PetscFunctionBegin;
  if (*H) PetscCall(wring_potential_get_blocks(*H, &v));
  if (v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(H));
  PetscCall(PetscNew(&m));
  PetscCall(MatCreateShell(mesh->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, m, H));
  PetscCall(MatSetBlockSize(*H, 3));
  PetscCall(MatShellSetManageScalingShifts(*H)); // not by PETSc
  PetscCall(MatShellSetOperation(*H, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*H, MATOP_MULT_TRANSPOSE, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*H, MATOP_DIAGONAL_SET, (void (*)(void))add_diagonal));
  PetscCall(MatShellSetOperation(*H, MATOP_GET_ROW_MAX_ABS, (void (*)(void))get_largest));
  PetscCall(MatShellSetOperation(*H, MATOP_DESTROY, (void (*)(void))destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_get_blocks(Mat H, wring_block_values **v)
{
  void (*operation)(void) = NULL;
  PetscBool     shell;
  block_matrix *m;

  PetscFunctionBegin;
  *v = NULL;
  PetscCall(PetscObjectTypeCompare((PetscObject)H, MATSHELL, &shell));
  if (shell) PetscCall(MatShellGetOperation(H, MATOP_MULT, &operation));
  if (operation != (void (*)(void))multiply) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatShellGetContext(H, &m));
  *v = &m->v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_get_element_blocks(Mat H, wring_block_values **v)
{
  block_matrix *m;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_blocks(H, v));
  if (!*v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatShellGetContext(H, &m));
  if (m->inner) PetscCall(wring_potential_get_blocks(m->inner, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
