#include "problem_keys.h"
#include <stdio.h>
#include <string.h>
#include <wring/contact.h>
#include <wring/law.h>
#include <wring/mesh.h>
#include <wring/step.h>

const wring_option wring_material_options[] = {
  {.key  = "model",
   .type = WRING_WORD,
   .help = "Law of the elements; `wring help material` lists all laws with their keys."},
  {.key   = "density",
   .type  = WRING_REAL,
   .unit  = "kg/m^3",
   .range = "(0,inf)",
   .help  = "Mass per rest volume; not needed with mass.file."},
  {.key   = "proxy_stiffness",
   .type  = WRING_REAL,
   .unit  = "Pa",
   .range = "(0,inf)",
   .help  = "Weight of the elements in the constant operator A instead of the slope rule's."},
  {.key  = "stiffness_file",
   .type = WRING_PATH,
   .help =
     "CSV `tet,scale`: a factor above 0 of the material's energy for every tet, numbered as in the mesh file from 0."},
  {.key  = "stiffness_data",
   .type = WRING_WORD,
   .help = "The same from the $ElementData of this name in mesh.file (Gmsh)."},
  {0},
};

const wring_option wring_mass_options[] = {
  {.key  = "file",
   .type = WRING_PATH,
   .help = "CSV `vertex,mass` [kg] that names every vertex; replaces the masses from densities."},
  {0},
};

