/*
  Membranes and bending: triangles of sets. A triangle belongs to the rank that owns its lowest vertex, an edge between
  two triangles to the rank that owns its lower end; their other vertices become ghosts there.
*/
#include "problem/problem_impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const wring_option wring_membrane_options[] = {
  {"model", WRING_WORD, .choices = "strain", .value = "strain",
   .help = "Law of the triangles of the set NAME: k/2 |F - R|^2, R the closest matrix with orthonormal columns."},
  {"stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, membrane),
   .help = "Stiffness k of the model."},
  {"density", WRING_REAL, .unit = "kg/m^2", .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, density),
   .help = "Mass per rest area; without it the triangles have no mass."},
  {"strain_limit_stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)",
   .at   = WRING_AT(wring_surface_keys, strain_limit[0]),
   .help = "Stiffness against stretches outside [strain_limit_min, strain_limit_max]."},
  {"strain_limit_min", WRING_REAL, .range = "[0,inf)", .at = WRING_AT(wring_surface_keys, strain_limit[1]),
   .help = "Smallest stretch without a force."},
  {"strain_limit_max", WRING_REAL, .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, strain_limit[2]),
   .help = "Largest stretch without a force."},
  {"area_stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, area[0]),
   .help = "Stiffness against ratios of area to rest area outside [area_min, area_max]."},
  {"area_min", WRING_REAL, .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, area[1]),
   .help = "Smallest ratio of area to rest area without a force."},
  {"area_max", WRING_REAL, .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, area[2]),
   .help = "Largest ratio of area to rest area without a force."},
  {0},
};

