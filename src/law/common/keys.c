#include "keys.h"

const char *wring_law_prefix(const wring_options *o, const char *prefix, const char *fallback, const char *key)
{
  return !fallback || wring_options_has(o, prefix, key) ? prefix : fallback;
}

PetscErrorCode wring_law_get_real(const wring_options *o, const char *prefix, const char *fallback,
                                  const wring_option *table, const char *key, double *v)
{
  PetscFunctionBegin;
  PetscCall(wring_options_get_real(o, wring_law_prefix(o, prefix, fallback, key), table, key, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_law_get_in_order(const wring_law *self, const wring_options *o, const char *prefix,
                                      const char *fallback, double *par)
{
  PetscFunctionBegin;
  for (int i = 0; i < self->n_par; i++)
    PetscCall(wring_law_get_real(o, prefix, fallback, self->options, self->options[i].key, &par[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
