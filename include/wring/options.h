/*
  Layer 1, base: option tables and the database of a deck.

  Each family (laws, solvers, integrators, ...) owns tables of wring_option; the program checks a deck against their
  union (the schema) and `wring help` prints it. A key is the path in the deck joined by '_': solver: {qn: {history: 5}}
  is solver_qn_history, and -solver_qn_history 5 on the command line overrides it. Keys are case-insensitive. Every rank
  holds the same database, so that all ranks find the same errors, which are collective.
*/
#pragma once
#include <wring/base.h>

typedef enum {
  WRING_BOOL, // true|false|yes|no|on|off|1|0
  WRING_INT,
  WRING_REAL,
  WRING_REALS, // count reals, or any number if count is 0
  WRING_INTS,
  WRING_WORD,  // one of choices, or any text if choices is NULL: a name
  WRING_WORDS, // list of words, each one of choices, or any words if choices is NULL
  WRING_PATH,  // a file: wring_options_get_path says what it is relative to
} wring_option_type;

/* Families whose members plugins add to (plugin.h). */
typedef enum {
  WRING_NO_FAMILY,
  WRING_LAWS,
  WRING_SOLVERS,
  WRING_INTEGRATORS,
  WRING_SHAPES,
  WRING_FAMILIES
} wring_family;

/* An entry of a table: {"history", WRING_INT, .range = "[0,100]", .value = "5", .help = "..."}. */
typedef struct {
  const char       *key; // without its prefix: "history" of solver_qn_; NULL ends a table
  wring_option_type type;
  int               count;   // of WRING_REALS and WRING_INTS
  const char       *choices; // of WRING_WORD and WRING_WORDS: "armijo|wolfe|none"
  const char       *unit;    // "m/s"; NULL: a pure number or word
  const char       *range;   // interval of numbers: "(0,inf)", "[0,1)", "[1,100]"; NULL: any finite number
  const char       *value;   // default, as typed in a deck; NULL: none
  const char       *help;    // one sentence
  size_t            at;      // WRING_AT of the value in the struct that wring_options_read fills; 0: not read by it
  wring_family      family;  // whose members of plugins are choices too
  const char       *instead; // "end|more_steps": with the same prefix, in whose place it stands: wring_options_settle
} wring_option;

#define WRING_AT(settings, member) (offsetof(settings, member) + 1)

const char *wring_option_choices(const wring_option *p); // with those of plugins; NULL: any text

/* One line of a schema: the entries of a table with a prefix. '*' in the prefix stands for a name: "attach_*_". */
typedef struct {
  const char         *prefix;
  const wring_option *options;
  const char         *owner; // whose keys these are: "solver qn", "material strain"; for help and messages
} wring_schema;

/* First words of unknown keys, "load|loads", for which the keys of an owner are meant. A table ends with {0}. */
typedef struct {
  const char *owner, *words;
} wring_key_words;

typedef struct wring_options wring_options;

#define WRING_COMMAND_LINE "command line" // origin of the keys of the command line

PetscErrorCode wring_options_create(MPI_Comm comm, wring_options **o); // empty; replicated on comm. Collective
PetscErrorCode wring_options_destroy(wring_options **o);
MPI_Comm       wring_options_comm(const wring_options *o);

/*
  Sets key to a value; a later call for the same key replaces the value. Lists are one text, items separated by ",".
  value NULL: a key without a value, which means true and which wring_options_check refuses for all types but
  WRING_BOOL. origin: where the key was set: "inputs/beam.yaml:12" or "command line". All texts are copied. Logically
  collective.
*/
PetscErrorCode wring_options_set(wring_options *o, const char *key, const char *value, const char *origin);

/* Writes this text to `file` on rank 0 and sets key to that file name. Collective. */
PetscErrorCode wring_options_set_text(wring_options *o, const char *key, const char *text, const char *file,
                                      const char *origin);

/* A copy of the database with the same directory, without the keys that begin with `without` (not empty). */
PetscErrorCode wring_options_copy(const wring_options *o, const char *without, wring_options **copy);

