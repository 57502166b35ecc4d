/* Tests of refusals: takes the place of the program's error handler and keeps the line that it would print. */
#pragma once
#include "check.h"
#include <string.h>

static inline PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file,
                                          PetscErrorCode code, PetscErrorType type, const char *message, void *kept)
{
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL) snprintf(kept, sizeof(wring_error), "%s", message);
  return code;
}

/* A refusal ends the program, which does not free what the failed call has allocated: no leak is looked for in it. */
#if defined(__SANITIZE_ADDRESS__)
void __lsan_disable(void);
void __lsan_enable(void);
#else
  #define __lsan_disable() (void)0
  #define __lsan_enable()  (void)0
#endif

/* The call must fail with this code on every rank, with a line that holds both texts and no line end. */
#define CHECK_FAILS(expected, call, first, second)                                                                     \
  do {                                                                                                                 \
    wring_error    said = {""};                                                                                        \
    PetscErrorCode code;                                                                                               \
    PetscCall(PetscPushErrorHandler(keep_message, said.text));                                                         \
    __lsan_disable();                                                                                                  \
    code = (call);                                                                                                     \
    __lsan_enable();                                                                                                   \
    PetscCall(PetscPopErrorHandler());                                                                                 \
    CHECK(code == (expected), "code %d, \"%s\"", (int)code, said.text);                                                \
    CHECK(strstr(said.text, first) && strstr(said.text, second) && !strchr(said.text, '\n'), "\"%s\"", said.text);     \
  } while (0)
#define CHECK_REFUSED(call, first, second)     CHECK_FAILS(PETSC_ERR_USER_INPUT, call, first, second)
#define CHECK_NOT_WRITTEN(call, first, second) CHECK_FAILS(WRING_ERR_OUTPUT, call, first, second)
