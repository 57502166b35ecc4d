/* Corners that other ranks own, and a star forest to their owners. */
#include "corners.h"
#include "base/parallel/consensus.h"
#include "base/sort.h"

PetscErrorCode wring_corners_destroy(wring_corners *c)
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&c->sf));
  PetscCall(PetscLayoutDestroy(&c->layout));
  PetscCall(PetscFree(c->global));
  *c = (wring_corners){.phases = c->phases};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_sf(wring_corners *c)
{
  PetscInt any = c->n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, c->mesh->comm));
  wring_count(c->phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  wring_count(c->phases, WRING_WORK_CONTACT_EXCHANGES, 1);
  c->any = (PetscBool)(any > 0);
  if (!c->any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFCreate(c->mesh->comm, &c->sf));
  PetscCall(PetscSFSetGraphLayout(c->sf, c->layout, c->n, NULL, PETSC_OWN_POINTER, c->global));
  PetscCall(wring_sf_set_up(c->sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_corners_build(const wring_mesh *m, PetscInt n, const PetscSFNode *home, PetscInt *place,
                                   wring_corners *c)
{
  const PetscInt *range;

  PetscFunctionBegin;
  PetscCall(wring_corners_destroy(c));
  c->mesh = m;
  PetscCall(PetscLayoutCreateFromSizes(m->comm, m->n_owned, m->number.n_global, 1, &c->layout));
  PetscCall(PetscLayoutGetRanges(c->layout, &range));
  PetscCall(PetscMalloc1((size_t)n, &c->global));
  for (PetscInt i = 0; i < n; i++) {
    place[i] = home[i].rank < 0 ? -1 : range[home[i].rank] + home[i].index - m->number.begin;
    if (home[i].rank >= 0 && (place[i] < 0 || place[i] >= m->n_owned)) c->global[c->n++] = place[i] + m->number.begin;
  }
  PetscCall(wring_sort_unique(&c->n, c->global));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt far;
    if (home[i].rank < 0 || (place[i] >= 0 && place[i] < m->n_owned)) continue;
    PetscCall(PetscFindInt(place[i] + m->number.begin, c->n, c->global, &far));
    place[i] = m->n_owned + far;
  }
  PetscCall(make_sf(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_corners_fetch(const wring_corners *c, MPI_Datatype type, const void *owned, void *far)
{
  PetscFunctionBegin;
  wring_count(c->phases, WRING_WORK_CONTACT_EXCHANGES, 1);
  if (!c->any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFBcastBegin(c->sf, type, owned, far, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(c->sf, type, owned, far, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_corners_add(const wring_corners *c, MPI_Datatype type, const void *far, void *owned)
{
  PetscFunctionBegin;
  wring_count(c->phases, WRING_WORK_CONTACT_EXCHANGES, 1);
  if (!c->any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFReduceBegin(c->sf, type, far, owned, MPI_SUM));
  PetscCall(PetscSFReduceEnd(c->sf, type, far, owned, MPI_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}
