#define _POSIX_C_SOURCE 200809L // fsync, fileno
#include "study/whole.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PATH = PETSC_MAX_PATH_LEN + 8 };

FILE *wring_whole_open(const char *path, wring_error *e)
{
  char part[PATH];
  snprintf(part, sizeof part, "%s.part", path);
  FILE *const f = fopen(part, "w");
  if (!f) wring_error_set(e, "%s: cannot be written: %s", part, strerror(errno));
  return f;
}

void wring_whole_close(FILE *f, const char *path, wring_error *e)
{
  char part[PATH];
  if (!f) return;
  snprintf(part, sizeof part, "%s.part", path);
  int failed = fflush(f) || ferror(f) || fsync(fileno(f));
  failed     = fclose(f) || failed;
  if (failed || rename(part, path)) wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
}

void wring_whole_json(const char *path, const json_t *json, wring_error *e)
{
  FILE *const f = wring_whole_open(path, e);
  if (!f) return;
  if (json_dumpf(json, f, JSON_INDENT(2) | JSON_REAL_PRECISION(17))) wring_error_set(e, "%s: cannot be written", path);
  fputc('\n', f);
  wring_whole_close(f, path, e);
}

json_t *wring_json_real(double value)
{
  if (isfinite(value)) return json_real(value);
  return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}
