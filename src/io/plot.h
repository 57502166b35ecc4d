/*
  Pictures by gnuplot. Rank 0 writes scripts; main draws them after MPI_Finalize, because a fork while MPI is up is not
  safe: pages that are registered with a network adapter may be corrupted by copy-on-write (Open MPI, FAQ on OpenFabrics
  and fork).
*/
#pragma once
#include <stdio.h>
#include <wring/io.h>

/*
  Begins directory/NAME.gp, which makes NAME.png, `width` x 600 pixels: n panels side by side, with one legend to the
  right of them, the key of the first panel. NULL on error. The end adds it to the pictures to draw. Rank 0.
*/
FILE *wring_plot_begin(const char *directory, const char *name, int width, wring_error *e);
void  wring_plot_panels(FILE *f, int n);
void  wring_plot_end(FILE *f, const char *directory, const char *name, wring_pictures *p, wring_error *e);

/*
  Draws pictures, or none of them, and frees their list; if gnuplot is missing or fails, a note is printed on standard
  error, with the command that draws the first one that is missing.
*/
void wring_plot_draw(wring_pictures *p, PetscBool draws);

/* A quoted gnuplot string; " with lines lw 2", colour and dashes of the i-th line, and its title (NULL: none). */
void wring_plot_quote(FILE *f, const char *text);
void wring_plot_line(FILE *f, const char *with, PetscInt i, const char *title);
