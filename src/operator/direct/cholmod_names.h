/* Private to src/operator/direct: CHOLMOD's header, and its names for int or, with _l, for 64-bit indices. */
#pragma once
#include "residual.h"
#if __has_include(<suitesparse/cholmod.h>)
  #include <suitesparse/cholmod.h>
#else
  #include <cholmod.h>
#endif

#if defined(PETSC_USE_64BIT_INDICES)
  #define CHOLMOD(name) cholmod_l_##name
enum { WRING_CHOLMOD_INDEX = CHOLMOD_LONG };
#else
  #define CHOLMOD(name) cholmod_##name
enum { WRING_CHOLMOD_INDEX = CHOLMOD_INT };
#endif

/* Starts CHOLMOD for supernodal factors L L^T in METIS order, without messages. */
static inline void wring_cholmod_start(cholmod_common *c)
{
  CHOLMOD(start)(c);
  c->print              = 0;
  c->supernodal         = CHOLMOD_SUPERNODAL;
  c->final_ll           = 1;
  c->nmethods           = 1;
  c->method[0].ordering = CHOLMOD_METIS;
  c->postorder          = 1;
}

/*
  A on one rank is symmetric, so its rows are its columns: CHOLMOD reads PETSc's arrays in place. Of these it uses the
  upper triangle, which it permutes in one pass (the lower one takes two).
*/
static inline cholmod_sparse wring_cholmod_view(const wring_aij *A)
{
  return (cholmod_sparse){.nrow   = (size_t)A->n,
                          .ncol   = (size_t)A->n,
                          .nzmax  = (size_t)A->start[A->n],
                          .p      = (void *)A->start,
                          .i      = (void *)A->column,
                          .x      = (void *)A->value,
                          .stype  = 1,
                          .itype  = WRING_CHOLMOD_INDEX,
                          .xtype  = CHOLMOD_REAL,
                          .dtype  = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}