/*
  The deck's file name (copied), with which messages about missing keys begin and to whose directory relative WRING_PATH
  values refer; "deck" before it is set.
*/
PetscErrorCode wring_options_set_deck(wring_options *o, const char *file);
const char    *wring_options_deck(const wring_options *o); // borrowed

/* How the program was called (copied), for the record of a result; "" before it is set. */
PetscErrorCode wring_options_set_command_line(wring_options *o, const char *line);
const char    *wring_options_command_line(const wring_options *o); // borrowed

/* Number of keys; the i-th key, its value and origin in the order of first setting (borrowed). */
PetscInt wring_options_count(const wring_options *o);
void wring_options_entry(const wring_options *o, PetscInt i, const char **key, const char **value, const char **origin);

PetscBool   wring_options_has(const wring_options *o, const char *prefix, const char *key);
PetscBool   wring_options_has_any(const wring_options *o, const char *prefix, const wring_option *table); // some entry
PetscBool   wring_options_has_family(const wring_options *o, const char *prefix); // a key that begins with prefix
const char *wring_options_origin(const wring_options *o, const char *prefix, const char *key); // NULL when not set

/* The text of an entry's key, its default, or NULL (borrowed); accepted or not. */
const char *wring_options_text(const wring_options *o, const char *prefix, const wring_option *entry);

/* The origin of the first key that begins with prefix, such as "attach_xmin_"; the deck's name if there is none. */
const char *wring_options_family_origin(const wring_options *o, const char *prefix);

/*
  The value of prefix + key, described by the entry `key` of `table`: from the deck, otherwise the table's default,
  otherwise an error that names the missing key and what is expected. Type and range are checked: the error names
  origin, key, value and what is expected. `prefix` contains no '*'. Strings point into the database (borrowed); lists
  are allocated with PetscMalloc1 and freed by the caller with PetscFree.
*/
PetscErrorCode wring_options_get_bool(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, PetscBool *v);
PetscErrorCode wring_options_get_int(const wring_options *o, const char *prefix, const wring_option *table,
                                     const char *key, PetscInt *v);
PetscErrorCode wring_options_get_real(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, double *v);
PetscErrorCode wring_options_get_reals(const wring_options *o, const char *prefix, const wring_option *table,
                                       const char *key, double *v); // table's count > 0 values
/* Three angles or angular velocities in degrees (per second), from the key or, in radians, from the key with "_rad". */
PetscErrorCode wring_options_get_angles(const wring_options *o, const char *prefix, const wring_option *table,
                                        const char *key, double v[3]);
PetscErrorCode wring_options_get_int_list(const wring_options *o, const char *prefix, const wring_option *table,
                                          const char *key, PetscInt *n, PetscInt **v);
PetscErrorCode wring_options_get_word(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, const char **v); // spelt as in choices
PetscErrorCode wring_options_get_choice(const wring_options *o, const char *prefix, const wring_option *table,
                                        const char *key, int *v); // the number of the choice, from 0
PetscErrorCode wring_options_get_word_list(const wring_options *o, const char *prefix, const wring_option *table,
                                           const char *key, PetscInt *n, char ***v); // free with wring_words_destroy
PetscErrorCode wring_words_destroy(PetscInt n, char ***v);

/* Refuses two keys that are both given but exclude each other; why: "one is by area, the other by vertex", or NULL. */
PetscErrorCode wring_options_refuse_both(const wring_options *o, const char *prefix, const char *key, const char *other,
                                         const char *why);

/*
  Reads the entries of a table that have `at` into a struct of settings: PetscBool, PetscInt, double, for lists of
  count > 0 numbers an array of them, for words their number among the choices, an int or an enum, and for words without
  choices and files (wring_options_get_path) a const char * that belongs to the database. A key of angles ("deg...") may
  be given with "_rad". Without a default, a key that the deck lacks leaves its value.
*/
PetscErrorCode wring_options_read(const wring_options *o, const char *prefix, const wring_option *table,
                                  void *settings);

/* Refuses a key that neither the deck nor the table gives a value. */
PetscErrorCode wring_options_require(const wring_options *o, const char *prefix, const wring_option *table,
                                     const char *key);

