/* Scripts for gnuplot, on rank 0: what all of them share, and how they are run. */
#pragma once
#include <stdio.h>
#include <wring/base.h>

/* The head of a script that makes NAME.png, of so many pixels. */
void wring_plot_head(FILE *f, const char *name, int width, int height);

/* Starts n panels side by side, with one legend to the right of them: the key of the first panel. */
void wring_plot_panels(FILE *f, int n);

/* A text of gnuplot's in quotes, and the look of the i-th line: its colour and dashes. */
void wring_plot_quote(FILE *f, const char *text);
void wring_plot_style(FILE *f, PetscInt i);

/* Runs NAME.gp of a directory; NAME.png appears whole, or not at all: false. */
PetscBool wring_plot_run(const char *directory, const char *name);

/* The note that there are no pictures. */
PetscErrorCode wring_plot_note(void);
