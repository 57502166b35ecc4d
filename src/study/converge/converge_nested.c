/*
  Displacements of all levels on the finest mesh. Levels are nested: a vertex keeps its original number, and new
  vertices are midpoints of edges, so that refining the mesh of level 0 step by step interpolates linear elements
  exactly.
  docs/theory.md (11.1), (11.2)
*/
#include "converge.h"
#include "study/common/output_directory.h"
#include <math.h>
#include <wring/io.h>

/* The fields of some levels on the mesh of the last of them. */
typedef struct {
  wring_mesh *m;
  int         width; // 3 numbers for each level, then those of the table
  double     *value; // [n_owned][width], at last [n_local][width]
} nested;

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Positions become displacements. */
static void subtract_rest(const wring_mesh *m, double *value)
{
  wring_axpy(3 * m->n_owned, -1, m->X, value);
}

static PetscErrorCode read_displacement(const wring_level *l, const wring_mesh *m, double *value)
{
  const wring_checkpoint_field field = {"position", 3, value};
  char                         file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(wring_checkpoint_find(m->comm, l->directory, sizeof file, file));
  PetscCall(wring_checkpoint_read_fields(file, m, 1, &field));
  subtract_rest(m, value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_nested_read_table(const wring_converge *c, const wring_mesh *m, double **value)
{
  wring_error error = {""};
  PetscInt    n     = 0, mine;
  double     *all   = NULL, *row;
  int         width = 4;

  PetscFunctionBegin;
  if (c->rank == 0)
    PetscCall(wring_csv_read(c->table, "vertex,x,y,z", m->n_global, PETSC_TRUE, PETSC_TRUE, &n, &width, &all, &error));
  PetscCall(wring_error_raise(c->comm, &error));
  PetscCall(wring_mesh_route_rows(m, n, width, all, &mine, &row));
  PetscCall(PetscFree(all));
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, value));
  for (PetscInt i = 0; i < mine; i++) {
    const PetscInt a = wring_mesh_local(m, (PetscInt)row[4 * (size_t)i]);
    PetscCall(PetscArraycpy(*value + 3 * (size_t)a, row + 4 * (size_t)i + 1, 3));
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a field to those of each vertex. */
static PetscErrorCode append(nested *s, const double *field)
{
  const size_t n = (size_t)s->m->n_owned, old = (size_t)s->width, width = old + 3;
  double      *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(width * n, &value));
  for (size_t i = 0; i < n; i++) {
    PetscCall(PetscArraycpy(value + width * i, s->value + old * i, old));
    PetscCall(PetscArraycpy(value + width * i + old, field + 3 * i, 3));
  }
  PetscCall(PetscFree(s->value));
  s->value = value;
  s->width = (int)width;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of ghosts too. */
static PetscErrorCode add_ghosts(nested *s)
{
  const wring_mesh *const m = s->m;
  MPI_Datatype            unit;

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)s->width * (size_t)m->n_local * sizeof *s->value, &s->value));
  PetscCallMPI(MPI_Type_contiguous(s->width, MPI_DOUBLE, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(m->halo, unit, s->value, s->value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, unit, s->value, s->value, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_level(const wring_level *l, nested *s)
{
  double *field;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)s->m->n_owned, &field));
  PetscCall(read_displacement(l, s->m, field));
  PetscCall(append(s, field));
  PetscCall(PetscFree(field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_table(const wring_converge *c, nested *s)
{
  double *field;

  PetscFunctionBegin;
  PetscCall(wring_nested_read_table(c, s->m, &field));
  subtract_rest(s->m, field);
  PetscCall(append(s, field));
  PetscCall(PetscFree(field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const wring_converge *c, nested *s)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_make_mesh(c->level[0].deck, &s->m));
  for (int k = 0; k < c->n; k++) {
    if (k > 0 && c->in_mesh) PetscCall(wring_mesh_refine_values(s->m, s->width, &s->value));
    PetscCall(add_level(&c->level[k], s));
  }
  if (c->table[0]) PetscCall(add_table(c, s));
  PetscCall(add_ghosts(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- norms ------------------------------------------------------------------------------------------------------- */

/* e [4][3] = field a at the corners of a tet, less field b unless b < 0. */
static void get_corners(const nested *s, PetscInt t, int a, int b, double e[4][3])
{
  for (int i = 0; i < 4; i++) {
    const double *const u = s->value + (size_t)s->width * (size_t)s->m->tet[4 * t + i];
    for (int d = 0; d < 3; d++) e[i][d] = u[3 * a + d] - (b < 0 ? 0 : u[3 * b + d]);
  }
}

/* The integral of |e|^2 over the tet, over its volume: exact for linear e. */
static double mean_square(double e[4][3])
{
  double square = 0;
  for (int d = 0; d < 3; d++) {
    const double sum = e[0][d] + e[1][d] + e[2][d] + e[3][d];
    square += e[0][d] * e[0][d] + e[1][d] * e[1][d] + e[2][d] * e[2][d] + e[3][d] * e[3][d] + sum * sum;
  }
  return square / 20;
}

/* |grad e|^2, grad e = [e0 - e3, e1 - e3, e2 - e3] B. */
static double gradient_square(double e[4][3], const double B[9])
{
  double square = 0;
  for (int d = 0; d < 3; d++) {
    for (int j = 0; j < 3; j++) {
      double g = 0;
      for (int i = 0; i < 3; i++) g += (e[i][d] - e[3][d]) * B[3 * i + j];
      square += g * g;
    }
  }
  return square;
}

/* Norms of field a less field b, and the volume. Collective. */
static PetscErrorCode measure(const nested *s, int a, int b, double norm[WRING_N_NORM], double *volume)
{
  const wring_mesh *const m      = s->m;
  double                  sum[3] = {0, 0, 0}, e[4][3], B[9], V;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < m->n_tet; t++) {
    const PetscInt *const v = m->tet + 4 * t;
    wring_tet_rest(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2], m->X + 3 * v[3], B, &V);
    get_corners(s, t, a, b, e);
    sum[0] += V * mean_square(e);
    sum[1] += V * gradient_square(e, B);
    sum[2] += V;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, m->comm));
  norm[WRING_L2] = sqrt(sum[0] / sum[2]);
  norm[WRING_H1] = sqrt(sum[1] / sum[2]);
  *volume        = sum[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_nested_measure(const wring_converge *c, wring_norms *norms, double *volume)
{
  const int reference = c->table[0] ? c->n : c->n - 1;
  nested    s         = {0};

  PetscFunctionBegin;
  PetscCall(create(c, &s));
  for (int k = 0; k < c->n; k++) {
    PetscCall(measure(&s, k, -1, norms[k].value, volume));
    PetscCall(measure(&s, k, reference, norms[k].error, volume));
    if (k > 0) PetscCall(measure(&s, k, k - 1, norms[k].difference, volume));
  }
  PetscCall(PetscFree(s.value));
  PetscCall(wring_mesh_destroy(&s.m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
