/* Reads the parameters of a law from a deck: the key of the region if it is set, otherwise the key for all regions. */
#pragma once
#include <wring/law.h>

/* The prefix with which key is read: prefix if the deck sets that key or fallback is NULL, otherwise fallback. */
const char *wring_law_prefix(const wring_options *o, const char *prefix, const char *fallback, const char *key);

/* Reads key, an entry of table, with that prefix. Collective. */
PetscErrorCode wring_law_get_real(const wring_options *o, const char *prefix, const char *fallback,
                                  const wring_option *table, const char *key, double *v);

/* Reads par[i] from the i-th option of the law, i < n_par. */
wring_law_reader wring_law_get_in_order;
