/*
  Private to problem: the parts of a problem and the order in which they are made.

  Map, in reading order:
    problem.c                creates all parts in order, destroys them in reverse
    keys/problem_keys.c      the catalogue: the table of keys for each prefix
    keys/problem_names.c     names in keys: of sets, regions or labels
    keys/problem_variants.c  variants of solvers: a named solver type with its own keys
    keys/problem_defaults.c  the defaults in force, for run.json and the like
    input/problem_mesh.c     the mesh: a file, a box (mesh_source.c), bodies or a checkpoint; refinement; sets
    input/problem_bodies.c   bodies: files and boxes placed in one mesh; their velocities
    input/problem_rows.c     CSV tables of vertices, routed to their owners
    input/problem_fields.c   tables of tetrahedra
    input/problem_curves.c   functions of time
    body/                    masses and terms of materials: see below
    support/                 problem_attachments.c; problem_contacts.c; problem_barrier.c
    load/problem_loads.c     gravity's curve, dead forces, pressure, drag
    probe/problem_probes.c   probes: keys, points and sets, columns; problem_probe_values.c their values
    sanity/                  what the numbers amount to, and notes: see sanity_impl.h
    problem_operator.c       A and the operator; solvers
    problem_state.c          the initial state
    step/problem_step.c      one step; problem_bounds.c the positions that it accepts

  body:
    problem_regions.c        materials by region: the keys in force, the law, notices of unused keys
    problem_masses.c         lumped masses
    problem_materials.c      terms of materials, and in addition to them: fibres, limits of volume and of strain
    problem_surfaces.c       membranes and bending
    problem_springs.c        springs

  Each part defines the table of its keys in its own file. Not here: reading YAML (io); what is specific to one
  command, such as its keys and output files (study).
*/
#pragma once
#include "input/mesh_source.h"
#include <wring/problem.h>

enum { WRING_PREFIX = 256 }; // characters of a prefix of keys, such as "attach_NAME_"

/* ---- tables of keys ---------------------------------------------------------------------------------------------- */

extern const wring_option wring_material_options[];   // material_, region_*_ and body_*_material_
extern const wring_option wring_scale_options[];      // material_ and region_*_: tables of factors
extern const wring_option wring_mass_options[];       // mass_
extern const wring_option wring_spring_options[];     // spring_*_
extern const wring_option wring_membrane_options[];   // membrane_*_
extern const wring_option wring_bending_options[];    // bending_*_
extern const wring_option wring_attach_options[];     // attach_*_
extern const wring_option wring_body_force_options[]; // body_force_*_
extern const wring_option wring_traction_options[];   // traction_*_
extern const wring_option wring_force_options[];      // force_*_
extern const wring_option wring_pressure_options[];   // pressure_*_
extern const wring_option wring_point_load_options[]; // point_load_*_
extern const wring_option wring_drag_options[];       // drag_
extern const wring_option wring_load_time_options[];  // of the six above
extern const wring_option wring_probe_options[];      // probe_*_
extern const wring_option wring_variant_options[];    // variant_*_: type; the keys of the type follow

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Where the mesh comes from. */
typedef struct {
  char       restart[PETSC_MAX_PATH_LEN]; // checkpoint with mesh and state, or ""
  PetscInt64 n_mother;                    // tets of the deck's mesh before refinement, or of the checkpoint
} wring_mesh_origin;

/* Keys of an attachment. */
typedef struct {
  double       stiffness, per_area; // N/m, N/m^3
  PetscBool    hard;
  unsigned     components; // bits
  wring_motion motion;     // without its path; centre[0] NAN: not given
  const char  *path, *file;
  double      *area; // [owned vertices of the set] m^2, until terms are added; NULL without stiffness_per_area
} wring_attachment;

typedef struct {
  PetscInt          n;
  char            **name; // [n]
  wring_attachment *key;  // [n]
} wring_attachments;

/* Keys of material_ or region_*_ that apply to a region. */
typedef struct {
  const char      *model;
  const wring_law *law;            // of this name
  double           density, proxy; // kg/m^3, Pa; 0: not given
  enum { WRING_VOLUME_FULL, WRING_VOLUME_MEAN, WRING_VOLUME_AUTO } volumetric;
} wring_region_keys;

