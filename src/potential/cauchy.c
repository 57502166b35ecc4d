/* Stresses of tets and their means at vertices. docs/theory.md 3.11 */
#include "potential_impl.h"

PetscErrorCode wring_potential_stress(wring_potential *g, Vec x, double *F, double *stress)
{
  const wring_mesh *const m = g->mesh;
  const double           *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  if (F) wring_deformation_gradients(m, xa, F);
  if (stress) PetscCall(PetscArrayzero(stress, (size_t)6 * m->n_tet));
  if (stress) PetscCall(wring_potential_find_means(g, xa));
  for (int i = 0; stress && i < g->n_term; i++) {
    if (wring_term_law(g->term[i])->kind != WRING_LAW_OTHER) wring_term_add_stress(g->term[i], xa, stress);
  }
  if (stress) wring_cauchy_stresses(m, xa, stress);
  PetscCall(wring_potential_restore_local(g, x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The means of owned vertices, then of ghosts: half [2][n_local][3] are sums, volume [n_local][3]. */
static PetscErrorCode divide(wring_potential *g, double *half[2], const double *volume, double *stress)
{
  const PetscInt n = g->mesh->n_owned, n_local = g->mesh->n_local;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < 3 * n; i++) half[k][i] /= volume[i]; // NaN at a vertex without tets
    PetscCall(wring_potential_halo_begin(g, half[k]));
    PetscCall(wring_potential_halo_end(g, half[k]));
    for (PetscInt i = 0; i < 3 * n_local; i++) stress[6 * (i / 3) + 3 * k + i % 3] = half[k][i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_recover_stress(wring_potential *g, Vec x, double *stress)
{
  const wring_mesh *const m = g->mesh;
  double                 *of_tets, *half[2], *volume;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6 * m->n_tet, &of_tets));
  PetscCall(PetscCalloc3(3 * m->n_local, &half[0], 3 * m->n_local, &half[1], 3 * m->n_local, &volume));
  PetscCall(wring_potential_stress(g, x, NULL, of_tets));
  wring_add_at_vertices(m, of_tets, half[0], half[1], volume);
  PetscCall(wring_potential_sum_ghosts(g, half[0]));
  PetscCall(wring_potential_sum_ghosts(g, half[1]));
  PetscCall(wring_potential_sum_ghosts(g, volume));
  PetscCall(divide(g, half, volume, stress));
  PetscCall(PetscFree3(half[0], half[1], volume));
  PetscCall(PetscFree(of_tets));
  PetscFunctionReturn(PETSC_SUCCESS);
}
