/* What all time integrators share: keys, number of steps, start of the solve. Integrators are one file and one entry here. */
#include "step_impl.h"

static const wring_integrator *const integrators[] = {&wring_integrator_implicit_euler};

enum { N_INTEGRATORS = sizeof integrators / sizeof integrators[0] };

const wring_option wring_time_options[] = {
  {.key = "step", .type = WRING_REAL, .unit = "s", .range = "(0,inf)", .help = "size h of a time step"},
  {.key   = "end",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "(0,inf)",
   .help  = "time to march to, in ceil(end/step) steps"},
  {.key = "steps", .type = WRING_INT, .range = "[1,inf)", .value = "1", .help = "number of steps, instead of end"},
  {.key     = "integrator",
   .type    = WRING_WORD,
   .choices = "implicit_euler",
   .value   = "implicit_euler",
   .help    = "rule that makes a step from a minimiser of g"},
  {.key   = "limit",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "(0,inf)",
   .help  = "wall-clock time after which a run writes a checkpoint and stops"},
  {.key = NULL},
};

const wring_option wring_load_options[] = {
  {.key   = "gravity",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "m/s^2",
   .value = "0,0,0",
   .help  = "acceleration of every vertex"},
  {.key = NULL},
};

struct wring_stepper {
  wring_potential        *g; // borrowed
  const wring_integrator *integrator;
  double                  h, gravity[3]; // s, m/s^2
  PetscInt                steps;
  PetscBool               begun; // A has been asked for
  Vec                     y;
};

static PetscErrorCode find_integrator(MPI_Comm comm, const wring_options *o, const wring_integrator **integrator)
{
  const char *name;
  PetscBool   same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, "time_", wring_time_options, "integrator", &name));
  for (int i = 0; i < N_INTEGRATORS && !same; i++) {
    *integrator = integrators[i];
    PetscCall(PetscStrcmp(integrators[i]->name, name, &same));
  }
  PetscCheck(same, comm, PETSC_ERR_PLIB, "integrator '%s' is among the choices but not in the registry", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_steps(MPI_Comm comm, const wring_options *o, double h, PetscInt *steps)
{
  double end;

  PetscFunctionBegin;
  PetscCall(wring_options_get_int(o, "time_", wring_time_options, "steps", steps));
  if (!wring_options_has(o, "time_", "end")) PetscFunctionReturn(PETSC_SUCCESS);
  if (wring_options_has(o, "time_", "steps")) {
    WRING_REFUSE(comm, "%s: time_steps and time_end (%s) are both given, expected one of them",
                 wring_options_origin(o, "time_", "steps"), wring_options_origin(o, "time_", "end"));
  }
  PetscCall(wring_options_get_real(o, "time_", wring_time_options, "end", &end));
  const double count = PetscCeilReal(end / h - 1e-9);
  if (count > (double)PETSC_MAX_INT / 2) {
    WRING_REFUSE(comm, "%s: time_end %.6g s is %.6g steps of %.6g s, expected at most %" PetscInt_FMT,
                 wring_options_origin(o, "time_", "end"), end, count, h, PETSC_MAX_INT / 2);
  }
  *steps = PetscMax((PetscInt)count, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_create(wring_potential *g, const wring_options *o, wring_stepper **stepper)
{
  const MPI_Comm comm = wring_potential_mesh(g)->comm;
  wring_stepper *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *stepper = s;
  s->g     = g;
  PetscCall(wring_options_get_real(o, "time_", wring_time_options, "step", &s->h));
  PetscCall(count_steps(comm, o, s->h, &s->steps));
  PetscCall(find_integrator(comm, o, &s->integrator));
  PetscCall(wring_options_get_reals(o, "", wring_load_options, "gravity", s->gravity));
  PetscCall(wring_potential_create_vec(g, &s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_destroy(wring_stepper **s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*s)->y));
  PetscCall(PetscFree(*s));
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
  return s->gravity;
}

const char *wring_stepper_integrator(const wring_stepper *s)
{
  return s->integrator->name;
}

static PetscErrorCode is_finite(wring_potential *g, Vec x, PetscBool *finite)
{
  wring_value value;

  PetscFunctionBegin;
  PetscCall(wring_potential_value(g, x, &value));
  *finite = (PetscBool)!PetscIsInfOrNanReal(value.objective);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x_0: y, or q + t (y - q) with the first t of 1/2, 1/4, ... where g is finite; q itself where no t is left. */
static PetscErrorCode choose_start(wring_stepper *s, const wring_state *state, Vec x)
{
  const MPI_Comm comm   = wring_potential_mesh(s->g)->comm;
  const double   end    = state->time + s->h;
  PetscBool      finite = PETSC_FALSE;
  double         t      = 1;

  PetscFunctionBegin;
  PetscCall(VecCopy(s->y, x));
  PetscCall(is_finite(s->g, x, &finite));
  if (finite) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_finite(s->g, state->q, &finite));
  if (!finite) {
    WRING_REFUSE(comm,
                 "the step to time %.6g s: the energy of the positions it starts from is not finite, expected "
                 "elements that are not inverted, or a material that allows it",
                 end);
  }
  do {
    t = t > PETSC_MACHINE_EPSILON ? t / 2 : 0;
    PetscCall(VecWAXPY(x, -1, state->q, s->y));
    PetscCall(VecAYPX(x, t, state->q));
    PetscCall(is_finite(s->g, x, &finite));
  } while (!finite && t > 0);
  PetscCall(
    wring_note(comm, "the step to time %g s starts from q + %g (y - q): the energy is not finite nearer to y", end, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_begin(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_set_step(s->g, s->h));
  PetscCall(wring_potential_set_time(s->g, state->time + s->h, changed));
  if (!s->begun) *changed = PETSC_TRUE;
  s->begun = PETSC_TRUE;
  PetscCall(s->integrator->target(s->h, s->gravity, state, s->y));
  PetscCall(wring_potential_set_start(s->g, state->q));
  PetscCall(wring_potential_set_target(s->g, s->y));
  PetscCall(choose_start(s, state, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_finish(wring_stepper *s, Vec x, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(s->integrator->finish(s->h, x, state));
  state->step++;
  state->time += s->h;
  PetscFunctionReturn(PETSC_SUCCESS);
}
