/* Pressures that are linear in a step, of materials that are nearly incompressible. docs/theory.md (5.17g) */
#include "kernels.h"
#include "mean.h"

static const double nearly = 20; // (lambda + 2 mu)/mu, about nu = 0.474

double wring_term_volume_ratio(const wring_term *t)
{
  const wring_law *const law = t->mean ? t->mean->law : t->law;
  double                 wave, shear;
  if (!t->active || law->kind != WRING_LAW_MATERIAL || !law->volumetric) return 0;
  return wring_term_moduli(t, &wave, &shear) && wave > nearly * shear ? wave / shear : 0;
}

/* ---- of each point, without means -------------------------------------------------------------------------------- */

/* u [3]: U, U', U'' of a lane of a row at J. */
static void energy_at(const term_row *r, int l, double J, double *u)
{
  const wring_law *const law = r->t->law;
  double                 par[law->n_par];
  for (int i = 0; i < law->n_par; i++) par[i] = term_par(r->t, r->row)[i][l];
  law->volumetric->energy(par, J, u);
}

/* The change of J is that along the second field; without one, where context is NULL, it is 0. */
static void map_pressures(const term_row *r)
{
  double *const       pressure = r->t->pressure + (size_t)r->row * LANES;
  WRING_ALIGNED lanes c[9];
  double              u[3];
  cofactors(r->z, c);
  for (int l = 0; l < LANES; l++) {
    double change = 0;
    for (int i = 0; i < 9 && r->context; i++) change += c[i][l] * r->z[FIELD + i][l];
    energy_at(r, l, determinant(r->z, l), u);
    pressure[l] = u[1] + u[2] * change;
  }
}

PetscErrorCode wring_term_find_pressures(wring_term *t, wring_phases *phases, const double *x, const double *d)
{
  const size_t rows = (size_t)t->n_block * (size_t)t->points;

  PetscFunctionBegin;
  if (wring_term_volume_ratio(t) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!t->pressure) PetscCall(PetscMalloc1(t->mean ? (size_t)t->mean->n : rows * LANES, &t->pressure));
  if (t->mean)
    PetscCall(wring_mean_find_pressures(t, phases, x, d));
  else
    wring_pass_run(&(wring_pass){.t = t, .map = map_pressures, .context = (void *)d, .more = {d}, .n_more = d ? 1 : 0},
                   WRING_ALL, x, NULL, NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of the element's part with its pressure, and U'' c c^T, c = cof F. */
void wring_term_pressed_hessian(const term_row *r, wring_filter filter, wring_out h)
{
  const wring_volumetric *const split   = r->t->law->volumetric;
  const wring_law *const        element = split->element;
  WRING_ALIGNED lanes           wide[element->n_par], c[9], U;
  double                        par[r->t->law->n_par], part[element->n_par], u[3];
  cofactors(r->z, c);
  for (int l = 0; l < LANES; l++) {
    for (int i = 0; i < r->t->law->n_par; i++) par[i] = term_par(r->t, r->row)[i][l];
    (void)split->keep(par, part);
    part[element->n_par - 1] = r->t->pressure[(size_t)r->row * LANES + l];
    for (int i = 0; i < element->n_par; i++) wide[i][l] = part[i];
    energy_at(r, l, determinant(r->z, l), u);
    U[l] = filtered_curvature(filter, u[2]);
  }
  element->hessian(element, filter, (wring_in)wide, r->z, h);
  for (int i = 0; i < 81; i++) {
    for (int l = 0; l < LANES; l++) h[i][l] += U[l] * c[i / 9][l] * c[i % 9][l];
  }
}
