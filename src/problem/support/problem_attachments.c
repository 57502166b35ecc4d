/* Attachments of the deck: vertices of a set at their rest positions, or vertices of a file at its targets. */
#include "problem/problem_impl.h"
#include <math.h>

const wring_option wring_attach_options[] = {
  {.key   = "stiffness",
   .type  = WRING_REAL,
   .unit  = "N/m",
   .range = "(0,inf)",
   .help  = "Stiffness of the spring between each vertex and its target; or give stiffness_per_area or hard: true."},
  {.key   = "stiffness_per_area",
   .type  = WRING_REAL,
   .unit  = "N/m^3",
   .range = "(0,inf)",
   .help  = "Stiffness of the support per area at rest of the set's triangles, a third of which counts for each of "
            "their vertices: the same on any mesh; replaces stiffness."},
  {.key   = "hard",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether vertices are exactly at their targets (a Dirichlet condition); replaces stiffness."},
  {.key     = "components",
   .type    = WRING_WORD,
   .choices = "x|y|z|xy|yz|xz|xyz",
   .value   = "xyz",
   .help =
     "Components of the positions that a hard attachment prescribes; the others are free: one for a symmetry plane "
     "or rollers."},
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
   .help  = "Angular velocity of the targets in degrees per second, about an axis through centre."},
  {.key   = "spin_rad",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "rad/s",
   .help  = "The same in radians per second, in the place of spin."},
  {.key   = "centre",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "m",
   .help  = "Point on the axis of spin at time 0; default: the mean rest position of the set."},
  {.key  = "path",
   .type = WRING_PATH,
   .help = "CSV `time,x,y,z` [s, m]: displacement of the targets over time, a smooth curve; replaces velocity."},
  {.key   = "until",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "[0,inf)",
   .help  = "Time at which velocity, spin and path end; default: never."},
  {.key   = "release",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "[0,inf)",
   .help  = "Time after which the attachment does not act; default: it always acts."},
  {.key  = "file",
   .type = WRING_PATH,
   .help = "CSV `vertex,x,y,z,stiffness` [m, N/m] of targets, with hard `vertex,x,y,z`; NAME is then a label, not a "
           "set."},
  {0},
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Refuses two keys that exclude each other. */
static PetscErrorCode refuse_both(const wring_problem *p, const char *prefix, const char *key, const char *other,
                                  const char *why)
{
  const wring_options *const o = p->options;

  PetscFunctionBegin;
  if (wring_options_has(o, prefix, key) && wring_options_has(o, prefix, other))
    WRING_REFUSE(p->comm, "%s: %s%s and %s%s are both given, but %s: expected one of them",
                 wring_options_origin(o, prefix, key), prefix, key, prefix, other, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bits of `components`. */
static PetscErrorCode get_components(const wring_options *o, const char *prefix, unsigned *components)
{
  const char *word;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, wring_attach_options, "components", &word));
  *components = 0;
  for (; *word; word++) *components |= 1u << (*word - 'x');
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rotation about the axis c moves the two other components together: both are held, or neither. */
static PetscErrorCode check_components(const wring_problem *p, const char *prefix, PetscBool hard)
{
  const wring_options *const o          = p->options;
  unsigned                   components = 0;
  double                     spin[3];

  PetscFunctionBegin;
  if (wring_options_has(o, prefix, "components") && !hard)
    WRING_REFUSE(p->comm, "%s: %scomponents applies to hard attachments only, expected %shard true",
                 wring_options_origin(o, prefix, "components"), prefix, prefix);
  PetscCall(get_components(o, prefix, &components));
  PetscCall(wring_options_get_angles(o, prefix, wring_attach_options, "spin", spin));
  for (int c = 0; c < 3; c++) {
    const unsigned others = WRING_XYZ & ~(1u << c), held = components & others;
    if (spin[c] != 0 && held && held != others)
      WRING_REFUSE(p->comm,
                   "%s: %sspin about %c turns %c and %c into each other, expected components with both or none",
                   wring_options_origin(o, prefix, "spin"), prefix, "xyz"[c], "yzx"[c], "zxy"[c]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_attachment(const wring_problem *p, const char *name)
{
  char      prefix[WRING_PREFIX], hint[256];
  PetscBool hard;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "attach_%s_", name));
  PetscCall(wring_options_get_bool(p->options, prefix, wring_attach_options, "hard", &hard));
  if (hard) PetscCall(refuse_both(p, prefix, "stiffness", "hard", "a hard attachment has no stiffness"));
  if (hard) PetscCall(refuse_both(p, prefix, "stiffness_per_area", "hard", "a hard attachment has no stiffness"));
  PetscCall(refuse_both(p, prefix, "stiffness_per_area", "stiffness", "one is by area, the other by vertex"));
  PetscCall(refuse_both(p, prefix, "stiffness_per_area", "file", "each row of the file has its own stiffness"));
  PetscCall(check_components(p, prefix, hard));
  PetscCall(refuse_both(p, prefix, "velocity", "path", "a path replaces the velocity"));
  PetscCall(refuse_both(p, prefix, "stiffness", "file", "each row of the file has its own stiffness"));
  if (wring_options_has(p->options, prefix, "file") || wring_names_find(&p->mesh->set.names, name) >= 0)
    PetscFunctionReturn(PETSC_SUCCESS);
  wring_suggest_name(&p->mesh->set.names, name, sizeof hint, hint);
  WRING_REFUSE(p->comm, "%s: attach: '%s' is not a set of the mesh or the deck%s, expected a set or a file of targets",
               wring_options_family_origin(p->options, prefix), name, hint);
}

/* The areas of the vertices of a set, if its stiffness is by area. */
static PetscErrorCode find_area(wring_problem *p, PetscInt i)
{
  wring_attachments *const a   = &p->parts->attachments;
  const PetscInt           set = wring_names_find(&p->mesh->set.names, a->name[i]);
  PetscInt64               triangles;
  char                     prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "attach_%s_", a->name[i]));
  if (!wring_options_has(p->options, prefix, "stiffness_per_area")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mesh_count_elements(p->mesh, set, 3, &triangles));
  if (triangles == 0)
    WRING_REFUSE(p->comm, "%s: %sstiffness_per_area: the set '%s' has no triangles, expected a surface of the mesh",
                 wring_options_origin(p->options, prefix, "stiffness_per_area"), prefix, a->name[i]);
  PetscCall(PetscMalloc1(p->mesh->set.count[set], &a->area[i]));
  PetscCall(wring_problem_share_area(p, set, a->area[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_attachments(wring_problem *p)
{
  wring_attachments *const a = &p->parts->attachments;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "attach_", &a->n, &a->name));
  for (PetscInt i = 0; i < a->n; i++) PetscCall(check_attachment(p, a->name[i]));
  PetscCall(PetscCalloc1(a->n, &a->area));
  for (PetscInt i = 0; i < a->n; i++) PetscCall(find_area(p, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices and targets ---------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt  n;
  PetscInt *vertex;    // [n] local, owned
  double   *stiffness; // [n] N/m; unused for hard attachments
  double   *target;    // [n][3] m
} attachment;

static void check_rows(const char *file, PetscInt n, int width, const double *row, wring_error *e)
{
  for (PetscInt i = 0; i < n && !wring_failed(e); i++) {
    const double k = row[width * i + 4];
    if (k <= 0) wring_error_set(e, "%s:%" PetscInt_FMT ": stiffness %g, expected above 0 N/m", file, i + 2, k);
  }
}

static PetscErrorCode read_targets(const wring_problem *p, const char *prefix, PetscBool hard, attachment *a)
{
  const char *const header = hard ? "vertex,x,y,z" : "vertex,x,y,z,stiffness";
  char              file[PETSC_MAX_PATH_LEN];
  int               width;
  double           *row;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, prefix, wring_attach_options, "file", sizeof file, file));
  PetscCall(
    wring_problem_read_rows(p, file, header, PETSC_TRUE, PETSC_FALSE, hard ? NULL : check_rows, &a->n, &width, &row));
  PetscCall(PetscMalloc3(a->n, &a->vertex, a->n, &a->stiffness, 3 * a->n, &a->target));
  for (PetscInt i = 0; i < a->n; i++) {
    a->vertex[i] = wring_mesh_local(p->mesh, (PetscInt)row[width * i]);
    for (int c = 0; c < 3; c++) a->target[3 * i + c] = row[width * i + 1 + c];
    a->stiffness[i] = hard ? 0 : row[width * i + 4];
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* area [owned vertices of the set], NULL unless the stiffness is by area: vertices without area are then left out. */
static PetscErrorCode take_set(const wring_problem *p, const char *prefix, const char *name, const double *area,
                               PetscBool hard, attachment *a)
{
  const char *const key       = area ? "stiffness_per_area" : "stiffness";
  const PetscInt    set       = wring_names_find(&p->mesh->set.names, name);
  double            stiffness = 0;

  PetscFunctionBegin;
  if (!hard) PetscCall(wring_options_get_real(p->options, prefix, wring_attach_options, key, &stiffness));
  const PetscInt n = p->mesh->set.count[set];
  PetscCall(PetscMalloc3(n, &a->vertex, n, &a->stiffness, 3 * n, &a->target));
  a->n = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v = p->mesh->set.vertex[set][i];
    if (area && area[i] == 0) continue;
    a->vertex[a->n]    = v;
    a->stiffness[a->n] = area ? stiffness * area[i] : stiffness;
    PetscCall(PetscArraycpy(a->target + 3 * a->n++, p->mesh->X + 3 * v, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean rest position of the vertices on all ranks. */
static PetscErrorCode find_centre(const wring_problem *p, const attachment *a, double centre[3])
{
  double sum[4] = {0, 0, 0, (double)a->n};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->n; i++) {
    for (int c = 0; c < 3; c++) sum[c] += p->mesh->X[3 * a->vertex[i] + c];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, p->comm));
  for (int c = 0; c < 3; c++) centre[c] = sum[c] / PetscMax(sum[3], 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *path must be destroyed after the last use of *motion. */
static PetscErrorCode get_motion(const wring_problem *p, const char *prefix, const attachment *a, wring_motion *motion,
                                 wring_time_curve **path)
{
  const wring_options *const o = p->options;

  PetscFunctionBegin;
  PetscCall(wring_problem_read_motion(p, prefix, wring_attach_options, motion, path));
  if (wring_options_has(o, prefix, "release"))
    PetscCall(wring_options_get_real(o, prefix, wring_attach_options, "release", &motion->release));
  PetscCall(find_centre(p, a, motion->centre));
  if (wring_options_has(o, prefix, "centre"))
    PetscCall(wring_options_get_reals(o, prefix, wring_attach_options, "centre", motion->centre));
  motion->grows = wring_options_has(o, prefix, "file");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_hard(wring_problem *p, const char *name, const char *prefix, const attachment *a,
                                  const wring_motion *motion, wring_term **term)
{
  unsigned components = 0;

  PetscFunctionBegin;
  PetscCall(wring_term_create_hard_attachments(p->mesh, name, a->n, a->vertex, a->target, motion, term));
  PetscCall(get_components(p->options, prefix, &components));
  wring_term_set_components(*term, components);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_attachment(wring_problem *p, PetscInt i)
{
  const char *const name = p->parts->attachments.name[i];
  attachment        a;
  wring_motion      motion;
  wring_time_curve *path;
  wring_term       *term;
  PetscBool         hard;
  char              prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "attach_%s_", name));
  PetscCall(wring_options_get_bool(p->options, prefix, wring_attach_options, "hard", &hard));
  if (wring_options_has(p->options, prefix, "file"))
    PetscCall(read_targets(p, prefix, hard, &a));
  else
    PetscCall(take_set(p, prefix, name, p->parts->attachments.area[i], hard, &a));
  PetscCall(get_motion(p, prefix, &a, &motion, &path));
  if (hard)
    PetscCall(create_hard(p, name, prefix, &a, &motion, &term));
  else
    PetscCall(wring_term_create_attachments(p->mesh, name, a.n, a.vertex, a.stiffness, a.target, &motion, &term));
  PetscCall(wring_potential_add_term(p->g, term));
  PetscCall(wring_time_curve_destroy(&path));
  PetscCall(PetscFree3(a.vertex, a.stiffness, a.target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_attachments(wring_problem *p)
{
  wring_attachments *const a = &p->parts->attachments;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->n; i++) {
    PetscCall(add_attachment(p, i));
    PetscCall(PetscFree(a->area[i]));
  }
  PetscCall(PetscFree(a->area));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_problem_attachments(const wring_problem *p, const char *const **name)
{
  *name = (const char *const *)p->parts->attachments.name;
  return p->parts->attachments.n;
}
