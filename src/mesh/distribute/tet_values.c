/*
  Values of tets: rows of tables on any ranks go to slices of original numbers, one for each rank, and from there to the
  tets.
*/
#include "slices.h"
#include <math.h>
#include <wring/mesh.h>

/* value [slice->n][width] of this rank's slice, NaN for tets without a row. */
static PetscErrorCode send_to_slices(PetscLayout slice, PetscInt n_row, int width, const double *row, double *value)
{
  const size_t size = (size_t)(width + 1);
  PetscInt    *to, n;
  double      *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n_row, &to));
  for (PetscInt i = 0; i < n_row; i++) to[i] = (PetscInt)row[(size_t)i * size];
  PetscCall(wring_slices_find_owners(slice, n_row, to));
  PetscCall(wring_exchange_rows(slice->comm, n_row, to, size * sizeof *row, row, &n, &mine));
  PetscCall(PetscFree(to));
  for (PetscInt i = 0; i < width * slice->n; i++) value[i] = NAN;
  for (PetscInt i = 0; i < n; i++) {
    const double *const one = mine + (size_t)i * size;
    for (int k = 0; k < width; k++) value[width * ((PetscInt)one[0] - slice->rstart) + k] = one[1 + k];
  }
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_route_tets(const wring_mesh *m, PetscInt n_mother, PetscInt n_row, int width,
                                     const double *row, double *value)
{
  PetscLayout      slice;
  PetscInt        *number;
  double          *of_slice;
  const PetscInt64 children = m->tets.n_global / PetscMax(n_mother, 1);

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(m->comm, PETSC_DECIDE, n_mother, 1, &slice));
  PetscCall(PetscMalloc1((size_t)width * (size_t)slice->n, &of_slice));
  PetscCall(PetscMalloc1((size_t)m->tets.n, &number));
  for (PetscInt e = 0; e < m->tets.n; e++) number[e] = (PetscInt)(m->tets.original[e] / children);
  PetscCall(send_to_slices(slice, n_row, width, row, of_slice));
  PetscCall(wring_slices_fetch(slice, m->tets.n, number, (size_t)width * sizeof *value, of_slice, value));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(of_slice));
  PetscCall(PetscLayoutDestroy(&slice));
  PetscFunctionReturn(PETSC_SUCCESS);
}
