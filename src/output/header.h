/* The first lines that a command prints. */
#pragma once
#include <wring/problem.h>

/* Version, ranks x threads, mesh, model, solver (may be NULL) and operator, integrator. Collective. */
PetscErrorCode wring_header_print(wring_problem *p, const char *solver);
