/* Matches keys with the tables of all families: checks keys, finds the names in them, prints help. */
#include "base/text.h"
#include "options_impl.h"
#include <stdio.h>
#include <string.h>

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* Length of the part of a prefix before '*'; the whole length if there is none. */
static size_t fixed_part(const char *prefix)
{
  return strcspn(prefix, "*");
}

/* The size of the name that `*` stands for in key = prefix + option, or -1; 0 for a prefix without '*' that matches. */
static PetscInt match(const char *prefix, const char *option, const char *key)
{
  const size_t head = fixed_part(prefix), length = strlen(key);
  const char  *tail = prefix[head] ? prefix + head + 1 : "";
  const size_t end  = strlen(tail) + strlen(option);
  if (wring_ascii_compare_n(key, prefix, head)) return -1;
  if (!prefix[head]) return wring_ascii_compare(key + head, option) ? -1 : 0;
  if (length < head + end + 1) return -1;
  const char *rest = key + length - end;
  if (wring_ascii_compare_n(rest, tail, strlen(tail)) || wring_ascii_compare(rest + strlen(tail), option)) return -1;
  return (PetscInt)(length - head - end);
}

/* The key of an option, with a name [size] for '*'. */
static void make_key(const wring_schema *line, const char *name, size_t size, const char *option,
                     char key[OPTIONS_KEY_SIZE])
{
  const char *const star = strchr(line->prefix, '*');
  snprintf(key, OPTIONS_KEY_SIZE, "%.*s%.*s%s%s", (int)fixed_part(line->prefix), line->prefix, star ? (int)size : 0,
           name, star ? star + 1 : "", option);
}

const wring_option *wring_schema_find(PetscInt n_schema, const wring_schema *schema, const char *key, int i)
{
  for (PetscInt k = 0; k < n_schema; k++) {
    for (const wring_option *p = schema[k].options; p && p->key; p++) {
      if (match(schema[k].prefix, p->key, key) >= 0 && i-- == 0) return p;
    }
  }
  return NULL;
}

/* ---- unknown keys ------------------------------------------------------------------------------------------------ */

/*
  The size of the first part of `key`, as many words as the first part of a prefix, if it is misspelt by at most two
  letters: 10 for "tractions_top" and "traction_*_". Otherwise 0.
*/
static size_t misspelt_part(const char *prefix, const char *key)
{
  const size_t head = fixed_part(prefix);
  const char  *end  = key;
  char         near[OPTIONS_KEY_SIZE], part[OPTIONS_KEY_SIZE];
  for (size_t i = 0; i < head && end; i++)
    if (prefix[i] == '_') end = (end = strchr(end, '_')) ? end + 1 : NULL;
  if (!end) return 0;
  snprintf(near, sizeof near, "%.*s", (int)head, prefix);
  snprintf(part, sizeof part, "%.*s", (int)(end - key), key);
  return wring_edit_distance(near, part) <= 2 ? (size_t)(end - key) : 0;
}

/*
  *nearest becomes the full key of this option if that is nearer to `key` than *least. The name for '*' is a part of
  `key` itself, up to one of its '_', so that "attach_xmin_stifness" is near "attach_xmin_stiffness"; or the whole rest,
  so that "spring_net" is near "spring_net_file". "spring_file" lacks the name: "spring_NAME_file".
*/
static void try_option(const wring_schema *line, const char *option, const char *key, int *least,
                       char nearest[OPTIONS_KEY_SIZE])
{
  const PetscBool   named = (PetscBool)(strchr(line->prefix, '*') != NULL);
  const char *const name  = key + (named ? misspelt_part(line->prefix, key) : 0);
  const char       *cut   = named ? strchr(name, '_') : NULL;
  char              candidate[OPTIONS_KEY_SIZE];
  if (named && name == key) return;
  if (named && *least > 1 && !wring_ascii_compare(name, option)) {
    *least = 1;
    make_key(line, "NAME", 4, option, nearest);
    return;
  }
  for (cut = cut ? cut : name + strlen(name); cut; cut = *cut ? strchr(cut + 1, '_') : NULL) {
    make_key(line, name, (size_t)(cut - name), option, candidate);
    if (wring_is_nearer(candidate, key, least)) snprintf(nearest, OPTIONS_KEY_SIZE, "%s", candidate);
  }
}

