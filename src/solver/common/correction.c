/*
  The stiffness of contacts is far above that of A: qn and pncg would have to learn it. Axes stay apart, as in A; a
  semidefinite H is at most three times the part of it that is kept.
*/
#include "correction.h"
#include "solver_impl.h"

/* In evaluations of g and its gradient: of a hierarchy, a guess; of a factor beyond its operations. */
static const double hierarchy = 40, fixed = 5;
/* Operations of a factor of A in the time in which one element is evaluated; the larger one of H makes more: auto.c. */
static const double flops_per_element = 75;

static double price_of(const wring_solver *s)
{
  const wring_mesh *const m        = wring_potential_mesh(s->g);
  const double            elements = (double)m->tets.n_global + (double)m->number.n_global;
  wring_operator_info     info;
  wring_operator_get_info(s->op, &info);
  return info.flops > 0 ? fixed + 3 * info.flops / (flops_per_element * elements) : hierarchy;
}

PetscErrorCode wring_correction_destroy(wring_correction *c)
{
  PetscFunctionBegin;
  PetscCall(wring_matrices_destroy(c->A));
  PetscCall(wring_matrices_destroy(c->with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* with = A; entries of contacts stay in the pattern of a solve: a factor is analysed anew only for new ones. */
static PetscErrorCode copy(wring_correction *c, PetscBool first)
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    if (!first) {
      PetscCall(MatZeroEntries(c->with[k]));
      PetscCall(MatAXPY(c->with[k], 1, c->A[k], SUBSET_NONZERO_PATTERN));
      continue;
    }
    PetscCall(MatDestroy(&c->with[k]));
    PetscCall(MatDuplicate(c->A[k], MAT_COPY_VALUES, &c->with[k]));
    PetscCall(MatSetOption(c->with[k], MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetOption(c->with[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetOption(c->with[k], MAT_SPD, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A is what the operator has, unless that is `with`. */
static PetscErrorCode find_base(const wring_solver *s, wring_correction *c)
{
  Mat now[3];

  PetscFunctionBegin;
  PetscCall(wring_operator_get_matrices(s->op, now));
  if (c->with[0] && now[0] == c->with[0]) {
    PetscCall(wring_matrices_destroy(now));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_correction_destroy(c));
  PetscCall(PetscArraycpy(c->A, now, 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_correction_update(wring_solver *s, wring_correction *c, Vec x, PetscBool *anew)
{
  const PetscBool first = (PetscBool)(s->current.iteration == 0), met = (PetscBool)(s->contacts.change.active > 0);

  PetscFunctionBegin;
  *anew = PETSC_FALSE;
  if (!wring_potential_has_bounded_contacts(s->g)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_base(s, c));
  if (first && !met && c->with[0]) {
    PetscCall(wring_operator_set_matrices(s->op, c->A));
    PetscCall(wring_matrices_destroy(c->with));
    *anew = PETSC_TRUE;
  }
  const PetscBool begins = (PetscBool)(first || !c->with[0]);
  if (!met || (!begins && s->work.evaluations < c->due)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(copy(c, begins));
  PetscCall(wring_potential_add_contact_components(s->g, x, c->with));
  PetscCall(wring_operator_set_matrices(s->op, c->with));
  if (begins) PetscCall(wring_solver_note_choice(s, "operator with contacts"));
  *anew  = PETSC_TRUE;
  c->due = s->work.evaluations + (PetscInt)price_of(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}
