/*
  The list of all laws, in the order in which help lists them. Sweeps visit the laws on top of materials in this order.
*/
#include <wring/law.h>
#include <wring/plugin.h>

/* clang-format off */
#define LAWS \
  LAW(strain) LAW(corotated) LAW(fixed_corotated) LAW(stvk) LAW(neohookean) LAW(stable_neohookean) LAW(mooney_rivlin) \
  LAW(polynomial) LAW(spline) \
  LAW(volume) LAW(strain_limit) LAW(fibre) \
  LAW(attachment) LAW(spring) \
  LAW(membrane_strain) LAW(membrane_strain_limit) LAW(membrane_area) LAW(bending_isometric) LAW(bending_rigid)
/* clang-format on */

#define LAW(name) extern const wring_law wring_law_##name;
LAWS
#undef LAW

#define LAW(name) &wring_law_##name,
  static const wring_law *const laws[] = {LAWS};
#undef LAW

#define LAW(name) "|" #name
const char wring_law_names[] = LAWS;

const wring_law *wring_law_at(int i)
{
  const int n = sizeof laws / sizeof laws[0];
  if (i < 0) return NULL;
  return i < n ? laws[i] : wring_plugins()->law[i - n];
}

/* The i-th law of a kind. */
static const wring_law *of_kind(wring_law_kind kind, int i)
{
  const wring_law *law;
  for (int j = 0; (law = wring_law_at(j)); j++) {
    if (law->kind == kind && i-- == 0) return law;
  }
  return NULL;
}

const wring_law *wring_law_material(int i)
{
  return of_kind(WRING_LAW_MATERIAL, i);
}

const wring_law *wring_law_on_top(int i)
{
  return of_kind(WRING_LAW_ON_TOP, i);
}

const wring_law *wring_law_find(const char *name)
{
  const wring_law *law;
  for (int i = 0; (law = wring_law_material(i)); i++) {
    if (!wring_ascii_compare(law->name, name)) return law;
  }
  return NULL;
}

PetscBool wring_law_rest_moduli(const wring_law *law, const double *par, double *wave, double *shear)
{
  const int            q                 = law->q;
  WRING_ALIGNED double z[9][WRING_LANES] = {{0}}, h[81][WRING_LANES], all[law->n_par + 1][WRING_LANES];
  if (!law->hessian) return PETSC_FALSE;
  for (int l = 0; l < WRING_LANES; l++) {
    for (int i = 0; i < q; i++) z[q * i + i][l] = 1;
    for (int i = 0; i < law->n_par; i++) all[i][l] = par[i];
  }
  law->hessian(law, WRING_FILTER_NONE, (wring_in)all, (wring_in)z, h);
  *wave  = h[0][0];
  *shear = q == 3 ? h[3 * q + 1][0] : 0;
  return PETSC_TRUE;
}

double wring_poisson_ratio(double wave, double shear)
{
  return wave > shear ? (wave - 2 * shear) / (2 * (wave - shear)) : 0;
}

double wring_young_modulus(double wave, double shear)
{
  return wave > shear ? shear * (3 * wave - 4 * shear) / (wave - shear) : 0;
}

unsigned wring_law_can(const wring_law *law)
{
  return (law->fused ? WRING_CAN_GRADIENT : 0) | (law->hessian ? WRING_CAN_HESSIAN : 0) |
         (law->project ? WRING_CAN_PROJECT : 0) | (law->slope ? WRING_CAN_SLOPE : 0) |
         (law->prox ? WRING_CAN_PROX : 0) | (law->constraint ? WRING_CAN_CONSTRAIN : 0) |
         (law->split ? 0 : WRING_CAN_ALONE);
}

const char *wring_law_can_name(unsigned can)
{
  static const char *const name[] = {
    "gradient", "Hessian", "projection", "slope", "prox", "constraint", "energy of each element alone"};
  for (int i = 0; i < (int)(sizeof name / sizeof name[0]); i++) {
    if (can & (1u << i)) return name[i];
  }
  return "nothing";
}
