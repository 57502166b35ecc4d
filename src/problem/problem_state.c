/*
  The initial state: at rest, from a checkpoint or from tables; initial_velocity overrides all of them. The
  integrator's data of the last step come from the checkpoint, unless the deck overrides its state.
*/
#include "problem_impl.h"
#include <math.h>

const wring_option wring_initial_options[] = {
  {"restart", WRING_WORD,
   .help = "Output directory or checkpoint file, relative to the working directory: mesh, state and time."},
  {"continue", WRING_BOOL, .value = "true", .at = WRING_AT(wring_initial_keys, goes_on),
   .help =
     "Whether a restart goes on with its analysis; false: a new one begins there, at step 0 and time 0: loads, in "
     "statics also prescribed positions, grow from those that it had to those of this deck."},
  {"positions", WRING_PATH, .at = WRING_AT(wring_initial_keys, positions),
   .help = "CSV `vertex,x,y,z` [m], or a state.csv; default: the rest positions."},
  {"velocities", WRING_PATH, .at = WRING_AT(wring_initial_keys, velocities), .instead = "velocity",
   .help = "CSV `vertex,x,y,z` [m/s], or a state.csv; default: at rest."},
  {"velocity", WRING_REALS, .count = 3, .unit = "m/s", .at = WRING_AT(wring_initial_keys, velocity),
   .instead = "velocities", .help = "One velocity for all vertices."},
  {0},
};

