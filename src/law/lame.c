#include "lame.h"
#include "keys.h"

const wring_option wring_lame_options[] = {
  {.key = "young", .type = WRING_REAL, .unit = "Pa", .range = "(0,inf)", .help = "Young's modulus; with poisson"},
  {.key = "poisson", .type = WRING_REAL, .range = "(-1,0.5)", .help = "Poisson's ratio; with young"},
  {.key = "mu", .type = WRING_REAL, .unit = "Pa", .range = "(0,inf)", .help = "shear modulus; with lambda"},
  {.key = "lambda", .type = WRING_REAL, .unit = "Pa", .help = "first Lame parameter, at least -2/3 mu; with mu"},
  {.key = NULL},
};

typedef enum { NO_PAIR = 0, YOUNG_POISSON = 1, MU_LAMBDA = 2, BOTH_PAIRS = 3 } lame_pair;

static lame_pair pair_given(const wring_options *o, const char *prefix)
{
  const PetscBool young = wring_options_has(o, prefix, "young") || wring_options_has(o, prefix, "poisson");
  const PetscBool mu    = wring_options_has(o, prefix, "mu") || wring_options_has(o, prefix, "lambda");
  return (young ? YOUNG_POISSON : 0) | (mu ? MU_LAMBDA : 0);
}

PetscErrorCode wring_lame_get(const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  const char *const given_at = !fallback || pair_given(o, prefix) ? prefix : fallback;
  const lame_pair   pair     = pair_given(o, given_at);
  double            a, b;

  PetscFunctionBegin;
  if (pair != YOUNG_POISSON && pair != MU_LAMBDA) {
    WRING_REFUSE(PETSC_COMM_WORLD, "%s: %s; expected either %syoung and %spoisson or %smu and %slambda", given_at,
                 pair == NO_PAIR ? "no elastic parameters" : "young or poisson together with mu or lambda", given_at,
                 given_at, given_at, given_at);
  }
  PetscCall(wring_law_get_real(o, prefix, fallback, wring_lame_options, pair == MU_LAMBDA ? "mu" : "young", &a));
  PetscCall(wring_law_get_real(o, prefix, fallback, wring_lame_options, pair == MU_LAMBDA ? "lambda" : "poisson", &b));
  if (pair == MU_LAMBDA && b < -2. / 3 * a) {
    WRING_REFUSE(PETSC_COMM_WORLD, "%slambda: %g; expected at least -2/3 of %smu = %g, for a bulk modulus >= 0",
                 given_at, b, given_at, a);
  }
  par[LAME_MU]     = pair == MU_LAMBDA ? a : a / (2 * (1 + b));
  par[LAME_LAMBDA] = pair == MU_LAMBDA ? b : a * b / ((1 + b) * (1 - 2 * b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
