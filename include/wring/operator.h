/*
  Layer 7: the constant operator A = M/h^2 + L, a scalar symmetric positive definite matrix, and its solves. x, y, z are
  three right-hand sides, which a factor and multigrid solve together and a solver of PETSc one by one. docs/theory.md
  4. Where attachments hold single components, A has rows and columns of its own for each, (3.11b): there is one factor
  or hierarchy for each different matrix, which solves for the components that have it.

  Map of src/operator, in reading order:
    operator_impl.h   the function table of a type, and the operator: settings, and a part for each different matrix
    operator.c        create, set the matrix, solve, apply: the interface below
    choose.c          the choices of `auto`: type, factor, tolerance
    krylov.c          type petsc: a KSP for each component; columns.c copies between [n][3] and single components
    direct/           type direct: factors by CHOLMOD and MUMPS; factor.h is its map
    multigrid/        type multigrid: conjugate gradients with a V-cycle in single precision; multigrid.h is its map
    schwarz.h         additive Schwarz on two levels for matrices with three rows per vertex
    hosts.h           the hosts of the ranks
    judge.h           the outcome of a solve by PETSc, for every KSP of the library
    aij.h             rows of PETSc's matrices as arrays; neighbours.h: persistent messages with the ranks that own or
                      hold ghosts; subnormal.h: flush subnormal numbers to zero
  Element contributions to A belong to src/potential and src/term; nonlinear iterations belong to src/solver.

  Vectors b, x, y: one Vec each of 3 n_global numbers, [n_owned][3] on each rank with the components of a vertex
  contiguous; n_owned is the number of local rows of A. Vectors are of type seq or mpi, not on a device. b and x of a
  solve must be different vectors.

  Refused in one line on all ranks (PETSC_ERR_USER_INPUT, as for wring_error): a matrix that is not of type AIJ, or not
  positive definite if the solve detects it (CHOLMOD, MUMPS and multigrid do; PETSc's methods may not); too many
  vertices for MUMPS (2^31 entries) or for multigrid (2^31 / 3 vertices on a rank, with ghosts); a factor that runs out
  of memory; options of PETSc that the type does not use; non-finite numbers in an iterative solve. A direct solve
  propagates them to x. After a refusal op may only be destroyed.

  Threads: no two threads may call functions here at once, not even for different operators; the functions start OpenMP
  threads themselves. Effects on the whole process: blas_threads sets the number of BLAS threads for every library; type
  direct calls omp_set_dynamic(0); subnormal numbers are flushed to zero during a solve, and then treated as before.
  PETSc's options with the prefix "operator_" are read, and never set.
*/
#pragma once
#include <wring/options.h>

typedef struct wring_operator wring_operator;

/*
  rtol for callers that need only an approximation of A^{-1}. It stands for operator.rtol if the deck sets it. Otherwise
  a factor solves as for rtol 0, or in single precision where `auto` chose it; type multigrid applies one V-cycle, times
  3/2, which is the same symmetric positive definite map in every call; type petsc solves to 1e-1.
*/
#define WRING_OPERATOR_ROUGH (-1.0)

/*
  rtol for callers that add x to an iterate and solve again for what is left: as rtol 0, but iterative types solve to
  0.2 if the deck does not set operator.rtol. docs/performance.md, "Inner tolerance"
*/
#define WRING_OPERATOR_CORRECTION (-2.0)

/*
  Deck keys with the prefix "operator_": type (auto|direct|multigrid|petsc), factor, rtol, max_it, blas_threads,
  threshold, coarse_node_rows, coarse_rank_entries.
*/
extern const wring_option wring_operator_options[];

typedef struct {
  /* of the parts, if x, y and z have different matrices: memory is their sum, iterations the largest */
  const char *type;       // in use: "direct", "multigrid", "petsc"; static
  const char *library;    // "cholmod, in single precision", "mumps", "gamg", ...; borrowed until the next set_matrix
  double      rtol;       // of the last solve; 0: to round-off of double precision; or WRING_OPERATOR_ROUGH
  PetscInt    iterations; // of the last solve, largest over the components; 0 for direct
  PetscInt64  total_iterations; // of all solves
  PetscInt64  solves, set_ups;
  double      memory;         // bytes of the factor or the hierarchy, sum over the ranks
  double      flops, entries; // of the factor of one component: operations, numbers in it; 0 without a factor
} wring_operator_info;

/*
  phases is borrowed, or NULL. The user's options of PETSc have the prefix "operator_"; those that PETSc, or the
  requested iterative type, does not accept are refused here. o may be destroyed afterwards. Collective, as are all
  functions here unless stated otherwise.
*/
PetscErrorCode wring_operator_create(MPI_Comm comm, const wring_options *o, wring_phases *phases, wring_operator **op);
PetscErrorCode wring_operator_destroy(wring_operator **op); // *op may be NULL, and is NULL afterwards

