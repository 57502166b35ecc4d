/* Private to src/operator: the table of functions of a type, and the operator. The map is in wring/operator.h. */
#pragma once
#include "hosts.h"
#include <wring/operator.h>

/* One method to solve A x = b. A new sparsity pattern gets new data: every call of set_up sees the same pattern. */
typedef struct {
  const char *type;                             // "direct"
  PetscErrorCode (*create)(wring_operator *op); // allocates op->data
  PetscErrorCode (*set_up)(wring_operator *op); // op->A has new values; sets info.library and info.memory
  PetscErrorCode (*predict)(wring_operator *op, double *bytes); // on this rank, for set_up and solves with op->A
  /*
    b, x [n_owned][3]; rtol 0 asks type direct for the accuracy of double precision, WRING_OPERATOR_ROUGH a type that
    approximates for one application of its preconditioner; *reached is PETSC_TRUE and info.iterations is 0 on entry
  */
  PetscErrorCode (*solve)(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached);
  /* starts from zero, whatever x holds; *brought: d is computed; see wring_operator_solve_from_zero; may be NULL */
  PetscErrorCode (*solve_from_zero)(wring_operator *op, double rtol, double size, Vec b, Vec x,
                                    const wring_operator_dots *d, PetscBool *brought);
  PetscErrorCode (*destroy)(wring_operator *op);
  PetscBool approximates; // has a fixed approximation of A^(-1): accepts WRING_OPERATOR_ROUGH
} wring_operator_ops;

extern const wring_operator_ops wring_operator_cholmod, wring_operator_mumps, wring_operator_multigrid,
  wring_operator_petsc;

/* What WRING_OPERATOR_ROUGH stands for with a type that approximates, or not. */
double wring_operator_rough_rtol(const wring_operator *op, PetscBool approximates);

/* What WRING_OPERATOR_CORRECTION stands for. */
double wring_operator_correction_rtol(const wring_operator *op);

/* Whether rtol 0 asks a factor for the accuracy of double precision. */
PetscBool wring_operator_is_exact(const wring_operator *op, PetscInt n_vertex);

struct wring_operator {
  MPI_Comm                  comm;
  wring_phases             *phases;   // borrowed
  char                      type[16]; // from the deck; a copy, because the options may be destroyed first
  char                      factor[16];
  PetscMPIInt               n_rank;
  wring_hosts               hosts;
  wring_operator_use        use;
  double                    rtol;       // operator.rtol
  PetscBool                 rtol_given; // in the deck
  PetscBool                 exact;      // rtol 0 asks for the accuracy of double precision
  PetscInt                  max_it;
  wring_gathering           gather; // of multigrid
  const wring_operator_ops *ops;    // NULL before the first matrix
  void                     *data;
  PetscBool                 no_sharing; // too little memory could be shared for one factor
  Mat                       A;
  PetscObjectState          pattern; // of A when data was created
  Vec                       in, out; // one component, with the layout of A's columns and rows
  wring_operator_info       info;
  int                       n_part;   // number of different matrices of x, y and z
  int                       of[3];    // the part that solves a component; part 0 is this operator itself
  wring_operator           *other[2]; // parts 1 and 2
  Vec                       b, x;     // [n_owned][3] of a part; NULL for one part
};

/* ---- parts.c: different matrices of x, y and z ---- */

/* of: the part that solves each component. Returns the number of parts. */
int wring_operator_find_parts(const Mat A[3], int of[3]);
/* Creates the parts after the first that op lacks, with the settings of op. */
PetscErrorCode                wring_operator_create_parts(wring_operator *op, int n_part, const int of[3]);
static inline wring_operator *wring_operator_of(wring_operator *op, int part)
{
  return part > 0 ? op->other[part - 1] : op;
}
/* As `solve` of the type, part by part. */
PetscErrorCode wring_operator_solve_parts(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached);

/*
  Calls set_from_options(object). User options that PETSc does not accept are refused in one line. Collective.
*/
PetscErrorCode wring_operator_read_options(PetscObject object, PetscErrorCode (*set_from_options)(PetscObject object));

/* Copies one component of v [n_owned][3] to a vector [n_owned], and back. */
PetscErrorCode wring_operator_gather(Vec v, int component, Vec one);
PetscErrorCode wring_operator_scatter(Vec one, int component, Vec v);

/* The same for all three components at once: columns [3][n], v [n][3]. */
void wring_operator_to_columns(PetscInt n, const double *v, double *columns);
void wring_operator_from_columns(PetscInt n, const double *columns, double *v);
