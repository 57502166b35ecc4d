/*
  Constraints as rows of a linear system: C_j, its derivative in the positions of the element's vertices, and its stiffness.
  docs/theory.md 3.6. An attachment counts as three constraints, z_c - t_c: its scalar form |z - t| has no gradient where it
  holds, and neither have the roots of energies that serve as constraints of most materials.
*/
#include "kernels.h"

static int rows_per_element(const wring_law *law)
{
  return law == &wring_law_attachment ? 3 : law->n_constraint;
}

static PetscBool is_length(const wring_law *law)
{
  return (PetscBool)(law == &wring_law_spring || law == &wring_law_fibre);
}

/* A spring of length 0 projects onto 0. */
static PetscBool has_length(const wring_term *t)
{
  WRING_ALIGNED lanes z[3] = {{0}}, p[3];
  for (int l = 0; l < LANES; l++) z[0][l] = 1;
  for (PetscInt b = 0; b < t->n_block; b++) {
    t->law->project(term_par(t, b), (wring_in)z, p);
    for (int l = 0; l < LANES; l++) {
      if (t->weight[(size_t)b * LANES + l] > 0 && p[0][l] <= 0) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

const char *wring_term_no_rows(const wring_term *t)
{
  if (t->law == &wring_law_attachment || t->law == &wring_law_stable_neohookean) return NULL;
  if (!is_length(t->law)) return "its constraint has no gradient where it holds";
  return has_length(t) ? NULL : "a spring of length 0 has no direction";
}

PetscErrorCode wring_rows_create(const wring_term *t, wring_rows *r)
{
  const PetscInt n = rows_per_element(t->law) * t->n;

  PetscFunctionBegin;
  *r = (wring_rows){.m = t->m};
  PetscCall(PetscMalloc4(n * t->m, &r->vertex, n, &r->C, 3 * n * t->m, &r->dC, n, &r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_rows_destroy(wring_rows *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(r->vertex, r->C, r->dC, r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C_c = z_c - t_c; the target t is the law's projection. */
static void attachment_row(const wring_law *law, int c, wring_in par, wring_in z, double *C, lanes *dC, double *k)
{
  WRING_ALIGNED lanes p[3];
  law->project(par, z, p);
  law->slope(par, k);
  for (int i = 0; i < 3; i++) {
    for (int l = 0; l < LANES; l++) dC[i][l] = i == c;
  }
  for (int l = 0; l < LANES; l++) C[l] = z[c][l] - p[c][l];
}

/* C = |z| - l with the direction d = z/|z|, or what the law takes for it at z = 0; the projection is l d. */
static void length_row(const wring_law *law, wring_in par, wring_in z, double *C, lanes *d, double *k)
{
  WRING_ALIGNED lanes p[3];
  law->project(par, z, p);
  law->slope(par, k);
  for (int l = 0; l < LANES; l++) {
    const double length = sqrt(p[0][l] * p[0][l] + p[1][l] * p[1][l] + p[2][l] * p[2][l]);
    for (int i = 0; i < 3; i++) d[i][l] = p[i][l] / length;
    C[l] = z[0][l] * d[0][l] + z[1][l] * d[1][l] + z[2][l] * d[2][l] - length;
  }
}

static void constraint_row(const wring_law *law, int j, wring_in par, wring_in z, double *C, lanes *dC, double *k)
{
  if (law == &wring_law_attachment)
    attachment_row(law, j, par, z, C, dC, k);
  else if (is_length(law))
    length_row(law, par, z, C, dC, k);
  else
    law->constraint(j, par, z, C, dC, k);
}

/* The rows j of the elements of a block; f = dC/dx of its vertices. */
static void store_rows(const wring_term *t, PetscInt chunk, PetscInt b, int j, const double *C, const lanes *f,
                       const double *k, wring_rows *r)
{
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, b * LANES + l);
    if (e < 0) continue;
    const PetscInt row = rows_per_element(t->law) * e + j;
    r->C[row]          = C[l];
    r->k[row]          = t->weight[(size_t)b * LANES + l] * k[l];
    for (int a = 0; a < t->m; a++) {
      r->vertex[t->m * row + a] = term_corner(t, chunk, b, a, l);
      for (int c = 0; c < 3; c++) r->dC[3 * (t->m * row + a) + c] = f[3 * a + c][l];
    }
  }
}

/* The rows of the blocks of a chunk, x private [vertices][4]. */
typedef struct {
  const wring_term *t;
  PetscInt          chunk;
  const double     *x;
  wring_rows       *r;
} work_chunk;

static inline __attribute__((always_inline)) void chunk_rows(int m, int q, void *context)
{
  const work_chunk *const w = context;
  const wring_term *const t = w->t;
  WRING_ALIGNED lanes     z[3 * MAX_Q], dC[3 * MAX_Q], f[3 * MAX_M], C, k;
  for (PetscInt b = t->chunk_block[w->chunk]; b < t->chunk_block[w->chunk + 1]; b++) {
    load_z(t, b, m, q, w->x, z);
    for (int j = 0; j < rows_per_element(t->law); j++) {
      constraint_row(t->law, j, term_par(t, b), (wring_in)z, C, dC, k);
      form_forces(m, q, block_coef(t, b), (wring_in)dC, f);
      store_rows(t, w->chunk, b, j, C, (const lanes *)f, k, w->r);
    }
  }
}

void wring_term_rows(const wring_term *t, const double *x, wring_rows *r)
{
  r->n = t->active ? rows_per_element(t->law) * t->n : 0;
#pragma omp parallel for schedule(static)
  for (PetscInt chunk = 0; chunk < (t->active ? t->n_chunk : 0); chunk++) {
    double x_private[4 * t->max_vertex];
    load_chunk(t, chunk, x, x_private);
    with_stencil(t, chunk_rows, &(work_chunk){t, chunk, x_private, r});
  }
}
