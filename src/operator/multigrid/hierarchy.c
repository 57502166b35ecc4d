#define _POSIX_C_SOURCE 200809L
/*
  The matrices of all levels, from PETSc's smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996). PETSc's
  cycle is not used; its smoothers are set to the cheapest.
*/
#include "hierarchy.h"
#include "galerkin/galerkin.h"
#include "operator/operator_impl.h"
#include <math.h>
#include <petscksp.h>
#include <string.h>

enum { COARSEST = 100, COARSEST_WIDE = 40 }; // no coarser level below this number of rows

/* Options that PETSc cannot set by a function, or whose value set by a function it loses. */
static const char *const option[][2] = {
  {"-operator_pc_gamg_esteig_ksp_type", "cg"},
  {"-operator_pc_gamg_esteig_ksp_max_it", "10"},
  {"-operator_mg_levels_ksp_type", "richardson"},
  {"-operator_mg_levels_pc_type", "none"},
  {"-mat_product_clear", "true"}, // drops the factors of P^T A P as soon as it is computed: a seventh of a run's memory
  {"-operator_pc_gamg_aggressive_coarsening", "0"}, // at 2e5 vertices half the iterations: a third less time; wide: 1
};

enum { N_OPTION = sizeof option / sizeof option[0] };

static PetscBool begins(const char *text, const char *with)
{
  return (PetscBool)!strncmp(text, with, strlen(with));
}

/* Whether an option, without its dash, controls how the hierarchy is built. */
static PetscBool is_of_use(const char *name, const char *value)
{
  if (!strcmp(name, "operator_pc_type")) return (PetscBool)(value && !strcmp(value, PCGAMG));
  return (PetscBool)(!strcmp(name, "operator_pc_mg_levels") || begins(name, "operator_pc_gamg_") ||
                     begins(name, "operator_gamg_"));
}

