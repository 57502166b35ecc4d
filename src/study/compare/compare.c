/* wring compare: one comparison, or one for each combination of the values of some keys. */
#include "compare_grid.h"
#include "compare_one.h"
#include <wring/study.h>

PetscErrorCode wring_study_compare(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  wring_compare *s;
  wring_stopper  stopper;
  PetscBool      grid;

  PetscFunctionBegin;
  PetscCall(wring_stopper_start(o, &stopper));
  PetscCall(wring_parameter_grid_run(o, &stopper, &grid, end));
  if (!grid) {
    PetscCall(wring_compare_create(comm, o, &s));
    PetscCall(wring_compare_run(s, &stopper, WRING_PRINT_ALL, end));
    PetscCall(wring_compare_destroy(&s));
  }
  PetscCall(wring_operator_note_unused(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
