/* Attachments of the deck: vertices of a set at their rest positions, or vertices of a file at its targets. */
#include "problem/problem_impl.h"
#include <math.h>

const wring_option wring_attach_options[] = {
  {"stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)", .at = WRING_AT(wring_attachment, stiffness),
   .instead = "stiffness_per_area|hard",
   .help    = "Stiffness of the spring between each vertex and its target; or give stiffness_per_area or hard: true."},
  {"stiffness_per_area", WRING_REAL, .unit = "N/m^3", .range = "(0,inf)", .at = WRING_AT(wring_attachment, per_area),
   .instead = "stiffness|hard",
   .help    = "Stiffness of the support per area at rest of the set's triangles, a third of which counts for each of "
              "their vertices: the same on any mesh; replaces stiffness."},
  {"hard", WRING_BOOL, .value = "false", .at = WRING_AT(wring_attachment, hard),
   .instead = "stiffness|stiffness_per_area",
   .help    = "Whether vertices are exactly at their targets (a Dirichlet condition); replaces stiffness."},
  {"components", WRING_WORD, .choices = "x|y|z|xy|yz|xz|xyz", .value = "xyz",
   .at = WRING_AT(wring_attachment, components),
   .help =
     "Components of the positions that a hard attachment prescribes; the others are free: one for a symmetry plane "
     "or rollers."},
  {"velocity", WRING_REALS, .count = 3, .unit = "m/s", .value = "0,0,0",
   .at = WRING_AT(wring_attachment, motion.velocity), .instead = "path", .help = "Velocity of the targets."},
  {"spin", WRING_REALS, .count = 3, .unit = "deg/s", .value = "0,0,0", .at = WRING_AT(wring_attachment, motion.spin),
   .instead = "spin_rad",
   .help    = "Angular velocity of the targets in degrees per second, about an axis through centre."},
  {"spin_rad", WRING_REALS, .count = 3, .unit = "rad/s", .instead = "spin",
   .help = "The same in radians per second, in the place of spin."},
  {"centre", WRING_REALS, .count = 3, .unit = "m", .at = WRING_AT(wring_attachment, motion.centre),
   .help = "Point on the axis of spin at time 0; default: the mean rest position of the set."},
  {"path", WRING_PATH, .at = WRING_AT(wring_attachment, path), .instead = "velocity",
   .help = "CSV `time,x,y,z` [s, m]: displacement of the targets over time, a smooth curve; replaces velocity."},
  {"until", WRING_REAL, .unit = "s", .range = "[0,inf)", .at = WRING_AT(wring_attachment, motion.until),
   .help = "Time at which velocity, spin and path end; default: never."},
  {"release", WRING_REAL, .unit = "s", .range = "[0,inf)", .at = WRING_AT(wring_attachment, motion.release),
   .help = "Time after which the attachment does not act; default: it always acts."},
  {"file", WRING_PATH, .at = WRING_AT(wring_attachment, file),
   .help = "CSV `vertex,x,y,z,stiffness` [m, N/m] of targets, with hard `vertex,x,y,z`; NAME is then a label, not a "
           "set."},
  {0},
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* A rotation about the axis c moves the two other components together: both are held, or neither. */
static PetscErrorCode check_components(const wring_problem *p, const char *prefix, const wring_attachment *a)
{
  const char *const spin = wring_options_has(p->options, prefix, "spin") ? "spin" : "spin_rad";

  PetscFunctionBegin;
  if (wring_options_has(p->options, prefix, "components") && !a->hard)
    WRING_REFUSE(p->comm, "%s: %scomponents applies to hard attachments only, expected %shard true",
                 wring_options_origin(p->options, prefix, "components"), prefix, prefix);
  for (int c = 0; c < 3; c++) {
    const unsigned others = WRING_XYZ & ~(1u << c), held = a->components & others;
    if (a->motion.spin[c] != 0 && held && held != others)
      WRING_REFUSE(p->comm, "%s: %s%s about %c turns %c and %c into each other, expected components with both or none",
                   wring_options_origin(p->options, prefix, spin), prefix, spin, "xyz"[c], "yzx"[c], "zxy"[c]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_keys(const wring_problem *p, const char *prefix, const wring_attachment *a)
{
  static const char *const both[][3] = {
    {"stiffness", "hard", "a hard attachment has no stiffness"},
    {"stiffness_per_area", "hard", "a hard attachment has no stiffness"},
    {"stiffness_per_area", "stiffness", "one is by area, the other by vertex"},
    {"stiffness_per_area", "file", "each row of the file has its own stiffness"},
    {"stiffness", "file", "each row of the file has its own stiffness"},
    {"velocity", "path", "a path replaces the velocity"},
  };

  PetscFunctionBegin;
  for (size_t i = a->hard ? 0 : 2; i < sizeof both / sizeof both[0]; i++)
    PetscCall(wring_options_refuse_both(p->options, prefix, both[i][0], both[i][1], both[i][2]));
  PetscCall(check_components(p, prefix, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The areas of the vertices of a set. */
static PetscErrorCode find_area(wring_problem *p, const char *prefix, const char *name, PetscInt set, double **area)
{
  PetscInt64 triangles;

  PetscFunctionBegin;
  PetscCall(wring_mesh_count_elements(p->mesh, set, 3, &triangles));
  if (triangles == 0)
    WRING_REFUSE(p->comm, "%s: %sstiffness_per_area: the set '%s' has no triangles, expected a surface of the mesh",
                 wring_options_origin(p->options, prefix, "stiffness_per_area"), prefix, name);
  PetscCall(PetscMalloc1(p->mesh->set.count[set], area));
  PetscCall(wring_problem_share_area(p, set, PETSC_TRUE, *area));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_attachment(wring_problem *p, const char *name, wring_attachment *a)
{
  static const unsigned bits[] = {1, 2, 4, 3, 6, 5, 7}; // of the choices of components
  PetscInt              set    = -1;
  char                  prefix[WRING_PREFIX];

  PetscFunctionBegin;
  *a = (wring_attachment){.motion = {.centre = {NAN}, .until = INFINITY, .release = INFINITY}};
  PetscCall(wring_problem_read_keys(p, "attach_", name, wring_attach_options, prefix, a));
  a->components   = bits[a->components];
  a->motion.grows = (PetscBool)(a->file != NULL);
  PetscCall(check_keys(p, prefix, a));
  if (!a->file) PetscCall(wring_problem_find_set(p, "attach_", name, "a set or a file of targets", &set));
  if (a->per_area > 0) PetscCall(find_area(p, prefix, name, set, &a->area));
  if (!a->hard && !a->file && a->per_area <= 0) // it is required
    PetscCall(wring_options_get_real(p->options, prefix, wring_attach_options, "stiffness", &a->stiffness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_attachments(wring_problem *p)
{
  wring_attachments *const a = &p->parts->attachments;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "attach_", &a->n, &a->name));
  PetscCall(PetscMalloc1(a->n, &a->key));
  for (PetscInt i = 0; i < a->n; i++) PetscCall(read_attachment(p, a->name[i], &a->key[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices and targets ---------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt  n;
  PetscInt *vertex;    // [n] local, owned
  double   *stiffness; // [n] N/m; unused for hard attachments
  double   *target;    // [n][3] m
} targets;

static void check_rows(const char *file, PetscInt n, const double *row, wring_error *e)
{
  for (PetscInt i = 0; i < n && !wring_failed(e); i++) {
    const double k = row[5 * i + 4];
    if (k <= 0)
      wring_error_set(e, "%s:%" PetscInt64_FMT ": stiffness %g, expected above 0 N/m", file, wring_csv_line(file, i),
                      k);
  }
}

static PetscErrorCode read_targets(const wring_problem *p, const wring_attachment *key, targets *a)
{
  const char *const header = key->hard ? "vertex,x,y,z" : "vertex,x,y,z,stiffness";
  const int         width  = key->hard ? 4 : 5;
  double           *row;

  PetscFunctionBegin;
  PetscCall(wring_problem_read_rows(p->mesh, key->file, header, PETSC_TRUE, PETSC_FALSE, key->hard ? NULL : check_rows,
                                    &a->n, &row));
  PetscCall(PetscMalloc3(a->n, &a->vertex, a->n, &a->stiffness, 3 * a->n, &a->target));
  for (PetscInt i = 0; i < a->n; i++) {
    a->vertex[i] = wring_mesh_local(p->mesh, (PetscInt)row[width * i]);
    for (int c = 0; c < 3; c++) a->target[3 * i + c] = row[width * i + 1 + c];
    a->stiffness[i] = key->hard ? 0 : row[width * i + 4];
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a stiffness by area vertices without area are left out. */
static PetscErrorCode take_set(const wring_problem *p, const char *name, const wring_attachment *key, targets *a)
{
  const PetscInt      set = wring_names_find(&p->mesh->set.names, name), n = p->mesh->set.count[set];
  const double *const area = key->area;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &a->vertex, n, &a->stiffness, 3 * n, &a->target));
  a->n = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v = p->mesh->set.vertex[set][i];
    if (area && area[i] == 0) continue;
    a->vertex[a->n]    = v;
    a->stiffness[a->n] = area ? key->per_area * area[i] : key->stiffness;
    PetscCall(PetscArraycpy(a->target + 3 * a->n++, p->mesh->X + 3 * v, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

/* Frees the targets. */
static PetscErrorCode create_term(const wring_problem *p, const char *name, const wring_attachment *key,
                                  const wring_motion *motion, targets *a, wring_term **term)
{
  PetscFunctionBegin;
  if (key->hard) {
    PetscCall(wring_term_create_hard_attachments(p->mesh, name, a->n, a->vertex, a->target, motion, term));
    wring_term_set_components(*term, key->components);
  } else {
    PetscCall(wring_term_create_attachments(p->mesh, name, a->n, a->vertex, a->stiffness, a->target, motion, term));
  }
  PetscCall(PetscFree3(a->vertex, a->stiffness, a->target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_attachment(wring_problem *p, const char *name, wring_attachment *key)
{
  wring_motion motion = key->motion;
  wring_term  *term;
  targets      a;
  double       sum[4] = {0};

  PetscFunctionBegin;
  if (key->file)
    PetscCall(read_targets(p, key, &a));
  else
    PetscCall(take_set(p, name, key, &a));
  if (key->path) PetscCall(wring_problem_read_path(p, key->path, &motion));
  if (isnan(motion.centre[0])) { // the mean rest position of the vertices on all ranks
    for (PetscInt i = 0; i < 3 * a.n; i++) sum[i % 3] += p->mesh->X[3 * a.vertex[i / 3] + i % 3];
    sum[3] = (double)a.n;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, p->comm));
    for (int c = 0; c < 3; c++) motion.centre[c] = sum[c] / PetscMax(sum[3], 1);
  }
  PetscCall(create_term(p, name, key, &motion, &a, &term));
  PetscCall(wring_potential_add_term(p->g, term));
  PetscCall(wring_time_curve_destroy(&motion.path));
  PetscCall(PetscFree(key->area));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_attachments(wring_problem *p)
{
  wring_attachments *const a = &p->parts->attachments;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->n; i++) PetscCall(add_attachment(p, a->name[i], &a->key[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
