/* The commands of the program and of `wring mesh`, as listed in their tables: for usage, error messages and help. */
#pragma once
#include <wring/study.h>

/* A list ends with {0}. */
typedef struct {
  const char  *name, *arguments; // "run", "DECK [-key value ...]"
  const char  *help;             // a short sentence without a full stop
  wring_study *study;            // of a deck or of keys; NULL: a command that is called with words
  PetscBool    stops;            // signals and time.limit stop it
} wring_usage;

/* Appends "wring run|compare DECK [-key value ...], wring version" to a text; before: "wring" or "wring mesh". */
void wring_usage_append(const char *before, const wring_usage *list, size_t size, char *text);

const wring_usage *wring_usage_find(const wring_usage *list, const char *name); // NULL: none has this name

/* The name nearest to the typed word, NULL if none is near. */
const char *wring_usage_nearest(const wring_usage *list, const char *typed);

/* Prints a line for each command. Collective. */
void wring_usage_print(MPI_Comm comm, const char *before, const wring_usage *list);
