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

/* a [n_owned] is added to the diagonals of the diagonal blocks, times factor. */
static void add_to_blocks(double factor, const double *a, const wring_block_values *v)
{
  for (PetscInt i = 0; i < v->n_owned; i++)
    for (int c = 0; c < 9; c += 4) v->value[9 * (size_t)v->upper[i] + c] += factor * a[i];
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/*
  The order of g->couplings, the blocks of contacts in the rows of this rank. Where some rank has one without a place in
  the pattern of elements, all those between two vertices come first: the rest of H is semidefinite without them, but
  may not be without some.
*/
typedef struct {
  PetscInt  n_first; // 0 unless joined
  PetscBool joined;
} couplings;

PetscErrorCode wring_potential_list_contacts(wring_potential *g, const double *xa, wring_couplings *list)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_CONTACT);

  PetscFunctionBegin;
  for (int i = 0; i < g->n_contact; i++)
    PetscCall(wring_contact_list_blocks(g->contact[i], xa, wring_potential_held_marks(g), list));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_couplings(wring_potential *g, const double *xa, couplings *c)
{
  wring_couplings *const list   = &g->couplings;
  PetscBool              single = PETSC_TRUE; // no contact couples vertices

  PetscFunctionBegin;
  for (int i = 0; i < g->n_contact; i++) single = (PetscBool)(single && wring_contact_is_single(g->contact[i]));
  PetscCall(wring_potential_list_contacts(g, xa, list));
  if (single) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < list->n && !c->joined; e++)
    c->joined = (PetscBool)!wring_block_rows_have(g->rows, list->at[e].row, list->at[e].column);
  wring_count(g->phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &c->joined, 1, WRING_MPI_BOOL, MPI_LOR, g->comm));
  for (PetscInt e = 0; e < list->n && c->joined; e++) {
    const wring_coupling one = list->at[e];
    if (one.column == g->mesh->number.begin + one.row) continue;
    list->at[e]            = list->at[c->n_first];
    list->at[c->n_first++] = one;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *H, of blocks if it is, else AIJ, is E, of blocks, with the first couplings. */
static PetscErrorCode add_joined(const wring_potential *g, const couplings *c, Mat E, Mat *H)
{
  wring_block_values *from, *mine = NULL, v = {.value = NULL};
  wring_block_rows   *wider;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_blocks(E, &from));
  if (*H) PetscCall(wring_potential_get_blocks(*H, &mine));
  PetscCall(wring_block_rows_widen(g->rows, c->n_first, g->couplings.at, &wider));
  PetscCall(wring_block_rows_check(wider));
  if (mine) PetscCall(wring_block_matrix_give_rows(*H, wider, E));
  wring_block_values *const to = mine ? mine : &v;
  PetscCall(wring_block_rows_begin(wider, to));
  wring_block_rows_copy(g->rows, from, wider, to);
  for (PetscInt e = 0; e < c->n_first; e++) wring_block_rows_add(wider, to, g->couplings.at + e);
  if (!mine) {
    PetscCall(wring_block_rows_convert(wider, to, H));
    PetscCall(wring_block_rows_destroy(&wider));
    PetscCall(PetscFree(v.value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

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

/* v: M/h^2, the ridge, the terms, and contacts but for the first couplings. */
static PetscErrorCode sum_blocks(wring_potential *g, wring_filtering which, const double *xa, const couplings *c,
                                 wring_block_values *v)
{
  PetscFunctionBegin;
  if (!g->scatter) PetscCall(wring_block_rows_check(g->rows));
  PetscCall(wring_block_rows_begin(g->rows, v));
  PetscCall(make_scatter(g, v));
  for (int i = 0; i < g->n_term; i++) wring_term_add_hessian(g->term[i], which, xa, g->scatter[i], v->value);
  add_to_blocks(wring_potential_inertia_factor(g), g->mass, v);
  if (g->ridge) add_to_blocks(1, g->ridge, v);
  wring_potential_eliminate_blocks(g, g->pattern, v);
  wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  PetscCall(wring_block_rows_end(g->rows, v));
  for (PetscInt e = c->n_first; e < g->couplings.n; e++) wring_block_rows_add(g->rows, v, g->couplings.at + e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same as *E, of blocks if it is, else AIJ. */
static PetscErrorCode collect_blocks(wring_potential *g, wring_filtering which, const double *xa, const couplings *c,
                                     Mat *E)
{
  wring_block_values *mine = NULL, v = {.value = NULL};

  PetscFunctionBegin;
  if (*E) PetscCall(wring_potential_get_blocks(*E, &mine));
  if (mine) PetscCall(wring_block_matrix_set_rows(*E, g->rows));
  PetscCall(sum_blocks(g, which, xa, c, mine ? mine : &v));
  if (!mine) PetscCall(wring_block_rows_convert(g->rows, &v, E));
  PetscCall(PetscFree(v.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Elements and contacts, which may couple other vertices than elements do: *H, of blocks if it is, else AIJ, with the
  pattern of elements unless *joined.
*/
static PetscErrorCode collect(wring_potential *g, wring_filtering which, const double *xa, PetscBool contacts, Mat *H,
                              PetscBool *joined)
{
  couplings c = {.n_first = 0};

  PetscFunctionBegin;
  PetscCall(wring_potential_make_pattern(g));
  g->couplings.n = 0;
  if (contacts) PetscCall(find_couplings(g, xa, &c));
  if (c.joined) PetscCall(wring_block_matrix_create(g->mesh, &g->inner));
  PetscCall(collect_blocks(g, which, xa, &c, c.joined ? &g->inner : H));
  if (c.joined) PetscCall(add_joined(g, &c, g->inner, H));
  *joined = c.joined;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same and, with means, their part, which has more entries. */
static PetscErrorCode fill_hessian(wring_potential *g, wring_filtering which, const double *xa, PetscBool contacts,
                                   Mat *H)
{
  const PetscBool means  = wring_potential_has_means(g);
  PetscBool       joined = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(collect(g, which, xa, contacts, means ? &g->elements : H, &joined));
  if (!means) PetscFunctionReturn(PETSC_SUCCESS);
  if (joined) PetscCall(MatDestroy(H)); // its pattern changes
  PetscCall(wring_matrix_assemble(g->elements, PETSC_FALSE));
  PetscCall(wring_potential_add_means(g, which.thin ? WRING_FILTER_NONE : which.filter, xa, g->elements, H));
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
  for (int i = 0; i < g->n_term && which.pressed; i++) wring_term_take_pressures(g->term[i]);
  PetscCall(fill_hessian(g, which, xa, contacts, H));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(wring_matrix_assemble(*H, (PetscBool)(which.filter && !which.marks && !which.thin)));
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

PetscErrorCode wring_potential_hessian_with(wring_potential *g, Vec x, const wring_hessian_choice *how, Mat *H)
{
  char *marks = NULL;

  PetscFunctionBegin;
  if (how->grad) {
    PetscCall(PetscMalloc1(g->mesh->n_local, &marks));
    PetscCall(mark_above(g, how->grad, how->threshold, marks));
  }
  PetscCall(hessian(g, x, (wring_filtering){how->filter, marks, how->pressed, how->thin}, PETSC_TRUE, H));
  PetscCall(PetscFree(marks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_potential_volume_ratio(const wring_potential *g)
{
  double ratio = 0;
  for (int i = 0; i < g->n_term; i++) ratio = PetscMax(ratio, wring_term_volume_ratio(g->term[i]));
  return ratio;
}

PetscErrorCode wring_potential_find_pressures(wring_potential *g, Vec x, Vec d)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const double     *xa, *da = NULL;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  if (d) PetscCall(wring_potential_get_local(g, d, &da));
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_find_pressures(g->term[i], g->phases, xa, da));
  if (d) PetscCall(VecRestoreArrayRead(d, &da));
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hessian_without_contacts(wring_potential *g, Vec x, Mat *H)
{
  PetscFunctionBegin;
  PetscCall(hessian(g, x, (wring_filtering){.filter = WRING_FILTER_CLAMP}, PETSC_FALSE, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}
