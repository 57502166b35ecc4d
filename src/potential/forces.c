/* What a user judges a state by: the forces in balance, docs/theory.md (2.8), and tets that are inverted. */
#include "potential_impl.h"

enum { INERTIAL, INTERNAL, EXTERNAL, REACTION, N_FORCE };

/* f [n_local][3] += gradients of attachments by springs. */
static void add_attachments(wring_potential *g, const double *x, double *f)
{
  for (int i = 0; i < g->n_term; i++) {
    if (!wring_term_is_attachment(g->term[i]) || wring_term_is_hard(g->term[i])) continue;
    wring_pass_run(wring_term_pass(g->term[i], WRING_GRADIENT), WRING_ALL, x, f, NULL);
  }
}

/* f [n_local][3] += gradients of attachments by springs and of contacts. */
static PetscErrorCode add_reactions(wring_potential *g, double *x, double *f)
{
  PetscFunctionBegin;
  add_attachments(g, x, f);
  if (g->n_contact == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_halo_begin(g, x));
  PetscCall(wring_potential_halo_end(g, x));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add(g->contact[i], WRING_GRADIENT, x, f, NULL));
  PetscCall(wring_potential_sum_ghosts(g, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Squares of the forces on free coordinates; load may be NULL. g has the load in y, in statics as a term. */
static void add_free(const wring_potential *g, const double *x, const double *y, const double *grad, const double *load,
                     const double *reaction, double sum[N_FORCE])
{
  const char *const mark   = wring_potential_held_marks(g);
  const double      factor = wring_potential_inertia_factor(g);
  for (PetscInt i = 0; i < 3 * g->mesh->n_owned; i++) {
    if (mark && mark[i / 3] >> i % 3 & 1) continue;
    const double f    = load ? load[i] : 0;
    const double push = factor * g->mass[i / 3] * (x[i] - y[i]) - (g->is_static ? f : 0);
    sum[INERTIAL] += PetscSqr(push + f);
    sum[INTERNAL] += PetscSqr(grad[i] - push - reaction[i]);
    sum[EXTERNAL] += PetscSqr(f);
    sum[REACTION] += PetscSqr(reaction[i]);
  }
}

static PetscErrorCode add_squares(wring_potential *g, Vec x, Vec grad, const double *reaction, double sum[N_FORCE])
{
  const double *xa, *ya, *ga, *load = NULL;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(g->y, &ya));
  PetscCall(VecGetArrayRead(grad, &ga));
  if (g->load) PetscCall(VecGetArrayRead(g->load, &load));
  add_free(g, xa, ya, ga, load, reaction, sum);
  for (PetscInt i = 0; i < g->held.n; i++) sum[REACTION] += PetscSqr(g->held.force[i]);
  if (g->load) PetscCall(VecRestoreArrayRead(g->load, &load));
  PetscCall(VecRestoreArrayRead(grad, &ga));
  PetscCall(VecRestoreArrayRead(g->y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_forces(wring_potential *g, Vec x, Vec grad, wring_forces *forces)
{
  double sum[N_FORCE] = {0}, *xa, *reaction;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)3 * g->mesh->n_local, &reaction));
  PetscCall(VecGetArray(x, &xa)); // its ghosts are filled
  PetscCall(add_reactions(g, xa, reaction));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(add_squares(g, x, grad, reaction, sum));
  PetscCall(PetscFree(reaction));
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, N_FORCE, MPI_DOUBLE, MPI_SUM, g->comm));
  *forces = (wring_forces){PetscSqrtReal(sum[INERTIAL]), PetscSqrtReal(sum[INTERNAL]), PetscSqrtReal(sum[EXTERNAL]),
                           PetscSqrtReal(sum[REACTION])};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_reactions(wring_potential *g, Vec x, double *force)
{
  const double *xa;
  double       *gradient;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)3 * g->mesh->n_local, &gradient));
  PetscCall(VecGetArrayRead(x, &xa)); // attachments read owned vertices only
  add_attachments(g, xa, gradient);
  PetscCall(VecRestoreArrayRead(x, &xa));
  for (PetscInt i = 0; i < 3 * g->mesh->n_owned; i++) force[i] = -gradient[i];
  for (PetscInt i = 0; i < g->held.n; i++) force[g->held.at[i]] += g->held.force[i];
  PetscCall(PetscFree(gradient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_forces_largest(const wring_forces *f)
{
  return PetscMax(PetscMax(f->inertial, f->internal), PetscMax(f->external, f->reaction));
}

/* ---- inverted tets ----------------------------------------------------------------------------------------------- */

/* Sets the marks of tets that may invert: no law of theirs is infinite for J <= 0. */
static PetscErrorCode mark_finite(const wring_potential *g, char *mark)
{
  char *bounded;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(g->mesh->tets.n, &bounded));
  for (int i = 0; i < g->n_term; i++)
    if (wring_term_is_bounded(g->term[i])) wring_term_mark_cells(g->term[i], bounded);
  for (PetscInt e = 0; e < g->mesh->tets.n; e++) mark[e] = (char)(mark[e] || !bounded[e]);
  PetscCall(PetscFree(bounded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of this rank. Most often no tet is inverted at x, and what they are at `from` does not matter. */
static PetscErrorCode count_inverted(const wring_potential *g, const double *from, const double *x, PetscBool bounded,
                                     PetscInt64 count[2])
{
  char *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(g->mesh->tets.n, &mark));
  wring_mark_inverted(g->mesh, x, mark, count);
  if (count[0] > 0) {
    wring_mark_inverted(g->mesh, from, mark, count);
    if (bounded) PetscCall(mark_finite(g, mark));
    wring_mark_inverted(g->mesh, x, mark, count);
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_inverted(wring_potential *g, Vec from, Vec x, PetscBool bounded, PetscInt64 *newly)
{
  const double *a, *b;
  PetscInt64    count[2];

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, from, &a));
  PetscCall(wring_potential_get_local(g, x, &b));
  PetscCall(count_inverted(g, a, b, bounded, count));
  PetscCall(VecRestoreArrayRead(x, &b));
  PetscCall(VecRestoreArrayRead(from, &a));
  PetscCallMPI(MPI_Allreduce(&count[1], newly, 1, MPIU_INT64, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
