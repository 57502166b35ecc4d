/*
  Constraints as rows of a linear system: C_j, its derivative in the positions of the element's vertices, and its
  stiffness.
*/
#include "kernels.h"
#include "base/count.h"

const char *wring_term_no_rows(const wring_term *t)
{
  if (t->law->split) return "its volume is a mean over patches, expected volumetric: full";
  if (!t->law->n_row) return "its constraint has no gradient where it is satisfied";
  if (!t->law->row_fault) return NULL;
  for (PetscInt i = 0; i < t->n_block * t->points; i++) {
    const char *const fault = t->law->row_fault(t->law, term_par(t, i));
    if (fault) return fault;
  }
  return NULL;
}

PetscErrorCode wring_constraint_rows_create(MPI_Comm comm, const wring_term *t, PetscBool any, wring_constraint_rows *r)
{
  const wring_law *const law    = t->law;
  int                    scalar = any && wring_term_no_rows(t); // a spring without length may be on one rank only

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &scalar, 1, MPI_INT, MPI_MAX, comm));
  const int        each   = scalar ? law->n_constraint : law->n_row;
  const PetscInt64 n      = (PetscInt64)each * t->points * t->n;
  const size_t     corner = (size_t)t->m * (size_t)n;
  PetscCall(wring_count_check(comm, n, 3 * t->m, "constraints on one rank", "rows"));
  *r = (wring_constraint_rows){.find = scalar ? law->constraint : law->row, .each = each, .n = (PetscInt)n, .m = t->m};
  PetscCall(PetscMalloc4(corner, &r->vertex, (size_t)n, &r->C, 3 * corner, &r->dC, (size_t)n, &r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_constraint_rows_destroy(wring_constraint_rows *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(r->vertex, r->C, r->dC, r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores row j of each element of a row of the pass; f = dC/dx of its vertices. */
static void store_rows(const term_row *at, int j, const double *C, const lanes *f, const double *k)
{
  const wring_term *const      t = at->t;
  wring_constraint_rows *const r = at->context;
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, at->block * LANES + l);
    if (e < 0) continue;
    const size_t row = (size_t)r->each * (size_t)(e * t->points + at->point) + (size_t)j, m = (size_t)t->m;
    r->C[row] = C[l];
    r->k[row] = t->weight[at->row * LANES + l] * k[l];
    term_vertices(t, at->block * LANES + l, r->vertex + m * row);
    for (size_t i = 0; i < 3 * m; i++) r->dC[3 * m * row + i] = f[i][l];
  }
}

TERM_INLINE void find_rows(int m, int q, void *context)
{
  const term_row *const              r    = context;
  const wring_term *const            t    = r->t;
  const wring_constraint_rows *const rows = r->context;
  WRING_ALIGNED lanes                dC[3 * MAX_Q], f[3 * MAX_M], C, k;
  for (int j = 0; j < rows->each; j++) {
    rows->find(t->law, j, term_par(t, r->row), r->z, C, dC, k);
    form_forces(m, q, point_of(t, m, r->point), row_coef(t, r->row), (wring_in)dC, f);
    store_rows(r, j, C, (const lanes *)f, k);
  }
}

static void map_rows(const term_row *r)
{
  with_stencil(r->t, find_rows, (void *)r);
}

void wring_term_rows(const wring_term *t, const double *x, wring_constraint_rows *r)
{
  r->n = t->active ? r->each * t->points * t->n : 0;
  wring_pass_run(&(wring_pass){.t = t, .map = map_rows, .context = r}, WRING_ALL, x, NULL, NULL);
}
