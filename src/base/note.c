#define _POSIX_C_SOURCE 200809L // isatty
#include "text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 1024 };

typedef struct {
  char     text[LENGTH], kind[LENGTH]; // as first said; with # in the place of each number
  PetscInt said;
} note;

/* The notes that this process has said. They belong to PETSc's viewer of its standard error, and end with it. */
typedef struct {
  PetscInt n, room;
  note     note[];
} notebook;

/* The container of the notebook, which has room for one note more. */
static PetscErrorCode get_book(notebook **b)
{
  const PetscObject standard_error = (PetscObject)PETSC_VIEWER_STDERR_SELF;
  PetscContainer    holder;

  PetscFunctionBegin;
  *b = NULL;
  PetscCall(PetscObjectQuery(standard_error, "wring_notes", (PetscObject *)&holder));
  if (!holder) {
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &holder));
#if PETSC_VERSION_LT(3, 23, 0)
    PetscCall(PetscContainerSetUserDestroy(holder, PetscContainerUserDestroyDefault));
#else
    PetscCall(PetscContainerSetCtxDestroy(holder, PetscCtxDestroyDefault));
#endif
    PetscCall(PetscObjectCompose(standard_error, "wring_notes", (PetscObject)holder));
    PetscCall(PetscContainerDestroy(&holder)); // the viewer holds it
    PetscCall(PetscObjectQuery(standard_error, "wring_notes", (PetscObject *)&holder));
  }
  PetscCall(PetscContainerGetPointer(holder, (void **)b));
  if (*b && (*b)->n < (*b)->room) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt n = *b ? (*b)->n : 0, room = 2 * n + 16;
  PetscCall(PetscRealloc(sizeof **b + (size_t)room * sizeof(note), b));
  (*b)->n    = n;
  (*b)->room = room;
  PetscCall(PetscContainerSetPointer(holder, *b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

static note *find_or_add(notebook *b, const char *text)
{
  char kind[LENGTH];
  blank_numbers(text, kind);
  for (PetscInt i = 0; i < b->n; i++)
    if (strcmp(kind, b->note[i].kind) == 0) return &b->note[i];
  note *const one = &b->note[b->n++];
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
  notebook *book;
  va_list   args;
  char      text[LENGTH];

  PetscFunctionBegin;
  if (wring_comm_rank(comm) != 0) PetscFunctionReturn(PETSC_SUCCESS);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  PetscCall(get_book(&book));
  if (find_or_add(book, text)->said++ > 0) PetscFunctionReturn(PETSC_SUCCESS);
  print(text);
  fputc('\n', stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_notes_count(void)
{
  notebook *book;

  PetscFunctionBegin;
  PetscCall(get_book(&book));
  for (PetscInt i = 0; i < book->n; i++) {
    if (book->note[i].said == 1) continue;
    print(book->note[i].text);
    fprintf(stderr, " (said %" PetscInt_FMT " times)\n", book->note[i].said);
  }
  book->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
