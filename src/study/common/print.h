/* Lines on the screen. */
#pragma once
#include <petscsys.h>

/* PetscPrintf, on rank 0 of comm: output that cannot be written is no error. Logically collective. */
#define wring_print(comm, ...) ((void)PetscPrintf(comm, __VA_ARGS__))
