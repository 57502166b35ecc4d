/*
  Words without regard to case, and numbers in text, in any locale. strcasecmp in the Turkish locale treats "I" and "i"
  as different letters, and strtod in the German one stops at a point. Locales are tested if they are installed.
*/
#include "base/text.h"
#include "check.h"
#include "study/common/command_keys.h"
#include <locale.h>
#include <stdio.h>
#include <wring/io.h>

static const wring_option table[] = {
  {.key = "history", .type = WRING_INT, .value = "5"},
  {.key = "line_search", .type = WRING_WORD, .choices = "armijo|wolfe"},
  {.key = "ratio", .type = WRING_REAL, .range = "(0,1.5]"},
  {.key = NULL},
};

/* Fails if a letter of another alphabet, or a locale, affects comparisons. */
static PetscErrorCode check_words(void)
{
  PetscFunctionBegin;
  for (int c = 1; c < 128; c++) {
    const char a[2] = {(char)c, 0}, b[2] = {(char)(c >= 'A' && c <= 'Z' ? c + 32 : c), 0};
    CHECK(wring_ascii_compare(a, b) == 0, "character %d", c);
  }
  CHECK(wring_ascii_compare("HISTORY", "history") == 0, "I is not i");
  CHECK(wring_ascii_compare("\xdd", "i") != 0 && wring_ascii_compare("\xc4\xb0", "i") != 0, "a dotted I is i");
  CHECK(wring_ascii_compare("ab", "abc") < 0 && wring_ascii_compare("abc", "ab") > 0, "a prefix is the whole");
  CHECK(wring_ascii_compare_n("QN_more", "qn_less", 3) == 0 && wring_ascii_compare_n("a", "abc", 3) < 0, "n letters");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if keys, choices, values or ranges of a deck depend on the locale. */
static PetscErrorCode check_options(void)
{
  const wring_schema schema[] = {{"solver_", table, "test"}};
  wring_options     *o;
  const char        *word;
  PetscInt           n;
  double             v;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "SOLVER_HISTORY", "7", "deck:1"));
  PetscCall(wring_options_set(o, "solver_LINE_SEARCH", "ARMIJO", "deck:2"));
  PetscCall(wring_options_set(o, "Solver_Ratio", "2.5e-1", "deck:3"));
  PetscCall(wring_options_check(o, 1, schema, NULL));
  PetscCall(wring_options_get_int(o, "solver_", table, "history", &n));
  PetscCall(wring_options_get_word(o, "solver_", table, "line_search", &word));
  PetscCall(wring_options_get_real(o, "solver_", table, "ratio", &v));
  CHECK(n == 7 && !strcmp(word, "armijo") && v == 0.25, "%d %s %g", (int)n, word, v);
  CHECK(wring_option_accepts(&table[2], "1.5") && !wring_option_accepts(&table[2], "1.6"), "the range to 1.5");
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a byte of UTF-8 is taken for a control character, or a real of run.json ends at its point. */
static PetscErrorCode check_deck(void)
{
  static const char name[] = "locale_deck.yaml";
  wring_options    *o;
  const char       *word;
  json_t           *keys;

  PetscFunctionBegin;
  FILE *const file = fopen(name, "w");
  CHECK(file, "%s cannot be written", name);
  fputs("time: {step: 2.5e-1}\noutput: {directory: m\xc4\x81}\n", file);
  fclose(file);
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_deck_read(name, 0, NULL, o));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &word));
  CHECK(!strcmp(word, "m\xc4\x81"), "%s", word);
  PetscCall(wring_keys_of_command(o, "run", &keys));
  CHECK(json_real_value(json_object_get(keys, "time_step")) == 0.25, "another step in run.json");
  json_decref(keys);
  PetscCall(wring_options_destroy(&o));
  remove(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every double is recovered from 17 digits; each text ends where the grammar of numbers does. */
static PetscErrorCode check_numbers(void)
{
  static const struct {
    const char *text;
    int         length; // -1: no number
    double      value;
  } real[] = {
    {"1.5", 3, 1.5},
    {"-0.25e2,", 7, -25},
    {"+.5 ", 3, 0.5},
    {"5.", 2, 5},
    {"1e400", 5, INFINITY},
    {"-inf", 4, -INFINITY},
    {"0x10", 1, 0},
    {".", -1, 0},
    {"1e", -1, 0},
    {"e5", -1, 0},
    {"", -1, 0},
    {"-", -1, 0},
    {" 1", -1, 0},
    {"1,5", 1, 1},
    {"1e-400", 6, 0},
    {"--1", -1, 0},
    {"Infinity", 8, INFINITY},
  };
  char     text[64];
  uint64_t state = 1;
  double   v;
  int64_t  i;

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof real / sizeof real[0]; k++) {
    const char *const end = wring_text_real(real[k].text, &v);
    CHECK(real[k].length < 0 ? !end : end == real[k].text + real[k].length && v == real[k].value, "'%s' is %g",
          real[k].text, v);
  }
  for (int k = 0; k < 2000; k++) {
    const double x = test_random(&state) * pow(10, 300 * test_random(&state));
    snprintf(text, sizeof text, "%.*e", k % 2 ? 16 : 5, x);
    for (char *c = text; *c; c++) *c = (char)(*c == ',' ? '.' : *c); // printf uses the locale
    CHECK(wring_text_real(text, &v) && (k % 2 ? v == x : fabs(v - x) <= 1e-5 * fabs(x)), "%s is %.17g", text, v);
  }
  CHECK(wring_text_int("-123456789012345678 ", &i) && i == -123456789012345678, "%lld", (long long)i);
  CHECK(!wring_text_int("99999999999999999999", &i) && !wring_text_int("+", &i) && !wring_text_int("x", &i),
        "an integer");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const locales[] = {"C", "tr_TR.UTF-8", "tr_TR.ISO-8859-9", "tr_TR", "de_DE.UTF-8", "de_DE"};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
    if (!setlocale(LC_ALL, locales[i])) continue;
    printf("locale %s\n", locales[i]);
    PetscCall(check_words());
    PetscCall(check_options());
    PetscCall(check_deck());
    PetscCall(check_numbers());
  }
  PetscCall(PetscFinalize());
  return 0;
}
