/* Plugins of a command line: `-plugin FILE.so`, wring/plugin.h. */
#pragma once
#include <wring/options.h>

extern const wring_option wring_plugin_options[]; // plugin: the files, for the record of a result

/*
  Loads the plugins that words [*n] name, in their order, takes them out of these words, and sets list [size]: their
  names, separated by commas. Collective.
*/
PetscErrorCode wring_plugins_load(MPI_Comm comm, int *n, char **words, size_t size, char *list);

/* Sets the key plugin to the list, unless it is empty. A deck that has the key is refused. Collective. */
PetscErrorCode wring_plugins_keep(const char *list, wring_options *o);
