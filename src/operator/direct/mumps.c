/*
  Type direct on several ranks: MUMPS (Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23, 2001) through
  its C API. The METIS order is computed here: many builds of MUMPS lack METIS and silently use a worse order. Matrix,
  right-hand sides and solution stay distributed.
*/
#include "factor.h"
#include "base/parallel/consensus.h"
#include "operator/aij.h"
#include "operator/operator_impl.h"
#include <dmumps_c.h>
#include <metis.h>

enum { JOB_INIT = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTORIZE = 2, JOB_SOLVE = 3 };
enum { MUMPS_SINGULAR = -10, MUMPS_MEMORY = -13, MUMPS_NOT_POSITIVE = -40 };

typedef struct {
  DMUMPS_STRUC_C id;
  PetscInt       n_owned, n_lower;
  MUMPS_INT     *row, *column; // [n_lower] lower triangle of the owned rows, from 1
  double        *value;        // [n_lower]
  MUMPS_INT     *position;     // [n] on rank 0: place of each vertex in the order of elimination, from 1
  MUMPS_INT     *b_row, *x_row;
  double        *b, *x;  // [3][n_owned] and [3][lsol_loc]: MUMPS distributes the solution
  double        *x_rows; // [lsol_loc][3]
  PetscSF        to_owner;
  MPI_Datatype   three;
} direct;

static MUMPS_INT *control(direct *d, int k)
{
  return &d->id.icntl[k - 1]; // numbered as in MUMPS's manual
}

