/* stat and uselocale are POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "scan.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void skip_blank_lines(wring_scan *s)
{
  for (; s->at < s->end && (*s->at == '\n' || *s->at == ' ' || *s->at == '\t' || *s->at == '\r'); s->at++)
    s->line += *s->at == '\n';
}

static PetscErrorCode slurp(wring_scan *s)
{
  struct stat status;

  PetscFunctionBegin;
  if (stat(s->file, &status)) {
    wring_error_set(s->e, "%s: cannot read: %s", s->file, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!S_ISREG(status.st_mode)) {
    wring_error_set(s->e, "%s: cannot read: not a regular file", s->file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  FILE *f = fopen(s->file, "rb");
  if (!f) {
    wring_error_set(s->e, "%s: cannot read: %s", s->file, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscFree(s->text));
  PetscCall(PetscMalloc1((size_t)status.st_size + 1, &s->text));
  const size_t n = fread(s->text, 1, (size_t)status.st_size, f);
  if (ferror(f)) wring_error_set(s->e, "%s: cannot read: %s", s->file, strerror(errno));
  fclose(f);
  s->text[n] = '\0';
  s->at      = s->text;
  s->end     = s->text + n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scan_open(const char *file, wring_error *e, wring_scan *s)
{
  PetscFunctionBegin;
  *s = (wring_scan){.file = file, .line = 1, .e = e};
  PetscCall(PetscCalloc1(1, &s->text));
  s->at     = s->text;
  s->end    = s->text;
  s->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  s->saved  = uselocale((locale_t)s->locale);
  PetscCall(slurp(s));
  skip_blank_lines(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scan_close(wring_scan *s)
{
  PetscFunctionBegin;
  uselocale((locale_t)s->saved);
  freelocale((locale_t)s->locale);
  PetscCall(PetscFree(s->text));
  s->at = s->end = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_scan_ok(const wring_scan *s)
{
  return (PetscBool)!s->e->text[0];
}

const char *wring_scan_unit(const wring_scan *s)
{
  return s->by_byte ? "byte" : "line";
}

int64_t wring_scan_place(const wring_scan *s)
{
  return s->by_byte ? (int64_t)(s->at - s->text) : s->line;
}

void wring_scan_fail(wring_scan *s, int64_t place, const char *format, ...)
{
  char    fault[768];
  va_list args;
  va_start(args, format);
  vsnprintf(fault, sizeof fault, format, args);
  va_end(args);
  wring_error_set(s->e, s->by_byte ? "%s: byte %lld: %s" : "%s:%lld: %s", s->file, (long long)place, fault);
  s->at = s->end;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void skip_blanks(wring_scan *s)
{
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r')) s->at++;
}

/* Numbers also end at a comma. */
static PetscBool ends_number(const wring_scan *s, const char *p)
{
  return (PetscBool)(p >= s->end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r' || *p == ',');
}

size_t wring_scan_peek(wring_scan *s, const char **word)
{
  skip_blanks(s);
  *word = s->at;
  while (!ends_number(s, *word)) (*word)++;
  const size_t length = (size_t)(*word - s->at);
  *word               = s->at;
  return length;
}

PetscBool wring_scan_word(wring_scan *s, const char *word)
{
  const char  *found;
  const size_t length = wring_scan_peek(s, &found);
  if (length != strlen(word) || memcmp(found, word, length)) return PETSC_FALSE;
  s->at += length;
  return PETSC_TRUE;
}

/* "expected <what>, found 'x'": at most 40 printable characters of it. */
static void fail_expected(wring_scan *s, const char *what)
{
  const char *word;
  char        shown[41];
  size_t      length = PetscMin(wring_scan_peek(s, &word), sizeof shown - 1);
  if (s->at >= s->end) {
    wring_scan_fail(s, wring_scan_place(s), "the file ends, expected %s", what);
  } else if (length == 0) {
    wring_scan_fail(s, wring_scan_place(s), *s->at == '\n' ? "the line ends, expected %s" : "found ',', expected %s",
                    what);
  } else {
    for (size_t i = 0; i < length; i++) shown[i] = word[i] > ' ' && word[i] < 127 ? word[i] : '?';
    shown[length] = '\0';
    wring_scan_fail(s, wring_scan_place(s), "found '%s', expected %s", shown, what);
  }
}

void wring_scan_end_line(wring_scan *s)
{
  if (s->binary) return;
  skip_blanks(s);
  if (s->at < s->end && *s->at != '\n') fail_expected(s, "the end of the line");
  skip_blank_lines(s);
}

void wring_scan_keyword(wring_scan *s, const char *word)
{
  if (wring_scan_word(s, word))
    wring_scan_end_line(s);
  else
    fail_expected(s, word);
}

void wring_scan_skip_line(wring_scan *s)
{
  const char *end = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;
  s->at           = end ? end : s->end;
  skip_blank_lines(s);
}

void wring_scan_character(wring_scan *s, char c)
{
  const char what[] = {'\'', c, '\'', '\0'};
  skip_blanks(s);
  if (s->at < s->end && *s->at == c)
    s->at++;
  else
    fail_expected(s, what);
}

/* ---- binary parts ------------------------------------------------------------------------------------------------ */

void wring_scan_begin_binary(wring_scan *s)
{
  skip_blanks(s);
  if (s->at < s->end && *s->at != '\n') fail_expected(s, "the end of the line");
  s->at += s->at < s->end;
  s->binary = PETSC_TRUE;
}

void wring_scan_end_binary(wring_scan *s)
{
  s->binary = PETSC_FALSE;
  skip_blank_lines(s);
}

/* The next n bytes, zero where the file ends before. */
static void take_bytes(wring_scan *s, size_t n, void *value, const char *what)
{
  memset(value, 0, n);
  if ((size_t)(s->end - s->at) < n) {
    wring_scan_fail(s, wring_scan_place(s), "the file ends, expected %s", what);
    return;
  }
  memcpy(value, s->at, n);
  s->at += n;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static PetscBool is_digit(char c)
{
  return (PetscBool)(c >= '0' && c <= '9');
}

static int64_t scan_integer(wring_scan *s, const char *what)
{
  int64_t v = 0;
  skip_blanks(s);
  const char     *p        = s->at;
  const PetscBool negative = (PetscBool)(*p == '-');
  if (*p == '-' || *p == '+') p++;
  const char *first = p;
  for (; is_digit(*p) && v < INT64_MAX / 10 - 1; p++) v = 10 * v + (*p - '0');
  if (p == first || !ends_number(s, p)) {
    fail_expected(s, what);
    return 0;
  }
  s->at = p;
  return negative ? -v : v;
}

int64_t wring_scan_int(wring_scan *s, const char *what)
{
  int32_t v;
  if (!s->binary) return scan_integer(s, what);
  take_bytes(s, sizeof v, &v, what);
  return v;
}

int64_t wring_scan_long(wring_scan *s, const char *what)
{
  int64_t v;
  if (!s->binary) return scan_integer(s, what);
  take_bytes(s, sizeof v, &v, what);
  return v;
}

/* Digits and sign as an integer and a power of ten; exact says whether all digits fitted. Returns the end, NULL if bad. */
static const char *scan_decimal(const char *p, uint64_t *digits, int *power, PetscBool *exact)
{
  int n = 0, shift = 0, e = 0;
  *digits = 0;
  *exact  = PETSC_TRUE;
  for (PetscBool point = PETSC_FALSE; is_digit(*p) || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = PETSC_TRUE;
      continue;
    }
    if (*digits < UINT64_C(1000000000000000000))
      *digits = 10 * *digits + (uint64_t)(*p - '0');
    else
      *exact = PETSC_FALSE;
    shift -= point;
    n++;
  }
  if (n == 0) return NULL;
  if (*p == 'e' || *p == 'E') {
    const PetscBool negative = (PetscBool)(*++p == '-');
    if (*p == '-' || *p == '+') p++;
    if (!is_digit(*p)) return NULL;
    for (; is_digit(*p); p++) e = PetscMin(10 * e + (*p - '0'), 100000);
    if (negative) e = -e;
  }
  *power = e + shift;
  return p;
}

/*
  Up to 2^53 and 10^22 are exact in double, so that one product or quotient of them is rounded right [Clinger 1990];
  strtod does the others.
*/
static double decimal_value(const char *text, uint64_t digits, int power, PetscBool exact)
{
  static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!exact || digits > (UINT64_C(1) << 53) || power < -22 || power > 22) return strtod(text, NULL);
  return power < 0 ? (double)digits / ten[-power] : (double)digits * ten[power];
}

