/*
  Constraints as rows of a linear system: C_j, its derivative in the positions of the element's vertices, and its
  stiffness.
*/
#include "kernels.h"

const char *wring_term_no_rows(const wring_term *t)
{
  if (t->law->split) return "its volume is a mean over patches, expected volumetric: full";
  if (!t->law->n_row) return "its constraint has no gradient where it is satisfied";
  for (PetscInt i = 0; i < t->n_block * t->points && t->law->row_fault; i++) {
    const char *const fault = t->law->row_fault(t->law, term_par(t, i));
    if (fault) return fault;
  }
  return NULL;
}

PetscErrorCode wring_constraint_rows_create(const wring_term *t, wring_constraint_rows *r)
{
  const PetscInt n = t->law->n_row * t->points * t->n;

  PetscFunctionBegin;
  *r = (wring_constraint_rows){.m = t->m};
  PetscCall(
    PetscMalloc4((size_t)n * (size_t)t->m, &r->vertex, n, &r->C, 3 * (size_t)n * (size_t)t->m, &r->dC, n, &r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_constraint_rows_destroy(wring_constraint_rows *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(r->vertex, r->C, r->dC, r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores row j of each element of a block at point p; f = dC/dx of its vertices. */
static void store_rows(const wring_term *t, PetscInt chunk, PetscInt b, int p, int j, const double *C, const lanes *f,
                       const double *k, wring_constraint_rows *r)
{
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, b * LANES + l);
    if (e < 0) continue;
    const size_t row = (size_t)t->law->n_row * (size_t)(e * t->points + p) + (size_t)j, m = (size_t)t->m;
    r->C[row] = C[l];
    r->k[row] = block_weight(t, b)[p * LANES + l] * k[l];
    for (int a = 0; a < t->m; a++) {
      r->vertex[m * row + (size_t)a] = term_corner(t, chunk, b, a, l);
      for (int c = 0; c < 3; c++) r->dC[3 * (m * row + (size_t)a) + (size_t)c] = f[3 * a + c][l];
    }
  }
}

/* The rows of the blocks of a chunk, x private [vertices][4]. */
typedef struct {
  const wring_term      *t;
  PetscInt               chunk;
  const double          *x;
  wring_constraint_rows *r;
} work_chunk;

/* The rows of a block at point p, where its elements have z. */
static inline __attribute__((always_inline)) void point_rows(int m, int q, const work_chunk *w, PetscInt b, int p,
                                                             wring_in z)
{
  const wring_term *const t   = w->t;
  const PetscInt          row = b * points_of(t, m) + p;
  WRING_ALIGNED lanes     dC[3 * MAX_Q], f[3 * MAX_M], C, k;
  for (int j = 0; j < t->law->n_row; j++) {
    t->law->row(t->law, j, term_par(t, row), z, C, dC, k);
    form_forces(m, q, point_of(t, m, p), row_coef(t, row), (wring_in)dC, f);
    store_rows(t, w->chunk, b, p, j, C, (const lanes *)f, k, w->r);
  }
}

static inline __attribute__((always_inline)) void chunk_rows(int m, int q, void *context)
{
  const work_chunk *const w = context;
  const wring_term *const t = w->t;
  WRING_ALIGNED lanes     z[3 * MAX_Q], d[27];
  for (PetscInt b = t->chunk_block[w->chunk]; b < t->chunk_block[w->chunk + 1]; b++) {
    load_columns(t, b, m, w->x, d);
    for (int p = 0; p < points_of(t, m); p++) {
      load_z(t, b, p, m, q, w->x, (const lanes *)d, z);
      point_rows(m, q, w, b, p, (wring_in)z);
    }
  }
}

void wring_term_rows(const wring_term *t, const double *x, wring_constraint_rows *r)
{
  r->n = t->active ? t->law->n_row * t->points * t->n : 0;
#pragma omp parallel for schedule(static)
  for (PetscInt chunk = 0; chunk < (t->active ? t->n_chunk : 0); chunk++) {
    double x_private[4 * t->max_vertex];
    load_chunk(t, chunk, x, x_private);
    with_stencil(t, chunk_rows, &(work_chunk){t, chunk, x_private, r});
  }
}
