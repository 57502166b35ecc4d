/*
  Matrices of vertices that share elements, and H, as PETSc matrices. Each rank sums its own elements in the rows of its
  local vertices, those of owned ones in the matrix itself (rows.c).
*/
#include "potential_impl.h"

PetscErrorCode wring_potential_make_rows(wring_potential *g, const wring_pattern *p)
{
  PetscFunctionBegin;
  if (!g->tag) PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &g->tag));
  if (!g->rows) PetscCall(wring_block_rows_create(g->mesh, p, g->tag, &g->rows));
  PetscCheck(g->rows->n_entry == p->start[p->n], PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The pattern of the terms has changed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_matrix_add_mass(const wring_potential *g, const wring_pattern *p, double *value)
{
  const double factor = wring_potential_inertia_factor(g);
  for (PetscInt i = 0; i < g->mesh->n_owned; i++) value[wring_pattern_find(p, i, i)] += factor * g->mass[i];
}

/* Assembly resets what PETSc knows about the values. */
PetscErrorCode wring_matrix_assemble(Mat A, PetscBool definite)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SPD, definite));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

/* a [n_owned] is added to the diagonals of the diagonal blocks, times factor. */
static void add_to_blocks(double factor, const double *a, const wring_block_values *v)
{
  for (PetscInt i = 0; i < v->n_owned; i++)
    for (int c = 0; c < 9; c += 4) v->value[9 * (size_t)v->upper[i] + c] += factor * a[i];
}

