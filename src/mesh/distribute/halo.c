#include "halo.h"
#include "mesh/data.h"
#include "base/parallel/consensus.h"
#include "base/sort.h"

static PetscErrorCode create_halo(const wring_mesh *m, PetscSF *halo)
{
  const PetscInt n_ghost = m->n_local - m->n_owned;
  PetscInt      *leaf;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n_ghost, &leaf));
  for (PetscInt i = 0; i < n_ghost; i++) leaf[i] = m->n_owned + i;
  PetscCall(PetscSFDestroy(halo));
  PetscCall(
    wring_sf_create(m->comm, m->n_owned, m->number.n_global, n_ghost, leaf, m->number.global + m->n_owned, halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Three roots and leaves for each of the halo, in local numbers, because three times a global number may exceed
  PetscInt.
*/
static PetscErrorCode create_coordinates(const wring_mesh *m, PetscSF *coordinates)
{
  PetscInt           n, *leaf;
  const PetscSFNode *remote;
  PetscSFNode       *root;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->forest.halo, NULL, &n, NULL, &remote));
  PetscCall(PetscMalloc1(3 * (size_t)n, &leaf));
  PetscCall(PetscMalloc1(3 * (size_t)n, &root));
  for (PetscInt i = 0; i < 3 * n; i++) {
    leaf[i] = 3 * (m->n_owned + i / 3) + i % 3;
    root[i] = (PetscSFNode){.rank = remote[i / 3].rank, .index = 3 * remote[i / 3].index + i % 3};
  }
  PetscCall(PetscSFDestroy(coordinates));
  PetscCall(PetscSFCreate(m->comm, coordinates));
  PetscCall(PetscSFSetGraph(*coordinates, 3 * m->n_owned, 3 * n, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(wring_sf_set_up(*coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  m->forest.halo and m->forest.coordinates from m->number.global [n_local]; then m->number.original and m->X of the
  ghosts, and m->number.by_original.
*/
static PetscErrorCode build_halo(wring_mesh *m)
{
  PetscFunctionBegin;
  PetscCall(create_halo(m, &m->forest.halo));
  PetscCall(create_coordinates(m, &m->forest.coordinates));
  PetscCall(PetscSFBcastBegin(m->forest.halo, MPIU_INT, m->number.original, m->number.original, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, MPIU_INT, m->number.original, m->number.original, MPI_REPLACE));
  PetscCall(PetscSFBcastBegin(m->forest.halo, m->forest.vector, m->X, m->X, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, m->forest.vector, m->X, m->X, MPI_REPLACE));
  PetscCall(PetscFree(m->number.by_original));
  PetscCall(PetscMalloc1((size_t)m->n_local, &m->number.by_original));
  PetscCall(wring_order_numbers(m->n_local, m->number.original, m->number.by_original));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_build_natural(wring_mesh *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(m->number.global));
  PetscCall(PetscMalloc1((size_t)m->n_owned, &m->number.global));
  for (PetscInt i = 0; i < m->n_owned; i++) m->number.global[i] = m->number.begin + i;
  PetscCall(PetscSFDestroy(&m->forest.natural));
  PetscCall(wring_sf_create(m->comm, PETSC_DECIDE, m->number.n_global, m->n_owned, NULL, m->number.original,
                            &m->forest.natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool owns(const wring_mesh *m, PetscInt global)
{
  return (PetscBool)(global >= m->number.begin && global < m->number.begin + m->n_owned);
}

/* vertex [n], from global to local numbers. */
static PetscErrorCode localize(const wring_mesh *m, size_t n, PetscInt *vertex)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < n; i++) PetscCall(wring_mesh_find_local(m, vertex[i], &vertex[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ghosts become those of vertex [n], global numbers of any vertices; the tets have global numbers. */
static PetscErrorCode replace_ghosts(wring_mesh *m, PetscInt n, PetscInt *vertex)
{
  PetscInt    n_ghost = 0;
  wring_error error   = {""};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    if (!owns(m, vertex[i])) vertex[n_ghost++] = vertex[i];
  PetscCall(wring_sort_unique(&n_ghost, vertex));
  m->n_local = m->n_owned + n_ghost;
  wring_mesh_part_fits(m->number.n_global, m->n_local, m->tets.n, &error);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscCall(PetscRealloc((size_t)m->n_local * sizeof *m->number.global, &m->number.global));
  PetscCall(PetscRealloc((size_t)m->n_local * sizeof *m->number.original, &m->number.original));
  PetscCall(PetscRealloc(3 * (size_t)m->n_local * sizeof *m->X, &m->X));
  PetscCall(PetscArraycpy(m->number.global + m->n_owned, vertex, n_ghost));
  PetscCall(localize(m, 4 * (size_t)m->tets.n, m->tets.corner));
  if (m->tets.mid) PetscCall(localize(m, 6 * (size_t)m->tets.n, m->tets.mid));
  PetscCall(build_halo(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_join(wring_mesh *m)
{
  PetscInt *ghost, n = 0;

  PetscFunctionBegin;
  for (size_t i = 0; i < 4 * (size_t)m->tets.n; i++) n += !owns(m, m->tets.corner[i]);
  for (size_t i = 0; m->tets.mid && i < 6 * (size_t)m->tets.n; i++) n += !owns(m, m->tets.mid[i]);
  PetscCall(PetscMalloc1((size_t)n, &ghost));
  n = 0;
  for (size_t i = 0; i < 4 * (size_t)m->tets.n; i++)
    if (!owns(m, m->tets.corner[i])) ghost[n++] = m->tets.corner[i];
  for (size_t i = 0; m->tets.mid && i < 6 * (size_t)m->tets.n; i++)
    if (!owns(m, m->tets.mid[i])) ghost[n++] = m->tets.mid[i];
  PetscCall(replace_ghosts(m, n, ghost));
  PetscCall(PetscFree(ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_extend_halo(wring_mesh *m, PetscInt n, const PetscInt *original)
{
  const PetscInt n_ghost = m->n_local - m->n_owned;
  PetscInt      *vertex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(n + n_ghost), &vertex));
  PetscCall(wring_mesh_find_globals(m, n, original, vertex));
  PetscCall(PetscArraycpy(vertex + n, m->number.global + m->n_owned, n_ghost));
  for (size_t i = 0; i < 4 * (size_t)m->tets.n; i++) m->tets.corner[i] = m->number.global[m->tets.corner[i]];
  for (size_t i = 0; m->tets.mid && i < 6 * (size_t)m->tets.n; i++) m->tets.mid[i] = m->number.global[m->tets.mid[i]];
  PetscCall(replace_ghosts(m, n + n_ghost, vertex));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}
