/*
  Decks: YAML flattened to keys, then the command line. Rank 0 reads the file; every rank parses the same text, so that
  all ranks find the same error.
*/
#include "base/text.h"
#include <wring/io.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { KEY_SIZE = 256, MAX_DECK = 16, MAX_KEYS = 4096 }; // MAX_DECK [MiB]: a larger file, such as a mesh, is no deck

typedef struct {
  const char    *file, *text; // as typed; its content
  wring_options *o;
  yaml_parser_t  yaml;
  wring_error    e;
  wring_options *seen; // the keys so far, of maps and of values, with their lines as origins
} reader;

static void __attribute__((format(printf, 3, 4))) refuse(reader *r, yaml_mark_t mark, const char *format, ...)
{
  char    what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  wring_error_set(&r->e, "%s:%zu: %s", r->file, mark.line + 1, what);
}

static void refuse_syntax(reader *r)
{
  yaml_mark_t at = r->yaml.problem_mark;
  if (r->yaml.error == YAML_READER_ERROR) { // libyaml gives no line for bytes that are not text
    at = (yaml_mark_t){0};
    for (size_t i = 0; i < r->yaml.problem_offset; i++, at.column++) {
      if (r->text[i] != '\n') continue;
      at.line++;
      at.column = (size_t)-1;
    }
  }
  const PetscBool tab = (PetscBool)(at.index < strlen(r->text) && r->text[at.index] == '\t');
  refuse(r, at, "not valid YAML in column %zu: %s%s", at.column + 1,
         r->yaml.problem ? r->yaml.problem : "unknown fault", tab ? " (a tab: indent with blanks)" : "");
}

/*
  True for a text that fits into one line of an error: without line ends, zeros and other control characters but tabs.
*/
static PetscBool is_one_line(const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (wring_text_is_control(text[i]) && text[i] != '\t') return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The feature of YAML that an event uses and decks do not support, or NULL. */
static const char *not_read(const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return "an alias (*name)";
  case YAML_SCALAR_EVENT:
    if (event->data.scalar.anchor) return "an anchor (&name)";
    if (event->data.scalar.tag) return "a tag (!name)";
    return is_one_line((const char *)event->data.scalar.value, event->data.scalar.length) ? NULL
                                                                                          : "a string of several lines";
  case YAML_MAPPING_START_EVENT:
    return event->data.mapping_start.anchor || event->data.mapping_start.tag ? "an anchor or tag" : NULL;
  case YAML_SEQUENCE_START_EVENT:
    return event->data.sequence_start.anchor || event->data.sequence_start.tag ? "an anchor or tag" : NULL;
  default:
    return NULL;
  }
}

/* The next event, deleted by the caller; false if the text is not YAML or uses features that decks do not support. */
static PetscBool next_event(reader *r, yaml_event_t *event)
{
  if (!yaml_parser_parse(&r->yaml, event)) {
    refuse_syntax(r);
    return PETSC_FALSE;
  }
  const char *const what = not_read(event);
  if (!what) return PETSC_TRUE;
  refuse(r, event->start_mark, "%s is not supported in a deck: write the value itself, on one line", what);
  yaml_event_delete(event);
  return PETSC_FALSE;
}

