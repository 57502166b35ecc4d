#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void wring_json_write(const json_t *json, wring_error *e, const char *format, ...)
{
  char    path[2 * PETSC_MAX_PATH_LEN];
  va_list args;
  va_start(args, format);
  vsnprintf(path, sizeof path, format, args);
  va_end(args);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  const int failed = json_dumpf(json, f, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  if (failed && !ferror(f)) wring_error_set(e, "%s: cannot be written: its text cannot be generated", path);
  fputc('\n', f);
  wring_file_commit(f, path, e);
}

/* A file, and errno of the read that failed: jansson's parser sets errno too. */
typedef struct {
  FILE *file;
  int   failed;
} source;

static size_t read_some(void *text, size_t size, void *context)
{
  source *const s = context;
  const size_t  n = fread(text, 1, size, s->file);
  if (ferror(s->file)) s->failed = errno;
  return n;
}

json_t *wring_json_read(const char *path, wring_error *e)
{
  source       s = {.file = wring_file_open(path, e)};
  json_error_t why;
  if (!s.file) return NULL;
  json_t *const json = json_load_callback(read_some, &s, 0, &why);
  if (!json) wring_error_set(e, "%s: cannot be read: %s", path, s.failed ? strerror(s.failed) : why.text);
  fclose(s.file);
  return json;
}

json_t *wring_json_real(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

double wring_json_number(const json_t *object, const char *key)
{
  const json_t *const value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

json_t *wring_json_set(json_t *json, ...)
{
  va_list pairs;
  va_start(pairs, json);
  for (const char *key; (key = va_arg(pairs, const char *));) json_object_set_new(json, key, va_arg(pairs, json_t *));
  va_end(pairs);
  return json;
}

json_t *wring_work_json(const wring_counts *work)
{
  json_t *const json = json_object();
  for (int i = 0; i < WRING_N_WORK; i++) json_object_set_new(json, wring_work_name(i), json_integer(work->of[i]));
  return json;
}

json_t *wring_json_text(const char *text)
{
  json_t *const whole = text ? json_string(text) : json_null();
  if (whole) return whole;
  char *const copy = strdup(text);
  for (char *c = copy; c && *c; c++)
    if (*c & 0x80) *c = '?';
  json_t *const plain = json_string(copy ? copy : "");
  free(copy);
  return plain;
}
