/*
  A as PETSc matrices, one for each component. Where only the time step or drag has changed since a matrix was made, its
  diagonal alone is set again.
*/
#include "potential_impl.h"
#include <string.h>

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
  PetscCall(wring_matrix_fill(g->mesh, p, 1, value, A));
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

/* Of what A depends on except inertia, for each component. */
static void find_keys(const wring_potential *g, double factor, uint64_t key[3])
{
  const char *const mark = wring_potential_held_marks(g);
  key[0] = key[1] = key[2] = wring_laplacian_key(g->n_term, g->term, factor);
  for (PetscInt i = 0; mark && i < g->mesh->n_local; i++)
    for (int c = 0; c < 3; c++)
      if (mark[i] >> c & 1) key[c] += wring_mix((uint64_t)i + 1);
}

static uint64_t hash(PetscInt n, const double *x)
{
  uint64_t sum = 0, bits;
  for (PetscInt i = 0; i < n; i++) {
    memcpy(&bits, &x[i], sizeof bits);
    sum += wring_mix(wring_mix((uint64_t)i) ^ bits);
  }
  return sum;
}

/* Whether a matrix was made with this key and is A. Not collective. */
static PetscErrorCode was_made(const wring_made *made, uint64_t key, Mat A, PetscBool *was)
{
  PetscObjectId id = 0;

  PetscFunctionBegin;
  if (A) PetscCall(PetscObjectGetId((PetscObject)A, &id));
  *was = (PetscBool)(A && made->diagonal && made->key == key && made->id == id);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether A still has the diagonal that was set last, on this rank. Collective. */
static PetscErrorCode has_diagonal(const wring_made *made, Mat A, PetscBool *has)
{
  Vec           diagonal;
  const double *d;
  PetscInt      n;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCall(VecGetArrayRead(diagonal, &d));
  *has = (PetscBool)(hash(n, d) == made->set);
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode agree(const wring_potential *g, PetscBool *all)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 1, WRING_MPI_BOOL, MPI_LAND, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether A [n] are as they were made and only the inertia can have changed. Collective. */
static PetscErrorCode find_made(const wring_potential *g, int n, Mat *A, const uint64_t key[3], PetscBool *same)
{
  const int *const like = g->held.like;
  PetscBool        one  = PETSC_FALSE; // or else gcc warns when it measures coverage

  PetscFunctionBegin;
  *same = (PetscBool)!g->is_static;
  for (int c = 0; c < n; c++) {
    PetscCall(was_made(&g->made[like[c]], key[c], A[c], &one));
    *same = (PetscBool)(*same && one);
  }
  PetscCall(agree(g, same));
  if (!*same) PetscFunctionReturn(PETSC_SUCCESS);
  for (int c = 0; c < n; c++) {
    PetscCall(has_diagonal(&g->made[like[c]], A[c], &one));
    *same = (PetscBool)(*same && one);
  }
  PetscCall(agree(g, same));
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
  made->set = hash(n, d);
  PetscCall(VecRestoreArrayWrite(diagonal, &d));
  PetscCall(MatDiagonalSet(A, diagonal, INSERT_VALUES));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps the diagonal of A, which has no inertia yet. A held vertex has nothing else on its diagonal. */
static PetscErrorCode keep(wring_potential *g, int component, uint64_t key, Mat A)
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
  made->key = key;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* A of all components, or of the first one if n is 1, from the terms. In statics the inertia is part of the values. */
static PetscErrorCode make(wring_potential *g, int n, double factor, const uint64_t key[3], Mat *A)
{
  wring_pattern *p;
  double        *value;

  PetscFunctionBegin;
  PetscCall(wring_laplacian_create(g->mesh->n_local, g->n_term, g->term, factor, &p, &value));
  if (g->is_static) wring_matrix_add_mass(g, p, 1, value);
  if (n == 1)
    PetscCall(fill_component(g, p, 0, value, A));
  else
    PetscCall(fill_all(g, p, value, A));
  PetscCall(PetscFree(value));
  PetscCall(wring_pattern_destroy(&p));
  for (int c = 0; c < n && !g->is_static; c++) {
    if (g->held.like[c] < c) continue;
    PetscCall(keep(g, c, key[c], A[c]));
    PetscCall(set_inertia(g, c, A[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_or_renew(wring_potential *g, int n, double factor, Mat *A)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  uint64_t          key[3];
  PetscBool         same;

  PetscFunctionBegin;
  find_keys(g, factor, key);
  PetscCall(find_made(g, n, A, key, &same));
  if (!same) PetscCall(make(g, n, factor, key, A));
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

PetscErrorCode wring_potential_continue(wring_potential *g, Vec d, Vec r)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  wring_pattern    *p;
  const double     *da;
  double           *value, *f;

  PetscFunctionBegin;
  PetscCall(wring_laplacian_create(g->mesh->n_local, g->n_term, g->term, 1, &p, &value));
  PetscCall(wring_potential_get_local(g, d, &da));
  PetscCall(VecGetArrayWrite(r, &f));
  PetscCall(PetscArrayzero(f, 3 * g->mesh->n_local));
  multiply(p, value, da, f);
  PetscCall(wring_potential_sum_ghosts(g, f));
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(wring_potential_restore_local(g, d, &da));
  PetscCall(wring_potential_clear(g, r));
  PetscCall(PetscFree(value));
  PetscCall(wring_pattern_destroy(&p));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator at x ------------------------------------------------------------------------------------------- */

PetscErrorCode wring_potential_mean_matrices(wring_potential *g, Vec x, double factor, Mat A[3])
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  const double     *xa;
  double           *value;

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_HESSIANS, 1);
  if (!g->pattern) PetscCall(wring_pattern_create(g->mesh->n_local, g->n_term, g->term, &g->pattern));
  PetscCall(PetscCalloc1(g->pattern->start[g->pattern->n], &value));
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(wring_potential_find_means(g, xa));
  for (int i = 0; i < g->n_term; i++) wring_term_add_mean_hessian(g->term[i], factor, xa, g->pattern, value);
  PetscCall(wring_potential_restore_local(g, x, &xa));
  wring_matrix_add_mass(g, g->pattern, 1, value);
  PetscCall(fill_all(g, g->pattern, value, A));
  PetscCall(PetscFree(value));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
