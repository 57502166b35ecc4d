/* The examples of laws as words of a deck. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wring/law.h>

/* On rank 0 of o. */
static PetscErrorCode write_text(const wring_options *o, const char *file, const char *text)
{
  PetscMPIInt rank;
  wring_error error = {""};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(wring_options_comm(o), &rank));
  FILE *const f = rank == 0 ? fopen(file, "w") : NULL;
  if (rank == 0 && (!f || fputs(text, f) == EOF))
    wring_error_set(&error, "%s: cannot be written: %s", file, strerror(errno));
  if (f && fclose(f) != 0) wring_error_set(&error, "%s: cannot be written: %s", file, strerror(errno));
  PetscCall(wring_error_raise(wring_options_comm(o), &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_law_set_example(const wring_law *law, const char *prefix, const char *file, wring_options *o)
{
  char full[256];

  PetscFunctionBegin;
  for (const char *const *word = law->example; word && word[0]; word += 2) {
    const PetscBool is_file = (PetscBool)(wring_option_find(law->options, word[0])->type == WRING_PATH);
    if (is_file) PetscCall(write_text(o, file, word[1]));
    snprintf(full, sizeof full, "%s%s", prefix, word[0]);
    PetscCall(wring_options_set(o, full, is_file ? file : word[1], "example"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
