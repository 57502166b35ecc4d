/* Private to src/operator: conjugate gradients for three right-hand sides, with a cycle for preconditioner. */
#pragma once
#include "multigrid_impl.h"

typedef struct {
  PetscInt      n;
  const double *own_value, *ghost_value; // of A, unscaled: borrowed for one solve
  double       *r, *p, *s, *w;           // [n][3]
  double       *ghost;                   // [n_ghost][3] of p
  MPI_Datatype  vertex;                  // 3 doubles
  double       *part; // [n_part] room for sums of dots with the solution, as many as were ever asked for
  size_t        n_part;
} wring_cg;

PetscErrorCode wring_cg_create(const wring_cycle *c, wring_cg **g);
PetscErrorCode wring_cg_destroy(wring_cg **g);
double         wring_cg_memory(const wring_cycle *c);

/* A solve from zero: about |b|, 0 if not known, and dots with x; *brought says whether they are known, else they are not. */
typedef struct {
  double                     size;
  const wring_operator_dots *d;
  PetscBool                 *brought;
} wring_cg_zero;

/*
  A x = b, b and x [n][3], to |b - A x| <= rtol |b| for each component; x is the first guess, where `zero` is NULL. A has c's
  values. Collective.
*/
PetscErrorCode wring_cg_solve(wring_cg *g, wring_cycle *c, Mat A, double rtol, PetscInt max_it, const double *b,
                              double *x, const wring_cg_zero *zero, PetscInt *iterations, PetscBool *reached);

/* What type multigrid keeps as an operator's data. */
typedef struct {
  wring_cycle *cycle; // NULL before the first set_up
  wring_cg    *cg;
  float       *reference; // [n] the scale D^(-1/2) that the interpolation was made for
  PetscInt     built;     // hierarchies, not counting those that kept their interpolation
} wring_multigrid;
