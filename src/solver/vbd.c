/*
  Vertex block descent [Chen et al. 2024]: Gauss-Seidel over the vertices, by colours. Each vertex makes a Newton step
  of g in its own three coordinates, H_i d = -grad_i g, with the Hessian of its elements as it is (not projected). With
  line_search armijo, the default, a step that raises the energy of its vertex is halved, and where H_i is not definite
  the absolute values of its eigenvalues are used: g never rises. Without it the iterates are those of the paper, which
  skips vertices whose H_i has a tiny determinant.

  After position-based nonlinear Gauss-Seidel [Chen et al. 2024c], PBNG: line_search none, hessian definite, relaxation
  1.7. The Hessian of an element is replaced by a definite model, and the steps of vertices are over-relaxed.

  Acceleration of the paper, section 3.8: x_(k+1) = w (s - x_(k-1)) + x_(k-1) after the sweep s, for vertices that are
  in no contact, with the weights of chebyshev. With line_search armijo an accelerated iterate with a larger g than
  x_k is replaced by s, and the weights start again. docs/theory.md (5.29) to (5.31)
*/
#include "solver/common/inner.h"
#include "solver/common/line_search.h"
#include <wring/descent.h>

typedef struct {
  wring_descent *descent;
  PetscBool      definite; // use the definite model of the Hessian
  double         relaxation;
  PetscBool      search;
  double         rho;     // 0: no acceleration
  double         weight;  // w
  PetscInt       count;   // iterations since the weights started
  Vec            last, d; // x_(k-1); x_k, then the accelerated step from s [n_owned][3] m
} vbd_data;

static const wring_option vbd_options[] = {
  {"line_search", WRING_WORD, .choices = "none|armijo", .value = "armijo", .at = WRING_AT(vbd_data, search),
   .help = "Armijo halves the step of a vertex until its energy decreases enough; none takes every step, as "
           "published."},
  {"hessian", WRING_WORD, .choices = "exact|definite", .value = "exact", .at = WRING_AT(vbd_data, definite),
   .help = "Hessian of a vertex: exact, or a model that is definite for any deformation, as position-based nonlinear "
           "Gauss-Seidel (PBNG) has it."},
  {"relaxation", WRING_REAL, .range = "(0,2)", .value = "1", .at = WRING_AT(vbd_data, relaxation),
   .help = "Factor of the step of every vertex: over-relaxation above 1."},
  {"rho", WRING_REAL, .range = "[0,1)", .value = "0", .at = WRING_AT(vbd_data, rho),
   .help = "Spectral radius for which sweeps are accelerated; 0: no acceleration."},
  {0},
};

static PetscErrorCode vbd_set_up(wring_solver *s)
{
  vbd_data          *vbd = s->data;
  wring_term *const *terms;
  const int          n   = wring_potential_terms(s->g, &terms);
  const wring_phase  old = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);

  PetscFunctionBegin;
  PetscCall(wring_descent_create(wring_potential_mesh(s->g), n, terms, s->phases, &vbd->descent));
  PetscCall(wring_solver_create_vecs(s, 2, (Vec *[]){&vbd->last, &vbd->d}));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The energies of contacts at one vertex. */
static void add_contacts(void *context, wring_work work, PetscInt vertex, const double x[3], wring_descent_sum *sum)
{
  const wring_solver   *s = context;
  wring_contact *const *contact;
  const int             n = wring_potential_contacts(s->g, &contact);
  for (int i = 0; i < n; i++) wring_contact_add_single(contact[i], work, vertex, x, &sum->energy, sum->f, sum->K);
}

