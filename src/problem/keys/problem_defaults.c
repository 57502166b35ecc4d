/* The defaults in force: keys that are used, but not set in the deck. */
#include "problem/problem_impl.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  const wring_problem *p;
  wring_key_visitor   *visit;
  void                *context;
} visitor;

/* Some keys are used only if other keys are set. */
static PetscErrorCode is_used(const wring_problem *p, const char *prefix, const char *key, PetscBool *used)
{
  const wring_options *const o = p->options;
  char                       in_radians[64];

  PetscFunctionBegin;
  snprintf(in_radians, sizeof in_radians, "%s_rad", key);
  *used = (PetscBool)!wring_options_has(o, prefix, in_radians);
  if (strncmp(key, "box_", 4) == 0) {
    *used = wring_options_has(o, prefix, "box_size");
  } else if (strcmp(key, "scale") == 0) {
    *used = wring_options_has(o, prefix, "file");
  } else if (strcmp(prefix, "time_") == 0 && strcmp(key, "steps") == 0) {
    *used = (PetscBool) !(wring_options_has(o, prefix, "end") || wring_options_has(o, prefix, "more_steps"));
  } else if (strcmp(key, "interpolation") == 0) {
    *used = wring_options_has(o, prefix, "curve");
  } else if (*used && strncmp(prefix, "collider_", 9) == 0) {
    PetscCall(wring_collider_uses(o, prefix, key, used));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode visit_table(const visitor *v, const char *prefix, const wring_option *table)
{
  char      key[2 * WRING_PREFIX];
  PetscBool used;

  PetscFunctionBegin;
  for (const wring_option *k = table; k && k->key; k++) {
    if (!k->value || wring_options_has(v->p->options, prefix, k->key)) continue;
    PetscCall(is_used(v->p, prefix, k->key, &used));
    snprintf(key, sizeof key, "%s%s", prefix, k->key);
    if (used) PetscCall(v->visit(v->context, key, k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/* The keys of a solver or variant, and those of the type given by its key `inner`. */
static PetscErrorCode visit_solver(const visitor *v, const char *name)
{
  const char *type, *inner;
  char        prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(wring_solver_find_keys(v->p->options, name, &type, sizeof prefix, prefix));
  const wring_option *const table = wring_solver_keys(type);
  PetscCall(visit_table(v, prefix, table));
  if (!wring_option_find(table, "inner")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_word(v->p->options, prefix, table, "inner", &inner));
  snprintf(prefix, sizeof prefix, "solver_%s_", inner);
  PetscCall(visit_table(v, prefix, wring_solver_keys(inner)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts of the problem ---------------------------------------------------------------------------------------- */

/* The tables of a family with names, for each name. */
static PetscErrorCode visit_names(const visitor *v, const wring_schema *s)
{
  const size_t head = strcspn(s->prefix, "*");
  char         family[WRING_PREFIX], prefix[WRING_PREFIX], **name;
  PetscInt     n;

  PetscFunctionBegin;
  snprintf(family, sizeof family, "%.*s", (int)head, s->prefix);
  PetscCall(wring_problem_get_names(v->p, family, &n, &name));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s%s", family, name[i], s->prefix + head + 1));
    if (s->prefix[head + 2] && !wring_options_has_family(v->p->options, prefix)) continue; // a body without material
    PetscCall(visit_table(v, prefix, s->options));
  }
  PetscCall(wring_words_destroy(n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether some region has the law of these keys, as its material or in addition to it; true for keys of no law. */
static PetscBool has_law(const wring_problem *p, const wring_option *options)
{
  const wring_law *law = NULL;
  for (int i = 0; (law = wring_law_material(i)) && law->options != options; i++) continue;
  for (int i = 0; !law && wring_law_on_top(i); i++)
    if (wring_law_on_top(i)->options == options) law = wring_law_on_top(i);
  for (PetscInt r = 0; r < p->mesh->regions.n && law; r++)
    if (p->parts->region[r].law->options == options || (law->kind != WRING_LAW_MATERIAL && wring_region_has(p, r, law)))
      return PETSC_TRUE;
  return (PetscBool)!law;
}

static PetscErrorCode visit_line(const visitor *v, const wring_schema *s)
{
  PetscFunctionBegin;
  if (strncmp(s->owner, "solver ", 7) == 0 || strcmp(s->owner, "variant") == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (strcmp(s->prefix, "region_*_") == 0) PetscFunctionReturn(PETSC_SUCCESS); // the defaults of material_ apply
  if (strchr(s->prefix, '*')) {
    PetscCall(visit_names(v, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->options == wring_self_contact_options ? wring_options_has_any(v->p->options, s->prefix, s->options)
                                               : has_law(v->p, s->options))
    PetscCall(visit_table(v, s->prefix, s->options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_visit_defaults(const wring_problem *p, PetscInt n_solver, const char *const *solver,
                                            wring_key_visitor *visit, void *context)
{
  const visitor v = {p, visit, context};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->parts->keys->n; i++) PetscCall(visit_line(&v, &p->parts->keys->entry[i]));
  for (PetscInt i = 0; i < n_solver; i++) PetscCall(visit_solver(&v, solver[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