/* Keys of membrane_ and bending_, 0: not given; limits: stiffness, least and largest ratio, NAN: not given. */
typedef struct {
  double membrane, density, strain_limit[3], area[3]; // N/m, kg/m^2
  double bending;                                     // N m
  enum { WRING_BENDING_ISOMETRIC, WRING_BENDING_RIGID } model;
} wring_surface_keys;

/* A set with these keys; its vertices are original ones until the terms are created. */
typedef struct {
  const char        *name;
  wring_surface_keys keys;
  wring_piece        triangles;
  PetscInt           n_hinge;
  PetscInt          *hinge; // [n_hinge][4]: the ends of an edge, then the third vertex of each of its triangles
} wring_surface;

typedef struct {
  PetscInt       n;
  wring_surface *surface; // [n]
} wring_surfaces;

/* What the lines of one name have until their term is created. */
typedef struct {
  const char *name;                // borrowed
  double     *stiffness, *damping; // [lines] N/m, N s/m
} wring_spring_values;

typedef struct {
  PetscInt             n;
  char               **name;  // [n]
  wring_spring_values *value; // [n]
  wring_piece         *line;  // [n], of original vertices until then
} wring_springs;

typedef struct {
  PetscInt       n;
  char         **name;    // [n]
  wring_contact *contact; // those by a penalty, borrowed from the potential, or NULL
} wring_collider_set;

/* What a load of a name acts on, until it is added. */
typedef struct {
  PetscInt  n;
  PetscInt *vertex;   // [n] owned
  double   *share;    // [n] of the force of a vertex in the key `value`
  PetscInt *triangle; // under pressure: [n][WRING_FACE] original numbers, on this rank, seen from outside
} wring_loaded;

enum { WRING_LOAD_FAMILIES = 5 };

typedef struct {
  PetscInt      n;
  char        **name; // [n]
  wring_loaded *on;   // [n]
} wring_load_family;

/* Where a probe measures. */
typedef struct {
  wring_place place;  // of a point
  PetscInt    set;    // -1: a point, or the largest stress
  PetscInt    region; // of the largest stress; -1: all
  double      total;  // vertices of the set on all ranks
} wring_probe_at;

typedef struct {
  PetscInt        n, n_column;
  char          **name;             // [n]
  wring_probe    *probe;            // [n]
  wring_probe_at *at;               // [n]
  char          **column;           // [n_column] names
  PetscBool       reaction, stress; // some probe measures it
} wring_probes;

/* The state of A, for wring_problem_prepare_operator. */
typedef struct {
  Mat        A[3];    // of x, y and z; NULL before the first one is assembled
  double     factor;  // of L in A; 0: no A
  PetscInt64 set_ups; // set-ups of the operator at that time; a method may have changed the values of A since
} wring_system;

/* The positions that a step accepts. */
typedef struct {
  double centre[3], size; // m: of the box around the vertices at rest and at the start; its diagonal; 0: not known
} wring_bounds;

/* Keys of the initial state. */
typedef struct {
  PetscBool   goes_on;                // a restart goes on with its analysis
  const char *positions, *velocities; // files, NULL: not given
  double      velocity[3];            // m/s; velocity[0] NAN: not given
} wring_initial_keys;

typedef struct {
  PetscBool begun, changed; // the next step has begun; it needs a new A
} wring_step_begun;

struct wring_problem_parts {
  wring_catalogue   *keys;
  wring_mesh_origin  origin;
  wring_bodies       bodies;
  wring_region_keys *region; // [mesh->regions.n]
  wring_surfaces     surfaces;
  wring_springs      springs;
  wring_attachments  attachments;
  wring_collider_set colliders;
  wring_contact     *self_contact; // by a penalty, borrowed from the potential, or NULL
  wring_contact     *barrier;      // self-contact or colliders by a barrier, likewise
  wring_load_family  loads[WRING_LOAD_FAMILIES];
  double            *weight; // [n_owned] kg, until the loads have it: what gravity acts on in statics
  wring_probes       probes;
  const char        *takes_no_mean; // during creation: a solver that cannot use means of volumes; NULL: all can
  wring_system       system;
  wring_initial_keys initial;
  wring_bounds       bounds;
  wring_step_begun   begun;
  Vec                iterate; // [n_owned][3] m, the x_0 of the first step; NULL: the stepper's
};

