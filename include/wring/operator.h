/*
  Layer 7, the constant operator A = M/h^2 + L: scalar, symmetric positive definite; x, y, z are three right-hand sides,
  which a factor and multigrid serve together and a solver of PETSc one after the other. docs/theory.md 4.
*/
#pragma once
#include <wring/options.h>

typedef struct wring_operator wring_operator;

/* Deck keys behind "operator_": type (auto|direct|multigrid|petsc), factor, rtol, max_it, blas_threads. */
extern const wring_option wring_operator_options[];

typedef struct {
  const char *type;             // what `auto` became: "direct", "multigrid", "petsc"; borrowed
  const char *library;          // "cholmod, in single precision", "mumps", "gamg", ...; borrowed
  double      rtol;             // of the last solve; 0: all that double precision gives
  PetscInt    iterations;       // of the last solve, largest over the three components; 0 for direct
  PetscInt64  total_iterations; // of all solves
  PetscInt64  solves, set_ups;
  double      memory; // bytes of factor or hierarchy, all ranks
} wring_operator_info;

/*
  phases is borrowed, may be NULL. Options of PETSc's own have the prefix "operator_"; what PETSc does not take of those
  that an iterative type asks for is refused here. Collective, as all functions here.
*/
PetscErrorCode wring_operator_create(MPI_Comm comm, const wring_options *o, wring_phases *phases, wring_operator **op);
PetscErrorCode wring_operator_destroy(wring_operator **op);

/*
  Takes a reference to A (MATAIJ) and sets the solve up: factor or hierarchy. Again whenever A's values have changed.
*/
PetscErrorCode wring_operator_set_matrix(wring_operator *op, Mat A);

/*
  The matrix that it has, borrowed; NULL: none yet. Who gives it other values calls set_matrix with it again. Not
  collective.
*/
Mat wring_operator_matrix(const wring_operator *op);

/*
  Solves A x = b for b, x [n_owned][3]. x holds the starting guess (only iterative types use it). Each component is
  solved to |b - A x| <= rtol |b|; rtol 0 takes operator.rtol, but where the deck does not give that key,
  `operator.type: direct` and any factor of a mesh of up to 5000 vertices solve to round-off. A solve that does not
  reach it is not an error: *reached (may be NULL). MUMPS, and CHOLMOD in double precision, solve to round-off whatever
  rtol is.
*/
PetscErrorCode wring_operator_solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached);

/*
  Dots that are wanted of a solution: dots[i] = x . with[i], summed over the ranks; with[i] [n_owned][3] and dots [n]
  borrowed.
*/
typedef struct {
  int                  n; // at most WRING_OPERATOR_DOTS
  const double *const *with;
  double              *dots;
} wring_operator_dots;
enum { WRING_OPERATOR_DOTS = 128 };

/*
  The same from zero, whatever x holds, and dots of x. size is |b| to some orders of magnitude, 0 where that is not
  known. Type multigrid needs no reduction but one an iteration then: its last one brings the dots, where it is foreseen
  to be the last.
*/
PetscErrorCode wring_operator_solve_from_zero(wring_operator *op, double rtol, double size, Vec b, Vec x,
                                              const wring_operator_dots *d);

/*
  rtol for callers to whom an approximation of A^{-1} does, so that speed counts more: operator.rtol; where the deck
  does not give it, 1e-1, or 0 if it says `operator.type: direct`. Not collective.
*/
double wring_operator_rough_rtol(const wring_operator *op);

PetscErrorCode wring_operator_apply(wring_operator *op, Vec x, Vec y); // y = A x for the three components

void wring_operator_get_info(const wring_operator *op, wring_operator_info *info);

/*
  A notice for each of PETSc's options that was given and that nothing has asked for: a misspelt one is no error to
  PETSc.
*/
PetscErrorCode wring_operator_note_unused(MPI_Comm comm);

/* What a run will ask of its operator: `auto` chooses by it. Not collective, as the next two. */
typedef struct {
  PetscInt64 solves; // at most
  PetscBool  rough;  // to wring_operator_rough_rtol, not to rtol 0
} wring_operator_use;

/* Before the first matrix; without it, a great many solves that are not rough. */
void wring_operator_expect(wring_operator *op, const wring_operator_use *use);

/* "direct", "multigrid" or "petsc": what `operator_type` stands for at this size. docs/user.md has the rule. */
const char *wring_operator_choice(const wring_operator *op, PetscInt n_vertex);

/*
  Whether the factor of a direct solve would be one for all ranks (CHOLMOD), or in parts on each (MUMPS), by the key
  "operator_factor". Refuses what cannot be. Collective.
*/
PetscErrorCode wring_operator_choose_factor(const wring_operator *op, PetscInt n_vertex, PetscBool *shared);

/*
  Bytes that set_matrix and a solve would take on this rank, beyond A itself: by the symbolic analysis of a factor,
  which costs little of its memory and time. A needs no values. Afterwards op can only be destroyed or given a matrix.
*/
PetscErrorCode wring_operator_predict(wring_operator *op, Mat A, double *bytes);

/* The same for a factor by PETSc: MATSOLVERCHOLMOD (Cholesky) or MATSOLVERMUMPS; 0 where PETSc lacks the library. */
PetscErrorCode wring_factor_predict(Mat A, MatSolverType library, MatFactorType type, double *bytes);

/* The same for PETSc's smoothed aggregation on A. */
PetscErrorCode wring_multigrid_predict(Mat A, double *bytes);
