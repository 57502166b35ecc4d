/* The constraints of all terms as rows, docs/theory.md 3.6. */
#include "constraints.h"
#include "base/count.h"

PetscErrorCode wring_constraints_create(wring_solver *s, PetscBool any, wring_constraints *c)
{
  const wring_mesh *const m = wring_potential_mesh(s->g);
  wring_term *const      *terms;
  PetscInt64              all = 0;

  PetscFunctionBegin;
  c->n_term = wring_potential_terms(s->g, &terms);
  PetscCall(PetscMalloc2(c->n_term, &c->rows, 3 * m->n_local, &c->root));
  for (int i = 0; i < c->n_term; i++) {
    PetscCall(wring_constraint_rows_create(s->comm, terms[i], any, &c->rows[i]));
    all += c->rows[i].n;
  }
  PetscCall(wring_count_check(s->comm, all, 1, "constraints on one rank", "rows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_constraints_set_masses(wring_solver *s, wring_constraints *c)
{
  const wring_mesh *const m    = wring_potential_mesh(s->g);
  const double *const     mass = wring_potential_mass(s->g);
  const char *const       held = wring_potential_held_marks(s->g);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * m->n_owned; i++)
    c->root[i] = held && held[i / 3] >> i % 3 & 1 ? 0 : 1 / PetscSqrtReal(mass[i / 3]);
  PetscCall(wring_mesh_update_ghosts(m, 3, c->root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_constraints_find(wring_solver *s, Vec x, wring_constraints *c, PetscInt *n)
{
  const wring_phase  old = wring_phases_switch(s->phases, WRING_PHASE_LOCAL);
  wring_term *const *terms;
  const double      *xa;

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_GRADIENTS, 1);
  wring_potential_terms(s->g, &terms);
  *n = 0;
  PetscCall(wring_potential_get_local(s->g, x, &xa));
  for (int i = 0; i < c->n_term; i++) {
    wring_term_rows(terms[i], xa, &c->rows[i]);
    *n += c->rows[i].n;
  }
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_constraints_destroy(wring_constraints *c)
{
  PetscFunctionBegin;
  for (int i = 0; i < c->n_term; i++) PetscCall(wring_constraint_rows_destroy(&c->rows[i]));
  PetscCall(PetscFree2(c->rows, c->root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_constraint_inertia(const wring_constraints *c, const wring_constraint_rows *r, PetscInt j,
                                double entry[WRING_MAX_ROW])
{
  double sum = 0;
  for (int a = 0; a < 3 * r->m; a++) {
    entry[a] = r->dC[3 * (size_t)r->m * (size_t)j + (size_t)a] * c->root[3 * r->vertex[r->m * j + a / 3] + a % 3];
    sum += entry[a] * entry[a];
  }
  return sum;
}
