#include "keys.h"

PetscErrorCode wring_law_get_real(const wring_options *o, const char *prefix, const char *fallback,
                                  const wring_option *table, const char *key, double *v)
{
  PetscFunctionBegin;
  if (fallback && !wring_options_has(o, prefix, key) && wring_options_has(o, fallback, key)) prefix = fallback;
  PetscCall(wring_options_get_real(o, prefix, table, key, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
