/* The potential as an object: what it is made of, its time, its vectors. */
#include "potential_impl.h"

PetscErrorCode wring_potential_create(const wring_mesh *mesh, const double *mass, wring_phases *phases,
                                      wring_potential **potential)
{
  wring_potential *g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  g->comm = mesh->comm, g->mesh = mesh, g->phases = phases, g->h = 1;
  PetscCall(PetscMalloc1(mesh->n_local, &g->mass));
  PetscCall(PetscArraycpy(g->mass, mass, mesh->n_owned));
  PetscCall(PetscSFBcastBegin(mesh->halo, MPIU_REAL, g->mass, g->mass, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(mesh->halo, MPIU_REAL, g->mass, g->mass, MPI_REPLACE));
  PetscCall(wring_potential_create_vec(g, &g->y));
  PetscCall(wring_potential_create_vec(g, &g->q));
  *potential = g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_destroy(wring_potential **potential)
{
  wring_potential *g = *potential;

  PetscFunctionBegin;
  if (!g) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_destroy(&g->term[i]));
  PetscCall(PetscFree(g->term));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_destroy(&g->contact[i]));
  PetscCall(PetscFree(g->contact));
  PetscCall(wring_pattern_destroy(&g->pattern));
  PetscCall(PetscFree(g->block));
  PetscCall(PetscFree(g->mass));
  PetscCall(VecDestroy(&g->y));
  PetscCall(VecDestroy(&g->q));
  PetscCall(PetscFree(*potential));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_add_term(wring_potential *g, wring_term *term)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof(wring_term *) * ((size_t)g->n_term + 1), &g->term));
  g->term[g->n_term++] = term;
  wring_term_set_masses(term, g->mass);
  g->revision++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_require(const wring_potential *g, unsigned can, const char *solver)
{
  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) {
    const wring_law *law     = wring_term_law(g->term[i]);
    const unsigned   missing = can & ~wring_law_can(law);
    if (missing)
      WRING_REFUSE(g->comm, "solver '%s' cannot use material '%s': it has no %s", solver, law->name,
                   wring_law_can_name(missing));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_require_rest_pose(const wring_potential *g, const char *solver)
{
  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) {
    if (!wring_term_has_rest_pose(g->term[i]))
      WRING_REFUSE(g->comm, "solver '%s' cannot use material '%s': it has no projection in the metric of masses",
                   solver, wring_term_law(g->term[i])->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_require_undamped(const wring_potential *g, const char *kind, const char *name)
{
  int damped = g->n_term;

  PetscFunctionBegin;
  for (int i = g->n_term - 1; i >= 0; i--) damped = wring_term_is_damped(g->term[i]) ? i : damped;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &damped, 1, MPI_INT, MPI_MIN, g->comm));
  if (damped < g->n_term)
    WRING_REFUSE(g->comm, "%s '%s' cannot use the damping of spring '%s': expected damping 0", kind, name,
                 wring_term_name(g->term[damped]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_create_vec(const wring_potential *g, Vec *x)
{
  const wring_mesh *m = g->mesh;

  PetscFunctionBegin;
  PetscCall(VecCreateGhostBlock(g->comm, 3, 3 * m->n_owned, PETSC_DETERMINE, m->n_local - m->n_owned,
                                m->global + m->n_owned, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_step(wring_potential *g, double h)
{
  PetscFunctionBegin;
  PetscCheck(h > 0, g->comm, PETSC_ERR_ARG_OUTOFRANGE, "Time step %.6g is not positive", h);
  if (g->h != h) g->revision++;
  g->h = h;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_target(wring_potential *g, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(y, g->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_start(wring_potential *g, Vec q)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(q, g->q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rank without attachments has terms too (empty ones), so that all ranks agree on what changed. */
PetscErrorCode wring_potential_set_time(wring_potential *g, double time, double end, PetscBool *changed)
{
  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  for (int i = 0; i < g->n_term; i++) {
    PetscBool one;
    wring_term_set_time(g->term[i], time, end, &one);
    if (one) *changed = PETSC_TRUE;
  }
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_set_time(g->contact[i], time));
  if (*changed) g->revision++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_mesh *wring_potential_mesh(const wring_potential *g)
{
  return g->mesh;
}

const double *wring_potential_mass(const wring_potential *g)
{
  return g->mass;
}

double wring_potential_step(const wring_potential *g)
{
  return g->h;
}

PetscInt wring_potential_revision(const wring_potential *g)
{
  return g->revision;
}

Vec wring_potential_target(const wring_potential *g)
{
  return g->y;
}

Vec wring_potential_start(const wring_potential *g)
{
  return g->q;
}

wring_phases *wring_potential_phases(const wring_potential *g)
{
  return g->phases;
}

int wring_potential_terms(const wring_potential *g, wring_term *const **terms)
{
  *terms = g->term;
  return g->n_term;
}
