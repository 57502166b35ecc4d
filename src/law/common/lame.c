#include "lame.h"
#include "keys.h"
#include <math.h>

const wring_option wring_lame_options[] = {
  {"young", WRING_REAL, .unit = "Pa", .range = "(0,inf)", .instead = "mu|lambda",
   .help = "Young's modulus; requires poisson."},
  {"poisson", WRING_REAL, .range = "(-1,0.5)", .instead = "mu|lambda",
   .help = "Poisson's ratio; requires young; at least 0 for fixed_corotated and neohookean."},
  {"mu", WRING_REAL, .unit = "Pa", .range = "(0,inf)", .instead = "young|poisson",
   .help = "Shear modulus; requires lambda."},
  {"lambda", WRING_REAL, .unit = "Pa", .instead = "young|poisson",
   .help = "First Lame parameter; requires mu; at least -2/3 mu, at least 0 for fixed_corotated and neohookean; for "
           "stable_neohookean the sum of it and mu, above mu/3."},
  {0},
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
static PetscErrorCode find_pair(const wring_options *o, const char *prefix, int *pair)
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

/* The pair that is read: 0 or 1. */
static PetscErrorCode choose_pair(const wring_options *o, const char *prefix, const char *fallback, int *pair)
{
  PetscFunctionBegin;
  PetscCall(find_pair(o, prefix, pair));
  if (*pair < 0 && fallback) PetscCall(find_pair(o, fallback, pair));
  if (*pair < 0) {
    const char *const at = fallback ? fallback : prefix;
    WRING_REFUSE(wring_options_comm(o),
                 "%s: %syoung is missing; expected either %syoung and %spoisson, or %smu and %slambda",
                 wring_options_deck(o), at, at, at, at, at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Refused, with `expected`: lambda < least mu. A note: lambda < local mu, for which rest is a local minimum only. young
  and poisson give Lame's lambda plus shift mu.
*/
typedef struct {
  double      shift, least, local;
  const char *expected;
} limit;

static PetscErrorCode get(const limit *l, const wring_law *self, const wring_options *o, const char *prefix,
                          const char *fallback, double *par)
{
  int    pair;
  double value[2];

  PetscFunctionBegin;
  PetscCall(choose_pair(o, prefix, fallback, &pair));
  for (int i = 0; i < 2; i++)
    PetscCall(wring_law_get_real(o, prefix, fallback, wring_lame_options, pairs[pair][i], &value[i]));
  const double young = value[0], nu = value[1], mu = pair ? value[0] : young / (2 * (1 + nu));
  par[LAME_MU]          = mu;
  par[LAME_LAMBDA]      = pair ? value[1] : young * nu / ((1 + nu) * (1 - 2 * nu)) + l->shift * mu;
  const char *const key = pairs[pair][1], *const at = wring_law_prefix(o, prefix, fallback, key);
  if (par[LAME_LAMBDA] < l->least * mu)
    WRING_REFUSE(wring_options_comm(o), "%s: %s%s is %.6g; %s expects %s", wring_options_origin(o, at, key), at, key,
                 value[1], self->name, l->expected);
  if (par[LAME_LAMBDA] < l->local * mu)
    PetscCall(wring_note(wring_options_comm(o),
                         "%s: %s%s is %.6g: an element of %s that is crushed to a point has less energy than at rest",
                         wring_options_origin(o, at, key), at, key, value[1], self->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1e-12: the rounding of poisson near -1. docs/theory.md (3.21a) to (3.21c) */
static const limit of_strains = {.least    = -2. / 3 * (1 + 1e-12),
                                 .local    = -INFINITY,
                                 .expected = "lambda of at least -2/3 mu: below, its energy has no lower bound"};
static const limit of_volume  = {.expected = "poisson or lambda of at least 0: below, its energy has no lower bound"};
static const limit of_stable  = {.shift    = 1,
                                 .least    = 1. / 3 * (1 + 1e-12),
                                 .local    = 1,
                                 .expected = "lambda above mu/3: otherwise rest is not a minimum"};

PetscErrorCode wring_lame_get(const wring_law *self, const wring_options *o, const char *prefix, const char *fallback,
                              double *par)
{
  return get(&of_strains, self, o, prefix, fallback, par);
}

PetscErrorCode wring_lame_get_bounded(const wring_law *self, const wring_options *o, const char *prefix,
                                      const char *fallback, double *par)
{
  return get(&of_volume, self, o, prefix, fallback, par);
}

PetscErrorCode wring_lame_get_stable(const wring_law *self, const wring_options *o, const char *prefix,
                                     const char *fallback, double *par)
{
  return get(&of_stable, self, o, prefix, fallback, par);
}

PetscBool wring_lame_keep_mu(const double *par, double *element_par)
{
  element_par[LAME_MU]     = par[LAME_MU];
  element_par[LAME_LAMBDA] = 0;
  element_par[LAME_N_PAR]  = 0;
  return PETSC_TRUE;
}

void wring_lame_slope(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 2 * par[LAME_MU][lane] + par[LAME_LAMBDA][lane];
}
