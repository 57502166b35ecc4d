/* Private to src/solver: the Hessian A_0 from which L-BFGS starts, H_0 = A_0^{-1}. docs/theory.md 5, qn */
#pragma once
#include "solver/common/linear.h"

typedef enum {
  WRING_INITIAL_OPERATOR, // A
  WRING_INITIAL_IDENTITY, // I; the caller scales it
  WRING_INITIAL_REST,     // the projected Hessian at rest
  WRING_INITIAL_FRAME,    // the projected Hessian at x_0 of every solve
  WRING_INITIAL_WARPED    // the projected Hessian at rest, rotated at every vertex with the body at x_0
} wring_initial_kind;

/* Of inner cg; an incomplete factor is of the system, of the Hessian at rest, or of A. */
typedef enum {
  WRING_INNER_NONE,
  WRING_INNER_JACOBI,
  WRING_INNER_ICHOLESKY,
  WRING_INNER_ICHOLESKY_REST,
  WRING_INNER_ICHOLESKY_OPERATOR
} wring_inner_preconditioner;

typedef struct {
  wring_initial_kind         kind;  // this, steps, preconditioner and system.max_it are read from the keys of qn
  PetscBool                  steps; // inner: cg
  wring_inner_preconditioner preconditioner;
  wring_linear               system;   // unused for the identity, and for A solved as set by operator.type
  PetscInt                   revision; // revision of the potential of the constant matrices; -1: none so far
  Vec                        rest;     // rest positions
  double                    *R;        // [n_owned][9] rotations, row by row
  Vec                        turned;   // R^T q
} wring_initial;

/* Checks its keys, which have been read, and reads operator.type and rtol. */
PetscErrorCode wring_initial_set_from_options(wring_solver *s, const wring_options *o, const char *prefix,
                                              wring_initial *H);
PetscErrorCode wring_initial_set_up(wring_solver  *s,
                                    wring_initial *H); // refuses laws without a Hessian if it needs one
PetscErrorCode wring_initial_begin(wring_solver *s, wring_initial *H, Vec x); // x_0 of a solve
PetscErrorCode wring_initial_predict(wring_solver *s, wring_initial *H, Vec x,
                                     double *bytes);                                 // as wring_solver_predict
PetscErrorCode wring_initial_solve(wring_solver *s, wring_initial *H, Vec q, Vec d); // d = H_0 q
PetscErrorCode wring_initial_destroy(wring_initial *H);
