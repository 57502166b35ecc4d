/*
  Colours of vertices: each takes the first colour that no neighbour before it has. A rank waits for such neighbours of
  other ranks, so that the colours are those of one rank for any partition. The order is that of original numbers, in
  large meshes that of their hashes, which differ as the numbers do (sweep/colour.h tells why).
*/
#include "descent_impl.h"
#include "base/sort.h"
#include "term/sweep/colour.h"

static uint64_t place(const wring_mesh *m, PetscInt original)
{
  return wring_colour_at_random(m) ? wring_mix((uint64_t)original) : (uint64_t)original;
}

/* Owned vertices by ascending place. */
static PetscErrorCode order_owned(const wring_mesh *m, PetscInt *list)
{
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)m->n_owned, &key));
  for (PetscInt v = 0; v < m->n_owned; v++) key[v] = place(m, m->number.original[v]);
  PetscCall(wring_order_keys(m->n_owned, key, list));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first free colour of v, or -1 if a neighbour before it has none yet; seen [n_here + 1] is v + 1 for colours in
   use. */
static PetscInt choose(const descent_build *b, PetscInt v, PetscInt *seen)
{
  const wring_mesh *const m       = b->d->mesh;
  const PetscInt         *colours = b->d->colours;
  const uint64_t          here    = place(m, b->original[v]);
  PetscInt                other[OTHERS], free = 0;
  for (PetscInt i = b->start[v]; i < b->start[v + 1]; i++) {
    const descent_incidence *one = &b->incidence[b->order[i]];
    wring_descent_find_others(b, one, other);
    for (int k = 0; k < descent_others(b->d->term[one->term]); k++) {
      if (place(m, b->original[other[k]]) >= here) continue;
      if (colours[other[k]] < 0) return -1;
      seen[colours[other[k]]] = v + 1;
    }
  }
  while (seen[free] == v + 1) free++;
  return free;
}

/* Colours every vertex of the list that waits for no other rank; keeps the others in it. */
static void colour_round(const descent_build *b, PetscInt *n, PetscInt *list, PetscInt *seen)
{
  PetscInt left = 0;
  for (PetscInt i = 0; i < *n; i++) {
    const PetscInt colour = choose(b, list[i], seen);
    if (colour < 0)
      list[left++] = list[i];
    else
      b->d->colours[list[i]] = colour;
  }
  *n = left;
}

/* Rounds end: the first of all uncoloured vertices never waits. */
PetscErrorCode wring_descent_colour(descent_build *b)
{
  wring_descent    *d    = b->d;
  const wring_mesh *m    = d->mesh;
  PetscInt          left = m->n_owned, most = 1, n_seen = d->n_here + 1, *list, *seen;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n_seen, 1, MPIU_INT, MPI_MAX, m->comm));
  PetscCall(PetscCalloc2(m->n_owned, &list, n_seen, &seen));
  PetscCall(PetscMalloc1(d->n_here, &d->colours));
  for (PetscInt i = 0; i < d->n_here; i++) d->colours[i] = -1;
  PetscCall(order_owned(m, list));
  while (most > 0) {
    colour_round(b, &left, list, seen);
    PetscCallMPI(MPI_Allreduce(&left, &most, 1, MPIU_INT, MPI_MAX, m->comm));
    PetscCall(PetscSFBcastBegin(d->all, MPIU_INT, d->colours, d->colours, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(d->all, MPIU_INT, d->colours, d->colours, MPI_REPLACE));
  }
  for (PetscInt i = 0; i < m->n_owned; i++) d->n_colour = PetscMax(d->n_colour, d->colours[i] + 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &d->n_colour, 1, MPIU_INT, MPI_MAX, m->comm));
  PetscCall(PetscFree2(list, seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}
