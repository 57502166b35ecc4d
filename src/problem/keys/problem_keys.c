/* The catalogue of keys: the table for each prefix. `wring help` prints it in this order. */
#include "base/grow.h"
#include "problem/problem_impl.h"
#include <stdio.h>
#include <string.h>

static const wring_schema fixed[] = {
  {"mesh_", wring_mesh_source_options, "mesh"},
  {"mesh_", wring_mesh_options, "mesh"},
  {"body_*_", wring_mesh_source_options, "body"},
  {"body_*_", wring_place_options, "body"},
  {"body_*_", wring_body_options, "body"},
  {"set_*_", wring_set_options, "set"},
  {"material_", wring_material_options, "material"},
  {"material_", wring_scale_options, "material"},
  {"body_*_material_", wring_material_options, "body"},
  {"region_*_", wring_scale_options, "region"},
  {"region_*_", wring_material_options, "region"}, // laws follow
  {"mass_", wring_mass_options, "mass"},
  {"membrane_*_", wring_membrane_options, "membrane"},
  {"bending_*_", wring_bending_options, "bending"},
  {"spring_*_", wring_spring_options, "spring"},
  {"attach_*_", wring_attach_options, "attach"},
  {"collider_*_", wring_collider_options, "collider"}, // shapes follow
  {"self_contact_", wring_self_contact_options, "self_contact"},
  {"", wring_load_options, "load"},
  {"body_force_*_", wring_body_force_options, "load"},
  {"body_force_*_", wring_load_time_options, "load"},
  {"traction_*_", wring_traction_options, "load"},
  {"traction_*_", wring_load_time_options, "load"},
  {"force_*_", wring_force_options, "load"},
  {"force_*_", wring_load_time_options, "load"},
  {"pressure_*_", wring_pressure_options, "load"},
  {"pressure_*_", wring_load_time_options, "load"},
  {"point_load_*_", wring_point_load_options, "load"},
  {"point_load_*_", wring_load_time_options, "load"},
  {"drag_", wring_drag_options, "load"},
  {"drag_", wring_load_time_options, "load"},
  {"probe_*_", wring_probe_options, "probe"},
  {"initial_", wring_initial_options, "initial"},
  {"time_", wring_time_options, "time"},
  {"solver_", wring_solver_options, "solver"},
  {"variant_*_", wring_variant_options, "variant"}, // solver types follow
  {"operator_", wring_operator_options, "operator"},
};
enum { N_FIXED = sizeof fixed / sizeof fixed[0] };

const wring_key_words wring_problem_words[] = {
  {"load", "load|loads|gravity|body_force|body_forces|bodyforce|volume_force|weight|acceleration|force|forces|"
           "total_force|surface_force|surface_load|surface_traction|traction|tractions|neumann|pressure|pressures|"
           "point_force|point_load|point_loads|nodal_force|nodal_load|external_force|cload|dload|drag|damping"},
  {"attach", "fix|fixed|clamp|clamped|hold|held|pin|pinned|bc|bcs|boundary|boundary_condition|boundary_conditions|"
             "dirichlet|constraint|constraints|support|supports|displacement|displacements"},
  {"operator", "linear_solver|linear_solve|linear|ksp|pc|preconditioner|direct_solver|multigrid|amg|factor"},
  {0},
};

PetscErrorCode wring_catalogue_add(wring_catalogue *c, const char *prefix, const wring_option *options,
                                   const char *owner)
{
  PetscFunctionBegin;
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_grow(c->n + 1, &c->capacity, sizeof *c->entry, &c->entry));
  wring_schema *const s = &c->entry[c->n++];
  PetscCall(PetscStrallocpy(prefix, (char **)&s->prefix));
  PetscCall(PetscStrallocpy(owner, (char **)&s->owner));
  s->options = options;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys of each material, for all regions, for those of a body and for one region. */
static PetscErrorCode add_materials(wring_catalogue *c)
{
  const wring_law *law;
  char             owner[128];

  PetscFunctionBegin;
  for (int i = 0; (law = wring_law_material(i)); i++) {
    snprintf(owner, sizeof owner, "material %s", law->name);
    PetscCall(wring_catalogue_add(c, "material_", law->options, owner));
    PetscCall(wring_catalogue_add(c, "body_*_material_", law->options, owner));
    PetscCall(wring_catalogue_add(c, "region_*_", law->options, owner));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Laws in addition to materials have keys without a prefix, for all regions, and keys for one region. */
static PetscErrorCode add_on_top(wring_catalogue *c)
{
  const wring_law *law;

  PetscFunctionBegin;
  for (int i = 0; (law = wring_law_on_top(i)); i++) {
    PetscCall(wring_catalogue_add(c, "", law->options, law->name));
    PetscCall(wring_catalogue_add(c, "region_*_", law->options, law->name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_shapes(wring_catalogue *c)
{
  const wring_shape *shape;
  char               owner[128];

  PetscFunctionBegin;
  for (int i = 0; (shape = wring_shape_at(i)); i++) {
    snprintf(owner, sizeof owner, "collider of shape %s", shape->name);
    PetscCall(wring_catalogue_add(c, "collider_*_", shape->options, owner));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_solvers(wring_catalogue *c)
{
  const char *type;
  char        prefix[WRING_PREFIX], owner[128];

  PetscFunctionBegin;
  for (int i = 0; (type = wring_solver_type(i)); i++) {
    const wring_option *const options = wring_solver_keys(type);
    snprintf(prefix, sizeof prefix, "solver_%s_", type);
    snprintf(owner, sizeof owner, "solver %s", type);
    PetscCall(wring_catalogue_add(c, prefix, options, owner));
    PetscCall(wring_catalogue_add(c, "variant_*_", options, owner));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_catalogue_create(wring_catalogue **c)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(c));
  for (int i = 0; i < N_FIXED; i++) {
    PetscCall(wring_catalogue_add(*c, fixed[i].prefix, fixed[i].options, fixed[i].owner));
    if (fixed[i].options == wring_collider_options) PetscCall(add_shapes(*c));
    if (fixed[i].options == wring_variant_options) PetscCall(add_solvers(*c));
    if (strcmp(fixed[i].prefix, "region_*_") || fixed[i].options != wring_material_options) continue;
    PetscCall(add_materials(*c));
    PetscCall(add_on_top(*c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_catalogue_destroy(wring_catalogue **c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < (*c)->n; i++) {
    PetscCall(PetscFree((*c)->entry[i].prefix));
    PetscCall(PetscFree((*c)->entry[i].owner));
  }
  PetscCall(PetscFree((*c)->entry));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
