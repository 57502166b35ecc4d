/* Reading the parameters of a law from a deck: a region's keys first, those of all regions otherwise. */
#pragma once
#include <wring/law.h>

/* With which prefix key is to be read: prefix if the deck has that key, otherwise fallback, unless that is NULL. */
const char *wring_law_prefix(const wring_options *o, const char *prefix, const char *fallback, const char *key);

/* Reads key, an entry of table, with that prefix. Collective. */
PetscErrorCode wring_law_get_real(const wring_options *o, const char *prefix, const char *fallback,
                                  const wring_option *table, const char *key, double *v);

/* Reads par[i] from the i-th of the law's options, i < n_par. */
wring_law_reader wring_law_get_in_order;
