/* The commands of the program and of `wring mesh`, as listed in their tables: for usage, error messages and help. */
#pragma once
#include <wring/base.h>

typedef struct {
  const char *name, *arguments; // "run", "DECK [-key value ...]"
  const char *help;             // a short sentence without a full stop
} wring_usage;

typedef const wring_usage *wring_usage_entry(int i); // NULL past the end

/* Appends "wring run|compare DECK [-key value ...], wring version" to a text; before: "wring" or "wring mesh". */
void wring_usage_append(const char *before, wring_usage_entry *entry, size_t size, char *text);

const wring_usage *wring_usage_find(wring_usage_entry *entry, const char *name); // NULL: none has this name

/* The name nearest to the typed word, NULL if none is near. */
const char *wring_usage_nearest(wring_usage_entry *entry, const char *typed);

/* Prints a line for each command. Collective. */
PetscErrorCode wring_usage_print(MPI_Comm comm, const char *before, wring_usage_entry *entry);