const wring_option wring_spring_options[] = {
  {.key  = "file",
   .type = WRING_PATH,
   .help = "CSV `a,b,length,stiffness[,damping]` [m, N/m]: one spring a row; without it NAME is a set with lines."},
  {.key   = "stiffness",
   .type  = WRING_REAL,
   .unit  = "N/m",
   .range = "(0,inf)",
   .help  = "Stiffness of each line; or else modulus."},
  {.key   = "modulus",
   .type  = WRING_REAL,
   .unit  = "N",
   .range = "(0,inf)",
   .help  = "Young's modulus times cross-section; the stiffness of a line is this over its length."},
  {.key   = "damping",
   .type  = WRING_REAL,
   .unit  = "N s/m",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Damping of each line, for xpbd and penalty."},
  {.key   = "density",
   .type  = WRING_REAL,
   .unit  = "kg/m",
   .range = "(0,inf)",
   .help  = "Mass per rest length of the lines; without it they have none."},
  {0},
};

const wring_option wring_membrane_options[] = {
  {.key     = "model",
   .type    = WRING_WORD,
   .choices = "strain",
   .value   = "strain",
   .help    = "Law of the triangles of the set NAME: k/2 |F - R|^2, R the closest matrix with orthonormal columns."},
  {.key = "stiffness", .type = WRING_REAL, .unit = "N/m", .range = "(0,inf)", .help = "Stiffness k of the model."},
  {.key   = "density",
   .type  = WRING_REAL,
   .unit  = "kg/m^2",
   .range = "(0,inf)",
   .help  = "Mass per rest area; without it the triangles have none."},
  {.key   = "strain_limit_stiffness",
   .type  = WRING_REAL,
   .unit  = "N/m",
   .range = "(0,inf)",
   .help  = "Stiffness against stretches outside of strain_limit_min and strain_limit_max."},
  {.key = "strain_limit_min", .type = WRING_REAL, .range = "[0,inf)", .help = "Least stretch that costs nothing."},
  {.key = "strain_limit_max", .type = WRING_REAL, .range = "(0,inf)", .help = "Largest stretch that costs nothing."},
  {.key   = "area_stiffness",
   .type  = WRING_REAL,
   .unit  = "N/m",
   .range = "(0,inf)",
   .help  = "Stiffness against areas, over those at rest, outside of area_min and area_max."},
  {.key   = "area_min",
   .type  = WRING_REAL,
   .range = "(0,inf)",
   .help  = "Least area, over that at rest, that costs nothing."},
  {.key   = "area_max",
   .type  = WRING_REAL,
   .range = "(0,inf)",
   .help  = "Largest area, over that at rest, that costs nothing."},
  {0},
};

const wring_option wring_bending_options[] = {
  {.key     = "model",
   .type    = WRING_WORD,
   .choices = "isometric|rigid",
   .value   = "isometric",
   .help =
     "Law of the edges between triangles of the set NAME: isometric is quadratic and flat at rest, rigid keeps the "
     "curvature at rest."},
  {.key = "stiffness", .type = WRING_REAL, .unit = "N m", .range = "(0,inf)", .help = "Bending stiffness."},
  {0},
};

const wring_option wring_attach_options[] = {
  {.key = "stiffness", .type = WRING_REAL, .unit = "N/m", .range = "(0,inf)", .help = "Stiffness of each vertex."},
  {.key   = "hard",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether vertices are held exactly, in the place of a stiffness: they are then no unknowns of the solver."},
  {.key   = "velocity",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "m/s",
   .value = "0,0,0",
   .help  = "Velocity of the targets."},
  {.key   = "spin",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "deg/s",
   .value = "0,0,0",
   .help  = "Turns the targets about the direction of spin through centre."},
  {.key   = "centre",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "m",
   .help  = "A point that spin's axis goes through at time 0; without it the mean rest position of the set."},
  {.key  = "path",
   .type = WRING_PATH,
   .help = "CSV `time,x,y,z` [s, m]: the way of the targets over time, a smooth curve, in the place of velocity."},
  {.key   = "until",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "[0,inf)",
   .help  = "Time at which velocity, spin and path end; without it they never do."},
  {.key   = "release",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "[0,inf)",
   .help  = "Time after which the set is let go; without it it never is."},
  {.key  = "file",
   .type = WRING_PATH,
   .help =
     "CSV `vertex,x,y,z,stiffness` [m, N/m] of targets, with hard `vertex,x,y,z`; the name is then a label, not a "
     "set."},
  {0},
};

const wring_option wring_body_force_options[] = {
  {.key   = "value",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "N/m^3",
   .help  = "Force per rest volume on the region NAME."},
  {.key  = "curve",
   .type = WRING_PATH,
   .help = "CSV `time,value` [s]: factor over time, constant before the first row and after the last; without it 1."},
  {.key     = "interpolation",
   .type    = WRING_WORD,
   .choices = "linear|cubic",
   .value   = "linear",
   .help    = "Curve between rows: straight, or smooth (it may overshoot there)."},
  {.key = "until", .type = WRING_REAL, .unit = "s", .range = "[0,inf)", .help = "Time after which there is none."},
  {0},
};

const wring_option wring_pressure_options[] = {
  {.key  = "value",
   .type = WRING_REAL,
   .unit = "Pa",
   .help = "Pressure on the triangles of the set NAME, inwards where it is positive; it turns with them."},
  {.key  = "curve",
   .type = WRING_PATH,
   .help = "CSV `time,value` [s]: factor over time, constant before the first row and after the last; without it 1."},
  {.key     = "interpolation",
   .type    = WRING_WORD,
   .choices = "linear|cubic",
   .value   = "linear",
   .help    = "Curve between rows: straight, or smooth (it may overshoot there)."},
  {.key = "until", .type = WRING_REAL, .unit = "s", .range = "[0,inf)", .help = "Time after which there is none."},
  {0},
};

const wring_option wring_point_load_options[] = {
  {.key = "file", .type = WRING_PATH, .help = "CSV `vertex,x,y,z` [N]: forces on vertices; NAME is a label."},
  {.key  = "curve",
   .type = WRING_PATH,
   .help = "CSV `time,value` [s]: factor over time, constant before the first row and after the last; without it 1."},
  {.key     = "interpolation",
   .type    = WRING_WORD,
   .choices = "linear|cubic",
   .value   = "linear",
   .help    = "Curve between rows: straight, or smooth (it may overshoot there)."},
  {.key = "until", .type = WRING_REAL, .unit = "s", .range = "[0,inf)", .help = "Time after which there is none."},
  {0},
};

const wring_option wring_drag_options[] = {
  {.key   = "coefficient",
   .type  = WRING_REAL,
   .unit  = "N s/m",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Drag c of every vertex: the force -c v."},
  {.key   = "rate",
   .type  = WRING_REAL,
   .unit  = "1/s",
   .range = "[0,inf)",
   .value = "0",
   .help  = "Drag by mass: the force -rate m v, beside that of coefficient."},
  {.key  = "curve",
   .type = WRING_PATH,
   .help = "CSV `time,value` [s]: factor over time, constant before the first row and after the last; without it 1."},
  {.key     = "interpolation",
   .type    = WRING_WORD,
   .choices = "linear|cubic",
   .value   = "linear",
   .help    = "Curve between rows: straight, or smooth (it may overshoot there)."},
  {.key = "until", .type = WRING_REAL, .unit = "s", .range = "[0,inf)", .help = "Time after which there is none."},
  {0},
};

const wring_option wring_initial_options[] = {
  {.key  = "restart",
   .type = WRING_WORD,
   .help = "Output directory or checkpoint file, relative to the working directory: mesh, state and time."},
  {.key = "positions", .type = WRING_PATH, .help = "CSV `vertex,x,y,z` [m]; default: the rest positions."},
  {.key = "velocities", .type = WRING_PATH, .help = "CSV `vertex,x,y,z` [m/s]; default: at rest."},
  {.key = "velocity", .type = WRING_REALS, .count = 3, .unit = "m/s", .help = "One velocity for every vertex."},
  {0},
};

const wring_option wring_output_options[] = {
  {.key   = "directory",
   .type  = WRING_WORD,
   .value = "out",
   .help  = "Where files are written, relative to the working directory; made when missing."},
  {.key   = "every",
   .type  = WRING_INT,
   .value = "1",
   .range = "[0,inf)",
   .help  = "Steps between frames for ParaView; the last step always has one; 0: no frames."},
  {.key   = "compress",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether to compress frames: a sixth of the bytes, three times the time."},
  {.key = "state_csv", .type = WRING_BOOL, .value = "false", .help = "Whether to write the last state to state.csv."},
  {0},
};

const wring_option wring_checkpoint_options[] = {
  {.key   = "every",
   .type  = WRING_INT,
   .value = "0",
   .range = "[0,inf)",
   .help  = "Steps between checkpoints, of which the last two are kept; 0: only one at the end."},
  {0},
};

const wring_option wring_variant_options[] = {
  {.key = "type", .type = WRING_WORD, .help = "Solver type, whose own keys stand beside this one."},
  {0},
};

const wring_option wring_compare_options[] = {
  {.key = "solvers", .type = WRING_WORDS, .help = "Solver types and variants to compare."},
  {.key = "iterations", .type = WRING_INT, .value = "100", .range = "[1,inf)", .help = "Iterations of each solver."},
  {.key  = "report",
   .type = WRING_INTS,
   .help = "Iterations at which relative errors are tabulated, of those that solver.measure measures; default: the "
           "last one."},
  {.key     = "reference",
   .type    = WRING_WORD,
   .choices = "newton|least",
   .value   = "newton",
   .help    = "Where g* comes from: a Newton minimiser (or a lower g, if a solver finds one), or the least g found; "
              "least is also the default for materials without a Hessian."},
  {.key   = "condition",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether to find the condition numbers of H_0 H at x_0 and at the minimiser, for methods that start from a "
            "Hessian."},
  {.key   = "tolerance",
   .type  = WRING_REAL,
   .range = "[0,1)",
   .value = "0",
   .help  = "Ends a solver at this |grad g| / |grad g(x_0)|."},
  {0},
};

const wring_option wring_parameter_sweep_options[] = {
  {.key  = "",
   .type = WRING_WORDS,
   .help =
     "Values of the key NAME, for example compare_sweep_time_step: all combinations of all swept keys are compared."},
  {0},
};

const wring_option wring_evaluate_options[] = {
  {.key = "positions", .type = WRING_PATH, .help = "CSV `vertex,x,y,z` [m] where g is taken; default: the state's."},
  {.key = "gradient", .type = WRING_BOOL, .value = "false", .help = "Whether to write gradient.csv."},
  {0},
};

const wring_option wring_bench_options[] = {
  {.key   = "tets",
   .type  = WRING_INT,
   .range = "[1,1000000000]",
   .value = "126000",
   .help  = "Tetrahedra of the box of `wring bench`, about: six in each of its cells, which are cubes."},
  {.key   = "parts",
   .type  = WRING_WORDS,
   .value = "laws,exchange,operator,solvers",
   .help  = "What is measured beside the bandwidth: laws, exchange, operator and solvers, or some of them."},
  {.key   = "materials",
   .type  = WRING_WORDS,
   .value = "neohookean,strain,stable_neohookean",
   .help  = "Materials that every solver is measured on, if it can use them; the operator is that of the first."},
  {.key   = "time_step",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "(0,inf)",
   .value = "0.0333",
   .help  = "Size of the implicit step whose operator and iterations are measured."},
  {.key   = "budget",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "(0,inf)",
   .value = "0.4",
   .help  = "Seconds in which a row is repeated for its median; solvers take twice as much."},
  {0},
};

static const wring_schema fixed[] = {
  {"mesh_", wring_mesh_options, "mesh"},
  {"set_*_", wring_set_options, "set"},
  {"material_", wring_material_options, "material"},
  {"region_*_", wring_material_options, "region"},
  {"mass_", wring_mass_options, "mass"},
  {"membrane_*_", wring_membrane_options, "membrane"},
  {"bending_*_", wring_bending_options, "bending"},
  {"spring_*_", wring_spring_options, "spring"},
  {"attach_*_", wring_attach_options, "attach"},
  {"collider_*_", wring_collider_options, "collider"},
  {"self_contact_", wring_self_contact_options, "self_contact"},
  {"", wring_load_options, "load"},
  {"body_force_*_", wring_body_force_options, "load"},
  {"pressure_*_", wring_pressure_options, "load"},
  {"point_load_*_", wring_point_load_options, "load"},
  {"drag_", wring_drag_options, "load"},
  {"initial_", wring_initial_options, "initial"},
  {"time_", wring_time_options, "time"},
  {"solver_", wring_solver_options, "solver"},
  {"variant_*_", wring_variant_options, "variant"},
  {"operator_", wring_operator_options, "operator"},
  {"output_", wring_output_options, "output"},
  {"checkpoint_", wring_checkpoint_options, "checkpoint"},
  {"compare_", wring_compare_options, "compare"},
  {"compare_sweep_*", wring_parameter_sweep_options, "compare"},
  {"evaluate_", wring_evaluate_options, "evaluate"},
  {"bench_", wring_bench_options, "bench"},
};
enum { N_FIXED = sizeof fixed / sizeof fixed[0] };

static PetscErrorCode add(wring_catalogue *c, const char *prefix, const wring_option *options, const char *owner)
{
  PetscFunctionBegin;
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(c->n < c->capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the catalogue of keys is full");
  wring_schema *const s = &c->entry[c->n++];
  PetscCall(PetscStrallocpy(prefix, (char **)&s->prefix));
  PetscCall(PetscStrallocpy(owner, (char **)&s->owner));
  s->options = options;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_materials(wring_catalogue *c)
{
  char owner[128];

  PetscFunctionBegin;
  for (int i = 0; wring_law_material(i); i++) {
    const wring_law *const law = wring_law_material(i);
    snprintf(owner, sizeof owner, "material %s", law->name);
    PetscCall(add(c, "material_", law->options, owner));
    PetscCall(add(c, "region_*_", law->options, owner));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind no prefix, for every region, and behind a region's. */
static PetscErrorCode add_on_top(wring_catalogue *c)
{
  const wring_law *law;

  PetscFunctionBegin;
  for (int i = 0; (law = wring_law_on_top(i)); i++) {
    PetscCall(add(c, "", law->options, law->name));
    PetscCall(add(c, "region_*_", law->options, law->name));
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
    PetscCall(add(c, "collider_*_", shape->options, owner));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_solvers(wring_catalogue *c)
{
  const wring_option *options;
  const char         *type;
  char                prefix[128], owner[128];

  PetscFunctionBegin;
  for (int i = 0; (type = wring_solver_type(i, &options)); i++) {
    snprintf(prefix, sizeof prefix, "solver_%s_", type);
    snprintf(owner, sizeof owner, "solver %s", type);
    PetscCall(add(c, prefix, options, owner));
    PetscCall(add(c, "variant_*_", options, owner));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_plugins(void)
{
  const wring_option *options;
  PetscInt            n = 0;
  while (wring_law_material((int)n)) n++;
  for (int i = 0; wring_law_on_top(i); i++) n++;
  for (int i = 0; wring_shape_at(i); i++) n++;
  for (int i = 0; wring_solver_type(i, &options); i++) n++;
  return n;
}

PetscErrorCode wring_catalogue_create(wring_catalogue **c)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(c));
  (*c)->capacity = N_FIXED + 2 * count_plugins(); // each with a prefix of its own and one behind a name
  PetscCall(PetscCalloc1((*c)->capacity, &(*c)->entry));
  for (int i = 0; i < N_FIXED; i++) {
    PetscCall(add(*c, fixed[i].prefix, fixed[i].options, fixed[i].owner));
    if (fixed[i].options == wring_collider_options) PetscCall(add_shapes(*c));
    if (fixed[i].options == wring_variant_options) PetscCall(add_solvers(*c));
    if (strcmp(fixed[i].owner, "region") == 0) PetscCall(add_materials(*c));
    if (strcmp(fixed[i].owner, "region") == 0) PetscCall(add_on_top(*c));
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
