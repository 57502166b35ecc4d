/* Communication in a sweep. */
#include "sweep_impl.h"
#include "base/parallel/consensus.h"

PetscErrorCode wring_sweep_update_ghosts(const wring_sweep *s, double *a)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(PetscSFBcastBegin(s->mesh->halo, s->four, a, a, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(s->mesh->halo, s->four, a, a, MPI_REPLACE));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweep_copy_moved(const wring_sweep *s, PetscInt c)
{
  const wring_phase old  = wring_phases_switch(s->phases, WRING_PHASE_HALO);
  PetscSF           copy = s->colour[c].copy;

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(PetscSFBcastBegin(copy, s->four, s->x, s->x, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(copy, s->four, s->x, s->x, MPI_REPLACE));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(PetscSFReduceBegin(m->halo, s->four, s->start, s->start, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->halo, s->four, s->start, s->start, MPI_SUM));
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

/* value of owners = op over ranks. */
static PetscErrorCode reduce(const wring_mesh *m, PetscInt *value, MPI_Op op)
{
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(m->halo, MPIU_INT, value, value, op));
  PetscCall(PetscSFReduceEnd(m->halo, MPIU_INT, value, value, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value = the largest of all ranks, on every rank. */
static PetscErrorCode find_largest(const wring_mesh *m, PetscInt *value)
{
  PetscFunctionBegin;
  PetscCall(reduce(m, value, MPI_MAX));
  PetscCall(PetscSFBcastBegin(m->halo, MPIU_INT, value, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, MPIU_INT, value, value, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Builds the SF of one colour, through which a rank receives the vertices that another rank moves. Work arrays
  [n_local]: `mover`, the rank that moves a vertex, and `place`, the vertex's number there; -1 if no rank moves it.
*/
static PetscErrorCode build_copy(wring_sweep *s, sweep_colour *c, PetscInt *mover, PetscInt *place)
{
  const wring_mesh *m = s->mesh;
  PetscMPIInt       rank;
  PetscInt         *leaf, n = 0, most;
  PetscSFNode      *root;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  for (PetscInt i = 0; i < m->n_local; i++) mover[i] = place[i] = -1;
  mark_vertices(s, c, rank, mover, place);
  PetscCall(find_largest(m, mover));
  PetscCall(find_largest(m, place));
  for (PetscInt i = 0; i < m->n_local; i++) n += mover[i] >= 0 && mover[i] != rank;
  PetscCallMPI(MPI_Allreduce(&n, &most, 1, MPIU_INT, MPI_MAX, m->comm));
  if (!most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &leaf));
  PetscCall(PetscMalloc1(n, &root));
  for (PetscInt i = 0, k = 0; i < m->n_local; i++) {
    if (mover[i] < 0 || mover[i] == rank) continue;
    leaf[k]   = i;
    root[k++] = (PetscSFNode){.rank = mover[i], .index = place[i]};
  }
  PetscCall(PetscSFCreate(m->comm, &c->copy));
  PetscCall(PetscSFSetGraph(c->copy, m->n_local, n, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(wring_sf_set_up(c->copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A colour that moves no vertex of two ranks has no SF. */
static PetscErrorCode build_copies(wring_sweep *s)
{
  PetscInt *mover, *place;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->mesh->n_local, &mover, s->mesh->n_local, &place));
  for (PetscInt c = 0; c < s->n_colour; c++) PetscCall(build_copy(s, &s->colour[c], mover, place));
  PetscCall(PetscFree2(mover, place));
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
  PetscCall(PetscMalloc1(m->n_owned, &s->share));
  PetscCall(PetscMalloc1((size_t)4 * m->n_local, &s->start));
  for (PetscInt c = 0; c < s->n_colour; c++) mark_vertices(s, &s->colour[c], 1, count, NULL);
  PetscCall(reduce(m, count, MPI_SUM));
  PetscCall(PetscSFComputeDegreeBegin(m->halo, &leaves));
  PetscCall(PetscSFComputeDegreeEnd(m->halo, &leaves));
  for (PetscInt i = 0; i < m->n_owned; i++) s->share[i] = leaves[i] > 0 && count[i] > 0 ? 1. / (double)count[i] : 0;
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweep_build_halo(wring_sweep *s)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->mesh->comm, &size));
  if (size > 1 && s->order == WRING_ORDER_COLORED) PetscCall(build_copies(s));
  if (s->order == WRING_ORDER_HYBRID) PetscCall(build_shares(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
