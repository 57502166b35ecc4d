/*
  Pictures by gnuplot. Rank 0 writes scripts; main draws them with wring_study_draw after MPI_Finalize, because a fork
  while MPI is up is not safe: pages that are registered with a network adapter may be corrupted by copy-on-write (Open
  MPI, FAQ on OpenFabrics and fork).
*/
#pragma once
#include <stdio.h>
#include <wring/study.h>

/*
  Begins directory/NAME.gp, which makes NAME.png of the given size in pixels: n panels side by side, with one legend to
  the right of them, the key of the first panel. NULL on error. The end adds it to the pictures to draw. Rank 0.
*/
FILE *wring_plot_begin(const char *directory, const char *name, int width, int height, wring_error *e);
void  wring_plot_panels(FILE *f, int n);
void  wring_plot_end(FILE *f, const char *directory, const char *name, wring_ending *end, wring_error *e);

/* A quoted gnuplot string; " with lines lw 2", colour and dashes of the i-th line, and its title (NULL: none). */
void wring_plot_quote(FILE *f, const char *text);
void wring_plot_line(FILE *f, const char *with, PetscInt i, const char *title);
