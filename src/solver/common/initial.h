/* Private to src/solver: the Hessian that L-BFGS starts from, A_0 with H_0 = A_0^{-1}. docs/theory.md 5, qn */
#pragma once
#include "linear.h"

typedef enum {
  WRING_INITIAL_OPERATOR, // A
  WRING_INITIAL_IDENTITY, // I; who calls scales it
  WRING_INITIAL_REST,     // the projected Hessian at rest
  WRING_INITIAL_FRAME,    // the projected Hessian at x_0 of every solve
  WRING_INITIAL_WARPED    // that at rest, turned at every vertex with the body at x_0
} wring_initial_kind;

/* What an incomplete factor is made from. */
typedef enum { WRING_FACTOR_OWN, WRING_FACTOR_REST, WRING_FACTOR_OPERATOR } wring_initial_factor;

typedef struct {
  wring_initial_kind   kind;
  PetscBool            steps; // inner: cg
  wring_initial_factor factor;
  wring_linear         system;   // unused for the identity, and for A solved as set by operator.type
  Mat                  P;        // what the preconditioner is made from, if not the system's matrix
  PetscInt             revision; // of the potential that the constant matrices belong to; -1: none yet
  Vec                  rest;     // rest positions
  double              *R;        // [n_owned][9] rotations, row by row
  Vec                  turned;   // R^T q
} wring_initial;

/* Reads initial_hessian, inner, inner_max_it and inner_preconditioner of `table`, and operator.type and rtol. */
PetscErrorCode wring_initial_set_from_options(wring_solver *s, const wring_options *o, const char *prefix,
                                              const wring_option *table, wring_initial *H);
PetscErrorCode wring_initial_set_up(wring_solver  *s,
                                    wring_initial *H); // refuses laws that lack a Hessian if it needs one
PetscErrorCode wring_initial_begin(wring_solver *s, wring_initial *H, Vec x); // x_0 of a solve
PetscErrorCode wring_initial_predict(wring_solver *s, wring_initial *H, Vec x,
                                     double *bytes);                                 // as wring_solver_predict
PetscErrorCode wring_initial_solve(wring_solver *s, wring_initial *H, Vec q, Vec d); // d = H_0 q
PetscErrorCode wring_initial_destroy(wring_initial *H);
