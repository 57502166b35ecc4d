/*
  Notes: what is repeated is printed once, with its count at the end. Fails if a note is lost that differs in words, in
  a line of a file or in the digits of a name, if one that differs in numbers only is printed twice, if the count is
  wrong, or if another rank prints.
  ranks: 1 2
*/
#define _POSIX_C_SOURCE 200809L // dup2, fileno
#include "check.h"
#include <unistd.h>

/* Lines of a text that contain a word. */
static int lines_with(const char *text, const char *word)
{
  int n = 0;
  for (const char *at = text; (at = strstr(at, word)); at++) n++;
  return n;
}

static PetscErrorCode say(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < 13; i++)
    PetscCall(wring_note(PETSC_COMM_WORLD, "step %d, %g s: %g of it (%d inside)", i, i * 1e-12, -0.5 * (i + 1), i * i));
  PetscCall(wring_note(PETSC_COMM_WORLD, "deck.yaml:%d: ignored", 3));
  PetscCall(wring_note(PETSC_COMM_WORLD, "deck.yaml:%d: ignored", 4));
  PetscCall(wring_note(PETSC_COMM_WORLD, "set tag%d is empty", 1));
  PetscCall(wring_note(PETSC_COMM_WORLD, "set tag%d is empty", 2));
  PetscCall(wring_note(PETSC_COMM_WORLD, "a %dx3 box", 1));
  PetscCall(wring_note(PETSC_COMM_WORLD, "a %dx3 box", 2));
  PetscCall(wring_note(PETSC_COMM_WORLD, "the same"));
  PetscCall(wring_note(PETSC_COMM_WORLD, "the same"));
  wring_notes_count();
  wring_notes_count(); // nothing is left
  PetscCall(wring_note(PETSC_COMM_WORLD, "the same"));
  wring_notes_count();
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char text[8192] = "";

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  FILE *const       file = tmpfile();
  const int         old  = dup(STDERR_FILENO);
  CHECK(file && old >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0, "standard error");
  PetscCall(say());
  fflush(stderr);
  CHECK(dup2(old, STDERR_FILENO) >= 0, "standard error");
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  if (rank != 0) {
    CHECK(text[0] == '\0', "%s", text);
  } else {
    CHECK(lines_with(text, "note: step 0, 0 s: -0.5 of it (0 inside)\n") == 1, "%s", text);
    CHECK(lines_with(text, "note: step 0, 0 s: -0.5 of it (0 inside) (said 13 times)\n") == 1, "%s", text);
    CHECK(lines_with(text, "inside)") == 2, "%s", text);
    CHECK(lines_with(text, "deck.yaml:3: ignored\n") == 1 && lines_with(text, "deck.yaml:4: ignored\n") == 1, "%s",
          text);
    CHECK(lines_with(text, "tag1 is") == 1 && lines_with(text, "tag2 is") == 1, "%s", text);
    CHECK(lines_with(text, "1x3") == 1 && lines_with(text, "2x3") == 1, "%s", text);
    CHECK(lines_with(text, "note: the same\n") == 2 && lines_with(text, "note: the same (said 2 times)\n") == 1, "%s",
          text);
    CHECK(lines_with(text, "\n") == 11, "%s", text);
  }
  fclose(file);
  close(old);
  PetscCall(PetscFinalize());
  return 0;
}
