/*
  Names of the deck, checked against the mesh, and keys that the schema lets through but nothing would read: a parameter of
  another law than the region's, of another method than the variant's.
*/
#include "study/problem.h"
#include <stdio.h>
#include <strings.h>

/* " (did you mean 'xmin'?)" for the nearest of the names, or "". */
static void suggest(const wring_names *names, const char *name, size_t size, char *text)
{
  int best = 4; // more edits than this do not mean the same name
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
  char prefix[256], hint[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "attach_%s_", name));
  const PetscBool file = wring_options_has(p->options, prefix, "file");
  if (file && wring_options_has(p->options, prefix, "stiffness")) {
    WRING_REFUSE(p->comm, "%s: %sstiffness stands beside %sfile, whose rows bring their own stiffness",
                 wring_options_origin(p->options, prefix, "stiffness"), prefix, prefix);
  }
  if (file || wring_names_find(&p->mesh->sets, name) >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  suggest(&p->mesh->sets, name, sizeof hint, hint);
  WRING_REFUSE(p->comm, "attach: '%s' is not a set of the mesh or the deck%s, expected a set or a file of targets",
               name, hint);
}

/* A parameter behind prefix that belongs to a law but to none of the n laws in use there is refused. */
static PetscErrorCode check_parameters(const wring_problem *p, const char *prefix, PetscInt n,
                                       const wring_law *const *law)
{
  PetscFunctionBegin;
  for (int i = 0; wring_law_material(i); i++) {
    for (const wring_option *option = wring_law_material(i)->options; option && option->key; option++) {
      if (!wring_options_has(p->options, prefix, option->key)) continue;
      PetscBool used = PETSC_FALSE;
      for (PetscInt r = 0; r < n && !used; r++) used = wring_option_find(law[r]->options, option->key) != NULL;
      if (used) continue;
      WRING_REFUSE(p->comm, "%s: %s%s is a parameter of '%s', but the model here is '%s'",
                   wring_options_origin(p->options, prefix, option->key), prefix, option->key,
                   wring_law_material(i)->name, law[0]->name);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_regions(const wring_problem *p)
{
  const wring_names *const regions = &p->mesh->regions;
  const wring_law        **law;
  char                   **name, prefix[256], hint[256];
  PetscInt                 n;

  PetscFunctionBegin;
  PetscCall(get_names(p, "region_", regions, &n, &name));
  for (PetscInt i = 0; i < n; i++) {
    if (wring_names_find(regions, name[i]) >= 0) continue;
    suggest(regions, name[i], sizeof hint, hint);
    WRING_REFUSE(p->comm, "region: the mesh has no region '%s'%s", name[i], hint);
  }
  PetscCall(wring_words_destroy(n, &name));
  PetscCall(PetscMalloc1(regions->n, &law));
  for (PetscInt r = 0; r < regions->n; r++) {
    wring_region_prefix(p, r, sizeof prefix, prefix);
    PetscCall(wring_region_law(p, r, &law[r]));
    PetscCall(check_parameters(p, prefix, 1, &law[r]));
  }
  if (regions->n) PetscCall(check_parameters(p, "material_", regions->n, law));
  PetscCall(PetscFree(law));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Option table of a solver type; *found says whether there is such a type. */
static const wring_option *method_options(const char *type, PetscBool *found)
{
  const wring_option *options;
  const char         *name;
  for (int i = 0; (name = wring_solver_type(i, &options)); i++) {
    *found = (PetscBool)(strcasecmp(name, type) == 0);
    if (*found) return options;
  }
  *found = PETSC_FALSE;
  return NULL;
}

static PetscErrorCode check_variant(const wring_problem *p, const char *name)
{
  char                prefix[256];
  const char         *type, *other;
  const wring_option *mine, *options;
  PetscBool           found;

  PetscFunctionBegin;
  method_options(name, &found);
  if (found) WRING_REFUSE(p->comm, "variant: '%s' is a solver type, expected another name", name);
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "variant_%s_", name));
  PetscCall(wring_options_get_word(p->options, prefix, wring_variant_options, "type", &type));
  mine = method_options(type, &found);
  for (int i = 0; found && (other = wring_solver_type(i, &options)); i++) {
    for (; options && options->key; options++) {
      if (!wring_options_has(p->options, prefix, options->key)) continue;
      if (mine && wring_option_find(mine, options->key)) continue;
      WRING_REFUSE(p->comm, "%s: %s%s is a key of solver '%s', but the variant's type is '%s'",
                   wring_options_origin(p->options, prefix, options->key), prefix, options->key, other, type);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_variants(const wring_problem *p)
{
  PetscInt n;
  char   **name;

  PetscFunctionBegin;
  PetscCall(get_names(p, "variant_", NULL, &n, &name));
  for (PetscInt i = 0; i < n; i++) PetscCall(check_variant(p, name[i]));
  PetscCall(wring_words_destroy(n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_names(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(get_names(p, "attach_", &p->mesh->sets, &p->n_attach, &p->attach_name));
  PetscCall(get_names(p, "spring_", NULL, &p->n_springs, &p->spring_name));
  for (PetscInt i = 0; i < p->n_attach; i++) PetscCall(check_attachment(p, p->attach_name[i]));
  PetscCall(check_regions(p));
  PetscCall(check_variants(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
