#include "operator_impl.h"
#include <string.h>

const wring_option wring_operator_options[] = {
  {"type", WRING_WORD, .choices = "auto|direct|multigrid|petsc", .value = "auto",
   .at = WRING_AT(wring_operator_settings, type),
   .help =
     "Solver of A x = b: a factor, conjugate gradients with multigrid, or PETSc's options petsc_operator_...; auto "
     "chooses what should take less time over all solves of the run."},
  {"factor", WRING_WORD, .choices = "auto|shared|distributed", .value = "auto",
   .at   = WRING_AT(wring_operator_settings, factor),
   .help = "Factor of type direct on several ranks: shared by all ranks of a node (CHOLMOD; each node has one), or "
           "distributed "
           "over all ranks (MUMPS)."},
  {"rtol", WRING_REAL, .range = "(0,1)", .value = "1e-3", .at = WRING_AT(wring_operator_settings, rtol),
   .help =
     "Relative tolerance of a solve: |b - A x| <= rtol |b| for each component. If it is not given, type direct solves "
     "exactly; for qn, type multigrid applies one V-cycle, and other types solve to 1e-1; for admm, iterative types "
     "solve to 0.2."},
  {"max_it", WRING_INT, .range = "[1,inf)", .value = "500", .at = WRING_AT(wring_operator_settings, max_it),
   .help = "Maximum number of iterations of one solve."},
  {"blas_threads", WRING_INT, .range = "[1,1024]", .value = "1", .at = WRING_AT(wring_operator_settings, blas_threads),
   .help = "BLAS threads in a factorisation; with 1, results are bitwise reproducible."},
  {"threshold", WRING_REAL, .range = "[0,1)", .value = "0.01",
   .at   = WRING_AT(wring_operator_settings, coarsening.threshold),
   .help = "Multigrid connects two vertices if |a_ij| is at least this part of sqrt(a_ii a_jj), a half of it on each "
           "coarser level. 0, or if stiffness differs little and elements are not flat: all that share an element."},
  {"coarse_node_rows", WRING_INT, .range = "[0,inf)", .value = "10000",
   .at   = WRING_AT(wring_operator_settings, coarsening.node_rows),
   .help = "Multigrid gathers a coarse level with at most this number of rows on ranks of one node; 0: on none."},
  {"coarse_rank_entries", WRING_INT, .range = "[1,inf)", .value = "20000",
   .at   = WRING_AT(wring_operator_settings, coarsening.rank_entries),
   .help = "Entries of the matrix of such a level for each of these ranks, a fifth for blocks of a Hessian; up "
           "to five times as many are on one rank. Larger for slower messages within a node."},
  {0},
};

static const wring_operator_ops *const iterative[] = {
  [OPERATOR_MULTIGRID] = &wring_operator_multigrid, [OPERATOR_PETSC] = &wring_operator_petsc};

static const wring_operator_ops *find_ops(const wring_operator *op, PetscBool no_sharing, PetscInt n_vertex)
{
  const wring_operator_ops *const ops = iterative[wring_operator_find_type(op, n_vertex)];
  if (ops) return ops;
  return wring_operator_shares_factor(op, n_vertex) && !no_sharing ? &wring_operator_cholmod : &wring_operator_mumps;
}

