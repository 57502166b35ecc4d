/* Stresses of tets, and recovered at vertices. docs/theory.md 3.11 */
#include "potential_impl.h"

/* stress += the Cauchy stresses of this rank's tets, or at their points, of materials and laws on top. */
static PetscErrorCode add_stresses(wring_potential *g, const double *x, PetscBool at_points, double *stress)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_find_means(g, x));
  for (int i = 0; i < g->n_term; i++)
    if (wring_term_law(g->term[i])->kind != WRING_LAW_OTHER) wring_term_add_stress(g->term[i], x, at_points, stress);
  wring_cauchy_stresses(g->mesh, x, at_points, stress);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_stress(wring_potential *g, Vec x, double *F, double *stress)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  if (F) wring_deformation_gradients(g->mesh, xa, F);
  PetscCall(PetscArrayzero(stress, (size_t)6 * g->mesh->tets.n));
  PetscCall(add_stresses(g, xa, PETSC_FALSE, stress)); // on a rank without tets, too: it may be collective
  PetscCall(VecRestoreArrayRead(x, &xa));
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
  double                 *at_points, *half[2], *volume;
  const double           *xa;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(6 * (size_t)m->tets.n * (size_t)wring_mesh_quadrature(m)->n, &at_points));
  PetscCall(PetscCalloc3(3 * m->n_local, &half[0], 3 * m->n_local, &half[1], 3 * m->n_local, &volume));
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(add_stresses(g, xa, PETSC_TRUE, at_points));
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_add_at_vertices(m, at_points, half[0], half[1], volume);
  PetscCall(wring_potential_sum_ghosts(g, half[0]));
  PetscCall(wring_potential_sum_ghosts(g, half[1]));
  PetscCall(wring_potential_sum_ghosts(g, volume));
  PetscCall(divide(g, half, volume, stress));
  PetscCall(PetscFree3(half[0], half[1], volume));
  PetscCall(PetscFree(at_points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the largest stress ------------------------------------------------------------------------------------------ */

/* Of this rank's tets of a region: the largest von Mises stress, 0 or more; -1: there is none. */
static double find_peak(const wring_mesh *m, const double *stress, PetscInt region, double place[3])
{
  double most = -1;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const double value = wring_von_mises(stress + 6 * (size_t)e);
    if ((region >= 0 && m->tets.region[e] != region) || !(value > most)) continue;
    most = value;
    for (int c = 0; c < 3; c++) {
      place[c] = 0;
      for (int a = 0; a < 4; a++) place[c] += m->X[3 * m->tets.corner[4 * (size_t)e + (size_t)a] + c] / 4;
    }
  }
  return most;
}

PetscErrorCode wring_potential_peak(wring_potential *g, Vec x, PetscInt region, wring_peak *peak)
{
  double *stress;
  struct {
    double value;
    int    rank;
  } mine, most;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(g->comm, &mine.rank));
  PetscCall(PetscMalloc1(6 * (size_t)g->mesh->tets.n, &stress));
  PetscCall(wring_potential_stress(g, x, NULL, stress));
  mine.value = find_peak(g->mesh, stress, region, peak->place);
  PetscCall(PetscFree(stress));
  PetscCallMPI(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, g->comm));
  PetscCallMPI(MPI_Bcast(peak->place, 3, MPI_DOUBLE, most.rank, g->comm));
  peak->value = most.value;
  if (most.value < 0) *peak = (wring_peak){NAN, {NAN, NAN, NAN}};
  PetscFunctionReturn(PETSC_SUCCESS);
}
