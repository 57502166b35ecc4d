/* Probes of the deck: points, located in the mesh, and sets; the names of their columns. */
#include "mesh/bodies.h"
#include "problem/problem_impl.h"
#include <stdio.h>

typedef struct {
  double      point[3]; // m
  const char *set, *region;
  PetscBool   stress;
} keys;

const wring_option wring_probe_options[] = {
  {"point", WRING_REALS, .count = 3, .unit = "m", .at = WRING_AT(keys, point), .instead = "set|largest|region",
   .help = "Point of the body at rest, in a tetrahedron; replaces set."},
  {"set", WRING_WORD, .at = WRING_AT(keys, set), .instead = "point|largest|region",
   .help = "Set whose vertices are averaged; replaces point."},
  {"largest", WRING_WORD, .choices = "von_mises", .instead = "point|set",
   .help = "The largest von Mises stress of a tetrahedron, and where its centroid is at rest; replaces point and set."},
  {"region", WRING_WORD, .at = WRING_AT(keys, region),
   .help = "Region whose tetrahedra `largest` looks at; default: all."},
  {"stress", WRING_BOOL, .value = "false", .at = WRING_AT(keys, stress),
   .help = "Whether to measure the Cauchy stress too, by means at vertices."},
  {0},
};

/* ---- points ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode locate_point(const wring_problem *p, const char *prefix, const double x[3], wring_place *place)
{
  const char *const   origin = wring_options_origin(p->options, prefix, "point");
  const double *const near   = place->nearest;
  char                text[512]; // PETSc prints 1 as "1."

  PetscFunctionBegin;
  if (p->mesh->tets.n_global == 0)
    WRING_REFUSE(p->comm, "%s: %spoint: the mesh has no tetrahedra that could contain a point, expected %sset", origin,
                 prefix, prefix);
  PetscCall(wring_mesh_locate(p->mesh, x, place));
  if (place->distance == 0) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof text,
           "is [%g, %g, %g], outside of the body at rest by %.6g m, expected a point in a tetrahedron; the nearest one "
           "is [%.15g, %.15g, %.15g]",
           x[0], x[1], x[2], place->distance, near[0], near[1], near[2]);
  WRING_REFUSE(p->comm, "%s: %spoint %s", origin, prefix, text);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode find_set(const wring_problem *p, const char *prefix, const char *name, wring_probe_at *at)
{
  const wring_mesh *const m      = p->mesh;
  const char *const       origin = wring_options_origin(p->options, prefix, "set");
  char                    hint[256], list[512];

  PetscFunctionBegin;
  at->set = wring_names_find(&m->set.names, name);
  if (at->set < 0) {
    wring_suggest_name(&m->set.names, name, sizeof hint, hint);
    WRING_REFUSE(p->comm, "%s: %sset: '%s' is not a set of the mesh%s, expected a set; its sets: %s", origin, prefix,
                 name, hint, wring_list_names(&m->set.names, sizeof list, list));
  }
  at->total = (double)m->set.count[at->set];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &at->total, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  if (at->total == 0)
    WRING_REFUSE(p->comm, "%s: %sset: the set '%s' has no vertices, expected at least one", origin, prefix, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the largest stress ------------------------------------------------------------------------------------------ */

