/* wring help: keys, commands, a man page, the completion of shells and docs/reference.md, all made from the tables. */
#pragma once
#include "study/common/usage.h"
#include <wring/problem.h>

/*
  Prints help on what the words [n <= 2] name: nothing: commands and all keys; "deck": all keys; a command, or "mesh"
  and a command of `wring mesh`: its usage and keys; "man", "bash", "reference": a man page in roff, completion for
  bash, a page of all keys in Markdown; else the keys that begin with the word, refused if there is none. commands:
  those of the program. Collective.
*/
PetscErrorCode wring_help(MPI_Comm comm, const wring_usage *commands, int n, char *const *words);

/* Prints the commands, and how to learn more. Collective. */
void wring_help_short(MPI_Comm comm, const wring_usage *commands);

/*
  Prints the page of this name: "man", the man page wring(1); "bash", its completion, which zsh can use; "reference",
  docs/reference.md. *printed: whether there is one. Collective.
*/
PetscErrorCode wring_help_page(MPI_Comm comm, const char *name, const wring_usage *commands, const wring_catalogue *c,
                               PetscBool *printed);
