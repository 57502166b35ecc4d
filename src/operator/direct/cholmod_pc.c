/*
  The preconditioner "cholmod" of a KSP on one rank: a supernodal Cholesky factor of a matrix whose values change from
  one call to the next. The symbolic analysis is kept as long as the pattern is the same, also in a new matrix. Rows of
  a vertex stay together: METIS orders the graph of the vertices, which has a ninth of the entries of three rows.
*/
#include "cholmod_names.h"
#include "factor.h"

typedef struct {
  cholmod_common  common;
  cholmod_factor *factor;
  PetscBool       ready;     // the factor has values
  uint64_t        pattern;   // of the matrix that was analysed
  cholmod_dense  *x, *y, *e; // work of cholmod_solve2
  PetscInt        analyses;
} cholmod_pc;

/* ---- symbolic ---------------------------------------------------------------------------------------------------- */

static const uint64_t FNV_BASIS = 0xcbf29ce484222325u;

/* FNV-1a over the numbers of a pattern, 32 or 64 bits at a time. */
static uint64_t mix(uint64_t hash, size_t n, const PetscInt *v)
{
  for (size_t i = 0; i < n; i++) hash = (hash ^ (uint64_t)v[i]) * 0x100000001b3u;
  return hash;
}

/* The graph of blocks of `bs` rows, by the first row of each; both triangles. */
static cholmod_sparse *block_graph(const wring_aij *a, PetscInt bs, cholmod_common *common)
{
  const PetscInt  n = a->n / bs;
  cholmod_sparse *g = CHOLMOD(allocate_sparse)((size_t)n, (size_t)n, (size_t)a->start[a->n] / (size_t)bs + 1, 1, 1, 1,
                                               CHOLMOD_PATTERN, common);
  if (!g) return NULL;
  PetscInt *const start = g->p, *const to = g->i;
  start[0] = 0;
  for (PetscInt v = 0; v < n; v++) {
    PetscInt m = start[v], last = -1;
    for (PetscInt k = a->start[bs * v]; k < a->start[bs * v + 1]; k++) {
      if (a->column[k] / bs != last) to[m++] = last = a->column[k] / bs;
    }
    start[v + 1] = m;
  }
  return g;
}

/* perm [n]: a fill-reducing order of the rows in which those of a block are consecutive. */
static void order_rows(const wring_aij *a, PetscInt bs, cholmod_common *common, PetscInt *perm)
{
  cholmod_sparse *graph = block_graph(a, bs, common);
  cholmod_factor *order = graph ? CHOLMOD(analyze)(graph, common) : NULL;
  if (order) {
    const PetscInt *const block = order->Perm;
    for (PetscInt i = 0; i < a->n; i++) perm[i] = bs * block[i / bs] + i % bs;
  }
  CHOLMOD(free_factor)(&order, common);
  CHOLMOD(free_sparse)(&graph, common);
}

