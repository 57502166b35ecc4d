/*
  Private to src/mesh: whole numbers of parts, below 2^53, summed over all ranks. Of more than 64 parts each has a home,
  a rank that exchanges messages with those that use the part; of fewer parts all ranks have all sums. The arrays
  [n_part][width] are for the parts in use on this rank only.
*/
#pragma once
#include <wring/base.h>

typedef struct {
  MPI_Comm     comm;
  MPI_Datatype type; // width numbers
  PetscSF      sf;   // from parts in use to homes; NULL: few parts
  int          width;
  PetscInt     n_part, n, n_known; // all parts; those in use here, and of them in sf
  PetscInt    *part;               // [n] in use
  char        *is_used;            // [n_part]
  PetscInt     n_home;             // parts of which this rank has the sum, whether or not they are in use
  double      *home;               // [n_home][width] sums
  double      *change, *sum;       // [n_part][width] to be added, which become 0; the sums
} wring_sums;

PetscErrorCode wring_sums_create(MPI_Comm comm, PetscInt n_part, int width, wring_sums *s); // sums of 0; collective
PetscErrorCode wring_sums_destroy(wring_sums *s);

/* part [n], with repetitions: in use here from the next wring_sums_know on. Not collective. */
void wring_sums_use(wring_sums *s, PetscInt n, const PetscInt *part);

/* After calls of wring_sums_use on any rank. Collective. */
PetscErrorCode wring_sums_know(wring_sums *s);

/* Adds change of all ranks to the sums. Collective. */
PetscErrorCode wring_sums_add(wring_sums *s);
