/*
  Layer 14, what the Python package (src/python/wring) calls by ctypes beside public functions: plain arguments, so that
  Python knows no struct. Collective on the problem's communicator unless comments state otherwise.
*/
#include <wring/problem.h>
#include <wring/study.h>

const int wring_python_collective[] = {PETSC_ERR_USER_INPUT, WRING_ERR_OUTPUT}; // errors that all ranks raise

/*
  comm: a handle of Fortran, NULL: the world. deck NULL: all keys are among the words, "-key=value" [n]. part receives
  what the caller destroys last to first: options, problem, x, at, out, solver, NULL; and, borrowed, the potential. x:
  x_0 of the next step, then its new positions; at, out: argument and result of an evaluation. Solver NULL: the
  integrator does not minimise.
*/
PetscErrorCode wring_python_create(const int *comm, const char *deck, int n, char **word, void *part[8])
{
  const MPI_Comm c = comm ? MPI_Comm_f2c(*comm) : MPI_COMM_WORLD;
  wring_options *o;
  wring_problem *p;
  wring_solver  *solver = NULL;
  Vec            x[3];

  PetscFunctionBegin;
  PetscCall(wring_check_thread_level(c));
  PetscCall(wring_options_create(c, &o));
  if (deck) PetscCall(wring_deck_read(deck, n, word, o));
  if (!deck) PetscCall(wring_deck_read_arguments(n, word, o));
  PetscCall(wring_study_check_keys(o));
  PetscCall(wring_problem_create(c, o, &p));
  if (wring_stepper_minimises(p->stepper)) {
    PetscCall(wring_problem_create_solver(p, NULL, &solver));
    wring_solver_expect_solves(solver, wring_stepper_steps(p->stepper));
  }
  for (int i = 0; i < 3; i++) PetscCall(wring_potential_create_vec(p->g, &x[i]));
  part[0] = o, part[1] = p, part[2] = x[0], part[3] = x[1], part[4] = x[2], part[5] = solver, part[7] = p->g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices (owned, local, of all ranks), tets, steps of the deck, ranks; steps done, time [s]. Not collective. */
PetscErrorCode wring_python_describe(const wring_problem *p, double number[8])
{
  const wring_mesh *const m = p->mesh;
  number[0] = m->n_owned, number[1] = m->n_local, number[2] = m->number.n_global, number[3] = m->tets.n;
  number[4] = wring_stepper_steps(p->stepper), number[5] = p->size;
  number[6] = p->state.step, number[7] = p->state.time;
  return PETSC_SUCCESS;
}

/* Original numbers and masses [n_owned], rest positions [n_owned][3], original corners [n_tet][4]. Not collective. */
void wring_python_mesh(const wring_problem *p, int64_t *number, double *mass, double *X, int64_t *corner)
{
  const wring_mesh *const m = p->mesh;
  for (PetscInt i = 0; i < m->n_owned; i++) number[i] = m->number.original[i];
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) corner[i] = m->number.original[m->tets.corner[i]];
  wring_copy(m->n_owned, p->mass, mass);
  wring_copy(3 * m->n_owned, m->X, X);
}

/* From now on q and v of the state, x, at and out live in array [5][n_local][3], as long as they exist. */
PetscErrorCode wring_python_place(wring_problem *p, Vec x, Vec at, Vec out, double *array)
{
  const Vec      vec[] = {p->state.q, p->state.v, x, at, out};
  const PetscInt n     = 3 * p->mesh->n_local;
  const double  *value;

  PetscFunctionBegin;
  for (int i = 0; i < 5; i++, array += n) {
    PetscCall(VecGetArrayRead(vec[i], &value));
    PetscCall(PetscArraycpy(array, value, n));
    PetscCall(VecRestoreArrayRead(vec[i], &value));
    PetscCall(VecPlaceArray(vec[i], array));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For evaluations at x: held vertices go to their places, and contacts are those of x. */
PetscErrorCode wring_python_go(wring_potential *g, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_place(g, x));
  PetscCall(wring_potential_update_contacts(g, x, PETSC_TRUE, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A step from x, as `run` makes it, and probe [columns] of the new state unless it has failed; or, if probe is NULL, the
  minimum from x into x. number: iterations, objective, inertial, elastic, |grad g|, seconds, 1 after a failure. *reason
  is static.
*/
PetscErrorCode wring_python_solve(wring_problem *p, wring_solver *solver, Vec x, double *probe, double number[7],
                                  const char **reason)
{
  const char *const *name;
  wring_outcome      o;

  PetscFunctionBegin;
  if (probe)
    PetscCall(wring_problem_step(p, solver, x, &o, &number[3]));
  else
    PetscCall(wring_problem_minimise(p, solver, x, &o));
  const wring_value *const v = &o.last.value;
  number[0] = (double)o.iterations, number[1] = v->objective, number[2] = v->inertial, number[3] = v->elastic;
  number[4] = o.last.gradient_norm, number[5] = o.last.seconds, number[6] = wring_reason_failed(o.reason);
  *reason = wring_reason_name(o.reason);
  if (probe && number[6] == 0 && wring_problem_probe_columns(p, &name))
    PetscCall(wring_problem_measure_probes(p, p->state.q, p->state.v, probe));
  PetscFunctionReturn(PETSC_SUCCESS);
}
