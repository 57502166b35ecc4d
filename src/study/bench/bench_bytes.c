/*
  The bytes that must move, counted from data structures: what any implementation reads and writes of arrays larger than
  the caches, as often as the algorithm needs them. They are lower bounds; docs/operations.md lists them.
*/
#include "bench.h"
#include <string.h>

enum {
  REAL   = 8,
  VECTOR = 24, // three doubles of a vertex, read or written
  CORNER = 2,  // 16 bits in a chunk
  ENTRY  = 12  // of a sparse matrix in double precision: value and column
};

/* Corners, and a weight at each point; vertices are read and written. */
double wring_bench_count_bytes(const wring_bench_body *body)
{
  return (CORNER * body->corners + REAL * body->points) * body->tets + 2 * VECTOR * body->local;
}

/* q rows of three coefficients at each point; x is read, forces are read and written. */
double wring_bench_pass_bytes(const wring_bench_body *body, int q)
{
  return wring_bench_count_bytes(body) + 3.0 * q * REAL * body->points * body->tets + VECTOR * body->local;
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

/* Vectors that an iteration reads or writes: every method reads and writes x; some keep `key` of them. */
typedef struct {
  const char *type, *key;
  int         each, more;
} vectors_of;

static const vectors_of vectors[] = {
  {"qn", "history", 4, 8}, // L-BFGS reads its pairs for products and for the direction
  {"anderson", "window", 2, 6},
  {"chebyshev", NULL, 0, 8},
};

static PetscErrorCode count_vectors(const wring_bench_body *body, const char *method, double *n)
{
  const wring_option *options;
  const char         *type;
  char                prefix[128];
  PetscInt            kept = 0;

  PetscFunctionBegin;
  *n = 2;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    if (strcmp(vectors[k].type, method) != 0) continue;
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "solver_%s_", method));
    for (int i = 0; vectors[k].key && (type = wring_solver_type(i, &options)); i++)
      if (strcmp(type, method) == 0) PetscCall(wring_options_get_int(body->o, prefix, options, vectors[k].key, &kept));
    *n = vectors[k].each * (double)kept + vectors[k].more;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Beside vectors: vbd reads its records of a tet at each of its vertices, weight and coefficients of each point, the
  other vertices and a place, for a step and for its search; newton writes and reads a matrix.
*/
PetscErrorCode wring_bench_method_bytes(const wring_bench_body *body, const char *method, double *bytes)
{
  const double others = body->corners - 1, record = REAL * body->points * (1 + 3 * others) + 4 * others + 1;
  double       n;

  PetscFunctionBegin;
  PetscCall(count_vectors(body, method, &n));
  *bytes = n * VECTOR * body->vertices;
  if (strcmp(method, "admm") == 0) *bytes += wring_bench_split_bytes(body, 3);
  if (strcmp(method, "vbd") == 0) *bytes += 2 * body->corners * record * body->tets;
  if (strcmp(method, "newton") == 0) *bytes += 2 * 9.0 * REAL * body->entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}
