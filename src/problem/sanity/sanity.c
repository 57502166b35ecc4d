/* What the numbers of a problem amount to: all parts in order; sets that no key uses. */
#include "sanity_impl.h"
#include <string.h>

/* ---- sets that no key of the deck uses --------------------------------------------------------------------------- */

/* Whether _name_ occurs in a key, or the value is the name. */
static PetscBool mentions(const char *key, const char *value, const char *name)
{
  const size_t length = strlen(name);
  if (value && wring_ascii_compare(value, name) == 0) return PETSC_TRUE;
  for (; (key = strchr(key, '_')); key++)
    if (wring_ascii_compare_n(key + 1, name, length) == 0 && key[1 + length] == '_') return PETSC_TRUE;
  return PETSC_FALSE;
}

/* *defined: set_name_ is a key; *used: another key mentions the name. */
static void look_up(const wring_problem *p, const char *name, PetscBool *defined, PetscBool *used)
{
  const char *key, *value, *origin;
  *defined = *used = PETSC_FALSE;
  for (PetscInt i = 0; i < wring_options_count(p->options); i++) {
    wring_options_entry(p->options, i, &key, &value, &origin);
    if (!mentions(key, value, name)) continue;
    if (wring_ascii_compare_n(key, "set_", 4) == 0)
      *defined = PETSC_TRUE;
    else
      *used = PETSC_TRUE;
  }
}

static PetscErrorCode find_unused(const wring_problem *p, wring_sanity *s)
{
  const wring_names *const sets = &p->mesh->set.names;
  PetscBool                defined, used;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(sets->n, &s->unused, sets->n, &s->spare));
  for (PetscInt i = 0; i < sets->n; i++) {
    look_up(p, sets->name[i], &defined, &used);
    if (used) continue;
    if (defined)
      s->unused[s->n_unused++] = sets->name[i];
    else if (wring_names_find(&p->mesh->regions, sets->name[i]) < 0) // every region is used
      s->spare[s->n_spare++] = sets->name[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_sanity_create(const wring_problem *p, wring_sanity **out)
{
  wring_sanity *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(wring_sanity_measure_sizes(p, s));
  PetscCall(wring_sanity_measure_loads(p, s));
  PetscCall(wring_sanity_find_parts(p, s));
  PetscCall(find_unused(p, s));
  *out = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_destroy(wring_sanity **out)
{
  wring_sanity *const s = *out;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(s->unused, s->spare));
  PetscCall(PetscFree(s->region));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_note(const wring_problem *p)
{
  wring_sanity *s;

  PetscFunctionBegin;
  PetscCall(wring_sanity_create(p, &s));
  PetscCall(wring_sanity_print_notes(p, s));
  PetscCall(wring_sanity_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
