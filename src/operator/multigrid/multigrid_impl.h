/*
  Private to src/operator: the levels of the fused multigrid. Every array of vertices is [n][3], components fastest, and has
  one number to spare at its end, for a vertex is read as four numbers. All levels are scaled to a unit diagonal,
  D^(-1/2) A D^(-1/2), and in float. docs/theory.md (4.5)-(4.12)
*/
#pragma once
#include "operator/operator_impl.h"
#if defined(__AVX__)
  #include <immintrin.h>
#endif

/* Rows of one rank. Columns are local, below 2^31. */
typedef struct {
  const PetscInt *start;  // [n + 1]
  const int      *column; // [start[n]]
  float          *value;  // [start[n]], owned
  PetscInt       *own_start;
  int            *own_column; // what start and column point to, NULL where they are arrays of a PETSc matrix
} wring_csr;

typedef struct {
  PetscInt  n, n_ghost;
  wring_csr own, ghost; // columns of this rank; of others, whose rows are all but those of `boundary` empty
  PetscInt  n_boundary, *boundary;
  PetscSF   halo;  // roots [n], leaves [n_ghost]; NULL on one rank
  float    *scale; // [n + n_ghost] d = D^(-1/2)
  float     omega; // the step of the smoother
  PetscInt  n_coarse, n_coarse_ghost;
  wring_csr P;             // [n] rows, to [n_coarse + n_coarse_ghost]; empty on the coarsest level
  wring_csr R;             // its transpose on this rank
  PetscInt *coarse_global; // [n_coarse_ghost]
  PetscSF   coarse_halo;
  PetscInt *slot;  // [n_coarse + 1] of `share`, into which the ghosts of other ranks are gathered
  float    *share; // [slot[n_coarse]][3]
  float    *b, *x; // [n + n_ghost][3]
  float    *y;     // [n + largest number of ghosts][3]: as ghosts of the finer level's P too
  PetscInt  y_ghost;
} wring_level;

/* The inverse of the coarsest matrix, scaled; none where that is too large, and is smoothed. */
typedef struct {
  PetscBool dense;
  MPI_Comm  comm;           // of the ranks that own rows; MPI_COMM_NULL on the others
  PetscInt  n_global;       // rows
  float    *inverse;        // [n][n_global]
  float    *all;            // [n_global][3], NULL on one rank of comm
  int      *count, *offset; // of floats in `all`
} wring_coarsest;

typedef struct {
  MPI_Comm       comm;
  MPI_Datatype   vertex; // 3 floats
  int            n_level;
  wring_level   *level; // finest first
  wring_coarsest coarsest;
  double         memory; // bytes, this rank
} wring_cycle;

/* Sums and loops go over STRIPS parts of the rows, each by one thread: the order of a sum never depends on threads. */
enum { WRING_STRIPS = 64, WRING_SERIAL_BELOW = 2000 };
static inline PetscInt wring_strip(PetscInt n, int s)
{
  return (PetscInt)((int64_t)n * s / WRING_STRIPS);
}

typedef float              wring_float4 __attribute__((vector_size(16)));
typedef double             wring_double4 __attribute__((vector_size(32)));
static inline wring_float4 wring_load_float(const float *x)
{
  wring_float4 v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}
/* The vertex x[3] and a fourth number, in double precision. gcc 12 makes five instructions of what AVX has one for. */
static inline void wring_widen(const float *x, wring_double4 *v)
{
#if defined(__AVX__)
  *v = (wring_double4)_mm256_cvtps_pd(_mm_loadu_ps(x));
#else
  *v = __builtin_convertvector(wring_load_float(x), wring_double4);
#endif
}

/* Not by value: a function that returns more than 16 bytes in a register is another one on processors without AVX. */
static inline void wring_load_double(const double *x, wring_double4 *v)
{
  __builtin_memcpy(v, x, sizeof *v);
}

/* ---- rows.c: matrices of PETSc as rows ---- */

