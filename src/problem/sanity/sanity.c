/* What the numbers of a problem amount to: all parts in order. */
#include "sanity_impl.h"

PetscErrorCode wring_sanity_create(const wring_problem *p, wring_sanity **out)
{
  wring_sanity *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(wring_sanity_measure_sizes(p, s));
  PetscCall(wring_sanity_measure_loads(p, s));
  PetscCall(wring_sanity_find_parts(p, s));
  PetscCall(wring_sanity_find_unused(p, s));
  PetscCall(wring_sanity_note_units(p, s));
  PetscCall(wring_sanity_note_keys(p, s));
  *out = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_destroy(wring_sanity **out)
{
  wring_sanity *const s = *out;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_words_destroy(s->n_note, &s->note));
  PetscCall(PetscFree2(s->unused, s->spare));
  PetscCall(PetscFree(s->region));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_print_notes(const wring_problem *p, const wring_sanity *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n_note; i++) PetscCall(wring_note(p->comm, "%s", s->note[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
