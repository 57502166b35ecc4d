/* Original and local numbers: look-up, additional ghosts, and rows of tables sent to the owners. */
#include "base/parallel/consensus.h"
#include "base/sort.h"
#include "blocks.h"
#include "halo.h"

/* Owners write global numbers into blocks by original number, from which all ranks read. */
PetscErrorCode wring_mesh_find_globals(const wring_mesh *m, PetscInt n, const PetscInt *original, PetscInt *global)
{
  PetscInt    n_block, *block;
  PetscLayout layout;
  PetscSF     reader;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->natural, &n_block, NULL, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)n_block, &block));
  PetscCall(PetscSFReduceBegin(m->natural, MPIU_INT, m->global, block, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(m->natural, MPIU_INT, m->global, block, MPI_REPLACE));
  PetscCall(PetscLayoutCreateFromSizes(m->comm, n_block, m->n_global, 1, &layout));
  PetscCall(PetscSFCreate(m->comm, &reader));
  PetscCall(PetscSFSetGraphLayout(reader, layout, n, NULL, PETSC_COPY_VALUES, original));
  PetscCall(wring_sf_set_up(reader));
  PetscCall(PetscSFBcastBegin(reader, MPIU_INT, block, global, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(reader, MPIU_INT, block, global, MPI_REPLACE));
  PetscCall(PetscSFDestroy(&reader));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Old and new ghosts by global number, ascending; ghost has room for both. */
static PetscErrorCode merge_ghosts(const wring_mesh *m, PetscInt n_more, const PetscInt *more, PetscInt *n,
                                   PetscInt *ghost)
{
  PetscFunctionBegin;
  *n = m->n_local - m->n_owned;
  PetscCall(PetscArraycpy(ghost, m->global + m->n_owned, *n));
  for (PetscInt i = 0; i < n_more; i++)
    if (more[i] < m->begin || more[i] >= m->begin + m->n_owned) ghost[(*n)++] = more[i];
  PetscCall(wring_sort_unique(n, ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ghosts in vertex [n] get their places among ghost [n_ghost]. */
static PetscErrorCode renumber(const wring_mesh *m, PetscInt n_ghost, const PetscInt *ghost, size_t n, PetscInt *vertex)
{
  PetscInt at;

  PetscFunctionBegin;
  for (size_t i = 0; i < n; i++) {
    if (vertex[i] < m->n_owned) continue;
    PetscCall(PetscFindInt(m->global[vertex[i]], n_ghost, ghost, &at));
    vertex[i] = m->n_owned + at;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode renumber_ghosts(wring_mesh *m, PetscInt n_ghost, const PetscInt *ghost)
{
  PetscFunctionBegin;
  PetscCall(renumber(m, n_ghost, ghost, 4 * (size_t)m->n_tet, m->tet));
  if (m->mid) PetscCall(renumber(m, n_ghost, ghost, 6 * (size_t)m->n_tet, m->mid));
  m->n_local = m->n_owned + n_ghost;
  PetscCall(PetscRealloc((size_t)m->n_local * sizeof *m->global, &m->global));
  PetscCall(PetscRealloc((size_t)m->n_local * sizeof *m->original, &m->original));
  PetscCall(PetscRealloc(3 * (size_t)m->n_local * sizeof *m->X, &m->X));
  PetscCall(PetscArraycpy(m->global + m->n_owned, ghost, n_ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_extend_halo(wring_mesh *m, PetscInt n, const PetscInt *original)
{
  PetscInt *more, *ghost, n_ghost;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &more, (size_t)(n + m->n_local - m->n_owned), &ghost));
  PetscCall(wring_mesh_find_globals(m, n, original, more));
  PetscCall(merge_ghosts(m, n, more, &n_ghost, ghost));
  PetscCall(renumber_ghosts(m, n_ghost, ghost));
  PetscCall(PetscFree2(more, ghost));
  PetscCall(wring_mesh_build_halo(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_mesh_local(const wring_mesh *m, PetscInt original)
{
  PetscInt first = 0, last = m->n_local;
  while (first < last) {
    const PetscInt middle = first + (last - first) / 2, v = m->by_original[middle];
    if (m->original[v] == original) return v;
    if (m->original[v] < original)
      first = middle + 1;
    else
      last = middle;
  }
  return -1;
}

PetscErrorCode wring_mesh_find_owners(const wring_mesh *m, PetscInt n, PetscInt *number)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(wring_mesh_find_globals(m, n, number, number));
  PetscCall(PetscLayoutCreateFromSizes(m->comm, m->n_owned, m->n_global, 1, &layout));
  PetscCall(wring_blocks_find_owners(layout, n, number));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_route_rows(const wring_mesh *m, PetscInt n_row, int width, const double *row,
                                     PetscInt *n_mine, double **mine)
{
  PetscMPIInt rank;
  PetscInt   *order, *owner;
  uint64_t   *key;
  double     *sorted;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  const size_t n = rank ? 0 : (size_t)n_row, w = (size_t)width;
  PetscCall(PetscMalloc3(n, &order, n, &owner, n, &key));
  PetscCall(PetscMalloc1(n * w, &sorted));
  for (size_t i = 0; i < n; i++) key[i] = (uint64_t)row[i * w];
  PetscCall(wring_order_keys((PetscInt)n, key, order));
  for (size_t i = 0; i < n; i++) {
    owner[i] = (PetscInt)key[i];
    PetscCall(PetscArraycpy(sorted + i * w, row + (size_t)order[i] * w, w));
  }
  PetscCall(wring_mesh_find_owners(m, (PetscInt)n, owner));
  PetscCall(wring_exchange_rows(m->comm, (PetscInt)n, owner, w * sizeof *row, sorted, n_mine, mine));
  PetscCall(PetscFree(sorted));
  PetscCall(PetscFree3(order, owner, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}
