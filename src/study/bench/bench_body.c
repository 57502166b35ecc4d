/*
  The box of `wring bench`: a problem that one face holds, in a step from a twisted and uneven state; and the bytes that
  algorithms must move on it.
*/
#include "bench.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static PetscErrorCode set(wring_options *o, const char *key, const char *format, ...)
{
  char    value[128];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  PetscCall(wring_options_set(o, key, value, "wring bench"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The box has cubes in about as many layers along all axes. */
static PetscErrorCode set_options(const wring_bench *b, const char *material, PetscInt tets, wring_options *o)
{
  const double cells = PetscMax(1, (double)tets / 6);
  const double nx = fmax(1, round(cbrt(cells))), ny = fmax(1, round(sqrt(cells / nx)));
  const double nz = fmax(1, round(cells / (nx * ny)));

  PetscFunctionBegin;
  PetscCall(set(o, "mesh_box_cells", "%.0f,%.0f,%.0f", nx, ny, nz));
  PetscCall(set(o, "mesh_box_size", "1,%.17g,%.17g", ny / nx, nz / nx));
  PetscCall(set(o, "mesh_order", "%d", (int)b->order));
  PetscCall(set(o, "material_model", "%s", material));
  PetscCall(set(o, "material_density", "1000"));
  PetscCall(wring_law_set_example(wring_law_find(material), "material_", b->spline, o));
  PetscCall(set(o, "attach_xmin_hard", "true"));
  PetscCall(set(o, "gravity", "0,-9.81,0"));
  PetscCall(set(o, "time_step", "%.17g", b->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turned by up to half a radian about the axis of x, stretched, and with noise of a hundredth of an edge. */
static void place(const wring_mesh *m, PetscInt v, double *q)
{
  const double *const X     = m->X + 3 * v;
  const double        angle = 0.5 * X[0], c = cos(angle), s = sin(angle), edge = cbrt(6 / (double)m->tets.n_global);
  const double        noise = X[0] > 0 ? 0.01 * edge : 0;
  q[0] = 1.05 * X[0], q[1] = c * X[1] - s * X[2], q[2] = s * X[1] + c * X[2];
  for (int i = 0; i < 3; i++)
    q[i] += noise * (2 * wring_uniform((uint64_t)(3 * (int64_t)m->number.original[v] + i)) - 1);
}

static PetscErrorCode count(wring_bench_body *body)
{
  const wring_mesh *const m = body->p->mesh;
  Mat                     A = NULL;
  MatInfo                 info;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(body->p->g, 1, &A));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatDestroy(&A));
  body->tets     = (double)m->tets.n_global;
  body->vertices = (double)m->number.n_global;
  body->local    = (double)m->n_local;
  body->entries  = info.nz_used;
  body->points   = wring_mesh_quadrature(m)->n;
  body->corners  = m->tets.order == 2 ? 10 : 4;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &body->local, 1, MPI_DOUBLE, MPI_SUM, m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_body_create(const wring_bench *b, const char *material, PetscInt tets,
                                       wring_bench_body *body)
{
  wring_problem *p;
  double        *q;
  PetscBool      changed;

  PetscFunctionBegin;
  PetscCall(wring_options_copy(b->o, "bench_", &body->o));
  PetscCall(set_options(b, material, tets, body->o));
  PetscCall(wring_problem_create(b->comm, body->o, &body->p));
  p = body->p;
  PetscCall(VecGetArray(p->state.q, &q));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) place(p->mesh, v, q + 3 * v);
  PetscCall(VecRestoreArray(p->state.q, &q));
  PetscCall(wring_potential_create_vec(p->g, &body->x));
  PetscCall(wring_stepper_begin(p->stepper, &p->state, body->x, &changed));
  PetscCall(count(body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_body_destroy(wring_bench_body *body)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&body->x));
  PetscCall(wring_problem_destroy(&body->p));
  PetscCall(wring_options_destroy(&body->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/*
  Counted from data structures: what any implementation reads and writes of arrays larger than the caches, as often as
  the algorithm needs them. They are lower bounds; docs/operations.md lists them.
*/

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
  char     prefix[128];
  PetscInt kept = 0;

  PetscFunctionBegin;
  *n = 2;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    if (strcmp(vectors[k].type, method) != 0) continue;
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "solver_%s_", method));
    if (vectors[k].key)
      PetscCall(wring_options_get_int(body->o, prefix, wring_solver_keys(method), vectors[k].key, &kept));
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
