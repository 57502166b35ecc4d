/*
  Anderson acceleration of a fixed-point iteration v -> G(v), mixing.h, docs/theory.md (5.24).

  Around pd [Peng et al. 2018]: v = x, G(x) = x - A^{-1} grad g(x); around vbd G is a sweep, around pncg the step of a
  first iteration, around trust_region one iteration with the last radius. Where the mixed iterate makes g rise, or has
  a larger g than the G(x) of pncg and trust_region, G(x) is taken instead, so that g never rises where it does not rise
  with the inner method.

  Around admm [Zhang et al. 2019]: v = (M^{1/2} x/h, W u) [J^(1/2)], G is one iteration of admm, and every mixed v is
  kept. As Douglas-Rachford splitting [Ouyang et al. 2020]: v = W s, s = D x + u, (5.48), and the iteration is repeated
  from the unmixed v where the envelope (5.49) has risen. x is always the result of an iteration of admm. g may rise.
*/
#include "solver/common/inner.h"
#include "solver/common/line_search.h"
#include "solver/common/mixing.h"
#include <string.h>

typedef struct {
  wring_mixing mixing;
  PetscInt     window; // largest number of differences
  double      *v;      // [n] admm: the v at which its last iteration began; NULL: admm has it
  double       merit;  // J, admm: of its last iteration

  const wring_solver_state *split; // of the inner method admm; NULL: it is another
  PetscBool                 whole; // the state of admm that is mixed is that before the prox
  Vec                       d, y;  // [n_owned][3] m
} anderson_data;

static const wring_option anderson_options[] = {
  {"inner", WRING_WORD, .choices = "pd|admm|vbd|pncg|trust_region", .value = "pd",
   .help = "Method that is accelerated; it takes its own keys, such as those of solver.admm."},
  {"form", WRING_WORD, .choices = "primal_dual|douglas_rachford", .value = "primal_dual",
   .at = WRING_AT(anderson_data, whole),
   .help =
     "State of admm that is mixed: x and its duals, always accepted, or the local values before the prox, accepted "
     "by the envelope of Douglas-Rachford splitting."},
  {"window", WRING_INT, .range = "[0,20]", .value = "5", .at = WRING_AT(anderson_data, window),
   .help = "Maximum number of differences of iterates that are combined."},
  {0},
};

