/*
  A problem: everything that a deck describes, ready to be solved. Made in the order of its fields; each part has a file
  of its own, problem_*.c.
*/
#pragma once
#include "problem_keys.h"
#include <wring/io.h>
#include <wring/step.h>

/* Springs of one file, or along the lines of one set, before they become a term: rows of this rank, a is owned. */
typedef struct {
  const char *name; // borrowed from the problem's spring_name
  PetscInt    n;
  int         width;
  double     *row;     // [n][width]: a, b, length, stiffness, damping
  double      density; // kg/m
} wring_spring_rows;

/* Lines of springs, as frames and masses need them; an element of p->line for each name. */
typedef struct {
  PetscInt    n;
  PetscInt   *vertex; // [n][2] local
  double     *length; // [n] m, at rest
  wring_term *term;   // borrowed from the potential
} wring_spring_lines;

enum { WRING_MEMBRANE_TERMS = 3 };

/* The triangles of a set that membrane or bending name; of this rank, their lowest vertices are owned. */
typedef struct {
  const char *name;              // of the set, borrowed from the mesh
  PetscBool   membrane, bending; // the deck has keys of it
  PetscInt    n, n_hinge;
  PetscInt   *vertex;  // [n][3] original numbers until the terms are made, then local
  PetscInt   *hinge;   // [n_hinge][4] likewise
  double     *area;    // [n] m^2, at rest
  double      density; // kg/m^2
  int         n_term;
  wring_term *term[WRING_MEMBRANE_TERMS]; // of the membrane, borrowed from the potential
} wring_surface;

/* A set under pressure: original numbers of its triangles on this rank, seen from outside. */
typedef struct {
  char      name[128];
  PetscInt  n;
  PetscInt *triangle; // [n][3]
} wring_pressed;

enum { WRING_STATE_FIELDS = 4 }; // in a checkpoint: positions, velocities, and what bdf2 remembers

typedef struct {
  MPI_Comm             comm;
  PetscMPIInt          rank, size;
  const wring_options *options; // borrowed
  wring_catalogue     *catalogue;
  wring_phases         phases;
  char                 restart[PETSC_MAX_PATH_LEN]; // checkpoint that mesh and state come from, or ""
  wring_mesh          *mesh;
  PetscInt             n_mother; // tets of the mesh of the deck, before refinement, or else of the checkpoint
  PetscInt             n_attach, n_springs, n_collider; // names in the deck
  char               **attach_name, **spring_name, **collider_name;
  wring_spring_rows   *springs; // [n_springs]
  wring_spring_lines  *line;    // [n_springs]
  PetscInt             n_surface;
  wring_surface       *surface;    // [n_surface]
  double              *mass;       // [n_owned] kg
  double               total_mass; // kg, all ranks
  wring_potential     *g;
  wring_contact       *colliders; // g's, or NULL
  wring_operator      *op;
  Mat                  A;       // NULL until wring_problem_prepare_operator
  double               factor;  // of L in A; 0: there is no A
  PetscInt64           set_ups; // of op then: a method may have given A other values since
  PetscInt             n_pressed;
  wring_pressed       *pressed; // [n_pressed]
  wring_loads         *loads;
  wring_stepper       *stepper;
  wring_state          state;
} wring_problem;

/* o is borrowed and must outlive the problem. Collective, as all functions here. */
PetscErrorCode wring_problem_create(MPI_Comm comm, const wring_options *o, wring_problem **p);
PetscErrorCode wring_problem_destroy(wring_problem **p);

/*
  Assembles A = M/h^2 + factor L at the potential's h and time and sets its solve up, unless that A is there and has not
  changed; nothing for factor 0, which says that no method needs A now.
*/
PetscErrorCode wring_problem_prepare_operator(wring_problem *p, double factor, PetscBool changed);
PetscErrorCode wring_problem_renew_operator(wring_problem *p,
                                            double         factor); // the same, for another method than the last

/* ---- the parts, in the order in which a problem is put together --------------------------------------------------- */

