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
  note    *note;
} notebook;

#if PETSC_VERSION_LT(3, 23, 0)
static PetscErrorCode destroy_book(void *context)
{
  notebook *b = context;
#else
  #if PETSC_VERSION_LT(3, 25, 0)
static PetscErrorCode destroy_book(void **context)
  #else
static PetscErrorCode destroy_book(PetscCtxRt context)
  #endif
{
  notebook *b = *(notebook **)context;
#endif

  PetscFunctionBegin;
  PetscCall(PetscFree(b->note));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_book(notebook **b)
{
  const PetscViewer standard_error = PETSC_VIEWER_STDERR_SELF;
  PetscContainer    holder;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)standard_error, "wring_notes", (PetscObject *)&holder));
  if (!holder) {
    PetscCall(PetscNew(b));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &holder));
    PetscCall(PetscContainerSetPointer(holder, *b));
#if PETSC_VERSION_LT(3, 23, 0)
    PetscCall(PetscContainerSetUserDestroy(holder, destroy_book));
#else
    PetscCall(PetscContainerSetCtxDestroy(holder, destroy_book));
#endif
    PetscCall(PetscObjectCompose((PetscObject)standard_error, "wring_notes", (PetscObject)holder));
    PetscCall(PetscContainerDestroy(&holder)); // the viewer holds it
  } else {
    PetscCall(PetscContainerGetPointer(holder, (void **)b));
  }
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

static PetscErrorCode find_or_add(notebook *b, const char *text, note **found)
{
  char kind[LENGTH];

  PetscFunctionBegin;
  blank_numbers(text, kind);
  for (PetscInt i = 0; i < b->n; i++) {
    *found = &b->note[i];
    if (strcmp(kind, (*found)->kind) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (b->n == b->room) {
    b->room = 2 * b->room + 16;
    PetscCall(PetscRealloc((size_t)b->room * sizeof *b->note, &b->note));
  }
  *found = &b->note[b->n++];
  snprintf((*found)->text, LENGTH, "%s", text);
  snprintf((*found)->kind, LENGTH, "%s", kind);
  (*found)->said = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a terminal the line of progress is erased first. */
static void print(const char *text)
{
  fprintf(stderr, "%snote: %s", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

PetscErrorCode wring_note(MPI_Comm comm, const char *format, ...)
{
  PetscMPIInt rank;
  notebook   *book;
  note       *one = NULL;
  va_list     args;
  char        text[LENGTH];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank != 0) PetscFunctionReturn(PETSC_SUCCESS);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  PetscCall(get_book(&book));
  PetscCall(find_or_add(book, text, &one));
  if (one->said++ > 0) PetscFunctionReturn(PETSC_SUCCESS);
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
