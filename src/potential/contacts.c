/* Contacts as a part of g; their sets are updated between evaluations. docs/theory.md 8 */
#include "potential_impl.h"

PetscErrorCode wring_potential_add_contact(wring_potential *g, wring_contact *contact)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof(wring_contact *) * ((size_t)g->n_contact + 1), &g->contact));
  g->contact[g->n_contact++] = contact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int wring_potential_contacts(const wring_potential *g, wring_contact *const **contacts)
{
  if (contacts) *contacts = g->contact;
  return g->n_contact;
}

const char *wring_potential_refuses_contacts(const wring_potential *g, wring_contact_way way)
{
  const char *why = g->n_contact > 0 && way == WRING_CONTACT_REFUSED ? "contacts: it may increase g" : NULL;
  for (int i = 0; i < g->n_contact && !why; i++) why = wring_contact_refusal(g->contact[i], way);
  return why;
}

/* Sums over ranks, so that every rank makes the same decisions. */
static PetscErrorCode sum_change(const wring_potential *g, wring_contact_change *c)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_REDUCTION);

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, c, sizeof *c / sizeof c->active, MPIU_INT64, MPI_SUM, g->comm));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_update_contacts(wring_potential *g, Vec x, PetscBool first, wring_contact_change *change)
{
  const wring_phase    old  = wring_phases_switch(g->phases, WRING_PHASE_CONTACT);
  wring_contact_step   step = {.h = g->at_end ? 0 : g->h};
  wring_contact_change one, sum = {0};
  const double        *xa;

  PetscFunctionBegin;
  if (g->n_contact > 0) {
    PetscCall(VecGetArrayRead(g->q, &step.q));
    PetscCall(wring_potential_get_local(g, x, &xa));
    for (int i = 0; i < g->n_contact; i++) {
      PetscCall(wring_contact_update(g->contact[i], &step, xa, first, &one));
      sum.active += one.active;
      sum.added += one.added;
      sum.released += one.released;
      sum.moved += one.moved;
    }
    PetscCall(VecRestoreArrayRead(x, &xa));
    PetscCall(VecRestoreArrayRead(g->q, &step.q));
    PetscCall(sum_change(g, &sum));
  }
  if (change) *change = sum;
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_project_contacts(wring_potential *g, Vec x)
{
  const wring_phase  old  = wring_phases_switch(g->phases, WRING_PHASE_CONTACT);
  wring_contact_step step = {.h = g->h};
  double            *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->q, &step.q));
  PetscCall(VecGetArray(x, &xa));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_project(g->contact[i], &step, xa));
  PetscCall(VecRestoreArray(x, &xa));
  if (g->n_contact > 0) PetscCall(wring_potential_place(g, x));
  PetscCall(VecRestoreArrayRead(g->q, &step.q));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_lag_friction(wring_potential *g, Vec x, PetscBool first)
{
  const wring_phase  old      = wring_phases_switch(g->phases, WRING_PHASE_CONTACT);
  const double       progress = g->progress;
  wring_contact_step step     = {.h = g->h};
  const double      *xa;

  PetscFunctionBegin;
  if (first) PetscCall(wring_potential_set_progress(g, 0));
  if (first) PetscCall(VecGetArrayRead(g->q, &step.q));
  PetscCall(wring_potential_get_local(g, x, &xa));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_lag(g->contact[i], &step, xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  if (first) PetscCall(VecRestoreArrayRead(g->q, &step.q));
  PetscCall(wring_potential_set_progress(g, progress));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

wring_contact *wring_potential_friction(const wring_potential *g)
{
  for (int i = 0; i < g->n_contact; i++)
    if (wring_contact_is_friction(g->contact[i])) return g->contact[i];
  return NULL;
}

PetscErrorCode wring_potential_measure_slip(wring_potential *g, Vec x, Vec from, wring_slip_report *report,
                                            double *torque)
{
  wring_contact *const friction = wring_potential_friction(g);
  const double        *xa, *fa = NULL;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  if (from) PetscCall(VecGetArrayRead(from, &fa));
  if (torque) PetscCall(PetscArrayzero(torque, 3 * wring_contact_parts(friction)));
  PetscCall(wring_contact_measure_slip(friction, xa, fa, report, torque));
  if (from) PetscCall(VecRestoreArrayRead(from, &fa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, report, sizeof *report / sizeof report->work, MPI_DOUBLE, MPI_SUM, g->comm));
  if (torque)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, torque, 3 * wring_contact_parts(friction), MPI_DOUBLE, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_contact_force(wring_potential *g, Vec x, double *force)
{
  const PetscInt n = 3 * g->mesh->n_local;
  const double  *xa;
  double        *f;

  PetscFunctionBegin;
  PetscCall(wring_potential_update_contacts(g, x, PETSC_TRUE, NULL));
  PetscCall(PetscCalloc1((size_t)n, &f));
  PetscCall(wring_potential_get_local(g, x, &xa));
  for (int i = 0; i < g->n_contact; i++)
    if (wring_contact_is_bounded(g->contact[i]) || wring_contact_is_friction(g->contact[i]))
      PetscCall(wring_contact_add(g->contact[i], WRING_GRADIENT, xa, f, NULL));
  PetscCall(VecRestoreArrayRead(x, &xa));
  for (PetscInt i = 0; i < 3 * g->mesh->n_owned; i++) force[i] = -f[i];
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_contact_traction(wring_potential *g, PetscBool friction, const double *x,
                                                double *traction)
{
  const wring_contact_step step = {.h = 0};
  wring_contact_change     change;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(traction, 3 * g->mesh->n_local));
  for (int i = 0; i < g->n_contact; i++) {
    wring_contact *const c = g->contact[i];
    if (!wring_contact_is_bounded(c) && !wring_contact_is_friction(c)) continue; // others need the step
    PetscCall(wring_contact_update(c, &step, x, PETSC_TRUE, &change));
    if (friction ? wring_contact_is_friction(c) : wring_contact_is_bounded(c))
      PetscCall(wring_contact_add(c, WRING_GRADIENT, x, traction, NULL));
  }
  for (PetscInt k = 0; k < 3 * g->mesh->n_owned; k++) traction[k] = -traction[k];
  for (int i = 0; i < g->n_contact; i++)
    if (wring_contact_is_bounded(g->contact[i])) wring_contact_divide_by_area(g->contact[i], traction);
  PetscCall(wring_mesh_update_ghosts(g->mesh, 3, traction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_measure_contact(wring_potential *g, int i, Vec x, wring_contact_report *report,
                                               double *force)
{
  const int     parts = wring_contact_parts(g->contact[i]);
  const double *xa;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(force, 3 * parts));
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(wring_contact_measure(g->contact[i], xa, report, force));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscInt64 count[3] = {report->inside, report->lost, report->pairs};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 3, MPIU_INT64, MPI_SUM, g->comm));
  report->inside = count[0];
  report->lost   = count[1];
  report->pairs  = count[2];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &report->least, 1, MPI_DOUBLE, MPI_MIN, g->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &report->force, 1, MPI_DOUBLE, MPI_SUM, g->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &report->depth, 1, MPI_DOUBLE, MPI_MAX, g->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, force, 3 * parts, MPI_DOUBLE, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
