/* The list of notes; keys by their beginnings. */
#include "sanity_impl.h"
#include <stdarg.h>
#include <stdio.h>

PetscErrorCode wring_sanity_add_note(wring_sanity *s, const char *format, ...)
{
  char    text[512];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  PetscCall(PetscRealloc(sizeof *s->note * (size_t)(s->n_note + 1), &s->note));
  PetscCall(PetscStrallocpy(text, &s->note[s->n_note++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_sanity_has_family(const wring_problem *p, const char *family)
{
  size_t      length = 0;
  const char *key, *value, *origin;
  for (; family[length]; length++) continue;
  for (PetscInt i = 0; i < wring_options_count(p->options); i++) {
    wring_options_entry(p->options, i, &key, &value, &origin);
    if (wring_ascii_compare_n(key, family, length) == 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
