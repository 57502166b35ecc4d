/* The solver types, in the order of the help text. A new method needs its file and one line in EACH_TYPE. */
#include "solver/common/solver_impl.h"
#include <wring/plugin.h>

// clang-format off
#define EACH_TYPE(use) \
  use(auto) \
  use(qn) \
  use(pd) \
  use(chebyshev) \
  use(admm) \
  use(newton) \
  use(xpbd) \
  use(mgpbd) \
  use(pbd) \
  use(rgc) \
  use(penalty) \
  use(compliant) \
  use(vbd) \
  use(gradient_descent) \
  use(pncg) \
  use(trust_region) \
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
  {"type", WRING_WORD, .choices = &choices[1], .family = WRING_SOLVERS, .value = "auto",
   .help = "Method that minimises g. Without this key, keys of exactly one method select that method."},
  {"max_it", WRING_INT, .range = "[0,inf)", .at = WRING_AT(wring_solver_limits, max_it),
   .help =
     "Maximum number of iterations of one solve; default 5000 for methods that minimise g, 100 for xpbd, mgpbd, "
     "pbd, rgc, penalty and compliant, whose result depends on it. Not of compare, which has compare_iterations."},
  {"rtol", WRING_REAL, .range = "[0,1)", .value = "1e-5", .at = WRING_AT(wring_solver_limits, rtol),
   .help = "A solve has converged when the norm of the remaining force, |grad g|, is at most rtol times the force that "
           "solver_stop names; 0: never. Not of compare, which has compare_tolerance."},
  {"atol", WRING_REAL, .unit = "N", .range = "[0,inf)", .value = "0", .at = WRING_AT(wring_solver_limits, atol),
   .help = "A solve has converged when |grad g| <= atol; 0: never."},
  {"stop", WRING_WORD, .choices = "force|relative|gradient|decrement", .at = WRING_AT(wring_solver_limits, stop),
   .help = "What |grad g| is compared with, times rtol, in compare times compare_tolerance: force: the largest of the "
           "norms of the inertial, internal and external forces and the reactions at the iterate, the default of run; "
           "relative: |grad g| at the start of the solve, the "
           "default of compare; gradient: nothing, |grad g| is compared with solver_atol only; decrement: |grad g| is "
           "not, but grad g . A^-1 grad g with the operator A of the rest state, with rtol times its first value."},
  {"start", WRING_WORD, .choices = "auto|y|q",
   .help = "Where a solve starts: y: the positions that velocities and loads alone would lead to, the default "
           "of compare; q: the last positions; auto: of y, q and extrapolations of the last steps those "
           "that invert fewest tetrahedra, and of these the one of lowest g, the default of run. Without colliders and "
           "self_contact these are compared in the first four steps and in every eighth one; the steps between start "
           "from the same kind."},
  {"measure", WRING_INT, .range = "[0,inf)", .value = "1", .at = WRING_AT(wring_solver_limits, measure),
   .help = "Iterations between measurements of g and grad g; the last one is always measured; 0: only the last."},
  {"accept", WRING_BOOL, .value = "false", .at = WRING_AT(wring_solver_limits, accept),
   .help =
     "Whether a step goes on from the iterate at max_it, whatever force is out of balance there, and from one where "
     "corners of elements of order 2 are inverted. Otherwise the "
     "run ends with status 2 where this is more than 0.1 % of the largest force that stop: force names, in "
     "statics at max_it always. With rtol 0 and atol 0, which ask for max_it iterations, a time step goes on."},
  {0},
};

/* The i-th type, those of plugins last; NULL past the end. */
static const wring_solver_ops *type_at(int i)
{
  if (i < 0) return NULL;
  return i < N_TYPES ? types[i] : wring_plugins()->solver[i - N_TYPES];
}

const char *wring_solver_type(int i)
{
  const wring_solver_ops *const type = type_at(i);
  return type ? type->name : NULL;
}

const wring_option *wring_solver_keys(const char *type)
{
  const wring_solver_ops *const ops = wring_solver_find(type);
  return ops ? ops->options : NULL;
}

PetscErrorCode wring_solver_find_keys(const wring_options *o, const char *name, const char **type, size_t size,
                                      char *prefix)
{
  PetscFunctionBegin;
  *type = name;
  PetscCall(PetscSNPrintf(prefix, size, "variant_%s_", name));
  if (wring_options_has(o, prefix, "type"))
    PetscCall(wring_options_get_word(o, prefix, wring_solver_options, "type", type));
  else
    PetscCall(PetscSNPrintf(prefix, size, "solver_%s_", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_default_type(const wring_options *o, const char **type)
{
  char prefix[64];
  int  found = 0;

  PetscFunctionBegin;
  *type = wring_solver_auto.name;
  if (wring_options_has(o, "solver_", "type")) {
    PetscCall(wring_options_get_word(o, "solver_", wring_solver_options, "type", type));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int i = 0; type_at(i); i++) {
    snprintf(prefix, sizeof prefix, "solver_%s_", type_at(i)->name);
    if (wring_options_has_any(o, prefix, type_at(i)->options))
      *type = found++ ? wring_solver_auto.name : type_at(i)->name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_takes_mean(const wring_options *o, const char *name, PetscBool *takes)
{
  const unsigned alone = WRING_CAN_PROJECT | WRING_CAN_PROX | WRING_CAN_CONSTRAIN | WRING_CAN_ALONE;
  char           prefix[192];
  const char    *type, *inner;

  PetscFunctionBegin;
  PetscCall(wring_solver_find_keys(o, name, &type, sizeof prefix, prefix));
  const wring_solver_ops *const ops = wring_solver_find(type);
  *takes                            = (PetscBool)(ops && !(ops->needs & alone));
  if (!*takes || !wring_option_find(ops->options, "inner")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_word(o, prefix, ops->options, "inner", &inner)); // a method, or how qn solves
  const wring_solver_ops *const method = wring_solver_find(inner);
  *takes                               = (PetscBool) !(method && (method->needs & alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops *wring_solver_find(const char *name)
{
  for (int i = 0; type_at(i); i++) {
    if (!wring_ascii_compare(type_at(i)->name, name)) return type_at(i);
  }
  return NULL;
}