/* The nearest prefix, without its last '_', as typed after `help`. */
static void nearest_prefix(PetscInt n_schema, const wring_schema *schema, const char *key, int *least, char *nearest)
{
  char candidate[OPTIONS_KEY_SIZE];
  for (PetscInt i = 0; i < n_schema; i++) {
    const size_t head = fixed_part(schema[i].prefix);
    snprintf(candidate, sizeof candidate, "%.*s", (int)(head ? head - 1 : 0), schema[i].prefix);
    if (wring_is_nearer(candidate, key, least)) snprintf(nearest, OPTIONS_KEY_SIZE, "%s", candidate);
  }
}

static int nearest_key(PetscInt n_schema, const wring_schema *schema, const char *key, char *nearest)
{
  int least  = OPTIONS_KEY_SIZE;
  nearest[0] = '\0';
  for (PetscInt i = 0; i < n_schema; i++)
    for (const wring_option *p = schema[i].options; p && p->key; p++)
      try_option(&schema[i], p->key, key, &least, nearest);
  return least;
}

/* A key at a larger distance is another one. */
static int most_distance(const char *key)
{
  const int length = (int)strlen(key);
  return length < 4 ? 1 : PetscMax(2, length / 7);
}

PetscErrorCode wring_options_refuse_help(MPI_Comm comm, PetscInt n_schema, const wring_schema *schema, const char *key)
{
  char nearest[OPTIONS_KEY_SIZE];

  PetscFunctionBegin;
  int least = nearest_key(n_schema, schema, key, nearest);
  nearest_prefix(n_schema, schema, key, &least, nearest);
  if (!least) WRING_REFUSE(comm, "help: '%s' has no keys, expected keys that `wring help deck` lists", key);
  const PetscBool near = (PetscBool)(least <= most_distance(key));
  WRING_REFUSE(comm, "help: no key has '%s' in its name or text%s%s%s `wring help deck` lists all", key,
               near ? ", did you mean " : "", near ? nearest : "", near ? "?" : ":");
}

