/* ranks: 1 */
/* Options: every type accepts what it should, refuses the rest in one line, and keys are matched to their names. */
#define _POSIX_C_SOURCE 200809L
#include "refused.h"
#include "study/common/command_keys.h"
#include <math.h>
#include <wring/options.h>

static const wring_option table[] = {
  {"on", WRING_BOOL, .value = "yes", .help = "A switch."},
  {"count", WRING_INT, .range = "[1,100]", .value = "5", .help = "A number of things."},
  {"any", WRING_INT, .help = "Any integer."},
  {"open", WRING_REAL, .range = "(0,1)", .help = "Neither end."},
  {"closed", WRING_REAL, .range = "[0,1]", .help = "Both ends."},
  {"half", WRING_REAL, .unit = "m", .range = "[0,inf)", .value = "0.5", .help = "A length."},
  {"end", WRING_REAL, .range = "(0,inf]", .help = "Infinity is one."},
  {"free", WRING_REAL, .help = "Any finite real."},
  {"vector", WRING_REALS, 3, .unit = "m/s", .value = "0,0,0", .help = "A vector."},
  {"reals", WRING_REALS, .range = "[0,inf)", .help = "A list."},
  {"ints", WRING_INTS, .range = "[0,9]", .help = "A list of digits."},
  {"pair", WRING_INTS, 2, .help = "Two integers."},
  {"search", WRING_WORD, .choices = "armijo|wolfe|none", .value = "armijo", .help = "A rule."},
  {"name", WRING_WORD, .help = "Any text."},
  {"names", WRING_WORDS, .help = "Words."},
  {"file", WRING_PATH, .help = "A file."},
  {.key = NULL},
};