PetscErrorCode wring_problem_read_mesh(wring_problem *p);     // file, box or restart, and the deck's sets
PetscErrorCode wring_problem_read_names(wring_problem *p);    // attachments, regions, springs
PetscErrorCode wring_problem_read_springs(wring_problem *p);  // rows and ghosts, before any term
PetscErrorCode wring_problem_read_surfaces(wring_problem *p); // triangles, hinges and ghosts, before any term
PetscErrorCode wring_problem_read_pressed(wring_problem *p);  // under pressure; ghosts, before any term
PetscErrorCode wring_problem_destroy_pressed(wring_problem *p);
PetscErrorCode wring_problem_set_masses(wring_problem *p);
PetscErrorCode wring_problem_add_materials(wring_problem *p); // one term of tets a region
PetscErrorCode wring_problem_add_on_top(wring_problem *p);    // what regions have on top of materials
PetscErrorCode wring_problem_add_surfaces(wring_problem *p);  // membranes, then bending
PetscErrorCode wring_problem_add_springs(wring_problem *p);
PetscErrorCode wring_problem_add_attachments(wring_problem *p);
PetscErrorCode wring_problem_add_loads(wring_problem *p); // for the stepper
PetscErrorCode wring_problem_add_colliders(wring_problem *p);
PetscErrorCode wring_problem_add_self_contact(wring_problem *p);
PetscErrorCode wring_problem_set_state(wring_problem *p);
PetscErrorCode wring_problem_check_colliders(const wring_problem *p); // at the state

/* " (did you mean 'xmin'?)" for the nearest of the names, or "". */
void wring_suggest_name(const wring_names *names, const char *name, size_t size, char *text);

/* Triangles and lines that the deck gives something to do, on all ranks. Collective. */
PetscErrorCode wring_problem_count(const wring_problem *p, PetscInt64 *triangles, PetscInt64 *lines);

/* Prefix of the keys of region r, and the prefix that says its `key`: its own, else "material_". */
void           wring_region_prefix(const wring_problem *p, PetscInt r, size_t size, char *prefix);
const char    *wring_region_says(const wring_problem *p, const char *prefix, const char *key);
PetscErrorCode wring_region_law(const wring_problem *p, PetscInt r, const wring_law **law);

/* Whether some key says that region r has this law on top of its material. */
PetscBool wring_region_has(const wring_problem *p, PetscInt r, const wring_law *law);

/* ---- fields of tets ----------------------------------------------------------------------------------------------- */

/*
  A quantity of `width` numbers that may differ from tet to tet. Behind a region's prefix, else behind `fallback`, one key of
  `table` gives it: `constant` (NULL: none) for the whole region, `file` a CSV with this header, `data` an $ElementData of
  the mesh file by name. fault: what is expected instead of these numbers, NULL if they will do.
*/
typedef struct {
  const char         *fallback, *constant, *file, *data, *header;
  const wring_option *table;
  int                 width;
  const char *(*fault)(const double *value);
} wring_tet_field;

/*
  value [n_tet][width] of the tets in regions with a table; others stay. wanted(p, r): does region r have such a field at all;
  *any: some region has a table. Refused: two of the keys beside each other, and a tet without a row, or with two.
*/
PetscErrorCode wring_problem_read_field(const wring_problem *p, const wring_tet_field                      *f,
                                        PetscBool (*wanted)(const wring_problem *p, PetscInt r), PetscBool *any,
                                        double *value);

/* ---- input tables ------------------------------------------------------------------------------------------------ */

/* Looks at a table on rank 0: sets e to "file:line: ...", with line = row + 2, when a value cannot be used. */
typedef void wring_row_check(const char *file, PetscInt n, int width, const double *row, wring_error *e);

/*
  Reads a CSV table as wring_csv_read does, checks it (check may be NULL) and sends its rows to the owners of column 0:
  *mine [*n][*width], ordered by that column, freed with PetscFree.
*/
PetscErrorCode wring_problem_read_rows(const wring_problem *p, const char *file, const char *header, PetscBool unique,
                                       PetscBool complete, wring_row_check *check, PetscInt *n, int *width,
                                       double **mine);

/* A curve of time from a CSV with this header. */
PetscErrorCode wring_problem_read_curve(const wring_problem *p, const char *file, const char *header,
                                        wring_curve_type type, wring_time_curve **c);
/* How a load varies: its keys curve, interpolation and until. *curve (or NULL) is to be destroyed after use of *time. */
PetscErrorCode wring_problem_read_load_time(const wring_problem *p, const char *prefix, const wring_option *table,
                                            wring_time_curve **curve, wring_load_time *time);

/* A table "vertex,x,y,z" that names every vertex, into v [n_owned][3]. */
PetscErrorCode wring_problem_read_vectors(const wring_problem *p, const char *file, Vec v);
