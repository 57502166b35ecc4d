/* Values, gradients and residuals: the halo is in flight while interior elements are worked on. docs/theory.md 2 */
#include "potential_impl.h"

PetscErrorCode wring_potential_halo_begin(wring_potential *g, double *x)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(g->mesh->halo, g->mesh->vector, x, x, MPI_REPLACE));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_halo_end(wring_potential *g, double *x)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  PetscCall(PetscSFBcastEnd(g->mesh->halo, g->mesh->vector, x, x, MPI_REPLACE));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forces on ghosts go to their owners. */
static PetscErrorCode sum_ghosts(wring_potential *g, double *f)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(g->mesh->halo, g->mesh->vector, f, f, MPI_SUM));
  PetscCall(PetscSFReduceEnd(g->mesh->halo, g->mesh->vector, f, f, MPI_SUM));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums a [n] over the ranks. */
static PetscErrorCode reduce(const wring_potential *g, int n, double *a)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_REDUCTION);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, g->comm));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x and f are local arrays; inertia: factor of M (x - y); part: this rank's inertial and elastic energy. */
static PetscErrorCode work_on(wring_potential *g, wring_work work, double inertia, double *x, const double *y,
                              double *f, double part[2])
{
  const wring_mesh *m   = g->mesh;
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);

  PetscFunctionBegin;
  PetscCall(wring_potential_halo_begin(g, x));
  part[0] = wring_inertia(m->n_owned, inertia, g->mass, x, y, f);
  if (f) PetscCall(PetscArrayzero(f + 3 * m->n_owned, 3 * (m->n_local - m->n_owned)));
  for (int i = 0; i < g->n_term; i++) wring_term_interior(g->term[i], work, x, f);
  PetscCall(wring_potential_halo_end(g, x));
  part[1] = 0;
  for (int i = 0; i < g->n_term; i++) {
    wring_term_boundary(g->term[i], work, x, f);
    part[1] += wring_term_finish(g->term[i], work, f);
  }
  if (f) PetscCall(sum_ghosts(g, f));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(wring_potential *g, wring_work work, double inertia, Vec x, wring_value *value, Vec f)
{
  double       *xa, *fa = NULL, part[2];
  const double *ya;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->y, &ya));
  PetscCall(VecGetArray(x, &xa)); // its ghosts are filled
  if (f) PetscCall(VecGetArrayWrite(f, &fa));
  PetscCall(work_on(g, work, inertia, xa, ya, fa, part));
  if (f) PetscCall(VecRestoreArrayWrite(f, &fa));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecRestoreArrayRead(g->y, &ya));
  if (!value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(reduce(g, 2, part));
  *value = (wring_value){.objective = part[0] + part[1], .inertial = part[0], .elastic = part[1]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_value(wring_potential *g, Vec x, wring_value *value)
{
  PetscFunctionBegin;
  PetscCall(evaluate(g, WRING_VALUE, 1 / (g->h * g->h), x, value, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_gradient(wring_potential *g, Vec x, Vec grad)
{
  PetscFunctionBegin;
  PetscCall(evaluate(g, WRING_GRADIENT, 1 / (g->h * g->h), x, NULL, grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_fused(wring_potential *g, Vec x, wring_value *value, Vec grad)
{
  PetscFunctionBegin;
  PetscCall(evaluate(g, WRING_VALUE | WRING_GRADIENT, 1 / (g->h * g->h), x, value, grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_noise(wring_potential *g, double *noise)
{
  double sum = 0;

  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) sum += wring_term_squared_scale(g->term[i]);
  PetscCall(reduce(g, 1, &sum));
  *noise = PETSC_MACHINE_EPSILON * PetscSqrtReal(sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_residual(wring_potential *g, Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(evaluate(g, WRING_RESIDUAL, -1 / (g->h * g->h), x, NULL, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_mass_residual(wring_potential *g, Vec x, wring_value *value, Vec r)
{
  const double factor = 1 / (g->h * g->h);

  PetscFunctionBegin;
  PetscCall(evaluate(g, (wring_work)(WRING_MASS | WRING_VALUE), -1, x, value, r));
  if (!value) PetscFunctionReturn(PETSC_SUCCESS);
  value->inertial *= -factor;
  value->elastic *= factor;
  value->objective = value->inertial + value->elastic;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_mass_diagonal(wring_potential *g, Vec d)
{
  const wring_mesh *m   = g->mesh;
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  const double     *ya;
  double           *da;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->y, &ya)); // read, but it does not count
  PetscCall(VecGetArrayWrite(d, &da));
  PetscCall(PetscArrayzero(da, 3 * m->n_local));
  for (int i = 0; i < g->n_term; i++) {
    wring_term_interior(g->term[i], WRING_COUNT, ya, da);
    wring_term_boundary(g->term[i], WRING_COUNT, ya, da);
    wring_term_finish(g->term[i], WRING_COUNT, da);
  }
  PetscCall(sum_ghosts(g, da));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) da[i] = g->mass[i / 3] * (1 + da[i]);
  PetscCall(VecRestoreArrayWrite(d, &da));
  PetscCall(VecRestoreArrayRead(g->y, &ya));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_get_local(wring_potential *g, Vec x, const double **local)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  PetscCall(wring_potential_halo_begin(g, xa));
  PetscCall(wring_potential_halo_end(g, xa));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecGetArrayRead(x, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_restore_local(wring_potential *g, Vec x, const double **local)
{
  (void)g;
  PetscFunctionBegin;
  PetscCall(VecRestoreArrayRead(x, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_cell_data(wring_potential *g, Vec x, double *density, double *J)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  for (int i = 0; i < g->n_term; i++) wring_term_cell_data(g->term[i], xa, density, J);
  PetscCall(wring_potential_restore_local(g, x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_resultants(wring_potential *g, Vec x, double *force)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa)); // attachments read owned vertices only
  for (int i = 0; i < g->n_term; i++) wring_term_resultant(g->term[i], xa, force + 3 * i);
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(reduce(g, 3 * g->n_term, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}
