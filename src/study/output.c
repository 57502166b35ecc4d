#include "study/output.h"

PetscErrorCode wring_output_make(const wring_problem *p, size_t size, char *path)
{
  const char *directory;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "output_", wring_output_options, "directory", &directory));
  PetscCall(PetscStrncpy(path, directory, size));
  PetscCall(wring_make_directory(p->comm, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