/* The parts of an AIJ matrix: columns of this rank, of others (NULL on one rank), and the global numbers of those. */
PetscErrorCode wring_mat_parts(Mat A, Mat *own, Mat *ghost, const PetscInt **global);
/* An SF from the rows that A's columns are owned by to its ghost columns; NULL on one rank. Collective. */
PetscErrorCode wring_mat_halo(Mat A, PetscSF *halo, PetscInt *n_ghost);
/* A's values behind a, scaled by row and column: value row[i] column[j]. a borrows A's arrays where it can, or copies. */
PetscErrorCode wring_csr_create(Mat A, PetscBool borrow, const float *row, const float *column, wring_csr *a);
/* Columns of `own` and, after its n_own ones, of `ghost` (may be NULL) in one; the scale of ghosts follows that of n_own. */
PetscErrorCode wring_csr_join(Mat own, Mat ghost, PetscInt n_own, const float *row, const float *column, wring_csr *a);
PetscErrorCode wring_csr_transpose(PetscInt n, PetscInt n_column, const wring_csr *a, wring_csr *t);
PetscErrorCode wring_csr_destroy(wring_csr *a);
double         wring_csr_memory(PetscInt n, const wring_csr *a); // of what it owns
PetscErrorCode wring_float_create(PetscInt n, float **x); // zeros, touched first by the threads that will use them

/* ---- level.c: what a cycle does on a level; threaded ---- */

/* y = scale (p b + q x - omega A x), scale [n] or NULL. x has room for ghosts, which are filled. Collective. */
PetscErrorCode wring_level_combine(const wring_cycle *c, const wring_level *l, float p, const float *b, float q,
                                   float *x, float *y, const float *scale);
/* coarse = P^T r, and x = omega b + P coarse, whose ghosts are filled. Collective. */
PetscErrorCode wring_level_restrict(const wring_cycle *c, const wring_level *l, const float *r, float *ghost,
                                    float *coarse);
PetscErrorCode wring_level_prolong(const wring_cycle *c, const wring_level *l, float *coarse, const float *b, float *x);
/* sum of a b, and of b b, by component: of this rank */
void wring_level_dots(PetscInt n, const float *a, const float *b, double ab[3], double bb[3]);

/* ---- coarsest.c ---- */
PetscErrorCode wring_coarsest_create(MPI_Comm comm, Mat A, const wring_level *l, wring_coarsest *c);
PetscErrorCode wring_coarsest_destroy(wring_coarsest *c);
PetscErrorCode wring_coarsest_solve(wring_coarsest *c, PetscInt n, const float *b, float *x);

/* ---- cycle.c ---- */

/*
  Levels from A, the finest first, and P[i] from level i + 1 to i; all but A may be destroyed afterwards. Refuses what is not
  positive definite. Collective.
*/
PetscErrorCode wring_cycle_create(MPI_Comm comm, int n_level, Mat *A, Mat *P, wring_cycle **c);
PetscErrorCode wring_cycle_destroy(wring_cycle **c);
/* b of the finest level, D^(-1/2) r, becomes y of the finest level, about A^(-1) r, ready for ghosts. Collective. */
PetscErrorCode wring_cycle_apply(wring_cycle *c);

/* ---- hierarchy.c ---- */

/* A reader of options, refused in one line where PETSc does not take them; and where multigrid has no use for them. */
PetscErrorCode wring_hierarchy_try_options(MPI_Comm comm);
/* n_level matrices and P between them by PETSc's smoothed aggregation; A[0] is a new reference to `fine`. */
PetscErrorCode wring_hierarchy_create(MPI_Comm comm, Mat fine, int *n_level, Mat **A, Mat **P);
/* The same with the interpolation of a cycle: only P^T A P is new. */
PetscErrorCode wring_hierarchy_renew(MPI_Comm comm, Mat fine, const wring_cycle *c, Mat **A, Mat **P);
PetscErrorCode wring_hierarchy_destroy(int n_level, Mat **A, Mat **P);
