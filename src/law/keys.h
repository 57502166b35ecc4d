/* Reading the parameters of a law from a deck. */
#pragma once
#include <wring/options.h>

/* The entry `key` of table behind prefix, or behind fallback where only that is set; fallback may be NULL. Collective. */
PetscErrorCode wring_law_get_real(const wring_options *o, const char *prefix, const char *fallback,
                                  const wring_option *table, const char *key, double *v);
