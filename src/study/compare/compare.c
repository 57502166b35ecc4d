/* wring compare: one comparison, or one for each combination of the values of some keys. */
#include "compare_grid.h"

PetscErrorCode wring_study_compare(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  wring_compare *s;
  wring_stopper  stopper;

  PetscFunctionBegin;
  PetscCall(wring_stopper_start(o, &stopper));
  if (wring_parameter_grid_asked(o)) {
    PetscCall(wring_parameter_grid_run(o, &stopper, end));
  } else {
    PetscCall(wring_compare_create(o, &s));
    PetscCall(wring_compare_run(s, &stopper, PETSC_TRUE, end));
    PetscCall(wring_compare_destroy(&s));
  }
  PetscCall(wring_operator_note_unused(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
