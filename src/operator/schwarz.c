/*
  Additive Schwarz on two levels: z = sum_p R_p^T (R_p H R_p^T)^{-1} R_p r + P (P^T H P)^{-1} P^T r. R_p takes the
  vertices of a part; the columns of P move one part rigidly. In the preconditioner of Wu, Wang and Wang [2022] parts
  have 32 vertices, columns of P translate them, and P^T H P is treated in the same way. An overlap, of PETSc's options,
  saves no iterations here: docs/results.md. docs/theory.md (5.50)
*/
#include "schwarz.h"
#include <math.h>

enum { PART = 64 };                           // vertices, about
static const double local_bytes = 24;         // per entry of H, measured on boxes
static const char   prefix[]    = "schwarz_"; // of PETSc's options

typedef struct {
  PC            local;  // the parts
  PetscObjectId matrix; // of H, for which all else was made; 0: none
  PetscInt      n_part; // of this rank
  PetscInt     *part;   // [n] of each vertex of this rank
  Vec           at;     // [n][3] m, borrowed for the next set-up
  Mat           P, coarse;
  KSP           ksp; // of coarse
  Vec           b, x;
} schwarz;

static PetscErrorCode forget(schwarz *s)
{
  PetscFunctionBegin;
  s->matrix = 0;
  PetscCall(PCDestroy(&s->local));
  PetscCall(PetscFree(s->part));
  PetscCall(MatDestroy(&s->P));
  PetscCall(MatDestroy(&s->coarse));
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc)
{
  schwarz *s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(forget(s));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Cuts the vertices of this rank, without those of others. */
static PetscErrorCode cut(Mat H, schwarz *s, IS **of)
{
  PetscInt        n, first, rows;
  const PetscInt *row;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(H, &n, NULL));
  PetscCall(MatGetOwnershipRange(H, &first, NULL));
  PetscCall(PetscMalloc1(n / 3, &s->part));
  s->n_part = PetscMin(n, PetscMax(1, n / (3 * PART)));
  if (s->n_part == 0) PetscCall(PetscMalloc1(1, of)); // a rank without vertices
  if (s->n_part == 0) PetscCall(ISCreateStride(PETSC_COMM_SELF, 0, 0, 1, *of));
  if (s->n_part > 0) PetscCall(PCASMCreateSubdomains(H, s->n_part, of));
  for (PetscInt p = 0; p < s->n_part; p++) {
    PetscCall(ISGetLocalSize((*of)[p], &rows));
    PetscCall(ISGetIndices((*of)[p], &row));
    for (PetscInt i = 0; i < rows; i++) s->part[(row[i] - first) / 3] = p;
    PetscCall(ISRestoreIndices((*of)[p], &row));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_local(PC pc, Mat H, schwarz *s)
{
  IS *of;

  PetscFunctionBegin;
  PetscCall(cut(H, s, &of));
  const PetscInt n = PetscMax(1, s->n_part);
  PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &s->local));
  PetscCall(PCSetOptionsPrefix(s->local, prefix));
  PetscCall(PCSetType(s->local, PCASM));
  PetscCall(PCASMSetType(s->local, PC_ASM_BASIC)); // symmetric
  PetscCall(PCASMSetLocalSubdomains(s->local, n, of, NULL));
  PetscCall(PCASMSetOverlap(s->local, 0));
  PetscCall(PCSetFromOptions(s->local));
  PetscCall(PCASMDestroySubdomains(n, of, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of the parts in the place of PETSc's incomplete ones, before their first set-up. */
static PetscErrorCode set_factors(schwarz *s)
{
  PetscInt n;
  KSP     *ksp;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(PCASMGetSubKSP(s->local, &n, NULL, &ksp));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(KSPSetType(ksp[i], KSPPREONLY));
    PetscCall(KSPGetPC(ksp[i], &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the coarse space -------------------------------------------------------------------------------------------- */

static PetscErrorCode create_coarse(PC pc, Mat H, schwarz *s)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)pc);
  PetscInt       n;
  KSP            inner;
  PC             redundant;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(H, &n, NULL));
  PetscCall(MatCreateAIJ(comm, n, 6 * s->n_part, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 0, NULL, &s->P));
  PetscCall(MatCreateVecs(s->P, &s->x, NULL));
  PetscCall(VecDuplicate(s->x, &s->b));
  PetscCall(KSPCreate(comm, &s->ksp));
  PetscCall(KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(s->ksp, &redundant));
  PetscCall(PCSetType(redundant, PCREDUNDANT)); // every rank solves all of it
  PetscCall(PCRedundantGetKSP(redundant, &inner));
  PetscCall(KSPGetPC(inner, &redundant));
  PetscCall(PCSetType(redundant, PCCHOLESKY));
  PetscCall(PCFactorSetShiftType(redundant, MAT_SHIFT_POSITIVE_DEFINITE)); // a part may have too few vertices to turn
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether H couples row i to others: not so for held coordinates. */
static PetscErrorCode is_coupled(Mat H, PetscInt i, PetscBool *yes)
{
  PetscInt           n;
  const PetscInt    *at;
  const PetscScalar *a;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  PetscCall(MatGetRow(H, i, &n, &at, &a));
  for (PetscInt k = 0; k < n; k++)
    if (at[k] != i && a[k] != 0) *yes = PETSC_TRUE;
  PetscCall(MatRestoreRow(H, i, &n, &at, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The centres of the parts and the mean distance of their vertices from these, [n_part][4]. */
static PetscErrorCode find_centres(const schwarz *s, PetscInt n, const double *x, double **centre)
{
  double *c, *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(4 * s->n_part, centre));
  PetscCall(PetscCalloc1(s->n_part, &count));
  c = *centre;
  for (PetscInt i = 0; i < n; i++) {
    count[s->part[i]]++;
    for (int k = 0; k < 3; k++) c[4 * s->part[i] + k] += x[3 * i + k];
  }
  for (PetscInt p = 0; p < s->n_part; p++)
    for (int k = 0; k < 3; k++) c[4 * p + k] /= fmax(count[p], 1);
  for (PetscInt i = 0; i < n; i++) {
    const double *o = c + 4 * s->part[i], d[3] = {x[3 * i] - o[0], x[3 * i + 1] - o[1], x[3 * i + 2] - o[2]};
    c[4 * s->part[i] + 3] += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / count[s->part[i]];
  }
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P: [I, -[(x - c)/S]_x] in the columns of a vertex's part, 0 in rows of held coordinates. */
static PetscErrorCode fill_coarse(Mat H, schwarz *s)
{
  PetscInt      first, column, n, at[4];
  const double *x;
  double       *centre;
  PetscBool     coupled;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(H, &first, NULL));
  PetscCall(MatGetOwnershipRangeColumn(s->P, &column, NULL));
  PetscCall(MatGetLocalSize(H, &n, NULL));
  PetscCall(VecGetArrayRead(s->at, &x));
  PetscCall(find_centres(s, n / 3, x, &centre));
  for (PetscInt i = 0; i < n; i++) {
    const int      k = (int)(i % 3), l = (k + 1) % 3, m = (k + 2) % 3;
    const PetscInt p = s->part[i / 3];
    const double  *c = centre + 4 * p, *v = x + i - k, S = c[3] > 0 ? c[3] : 1;
    PetscCall(is_coupled(H, first + i, &coupled));
    // displacement k of a rotation phi: phi_l d_m - phi_m d_l
    const double value[3] = {1, (v[m] - c[m]) / S, (c[l] - v[l]) / S}, held[3] = {0};
    at[0] = column + 6 * p + k, at[1] = column + 6 * p + 3 + l, at[2] = column + 6 * p + 3 + m;
    at[3] = first + i;
    PetscCall(MatSetValues(s->P, 1, &at[3], 3, at, coupled ? value : held, INSERT_VALUES));
  }
  PetscCall(VecRestoreArrayRead(s->at, &x));
  PetscCall(PetscFree(centre));
  PetscCall(MatAssemblyBegin(s->P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P^T H P, with 1 on the diagonal of parts that are held. */
static PetscErrorCode form_coarse(Mat H, schwarz *s)
{
  PetscScalar *d;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(fill_coarse(H, s));
  PetscCall(MatPtAP(H, s->P, s->coarse ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->coarse));
  PetscCall(MatGetDiagonal(s->coarse, s->b));
  PetscCall(VecGetLocalSize(s->b, &n));
  PetscCall(VecGetArray(s->b, &d));
  for (PetscInt i = 0; i < n; i++) d[i] = d[i] == 0;
  PetscCall(VecRestoreArray(s->b, &d));
  PetscCall(MatDiagonalSet(s->coarse, s->b, ADD_VALUES));
  PetscCall(KSPSetOperators(s->ksp, s->coarse, s->coarse));
  PetscCall(KSPSetUp(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the preconditioner ------------------------------------------------------------------------------------------ */

static PetscErrorCode set_up(PC pc)
{
  schwarz      *s;
  Mat           H;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(PCGetOperators(pc, NULL, &H));
  PetscCall(PetscObjectGetId((PetscObject)H, &id));
  const PetscBool other = (PetscBool)(s->matrix != id);
  if (other) {
    PetscCall(forget(s));
    PetscCall(create_local(pc, H, s));
    PetscCall(create_coarse(pc, H, s));
    s->matrix = id;
  }
  PetscCall(PCSetOperators(s->local, H, H));
  PetscCall(PCSetUp(s->local));
  if (other) PetscCall(set_factors(s));
  PetscCall(PCSetUpOnBlocks(s->local));
  PetscCall(form_coarse(H, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(PC pc, Vec r, Vec z)
{
  schwarz *s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(PCApply(s->local, r, z));
  PetscCall(MatMultTranspose(s->P, r, s->b));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(MatMultAdd(s->P, s->x, z, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_schwarz_pc_set(PC pc)
{
  schwarz *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, "additive Schwarz"));
  PetscCall(PCShellSetContext(pc, s));
  PetscCall(PCShellSetSetUp(pc, set_up));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetDestroy(pc, destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_schwarz_pc_place(PC pc, Vec x)
{
  schwarz *s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  if (s) s->at = x; // options of PETSc may have replaced pc
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_schwarz_pc_predict(Mat H, double *bytes)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(H, MAT_LOCAL, &info));
  *bytes = local_bytes * info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}
