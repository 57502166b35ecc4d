/*
  Triangles and edges are sent to the owner of their lowest vertex, which chooses one of the ranks that have them: the
  lowest.
*/
#include "simplices.h"
#include "base/exchange.h"
#include "base/sort.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

/* An edge (original[2] = -1) or triangle, and a rank that has its vertices. */
typedef struct {
  PetscInt    original[3], rank; // original numbers ascend
  double      area, normal[3];   // the unit normal, of an edge the sum of those at it
  PetscSFNode beside[2];         // of wring_simplex
  int         odd;               // the corners of a triangle are clockwise, seen from outside
} claim;

typedef struct {
  PetscInt n;
  claim   *row;
} claims;

/* ---- one rank for each ------------------------------------------------------------------------------------------- */

/* Merges rows of equal vertices, sorted: areas are summed, of triangles they are equal. */
static void merge(claims *c)
{
  PetscInt kept = 0;
  for (PetscInt i = 0, end; i < c->n; i = end) {
    claim one = c->row[i];
    end       = wring_rows_end(c->n, 3, sizeof *c->row, c->row, i);
    for (PetscInt k = i + 1; k < end && one.original[2] < 0; k++) {
      one.area += c->row[k].area;
      for (int j = 0; j < 3; j++) one.normal[j] += c->row[k].normal[j];
      for (int j = 0; j < 2; j++)
        if (c->row[k].beside[j].rank >= 0) one.beside[j] = c->row[k].beside[j];
    }
    c->row[kept++] = one;
  }
  c->n = kept;
}

