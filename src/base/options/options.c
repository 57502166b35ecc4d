/* The database of options: keys, values and their origins. */
#include "options_impl.h"
#include <string.h>

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

static PetscErrorCode destroy_words(options_word **words)
{
  PetscFunctionBegin;
  for (options_word *w = *words, *next; w; w = next) {
    next = w->next;
    PetscCall(PetscFree(w));
  }
  PetscCall(PetscFree(words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_destroy(wring_options **options)
{
  wring_options *o = *options;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < o->n; i++) {
    PetscCall(PetscFree(o->entry[i].key));
    PetscCall(PetscFree(o->entry[i].value));
    PetscCall(PetscFree(o->entry[i].origin));
  }
  PetscCall(PetscCommDestroy(&o->held));
  PetscCall(PetscFree(o->entry));
  PetscCall(PetscFree(o->directory));
  PetscCall(PetscFree(o->deck));
  PetscCall(PetscFree(o->command_line));
  PetscCall(destroy_words(o->words));
  PetscCall(PetscFree(*options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const options_entry *wring_options_find(const wring_options *o, const char *prefix, const char *key)
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
  if (o->n == o->capacity) {
    o->capacity = PetscMax(2 * o->capacity, 32);
    PetscCall(PetscRealloc(sizeof *o->entry * (size_t)o->capacity, &o->entry));
  }
  *entry  = &o->entry[o->n++];
  **entry = (options_entry){0};
  PetscCall(PetscStrallocpy(key, &(*entry)->key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_set(wring_options *o, const char *key, const char *value, const char *origin)
{
  options_entry *entry = (options_entry *)wring_options_find(o, "", key);

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
  return (PetscBool)(wring_options_find(o, prefix, key) != NULL);
}

const char *wring_options_origin(const wring_options *o, const char *prefix, const char *key)
{
  const options_entry *entry = wring_options_find(o, prefix, key);
  return entry ? entry->origin : NULL;
}

const char *wring_options_text(const wring_options *o, const char *prefix, const wring_option *p)
{
  const options_entry *const entry = wring_options_find(o, prefix, p->key);
  return entry ? entry->value : p->value;
}

PetscBool wring_options_has_any(const wring_options *o, const char *prefix, const wring_option *table)
{
  for (; table->key; table++)
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

PetscErrorCode wring_options_keep_word(const wring_options *o, const char *text, size_t size, const char **kept)
{
  options_word *w;

  PetscFunctionBegin;
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
