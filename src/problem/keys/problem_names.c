/* Names in keys: "attach_NAME_stiffness" refers to the set NAME. */
#include "base/text.h"
#include "problem/problem_impl.h"
#include <stdio.h>
#include <string.h>

typedef enum { SETS, REGIONS } kind;

/* What the names of a family refer to; in other families they are labels. */
static const struct {
  const char *family;
  kind        names;
} families[] = {{"attach_", SETS},   {"spring_", SETS},    {"membrane_", SETS},
                {"bending_", SETS},  {"traction_", SETS},  {"force_", SETS},
                {"pressure_", SETS}, {"region_", REGIONS}, {"body_force_", REGIONS}};

PetscErrorCode wring_problem_get_names(const wring_problem *p, const char *family, PetscInt *n, char ***name)
{
  const wring_catalogue *const c     = p->parts->keys;
  const wring_names           *known = NULL;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    if (strcmp(families[i].family, family) != 0) continue;
    known = families[i].names == SETS ? &p->mesh->set.names : &p->mesh->regions;
  }
  PetscCall(wring_options_names(p->options, family, c->n, c->entry, known ? known->n : 0,
                                known ? (const char *const *)known->name : NULL, n, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_keys(const wring_problem *p, const char *family, const char *name,
                                       const wring_option *table, char prefix[WRING_PREFIX], void *settings)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, WRING_PREFIX, "%s%s_", family, name));
  PetscCall(wring_options_read(p->options, prefix, table, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_suggest_name(const wring_names *names, const char *name, size_t size, char *text)
{
  int best = 2 + (int)strlen(name) / 3; // a larger edit distance means a different name
  text[0]  = '\0';
  for (PetscInt i = 0; i < names->n; i++) {
    if (wring_is_nearer(name, names->name[i], &best)) snprintf(text, size, " (did you mean '%s'?)", names->name[i]);
  }
}

const char *wring_list_names(const wring_names *names, size_t size, char *text)
{
  enum { MOST = 12 };
  text[0] = '\0';
  for (PetscInt i = 0; i < names->n && i <= MOST; i++) wring_text_list(text, size, i < MOST ? names->name[i] : "...");
  return text[0] ? text : "none";
}

PetscErrorCode wring_problem_find_set(const wring_problem *p, const char *family, const char *name,
                                      const char *expected, PetscInt *set)
{
  char prefix[WRING_PREFIX], hint[256], list[512];

  PetscFunctionBegin;
  *set = wring_names_find(&p->mesh->set.names, name);
  if (*set >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  wring_suggest_name(&p->mesh->set.names, name, sizeof hint, hint);
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, name));
  WRING_REFUSE(p->comm, "%s: %.*s: '%s' is not a set of the mesh%s, expected %s; its sets: %s",
               wring_options_family_origin(p->options, prefix), (int)strlen(family) - 1, family, name, hint, expected,
               wring_list_names(&p->mesh->set.names, sizeof list, list));
}

PetscErrorCode wring_problem_find_region(const wring_problem *p, const char *family, const char *name, PetscInt *region)
{
  char prefix[WRING_PREFIX], hint[256], list[512];

  PetscFunctionBegin;
  *region = wring_names_find(&p->mesh->regions, name);
  if (*region >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  wring_suggest_name(&p->mesh->regions, name, sizeof hint, hint);
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, name));
  WRING_REFUSE(p->comm, "%s: %.*s: the mesh has no region '%s'%s, expected one of its regions: %s",
               wring_options_family_origin(p->options, prefix), (int)strlen(family) - 1, family, name, hint,
               wring_list_names(&p->mesh->regions, sizeof list, list));
}
