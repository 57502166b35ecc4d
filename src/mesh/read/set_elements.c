/*
  Lines and triangles of sets: kept for elements with mass and stiffness on them, and to refine the set with the mesh.
*/
#include "raw.h"
#include "base/count.h"
#include <string.h>

/* The set of each group, or -1: sets are the groups with vertices, in the same order. */
static void match_groups(const wring_raw *raw, const wring_mesh_data *d, PetscInt *set)
{
  PetscInt s = 0;
  for (PetscInt g = 0; g < raw->groups.n; g++)
    set[g] = s < d->sets.n && !strcmp(d->sets.name[s], raw->groups.name[g]) ? s++ : -1;
}

/*
  Adds the element of n corners that begins at this one, once for each of its groups; not if one of its nodes was
  dropped.
*/
static PetscErrorCode keep_element(const wring_raw *raw, wring_scan *s, const PetscInt *vertex, const PetscInt *set,
                                   PetscInt corner, int n, wring_mesh_data *d, PetscInt *room)
{
  const PetscInt source = raw->corner_source[corner];
  PetscInt       row[4] = {-1, -1, -1, -1};

  PetscFunctionBegin;
  for (int a = 0; a < n; a++) {
    row[1 + a] = vertex[raw->corner[corner + a]];
    if (row[1 + a] < 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = raw->source_start[source]; k < raw->source_start[source + 1]; k++) {
    const PetscInt64 needed = (PetscInt64)d->n_set_element + 1;
    if (!wring_count_fits(needed, 4, s->file, "lines and triangles of groups", s->e)) break;
    PetscCall(wring_raw_grow(needed, room, sizeof row, &d->set_element));
    row[0] = set[raw->source_group[k]];
    memcpy(d->set_element + 4 * (size_t)d->n_set_element++, row, sizeof row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_keep_elements(const wring_raw *raw, wring_scan *s, const PetscInt *vertex, wring_mesh_data *d)
{
  PetscInt *set, room = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)raw->groups.n, &set));
  match_groups(raw, d, set);
  for (PetscInt i = 0; i < raw->n_triangle; i++)
    PetscCall(keep_element(raw, s, vertex, set, raw->triangle[i].corner, 3, d, &room));
  for (PetscInt i = 0; i < raw->n_segment; i++)
    PetscCall(keep_element(raw, s, vertex, set, raw->segment[i], 2, d, &room));
  PetscCall(PetscFree(set));
  PetscFunctionReturn(PETSC_SUCCESS);
}
