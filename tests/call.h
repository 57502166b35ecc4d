/* What tests/call.c sends to tests/calls.c, with its standard descriptors; then the words. */
#pragma once

typedef struct {
  int n_argument, n_environment;
  int size; // of the words, each with a '\0' at its end: the folder, the arguments, the environment
} wring_call;
