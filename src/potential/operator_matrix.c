/*
  A as PETSc matrices, one for each component. Where only the time step or drag has changed since a matrix was made, its
  diagonal alone is set again.
*/
#include "potential_impl.h"
#include <petsc/private/petscimpl.h> // PetscObjectStateGet

/* ---- matrices of components -------------------------------------------------------------------------------------- */

PetscErrorCode wring_matrices_destroy(Mat A[3])
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) PetscCall(MatDestroy(&A[c]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A of a component from the values of the local rows, in which its held vertices are eliminated. */
static PetscErrorCode fill_component(wring_potential *g, const wring_pattern *p, int component, double *value, Mat *A)
{
  PetscFunctionBegin;
  wring_potential_eliminate(g, p, component, value);
  PetscCall(wring_potential_make_rows(g, p));
  PetscCall(wring_block_rows_fill(g->rows, p, value, A));
  PetscCall(wring_matrix_assemble(*A, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[c] becomes a reference to the matrix of an earlier component, or a matrix of its own. */
static PetscErrorCode share_or_part(const wring_held *held, int c, Mat A[3])
{
  PetscBool shared = PETSC_FALSE;

  PetscFunctionBegin;
  for (int i = 0; i < c; i++) shared = (PetscBool)(shared || A[i] == A[c]);
  if (held->like[c] < c) {
    PetscCall(PetscObjectReference((PetscObject)A[held->like[c]]));
    PetscCall(MatDestroy(&A[c]));
    A[c] = A[held->like[c]];
  } else if (shared) {
    PetscCall(MatDestroy(&A[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A of all components; overwrites value. */
static PetscErrorCode fill_all(wring_potential *g, const wring_pattern *p, double *value, Mat A[3])
{
  const wring_held *const held = &g->held;
  const PetscInt          n    = p->start[p->n];
  double                 *copy = NULL;

  PetscFunctionBegin;
  if (wring_potential_holds_components(g)) PetscCall(PetscMalloc1(n, &copy));
  for (int c = 0; c < 3; c++) {
    PetscCall(share_or_part(held, c, A));
    if (held->like[c] < c) continue;
    if (copy) PetscCall(PetscArraycpy(copy, value, n));
    PetscCall(fill_component(g, p, c, copy ? copy : value, &A[c]));
  }
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a matrix that was made before ------------------------------------------------------------------------------- */

/* Whether A [n] are as they were set last, and only the inertia can have changed since then. */
static PetscErrorCode find_made(const wring_potential *g, int n, double factor, const Mat *A, PetscBool *same)
{
  PetscFunctionBegin;
  *same = (PetscBool)!g->is_static;
  for (int c = 0; c < n && *same; c++) {
    const wring_made *const made  = &g->made[g->held.like[c]];
    PetscObjectId           id    = 0;
    PetscObjectState        state = 0;
    if (A[c]) PetscCall(PetscObjectGetId((PetscObject)A[c], &id));
    if (A[c]) PetscCall(PetscObjectStateGet((PetscObject)A[c], &state));
    *same = (PetscBool)(A[c] && made->id == id && made->state == state && made->factor == factor &&
                        made->stiffness == g->stiffness);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal of A, of a component: that without inertia and m_i/h^2. */
static PetscErrorCode set_inertia(wring_potential *g, int component, Mat A)
{
  const double      factor = wring_potential_inertia_factor(g);
  const PetscInt    n      = g->mesh->n_owned;
  wring_made *const made   = &g->made[component];
  Vec               diagonal;
  double           *d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(VecGetArrayWrite(diagonal, &d));
  for (PetscInt i = 0; i < n; i++) d[i] = made->diagonal[i] + factor * g->mass[i];
  PetscCall(VecRestoreArrayWrite(diagonal, &d));
  PetscCall(MatDiagonalSet(A, diagonal, INSERT_VALUES));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(PetscObjectStateGet((PetscObject)A, &made->state));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps the diagonal of A, which has no inertia yet. A held vertex has nothing else on its diagonal. */
static PetscErrorCode keep(wring_potential *g, int component, double factor, Mat A)
{
  const char *const mark = wring_potential_held_marks(g);
  wring_made *const made = &g->made[component];
  Vec               diagonal;
  const double     *d;

  PetscFunctionBegin;
  if (!made->diagonal) PetscCall(PetscMalloc1((size_t)g->mesh->n_owned, &made->diagonal));
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecGetArrayRead(diagonal, &d));
  for (PetscInt i = 0; i < g->mesh->n_owned; i++) made->diagonal[i] = mark && mark[i] >> component & 1 ? 0 : d[i];
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(PetscObjectGetId((PetscObject)A, &made->id));
  made->factor    = factor;
  made->stiffness = g->stiffness;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* A of n components from the local rows of the terms, which it destroys. In statics the inertia is added to these. */
static PetscErrorCode fill(wring_potential *g, int n, double factor, wring_pattern *p, double *value, Mat *A)
{
  PetscFunctionBegin;
  if (g->is_static) wring_matrix_add_mass(g, p, value);
  if (n == 1)
    PetscCall(fill_component(g, p, 0, value, A));
  else
    PetscCall(fill_all(g, p, value, A));
  PetscCall(PetscFree(value));
  PetscCall(wring_pattern_destroy(&p));
  if (!g->pattern) PetscCall(wring_block_rows_destroy(&g->rows));
  if (g->is_static) PetscFunctionReturn(PETSC_SUCCESS);
  for (int c = 0; c < n; c++) {
    if (g->held.like[c] < c) continue;
    PetscCall(keep(g, c, factor, A[c]));
    PetscCall(set_inertia(g, c, A[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A of all components, or of the first one if n is 1, from the terms. */
static PetscErrorCode make(wring_potential *g, int n, double factor, Mat *A)
{
  wring_pattern *p;
  double        *value;

  PetscFunctionBegin;
  PetscCall(wring_laplacian_create(g->comm, g->mesh->n_local, g->n_term, g->term, factor, &p, &value));
  PetscCall(fill(g, n, factor, p, value, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_or_renew(wring_potential *g, int n, double factor, Mat *A)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(find_made(g, n, factor, A, &same));
  if (!same) PetscCall(make(g, n, factor, A));
  for (int c = 0; same && c < n; c++)
    if (g->held.like[c] == c) PetscCall(set_inertia(g, c, A[c]));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_operator_matrices(wring_potential *g, double factor, Mat A[3])
{
  PetscFunctionBegin;
  PetscCall(make_or_renew(g, 3, factor, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_operator_matrix(wring_potential *g, double factor, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(make_or_renew(g, 1, factor, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f = -L d of this rank's elements; both local arrays. */
static void multiply(const wring_pattern *p, const double *value, const double *d, double *f)
{
  for (PetscInt i = 0; i < p->n; i++) {
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++)
      for (int c = 0; c < 3; c++) f[3 * i + c] -= value[k] * d[3 * p->column[k] + c];
  }
}

PetscErrorCode wring_potential_continue(wring_potential *g, Vec d, Vec r, Mat A[3])
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  wring_pattern    *p;
  const double     *da;
  double           *value, *f;

  PetscFunctionBegin;
  PetscCall(wring_laplacian_create(g->comm, g->mesh->n_local, g->n_term, g->term, 1, &p, &value));
  PetscCall(wring_potential_get_local(g, d, &da));
  PetscCall(VecGetArrayWrite(r, &f));
  PetscCall(PetscArrayzero(f, 3 * g->mesh->n_local));
  multiply(p, value, da, f);
  PetscCall(wring_potential_sum_ghosts(g, f));
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(d, &da));
  PetscCall(wring_potential_clear(g, r));
  PetscCall(fill(g, 3, 1, p, value, A));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_potential_add_contact_components(wring_potential *g, Vec x, const Mat A[3])
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  const double     *xa;
  wring_couplings   list = {.n = 0};

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(wring_potential_list_contacts(g, xa, &list));
  PetscCall(VecRestoreArrayRead(x, &xa));
  for (PetscInt e = 0; e < list.n; e++) {
    const wring_coupling *const one = list.at + e;
    const PetscInt              row = g->mesh->number.begin + one->row;
    for (int c = 0; c < 3; c++) PetscCall(MatSetValue(A[c], row, one->column, one->block[4 * c], ADD_VALUES));
  }
  PetscCall(PetscFree(list.at));
  for (int c = 0; c < 3; c++) PetscCall(MatAssemblyBegin(A[c], MAT_FINAL_ASSEMBLY));
  for (int c = 0; c < 3; c++) PetscCall(MatAssemblyEnd(A[c], MAT_FINAL_ASSEMBLY));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_potential_graph(wring_potential *g, Mat *A)
{
  double *zero;

  PetscFunctionBegin;
  PetscCall(wring_potential_make_pattern(g));
  PetscCall(PetscCalloc1(g->pattern->start[g->pattern->n], &zero));
  PetscCall(wring_block_rows_fill(g->rows, g->pattern, zero, A));
  PetscCall(wring_matrix_assemble(*A, PETSC_TRUE));
  PetscCall(PetscFree(zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator at x ------------------------------------------------------------------------------------------- */

PetscErrorCode wring_potential_mean_matrices(wring_potential *g, Vec x, PetscBool pressed, double factor, Mat A[3])
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  const double     *xa;
  double           *value;

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_HESSIANS, 1);
  PetscCall(wring_potential_make_pattern(g));
  PetscCall(PetscCalloc1(g->pattern->start[g->pattern->n], &value));
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(wring_potential_find_means(g, xa));
  for (int i = 0; i < g->n_term && pressed; i++) wring_term_take_pressures(g->term[i]);
  for (int i = 0; i < g->n_term; i++) wring_term_add_mean_hessian(g->term[i], pressed, factor, xa, g->pattern, value);
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_matrix_add_mass(g, g->pattern, value);
  PetscCall(fill_all(g, g->pattern, value, A));
  PetscCall(PetscFree(value));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
