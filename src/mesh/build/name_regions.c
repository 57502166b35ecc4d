/* Regions: the groups of tets. */
#include "build.h"
#include <stdlib.h>
#include <string.h>

/* The group of each tet; groups.n for tets without one. */
static void group_tets(wring_build *b, PetscInt *group)
{
  const wring_raw *raw = b->raw;
  for (PetscInt e = 0; e < raw->tets.n; e++) {
    const PetscInt        n = raw->sources.start[raw->tets.source[e] + 1] - raw->sources.start[raw->tets.source[e]];
    const PetscInt *const g = n ? raw->sources.group + raw->sources.start[raw->tets.source[e]] : NULL;
    if (n > 1)
      wring_build_fail(b, raw->tets.line[e], "element %lld belongs to the physical volumes '%s' and '%s', expected one",
                       (long long)raw->tets.number[e], raw->groups.name[g[0]], raw->groups.name[g[1]]);
    group[e] = n ? g[0] : raw->groups.n;
  }
}

typedef struct {
  const char *name;
  PetscInt    group;
} named_group;

static int compare_groups(const void *a, const void *b)
{
  return strcmp(((const named_group *)a)->name, ((const named_group *)b)->name);
}

/* The groups that have tets, sorted by name, because formats list groups in different orders. Collective. */
static PetscErrorCode sort_regions(const wring_build *b, const wring_mesh_data *d, PetscInt *n, named_group *found)
{
  const wring_raw *raw = b->raw;
  char            *has;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)raw->groups.n + 1, &has));
  for (PetscInt e = 0; e < d->n_tet; e++) has[d->region[e]] = 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, has, (PetscMPIInt)(raw->groups.n + 1), MPI_UNSIGNED_CHAR, MPI_MAX, b->comm));
  *n = 0;
  for (PetscInt g = 0; g <= raw->groups.n; g++)
    if (has[g]) found[(*n)++] = (named_group){g < raw->groups.n ? raw->groups.name[g] : "tag0", g};
  if (*n) qsort(found, (size_t)*n, sizeof *found, compare_groups);
  PetscCall(PetscFree(has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_name_regions(wring_build *b)
{
  const wring_raw *raw = b->raw;
  wring_mesh_data *d   = b->d;
  PetscInt        *region, n;
  named_group     *found;

  PetscFunctionBegin;
  d->n_tet = raw->tets.n;
  PetscCall(PetscMalloc1((size_t)d->n_tet, &d->region));
  group_tets(b, d->region);
  PetscCall(PetscMalloc2((size_t)raw->groups.n + 1, &region, (size_t)raw->groups.n + 1, &found));
  PetscCall(sort_regions(b, d, &n, found));
  for (PetscInt r = 0; r < n; r++) {
    if (found[r].group == raw->groups.n && wring_names_find(&raw->groups, found[r].name) >= 0)
      wring_build_refuse(b, INT64_MAX - 1,
                         "a physical group is named tag0, the name reserved for tetrahedra in no physical volume");
    PetscCall(wring_names_add(&d->regions, found[r].name, strlen(found[r].name)));
    region[found[r].group] = r;
  }
  for (PetscInt e = 0; e < d->n_tet; e++) d->region[e] = region[d->region[e]];
  PetscCall(PetscFree2(region, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}
