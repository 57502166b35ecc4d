/* Decks: YAML, then every key against the catalogue. */
#include "fuzz.h"
#include <wring/io.h>
#include <wring/study.h>

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  wring_options *o;

  fuzz_write(file, data, size);
  PetscCallAbort(PETSC_COMM_SELF, wring_options_create(PETSC_COMM_SELF, &o));
  fuzz_quiet_begin();
  if (wring_deck_read(file, 0, NULL, o) == PETSC_SUCCESS) (void)wring_study_check_keys(o);
  fuzz_quiet_end();
  PetscCallAbort(PETSC_COMM_SELF, PetscOptionsClear(NULL)); // keys under petsc_
  PetscCallAbort(PETSC_COMM_SELF, wring_options_destroy(&o));
}
