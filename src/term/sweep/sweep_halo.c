/* Communication in a sweep. */
#include "sweep_impl.h"
#include "mesh/bodies.h"

/* x = start + the moves of all ranks / their number, at owned vertices that other ranks also have. */
PetscErrorCode wring_sweep_average(wring_sweep *s)
{
  const wring_mesh *m   = s->mesh;
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  for (size_t i = 0; i < 4 * (size_t)m->n_local; i++) {
    const double start = s->start[i];
    s->start[i]        = s->x[i] - start;
    s->x[i]            = i / 4 < (size_t)m->n_owned && s->share[i / 4] > 0 ? start : s->x[i];
  }
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(PetscSFReduceBegin(m->forest.halo, s->four, s->start, s->start, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->forest.halo, s->four, s->start, s->start, MPI_SUM));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    for (int c = 0; c < 3 && s->share[i] > 0; c++) s->x[4 * i + c] += s->share[i] * s->start[4 * i + c];
  }
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value[vertex] = mark, and own[vertex] = vertex unless own is NULL, for the vertices of a colour. */
static void mark_vertices(const wring_sweep *s, const sweep_colour *c, PetscInt mark, PetscInt *value, PetscInt *own)
{
  for (PetscInt i = c->begin; i < c->end; i++) {
    const sweep_segment *g = &s->segment[i];
    const PetscInt      *v = s->corner + g->corner;
    for (size_t k = 0; k < (size_t)g->n_block * (size_t)g->term->m * WRING_LANES; k++) {
      value[v[k]] = mark;
      if (own) own[v[k]] = v[k];
    }
  }
}

/*
  A colour has an SF if it moves a vertex of two ranks: from the rank that moves a vertex to the others. Work arrays
  [n_local]: `mover`, the rank that moves a vertex, `place`, the vertex's number there, or -1; `from`: both.
*/
static PetscErrorCode build_copy(wring_sweep *s, sweep_colour *c, PetscInt *mover, PetscInt *place, PetscSFNode *from)
{
  const wring_mesh *m = s->mesh;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  for (PetscInt i = 0; i < m->n_local; i++) mover[i] = place[i] = -1;
  mark_vertices(s, c, rank, mover, place);
  PetscCall(wring_mesh_reduce(m, MPIU_INT, MPI_MAX, mover));
  PetscCall(wring_mesh_reduce(m, MPIU_INT, MPI_MAX, place));
  for (PetscInt i = 0; i < m->n_local; i++)
    from[i] = (PetscSFNode){.rank = mover[i] == rank ? -1 : mover[i], .index = place[i]};
  PetscCall(wring_copy_create(m->comm, m->n_local, m->n_local, from, &c->copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_copies(wring_sweep *s)
{
  const PetscInt n = s->mesh->n_local;
  PetscInt      *mover, *place;
  PetscSFNode   *from;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &mover, n, &place, n, &from));
  for (PetscInt c = 0; c < s->n_colour; c++) PetscCall(build_copy(s, &s->colour[c], mover, place, from));
  PetscCall(PetscFree3(mover, place, from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* share: 1 / number of ranks with elements at the vertex if other ranks have it, otherwise 0. */
static PetscErrorCode build_shares(wring_sweep *s)
{
  const wring_mesh *m = s->mesh;
  const PetscInt   *leaves;
  PetscInt         *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->n_local, &count));
  PetscCall(PetscMalloc2(m->n_owned, &s->share, (size_t)4 * m->n_local, &s->start));
  for (PetscInt c = 0; c < s->n_colour; c++) mark_vertices(s, &s->colour[c], 1, count, NULL);
  PetscCall(wring_mesh_reduce(m, MPIU_INT, MPI_SUM, count));
  PetscCall(PetscSFComputeDegreeBegin(m->forest.halo, &leaves));
  PetscCall(PetscSFComputeDegreeEnd(m->forest.halo, &leaves));
  for (PetscInt i = 0; i < m->n_owned; i++) s->share[i] = leaves[i] > 0 && count[i] > 0 ? 1. / (double)count[i] : 0;
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweep_build_halo(wring_sweep *s)
{
  PetscFunctionBegin;
  if (wring_comm_size(s->mesh->comm) > 1 && s->order == WRING_ORDER_COLORED) PetscCall(build_copies(s));
  if (s->order == WRING_ORDER_HYBRID) PetscCall(build_shares(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
