/* Destruction of a term, its properties, the energies of its elements, and its total force. */
#include "kernels.h"
#include "mean/mean.h"

PetscErrorCode wring_term_destroy(wring_term **term)
{
  wring_term *t = *term;

  PetscFunctionBegin;
  if (!t) PetscFunctionReturn(PETSC_SUCCESS);
  double *corner = (double *)t->corner;
  PetscCall(wring_term_destroy_attachment(&t->attachment));
  PetscCall(wring_mean_destroy(&t->mean));
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
  WRING_ALIGNED lanes     z[3 * MAX_Q], psi, d[27];
  for (PetscInt b = t->chunk_block[w->c]; b < t->chunk_block[w->c + 1]; b++) {
    load_columns(t, b, m, w->x, d);
    for (int p = 0; p < points_of(t, m); p++) {
      load_z(t, b, p, m, q, w->x, (const lanes *)d, z);
      t->law->energy(t->law, term_par(t, b * points_of(t, m) + p), (wring_in)z, psi);
      for (int l = 0; l < LANES; l++) {
        const PetscInt e = term_element(t, b * LANES + l);
        if (e < 0) continue;
        const PetscInt cell = t->cell[e];
        const double   part = term_part(t, b, p, l), J = q == 3 ? determinant((const lanes *)z, l) : 0;
        w->density[cell] += part * (t->scale ? t->scale[e] * psi[l] : psi[l]);
        if (t->mean) w->density[cell] += part * t->mean->u[t->mean->patch[e]][0];
        if (q == 3) w->J[cell] = p > 0 ? w->J[cell] + part * J : part * J;
      }
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
  WRING_ALIGNED lanes        z[3 * MAX_Q], psi, d[27];
  for (PetscInt b = w->t->chunk_block[w->c]; b < w->t->chunk_block[w->c + 1]; b++) {
    load_columns(w->t, b, m, w->x, d);
    load_z(w->t, b, 0, m, q, w->x, (const lanes *)d, z);
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
    WRING_ALIGNED lanes z[3], p[3], psi;
    double              x_private[4 * t->max_vertex];
    load_chunk(t, c, x, x_private);
    for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
      load_z(t, b, 0, 1, 1, x_private, NULL, z);
      t->law->fused(t->law, term_par(t, b), (wring_in)z, psi, p);
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < LANES; l++) force[k] -= t->weight[(size_t)b * LANES + l] * p[k][l];
      }
    }
  }
}

/* |G_e|^2 [LANES] from the rows of the free vertices; the row of the last vertex is minus the sum of the others. */
static void squared_coef(const wring_term *t, const double *rows, double *square)
{
  const int n = free_vertices(t->m), q = t->law->q;
  for (int l = 0; l < LANES; l++) {
    square[l] = 0;
    for (int c = 0; c < q; c++) {
      double last = 0;
      for (int a = 0; a < n; a++) {
        const double g = rows[(a * q + c) * LANES + l];
        square[l] += g * g;
        last += g;
      }
      square[l] += last * last;
    }
  }
}

wring_term_rounding wring_term_find_rounding(const wring_term *t)
{
  WRING_ALIGNED lanes k[1], square[1], room[9 * MAX_Q];
  wring_term_rounding r = {0};
  if (t->law->q == 1) return r;
  for (PetscInt row = 0; row < t->n_block * t->points; row++) {
    const double *const L = t->rule ? t->rule->L[row % t->points] : NULL;
    row_slope(t, row, k[0]);
    squared_coef(t, t->rule ? form_rows(QUADRATIC, t->law->q, L, row_coef(t, row), room) : row_coef(t, row), square[0]);
    for (int l = 0; l < LANES; l++) {
      const double scale = t->weight[(size_t)row * LANES + l] * k[0][l];
      if (t->law->project)
        r.stiffness = PetscMax(r.stiffness, scale * square[0][l]);
      else
        r.squared += PetscSqr(scale);
    }
  }
  return r;
}