static double take_real(wring_scan *s, const char *what)
{
  const int64_t place = wring_scan_place(s);
  double        v;
  take_bytes(s, sizeof v, &v, what);
  if (fabs(v) <= PETSC_MAX_REAL) return v;
  wring_scan_fail(s, place, "found %g, expected %s", v, what);
  return 0;
}

double wring_scan_real(wring_scan *s, const char *what)
{
  if (s->binary) return take_real(s, what);
  uint64_t  digits;
  int       power;
  PetscBool exact;
  skip_blanks(s);
  const char *first = s->at + (*s->at == '-' || *s->at == '+');
  const char *p     = scan_decimal(first, &digits, &power, &exact);
  if (!p || !ends_number(s, p)) {
    fail_expected(s, what);
    return 0;
  }
  const double v = decimal_value(first, digits, power, exact);
  if (v > PETSC_MAX_REAL) {
    fail_expected(s, "a number below 1.8e308");
    return 0;
  }
  const PetscBool negative = (PetscBool)(*s->at == '-');
  s->at                    = p;
  return negative ? -v : v;
}

static PetscInt check_count(wring_scan *s, int64_t place, int64_t n, const char *what)
{
  const int64_t most = (int64_t)(s->end - s->at) / 2;
  if (wring_scan_ok(s) && (n < 0 || n > most || n > PETSC_MAX_INT / 4))
    wring_scan_fail(s, place, "%lld cannot be %s: the file has %lld bytes left", (long long)n, what,
                    (long long)(2 * most));
  return wring_scan_ok(s) ? (PetscInt)n : 0;
}

PetscInt wring_scan_count(wring_scan *s, const char *what)
{
  const int64_t place = wring_scan_place(s);
  return check_count(s, place, wring_scan_int(s, what), what);
}

PetscInt wring_scan_long_count(wring_scan *s, const char *what)
{
  const int64_t place = wring_scan_place(s);
  return check_count(s, place, wring_scan_long(s, what), what);
}
