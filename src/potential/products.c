/* The Hessian without a matrix: diagonal blocks, and products with two directions. docs/theory.md (5.32), (5.33) */
#include "potential_impl.h"

/* Sends the ghosts' rows of block [n_local][6] to their owners: as [n_local][3] twice. */
static PetscErrorCode sum_ghost_blocks(wring_potential *g, double *block)
{
  const PetscInt n = g->mesh->n_local;
  double        *half;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)3 * n, &half));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < 3 * n; i++) half[i] = block[6 * (size_t)(i / 3) + 3 * k + i % 3];
    PetscCall(wring_potential_sum_ghosts(g, half));
    for (PetscInt i = 0; i < 3 * g->mesh->n_owned; i++) block[6 * (size_t)(i / 3) + 3 * k + i % 3] = half[i];
  }
  PetscCall(PetscFree(half));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_contact_blocks(wring_potential *g, const double *x, double *block)
{
  static const int at[] = {0, 4, 8, 1, 5, 2};
  const PetscInt   n    = g->mesh->n_owned;
  double          *all;

  PetscFunctionBegin;
  if (g->n_contact == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)9 * n, &all));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add_diagonal(g->contact[i], x, all));
  for (size_t i = 0; i < 6 * (size_t)n; i++) block[i] += all[9 * (i / 6) + at[i % 6]];
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_diagonal(wring_potential *g, Vec x, wring_filter filter, double *block)
{
  const wring_phase old    = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const double      factor = wring_potential_inertia_factor(g);
  const PetscInt    n      = g->mesh->n_owned;
  const double     *xa;
  double           *value;

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_HESSIANS, 1);
  PetscCall(PetscCalloc1((size_t)6 * g->mesh->n_local, &value));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(wring_potential_find_means(g, xa));
  for (int i = 0; i < g->n_term; i++) wring_term_add_diagonal(g->term[i], filter, xa, value);
  PetscCall(sum_ghost_blocks(g, value));
  PetscCall(wring_potential_add_mean_diagonal(g, filter, xa, value));
  PetscCall(add_contact_blocks(g, xa, value));
  PetscCall(VecRestoreArrayRead(x, &xa));
  for (size_t i = 0; i < 6 * (size_t)n; i++)
    if (i % 6 < 3) value[i] += factor * g->mass[i / 6] + (g->ridge ? g->ridge[i / 6] : 0);
  wring_potential_eliminate_diagonal(g, value);
  PetscCall(PetscArraycpy(block, value, (size_t)6 * n));
  PetscCall(PetscFree(value));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_products_local(wring_potential *g, Vec x, wring_filter filter, Vec u, Vec p,
                                              double sum[3])
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const double     *xa, *pa, *ua;
  double            one[3];

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_PRODUCTS, 2);
  PetscCall(wring_potential_get_local(g, u, &ua));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(p, &pa));
  wring_mass_products(g->mesh->n_owned, wring_potential_inertia_factor(g), g->mass, ua, pa, sum);
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add_products(g->contact[i], xa, ua, pa, sum));
  PetscCall(wring_potential_find_means(g, xa));
  PetscCall(wring_potential_add_mean_products(g, filter, xa, ua, pa, sum));
  for (int i = 0; i < g->n_term; i++) {
    wring_term_products(g->term[i], filter, xa, ua, pa, one);
    for (int k = 0; k < 3; k++) sum[k] += one[k];
  }
  PetscCall(VecRestoreArrayRead(p, &pa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(VecRestoreArrayRead(u, &ua));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
