/* The output directory of a study, from its key. */
#pragma once
#include "study/problem.h"

/* Makes the directory of output.directory; its path as typed. Collective. */
PetscErrorCode wring_output_make(const wring_problem *p, size_t size, char *path);
