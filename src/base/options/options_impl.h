/* Private to src/base: the database of options. */
#pragma once
#include <wring/options.h>

typedef struct {
  char     *key, *value, *origin;
  PetscBool bare; // given without a value, which only a bool may be
} options_entry;

/* Texts that getters return and that are not in an entry, kept until the database is destroyed. */
typedef struct options_word {
  struct options_word *next;
  char                 text[];
} options_word;

struct wring_options {
  MPI_Comm       comm;
  MPI_Comm       held; // PETSc's duplicate of comm, which is then not made and freed for every exchange
  PetscInt       n, capacity;
  options_entry *entry;            // in order of first setting; a deck has tens of them, so lookups are linear
  char          *directory, *deck; // deck: its file name, "deck" before it is set
  char          *command_line;     // "" before it is set
  options_word **words;            // through a pointer, so that getters of a const database can add
};

enum { OPTIONS_KEY_SIZE = 512 };

PetscErrorCode wring_options_remove(wring_options *o, PetscInt i); // the i-th entry

/* ---- texts of values (option_value.c) ---------------------------------------------------------------------------- */

/* Whether a text is one; its value. */
PetscBool wring_option_bool(const char *text, PetscBool *v);
PetscBool wring_option_int(const char *text, size_t size, PetscInt *v);
PetscBool wring_option_real(const char *text, size_t size, double *v);

/* The choice that a word names, as a part of the text "a|b|c"; its size, or 0. */
size_t wring_option_find_choice(const char *choices, const char *word, const char **choice); // plugin.c

/* The next item of a list whose items are separated by commas or blanks: its size, 0 at the end; advances *at. */
size_t   wring_option_next_item(const char **at, const char **item);
PetscInt wring_option_count_items(const char *text);
