#include "scan.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

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
  wring_scan_skip_blank(s);
  s->row++;
}

void wring_scan_keyword(wring_scan *s, const char *word)
{
  if (wring_scan_word(s, word))
    wring_scan_end_line(s);
  else
    fail_expected(s, word);
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
  wring_scan_skip_blank(s);
}

/* The next n bytes, zero if the file ends before. */
static void take_bytes(wring_scan *s, size_t n, void *value, const char *what)
{
  memset(value, 0, n);
  while ((size_t)(s->end - s->at) < n && wring_scan_fill(s))
    ;
  if ((size_t)(s->end - s->at) < n) {
    wring_scan_fail(s, wring_scan_place(s), "the file ends, expected %s", what);
    return;
  }
  memcpy(value, s->at, n);
  s->at += n;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int64_t scan_integer(wring_scan *s, const char *what)
{
  int64_t v;
  skip_blanks(s);
  const char *const end = wring_text_int(s->at, &v);
  if (!end || !ends_number(s, end)) {
    fail_expected(s, what);
    return 0;
  }
  s->at = end;
  return v;
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
  double v;
  if (s->binary) return take_real(s, what);
  skip_blanks(s);
  const PetscBool   name = (PetscBool)(s->at < s->end && strchr("iInN", s->at[*s->at == '-' || *s->at == '+']));
  const char *const end  = name ? NULL : wring_text_real(s->at, &v);
  if (!end || !ends_number(s, end)) {
    fail_expected(s, what);
    return 0;
  }
  if (fabs(v) > PETSC_MAX_REAL) {
    fail_expected(s, "a number below 1.8e308");
    return 0;
  }
  s->at = end;
  return v;
}

static int64_t check_count(wring_scan *s, int64_t place, int64_t n, const char *what)
{
  const int64_t most = (s->size - wring_scan_offset(s)) / 2;
  if (wring_scan_ok(s) && (n < 0 || n > most))
    wring_scan_fail(s, place, "%lld cannot be %s: the file has %lld bytes left", (long long)n, what,
                    (long long)(2 * most));
  return wring_scan_ok(s) ? n : 0;
}

int64_t wring_scan_count(wring_scan *s, const char *what)
{
  const int64_t place = wring_scan_place(s);
  return check_count(s, place, wring_scan_int(s, what), what);
}

int64_t wring_scan_long_count(wring_scan *s, const char *what)
{
  const int64_t place = wring_scan_place(s);
  return check_count(s, place, wring_scan_long(s, what), what);
}
