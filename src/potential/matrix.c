/*
  Matrices of vertices that share elements, and H, as PETSc matrices. Each rank sums its own elements in the rows of its
  local vertices and adds these rows to the matrix; PETSc's assembly sends the rows of ghosts to their owners.
*/
#include "potential_impl.h"
#include "base/count.h"

/*
  Entries per owned row in the diagonal and off-diagonal part; ghost rows count fully in both parts of their owner's
  row.
*/
static PetscErrorCode count_entries(const wring_mesh *m, const wring_pattern *p, PetscInt *diagonal, PetscInt *off)
{
  PetscInt *extra;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->n_local, &extra));
  for (PetscInt i = m->n_owned; i < m->n_local; i++) extra[i] = p->start[i + 1] - p->start[i];
  PetscCall(PetscSFReduceBegin(m->forest.halo, MPIU_INT, extra, extra, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->forest.halo, MPIU_INT, extra, extra, MPI_SUM));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    PetscInt ghosts = 0;
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++) ghosts += p->column[k] >= m->n_owned;
    diagonal[i] = PetscMin(p->start[i + 1] - p->start[i] - ghosts + extra[i], m->n_owned);
    off[i]      = PetscMin(ghosts + extra[i], m->number.n_global - m->n_owned);
  }
  PetscCall(PetscFree(extra));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An empty AIJ matrix with bs rows per vertex; more [n_owned], unless NULL: entries of each row in addition to p. */
