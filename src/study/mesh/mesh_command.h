/* What other commands need to know of those of `wring mesh`. */
#pragma once
#include "study/common/usage.h"

/* The commands of `wring mesh`, NULL past the end. */
const wring_usage *wring_mesh_usage(int i);

/* Prints the keys of one command of `wring mesh`, refused if there is none of this name; NULL: of all. Collective. */
PetscErrorCode wring_mesh_help(MPI_Comm comm, const char *name);
