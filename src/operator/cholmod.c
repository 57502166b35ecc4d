/*
  Direct on one rank: CHOLMOD's supernodal Cholesky in METIS order (Chen, Davis, Hager, Rajamanickam, ACM TOMS 35, 2008),
  copied into single precision and refined in double as far as rtol asks; docs/theory.md 4.1. Where A is too badly
  conditioned for that, CHOLMOD's own factor stays. The three components are one dense right-hand side in either.
*/
#include "operator_impl.h"
#include "packed.h"
#include "residual.h"
#if __has_include(<suitesparse/cholmod.h>)
  #include <suitesparse/cholmod.h>
#else
  #include <cholmod.h>
#endif
#include <math.h>

/* CHOLMOD has every function for int and, with _l, for 64-bit indices. */
#if defined(PETSC_USE_64BIT_INDICES)
  #define CHOLMOD(name) cholmod_l_##name
enum { INDEX_TYPE = CHOLMOD_LONG };
#else
  #define CHOLMOD(name) cholmod_##name
enum { INDEX_TYPE = CHOLMOD_INT };
#endif

/*
  A solve in single precision leaves at most this much of |b|, or the double factor stays: five such solves, by which 1e-10
  is reached, take as long as one of CHOLMOD's.
*/
static const double worst_rate = 1e-2;

enum { TRIALS = 4, MOST_SWEEPS = 20 };