/* name NULL: all regions. */
static PetscErrorCode find_region(const wring_problem *p, const char *prefix, const char *name, wring_probe_at *at)
{
  char hint[256];

  PetscFunctionBegin;
  at->region = -1;
  if (p->mesh->tets.n_global == 0)
    WRING_REFUSE(p->comm, "%s: %slargest: the mesh has no tetrahedra, which have a stress",
                 wring_options_origin(p->options, prefix, "largest"), prefix);
  if (!name) PetscFunctionReturn(PETSC_SUCCESS);
  at->region = wring_names_find(&p->mesh->regions, name);
  if (at->region >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  wring_suggest_name(&p->mesh->regions, name, sizeof hint, hint);
  WRING_REFUSE(p->comm, "%s: %sregion: '%s' is not a region of the mesh%s",
               wring_options_origin(p->options, prefix, "region"), prefix, name, hint);
}

/* Vertices without a tetrahedron, of membranes and springs, have no stress. */
static PetscErrorCode check_stress(const wring_problem *p, const char *prefix, const wring_probe_at *at)
{
  const wring_mesh *const m    = p->mesh;
  PetscInt                bare = 0, v[10], *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->n_local, &mark));
  for (PetscInt e = 0; e < m->tets.n; e++)
    for (int n = wring_tet_vertices(m, e, v); n-- > 0;) mark[v[n]] = 1;
  PetscCall(wring_mesh_reduce(m, MPIU_INT, MPI_MAX, mark)); // the tets at a vertex may be on another rank
  for (PetscInt i = 0; i < m->set.count[at->set]; i++) bare += !mark[m->set.vertex[at->set][i]];
  PetscCall(PetscFree(mark));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bare, 1, MPIU_INT, MPI_SUM, p->comm));
  if (bare)
    WRING_REFUSE(p->comm,
                 "%s: %sstress: the set '%s' has vertices in no tetrahedron (%" PetscInt_FMT " of %" PetscInt_FMT
                 "), which have no stress, expected a set of vertices of tetrahedra",
                 wring_options_origin(p->options, prefix, "stress"), prefix, m->set.names.name[at->set], bare,
                 (PetscInt)at->total);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_probe(wring_problem *p, const char *name, wring_probe *probe, wring_probe_at *at)
{
  const wring_options *const o = p->options;
  char                       prefix[WRING_PREFIX];
  keys                       k = {.set = NULL};

  PetscFunctionBegin;
  PetscCall(wring_problem_read_keys(p, "probe_", name, wring_probe_options, prefix, &k));
  const PetscBool point = wring_options_has(o, prefix, "point"), set = wring_options_has(o, prefix, "set");
  const PetscBool largest = wring_options_has(o, prefix, "largest");
  if (point + set + largest != 1)
    WRING_REFUSE(p->comm, "%s: probe: %d of %spoint, %sset and %slargest are given, expected one of them",
                 wring_options_family_origin(o, prefix), point + set + largest, prefix, prefix, prefix);
  *probe = (wring_probe){.name = name, .is_point = point, .largest = largest, .stress = k.stress && !largest};
  *at    = (wring_probe_at){.set = -1};
  if (point) PetscCall(locate_point(p, prefix, k.point, &at->place));
  if (set) PetscCall(find_set(p, prefix, k.set, at));
  if (largest) PetscCall(find_region(p, prefix, k.region, at));
  if (probe->stress && set) PetscCall(check_stress(p, prefix, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the columns NAME_* of a list. */
static PetscErrorCode add_columns(const char *name, int n, const char *const *end, wring_probes *a)
{
  const size_t size = 256 + WRING_PREFIX;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    PetscCall(PetscMalloc1(size, &a->column[a->n_column]));
    PetscCall(PetscSNPrintf(a->column[a->n_column++], size, "%s_%s", name, end[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* contacts: sets have their force. */
static PetscErrorCode list_columns(PetscBool contacts, wring_probes *a)
{
  static const char *const motion[] = {"ux", "uy", "uz", "vx", "vy", "vz"}, *const force[] = {"fx", "fy", "fz"};
  static const char *const stress[]  = {"sxx", "syy", "szz", "sxy", "syz", "szx", "von_mises"};
  static const char *const peak[]    = {"von_mises", "x", "y", "z"};
  static const char *const contact[] = {"contact_fx", "contact_fy", "contact_fz"};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(19 * a->n, &a->column));
  for (PetscInt i = 0; i < a->n; i++) {
    wring_probe *const b = &a->probe[i];
    b->first             = a->n_column;
    if (b->largest) PetscCall(add_columns(b->name, 4, peak, a));
    if (!b->largest) PetscCall(add_columns(b->name, 6, motion, a));
    if (!b->largest && !b->is_point) PetscCall(add_columns(b->name, 3, force, a));
    if (b->stress) PetscCall(add_columns(b->name, 7, stress, a));
    if (contacts && a->at[i].set >= 0) PetscCall(add_columns(b->name, 3, contact, a));
    b->n        = a->n_column - b->first;
    a->reaction = (PetscBool)(a->reaction || (!b->is_point && !b->largest));
    a->stress   = (PetscBool)(a->stress || b->stress);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_probes(wring_problem *p)
{
  wring_probes *const a = &p->parts->probes;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "probe_", &a->n, &a->name));
  PetscCall(PetscCalloc2(a->n, &a->probe, a->n, &a->at));
  for (PetscInt i = 0; i < a->n; i++) PetscCall(add_probe(p, a->name[i], &a->probe[i], &a->at[i]));
  PetscCall(list_columns(wring_potential_has_bounded_contacts(p->g), a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_probes(wring_problem *p)
{
  wring_probes *const a = &p->parts->probes;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->n_column; i++) PetscCall(PetscFree(a->column[i]));
  PetscCall(PetscFree(a->column));
  PetscCall(PetscFree2(a->probe, a->at));
  PetscCall(wring_words_destroy(a->n, &a->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_problem_probes(const wring_problem *p, const wring_probe **probe)
{
  *probe = p->parts->probes.probe;
  return p->parts->probes.n;
}

PetscInt wring_problem_probe_columns(const wring_problem *p, const char *const **name)
{
  *name = (const char *const *)p->parts->probes.column;
  return p->parts->probes.n_column;
}
