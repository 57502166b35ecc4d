/*
  The Hessian from which L-BFGS starts [Liu et al. 2017, section 5]. Constant matrices are factored once, and again when
  the potential has changed (h, or a term switched off). Like the set-up of A, this does not count as time of a solve.

  Warping: vertex i is rotated by R_i, the rotation closest to the sum of w_e F_e over its tetrahedra at x_0, 1 if some
  of its components are held, and
    H_0 q = R H_rest^{-1} R^T q,   R = diag(R_i)                                  [Mueller et al. 2002]
  which is symmetric and positive definite for any rotations.
*/
#include "initial.h"
#include "base/block3.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_inner(const wring_solver *s, const wring_options *o, const char *prefix,
                                  const wring_initial *H)
{
  PetscFunctionBegin;
  if (H->steps && H->kind == WRING_INITIAL_IDENTITY)
    WRING_REFUSE(s->comm,
                 "%s: inner cg has nothing to solve with initial_hessian identity, expected another initial_hessian",
                 wring_options_origin(o, prefix, "inner"));
  if (!H->steps && wring_options_has(o, prefix, "inner_preconditioner"))
    WRING_REFUSE(s->comm, "%s: inner_preconditioner applies to inner cg only, expected inner cg",
                 wring_options_origin(o, prefix, "inner_preconditioner"));
  if (!H->steps && wring_options_has(o, prefix, "inner_max_it"))
    WRING_REFUSE(s->comm, "%s: inner_max_it applies to inner cg only, expected inner cg",
                 wring_options_origin(o, prefix, "inner_max_it"));
  if (H->kind == WRING_INITIAL_OPERATOR && H->preconditioner > WRING_INNER_ICHOLESKY)
    WRING_REFUSE(s->comm, "%s: expected none|jacobi|icholesky with initial_hessian operator",
                 wring_options_origin(o, prefix, "inner_preconditioner"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_initial_set_from_options(wring_solver *s, const wring_options *o, const char *prefix,
                                              wring_initial *H)
{
  static const PCType            pcs[]   = {PCNONE, PCJACOBI, PCICC, PCICC, PCICC};
  static const wring_linear_type types[] = {WRING_LINEAR_AUTO, WRING_LINEAR_DIRECT, WRING_LINEAR_MULTIGRID,
                                            WRING_LINEAR_JACOBI}; // of operator.type
  int                            type;

  PetscFunctionBegin;
  PetscCall(check_inner(s, o, prefix, H));
  H->revision      = -1;
  H->system.prefix = "qn_";
  H->system.pc     = pcs[H->preconditioner];
  H->system.type   = WRING_LINEAR_STEPS;
  if (!H->steps) {
    PetscCall(wring_options_get_choice(o, "operator_", wring_operator_options, "type", &type));
    PetscCall(wring_options_get_real(o, "operator_", wring_operator_options, "rtol", &H->system.rtol));
    H->system.type = types[type];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Whether it solves its own system, not the operator's. */
static PetscBool needs_system(const wring_initial *H)
{
  return (PetscBool)(H->kind >= WRING_INITIAL_REST || (H->kind == WRING_INITIAL_OPERATOR && H->steps));
}

PetscErrorCode wring_initial_set_up(wring_solver *s, wring_initial *H)
{
  const wring_mesh *m = wring_potential_mesh(s->g);
  double           *rest;

  PetscFunctionBegin;
  if (H->kind < WRING_INITIAL_REST) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_require(s->g, WRING_CAN_HESSIAN, "solver", s->ops->name, "initial_hessian operator"));
  PetscCall(wring_potential_create_vec(s->g, &H->rest));
  PetscCall(VecGetArrayWrite(H->rest, &rest));
  wring_copy(s->n, m->X, rest);
  PetscCall(VecRestoreArrayWrite(H->rest, &rest));
  if (H->kind != WRING_INITIAL_WARPED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(3 * (size_t)s->n, &H->R));
  PetscCall(VecDuplicate(H->rest, &H->turned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts A of a component in the rows and columns of this component. */
static PetscErrorCode insert_component(Mat A, int c, Mat P)
{
  PetscInt           begin, end, n;
  const PetscInt    *column;
  const PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatGetRow(A, i, &n, &column, &value));
    for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(P, 3 * i + c, 3 * column[k] + c, value[k], INSERT_VALUES));
    PetscCall(MatRestoreRow(A, i, &n, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A with three rows per vertex, with the pattern of A of x in all of them. */
static PetscErrorCode make_wide_operator(wring_solver *s, Mat *P)
{
  Mat A[3] = {NULL, NULL, NULL}, thrice;

  PetscFunctionBegin;
  PetscCall(MatDestroy(P));
  PetscCall(wring_potential_operator_matrices(s->g, 1, A));
  PetscCall(MatCreateMAIJ(A[0], 3, &thrice));
  PetscCall(MatConvert(thrice, MATAIJ, MAT_INITIAL_MATRIX, P));
  PetscCall(MatDestroy(&thrice));
  PetscCall(MatSetBlockSize(*P, 3));
  for (int c = 1; c < 3; c++) PetscCall(insert_component(A[c], c, *P));
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*P, MAT_SPD, PETSC_TRUE));
  PetscCall(wring_matrices_destroy(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A as the system's matrix: with one row per vertex if it is the same for x, y and z. */
static PetscErrorCode make_own_operator(wring_solver *s, wring_linear *l)
{
  const PetscBool wide = wring_potential_holds_components(s->g);
  PetscInt        rows = wide ? 3 : 1;

  PetscFunctionBegin;
  if (l->A) PetscCall(MatGetBlockSize(l->A, &rows));
  if (rows != (wide ? 3 : 1)) PetscCall(wring_linear_destroy(l)); // an attachment was released
  if (wide)
    PetscCall(make_wide_operator(s, &l->A));
  else
    PetscCall(wring_potential_operator_matrix(s->g, 1, &l->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices that do not depend on x: A or H at rest, and the matrix of the preconditioner. */
static PetscErrorCode make_matrices(wring_solver *s, wring_initial *H)
{
  PetscFunctionBegin;
  if (H->preconditioner == WRING_INNER_ICHOLESKY_OPERATOR) PetscCall(make_wide_operator(s, &H->system.P));
  if (H->preconditioner == WRING_INNER_ICHOLESKY_REST)
    PetscCall(wring_potential_hessian_without_contacts(s->g, H->rest, &H->system.P));
  if (H->kind == WRING_INITIAL_FRAME) PetscFunctionReturn(PETSC_SUCCESS);
  if (H->kind == WRING_INITIAL_OPERATOR)
    PetscCall(make_own_operator(s, &H->system));
  else
    PetscCall(wring_potential_hessian_without_contacts(s->g, H->rest, &H->system.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_initial_predict(wring_solver *s, wring_initial *H, Vec x, double *bytes)
{
  PetscFunctionBegin;
  if (!needs_system(H)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_matrices(s, H));
  if (H->kind == WRING_INITIAL_FRAME) PetscCall(wring_potential_hessian_without_contacts(s->g, x, &H->system.A));
  PetscCall(wring_linear_predict(s, &H->system, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rotations --------------------------------------------------------------------------------------------------- */

/*
  The rotation closest to each of the n matrices of R; the identity for 0, the matrix of a vertex without tetrahedra.
*/
static void closest_rotations(PetscInt n, double *R)
{
  WRING_ALIGNED double block[9][WRING_LANES];
  for (PetscInt first = 0; first < n; first += WRING_LANES) {
    const int lanes = (int)PetscMin(n - first, WRING_LANES);
    for (int l = 0; l < WRING_LANES; l++) {
      const double *from = R + 9 * (first + PetscMin(l, lanes - 1));
      double        size = 0;
      for (int k = 0; k < 9; k++) size += PetscAbsReal(from[k]);
      for (int k = 0; k < 9; k++) block[k][l] = size > 0 ? from[k] / size : k % 4 == 0;
    }
    wring_block3_rotation((wring_in)block, block);
    for (int l = 0; l < lanes; l++) {
      for (int k = 0; k < 9; k++) R[9 * (first + l) + k] = block[k][l];
    }
  }
}

/* The identity at vertices that are held in some of their components: a rotation would mix those with the free ones. */
static void unturn_held(const wring_solver *s, double *R)
{
  const char *const mark = wring_potential_held_marks(s->g);
  if (!mark) return;
  for (PetscInt i = 0; i < s->n / 3; i++) {
    if (!mark[i] || mark[i] == WRING_XYZ) continue;
    for (int k = 0; k < 9; k++) R[9 * i + k] = k % 4 == 0;
  }
}

/* v_i <- R_i v_i, or v_i <- R_i^T v_i. */
static PetscErrorCode turn(const wring_solver *s, const wring_initial *H, PetscBool transpose, Vec v)
{
  const int row = transpose ? 1 : 3, column = transpose ? 3 : 1;
  double   *va;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &va));
  for (PetscInt i = 0; i < s->n; i += 3) {
    const double *const R     = H->R + 3 * i;
    const double        at[3] = {va[i], va[i + 1], va[i + 2]};
    for (int r = 0; r < 3; r++)
      va[i + r] = R[row * r] * at[0] + R[row * r + column] * at[1] + R[row * r + 2 * column] * at[2];
  }
  PetscCall(VecRestoreArray(v, &va));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that misses its tolerance still gives a direction; a missing factor or a failed library gives none. */
static PetscErrorCode solve_system(wring_solver *s, wring_linear *l, Vec q, Vec d)
{
  PetscFunctionBegin;
  PetscCall(wring_linear_solve(s, l, q, d));
  if (wring_failed(&l->refusal)) WRING_REFUSE(s->comm, "%s", l->refusal.text);
  if (l->end == WRING_SOLVE_NOT_FINITE || (l->end == WRING_SOLVE_SINGULAR && l->type == WRING_LINEAR_DIRECT)) {
    PetscCall(VecZeroEntries(d));
    wring_solver_end(s, WRING_STOPPED_SINGULAR);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_initial_begin(wring_solver *s, wring_initial *H, Vec x)
{
  const PetscInt revision = wring_potential_revision(s->g);
  wring_linear  *l        = &H->system;

  PetscFunctionBegin;
  if (!needs_system(H)) PetscFunctionReturn(PETSC_SUCCESS);
  if (H->revision != revision) {
    wring_solver_begin_setup(s);
    PetscCall(make_matrices(s, H));
    if (H->kind != WRING_INITIAL_FRAME) PetscCall(wring_linear_set_up(s, l, H->rest));
    H->revision = revision;
    wring_solver_end_setup(s);
  }
  if (H->kind == WRING_INITIAL_FRAME) {
    PetscCall(wring_potential_hessian_without_contacts(s->g, x, &l->A));
    PetscCall(wring_linear_set_up(s, l, x));
  }
  if (H->kind == WRING_INITIAL_WARPED) {
    PetscCall(wring_potential_deformation(s->g, x, H->R));
    closest_rotations(s->n / 3, H->R);
    unturn_held(s, H->R);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_initial_solve(wring_solver *s, wring_initial *H, Vec q, Vec d)
{
  PetscFunctionBegin;
  if (H->kind == WRING_INITIAL_IDENTITY) {
    PetscCall(VecCopy(q, d));
  } else if (!needs_system(H)) {
    PetscCall(wring_solver_apply_inverse(s, q, d));
  } else if (H->kind == WRING_INITIAL_WARPED) {
    PetscCall(VecCopy(q, H->turned));
    PetscCall(turn(s, H, PETSC_TRUE, H->turned));
    PetscCall(solve_system(s, &H->system, H->turned, d));
    PetscCall(turn(s, H, PETSC_FALSE, d));
  } else {
    PetscCall(solve_system(s, &H->system, q, d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_initial_destroy(wring_initial *H)
{
  PetscFunctionBegin;
  PetscCall(wring_linear_destroy(&H->system));
  PetscCall(VecDestroy(&H->rest));
  PetscCall(VecDestroy(&H->turned));
  PetscCall(PetscFree(H->R));
  PetscFunctionReturn(PETSC_SUCCESS);
}
