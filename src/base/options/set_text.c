/* Values that are files, written from text in the program. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wring/options.h>

static void write_text(const char *file, const char *text, wring_error *error)
{
  FILE *const f = fopen(file, "w");
  if (!f || fputs(text, f) == EOF) wring_error_set(error, "%s: cannot be written: %s", file, strerror(errno));
  if (f && fclose(f) != 0) wring_error_set(error, "%s: cannot be written: %s", file, strerror(errno));
}

PetscErrorCode wring_options_set_text(wring_options *o, const char *key, const char *text, const char *file,
                                      const char *origin)
{
  wring_error error = {""};

  PetscFunctionBegin;
  if (wring_comm_rank(wring_options_comm(o)) == 0) write_text(file, text, &error);
  PetscCall(wring_error_raise_output(wring_options_comm(o), &error));
  PetscCall(wring_options_set(o, key, file, origin));
  PetscFunctionReturn(PETSC_SUCCESS);
}
