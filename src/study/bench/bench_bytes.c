/*
  The bytes that must move, counted from data structures: what any implementation reads and writes of arrays larger than
  the caches, as often as the algorithm needs them. They are lower bounds; docs/operations.md lists them.
*/
#include "bench.h"
#include <math.h>
#include <string.h>

enum {
  REAL   = 8,
  VECTOR = 24, // three doubles of a vertex, read or written
  CORNER = 2,  // 16 bits in a chunk
  ENTRY  = 12  // of a sparse matrix in double precision: value and column
};

/* Corners, and a weight at each point. */
static double tet_bytes(const wring_bench_body *body)
{
  return (CORNER * body->corners + REAL * body->points) * body->tets;
}

/* q rows of three coefficients at each point; x is read, forces are read and written. */
double wring_bench_pass_bytes(const wring_bench_body *body, int q)
{
  return tet_bytes(body) + 3.0 * q * REAL * body->points * body->tets + 3 * VECTOR * body->local;
}

double wring_bench_count_bytes(const wring_bench_body *body)
{
  return tet_bytes(body) + 2 * VECTOR * body->local;
}

/* z and u are read and written. */
double wring_bench_split_bytes(const wring_bench_body *body, int q)
{
  return 4.0 * 3 * q * REAL * body->points * body->tets;
}

/* A is read, the factor or hierarchy written. */
double wring_bench_set_up_bytes(const wring_bench_body *body, const wring_operator_info *info)
{
  return ENTRY * body->entries + info->memory;
}

/*
  A factor is read forwards and backwards. An iteration of multigrid reads the finest matrix, in float, three times
  (for the product of conjugate gradients, and before and after the coarse correction) and the rest of the hierarchy
  once, a rough solve does so without that product; any other method reads A for each component. b is read, x is
  written.
*/
double wring_bench_solve_bytes(const wring_bench_body *body, const wring_operator_info *info, double solves,
                               double iterations)
{
  const double vectors = 2 * VECTOR * body->vertices * solves;
  const int    entry = 4 + 4, values = 4; // of the finest matrix, whose values are in info->memory
  const int    times = info->rtol == WRING_OPERATOR_ROUGH ? 2 : 3;
  if (strcmp(info->type, "direct") == 0) return vectors + 2 * info->memory * solves;
  if (strcmp(info->type, "multigrid") == 0)
    return vectors + ((times * entry - values) * body->entries + info->memory) * iterations;
  return vectors + 3 * ENTRY * body->entries * iterations;
}

/* A tet at one of its vertices in vbd: weight and coefficients of each point, the other vertices, a place. */
static double vertex_record(const wring_bench_body *body)
{
  const int others = body->corners - 1;
  return REAL * body->points * (1 + 3.0 * others) + 4.0 * others + 1;
}

static PetscErrorCode get_number(const wring_bench_body *body, const char *method, const char *key, double *v)
{
  const wring_option *options;
  const char         *type;
  char                prefix[128];
  PetscInt            n;

  PetscFunctionBegin;
  for (int i = 0; (type = wring_solver_type(i, &options)); i++) {
    if (strcmp(type, method) != 0) continue;
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "solver_%s_", method));
    PetscCall(wring_options_get_int(body->o, prefix, options, key, &n));
    *v = (double)n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Vectors read or written: every method reads and writes x; L-BFGS reads its pairs for products and for the direction,
  and anderson its columns; vbd reads its records of elements for a step and for its search. Newton's method writes
  its matrix and reads it.
*/
PetscErrorCode wring_bench_method_bytes(const wring_bench_body *body, const char *method, double *bytes)
{
  double kept, vectors = 2;

  PetscFunctionBegin;
  *bytes = 0;
  if (strcmp(method, "qn") == 0) {
    PetscCall(get_number(body, method, "history", &kept));
    vectors = 4 * kept + 8;
  } else if (strcmp(method, "anderson") == 0) {
    PetscCall(get_number(body, method, "window", &kept));
    vectors = 2 * kept + 6;
  } else if (strcmp(method, "chebyshev") == 0) {
    vectors = 8;
  } else if (strcmp(method, "admm") == 0) {
    *bytes = wring_bench_split_bytes(body, 3);
  } else if (strcmp(method, "vbd") == 0) {
    *bytes = 2 * body->corners * vertex_record(body) * body->tets;
  } else if (strcmp(method, "newton") == 0) {
    *bytes = 2 * 9.0 * REAL * body->entries;
  }
  *bytes += vectors * VECTOR * body->vertices;
  PetscFunctionReturn(PETSC_SUCCESS);
}
