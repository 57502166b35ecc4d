/* One comparison, from a deck to its files. Collective. */
#pragma once
#include "compare_solve.h"
#include <wring/study.h>

/* What a comparison prints: one line for each solver; with a header; with header and tables. */
typedef enum { WRING_PRINT_RESULTS, WRING_PRINT_HEADER, WRING_PRINT_ALL } wring_compare_output;

/* Problem, keys, x_0: bad input is refused here, before any file is written. o is borrowed and must outlive *s. */
PetscErrorCode wring_compare_create(MPI_Comm comm, const wring_options *o, wring_compare **s);
PetscErrorCode wring_compare_destroy(wring_compare **s);

/*
  Solves by every solver of compare_solvers, writes the files and prints what `output` asks for. Sets the status of
  `end` if a solver failed or the comparison was stopped.
*/
PetscErrorCode wring_compare_run(wring_compare *s, wring_stopper *stopper, wring_compare_output output,
                                 wring_ending *end);
