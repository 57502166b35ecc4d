/* Lines on the screen: output that cannot be written is no error. Logically collective. */
#pragma once
#include <wring/base.h>

/* PetscPrintf, on rank 0 of comm; wring_note. */
#define wring_print(comm, ...) ((void)PetscPrintf(comm, __VA_ARGS__))
#define wring_say(comm, ...)   ((void)wring_note(comm, __VA_ARGS__))