/* Sends every row to the owner of its lowest vertex, or to the rank that it names. */
static PetscErrorCode send(const wring_mesh *m, const wring_skin *skin, PetscBool to_owner, claims *c)
{
  PetscInt *to, n;
  claim    *got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)c->n, &to));
  for (PetscInt i = 0; i < c->n; i++)
    to[i] = to_owner ? skin->home[wring_mesh_local(m, c->row[i].original[0])].rank : c->row[i].rank;
  PetscCall(wring_exchange_rows(m->comm, c->n, to, sizeof *c->row, c->row, &n, &got));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(c->row));
  *c = (claims){n, got};
  PetscCall(wring_sort_rows(n, 4, sizeof *c->row, c->row, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode unite(const wring_mesh *m, const wring_skin *skin, claims *c)
{
  PetscFunctionBegin;
  PetscCall(send(m, skin, PETSC_TRUE, c));
  merge(c);
  PetscCall(send(m, skin, PETSC_FALSE, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- triangles and edges ----------------------------------------------------------------------------------------- */

/* Sorts the corners of a triangle, counter-clockwise as seen from outside, and sets its area and normal. */
static void measure(const wring_mesh *m, claim *row)
{
  PetscInt *const o    = row->original;
  const double   *X[3] = {NULL, NULL, NULL};
  double          a[3], b[3];
  row->odd = (o[0] > o[1]) ^ (o[1] > o[2]) ^ (o[0] > o[2]);
  wring_sort3(o);
  for (int k = 0; k < 3; k++) X[k] = m->X + 3 * (size_t)wring_mesh_local(m, o[k]);
  wring_subtract3(X[1], X[0], a);
  wring_subtract3(X[2], X[0], b);
  wring_cross3(a, b, row->normal);
  const double twice = sqrt(wring_dot3(row->normal, row->normal));
  row->area          = 0.5 * twice;
  for (int k = 0; k < 3 && twice > 0; k++) row->normal[k] /= row->odd ? -twice : twice;
}

static PetscErrorCode list_triangles(const wring_mesh *m, const wring_skin *skin, const wring_extra_sides *extra,
                                     PetscInt rank, claims *c)
{
  PetscFunctionBegin;
  *c = (claims){.n = skin->n + extra->n_triangle};
  PetscCall(PetscMalloc1((size_t)c->n, &c->row));
  for (PetscInt i = 0; i < c->n; i++) {
    claim *const          row = c->row + i;
    const PetscInt *const v   = i < skin->n ? skin->corner + 3 * i : extra->triangle + 3 * (i - skin->n);
    *row                      = (claim){.rank = rank, .beside = {{-1, -1}, {-1, -1}}};
    for (int a = 0; a < 3; a++) row->original[a] = m->number.original[v[a]];
    measure(m, row);
  }
  PetscCall(unite(m, skin, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The edges of the triangles t, each with a third of the area, and the lines, without. */
static PetscErrorCode list_edges(const wring_mesh *m, const wring_skin *skin, const wring_extra_sides *extra,
                                 PetscInt rank, const claims *t, claims *c)
{
  PetscFunctionBegin;
  *c = (claims){.n = 3 * t->n + extra->n_line};
  PetscCall(PetscMalloc1((size_t)c->n, &c->row));
  for (PetscInt i = 0; i < c->n; i++) {
    const claim *const of = i < 3 * t->n ? t->row + i / 3 : NULL;
    const PetscInt     k  = 2 * (i - 3 * t->n); // of a line, if of is NULL
    const PetscInt     a  = of ? of->original[i % 3] : m->number.original[extra->line[k]],
                   b      = of ? of->original[(i + 1) % 3] : m->number.original[extra->line[k + 1]];
    c->row[i]             = (claim){.original = {PetscMin(a, b), PetscMax(a, b), -1},
                                    .rank     = rank,
                                    .area     = of ? of->area / 3 : 0,
                                    .beside   = {{-1, -1}, {-1, -1}}};
    if (!of) continue;
    memcpy(c->row[i].normal, of->normal, sizeof of->normal);
    c->row[i].beside[of->odd ^ (i % 3 == 2)] = skin->home[wring_mesh_local(m, of->original[(i + 2) % 3])];
  }
  PetscCall(unite(m, skin, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

enum { SHARE, TOUCHED, SOLID, N_SUM };

/*
  sum [n_local][3], on the owner of each vertex: a third of the areas of the triangles at it; the number of edges and
  triangles there; that of tets.
*/
static PetscErrorCode sum_at_vertices(const wring_mesh *m, const claims list[2], double *sum)
{
  PetscFunctionBegin;
  for (int l = 0; l < 2; l++) {
    for (PetscInt i = 0; i < list[l].n; i++) {
      for (int a = 0; a < 3 && list[l].row[i].original[a] >= 0; a++) {
        double *const at = sum + N_SUM * wring_mesh_local(m, list[l].row[i].original[a]);
        at[SHARE] += list[l].row[i].original[2] >= 0 ? list[l].row[i].area / 3 : 0;
        at[TOUCHED] += 1;
      }
    }
  }
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) sum[N_SUM * m->tets.corner[i] + SOLID] += 1;
  for (PetscInt i = 0; m->tets.mid && i < 6 * m->tets.n; i++) sum[N_SUM * m->tets.mid[i] + SOLID] += 1;
  PetscCall(PetscSFReduceBegin(m->forest.halo, m->forest.vector, sum, sum, MPI_SUM)); // of N_SUM, three numbers
  PetscCall(PetscSFReduceEnd(m->forest.halo, m->forest.vector, sum, sum, MPI_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_points(const wring_mesh *m, const claims list[2], PetscInt *n, wring_simplex *simplex)
{
  double *sum;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(N_SUM * (size_t)m->n_local, &sum));
  PetscCall(sum_at_vertices(m, list, sum));
  for (PetscInt v = 0; v < m->n_owned; v++) {
    const double *const at = sum + N_SUM * v;
    if (at[TOUCHED] == 0 && at[SOLID] > 0) continue; // inside a body
    simplex[(*n)++] =
      (wring_simplex){.corners = 1, .bare = (PetscBool)(at[SHARE] == 0), .vertex = {v, -1, -1}, .area = at[SHARE]};
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_simplices_find(const wring_mesh *m, const wring_skin *skin, const wring_extra_sides *extra,
                                    PetscInt *n, wring_simplex **simplex)
{
  claims list[2]; // triangles, edges

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  PetscCall(list_triangles(m, skin, extra, rank, &list[0]));
  PetscCall(list_edges(m, skin, extra, rank, &list[0], &list[1]));
  PetscCall(PetscMalloc1((size_t)m->n_owned + (size_t)list[0].n + (size_t)list[1].n, simplex));
  *n = 0;
  for (int l = 0; l < 2; l++) {
    for (PetscInt i = 0; i < list[l].n; i++) {
      const claim *const of  = list[l].row + i;
      wring_simplex      one = {
             .corners = 3 - l, .bare = (PetscBool)(of->area == 0), .vertex = {-1, -1, -1}, .area = of->area};
      memcpy(one.normal, of->normal, sizeof of->normal);
      memcpy(one.beside, of->beside, sizeof of->beside);
      for (int a = 0; a < one.corners; a++) one.vertex[a] = wring_mesh_local(m, of->original[a]);
      (*simplex)[(*n)++] = one;
    }
  }
  PetscCall(add_points(m, list, n, *simplex));
  for (int l = 0; l < 2; l++) PetscCall(PetscFree(list[l].row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