/*
  A relative path in a deck is joined with the deck's directory; one on the command line is relative to the working
  directory. A file that is not there but beside the deck, where wring 0.1 looked for both, is taken with a note.
*/
PetscErrorCode wring_options_get_path(const wring_options *o, const char *prefix, const wring_option *table,
                                      const char *key, size_t size, char *path);

/*
  The names that stand for '*' in the keys that begin with `family` ("attach_"): every key family + NAME + "_" + entry
  of a table whose prefix begins with family + "*_". known [n_known]: names that exist (sets, regions). A known name has
  precedence over an unknown one; among unknown names, the shortest one, which leaves the longest entry. A key that
  matches two known names is an error. Names are in order of appearance, spelt as in `known` if they are known; free
  with wring_words_destroy.
*/
PetscErrorCode wring_options_names(const wring_options *o, const char *family, PetscInt n_schema,
                                   const wring_schema *schema, PetscInt n_known, const char *const *known, PetscInt *n,
                                   char ***names);

/*
  The entry of a full key in the i-th table that has it, or NULL past the last (i from 0): a parameter of several laws,
  or a key of several methods after a variant's name, has several entries.
*/
const wring_option *wring_schema_find(PetscInt n_schema, const wring_schema *schema, const char *key, int i);

/*
  Checks that every key matches the schema and has a value that one of the tables with this key accepts, whether or not
  it is read later. The error for an unknown key names its origin and a known key that is similar or longer; if the key
  begins with some of these words (NULL: none), all families of their owner; otherwise keys that have a word more, or
  what `wring help` should be asked for.
*/
PetscErrorCode wring_options_check(const wring_options *o, PetscInt n_schema, const wring_schema *schema,
                                   const wring_key_words *words);

/*
  Removes the keys of the deck in whose place keys of the command line stand, `instead`; false stands for nothing. Two
  alternatives of one origin stay, for their reader to refuse.
*/
PetscErrorCode wring_options_settle(wring_options *o, PetscInt n_schema, const wring_schema *schema);

/*
  Calls visit for the entries whose full key (prefix + key, '*' shown as NAME) begins with `key`, in the order of the
  schema; n: their number. owners: whose keys these are, "solver qn, solver pd". key NULL: all entries, but only once
  for a table that a later line has again under a prefix with a name. Collective if visit is.
*/
typedef PetscErrorCode wring_options_visitor(void *context, const char *key, const wring_option *option,
                                             const char *owners);
PetscErrorCode         wring_options_visit(PetscInt n_schema, const wring_schema *schema, const char *key,
                                           wring_options_visitor *visit, void *context, PetscInt *n);

/* "one of a, b, c", "3 reals in (0,inf) [m/s]": what the option accepts. */
void wring_options_describe(const wring_option *option, size_t size, char *text);

/*
  Prints these entries under their owners: type, unit, range, default, help; if no key begins with `key`, those that
  have it in their key, owners, choices or help. Collective.
*/
PetscErrorCode wring_options_help(MPI_Comm comm, PetscInt n_schema, const wring_schema *schema, const char *key,
                                  PetscInt *n_printed);

/* Refuses a `key` for which nothing was printed, naming the nearest key or prefix. */
PetscErrorCode wring_options_refuse_help(MPI_Comm comm, PetscInt n_schema, const wring_schema *schema, const char *key);

/* NULL-terminated tables: the entry with this key, or NULL. */
const wring_option *wring_option_find(const wring_option *table, const char *key);

/* Whether a getter accepts this text as the option's value; and the refusal of a text that it does not accept. */
PetscBool      wring_option_accepts(const wring_option *p, const char *text);
PetscErrorCode wring_option_refuse(MPI_Comm comm, const wring_option *p, const char *key, const char *text,
                                   const char *origin);

/* Edit distance ignoring case; whether it is below *least, which it then becomes: for "did you mean". */
int       wring_edit_distance(const char *a, const char *b);
PetscBool wring_is_nearer(const char *a, const char *b, int *least);
