/* Sets: the vertices of every group, in the order of the groups. Members go to the ranks of their blocks. */
#include "build.h"
#include "base/count.h"
#include "base/sort.h"
#include <string.h>

/* ---- members of this rank's elements ----------------------------------------------------------------------------- */

typedef struct {
  PetscInt group, vertex;
} member;

typedef struct {
  const wring_build *b;
  PetscInt          *mark; // [n_used] the last group that has the node, + 1
  PetscInt           n, room;
  member            *members; // [n]
  PetscInt          *node;    // [n] places in used
} collector;

static PetscErrorCode collect(collector *c, PetscInt group, int n, const PetscInt *node)
{
  PetscFunctionBegin;
  for (int a = 0; a < n; a++) {
    if (c->b->vertex[node[a]] < 0 || c->mark[node[a]] == group + 1) continue;
    c->mark[node[a]] = group + 1;
    if (c->n == c->room) {
      PetscInt room = c->room;
      PetscCall(wring_grow((PetscInt64)c->n + 1, &room, sizeof *c->members, &c->members));
      PetscCall(wring_grow((PetscInt64)c->n + 1, &c->room, sizeof *c->node, &c->node));
    }
    c->node[c->n]      = node[a];
    c->members[c->n++] = (member){group, c->b->vertex[node[a]]};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements sorted by source: order [n], start [n_source + 1]. Freed by PetscFree2. */
static PetscErrorCode sort_by_source(const wring_raw *raw, PetscInt n, const PetscInt *source, PetscInt **order,
                                     PetscInt **start)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, order, (size_t)raw->n_source + 1, start));
  for (PetscInt i = 0; i < n; i++) (*order)[i] = i;
  PetscCall(wring_sort_buckets(n, *order, source, raw->n_source, *start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sort_lower(const wring_raw *raw, PetscInt **order, PetscInt **start)
{
  PetscInt *source;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)raw->n_lower, &source));
  for (PetscInt i = 0; i < raw->n_lower; i++) source[i] = raw->lower[i].source;
  PetscCall(sort_by_source(raw, raw->n_lower, source, order, start));
  PetscCall(PetscFree(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sources of each group: start [groups.n + 2], source. Freed by PetscFree2. */
static PetscErrorCode sort_sources(const wring_raw *raw, PetscInt **start, PetscInt **source)
{
  const PetscInt n = raw->n_source ? raw->source_start[raw->n_source] : 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)raw->groups.n + 2, start, (size_t)n, source));
  PetscCall(PetscArrayzero(*start, raw->groups.n + 2));
  for (PetscInt k = 0; k < n; k++) (*start)[raw->source_group[k] + 2]++;
  for (PetscInt g = 0; g < raw->groups.n; g++) (*start)[g + 2] += (*start)[g + 1];
  for (PetscInt i = 0; i < raw->n_source; i++)
    for (PetscInt k = raw->source_start[i]; k < raw->source_start[i + 1]; k++)
      (*source)[(*start)[raw->source_group[k] + 1]++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The members of all groups in the elements of this rank, each once, by group. */
static PetscErrorCode collect_members(const wring_build *b, collector *c)
{
  const wring_raw *raw = b->raw;
  PetscInt        *tet, *tet_start, *lower, *lower_start, *start, *source;

  PetscFunctionBegin;
  *c = (collector){.b = b};
  PetscCall(sort_by_source(raw, raw->n_tet, raw->tet_source, &tet, &tet_start));
  PetscCall(sort_lower(raw, &lower, &lower_start));
  PetscCall(sort_sources(raw, &start, &source));
  PetscCall(PetscCalloc1((size_t)b->n_used, &c->mark));
  for (PetscInt g = 0; g < raw->groups.n; g++) {
    for (PetscInt k = start[g]; k < start[g + 1]; k++) {
      for (PetscInt i = tet_start[source[k]]; i < tet_start[source[k] + 1]; i++)
        PetscCall(collect(c, g, 4, b->tet + 4 * (size_t)tet[i]));
      for (PetscInt i = lower_start[source[k]]; i < lower_start[source[k] + 1]; i++)
        PetscCall(collect(c, g, raw->lower[lower[i]].n, b->lower + 3 * (size_t)lower[i]));
    }
  }
  PetscCall(PetscFree(c->mark));
  PetscCall(PetscFree2(start, source));
  PetscCall(PetscFree2(lower, lower_start));
  PetscCall(PetscFree2(tet, tet_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- members of this rank's vertices ----------------------------------------------------------------------------- */

/* The members whose vertices are in this rank's block, each as often as other ranks have it. */
static PetscErrorCode send_members(const wring_build *b, PetscInt *n, member **got)
{
  collector c;
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(collect_members(b, &c));
  PetscCall(PetscMalloc1((size_t)b->n_used, &to));
  for (PetscMPIInt p = 0; p < b->owners.n_to; p++)
    for (PetscInt i = b->owners.to_start[p]; i < b->owners.to_start[p + 1]; i++) to[i] = b->owners.to[p];
  for (PetscInt i = 0; i < c.n; i++) c.node[i] = to[c.node[i]];
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_rows(b->comm, c.n, c.node, sizeof *c.members, c.members, n, got));
  PetscCall(PetscFree(c.members));
  PetscCall(PetscFree(c.node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorted by group and vertex, each once: vertex [start[groups.n]], start [groups.n + 1]. Freed by PetscFree2. */
static PetscErrorCode sort_members(const wring_raw *raw, PetscInt n, const member *got, PetscInt **vertex,
                                   PetscInt **start)
{
  PetscInt end = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, vertex, (size_t)raw->groups.n + 2, start));
  PetscCall(PetscArrayzero(*start, raw->groups.n + 2));
  for (PetscInt i = 0; i < n; i++) (*start)[got[i].group + 2]++;
  for (PetscInt g = 0; g < raw->groups.n; g++) (*start)[g + 2] += (*start)[g + 1];
  for (PetscInt i = 0; i < n; i++) (*vertex)[(*start)[got[i].group + 1]++] = got[i].vertex;
  for (PetscInt g = 0; g < raw->groups.n; g++) {
    const PetscInt begin = (*start)[g];
    PetscInt       count = (*start)[g + 1] - begin;
    PetscCall(wring_sort_unique(&count, *vertex + begin));
    if (count > 0) PetscCall(PetscArraymove(*vertex + end, *vertex + begin, count)); // there may be no vertex at all
    (*start)[g] = end;
    end += count;
  }
  (*start)[raw->groups.n] = end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Groups without a vertex on any rank are no sets: n_all [groups.n]. */
static PetscErrorCode add_sets(wring_build *b, const PetscInt64 *n_all, const PetscInt *start, wring_mesh_data *d)
{
  const wring_raw *raw = b->raw;
  PetscInt64       sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)raw->groups.n + 1, &d->set_start));
  for (PetscInt g = 0; g < raw->groups.n; g++) {
    const char *const name = raw->groups.name[g];
    if (n_all[g] == 0) {
      wring_build_note(b, "physical group '%s' has no vertex of the mesh and is ignored", name);
      continue;
    }
    sum += n_all[g];
    PetscCall(wring_names_add(&d->sets, name, strlen(name)));
    d->set_start[d->sets.n] = start[g + 1];
  }
  wring_count_fits(sum, 1, b->file, "vertices of physical groups", b->e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_name_sets(wring_build *b, wring_mesh_data *d)
{
  const wring_raw *raw = b->raw;
  PetscInt         n, *vertex, *start;
  PetscInt64      *n_all;
  member          *got;
  PetscMPIInt      n_group;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(raw->groups.n, &n_group));
  PetscCall(send_members(b, &n, &got));
  PetscCall(sort_members(raw, n, got, &vertex, &start));
  PetscCall(PetscFree(got));
  PetscCall(PetscMalloc1((size_t)raw->groups.n, &n_all));
  for (PetscInt g = 0; g < raw->groups.n; g++) n_all[g] = start[g + 1] - start[g];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n_all, n_group, MPIU_INT64, MPI_SUM, b->comm));
  PetscCall(add_sets(b, n_all, start, d));
  PetscCall(PetscMalloc1((size_t)start[raw->groups.n], &d->set_vertex));
  PetscCall(PetscArraycpy(d->set_vertex, vertex, start[raw->groups.n]));
  PetscCall(PetscFree(n_all));
  PetscCall(PetscFree2(vertex, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
