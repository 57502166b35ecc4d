/*
  Direct on one rank: CHOLMOD's supernodal Cholesky in METIS order (Chen, Davis, Hager, Rajamanickam, ACM TOMS 35, 2008).
  The three components are one dense right-hand side: a sweep over the factor serves them together.
*/
#include "operator_impl.h"
#if __has_include(<suitesparse/cholmod.h>)
  #include <suitesparse/cholmod.h>
#else
  #include <cholmod.h>
#endif

/* CHOLMOD has every function for int and, with _l, for 64-bit indices. */
#if defined(PETSC_USE_64BIT_INDICES)
  #define CHOLMOD(name) cholmod_l_##name
enum { INDEX_TYPE = CHOLMOD_LONG };
#else
  #define CHOLMOD(name) cholmod_##name
enum { INDEX_TYPE = CHOLMOD_INT };
#endif

typedef struct {
  cholmod_common  common;
  cholmod_factor *factor;
  cholmod_dense  *b, *x, *y, *e; // [3][n]; y and e are work of cholmod_solve2, kept between solves
} direct;

static PetscErrorCode create(wring_operator *op)
{
  direct *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  op->data = d;
  CHOLMOD(start)(&d->common);
  d->common.print              = 0;
  d->common.supernodal         = CHOLMOD_SUPERNODAL;
  d->common.final_ll           = 1;
  d->common.nmethods           = 1;
  d->common.method[0].ordering = CHOLMOD_METIS;
  d->common.postorder          = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const wring_operator *op)
{
  const direct *d      = op->data;
  const int     status = d->common.status;

  PetscFunctionBegin;
  if (status == CHOLMOD_NOT_POSDEF) WRING_REFUSE(op->comm, "operator: the matrix is not positive definite (cholmod)");
  if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE)
    WRING_REFUSE(op->comm, "operator: the factor is too large for cholmod; operator_type multigrid needs less");
  if (status < CHOLMOD_OK) WRING_REFUSE(op->comm, "operator: cholmod failed with status %d", status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stops at the first failure: every call to CHOLMOD resets the status. */
static void factorize(direct *d, cholmod_sparse *A)
{
  if (!d->b) d->b = CHOLMOD(allocate_dense)(A->nrow, 3, A->nrow, CHOLMOD_REAL, &d->common);
  if (d->b && !d->factor) d->factor = CHOLMOD(analyze)(A, &d->common);
  if (d->factor) CHOLMOD(factorize)(A, d->factor, &d->common);
}

static void analyse(direct *d, cholmod_sparse *A)
{
  d->factor = CHOLMOD(analyze)(A, &d->common);
}

/* Work on A. Rows of the symmetric matrix are its columns: CHOLMOD reads PETSc's arrays in place. */
static PetscErrorCode with_matrix(wring_operator *op, void (*work)(direct *d, cholmod_sparse *A))
{
  direct         *d = op->data;
  PetscInt        n;
  const PetscInt *start, *column;
  const double   *value;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(op->A, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  if (!done) WRING_REFUSE(op->comm, "operator: cholmod needs a matrix of type seqaij");
  PetscCall(MatSeqAIJGetArrayRead(op->A, &value));
  cholmod_sparse A = {.nrow   = (size_t)n,
                      .ncol   = (size_t)n,
                      .nzmax  = (size_t)start[n],
                      .p      = (void *)start,
                      .i      = (void *)column,
                      .x      = (void *)value,
                      .stype  = -1,
                      .itype  = INDEX_TYPE,
                      .xtype  = CHOLMOD_REAL,
                      .dtype  = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  work(d, &A);
  PetscCall(MatSeqAIJRestoreArrayRead(op->A, &value));
  PetscCall(MatRestoreRowIJ(op->A, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCall(check(op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(wring_operator *op)
{
  const direct *d = op->data;

  PetscFunctionBegin;
  PetscCall(with_matrix(op, factorize));
  op->info.library = "cholmod";
  op->info.memory  = (double)d->common.memory_inuse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of the factor, the update of its largest supernode, what the analysis keeps, and 10 vectors of solve2. */
static PetscErrorCode predict(wring_operator *op, double *bytes)
{
  const direct *d = op->data;

  PetscFunctionBegin;
  PetscCall(with_matrix(op, analyse));
  const cholmod_factor *f = d->factor;
  *bytes                  = 8.0 * (double)(f->xsize + f->maxcsize + 10 * f->n) + (double)d->common.memory_inuse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached)
{
  direct        *d = op->data;
  const PetscInt n = (PetscInt)d->b->nrow;
  const double  *from;
  double        *to;

  PetscFunctionBegin;
  (void)rtol, (void)reached; // always exact
  PetscCall(VecGetArrayRead(b, &from));
  wring_operator_to_columns(n, from, d->b->x);
  PetscCall(VecRestoreArrayRead(b, &from));
  CHOLMOD(solve2)(CHOLMOD_A, d->factor, d->b, NULL, &d->x, NULL, &d->y, &d->e, &d->common);
  PetscCall(check(op));
  PetscCall(VecGetArrayWrite(x, &to));
  wring_operator_from_columns(n, d->x->x, to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator *op)
{
  direct *d = op->data;

  PetscFunctionBegin;
  CHOLMOD(free_dense)(&d->b, &d->common);
  CHOLMOD(free_dense)(&d->x, &d->common);
  CHOLMOD(free_dense)(&d->y, &d->common);
  CHOLMOD(free_dense)(&d->e, &d->common);
  CHOLMOD(free_factor)(&d->factor, &d->common);
  CHOLMOD(finish)(&d->common);
  PetscCall(PetscFree(op->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_cholmod = {
  .type = "direct", .create = create, .set_up = set_up, .predict = predict, .solve = solve, .destroy = destroy};
