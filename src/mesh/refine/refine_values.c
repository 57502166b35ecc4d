/* Values of vertices on a refined mesh: old vertices keep theirs, a midpoint has the mean of the ends of its edge. */
#include "refine.h"

/* The values of ghosts, from their owners: value [n_local][width]. */
static PetscErrorCode update_ghosts(const wring_mesh *m, int width, double *value)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(width, MPI_DOUBLE, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(m->halo, unit, value, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, unit, value, value, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* point [n_point][width], of which the local vertices have been set. */
static void interpolate(const wring_refinement *r, double *point)
{
  const size_t width = (size_t)r->width;
  double *const new  = point + width *(size_t)r->m->n_local;
  for (size_t j = 0; j < (size_t)r->n_edge; j++) {
    const double *const a = point + width * (size_t)r->end[2 * j], *const b = point + width * (size_t)r->end[2 * j + 1];
    for (size_t c = 0; c < width; c++) new[width * j + c] = 0.5 * (a[c] + b[c]);
  }
}

PetscErrorCode wring_refine_values(wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  const size_t            width = (size_t)r->width;
  double                 *point;

  PetscFunctionBegin;
  if (!r->value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(width * (size_t)r->n_point, &point));
  PetscCall(PetscArraycpy(point, r->value, width * (size_t)m->n_owned));
  PetscCall(update_ghosts(m, r->width, point));
  interpolate(r, point);
  PetscCall(PetscRealloc(width * (size_t)r->n_owned * sizeof *point, &r->value));
  for (size_t i = 0; i < (size_t)r->n_owned; i++)
    PetscCall(PetscArraycpy(r->value + width * i, point + width * (size_t)r->owned[i], width));
  PetscCall(PetscFree(point));
  PetscFunctionReturn(PETSC_SUCCESS);
}