/* The rule of a sweep, with the arrays of y and loads, until restore_rule. */
static PetscErrorCode get_rule(wring_solver *s, wring_descent_rule *rule)
{
  const vbd_data *vbd = s->data;
  const double    h   = wring_potential_step(s->g);

  PetscFunctionBegin;
  *rule = (wring_descent_rule){.factor     = wring_potential_is_static(s->g) ? 1 : 1 / (h * h),
                               .mass       = wring_potential_mass(s->g),
                               .held       = wring_potential_held_marks(s->g),
                               .more       = wring_potential_contacts(s->g, NULL) > 0 ? add_contacts : NULL,
                               .context    = s,
                               .definite   = vbd->definite,
                               .relaxation = vbd->relaxation,
                               .search     = vbd->search};
  PetscCall(VecGetArrayRead(wring_potential_target(s->g), &rule->target));
  if (wring_potential_is_static(s->g) && wring_potential_load(s->g))
    PetscCall(VecGetArrayRead(wring_potential_load(s->g), &rule->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_rule(wring_solver *s, wring_descent_rule *rule)
{
  PetscFunctionBegin;
  if (rule->load) PetscCall(VecRestoreArrayRead(wring_potential_load(s->g), &rule->load));
  PetscCall(VecRestoreArrayRead(wring_potential_target(s->g), &rule->target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode vbd_begin(wring_solver *s, Vec x)
{
  wring_descent_rule rule;
  vbd_data          *vbd = s->data;
  const double      *xa;

  PetscFunctionBegin;
  vbd->count = 0;
  PetscCall(get_rule(s, &rule));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(wring_descent_begin(vbd->descent, &rule, xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(restore_rule(s, &rule));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- acceleration ------------------------------------------------------------------------------------------------ */

static PetscBool is_in_contact(const wring_solver *s, PetscInt vertex, const double *x)
{
  wring_descent_sum sum = {.energy = 0};
  if (wring_potential_contacts(s->g, NULL) > 0)
    add_contacts((void *)s, WRING_VALUE, vertex, x + (size_t)3 * vertex, &sum);
  return (PetscBool)(sum.energy > 0);
}

/* d: x_k in; (w - 1) (s - x_(k-1)) out, 0 for vertices in contact at s; last: x_(k-1) in, x_k out. */
static PetscErrorCode form_step(wring_solver *s, double weight, Vec x)
{
  vbd_data     *vbd = s->data;
  const double *xa;
  double       *d, *last;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(vbd->d, &d));
  PetscCall(VecGetArray(vbd->last, &last));
  for (PetscInt i = 0; i < s->n; i += 3) {
    const double part = weight > 1 && !is_in_contact(s, i / 3, xa) ? weight - 1 : 0;
    for (PetscInt j = i; j < i + 3; j++) {
      const double before = last[j];
      last[j]             = d[j];
      d[j]                = part * (xa[j] - before);
    }
  }
  PetscCall(VecRestoreArray(vbd->last, &last));
  PetscCall(VecRestoreArray(vbd->d, &d));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(wring_potential_clear(s->g, vbd->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From s in x, whose g is not known, to the accelerated iterate. */
static PetscErrorCode accelerate(wring_solver *s, Vec x)
{
  vbd_data    *vbd    = s->data;
  const double before = s->current.value.objective,
               weight = wring_chebyshev_weight(vbd->count++, 1, vbd->rho, vbd->weight);

  PetscFunctionBegin;
  vbd->weight = weight;
  PetscCall(form_step(s, weight, x));
  wring_solver_moved(s);
  if (weight <= 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (!vbd->search) {
    PetscCall(wring_solver_add(s, vbd->d, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_solver_try(s, x, 1, vbd->d));
  if (s->trial.value.objective <= before)
    PetscCall(wring_solver_accept(s, x));
  else
    vbd->count = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode vbd_iterate(wring_solver *s, Vec x)
{
  vbd_data          *vbd = s->data;
  wring_descent_rule rule;
  double            *xa;

  PetscFunctionBegin;
  if (vbd->rho > 0 && vbd->search) PetscCall(wring_solver_evaluate(s, x));
  if (vbd->rho > 0) PetscCall(VecCopy(x, vbd->d));
  PetscCall(get_rule(s, &rule));
  wring_descent_set_rule(vbd->descent, &rule);
  PetscCall(VecGetArray(x, &xa));
  PetscCall(wring_descent_run(vbd->descent, xa));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(restore_rule(s, &rule));
  if (vbd->rho > 0)
    PetscCall(accelerate(s, x));
  else
    wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last iterates belong to another g. */
static PetscErrorCode vbd_change(wring_solver *s)
{
  vbd_data *vbd = s->data;

  PetscFunctionBegin;
  vbd->count = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the method -------------------------------------------------------------------------------------------------- */

static PetscErrorCode vbd_destroy(wring_solver *s)
{
  vbd_data *vbd = s->data;

  PetscFunctionBegin;
  PetscCall(wring_descent_destroy(&vbd->descent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a line search g may rise. The blocks of a vertex do not see the energy of a contact between vertices. */
static wring_contact_way vbd_contacts(const wring_solver *s)
{
  const vbd_data *vbd = s->data;
  return vbd->search ? WRING_CONTACT_SINGLE : WRING_CONTACT_REFUSED;
}

const wring_solver_ops wring_solver_vbd = {
  .name      = "vbd",
  .needs     = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN | WRING_CAN_ALONE,
  .declares  = WRING_MINIMISES | WRING_DESCENDS,
  .contacts  = vbd_contacts,
  .options   = vbd_options,
  .data_size = sizeof(vbd_data),
  .set_up    = vbd_set_up,
  .begin     = vbd_begin,
  .iterate   = vbd_iterate,
  .change    = vbd_change,
  .destroy   = vbd_destroy,
  .state     = &wring_state_x,
};
