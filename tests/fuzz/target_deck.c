/* Decks: YAML, then every key against the catalogue. */
#include "fuzz.h"
#include "problem/problem_keys.h"

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  wring_options   *o;
  wring_catalogue *keys;

  fuzz_write(file, data, size);
  PetscCallAbort(PETSC_COMM_SELF, wring_options_create(PETSC_COMM_SELF, &o));
  PetscCallAbort(PETSC_COMM_SELF, wring_catalogue_create(&keys));
  fuzz_quiet_begin();
  if (wring_deck_read(file, 0, NULL, o) == PETSC_SUCCESS) (void)wring_options_check(o, keys->n, keys->entry);
  fuzz_quiet_end();
  PetscCallAbort(PETSC_COMM_SELF, PetscOptionsClear(NULL)); // what stood behind petsc_
  PetscCallAbort(PETSC_COMM_SELF, wring_catalogue_destroy(&keys));
  PetscCallAbort(PETSC_COMM_SELF, wring_options_destroy(&o));
}
