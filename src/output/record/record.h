/*
  Parts of the record of a result: how and where it was made, and what it has cost. Read in this order:

    record.c        a problem: mesh, operator, seconds, work, memory
    libraries.c     the program: versions of it and of its libraries, how it was compiled
    machine.c       hosts, ranks, processor, cores, the job of a batch system

  Not here: the command, its keys and the files that they name (study/common/provenance.h).
*/
#pragma once
#include "io/json.h"
#include <wring/problem.h>

/* Adds `mesh`, `operator`, `seconds`, `phases`, `waited`, `work`, `peak_memory` and `memory`. Collective. */
PetscErrorCode wring_record_problem(wring_problem *p, json_t *json);

/* Adds `version`, `commit`, `petsc`, `petsc_int_bits`, `mpi`, `compiler`, `libraries` and `build`. Not collective. */
void wring_record_program(json_t *json);

/* "wring 0.2.0 (commit), PETSc 3.18.5, Open MPI v4.1.4, gcc 12.2.0". Not collective. */
void wring_version_line(size_t size, char *line);

/* Adds `hosts`, `ranks_per_host`, `processor`, `binding`, `job`. Collective; the object of rank 0 is filled. */
PetscErrorCode wring_record_machine(MPI_Comm comm, json_t *json);

/* Adds the time now, UTC, such as "2026-11-22T15:23:41Z". Not collective. */
void wring_record_date(const char *key, json_t *json);
