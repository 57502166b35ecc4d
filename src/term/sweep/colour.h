/*
  Private to src/term: colours of elements. No two elements of a colour share a vertex, so that a colour may be
  processed in any order, by any number of threads and ranks.

  Elements are coloured in the order of the sums of their original vertex numbers; ties are broken by a hash and then by
  the numbers themselves. Each element gets the first colour that is free at all of its vertices. Ranks work at the same
  time: an element waits only for those that come before it at its vertices [Jones, Plassmann 1993], so that the colours
  are those of one rank for any partition.
*/
#pragma once
#include <wring/mesh.h>

/*
  colour [n] of elements with vertices [n][m] (local numbers), m at most 4. Elements with the same vertices in the same
  order must be on one rank, in an order that does not depend on the partition; such elements on two ranks are refused.
  *n_colour: over all ranks. Collective.
*/
PetscErrorCode wring_colour_elements(const wring_mesh *mesh, int m, PetscInt n, const PetscInt *vertex,
                                     PetscInt *colour, PetscInt *n_colour);
