/* The solver types, in the order of help: a new method is one file and one entry here. */
#include "solver/common/solver_impl.h"

static const wring_solver_ops *const types[] = {
  &wring_solver_qn,
  &wring_solver_pd,
  &wring_solver_chebyshev,
  &wring_solver_admm,
  &wring_solver_newton,
  &wring_solver_xpbd,
  &wring_solver_pbd,
  &wring_solver_rgc,
  &wring_solver_penalty,
  &wring_solver_compliant,
  &wring_solver_gradient_descent,
  &wring_solver_anderson,
};

enum { N_TYPES = sizeof types / sizeof types[0] };

const wring_option wring_solver_options[] = {
  {.key     = "type",
   .type    = WRING_WORD,
   .choices = "qn|pd|chebyshev|admm|newton|xpbd|pbd|rgc|penalty|compliant|gradient_descent|anderson",
   .value   = "qn",
   .help    = "Method that minimises g."},
  {.key = "max_it", .type = WRING_INT, .range = "[0,inf)", .value = "100", .help = "Most iterations of one solve."},
  {.key   = "rtol",
   .type  = WRING_REAL,
   .range = "[0,1)",
   .value = "1e-6",
   .help  = "A solve has converged when |grad g| <= rtol |grad g(x_0)|; 0: never."},
  {.key   = "atol",
   .type  = WRING_REAL,
   .unit  = "N",
   .range = "[0,inf)",
   .value = "0",
   .help  = "A solve has converged when |grad g| <= atol; 0: never."},
  {.key   = "measure",
   .type  = WRING_INT,
   .range = "[0,inf)",
   .value = "1",
   .help  = "Iterations between measurements of g and grad g; the last one is always measured; 0: only the last."},
  {.key = NULL},
};

const char *wring_solver_type(int i, const wring_option **options)
{
  if (i < 0 || i >= N_TYPES) return NULL;
  *options = types[i]->options;
  return types[i]->name;
}

const wring_solver_ops *wring_solver_find(const char *name)
{
  for (int i = 0; i < N_TYPES; i++) {
    PetscBool same;
    if (PetscStrcasecmp(types[i]->name, name, &same) == PETSC_SUCCESS && same) return types[i];
  }
  return NULL;
}
