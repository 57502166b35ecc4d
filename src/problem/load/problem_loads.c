/* Loads: gravity's curve, body forces by region, forces on vertices, drag; pressures have a file of their own. */
#include "problem/problem_impl.h"
#include <math.h>

const wring_option wring_body_force_options[] = {
  {.key   = "value",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "N/m^3",
   .help  = "Force per rest volume on the region NAME."},
  {0},
};

const wring_option wring_point_load_options[] = {
  {.key = "file", .type = WRING_PATH, .help = "CSV `vertex,x,y,z` [N]: forces on vertices; NAME is a label."},
  {0},
};

const wring_option wring_drag_options[] = {
  {.key   = "coefficient",
   .type  = WRING_REAL,
   .unit  = "N s/m",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Drag c of each vertex: the force -c v."},
  {.key   = "rate",
   .type  = WRING_REAL,
   .unit  = "1/s",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Drag proportional to mass: the force -rate m v, added to that of coefficient."},
  {0},
};

/* Each vertex of the region gets its part of the region's measure, times the force. */
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
  PetscCall(wring_loads_add_forces(p->parts->loads, time, n, vertex, force));
  PetscCall(PetscFree4(inside, measure, vertex, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_body_force(wring_problem *p, const char *name)
{
  const PetscInt    region = wring_names_find(&p->mesh->regions, name);
  char              prefix[WRING_PREFIX], hint[256];
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
  PetscCall(wring_problem_read_load_time(p, prefix, &curve, &time));
  PetscCall(add_region_force(p, region, value, &time));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_point_load(wring_problem *p, const char *name)
{
  char              prefix[WRING_PREFIX], file[PETSC_MAX_PATH_LEN];
  PetscInt          n, *vertex;
  int               width;
  double           *row, *force;
  wring_load_time   time;
  wring_time_curve *curve;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "point_load_%s_", name));
  PetscCall(wring_options_get_path(p->options, prefix, wring_point_load_options, "file", sizeof file, file));
  PetscCall(wring_problem_read_load_time(p, prefix, &curve, &time));
  PetscCall(wring_problem_read_rows(p, file, "vertex,x,y,z", PETSC_TRUE, PETSC_FALSE, NULL, &n, &width, &row));
  PetscCall(PetscMalloc2(n, &vertex, 3 * n, &force));
  for (PetscInt i = 0; i < n; i++) {
    vertex[i] = wring_mesh_local(p->mesh, (PetscInt)row[width * i]);
    for (int c = 0; c < 3; c++) force[3 * i + c] = row[width * i + 1 + c];
  }
  PetscCall(wring_loads_add_forces(p->parts->loads, &time, n, vertex, force));
  PetscCall(PetscFree2(vertex, force));
  PetscCall(PetscFree(row));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode add_load(wring_problem *p, const char *name);

static PetscErrorCode add_family(wring_problem *p, const char *family, add_load *add)
{
  PetscInt n;
  char   **name;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, family, &n, &name));
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
  if (wring_options_has(p->options, "", "gravity_curve")) {
    PetscCall(wring_options_get_path(p->options, "", wring_load_options, "gravity_curve", sizeof file, file));
    PetscCall(wring_problem_read_curve(p, file, "time,value", WRING_CURVE_LINEAR, &curve));
  } else if (wring_stepper_is_static(p->stepper)) {
    PetscCall(wring_problem_create_growth(&curve));
  } else {
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  time.curve = curve;
  PetscCall(wring_loads_set_gravity_time(p->parts->loads, &time));
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
  PetscCall(wring_problem_read_load_time(p, "drag_", &curve, &time));
  if (coefficient > 0 || rate > 0) {
    PetscCall(PetscMalloc1(p->mesh->n_owned, &drag));
    for (PetscInt i = 0; i < p->mesh->n_owned; i++) drag[i] = coefficient + rate * p->mass[i];
    PetscCall(wring_loads_set_drag(p->parts->loads, &time, drag));
    PetscCall(PetscFree(drag));
  }
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_loads(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_loads_create(p->mesh, p->mass, &p->parts->loads));
  p->loads = p->parts->loads;
  PetscCall(add_gravity_curve(p));
  PetscCall(add_family(p, "body_force_", add_body_force));
  PetscCall(wring_problem_add_tractions(p));
  PetscCall(wring_problem_add_pressures(p));
  PetscCall(add_family(p, "point_load_", add_point_load));
  PetscCall(add_drag(p));
  PetscCall(wring_stepper_set_loads(p->stepper, p->loads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_loads(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_loads_destroy(&p->parts->loads));
  PetscFunctionReturn(PETSC_SUCCESS);
}
