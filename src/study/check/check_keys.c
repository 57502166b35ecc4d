/* The keys of a deck, checked once for all commands. */
#include "study/compare/compare_grid.h"
#include <wring/study.h>

PetscErrorCode wring_study_check_keys(const wring_options *o)
{
  wring_catalogue *c;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&c));
  PetscCall(wring_variants_check(o, c));
  PetscCall(wring_options_check(o, c->n, c->entry, wring_problem_words));
  PetscCall(wring_parameter_grid_check(o, c));
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
