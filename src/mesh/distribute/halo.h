/*
  Private to the library: ghosts and the PetscSFs of a distributed mesh.

  Map of mesh/distribute, in reading order:
    order.c       keys along a space-filling curve; slices.c rows of vertices from the slices of other ranks
    pieces.c      the tets of the slices in equal pieces of the curve; dual.c their graph, which partition/ cuts
    owners.c      the part that owns each vertex
    distribute.c  wring_mesh_distribute: from slices to parts; assess.c properties of parts of any number
    halo.c        ghosts and PetscSFs, from owned vertices and tets
    numbering.c   original numbers to global ones; rows of tables to the owners of their vertices; members of sets
    tet_values.c  rows of tables to tets
    gather.c      the mesh in original order, in slices and on rank 0, for files
  Not here: reading and refining.
*/
#pragma once
#include <wring/mesh.h>

/*
  m->forest.natural from m->number.original, and m->number.global from m->number.begin, of the owned vertices.
  Collective.
*/
PetscErrorCode wring_mesh_build_natural(wring_mesh *m);

/*
  On input m->tets.corner, and m->tets.mid if there is one, have global numbers, and the other fields are set for owned
  vertices. Finds the ghosts, with m->forest.halo, m->forest.coordinates and m->number.by_original, and converts the
  tets to local numbers. Collective.
*/
PetscErrorCode wring_mesh_join(wring_mesh *m);

/* The local number of a global one, negative if this rank does not have it. */
static inline PetscErrorCode wring_mesh_find_local(const wring_mesh *m, PetscInt global, PetscInt *local)
{
  PetscFunctionBegin;
  *local = global - m->number.begin;
  if (*local >= 0 && *local < m->n_owned) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFindInt(global, m->n_local - m->n_owned, m->number.global + m->n_owned, local));
  if (*local >= 0) *local += m->n_owned;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  global [n] of original [n] numbers, which may be the same table, from m->forest.natural and m->number.global.
  Collective.
*/
PetscErrorCode wring_mesh_find_globals(const wring_mesh *m, PetscInt n, const PetscInt *original, PetscInt *global);

/*
  Sends row [n][width] to the owners of the vertices whose original numbers are in this column: *got [*n_got][width],
  ascending, freed by the caller. Collective.
*/
PetscErrorCode wring_mesh_send_to_owners(const wring_mesh *m, PetscInt n, int width, int column, const PetscInt *row,
                                         PetscInt *n_got, PetscInt **got);

/*
  m->set.vertex and m->set.count, which are allocated, from member [n][2] set and original number of vertices of any
  ranks, perhaps repeated. Collective.
*/
PetscErrorCode wring_mesh_fill_sets(wring_mesh *m, PetscInt n, const PetscInt *member);
