#include "pieces.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/partition/sums.h"
#include "slices.h"
#include "order.h"

/* ---- parts that touch a vertex ----------------------------------------------------------------------------------- */

/* Tells the owners of slices each part at each vertex of a piece, once. */
static PetscErrorCode list_touches(const wring_pieces *p, PetscInt n_part, const PetscInt *part, PetscInt *n,
                                   wring_vertex_part **list)
{
  PetscInt *first, more = 0, kept = 0, *index;
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)p->n_vertex, &first));
  for (PetscInt v = 0; v < p->n_vertex; v++) first[v] = -1;
  for (PetscInt i = 0; i < 4 * p->n; i++) {
    if (first[p->tet[i]] < 0) first[p->tet[i]] = part[i / 4];
    more += first[p->tet[i]] != part[i / 4];
  }
  PetscCall(PetscMalloc2((size_t)more, &key, (size_t)more, &index));
  more = 0;
  for (PetscInt i = 0; i < 4 * p->n; i++)
    if (first[p->tet[i]] != part[i / 4]) key[more++] = (uint64_t)p->tet[i] * (uint64_t)n_part + (uint64_t)part[i / 4];
  PetscCall(wring_order_keys(more, key, index));
  for (PetscInt i = 0; i < more; i++)
    if (i == 0 || key[i] != key[i - 1]) key[kept++] = key[i];
  PetscCall(PetscMalloc1((size_t)p->n_vertex + (size_t)kept, list));
  *n = 0;
  for (PetscInt v = 0, i = 0; v < p->n_vertex; v++) {
    (*list)[(*n)++] = (wring_vertex_part){p->vertex[v], first[v]};
    for (; i < kept && key[i] / (uint64_t)n_part == (uint64_t)v; i++)
      (*list)[(*n)++] = (wring_vertex_part){p->vertex[v], (PetscInt)(key[i] % (uint64_t)n_part)};
  }
  PetscCall(PetscFree2(key, index));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_touches_match(const wring_pieces *p, PetscInt n, const wring_vertex_part *list, PetscInt *n_got,
                                   wring_vertex_part **got)
{
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = list[i].vertex;
  PetscCall(wring_slices_find_owners(p->slice, n, to));
  PetscCall(wring_exchange_rows(p->comm, n, to, sizeof *list, list, n_got, got));
  PetscCall(PetscFree(to));
  PetscCall(wring_sort_rows(*n_got, 2, sizeof **got, *got, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* o->start and o->touching, from got [n] sorted. */
static PetscErrorCode store_touches(const wring_pieces *p, PetscInt n, const wring_vertex_part *got, wring_owners *o)
{
  PetscInt v = 0, kept = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)p->slice->n + 1, &o->start));
  PetscCall(PetscMalloc1((size_t)n, &o->touching));
  o->start[0] = 0;
  for (PetscInt i = 0; i < n; i++) {
    if (i > 0 && got[i].vertex == got[i - 1].vertex && got[i].part == got[i - 1].part) continue;
    while (v < got[i].vertex - p->slice->rstart) o->start[++v] = kept;
    o->touching[kept++] = got[i].part;
  }
  while (v < p->slice->n) o->start[++v] = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices of tets -------------------------------------------------------------------------------------------- */

enum { BATCHES = 64, NOBODY = -1 };

/* The vertices of one part; *shared: those of several, over all ranks; *before: those of lower original numbers. */
static PetscErrorCode own_inner(const wring_pieces *p, wring_owners *o, wring_sums *l, PetscInt64 *shared,
                                PetscInt64 *before)
{
  PetscInt64 here = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->slice->n; v++) {
    const PetscInt parts = o->start[v + 1] - o->start[v];
    o->owner[v]          = parts == 1 ? o->touching[o->start[v]] : NOBODY;
    if (parts == 1) l->change[o->owner[v]]++;
    here += parts > 1;
  }
  PetscCall(wring_sums_add(l));
  PetscCallMPI(MPI_Allreduce(&here, shared, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCallMPI(MPI_Scan(&here, before, 1, MPIU_INT64, MPI_SUM, p->comm));
  *before -= here;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Shared vertices in turn belong to each of the batches, which are assigned one after the other by the loads before the
  batch, so that the result does not depend on the ranks that assign them. Few vertices are assigned one by one.
*/
static PetscErrorCode own_touched(const wring_pieces *p, wring_owners *o)
{
  PetscInt64 shared, before;
  wring_sums l; // vertices of parts

  PetscFunctionBegin;
  PetscCall(wring_sums_create(p->comm, o->n_part, 1, &l));
  wring_sums_use(&l, o->start[p->slice->n], o->touching);
  PetscCall(wring_sums_know(&l));
  PetscCall(own_inner(p, o, &l, &shared, &before));
  for (PetscInt64 batch = 0; batch < PetscMin(shared, BATCHES); batch++) {
    PetscInt64 i = before;
    for (PetscInt v = 0; v < p->slice->n; v++) {
      if (o->start[v + 1] - o->start[v] < 2 || i++ % BATCHES != batch) continue;
      PetscInt best = o->touching[o->start[v]]; // the least loaded part, the lowest of equal ones
      for (PetscInt k = o->start[v] + 1; k < o->start[v + 1]; k++)
        if (l.sum[o->touching[k]] < l.sum[best]) best = o->touching[k];
      o->owner[v] = best;
      l.change[best]++;
    }
    PetscCall(wring_sums_add(&l));
  }
  PetscCall(wring_sums_destroy(&l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- other vertices ---------------------------------------------------------------------------------------------- */

enum { STEPS = 1 << 20 }; // of the grid on which means are computed, exactly

/* load [n_part] of all parts. */
static PetscErrorCode count_loads(const wring_pieces *p, const wring_owners *o, PetscInt64 *load)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(load, o->n_part));
  for (PetscInt v = 0; v < p->slice->n; v++)
    if (o->owner[v] != NOBODY) load[o->owner[v]]++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, load, (PetscMPIInt)o->n_part, MPIU_INT64, MPI_SUM, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders parts by the mean of their vertices along the curve; parts without vertices come last. */
static PetscErrorCode order_parts(const wring_pieces *p, const wring_owners *o, const PetscInt64 *load, PetscInt *order)
{
  const PetscInt n = o->n_part;
  PetscInt64    *sum;
  uint64_t      *key;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * (size_t)n, &sum));
  PetscCall(PetscMalloc1((size_t)n, &key));
  for (PetscInt v = 0; v < p->slice->n; v++)
    for (int c = 0; c < 3 && o->owner[v] != NOBODY; c++)
      sum[3 * o->owner[v] + c] += (PetscInt64)((p->X[3 * (size_t)v + (size_t)c] - p->low[c]) / p->side * STEPS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (PetscMPIInt)(3 * n), MPIU_INT64, MPI_SUM, p->comm));
  for (PetscInt q = 0; q < n; q++) {
    double mean[3];
    for (int c = 0; c < 3; c++)
      mean[c] = p->low[c] + p->side * (double)sum[3 * q + c] / STEPS / (double)PetscMax(load[q], 1);
    key[q] = load[q] ? wring_hilbert_key(mean, p->low, p->side) : UINT64_MAX;
  }
  PetscCall(wring_order_keys(n, key, order));
  PetscCall(PetscFree(key));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* room [n_part]: the share of each part in n more vertices that fills the least loaded parts up to one level. */
static PetscErrorCode level_loads(const wring_owners *o, const PetscInt64 *load, PetscInt64 n, PetscInt64 *room)
{
  uint64_t  *sorted;
  PetscInt  *order, below = 0;
  PetscInt64 sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)o->n_part, &order, (size_t)o->n_part, &sorted));
  for (PetscInt q = 0; q < o->n_part; q++) sorted[q] = (uint64_t)load[q];
  PetscCall(wring_order_keys(o->n_part, sorted, order));
  while (below < o->n_part && (below == 0 || (PetscInt64)sorted[below] * below - sum < n))
    sum += (PetscInt64)sorted[below++];
  for (PetscInt i = 0; i < o->n_part; i++) {
    const PetscInt64 level = (n + sum) / below + (i < (n + sum) % below);
    room[order[i]]         = i < below ? PetscMax(level - (PetscInt64)sorted[i], 0) : 0;
  }
  PetscCall(PetscFree2(order, sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* owner [n] of vertices in the order of the curve, of which `before` precede. */
static PetscErrorCode assign(const wring_pieces *p, const wring_owners *o, PetscInt64 all, PetscInt64 before,
                             PetscInt n, PetscInt *owner)
{
  PetscInt   *order, k = 0;
  PetscInt64 *load, *room, end;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)o->n_part, &order, (size_t)o->n_part, &load, (size_t)o->n_part, &room));
  PetscCall(count_loads(p, o, load));
  PetscCall(order_parts(p, o, load, order));
  PetscCall(level_loads(o, load, all, room));
  end = room[order[0]];
  for (PetscInt i = 0; i < n; i++) {
    while (before + i >= end) end += room[order[++k]];
    owner[i] = order[k];
  }
  PetscCall(PetscFree3(order, load, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of no tet: pieces of the curve through them, over all ranks. */
static PetscErrorCode own_untouched(const wring_pieces *p, wring_owners *o)
{
  PetscInt      n = 0, *vertex, *owner, *mine;
  PetscInt64    all, before, here;
  uint64_t     *key;
  wring_sorting s;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->slice->n; v++) n += o->owner[v] == NOBODY;
  here = n;
  PetscCallMPI(MPI_Allreduce(&here, &all, 1, MPIU_INT64, MPI_SUM, p->comm));
  if (all == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3((size_t)n, &key, (size_t)n, &vertex, (size_t)n, &mine));
  n = 0;
  for (PetscInt v = 0; v < p->slice->n; v++) {
    if (o->owner[v] != NOBODY) continue;
    key[n]      = wring_hilbert_key(p->X + 3 * (size_t)v, p->low, p->side);
    vertex[n++] = v;
  }
  PetscCall(wring_sorting_create(p->comm, n, key, PETSC_FALSE, NULL, &s));
  here = s.n;
  PetscCallMPI(MPI_Scan(&here, &before, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCall(PetscMalloc1((size_t)s.n, &owner));
  PetscCall(assign(p, o, all, before - here, s.n, owner));
  PetscCall(wring_sorting_answer(&s, sizeof *owner, owner, mine));
  for (PetscInt i = 0; i < n; i++) o->owner[vertex[i]] = mine[i];
  PetscCall(PetscFree(owner));
  PetscCall(wring_sorting_destroy(&s));
  PetscCall(PetscFree3(key, vertex, mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_owners_create(const wring_pieces *p, PetscInt n_part, const PetscInt *part, wring_owners *o)
{
  PetscInt           n = 0, n_got; // n = 0: or else gcc warns when it measures coverage
  wring_vertex_part *list, *got;

  PetscFunctionBegin;
  *o = (wring_owners){.n_part = n_part};
  PetscCall(list_touches(p, n_part, part, &n, &list));
  PetscCall(wring_touches_match(p, n, list, &n_got, &got));
  PetscCall(PetscFree(list));
  PetscCall(store_touches(p, n_got, got, o));
  PetscCall(PetscFree(got));
  PetscCall(PetscMalloc1((size_t)p->slice->n, &o->owner));
  PetscCall(own_touched(p, o));
  PetscCall(own_untouched(p, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_owners_destroy(wring_owners *o)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(o->owner));
  PetscCall(PetscFree(o->start));
  PetscCall(PetscFree(o->touching));
  PetscFunctionReturn(PETSC_SUCCESS);
}
