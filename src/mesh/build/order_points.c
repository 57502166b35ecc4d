/* Points, whose numbers are their positions. */
#include "build.h"
#include "mesh/distribute/slices.h"

/* A number above the last position is left out: then a position has no point, which is the fault. */
PetscErrorCode wring_build_order_points(wring_build *b)
{
  const PetscLayout slice = b->nodes.layout;
  wring_raw        *raw   = b->raw;
  PetscInt         *to;
  int64_t          *number;
  double           *X;
  char             *here;
  wring_exchange    x;

  PetscFunctionBegin;
  if (!raw->points) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)raw->nodes.n, &to));
  for (PetscInt i = 0; i < raw->nodes.n; i++) to[i] = (PetscInt)PetscMin(raw->nodes.tag[i], slice->N - 1);
  PetscCall(wring_slices_find_owners(slice, raw->nodes.n, to));
  PetscCall(wring_exchange_create(b->comm, raw->nodes.n, to, &x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&x, sizeof *number, raw->nodes.tag, &number));
  PetscCall(wring_exchange_send(&x, 3 * sizeof *X, raw->nodes.X, &X));
  PetscCall(PetscFree(raw->nodes.tag));
  PetscCall(PetscCalloc1((size_t)raw->nodes.n, &here));
  for (PetscInt i = 0; i < x.n_got; i++) {
    const int64_t v = number[i] - slice->rstart;
    if (v >= raw->nodes.n) continue;
    here[v] = 1;
    PetscCall(PetscArraycpy(raw->nodes.X + 3 * (size_t)v, X + 3 * (size_t)i, 3));
  }
  for (PetscInt v = 0; v < raw->nodes.n; v++)
    if (!here[v])
      wring_build_refuse(b, slice->rstart + v, "vertex %" PetscInt_FMT " is missing, expected 0 to %" PetscInt_FMT,
                         slice->rstart + v, slice->N - 1);
  PetscCall(PetscFree(here));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(X));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
