/* Variants: named solver types with their own keys. */
#include "base/text.h"
#include "problem/problem_impl.h"
#include <stdio.h>
#include <string.h>
#include <wring/solver.h>

const wring_option wring_variant_options[] = {
  {"type", WRING_WORD, .help = "Solver type of the variant, which also takes the keys of this type."},
  {0},
};

static const char family[] = "variant_";

/* The longest name that matches a key after the family, or NULL: of "x" and "x_y", variant_x_y_type matches "x_y". */
static const char *owner_of(const char *key, PetscInt n, char *const *name)
{
  const char *owner = NULL;
  size_t      most  = 0;
  if (wring_ascii_compare_n(key, family, strlen(family)) != 0) return NULL;
  for (PetscInt i = 0; i < n; i++) {
    const size_t length = strlen(name[i]);
    const char  *rest   = key + strlen(family) + length;
    if (length <= most || wring_ascii_compare_n(key + strlen(family), name[i], length) != 0 || *rest != '_') continue;
    owner = name[i];
    most  = length;
  }
  return owner;
}

/* "did you mean weight? Its keys are type, weight" for a key that a method does not have. */
static void describe(const wring_option *options, const char *key, size_t size, char *text)
{
  const char *nearest = NULL;
  int         best    = 4; // a larger edit distance means a different key
  for (const wring_option *p = options; p && p->key; p++) {
    if (wring_is_nearer(key, p->key, &best)) nearest = p->key;
  }
  snprintf(text, size, "%s%s%sits keys are type", nearest ? "did you mean " : "", nearest ? nearest : "",
           nearest ? "? " : "");
  for (const wring_option *p = options; p && p->key; p++) wring_text_list(text, size, p->key);
}

/* All keys of a variant must be keys of its type. */
static PetscErrorCode check_keys(const wring_options *o, const char *name, const char *type,
                                 const wring_option *options, PetscInt n, char *const *names)
{
  const char *key, *value, *origin;
  char        expected[512];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    if (owner_of(key, n, names) != name) continue;
    const char *const own = key + strlen(family) + strlen(name) + 1;
    if (wring_ascii_compare(own, "type") == 0 || wring_option_find(options, own)) continue;
    describe(options, own, sizeof expected, expected);
    WRING_REFUSE(wring_options_comm(o), "%s: %s: a variant of type '%s' has no key '%s', %s", origin, key, type, own,
                 expected);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_variant(const wring_options *o, const char *name, PetscInt n, char *const *names)
{
  const char *const   types = wring_option_choices(wring_option_find(wring_solver_options, "type"));
  const MPI_Comm      comm  = wring_options_comm(o);
  char                prefix[256];
  const char         *type;
  const wring_option *options;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, name));
  if (wring_solver_keys(name))
    WRING_REFUSE(comm, "%s: variant: '%s' is a solver type, expected another name",
                 wring_options_family_origin(o, prefix), name);
  if (!wring_options_has(o, prefix, "type")) {
    WRING_REFUSE(comm, "%s: variant: '%s' has no type, expected %stype: %s", wring_options_family_origin(o, prefix),
                 name, prefix, types);
  }
  PetscCall(wring_options_get_word(o, prefix, wring_variant_options, "type", &type));
  options = wring_solver_keys(type);
  if (!options) {
    WRING_REFUSE(comm, "%s: %stype is '%s', expected a solver type: %s", wring_options_origin(o, prefix, "type"),
                 prefix, type, types);
  }
  PetscCall(check_keys(o, name, type, options, n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_variants_check(const wring_options *o, const wring_catalogue *c)
{
  PetscInt n;
  char   **name;

  PetscFunctionBegin;
  PetscCall(wring_options_names(o, family, c->n, c->entry, 0, NULL, &n, &name));
  for (PetscInt i = 0; i < n; i++) PetscCall(check_variant(o, name[i], n, name));
  PetscCall(wring_words_destroy(n, &name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
