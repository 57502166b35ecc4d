/*
  A program of one's own that links libwring: a deck becomes a potential, to which it adds an energy of its own, and
  minimises both by a solver of its own and by the deck's. It runs on a communicator that is not the world: of several
  ranks the last takes no part, as a rank that couples to another code would.

      cmake --install build --prefix DIR
      mpicc own_solver.c $(PKG_CONFIG_PATH=DIR/lib/pkgconfig pkg-config --cflags --libs wring) -lm -o own_solver
      mpiexec -n 3 ./own_solver inputs/lamp.yaml [-key value ...]

  The energy is that of a muscle: fibres along x that contract, psi = T/2 |F a|^2, T = 1 kPa; docs/theory.md 3. It
  prints g at the start, at the minimum of the own solver and at that of the deck's.
*/
#include <wring/problem.h>
#include <wring/study.h> // wring_study_check_keys

/* ---- an energy term ---------------------------------------------------------------------------------------------- */

/* A law is pure functions of WRING_LANES elements at once; here z = F a, three numbers an element. */
static void muscle_fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  for (int lane = 0; lane < WRING_LANES; lane++) {
    psi[lane] = 0;
    for (int c = 0; c < 3; c++) {
      psi[lane] += 0.5 * par[0][lane] * z[c][lane] * z[c][lane];
      p[c][lane] = par[0][lane] * z[c][lane];
    }
  }
}

static void muscle_energy(const wring_law *self, wring_in par, wring_in z, double *psi)
{
  double p[3][WRING_LANES];
  muscle_fused(self, par, z, psi, p);
}

static void muscle_slope(WRING_SELF, wring_in par, double *k) // its part of the operator A
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[0][lane];
}

static const wring_law muscle = {.name   = "muscle",
                                 .kind   = WRING_LAW_OTHER,
                                 .q      = 1,
                                 .n_par  = 1,
                                 .energy = muscle_energy,
                                 .fused  = muscle_fused,
                                 .slope  = muscle_slope};

/* One term for each region; the potential destroys them. */
static PetscErrorCode add_muscle(wring_problem *p, double tension)
{
  double     *direction;
  wring_term *term;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * (size_t)p->mesh->tets.n, &direction));
  for (PetscInt e = 0; e < p->mesh->tets.n; e++) direction[3 * e] = 1;
  for (PetscInt r = 0; r < p->mesh->regions.n; r++) {
    PetscCall(wring_term_create_fibres(p->mesh, r, &muscle, &tension, direction, &term));
    PetscCall(wring_potential_add_term(p->g, term));
  }
  PetscCall(PetscFree(direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a solver ---------------------------------------------------------------------------------------------------- */

/*
  Nesterov's acceleration of x <- x - A^{-1} grad g, with restarts where g rises: A is the constant matrix that `qn` and
  `pd` use. x: in x_0, out the last iterate; value: g there. Ends when |grad g| is 1e-8 of that at x_0.
*/
static PetscErrorCode minimise(wring_problem *p, Vec x, wring_value *value, PetscInt *iterations)
{
  Vec         last, y, grad, d;
  wring_value at;
  PetscReal   norm, first = 0, weight = 1;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(p->g, &y));
  PetscCall(VecDuplicate(y, &last));
  PetscCall(VecDuplicate(y, &grad));
  PetscCall(VecDuplicate(y, &d));
  PetscCall(VecCopy(x, y));
  PetscCall(wring_potential_value(p->g, x, value));
  for (*iterations = 0; *iterations < 2000; (*iterations)++) {
    PetscReal step = 1;
    PetscCall(wring_potential_fused(p->g, y, &at, grad));
    PetscCall(VecNorm(grad, NORM_2, &norm));
    if (*iterations == 0) first = norm;
    if (norm <= 1e-8 * first) break;
    PetscCall(wring_operator_solve(p->op, 0, grad, d, NULL)); // zero where hard attachments hold, as grad is
    PetscCall(VecCopy(x, last));
    do { // half the step until g falls below that of y
      PetscCall(VecWAXPY(x, -step, d, y));
      PetscCall(wring_potential_value(p->g, x, value));
    } while (value->objective > at.objective && (step /= 2) > 1e-12);
    const PetscReal next = (1 + PetscSqrtReal(1 + 4 * weight * weight)) / 2, beta = (weight - 1) / next;
    PetscScalar     along; // grad . (x - x_last): uphill, so that the momentum is dropped
    PetscCall(VecAXPBYPCZ(d, 1, -1, 0, x, last));
    PetscCall(VecDot(grad, d, &along));
    weight = PetscRealPart(along) > 0 ? 1 : next;
    PetscCall(VecWAXPY(y, PetscRealPart(along) > 0 ? 0 : beta, d, x));
  }
  PetscCall(VecDestroy(&last));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static PetscErrorCode solve_one_step(MPI_Comm comm, int argc, char **argv)
{
  wring_options *o;
  wring_problem *p;
  wring_solver  *solver;
  wring_outcome  outcome;
  wring_value    start, own;
  PetscInt       iterations = 0;
  PetscBool      changed;
  Vec            x0, x;

  PetscFunctionBegin;
  PetscCall(wring_options_create(comm, &o));
  PetscCall(wring_deck_read(argv[1], argc - 2, argv + 2, o));
  PetscCall(wring_study_check_keys(o));
  PetscCall(wring_problem_create(comm, o, &p));
  PetscCall(add_muscle(p, 1e3));
  PetscCall(wring_problem_create_solver(p, NULL, &solver));
  PetscCall(wring_potential_create_vec(p->g, &x0));
  PetscCall(VecDuplicate(x0, &x));
  PetscCall(wring_stepper_begin(p->stepper, &p->state, x0, &changed)); // x_0, and g of this step
  PetscCall(wring_problem_prepare_operator(p, 1, changed));            // A = M/h^2 + L
  PetscCall(wring_potential_value(p->g, x0, &start));
  PetscCall(VecCopy(x0, x));
  PetscCall(minimise(p, x, &own, &iterations));
  PetscCall(wring_problem_renew_operator(p, wring_solver_operator_factor(solver)));
  PetscCall(wring_stepper_solve(p->stepper, solver, x0, &outcome));
  PetscCall(PetscPrintf(comm, "start %.12g own %.12g deck %.12g iterations %" PetscInt_FMT "\n", start.objective,
                        own.objective, outcome.last.value.objective, iterations));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&x0));
  PetscCall(wring_solver_destroy(&solver));
  PetscCall(wring_problem_destroy(&p));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MPI_Comm    comm;
  PetscMPIInt rank, size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCheck(argc > 1, PETSC_COMM_WORLD, PETSC_ERR_USER, "expected %s DECK [-key value ...]", argv[0]);
  PetscCallMPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_split(MPI_COMM_WORLD, size > 1 && rank == size - 1, rank, &comm));
  if (size == 1 || rank < size - 1) PetscCall(solve_one_step(comm, argc, argv));
  PetscCallMPI(MPI_Comm_free(&comm));
  return PetscFinalize();
}
