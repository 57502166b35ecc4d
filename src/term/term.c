/* Destruction of a term, its properties, the energies of its elements, and its total force. */
#include "base/forest.h"
#include "kernels.h"
#include "mean.h"

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
  PetscCall(PetscFree(t->pressure));
  PetscCall(PetscFree(t->damping));
  wring_blocks_destroy(&t->share);
  PetscCall(PetscFree(t->partial));
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

PetscBool wring_term_is_attachment(const wring_term *t)
{
  return (PetscBool)(t->attachment != NULL);
}

/* Per tet: energy per rest volume, det F. */
typedef struct {
  double *density, *J;
} cell_data;

static void map_cells(const term_row *r)
{
  const wring_term *const t  = r->t;
  const cell_data *const  to = r->context;
  WRING_ALIGNED lanes     psi;
  t->law->energy(t->law, term_par(t, r->row), r->z, psi);
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, r->block * LANES + l);
    if (e < 0) continue;
    const PetscInt cell = t->cell[e];
    const double   part = term_part(t, r->block, r->point, l), J = t->law->q == 3 ? determinant(r->z, l) : 0;
    to->density[cell] += part * (t->scale ? t->scale[e] * psi[l] : psi[l]);
    if (t->mean) to->density[cell] += part * t->mean->u[t->mean->patch[e]][0];
    if (t->law->q == 3) to->J[cell] = r->point > 0 ? to->J[cell] + part * J : part * J;
  }
}

void wring_term_cell_data(const wring_term *t, const double *x, double *density, double *J)
{
  if (!t->cell) return;
  wring_pass_run(&(wring_pass){.t = t, .map = map_cells, .context = &(cell_data){density, J}}, WRING_ALL, x, NULL,
                 NULL);
}

static void map_energies(const term_row *r)
{
  const wring_term *const t      = r->t;
  double *const           energy = r->context;
  WRING_ALIGNED lanes     psi;
  t->law->energy(t->law, term_par(t, r->row), r->z, psi);
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, r->block * LANES + l);
    if (e >= 0) energy[t->place[e]] += t->weight[(size_t)r->row * LANES + l] * psi[l];
  }
}

void wring_term_add_energies(const wring_term *t, const double *x, double *energy)
{
  if (t->place) wring_pass_run(&(wring_pass){.t = t, .map = map_energies, .context = energy}, WRING_ALL, x, NULL, NULL);
}

/* Forces between the vertices of an element cancel, so only points have a resultant. */
void wring_term_resultant(const wring_term *t, const double *x, double force[3])
{
  for (int k = 0; k < 3; k++) force[k] = 0;
  if (t->m > 1 || !t->active) return;
  for (PetscInt b = 0; b < t->n_block; b++) {
    WRING_ALIGNED lanes z[3], p[3], psi;
    for (int l = 0; l < LANES; l++) {
      PetscInt v;
      term_vertices(t, b * LANES + l, &v);
      for (int k = 0; k < 3; k++) z[k][l] = x[3 * v + k];
    }
    t->law->fused(t->law, term_par(t, b), (wring_in)z, psi, p);
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < LANES; l++) force[k] -= t->weight[(size_t)b * LANES + l] * p[k][l];
  }
}

/* |G_e|^2 [LANES] from the rows of the free vertices. */
static void squared_coef(const wring_term *t, const double *rows, double *square)
{
  const int           q = t->law->q;
  WRING_ALIGNED lanes g[MAX_M * MAX_Q];
  corner_rows(t->m, q, rows, g);
  for (int l = 0; l < LANES; l++) {
    square[l] = 0;
    for (int i = 0; i < t->m * q; i++) square[l] += g[i % t->m * q + i / t->m][l] * g[i % t->m * q + i / t->m][l];
  }
}

static wring_term_rounding measure_rows(const wring_term *t)
{
  WRING_ALIGNED lanes k[1], square[1], room[9 * MAX_Q];
  wring_term_rounding r = {0};
  for (PetscInt row = 0; row < t->n_block * t->points; row++) {
    row_slope(t, row, k[0]);
    squared_coef(t, block_rows(t, row / t->points, (int)(row % t->points), room), square[0]);
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

wring_term_rounding wring_term_find_rounding(const wring_term *t)
{
  return t->law->q == 1 ? (wring_term_rounding){0} : measure_rows(t);
}

double wring_term_stiffness(const wring_term *t)
{
  return t->law->slope || t->proxy > 0 ? measure_rows(t).stiffness : 0;
}

/* ---- without an evaluation: who shares an element, stiffness of points and edges, moduli at rest ----------------- */

void wring_term_unite(const wring_term *t, PetscInt *parent)
{
  PetscInt v[QUADRATIC];
  if (!t->active) return;
  for (PetscInt e = 0; e < t->n; e++) {
    term_vertices(t, term_position(t, e), v);
    for (int a = 1; a < t->m; a++)
      if (parent[v[0]] != parent[v[a]]) wring_unite(parent, v[0], v[a]);
  }
}

void wring_term_add_stiffness(const wring_term *t, double *k)
{
  PetscInt v[2];
  if (t->m > 2 || !t->active) return;
  for (PetscInt p = 0; p < t->n_block * LANES; p++) {
    if (!term_is_real(t, p)) continue;
    term_vertices(t, p, v);
    for (int a = 0; a < t->m; a++) k[v[a]] += t->weight[p] * term_par(t, p / LANES)[0][p % LANES];
  }
}

/* The least and the largest factor on psi. */
static void find_scales(const wring_term *t, double *least, double *largest)
{
  *least = *largest = t->scale ? t->scale[0] : 1;
  for (PetscInt e = 1; t->scale && e < t->n; e++) {
    *least   = PetscMin(*least, t->scale[e]);
    *largest = PetscMax(*largest, t->scale[e]);
  }
}

PetscBool wring_term_moduli(const wring_term *t, double *wave, double *shear)
{
  const wring_law *const law = t->mean ? t->mean->law : t->law;
  double                 par[law->n_par + 1];

  for (int i = 0; i < law->n_par; i++) par[i] = t->mean ? t->mean->par[i] : term_par(t, 0)[i][0];
  return wring_law_rest_moduli(law, par, wave, shear);
}

PetscBool wring_term_rest_moduli(const wring_term *t, wring_rest_moduli *m)
{
  if (!t->cell || t->n == 0) return PETSC_FALSE;
  find_scales(t, &m->least_scale, &m->largest_scale);
  return wring_term_moduli(t, &m->wave, &m->shear);
}