static PetscErrorCode analyse(cholmod_pc *c, const wring_aij *a, PetscInt bs, cholmod_sparse *A)
{
  PetscInt *perm;

  PetscFunctionBegin;
  CHOLMOD(free_factor)(&c->factor, &c->common);
  PetscCall(PetscMalloc1(a->n, &perm));
  order_rows(a, bs, &c->common, perm);
  if (c->common.status >= CHOLMOD_OK) {
    c->common.method[0].ordering = CHOLMOD_GIVEN;
    c->factor                    = CHOLMOD(analyze_p)(A, perm, NULL, 0, &c->common);
    c->common.method[0].ordering = CHOLMOD_METIS;
  }
  PetscCall(PetscFree(perm));
  c->analyses++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numeric ----------------------------------------------------------------------------------------------------- */

/* Analyses the pattern of A, unless the factor has this pattern, and computes the factor if `numeric` is set. */
static PetscErrorCode factorize(cholmod_pc *c, Mat A, PetscBool numeric)
{
  const int  levels = wring_blas_begin();
  wring_rows rows;
  PetscInt   bs;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(wring_rows_get(A, &rows));
  cholmod_sparse   S       = wring_cholmod_view(&rows.own);
  wring_aij *const a       = &rows.own;
  const uint64_t   pattern = mix(mix(FNV_BASIS, (size_t)a->n + 1, a->start), (size_t)a->start[a->n], a->column);
  if (!c->factor || c->pattern != pattern || c->factor->n != (size_t)a->n) PetscCall(analyse(c, a, bs, &S));
  c->pattern = pattern;
  if (c->factor && numeric) CHOLMOD(factorize)(&S, c->factor, &c->common);
  PetscCall(wring_rows_restore(&rows));
  wring_blas_end(levels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor that is not positive definite keeps its analysis. */
static PetscErrorCode set_up(PC pc)
{
  cholmod_pc    *c;
  Mat            A;
  PCFailedReason reason = PC_NOERROR;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(factorize(c, A, PETSC_TRUE));
  if (c->common.status == CHOLMOD_NOT_POSDEF) reason = PC_FACTOR_NUMERIC_ZEROPIVOT;
  if (c->common.status == CHOLMOD_OUT_OF_MEMORY || c->common.status == CHOLMOD_TOO_LARGE) reason = PC_FACTOR_OUTMEMORY;
  if (!reason && (c->common.status < CHOLMOD_OK || !c->factor)) reason = PC_FACTOR_OTHER;
  if (reason && reason != PC_FACTOR_NUMERIC_ZEROPIVOT) CHOLMOD(free_factor)(&c->factor, &c->common);
  c->ready = (PetscBool)!reason;
  PetscCall(PCSetFailedReason(pc, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPPREONLY also comes here after a failed factorisation; it reads the reason afterwards. */
static PetscErrorCode apply(PC pc, Vec from, Vec to)
{
  cholmod_pc   *c;
  const double *array;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(VecZeroEntries(to));
  if (!c->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(from, &array));
  const int     levels = wring_blas_begin();
  const size_t  n      = c->factor->n;
  cholmod_dense b      = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .xtype = CHOLMOD_REAL, .x = (void *)array};
  CHOLMOD(solve2)(CHOLMOD_A, c->factor, &b, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
  wring_blas_end(levels);
  PetscCall(VecRestoreArrayRead(from, &array));
  if (c->common.status < CHOLMOD_OK) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  double *x;
  PetscCall(VecGetArrayWrite(to, &x));
  PetscCall(PetscArraycpy(x, (const double *)c->x->x, n));
  PetscCall(VecRestoreArrayWrite(to, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy(PC pc)
{
  cholmod_pc *c;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  CHOLMOD(free_dense)(&c->x, &c->common);
  CHOLMOD(free_dense)(&c->y, &c->common);
  CHOLMOD(free_dense)(&c->e, &c->common);
  CHOLMOD(free_factor)(&c->factor, &c->common);
  CHOLMOD(finish)(&c->common);
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cholmod_pc_set(PC pc)
{
  cholmod_pc *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  wring_cholmod_start(&c->common);
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, MATSOLVERCHOLMOD));
  PetscCall(PCShellSetContext(pc, c));
  PetscCall(PCShellSetSetUp(pc, set_up));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetDestroy(pc, destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *c: the factor of a ksp whose preconditioner it is, else NULL. */
static PetscErrorCode get_own(KSP ksp, PC *pc, cholmod_pc **c)
{
  const char *name;
  PetscBool   shell, own = PETSC_FALSE;

  PetscFunctionBegin;
  *c = NULL;
  PetscCall(KSPGetPC(ksp, pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)*pc, PCSHELL, &shell));
  if (shell) {
    PetscCall(PCShellGetName(*pc, &name));
    PetscCall(PetscStrcmp(name, MATSOLVERCHOLMOD, &own));
  }
  if (own) PetscCall(PCShellGetContext(*pc, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_counts(KSP ksp, double *flops, double *entries)
{
  cholmod_pc   *c;
  MatSolverType library = "";
  PetscBool     cholesky, ready = PETSC_FALSE;
  PetscInt      numbers;
  Mat           F;
  PC            pc;

  PetscFunctionBegin;
  PetscCall(get_own(ksp, &pc, &c));
  *flops   = c ? c->common.fl : 0;
  *entries = c ? c->common.lnz : 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &cholesky));
  if (cholesky) PetscCall(PCFactorGetMatrix(pc, &F));
  if (cholesky) PetscCall(MatFactorGetSolverType(F, &library));
  PetscCall(PetscStrcmp(library, MATSOLVERMUMPS, &ready));
  if (!ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMumpsGetRinfog(F, 1, flops)); // as the analysis estimates
  PetscCall(MatMumpsGetInfog(F, 20, &numbers));
  *entries = (double)numbers * (numbers < 0 ? -1e6 : 1); // negative: millions
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_analyse(KSP ksp)
{
  cholmod_pc *c;
  Mat         A;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(get_own(ksp, &pc, &c));
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(factorize(c, A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cholmod_pc_analyses(PC pc, PetscInt *n)
{
  cholmod_pc *c;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  *n = c->analyses;
  PetscFunctionReturn(PETSC_SUCCESS);
}
