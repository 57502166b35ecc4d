/*
  Sets: the vertices of every group, in the order of the groups, on the ranks of their slices; lines and triangles,
  which are kept for mass and stiffness on them and to refine the set with the mesh.
*/
#include "build.h"
#include "base/count.h"
#include "base/sort.h"
#include "mesh/distribute/slices.h"
#include <string.h>

typedef struct {
  PetscInt group, vertex;
} member;

typedef struct {
  const wring_build *b;
  PetscInt          *mark; // [n_used] the last source that has the node, + 1
  PetscInt           n, room, same;
  member            *row; // [n]
  PetscInt          *to;  // [n] positions of the nodes, then their ranks
} collector;

static PetscErrorCode add_nodes(collector *c, PetscInt source, int n, const PetscInt *node)
{
  const wring_build *const b   = c->b;
  const wring_raw *const   raw = b->raw;

  PetscFunctionBegin;
  for (int a = 0; a < n; a++) {
    if (b->nodes.vertex[node[a]] < 0 || c->mark[node[a]] == source + 1) continue;
    c->mark[node[a]] = source + 1;
    for (PetscInt k = raw->sources.start[source]; k < raw->sources.start[source + 1]; k++) {
      PetscCall(wring_grow((PetscInt64)c->n + 1, &c->room, sizeof *c->row, &c->row));
      PetscCall(wring_grow((PetscInt64)c->n + 1, &c->same, sizeof *c->to, &c->to));
      c->row[c->n]  = (member){raw->sources.group[k], b->nodes.vertex[node[a]]};
      c->to[c->n++] = b->nodes.used[node[a]];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The members of all groups whose vertices are in this rank's slice, by group and vertex, with repetitions. */
static PetscErrorCode find_members(const wring_build *b, PetscInt *n, member **got)
{
  const wring_raw *raw = b->raw;
  collector        c   = {.b = b};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->nodes.n_used, &c.mark));
  for (PetscInt i = 0; i < raw->tets.n; i++)
    PetscCall(add_nodes(&c, raw->tets.source[i], 4, b->tets.corner + 4 * (size_t)i));
  for (PetscInt i = 0; i < raw->lower.n; i++)
    PetscCall(add_nodes(&c, raw->lower.element[i].source, raw->lower.element[i].n, b->lower.corner + 3 * (size_t)i));
  PetscCall(PetscFree(c.mark));
  PetscCall(wring_slices_find_owners(b->nodes.layout, c.n, c.to));
  PetscCall(wring_exchange_rows(b->comm, c.n, c.to, sizeof *c.row, c.row, n, got));
  PetscCall(PetscFree(c.row));
  PetscCall(PetscFree(c.to));
  PetscCall(wring_sort_rows(*n, 2, sizeof **got, *got, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Groups without a vertex on any rank are no sets: n_all [groups.n]; set [groups.n]: -1. */
static PetscErrorCode add_sets(wring_build *b, const PetscInt64 *n_all, PetscInt *set)
{
  wring_mesh_data *const d   = b->d;
  const wring_raw       *raw = b->raw;
  PetscInt64             sum = 0;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < raw->groups.n; g++) {
    const char *const name = raw->groups.name[g];
    set[g]                 = n_all[g] > 0 ? d->sets.n : -1;
    if (n_all[g] == 0) {
      wring_build_note(b, "physical group '%s' has no vertex of the mesh and is ignored", name);
      continue;
    }
    sum += n_all[g];
    PetscCall(wring_names_add(&d->sets, name, strlen(name)));
  }
  wring_count_fits(sum, 1, b->report.file, "vertices of physical groups", b->report.error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lines and triangles ----------------------------------------------------------------------------------------- */

/* Adds an element once for each of its groups; not if one of its nodes was dropped. */
static PetscErrorCode keep_element(wring_build *b, const PetscInt *set, PetscInt i, PetscInt *room)
{
  wring_mesh_data *const d      = b->d;
  const wring_raw       *raw    = b->raw;
  const wring_raw_lower *e      = raw->lower.element + i;
  PetscInt               row[4] = {-1, -1, -1, -1};

  PetscFunctionBegin;
  for (int a = 0; a < e->n; a++) {
    row[1 + a] = b->nodes.vertex[b->lower.corner[3 * (size_t)i + (size_t)a]];
    if (row[1 + a] < 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = raw->sources.start[e->source]; k < raw->sources.start[e->source + 1]; k++) {
    const PetscInt64 needed = (PetscInt64)d->n_set_element + 1;
    if (!wring_count_fits(needed, 4, b->report.file, "lines and triangles of groups", b->report.error)) break;
    PetscCall(wring_grow(needed, room, sizeof row, &d->set_element));
    row[0] = set[raw->sources.group[k]];
    memcpy(d->set_element + 4 * (size_t)d->n_set_element++, row, sizeof row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_build_name_sets(wring_build *b)
{
  PetscInt    n, *set, kept = 0, room = 0;
  PetscInt64 *n_all;
  member     *row;
  PetscMPIInt n_group;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(b->raw->groups.n, &n_group));
  PetscCall(PetscCalloc2((size_t)n_group, &n_all, (size_t)n_group, &set));
  PetscCall(find_members(b, &n, &row));
  for (PetscInt i = 0; i < n; i++) {
    if (i > 0 && row[i].group == row[kept - 1].group && row[i].vertex == row[kept - 1].vertex) continue;
    row[kept++] = row[i];
    n_all[row[i].group]++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n_all, n_group, MPIU_INT64, MPI_SUM, b->comm));
  PetscCall(add_sets(b, n_all, set));
  for (PetscInt i = 0; i < kept; i++) row[i].group = set[row[i].group];
  PetscCall(wring_mesh_data_fill_sets(b->d, kept, (const PetscInt *)row));
  PetscCall(PetscFree(row));
  for (int corners = 3; corners > 1; corners--)
    for (PetscInt i = 0; i < b->raw->lower.n; i++)
      if (b->raw->lower.element[i].n == corners) PetscCall(keep_element(b, set, i, &room));
  PetscCall(PetscFree2(n_all, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}
