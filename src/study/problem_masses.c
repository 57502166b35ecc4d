/* Lumped masses: from the regions' densities, or as a file says them. */
#include "problem.h"

static void check_rows(const char *file, PetscInt n, int width, const double *row, wring_error *e)
{
  for (PetscInt i = 0; i < n && !e->text[0]; i++) {
    const double m = row[width * i + 1];
    if (m <= 0) wring_error_set(e, "%s:%" PetscInt_FMT ": mass %g, expected above 0 kg", file, i + 2, m);
  }
}

static PetscErrorCode read_masses(wring_problem *p)
{
  char     file[PETSC_MAX_PATH_LEN];
  PetscInt n;
  int      width;
  double  *row;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, "mass_", wring_mass_options, "file", sizeof file, file));
  PetscCall(wring_problem_read_rows(p, file, "vertex,mass", PETSC_TRUE, PETSC_TRUE, check_rows, &n, &width, &row));
  for (PetscInt i = 0; i < n; i++) p->mass[wring_mesh_local(p->mesh, (PetscInt)row[width * i])] = row[width * i + 1];
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lump_densities(wring_problem *p)
{
  const PetscInt n = p->mesh->regions.n;
  char           prefix[256];
  double        *density;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &density));
  for (PetscInt r = 0; r < n; r++) {
    wring_region_prefix(p, r, sizeof prefix, prefix);
    PetscCall(wring_options_get_real(p->options, wring_region_says(p, prefix, "density"), wring_material_options,
                                     "density", &density[r]));
  }
  PetscCall(wring_mesh_lumped_mass(p->mesh, density, p->mass));
  PetscCall(PetscFree(density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every vertex needs a mass: A would be singular without. The lowest vertex without one is named. */
static PetscErrorCode check_masses(wring_problem *p)
{
  PetscInt lowest = p->mesh->n_global;
  double   sum    = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    if (!(p->mass[i] > 0)) lowest = PetscMin(lowest, p->mesh->original[i]);
    sum += p->mass[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPIU_INT, MPI_MIN, p->comm));
  PetscCallMPI(MPI_Allreduce(&sum, &p->total_mass, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  if (lowest == p->mesh->n_global) PetscFunctionReturn(PETSC_SUCCESS);
  WRING_REFUSE(p->comm,
               "%s: vertex %" PetscInt_FMT " has no mass, expected mass.file or an element of some density at it",
               wring_options_deck(p->options), lowest);
}

PetscErrorCode wring_problem_set_masses(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->mesh->n_owned, &p->mass));
  if (wring_options_has(p->options, "mass_", "file"))
    PetscCall(read_masses(p));
  else
    PetscCall(lump_densities(p));
  PetscCall(check_masses(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
