#include "partition.h"
#include "base/count.h"
#include <petscmat.h>

/* The graph as a matrix, which has equal loads and edges. */
static PetscErrorCode create_adjacency(const wring_graph *g, Mat *A)
{
  wring_error error = {""};
  PetscInt   *start, *adjacent;

  PetscFunctionBegin;
  wring_count_fits(g->all, 1, "mesh", "tetrahedra that PETSc partitions", &error);
  PetscCall(wring_error_raise(g->comm, &error));
  PetscCall(PetscMalloc1((size_t)g->n + 1, &start)); // both belong to the matrix
  PetscCall(PetscMalloc1((size_t)g->start[g->n], &adjacent));
  PetscCall(PetscArraycpy(start, g->start, g->n + 1));
  for (PetscInt i = 0; i < g->start[g->n]; i++) adjacent[i] = (PetscInt)wring_graph_number(g, g->adjacent[i]);
  PetscCall(MatCreateMPIAdj(g->comm, g->n, (PetscInt)g->all, start, adjacent, NULL, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_cut_package(const wring_graph *g, const wring_cut *c, PetscInt *part)
{
  const MatPartitioningType type =
    c->partitioner == WRING_PARTITIONER_PTSCOTCH ? MATPARTITIONINGPTSCOTCH : MATPARTITIONINGPARMETIS;
  const PetscInt *value;
  MatPartitioning p;
  Mat             A;
  IS              is;

  PetscFunctionBegin;
  PetscCall(create_adjacency(g, &A));
  PetscCall(MatPartitioningCreate(g->comm, &p));
  PetscCall(MatPartitioningSetAdjacency(p, A));
  PetscCall(MatPartitioningSetType(p, type));
  PetscCall(MatPartitioningSetNParts(p, c->n_part));
  PetscCall(MatPartitioningApply(p, &is));
  PetscCall(ISGetIndices(is, &value));
  PetscCall(PetscArraycpy(part, value, g->n));
  PetscCall(ISRestoreIndices(is, &value));
  PetscCall(ISDestroy(&is));
  PetscCall(MatPartitioningDestroy(&p));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
