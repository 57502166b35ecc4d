#include "operator_impl.h"
#include <string.h>

const wring_option wring_operator_options[] = {
  {"type", WRING_WORD, 0, "auto|direct|multigrid|petsc", NULL, NULL, "auto",
   "Solver of A x = b: a factor, conjugate gradients with multigrid, or PETSc's options petsc_operator_...; auto "
   "chooses what should take less time over all solves of the run."},
  {"factor", WRING_WORD, 0, "auto|shared|distributed", NULL, NULL, "auto",
   "Factor of type direct on several ranks: shared by all ranks of a node (CHOLMOD; each node has one), or distributed "
   "over all ranks (MUMPS)."},
  {"rtol", WRING_REAL, 0, NULL, NULL, "(0,1)", "1e-3",
   "Relative tolerance of a solve: |b - A x| <= rtol |b| for each component. If it is not given, type direct solves "
   "exactly; for qn, type multigrid applies one V-cycle, and other types solve to 1e-1; for admm, iterative types "
   "solve to 0.2."},
  {"max_it", WRING_INT, 0, NULL, NULL, "[1,inf)", "500", "Maximum number of iterations of one solve."},
  {"blas_threads", WRING_INT, 0, NULL, NULL, "[1,1024]", "1",
   "BLAS threads in a factorisation; with 1, results are bitwise reproducible."},
  {"coarse_node_rows", WRING_INT, 0, NULL, NULL, "[0,inf)", "10000",
   "Multigrid gathers a coarse level with at most this number of rows on ranks of one node; 0: on none."},
  {"coarse_rank_entries", WRING_INT, 0, NULL, NULL, "[1,inf)", "20000",
   "Entries of the matrix of such a level for each of these ranks; up to five times as many are on one rank. Larger "
   "for slower messages within a node."},
  {.key = NULL},
};

static const wring_operator_ops *iterative_ops(const char *type)
{
  if (!strcmp(type, "multigrid")) return &wring_operator_multigrid;
  return strcmp(type, "petsc") ? NULL : &wring_operator_petsc;
}

