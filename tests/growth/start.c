/* Starts MPI and PETSc: what every program on so many ranks takes. */
#include <petscsys.h>

int main(int argc, char **argv)
{
  if (PetscInitialize(&argc, &argv, NULL, NULL) || MPI_Barrier(PETSC_COMM_WORLD)) return 1;
  return PetscFinalize() != 0;
}
