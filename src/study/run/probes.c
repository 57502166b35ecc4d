/* Rows of probes.csv: what the probes measure after each step. */
#include "records.h"
#include <math.h>
#include <string.h>

PetscErrorCode wring_probes_header(const wring_problem *p, char **header)
{
  const char *const *name;
  const PetscInt     n    = wring_problem_probe_columns(p, &name);
  size_t             size = sizeof "step,time";

  PetscFunctionBegin;
  *header = NULL;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < n; i++) size += strlen(name[i]) + 1;
  PetscCall(PetscMalloc1(size, header));
  size_t end = (size_t)snprintf(*header, size, "step,time");
  for (PetscInt i = 0; i < n; i++) end += (size_t)snprintf(*header + end, size - end, ",%s", name[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_probes_write(wring_record *r, wring_problem *p)
{
  const char *const *name;
  const PetscInt     n = wring_problem_probe_columns(p, &name);
  double            *value;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &value));
  PetscCall(wring_problem_measure_probes(p, p->state.q, p->state.v, value));
  if (r->file) {
    fprintf(r->file, "%" PetscInt_FMT ",%.17g", p->state.step, p->state.time);
    for (PetscInt i = 0; i < n; i++) {
      if (isnan(value[i]))
        fprintf(r->file, ",nan"); // printf may add a sign
      else
        fprintf(r->file, ",%.17g", value[i]);
    }
    fprintf(r->file, "\n");
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
