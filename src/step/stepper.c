/* Creation of a stepper: its keys, its vectors, what it reports; the stored vectors of multistep rules. */
#include "step_impl.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

/* The number of steps of size h; refuses two of the keys that give it, and an end too far off. */
static PetscErrorCode read_steps(wring_stepper *s, const wring_options *o)
{
  static const char *const key[] = {"steps", "more_steps", "end"};

  PetscFunctionBegin;
  PetscCall(wring_options_get_real(o, "time_", wring_time_options, "step", &s->h)); // it is required
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++) PetscCall(wring_options_refuse_both(o, "time_", key[i], key[j], NULL));
  const double count = PetscCeilReal(s->keys.end / s->h - 1e-9);
  if (count > (double)PETSC_MAX_INT / 2) {
    WRING_REFUSE(wring_options_comm(o), "%s: time_end %.6g s is %.6g steps of %.6g s, expected at most %" PetscInt_FMT,
                 wring_options_origin(o, "time_", "end"), s->keys.end, count, s->h, PETSC_MAX_INT / 2);
  }
  if (s->keys.more_steps > 0) s->steps = s->keys.more_steps;
  if (s->keys.end > 0) s->steps = PetscMax((PetscInt)count, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Load steps have the size 1/steps: a size and an end are refused. */
static PetscErrorCode refuse_times(const wring_options *o)
{
  static const char *const key[] = {"more_steps", "step", "end"};

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) {
    if (!wring_options_has(o, "time_", key[i])) continue;
    WRING_REFUSE(wring_options_comm(o),
                 "%s: time_%s does not apply to time_integrator 'static', whose pseudo-time ends at 1: expected "
                 "time_steps, the number of load steps",
                 wring_options_origin(o, "time_", key[i]), key[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_keys(wring_stepper *s, const wring_options *o)
{
  PetscFunctionBegin;
  PetscCall(wring_options_read(o, "time_", wring_time_options, s));
  PetscCall(wring_options_read(o, "", wring_load_options, s));
  s->keys.start = -1;
  if (wring_options_has(o, "solver_", "start"))
    PetscCall(wring_options_get_choice(o, "solver_", wring_solver_options, "start", &s->keys.start));
  s->integrator = wring_integrator_get(s->keys.integrator);
  s->steps      = s->keys.steps;
  s->h          = 1 / (double)s->steps;
  if (s->integrator->is_static)
    PetscCall(refuse_times(o));
  else
    PetscCall(read_steps(s, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_vectors(wring_stepper *s)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(s->g, &s->y));
  PetscCall(VecDuplicate(s->y, &s->load));
  if (s->integrator->advance) {
    PetscCall(VecDuplicate(s->y, &s->gradient));
    PetscCall(VecDuplicate(s->y, &s->v_new));
  } else if (!s->integrator->is_static) {
    for (int i = 0; i < 2; i++) PetscCall(VecDuplicate(s->y, &s->change[i]));
  }
  for (int i = 0; i < 2 && s->integrator->memory[i]; i++) PetscCall(VecDuplicate(s->y, &s->memory[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rule that does not bound its positions by contacts, as a minimisation does, has their energy only. */
static PetscBool takes_energy(const wring_integrator *rule, const wring_potential *g)
{
  return (PetscBool)(rule->advance || (rule->extrapolate && wring_potential_has_bounded_contacts(g)));
}

static PetscErrorCode require_contacts(const wring_stepper *s, MPI_Comm comm)
{
  const char *const why =
    takes_energy(s->integrator, s->g) ? wring_potential_refuses_contacts(s->g, WRING_CONTACT_ENERGY) : NULL;
  const wring_integrator *rule;
  char                    others[512] = "";

  PetscFunctionBegin;
  for (int i = 0; why && (rule = wring_integrator_get(i)); i++)
    if (!takes_energy(rule, s->g)) wring_text_list(others, sizeof others, rule->name);
  if (why)
    WRING_REFUSE(comm, "integrator '%s' cannot use %s%s time_integrator %s", s->integrator->name, why,
                 strstr(why, ", expected ") ? " or" : ", expected", others);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_create(wring_potential *g, const wring_options *o, wring_stepper **stepper)
{
  wring_stepper *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *stepper       = s;
  s->g           = g;
  s->drag_factor = NAN;
  s->start_rule  = WRING_START_Y;
  PetscCall(read_keys(s, o));
  if (s->integrator->is_static) PetscCall(wring_potential_set_static(g));
  PetscCall(wring_potential_require(g, s->integrator->needs, "integrator", s->integrator->name, NULL));
  PetscCall(require_contacts(s, wring_options_comm(o)));
  if (s->integrator->advance) PetscCall(wring_potential_require_undamped(g, "integrator", s->integrator->name));
  PetscCall(create_vectors(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_destroy(wring_stepper **stepper)
{
  wring_stepper *const s = *stepper;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&s->y));
  PetscCall(VecDestroy(&s->load));
  PetscCall(VecDestroy(&s->gradient));
  PetscCall(VecDestroy(&s->v_new));
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&s->change[i]));
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&s->memory[i]));
  PetscCall(VecDestroy(&s->chain_position));
  PetscCall(VecDestroy(&s->chain_force));
  PetscCall(VecDestroy(&s->mixed));
  PetscCall(wring_mixing_destroy(&s->mixing));
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(MatDestroy(&s->H));
  PetscCall(PetscFree(*stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_stepper_size(const wring_stepper *s)
{
  return s->h;
}

PetscInt wring_stepper_steps(const wring_stepper *s)
{
  return s->steps;
}

const double *wring_stepper_gravity(const wring_stepper *s)
{
  return s->keys.gravity;
}

void wring_stepper_set_loads(wring_stepper *s, const wring_loads *loads)
{
  s->loads = loads;
}

const char *wring_stepper_integrator(const wring_stepper *s)
{
  return s->integrator->name;
}

PetscBool wring_stepper_is_static(const wring_stepper *s)
{
  return s->integrator->is_static;
}

double wring_stepper_end(const wring_stepper *s, const wring_state *state)
{
  return s->integrator->is_static ? s->part.end : state->time + s->h;
}

double wring_stepper_friction_work(const wring_stepper *s)
{
  return s->friction_work;
}

PetscBool wring_stepper_minimises(const wring_stepper *s)
{
  return (PetscBool)!s->integrator->advance;
}

PetscBool wring_stepper_is_multistep(const wring_stepper *s)
{
  return (PetscBool)(s->integrator->target != NULL);
}

PetscBool wring_stepper_is_explicit(const wring_stepper *s)
{
  return (PetscBool)(s->integrator->advance && !(s->integrator->needs & WRING_CAN_HESSIAN));
}

int wring_stepper_memory(const wring_stepper *s, wring_memory memory[WRING_MOST_MEMORY], int *needed)
{
  int n = 0;
  if (s->change[0]) memory[n++] = (wring_memory){"velocity_change", s->change[0]};
  for (int i = 0; i < 2 && s->memory[i]; i++) memory[n++] = (wring_memory){s->integrator->memory[i], s->memory[i]};
  if (needed) *needed = n;
  if (s->change[1]) memory[n++] = (wring_memory){"velocity_change_before", s->change[1]};
  return n;
}

double *wring_stepper_usual_start(wring_stepper *s)
{
  return &s->usual;
}

PetscBool wring_stepper_remembers(const wring_stepper *s)
{
  return s->known;
}

PetscErrorCode wring_stepper_remember(wring_stepper *s, int n)
{
  wring_memory memory[WRING_MOST_MEMORY];

  PetscFunctionBegin;
  s->known = s->begun = PETSC_TRUE;
  if (n < wring_stepper_memory(s, memory, NULL)) PetscCall(VecCopy(s->change[0], s->change[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
