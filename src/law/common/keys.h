/* Reading the parameters of a law from a deck: a region's keys first, those of all regions otherwise. */
#pragma once
#include <wring/options.h>

/* Where key is to be read: behind prefix if it is set there, otherwise behind fallback, unless that is NULL. */
const char *wring_law_prefix(const wring_options *o, const char *prefix, const char *fallback, const char *key);

/* Reads key, an entry of table, there. Collective. */
PetscErrorCode wring_law_get_real(const wring_options *o, const char *prefix, const char *fallback,
                                  const wring_option *table, const char *key, double *v);