/* ---- creation, in this order; problem.c destroys what has no function below -------------------------------------- */

PetscErrorCode wring_problem_read_mesh(wring_problem *p);        // and the deck's sets
PetscErrorCode wring_problem_read_attachments(wring_problem *p); // names, areas; ghosts, before any term
PetscErrorCode wring_problem_read_regions(wring_problem *p);     // the keys of their materials
PetscErrorCode wring_problem_read_springs(wring_problem *p);     // lines; ghosts, before any term
PetscErrorCode wring_problem_read_surfaces(wring_problem *p);    // triangles and hinges; ghosts, before any term
PetscErrorCode wring_problem_read_loads(wring_problem *p);       // what they act on; ghosts, before any term
PetscErrorCode wring_problem_set_masses(wring_problem *p);
PetscErrorCode wring_problem_add_materials(wring_problem *p); // one term of tets per region
PetscErrorCode wring_problem_add_on_top(wring_problem *p);
PetscErrorCode wring_problem_add_surfaces(wring_problem *p); // membranes, then bending
PetscErrorCode wring_problem_add_springs(wring_problem *p);
PetscErrorCode wring_problem_add_attachments(wring_problem *p);
PetscErrorCode wring_problem_add_contacts(wring_problem *p); // colliders and self-contact
PetscErrorCode wring_problem_add_loads(wring_problem *p);    // to the stepper
PetscErrorCode wring_problem_set_state(wring_problem *p);
PetscErrorCode wring_bodies_set_velocities(const wring_problem *p); // of the state
PetscErrorCode wring_problem_add_probes(wring_problem *p);
PetscErrorCode wring_problem_check_colliders(const wring_problem *p);                 // at the state
PetscErrorCode wring_problem_check_self_contact(wring_problem *p);                    // likewise
PetscErrorCode wring_problem_wants_barrier(const wring_problem *p, PetscBool *wants); // for self-contact
PetscErrorCode wring_problem_add_barrier(wring_problem *p, PetscBool self, int n, const wring_collider *collider);
PetscErrorCode wring_problem_check_barrier(wring_problem *p); // at the state; sets its stiffness

/* Of the mesh and the state. Collective. */
PetscErrorCode wring_problem_find_bounds(wring_problem *p);

/*
  Whether x is acceptable: no edge of a tetrahedron, triangle or spring is longer than 1e6 times the size, which is a
  strain of more than 1e6, and no vertex is farther than 1e12 times the size from the centre, where a double resolves
  the size to four digits. Otherwise notes what is found. A box of size 0 accepts everything. One reduction, and a halo
  exchange if a vertex is very far off. Collective.
*/
PetscErrorCode wring_problem_check_bounds(wring_problem *p, Vec x, PetscBool *within);

PetscErrorCode wring_problem_destroy_springs(wring_problem *p);
PetscErrorCode wring_problem_destroy_surfaces(wring_problem *p);
PetscErrorCode wring_problem_destroy_probes(wring_problem *p);

/* ---- names and regions ------------------------------------------------------------------------------------------- */

/* Reads the keys of `name` in a family, and makes their prefix, "attach_NAME_". */
PetscErrorCode wring_problem_read_keys(const wring_problem *p, const char *family, const char *name,
                                       const wring_option *table, char prefix[WRING_PREFIX], void *settings);

/*
  The names in the keys of a family ("attach_"), of sets, regions or labels, in the order of the deck. Freed with
  wring_words_destroy. An error if a key matches two names of the mesh.
*/
PetscErrorCode wring_problem_get_names(const wring_problem *p, const char *family, PetscInt *n, char ***name);

/*
  share [owned vertices of the set]: the integrals of their shape functions over its triangles at rest [m^2];
  by_corners: a third of the area of each triangle at a vertex. Its vertices become ghosts: call before terms are built.
*/
PetscErrorCode wring_problem_share_area(wring_problem *p, PetscInt set, PetscBool by_corners, double *share);

