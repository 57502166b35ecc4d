/* wring compare: one comparison, or one for each combination of the values of some keys. */
#include "compare_grid.h"
#include "compare_one.h"
#include <wring/study.h>

PetscErrorCode wring_study_compare(MPI_Comm comm, const wring_options *o, wring_exit *status)
{
  wring_comparison c;
  PetscBool        grid, failed;

  PetscFunctionBegin;
  PetscCall(wring_parameter_grid_run(comm, o, &grid, &failed));
  if (!grid) {
    PetscCall(wring_comparison_make(comm, o, WRING_TELL_ALL, &c));
    failed = c.failed;
    PetscCall(wring_comparison_clear(&c));
  }
  PetscCall(wring_operator_note_unused(comm));
  if (failed) *status = WRING_EXIT_FAILED;
  PetscFunctionReturn(PETSC_SUCCESS);
}