const wring_option wring_bending_options[] = {
  {"model", WRING_WORD, .choices = "isometric|rigid", .value = "isometric", .at = WRING_AT(wring_surface_keys, model),
   .help = "Law of the edges between triangles of the set NAME: isometric is quadratic and flat at rest, rigid keeps "
           "the curvature at rest."},
  {"stiffness", WRING_REAL, .unit = "N m", .range = "(0,inf)", .at = WRING_AT(wring_surface_keys, bending),
   .help = "Bending stiffness."},
  {0},
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The surface of this set, added if there is none. */
static wring_surface *get_surface(wring_surfaces *all, const char *name)
{
  for (PetscInt i = 0; i < all->n; i++)
    if (!strcmp(all->surface[i].name, name)) return &all->surface[i];
  all->surface[all->n] = (wring_surface){
    .name = name, .keys = {.strain_limit = {NAN, NAN, NAN}, .area = {NAN, NAN, NAN}}, .triangles = {.corners = 3}};
  return &all->surface[all->n++];
}

/* The set of a name of the family "membrane_" or "bending_" must have triangles. */
static PetscErrorCode find_set(const wring_problem *p, const char *family, const char *name, PetscInt *set)
{
  static const char *const expected = "a set with triangles, which `wring check` lists";
  PetscInt64               triangles;
  char                     prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(wring_problem_find_set(p, family, name, expected, set));
  PetscCall(wring_mesh_count_elements(p->mesh, *set, 3, &triangles));
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, name));
  if (triangles == 0)
    WRING_REFUSE(p->comm, "%s: %.*s: '%s' has no triangles, expected %s",
                 wring_options_family_origin(p->options, prefix), (int)strlen(family) - 1, family, name, expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses limits (stiffness, min, max) that are not all given, or whose least value is above the largest. */
static PetscErrorCode check_limit(const wring_problem *p, const char *prefix, const char *part, const double limit[3])
{
  static const char *const end[] = {"stiffness", "min", "max"};
  char                     key[3][64];

  PetscFunctionBegin;
  if (isnan(limit[0]) && isnan(limit[1]) && isnan(limit[2])) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 3; i++) {
    snprintf(key[i], sizeof key[i], "%s_%s", part, end[i]);
    PetscCall(wring_options_require(p->options, prefix, wring_membrane_options, key[i]));
  }
  if (limit[1] > limit[2])
    WRING_REFUSE(p->comm, "%s: %s%s is %.6g, expected at most %s%s, which is %.6g",
                 wring_options_origin(p->options, prefix, key[1]), prefix, key[1], limit[1], prefix, key[2], limit[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_family(wring_problem *p, const char *family, const wring_option *table, PetscBool membrane)
{
  wring_surfaces *const all = &p->parts->surfaces;
  char                **name, prefix[WRING_PREFIX];
  PetscInt              n, set;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, family, &n, &name));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(find_set(p, family, name[i], &set));
    wring_surface *const      s = get_surface(all, p->mesh->set.names.name[set]);
    wring_surface_keys *const k = &s->keys;
    PetscCall(wring_problem_read_keys(p, family, s->name, table, prefix, k));
    PetscCall(wring_options_require(p->options, prefix, table, "stiffness"));
    if (membrane) PetscCall(check_limit(p, prefix, "strain_limit", k->strain_limit));
    if (membrane) PetscCall(check_limit(p, prefix, "area", k->area));
    s->triangles.density = k->density;
  }
  PetscCall(wring_words_destroy(n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- triangles and edges ----------------------------------------------------------------------------------------- */

/* For a triangle of zero area D_m has no inverse, and the cotangents of its edges are undefined. */
static PetscErrorCode measure_areas(const wring_problem *p, wring_surface *s)
{
  const wring_mesh *const m     = p->mesh;
  wring_piece *const      t     = &s->triangles;
  wring_error             error = {""};
  char                    prefix[WRING_PREFIX];

  PetscFunctionBegin;
  snprintf(prefix, sizeof prefix, "%s_%s_", s->keys.membrane > 0 ? "membrane" : "bending", s->name);
  PetscCall(PetscMalloc1(t->n, &t->size));
  for (PetscInt e = 0; e < t->n; e++) {
    const PetscInt *const v = t->vertex + 3 * (size_t)e;
    const double         *X[3];
    double                B[4];
    for (int a = 0; a < 3; a++) X[a] = m->X + 3 * (size_t)wring_mesh_local(m, v[a]);
    wring_triangle_rest(X[0], X[1], X[2], B, &t->size[e]);
    if (!(t->size[e] > 0))
      wring_error_set(&error,
                      "%s: the triangle of vertices %" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT
                      " of '%s' has area 0, expected above 0",
                      wring_options_family_origin(p->options, prefix), v[0], v[1], v[2], s->name);
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_hinges(const wring_problem *p, wring_surface *s)
{
  char prefix[WRING_PREFIX], name[2 * WRING_PREFIX];

  PetscFunctionBegin;
  if (!(s->keys.bending > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(prefix, sizeof prefix, "bending_%s_", s->name);
  snprintf(name, sizeof name, "%s: bending: '%s'", wring_options_family_origin(p->options, prefix), s->name);
  PetscCall(wring_mesh_find_hinges(p->mesh, name, s->triangles.n, s->triangles.vertex, &s->n_hinge, &s->hinge));
  PetscCall(wring_mesh_extend_halo(p->mesh, 4 * s->n_hinge, s->hinge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_surfaces(wring_problem *p)
{
  wring_surfaces *const all = &p->parts->surfaces;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->mesh->set.names.n, &all->surface));
  PetscCall(read_family(p, "membrane_", wring_membrane_options, PETSC_TRUE));
  PetscCall(read_family(p, "bending_", wring_bending_options, PETSC_FALSE));
  for (PetscInt i = 0; i < all->n; i++) {
    wring_surface *const s   = &all->surface[i];
    wring_piece *const   t   = &s->triangles;
    const PetscInt       set = wring_names_find(&p->mesh->set.names, s->name);
    PetscCall(wring_mesh_list_elements(p->mesh, set, 3, &t->n, &t->vertex));
    PetscCall(wring_mesh_extend_halo(p->mesh, 3 * t->n, t->vertex));
    PetscCall(measure_areas(p, s));
    PetscCall(read_hinges(p, s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_membrane(wring_problem *p, wring_surface *s, const wring_law *law, const double *par)
{
  wring_piece *const t    = &s->triangles;
  wring_term **const term = &t->term[t->n_term++];

  PetscFunctionBegin;
  PetscCall(wring_term_create_triangles(p->mesh, s->name, law, par, t->n, t->vertex, term));
  PetscCall(wring_potential_add_term(p->g, *term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_membranes(wring_problem *p, wring_surface *s)
{
  const wring_surface_keys *const k = &s->keys;

  PetscFunctionBegin;
  if (!(k->membrane > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(add_membrane(p, s, &wring_law_membrane_strain, &k->membrane));
  if (!isnan(k->strain_limit[0])) PetscCall(add_membrane(p, s, &wring_law_membrane_strain_limit, k->strain_limit));
  if (!isnan(k->area[0])) PetscCall(add_membrane(p, s, &wring_law_membrane_area, k->area));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void make_local(const wring_mesh *m, PetscInt n, PetscInt *vertex)
{
  for (PetscInt i = 0; i < n; i++) vertex[i] = wring_mesh_local(m, vertex[i]);
}

PetscErrorCode wring_problem_add_surfaces(wring_problem *p)
{
  const wring_surfaces *const all = &p->parts->surfaces;
  wring_term                 *term;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) {
    wring_surface *const s = &all->surface[i];
    make_local(p->mesh, 3 * s->triangles.n, s->triangles.vertex);
    make_local(p->mesh, 4 * s->n_hinge, s->hinge);
    PetscCall(add_membranes(p, s));
  }
  for (const wring_surface *s = all->surface; s < all->surface + all->n; s++) {
    const PetscBool rigid = (PetscBool)(s->keys.model == WRING_BENDING_RIGID);
    if (!(s->keys.bending > 0)) continue;
    PetscCall(wring_term_create_hinges(p->mesh, s->name,
                                       rigid ? &wring_law_bending_rigid : &wring_law_bending_isometric, s->keys.bending,
                                       s->n_hinge, s->hinge, &term));
    PetscCall(wring_potential_add_term(p->g, term));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_surfaces(wring_problem *p)
{
  wring_surfaces *const all = &p->parts->surfaces;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) {
    PetscCall(PetscFree(all->surface[i].hinge));
    PetscCall(PetscFree(all->surface[i].triangles.vertex));
    PetscCall(PetscFree(all->surface[i].triangles.size));
  }
  PetscCall(PetscFree(all->surface));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_piece *wring_problem_piece(const wring_problem *p, PetscInt i)
{
  const wring_surfaces *const surfaces = &p->parts->surfaces;
  const wring_springs *const  springs  = &p->parts->springs;
  if (i < surfaces->n) return &surfaces->surface[i].triangles;
  return i - surfaces->n < springs->n ? &springs->line[i - surfaces->n] : NULL;
}

PetscErrorCode wring_problem_count(const wring_problem *p, PetscInt64 *triangles, PetscInt64 *lines)
{
  const wring_piece *s;
  PetscInt64         n[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) n[3 - s->corners] += s->n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT64, MPI_SUM, p->comm));
  *triangles = n[0];
  *lines     = n[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
