/* The results of a comparison: files and pictures on rank 0, and tables on the screen. */
#pragma once
#include "comparison.h"
#include "study/common/json.h"
#include <wring/study.h>

/* The files that comparisons and parameter grids leave; NULL ends the list. */
extern const char *const wring_comparison_files[];

/*
  Removes those files of an earlier comparison or parameter grid that are not `written`, a list that ends with NULL;
  none after an error. Rank 0, as the next four.
*/
void wring_comparison_remove_others(const char *directory, const char *const *written, wring_error *e);
void wring_comparison_csv(const wring_comparison *c, const char *directory, wring_error *e);
void wring_comparison_residuals(const wring_comparison *c, const char *directory, wring_error *e); // or removes it
void wring_comparison_json(const wring_comparison *c, const char *directory, json_t *provenance, wring_error *e);

/* compare.gp and compare_parts.gp; their pictures are drawn once the command has ended. */
void wring_comparison_plot(const wring_comparison *c, const char *directory, wring_ending *end, wring_error *e);

/* Errors at the report, iterations and seconds to errors, and the end of a solver. New reference. */
json_t *wring_convergence_json(const wring_comparison *c, const wring_convergence *h);

/* Prints "nan" and "inf" without signs, as other programs read them. */
void wring_print_real(FILE *f, double value);

/* A relative error in percent, "-" where nothing was measured. */
void wring_percent(double error, size_t size, char *text);

/* Relative errors, times and condition numbers on the screen. Collective. */
PetscErrorCode wring_comparison_print(MPI_Comm comm, const wring_comparison *c);
