/* Parts of the record of a result. Private to src/study/record. */
#pragma once
#include <jansson.h>
#include <wring/problem.h>

/* Adds `hosts`, `ranks_per_host`, `processor`, `binding`, `job`. Collective; the object of rank 0 is filled. */
PetscErrorCode wring_record_machine(MPI_Comm comm, json_t *json);

/* Adds `libraries`: an object of names and versions; and `build`. Not collective. */
PetscErrorCode wring_record_libraries(json_t *json);
void           wring_record_build(json_t *json);

/* "Open MPI v4.1.4"; "gcc 12.2.0". */
PetscErrorCode wring_mpi_version(size_t size, char *text);
PetscErrorCode wring_petsc_version(size_t size, char *text);
const char    *wring_compiler(void);
