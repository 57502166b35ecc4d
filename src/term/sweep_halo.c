/* What ranks tell each other in a sweep. */
#include "sweep_impl.h"

PetscErrorCode wring_sweep_update_ghosts(const wring_sweep *s, double *a)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
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
  PetscCall(PetscSFBcastBegin(copy, s->four, s->x, s->x, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(copy, s->four, s->x, s->x, MPI_REPLACE));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = start + the moves of all ranks / their number, at owned vertices that other ranks have too. */
PetscErrorCode wring_sweep_average(wring_sweep *s)
{
  const wring_mesh *m   = s->mesh;
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4 * m->n_local; i++) {
    const double start = s->start[i];
    s->start[i]        = s->x[i] - start;
    s->x[i]            = i / 4 < m->n_owned && s->share[i / 4] > 0 ? start : s->x[i];
  }
  PetscCall(PetscSFReduceBegin(m->halo, s->four, s->start, s->start, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->halo, s->four, s->start, s->start, MPI_SUM));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    for (int c = 0; c < 3 && s->share[i] > 0; c++) s->x[4 * i + c] += s->share[i] * s->start[4 * i + c];
  }
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls of the two builders below: value[vertex] = mark for the vertices of a colour. */
static void mark_vertices(const wring_sweep *s, const sweep_colour *c, PetscInt stride, PetscInt *value, PetscInt rank)
{
  for (PetscInt i = c->begin; i < c->end; i++) {
    const sweep_segment *g = &s->segment[i];
    const PetscInt      *v = s->corner + g->corner;
    for (PetscInt k = 0; k < g->n_block * g->term->m * WRING_LANES; k++) {
      value[stride * v[k]] = rank;
      if (stride > 1) value[stride * v[k] + 1] = v[k];
    }
  }
}

/* value of owners = op over ranks. */
static PetscErrorCode reduce(const wring_mesh *m, MPI_Datatype unit, PetscInt *value, MPI_Op op)
{
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(m->halo, unit, value, value, op));
  PetscCall(PetscSFReduceEnd(m->halo, unit, value, value, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The SF of one colour: whoever has a vertex that another rank moves takes it from there. from [n_local][2] is a work array. */
static PetscErrorCode build_copy(wring_sweep *s, sweep_colour *c, MPI_Datatype two, PetscInt *from)
{
  const wring_mesh *m = s->mesh;
  PetscMPIInt       rank;
  PetscInt         *leaf, n = 0, most;
  PetscSFNode      *root;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  for (PetscInt i = 0; i < 2 * m->n_local; i++) from[i] = -1;
  mark_vertices(s, c, 2, from, rank);
  PetscCall(reduce(m, two, from, MPI_MAX));
  PetscCall(PetscSFBcastBegin(m->halo, two, from, from, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, two, from, from, MPI_REPLACE));
  for (PetscInt i = 0; i < m->n_local; i++) n += from[2 * i] >= 0 && from[2 * i] != rank;
  PetscCallMPI(MPI_Allreduce(&n, &most, 1, MPIU_INT, MPI_MAX, m->comm));
  if (!most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &leaf));
  PetscCall(PetscMalloc1(n, &root));
  for (PetscInt i = 0, k = 0; i < m->n_local; i++) {
    if (from[2 * i] < 0 || from[2 * i] == rank) continue;
    leaf[k]   = i;
    root[k++] = (PetscSFNode){.rank = from[2 * i], .index = from[2 * i + 1]};
  }
  PetscCall(PetscSFCreate(m->comm, &c->copy));
  PetscCall(PetscSFSetGraph(c->copy, m->n_local, n, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(c->copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Colours that no rank has to tell another about have no SF. */
static PetscErrorCode build_copies(wring_sweep *s)
{
  MPI_Datatype two;
  PetscInt    *from;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(2, MPIU_INT, &two));
  PetscCallMPI(MPI_Type_commit(&two));
  PetscCall(PetscMalloc1(2 * s->mesh->n_local, &from));
  for (PetscInt c = 0; c < s->n_colour; c++) PetscCall(build_copy(s, &s->colour[c], two, from));
  PetscCall(PetscFree(from));
  PetscCallMPI(MPI_Type_free(&two));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* share: 1 / ranks with elements at the vertex, where other ranks have it. */
static PetscErrorCode build_shares(wring_sweep *s)
{
  const wring_mesh *m = s->mesh;
  const PetscInt   *leaves;
  PetscInt         *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->n_local, &count));
  PetscCall(PetscMalloc1(m->n_owned, &s->share));
  PetscCall(PetscMalloc1(4 * m->n_local, &s->start));
  for (PetscInt c = 0; c < s->n_colour; c++) mark_vertices(s, &s->colour[c], 1, count, 1);
  PetscCall(reduce(m, MPIU_INT, count, MPI_SUM));
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
