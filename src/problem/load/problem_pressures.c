/* Surfaces under pressure. They are found before any term is created, because their vertices may become ghosts. */
#include "problem/problem_impl.h"

const wring_option wring_pressure_options[] = {
  {.key  = "value",
   .type = WRING_REAL,
   .unit = "Pa",
   .help = "Pressure on the triangles of the set NAME, inwards if it is positive; it follows their normals."},
  {0},
};

static PetscErrorCode read_surface(wring_problem *p, wring_pressed *s)
{
  char     prefix[WRING_PREFIX];
  PetscInt set, n_all;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "pressure_%s_", s->name));
  PetscCall(wring_problem_find_set(p, "pressure_", s->name, "a surface", &set));
  PetscCall(wring_mesh_surface(p->mesh, set, &s->n, &s->triangle));
  PetscCallMPI(MPI_Allreduce(&s->n, &n_all, 1, MPIU_INT, MPI_SUM, p->comm));
  if (n_all == 0)
    WRING_REFUSE(p->comm, "%s: pressure: the set '%s' has no triangles, expected a surface of the mesh",
                 wring_options_family_origin(p->options, prefix), s->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_pressures(wring_problem *p)
{
  wring_pressures *const all = &p->parts->pressures;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "pressure_", &all->n, &all->name));
  PetscCall(PetscCalloc1(all->n, &all->surface));
  for (PetscInt i = 0; i < all->n; i++) {
    all->surface[i].name = all->name[i];
    PetscCall(read_surface(p, &all->surface[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_pressure(wring_problem *p, const wring_pressed *s)
{
  char              prefix[WRING_PREFIX];
  double            value;
  PetscInt         *local;
  wring_load_time   time;
  wring_time_curve *curve;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "pressure_%s_", s->name));
  PetscCall(wring_options_get_real(p->options, prefix, wring_pressure_options, "value", &value));
  PetscCall(wring_problem_read_load_time(p, prefix, &curve, &time));
  PetscCall(PetscMalloc1(3 * s->n, &local));
  for (PetscInt i = 0; i < 3 * s->n; i++) local[i] = wring_mesh_local(p->mesh, s->triangle[i]);
  PetscCall(wring_loads_add_pressure(p->parts->loads, &time, value, s->n, local));
  PetscCall(PetscFree(local));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_pressures(wring_problem *p)
{
  const wring_pressures *const all = &p->parts->pressures;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) PetscCall(add_pressure(p, &all->surface[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_pressures(wring_problem *p)
{
  wring_pressures *const all = &p->parts->pressures;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) PetscCall(PetscFree(all->surface[i].triangle));
  PetscCall(PetscFree(all->surface));
  PetscCall(wring_words_destroy(all->n, &all->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