typedef struct {
  cholmod_common  common;
  cholmod_factor *factor;                    // its pattern alone while packed is used
  wring_packed   *packed;                    // NULL: solves are CHOLMOD's
  double         *r, *x;                     // [n][3]: residual; trial solution
  double          rate;                      // what a packed solve leaves of |b|, as measured
  cholmod_dense  *dense_b, *dense_x, *y, *e; // [3][n]; y and e are work of cholmod_solve2, kept between solves
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

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static PetscErrorCode get_rows(const wring_operator *op, wring_rows *A)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(op->A, 0, PETSC_FALSE, PETSC_FALSE, &A->n, &A->start, &A->column, &done));
  if (!done) WRING_REFUSE(op->comm, "operator: cholmod needs a matrix of type seqaij");
  PetscCall(MatSeqAIJGetArrayRead(op->A, &A->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_rows(const wring_operator *op, wring_rows *A)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJRestoreArrayRead(op->A, &A->value));
  PetscCall(MatRestoreRowIJ(op->A, 0, PETSC_FALSE, PETSC_FALSE, &A->n, &A->start, &A->column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the symmetric matrix are its columns: CHOLMOD reads PETSc's arrays in place. */
static cholmod_sparse as_sparse(const wring_rows *A)
{
  return (cholmod_sparse){.nrow   = (size_t)A->n,
                          .ncol   = (size_t)A->n,
                          .nzmax  = (size_t)A->start[A->n],
                          .p      = (void *)A->start,
                          .i      = (void *)A->column,
                          .x      = (void *)A->value,
                          .stype  = -1,
                          .itype  = INDEX_TYPE,
                          .xtype  = CHOLMOD_REAL,
                          .dtype  = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static wring_supernodes supernodes_of(const cholmod_factor *f)
{
  return (wring_supernodes){.n       = (PetscInt)f->n,
                            .n_super = (PetscInt)f->nsuper,
                            .super   = f->super,
                            .pi      = f->pi,
                            .s       = f->s,
                            .perm    = f->Perm,
                            .x       = f->xtype == CHOLMOD_PATTERN ? NULL : f->x};
}

/* ---- in single precision ----------------------------------------------------------------------------------------- */

static PetscErrorCode packed_solve(direct *d, const wring_size *size, const double *b, PetscBool add, double *x)
{
  double scale[3];

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    int exponent;
    frexp(size->largest[c], &exponent);
    scale[c] = size->largest[c] == 0 ? 0 : ldexp(1, -exponent); // b about 1
  }
  PetscCall(wring_packed_solve(d->packed, scale, b, add, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest |r| / |b| of the components, 0 where b is; NaN if there is one. */
static double ratio(const wring_size *r, const wring_size *b)
{
  double worst = 0;
  for (int c = 0; c < 3; c++) {
    const double now = b->norm[c] > 0 ? r->norm[c] / b->norm[c] : r->norm[c];
    if (!(now <= worst)) worst = now;
  }
  return worst;
}

/* x += A^{-1} (b - A x) until |b - A x| <= rtol |b|, or until this no longer halves it. */
static PetscErrorCode refine(direct *d, const wring_rows *A, double rtol, const wring_size *b_size, const double *b,
                             double *x, PetscBool *reached)
{
  double before = INFINITY;

  PetscFunctionBegin;
  for (int i = 0; i < MOST_SWEEPS; i++) {
    wring_size r_size;
    wring_residual(A, b, x, d->r, &r_size);
    const double now = ratio(&r_size, b_size);
    *reached         = (PetscBool)(now <= rtol);
    if (*reached || !(2 * now < before)) break;
    PetscCall(packed_solve(d, &r_size, d->r, PETSC_TRUE, x));
    before = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As tests begin from noise, every one from the solution of the last, b comes near to what A^{-1} makes largest. */
static PetscErrorCode measure_rate(direct *d, const wring_rows *A)
{
  const size_t n3 = 3 * (size_t)A->n;
  double      *b, *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n3, &b, n3, &x));
  for (size_t i = 0; i < n3; i++) x[i] = 2 * wring_uniform(i) - 1;
  d->rate = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    wring_size b_size, r_size;
    PetscCall(PetscArraycpy(b, x, n3));
    wring_size_of(A->n, b, &b_size);
    PetscCall(packed_solve(d, &b_size, b, PETSC_FALSE, x));
    wring_residual(A, b, x, d->r, &r_size);
    const double now = ratio(&r_size, &b_size);
    if (!(now <= d->rate)) d->rate = now;
    if (!(d->rate <= worst_rate)) break;
  }
  PetscCall(PetscFree2(b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of CHOLMOD's factor; what it needs to fill a factor of the same pattern stays. */
static void free_values(direct *d)
{
  cholmod_factor *const f = d->factor;
  f->x                    = CHOLMOD(free)(f->xsize, sizeof(double), f->x, &d->common);
  f->xtype                = CHOLMOD_PATTERN;
}

static PetscErrorCode pack(direct *d, const wring_rows *A)
{
  const wring_supernodes f = supernodes_of(d->factor);

  PetscFunctionBegin;
  PetscCall(wring_packed_destroy(&d->packed));
  PetscCall(wring_packed_create(&f, &d->packed));
  if (!d->r) PetscCall(PetscMalloc1(3 * (size_t)A->n, &d->r));
  PetscCall(measure_rate(d, A));
  if (d->rate <= worst_rate)
    free_values(d);
  else
    PetscCall(wring_packed_destroy(&d->packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- in double precision ----------------------------------------------------------------------------------------- */

static PetscErrorCode double_solve(wring_operator *op, const double *b, double *x)
{
  direct        *d = op->data;
  const PetscInt n = (PetscInt)d->dense_b->nrow;

  PetscFunctionBegin;
  wring_operator_to_columns(n, b, d->dense_b->x);
  CHOLMOD(solve2)(CHOLMOD_A, d->factor, d->dense_b, NULL, &d->dense_x, NULL, &d->y, &d->e, &d->common);
  PetscCall(check(op));
  wring_operator_from_columns(n, d->dense_x->x, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- front ------------------------------------------------------------------------------------------------------- */

/* Stops at the first failure: every call to CHOLMOD resets the status. */
static PetscErrorCode factorize(wring_operator *op, const wring_rows *rows)
{
  direct        *d = op->data;
  cholmod_sparse A = as_sparse(rows);

  PetscFunctionBegin;
  if (!d->factor) d->factor = CHOLMOD(analyze)(&A, &d->common);
  PetscCall(check(op));
  CHOLMOD(factorize)(&A, d->factor, &d->common);
  PetscCall(check(op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(wring_operator *op)
{
  direct    *d = op->data;
  wring_rows A;

  PetscFunctionBegin;
  PetscCall(get_rows(op, &A));
  PetscCall(factorize(op, &A));
  PetscCall(pack(d, &A));
  if (!d->packed && !d->dense_b) {
    d->dense_b = CHOLMOD(allocate_dense)((size_t)A.n, 3, (size_t)A.n, CHOLMOD_REAL, &d->common);
    PetscCall(check(op));
  }
  PetscCall(restore_rows(op, &A));
  op->info.library = d->packed ? "cholmod, in single precision" : "cholmod, in double precision";
  op->info.memory  = (double)d->common.memory_inuse + (d->packed ? (double)d->packed->bytes : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The larger of: the factor's values, the update of its largest supernode and what the analysis keeps; the factor's values,
  the copy and the vectors of the first solves.
*/
static PetscErrorCode predict(wring_operator *op, double *bytes)
{
  direct        *d = op->data;
  wring_packed  *packed;
  wring_rows     rows;
  cholmod_sparse A;

  PetscFunctionBegin;
  PetscCall(get_rows(op, &rows));
  A         = as_sparse(&rows);
  d->factor = CHOLMOD(analyze)(&A, &d->common);
  PetscCall(restore_rows(op, &rows));
  PetscCall(check(op));
  const cholmod_factor *const f      = d->factor;
  const wring_supernodes      supers = supernodes_of(f);
  PetscCall(wring_packed_create(&supers, &packed));
  const double copy = (double)packed->bytes + 9 * 8.0 * (double)f->n;
  *bytes = 8.0 * (double)f->xsize + PetscMax(8.0 * (double)f->maxcsize, copy) + (double)d->common.memory_inuse;
  PetscCall(wring_packed_destroy(&packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where rtol is well above what single precision leaves, nothing is measured. */
static PetscErrorCode refined_solve(wring_operator *op, double rtol, const double *b, double *x, PetscBool *reached)
{
  direct    *d = op->data;
  wring_size size;
  wring_rows A;

  PetscFunctionBegin;
  PetscCall(get_rows(op, &A));
  wring_size_of(A.n, b, &size);
  PetscCall(packed_solve(d, &size, b, PETSC_FALSE, x));
  if (rtol < 10 * d->rate) PetscCall(refine(d, &A, rtol, &size, b, x, reached));
  PetscCall(restore_rows(op, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached)
{
  const direct *d = op->data;
  const double *from;
  double       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  if (d->packed)
    PetscCall(refined_solve(op, rtol, from, to, reached));
  else
    PetscCall(double_solve(op, from, to));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator *op)
{
  direct *d = op->data;

  PetscFunctionBegin;
  PetscCall(wring_packed_destroy(&d->packed));
  PetscCall(PetscFree(d->r));
  CHOLMOD(free_dense)(&d->dense_b, &d->common);
  CHOLMOD(free_dense)(&d->dense_x, &d->common);
  CHOLMOD(free_dense)(&d->y, &d->common);
  CHOLMOD(free_dense)(&d->e, &d->common);
  CHOLMOD(free_factor)(&d->factor, &d->common);
  CHOLMOD(finish)(&d->common);
  PetscCall(PetscFree(op->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_cholmod = {
  .type = "direct", .create = create, .set_up = set_up, .predict = predict, .solve = solve, .destroy = destroy};
