#define _POSIX_C_SOURCE 200809L
/*
  The matrices of all levels, from PETSc's smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996). Only those are
  taken from it; its smoothers are set to what costs nothing.
*/
#include "multigrid_impl.h"
#include <petscksp.h>
#include <string.h>

enum { COARSEST = 100 }; // rows below which there is no coarser level

/* Options where PETSc has no function or forgets what it was told. */
static const char *const option[][2] = {
  {"-operator_pc_gamg_esteig_ksp_type", "cg"},      {"-operator_pc_gamg_esteig_ksp_max_it", "10"},
  {"-operator_pc_gamg_aggressive_coarsening", "0"}, // at 2e5 vertices half the iterations: a third less time
  {"-operator_mg_levels_ksp_type", "richardson"},   {"-operator_mg_levels_pc_type", "none"},
};

enum { N_OPTION = sizeof option / sizeof option[0] };

/* Ours where the user has none; what was set is to be cleared, so that it is not taken for the user's. */
static PetscErrorCode set_options(PetscBool ours[N_OPTION])
{
  PetscFunctionBegin;
  for (int i = 0; i < N_OPTION; i++) {
    PetscBool given;
    PetscCall(PetscOptionsHasName(NULL, NULL, option[i][0], &given));
    ours[i] = (PetscBool)!given;
    if (!given) PetscCall(PetscOptionsSetValue(NULL, option[i][0], option[i][1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_options(const PetscBool ours[N_OPTION])
{
  PetscFunctionBegin;
  for (int i = 0; i < N_OPTION; i++)
    if (ours[i]) PetscCall(PetscOptionsClearValue(NULL, option[i][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool begins(const char *text, const char *with)
{
  return (PetscBool)!strncmp(text, with, strlen(with));
}

/* Does an option, without its dash, say how to build the hierarchy? */
static PetscBool is_of_use(const char *name, const char *value)
{
  if (!strcmp(name, "operator_pc_type")) return (PetscBool)(value && !strcmp(value, PCGAMG));
  return (PetscBool)(!strcmp(name, "operator_pc_mg_levels") || begins(name, "operator_pc_gamg_") ||
                     begins(name, "operator_gamg_"));
}

/* PETSc would take options of its smoothers and of its iteration without a word, though neither runs. */
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
      "petsc_%s: operator_type multigrid has its own iteration and smoothers, and takes petsc_operator_pc_gamg_... "
      "only; operator_type petsc takes it, with petsc_operator_pc_type",
      refused);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode from_options(PetscObject pc)
{
  return PCSetFromOptions((PC)pc);
}

static PetscErrorCode create_pc(MPI_Comm comm, PC *pc)
{
  PetscReal threshold = 0;

  PetscFunctionBegin;
  PetscCall(PCCreate(comm, pc));
  PetscCall(PCSetOptionsPrefix(*pc, "operator_"));
  PetscCall(PCSetType(*pc, PCGAMG));
  PetscCall(PCGAMGSetType(*pc, PCGAMGAGG));
  PetscCall(PCGAMGSetNSmooths(*pc, 1));
  PetscCall(PCGAMGSetThreshold(*pc, &threshold, 1));
  PetscCall(PCGAMGSetCoarseEqLim(*pc, COARSEST));
  PetscCall(wring_operator_read_options((PetscObject)*pc, from_options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc lists the coarsest first: turned round, and behind the finest matrix. */
static PetscErrorCode take(PC pc, Mat fine, int *n_level, Mat **A, Mat **P)
{
  PetscInt n, n_P;
  Mat     *coarse, *interpolation;

  PetscFunctionBegin;
  PetscCall(PCGetCoarseOperators(pc, &n, &coarse));
  PetscCall(PCGetInterpolations(pc, &n_P, &interpolation));
  PetscCall(PetscMalloc2(n, A, n, P));
  PetscCall(PetscObjectReference((PetscObject)fine));
  (*A)[0]     = fine;
  (*P)[n - 1] = NULL;
  for (PetscInt i = 0; i + 1 < n; i++) {
    (*A)[i + 1] = coarse[n - 2 - i];
    (*P)[i]     = interpolation[n - 2 - i];
  }
  PetscCall(PetscFree(coarse));
  PetscCall(PetscFree(interpolation));
  *n_level = (int)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a matrix only the options are read. */
static PetscErrorCode build(MPI_Comm comm, Mat fine, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(create_pc(comm, pc));
  if (!fine) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetOperators(*pc, fine, fine));
  PetscCall(PCSetUp(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_with_options(MPI_Comm comm, Mat fine, PC *pc)
{
  PetscBool ours[N_OPTION];

  PetscFunctionBegin;
  PetscCall(refuse_unusable(comm));
  PetscCall(set_options(ours));
  const PetscErrorCode code = build(comm, fine, pc);
  PetscCall(clear_options(ours)); // also after a refusal
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_try_options(MPI_Comm comm)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(build_with_options(comm, NULL, &pc));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc would make a level below a matrix of any size. */
static PetscErrorCode take_fine(Mat fine, int *n_level, Mat **A, Mat **P)
{
  PetscFunctionBegin;
  *n_level = 1;
  PetscCall(PetscCalloc2(1, A, 1, P));
  PetscCall(PetscObjectReference((PetscObject)fine));
  (*A)[0] = fine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_create(MPI_Comm comm, Mat fine, int *n_level, Mat **A, Mat **P)
{
  PetscInt n;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(MatGetSize(fine, &n, NULL));
  if (n <= COARSEST) {
    PetscCall(take_fine(fine, n_level, A, P));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(build_with_options(comm, fine, &pc));
  PetscCall(take(pc, fine, n_level, A, P));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_destroy(int n_level, Mat **A, Mat **P)
{
  PetscFunctionBegin;
  for (int i = 0; i < n_level; i++) {
    PetscCall(MatDestroy(&(*A)[i]));
    PetscCall(MatDestroy(&(*P)[i]));
  }
  PetscCall(PetscFree2(*A, *P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the same interpolation, new values -------------------------------------------------------------------------- */

/* P of level l as it came from PETSc: without the scales, in global numbers. */
static PetscErrorCode restore_interpolation(MPI_Comm comm, const wring_level *l, const wring_level *coarse, Mat *P)
{
  const size_t n_entry = (size_t)l->P.start[l->n];
  PetscInt     first   = 0, *column;
  float       *ghost;
  double      *value;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&l->n_coarse, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscMalloc3(n_entry, &column, n_entry, &value, l->n_coarse_ghost, &ghost));
  if (l->coarse_halo) {
    PetscCall(PetscSFBcastBegin(l->coarse_halo, MPI_FLOAT, coarse->scale, ghost, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(l->coarse_halo, MPI_FLOAT, coarse->scale, ghost, MPI_REPLACE));
  }
  for (PetscInt i = 0; i < l->n; i++) {
    for (PetscInt k = l->P.start[i]; k < l->P.start[i + 1]; k++) {
      const PetscInt j = l->P.column[k], g = j - l->n_coarse;
      const double   own = l->scale[i] * (double)l->P.value[k];
      column[k]          = g < 0 ? first + j : l->coarse_global[g];
      value[k]           = own / (g < 0 ? coarse->scale[j] : ghost[g]);
    }
  }
  PetscCall(MatCreate(comm, P));
  PetscCall(MatSetSizes(*P, l->n, l->n_coarse, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*P, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*P, l->P.start, column, value));
  PetscCall(MatMPIAIJSetPreallocationCSR(*P, l->P.start, column, value));
  PetscCall(PetscFree3(column, value, ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_renew(MPI_Comm comm, Mat fine, const wring_cycle *c, Mat **A, Mat **P)
{
  const double fill = 2; // entries of P^T A P by those of its factors, a guess that PETSc corrects
  const int    last = c->n_level - 1;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(c->n_level, A, c->n_level, P));
  PetscCall(PetscObjectReference((PetscObject)fine));
  (*A)[0] = fine;
  for (int i = 0; i < last; i++) {
    PetscCall(restore_interpolation(comm, &c->level[i], &c->level[i + 1], &(*P)[i]));
    PetscCall(MatPtAP((*A)[i], (*P)[i], MAT_INITIAL_MATRIX, fill, &(*A)[i + 1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
