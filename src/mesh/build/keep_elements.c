/*
  Lines and triangles of sets: kept for elements with mass and stiffness on them, and to refine the set with the mesh.
*/
#include "build.h"
#include "base/count.h"
#include <string.h>

/* The set of each group, or -1: sets are the groups with vertices, in the same order. */
static void match_groups(const wring_raw *raw, const wring_mesh_data *d, PetscInt *set)
{
  PetscInt s = 0;
  for (PetscInt g = 0; g < raw->groups.n; g++)
    set[g] = s < d->sets.n && !strcmp(d->sets.name[s], raw->groups.name[g]) ? s++ : -1;
}

/* Adds an element once for each of its groups; not if one of its nodes was dropped. */
static PetscErrorCode keep_element(wring_build *b, const PetscInt *set, PetscInt i, PetscInt *room)
{
  wring_mesh_data *const d      = b->d;
  const wring_raw       *raw    = b->raw;
  const wring_raw_lower *e      = raw->lower + i;
  PetscInt               row[4] = {-1, -1, -1, -1};

  PetscFunctionBegin;
  for (int a = 0; a < e->n; a++) {
    row[1 + a] = b->vertex[b->lower[3 * (size_t)i + (size_t)a]];
    if (row[1 + a] < 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = raw->source_start[e->source]; k < raw->source_start[e->source + 1]; k++) {
    const PetscInt64 needed = (PetscInt64)d->n_set_element + 1;
    if (!wring_count_fits(needed, 4, b->file, "lines and triangles of groups", b->e)) break;
    PetscCall(wring_grow(needed, room, sizeof row, &d->set_element));
    row[0] = set[raw->source_group[k]];
    memcpy(d->set_element + 4 * (size_t)d->n_set_element++, row, sizeof row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_keep_elements(wring_build *b)
{
  PetscInt *set, room = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)b->raw->groups.n, &set));
  match_groups(b->raw, b->d, set);
  for (int n = 3; n > 1; n--)
    for (PetscInt i = 0; i < b->raw->n_lower; i++)
      if (b->raw->lower[i].n == n) PetscCall(keep_element(b, set, i, &room));
  PetscCall(PetscFree(set));
  PetscFunctionReturn(PETSC_SUCCESS);
}
