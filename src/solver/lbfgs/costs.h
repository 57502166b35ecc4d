/*
  Private to src/solver: what solves have cost, in evaluations of g and its gradient, and when a new operator or a
  Hessian is worth its price; docs/theory.md (5.13) to (5.14a), (5.40) to (5.42). Numbers only, which are counted, not
  timed, so that all ranks decide alike and runs can be repeated.
*/
#pragma once
#include <wring/base.h>

/* ---- a new operator, the mean of the diagonal blocks of the Hessian, in the place of the present one ------------- */

enum { WRING_COSTS_FEW = 3 }; // solves of which means are taken

typedef struct {
  PetscInt price; // of a new operator; 0: none is built
  struct {
    PetscInt  evaluations;    // so far; the caller adds those that are no steps
    PetscInt  since, renewed; // evaluations before the last new operator; before the first
    PetscInt  times;          // new operators
    PetscBool partial;        // it began with another operator
  } solve;                    // this one or, before it begins, the last one
  struct {
    PetscInt n;                                             // whole solves
    PetscInt early[WRING_COSTS_FEW], late[WRING_COSTS_FEW]; // evaluations of the first and of the last of them
    PetscInt excess;                                        // evaluations of later solves beyond the first, at least 0
    PetscInt rejected;                                      // steps that line searches rejected
  } with;                                                   // the present operator
  PetscInt guess; // of evaluations of a whole solve, from the rest of a solve that began with another operator; 0: none
  double   before; // mean of `late` of the last operator; 0: unknown
  PetscInt misses; // operators that did not pay, less those that did, at least 0
} wring_renewal;

void wring_renewal_begin(wring_renewal *r, PetscBool changed); // a solve; changed: with another g, and A again

/* Whether keeping the operator has cost as much as a new one, after `evaluations` of this solve. */
PetscBool wring_renewal_is_due(const wring_renewal *r, PetscInt evaluations);

/* The operator was renewed, in the middle of the solve or not; or it is in use again after iterations without it. */
void wring_renewal_done(wring_renewal *r, PetscInt evaluations, PetscBool middle);
void wring_renewal_return(wring_renewal *r, PetscInt evaluations, PetscBool middle);

void wring_renewal_count(wring_renewal *r, PetscInt evaluations); // after an iteration: all steps but one are rejected

/* ---- a Hessian in the place of the operator ---------------------------------------------------------------------- */

typedef enum { WRING_USE_OPERATOR, WRING_USE_HESSIAN } wring_use;

typedef struct {
  wring_use use;
  double    price;  // of a Hessian and its factor; INFINITY: none is built
  PetscInt  misses; // Hessians that did not pay
  double    waited; // cost since the operator came into use, or the Hessian was built
  double    best;   // N: least |grad g| of this solve
  struct {
    double cost, decades; // and those by which |grad g| fell; recent ones count more
  } with[2];              // each wring_use
} wring_trade;

void wring_trade_add(wring_trade *t, double cost, double norm); // an iteration, which ends at |grad g| = norm

/* (5.41): the operator has cost the price of a Hessian, and what is left to |grad g| = target, more than half of it. */
PetscBool wring_trade_is_due(const wring_trade *t, double target);

/* What becomes of a Hessian: it is kept until it has cost its price again, then rebuilt if it was worth it, or left. */
typedef enum { WRING_KEEP, WRING_REBUILD, WRING_LEAVE } wring_verdict;
wring_verdict wring_trade_judge(const wring_trade *t);

void wring_trade_build(wring_trade *t); // a Hessian
void wring_trade_leave(wring_trade *t); // it did not pay
