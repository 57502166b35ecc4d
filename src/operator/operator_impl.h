/* Private to src/operator: the table of functions of a type, and the operator. The map is in wring/operator.h. */
#pragma once
#include "hosts.h"
#include <wring/operator.h>

typedef enum { OPERATOR_AUTO, OPERATOR_DIRECT, OPERATOR_MULTIGRID, OPERATOR_PETSC } operator_type;
typedef enum { FACTOR_AUTO, FACTOR_SHARED, FACTOR_DISTRIBUTED } operator_factor;

typedef struct {
  MPI_Comm           comm;
  PetscMPIInt        n_rank;
  wring_hosts        hosts;
  wring_phases      *phases; // borrowed
  operator_type      type;   // keys of the deck, as those below
  operator_factor    factor;
  double             rtol;
  PetscBool          rtol_given; // in the deck
  PetscInt           max_it, blas_threads;
  wring_coarsening   coarsening; // of multigrid
  wring_operator_use use;
} wring_operator_settings;

/* A matrix of one or several of x, y and z, and its solves by one type. */
typedef struct {
  const wring_operator_settings   *set;
  const struct wring_operator_ops *ops; // NULL before the first matrix
  void                            *data;
  PetscBool                        exact;      // rtol 0 asks for the accuracy of double precision
  PetscBool                        no_sharing; // too little memory could be shared for one factor
  Mat                              A;
  PetscObjectState                 pattern; // of A when data was created
  Vec                              in, out; // one component, with the layout of A's columns and rows
  wring_operator_info              info;
} wring_operator_part;

struct wring_operator {
  wring_operator_settings set;
  int                     n_part;  // number of different matrices of x, y and z
  int                     of[3];   // the part that solves a component
  wring_operator_part     part[3]; // info of the first has the counts of solves
  double                 *b, *x;   // [n_owned][3] of a part; NULL for one part
};

/* A solve that starts from zero, whatever x holds; see wring_operator_solve_from_zero. */
typedef struct {
  double                     size;
  const wring_operator_dots *d;
  PetscBool                 *brought; // d is computed
} wring_operator_zero;

/* One method to solve A x = b. A new sparsity pattern gets new data: every call of set_up sees the same pattern. */
typedef struct wring_operator_ops {
  const char *type;                                    // "direct"
  PetscErrorCode (*create)(wring_operator_part *part); // allocates part->data
  PetscErrorCode (*set_up)(wring_operator_part *part); // part->A has new values; sets info.library and info.memory
  PetscErrorCode (*predict)(wring_operator_part *part, double *bytes); // on this rank, for set_up and solves with A
  /*
    b, x [n_owned][3]; rtol 0 asks type direct for the accuracy of double precision, WRING_OPERATOR_ROUGH a type that
    approximates for one application of its preconditioner; zero NULL: from x; *reached is PETSC_TRUE and
    info.iterations is 0 on entry
  */
  PetscErrorCode (*solve)(wring_operator_part *part, double rtol, const wring_operator_zero *zero, const double *b,
                          double *x, PetscBool *reached);
  PetscErrorCode (*destroy)(wring_operator_part *part);
  PetscBool approximates; // has a fixed approximation of A^(-1): accepts WRING_OPERATOR_ROUGH
} wring_operator_ops;

extern const wring_operator_ops wring_operator_cholmod, wring_operator_mumps, wring_operator_multigrid,
  wring_operator_petsc;

/* ---- choose.c ---- */

/* The type that solves with n_vertex vertices: not AUTO. */
operator_type wring_operator_find_type(const wring_operator *op, PetscInt n_vertex);

/* What an rtol of a solve stands for; approximates: of the type; exact: rtol 0 asks for double precision. */
double wring_operator_rtol(const wring_operator_settings *set, double rtol, PetscBool approximates, PetscBool exact);
/* Whether rtol 0 asks a factor for the accuracy of double precision. */
PetscBool wring_operator_is_exact(const wring_operator_settings *set, PetscInt n_vertex);

/* ---- columns.c ---- */

/* Copies one component of v [n_owned][3] to a vector [n_owned], and back. */
PetscErrorCode wring_operator_gather(const double *v, int component, Vec one);
PetscErrorCode wring_operator_scatter(Vec one, int component, double *v);

/* The same for all three components at once: columns [3][n], v [n][3]. */
void wring_operator_to_columns(PetscInt n, const double *v, double *columns);
void wring_operator_from_columns(PetscInt n, const double *columns, double *v);
