/*
  Pictures by gnuplot. Rank 0 writes scripts and adds each to the command's wring_ending; main draws them with
  wring_study_draw after MPI_Finalize, because a fork while MPI is up is not safe: pages that are registered with a
  network adapter may be corrupted by copy-on-write (Open MPI, FAQ on OpenFabrics and fork).
*/
#pragma once
#include <stdio.h>
#include <wring/study.h>

/* Writes the head of a script that makes NAME.png of the given size in pixels. */
void wring_plot_head(FILE *f, const char *name, int width, int height);

/* Starts n panels side by side, with one legend to the right of them: the key of the first panel. */
void wring_plot_panels(FILE *f, int n);

/* A quoted gnuplot string; colour and dashes of the i-th line. */
void wring_plot_quote(FILE *f, const char *text);
void wring_plot_style(FILE *f, PetscInt i);

/* Adds directory/NAME.gp, which makes NAME.png, to the pictures to draw. Not collective: rank 0. */
void wring_pictures_add(const char *directory, const char *name, wring_ending *end);
