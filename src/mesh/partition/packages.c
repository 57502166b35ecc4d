#include "partition.h"
#include "base/count.h"
#include <dlfcn.h>

/* PETSc passes its integers to PT-Scotch as they are: Debian's PETSc with 64 bits has a PT-Scotch with 32. */
static PetscBool has_width_of_scotch(void)
{
  void *const all  = dlopen(NULL, RTLD_LAZY);
  PetscBool   same = PETSC_TRUE; // if it does not say
  if (!all) return same;
  int (*size)(void);
  *(void **)&size = dlsym(all, "SCOTCH_numSizeof");
  if (size) same = (PetscBool)(size() == (int)sizeof(PetscInt));
  dlclose(all);
  return same;
}

PetscBool wring_cut_has_package(wring_partitioner p, const char **missing)
{
  *missing = NULL;
#if !defined(PETSC_HAVE_PTSCOTCH)
  if (p == WRING_PARTITIONER_PTSCOTCH) *missing = "PT-Scotch";
#endif
#if !defined(PETSC_HAVE_PARMETIS)
  if (p == WRING_PARTITIONER_PARMETIS) *missing = "ParMETIS";
#endif
  if (p == WRING_PARTITIONER_PTSCOTCH && !*missing && !has_width_of_scotch())
    *missing = "PT-Scotch whose integers are as wide as PETSc's";
  return (PetscBool) !*missing;
}

/* The graph as a matrix, which has equal loads and edges; its columns are sorted, as MatCreateMPIAdj expects. */
static PetscErrorCode create_adjacency(const wring_graph *g, Mat *A)
{
  PetscInt *start, *adjacent;

  PetscFunctionBegin;
  PetscCall(wring_count_check(g->comm, g->all, 1, "mesh", "tetrahedra that PETSc partitions"));
  PetscCall(PetscMalloc1((size_t)g->n + 1, &start)); // both belong to the matrix
  PetscCall(PetscMalloc1((size_t)g->start[g->n], &adjacent));
  PetscCall(PetscArraycpy(start, g->start, g->n + 1));
  for (PetscInt i = 0; i < g->start[g->n]; i++) adjacent[i] = (PetscInt)wring_graph_number(g, g->adjacent[i]);
  for (PetscInt i = 0; i < g->n; i++) PetscCall(PetscSortInt(start[i + 1] - start[i], adjacent + start[i]));
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
