#include "tally.h"
#include <stdio.h>
#include <string.h>

PetscBool wring_tally_is_converged(wring_reason reason)
{
  return (PetscBool)(reason == WRING_CONVERGED || reason == WRING_AT_ROUND_OFF);
}

PetscErrorCode wring_tally_start(wring_problem *p, const wring_solver *solver, wring_tally *t)
{
  const double *x;
  PetscInt64    count[2];

  PetscFunctionBegin;
  t->minimises = (PetscBool)(solver && wring_solver_minimises(solver));
  PetscCall(PetscCalloc1(p->mesh->n_tet, &t->inverted));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  wring_mark_inverted(p->mesh, x, t->inverted, count);
  PetscCall(wring_potential_restore_local(p->g, p->state.q, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT64, MPI_SUM, p->comm));
  if (count[0])
    PetscCall(wring_note(p->comm,
                         "%" PetscInt64_FMT " of %" PetscInt64_FMT " tetrahedra are inverted (J <= 0) at the start",
                         count[0], p->mesh->n_tet_global));
  t->last.inverted = count[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tally_destroy(wring_tally *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->inverted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static void count_reason(PetscInt step, const wring_outcome *o, wring_tally *t)
{
  const double load = o->last.reference, share = load > 0 ? o->last.gradient_norm / load : 0;
  t->steps[o->reason]++;
  if (!t->minimises || wring_tally_is_converged(o->reason) || (t->worst_step > 0 && share <= t->share)) return;
  t->worst_step = step;
  t->remaining  = o->last.gradient_norm;
  t->share      = share;
}

static PetscErrorCode count_inverted(const wring_problem *p, const wring_flaws *f, wring_tally *t)
{
  PetscFunctionBegin;
  t->inverted_steps += f->inverted > 0;
  t->most_inverted = PetscMax(t->most_inverted, f->inverted);
  if (f->newly > 0)
    PetscCall(wring_note(p->comm,
                         "step %" PetscInt_FMT ", %g s: %" PetscInt64_FMT
                         " tetrahedr%s inverted (J <= 0), %" PetscInt64_FMT " of them newly",
                         p->state.step, p->state.time, f->inverted, f->inverted == 1 ? "on is" : "a are", f->newly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_lost(const wring_problem *p, const wring_flaws *f, wring_tally *t)
{
  PetscFunctionBegin;
  t->lost_steps += f->lost > 0;
  t->most_lost = PetscMax(t->most_lost, f->lost);
  if (f->lost > t->last.lost)
    PetscCall(wring_note(p->comm, "step %" PetscInt_FMT ", %g s: %" PetscInt64_FMT " %s %s", p->state.step,
                         p->state.time, f->lost, f->lost == 1 ? "vertex is" : "vertices are", f->losing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tally_step(const wring_problem *p, const wring_outcome *outcome, const wring_flaws *flaws,
                                wring_tally *t)
{
  PetscFunctionBegin;
  count_reason(p->state.step, outcome, t);
  PetscCall(count_inverted(p, flaws, t));
  PetscCall(count_lost(p, flaws, t));
  t->last = *flaws;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* "197 converged, 3 at max_it"; "200 without a solve"; empty without a step. */
static void describe_reasons(const wring_problem *p, const wring_tally *t, size_t size, char *text)
{
  const PetscInt advanced = wring_stepper_minimises(p->stepper) ? 0 : t->steps[WRING_CONVERGED];
  size_t         end      = 0;
  text[0]                 = '\0';
  if (advanced) snprintf(text, size, "%" PetscInt_FMT " without a solve", advanced);
  if (advanced) return;
  for (int i = 0; i < WRING_N_REASON && end < size; i++) {
    if (t->steps[i] == 0) continue;
    const char *const name = wring_reason_name((wring_reason)i);
    end += (size_t)snprintf(text + end, size - end, "%s%" PetscInt_FMT " %s%s", end ? ", " : "", t->steps[i],
                            i == WRING_MAX_IT ? "at " : "", name);
  }
}

PetscErrorCode wring_tally_print(const wring_problem *p, wring_solver_stop stop, const wring_tally *t)
{
  const char *const load = stop == WRING_STOP_FORCE ? "the load" : "that at the start of the step";
  char              text[256];

  PetscFunctionBegin;
  if (t->inverted_steps)
    PetscCall(PetscPrintf(p->comm,
                          "inverted  tetrahedra at the end of %" PetscInt_FMT " step%s, at most %" PetscInt64_FMT
                          ", now %" PetscInt64_FMT "\n",
                          t->inverted_steps, t->inverted_steps == 1 ? "" : "s", t->most_inverted, t->last.inverted));
  if (t->lost_steps)
    PetscCall(PetscPrintf(p->comm,
                          "lost      vertices in contacts at the end of %" PetscInt_FMT
                          " step%s, at most %" PetscInt64_FMT ", now %" PetscInt64_FMT "\n",
                          t->lost_steps, t->lost_steps == 1 ? "" : "s", t->most_lost, t->last.lost));
  describe_reasons(p, t, sizeof text, text);
  if (text[0]) PetscCall(PetscPrintf(p->comm, "steps     %s", text));
  if (t->worst_step)
    PetscCall(PetscPrintf(p->comm, ": largest remaining force %.2g N, %.*g %% of %s (step %" PetscInt_FMT ")",
                          t->remaining, t->share < 1 ? 2 : 4, 100 * t->share, load, t->worst_step));
  if (text[0]) PetscCall(PetscPrintf(p->comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_tally_add(const wring_tally *t, json_t *json)
{
  json_t *const reasons = json_object();
  for (int i = 0; i < WRING_N_REASON; i++) {
    if (t->steps[i]) json_object_set_new(reasons, wring_reason_name((wring_reason)i), json_integer(t->steps[i]));
  }
  json_object_set_new(json, "steps_by_reason", reasons);
  json_object_set_new(json, "largest_remaining", t->worst_step ? wring_json_real(t->remaining) : json_null());
  json_object_set_new(json, "largest_remaining_share", t->worst_step ? wring_json_real(t->share) : json_null());
  json_object_set_new(json, "largest_remaining_step", t->worst_step ? json_integer(t->worst_step) : json_null());
  json_object_set_new(json, "inverted", json_integer(t->last.inverted));
  json_object_set_new(json, "inverted_steps", json_integer(t->inverted_steps));
  json_object_set_new(json, "most_inverted", json_integer(t->most_inverted));
  json_object_set_new(json, "lost", json_integer(t->last.lost));
  json_object_set_new(json, "lost_steps", json_integer(t->lost_steps));
  json_object_set_new(json, "most_lost", json_integer(t->most_lost));
}
