/*
  Private to src/solver: what a method supplies, as a table of functions. Common code calls them; methods do not call
  each other.
*/
#pragma once
#include <wring/solver.h>

/* A method as a fixed-point iteration v -> G(v), for another method that accelerates it, inner.h. */
typedef struct {
  PetscInt (*size)(const wring_solver *s);                              // numbers of v on this rank; after set_up
  PetscErrorCode (*get)(const wring_solver *s, Vec x, double *v);       // v, where the iterate is x
  PetscErrorCode (*put)(const wring_solver *s, const double *v, Vec x); // makes v the state and x its iterate
} wring_solver_state;

/*
  What the iterates of a method have in common where its keys have their default values. Tests hold every type to it.
*/
typedef enum {
  WRING_MINIMISES      = 1, // they converge to a minimum of g
  WRING_DESCENDS       = 2, // g does not rise from one to the next, but for rounding
  WRING_KEEPS_MOMENTUM = 4  // sum m_i x_i of a free body is that of y, if it is so at x_0
} wring_solver_property;

typedef struct {
  const char *name;                 // "qn", as in a deck
  unsigned    needs;                // WRING_CAN_... of every law
  unsigned    declares;             // wring_solver_property
  PetscBool   has_residuals;        // every iteration sets current.residual
  PetscBool   begins_from_operator; // solves with A are rough: wring_solver_apply_rough_inverse
  PetscBool   damps;                // uses the damping of springs; else such springs are refused

  const wring_option *options;               // keys of the method, without prefix
  PetscErrorCode (*create)(wring_solver *s); // allocates s->data
  PetscErrorCode (*set_from_options)(wring_solver *s, const wring_options *o, const char *prefix); // or NULL
  PetscErrorCode (*set_up)(wring_solver *s); // once the potential is complete: work vectors
  PetscErrorCode (*destroy)(wring_solver *s);

  PetscErrorCode (*begin)(wring_solver *s, Vec x); // each solve: forget the last one; or NULL
  /*
    x_k -> x_(k+1) in place. Leaves current.known true with value and grad at x_(k+1) if it has evaluated them, else
    false; or leaves x as it was and calls wring_solver_end. Every decision is taken from numbers that are the same on
    all ranks.
  */
  PetscErrorCode (*iterate)(wring_solver *s, Vec x);
  PetscErrorCode (*change)(wring_solver *s);  // contacts have changed, grad not yet; or NULL
  PetscErrorCode (*refresh)(wring_solver *s); // g and grad are those of other contacts; or NULL

  double (*operator_factor)(const wring_solver *s); // of L in the A it solves with, 0: none; NULL: none
  const wring_contact_way *(*contacts)(
    const wring_solver *s); // how it keeps contacts; NULL, as a result too: not at all
  PetscErrorCode (*predict)(wring_solver *s, Vec x, double *bytes); // see wring_solver_predict; NULL: no systems
  PetscErrorCode (*precondition)(wring_solver *s, Vec b, Vec x); // x = H_0 b of an iteration after `begin`; NULL: none
  /*
    Numbers of this rank to be summed with g of a trial point whose gradient is grad, the first of them |grad|^2; or
    NULL.
  */
  PetscErrorCode (*add_sums)(wring_solver *s, Vec grad, int *n, double *sums);
  const wring_solver_state *state; // NULL: no other method can accelerate it
} wring_solver_ops;
