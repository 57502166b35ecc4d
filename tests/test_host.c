/* ranks: 2 4
  A host whose own messages wait on the communicator that it lends: fails if the library sends or receives on that
  communicator, where a receive of the host's takes the library's message, for which the library then waits for ever, or
  the library one of the host's. */
#include <wring/io.h>
#include <wring/problem.h>
#include <wring/study.h> // wring_study_check_keys
#include "keys.h"

enum { TAGS = 128, NUMBER = 4711 };

static PetscMPIInt rank, size;

/* ---- what a host may ask of the library -------------------------------------------------------------------------- */

/* Tables from rank 0 and to it; the tags of elements, which the ranks collect; a file of rows in blocks. */
static PetscErrorCode use_mesh(MPI_Comm comm, const char *source)
{
  char             file[PETSC_MAX_PATH_LEN], notes[512];
  wring_error      e = {""};
  wring_mesh_data *d;
  wring_mesh      *m;
  double          *mine, row[4] = {3, 30, 1, 10};
  PetscInt         n;

  PetscFunctionBegin;
  snprintf(file, sizeof file, "%s/tests/cases/beam96.msh", source);
  PetscCall(wring_mesh_read(comm, file, 1, PETSC_FALSE, &d, &e, sizeof notes, notes));
  CHECK(d, "%s", e.text);
  PetscCall(wring_mesh_collect(comm, &d));
  CHECK(!d == (rank > 0) && (!d || (d->n_vertex == 45 && d->n_tet == 96)), "the mesh on one rank");
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, &d, &m));
  PetscCall(wring_mesh_route_rows(m, 2, 2, row, &n, &mine));
  for (PetscInt i = 0; i < n; i++) CHECK(mine[2 * i + 1] == 10 * mine[2 * i], "row %g", mine[2 * i]);
  PetscCall(PetscFree(mine));
  snprintf(file, sizeof file, "test_host_%d.csv", (int)size);
  PetscCall(wring_csv_write_vertices(file, m, "x,y,z", 3, m->X));
  PetscCall(wring_mesh_gather(m, &d));
  CHECK(!d == (rank > 0) && (!d || d->n_vertex == 45), "the gathered mesh");
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_destroy(&m));
  PetscCallMPI(MPI_Barrier(comm));
  if (rank == 0) remove(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step, with contact. */
static PetscErrorCode use_problem(MPI_Comm comm)
{
  wring_options *o;
  wring_problem *p;
  wring_solver  *solver;
  wring_outcome  outcome;
  PetscBool      changed;
  Vec            x;

  PetscFunctionBegin;
  PetscCall(wring_options_create(comm, &o));
  PetscCall(test_set(o, "", "mesh_box_size=2,1,1 mesh_box_cells=8,4,4 operator_type=multigrid time_step=1e-2"));
  PetscCall(test_set(o, "material_", "model=corotated young=1e5 poisson=0.3 density=1000"));
  PetscCall(test_set(o, "", "attach_xmin_stiffness=1e6 gravity=0,0,-9.81"));
  PetscCall(test_set(o, "collider_floor_", "shape=half_space point=0,0,0 normal=0,0,1 stiffness=1e5"));
  PetscCall(test_set(o, "self_contact_", "stiffness=1e4 thickness=1e-3"));
  PetscCall(wring_study_check_keys(o));
  PetscCall(wring_problem_create(comm, o, &p));
  PetscCall(wring_problem_create_solver(p, NULL, &solver));
  PetscCall(wring_potential_create_vec(p->g, &x));
  PetscCall(wring_stepper_begin(p->stepper, &p->state, x, &changed));
  PetscCall(wring_problem_prepare_operator(p, wring_solver_operator_factor(solver), changed));
  PetscCall(wring_solver_solve(solver, x, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "the solve ends: %s", wring_reason_name(outcome.reason));
  PetscCall(VecDestroy(&x));
  PetscCall(wring_solver_destroy(&solver));
  PetscCall(wring_problem_destroy(&p));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode use_library(MPI_Comm comm, const char *source)
{
  PetscFunctionBegin;
  PetscCall(use_mesh(comm, source));
  PetscCall(use_problem(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- its own messages -------------------------------------------------------------------------------------------- */

/* A receive of anything waits during the calls; it gets the host's number, sent after them. */
static PetscErrorCode test_receives(MPI_Comm comm, const char *source)
{
  const int   next = (rank + 1) % size, sent = NUMBER + rank;
  int         got = 0, done;
  MPI_Request request;
  MPI_Status  status;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
  PetscCall(use_library(comm, source));
  PetscCallMPI(MPI_Test(&request, &done, &status));
  CHECK(!done, "a receive of the host's got a message of the library, tag %d", status.MPI_TAG);
  PetscCallMPI(MPI_Barrier(comm));
  PetscCallMPI(MPI_Send(&sent, 1, MPI_INT, next, 7, comm));
  PetscCallMPI(MPI_Wait(&request, &status));
  CHECK(got == NUMBER + (rank + size - 1) % size && status.MPI_TAG == 7, "%d with tag %d", got, status.MPI_TAG);
  PetscCallMPI(MPI_Barrier(comm)); // before the messages of the next test
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Messages between all ranks, with all of these tags, wait during the calls. */
static PetscErrorCode test_sends(MPI_Comm comm, const char *source)
{
  MPI_Request *request;
  int          sent = NUMBER + rank, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(TAGS * size), &request));
  for (int tag = 0; tag < TAGS; tag++)
    for (int p = 0; p < size; p++)
      if (p != rank) PetscCallMPI(MPI_Isend(&sent, 1, MPI_INT, p, tag, comm, &request[n++]));
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(use_library(comm, source));
  for (int tag = 0; tag < TAGS; tag++) {
    for (int p = 0, got = 0; p < size; p++) {
      if (p == rank) continue;
      PetscCallMPI(MPI_Recv(&got, 1, MPI_INT, p, tag, comm, MPI_STATUS_IGNORE));
      CHECK(got == NUMBER + p, "%d from rank %d with tag %d", got, p, tag);
    }
  }
  PetscCallMPI(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MPI_Comm comm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  CHECK(argc > 1, "expected the source directory");
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(test_receives(comm, argv[1]));
  PetscCall(test_sends(comm, argv[1]));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscCall(PetscFinalize());
  return 0;
}
