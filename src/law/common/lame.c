#include "lame.h"
#include "keys.h"

const wring_option wring_lame_options[] = {
  {.key = "young", .type = WRING_REAL, .unit = "Pa", .range = "(0,inf)", .help = "Young's modulus; requires poisson."},
  {.key   = "poisson",
   .type  = WRING_REAL,
   .range = "(-1,0.5)",
   .help  = "Poisson's ratio; requires young; above 1/8 for stable_neohookean."},
  {.key = "mu", .type = WRING_REAL, .unit = "Pa", .range = "(0,inf)", .help = "Shear modulus; requires lambda."},
  {.key  = "lambda",
   .type = WRING_REAL,
   .unit = "Pa",
   .help = "First Lame parameter, at least -2/3 mu; requires mu; above mu/3 for stable_neohookean."},
  {.key = NULL},
};

const char *const wring_lame_example[] = {"young", "1e6", "poisson", "0.4", NULL};

static const char *const pairs[2][2] = {{"young", "poisson"}, {"mu", "lambda"}};

/* The first key of a pair that is set with prefix, or NULL. */
static const char *key_given(const wring_options *o, const char *prefix, int pair)
{
  for (int i = 0; i < 2; i++) {
    if (wring_options_has(o, prefix, pairs[pair][i])) return pairs[pair][i];
  }
  return NULL;
}

/* The pair that is set with prefix: 0 or 1, -1 for none. */
static PetscErrorCode choose_pair(const wring_options *o, const char *prefix, int *pair)
{
  const char *const young = key_given(o, prefix, 0), *const mu = key_given(o, prefix, 1);

  PetscFunctionBegin;
  if (young && mu) {
    WRING_REFUSE(wring_options_comm(o),
                 "%s: %s%s and %s%s are both given, expected either young and poisson or mu and lambda",
                 wring_options_origin(o, prefix, mu), prefix, mu, prefix, young);
  }
  *pair = young ? 0 : mu ? 1 : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lame_refuse(const wring_options *o, const char *prefix, const char *fallback, const double *par,
                                 const char *expected)
{
  int pair;

  PetscFunctionBegin;
  PetscCall(choose_pair(o, prefix, &pair));
  if (pair < 0) PetscCall(choose_pair(o, fallback, &pair));
  const char *const key = pairs[pair][1], *const at = wring_law_prefix(o, prefix, fallback, key);
  WRING_REFUSE(wring_options_comm(o), "%s: %s%s gives mu %.6g Pa, lambda %.6g Pa; %s", wring_options_origin(o, at, key),
               at, key, par[LAME_MU], par[LAME_LAMBDA], expected);
}

/* The bulk modulus, lambda + 2/3 mu, must not be negative. */
static PetscErrorCode check_lambda(const wring_options *o, const char *prefix, const char *fallback, const double *par)
{
  const char *const at = wring_law_prefix(o, prefix, fallback, "lambda");

  PetscFunctionBegin;
  if (par[LAME_LAMBDA] < -2. / 3 * par[LAME_MU]) {
    WRING_REFUSE(wring_options_comm(o), "%s: %slambda is %.6g Pa; expected at least -2/3 mu = %.6g Pa",
                 wring_options_origin(o, at, "lambda"), at, par[LAME_LAMBDA], -2. / 3 * par[LAME_MU]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lame_get(WRING_SELF, const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  int    pair;
  double value[2];

  PetscFunctionBegin;
  PetscCall(choose_pair(o, prefix, &pair));
  if (pair < 0 && fallback) PetscCall(choose_pair(o, fallback, &pair));
  if (pair < 0) {
    const char *const at = fallback ? fallback : prefix;
    WRING_REFUSE(wring_options_comm(o),
                 "%s: %syoung is missing; expected either %syoung and %spoisson, or %smu and %slambda",
                 wring_options_deck(o), at, at, at, at, at);
  }
  for (int i = 0; i < 2; i++)
    PetscCall(wring_law_get_real(o, prefix, fallback, wring_lame_options, pairs[pair][i], &value[i]));
  if (pair == 0) {
    par[LAME_MU]     = value[0] / (2 * (1 + value[1]));
    par[LAME_LAMBDA] = value[0] * value[1] / ((1 + value[1]) * (1 - 2 * value[1]));
  } else {
    par[LAME_MU]     = value[0];
    par[LAME_LAMBDA] = value[1];
    PetscCall(check_lambda(o, prefix, fallback, par));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_lame_keep_mu(const double *par, double *element_par)
{
  element_par[LAME_MU]     = par[LAME_MU];
  element_par[LAME_LAMBDA] = 0;
  element_par[LAME_N_PAR]  = 0;
  return PETSC_TRUE;
}