/* The masses of forces per volume: CONSISTENT in statics; else DIAGONAL, the share of the inertia. */
PetscErrorCode wring_problem_load_kind(const wring_problem *p, wring_mass_kind *kind);

/* The set or region that a name in the keys of a family refers to. Refused if there is none, with "expected ...". */
PetscErrorCode wring_problem_find_region(const wring_problem *p, const char *family, const char *name,
                                         PetscInt *region);
PetscErrorCode wring_problem_find_set(const wring_problem *p, const char *family, const char *name,
                                      const char *expected, PetscInt *set);

/* " (did you mean 'xmin'?)" for the nearest of the names, or "". */
void        wring_suggest_name(const wring_names *names, const char *name, size_t size, char *text);
const char *wring_list_names(const wring_names *names, size_t size, char *text); // "xmin, xmax, ...": the first 12

void wring_region_prefix(const wring_problem *p, PetscInt r, size_t size, char *prefix); // of its own keys
/* The prefix of the keys that it shares with other regions: "body_NAME_material_" of a body with keys, "material_". */
const char    *wring_region_shared(const wring_problem *p, PetscInt r, char prefix[WRING_PREFIX]);
PetscErrorCode wring_region_density(const wring_problem *p, PetscInt r, double *density); // kg/m^3, required
/*
  Whether volumetric is mean for this law of region r, with parameters par; refused if neither the region's material nor
  a law on top has a term in J. With auto: of a material whose Poisson's ratio is above 0.49, if the solvers can; noted.
*/
PetscErrorCode wring_region_mean(const wring_problem *p, PetscInt r, const wring_law *law, const double *par,
                                 PetscBool *mean);

/* Whether region r has this law in addition to its material: one of its keys is set, for the region or for all. */
PetscBool wring_region_has(const wring_problem *p, PetscInt r, const wring_law *law);

/* Whether the collider with this prefix of keys has a shape with this key. */
PetscErrorCode wring_collider_uses(const wring_options *o, const char *prefix, const char *key, PetscBool *uses);

/* ---- input tables ------------------------------------------------------------------------------------------------ */

/*
  A quantity of `width` numbers that may vary by tet. One key of `table`, under a region's prefix or else under
  `fallback`, defines it: `constant` (NULL: none) for the whole region, `file` a CSV with this header, `data` the name
  of an $ElementData in the mesh file. fault: what is expected instead of invalid numbers, or NULL.
*/
typedef struct {
  const char         *fallback, *constant, *file, *data, *header;
  const wring_option *table;
  int                 width;
  const char *(*fault)(const double *value);
} wring_tet_field;

typedef PetscBool wring_region_choice(const wring_problem *p, PetscInt r); // whether region r has a field

/*
  value [n_tet][width] of the tets in regions with a table; others are unchanged. *any: some region has a table. Errors:
  two of the keys for one region; a tet without a row, or with two.
*/
PetscErrorCode wring_problem_read_field(const wring_problem *p, const wring_tet_field *f, wring_region_choice *wanted,
                                        PetscBool *any, double *value);

/* Checks a table on rank 0: sets e to "file:line: ...", the line by wring_csv_line, for an invalid value. */
typedef void wring_row_check(const char *file, PetscInt n, const double *row, wring_error *e);

/*
  Reads a CSV table as wring_csv_read does, checks it (check may be NULL) and sends its rows to the owners of column 0:
  *mine [*n][columns of the header], ordered by that column, freed with PetscFree.
*/
PetscErrorCode wring_problem_read_rows(const wring_mesh *m, const char *file, const char *header, PetscBool unique,
                                       PetscBool complete, wring_row_check *check, PetscInt *n, double **mine);

/* The path of a motion from a file, to be destroyed after the last use of *motion. */
PetscErrorCode wring_problem_read_path(const wring_problem *p, const char *file, wring_motion *motion);

/* How a load varies, by wring_load_time_options; its curve is to be destroyed after the last use of *time. */
PetscErrorCode wring_problem_read_load_time(const wring_problem *p, const char *prefix, wring_load_time *time);