static PetscErrorCode create(wring_operator_part *part)
{
  direct *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  part->data         = d;
  d->id.comm_fortran = (MUMPS_INT)MPI_Comm_c2f(part->set->comm);
  d->id.par          = 1;
  d->id.sym          = 1;
  d->id.job          = JOB_INIT;
  dmumps_c(&d->id);
  for (int k = 1; k <= 3; k++) *control(d, k) = -1; // silent
  *control(d, 4)                           = 0;
  *control(d, 7)                           = 1; // order given in perm_in
  *control(d, WRING_MUMPS_ICNTL_WORKSPACE) = WRING_MUMPS_WORKSPACE;
  *control(d, 18)                          = 3;  // matrix distributed
  *control(d, 20)                          = 10; // right-hand sides distributed
  *control(d, 21)                          = 1;  // solution distributed
  *control(d, 27)                          = 3;  // right-hand sides in one sweep
  PetscCallMPI(MPI_Type_contiguous(3, MPI_DOUBLE, &d->three));
  PetscCallMPI(MPI_Type_commit(&d->three));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const wring_operator_part *part)
{
  const direct   *d      = part->data;
  const MUMPS_INT status = d->id.infog[0];
  const PetscBool signs  = (PetscBool)(d->id.job == JOB_FACTORIZE && status >= 0 && d->id.infog[11] > 0);

  PetscFunctionBegin;
  if (signs || status == MUMPS_SINGULAR || status == MUMPS_NOT_POSITIVE)
    WRING_REFUSE(part->set->comm, "operator: the matrix is not positive definite (mumps)");
  if (status == MUMPS_MEMORY)
    WRING_REFUSE(part->set->comm, "operator: out of memory in mumps; operator_type multigrid needs less");
  if (status < 0)
    WRING_REFUSE(part->set->comm, "operator: mumps failed with INFOG(1) = %d, INFOG(2) = %d", (int)status,
                 (int)d->id.infog[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the lower triangle of the owned rows, or only counts it, in d->n_lower, before there are arrays. */
static PetscErrorCode copy_entries(const wring_operator_part *part)
{
  direct         *d = part->data;
  PetscInt        first, end, n, m = 0;
  const PetscInt *column;
  const double   *value;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(part->A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    PetscCall(MatGetRow(part->A, r, &n, &column, &value));
    for (PetscInt k = 0; k < n; k++) {
      if (column[k] > r) continue;
      if (d->row) {
        d->row[m]    = (MUMPS_INT)(r + 1);
        d->column[m] = (MUMPS_INT)(column[k] + 1);
        d->value[m]  = value[k];
      }
      m++;
    }
    PetscCall(MatRestoreRow(part->A, r, &n, &column, &value));
  }
  d->n_lower = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *position [n] by METIS, from the graph of A. */
static PetscErrorCode dissect(const wring_aij *A, MUMPS_INT **position, wring_error *error)
{
  idx_t *start, *edge, *order, *place, n = A->n, m = 0;
  int    status = METIS_OK;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n + 1, &start, A->start[n], &edge, n, &order, n, &place));
  PetscCall(PetscMalloc1(n, position));
  for (idx_t i = 0; i < n; i++) {
    start[i] = m;
    place[i] = i; // METIS fails on a graph without edges
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++)
      if (A->column[k] != i) edge[m++] = A->column[k];
  }
  start[n] = m;
  if (m > 0) status = METIS_NodeND(&n, start, edge, NULL, NULL, order, place);
  if (status != METIS_OK) wring_error_set(error, "operator: METIS_NodeND failed with status %d", status);
  for (idx_t i = 0; i < n; i++) (*position)[i] = (MUMPS_INT)(place[i] + 1);
  PetscCall(PetscFree4(start, edge, order, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compute_order(wring_operator_part *part)
{
  direct     *d     = part->data;
  wring_error error = {""};
  wring_rows  rows;
  Mat         all;

  PetscFunctionBegin;
  PetscCall(wring_aij_collect(part->A, (PetscBool)(wring_comm_rank(part->set->comm) == 0), &all));
  if (all) {
    PetscCall(wring_rows_get(all, &rows));
    PetscCall(dissect(&rows.own, &d->position, &error));
    PetscCall(wring_rows_restore(&rows));
  }
  PetscCall(MatDestroy(&all));
  PetscCall(wring_error_raise(part->set->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of elimination and the arrays of a new pattern. */
static PetscErrorCode allocate(wring_operator_part *part)
{
  direct  *d = part->data;
  PetscInt first, n;
  MatInfo  info;

  PetscFunctionBegin;
  PetscCall(MatGetSize(part->A, &n, NULL));
  PetscCall(MatGetInfo(part->A, MAT_GLOBAL_SUM, &info));
  if (n >= INT32_MAX || info.nz_used - n >= INT32_MAX)
    WRING_REFUSE(part->set->comm,
                 "operator: %" PetscInt_FMT " vertices are too many for mumps; use operator_type multigrid", n);
  PetscCall(compute_order(part));
  PetscCall(MatGetOwnershipRange(part->A, &first, NULL));
  PetscCall(MatGetLocalSize(part->A, &d->n_owned, NULL));
  PetscCall(copy_entries(part));
  PetscCall(PetscMalloc3(d->n_lower + 1, &d->row, d->n_lower + 1, &d->column, d->n_lower + 1, &d->value));
  PetscCall(PetscMalloc2(d->n_owned + 1, &d->b_row, 3 * d->n_owned + 1, &d->b));
  for (PetscInt i = 0; i < d->n_owned; i++) d->b_row[i] = (MUMPS_INT)(first + i + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode analyse(wring_operator_part *part)
{
  direct  *d = part->data;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(part->A, &n, NULL));
  d->id.n       = (MUMPS_INT)n;
  d->id.nnz_loc = d->n_lower;
  d->id.irn_loc = d->row;
  d->id.jcn_loc = d->column;
  d->id.a_loc   = d->value;
  d->id.perm_in = d->position;
  d->id.job     = JOB_ANALYSE;
  dmumps_c(&d->id);
  PetscCall(check(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_solution(direct *d)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(d->x_row, d->x, d->x_rows));
  PetscCall(PetscSFDestroy(&d->to_owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(wring_operator_part *part)
{
  direct          *d         = part->data;
  MUMPS_INT *const workspace = control(d, WRING_MUMPS_ICNTL_WORKSPACE);
  const PetscBool  first     = (PetscBool)!d->row;

  PetscFunctionBegin;
  if (first) PetscCall(allocate(part));
  PetscCall(copy_entries(part));
  if (first) PetscCall(analyse(part));
  d->id.job = JOB_FACTORIZE;
  for (PetscInt more = *workspace; more > 0; more = wring_mumps_more_workspace(d->id.infog[0], more)) {
    *workspace = (MUMPS_INT)more;
    dmumps_c(&d->id);
  }
  PetscCall(check(part));
  PetscCall(free_solution(d));
  const MUMPS_INT n = d->id.info[22];
  PetscCall(PetscMalloc3(n + 1, &d->x_row, 3 * (size_t)n + 1, &d->x, 3 * (size_t)n + 1, &d->x_rows));
  part->info.library = "mumps";
  part->info.memory  = 1e6 * d->id.infog[21]; // megabytes used, all ranks
  part->info.flops   = d->id.rinfog[2];
  part->info.entries = (double)d->id.infog[28] * (d->id.infog[28] < 0 ? -1e6 : 1); // negative: millions
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode predict(wring_operator_part *part, double *bytes)
{
  direct *d = part->data;

  PetscFunctionBegin;
  PetscCall(allocate(part));
  PetscCall(copy_entries(part));
  PetscCall(analyse(part));
  *bytes = 1e6 * d->id.info[14] + 16.0 * (double)d->n_lower; // megabytes estimated for this rank
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the solution that this rank receives are known only after a solve. */
static PetscErrorCode create_map(const wring_operator_part *part)
{
  direct        *d = part->data;
  const PetscInt n = d->id.info[22];
  PetscInt      *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &row));
  for (PetscInt i = 0; i < n; i++) row[i] = d->x_row[i] - 1;
  PetscCall(wring_sf_create(part->set->comm, d->n_owned, PETSC_DETERMINE, n, NULL, row, &d->to_owner));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator_part *part, double rtol, const wring_operator_zero *zero, const double *b,
                            double *x, PetscBool *reached)
{
  direct               *d    = part->data;
  DMUMPS_STRUC_C *const id   = &d->id;
  const MUMPS_INT       used = id->info[22];

  PetscFunctionBegin;
  (void)rtol, (void)zero, (void)reached; // always exact
  wring_operator_to_columns(d->n_owned, b, d->b);
  id->nrhs     = 3;
  id->nloc_rhs = (MUMPS_INT)d->n_owned;
  id->lrhs_loc = PetscMax(1, id->nloc_rhs);
  id->rhs_loc  = d->b;
  id->irhs_loc = d->b_row;
  id->lsol_loc = PetscMax(1, used);
  id->sol_loc  = d->x;
  id->isol_loc = d->x_row;
  id->job      = JOB_SOLVE;
  dmumps_c(id);
  PetscCall(check(part));
  if (!d->to_owner) PetscCall(create_map(part));
  for (int c = 0; c < 3; c++)
    for (PetscInt i = 0; i < used; i++) d->x_rows[3 * i + c] = d->x[c * id->lsol_loc + i];
  PetscCall(PetscSFReduceBegin(d->to_owner, d->three, d->x_rows, x, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(d->to_owner, d->three, d->x_rows, x, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator_part *part)
{
  direct *d = part->data;

  PetscFunctionBegin;
  PetscCall(free_solution(d));
  d->id.job = JOB_END;
  dmumps_c(&d->id);
  PetscCall(PetscFree3(d->row, d->column, d->value));
  PetscCall(PetscFree2(d->b_row, d->b));
  PetscCall(PetscFree(d->position));
  PetscCallMPI(MPI_Type_free(&d->three));
  PetscCall(PetscFree(part->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_mumps = {
  .type = "direct", .create = create, .set_up = set_up, .predict = predict, .solve = solve, .destroy = destroy};