/* PETSc accepts options of its smoothers and of its iteration, though neither runs. */
static PetscErrorCode refuse_unusable(MPI_Comm comm)
{
  char *all, *name = NULL;
  char  refused[128] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (char *word = strtok_r(all, " \n", &name); word && !refused[0];) {
    char *next = strtok_r(NULL, " \n", &name);
    if (begins(word, "-operator_") && !is_of_use(word + 1, next)) PetscCall(PetscStrncpy(refused, word + 1, 128));
    word = next;
  }
  PetscCall(PetscFree(all));
  if (refused[0])
    WRING_REFUSE(
      comm,
      "petsc_%s: operator_type multigrid has its own iteration and smoothers and accepts petsc_operator_pc_gamg_... "
      "only; operator_type petsc, with petsc_operator_pc_type, accepts this option",
      refused);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode from_options(PetscObject pc)
{
  return PCSetFromOptions((PC)pc);
}

static PetscErrorCode create_pc(MPI_Comm comm, PetscBool wide, PC *pc)
{
  PetscReal threshold = 0;

  PetscFunctionBegin;
  PetscCall(PCCreate(comm, pc));
  PetscCall(PCSetOptionsPrefix(*pc, "operator_"));
  PetscCall(PCSetType(*pc, PCGAMG));
  PetscCall(PCGAMGSetType(*pc, PCGAMGAGG));
  PetscCall(PCGAMGSetNSmooths(*pc, 1));
  PetscCall(PCGAMGSetThreshold(*pc, &threshold, 1));
  PetscCall(PCGAMGSetCoarseEqLim(*pc, wide ? COARSEST_WIDE : COARSEST));
  PetscCall(wring_operator_read_options((PetscObject)*pc, from_options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode allocate(Mat fine, int n_level, wring_hierarchy *h)
{
  PetscFunctionBegin;
  h->n_level = n_level;
  PetscCall(PetscCalloc2(n_level, &h->A, n_level, &h->P));
  PetscCall(PetscObjectReference((PetscObject)fine));
  h->A[0] = fine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc lists the coarsest level first and omits the finest. */
static PetscErrorCode take(PC pc, Mat fine, wring_hierarchy *h)
{
  PetscInt n, n_P;
  Mat     *coarse, *interpolation;

  PetscFunctionBegin;
  PetscCall(PCGetCoarseOperators(pc, &n, &coarse));
  PetscCall(PCGetInterpolations(pc, &n_P, &interpolation));
  PetscCall(allocate(fine, (int)n, h));
  for (PetscInt i = 0; i + 1 < n; i++) {
    h->A[i + 1] = coarse[n - 2 - i];
    h->P[i]     = interpolation[n - 2 - i];
  }
  PetscCall(PetscFree(coarse));
  PetscCall(PetscFree(interpolation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a matrix, only reads the options. */
static PetscErrorCode build(MPI_Comm comm, Mat fine, PetscBool wide, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(create_pc(comm, wide, pc));
  if (!fine) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_galerkin_use(fine));
  PetscCall(PCSetOperators(*pc, fine, fine));
  PetscCall(PCSetUp(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With our options, unless the user has given them. They are cleared afterwards, else the next operator would take them
  for the user's.
*/
static PetscErrorCode build_with_options(MPI_Comm comm, Mat fine, PetscBool wide, PC *pc)
{
  PetscBool given[N_OPTION];

  PetscFunctionBegin;
  PetscCall(refuse_unusable(comm));
  for (int i = 0; i < N_OPTION; i++) {
    PetscCall(PetscOptionsHasName(NULL, NULL, option[i][0], &given[i]));
    const char *const value = wide && i == N_OPTION - 1 ? "1" : option[i][1];
    if (!given[i]) PetscCall(PetscOptionsSetValue(NULL, option[i][0], value));
  }
  const PetscErrorCode code = build(comm, fine, wide, pc);
  for (int i = 0; i < N_OPTION; i++)
    if (!given[i]) PetscCall(PetscOptionsClearValue(NULL, option[i][0])); // also after a refusal
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- few ranks --------------------------------------------------------------------------------------------------- */

/*
  Coarse levels are moved to few ranks, where their exchanges would take longer than their rows. The numbers of rows
  stay, only their owners change. docs/theory.md 4.1
*/

/* The ranks that share a level with so many entries. */
static PetscInt count_ranks(double entries, const wring_gathering *g, const wring_hosts *h)
{
  const double each = (double)g->rank_entries;
  return entries <= WRING_ONE_RANK * each ? 1 : (PetscInt)PetscMin(round(entries / each), h->first);
}

/* The rows of a level that this rank will own. */
static PetscErrorCode create_rows(Mat A, PetscBool move, const wring_gathering *g, const wring_hosts *h, IS *rows)
{
  PetscInt n, first, end;
  MatInfo  info;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  if (move) {
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
    const PetscInt ranks = count_ranks(info.nz_used, g, h), mine = h->with_first ? PetscMin(h->rank, ranks) : ranks;
    first = (PetscInt)((PetscInt64)n * mine / ranks);
    end   = (PetscInt)((PetscInt64)n * PetscMin(mine + 1, ranks) / ranks);
  }
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)A), end - first, first, 1, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode replace(Mat *A, IS rows, IS columns)
{
  Mat moved;

  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrix(*A, rows, columns, MAT_INITIAL_MATRIX, &moved));
  PetscCall(MatDestroy(A));
  *A = moved;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves the levels that `move` [n_level] names, with the interpolations from and to them. */
static PetscErrorCode move_levels(wring_hierarchy *h, const PetscBool *move, const wring_gathering *g,
                                  const wring_hosts *hosts)
{
  IS *rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)h->n_level, &rows));
  for (int i = 0; i < h->n_level; i++) PetscCall(create_rows(h->A[i], move[i], g, hosts, &rows[i]));
  for (int i = 0; i < h->n_level; i++) {
    if (move[i]) PetscCall(replace(&h->A[i], rows[i], rows[i]));
    if (i + 1 < h->n_level && (move[i] || move[i + 1])) PetscCall(replace(&h->P[i], rows[i], rows[i + 1]));
  }
  for (int i = 0; i < h->n_level; i++) PetscCall(ISDestroy(&rows[i]));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather(MPI_Comm comm, const wring_gathering *g, wring_hierarchy *h)
{
  wring_hosts hosts;
  PetscMPIInt size;
  PetscInt    n;
  PetscBool  *move, any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1 || g->node_rows == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)h->n_level, &move));
  for (int i = 1; i < h->n_level; i++) { // the finest level is A itself
    PetscCall(MatGetSize(h->A[i], &n, NULL));
    move[i] = (PetscBool)(n <= g->node_rows);
    any     = (PetscBool)(any || move[i]);
  }
  if (any) {
    PetscCall(wring_hosts_find(comm, g->ranks_each, &hosts));
    PetscCall(move_levels(h, move, g, &hosts));
  }
  PetscCall(PetscFree(move));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- front ------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_hierarchy_try_options(MPI_Comm comm)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(build_with_options(comm, NULL, PETSC_FALSE, &pc));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_create(MPI_Comm comm, Mat fine, PetscBool wide, const wring_gathering *g,
                                      wring_hierarchy *h)
{
  PetscInt n;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(MatGetSize(fine, &n, NULL));
  if (n <= COARSEST) { // PETSc would coarsen a matrix of any size
    PetscCall(allocate(fine, 1, h));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(build_with_options(comm, fine, wide, &pc));
  PetscCall(take(pc, fine, h));
  PetscCall(PCDestroy(&pc));
  PetscCall(gather(comm, g, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_destroy(wring_hierarchy *h)
{
  PetscFunctionBegin;
  for (int i = 0; i < h->n_level; i++) {
    PetscCall(MatDestroy(&h->A[i]));
    PetscCall(MatDestroy(&h->P[i]));
  }
  PetscCall(PetscFree2(h->A, h->P));
  PetscFunctionReturn(PETSC_SUCCESS);
}
