/* Meshes in one file: Gmsh, MEDIT, points. */
#include "fuzz.h"

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  wring_mesh_data *d;
  wring_error      e = {""};
  char             notes[512];

  fuzz_write(file, data, size);
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_read(PETSC_COMM_SELF, file, 1, PETSC_FALSE, &d, &e, sizeof notes, notes));
  if ((d == NULL) != (e.text[0] != '\0')) __builtin_trap();
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&d));
}
