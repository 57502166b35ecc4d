/*
  Names of the deck, checked against the mesh. Keys that the schema lets through but nothing reads, parameters of another law
  than the region's, get a notice: a command line that changes the model cannot unset the deck's parameters.
*/
#include "problem.h"
#include <stdio.h>
#include <string.h>

void wring_suggest_name(const wring_names *names, const char *name, size_t size, char *text)
{
  int best = 2 + (int)strlen(name) / 3; // so many edits do not mean the same name
  text[0]  = '\0';
  for (PetscInt i = 0; i < names->n; i++) {
    const int d = wring_edit_distance(name, names->name[i]);
    if (d >= best) continue;
    best = d;
    snprintf(text, size, " (did you mean '%s'?)", names->name[i]);
  }
}

/* Names behind a family of keys; known may be NULL. */
static PetscErrorCode get_names(const wring_problem *p, const char *family, const wring_names *known, PetscInt *n,
                                char ***name)
{
  PetscFunctionBegin;
  PetscCall(wring_options_names(p->options, family, p->catalogue->n, p->catalogue->entry, known ? known->n : 0,
                                known ? (const char *const *)known->name : NULL, n, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_attachment(const wring_problem *p, const char *name)
{
  char      prefix[256], hint[256];
  PetscBool hard;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "attach_%s_", name));
  const PetscBool file = wring_options_has(p->options, prefix, "file");
  PetscCall(wring_options_get_bool(p->options, prefix, wring_attach_options, "hard", &hard));
  if (hard && wring_options_has(p->options, prefix, "stiffness")) {
    WRING_REFUSE(p->comm, "%s: %sstiffness stands beside %shard, which holds exactly: expected one of them",
                 wring_options_origin(p->options, prefix, "stiffness"), prefix, prefix);
  }
  if (wring_options_has(p->options, prefix, "path") && wring_options_has(p->options, prefix, "velocity")) {
    WRING_REFUSE(p->comm, "%s: %svelocity stands beside %spath, which takes its place: expected one of them",
                 wring_options_origin(p->options, prefix, "velocity"), prefix, prefix);
  }
  if (file && wring_options_has(p->options, prefix, "stiffness")) {
    WRING_REFUSE(p->comm, "%s: %sstiffness stands beside %sfile, whose rows bring their own stiffness",
                 wring_options_origin(p->options, prefix, "stiffness"), prefix, prefix);
  }
  if (file || wring_names_find(&p->mesh->sets, name) >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  wring_suggest_name(&p->mesh->sets, name, sizeof hint, hint);
  WRING_REFUSE(p->comm, "%s: attach: '%s' is not a set of the mesh or the deck%s, expected a set or a file of targets",
               wring_options_family_origin(p->options, prefix), name, hint);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* The surface of this set, added if there is none. */
static wring_surface *get_surface(wring_problem *p, const char *name)
{
  for (PetscInt i = 0; i < p->n_surface; i++)
    if (!strcmp(p->surface[i].name, name)) return &p->surface[i];
  p->surface[p->n_surface] = (wring_surface){.name = name};
  return &p->surface[p->n_surface++];
}

/* The sets behind "membrane_" or "bending_" must have triangles. */
static PetscErrorCode read_surface_names(wring_problem *p, const char *family, PetscBool membrane)
{
  const wring_names *const sets = &p->mesh->sets;
  char                   **name, hint[256], prefix[256];
  PetscInt                 n;
  PetscInt64               triangles;

  PetscFunctionBegin;
  PetscCall(get_names(p, family, sets, &n, &name));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt set = wring_names_find(sets, name[i]);
    triangles          = 0;
    if (set >= 0) PetscCall(wring_mesh_count_elements(p->mesh, set, 3, &triangles));
    wring_suggest_name(sets, name[i], sizeof hint, hint);
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, name[i]));
    if (triangles == 0)
      WRING_REFUSE(p->comm, "%s: %.*s: '%s' %s%s, expected a set with triangles, which `wring check` lists",
                   wring_options_family_origin(p->options, prefix), (int)strlen(family) - 1, family, name[i],
                   set < 0 ? "is not a set of the mesh" : "has no triangles", set < 0 ? hint : "");
    wring_surface *const s = get_surface(p, sets->name[set]);
    if (membrane)
      s->membrane = PETSC_TRUE;
    else
      s->bending = PETSC_TRUE;
  }
  PetscCall(wring_words_destroy(n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- keys that nothing reads ------------------------------------------------------------------------------------- */

typedef PetscBool known_key(const char *key);

static PetscBool is_parameter(const char *key)
{
  for (int i = 0; wring_law_material(i); i++) {
    if (wring_option_find(wring_law_material(i)->options, key)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A notice for each key behind prefix that `known` says is one of the family, and that none of the n tables has. */
static PetscErrorCode note_unread(const wring_problem *p, const char *prefix, known_key *known, PetscInt n,
                                  const wring_option *const *table, const char *reader)
{
  const size_t length = strlen(prefix);
  const char  *key, *value, *origin;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_options_count(p->options); i++) {
    wring_options_entry(p->options, i, &key, &value, &origin);
    if (wring_ascii_compare_n(key, prefix, length) != 0 || !known(key + length)) continue;
    PetscBool read = PETSC_FALSE;
    for (PetscInt t = 0; t < n && !read; t++) read = (PetscBool)(table[t] && wring_option_find(table[t], key + length));
    if (!read) PetscCall(wring_note(p->comm, "%s: %s is not read: '%s' has no such key", origin, key, reader));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_regions(const wring_problem *p)
{
  const wring_names *const regions = &p->mesh->regions;
  const wring_law         *law;
  const wring_option     **table;
  char                   **name, prefix[256], hint[256];
  PetscInt                 n;

  PetscFunctionBegin;
  PetscCall(get_names(p, "region_", regions, &n, &name));
  for (PetscInt i = 0; i < n; i++) {
    if (wring_names_find(regions, name[i]) >= 0) continue;
    wring_suggest_name(regions, name[i], sizeof hint, hint);
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "region_%s_", name[i]));
    WRING_REFUSE(p->comm, "%s: region: the mesh has no region '%s'%s, expected one that `wring check` lists",
                 wring_options_family_origin(p->options, prefix), name[i], hint);
  }
  PetscCall(wring_words_destroy(n, &name));
  PetscCall(PetscMalloc1(regions->n, &table));
  for (PetscInt r = 0; r < regions->n; r++) {
    wring_region_prefix(p, r, sizeof prefix, prefix);
    PetscCall(wring_region_law(p, r, &law));
    table[r] = law->options;
    PetscCall(note_unread(p, prefix, is_parameter, 1, &table[r], law->name));
  }
  if (regions->n) PetscCall(note_unread(p, "material_", is_parameter, regions->n, table, law->name));
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_names(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(get_names(p, "attach_", &p->mesh->sets, &p->n_attach, &p->attach_name));
  PetscCall(get_names(p, "spring_", &p->mesh->sets, &p->n_springs, &p->spring_name));
  PetscCall(PetscCalloc1(p->mesh->sets.n, &p->surface));
  PetscCall(read_surface_names(p, "membrane_", PETSC_TRUE));
  PetscCall(read_surface_names(p, "bending_", PETSC_FALSE));
  PetscCall(get_names(p, "collider_", NULL, &p->n_collider, &p->collider_name));
  for (PetscInt i = 0; i < p->n_attach; i++) PetscCall(check_attachment(p, p->attach_name[i]));
  PetscCall(check_regions(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
