/* Values of options: read from text, checked against type and range, refused in one line. */
#include "options_impl.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- accepted values --------------------------------------------------------------------------------------------- */

static const char *type_name(const wring_option *p, PetscBool many)
{
  switch (p->type) {
  case WRING_BOOL:
    return "true or false";
  case WRING_INT:
  case WRING_INTS:
    return many ? "integers" : "an integer";
  case WRING_REAL:
  case WRING_REALS:
    return many ? "reals" : "a real";
  case WRING_WORD:
    return "a name";
  case WRING_WORDS:
    return "a list of words";
  case WRING_PATH:
    return "a file name";
  }
  return "a value";
}

void wring_options_describe(const wring_option *p, size_t size, char *text)
{
  const char *const choices = wring_option_choices(p);
  const PetscBool   list    = (PetscBool)(p->type == WRING_REALS || p->type == WRING_INTS);
  int               n       = 0;
  if (choices) {
    n = snprintf(text, size, "%s of ", p->type == WRING_WORDS ? "some" : "one");
    for (const char *c = choices; *c && n + 3 < (int)size; c++) {
      n += *c == '|' ? snprintf(text + n, size - (size_t)n, ", ") : snprintf(text + n, size - (size_t)n, "%c", *c);
    }
    return;
  }
  if (list && p->count > 0)
    n = snprintf(text, size, "%d %s", p->count, type_name(p, PETSC_TRUE));
  else
    n = snprintf(text, size, "%s%s", list ? "a list of " : "", type_name(p, list));
  if (p->range) n += snprintf(text + n, size - (size_t)n, " in %s", p->range);
  if (p->unit) snprintf(text + n, size - (size_t)n, " [%s]", p->unit);
}

/* "(0,inf)", "[1,100]": whether v lies inside; without a range, every finite number is accepted. */
static PetscBool in_range(const char *range, double v)
{
  double low, high;
  if (!range) return (PetscBool)isfinite(v);
  const char *const comma = wring_text_real(range + 1, &low);
  const char *const close = comma ? wring_text_real(comma + 1, &high) : NULL;
  if (!close || v < low || v > high || isnan(v)) return PETSC_FALSE;
  return (PetscBool)(!(*range == '(' && v == low) && !(*close == ')' && v == high));
}

/* ---- items of a text --------------------------------------------------------------------------------------------- */

size_t wring_option_next_item(const char **at, const char **item)
{
  while (**at && (wring_text_is_space(**at) || **at == ',')) (*at)++;
  *item = *at;
  while (**at && !wring_text_is_space(**at) && **at != ',') (*at)++;
  return (size_t)(*at - *item);
}

PetscInt wring_option_count_items(const char *text)
{
  const char *item;
  PetscInt    n = 0;
  while (wring_option_next_item(&text, &item)) n++;
  return n;
}

