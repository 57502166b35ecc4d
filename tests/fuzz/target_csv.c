/* Tables: the first byte selects one of the headers of tables that decks may name. */
#include "fuzz.h"

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  static const char *const header[] = {
    "vertex,x,y,z", "a,b,length,stiffness[,damping]", "vertex,x,y,z,stiffness", "vertex,mass", "time,value",
    "tet,scale"};
  wring_error e = {""};
  PetscInt    n;
  int         width;
  double     *row;

  if (size == 0) return;
  fuzz_write(file, data + 1, size - 1);
  PetscCallAbort(PETSC_COMM_SELF, wring_csv_read(file, header[data[0] % 6], 8, (PetscBool)(data[0] % 6 != 1),
                                                 (PetscBool)(data[0] % 12 == 0), &n, &width, &row, &e));
  if ((row == NULL) != (e.text[0] != '\0') && n > 0) __builtin_trap();
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(row));
}