/* Sets "p_KEY" to value, as line 7 of a deck would. */
static PetscErrorCode create(const char *key, const char *value, wring_options **o)
{
  char full[64];

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, o));
  snprintf(full, sizeof full, "p_%s", key);
  if (value) PetscCall(wring_options_set(*o, full, value, "deck.yaml:7"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Reads a value by its type; returns numbers in v, and the number of items. */
static PetscErrorCode read_value(const wring_options *o, const char *key, PetscInt *n, double *v, const char **word)
{
  const wring_option *p = wring_option_find(table, key);
  PetscBool           on;
  PetscInt            i, *list;
  char              **words;
  static char         path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *n = 1;
  if (p->type == WRING_BOOL) {
    PetscCall(wring_options_get_bool(o, "p_", table, key, &on));
    *v = on;
  } else if (p->type == WRING_INT) {
    PetscCall(wring_options_get_int(o, "p_", table, key, &i));
    *v = (double)i;
  } else if (p->type == WRING_REAL) {
    PetscCall(wring_options_get_real(o, "p_", table, key, v));
  } else if (p->type == WRING_REALS) {
    PetscCall(wring_options_get_reals(o, "p_", table, key, v));
    *n = p->count;
  } else if (p->type == WRING_INTS) {
    PetscCall(wring_options_get_int_list(o, "p_", table, key, n, &list));
    for (i = 0; i < *n; i++) v[i] = (double)list[i];
    PetscCall(PetscFree(list));
  } else if (p->type == WRING_WORD) {
    PetscCall(wring_options_get_word(o, "p_", table, key, word));
  } else if (p->type == WRING_WORDS) {
    PetscCall(wring_options_get_word_list(o, "p_", table, key, n, &words));
    PetscCall(wring_words_destroy(*n, &words));
  } else {
    PetscCall(wring_options_get_path(o, "p_", table, key, sizeof path, path));
    *word = path;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *key, *value; // NULL: not set
  PetscInt    n;
  double      v[4];
  const char *word;
} good_value;

static const good_value good[] = {
  {"on", NULL, 1, {1}, NULL},
  {"on", "FALSE", 1, {0}, NULL},
  {"on", "off", 1, {0}, NULL},
  {"on", "1", 1, {1}, NULL},
  {"count", NULL, 1, {5}, NULL},
  {"count", "1", 1, {1}, NULL},
  {"count", "+100", 1, {100}, NULL},
  {"any", "-2147483648", 1, {-2147483648.}, NULL},
  {"open", "1e-300", 1, {1e-300}, NULL},
  {"closed", "0", 1, {0}, NULL},
  {"closed", "1.", 1, {1}, NULL},
  {"half", NULL, 1, {0.5}, NULL},
  {"half", "1e300", 1, {1e300}, NULL},
  {"end", "inf", 1, {INFINITY}, NULL},
  {"free", "-.5E+1", 1, {-5}, NULL},
  {"vector", NULL, 3, {0, 0, 0}, NULL},
  {"vector", "1,-2,3e1", 3, {1, -2, 30}, NULL},
  {"vector", " 1  2, 3 ", 3, {1, 2, 3}, NULL},
  {"ints", "0,9", 2, {0, 9}, NULL},
  {"pair", "-1 1", 2, {-1, 1}, NULL},
  {"search", NULL, 1, {0}, "armijo"},
  {"search", "WOLFE", 1, {0}, "wolfe"},
  {"name", "Pin", 1, {0}, "Pin"},
  {"name", "a pin, bent", 1, {0}, "a pin, bent"},
  {"names", "a, b c", 3, {0}, NULL},
  {"file", "mesh.msh", 1, {0}, "mesh.msh"},
};

/* Fails if an end of a range, a default or a spelling is not accepted, or if a value changes. */
static PetscErrorCode test_good_values(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    const good_value *g = &good[i];
    wring_options    *o;
    PetscInt          n;
    double            v[4] = {0};
    const char       *word = NULL;
    PetscCall(create(g->key, g->value, &o));
    PetscCall(read_value(o, g->key, &n, v, &word));
    CHECK(n == g->n, "%s: %d values", g->key, (int)n);
    for (int k = 0; k < 4; k++) CHECK(v[k] == g->v[k], "%s: value %d is %g", g->key, k, v[k]);
    CHECK(!g->word || !strcmp(word, g->word), "%s is %s", g->key, word);
    CHECK(!g->value || wring_option_accepts(wring_option_find(table, g->key), g->value), "%s: not accepted", g->key);
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *key, *value, *expected;
} bad_value;

static const bad_value bad[] = {
  {"on", "maybe", "expected true or false"},
  {"on", "2", "expected true or false"},
  {"on", "", "expected true or false"},
  {"count", "0", "expected an integer in [1,100]"},
  {"count", "101", "expected an integer in [1,100]"},
  {"count", "1.5", "expected an integer in [1,100]"},
  {"count", "1e1", "expected an integer in [1,100]"},
  {"count", "five", "expected an integer in [1,100]"},
  {"count", " 5", "expected an integer in [1,100]"},
  {"count", "5 6", "expected an integer in [1,100]"},
  {"any", "99999999999999999999", "expected an integer"},
  {"any", "0x10", "expected an integer"},
  {"open", "0", "expected a real in (0,1)"},
  {"open", "1", "expected a real in (0,1)"},
  {"closed", "-1e-300", "expected a real in [0,1]"},
  {"closed", "1.0000000000000002", "expected a real in [0,1]"},
  {"closed", "nan", "expected a real in [0,1]"},
  {"half", "inf", "expected a real in [0,inf) [m]"},
  {"half", "-1", "expected a real in [0,inf) [m]"},
  {"half", "1 m", "expected a real in [0,inf) [m]"},
  {"free", "nan", "expected a real"},
  {"free", "inf", "expected a real"},
  {"free", "1e999", "expected a real"},
  {"free", "0x1p3", "expected a real"},
  {"free", "1,5", "expected a real"},
  {"free", "", "expected a real"},
  {"vector", "1,2", "expected 3 reals [m/s]"},
  {"vector", "1,2,3,4", "expected 3 reals [m/s]"},
  {"vector", "1,2,x", "expected 3 reals [m/s]"},
  {"vector", "1,2,nan", "expected 3 reals [m/s]"},
  {"reals", "", "expected a list of reals in [0,inf)"},
  {"reals", "1,-1", "expected a list of reals in [0,inf)"},
  {"ints", "1,10", "expected a list of integers in [0,9]"},
  {"ints", "1.0", "expected a list of integers in [0,9]"},
  {"pair", "1", "expected 2 integers"},
  {"search", "armjo", "expected one of armijo, wolfe, none, did you mean armijo?"},
  {"search", "steepest-descent", "expected one of armijo, wolfe, none"},
  {"search", "armijo|wolfe", "expected one of armijo, wolfe, none"},
  {"search", "", "expected one of armijo, wolfe, none"},
  {"name", "", "expected a name"},
  {"names", ",", "expected a list of words"},
  {"file", "", "expected a file name"},
};

/* Each message contains the place, the key, the value and what is expected; fails if a value is accepted. */
static PetscErrorCode test_bad_values(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    wring_options *o;
    PetscInt       n;
    double         v[4];
    const char    *word;
    char           start[128];
    PetscCall(create(bad[i].key, bad[i].value, &o));
    snprintf(start, sizeof start, "deck.yaml:7: p_%s is \"%s\"", bad[i].key, bad[i].value);
    CHECK_REFUSED(read_value(o, bad[i].key, &n, v, &word), start, bad[i].expected);
    CHECK(!wring_option_accepts(wring_option_find(table, bad[i].key), bad[i].value), "%s is accepted", start);
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The refusal of a list of words, line 7 of a deck. */
static PetscErrorCode refuse_list(const char *prefix, const wring_option *options, const char *key, const char *value,
                                  wring_error *said)
{
  char           full[256], **words;
  wring_options *o;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  snprintf(full, sizeof full, "%s%s", prefix, key);
  PetscCall(wring_options_set(o, full, value, "deck.yaml:7"));
  *said = (wring_error){""};
  PetscCall(PetscPushErrorHandler(wring_error_catch, said));
  const PetscErrorCode code = wring_options_get_word_list(o, prefix, options, key, &n, &words);
  PetscCall(PetscPopErrorHandler());
  CHECK(code == PETSC_ERR_USER_INPUT, "%s: \"%s\" is accepted", full, value);
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if an empty list of words, `KEY: []`, is accepted for a key of the program, or if its refusal has more than the
  place, the key, the value and what is expected, such as a hint at the word that was refused before it.
*/
static PetscErrorCode test_empty_lists(void)
{
  wring_catalogue *c;
  wring_error      said;
  PetscInt         lists = 0;
  char             prefix[128], expected[512], line[1024];

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&c));
  for (PetscInt i = 0; i < c->n; i++) {
    const wring_option *const options = c->entry[i].options;
    for (const wring_option *p = options; p->key; p++) {
      if (p->type != WRING_WORDS) continue;
      snprintf(prefix, sizeof prefix, "%s", c->entry[i].prefix);
      for (char *star = strchr(prefix, '*'); star; star = NULL) *star = 'a';
      wring_options_describe(p, sizeof expected, expected);
      snprintf(line, sizeof line, "deck.yaml:7: %s%s is \"\", expected %s", prefix, p->key, expected);
      if (p->choices) PetscCall(refuse_list(prefix, options, p->key, "J_", &said));
      PetscCall(refuse_list(prefix, options, p->key, "", &said));
      CHECK(!strcmp(said.text, line), "\"%s\", expected \"%s\"", said.text, line);
      lists++;
    }
  }
  CHECK(lists >= 5, "%d keys with a list of words", (int)lists);
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For a missing value the message states what is expected; a very long value leaves space for this. */
static PetscErrorCode test_missing_and_long(void)
{
  static char    book[5000];
  wring_options *o;
  PetscInt       n;
  double         v[4];
  const char    *word;

  PetscFunctionBegin;
  PetscCall(create("any", NULL, &o));
  CHECK_REFUSED(read_value(o, "any", &n, v, &word), "p_any is missing", "expected an integer (Any integer.)");
  PetscCall(wring_options_destroy(&o));
  memset(book, 'z', sizeof book - 1);
  PetscCall(create("search", book, &o));
  CHECK_REFUSED(read_value(o, "search", &n, v, &word), "zzz...\"", "expected one of armijo");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the database ------------------------------------------------------------------------------------------------ */

/* A key in any case is the same key: the later value and origin replace the earlier; its position does not change. */
static PetscErrorCode test_later_wins(void)
{
  wring_options *o;
  PetscInt       count;
  const char    *key, *value, *origin;

  PetscFunctionBegin;
  PetscCall(create("count", "3", &o));
  PetscCall(wring_options_set(o, "p_any", "1", "deck.yaml:8"));
  PetscCall(wring_options_set(o, "P_COUNT", "4", "command line"));
  CHECK(wring_options_count(o) == 2, "%d entries", (int)wring_options_count(o));
  wring_options_entry(o, 0, &key, &value, &origin);
  CHECK(!strcmp(key, "p_count") && !strcmp(value, "4") && !strcmp(origin, "command line"), "%s", origin);
  PetscCall(wring_options_get_int(o, "p_", table, "count", &count));
  CHECK(count == 4, "%d", (int)count);
  CHECK(wring_options_has(o, "p_", "Any") && !wring_options_has(o, "p_", "an"), "has");
  CHECK(!strcmp(wring_options_origin(o, "p_", "any"), "deck.yaml:8"), "origin");
  CHECK(!wring_options_origin(o, "", "any"), "origin of a key that is not set");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy has the keys that do not begin with the prefix, and the directory; it is independent of the original. */
static PetscErrorCode test_copy(void)
{
  wring_options *o, *copy;
  PetscInt       count;
  char           path[64];

  PetscFunctionBegin;
  PetscCall(create("count", "3", &o));
  PetscCall(wring_options_set(o, "P_File", "x.csv", "deck.yaml:8"));
  PetscCall(wring_options_set(o, "q_count", "1", "deck.yaml:9"));
  PetscCall(wring_options_set_deck(o, "inputs/deck.yaml"));
  PetscCall(wring_options_copy(o, "Q_", &copy));
  PetscCall(wring_options_set(o, "p_count", "4", "command line"));
  CHECK(wring_options_count(copy) == 2 && !wring_options_has(copy, "", "q_count"), "keys of the copy");
  PetscCall(wring_options_get_int(copy, "p_", table, "count", &count));
  CHECK(count == 3 && !strcmp(wring_options_origin(copy, "p_", "count"), "deck.yaml:7"), "%d", (int)count);
  PetscCall(wring_options_get_path(copy, "p_", table, "file", sizeof path, path));
  CHECK(!strcmp(path, "inputs/x.csv"), "%s", path);
  PetscCall(wring_options_destroy(&copy));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A path is relative to the deck, wherever its key is given; an absolute path is not changed. */
static PetscErrorCode test_paths(void)
{
  wring_options *o;
  char           path[64];

  PetscFunctionBegin;
  PetscCall(create("file", "x.csv", &o));
  PetscCall(wring_options_set_deck(o, "inputs/deck.yaml"));
  PetscCall(wring_options_get_path(o, "p_", table, "file", sizeof path, path));
  CHECK(!strcmp(path, "inputs/x.csv"), "%s", path);
  CHECK_REFUSED(wring_options_get_path(o, "p_", table, "file", 8, path), "deck.yaml:7: p_file", "longer than 7");
  PetscCall(wring_options_set(o, "p_file", "/x.csv", "deck.yaml:7"));
  PetscCall(wring_options_get_path(o, "p_", table, "file", sizeof path, path));
  CHECK(!strcmp(path, "/x.csv"), "%s", path);
  PetscCall(wring_options_set(o, "p_file", "y.csv", "command line"));
  PetscCall(wring_options_get_path(o, "p_", table, "file", sizeof path, path));
  CHECK(!strcmp(path, "y.csv"), "%s", path);
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the schema -------------------------------------------------------------------------------------------------- */

static const wring_option attach[] = {{"stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)", .help = "Pull."},
                                      {"velocity", WRING_REALS, 3, .help = "Motion."},
                                      {.key = NULL}};
static const wring_option volume[] = {{"volume_stiffness", WRING_REAL, .help = "Bulk."}, {.key = NULL}};
static const wring_option qn[]     = {{"history", WRING_INT, .range = "[0,inf)", .value = "5", .help = "Pairs."},
                                      {.key = NULL}};
static const wring_option years[]  = {{"history", WRING_REAL, .help = "Years."}, {.key = NULL}};
static const wring_schema schema[] = {
  {"p_", table, "part"},           {"solver_qn_", qn, "qn"},   {"attach_*_", attach, "attach"},
  {"attach_*_", volume, "volume"}, {"part_*_", qn, "one"},     {"part_*_", qn, "two"},
  {"mixed_*_", qn, "one"},         {"mixed_*_", years, "two"}, {"grip_*_", attach, "attach"}};
enum { N_SCHEMA = sizeof schema / sizeof schema[0] };

static const wring_key_words key_words[] = {{"attach", "fix|fix_it|hold|atach"}, {"part", "piece"}, {0}};

static const bad_value unknown[] = {
  {"solver_qn_histroy", "5", "did you mean solver_qn_history?"},
  {"solver_history", "5", "did you mean solver_qn_history?"},
  {"Attach_xmin_stifness", "5", "did you mean attach_xmin_stiffness?"},
  {"attach_x_min_velocty", "5", "did you mean attach_x_min_velocity?"},
  {"attach_stiffness", "5", "did you mean attach_NAME_stiffness?"},
  {"attach__stiffness", "5", "did you mean"},
  {"attahc_xmin_stiffness", "5", "did you mean attach_xmin_stiffness?"},
  {"fix_xmin", "5", "did you mean one of attach, grip?"},
  {"FIX_it", "5", "did you mean one of attach, grip?"},
  {"fixed_xmin", "5", "expected one that `wring help deck` lists"}, // "fix" is not its first word
  {"attach", "5", "such as attach_NAME_stiffness"},
  {"attach_x", "5", "did you mean attach_x_stiffness?"},
  {"solver_qn_weight", "5", "expected one that `wring help solver_qn` lists"},
  {"hold_xmin_stiffness", "5", "did you mean one of attach, grip?"},
  {"atach_xmin_stiffness", "5", "did you mean attach_xmin_stiffness, or one of attach, grip?"},
  {"piece", "5", "did you mean p?"},
  {"p_", "5", "did you mean p_"},
  {"", "5", "expected one that `wring help deck` lists"},
};

/* Each unknown key is refused with the most similar one; known keys in any case are accepted. */
static PetscErrorCode test_unknown_keys(void)
{
  wring_options *o;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    char start[128];
    PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
    PetscCall(wring_options_set(o, "P_COUNT", "5", "command line"));
    PetscCall(wring_options_set(o, "attach_a_b_velocity", "5,0,-1", "deck.yaml:2"));
    PetscCall(wring_options_check(o, N_SCHEMA, schema, key_words));
    PetscCall(wring_options_set(o, unknown[i].key, unknown[i].value, "deck.yaml:3"));
    const char *const kind = strcmp(unknown[i].key, "attach") ? "unknown key" : "key";
    snprintf(start, sizeof start, "deck.yaml:3: %s %s%s", kind, unknown[i].key,
             strcmp(kind, "key") ? "," : " is a map,");
    CHECK_REFUSED(wring_options_check(o, N_SCHEMA, schema, key_words), start, unknown[i].expected);
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A value is checked by its key's table even if it is never read; it is accepted if one of several tables accepts it.
*/
static PetscErrorCode test_mixed_values(void)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "mixed_a_history", "2.5", "deck.yaml:3"));
  PetscCall(wring_options_check(o, N_SCHEMA, schema, key_words));
  PetscCall(wring_options_set(o, "mixed_a_history", "x", "deck.yaml:3"));
  CHECK_REFUSED(wring_options_check(o, N_SCHEMA, schema, key_words), "deck.yaml:3: mixed_a_history is \"x\"",
                "an integer");
  PetscCall(wring_options_set(o, "mixed_a_history", "3", "deck.yaml:3"));
  PetscCall(wring_options_set(o, "solver_qn_history", "-1", "deck.yaml:4"));
  CHECK_REFUSED(wring_options_check(o, N_SCHEMA, schema, key_words), "deck.yaml:4: solver_qn_history is \"-1\"",
                "[0,inf)");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values are checked even if they are never read; only a bool may have no value. A copy behaves the same. */
static PetscErrorCode test_unread_values(void)
{
  static const struct {
    const char *key, *value, *start, *expected;
  } unread[] = {
    {"attach_a_velocity", "5", "deck.yaml:3: attach_a_velocity is \"5\"", "expected 3 reals"},
    {"solver_qn_history", "-1", "deck.yaml:3: solver_qn_history is \"-1\"", "expected an integer in [0,inf)"},
    {"part_x_history", "many", "deck.yaml:3: part_x_history is \"many\"", "expected an integer in [0,inf)"},
    {"solver_qn_history", NULL, "deck.yaml:3: -solver_qn_history has no value", "expected an integer"}};
  wring_options *o, *copy;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
    PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
    PetscCall(wring_options_set(o, unread[i].key, unread[i].value, "deck.yaml:3"));
    PetscCall(wring_options_copy(o, "none_", &copy));
    CHECK_REFUSED(wring_options_check(o, N_SCHEMA, schema, key_words), unread[i].start, unread[i].expected);
    CHECK_REFUSED(wring_options_check(copy, N_SCHEMA, schema, key_words), unread[i].start, unread[i].expected);
    PetscCall(wring_options_destroy(&copy));
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All tables that have a key are found, in the order of the schema. */
static PetscErrorCode test_find(void)
{
  PetscFunctionBegin;
  CHECK(wring_schema_find(N_SCHEMA, schema, "attach_a_b_volume_stiffness", 0) == &attach[0], "the name a_b_volume");
  CHECK(wring_schema_find(N_SCHEMA, schema, "attach_a_b_volume_stiffness", 1) == &volume[0], "the name a_b");
  CHECK(!wring_schema_find(N_SCHEMA, schema, "attach_a_b_volume_stiffness", 2), "a third");
  CHECK(wring_schema_find(N_SCHEMA, schema, "PART_x_history", 1) == &qn[0], "two tables of one key");
  CHECK(!wring_schema_find(N_SCHEMA, schema, "part_history", 0), "no name");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names are listed in order of appearance, spelt like the known names; the longest known name that matches counts. */
static PetscErrorCode test_names(void)
{
  static const char *const known[]    = {"Grip", "grip_left"};
  static const char *const expected[] = {"grip_left", "Grip", "new", "x_y"};
  wring_options           *o;
  PetscInt                 n;
  char                   **name;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "attach_GRIP_LEFT_stiffness", "1", "deck.yaml:1"));
  PetscCall(wring_options_set(o, "attach_grip_stiffness", "1", "deck.yaml:2"));
  PetscCall(wring_options_set(o, "attach_new_volume_stiffness", "1", "deck.yaml:3"));
  PetscCall(wring_options_set(o, "attach_grip_velocity", "1", "deck.yaml:4"));
  PetscCall(wring_options_set(o, "attach_x_y_stiffness", "1", "deck.yaml:5"));
  PetscCall(wring_options_set(o, "p_count", "1", "deck.yaml:6"));
  PetscCall(wring_options_names(o, "attach_", N_SCHEMA, schema, 2, known, &n, &name));
  CHECK(n == 4, "%d names", (int)n);
  for (PetscInt i = 0; i < n; i++) CHECK(!strcmp(name[i], expected[i]), "name %d is %s", (int)i, name[i]);
  PetscCall(wring_words_destroy(n, &name));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "attach_tooth_volume_stiffness" belongs to tooth or to tooth_volume: the known one; refused if both are known. */
static PetscErrorCode test_ambiguous_names(void)
{
  static const char *const known[] = {"tooth_volume", "tooth"};
  wring_options           *o;
  PetscInt                 n;
  char                   **name;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "attach_tooth_volume_stiffness", "1", "deck.yaml:5"));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_options_names(o, "attach_", N_SCHEMA, schema, 1, known + i, &n, &name));
    CHECK(n == 1 && !strcmp(name[0], known[i]), "%s", name[0]);
    PetscCall(wring_words_destroy(n, &name));
  }
  CHECK_REFUSED(wring_options_names(o, "attach_", N_SCHEMA, schema, 2, known, &n, &name), "deck.yaml:5",
                "can mean both");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a name that tables of solvers or colliders would cut is taken. */
static PetscErrorCode test_long_name(void)
{
  wring_options *o;
  PetscInt       n;
  char         **name, key[160];

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  snprintf(key, sizeof key, "attach_%0127d_stiffness", 0);
  PetscCall(wring_options_set(o, key, "1", "deck.yaml:5"));
  PetscCall(wring_options_names(o, "attach_", N_SCHEMA, schema, 0, NULL, &n, &name));
  CHECK(n == 1 && strlen(name[0]) == 127, "%d names, %s", (int)n, name[0]);
  PetscCall(wring_words_destroy(n, &name));
  snprintf(key, sizeof key, "attach_%0128d_stiffness", 0);
  PetscCall(wring_options_set(o, key, "1", "deck.yaml:6"));
  CHECK_REFUSED(wring_options_names(o, "attach_", N_SCHEMA, schema, 0, NULL, &n, &name), "deck.yaml:6",
                "at most 127 characters");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

/* The help text of a key, [size]. */
static PetscErrorCode help(const char *key, size_t size, char *text, PetscInt *n)
{
  FILE *const old = PETSC_STDOUT, *const f = tmpfile();

  PetscFunctionBegin;
  CHECK(f, "no temporary file");
  PETSC_STDOUT = f;
  PetscCall(wring_options_help(PETSC_COMM_WORLD, N_SCHEMA, schema, key, n));
  PETSC_STDOUT = old;
  rewind(f);
  text[fread(text, 1, size - 1, f)] = '\0';
  fclose(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All entries once, those that begin with a key, or the one that matches a key with a name. */
static PetscErrorCode test_help(void)
{
  char     text[8192];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(help(NULL, sizeof text, text, &n));
  CHECK(n == 16 + 1 + 2 + 1 + 1 + 2, "%d entries", (int)n); // history after solver_qn_, not again after a part's name
  PetscCall(help("attach_xmin_stiffness", sizeof text, text, &n));
  CHECK(n == 1 && strstr(text, "attach_NAME_stiffness") && strstr(text, "(0,inf) [N/m]"), "%s", text);
  PetscCall(help("SOLVER_", sizeof text, text, &n));
  CHECK(n == 1 && strstr(text, "default 5") && strstr(text, "Pairs."), "%s", text);
  PetscCall(help("part_", sizeof text, text, &n));
  CHECK(n == 1 && strstr(text, "one, two"), "%s", text);
  PetscCall(help("nothing", sizeof text, text, &n));
  CHECK(n == 0 && !text[0], "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void test_edit_distance(void)
{
  CHECK(wring_edit_distance("", "") == 0 && wring_edit_distance("", "abc") == 3, "of nothing");
  CHECK(wring_edit_distance("Kitten", "sitting") == 3 && wring_edit_distance("sitting", "kitten") == 3, "symmetric");
  CHECK(wring_edit_distance("RTOL", "rtol") == 0, "case");
}

/* Fails if a value is read into another member, or a key without default and value changes its member. */
static PetscErrorCode test_read(void)
{
  typedef enum { ARMIJO, WOLFE, NONE } search;
  typedef struct {
    double      length, own, unset; // the first member is read too
    PetscBool   on;
    PetscInt    count, cells[3];
    search      search;
    double      turn[3], place[2];
    const char *name, *file, *none;
  } settings;
  static const wring_option options[] = {
    {"on", WRING_BOOL, .value = "no", .at = WRING_AT(settings, on)},
    {"count", WRING_INT, .value = "3", .at = WRING_AT(settings, count)},
    {"length", WRING_REAL, .value = "0.5", .at = WRING_AT(settings, length)},
    {"unset", WRING_REAL, .at = WRING_AT(settings, unset)},
    {"elsewhere", WRING_REAL, .value = "9", .help = ""},
    {"search", WRING_WORD, .choices = "armijo|wolfe|none", .value = "armijo", .at = WRING_AT(settings, search)},
    {"cells", WRING_INTS, .count = 3, .at = WRING_AT(settings, cells)},
    {"place", WRING_REALS, .count = 2, .value = "1,2", .at = WRING_AT(settings, place)},
    {"turn", WRING_REALS, .count = 3, .unit = "deg", .value = "0,0,0", .at = WRING_AT(settings, turn)},
    {"turn_rad", WRING_REALS, .count = 3, .unit = "rad", .help = ""},
    {"name", WRING_WORD, .at = WRING_AT(settings, name)},
    {"file", WRING_PATH, .at = WRING_AT(settings, file)},
    {"none", WRING_PATH, .at = WRING_AT(settings, none)},
    {0},
  };
  settings       s = {.own = 7, .unset = -1, .none = NULL};
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set_deck(o, "folder/deck.yaml"));
  PetscCall(wring_options_set(o, "p_on", "yes", "deck:1"));
  PetscCall(wring_options_set(o, "p_search", "None", "deck:2"));
  PetscCall(wring_options_set(o, "p_cells", "4,5,6", "deck:3"));
  PetscCall(wring_options_set(o, "p_turn_rad", "0,0,1", "deck:4"));
  PetscCall(wring_options_set(o, "p_name", "top", "deck:5"));
  PetscCall(wring_options_set(o, "p_file", "a.csv", "deck:6"));
  PetscCall(wring_options_read(o, "p_", options, &s));
  CHECK(s.own == 7 && s.on && s.count == 3 && s.length == 0.5 && s.unset == -1 && s.search == NONE,
        "read %g, %d, %d, %g, %g, %d", s.own, (int)s.on, (int)s.count, s.length, s.unset, (int)s.search);
  CHECK(s.cells[0] == 4 && s.cells[2] == 6 && s.place[0] == 1 && s.place[1] == 2 && s.turn[0] == 0 &&
          s.turn[2] == 180 / PETSC_PI,
        "read %d, %d, %g, %g, %g", (int)s.cells[0], (int)s.cells[2], s.place[0], s.place[1], s.turn[2]);
  CHECK(!strcmp(s.name, "top") && !strcmp(s.file, "folder/a.csv") && !s.none, "read %s, %s", s.name, s.file);
  PetscCall(wring_options_set(o, "p_turn", "0,0,1", "deck:7"));
  CHECK_REFUSED(wring_options_read(o, "p_", options, &s), "deck:4: p_turn_rad and p_turn (deck:7)", "one of them");
  CHECK_REFUSED(wring_options_refuse_both(o, "p_", "name", "file", "a is b"),
                "deck:5: p_name and p_file are both given", "but a is b: expected one of them");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if an alternative is misspelt, so that no key of the deck is ever replaced. */
static PetscErrorCode test_alternatives(void)
{
  wring_catalogue *c;
  int              n = 0;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&c));
  for (const wring_schema *line = c->entry; line < c->entry + c->n; line++) {
    for (const wring_option *p = line->options; p->key; p++) {
      for (const char *w = p->instead ? p->instead : ""; *w; w += strcspn(w, "|") + (w[strcspn(w, "|")] == '|')) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(w, "|"), w);
        CHECK(wring_option_find(line->options, word), "%s%s: no alternative %s", line->prefix, p->key, word);
        n++;
      }
    }
  }
  CHECK(n > 30, "%d alternatives", n);
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_good_values());
  PetscCall(test_bad_values());
  PetscCall(test_empty_lists());
  PetscCall(test_missing_and_long());
  PetscCall(test_later_wins());
  PetscCall(test_copy());
  PetscCall(test_paths());
  PetscCall(test_unknown_keys());
  PetscCall(test_unread_values());
  PetscCall(test_mixed_values());
  PetscCall(test_find());
  PetscCall(test_names());
  PetscCall(test_ambiguous_names());
  PetscCall(test_long_name());
  PetscCall(test_help());
  PetscCall(test_read());
  PetscCall(test_alternatives());
  test_edit_distance();
  PetscCall(PetscFinalize());
  return 0;
}