PetscErrorCode wring_operator_create(MPI_Comm comm, const wring_options *o, wring_phases *phases, wring_operator **op)
{
  const wring_operator_ops *ops;
  wring_operator           *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  *op           = p;
  p->set.comm   = comm;
  p->set.phases = phases;
  p->set.use    = (wring_operator_use){.solves = PETSC_MAX_INT};
  p->part->set  = &p->set;
  PetscCallMPI(MPI_Comm_size(comm, &p->set.n_rank));
  PetscCall(wring_hosts_find(comm, 0, &p->set.hosts));
  PetscCall(wring_options_read(o, "operator_", wring_operator_options, &p->set));
  p->set.rtol_given = wring_options_has(o, "operator_", "rtol");
  wring_blas_set_threads((int)p->set.blas_threads);
  ops = iterative[p->set.type];
  if (!ops) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ops->create(p->part)); // refuses options that PETSc does not accept before the first files are written
  PetscCall(ops->destroy(p->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(wring_operator_part *part)
{
  PetscFunctionBegin;
  if (part->ops) PetscCall(part->ops->destroy(part));
  part->ops = NULL;
  PetscCall(VecDestroy(&part->in));
  PetscCall(VecDestroy(&part->out));
  PetscCall(MatDestroy(&part->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves the first part, without vectors for several. */
static PetscErrorCode forget_others(wring_operator *op)
{
  PetscFunctionBegin;
  for (int k = 1; k < 3; k++) {
    PetscCall(forget(&op->part[k]));
    op->part[k] = (wring_operator_part){.set = &op->set, .no_sharing = op->part->no_sharing};
  }
  PetscCall(PetscFree2(op->b, op->x));
  op->n_part = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_forget(wring_operator *op)
{
  PetscFunctionBegin;
  PetscCall(forget_others(op));
  PetscCall(forget(op->part));
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

static const char *const not_shared =
  "the ranks cannot share enough memory for one factor: a distributed factor by MUMPS is used";

static PetscErrorCode begin(const wring_operator *op, wring_operator_part *part, Mat A, PetscObjectState pattern)
{
  PetscInt                  n;
  const wring_operator_ops *ops;

  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)A)); // before forget, which may hold the last reference
  PetscCall(forget(part));
  part->A       = A;
  part->pattern = pattern;
  PetscCall(MatCreateVecs(A, &part->in, &part->out));
  PetscCall(MatGetSize(A, &n, NULL));
  ops = find_ops(op, part->no_sharing, n);
  PetscCall(ops->create(part));
  if (part->no_sharing && ops == &wring_operator_cholmod) {
    PetscCall(wring_note(op->set.comm, "%s", not_shared));
    PetscCall(ops->destroy(part));
    ops = &wring_operator_mumps;
    PetscCall(ops->create(part));
  }
  part->ops       = ops;
  part->info.type = ops->type;
  part->exact     = (PetscBool)(!strcmp(ops->type, "direct") && wring_operator_is_exact(&op->set, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up the solves with A of one part. */
static PetscErrorCode set_one(const wring_operator *op, wring_operator_part *part, Mat A)
{
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (part->A != A || part->pattern != pattern) PetscCall(begin(op, part, A, pattern));
  wring_count(op->set.phases, WRING_WORK_FACTORISATIONS, 1);
  PetscCall(part->ops->set_up(part));
  part->info.set_ups++;
  if (part->no_sharing && part->ops == &wring_operator_cholmod) {
    PetscCall(wring_note(op->set.comm, "%s", not_shared));
    PetscCall(begin(op, part, A, pattern));
    PetscCall(part->ops->set_up(part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* of: the part that solves each component. Returns the number of parts. */
static int find_parts(const Mat A[3], int of[3])
{
  of[0] = 0;
  of[1] = A[1] != A[0];
  of[2] = A[2] == A[0] ? 0 : A[2] == A[1] ? 1 : 1 + of[1];
  return 1 + PetscMax(of[1], of[2]);
}

PetscErrorCode wring_operator_set_matrices(wring_operator *op, const Mat A[3])
{
  const wring_phase old = wring_phases_switch(op->set.phases, WRING_PHASE_OPERATOR_SET_UP);
  const int         n   = find_parts(A, op->of);

  PetscFunctionBegin;
  if (n != op->n_part) PetscCall(forget_others(op));
  op->n_part = n;
  for (int c = 0, done = 0; c < 3; c++)
    if (op->of[c] == done) PetscCall(set_one(op, &op->part[done++], A[c]));
  wring_memory_trim();
  wring_phases_switch(op->set.phases, old);
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
    A[c] = op->part[op->of[c]].A;
    PetscCall(PetscObjectReference((PetscObject)A[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_predict(wring_operator *op, const Mat A[3], double *bytes)
{
  int    of[3];
  double one;

  PetscFunctionBegin;
  *bytes = 0;
  PetscCall(forget_others(op));
  find_parts(A, of);
  for (int c = 0, done = 0; c < 3; c++) {
    if (of[c] != done) continue;
    PetscCall(begin(op, op->part, A[c], 0));
    PetscCall(op->part->ops->predict(op->part, &one));
    PetscCall(forget(op->part));
    *bytes += one;
    done++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to = from at the components of a part; to is 0 at the others if clear is set, otherwise as before. */
static void copy_components(const wring_operator *op, int part, PetscInt n, PetscBool clear, const double *from,
                            double *to)
{
  for (PetscInt i = 0; i < n; i++) {
    if (op->of[i % 3] == part)
      to[i] = from[i];
    else if (clear)
      to[i] = 0;
  }
}

/* Each part gets the right-hand sides of its components and zeros for the others. docs/theory.md (3.11b) */
static PetscErrorCode solve_parts(wring_operator *op, double rtol, const double *b, double *x, PetscBool *reached)
{
  PetscInt n, most = 0;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(op->part->A, &n, NULL));
  n *= 3;
  if (!op->b) PetscCall(PetscMalloc2(n, &op->b, n, &op->x));
  for (int k = 0; k < op->n_part; k++) {
    wring_operator_part *const part = &op->part[k];
    PetscBool                  ok   = PETSC_TRUE;
    copy_components(op, k, n, PETSC_TRUE, b, op->b);
    copy_components(op, k, n, PETSC_TRUE, x, op->x);
    part->info.iterations = 0;
    PetscCall(part->ops->solve(part, rtol, NULL, op->b, op->x, &ok));
    copy_components(op, k, n, PETSC_FALSE, op->x, x);
    most = PetscMax(most, part->info.iterations);
    if (!ok) *reached = PETSC_FALSE;
  }
  op->part->info.iterations = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From zero, or from x if that is NULL. */
static PetscErrorCode solve(wring_operator *op, double rtol, const wring_operator_zero *zero, Vec b, Vec x,
                            PetscBool *reached)
{
  wring_operator_part *const first = op->part;
  const double              *ba;
  double                    *xa;

  PetscFunctionBegin;
  first->info.iterations = 0;
  first->info.rtol       = wring_operator_rtol(&op->set, rtol, first->ops->approximates, first->exact);
  wring_count(op->set.phases, WRING_WORK_LINEAR_SOLVES, 1);
  if (zero && op->n_part > 1) PetscCall(VecZeroEntries(x));
  PetscCall(VecGetArrayRead(b, &ba));
  PetscCall(VecGetArray(x, &xa));
  if (op->n_part == 1)
    PetscCall(first->ops->solve(first, first->info.rtol, zero, ba, xa, reached));
  else
    PetscCall(solve_parts(op, first->info.rtol, ba, xa, reached));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecRestoreArrayRead(b, &ba));
  first->info.total_iterations += first->info.iterations;
  first->info.solves++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached)
{
  const wring_phase old = wring_phases_switch(op->set.phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscBool         ok  = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(solve(op, rtol, NULL, b, x, &ok));
  if (reached) *reached = ok;
  wring_phases_switch(op->set.phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_dots(const wring_operator *op, Vec x, const wring_operator_dots *d)
{
  const wring_phase old = wring_phases_switch(op->set.phases, WRING_PHASE_VECTOR);
  const double     *xa;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &xa));
  wring_dots(n, d->n, xa, d->with, d->dots);
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_phases_switch(op->set.phases, WRING_PHASE_REDUCTION);
  wring_count(op->set.phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d->dots, d->n, MPI_DOUBLE, MPI_SUM, op->set.comm));
  wring_phases_switch(op->set.phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_solve_from_zero(wring_operator *op, double rtol, double size, Vec b, Vec x,
                                              const wring_operator_dots *d)
{
  const wring_phase         old     = wring_phases_switch(op->set.phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscBool                 brought = PETSC_FALSE, reached = PETSC_TRUE;
  const wring_operator_zero zero = {.size = size, .d = d, .brought = &brought};

  PetscFunctionBegin;
  PetscCheck(d->n <= WRING_OPERATOR_DOTS, op->set.comm, PETSC_ERR_ARG_OUTOFRANGE, "%d dot products are too many", d->n);
  PetscCall(solve(op, rtol, &zero, b, x, &reached));
  if (!brought && d->n > 0) PetscCall(find_dots(op, x, d));
  wring_phases_switch(op->set.phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_apply(wring_operator *op, Vec x, Vec y)
{
  const double *xa;
  double       *ya;

  PetscFunctionBegin;
  wring_count(op->set.phases, WRING_WORK_PRODUCTS, 1);
  wring_count(op->set.phases, WRING_WORK_EXCHANGES, 3);
  for (int c = 0; c < 3; c++) {
    PetscCall(VecGetArrayRead(x, &xa));
    PetscCall(wring_operator_gather(xa, c, op->part->in));
    PetscCall(VecRestoreArrayRead(x, &xa));
    PetscCall(MatMult(op->part[op->of[c]].A, op->part->in, op->part->out));
    PetscCall(VecGetArray(y, &ya));
    PetscCall(wring_operator_scatter(op->part->out, c, ya));
    PetscCall(VecRestoreArray(y, &ya));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_operator_get_info(const wring_operator *op, wring_operator_info *info)
{
  *info = op->part->info;
  for (int k = 1; k < op->n_part; k++) info->memory += op->part[k].info.memory;
}
