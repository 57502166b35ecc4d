#include "data.h"
#include "base/count.h"

PetscBool wring_mesh_data_fits(const char *where, PetscInt64 n_vertex, PetscInt64 n_tet, wring_error *e)
{
  return (PetscBool)(wring_count_fits(n_tet, WRING_TET_ENTRIES, where, "tetrahedra", e) &&
                     wring_count_fits(n_vertex, 3, where, "vertices", e));
}

PetscBool wring_mesh_part_fits(PetscInt64 whole, PetscInt64 n_local, PetscInt64 n_tet, wring_error *e)
{
  return (PetscBool)(wring_count_fits(whole, 3, "mesh", "vertices", e) &&
                     wring_count_fits(n_tet, WRING_TET_ENTRIES, "mesh on one rank", "tetrahedra", e) &&
                     wring_count_fits(n_local, 9, "mesh on one rank", "vertices with ghosts", e));
}

PetscErrorCode wring_mesh_data_create(PetscInt64 n_vertex, PetscInt64 n_tet, wring_mesh_data **d)
{
  wring_error error = {""};

  PetscFunctionBegin;
  PetscCheck(wring_mesh_data_fits("mesh", n_vertex, n_tet, &error), PETSC_COMM_SELF, PETSC_ERR_SUP, "%s", error.text);
  PetscCall(PetscNew(d));
  (*d)->n_vertex = (PetscInt)n_vertex;
  (*d)->n_tet    = (PetscInt)n_tet;
  PetscCall(PetscMalloc1(3 * (size_t)n_vertex, &(*d)->X));
  PetscCall(PetscMalloc1(4 * (size_t)n_tet, &(*d)->tet));
  PetscCall(PetscMalloc1((size_t)n_tet, &(*d)->region));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a set begins is stored one place late, and moves to its end, which is where the next one begins. */
PetscErrorCode wring_mesh_data_fill_sets(wring_mesh_data *d, PetscInt n, const PetscInt *member)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)d->sets.n + 2, &d->set_start));
  PetscCall(PetscMalloc1((size_t)n, &d->set_vertex));
  for (size_t i = 0; i < (size_t)n; i++) d->set_start[member[2 * i] + 2]++;
  for (PetscInt s = 0; s < d->sets.n; s++) d->set_start[s + 2] += d->set_start[s + 1];
  for (size_t i = 0; i < (size_t)n; i++) d->set_vertex[d->set_start[member[2 * i] + 1]++] = member[2 * i + 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_middles_clear(wring_middles *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->end));
  PetscCall(PetscFree(t->X));
  PetscCall(PetscFree(t->tag));
  PetscCall(PetscFree(t->member));
  t->n = t->n_member = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_data_destroy(wring_mesh_data **d)
{
  PetscFunctionBegin;
  if (!*d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*d)->X));
  PetscCall(PetscFree((*d)->tet));
  PetscCall(PetscFree((*d)->region));
  PetscCall(PetscFree((*d)->set_start));
  PetscCall(PetscFree((*d)->set_vertex));
  PetscCall(PetscFree((*d)->set_element));
  PetscCall(PetscFree((*d)->mid));
  PetscCall(PetscFree((*d)->set_mid));
  PetscCall(PetscFree((*d)->tag));
  PetscCall(wring_middles_clear(&(*d)->middles));
  PetscCall(wring_names_clear(&(*d)->regions));
  PetscCall(wring_names_clear(&(*d)->sets));
  PetscCall(PetscFree(*d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
