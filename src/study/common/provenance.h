/* Provenance of a result: versions, machine, every key in force, the mesh; and its cost. */
#pragma once
#include <wring/problem.h>
#include "json.h"

/* "wring 0.1.0 (commit), PETSc 3.18.5, Open MPI v4.1.4, gcc 12.2.0". Collective. */
PetscErrorCode wring_version_line(size_t size, char *line);

/* Adds the provenance of a result: command, date, versions, ranks and threads. Collective. */
PetscErrorCode wring_provenance_build(PetscMPIInt n_rank, const char *command, json_t *json);

typedef struct {
  double seconds[WRING_N_PHASE]; // each the maximum over all ranks
  double total;                  // s
  double peak_memory;            // bytes, sum over all ranks
} wring_cost;

PetscErrorCode wring_cost_measure(wring_problem *p, wring_cost *c); // collective

/*
  An object for run.json and compare.json: provenance, keys in force (solver [n_solver]: wring_keys_in_force), mesh,
  operator, cost. New reference. Collective.
*/
PetscErrorCode wring_provenance(wring_problem *p, const char *command, PetscInt n_solver, const char *const *solver,
                                json_t **json);