static PetscErrorCode anderson_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  anderson_data *anderson = s->data;
  const char    *inner;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, anderson_options, "inner", &inner));
  const PetscBool admm = (PetscBool)!strcmp(inner, "admm");
  if (anderson->whole && !admm)
    WRING_REFUSE(s->comm, "%s: %sform douglas_rachford is for inner admm, expected primal_dual", s->who, prefix);
  if (strcmp(inner, "pd") != 0) PetscCall(wring_inner_create(s, o, inner));
  if (admm) anderson->split = anderson->whole ? s->inner->ops->moves : s->inner->ops->state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode anderson_set_up(wring_solver *s)
{
  anderson_data *anderson = s->data;

  PetscFunctionBegin;
  if (!s->inner)
    PetscCall(
      wring_potential_require(s->g, WRING_CAN_PROJECT | WRING_CAN_SLOPE, "solver", s->ops->name, "inner admm or vbd"));
  const PetscInt n = anderson->split ? anderson->split->size(s->inner) : s->n;
  PetscCall(wring_solver_create_vecs(s, s->inner ? 2 : 1, (Vec *[]){&anderson->d, &anderson->y}));
  if (anderson->split && anderson->split == s->inner->ops->state) PetscCall(PetscMalloc1(n, &anderson->v));
  PetscCall(wring_mixing_create(s->comm, s->phases, anderson->window, n, &anderson->mixing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode anderson_begin(wring_solver *s, Vec x)
{
  anderson_data *anderson = s->data;

  PetscFunctionBegin;
  wring_mixing_restart(&anderson->mixing);
  if (!anderson->split) PetscCall(wring_solver_evaluate(s, x));
  PetscCall(wring_inner_begin(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- around the others ------------------------------------------------------------------------------------------- */

/* Evaluates the trial point x + p. */
static PetscErrorCode try_step(wring_solver *s, Vec x, const double *p)
{
  const anderson_data *anderson = s->data;

  PetscFunctionBegin;
  PetscCall(wring_state_put_x(s, p, anderson->d));
  PetscCall(wring_solver_try(s, x, 1, anderson->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mixed iterate, or G(x) where it raises g. */
static PetscErrorCode iterate_descending(wring_solver *s, Vec x)
{
  anderson_data *anderson = s->data;
  PetscBool      mixed    = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wring_inner_step(s, x, anderson->y, anderson->d));
  PetscCall(wring_state_get_x(s, anderson->d, anderson->mixing.F));
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mixing_step(&anderson->mixing));
  if (anderson->mixing.count > 0) {
    PetscCall(try_step(s, x, anderson->mixing.p));
    mixed = (PetscBool)(s->trial.value.objective <= wring_inner_objective(s));
  }
  if (!mixed) wring_copy(s->n, anderson->mixing.last, anderson->mixing.p);
  if (!mixed && s->inner && s->inner->current.known)
    PetscCall(wring_inner_try(s, anderson->y));
  else if (!mixed)
    PetscCall(try_step(s, x, anderson->mixing.p));
  PetscCall(wring_solver_accept(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- around admm ------------------------------------------------------------------------------------------------- */

/* One iteration of admm, which has the state v, and F = G(v) - v. *rises: the merit is larger than the last one. */
static PetscErrorCode iterate_from(wring_solver *s, Vec x, PetscBool *rises)
{
  anderson_data *anderson = s->data;
  double *const  F        = anderson->mixing.F;
  double         rounding = 0, last = anderson->merit;

  PetscFunctionBegin;
  PetscCall(wring_inner_iterate(s, x));
  PetscCall(anderson->split->get(s->inner, x, F));
  if (anderson->v) wring_axpy(anderson->mixing.n, -1, anderson->v, F);
  if (anderson->split->merit) anderson->split->merit(s->inner, &anderson->merit, &rounding);
  *rises = (PetscBool) !(anderson->merit <= last + rounding);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v += p */
static PetscErrorCode move(wring_solver *s, Vec x)
{
  const anderson_data *anderson = s->data;
  double *const        p        = anderson->mixing.p;

  PetscFunctionBegin;
  if (anderson->v) wring_axpy(anderson->mixing.n, 1, p, anderson->v);
  PetscCall(anderson->split->put(s->inner, anderson->v ? anderson->v : p, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts from v_k = v_(k-1) + p, or from G(v_(k-1)) = v_(k-1) + F_(k-1) if the merit is larger after it. */
static PetscErrorCode iterate_mixed(wring_solver *s, Vec x)
{
  anderson_data *anderson = s->data;
  const PetscInt n        = anderson->mixing.n;
  double *const  p        = anderson->mixing.p;
  PetscBool      rises;

  PetscFunctionBegin;
  PetscCall(move(s, x));
  PetscCall(iterate_from(s, x, &rises));
  if (anderson->mixing.count == 0 || !rises) PetscFunctionReturn(PETSC_SUCCESS);
  wring_waxpy(n, -1, p, anderson->mixing.last, p);
  PetscCall(move(s, x));
  wring_copy(n, anderson->mixing.last, p);
  PetscCall(iterate_from(s, x, &rises));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode iterate_admm(wring_solver *s, Vec x)
{
  anderson_data *anderson = s->data;
  PetscBool      rises;

  PetscFunctionBegin;
  if (anderson->mixing.moved) {
    PetscCall(iterate_mixed(s, x));
  } else {
    PetscCall(anderson->split->get(s->inner, x, anderson->v ? anderson->v : anderson->mixing.F));
    PetscCall(iterate_from(s, x, &rises));
  }
  PetscCall(wring_mixing_step(&anderson->mixing));
  wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the method -------------------------------------------------------------------------------------------------- */

static PetscErrorCode anderson_iterate(wring_solver *s, Vec x)
{
  const anderson_data *anderson = s->data;

  PetscFunctionBegin;
  PetscCall(anderson->split ? iterate_admm(s, x) : iterate_descending(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode anderson_destroy(wring_solver *s)
{
  anderson_data *anderson = s->data;

  PetscFunctionBegin;
  PetscCall(wring_mixing_destroy(&anderson->mixing));
  PetscCall(PetscFree(anderson->v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_anderson = {
  .name             = "anderson",
  .needs            = WRING_CAN_GRADIENT,
  .declares         = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor  = wring_solver_operator_as_is,
  .options          = anderson_options,
  .data_size        = sizeof(anderson_data),
  .set_from_options = anderson_set_from_options,
  .set_up           = anderson_set_up,
  .begin            = anderson_begin,
  .iterate          = anderson_iterate,
  .destroy          = anderson_destroy,
};
