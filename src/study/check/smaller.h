/*
  A smaller body of the deck's kind, which check builds in the place of a large one. Bytes grow like the vertices, those
  of factors like the power 4/3 of them.
*/
#pragma once
#include <wring/options.h>

typedef struct {
  wring_options *o;      // the deck of the smaller body, destroyed by the caller; NULL: that of the deck is built
  double         growth; // vertices of the deck's body over those of this one; 1 without it
  double         tets;   // the same of tetrahedra
} wring_smaller;

/*
  If the deck has a box, or refines a file of tetrahedra, with more than 100,000 vertices, and no input by numbers of
  vertices or tetrahedra: a deck with at most about so many, for which everything is chosen as for the large one; none
  if a set has no vertex there, or the numbers of the large one do not fit `ranks` ranks. Collective.
*/
PetscErrorCode wring_smaller_find(const wring_options *o, PetscInt ranks, wring_smaller *s);

/* Bytes that `ranks` ranks with n vertices together take more than one rank does. Not collective. */
double wring_smaller_ranks(double n, int ranks);
