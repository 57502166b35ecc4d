/* The tables of law spline. */
#include "fuzz.h"
#include "law/common/spline.h"

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  wring_options *o;
  double         par[SPLINE_N_PAR];

  fuzz_write(file, data, size);
  PetscCallAbort(PETSC_COMM_SELF, wring_options_create(PETSC_COMM_SELF, &o));
  fuzz_quiet_begin();
  (void)wring_spline_read(o, file, par);
  fuzz_quiet_end();
  PetscCallAbort(PETSC_COMM_SELF, wring_options_destroy(&o));
}
