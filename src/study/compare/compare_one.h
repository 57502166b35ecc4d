/* One comparison, from a deck to its files. Collective. */
#pragma once
#include "comparison.h"
#include <wring/options.h>

/* What a comparison prints: one line a solver; with a header; and with tables and the note on pictures. */
typedef enum { WRING_TELL_RESULTS, WRING_TELL_HEADER, WRING_TELL_ALL } wring_telling;

/*
  Solves by every solver that compare_solvers names, writes the files and prints what `tells` says. Bad input is refused
  before any file is written. c is to be cleared by wring_comparison_clear.
*/
PetscErrorCode wring_comparison_make(MPI_Comm comm, const wring_options *o, wring_telling tells, wring_comparison *c);

/* Refuses what wring_comparison_make would refuse. */
PetscErrorCode wring_comparison_rehearse(MPI_Comm comm, const wring_options *o);
