/* The solver types, in the order of the help text. A new method needs its file and one line in EACH_TYPE. */
#include "solver/common/solver_impl.h"

// clang-format off
#define EACH_TYPE(use) \
  use(qn) \
  use(pd) \
  use(chebyshev) \
  use(admm) \
  use(newton) \
  use(xpbd) \
  use(pbd) \
  use(rgc) \
  use(penalty) \
  use(compliant) \
  use(gradient_descent) \
  use(anderson)
// clang-format on

#define DECLARE(name) extern const wring_solver_ops wring_solver_##name;
#define ADDRESS(name) &wring_solver_##name,
#define CHOICE(name)  "|" #name

EACH_TYPE(DECLARE)

static const wring_solver_ops *const types[]   = {EACH_TYPE(ADDRESS)};
static const char                    choices[] = EACH_TYPE(CHOICE);

enum { N_TYPES = sizeof types / sizeof types[0] };

const wring_option wring_solver_options[] = {
  {.key = "type", .type = WRING_WORD, .choices = &choices[1], .value = "qn", .help = "Method that minimises g."},
  {.key   = "max_it",
   .type  = WRING_INT,
   .range = "[0,inf)",
   .value = "100",
   .help  = "Maximum number of iterations of one solve."},
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
    if (!wring_ascii_compare(types[i]->name, name)) return types[i];
  }
  return NULL;
}