static PetscErrorCode create_matrix(const wring_mesh *m, const wring_pattern *p, PetscInt bs, const PetscInt *more,
                                    Mat *A)
{
  PetscInt *diagonal, *off;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->n_owned, &diagonal, m->n_owned, &off));
  PetscCall(count_entries(m, p, diagonal, off));
  for (PetscInt i = 0; more && i < m->n_owned; i++) {
    diagonal[i] = PetscMin(diagonal[i] + more[i], m->n_owned);
    off[i]      = PetscMin(off[i] + more[i], m->number.n_global - m->n_owned);
  }
  PetscCall(MatCreate(m->comm, A));
  PetscCall(MatSetSizes(*A, bs * m->n_owned, bs * m->n_owned, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatXAIJSetPreallocation(*A, bs, diagonal, off, NULL, NULL));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(PetscFree2(diagonal, off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the local rows to A; value [nnz][bs][bs]. */
static PetscErrorCode add_rows(const wring_mesh *m, const wring_pattern *p, int bs, const double *value, Mat A)
{
  PetscInt *column, longest = 1;
  double   *row; // [bs][n * bs], as MatSetValuesBlocked reads it

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->n; i++) longest = PetscMax(longest, p->start[i + 1] - p->start[i]);
  PetscCall(PetscMalloc2(longest, &column, bs * bs * longest, &row));
  for (PetscInt i = 0; i < p->n; i++) {
    const PetscInt n = p->start[i + 1] - p->start[i];
    for (PetscInt k = 0; k < n; k++) {
      column[k]           = m->number.global[p->column[p->start[i] + k]];
      const double *block = value + (size_t)(p->start[i] + k) * bs * bs;
      for (int c = 0; c < bs * bs; c++) row[(c / bs) * n * bs + k * bs + c % bs] = block[c];
    }
    PetscCall(MatSetValuesBlocked(A, 1, &m->number.global[i], n, column, row, ADD_VALUES));
  }
  PetscCall(PetscFree2(column, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds factor a [n_owned] to the diagonals of the blocks [bs][bs] of owned vertices. */
static void add_diagonal(PetscInt n_owned, double factor, const double *a, const wring_pattern *p, int bs,
                         double *value)
{
  for (PetscInt i = 0; i < n_owned; i++) {
    double *block = value + (size_t)wring_pattern_find(p, i, i) * bs * bs;
    for (int c = 0; c < bs; c++) block[c * bs + c] += factor * a[i];
  }
}

void wring_matrix_add_mass(const wring_potential *g, const wring_pattern *p, int bs, double *value)
{
  add_diagonal(g->mesh->n_owned, wring_potential_inertia_factor(g), g->mass, p, bs, value);
}

/*
  On one rank, a matrix that has been filled before and has as many entries as p has the pattern of p: its values are
  replaced in place. *done: whether this was possible.
*/
static PetscErrorCode replace(const wring_pattern *p, int bs, const double *value, Mat A, PetscBool *done)
{
  PetscBool sequential, assembled;
  MatInfo   info;
  double   *to;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &sequential));
  PetscCall(MatAssembled(A, &assembled));
  if (!sequential || !assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  if (info.nz_used != (double)bs * bs * (double)p->start[p->n]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJGetArray(A, &to));
  wring_pattern_copy_rows(p, bs, value, to);
  PetscCall(MatSeqAIJRestoreArray(A, &to));
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_matrix_fill(const wring_mesh *m, const wring_pattern *p, int bs, const double *value, Mat *A)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  if (*A) PetscCall(replace(p, bs, value, *A, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (*A)
    PetscCall(MatZeroEntries(*A));
  else
    PetscCall(create_matrix(m, p, bs, NULL, A));
  PetscCall(add_rows(m, p, bs, value, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* Adds the blocks of contacts at owned vertices. */
static PetscErrorCode add_contacts(wring_potential *g, const double *x, const wring_pattern *p, double *value)
{
  const PetscInt n = g->mesh->n_owned;
  double        *diagonal;

  PetscFunctionBegin;
  if (g->n_contact == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)9 * n, &diagonal));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add_hessian(g->contact[i], x, diagonal));
  for (PetscInt i = 0; i < n; i++) {
    double *block = value + 9 * (size_t)wring_pattern_find(p, i, i);
    for (int c = 0; c < 9; c++) block[c] += diagonal[9 * i + c];
  }
  PetscCall(PetscFree(diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Creates H anew with room for the contacts that couple vertices, if there are any: these change from one H to the next.
*/
static PetscErrorCode make_room(wring_potential *g, const double *xa, Mat *H)
{
  PetscBool joined = PETSC_FALSE;
  PetscInt *more;

  PetscFunctionBegin;
  if (g->n_contact == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(g->mesh->n_owned, &more));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_count_blocks(g->contact[i], xa, more, &joined));
  if (joined) {
    PetscCall(MatDestroy(H));
    PetscCall(create_matrix(g->mesh, g->pattern, 3, more, H));
  }
  PetscCall(PetscFree(more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_scatter(wring_potential *g)
{
  wring_error error = {""};

  PetscFunctionBegin;
  if (g->scatter) PetscFunctionReturn(PETSC_SUCCESS);
  wring_count_fits(g->pattern->start[g->pattern->n], 9, "Hessian on one rank", "blocks", &error);
  PetscCall(wring_error_raise(g->comm, &error));
  PetscCall(PetscMalloc1(9 * (size_t)g->pattern->start[g->pattern->n], &g->block));
  PetscCall(PetscCalloc1(g->n_term, &g->scatter));
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_scatter_create(g->term[i], g->pattern, &g->scatter[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums M/h^2, the ridge and the terms in g->block. */
static PetscErrorCode collect_blocks(wring_potential *g, wring_filtering which, const double *xa)
{
  PetscFunctionBegin;
  if (!g->pattern) PetscCall(wring_pattern_create(g->mesh->n_local, g->n_term, g->term, &g->pattern));
  PetscCall(make_scatter(g));
  wring_fill(9 * g->pattern->start[g->pattern->n], 0, g->block);
  for (int i = 0; i < g->n_term; i++)
    wring_term_add_hessian(g->term[i], which, xa, g->scatter[i], g->pattern, g->block);
  wring_matrix_add_mass(g, g->pattern, 3, g->block);
  if (g->ridge) add_diagonal(g->mesh->n_owned, 1, g->ridge, g->pattern, 3, g->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hessian(wring_potential *g, Vec x, wring_filtering which, PetscBool contacts, Mat *H)
{
  const wring_phase old   = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const PetscBool   means = wring_potential_has_means(g);
  Mat *const        E     = means ? &g->elements : H; // without the part of patches
  const double     *xa;

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_HESSIANS, 1);
  PetscCall(wring_potential_get_local(g, x, &xa));
  if (means && g->n_contact > 0) PetscCall(MatDestroy(H)); // its pattern may change
  PetscCall(wring_potential_find_means(g, xa));
  PetscCall(collect_blocks(g, which, xa));
  if (contacts) PetscCall(add_contacts(g, xa, g->pattern, g->block));
  wring_potential_eliminate_blocks(g, g->pattern, g->block);
  wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  if (contacts) PetscCall(make_room(g, xa, E));
  PetscCall(wring_matrix_fill(g->mesh, g->pattern, 3, g->block, E));
  for (int i = 0; contacts && i < g->n_contact; i++)
    PetscCall(wring_contact_add_blocks(g->contact[i], xa, g->held.mark, *E));
  if (means) PetscCall(wring_matrix_assemble(*E, PETSC_FALSE));
  if (means) PetscCall(wring_potential_add_means(g, which.filter, xa, *E, H));
  PetscCall(wring_potential_restore_local(g, x, &xa));
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
  PetscCall(wring_potential_restore_local(g, grad, &ga));
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

PetscErrorCode wring_potential_hessian_without_contacts(wring_potential *g, Vec x, wring_filter filter, Mat *H)
{
  PetscFunctionBegin;
  PetscCall(hessian(g, x, (wring_filtering){.filter = filter}, PETSC_FALSE, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}
