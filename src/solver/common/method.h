/*
  Private to src/solver: the table of functions that a method supplies. Common code calls them; methods do not call each
  other.
*/
#pragma once
#include <wring/solver.h>

/*
  A method as a fixed-point iteration v -> G(v), for another method that accelerates it; see inner.h. Where v is x, size
  and get are NULL.
*/
typedef struct {
  PetscInt (*size)(const wring_solver *s);                              // length of v on this rank; after set_up
  PetscErrorCode (*get)(const wring_solver *s, Vec x, double *v);       // v at the iterate x
  PetscErrorCode (*put)(const wring_solver *s, const double *v, Vec x); // sets the state to v and x to its iterate
  /* Of the iterate: what must not increase, and its rounding error [J]; or NULL. */
  void (*merit)(const wring_solver *s, double *merit, double *rounding);
} wring_solver_state;

/* Properties of a method's iterates when its keys have their default values. Tests check every type for them. */
typedef enum {
  WRING_MINIMISES      = 1, // the iterates converge to a minimum of g
  WRING_DESCENDS       = 2, // g does not rise from one to the next, except by rounding
  WRING_KEEPS_MOMENTUM = 4, // sum m_i x_i of a free body equals that of y if it does so at x_0
  WRING_REMEMBERS      = 8  // a solve depends on earlier ones, though not where it converges to
} wring_solver_property;

typedef struct wring_solver_ops {
  const char *name;          // "qn", as in a deck
  const char *about;         // what it decides by itself, wring_solver_about; or NULL
  unsigned    needs;         // WRING_CAN_... required of every law
  unsigned    declares;      // wring_solver_property
  PetscBool   has_residuals; // every iteration sets current.residual
  /*
    Of its solves with A: 0, operator.rtol, where A^{-1} defines the iterates; WRING_OPERATOR_ROUGH where it is only an
    initial approximation; WRING_OPERATOR_CORRECTION where the solution is added to the iterate.
  */
  double    operator_rtol;
  PetscBool damps; // uses the damping of springs; otherwise damped springs are refused

  wring_contact_way way; // how it treats contacts, if `contacts` is NULL

  size_t              data_size; // of s->data, which begins as zeros
  const wring_option *options;   // keys of the method, without prefix; those with `at` are read into s->data
  PetscErrorCode (*set_from_options)(wring_solver *s, const wring_options *o, const char *prefix); // the rest; or NULL
  PetscErrorCode (*set_up)(wring_solver *s);  // when the potential is complete: work vectors
  PetscErrorCode (*destroy)(wring_solver *s); // what s->data holds, also without set_up; or NULL

  PetscErrorCode (*begin)(wring_solver *s, Vec x); // at the start of each solve: forgets the last one; or NULL
  /*
    x_k -> x_(k+1) in place. Leaves current.known true, with value and grad at x_(k+1), if it has evaluated them, else
    false; or leaves x unchanged and calls wring_solver_end. Every decision is based on numbers that are the same on all
    ranks.
  */
  PetscErrorCode (*iterate)(wring_solver *s, Vec x);
  PetscErrorCode (*change)(wring_solver *s);  // called when contacts have changed, but grad not yet; or NULL
  PetscErrorCode (*refresh)(wring_solver *s); // called when g and grad are those of the new contacts; or NULL

  double (*operator_factor)(const wring_solver *s);     // factor of L in the A it solves with; 0 or NULL: no A
  wring_contact_way (*contacts)(const wring_solver *s); // how it treats contacts, where keys decide it; or NULL

  PetscErrorCode (*predict)(wring_solver *s, Vec x, double *bytes);       // see wring_solver_predict; NULL: no systems
  PetscErrorCode (*predict_later)(wring_solver *s, Vec x, double *bytes); // see wring_solver_predict_later; or NULL
  PetscErrorCode (*decrement)(wring_solver *s, Vec x, double *decrement); // see wring_solver_newton_decrement; or NULL
  PetscErrorCode (*precondition)(wring_solver *s, Vec b,
                                 Vec x); // x = H_0 b in an iteration after `begin`, without an inner method; NULL: none
  /*
    This rank's terms of sums that are reduced together with g of a trial point whose gradient is grad, the first of
    them |grad|^2; or NULL.
  */
  PetscErrorCode (*add_sums)(wring_solver *s, Vec grad, int *n, double *sums);
  /* What to change after a solve that ended at max_it, as the end of a sentence; NULL: nothing is known. Or NULL. */
  const char *(*advise)(const wring_solver *s, const wring_outcome *o);
  const wring_solver_state *state; // NULL: no other method can accelerate it
  /* Another v of the same iteration, whose get is G(v) - v, after a first one at the start, and whose put adds to v. */
  const wring_solver_state *moves; // or NULL
} wring_solver_ops;
