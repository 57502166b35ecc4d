/* Keys of a deck as one text. */
#pragma once
#include "check.h"
#include <wring/options.h>
#include <stdarg.h>

/* Sets "key=value key=value ...", in the manner of printf; `prefix` comes before each key. */
static inline PetscErrorCode test_set(wring_options *o, const char *prefix, const char *keys, ...)
  __attribute__((format(printf, 3, 4)));

static inline PetscErrorCode test_set(wring_options *o, const char *prefix, const char *keys, ...)
{
  char        text[1024], key[64], value[64], full[160];
  const char *at = text;
  int         length;
  va_list     values;

  PetscFunctionBegin;
  va_start(values, keys);
  length = vsnprintf(text, sizeof text, keys, values);
  va_end(values);
  CHECK(length >= 0 && length < (int)sizeof text, "keys of %d bytes", length);
  for (; sscanf(at, " %63[a-z0-9_]=%63s%n", key, value, &length) == 2; at += length) {
    PetscCall(PetscSNPrintf(full, sizeof full, "%s%s", prefix, key));
    PetscCall(wring_options_set(o, full, value, "test"));
  }
  CHECK(at[strspn(at, " ")] == '\0', "\"%s\" is not key=value", at);
  PetscFunctionReturn(PETSC_SUCCESS);
}
