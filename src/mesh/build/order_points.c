/* Points, whose numbers are their positions. */
#include "build.h"
#include "mesh/distribute/slices.h"

typedef struct {
  int64_t number;
  double  X[3];
} point_row;

/* A number above the last position is left out: then a position has no point, which is the fault. */
static PetscErrorCode send_points(const wring_build *b, PetscInt *n_got, point_row **got)
{
  const wring_raw *raw = b->raw;
  PetscInt        *to, n = 0;
  point_row       *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)raw->nodes.n, &to, (size_t)raw->nodes.n, &row));
  for (PetscInt i = 0; i < raw->nodes.n; i++) {
    const double *const x = raw->nodes.X + 3 * (size_t)i;
    if (raw->nodes.tag[i] >= b->nodes.layout->N) continue;
    to[n]    = (PetscInt)raw->nodes.tag[i];
    row[n++] = (point_row){raw->nodes.tag[i], {x[0], x[1], x[2]}};
  }
  PetscCall(wring_slices_find_owners(b->nodes.layout, n, to));
  PetscCall(wring_exchange_rows(b->comm, n, to, sizeof *row, row, n_got, got));
  PetscCall(PetscFree2(to, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_order_points(wring_build *b)
{
  wring_raw *raw = b->raw;
  PetscInt   n_got;
  point_row *got;
  char      *here;

  PetscFunctionBegin;
  if (!raw->points) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(send_points(b, &n_got, &got));
  PetscCall(PetscFree(raw->nodes.tag));
  PetscCall(PetscCalloc1((size_t)raw->nodes.n, &here));
  for (PetscInt i = 0; i < n_got; i++) {
    const PetscInt v = (PetscInt)(got[i].number - b->nodes.layout->rstart);
    here[v]          = 1;
    for (int c = 0; c < 3; c++) raw->nodes.X[3 * (size_t)v + (size_t)c] = got[i].X[c];
  }
  for (PetscInt v = 0; v < raw->nodes.n; v++)
    if (!here[v])
      wring_build_refuse(b, b->nodes.layout->rstart + v,
                         "vertex %" PetscInt_FMT " is missing, expected 0 to %" PetscInt_FMT,
                         b->nodes.layout->rstart + v, b->nodes.layout->N - 1);
  PetscCall(PetscFree(here));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}
