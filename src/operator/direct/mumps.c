/*
  Type direct on several ranks: MUMPS (Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23, 2001) through
  its C API. The METIS order is computed here: many builds of MUMPS lack METIS and silently use a worse order. Matrix,
  right-hand sides and solution stay distributed.
*/
#include "factor.h"
#include "base/parallel/consensus.h"
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

/* The adjacency of the owned rows or, on rank 0 after gathering, of all rows. */
typedef struct {
  PetscMPIInt n, n_edge;
  idx_t      *degree; // [n]
  idx_t      *edge;   // [n_edge]
} graph;

static MUMPS_INT *control(direct *d, int k)
{
  return &d->id.icntl[k - 1]; // numbered as in MUMPS's manual
}

static MPI_Datatype idx_type(void)
{
  return sizeof(idx_t) == 8 ? MPI_INT64_T : MPI_INT32_T;
}

static PetscErrorCode create(wring_operator *op)
{
  direct *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  op->data           = d;
  d->id.comm_fortran = (MUMPS_INT)MPI_Comm_c2f(op->comm);
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

static PetscErrorCode check(const wring_operator *op)
{
  const direct   *d      = op->data;
  const MUMPS_INT status = d->id.infog[0];
  const PetscBool signs  = (PetscBool)(d->id.job == JOB_FACTORIZE && status >= 0 && d->id.infog[11] > 0);

  PetscFunctionBegin;
  if (signs || status == MUMPS_SINGULAR || status == MUMPS_NOT_POSITIVE)
    WRING_REFUSE(op->comm, "operator: the matrix is not positive definite (mumps)");
  if (status == MUMPS_MEMORY)
    WRING_REFUSE(op->comm, "operator: out of memory in mumps; operator_type multigrid needs less");
  if (status < 0)
    WRING_REFUSE(op->comm, "operator: mumps failed with INFOG(1) = %d, INFOG(2) = %d", (int)status,
                 (int)d->id.infog[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count(const wring_operator *op, PetscInt *n_lower, PetscInt *n_edge)
{
  PetscInt        first, end, n;
  const PetscInt *column;

  PetscFunctionBegin;
  *n_lower = *n_edge = 0;
  PetscCall(MatGetOwnershipRange(op->A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    PetscCall(MatGetRow(op->A, r, &n, &column, NULL));
    for (PetscInt k = 0; k < n; k++) {
      *n_lower += column[k] <= r;
      *n_edge += column[k] != r;
    }
    PetscCall(MatRestoreRow(op->A, r, &n, &column, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_entries(const wring_operator *op)
{
  direct         *d = op->data;
  PetscInt        first, end, n, m = 0;
  const PetscInt *column;
  const double   *value;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(op->A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    PetscCall(MatGetRow(op->A, r, &n, &column, &value));
    for (PetscInt k = 0; k < n; k++) {
      if (column[k] > r) continue;
      d->row[m]     = (MUMPS_INT)(r + 1);
      d->column[m]  = (MUMPS_INT)(column[k] + 1);
      d->value[m++] = value[k];
    }
    PetscCall(MatRestoreRow(op->A, r, &n, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode owned_graph(const wring_operator *op, PetscInt n_edge, graph *g)
{
  PetscInt        first, end, n;
  const PetscInt *column;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(op->A, &first, &end));
  PetscCall(PetscMPIIntCast(end - first, &g->n));
  PetscCall(PetscMPIIntCast(n_edge, &g->n_edge));
  PetscCall(PetscCalloc1(g->n + 1, &g->degree));
  PetscCall(PetscMalloc1(n_edge + 1, &g->edge));
  for (PetscInt r = first, m = 0; r < end; r++) {
    PetscCall(MatGetRow(op->A, r, &n, &column, NULL));
    for (PetscInt k = 0; k < n; k++) {
      if (column[k] == r) continue;
      g->edge[m++] = (idx_t)column[k];
      g->degree[r - first]++;
    }
    PetscCall(MatRestoreRow(op->A, r, &n, &column, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Concatenates n values of each rank on rank 0. */
static PetscErrorCode concatenate(MPI_Comm comm, PetscMPIInt n, const idx_t *mine, PetscMPIInt *n_all, idx_t **all)
{
  PetscMPIInt rank, size, *counts, *offsets;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCalloc2(size, &counts, size + 1, &offsets));
  PetscCallMPI(MPI_Gather(&n, 1, MPI_INT, counts, 1, MPI_INT, 0, comm));
  for (int r = 0; r < size; r++) offsets[r + 1] = offsets[r] + counts[r];
  *n_all = offsets[size];
  PetscCall(PetscMalloc1(*n_all + 1, all));
  PetscCallMPI(MPI_Gatherv(mine, n, idx_type(), *all, counts, offsets, idx_type(), 0, comm));
  PetscCall(PetscFree2(counts, offsets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dissect(graph *g, MUMPS_INT **position, wring_error *error)
{
  idx_t *start, *order, *place, n = g->n;
  int    status = METIS_OK;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(n + 1, &start, n, &order, n, &place));
  PetscCall(PetscMalloc1(n, position));
  for (idx_t i = 0; i < n; i++) start[i + 1] = start[i] + g->degree[i];
  for (idx_t i = 0; i < n; i++) place[i] = i; // METIS fails on a graph without edges
  if (g->n_edge) status = METIS_NodeND(&n, start, g->edge, NULL, NULL, order, place);
  if (status != METIS_OK) wring_error_set(error, "operator: METIS_NodeND failed with status %d", status);
  for (idx_t i = 0; i < n; i++) (*position)[i] = (MUMPS_INT)(place[i] + 1);
  PetscCall(PetscFree3(start, order, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compute_order(wring_operator *op, PetscInt n_edge)
{
  direct     *d    = op->data;
  graph       mine = {0}, all = {0};
  wring_error error = {""};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(op->comm, &rank));
  PetscCall(owned_graph(op, n_edge, &mine));
  PetscCall(concatenate(op->comm, mine.n, mine.degree, &all.n, &all.degree));
  PetscCall(concatenate(op->comm, mine.n_edge, mine.edge, &all.n_edge, &all.edge));
  PetscCall(PetscFree(mine.degree));
  PetscCall(PetscFree(mine.edge));
  if (rank == 0) PetscCall(dissect(&all, &d->position, &error));
  PetscCall(PetscFree(all.degree));
  PetscCall(PetscFree(all.edge));
  PetscCall(wring_error_raise(op->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_size(const wring_operator *op, PetscInt64 n_edge)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(op->A, &n, NULL));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n_edge, 1, MPIU_INT64, MPI_SUM, op->comm));
  if (n >= INT32_MAX || n_edge >= INT32_MAX)
    WRING_REFUSE(op->comm, "operator: %" PetscInt_FMT " vertices are too many for mumps; use operator_type multigrid",
                 n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of elimination and the arrays of a new pattern. */
static PetscErrorCode allocate(wring_operator *op)
{
  direct  *d = op->data;
  PetscInt first, n_lower, n_edge;

  PetscFunctionBegin;
  PetscCall(count(op, &n_lower, &n_edge));
  PetscCall(check_size(op, n_edge));
  PetscCall(compute_order(op, n_edge));
  PetscCall(MatGetOwnershipRange(op->A, &first, NULL));
  PetscCall(MatGetLocalSize(op->A, &d->n_owned, NULL));
  PetscCall(PetscMalloc3(n_lower + 1, &d->row, n_lower + 1, &d->column, n_lower + 1, &d->value));
  PetscCall(PetscMalloc2(d->n_owned + 1, &d->b_row, 3 * d->n_owned + 1, &d->b));
  for (PetscInt i = 0; i < d->n_owned; i++) d->b_row[i] = (MUMPS_INT)(first + i + 1);
  d->n_lower = n_lower;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode analyse(wring_operator *op)
{
  direct  *d = op->data;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(op->A, &n, NULL));
  d->id.n       = (MUMPS_INT)n;
  d->id.nnz_loc = d->n_lower;
  d->id.irn_loc = d->row;
  d->id.jcn_loc = d->column;
  d->id.a_loc   = d->value;
  d->id.perm_in = d->position;
  d->id.job     = JOB_ANALYSE;
  dmumps_c(&d->id);
  PetscCall(check(op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void factorize(direct *d)
{
  MUMPS_INT *const workspace = control(d, WRING_MUMPS_ICNTL_WORKSPACE);
  MUMPS_INT        more      = *workspace;
  d->id.job                  = JOB_FACTORIZE;
  for (; more > 0; more = (MUMPS_INT)wring_mumps_more_workspace(d->id.infog[0], more)) {
    *workspace = more;
    dmumps_c(&d->id);
  }
}

static PetscErrorCode free_solution(direct *d)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(d->x_row, d->x, d->x_rows));
  PetscCall(PetscSFDestroy(&d->to_owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(wring_operator *op)
{
  direct         *d     = op->data;
  const PetscBool first = (PetscBool)!d->row;

  PetscFunctionBegin;
  if (first) PetscCall(allocate(op));
  PetscCall(copy_entries(op));
  if (first) PetscCall(analyse(op));
  factorize(d);
  PetscCall(check(op));
  PetscCall(free_solution(d));
  const MUMPS_INT n = d->id.info[22];
  PetscCall(PetscMalloc3(n + 1, &d->x_row, 3 * (size_t)n + 1, &d->x, 3 * (size_t)n + 1, &d->x_rows));
  op->info.library = "mumps";
  op->info.memory  = 1e6 * d->id.infog[21]; // megabytes used, all ranks
  op->info.flops   = d->id.rinfog[2];
  op->info.entries = (double)d->id.infog[28] * (d->id.infog[28] < 0 ? -1e6 : 1); // negative: millions
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode predict(wring_operator *op, double *bytes)
{
  direct *d = op->data;

  PetscFunctionBegin;
  PetscCall(allocate(op));
  PetscCall(copy_entries(op));
  PetscCall(analyse(op));
  *bytes = 1e6 * d->id.info[14] + 16.0 * (double)d->n_lower; // megabytes estimated for this rank
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void run_solve(direct *d)
{
  DMUMPS_STRUC_C *id = &d->id;
  id->nrhs           = 3;
  id->nloc_rhs       = (MUMPS_INT)d->n_owned;
  id->lrhs_loc       = PetscMax(1, id->nloc_rhs);
  id->rhs_loc        = d->b;
  id->irhs_loc       = d->b_row;
  id->lsol_loc       = PetscMax(1, id->info[22]);
  id->sol_loc        = d->x;
  id->isol_loc       = d->x_row;
  id->job            = JOB_SOLVE;
  dmumps_c(id);
}

/* The rows of the solution that this rank receives are known only after a solve. */
static PetscErrorCode create_map(const wring_operator *op)
{
  direct        *d = op->data;
  const PetscInt n = d->id.info[22];
  PetscInt      *row;
  PetscLayout    owners;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &row));
  for (PetscInt i = 0; i < n; i++) row[i] = d->x_row[i] - 1;
  PetscCall(MatGetLayouts(op->A, &owners, NULL));
  PetscCall(PetscSFCreate(op->comm, &d->to_owner));
  PetscCall(PetscSFSetGraphLayout(d->to_owner, owners, n, NULL, PETSC_OWN_POINTER, row));
  PetscCall(wring_sf_set_up(d->to_owner));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached)
{
  direct       *d = op->data;
  const double *from;
  double       *to;

  PetscFunctionBegin;
  (void)rtol, (void)reached; // always exact
  PetscCall(VecGetArrayRead(b, &from));
  wring_operator_to_columns(d->n_owned, from, d->b);
  PetscCall(VecRestoreArrayRead(b, &from));
  run_solve(d);
  PetscCall(check(op));
  if (!d->to_owner) PetscCall(create_map(op));
  const PetscInt n = d->id.lsol_loc, used = d->id.info[22];
  for (int c = 0; c < 3; c++)
    for (PetscInt i = 0; i < used; i++) d->x_rows[3 * i + c] = d->x[c * n + i];
  PetscCall(VecGetArray(x, &to));
  PetscCall(PetscSFReduceBegin(d->to_owner, d->three, d->x_rows, to, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(d->to_owner, d->three, d->x_rows, to, MPI_REPLACE));
  PetscCall(VecRestoreArray(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator *op)
{
  direct *d = op->data;

  PetscFunctionBegin;
  PetscCall(free_solution(d));
  d->id.job = JOB_END;
  dmumps_c(&d->id);
  PetscCall(PetscFree3(d->row, d->column, d->value));
  PetscCall(PetscFree2(d->b_row, d->b));
  PetscCall(PetscFree(d->position));
  PetscCallMPI(MPI_Type_free(&d->three));
  PetscCall(PetscFree(op->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_mumps = {
  .type = "direct", .create = create, .set_up = set_up, .predict = predict, .solve = solve, .destroy = destroy};
