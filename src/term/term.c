/* Destruction of a term, its properties, the energies of its elements, and its total force. */
#include "kernels.h"

PetscErrorCode wring_term_destroy(wring_term **term)
{
  wring_term *t = *term;

  PetscFunctionBegin;
  if (!t) PetscFunctionReturn(PETSC_SUCCESS);
  double *corner = (double *)t->corner;
  PetscCall(wring_term_destroy_attachment(&t->attachment));
  PetscCall(PetscFree(t->cell));
  PetscCall(PetscFree(t->place));
  PetscCall(PetscFree(t->chunk_block));
  PetscCall(PetscFree(t->chunk_vertex));
  PetscCall(PetscFree(t->vertex));
  PetscCall(PetscFree5(t->chunk_own, t->chunk_row, t->shared, t->shared_start, t->shared_row));
  wring_blocks_destroy(&corner);
  wring_blocks_destroy(&t->coef);
  wring_blocks_destroy(&t->weight);
  wring_blocks_destroy(&t->par);
  PetscCall(PetscFree(t->scale));
  PetscCall(PetscFree(t->damping));
  wring_blocks_destroy(&t->share);
  PetscCall(PetscFree(t->energy));
  PetscCall(PetscFree(t->product));
  PetscCall(PetscFree(*term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_term_name(const wring_term *t)
{
  return t->name;
}

const wring_law *wring_term_law(const wring_term *t)
{
  return t->law;
}

PetscInt wring_term_size(const wring_term *t)
{
  return t->n;
}

PetscBool wring_term_active(const wring_term *t)
{
  return t->active;
}

PetscBool wring_term_is_attachment(const wring_term *t)
{
  return (PetscBool)(t->attachment != NULL);
}

/* det F, with F = z of a tet, row by row. */
static double determinant(const lanes *z, int l)
{
  return z[0][l] * (z[4][l] * z[8][l] - z[5][l] * z[7][l]) - z[1][l] * (z[3][l] * z[8][l] - z[5][l] * z[6][l]) +
         z[2][l] * (z[3][l] * z[7][l] - z[4][l] * z[6][l]);
}

/* The tets of a chunk, x private [vertices][4]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  const double     *x;
  double           *density, *J;
} work_chunk;

static inline __attribute__((always_inline)) void chunk_data(int m, int q, void *context)
{
  const work_chunk *const w = context;
  const wring_term *const t = w->t;
  WRING_ALIGNED lanes     z[3 * MAX_Q], psi;
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    load_z(t, b, m, q, w->x, z);
    t->law->energy(t->law, term_par(t, b), (wring_in)z, psi);
    for (int l = 0; l < LANES; l++) {
      const PetscInt e = term_element(t, b * LANES + l);
      if (e < 0) continue;
      w->density[t->cell[e]] += t->scale ? t->scale[e] * psi[l] : psi[l];
      if (q == 3) w->J[t->cell[e]] = determinant((const lanes *)z, l);
    }
  }
}

void wring_term_cell_data(const wring_term *t, const double *x, double *density, double *J)
{
  if (!t->cell) return;
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    double x_private[4 * t->max_vertex];
    load_chunk(t, c, x, x_private);
    with_stencil(t, chunk_data, &(work_chunk){t, c, x_private, density, J});
  }
}

/* The energies of the blocks of a chunk, x private [vertices][4]. */
typedef struct {
  const wring_term *t;
  PetscInt          c;
  const double     *x;
  double           *energy;
} work_energies;

static inline __attribute__((always_inline)) void add_energies(int m, int q, void *context)
{
  const work_energies *const w = context;
  WRING_ALIGNED lanes        z[3 * MAX_Q], psi;
  for (PetscInt b = w->t->chunk_block[w->c]; b < w->t->chunk_block[w->c + 1]; b++) {
    load_z(w->t, b, m, q, w->x, z);
    w->t->law->energy(w->t->law, term_par(w->t, b), (wring_in)z, psi);
    for (int l = 0; l < LANES; l++) {
      const PetscInt e = term_element(w->t, b * LANES + l);
      if (e >= 0) w->energy[w->t->place[e]] += w->t->weight[(size_t)b * LANES + l] * psi[l];
    }
  }
}

void wring_term_add_energies(const wring_term *t, const double *x, double *energy)
{
  if (!t->place || !t->active) return;
#pragma omp parallel for schedule(static)
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    double x_private[4 * t->max_vertex];
    load_chunk(t, c, x, x_private);
    with_stencil(t, add_energies, &(work_energies){t, c, x_private, energy});
  }
}

/* Forces between the vertices of an element cancel, so only points have a resultant. */
void wring_term_resultant(const wring_term *t, const double *x, double force[3])
{
  for (int k = 0; k < 3; k++) force[k] = 0;
  if (t->m > 1 || !t->active) return;
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    WRING_ALIGNED lanes z[3], p[3];
    double              x_private[4 * t->max_vertex];
    load_chunk(t, c, x, x_private);
    for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
      load_z(t, b, 1, 1, x_private, z);
      t->law->gradient(t->law, term_par(t, b), (wring_in)z, p);
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < LANES; l++) force[k] -= t->weight[(size_t)b * LANES + l] * p[k][l];
      }
    }
  }
}

/* |G_e|^2 [LANES] of a block; the row of the last vertex is minus the sum of the others. */
static void squared_coef(const wring_term *t, PetscInt b, double *square)
{
  const int n = free_vertices(t->m), q = t->law->q;
  for (int l = 0; l < LANES; l++) {
    square[l] = 0;
    for (int c = 0; c < q; c++) {
      double last = 0;
      for (int a = 0; a < n; a++) {
        const double g = t->coef[((size_t)b * n * q + a * q + c) * LANES + l];
        square[l] += g * g;
        last += g;
      }
      square[l] += last * last;
    }
  }
}

wring_term_rounding wring_term_find_rounding(const wring_term *t)
{
  WRING_ALIGNED double k[LANES], square[LANES];
  wring_term_rounding  r = {0};
  if (t->law->q == 1) return r;
  for (PetscInt b = 0; b < t->n_block; b++) {
    block_slope(t, b, k);
    squared_coef(t, b, square);
    for (int l = 0; l < LANES; l++) {
      const double scale = t->weight[(size_t)b * LANES + l] * k[l];
      if (t->law->project)
        r.stiffness = PetscMax(r.stiffness, scale * square[l]);
      else
        r.squared += PetscSqr(scale);
    }
  }
  return r;
}
