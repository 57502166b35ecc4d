/* Loads of the deck: gravity's curve, body forces by region, pressure on surfaces, forces on vertices, and drag. */
#include "problem.h"
#include <math.h>

/* Names behind a family of keys; known may be NULL. Free with wring_words_destroy. */
static PetscErrorCode get_names(const wring_problem *p, const char *family, const wring_names *known, PetscInt *n,
                                char ***name)
{
  PetscFunctionBegin;
  PetscCall(wring_options_names(p->options, family, p->catalogue->n, p->catalogue->entry, known ? known->n : 0,
                                known ? (const char *const *)known->name : NULL, n, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- surfaces under pressure: before terms, because they may make ghosts ------------------------------------------- */

static PetscErrorCode read_surface(wring_problem *p, wring_pressed *s)
{
  char     prefix[256], hint[256];
  PetscInt n_all;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "pressure_%s_", s->name));
  const PetscInt set = wring_names_find(&p->mesh->sets, s->name);
  if (set < 0) {
    wring_suggest_name(&p->mesh->sets, s->name, sizeof hint, hint);
    WRING_REFUSE(p->comm, "%s: pressure: '%s' is not a set of the mesh%s, expected a surface that `wring check` lists",
                 wring_options_family_origin(p->options, prefix), s->name, hint);
  }
  PetscCall(wring_mesh_surface(p->mesh, set, &s->n, &s->triangle));
  PetscCallMPI(MPI_Allreduce(&s->n, &n_all, 1, MPIU_INT, MPI_SUM, p->comm));
  if (n_all == 0)
    WRING_REFUSE(p->comm, "%s: pressure: the set '%s' has no triangles, expected a surface of the mesh",
                 wring_options_family_origin(p->options, prefix), s->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_pressed(wring_problem *p)
{
  char **name;

  PetscFunctionBegin;
  PetscCall(get_names(p, "pressure_", &p->mesh->sets, &p->n_pressed, &name));
  PetscCall(PetscCalloc1(p->n_pressed, &p->pressed));
  for (PetscInt i = 0; i < p->n_pressed; i++) {
    PetscCall(PetscStrncpy(p->pressed[i].name, name[i], sizeof p->pressed[i].name));
    PetscCall(read_surface(p, &p->pressed[i]));
  }
  PetscCall(wring_words_destroy(p->n_pressed, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_pressed(wring_problem *p)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->n_pressed; i++) PetscCall(PetscFree(p->pressed[i].triangle));
  PetscCall(PetscFree(p->pressed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- loads --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_pressure(wring_problem *p, const wring_pressed *s)
{
  char              prefix[256];
  double            value;
  PetscInt         *local;
  wring_load_time   time;
  wring_time_curve *curve;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "pressure_%s_", s->name));
  PetscCall(wring_options_get_real(p->options, prefix, wring_pressure_options, "value", &value));
  PetscCall(wring_problem_read_load_time(p, prefix, wring_pressure_options, &curve, &time));
  PetscCall(PetscMalloc1(3 * s->n, &local));
  for (PetscInt i = 0; i < 3 * s->n; i++) local[i] = wring_mesh_local(p->mesh, s->triangle[i]);
  PetscCall(wring_loads_add_pressure(p->loads, &time, value, s->n, local));
  PetscCall(PetscFree(local));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part of the region's measure for each of its vertices, times the force. */
static PetscErrorCode add_region_force(wring_problem *p, PetscInt region, const double value[3],
                                       const wring_load_time *time)
{
  const PetscInt n_owned = p->mesh->n_owned;
  double        *inside, *measure, *force;
  PetscInt      *vertex, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(p->mesh->regions.n, &inside, n_owned, &measure, n_owned, &vertex, 3 * n_owned, &force));
  inside[region] = 1;
  PetscCall(wring_mesh_lumped_mass(p->mesh, inside, measure));
  for (PetscInt i = 0; i < n_owned; i++) {
    if (measure[i] == 0) continue;
    for (int c = 0; c < 3; c++) force[3 * n + c] = measure[i] * value[c];
    vertex[n++] = i;
  }
  PetscCall(wring_loads_add_forces(p->loads, time, n, vertex, force));
  PetscCall(PetscFree4(inside, measure, vertex, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_body_force(wring_problem *p, const char *name)
{
  const PetscInt    region = wring_names_find(&p->mesh->regions, name);
  char              prefix[256], hint[256];
  double            value[3];
  wring_load_time   time;
  wring_time_curve *curve;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "body_force_%s_", name));
  if (region < 0) {
    wring_suggest_name(&p->mesh->regions, name, sizeof hint, hint);
    WRING_REFUSE(p->comm, "%s: body_force: the mesh has no region '%s'%s, expected one that `wring check` lists",
                 wring_options_family_origin(p->options, prefix), name, hint);
  }
  PetscCall(wring_options_get_reals(p->options, prefix, wring_body_force_options, "value", value));
  PetscCall(wring_problem_read_load_time(p, prefix, wring_body_force_options, &curve, &time));
  PetscCall(add_region_force(p, region, value, &time));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_point_load(wring_problem *p, const char *name)
{
  char              prefix[256], file[PETSC_MAX_PATH_LEN];
  PetscInt          n, *vertex;
  int               width;
  double           *row, *force;
  wring_load_time   time;
  wring_time_curve *curve;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "point_load_%s_", name));
  PetscCall(wring_options_get_path(p->options, prefix, wring_point_load_options, "file", sizeof file, file));
  PetscCall(wring_problem_read_load_time(p, prefix, wring_point_load_options, &curve, &time));
  PetscCall(wring_problem_read_rows(p, file, "vertex,x,y,z", PETSC_TRUE, PETSC_FALSE, NULL, &n, &width, &row));
  PetscCall(PetscMalloc2(n, &vertex, 3 * n, &force));
  for (PetscInt i = 0; i < n; i++) {
    vertex[i] = wring_mesh_local(p->mesh, (PetscInt)row[width * i]);
    for (int c = 0; c < 3; c++) force[3 * i + c] = row[width * i + 1 + c];
  }
  PetscCall(wring_loads_add_forces(p->loads, &time, n, vertex, force));
  PetscCall(PetscFree2(vertex, force));
  PetscCall(PetscFree(row));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode add_load(wring_problem *p, const char *name);

/* The loads of a family of keys; known may be NULL. */
static PetscErrorCode add_family(wring_problem *p, const char *family, const wring_names *known, add_load *add)
{
  PetscInt n;
  char   **name;

  PetscFunctionBegin;
  PetscCall(get_names(p, family, known, &n, &name));
  for (PetscInt i = 0; i < n; i++) PetscCall(add(p, name[i]));
  PetscCall(wring_words_destroy(n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_gravity_curve(wring_problem *p)
{
  wring_load_time   time = {.until = INFINITY};
  wring_time_curve *curve;
  char              file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!wring_options_has(p->options, "", "gravity_curve")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_path(p->options, "", wring_load_options, "gravity_curve", sizeof file, file));
  PetscCall(wring_problem_read_curve(p, file, "time,value", WRING_CURVE_LINEAR, &curve));
  time.curve = curve;
  PetscCall(wring_loads_set_gravity_time(p->loads, &time));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_drag(wring_problem *p)
{
  const wring_options *const o = p->options;
  double                     coefficient, rate, *drag;
  wring_load_time            time;
  wring_time_curve          *curve;

  PetscFunctionBegin;
  PetscCall(wring_options_get_real(o, "drag_", wring_drag_options, "coefficient", &coefficient));
  PetscCall(wring_options_get_real(o, "drag_", wring_drag_options, "rate", &rate));
  PetscCall(wring_problem_read_load_time(p, "drag_", wring_drag_options, &curve, &time));
  if (coefficient > 0 || rate > 0) {
    PetscCall(PetscMalloc1(p->mesh->n_owned, &drag));
    for (PetscInt i = 0; i < p->mesh->n_owned; i++) drag[i] = coefficient + rate * p->mass[i];
    PetscCall(wring_loads_set_drag(p->loads, &time, drag));
    PetscCall(PetscFree(drag));
  }
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_loads(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_loads_create(p->mesh, p->mass, &p->loads));
  PetscCall(add_gravity_curve(p));
  PetscCall(add_family(p, "body_force_", &p->mesh->regions, add_body_force));
  for (PetscInt i = 0; i < p->n_pressed; i++) PetscCall(add_pressure(p, &p->pressed[i]));
  PetscCall(add_family(p, "point_load_", NULL, add_point_load));
  PetscCall(add_drag(p));
  PetscCall(wring_stepper_set_loads(p->stepper, p->loads));
  PetscFunctionReturn(PETSC_SUCCESS);
}
