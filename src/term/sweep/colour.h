/*
  Private to src/term: colours of elements. No two elements of a colour share a vertex, so that a colour may be
  processed in any order, by any number of threads and ranks.

  Elements are coloured one after the other; each gets the first colour that is free at all of its vertices. Ranks work
  at the same time: an element waits only for those that come before it at its vertices [Jones, Plassmann 1993], so that
  the colours are those of one rank for any partition. Ties of the order are broken by a hash and then by the numbers of
  the vertices.

  In meshes of up to 2^20 vertices, the order is that of the sums of original vertex numbers. Its rounds, in which ranks
  wait for each other, grow with the number of ranks between the ends of the mesh (1860 for 512 ranks along a bar). In
  larger meshes, the order is random (a hash), so that rounds are at most the longest path of neighbours along which
  random numbers descend: O(neighbours of an element + log(elements)), whatever the number of ranks (77 there).
*/
#pragma once
#include <wring/mesh.h>

/*
  colour [n] of elements with vertices [n][m] (local numbers), m at most 4, or 10 of second-order tets, the fourth
  corner last. Elements with the same vertices in the same order must be on one rank, in an order that does not depend
  on the partition; such elements on two ranks are refused.
  *n_colour: over all ranks. *n_round: rounds, may be NULL. Collective.
*/
PetscErrorCode wring_colour_elements(const wring_mesh *mesh, PetscBool random, int m, PetscInt n,
                                     const PetscInt *vertex, PetscInt *colour, PetscInt *n_colour, PetscInt *n_round);

/* Whether a mesh is so large that its elements and vertices are coloured in random order. */
static inline PetscBool wring_colour_at_random(const wring_mesh *m)
{
  return (PetscBool)(m->number.n_global > 1 << 20);
}