/* Whether all items of a list are choices, if there are any; otherwise word is the first one that is not. */
static PetscBool all_choices(const wring_option *p, const char *text, size_t size, char *word)
{
  const char *const choices = wring_option_choices(p);
  const char       *at      = text, *item, *choice;
  for (size_t length; choices && (length = wring_option_next_item(&at, &item)) > 0;) {
    snprintf(word, size, "%.*s", (int)length, item);
    if (!wring_option_find_choice(choices, word, &choice)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Copies an item of a list, which is not terminated; false if it is empty or too long for a number. */
static PetscBool copy_number(const char *text, size_t size, char copy[64])
{
  if (size == 0 || size >= 64) return PETSC_FALSE;
  memcpy(copy, text, size);
  copy[size] = '\0';
  return PETSC_TRUE;
}

PetscBool wring_option_real(const char *text, size_t size, double *v)
{
  char copy[64];
  if (!copy_number(text, size, copy)) return PETSC_FALSE;
  const char *const end = wring_text_real(copy, v);
  return (PetscBool)(end && *end == '\0');
}

PetscBool wring_option_int(const char *text, size_t size, PetscInt *v)
{
  char    copy[64];
  int64_t number;
  if (!copy_number(text, size, copy)) return PETSC_FALSE;
  const char *const end = wring_text_int(copy, &number);
  *v                    = (PetscInt)number;
  return (PetscBool)(end && *end == '\0' && (int64_t)*v == number);
}

PetscBool wring_option_bool(const char *text, PetscBool *v)
{
  static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
  for (int i = 0; i < 4; i++) {
    *v = (PetscBool)!wring_ascii_compare(text, yes[i]);
    if (*v || !wring_ascii_compare(text, no[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool accepts_number(const wring_option *p, const char *item, size_t size)
{
  const PetscBool whole = (PetscBool)(p->type == WRING_INT || p->type == WRING_INTS);
  double          v;
  PetscInt        i;
  if (!whole) return (PetscBool)(wring_option_real(item, size, &v) && in_range(p->range, v));
  return (PetscBool)(wring_option_int(item, size, &i) && in_range(p->range, (double)i));
}

PetscBool wring_option_accepts(const wring_option *p, const char *text)
{
  const char *const choices = wring_option_choices(p);
  const PetscInt    n       = wring_option_count_items(text);
  const char       *at      = text, *item, *choice;
  char              word[64];
  PetscBool         on;
  switch (p->type) {
  case WRING_BOOL:
    return wring_option_bool(text, &on);
  case WRING_WORD:
    return (PetscBool)(choices ? wring_option_find_choice(choices, text, &choice) > 0 : text[0] != '\0');
  case WRING_WORDS:
    return (PetscBool)(n > 0 && all_choices(p, text, sizeof word, word));
  case WRING_PATH:
    return (PetscBool)(text[0] != '\0');
  case WRING_INT:
  case WRING_REAL:
    return accepts_number(p, text, strlen(text));
  default:
    if (n == 0 || (p->count > 0 && n != p->count)) return PETSC_FALSE;
    for (size_t size; (size = wring_option_next_item(&at, &item)) > 0;) {
      if (!accepts_number(p, item, size)) return PETSC_FALSE;
    }
    return PETSC_TRUE;
  }
}

/* The choice nearest to a word, as a part of the text "a|b|c", and its size; 0 if none is close. */
static size_t nearest_choice(const char *choices, const char *word, const char **nearest)
{
  char   choice[64];
  int    least = 2 + (int)strlen(word) / 3;
  size_t found = 0;
  for (const char *c = choices; *c; c += *c == '|') {
    const size_t size = strcspn(c, "|");
    snprintf(choice, sizeof choice, "%.*s", (int)size, c);
    if (wring_is_nearer(choice, word, &least)) {
      *nearest = c;
      found    = size;
    }
    c += size;
  }
  return found;
}

PetscErrorCode wring_option_refuse(MPI_Comm comm, const wring_option *p, const char *key, const char *text,
                                   const char *origin)
{
  enum { SHOWN = 80 }; // characters of the value, so that the message has room for the expectation
  const char *const choices = wring_option_choices(p);
  char              expected[512], hint[128] = "";
  char              word[64] = ""; // stays empty in an empty list
  const char       *nearest  = NULL;
  double            v;
  const int         cut = strlen(text) > SHOWN;

  PetscFunctionBegin;
  wring_options_describe(p, sizeof expected, expected);
  if (p->type == WRING_WORDS) all_choices(p, text, sizeof word, word);
  const char *const wrong = p->type == WRING_WORDS ? word : text;
  const size_t      size  = choices && *wrong ? nearest_choice(choices, wrong, &nearest) : 0;
  if (size) snprintf(hint, sizeof hint, ", did you mean %.*s?", (int)size, nearest);
  if ((p->type == WRING_INT || p->type == WRING_INTS) && wring_text_real(text, &v) && v > (double)PETSC_MAX_INT)
    snprintf(hint, sizeof hint, ", at most %" PetscInt_FMT, PETSC_MAX_INT);
  WRING_REFUSE(comm, "%s: %s is \"%.*s%s\", expected %s%s", origin, key, SHOWN, text, cut ? "..." : "", expected, hint);
}
