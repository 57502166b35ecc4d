/* A level: a run in a directory of its own. */
#include "converge.h"
#include "study/common/output_directory.h"
#include "study/run/run.h"

/* The energies at the end: those of steps.csv. */
static PetscErrorCode add_energies(wring_run *r, wring_level *l)
{
  wring_balance b = {.elastic = r->elastic};

  PetscFunctionBegin;
  PetscCall(wring_balance_measure(r->p, r->tally.inverted, &b));
  PetscCall(wring_level_add(l, "elastic", b.elastic));
  PetscCall(wring_level_add(l, "total", b.kinetic + b.elastic + b.external));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the probes measure: the last row of probes.csv. */
static PetscErrorCode add_probes(wring_problem *p, wring_level *l)
{
  const char *const *name;
  const PetscInt     n = wring_problem_probe_columns(p, &name);
  double            *value;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &value));
  PetscCall(wring_problem_measure_probes(p, p->state.q, p->state.v, value));
  for (PetscInt i = 0; i < n; i++) PetscCall(wring_level_add(l, name[i], value[i]));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode collect(wring_run *r, wring_level *l)
{
  PetscFunctionBegin;
  l->vertices          = r->p->mesh->n_global;
  l->tets              = r->p->mesh->n_tet_global;
  l->iterations        = r->iterations;
  l->linear_iterations = r->linear_iterations;
  l->seconds           = r->seconds;
  l->time              = r->p->state.time;
  for (int i = 0; i < WRING_N_REASON; i++)
    if (!wring_tally_is_converged((wring_reason)i)) l->unconverged += r->tally.steps[i];
  PetscCall(add_energies(r, l));
  PetscCall(add_probes(r->p, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_heading(const wring_converge *c, int k)
{
  const wring_level *const l = &c->level[k];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(c->comm, "\n[%d/%d] mesh.refine %" PetscInt_FMT, k + 1, c->n, l->refine));
  if (!c->is_static) PetscCall(PetscPrintf(c->comm, ", time.step %.6g s", l->step));
  PetscCall(PetscPrintf(c->comm, ", %s\n", l->directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_run(wring_converge *c, int k)
{
  wring_level *const l = &c->level[k];
  wring_run          r = wring_run_none;
  char               path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (l->replaces) PetscCall(wring_options_set(l->deck, "output_overwrite", "true", "wring converge"));
  PetscCall(print_heading(c, k));
  PetscCall(wring_run_set_up(c->comm, l->deck, &r));
  r.stopper = c->stopper;
  if (r.solver) PetscCall(wring_solver_set_interrupt(r.solver, wring_stopper_ask, &r.stopper));
  PetscCall(wring_directory_make(l->deck, sizeof path, path));
  PetscCall(wring_level_store(c, l)); // what was kept of an earlier run does not hold any more
  PetscCall(wring_run_march(&r));
  c->stopper = r.stopper;
  c->status  = r.status;
  if (!r.status) PetscCall(collect(&r, l));
  PetscCall(wring_run_destroy(&r));
  l->finished = (PetscBool)(c->status == WRING_EXIT_DONE);
  if (l->finished) PetscCall(wring_level_store(c, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}
