/* Coordinates of nodes, and the volumes of tets. */
#include "build.h"
#include <math.h>

/* Volumes of coordinates up to 1e100 do not overflow. */
PetscErrorCode wring_build_scale(wring_build *b)
{
  const wring_raw *raw = b->raw;

  PetscFunctionBegin;
  for (size_t i = 0; i < 3 * (size_t)raw->nodes.n; i++) {
    raw->nodes.X[i] *= b->scale;
    if (!(fabs(raw->nodes.X[i]) <= 1e100))
      wring_build_refuse(b, 3 * (int64_t)b->nodes.layout->rstart + (int64_t)i,
                         "a coordinate times the scale %g is %g, expected at most 1e100", b->scale, raw->nodes.X[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  6 V is zero to round-off if relative errors eps of the coordinates can change its sign: with longest edge l and
  largest coordinate x, they change 6 V by about eps x l^2.
*/
static PetscBool is_flat(const double *const x[4], double det)
{
  double edge = 0, largest = 0;
  for (int a = 0; a < 4; a++) {
    for (int c = 0; c < 3; c++) largest = PetscMax(largest, fabs(x[a][c]));
    for (int b = 0; b < a; b++) {
      double square = 0;
      for (int c = 0; c < 3; c++) square += PetscSqr(x[a][c] - x[b][c]);
      edge = PetscMax(edge, square);
    }
  }
  return (PetscBool) !(fabs(det) > 8 * PETSC_MACHINE_EPSILON * largest * edge); // NaN is flat
}

/* Makes the volume of a tet positive; whether it was negative. */
static PetscBool turn_tet(wring_build *b, const double *X, PetscInt t)
{
  const wring_raw *raw = b->raw;
  PetscInt *const  v   = b->tets.corner + 4 * (size_t)t;
  const double    *x[4];
  for (int a = 0; a < 4; a++) x[a] = X + 3 * (size_t)v[a];
  const double det = wring_tet_det(x[0], x[1], x[2], x[3]);
  if (is_flat(x, det))
    wring_build_fail(b, raw->tets.line[t], "element %lld is a tetrahedron of zero volume",
                     (long long)raw->tets.number[t]);
  if (det > 0) return PETSC_FALSE;
  const PetscInt first = v[0];
  v[0]                 = v[1];
  v[1]                 = first;
  if (!b->middle.used) return PETSC_TRUE;
  PetscInt *const mid = b->middle.used + 6 * (size_t)t; // of edges 01 12 20 03 13 23
  for (int k = 1; k < 4; k += 2) {
    const PetscInt other = mid[k];
    mid[k]               = mid[k + 1];
    mid[k + 1]           = other;
  }
  return PETSC_TRUE;
}

PetscErrorCode wring_build_turn_tets(wring_build *b)
{
  PetscInt64 turned = 0, all;
  double    *X;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)b->nodes.n_used, &X));
  PetscCall(wring_exchange_fetch(&b->nodes.owners, 3 * sizeof *X, b->raw->nodes.X, X));
  for (PetscInt t = 0; t < b->raw->tets.n; t++) turned += turn_tet(b, X, t);
  PetscCall(PetscFree(X));
  PetscCallMPI(MPI_Allreduce(&turned, &all, 1, MPIU_INT64, MPI_SUM, b->comm));
  if (all) wring_build_note(b, "%" PetscInt64_FMT " tetrahedra had negative volume and were reoriented", all);
  PetscFunctionReturn(PETSC_SUCCESS);
}
