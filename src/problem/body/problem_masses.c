/* Masses and weights: from the densities of regions, surfaces and lines, or from a file. */
#include "problem/problem_impl.h"
#include <string.h>

const wring_option wring_mass_options[] = {
  {"file", WRING_PATH, .help = "CSV `vertex,mass` [kg] that lists every vertex; replaces the masses from densities."},
  {0},
};

static void check_rows(const char *file, PetscInt n, const double *row, wring_error *e)
{
  for (PetscInt i = 0; i < n && !wring_failed(e); i++) {
    const double m = row[2 * i + 1];
    if (m <= 0)
      wring_error_set(e, "%s:%" PetscInt64_FMT ": mass %g, expected above 0 kg", file, wring_csv_line(file, i), m);
  }
}

static PetscErrorCode read_masses(wring_problem *p)
{
  char     file[PETSC_MAX_PATH_LEN];
  PetscInt n;
  double  *row;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, "mass_", wring_mass_options, "file", sizeof file, file));
  PetscCall(wring_problem_read_rows(p->mesh, file, "vertex,mass", PETSC_TRUE, PETSC_TRUE, check_rows, &n, &row));
  for (PetscInt i = 0; i < n; i++) p->mass[wring_mesh_local(p->mesh, (PetscInt)row[2 * i])] = row[2 * i + 1];
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- densities --------------------------------------------------------------------------------------------------- */

/* Equal parts of the mass of each element at its corners, whose numbers are original. */
static void lump(const wring_mesh *m, const wring_piece *s, wring_lumps *l)
{
  for (PetscInt i = 0; i < s->corners * s->n; i++) {
    l->vertex[l->n] = wring_mesh_local(m, s->vertex[i]);
    l->part[l->n++] = s->density * s->size[i / s->corners] / s->corners;
  }
}

static PetscErrorCode lump_densities(const wring_problem *p, wring_mass_kind kind, double *mass)
{
  wring_lumps        lumps = {.n = 0};
  const wring_piece *s;
  double            *density;
  PetscInt           room = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) room += s->corners * s->n;
  PetscCall(PetscMalloc1(p->mesh->regions.n + 1, &density));
  PetscCall(PetscMalloc2(room, &lumps.vertex, room, &lumps.part));
  for (PetscInt r = 0; r < p->mesh->regions.n; r++) PetscCall(wring_region_density(p, r, &density[r]));
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) lump(p->mesh, s, &lumps);
  PetscCall(wring_mesh_lump_masses(p->mesh, kind, density, &lumps, mass));
  PetscCall(PetscFree2(lumps.vertex, lumps.part));
  PetscCall(PetscFree(density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex without mass would make A singular. The error names the lowest such vertex. */
static PetscErrorCode check_masses(wring_problem *p)
{
  PetscInt lowest = p->mesh->number.n_global;
  double   sum    = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    if (!(p->mass[i] > 0)) lowest = PetscMin(lowest, p->mesh->number.original[i]);
    sum += p->mass[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPIU_INT, MPI_MIN, p->comm));
  PetscCallMPI(MPI_Allreduce(&sum, &p->total_mass, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  if (lowest == p->mesh->number.n_global) PetscFunctionReturn(PETSC_SUCCESS);
  WRING_REFUSE(p->comm,
               "%s: vertex %" PetscInt_FMT " has no mass, expected mass.file or an adjacent element with a density",
               wring_options_deck(p->options), lowest);
}

PetscErrorCode wring_problem_load_kind(const wring_problem *p, wring_mass_kind *kind)
{
  const char *integrator;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "time_", wring_time_options, "integrator", &integrator));
  *kind = strcmp(integrator, "static") ? WRING_MASS_DIAGONAL : WRING_MASS_CONSISTENT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* And the masses that gravity acts on: those of a file, or integrals of the kind that loads have. */
PetscErrorCode wring_problem_set_masses(wring_problem *p)
{
  const PetscBool file = wring_options_has(p->options, "mass_", "file");
  wring_mass_kind kind;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->mesh->n_owned, &p->mass));
  if (file)
    PetscCall(read_masses(p));
  else
    PetscCall(lump_densities(p, WRING_MASS_DIAGONAL, p->mass));
  PetscCall(check_masses(p));
  PetscCall(PetscMalloc1(p->mesh->n_owned, &p->parts->weight));
  PetscCall(wring_problem_load_kind(p, &kind));
  if (kind == WRING_MASS_DIAGONAL || p->mesh->tets.order == 1 || file)
    PetscCall(PetscArraycpy(p->parts->weight, p->mass, p->mesh->n_owned));
  else
    PetscCall(lump_densities(p, kind, p->parts->weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}
