/*
  Private to src/solver: a solver's own linear system, with one row per vertex (x, y, z are three right-hand sides) or
  three, and the method by which it is solved.
*/
#pragma once
#include "operator/judge.h"
#include "solver_impl.h"
#include <petscksp.h>

/* Whether means give H entries between vertices that share no tetrahedron. Not collective. */
PetscBool wring_linear_couples_more(const wring_solver *s);
#define WRING_FLOPS_OF_MEAN 3.5 // operations of a factor of such an H, over those of one without means

typedef enum {
  WRING_LINEAR_AUTO,      // direct where a factor is cheap, else multigrid
  WRING_LINEAR_DIRECT,    // a Cholesky factor
  WRING_LINEAR_MULTIGRID, // conjugate gradients with a V-cycle of H, of A at x for the three components where means
                          // couple more vertices than A; for other systems than H with equal A of x, y, z: PETSc's
                          // smoothed aggregation that represents rigid motions
  WRING_LINEAR_SCHWARZ,   // conjugate gradients with additive Schwarz on two levels
  WRING_LINEAR_JACOBI,    // conjugate gradients with Jacobi
  WRING_LINEAR_STEPS      // max_it steps of conjugate gradients with `pc`, from zero
} wring_linear_type;

typedef enum { WRING_NORM_PRECONDITIONED, WRING_NORM_RESIDUAL } wring_linear_norm; // what rtol is of: or |b - A x|
typedef enum { WRING_SYSTEM_READY, WRING_SYSTEM_SINGULAR } wring_linear_state;     // after set_up; SINGULAR: no factor

enum { WRING_LINEAR_PROBE = 500 }; // `most` of an H with unprojected elements, which may be indefinite

typedef struct {
  const char       *prefix; // prefix of PETSc's options, borrowed
  wring_linear_type type;   // AUTO until it is chosen; then from multigrid to direct at most
  int               solves; // expected for each matrix, which AUTO considers; 0: many
  double rtol; // of multigrid, Schwarz and Jacobi; with WRING_NORM_RESIDUAL it may change from solve to solve
  wring_linear_norm norm;
  double    volume;  // (lambda + 2 mu)/mu of nearly incompressible materials after begin_pressures; 0: there are none
  PetscBool pressed; // A is to be an H with the pressures of wring_potential_find_pressures
  PetscInt  max_it;  // of steps
  PetscInt  most;    // iterations of conjugate gradients after which a solve ends; 0: as PETSc's options say
  PCType    pc;      // of steps: PCNONE, PCJACOBI or PCICC
  Mat       A, P;    // owned: symmetric positive definite; of the preconditioner of steps, NULL: A

  double factor; // of AUTO: iterations of conjugate gradients that take as long as a factor; 0: unknown
  double excess; // those so far, less those of factors in their place, at least 0

  KSP                ksp; // NULL before the first set_up
  wring_linear_state state;
  wring_solve_end    end;      // of the last solve
  wring_error        refusal;  // of the last solve: why there is no factor, if A is not the cause
  Vec                in, out;  // one component, if A has one row per vertex
  Mat                mean[3];  // A at the x of the V-cycle's hierarchy, (5.13)
  PetscInt           revision; // of g when it was built
  double    pace[2]; // iterations per decimal digit: of the first solve with this hierarchy (0: none), the last
  double    extra;   // iterations since then above what the first solve lets expect, less in short solves
  PetscBool blocks;  // it is that of H
  PetscBool fresh;   // and its numbers are those of A, not of an earlier one
  PetscBool stale;   // the next set_up renews the V-cycle: the last solve ended because an earlier one is not definite
} wring_linear;

/*
  l->A is created to receive H, as the systems of l keep it in the least memory, unless it is there; or it is NULL: as
  an AIJ matrix. Options of PETSc may need one. A choice of AUTO may change here, where a new H begins. Collective.
*/
PetscErrorCode wring_linear_create_matrix(wring_solver *s, wring_linear *l);

/*
  Whether the iterations of AUTO's conjugate gradients have cost as much as factors in their place and two more: the
  solve that comes to this ends, and the next create_matrix chooses a factor, for an H that is to be assembled anew. Not
  collective.
*/
PetscBool wring_linear_gives_way(const wring_solver *s, const wring_linear *l);

/* To be called whenever A has new values. Multigrid represents the rigid motions of the positions x. Collective. */
PetscErrorCode wring_linear_set_up(wring_solver *s, wring_linear *l, Vec x);

/*
  rtol of this iteration's system for -H^{-1} grad g: choice 2 of Eisenstat and Walker [1996], with their safeguard, and
  not below what the rest of the solve to the solver's own tolerance needs.
*/
typedef struct {
  double least;     // rtol is not less
  double eta, norm; // of the last iteration: forcing term, |grad g|; 0: there is none
} wring_forcing;
void wring_linear_force(const wring_solver *s, wring_linear *l, wring_forcing *f);

/*
  Where materials are nearly incompressible, A is to be an H with pressures: at first those at x, where g is known, or
  at the start of the step, where E is less; then those that the full step d from x gives, before it is taken. After a
  shortened step, A is an H without, until the caller sets `pressed` again before keep_pressures. Collective.
  docs/theory.md (5.17g)
*/
PetscErrorCode wring_linear_begin_pressures(wring_solver *s, wring_linear *l, Vec x);
PetscErrorCode wring_linear_keep_pressures(wring_solver *s, wring_linear *l, Vec x, Vec d);

/*
  x = A^{-1} b from zero; counts linear iterations, the largest number of the three components. b must not be x. `end`
  is the worst of the components; SINGULAR also for a factor with negative pivots. Unless it is REACHED or SHORT, x is
  what the solver left. refusal.text is not empty if a library failed. Collective.
*/
PetscErrorCode wring_linear_solve(wring_solver *s, wring_linear *l, Vec b, Vec x);

/* Estimates the bytes of this rank that set_up and solves take beyond l->A. Collective. */
PetscErrorCode wring_linear_predict(wring_solver *s, wring_linear *l, double *bytes);
PetscErrorCode wring_linear_destroy(wring_linear *l);
