/* What a term is made of, without an evaluation: who shares an element, moduli at rest, stiffness of points and edges.
 */
#include "base/forest.h"
#include "mean.h"

enum { LANES = WRING_LANES };

void wring_term_unite(const wring_term *t, PetscInt *parent)
{
  PetscInt v[QUADRATIC];
  for (PetscInt e = 0; e < t->n && t->active; e++) {
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

PetscBool wring_term_rest_moduli(const wring_term *t, wring_rest_moduli *moduli)
{
  const wring_law     *law         = t->mean ? t->mean->law : t->law;
  WRING_ALIGNED double z[9][LANES] = {{0}}, h[81][LANES], par[t->mean ? law->n_par : 1][LANES];
  const int            q = law->q, row = 3 * q;

  if (!t->cell || t->n == 0 || !law->hessian) return PETSC_FALSE;
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < q; i++) z[q * i + i][l] = 1;
  if (t->mean) {
    for (int i = 0; i < law->n_par * LANES; i++) par[i / LANES][i % LANES] = t->mean->par[i / LANES];
  }
  law->hessian(law, WRING_FILTER_NONE, t->mean ? (wring_in)par : term_par(t, 0), (wring_in)z, h);
  find_scales(t, &moduli->least_scale, &moduli->largest_scale);
  moduli->wave  = h[0][0];
  moduli->shear = q == 3 ? h[row + 1][0] : 0;
  return PETSC_TRUE;
}
