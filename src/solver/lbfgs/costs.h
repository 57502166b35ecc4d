/*
  Private to src/solver: what solves have cost, in evaluations of g and its gradient, and when a new operator or a
  Hessian is worth its price; docs/theory.md (5.14), (5.14a), (5.40) to (5.42). Numbers only, which are counted, not
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
  double    first;  // more than this, of the first one; then 0
  PetscInt  misses; // uses of Hessians that did not pay
  double    spent;  // since the operator or Hessians came into use, with prices
  double    best;   // N: least |grad g| of this solve
  struct {
    double cost, decades; // and those by which |grad g| fell
  } with[2], since, last; // each wring_use, recent ones count more, and prices count; since the operator came
                          // into use or the Hessian was built; the last iterations
} wring_trade;

void wring_trade_add(wring_trade *t, double cost, double norm); // an iteration, which ends at |grad g| = norm

/* The cost of the rest, to |grad g| = target, with the operator at its rate; INFINITY: it has not come closer. */
double wring_trade_rest(const wring_trade *t, double target);

/*
  (5.41): the rest with the operator costs more than most of a Hessian; or the operator has cost the price of one, and
  the rest costs more than half of it.
*/
PetscBool wring_trade_is_due(const wring_trade *t, double target);

/*
  (5.42): a Hessian is kept until it has cost its price again, or its last iterations have gained less for their cost
  than all of them for theirs and its price; longer if the rest with it costs less than another. Then it is rebuilt, or
  left where Hessians have been slower than the operator.
*/
typedef enum { WRING_KEEP, WRING_REBUILD, WRING_LEAVE } wring_verdict;
wring_verdict wring_trade_judge(const wring_trade *t, double target);

void wring_trade_build(wring_trade *t); // a Hessian
void wring_trade_leave(wring_trade *t); // it did not pay