/*
  Sets up the solves with A (seqaij or mpiaij, n_global rows): the factor or the hierarchy. Takes a reference to A. Call
  it again whenever values of A have changed; the symbolic part of a factor and the interpolation of a hierarchy are
  kept where possible. The second function takes A of x, of y and of z; equal ones must be the same object.
*/
PetscErrorCode wring_operator_set_matrix(wring_operator *op, Mat A);
PetscErrorCode wring_operator_set_matrices(wring_operator *op, const Mat A[3]);

/* Frees factors, hierarchies and references to matrices: the next set_matrices makes all of them anew. */
PetscErrorCode wring_operator_forget(wring_operator *op);

/* References to the matrices of x, y and z, to be destroyed; after a change of their values call set_matrices. */
PetscErrorCode wring_operator_get_matrices(const wring_operator *op, Mat A[3]);

/*
  Solves A x = b, each component to |b - A x| <= rtol |b|. x holds the initial guess, which only iterative types use.
  rtol 0 means operator.rtol; if the deck does not set that key, `operator.type: direct` and any factor of a mesh of up
  to 5000 vertices solve to round-off. MUMPS, and CHOLMOD in double precision, solve to round-off whatever rtol is.
  *reached (may be NULL) is PETSC_FALSE if the tolerance was not reached; this is not an error, and x is the last
  iterate. WRING_OPERATOR_ROUGH ignores the initial guess where it stands for one V-cycle.
*/
PetscErrorCode wring_operator_solve(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached);

/*
  Requested dot products of a solution: dots[i] = x . with[i], summed over the ranks; with[i] [n_owned][3] and dots [n]
  are borrowed. with[i] may be the array of b, but not of x.
*/
typedef struct {
  int                  n; // at most WRING_OPERATOR_DOTS
  const double *const *with;
  double              *dots;
} wring_operator_dots;
enum { WRING_OPERATOR_DOTS = 128 };

/*
  The same from the initial guess zero, whatever x holds, with dot products of x. size is |b| to within some orders of
  magnitude, or 0 if unknown. Type multigrid then needs one reduction an iteration and no other: the last reduction
  includes the dot products if the iteration is predicted to be the last.
*/
PetscErrorCode wring_operator_solve_from_zero(wring_operator *op, double rtol, double size, Vec b, Vec x,
                                              const wring_operator_dots *d);

PetscErrorCode wring_operator_apply(wring_operator *op, Vec x, Vec y); // y = A x for the three components; y may be x

void wring_operator_get_info(const wring_operator *op, wring_operator_info *info); // not collective

/* Prints a notice for each option of PETSc that was set and not used: PETSc does not report misspelt ones as errors. */
PetscErrorCode wring_operator_note_unused(MPI_Comm comm);

/* The expected use of an operator, from which `auto` makes its choice. */
typedef struct {
  PetscInt64 solves; // at most
  double     rtol;   // of these solves: 0, WRING_OPERATOR_ROUGH or WRING_OPERATOR_CORRECTION
} wring_operator_use;

/* Call before the first matrix; by default, many solves to rtol 0 are expected. Not collective. */
void wring_operator_expect(wring_operator *op, const wring_operator_use *use);

/* What the rtol of the expected solves is at this size: "0 (exact)", "0.001", "of one V-cycle", ... Not collective. */
void wring_operator_describe_rtol(const wring_operator *op, PetscInt n_vertex, size_t size, char *text);

/*
  "direct", "multigrid" or "petsc": the type that `operator_type` selects at this size, docs/performance.md. Not
  collective.
*/
const char *wring_operator_choice(const wring_operator *op, PetscInt n_vertex);

/*
  Whether the factor of a direct solve would be one shared by all ranks of a node (CHOLMOD; each node has one) or
  distributed over all ranks (MUMPS), by the key "operator_factor". Not collective.
*/
PetscBool wring_operator_shares_factor(const wring_operator *op, PetscInt n_vertex);

/* Seconds of set-up and all expected solves each way, by the models of `auto`, which are rough. Not collective. */
typedef struct {
  double shared, distributed, multigrid;
} wring_operator_seconds;

void wring_operator_estimate(const wring_operator *op, PetscInt n_vertex, wring_operator_seconds *s);

/*
  Bytes that set_matrices and a solve would take on this rank, beyond A itself: from the symbolic analysis of a factor,
  which takes little of its memory and time. A needs no values. Afterwards op may only be destroyed or given a matrix.
*/
PetscErrorCode wring_operator_predict(wring_operator *op, const Mat A[3], double *bytes);

/* The same for a factor by PETSc: MATSOLVERCHOLMOD (Cholesky) or MATSOLVERMUMPS; 0 if PETSc lacks the library. */
PetscErrorCode wring_factor_predict(Mat A, MatSolverType library, MatFactorType type, double *bytes);

/* The same for smoothed aggregation on A, by PETSc or of type multigrid: a multiple of its entries. Not collective. */
PetscErrorCode wring_multigrid_predict(Mat A, double *bytes);
