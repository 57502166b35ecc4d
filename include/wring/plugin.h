/*
  Layer 1, base: members of families, laws, solvers, integrators and shapes of colliders, that dynamic libraries bring:
  `-plugin FILE.so` on the command line.

  A plugin has the source of each member, which is the same as if it were a file of src (docs/developer.md, "How to
  add"), and in one of them the table of all, wring_plugin_table. docs/examples/plugin is one with a member of each
  family. It is compiled with the headers of the wring that loads it (target wring::plugin of CMake), and is not linked
  to libwring: its names are resolved when it is loaded.
*/
#pragma once
#include <wring/options.h>

/* The number is raised when a header that plugins include changes what it declares. */
#define WRING_INTERFACE_NUMBER "1"
#ifdef PETSC_USE_64BIT_INDICES
  #define WRING_INTERFACE "wring 0.2, interface " WRING_INTERFACE_NUMBER ", 64-bit PetscInt"
#else
  #define WRING_INTERFACE "wring 0.2, interface " WRING_INTERFACE_NUMBER ", 32-bit PetscInt"
#endif

enum { WRING_MOST_MEMBERS = 15 }; // of a family, of all plugins

/* A library defines one, as wring_plugin_table. Lists of members end with NULL; each begins with its name. */
typedef struct {
  const char                    *interface; // WRING_INTERFACE
  const struct wring_law        *law[WRING_MOST_MEMBERS + 1];
  const struct wring_solver_ops *solver[WRING_MOST_MEMBERS + 1];
  const struct wring_integrator *integrator[WRING_MOST_MEMBERS + 1];
  const struct wring_shape      *shape[WRING_MOST_MEMBERS + 1];
} wring_plugin;

extern PETSC_VISIBILITY_PUBLIC const wring_plugin wring_plugin_table;

/* The members of all plugins that are loaded, in the order of loading. Not collective. */
const wring_plugin *wring_plugins(void);

/*
  Adds the members of a table, for a program that links them; `file` names it in messages. builtin: names of wring's own
  members of each family, "qn|pd|...", which no other may have: those of wring_plugins_builtin (study.h). An error: a
  table of another interface, or a member that has the name of another one. Call it before the first deck is read, from
  one thread. Not collective.
*/
void wring_plugin_add(const char *file, const wring_plugin *p, const char *const builtin[WRING_FAMILIES],
                      wring_error *e);

/*
  Loads the library `file`, on every rank, and adds its members. A name without '/' is that of a file of the working
  directory. Refused in one line: a file that cannot be opened or is no plugin, and the errors of wring_plugin_add. The
  library stays until the process ends. Collective.
*/
PetscErrorCode wring_plugin_load(MPI_Comm comm, const char *file, const char *const builtin[WRING_FAMILIES]);
