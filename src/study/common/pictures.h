/*
  Pictures by gnuplot. A command writes scripts, on rank 0, and adds each to the list of its ending; main draws them with
  wring_study_draw after MPI_Finalize. A fork while MPI is up is not safe with every MPI: memory that a network adapter has
  registered may be copied away from its parent (Open MPI, "Can I fork from an MPI process?").
*/
#pragma once
#include <stdio.h>
#include <wring/study.h>

/* The head of a script that makes NAME.png, of so many pixels. */
void wring_plot_head(FILE *f, const char *name, int width, int height);

/* Starts n panels side by side, with one legend to the right of them: the key of the first panel. */
void wring_plot_panels(FILE *f, int n);

/* A text of gnuplot's in quotes, and the look of the i-th line: its colour and dashes. */
void wring_plot_quote(FILE *f, const char *text);
void wring_plot_style(FILE *f, PetscInt i);

/* Adds directory/NAME.gp, which makes NAME.png, to the pictures to draw. Not collective: rank 0. */
void wring_pictures_add(const char *directory, const char *name, wring_ending *end);
