/*
  To be included before any other header, because it requests mkstemp. Spline materials for tests: temporary files, and
  parameters that differ from lane to lane.
*/
#pragma once
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "law/common/spline.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes text to a new file. Its name is stored in path [size]; the caller removes it. */
static inline void test_write_file(const char *text, size_t size, char *path)
{
  snprintf(path, size, "/tmp/wring_test_XXXXXX");
  const int    file   = mkstemp(path);
  const size_t length = strlen(text);
  CHECK(file >= 0 && write(file, text, length) == (ssize_t)length && close(file) == 0, "%s cannot be written", path);
}

/* par [SPLINE_N_PAR] read from a text, the same on all ranks of comm; returns an error if the text is refused. */
static inline PetscErrorCode test_read_spline(MPI_Comm comm, const char *text, double *par)
{
  char           path[64];
  wring_options *o;
  test_write_file(text, sizeof path, path); // one on every rank; that of rank 0 is read
  PetscCallAbort(comm, wring_options_create(comm, &o));
  PetscCallAbort(comm, wring_options_set(o, "material_file", path, "deck.yaml:3"));
  const PetscErrorCode code = wring_law_spline.set_par(&wring_law_spline, o, "region_tooth_", "material_", par);
  PetscCallAbort(comm, wring_options_destroy(&o));
  unlink(path);
  return code;
}

/* Points at 1 and elsewhere, unevenly spaced, b' and c' not 0 at 1; with and without slopes. */
static const char test_spline_without_slopes[] =
  "function,x,value\n"
  "a,0.1,-1.2\na,0.55,-0.1\na,0.8,0.3\na,1,0.7\na,1.25,1.1\na,1.7,2.1\na,3,3.5\n"
  "b,0.2,-0.5\nb,0.9,0.1\nb,1,0.2\nb,1.2,0.3\nb,2,0.9\n"
  "c,0,-3\nc,0.6,-2\nc,1,-1.1\nc,1.4,-0.3\n";
static const char test_spline_with_slopes[] = "function,x,value,slope\n"
                                              "c,0.3,-4,4\na,0.5,0.6,2\na,1.5,2.6,2\nc,0.7,-2.5,3.25\n"
                                              "c,1.3,-0.7,3.25\nc,4,2,0.5\n";

/* par of the two files, alternating over the lanes, times 1 to 2: parameters enter psi linearly. */
static inline void test_spline_par(uint64_t *state, double par[SPLINE_N_PAR][WRING_LANES])
{
  static const char *const text[2] = {test_spline_without_slopes, test_spline_with_slopes};
  double                  *one;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1(SPLINE_N_PAR, &one));
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double factor = 1.5 + 0.5 * test_random(state);
    PetscCallAbort(PETSC_COMM_SELF, test_read_spline(PETSC_COMM_SELF, text[lane % 2], one));
    for (int i = 0; i < SPLINE_N_PAR; i++) par[i][lane] = factor * one[i];
    for (int f = 0; f < SPLINE_FUNCTIONS; f++) { // except for the positions of the pieces
      const int places[3] = {spline_break_row(f), spline_piece_row(f, PIECE_BASE), spline_piece_row(f, PIECE_LOWER)};
      par[SPLINE_COUNT + f][lane] = one[SPLINE_COUNT + f];
      for (int p = 0; p < 3 * SPLINE_PIECES; p++) {
        const int row  = places[p / SPLINE_PIECES] + p % SPLINE_PIECES;
        par[row][lane] = one[row];
      }
    }
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(one));
}
