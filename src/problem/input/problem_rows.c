#include "problem/problem_impl.h"
#include <math.h>

PetscErrorCode wring_problem_read_rows(const wring_mesh *m, const char *file, const char *header, PetscBool unique,
                                       PetscBool complete, wring_row_check *check, PetscInt *n, double **mine)
{
  wring_error error = {0};
  PetscInt    n_row = 0;
  int         width = 0;
  double     *row   = NULL;

  PetscFunctionBegin;
  if (wring_comm_rank(m->comm) == 0) {
    PetscCall(wring_csv_read(file, header, m->number.n_global, unique, complete, &n_row, &width, &row, &error));
    if (row && n_row == 0) wring_error_set(&error, "%s: no row after the header, expected %s", file, header);
    if (row && check) check(file, n_row, row, &error);
  }
  PetscCall(wring_error_raise(m->comm, &error));
  PetscCallMPI(MPI_Bcast(&width, 1, MPI_INT, 0, m->comm));
  PetscCall(wring_mesh_route_rows(m, n_row, width, row, n, mine));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_vectors(const wring_mesh *m, const char *file, PetscBool velocities, double *value)
{
  static const char *const header = "vertex,x,y,z[,vx,vy,vz]"; // also that of state.csv
  PetscInt                 n;
  double                  *row;

  PetscFunctionBegin;
  PetscCall(wring_problem_read_rows(m, file, header, PETSC_TRUE, PETSC_TRUE, NULL, &n, &row));
  for (PetscInt i = 0; i < n; i++) {
    const double *const one = row + 7 * (size_t)i;
    const PetscInt      a = wring_mesh_local(m, (PetscInt)one[0]), from = velocities && !isnan(one[4]) ? 4 : 1;
    for (int c = 0; c < 3; c++) value[3 * a + c] = one[from + c];
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