/* A key below `key`, which is a map with names or options: "attach_NAME_stiffness" of "attach". */
static PetscBool find_in_family(PetscInt n_schema, const wring_schema *schema, const char *key,
                                char below[OPTIONS_KEY_SIZE])
{
  for (const wring_schema *s = schema; s < schema + n_schema; s++) {
    if (!s->options->key || fixed_part(s->prefix) != strlen(key) + 1) continue;
    if (wring_ascii_compare_n(s->prefix, key, strlen(key))) continue;
    make_key(s, "NAME", 4, s->options->key, below);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A key below `key`, which is the map of a name: "force_xmax_value" of "force_xmax". */
static PetscBool find_in_name(PetscInt n_schema, const wring_schema *schema, const char *key,
                              char below[OPTIONS_KEY_SIZE])
{
  for (const wring_schema *s = schema; s < schema + n_schema; s++) {
    const size_t head = fixed_part(s->prefix);
    if (!s->prefix[head] || head >= strlen(key) || wring_ascii_compare_n(s->prefix, key, head)) continue;
    const char *const name = key + head;
    make_key(s, "NAME", 4, name, below);
    if (strchr(name, '_') || wring_schema_find(n_schema, schema, below, 0)) continue; // an option without its name
    make_key(s, name, strlen(name), s->options->key, below);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The keys that lack a word after their first one in `key`: "solver_qn_history" for "solver_history". */
static void list_longer(PetscInt n_schema, const wring_schema *schema, const char *key, char list[OPTIONS_KEY_SIZE])
{
  const size_t first = strcspn(key, "_");
  char         full[OPTIONS_KEY_SIZE], pattern[OPTIONS_KEY_SIZE];
  if (!key[first] || !key[first + 1]) return;
  snprintf(pattern, sizeof pattern, "%.*s_*_", (int)first, key);
  for (PetscInt i = 0; i < n_schema; i++) {
    for (const wring_option *p = strchr(schema[i].prefix, '*') ? NULL : schema[i].options; p && p->key; p++) {
      make_key(&schema[i], "", 0, p->key, full);
      if (match(pattern, key + first + 1, full) > 0) wring_text_list(list, OPTIONS_KEY_SIZE, full);
    }
  }
}

/* The size of the longest beginning of `key` whose keys `wring help` lists; 0: there is none. */
static int known_part(PetscInt n_schema, const wring_schema *schema, const char *key)
{
  for (size_t size = strlen(key); size > 0; size--)
    for (PetscInt i = 0; i < n_schema && (key[size] == '_' || !key[size]); i++)
      if (!wring_ascii_compare_n(schema[i].prefix, key, size) && schema[i].prefix[size] == '_') return (int)size;
  return 0;
}

/* Whether a key begins with one of the words "a|b", or is one. */
static PetscBool begins_with(const char *key, const char *words)
{
  for (size_t length; *words; words += length + (words[length] == '|')) {
    length = strcspn(words, "|");
    if (!wring_ascii_compare_n(key, words, length) && (key[length] == '_' || !key[length])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* "gravity, body_force, drag": the keys of an owner without a prefix, and the first parts of its prefixes. */
static void list_families(PetscInt n_schema, const wring_schema *schema, const char *owner, char list[OPTIONS_KEY_SIZE])
{
  const char *last = NULL;
  char        family[OPTIONS_KEY_SIZE];
  for (PetscInt i = 0; i < n_schema; i++) {
    const size_t head = fixed_part(schema[i].prefix);
    if (strcmp(schema[i].owner, owner) || (last && !strcmp(schema[i].prefix, last))) continue;
    last = schema[i].prefix;
    for (const wring_option *p = schema[i].options; p->key && (!head || p == schema[i].options); p++) {
      snprintf(family, sizeof family, "%.*s", (int)(head ? head - 1 : strlen(p->key)), head ? last : p->key);
      wring_text_list(list, OPTIONS_KEY_SIZE, family);
    }
  }
}

static PetscErrorCode refuse_unknown(const wring_options *o, PetscInt n_schema, const wring_schema *schema,
                                     const wring_key_words *words, const options_entry *e)
{
  const char *const key = e->key;
  char              nearest[OPTIONS_KEY_SIZE], list[OPTIONS_KEY_SIZE] = "";

  PetscFunctionBegin;
  if (find_in_family(n_schema, schema, key, nearest))
    WRING_REFUSE(o->comm, "%s: key %s is a map, expected keys in it, such as %s (`wring help %s`)", e->origin, key,
                 nearest, key);
  const PetscBool below    = find_in_name(n_schema, schema, key, nearest);
  const int       distance = below ? 0 : nearest_key(n_schema, schema, key, nearest);
  const PetscBool begun    = (PetscBool)(key[0] && !wring_ascii_compare_n(nearest, key, strlen(key)));
  const PetscBool near     = (PetscBool)(begun || distance <= most_distance(key));
  for (; words && words->owner && !list[0]; words++)
    if (begins_with(key, words->words)) list_families(n_schema, schema, words->owner, list);
  if (!near && !list[0]) list_longer(n_schema, schema, key, list);
  if (near || list[0])
    WRING_REFUSE(o->comm, "%s: unknown key %s, did you mean %s%s%s%s?", e->origin, key, near ? nearest : "",
                 near && list[0] ? ", or " : "", strchr(list, ',') ? "one of " : "", list);
  const int known = known_part(n_schema, schema, key);
  WRING_REFUSE(o->comm, "%s: unknown key %s, expected one that `wring help %.*s` lists%s%s", e->origin, key,
               known ? known : 4, known ? key : "deck", known ? "" : ", or for an option of PETSc petsc_",
               known ? "" : key);
}

/* Checks a key even if nothing reads it. Tables that share a key may accept different values. */
static PetscErrorCode check_value(const wring_options *o, PetscInt n_schema, const wring_schema *schema,
                                  const options_entry *e)
{
  const wring_option *const first = wring_schema_find(n_schema, schema, e->key, 0), *p = first;
  char                      expected[512];

  PetscFunctionBegin;
  for (int k = 1; p; p = wring_schema_find(n_schema, schema, e->key, k++)) {
    if (e->bare ? p->type == WRING_BOOL : wring_option_accepts(p, e->value)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!e->bare) PetscCall(wring_option_refuse(o->comm, first, e->key, e->value, e->origin));
  wring_options_describe(first, sizeof expected, expected);
  WRING_REFUSE(o->comm, "%s: -%s has no value, expected %s", e->origin, e->key, expected);
}

PetscErrorCode wring_options_check(const wring_options *o, PetscInt n_schema, const wring_schema *schema,
                                   const wring_key_words *words)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < o->n; i++) {
    const options_entry *const e = &o->entry[i];
    if (!wring_schema_find(n_schema, schema, e->key, 0)) PetscCall(refuse_unknown(o, n_schema, schema, words, e));
    PetscCall(check_value(o, n_schema, schema, e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- alternatives ------------------------------------------------------------------------------------------------ */

static PetscBool is_typed(const options_entry *e)
{
  return (PetscBool)(strcmp(e->origin, WRING_COMMAND_LINE) == 0);
}

/* Whether e, a key of table p, stands in the place of `key`. */
static PetscBool stands_for(const options_entry *e, const wring_option *p, const char *key)
{
  const size_t prefix = strlen(e->key) - strlen(p->key);
  const char  *same;
  PetscBool    on;
  if (!p->instead || wring_ascii_compare_n(e->key, key, prefix)) return PETSC_FALSE;
  if (p->type == WRING_BOOL && wring_option_bool(e->value, &on) && !on) return PETSC_FALSE;
  return (PetscBool)(wring_option_find_choice(p->instead, key + prefix, &same) > 0);
}

static PetscBool is_replaced(const wring_options *o, PetscInt n_schema, const wring_schema *schema, const char *key)
{
  const wring_option *p;
  for (const options_entry *e = o->entry; e < o->entry + o->n; e++)
    for (int k = 0; is_typed(e) && (p = wring_schema_find(n_schema, schema, e->key, k)); k++)
      if (stands_for(e, p, key)) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode wring_options_settle(wring_options *o, PetscInt n_schema, const wring_schema *schema)
{
  PetscFunctionBegin;
  for (PetscInt i = o->n - 1; i >= 0; i--)
    if (!is_typed(&o->entry[i]) && is_replaced(o, n_schema, schema, o->entry[i].key))
      PetscCall(wring_options_remove(o, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

enum { LONGEST = 127 }; // characters of a name

/* The possible interpretations of a key: the names in it. */
typedef struct {
  PetscInt known[2], n_known; // indices of known names, at most two
  PetscInt size;              // of the shortest name, before the longest option; used if no known name matches
} reading;

static reading read_key(const char *family, PetscInt n_schema, const wring_schema *schema, PetscInt n_known,
                        const char *const *known, const char *key)
{
  const size_t head = strlen(family);
  reading      r    = {.size = -1};
  for (PetscInt i = 0; i < n_schema; i++) {
    if (strncmp(schema[i].prefix, family, head) || strncmp(schema[i].prefix + head, "*_", 2)) continue;
    for (const wring_option *p = schema[i].options; p && p->key; p++) {
      const PetscInt size = match(schema[i].prefix, p->key, key);
      if (size <= 0) continue;
      if (r.size < 0 || size < r.size) r.size = size;
      for (PetscInt k = 0; k < n_known; k++) {
        const PetscBool is =
          (PetscBool)((PetscInt)strlen(known[k]) == size && !wring_ascii_compare_n(known[k], key + head, (size_t)size));
        const PetscBool seen = (PetscBool)(r.n_known > 0 && r.known[0] == k); // one option in several tables
        if (is && !seen && r.n_known < 2) r.known[r.n_known++] = k;
      }
    }
  }
  return r;
}

static PetscErrorCode add_name(const char *name, size_t size, PetscInt *n, char ***names)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < *n; i++) {
    if (strlen((*names)[i]) == size && !wring_ascii_compare_n((*names)[i], name, size))
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscRealloc(sizeof **names * ((size_t)*n + 1), names));
  PetscCall(PetscMalloc1(size + 1, &(*names)[*n]));
  memcpy((*names)[*n], name, size);
  (*names)[(*n)++][size] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_names(const wring_options *o, const char *family, PetscInt n_schema,
                                   const wring_schema *schema, PetscInt n_known, const char *const *known, PetscInt *n,
                                   char ***names)
{
  const size_t head = strlen(family);

  PetscFunctionBegin;
  *n     = 0;
  *names = NULL;
  for (PetscInt i = 0; i < o->n; i++) {
    const char *key = o->entry[i].key;
    if (wring_ascii_compare_n(key, family, head)) continue;
    const reading r = read_key(family, n_schema, schema, n_known, known, key);
    if (r.n_known > 1) {
      PetscCall(wring_words_destroy(*n, names));
      WRING_REFUSE(o->comm, "%s: key %s can mean both '%s' and '%s': rename one of them", o->entry[i].origin, key,
                   known[r.known[0]], known[r.known[1]]);
    }
    const char *const name = r.n_known == 1 ? known[r.known[0]] : key + head;
    const size_t      size = r.n_known == 1 ? strlen(name) : (size_t)PetscMax(r.size, 0);
    if (size > LONGEST) {
      PetscCall(wring_words_destroy(*n, names));
      WRING_REFUSE(o->comm, "%s: key %.40s...: a name has at most %d characters", o->entry[i].origin, key, LONGEST);
    }
    if (size > 0) PetscCall(add_name(name, size, n, names));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

enum { OWNERS = 512 }; // characters

/* Whether a line has the key of an option with the same help and default. */
static PetscBool has_alike(const wring_schema *line, const wring_option *p)
{
  const wring_option *const q = wring_option_find(line->options, p->key);
  return (PetscBool)(q && !strcmp(q->help, p->help) && !strcmp(q->value ? q->value : "", p->value ? p->value : ""));
}

/* "owner, owner" of the same key in this line and later ones: young of corotated and of neohookean makes one entry. */
static void join_owners(PetscInt i, PetscInt n_schema, const wring_schema *schema, const wring_option *p, size_t size,
                        char *owners)
{
  const size_t family = strcspn(schema[i].owner, " ");
  snprintf(owners, size, "%s", schema[i].owner);
  for (PetscInt k = i + 1; k < n_schema; k++) {
    if (strcmp(schema[k].prefix, schema[i].prefix) || !has_alike(&schema[k], p)) continue;
    const PetscBool same = (PetscBool)!strncmp(schema[k].owner, schema[i].owner, family + 1);
    wring_text_list(owners, size, schema[k].owner + (same ? family + 1 : 0));
  }
}

/* Whether an earlier line has this line's table under a prefix without a name: keys of a region, of a variant. */
static PetscBool said_elsewhere(PetscInt i, const wring_schema *schema)
{
  if (!strchr(schema[i].prefix, '*')) return PETSC_FALSE;
  for (PetscInt k = 0; k < i; k++) {
    if (schema[k].options == schema[i].options && !strchr(schema[k].prefix, '*')) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether an earlier printed line with the same prefix has the option; all: lines said_elsewhere are not printed. */
static PetscBool said_before(PetscInt i, const wring_schema *schema, const wring_option *p, PetscBool all)
{
  for (PetscInt k = 0; k < i; k++) {
    if (all && said_elsewhere(k, schema)) continue;
    if (!strcmp(schema[k].prefix, schema[i].prefix) && has_alike(&schema[k], p)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode wring_options_visit(PetscInt n_schema, const wring_schema *schema, const char *key,
                                   wring_options_visitor *visit, void *context, PetscInt *n)
{
  char full[OPTIONS_KEY_SIZE], owners[OWNERS];

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt i = 0; i < n_schema; i++) {
    if (!key && said_elsewhere(i, schema)) continue;
    for (const wring_option *p = schema[i].options; p && p->key; p++) {
      make_key(&schema[i], "NAME", 4, p->key, full);
      const PetscBool asked = (PetscBool)(!key || !wring_ascii_compare_n(full, key, strlen(key)) ||
                                          match(schema[i].prefix, p->key, key) >= 0);
      if (!asked || said_before(i, schema, p, (PetscBool)!key)) continue;
      join_owners(i, n_schema, schema, p, sizeof owners, owners);
      PetscCall(visit(context, full, p, owners));
      (*n)++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  MPI_Comm    comm;
  char        heading[OWNERS]; // of the entry before
  const char *word;            // entries that have it are printed; NULL: all
  PetscInt    n;               // their number
} help_state;

static PetscBool has_word(const char *text, const char *word)
{
  for (; text && *text; text++)
    if (!wring_ascii_compare_n(text, word, strlen(word))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Prints an entry, below the heading `owners` if it differs from the previous one. A closed pipe is no error. */
static PetscErrorCode print_entry(void *context, const char *key, const wring_option *p, const char *owners)
{
  help_state *const s = context;
  char              accepts[512];

  PetscFunctionBegin;
  wring_options_describe(p, sizeof accepts, accepts);
  if (s->word && !has_word(key, s->word) && !has_word(p->help, s->word) && !has_word(accepts, s->word) &&
      !has_word(owners, s->word))
    PetscFunctionReturn(PETSC_SUCCESS);
  s->n++;
  if (strcmp(owners, s->heading)) (void)PetscPrintf(s->comm, "%s---- %s ----\n", s->heading[0] ? "\n" : "", owners);
  snprintf(s->heading, sizeof s->heading, "%s", owners);
  (void)PetscPrintf(s->comm, "%s: %s%s%s\n    %s\n", key, accepts, p->value ? "; default " : "",
                    p->value ? p->value : "", p->help);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_options_help(MPI_Comm comm, PetscInt n_schema, const wring_schema *schema, const char *key,
                                  PetscInt *n_printed)
{
  help_state s = {.comm = comm};

  PetscFunctionBegin;
  PetscCall(wring_options_visit(n_schema, schema, key, print_entry, &s, n_printed));
  if (*n_printed > 0 || !key) PetscFunctionReturn(PETSC_SUCCESS);
  s.word = key;
  PetscCall(wring_options_visit(n_schema, schema, NULL, print_entry, &s, n_printed));
  *n_printed = s.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