static PetscErrorCode find_ops(wring_operator *op, PetscInt n_vertex, const wring_operator_ops **ops)
{
  PetscFunctionBegin;
  *ops = iterative_ops(wring_operator_choice(op, n_vertex));
  if (*ops) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscBool shared = wring_operator_shares_factor(op, n_vertex);
  *ops                   = shared && !op->no_sharing ? &wring_operator_cholmod : &wring_operator_mumps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses options that PETSc does not accept now, before the first files are written. */
static PetscErrorCode try_options(wring_operator *op)
{
  const wring_operator_ops *const ops = iterative_ops(op->type);
  PetscFunctionBegin;
  if (!ops) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ops->create(op));
  PetscCall(ops->destroy(op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_create(MPI_Comm comm, const wring_options *o, wring_phases *phases, wring_operator **op)
{
  const wring_option *const table  = wring_operator_options;
  const char *const         prefix = "operator_";
  const char               *type;
  PetscInt                  threads;
  wring_operator           *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  *op       = p;
  p->comm   = comm;
  p->phases = phases;
  p->use    = (wring_operator_use){.solves = PETSC_MAX_INT};
  PetscCallMPI(MPI_Comm_size(comm, &p->n_rank));
  PetscCall(wring_hosts_find(comm, 0, &p->hosts));
  PetscCall(wring_options_get_word(o, prefix, table, "type", &type));
  PetscCall(PetscStrncpy(p->type, type, sizeof p->type));
  PetscCall(wring_options_get_word(o, prefix, table, "factor", &type));
  PetscCall(PetscStrncpy(p->factor, type, sizeof p->factor));
  PetscCall(wring_options_get_real(o, prefix, table, "rtol", &p->rtol));
  p->rtol_given = wring_options_has(o, prefix, "rtol");
  PetscCall(wring_options_get_int(o, prefix, table, "max_it", &p->max_it));
  PetscCall(wring_options_get_int(o, prefix, table, "coarse_rank_entries", &p->gather.rank_entries));
  PetscCall(wring_options_get_int(o, prefix, table, "coarse_node_rows", &p->gather.node_rows));
  PetscCall(wring_options_get_int(o, prefix, table, "blas_threads", &threads));
  wring_blas_set_threads((int)threads);
  PetscCall(try_options(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(wring_operator *op)
{
  PetscFunctionBegin;
  if (op->ops) PetscCall(op->ops->destroy(op));
  op->ops = NULL;
  PetscCall(VecDestroy(&op->in));
  PetscCall(VecDestroy(&op->out));
  PetscCall(MatDestroy(&op->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves one part, without vectors for several. */
static PetscErrorCode destroy_parts(wring_operator *op)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(wring_operator_destroy(&op->other[k]));
  PetscCall(VecDestroy(&op->b));
  PetscCall(VecDestroy(&op->x));
  op->n_part = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_forget(wring_operator *op)
{
  PetscFunctionBegin;
  PetscCall(destroy_parts(op));
  PetscCall(forget(op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_destroy(wring_operator **op)
{
  PetscFunctionBegin;
  if (!*op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_operator_forget(*op));
  PetscCall(PetscFree(*op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(wring_operator *op, Mat A, PetscObjectState pattern)
{
  PetscInt                  n;
  const wring_operator_ops *ops;

  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)A)); // before forget, which may hold the last reference
  PetscCall(forget(op));
  op->A       = A;
  op->pattern = pattern;
  PetscCall(MatCreateVecs(A, &op->in, &op->out));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(find_ops(op, n, &ops));
  PetscCall(ops->create(op));
  if (op->no_sharing && ops == &wring_operator_cholmod) {
    PetscCall(ops->destroy(op));
    ops = &wring_operator_mumps;
    PetscCall(ops->create(op));
  }
  op->ops       = ops;
  op->info.type = ops->type;
  op->exact     = (PetscBool)(!strcmp(ops->type, "direct") && wring_operator_is_exact(op, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up the solves with A of one part. */
static PetscErrorCode set_one(wring_operator *op, Mat A)
{
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (op->A != A || op->pattern != pattern) PetscCall(begin(op, A, pattern));
  wring_count(op->phases, WRING_WORK_FACTORISATIONS, 1);
  PetscCall(op->ops->set_up(op));
  op->info.set_ups++;
  if (op->no_sharing && op->ops == &wring_operator_cholmod) {
    PetscCall(wring_note(op->comm,
                         "the ranks cannot share enough memory for one factor: a distributed factor by MUMPS is used"));
    PetscCall(begin(op, A, pattern));
    PetscCall(op->ops->set_up(op));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_set_matrices(wring_operator *op, const Mat A[3])
{
  const wring_phase old = wring_phases_switch(op->phases, WRING_PHASE_OPERATOR_SET_UP);
  int               of[3];
  const int         n_part = wring_operator_find_parts(A, of);

  PetscFunctionBegin;
  if (n_part != op->n_part) PetscCall(destroy_parts(op));
  PetscCall(wring_operator_create_parts(op, n_part, of));
  for (int c = 0, done = 0; c < 3; c++) {
    if (op->of[c] < done) continue;
    PetscCall(set_one(wring_operator_of(op, done++), A[c]));
  }
  wring_phases_switch(op->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_set_matrix(wring_operator *op, Mat A)
{
  PetscFunctionBegin;
  PetscCall(wring_operator_set_matrices(op, (const Mat[3]){A, A, A}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_get_matrices(const wring_operator *op, Mat A[3])
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    A[c] = op->of[c] > 0 ? op->other[op->of[c] - 1]->A : op->A;
    PetscCall(PetscObjectReference((PetscObject)A[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_predict(wring_operator *op, const Mat A[3], double *bytes)
{
  double one;

  PetscFunctionBegin;
  *bytes = 0;
  PetscCall(destroy_parts(op));
  for (int c = 0; c < 3; c++) {
    if ((c > 0 && A[c] == A[0]) || (c == 2 && A[2] == A[1])) continue;
    PetscCall(begin(op, A[c], 0));
    PetscCall(op->ops->predict(op, &one));
    PetscCall(forget(op));
    *bytes += one;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tolerance that rtol 0 stands for; begin_solve finds that of any rtol. */
static double own_rtol(const wring_operator *op)
{
  return op->exact ? 0 : op->rtol;
}

static void begin_solve(wring_operator *op, double rtol)
{
  op->info.iterations = 0;
  if (rtol == WRING_OPERATOR_ROUGH)
    op->info.rtol = wring_operator_rough_rtol(op, op->ops->approximates);
  else if (rtol == WRING_OPERATOR_CORRECTION)
    op->info.rtol = op->exact ? 0 : wring_operator_correction_rtol(op);
  else
    op->info.rtol = rtol > 0 ? rtol : own_rtol(op);
  wring_count(op->phases, WRING_WORK_LINEAR_SOLVES, 1);
}

static void end_solve(wring_operator *op)
{
  op->info.total_iterations += op->info.iterations;
  op->info.solves++;
}

PetscErrorCode wring_operator_solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached)
{
  const wring_phase old = wring_phases_switch(op->phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscBool         ok  = PETSC_TRUE;

  PetscFunctionBegin;
  begin_solve(op, rtol);
  if (op->n_part > 1)
    PetscCall(wring_operator_solve_parts(op, op->info.rtol, b, x, &ok));
  else
    PetscCall(op->ops->solve(op, op->info.rtol, b, x, &ok));
  end_solve(op);
  if (reached) *reached = ok;
  wring_phases_switch(op->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_dots(const wring_operator *op, Vec x, const wring_operator_dots *d)
{
  const wring_phase old = wring_phases_switch(op->phases, WRING_PHASE_VECTOR);
  const double     *xa;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &xa));
  wring_dots(n, d->n, xa, d->with, d->dots);
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_phases_switch(op->phases, WRING_PHASE_REDUCTION);
  wring_count(op->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d->dots, d->n, MPI_DOUBLE, MPI_SUM, op->comm));
  wring_phases_switch(op->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_solve_from_zero(wring_operator *op, double rtol, double size, Vec b, Vec x,
                                              const wring_operator_dots *d)
{
  const wring_phase old     = wring_phases_switch(op->phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscBool         brought = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(d->n <= WRING_OPERATOR_DOTS, op->comm, PETSC_ERR_ARG_OUTOFRANGE, "%d dot products are too many", d->n);
  if (op->ops->solve_from_zero && op->n_part == 1) {
    begin_solve(op, rtol);
    PetscCall(op->ops->solve_from_zero(op, op->info.rtol, size, b, x, d, &brought));
    end_solve(op);
  } else {
    PetscCall(VecZeroEntries(x));
    PetscCall(wring_operator_solve(op, rtol, b, x, NULL));
  }
  if (!brought && d->n > 0) PetscCall(find_dots(op, x, d));
  wring_phases_switch(op->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_apply(wring_operator *op, Vec x, Vec y)
{
  PetscFunctionBegin;
  wring_count(op->phases, WRING_WORK_PRODUCTS, 1);
  wring_count(op->phases, WRING_WORK_EXCHANGES, 3);
  for (int c = 0; c < 3; c++) {
    PetscCall(wring_operator_gather(x, c, op->in));
    PetscCall(MatMult(wring_operator_of(op, op->of[c])->A, op->in, op->out));
    PetscCall(wring_operator_scatter(op->out, c, y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_operator_get_info(const wring_operator *op, wring_operator_info *info)
{
  *info = op->info;
  for (int k = 1; k < op->n_part; k++) info->memory += op->other[k - 1]->info.memory;
}