/* Every key of the deck, of maps and of values, may be given once; keys are case-insensitive. */
static PetscErrorCode see_key(reader *r, const char *key, yaml_mark_t mark)
{
  const char *const first = wring_options_origin(r->seen, "", key);
  char              line[32];

  PetscFunctionBegin;
  snprintf(line, sizeof line, "%zu", mark.line + 1);
  if (first)
    refuse(r, mark, "key %s is given twice (first in line %s)", key, first);
  else if (wring_options_count(r->seen) == MAX_KEYS)
    refuse(r, mark, "more than %d keys, too many for a deck", MAX_KEYS);
  else
    PetscCall(wring_options_set(r->seen, key, NULL, line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keys with prefix petsc_ are options of PETSc. */
static PetscBool is_petsc(const char *key)
{
  return (PetscBool)!wring_ascii_compare_n(key, "petsc_", 6);
}

/* value: NULL if none is given, which only PETSc's options and booleans allow. */
static PetscErrorCode set_value(wring_options *o, const char *key, const char *value, const char *origin,
                                wring_error *e)
{
  char      name[KEY_SIZE + 1];
  PetscBool queried;

  PetscFunctionBegin;
  if (strpbrk(key, ",\"")) {
    wring_error_set(e, "%s: key %s: expected a name without commas and quotes, as columns of tables have it", origin,
                    key);
  } else if (!is_petsc(key)) {
    PetscCall(wring_options_set(o, key, value, origin));
  } else if (!wring_text_is_letter(key[6])) {
    wring_error_set(e, "%s: key %s: expected an option of PETSc after petsc_, such as petsc_ksp_view", origin, key);
  } else {
    snprintf(name, sizeof name, "-%s", key + 6);
    PetscCall(PetscOptionsSetValue(NULL, name, value));
    if (strcmp(name, "-log_view")) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscLogDefaultBegin()); // PETSc would begin at its start, and queries the option at its end only
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &queried));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_from_deck(reader *r, const char *key, const char *value, yaml_mark_t mark)
{
  char origin[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  snprintf(origin, sizeof origin, "%s:%zu", r->file, mark.line + 1);
  PetscCall(set_value(r->o, key, value, origin, &r->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* True for a plain scalar that YAML reads as null: `key:`, `key: ~`, `key: null`. */
static PetscBool is_null(const yaml_event_t *event)
{
  const char *text = (const char *)event->data.scalar.value;
  if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return PETSC_FALSE;
  return (PetscBool)(!*text || !strcmp(text, "~") || !wring_ascii_compare(text, "null"));
}

/* Reads the rest of a list of scalars, joined by commas; *list is freed by the caller. */
static PetscErrorCode read_list(reader *r, const char *key, char **list)
{
  yaml_event_t event;
  size_t       n = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, list));
  while (!wring_failed(&r->e) && next_event(r, &event)) {
    const PetscBool scalar = (PetscBool)(event.type == YAML_SCALAR_EVENT);
    if (event.type == YAML_SEQUENCE_END_EVENT) {
      yaml_event_delete(&event);
      break;
    }
    if (scalar && !is_null(&event) && !strpbrk((const char *)event.data.scalar.value, ", \t")) {
      const size_t size = event.data.scalar.length;
      PetscCall(PetscRealloc(n + size + 2, list));
      if (n) (*list)[n++] = ',';
      memcpy(*list + n, event.data.scalar.value, size + 1);
      n += size;
    } else {
      refuse(r, event.start_mark,
             "%s: a list may contain numbers and words only, not strings with blanks, lists, maps or empty items", key);
    }
    yaml_event_delete(&event);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_map(reader *r, size_t length, char *key);

/* "{poisson: 0,45}" is the key poisson with value 0, and the key 45 without a value. */
static void refuse_null(reader *r, const char *key, yaml_mark_t mark)
{
  const char *const last  = strrchr(key, '_');
  const PetscBool   comma = (PetscBool)(last && wring_text_is_digit(last[1]));
  refuse(r, mark, "%s has no value: %s", key,
         comma ? "decimals are written with a point, as in 0.5, not with a comma" : "a value is expected");
}

/* Reads the value of key: a scalar, a list or a map, whose keys are appended after `length` characters of key. */
static PetscErrorCode read_value(reader *r, size_t length, char *key)
{
  yaml_event_t event;
  char        *list;

  PetscFunctionBegin;
  if (!next_event(r, &event)) PetscFunctionReturn(PETSC_SUCCESS);
  const yaml_mark_t mark = event.start_mark;
  if (event.type == YAML_SCALAR_EVENT) {
    const char *value = is_null(&event) ? NULL : (const char *)event.data.scalar.value;
    if (!value && !is_petsc(key))
      refuse_null(r, key, mark);
    else
      PetscCall(set_from_deck(r, key, value, mark));
  } else if (event.type == YAML_SEQUENCE_START_EVENT) {
    PetscCall(read_list(r, key, &list));
    if (!wring_failed(&r->e)) PetscCall(set_from_deck(r, key, list, mark));
    PetscCall(PetscFree(list));
  } else {
    PetscCall(read_map(r, length, key));
  }
  yaml_event_delete(&event);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a map's key to the path in key; returns the new length, or 0 after an error. */
static size_t append_key(reader *r, const yaml_event_t *event, size_t length, char *key)
{
  if (event->type != YAML_SCALAR_EVENT || !event->data.scalar.length) {
    refuse(r, event->start_mark, "a key is expected: one word");
    return 0;
  }
  const int n =
    snprintf(key + length, KEY_SIZE - length, "%s%s", length ? "_" : "", (const char *)event->data.scalar.value);
  if (length + (size_t)n >= KEY_SIZE) {
    refuse(r, event->start_mark, "key %.40s... is longer than %d characters", key, KEY_SIZE - 1);
    return 0;
  }
  return length + (size_t)n;
}

/* Reads the rest of a map whose keys follow the first `length` characters of key. */
static PetscErrorCode read_map(reader *r, size_t length, char *key)
{
  yaml_event_t event;
  PetscBool    empty = PETSC_TRUE;

  PetscFunctionBegin;
  while (!wring_failed(&r->e) && next_event(r, &event)) {
    const PetscBool   end  = (PetscBool)(event.type == YAML_MAPPING_END_EVENT);
    const yaml_mark_t mark = event.start_mark;
    const size_t      n    = end ? 0 : append_key(r, &event, length, key);
    yaml_event_delete(&event);
    if (end && empty) refuse(r, mark, "%s is an empty map: keys and values are expected", length ? key : "the deck");
    empty = PETSC_FALSE;
    if (!n) break;
    PetscCall(see_key(r, key, mark));
    if (!wring_failed(&r->e)) PetscCall(read_value(r, n, key));
    key[length] = '\0';
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the map that a deck is; refuses one that is empty, not a map, or followed by another. */
static PetscErrorCode read_document(reader *r)
{
  yaml_event_t event;
  char         key[KEY_SIZE] = "";
  PetscBool    done = PETSC_FALSE, end = PETSC_FALSE;

  PetscFunctionBegin;
  while (!end && !wring_failed(&r->e) && next_event(r, &event)) {
    const yaml_event_type_t type = event.type;
    end                          = (PetscBool)(type == YAML_STREAM_END_EVENT);
    if (end && !done) wring_error_set(&r->e, "%s:1: the deck is empty: keys and values are expected", r->file);
    if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT)
      refuse(r, event.start_mark, "a deck is a map, key: value");
    if (type == YAML_DOCUMENT_START_EVENT && done) refuse(r, event.start_mark, "a second document (---), expected one");
    if (type == YAML_MAPPING_START_EVENT) {
      PetscCall(read_map(r, 0, key));
      done = PETSC_TRUE;
    }
    yaml_event_delete(&event);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode parse(MPI_Comm comm, const char *file, const char *text, size_t size, wring_options *o)
{
  reader r = {.file = file, .text = text, .o = o};

  PetscFunctionBegin;
  PetscCheck(yaml_parser_initialize(&r.yaml), comm, PETSC_ERR_MEM, "No memory for the YAML parser");
  yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, size);
  PetscCall(wring_options_create(comm, &r.seen));
  PetscCall(read_document(&r));
  PetscCall(wring_options_destroy(&r.seen));
  yaml_parser_delete(&r.yaml);
  if (wring_failed(&r.e)) WRING_REFUSE(comm, "%s", r.e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

/* The key of "-key" or "--key"; NULL for other arguments, such as a negative number. */
static const char *option_key(const char *arg)
{
  const char *key = arg + (arg[0] == '-') + (arg[0] == '-' && arg[1] == '-');
  return key > arg && wring_text_is_letter(*key) ? key : NULL;
}

/* Reads "-key value", "-key=value", or "-key" alone, without a value; *used: number of arguments read. */
static PetscErrorCode read_argument(wring_options *o, wring_options *seen, int n, char **args, int *used,
                                    wring_error *e)
{
  char        key[KEY_SIZE];
  const char *name = option_key(args[0]), *value = NULL;

  PetscFunctionBegin;
  *used = 1;
  if (!name) {
    wring_error_set(e, "command line: unexpected argument '%.80s', expected -key value", args[0]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const size_t length = strcspn(name, "=");
  if (length >= sizeof key) {
    wring_error_set(e, "command line: key %.40s... is longer than %d characters", name, KEY_SIZE - 1);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  snprintf(key, sizeof key, "%.*s", (int)length, name);
  if (name[length]) {
    value = name + length + 1;
  } else if (n > 1 && !option_key(args[1])) {
    value = args[1];
    *used = 2;
  }
  if (wring_options_has(seen, "", key))
    PetscCall(wring_note(wring_options_comm(o), "command line: -%s is given twice, its last value is taken", key));
  PetscCall(wring_options_set(seen, key, NULL, WRING_COMMAND_LINE));
  PetscCall(set_value(o, key, value, WRING_COMMAND_LINE, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_deck_read_arguments(int n, char **args, wring_options *o)
{
  const MPI_Comm comm = wring_options_comm(o);
  wring_options *seen; // keys of the command line
  wring_error    e = {""};

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    if (!is_one_line(args[i], strlen(args[i])))
      wring_error_set(&e, "command line: argument %d has a line end or control character, expected one line", i + 1);
  }
  PetscCall(wring_options_create(comm, &seen));
  for (int i = 0, used; i < n && !wring_failed(&e); i += used)
    PetscCall(read_argument(o, seen, n - i, args + i, &used, &e));
  PetscCall(wring_options_destroy(&seen));
  if (wring_failed(&e)) WRING_REFUSE(comm, "%s", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_deck_read(const char *file, int n_args, char **args, wring_options *o)
{
  const MPI_Comm comm = wring_options_comm(o);
  char          *text;
  PetscInt64     size;

  PetscFunctionBegin;
  PetscCall(wring_text_read(comm, file, "deck", MAX_DECK, &text, &size));
  PetscCall(parse(comm, file, text, (size_t)size, o));
  PetscCall(PetscFree(text));
  PetscCall(wring_options_set_deck(o, file));
  PetscCall(wring_deck_read_arguments(n_args, args, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
