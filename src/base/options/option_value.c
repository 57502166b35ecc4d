/* Values of options: read from text, checked against type and range, refused in one line. */
#define _POSIX_C_SOURCE 200809L // access
#include "options_impl.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    return "a word";
  case WRING_WORDS:
    return "a list of words";
  case WRING_PATH:
    return "a file name";
  }
  return "a value";
}

void wring_options_describe(const wring_option *p, size_t size, char *text)
{
  const PetscBool list = (PetscBool)(p->type == WRING_REALS || p->type == WRING_INTS);
  int             n    = 0;
  if (p->choices) {
    n = snprintf(text, size, "%s of ", p->type == WRING_WORDS ? "some" : "one");
    for (const char *c = p->choices; *c && n + 3 < (int)size; c++) {
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

/* The choice that a word names, as a part of the text "a|b|c"; its size, or 0. */
static size_t find_choice(const char *choices, const char *word, const char **choice)
{
  for (const char *c = choices; *c;) {
    const size_t size = strcspn(c, "|");
    if (strlen(word) == size && !wring_ascii_compare_n(c, word, size)) {
      *choice = c;
      return size;
    }
    c += size + (c[size] == '|');
  }
  return 0;
}

/* The next item of a list whose items are separated by commas or blanks: its size, 0 at the end; advances *at. */
static size_t next_item(const char **at, const char **item)
{
  while (**at && (wring_text_is_space(**at) || **at == ',')) (*at)++;
  *item = *at;
  while (**at && !wring_text_is_space(**at) && **at != ',') (*at)++;
  return (size_t)(*at - *item);
}

static PetscInt count_items(const char *text)
{
  const char *item;
  PetscInt    n = 0;
  while (next_item(&text, &item)) n++;
  return n;
}

/* Whether all items of a list are choices, if there are any; otherwise word is the first one that is not. */
static PetscBool all_choices(const wring_option *p, const char *text, size_t size, char *word)
{
  const char *at = text, *item, *choice;
  for (size_t length; p->choices && (length = next_item(&at, &item)) > 0;) {
    snprintf(word, size, "%.*s", (int)length, item);
    if (!find_choice(p->choices, word, &choice)) return PETSC_FALSE;
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

static PetscBool parse_real(const char *text, size_t size, double *v)
{
  char copy[64];
  if (!copy_number(text, size, copy)) return PETSC_FALSE;
  const char *const end = wring_text_real(copy, v);
  return (PetscBool)(end && *end == '\0');
}

static PetscBool parse_int(const char *text, size_t size, PetscInt *v)
{
  char    copy[64];
  int64_t number;
  if (!copy_number(text, size, copy)) return PETSC_FALSE;
  const char *const end = wring_text_int(copy, &number);
  *v                    = (PetscInt)number;
  return (PetscBool)(end && *end == '\0' && (int64_t)*v == number);
}

static PetscBool parse_bool(const char *text, PetscBool *v)
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
  if (!whole) return (PetscBool)(parse_real(item, size, &v) && in_range(p->range, v));
  return (PetscBool)(parse_int(item, size, &i) && in_range(p->range, (double)i));
}

PetscBool wring_option_accepts(const wring_option *p, const char *text)
{
  const PetscInt n  = count_items(text);
  const char    *at = text, *item, *choice;
  char           word[64];
  PetscBool      on;
  switch (p->type) {
  case WRING_BOOL:
    return parse_bool(text, &on);
  case WRING_WORD:
    return (PetscBool)(p->choices ? find_choice(p->choices, text, &choice) > 0 : n == 1);
  case WRING_WORDS:
    return (PetscBool)(n > 0 && all_choices(p, text, sizeof word, word));
  case WRING_PATH:
    return (PetscBool)(text[0] != '\0');
  case WRING_INT:
  case WRING_REAL:
    return accepts_number(p, text, strlen(text));
  default:
    if (n == 0 || (p->count > 0 && n != p->count)) return PETSC_FALSE;
    for (size_t size; (size = next_item(&at, &item)) > 0;) {
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
  char        expected[512], hint[128] = "";
  char        word[64] = ""; // stays empty in an empty list
  const char *nearest  = NULL;
  const int   cut      = strlen(text) > SHOWN;

  PetscFunctionBegin;
  wring_options_describe(p, sizeof expected, expected);
  if (p->type == WRING_WORDS) all_choices(p, text, sizeof word, word);
  const char *const wrong = p->type == WRING_WORDS ? word : text;
  const size_t      size  = p->choices && *wrong ? nearest_choice(p->choices, wrong, &nearest) : 0;
  if (size) snprintf(hint, sizeof hint, ", did you mean %.*s?", (int)size, nearest);
  WRING_REFUSE(comm, "%s: %s is \"%.*s%s\", expected %s%s", origin, key, SHOWN, text, cut ? "..." : "", expected, hint);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The text of a value, which its option accepts. */
static PetscErrorCode find_text(const wring_options *o, const char *prefix, const wring_option *table, const char *key,
                                const char **text)
{
  const wring_option *const p = wring_option_find(table, key);
  char                      expected[512], full[OPTIONS_KEY_SIZE];

  PetscFunctionBegin;
  PetscCheck(p, o->comm, PETSC_ERR_PLIB, "Option '%s' is in no table", key);
  *text = wring_options_text(o, prefix, p);
  if (*text && wring_option_accepts(p, *text)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(full, sizeof full, "%s%s", prefix, p->key);
  const char *const origin = wring_options_origin(o, prefix, key);
  if (*text) PetscCall(wring_option_refuse(o->comm, p, full, *text, origin ? origin : "default"));
  wring_options_describe(p, sizeof expected, expected);
  WRING_REFUSE(o->comm, "%s: %s%s is missing: expected %s (%s)", o->deck, prefix, key, expected, p->help);
}

PetscErrorCode wring_options_get_bool(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, PetscBool *v)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  parse_bool(text, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_int(const wring_options *o, const char *prefix, const wring_option *table,
                                     const char *key, PetscInt *v)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  parse_int(text, strlen(text), v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_real(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, double *v)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  parse_real(text, strlen(text), v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_reals(const wring_options *o, const char *prefix, const wring_option *table,
                                       const char *key, double *v)
{
  const char *text, *item;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  for (size_t size; (size = next_item(&text, &item)) > 0; v++) parse_real(item, size, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_angles(const wring_options *o, const char *prefix, const wring_option *table,
                                        const char *key, double v[3])
{
  char rad[64];

  PetscFunctionBegin;
  snprintf(rad, sizeof rad, "%s_rad", key);
  const PetscBool in_rad = wring_options_has(o, prefix, rad);
  if (in_rad && wring_options_has(o, prefix, key))
    WRING_REFUSE(o->comm, "%s: %s%s and %s%s (%s) are both given, expected one of them",
                 wring_options_origin(o, prefix, rad), prefix, rad, prefix, key, wring_options_origin(o, prefix, key));
  PetscCall(wring_options_get_reals(o, prefix, table, in_rad ? rad : key, v));
  for (int i = 0; i < 3 && in_rad; i++) v[i] *= 180 / PETSC_PI;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_int_list(const wring_options *o, const char *prefix, const wring_option *table,
                                          const char *key, PetscInt *n, PetscInt **v)
{
  const char *text, *item;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  PetscCall(PetscMalloc1(count_items(text), v));
  *n = 0;
  for (size_t size; (size = next_item(&text, &item)) > 0; ++*n) parse_int(item, size, *v + *n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_word(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, const char **v)
{
  const char *const choices = wring_option_find(table, key)->choices, *choice = choices;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, v));
  const size_t size = choices ? find_choice(choices, *v, &choice) : 0;
  if (size) PetscCall(wring_options_keep_word(o, choice, size, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_choice(const wring_options *o, const char *prefix, const wring_option *table,
                                        const char *key, int *v)
{
  const wring_option *const p = wring_option_find(table, key);
  const char               *word, *choice = p->choices;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, table, key, &word));
  find_choice(p->choices, word, &choice);
  for (*v = 0; choice > p->choices; choice--) *v += choice[-1] == '|';
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value of the entry p. */
static PetscErrorCode read_entry(const wring_options *o, const char *prefix, const wring_option *p, void *value)
{
  PetscFunctionBegin;
  if (p->type == WRING_BOOL)
    PetscCall(wring_options_get_bool(o, prefix, p, p->key, value));
  else if (p->type == WRING_INT)
    PetscCall(wring_options_get_int(o, prefix, p, p->key, value));
  else if (p->type == WRING_REAL)
    PetscCall(wring_options_get_real(o, prefix, p, p->key, value));
  else if (!p->choices)
    PetscCall(wring_options_get_word(o, prefix, p, p->key, value));
  else
    PetscCall(wring_options_get_choice(o, prefix, p, p->key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_read(const wring_options *o, const char *prefix, const wring_option *table, void *settings)
{
  PetscFunctionBegin;
  for (const wring_option *p = table; p->key; p++) {
    if (!p->at || (!p->value && !wring_options_has(o, prefix, p->key))) continue;
    PetscCall(read_entry(o, prefix, p, (char *)settings + p->at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_word_list(const wring_options *o, const char *prefix, const wring_option *table,
                                           const char *key, PetscInt *n, char ***v)
{
  const char *text, *item;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  PetscCall(PetscCalloc1(count_items(text), v));
  *n = 0;
  for (size_t size; (size = next_item(&text, &item)) > 0; ++*n) {
    PetscCall(PetscMalloc1(size + 1, &(*v)[*n]));
    snprintf((*v)[*n], size + 1, "%s", item);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_path(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, size_t size, char *path)
{
  const char *const origin = wring_options_origin(o, prefix, key);
  const char       *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  const PetscBool typed = (PetscBool)(origin && strcmp(origin, WRING_COMMAND_LINE) == 0);
  PetscBool       as_is = (PetscBool)(text[0] == '/' || strcmp(o->directory, ".") == 0);
  int             n     = snprintf(path, size, "%s%s%s", as_is ? "" : o->directory, as_is ? "" : "/", text);
  if (!as_is && typed) {
    as_is = (PetscBool)(access(text, F_OK) == 0 || (size_t)n >= size || access(path, F_OK) != 0);
    if (as_is)
      n = snprintf(path, size, "%s", text);
    else
      PetscCall(wring_note(o->comm,
                           "%s: %s%s: %s is not in the working directory; the file beside the deck is taken, "
                           "as in wring 0.1: expected %s",
                           origin, prefix, key, text, path));
  }
  if (n < 0 || (size_t)n >= size)
    WRING_REFUSE(o->comm, "%s: %s%s: the path is longer than %zu characters", origin, prefix, key, size - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}
