/* Threads that share cores: notes at the start of a command, and when others take the cores of what is measured. */
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

/* The part of the time of threads that ran or were ready to, in which they waited for a core, is noted above this. */
extern const double wring_core_share_noted;

/* On rank 0, some time later: a note if its threads waited for cores. Logically collective. */
void wring_core_watch_look(wring_core_watch *w);

/* The note, unless there has been one: `who`, such as "the threads of rank 3", waited. Logically collective. */
void wring_core_watch_say(wring_core_watch *w, const char *who, double share);

/* Since `before`, of the rank that waited most. Collective. */
PetscErrorCode wring_core_share(MPI_Comm comm, const wring_core_use *before, double *share);