/* Adds contacts that couple no vertices. */
static PetscErrorCode add_contacts(wring_potential *g, const double *x, const wring_block_values *v)
{
  const PetscInt n = g->mesh->n_owned;
  double        *diagonal;

  PetscFunctionBegin;
  if (g->n_contact == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)9 * n, &diagonal));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add_diagonal(g->contact[i], x, diagonal));
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 9; c++) v->value[9 * (size_t)v->upper[i] + c] += diagonal[9 * i + c];
  PetscCall(PetscFree(diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Contacts that couple vertices change from one H to the next: *H is created anew from the rest of it, E, with room for
  them.
*/
static PetscErrorCode add_joined(wring_potential *g, const double *xa, const PetscInt *more, Mat E, Mat *H)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(H));
  PetscCall(wring_block_rows_copy(g->rows, more, E, H));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add_blocks(g->contact[i], xa, g->held.mark, *H, NULL));
  PetscCall(wring_matrix_assemble(*H, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_scatter(wring_potential *g, const wring_block_values *v)
{
  PetscFunctionBegin;
  if (g->scatter) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(g->n_term, &g->scatter));
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_scatter_create(g->term[i], g->pattern, v, &g->scatter[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_make_pattern(wring_potential *g)
{
  PetscFunctionBegin;
  if (g->pattern) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_pattern_create(g->comm, g->mesh->n_local, g->n_term, g->term, &g->pattern));
  PetscCall(wring_potential_make_rows(g, g->pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v: M/h^2, the ridge, the terms and, if they couple no vertices, contacts. */
static PetscErrorCode sum_blocks(wring_potential *g, wring_filtering which, const double *xa, PetscBool contacts,
                                 wring_block_values *v)
{
  PetscFunctionBegin;
  if (!g->scatter) PetscCall(wring_block_rows_check(g->rows));
  PetscCall(wring_block_rows_begin(g->rows, v));
  PetscCall(make_scatter(g, v));
  for (int i = 0; i < g->n_term; i++) wring_term_add_hessian(g->term[i], which, xa, g->scatter[i], v->value);
  add_to_blocks(wring_potential_inertia_factor(g), g->mass, v);
  if (g->ridge) add_to_blocks(1, g->ridge, v);
  if (contacts) PetscCall(add_contacts(g, xa, v));
  wring_potential_eliminate_blocks(g, g->pattern, v);
  wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  PetscCall(wring_block_rows_end(g->rows, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same as *E, of blocks if it is, else AIJ. */
static PetscErrorCode collect_blocks(wring_potential *g, wring_filtering which, const double *xa, PetscBool contacts,
                                     Mat *E)
{
  wring_block_values *mine = NULL, v = {.value = NULL};

  PetscFunctionBegin;
  PetscCall(wring_potential_make_pattern(g));
  if (*E) PetscCall(wring_potential_get_blocks(*E, &mine));
  if (mine) PetscCall(wring_block_matrix_set_rows(*E, g->rows));
  PetscCall(sum_blocks(g, which, xa, contacts, mine ? mine : &v));
  if (!mine) PetscCall(wring_block_rows_convert(g->rows, &v, E));
  PetscCall(PetscFree(v.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  more [n_owned] blocks of contacts that couple vertices, freed by the caller; *most corners of a pair on any rank, 0:
  all contacts are 0 at x.
*/
static PetscErrorCode count_joined(wring_potential *g, const double *xa, PetscInt **more, int *most)
{
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  *most = 0;
  PetscCall(PetscCalloc1(g->mesh->n_owned, more));
  for (int i = 0; i < g->n_contact; i++) {
    if (wring_contact_is_single(g->contact[i])) {
      *most = PetscMax(*most, 1);
      continue;
    }
    PetscCall(wring_contact_count_blocks(g->contact[i], xa, *more, most));
    any = PETSC_TRUE;
  }
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  wring_count(g->phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_INT, MPI_MAX, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of elements; then contacts, which have more entries if they couple vertices, then means, which have more. */
static PetscErrorCode fill_hessian(wring_potential *g, wring_filtering which, const double *xa, PetscBool contacts,
                                   Mat *H)
{
  const PetscBool means = wring_potential_has_means(g);
  PetscInt       *more  = NULL;
  Mat             with  = NULL;
  int             most  = 0;

  PetscFunctionBegin;
  if (contacts && g->n_contact > 0) PetscCall(count_joined(g, xa, &more, &most));
  const PetscBool joined = (PetscBool)(most > 1);
  if (means && joined) PetscCall(MatDestroy(H)); // its pattern changes
  Mat *const E = means || joined ? &g->elements : H;
  PetscCall(collect_blocks(g, which, xa, (PetscBool)(most == 1), E));
  if (means || joined) PetscCall(wring_matrix_assemble(*E, PETSC_FALSE));
  if (joined) PetscCall(add_joined(g, xa, more, *E, means ? &with : H));
  if (means) PetscCall(wring_potential_add_means(g, which.filter, xa, joined ? with : *E, H));
  PetscCall(MatDestroy(&with));
  PetscCall(PetscFree(more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hessian(wring_potential *g, Vec x, wring_filtering which, PetscBool contacts, Mat *H)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const double     *xa;

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_HESSIANS, 1);
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(wring_potential_find_means(g, xa));
  PetscCall(fill_hessian(g, which, xa, contacts, H));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(wring_matrix_assemble(*H, (PetscBool)(which.filter && !which.marks)));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hessian(wring_potential *g, Vec x, wring_filter filter, Mat *H)
{
  PetscFunctionBegin;
  PetscCall(hessian(g, x, (wring_filtering){.filter = filter}, PETSC_TRUE, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* marks [n_local] the vertices where a component of grad exceeds the threshold. */
static PetscErrorCode mark_above(wring_potential *g, Vec grad, double threshold, char *marks)
{
  const double *ga;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, grad, &ga));
  for (PetscInt i = 0; i < g->mesh->n_local; i++) {
    marks[i] = 0;
    for (int c = 0; c < 3; c++) marks[i] = (char)(marks[i] | (PetscAbsReal(ga[3 * i + c]) > threshold));
  }
  PetscCall(VecRestoreArrayRead(grad, &ga));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hessian_above(wring_potential *g, Vec x, wring_filter filter, Vec grad, double threshold,
                                             Mat *H)
{
  char *marks;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(g->mesh->n_local, &marks));
  PetscCall(mark_above(g, grad, threshold, marks));
  PetscCall(hessian(g, x, (wring_filtering){.filter = filter, .marks = marks}, PETSC_TRUE, H));
  PetscCall(PetscFree(marks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hessian_without_contacts(wring_potential *g, Vec x, Mat *H)
{
  PetscFunctionBegin;
  PetscCall(hessian(g, x, (wring_filtering){.filter = WRING_FILTER_CLAMP}, PETSC_FALSE, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}
