/* ranks: 1 2 */
/*
  Decks: YAML becomes keys with their lines, the command line overrides them, and every error is refused on all ranks.
*/
#define _POSIX_C_SOURCE 200809L
#include "refused.h"
#include <unistd.h>
#include <wring/io.h>

static char folder[] = "/tmp/wring_deck_XXXXXX", file[64];

/* Writes the file on rank 0; returns when all ranks can see it. */
static PetscErrorCode write_bytes(const char *text, size_t size)
{
  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank == 0) test_write_bytes(file, size, text);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_deck(const char *text, int n, char **args, wring_options **o)
{
  PetscFunctionBegin;
  PetscCall(write_bytes(text, strlen(text)));
  PetscCall(wring_options_create(PETSC_COMM_WORLD, o));
  PetscCall(wring_deck_read(file, n, args, *o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- valid decks ------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *key, *value, *place; // place: end of the origin
} entry;

static void check_said(const wring_options *o, int n, const entry *expected)
{
  CHECK(wring_options_count(o) == n, "%d keys", (int)wring_options_count(o));
  for (int i = 0; i < n; i++) {
    const char *key, *value, *origin;
    wring_options_entry(o, i, &key, &value, &origin);
    CHECK(!strcmp(key, expected[i].key) && !strcmp(value, expected[i].value), "%s is %s", key, value);
    const size_t length = strlen(origin), tail = strlen(expected[i].place);
    CHECK(length >= tail && !strcmp(origin + length - tail, expected[i].place), "%s was said at %s", key, origin);
  }
}

static const char deck[] = "# a deck\n"
                           "mesh: {box: {size: [4, 0.65, 0.65],\n"
                           "             cells: [ 40,7 ,7 ]}, file: 'a b.msh'}\n"
                           "attach:\n"
                           "  xmin_left: {stiffness: 1e10, spin: [-90, 0, 0]}\n"
                           "solver_qn:\n"
                           "  line_search:\n"
                           "    none\n"
                           "compare:\n"
                           "  solvers:\n"
                           "    - qn\n"
                           "    - \"admm\"\n"
                           "empty: []\n"
                           "quoted: \"null\"\n";

static const entry in_deck[] = {
  {"mesh_box_size", "4,0.65,0.65", "deck.yaml:2"},
  {"mesh_box_cells", "40,7,7", "deck.yaml:3"},
  {"mesh_file", "a b.msh", "deck.yaml:3"},
  {"attach_xmin_left_stiffness", "1e10", "deck.yaml:5"},
  {"attach_xmin_left_spin", "-90,0,0", "deck.yaml:5"},
  {"solver_qn_line_search", "none", "deck.yaml:8"},
  {"compare_solvers", "qn,admm", "deck.yaml:11"},
  {"empty", "", "deck.yaml:13"},
  {"quoted", "null", "deck.yaml:14"},
};
enum { N_IN_DECK = sizeof in_deck / sizeof in_deck[0] };

static const wring_option paths[] = {{"file", WRING_PATH, .help = "A file."}, {.key = NULL}};

/* Maps, lists and scalars give the same keys in block and in flow style; paths are relative to the deck. */
static PetscErrorCode test_deck(void)
{
  wring_options *o;
  char           path[256], expected[256];

  PetscFunctionBegin;
  PetscCall(read_deck(deck, 0, NULL, &o));
  check_said(o, N_IN_DECK, in_deck);
  PetscCall(wring_options_get_path(o, "mesh_", paths, "file", sizeof path, path));
  snprintf(expected, sizeof expected, "%s/a b.msh", folder);
  CHECK(!strcmp(path, expected), "%s", path);
  PetscCall(wring_options_destroy(&o));
  PetscCall(read_deck("\xef\xbb\xbf---\r\na: 1\r\n...\r\n", 0, NULL, &o));
  check_said(o, 1, (entry[]){{"a", "1", "deck.yaml:2"}});
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every form of an argument; the command line overrides the deck, and a later argument an earlier one. */
static PetscErrorCode test_command_line(void)
{
  static char       *args[]     = {"-A_B",   "2",     "--c",     "-3", "-flag",   "-d=x=y", "-list", "1,2 3", "-e=",
                                   "-other", "-1e-3", "-repeat", "1",  "-REPEAT", "2",      "-dot",  "-.5",   "-last"};
  static const entry expected[] = {
    {"a_b", "2", "command line"},     {"z", "1", "deck.yaml:2"},          {"c", "-3", "command line"},
    {"flag", "true", "command line"}, {"d", "x=y", "command line"},       {"list", "1,2 3", "command line"},
    {"e", "", "command line"},        {"other", "-1e-3", "command line"}, {"repeat", "2", "command line"},
    {"dot", "-.5", "command line"},   {"last", "true", "command line"},
  };
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(read_deck("a: {b: 1}\nz: 1\n", sizeof args / sizeof args[0], args, &o));
  check_said(o, sizeof expected / sizeof expected[0], expected);
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_petsc(const char *name, const char *expected)
{
  char      value[64];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, name, value, sizeof value, &set));
  CHECK(set && !strcmp(value, expected), "%s is '%s'", name, set ? value : "not set");
  PetscCall(PetscOptionsClearValue(NULL, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* petsc: keys are set in PETSc's own database only; only they may have no value. */
static PetscErrorCode test_petsc_keys(void)
{
  static char   *args[] = {"-petsc_wring_b", "7", "-petsc_wring_view", "-PETSC_wring_d=1"};
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(read_deck("petsc: {wring: {a: [1, 2], b: 3}, wring_flag: }\nz: 1\n", 4, args, &o));
  check_said(o, 1, (entry[]){{"z", "1", "deck.yaml:2"}});
  PetscCall(check_petsc("-wring_a", "1,2"));
  PetscCall(check_petsc("-wring_b", "7"));
  PetscCall(check_petsc("-wring_d", "1"));
  PetscCall(check_petsc("-wring_flag", ""));
  PetscCall(check_petsc("-wring_view", ""));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refused decks ----------------------------------------------------------------------------------------------- */

typedef struct {
  const char *text, *place, *expected;
} bad_deck;

static const bad_deck bad[] = {
  {"", ":1:", "the deck is empty"},
  {"# nothing\n", ":1:", "the deck is empty"},
  {"---\n", ":2:", "a deck is a map"},
  {"word\n", ":1:", "a deck is a map"},
  {"\n- 1\n- 2\n", ":2:", "a deck is a map"},
  {"a: 1\nb: 2\na: 3\n", ":3:", "key a is given twice (first in line 1)"},
  {"a: 1\nA: 3\n", ":2:", "key A is given twice (first in line 1)"},
  {"a: {b: 1}\na_b: 2\n", ":2:", "key a_b is given twice (first in line 1)"},
  {"a_b: {c: 1}\na:\n  B: {d: 2}\n", ":3:", "key a_B is given twice (first in line 1)"},
  {"petsc: {a: 1}\npetsc_a: 2\n", ":2:", "key petsc_a is given twice"},
  {"a: 1\nb:\n", ":2:", "b has no value"},
  {"a: 1\nb: ~\n", ":2:", "b has no value"},
  {"a: {b: null}\n", ":1:", "a_b has no value"},
  {"a: {b}\n", ":1:", "a_b has no value"},
  {"a: 1\nb: {}\n", ":2:", "b is an empty map"},
  {"a:\n  c: {d: {}}\n", ":2:", "a_c_d is an empty map"},
  {"{}\n", ":1:", "the deck is an empty map"},
  {"a: [1, ]\nb: [1, , 2]\n", ":2", "not valid YAML"},
  {"a: [1, ~]\n", ":1:", "a: a list may contain numbers and words only"},
  {"a:\n  - 1\n  - b: 2\n", ":3:", "a: a list may contain numbers and words only"},
  {"a: [1, [2]]\n", ":1:", "a: a list may contain numbers and words only"},
  {"a: [x, 'two words']\n", ":1:", "a: a list may contain numbers and words only"},
  {"a: ['1,2']\n", ":1:", "a: a list may contain numbers and words only"},
  {"a: &x 1\n", ":1:", "an anchor (&name) is not supported"},
  {"a: &x {b: 1}\n", ":1:", "an anchor or tag is not supported"},
  {"b: 1\na: *x\n", ":2:", "an alias (*name) is not supported"},
  {"a: !!int 1\n", ":1:", "a tag (!name) is not supported"},
  {"a: !x [1]\n", ":1:", "an anchor or tag is not supported"},
  {"a: 1\n---\nb: 2\n", ":2:", "a second document"},
  {"a: |\n  1\n  2\n", ":1:", "a string of several lines is not supported"},
  {"a: \"x\\ny\"\n", ":1:", "a string of several lines is not supported"},
  {"a: \"x\\0y\"\n", ":1:", "a string of several lines is not supported"},
  {"\"a\\nb\": 1\n", ":1:", "a string of several lines is not supported"},
  {"? [a]\n: 1\n", ":1:", "a key is expected"},
  {"a: 1\n? {a: b}\n: 1\n", ":2:", "a key is expected"},
  {"'': 1\n", ":1:", "a key is expected"},
  {"a: 1\n\tb: 2\n", ":2: not valid YAML", "column 1:"},
  {"a: 1\nb: {c: 2\n", "not valid YAML", "','"},
  {"a: 1\n b: 2\n", ":2: not valid YAML", "mapping values are not allowed"},
  {"a: 'x\n", "not valid YAML", "unexpected end of stream"},
  {"a: 1\nb: @x\n", ":2: not valid YAML", "column 4:"},
  {"a: 1\nb: \x01\n", ":2: not valid YAML in column", "control characters are not allowed"},
  {"a: 1\n\nb: \xff\n", ":3: not valid YAML in column", "UTF-8"},
  {"a: 1\nb: {\"c,d\": {e: 1}}\n", ":2:", "key b_c,d_e: expected a name without commas and quotes"},
  {"a: 1\nb: {'c\"d': 1}\n", ":2:", "key b_c\"d: expected a name without commas and quotes"},
  {"petsc: {3: 1}\n", ":1:", "expected an option of PETSc after petsc_"},
  {"a: 1\npetsc_: 1\n", ":2:", "expected an option of PETSc after petsc_"},
  {"%YAML 3.0\n---\na: 1\n", "not valid YAML", "incompatible YAML"},
};

/* Each message names the file, the line and the error. Fails if a deck is accepted or another line is reported. */
static PetscErrorCode test_bad_decks(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    wring_options *o;
    char           place[128];
    snprintf(place, sizeof place, "%s%s", bad[i].place[0] == ':' ? file : "", bad[i].place);
    CHECK_REFUSED(read_deck(bad[i].text, 0, NULL, &o), place, bad[i].expected);
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keys that are too long, maps that are too deep, too many keys: all are refused. */
static PetscErrorCode test_large_decks(void)
{
  static char    text[100000];
  wring_options *o;
  size_t         n = 0;

  PetscFunctionBegin;
  memset(text, 'k', 300);
  memcpy(text + 300, ": 1\n", 5);
  CHECK_REFUSED(read_deck(text, 0, NULL, &o), file, ":1: key kkkk");
  PetscCall(wring_options_destroy(&o));
  for (int i = 0; i < 20000; i++) memcpy(text + 4 * i, "{a: ", 5);
  CHECK_REFUSED(read_deck(text, 0, NULL, &o), file, "longer than 255 characters");
  PetscCall(wring_options_destroy(&o));
  memset(text, '[', sizeof text - 1);
  CHECK_REFUSED(read_deck(text, 0, NULL, &o), file, ":1: ");
  PetscCall(wring_options_destroy(&o));
  for (int i = 0; i < 5000; i++) n += (size_t)snprintf(text + n, sizeof text - n, "k%d: 1\n", i);
  CHECK_REFUSED(read_deck(text, 0, NULL, &o), file, ":4097: more than 4096 keys");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static char long_key[302] = "-", *const bad_argument[][2] = {
                                   {"word", "unexpected argument 'word', expected -key value"},
                                   {"-", "unexpected argument '-'"},
                                   {"--", "unexpected argument '--'"},
                                   {"---a", "unexpected argument '---a'"},
                                   {"-=3", "unexpected argument '-=3'"},
                                   {"-5", "unexpected argument '-5'"},
                                   {"", "unexpected argument ''"},
                                   {"-a=1\n2", "argument 1 has a line end"},
                                   {"-b_c,d_e=1", "command line: key b_c,d_e: expected a name without commas"},
                                   {"-petsc_", "expected an option of PETSc after petsc_"},
                                   {"-petsc_1=2", "expected an option of PETSc after petsc_"},
                                   {long_key, "longer than 255 characters"},
};

static PetscErrorCode test_bad_arguments(void)
{
  PetscFunctionBegin;
  memset(long_key + 1, 'k', 300);
  for (size_t i = 0; i < sizeof bad_argument / sizeof bad_argument[0]; i++) {
    wring_options *o;
    char          *args[] = {bad_argument[i][0]};
    CHECK_REFUSED(read_deck("a: 1\n", 1, args, &o), "command line: ", bad_argument[i][1]);
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_no_deck(void)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  CHECK_REFUSED(wring_deck_read("no/such/deck.yaml", 0, NULL, o), "no/such/deck.yaml: cannot be read", "No such file");
  CHECK_REFUSED(wring_deck_read(folder, 0, NULL, o), folder, "cannot be read");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a small file is given the memory of the limit, here all addresses, or if the limit is off by a byte. */
static PetscErrorCode test_room(void)
{
  enum { MEBIBYTE = 1 << 20, WHOLE = 1 << 27 };
  PetscInt64 size;
  char      *text;

  PetscFunctionBegin;
  PetscCall(write_bytes("a: 1\n", 5));
  PetscCall(wring_text_read(PETSC_COMM_WORLD, file, "deck", WHOLE, &text, &size));
  CHECK(size == 5 && !strcmp(text, "a: 1\n"), "%d bytes", (int)size);
  PetscCall(PetscFree(text));
  char *const large = calloc(MEBIBYTE + 1, 1);
  PetscCall(write_bytes(large, MEBIBYTE));
  PetscCall(wring_text_read(PETSC_COMM_WORLD, file, "deck", 1, &text, &size));
  CHECK(size == MEBIBYTE, "%d bytes", (int)size);
  PetscCall(PetscFree(text));
  PetscCall(write_bytes(large, MEBIBYTE + 1));
  CHECK_REFUSED(wring_text_read(PETSC_COMM_WORLD, file, "deck", 1, &text, &size), file, "larger than 1 MiB");
  free(large);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 300 decks with three bytes changed: accepted, or refused in one line, the same on all ranks. */
static PetscErrorCode test_mutations(void)
{
  uint64_t state = 1;
  char     text[sizeof deck];

  PetscFunctionBegin;
  for (int i = 0; i < 300; i++) {
    wring_error    message = {""};
    wring_options *o;
    memcpy(text, deck, sizeof deck);
    for (int k = 0; k < 3; k++) {
      const size_t at = (size_t)((0.5 + 0.5 * test_random(&state)) * (sizeof deck - 1));
      text[at]        = (char)(127 * test_random(&state));
    }
    PetscCall(write_bytes(text, sizeof deck - 1));
    PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
    PetscCall(PetscPushErrorHandler(keep_message, message.text));
    __lsan_disable();
    const PetscErrorCode code = wring_deck_read(file, 0, NULL, o);
    __lsan_enable();
    PetscCall(PetscPopErrorHandler());
    CHECK(!code || code == PETSC_ERR_USER_INPUT, "mutation %d: code %d", i, (int)code);
    CHECK(!code == !message.text[0] && !strchr(message.text, '\n'), "mutation %d: \"%s\"", i, message.text);
    PetscCall(wring_options_destroy(&o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  CHECK(rank > 0 || mkdtemp(folder), "%s cannot be made", folder);
  PetscCallMPI(MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, PETSC_COMM_WORLD));
  snprintf(file, sizeof file, "%s/deck.yaml", folder);
  PetscCall(test_deck());
  PetscCall(test_command_line());
  PetscCall(test_petsc_keys());
  PetscCall(test_bad_decks());
  PetscCall(test_large_decks());
  PetscCall(test_bad_arguments());
  PetscCall(test_no_deck());
  PetscCall(test_room());
  PetscCall(test_mutations());
  if (rank == 0) CHECK(!unlink(file) && !rmdir(folder), "%s is not empty", folder);
  PetscCall(PetscFinalize());
  return 0;
}
