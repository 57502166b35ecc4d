/* Threads that share cores: notes at the start of a command, and when others take the cores of what is measured. */
#pragma once
#include "io/json.h"

/* What one note may be about; plain data. */
typedef struct {
  MPI_Comm       comm;
  PetscBool      said;  // at most one note
  double         since; // MPI_Wtime
  wring_core_use use;   // until then
} wring_core_watch;

/*
  A note if a rank has more threads than cores that it may use, or else if the ranks of a node have together; the lowest
  rank that finds one speaks. Collective.
*/
PetscErrorCode wring_core_watch_start(MPI_Comm comm, wring_core_watch *w);

/* On rank 0, some time later: a note if its threads waited for cores. Logically collective. */
void wring_core_watch_look(wring_core_watch *w);

/* The note at the end, unless there has been one, of the rank that waited most, by the record. Logically collective. */
void wring_core_watch_end(wring_core_watch *w, const json_t *record);

/* Whether threads waited for cores in more than 5 % of the time in which they ran or could have run. */
PetscBool wring_core_shared(double share);

/* Since `before`, of the rank that waited most. Collective. */
PetscErrorCode wring_core_share(MPI_Comm comm, const wring_core_use *before, double *share);
