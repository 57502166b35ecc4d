#include "sweeps.h"
#include <math.h>

PetscErrorCode wring_sweeps_create(wring_solver *s)
{
  solver_sweeps *w;

  PetscFunctionBegin;
  PetscCall(PetscNew(&w));
  s->data = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweeps_get_order(wring_solver *s, const wring_options *o, const char *prefix,
                                      const wring_option *table)
{
  solver_sweeps *w = s->data;
  const char    *order;
  PetscBool      hybrid, sequential;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, table, "order", &order));
  PetscCall(PetscStrcmp(order, "hybrid", &hybrid));
  PetscCall(PetscStrcmp(order, "sequential", &sequential));
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  if (sequential && size > 1)
    WRING_REFUSE(s->comm, "%s: %sorder sequential on %d ranks, expected colored or hybrid, or one rank",
                 wring_options_origin(o, prefix, "order"), prefix, size);
  w->order = hybrid ? WRING_ORDER_HYBRID : sequential ? WRING_ORDER_SEQUENTIAL : WRING_ORDER_COLORED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweeps_set_up(wring_solver *s)
{
  solver_sweeps     *w = s->data;
  wring_term *const *terms;
  const int          n   = wring_potential_terms(s->g, &terms);
  const wring_phase  old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);

  PetscFunctionBegin;
  PetscCall(wring_sweep_create(wring_potential_mesh(s->g), n, terms, w->order, s->phases, &w->sweep));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The masses of g; infinite for a vertex that hard attachments hold in all components. */
static PetscErrorCode create_masses(const wring_solver *s, double **mass)
{
  const double *const own  = wring_potential_mass(s->g);
  const char *const   mark = wring_potential_held_marks(s->g);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->n / 3, mass));
  for (PetscInt i = 0; i < s->n / 3; i++) (*mass)[i] = mark && mark[i] == WRING_XYZ ? INFINITY : own[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweeps_begin(wring_solver *s, Vec reference)
{
  solver_sweeps *w    = s->data;
  const char    *held = wring_potential_holds_components(s->g) ? wring_potential_held_marks(s->g) : NULL;
  const double  *a    = NULL;
  double        *mass;

  PetscFunctionBegin;
  w->rule.h = wring_potential_step(s->g);
  PetscCall(create_masses(s, &mass));
  if (reference) PetscCall(VecGetArrayRead(reference, &a));
  PetscCall(wring_sweep_begin(w->sweep, &w->rule, mass, held, a));
  if (reference) PetscCall(VecRestoreArrayRead(reference, &a));
  PetscCall(PetscFree(mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweeps_iterate(wring_solver *s, Vec x)
{
  solver_sweeps *w = s->data;
  double        *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  PetscCall(wring_sweep_run(w->sweep, xa));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(wring_potential_project_contacts(s->g, x));
  wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_contact_way *wring_sweeps_contacts(const wring_solver *s)
{
  static const wring_contact_way way = WRING_CONTACT_PROJECTION;
  (void)s;
  return &way;
}

static PetscErrorCode note_left_out(wring_solver *s, const wring_sweep *sweep)
{
  PetscInt64 n = wring_sweep_not_finite(sweep);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT64, MPI_SUM, s->comm));
  if (n > 0)
    PetscCall(wring_note(s->comm, "solver '%s' skipped %lld constraints that were not finite", s->name, (long long)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweeps_destroy(wring_solver *s)
{
  solver_sweeps *w = s->data;

  PetscFunctionBegin;
  if (w->sweep) PetscCall(note_left_out(s, w->sweep));
  PetscCall(wring_sweep_destroy(&w->sweep));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
