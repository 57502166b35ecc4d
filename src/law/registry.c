/* Every material law and every law on top of one, in the order of help. To add one: write its file, declare it in law.h, add its line here. */
#include <strings.h>
#include <wring/law.h>

static const wring_law *const materials[] = {
  &wring_law_strain,        &wring_law_corotated,  &wring_law_fixed_corotated,
  &wring_law_stvk,          &wring_law_neohookean, &wring_law_stable_neohookean,
  &wring_law_mooney_rivlin, &wring_law_polynomial, &wring_law_spline};

static const wring_law *const on_top[] = {&wring_law_volume, &wring_law_strain_limit, &wring_law_fibre};

const wring_law *wring_law_material(int i)
{
  const int n = sizeof materials / sizeof materials[0];
  return i >= 0 && i < n ? materials[i] : NULL;
}

const wring_law *wring_law_on_top(int i)
{
  const int n = sizeof on_top / sizeof on_top[0];
  return i >= 0 && i < n ? on_top[i] : NULL;
}

const wring_law *wring_law_find(const char *name)
{
  const wring_law *law;
  for (int i = 0; (law = wring_law_material(i)); i++) {
    if (!strcasecmp(law->name, name)) return law;
  }
  return NULL;
}

unsigned wring_law_can(const wring_law *law)
{
  return (law->gradient ? WRING_CAN_GRADIENT : 0) | (law->hessian ? WRING_CAN_HESSIAN : 0) |
         (law->project ? WRING_CAN_PROJECT : 0) | (law->slope ? WRING_CAN_SLOPE : 0) |
         (law->prox ? WRING_CAN_PROX : 0) | (law->constraint ? WRING_CAN_CONSTRAIN : 0);
}

const char *wring_law_can_name(unsigned can)
{
  static const char *const name[] = {"gradient", "Hessian", "projection", "slope", "prox", "constraint"};
  for (int i = 0; i < (int)(sizeof name / sizeof name[0]); i++) {
    if (can & (1u << i)) return name[i];
  }
  return "nothing";
}
