/* The database of options: keys, values and their origins; its values, and structs of settings. */
#define _POSIX_C_SOURCE 200809L // access
#include "base/grow.h"
#include "options_impl.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static PetscErrorCode replace_text(char **text, const char *other)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(*text));
  PetscCall(PetscStrallocpy(other, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_create(MPI_Comm comm, wring_options **options)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  o->comm = comm;
  PetscCall(PetscCommDuplicate(comm, &o->held, NULL));
  PetscCall(PetscStrallocpy(".", &o->directory));
  PetscCall(PetscStrallocpy("deck", &o->deck));
  PetscCall(PetscStrallocpy("", &o->command_line));
  PetscCall(PetscNew(&o->words));
  *options = o;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_remove(wring_options *o, PetscInt i)
{
  options_entry *const e = &o->entry[i];

  PetscFunctionBegin;
  PetscCall(PetscFree(e->key));
  PetscCall(PetscFree(e->value));
  PetscCall(PetscFree(e->origin));
  memmove(e, e + 1, sizeof *e * (size_t)(--o->n - i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_destroy(wring_options **options)
{
  wring_options *o = *options;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  while (o->n > 0) PetscCall(wring_options_remove(o, o->n - 1));
  PetscCall(PetscCommDestroy(&o->held));
  PetscCall(PetscFree(o->entry));
  PetscCall(PetscFree(o->directory));
  PetscCall(PetscFree(o->deck));
  PetscCall(PetscFree(o->command_line));
  for (options_word *w = *o->words, *next; w; w = next) {
    next = w->next;
    PetscCall(PetscFree(w));
  }
  PetscCall(PetscFree(o->words));
  PetscCall(PetscFree(*options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entry of prefix + key, without regard to case, or NULL. */
static const options_entry *find(const wring_options *o, const char *prefix, const char *key)
{
  const size_t length = strlen(prefix);
  for (PetscInt i = 0; i < o->n; i++) {
    const char *k = o->entry[i].key;
    if (!wring_ascii_compare_n(k, prefix, length) && !wring_ascii_compare(k + length, key)) return &o->entry[i];
  }
  return NULL;
}

static PetscErrorCode add_entry(wring_options *o, const char *key, options_entry **entry)
{
  PetscFunctionBegin;
  PetscCall(wring_grow((PetscInt64)o->n + 1, &o->capacity, sizeof *o->entry, &o->entry));
  *entry  = &o->entry[o->n++];
  **entry = (options_entry){0};
  PetscCall(PetscStrallocpy(key, &(*entry)->key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_set(wring_options *o, const char *key, const char *value, const char *origin)
{
  options_entry *entry = (options_entry *)find(o, "", key);

  PetscFunctionBegin;
  if (!entry) PetscCall(add_entry(o, key, &entry));
  PetscCall(replace_text(&entry->value, value ? value : "true"));
  PetscCall(replace_text(&entry->origin, origin));
  entry->bare = (PetscBool)(value == NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_copy(const wring_options *o, const char *without, wring_options **copy)
{
  PetscFunctionBegin;
  PetscCall(wring_options_create(o->comm, copy));
  PetscCall(wring_options_set_deck(*copy, o->deck));
  PetscCall(wring_options_set_command_line(*copy, o->command_line));
  for (PetscInt i = 0; i < o->n; i++) {
    const options_entry *const e = &o->entry[i];
    if (wring_ascii_compare_n(e->key, without, strlen(without)))
      PetscCall(wring_options_set(*copy, e->key, e->bare ? NULL : e->value, e->origin));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

MPI_Comm wring_options_comm(const wring_options *o)
{
  return o->comm;
}

PetscErrorCode wring_options_set_deck(wring_options *o, const char *file)
{
  const char *const slash = strrchr(file, '/');

  PetscFunctionBegin;
  PetscCall(replace_text(&o->deck, file));
  PetscCall(replace_text(&o->directory, slash ? file : "."));
  if (slash) o->directory[PetscMax(slash - file, 1)] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_set_command_line(wring_options *o, const char *line)
{
  PetscFunctionBegin;
  PetscCall(replace_text(&o->command_line, line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_options_command_line(const wring_options *o)
{
  return o->command_line;
}

const char *wring_options_deck(const wring_options *o)
{
  return o->deck;
}

PetscInt wring_options_count(const wring_options *o)
{
  return o->n;
}

void wring_options_entry(const wring_options *o, PetscInt i, const char **key, const char **value, const char **origin)
{
  *key    = o->entry[i].key;
  *value  = o->entry[i].value;
  *origin = o->entry[i].origin;
}

PetscBool wring_options_has(const wring_options *o, const char *prefix, const char *key)
{
  return (PetscBool)(find(o, prefix, key) != NULL);
}

const char *wring_options_origin(const wring_options *o, const char *prefix, const char *key)
{
  const options_entry *entry = find(o, prefix, key);
  return entry ? entry->origin : NULL;
}

const char *wring_options_text(const wring_options *o, const char *prefix, const wring_option *p)
{
  const options_entry *const entry = find(o, prefix, p->key);
  return entry ? entry->value : p->value;
}

PetscBool wring_options_has_any(const wring_options *o, const char *prefix, const wring_option *table)
{
  for (; table && table->key; table++)
    if (wring_options_has(o, prefix, table->key)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The first entry whose key begins with prefix, or NULL. */
static const options_entry *find_family(const wring_options *o, const char *prefix)
{
  for (PetscInt i = 0; i < o->n; i++)
    if (!wring_ascii_compare_n(o->entry[i].key, prefix, strlen(prefix))) return &o->entry[i];
  return NULL;
}

PetscBool wring_options_has_family(const wring_options *o, const char *prefix)
{
  return (PetscBool)(find_family(o, prefix) != NULL);
}

const char *wring_options_family_origin(const wring_options *o, const char *prefix)
{
  const options_entry *const entry = find_family(o, prefix);
  return entry ? entry->origin : o->deck;
}

PetscErrorCode wring_options_refuse_both(const wring_options *o, const char *prefix, const char *key, const char *other,
                                         const char *why)
{
  const char *const origin = wring_options_origin(o, prefix, key);
  const char *const place  = wring_options_origin(o, prefix, other);

  PetscFunctionBegin;
  if (!origin || !place) PetscFunctionReturn(PETSC_SUCCESS);
  if (why)
    WRING_REFUSE(o->comm, "%s: %s%s and %s%s are both given, but %s: expected one of them", origin, prefix, key, prefix,
                 other, why);
  WRING_REFUSE(o->comm, "%s: %s%s and %s%s (%s) are both given, expected one of them", origin, prefix, key, prefix,
               other, place);
}

/* The text among those that are kept, or NULL. */
static const char *find_word(const wring_options *o, const char *text, size_t size)
{
  for (const options_word *w = *o->words; w; w = w->next)
    if (strncmp(w->text, text, size) == 0 && w->text[size] == '\0') return w->text;
  return NULL;
}

/* A copy of text [size], kept until the database is destroyed; one copy of each text. */
static PetscErrorCode keep_word(const wring_options *o, const char *text, size_t size, const char **kept)
{
  options_word *w;

  PetscFunctionBegin;
  *kept = find_word(o, text, size);
  if (*kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc(sizeof *w + size + 1, &w));
  memcpy(w->text, text, size);
  w->text[size] = '\0';
  w->next       = *o->words;
  *o->words     = w;
  *kept         = w->text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_option *wring_option_find(const wring_option *table, const char *key)
{
  for (; table && table->key; table++) {
    if (!wring_ascii_compare(table->key, key)) return table;
  }
  return NULL;
}

PetscErrorCode wring_words_destroy(PetscInt n, char ***v)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; *v && i < n; i++) PetscCall(PetscFree((*v)[i]));
  PetscCall(PetscFree(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The text of a value, which its option accepts. */
static PetscErrorCode find_text(const wring_options *o, const char *prefix, const wring_option *table, const char *key,
                                const char **text)
{
  const wring_option *const p      = wring_option_find(table, key);
  const char *const         origin = wring_options_origin(o, prefix, key);
  char                      expected[512], full[OPTIONS_KEY_SIZE];

  PetscFunctionBegin;
  PetscCheck(p, o->comm, PETSC_ERR_PLIB, "Option '%s' is in no table", key);
  *text = wring_options_text(o, prefix, p);
  if (*text && wring_option_accepts(p, *text)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(full, sizeof full, "%s%s", prefix, p->key);
  if (*text) PetscCall(wring_option_refuse(o->comm, p, full, *text, origin ? origin : "default"));
  wring_options_describe(p, sizeof expected, expected);
  WRING_REFUSE(o->comm, "%s: %s%s is missing: expected %s (%s)", o->deck, prefix, key, expected, p->help);
}

PetscErrorCode wring_options_require(const wring_options *o, const char *prefix, const wring_option *table,
                                     const char *key)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_bool(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, PetscBool *v)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  wring_option_bool(text, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_int(const wring_options *o, const char *prefix, const wring_option *table,
                                     const char *key, PetscInt *v)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  wring_option_int(text, strlen(text), v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_real(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, double *v)
{
  const char *text;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  wring_option_real(text, strlen(text), v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_reals(const wring_options *o, const char *prefix, const wring_option *table,
                                       const char *key, double *v)
{
  const char *text, *item;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  for (size_t size; (size = wring_option_next_item(&text, &item)) > 0; v++) wring_option_real(item, size, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_angles(const wring_options *o, const char *prefix, const wring_option *table,
                                        const char *key, double v[3])
{
  char rad[64];

  PetscFunctionBegin;
  snprintf(rad, sizeof rad, "%s_rad", key);
  const PetscBool in_rad = wring_options_has(o, prefix, rad);
  PetscCall(wring_options_refuse_both(o, prefix, rad, key, NULL));
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
  PetscCall(PetscMalloc1(wring_option_count_items(text), v));
  *n = 0;
  for (size_t size; (size = wring_option_next_item(&text, &item)) > 0; ++*n) wring_option_int(item, size, *v + *n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_word(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, const char **v)
{
  const char *const choices = wring_option_choices(wring_option_find(table, key)), *choice = choices;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, v));
  const size_t size = choices ? wring_option_find_choice(choices, *v, &choice) : 0;
  if (size) PetscCall(keep_word(o, choice, size, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_choice(const wring_options *o, const char *prefix, const wring_option *table,
                                        const char *key, int *v)
{
  const char *const choices = wring_option_choices(wring_option_find(table, key)), *choice = choices;
  const char       *word;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, table, key, &word));
  wring_option_find_choice(choices, word, &choice);
  for (*v = 0; choice > choices; choice--) *v += choice[-1] == '|';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_word_list(const wring_options *o, const char *prefix, const wring_option *table,
                                           const char *key, PetscInt *n, char ***v)
{
  const char *text, *item;

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  PetscCall(PetscCalloc1(wring_option_count_items(text), v));
  *n = 0;
  for (size_t size; (size = wring_option_next_item(&text, &item)) > 0; ++*n) {
    PetscCall(PetscMalloc1(size + 1, &(*v)[*n]));
    snprintf((*v)[*n], size + 1, "%s", item);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_get_path(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, size_t size, char *path)
{
  const char *const origin = wring_options_origin(o, prefix, key);
  const char       *text, *word;
  char              said[OPTIONS_KEY_SIZE + PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(find_text(o, prefix, table, key, &text));
  const PetscBool typed = (PetscBool)(origin && strcmp(origin, WRING_COMMAND_LINE) == 0);
  PetscBool       as_is = (PetscBool)(text[0] == '/' || strcmp(o->directory, ".") == 0);
  int             n     = snprintf(path, size, "%s%s%s", as_is ? "" : o->directory, as_is ? "" : "/", text);
  if (!as_is && typed) {
    as_is = (PetscBool)(access(text, F_OK) == 0 || (size_t)n >= size || access(path, F_OK) != 0);
    if (as_is) {
      n = snprintf(path, size, "%s", text);
    } else {
      snprintf(said, sizeof said, "%s: %s", find(o, prefix, key)->key, path);
      if (!find_word(o, said, strlen(said)))
        PetscCall(wring_note(o->comm,
                             "%s: %s%s: %s is not in the working directory; the file beside the deck is taken, "
                             "as in wring 0.1: expected %s",
                             origin, prefix, key, text, path));
      PetscCall(keep_word(o, said, strlen(said), &word)); // the record of a result asks for it again
    }
  }
  if (n < 0 || (size_t)n >= size)
    WRING_REFUSE(o->comm, "%s: %s%s: the path is longer than %zu characters", origin, prefix, key, size - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- structs of settings ----------------------------------------------------------------------------------------- */

/* The numbers of a list; angles in degrees may be given in radians. */
static PetscErrorCode read_list(const wring_options *o, const char *prefix, const wring_option *p, void *value)
{
  PetscInt n, *list;

  PetscFunctionBegin;
  if (p->type == WRING_REALS && p->unit && strncmp(p->unit, "deg", 3) == 0) {
    PetscCall(wring_options_get_angles(o, prefix, p, p->key, value));
  } else if (p->type == WRING_REALS) {
    PetscCall(wring_options_get_reals(o, prefix, p, p->key, value));
  } else {
    PetscCall(wring_options_get_int_list(o, prefix, p, p->key, &n, &list));
    PetscCall(PetscArraycpy((PetscInt *)value, list, n));
    PetscCall(PetscFree(list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_path(const wring_options *o, const char *prefix, const wring_option *p, const char **value)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(o, prefix, p, p->key, sizeof path, path));
  PetscCall(keep_word(o, path, strlen(path), value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entry(const wring_options *o, const char *prefix, const wring_option *p, void *value)
{
  PetscFunctionBegin;
  if (p->type == WRING_BOOL)
    PetscCall(wring_options_get_bool(o, prefix, p, p->key, value));
  else if (p->type == WRING_INT)
    PetscCall(wring_options_get_int(o, prefix, p, p->key, value));
  else if (p->type == WRING_REAL)
    PetscCall(wring_options_get_real(o, prefix, p, p->key, value));
  else if (p->type == WRING_WORD && p->choices)
    PetscCall(wring_options_get_choice(o, prefix, p, p->key, value));
  else if (p->type == WRING_WORD)
    PetscCall(wring_options_get_word(o, prefix, p, p->key, value));
  else if (p->type == WRING_PATH)
    PetscCall(read_path(o, prefix, p, value));
  else
    PetscCall(read_list(o, prefix, p, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_read(const wring_options *o, const char *prefix, const wring_option *table, void *settings)
{
  PetscFunctionBegin;
  for (const wring_option *p = table; p && p->key; p++) {
    if (!p->at || (!p->value && !wring_options_has(o, prefix, p->key))) continue;
    PetscCall(read_entry(o, prefix, p, (char *)settings + p->at - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
