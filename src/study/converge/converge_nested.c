/*
  Displacements of all levels on the finest mesh. Levels are nested: a vertex keeps its original number, and new
  vertices are midpoints of edges, so that refining the mesh of level 0 step by step interpolates the functions of its
  tets, linear or quadratic, exactly.
  docs/theory.md (11.1)-(11.2)
*/
#include "converge.h"
#include "output/output.h"
#include <math.h>
#include <wring/io.h>

/* The fields of some levels on the mesh of the last of them; 0 of levels to come. */
typedef struct {
  wring_mesh *m;
  int         width; // 3 numbers for each level, then those of the table
  double     *value; // [n_owned][width], at last [n_local][width]
} nested;

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Field k: displacements by the checkpoint of level k, or by the table after the last level. */
static PetscErrorCode set_field(const wring_converge *c, int k, nested *s)
{
  const wring_mesh *const m = s->m;
  double                 *x;
  wring_checkpoint_field  field = {"position", 3, NULL};
  char                    file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, &x));
  if (k < c->n) {
    field.value = x;
    PetscCall(wring_checkpoint_find(m->comm, c->level[k].directory, sizeof file, file));
    PetscCall(wring_checkpoint_read_fields(file, m, 1, &field));
  } else {
    PetscCall(wring_problem_read_vectors(m, c->table, PETSC_FALSE, x));
  }
  for (size_t i = 0; i < 3 * (size_t)m->n_owned; i++)
    s->value[i / 3 * (size_t)s->width + 3 * (size_t)k + i % 3] = x[i] - m->X[i];
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const wring_converge *c, nested *s)
{
  const int n = c->n + (c->table[0] != '\0');

  PetscFunctionBegin;
  s->width = 3 * n;
  PetscCall(wring_problem_make_mesh(c->level[0].deck, &s->m));
  PetscCall(PetscCalloc1((size_t)s->width * (size_t)s->m->n_owned, &s->value));
  for (int k = 0; k < n; k++) {
    if (k > 0 && k < c->n && c->in_mesh) PetscCall(wring_mesh_refine_values(s->m, s->width, &s->value));
    PetscCall(set_field(c, k, s));
  }
  PetscCall(PetscRealloc((size_t)s->width * (size_t)s->m->n_local * sizeof *s->value, &s->value)); // ghosts too
  PetscCall(wring_mesh_update_ghosts(s->m, s->width, s->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- norms ------------------------------------------------------------------------------------------------------- */

/* Values e [n][3] of field a at the n vertices of a tet, less field b unless b < 0; returns n. */
static int get_values(const nested *s, PetscInt t, int a, int b, double e[10][3])
{
  PetscInt  v[10];
  const int n = wring_tet_vertices(s->m, t, v);
  for (int i = 0; i < n; i++) {
    const double *const u = s->value + (size_t)s->width * (size_t)v[i];
    for (int d = 0; d < 3; d++) e[i][d] = u[3 * a + d] - (b < 0 ? 0 : u[3 * b + d]);
  }
  return n;
}

/* |e|^2 at a point L. */
static double square_at(int n, double e[10][3], const double L[4])
{
  double N[10], square = 0;
  wring_tet_shape(n, L, N);
  for (int d = 0; d < 3; d++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += N[i] * e[i][d];
    square += sum * sum;
  }
  return square;
}

/* |grad e|^2 there, grad e = sum_i e_i (dN_i/dL B), B = dL/dX. */
static double gradient_square_at(int n, double e[10][3], const double L[4], const double B[9])
{
  double dN[10][3], square = 0;
  wring_tet_shape_gradients(n, L, dN);
  for (int d = 0; d < 3; d++) {
    double slope[3] = {0, 0, 0};
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) slope[k] += e[i][d] * dN[i][k];
    for (int j = 0; j < 3; j++) {
      const double g = slope[0] * B[j] + slope[1] * B[3 + j] + slope[2] * B[6 + j];
      square += g * g;
    }
  }
  return square;
}

/*
  Norms of field a less field b, which are at[level][what] of the first two quantities, and the volume: by four points,
  or fourteen at order 2, exact in tets with straight edges. Collective.
*/
static PetscErrorCode measure(const nested *s, int a, int b, wring_measure what, wring_converge *c)
{
  const wring_mesh *const       m      = s->m;
  const wring_quadrature *const rule   = wring_quadrature_of(m->tets.order == 2 ? 14 : 4);
  double                        sum[3] = {0, 0, 0}, e[10][3], B[9], V;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < m->tets.n; t++) {
    const int n = get_values(s, t, a, b, e);
    for (int p = 0; p < rule->n; p++) {
      wring_tet_rest_at(m, t, rule->L[p], B, &V);
      V *= rule->weight[p];
      sum[0] += V * square_at(n, e, rule->L[p]);
      sum[1] += V * gradient_square_at(n, e, rule->L[p], B);
      sum[2] += V;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, m->comm));
  for (int i = 0; i < WRING_N_NORM; i++) c->quantity[i].at[a][what] = sqrt(sum[i] / sum[2]);
  c->volume = sum[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_nested_measure(wring_converge *c)
{
  const int reference = c->table[0] ? c->n : c->n - 1;
  nested    s         = {0};

  PetscFunctionBegin;
  PetscCall(create(c, &s));
  for (int k = 0; k < c->n; k++) {
    PetscCall(measure(&s, k, -1, WRING_OF_VALUE, c));
    if (k > 0) PetscCall(measure(&s, k, k - 1, WRING_OF_DIFFERENCE, c));
    if (k != reference) PetscCall(measure(&s, k, reference, WRING_OF_ERROR, c));
  }
  PetscCall(PetscFree(s.value));
  PetscCall(wring_mesh_destroy(&s.m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
