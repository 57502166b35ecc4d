/* Notes on threads that share cores: at the start of a command, and when other processes take the cores of a run. */
#pragma once
#include <wring/base.h>

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

/* On rank 0, some time later: a note if other processes kept its threads waiting for cores. Logically collective. */
void wring_core_watch_look(wring_core_watch *w);
