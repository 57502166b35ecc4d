#include "graph.h"

/* to [n_ghost]: the owners of the ghosts, which ascend. */
static PetscErrorCode find_owners(const wring_graph *g, PetscInt *to)
{
  PetscMPIInt p = 0;
  PetscInt64 *end, last = g->begin + g->n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)wring_comm_size(g->comm), &end));
  PetscCallMPI(MPI_Allgather(&last, 1, MPIU_INT64, end, 1, MPIU_INT64, g->comm));
  for (PetscInt i = 0; i < g->n_ghost; i++) {
    while (end[p] <= g->ghost[i]) p++;
    to[i] = p;
  }
  PetscCall(PetscFree(end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_join(wring_graph *g)
{
  const PetscInt64 n      = g->n;
  PetscInt64       all[2] = {n, 0}, *number;
  PetscInt        *to;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < g->n; v++) all[1] += wring_graph_load(g, v);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPIU_INT64, MPI_SUM, g->comm));
  g->all      = all[0];
  g->all_load = all[1];
  PetscCallMPI(MPI_Scan(&n, &g->begin, 1, MPIU_INT64, MPI_SUM, g->comm));
  g->begin -= n;
  PetscCall(PetscMalloc1((size_t)g->n_ghost, &to));
  PetscCall(find_owners(g, to));
  PetscCall(wring_exchange_create(g->comm, g->n_ghost, to, &g->x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&g->x, sizeof *g->ghost, g->ghost, &number));
  PetscCall(PetscMalloc1((size_t)g->x.n_got, &g->x.asked));
  for (PetscInt i = 0; i < g->x.n_got; i++) g->x.asked[i] = (PetscInt)(number[i] - g->begin);
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_destroy(wring_graph *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->start));
  PetscCall(PetscFree(g->adjacent));
  PetscCall(PetscFree(g->weight));
  PetscCall(PetscFree(g->load));
  PetscCall(PetscFree(g->section));
  PetscCall(PetscFree(g->ghost));
  PetscCall(wring_exchange_destroy(&g->x));
  *g = (wring_graph){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