/* Arrays [n <= WRING_MOST_MEMORY] of the checkpoint. */
static PetscErrorCode read_arrays(const wring_problem *p, int n, const wring_memory *memory)
{
  wring_checkpoint_field field[WRING_MOST_MEMORY] = {{0}};

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    field[i] = (wring_checkpoint_field){memory[i].name, 3, NULL};
    PetscCall(VecGetArrayWrite(memory[i].value, &field[i].value));
  }
  PetscCall(wring_checkpoint_read_fields(p->parts->origin.restart, p->mesh, n, field));
  for (int i = 0; i < n; i++) PetscCall(VecRestoreArrayWrite(memory[i].value, &field[i].value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_overridden(const wring_problem *p)
{
  const wring_initial_keys *const key = &p->parts->initial;
  return (PetscBool)(key->positions || key->velocities || !isnan(key->velocity[0]));
}

/* A number, unless the checkpoint does not have it. */
static PetscErrorCode read_number(const wring_problem *p, const char *name, double *number, PetscBool *there)
{
  const wring_checkpoint_field field = {name, 0, number};

  PetscFunctionBegin;
  PetscCall(wring_checkpoint_has(p->comm, p->parts->origin.restart, name, there));
  if (*there) PetscCall(wring_checkpoint_read_fields(p->parts->origin.restart, p->mesh, 1, &field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checkpoints of wring 0.1 do not have it. */
static PetscErrorCode read_work(wring_problem *p)
{
  PetscBool there;

  PetscFunctionBegin;
  if (is_overridden(p)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(read_number(p, "work", &p->state.work, &there));
  if (!there && wring_loads_has_work(p->loads))
    PetscCall(wring_note(p->comm,
                         "%s does not contain the work that pressure and drag have done: the external energy in "
                         "steps.csv counts it from there",
                         p->parts->origin.restart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the analysis began, if that was the end of another one; its targets hold whatever the deck overrides. */
static PetscErrorCode read_chain(const wring_problem *p)
{
  wring_memory memory[2];
  PetscBool    there;

  PetscFunctionBegin;
  PetscCall(wring_checkpoint_has(p->comm, p->parts->origin.restart, WRING_CHAIN_POSITION, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_stepper_chain_create(p->stepper));
  PetscCall(read_arrays(p, wring_stepper_chain_memory(p->stepper, memory), memory));
  PetscCall(wring_stepper_chain_hold(p->stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A static run goes on from a state of a static run with as many load steps. */
static PetscErrorCode refuse_static(const wring_problem *p)
{
  PetscFunctionBegin;
  WRING_REFUSE(p->comm,
               "%s: %s is at step %" PetscInt_FMT " and time %.6g, expected a state of a static run with time_steps "
               "%" PetscInt_FMT "; initial_continue: false begins a new analysis there",
               wring_options_origin(p->options, "initial_", "restart"), p->parts->origin.restart, p->state.step,
               p->state.time, wring_stepper_steps(p->stepper));
}

/* The number of the first arrays that the checkpoint has. */
static PetscErrorCode count_arrays(const wring_problem *p, int n, const wring_memory *memory, int *found)
{
  PetscBool there = PETSC_TRUE;

  PetscFunctionBegin;
  for (*found = 0; *found < n; ++*found) {
    PetscCall(wring_checkpoint_has(p->comm, p->parts->origin.restart, memory[*found].name, &there));
    if (!there) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_memory(wring_problem *p)
{
  wring_memory memory[WRING_MOST_MEMORY];
  int          needed, found;
  PetscBool    there;
  const int    n = wring_stepper_memory(p->stepper, memory, &needed);

  PetscFunctionBegin;
  if (n == 0 || (p->state.step == 0 && p->state.time == 0) || is_overridden(p)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(count_arrays(p, n, memory, &found));
  if (found < needed && wring_stepper_is_static(p->stepper))
    PetscCall(refuse_static(p)); // of a dynamic run, with its times
  if (found >= needed) {
    PetscCall(read_arrays(p, found, memory));
    PetscCall(wring_stepper_remember(p->stepper, found));
    PetscCall(read_number(p, "usual_start", wring_stepper_usual_start(p->stepper), &there));
  } else if (wring_stepper_is_multistep(p->stepper)) {
    PetscCall(wring_note(p->comm, "%s does not contain the step before it: %s continues with a step of implicit_euler",
                         p->parts->origin.restart, wring_stepper_integrator(p->stepper)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where an interrupted solve was, for the start of the next one. */
static PetscErrorCode read_iterate(wring_problem *p)
{
  PetscBool there;

  PetscFunctionBegin;
  PetscCall(wring_checkpoint_has(p->comm, p->parts->origin.restart, WRING_CHECKPOINT_ITERATE, &there));
  if (!there || is_overridden(p)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_create_vec(p->g, &p->parts->iterate));
  PetscCall(read_arrays(p, 1, &(wring_memory){WRING_CHECKPOINT_ITERATE, p->parts->iterate}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_vectors(const wring_problem *p, const char *file, Vec v)
{
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(v, &value));
  PetscCall(wring_problem_read_vectors(p->mesh, file, (PetscBool)(v == p->state.v), value));
  PetscCall(VecRestoreArrayWrite(v, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_velocity(wring_problem *p)
{
  const wring_initial_keys *const key = &p->parts->initial;
  PetscScalar                    *v;

  PetscFunctionBegin;
  if (isnan(key->velocity[0])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_refuse_both(p->options, "initial_", "velocity", "velocities", NULL));
  PetscCall(VecGetArrayWrite(p->state.v, &v));
  for (PetscInt i = 0; i < 3 * p->mesh->n_owned; i++) v[i] = key->velocity[i % 3];
  PetscCall(VecRestoreArrayWrite(p->state.v, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state has the time of a load step, and no velocities. */
static PetscErrorCode check_static(const wring_problem *p)
{
  static const char *const key[] = {"velocities", "velocity"};
  const double             each = wring_stepper_size(p->stepper), done = each * (double)p->state.step;

  PetscFunctionBegin;
  if (!wring_stepper_is_static(p->stepper)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++) {
    if (wring_options_has(p->options, "initial_", key[i]))
      WRING_REFUSE(p->comm, "%s: initial_%s does not apply to time_integrator 'static', which has no velocities",
                   wring_options_origin(p->options, "initial_", key[i]), key[i]);
  }
  if (p->chained) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->state.time < done - 1e-9 * each || p->state.time > done + each) PetscCall(refuse_static(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of the checkpoint, and unless another analysis begins there what this one needs to go on. */
static PetscErrorCode restore(wring_problem *p)
{
  const wring_memory state[] = {{"position", p->state.q}, {"velocity", p->state.v}};

  PetscFunctionBegin;
  PetscCall(read_arrays(p, 2, state));
  if (p->chained) {
    p->state.step = 0;
    p->state.time = 0;
    if (wring_stepper_is_static(p->stepper)) PetscCall(VecSet(p->state.v, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(read_work(p));
  PetscCall(read_chain(p));
  PetscCall(read_memory(p));
  PetscCall(read_iterate(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_keys(wring_problem *p)
{
  wring_initial_keys *const key = &p->parts->initial;

  PetscFunctionBegin;
  key->velocity[0] = NAN;
  PetscCall(wring_options_read(p->options, "initial_", wring_initial_options, key));
  if (!key->goes_on && !p->parts->origin.restart[0])
    WRING_REFUSE(p->comm, "%s: initial_continue is false, but there is no initial_restart to begin from",
                 wring_options_origin(p->options, "initial_", "continue"));
  p->chained = (PetscBool)!key->goes_on;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- collapsed starts -------------------------------------------------------------------------------------------- */

/* The sums of (x - mean) (x - mean)^T over all vertices: xx yy zz xy xz yz. */
static PetscErrorCode find_spread(const wring_problem *p, const double *x, double spread[6])
{
  double sum[4] = {(double)p->mesh->n_owned}, part[6] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * p->mesh->n_owned; i++) sum[1 + i % 3] += x[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, p->comm));
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = x[3 * i + k] - sum[1 + k] / sum[0];
    for (int k = 0; k < 3; k++) part[k] += d[k] * d[k];
    for (int k = 0; k < 3; k++) part[3 + k] += d[k == 2] * d[k == 0 ? 1 : 2];
  }
  PetscCallMPI(MPI_Allreduce(part, spread, 6, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the spread at rest; and the displacement in the mean distance of vertices. */
static const double no_width = 1e-12, jolt = 1e-2;

/*
  Where all vertices lie in one point or on one line, the gradient of laws whose elements may invert has no part across
  it: methods would end there. A random displacement, equal for any number of ranks, lets them leave it.
*/
static PetscErrorCode leave_line(wring_problem *p)
{
  const wring_mesh *const m = p->mesh;
  double                  rest[6], c[6];
  PetscScalar            *q;

  PetscFunctionBegin;
  if (m->tets.n_global == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(p->state.q, &q));
  PetscCall(find_spread(p, m->X, rest));
  PetscCall(find_spread(p, q, c));
  const double    trace = rest[0] + rest[1] + rest[2], n = (double)m->number.n_global;
  const double    minors    = c[0] * c[1] - c[3] * c[3] + c[0] * c[2] - c[4] * c[4] + c[1] * c[2] - c[5] * c[5];
  const double    most      = jolt * PetscSqrtReal(trace / n) / cbrt(n);
  const PetscBool collapsed = (PetscBool)(minors <= no_width * trace * trace);
  for (PetscInt i = 0; i < 3 * m->n_owned && collapsed; i++)
    q[i] += most * (2 * wring_uniform((uint64_t)(3 * m->number.original[i / 3] + i % 3)) - 1);
  PetscCall(VecRestoreArray(p->state.q, &q));
  if (collapsed)
    PetscCall(wring_note(p->comm,
                         "all vertices begin on one line, where no force leads away from it: they are moved "
                         "at random by up to %.3g m",
                         most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_set_state(wring_problem *p)
{
  wring_initial_keys *const key = &p->parts->initial;
  PetscScalar              *q;

  PetscFunctionBegin;
  PetscCall(read_keys(p));
  PetscCall(check_static(p));
  PetscCall(wring_potential_create_vec(p->g, &p->state.q));
  PetscCall(wring_potential_create_vec(p->g, &p->state.v));
  if (p->parts->origin.restart[0]) {
    PetscCall(restore(p));
  } else {
    PetscCall(VecGetArrayWrite(p->state.q, &q));
    wring_copy(3 * p->mesh->n_owned, p->mesh->X, q);
    PetscCall(VecRestoreArrayWrite(p->state.q, &q));
    PetscCall(VecSet(p->state.v, 0));
  }
  if (key->positions) {
    PetscCall(read_vectors(p, key->positions, p->state.q));
    PetscCall(leave_line(p));
  }
  PetscCall(wring_bodies_set_velocities(p));
  if (key->velocities) PetscCall(read_vectors(p, key->velocities, p->state.v));
  PetscCall(set_velocity(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
