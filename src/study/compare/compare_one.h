/* One comparison, from a deck to its files. Collective. */
#pragma once
#include "compare_solve.h"
#include <wring/study.h>

/* What a comparison prints: one line a solver; with a header; and with tables. */
typedef enum { WRING_TELL_RESULTS, WRING_TELL_HEADER, WRING_TELL_ALL } wring_telling;

/* Problem, keys, x_0: bad input is refused here, before any file is written. o is borrowed and must outlive *s. */
PetscErrorCode wring_compare_create(MPI_Comm comm, const wring_options *o, wring_compare **s);
PetscErrorCode wring_compare_destroy(wring_compare **s);

/*
  Solves by every solver of compare_solvers, writes the files and prints what `tells` asks for. The status of `end` is set
  where a solver failed or the stopper stopped it.
*/
PetscErrorCode wring_compare_run(wring_compare *s, wring_stopper *stopper, wring_telling tells, wring_ending *end);
