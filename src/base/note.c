#define _POSIX_C_SOURCE 200809L // isatty
#include "text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 1024 };

typedef struct {
  char     text[LENGTH], kind[LENGTH]; // as first said; with # in the place of each number
  PetscInt said;
} note;

/* The notes that this process has said: whoever says them, it has one standard error. */
static struct {
  PetscInt n, room;
  note    *note; // not by PetscMalloc: it may outlive PetscFinalize
} book;

/* Characters of the number that a text begins with, 0 if it begins with another word, such as "3x3". */
static size_t number_length(const char *text)
{
  size_t n = strspn(text, "+-");
  if (n > 1 || !wring_text_is_digit(text[n])) return 0;
  n += strspn(text + n, "0123456789.");
  const size_t exponent = text[n] == 'e' ? 1 + strspn(text + n + 1, "+-") : 0;
  if (exponent && wring_text_is_digit(text[n + exponent])) n += exponent + strspn(text + n + exponent, "0123456789");
  return wring_text_is_letter(text[n]) ? 0 : n;
}

/* Copies a text with # in the place of each number that follows a space or a bracket. */
static void blank_numbers(const char *text, char kind[LENGTH])
{
  size_t n = 0;
  for (char before = ' '; *text; n++) {
    const size_t number = before == ' ' || before == '(' ? number_length(text) : 0;
    before = kind[n] = number ? '#' : *text;
    text += number ? number : 1;
  }
  kind[n] = '\0';
}

/* NULL: there is no memory. */
static note *find_or_add(const char *text)
{
  char kind[LENGTH];
  blank_numbers(text, kind);
  for (PetscInt i = 0; i < book.n; i++)
    if (strcmp(kind, book.note[i].kind) == 0) return &book.note[i];
  if (book.n == book.room) {
    note *const more = realloc(book.note, (size_t)(2 * book.room + 16) * sizeof *more);
    if (!more) return NULL;
    book.note = more;
    book.room = 2 * book.room + 16;
  }
  note *const one = &book.note[book.n++];
  *one            = (note){.said = 0};
  snprintf(one->text, LENGTH, "%s", text);
  snprintf(one->kind, LENGTH, "%s", kind);
  return one;
}

/* On a terminal the line of progress is erased first. */
static void print(const char *text)
{
  fprintf(stderr, "%snote: %s", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

PetscErrorCode wring_note(MPI_Comm comm, const char *format, ...)
{
  va_list args;
  char    text[LENGTH];

  PetscFunctionBegin;
  if (wring_comm_rank(comm) != 0) PetscFunctionReturn(PETSC_SUCCESS);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  note *const one = find_or_add(text);
  if (one && one->said++ > 0) PetscFunctionReturn(PETSC_SUCCESS);
  print(text);
  fputc('\n', stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_notes_count(void)
{
  for (PetscInt i = 0; i < book.n; i++) {
    if (book.note[i].said == 1) continue;
    print(book.note[i].text);
    fprintf(stderr, " (said %" PetscInt_FMT " times)\n", book.note[i].said);
  }
  free(book.note);
  book.n = book.room = 0;
  book.note          = NULL;
}
