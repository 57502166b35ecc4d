/* ranks: 1 2 4
   The surface of a mesh and the pairs of vertices and triangles on it, compared with a search over all faces and all
   pairs. */
#include "blocks.h"
#include "contact/near.h"
#include "contact/triangle.h"

static PetscMPIInt rank, size;

/* Two boxes, 0.3 m apart, and a third far away. */
static const wring_box boxes[3] = {{{1, 1, 0.5}, {4, 3, 2}, {0, 0, 0}, 0.2},
                                   {{0.8, 0.6, 0.7}, {2, 3, 3}, {0.1, 0.1, 0.8}, 0.2},
                                   {{1, 1, 1}, {1, 1, 1}, {9, 9, 9}, 0}};

/* A fine body above a coarse floor: triangles on three levels of cells. */
static const wring_box floor_boxes[2] = {{{30, 30, 1}, {1, 1, 1}, {-14, -14, -1.02}, 0},
                                         {{1, 1, 1}, {6, 6, 6}, {0, 0, 0}, 0.1}};

/* ---- rows of all ranks ------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt n, width, *row;
} table;

static int compare_width(const PetscInt *a, const PetscInt *b, PetscInt width)
{
  for (PetscInt i = 0; i < width; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* Shell's sort. */
static void sort_rows(table *t)
{
  PetscInt moved[8];
  for (PetscInt gap = t->n / 2; gap > 0; gap /= 2) {
    for (PetscInt i = gap; i < t->n; i++) {
      PetscInt at = i;
      memcpy(moved, t->row + t->width * i, (size_t)t->width * sizeof *moved);
      for (; at >= gap && compare_width(t->row + t->width * (at - gap), moved, t->width) > 0; at -= gap)
        memcpy(t->row + t->width * at, t->row + t->width * (at - gap), (size_t)t->width * sizeof *moved);
      memcpy(t->row + t->width * at, moved, (size_t)t->width * sizeof *moved);
    }
  }
}

/* The rows of all ranks on every rank, sorted; frees mine. */
static table gather(table mine)
{
  table       all = {.width = mine.width};
  PetscMPIInt n = (PetscMPIInt)(mine.n * mine.width), count[16], from[16], sum = 0;
  MPI_Allgather(&n, 1, MPI_INT, count, 1, MPI_INT, PETSC_COMM_WORLD);
  for (int p = 0; p < size; p++) from[p] = sum, sum += count[p];
  all.n   = sum / all.width;
  all.row = malloc(((size_t)sum + 1) * sizeof *all.row);
  MPI_Allgatherv(mine.row, n, MPIU_INT, all.row, count, from, MPIU_INT, PETSC_COMM_WORLD);
  free(mine.row);
  sort_rows(&all);
  return all;
}

static table empty(PetscInt width, PetscInt room)
{
  return (table){.width = width, .row = malloc(((size_t)(room * width) + 1) * sizeof(PetscInt))};
}

static void check_same(table a, table b, const char *what)
{
  CHECK(a.n == b.n, "%s: %d rows, expected %d", what, (int)a.n, (int)b.n);
  for (PetscInt i = 0; i < a.n * a.width; i++)
    CHECK(a.row[i] == b.row[i], "%s: row %d differs", what, (int)(i / a.width));
  free(a.row);
  free(b.row);
}

/* ---- the surface ------------------------------------------------------------------------------------------------- */

/* Rotates the vertices so that the least comes first; the orientation does not change. */
static void turn(const PetscInt *v, PetscInt *row)
{
  int first = 0;
  for (int a = 1; a < 3; a++)
    if (v[a] < v[first]) first = a;
  for (int a = 0; a < 3; a++) row[a] = v[(first + a) % 3];
}

static PetscBool has(const PetscInt *tet, PetscInt v)
{
  return (PetscBool)(tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v);
}

/* Whether a tet other than e has these three vertices. */
static PetscBool is_shared(const wring_mesh_data *d, PetscInt e, const PetscInt *v)
{
  for (PetscInt o = 0; o < d->n_tet; o++)
    if (o != e && has(d->tet + 4 * o, v[0]) && has(d->tet + 4 * o, v[1]) && has(d->tet + 4 * o, v[2]))
      return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Orients v so that `inside` is behind it. */
static void turn_outward(const double *X, PetscInt inside, PetscInt *v)
{
  double m[9];
  for (int i = 0; i < 9; i++) m[i] = X[3 * v[i / 3] + i % 3] - X[3 * inside + i % 3];
  const double det =
    m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
  if (det > 0) return;
  const PetscInt kept = v[1];
  v[1]                = v[2];
  v[2]                = kept;
}

static table all_faces(const wring_mesh_data *d)
{
  table t = empty(3, 4 * d->n_tet);
  for (PetscInt i = 0; i < 4 * d->n_tet; i++) {
    PetscInt v[3], n = 0;
    for (int a = 0; a < 4; a++)
      if (a != i % 4) v[n++] = d->tet[4 * (i / 4) + a];
    if (is_shared(d, i / 4, v)) continue;
    turn_outward(d->X, d->tet[i], v);
    turn(v, t.row + 3 * t.n++);
  }
  sort_rows(&t);
  return t;
}

static table skin_faces(const wring_mesh *m, const wring_skin *s)
{
  table t = empty(3, s->n);
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscInt *c   = s->corner + 3 * i,
                   v[3] = {m->number.original[c[0]], m->number.original[c[1]], m->number.original[c[2]]};
    turn(v, t.row + 3 * t.n++);
  }
  return gather(t);
}

/* For each vertex: its number, its body, the number of its neighbours and their sum. */
static table all_vertices(const wring_mesh_data *d, table faces, const PetscInt *body)
{
  table t = empty(4, d->n_vertex);
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    PetscInt  n = 0, sum = 0;
    PetscBool near[4096] = {PETSC_FALSE};
    for (PetscInt i = 0; i < 3 * faces.n; i++) {
      if (faces.row[i] != v) continue;
      for (PetscInt k = 1; k < 3; k++) near[faces.row[i - i % 3 + (i + k) % 3]] = PETSC_TRUE;
    }
    for (PetscInt o = 0; o < d->n_vertex; o++) n += near[o], sum += near[o] ? o : 0;
    if (n == 0) continue;
    const PetscInt row[4] = {v, body[v], n, sum};
    memcpy(t.row + 4 * t.n++, row, sizeof row);
  }
  return t;
}

static table skin_vertices(const wring_mesh *m, const wring_skin *s)
{
  table t = empty(4, s->n_vertex);
  for (PetscInt i = 0; i < s->n_vertex; i++) {
    PetscInt row[4] = {m->number.original[s->vertex[i]], s->body[s->vertex[i]], s->ring_start[i + 1] - s->ring_start[i],
                       0};
    for (PetscInt k = s->ring_start[i]; k < s->ring_start[i + 1]; k++) row[3] += s->ring[k];
    memcpy(t.row + 4 * t.n++, row, sizeof row);
  }
  return gather(t);
}

/*
  Fails if a face between ranks counts as surface, if one is lost or oriented inwards, or if a ring or body ends at a
  rank.
*/
static PetscErrorCode check_skin(int n, const wring_box *box)
{
  wring_mesh_data *d = test_blocks_data(n, box);
  wring_mesh      *m = test_blocks(PETSC_COMM_WORLD, n, box);
  wring_skin      *s;
  PetscInt        *body;
  table            faces = all_faces(d);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(d->n_vertex, &body));
  for (PetscInt v = 0, b = 0; v < d->n_vertex; v++) {
    b       = v == d->set_start[b + 1] ? b + 1 : b;
    body[v] = d->set_start[b];
  }
  PetscCall(wring_skin_create(m, &s));
  check_same(skin_vertices(m, s), all_vertices(d, faces, body), "vertices of the surface");
  check_same(skin_faces(m, s), faces, "triangles of the surface");
  for (PetscInt i = 0; i < m->n_local; i++)
    CHECK(s->body[i] == body[m->number.original[i]], "vertex %d is in body %d", (int)m->number.original[i],
          (int)s->body[i]);
  PetscCall(PetscFree(body));
  PetscCall(wring_skin_destroy(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a point and a triangle -------------------------------------------------------------------------------------- */

static double distance_to(const double p[3], const double t[9], const double w[3])
{
  double squared = 0;
  for (int c = 0; c < 3; c++) squared += PetscSqr(p[c] - w[0] * t[c] - w[1] * t[3 + c] - w[2] * t[6 + c]);
  return sqrt(squared);
}

/* Fails if a region of the plane is confused with another: a point of a fine grid on the triangle is then closer. */
static void test_touch(void)
{
  uint64_t state = 7;
  for (int trial = 0; trial < 300; trial++) {
    double      p[3], t[9], least = INFINITY;
    wring_touch u;
    for (int c = 0; c < 3; c++) p[c] = 2 * test_random(&state);
    for (int c = 0; c < 9; c++) t[c] = test_random(&state);
    CHECK(wring_touch_triangle(p, t, &u), "trial %d: no triangle", trial);
    for (int i = 0; i <= 60; i++)
      for (int j = 0; j <= 60 - i; j++)
        least = fmin(least, distance_to(p, t, (const double[3]){i / 60., j / 60., (60 - i - j) / 60.}));
    CHECK(fabs(u.w[0] + u.w[1] + u.w[2] - 1) < 1e-14 && fmin(u.w[0], fmin(u.w[1], u.w[2])) > -1e-14, "weights");
    CHECK(fabs(distance_to(p, t, u.w) - u.distance) < 1e-13, "distance %g", u.distance);
    CHECK(u.distance <= least + 1e-13 && u.distance > least - 0.06, "trial %d: %g, grid %g", trial, u.distance, least);
    CHECK(fabs(fabs(u.d) - u.distance) < 1e-12, "d %g", u.d);
    CHECK((u.d < 0) == (u.side < 0), "the sign of d");
    double along = 0;
    for (int c = 0; c < 3; c++) along += u.n[c] * (p[c] - u.w[0] * t[c] - u.w[1] * t[3 + c] - u.w[2] * t[6 + c]);
    CHECK(fabs(along - u.d) < 1e-12, "d is not along n");
  }
  const double flat[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, p[3] = {0.1, 0.2, 0.3};
  wring_touch  u;
  CHECK(!wring_touch_triangle(p, flat, &u), "a triangle without area has a side");
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Positions by original number: random points in a box of size `spread`, or the rest positions with noise. */
static void place(const double *X, PetscInt original, double spread, double noise, double at[3])
{
  uint64_t state = 1000u * (uint64_t)original + 17;
  for (int c = 0; c < 3; c++) {
    const double one = test_random(&state);
    at[c]            = spread > 0 ? spread * one : X[3 * original + c] + noise * one;
  }
}

/* The rule, implemented literally: whether vertex v and face f of the mesh d are a pair. */
static PetscBool is_pair(const wring_mesh_data *d, const PetscInt *body, const PetscBool *next, PetscInt v,
                         const PetscInt *f, const double *x, const wring_near_range *r)
{
  double      now[9], rest[9];
  wring_touch u;
  for (int i = 0; i < 9; i++) {
    now[i]  = x[3 * f[i / 3] + i % 3];
    rest[i] = d->X[3 * f[i / 3] + i % 3];
    if (!isfinite(now[i])) return PETSC_FALSE;
  }
  for (int a = 0; a < 3; a++)
    if (f[a] == v || next[v * d->n_vertex + f[a]]) return PETSC_FALSE;
  if (!isfinite(x[3 * v]) || !wring_touch_triangle(x + 3 * v, now, &u) || u.distance > r->reach) return PETSC_FALSE;
  if (body[v] != body[f[0]]) return PETSC_TRUE;
  wring_touch_triangle(d->X + 3 * v, rest, &u);
  return (PetscBool) !(u.distance <= r->front || (u.side <= 1e-6 * u.size && u.distance <= r->behind));
}

static table all_pairs(const wring_mesh_data *d, const double *x, const wring_near_range *r)
{
  table      faces = all_faces(d), t = empty(4, 400000);
  PetscBool *next = calloc((size_t)(d->n_vertex * d->n_vertex), sizeof *next),
            *on   = calloc((size_t)d->n_vertex, sizeof *on);
  PetscInt *body  = malloc((size_t)d->n_vertex * sizeof *body);
  for (PetscInt v = 0, b = 0; v < d->n_vertex; v++) {
    b       = v == d->set_start[b + 1] ? b + 1 : b;
    body[v] = b;
  }
  for (PetscInt i = 0; i < 3 * faces.n; i++) {
    on[faces.row[i]] = PETSC_TRUE;
    for (int k = 1; k < 3; k++) next[faces.row[i] * d->n_vertex + faces.row[i - i % 3 + (i + k) % 3]] = PETSC_TRUE;
  }
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    for (PetscInt i = 0; i < faces.n && on[v]; i++) {
      const PetscInt *f = faces.row + 3 * i;
      if (!is_pair(d, body, next, v, f, x, r)) continue;
      const PetscInt row[4] = {v, f[0], f[1], f[2]};
      memcpy(t.row + 4 * t.n++, row, sizeof row);
    }
  }
  sort_rows(&t);
  free(faces.row), free(next), free(on), free(body);
  return t;
}

static table found_pairs(const wring_mesh *m, PetscInt n, const wring_near *near)
{
  table t = empty(4, n);
  for (PetscInt i = 0; i < n; i++) {
    t.row[4 * t.n] = m->number.original[near[i].vertex];
    turn(near[i].original, t.row + 4 * t.n++ + 1);
    for (int a = 0; a < 3 && near[i].home[a].rank == rank; a++)
      CHECK(m->number.original[near[i].home[a].index] == near[i].original[a], "a corner is not where it is said to be");
  }
  return gather(t);
}

/*
  Fails if a cell, a rank or a rule loses a pair, or finds one twice or a wrong one. lost: vertices with NaN,
  infinite and very distant positions.
*/
static PetscErrorCode check_pairs(int n_box, const wring_box *box, double spread, double noise, PetscBool lost,
                                  const wring_near_range *range)
{
  wring_mesh_data *d = test_blocks_data(n_box, box);
  wring_mesh      *m = test_blocks(PETSC_COMM_WORLD, n_box, box);
  wring_skin      *s;
  wring_near      *near;
  PetscInt         n;
  double          *x, *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * m->n_local, &x, 3 * d->n_vertex, &all));
  for (PetscInt v = 0; v < d->n_vertex; v++) place(d->X, v, spread, noise, all + 3 * v);
  if (lost) all[0] = NAN, all[3] = INFINITY, all[6] = 1e4;
  for (PetscInt i = 0; i < 3 * m->n_local; i++) x[i] = all[3 * m->number.original[i / 3] + i % 3];
  PetscCall(wring_skin_create(m, &s));
  PetscCall(wring_near_find(m, s, x, range, &n, &near, NULL));
  const table expected = all_pairs(d, all, range);
  CHECK(expected.n > 0 || d->n_tet == 6, "nothing to find");
  check_same(found_pairs(m, n, near), expected, "pairs");
  PetscCall(PetscFree(near));
  PetscCall(PetscFree2(x, all));
  PetscCall(wring_skin_destroy(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Vertices that the triangles of a fine box of n cells, and of a large one beside it, are compared with, for each
  triangle of the fine box.
*/
static PetscErrorCode compare_all(PetscInt n, PetscBool large, double *compared)
{
  const double    edge  = 1. / (double)n;
  const wring_box box[] = {{{1, 1, 1}, {n, n, n}, {0, 0, 0.02}, 0}, {{60, 60, 60}, {1, 1, 1}, {-30, -30, -60}, 0}};
  const wring_near_range range = {.reach = 0.5 * edge};
  wring_mesh            *m     = test_blocks(PETSC_COMM_WORLD, large ? 2 : 1, box);
  wring_skin            *s;
  wring_near            *near;
  PetscInt               found;
  PetscInt64             sum;
  double                *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->n_local, &x));
  PetscCall(PetscArraycpy(x, m->X, 3 * m->n_local));
  PetscCall(wring_skin_create(m, &s));
  PetscCall(wring_near_find(m, s, x, &range, &found, &near, &sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  *compared = (double)sum / (double)(12 * n * n);
  PetscCall(PetscFree(near));
  PetscCall(PetscFree(x));
  PetscCall(wring_skin_destroy(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if triangles as large as the scene make boxes of a fine body be compared with each other, so that comparisons
  increase with the square of its vertices: the large box has 12 triangles, each of which may be compared with all.
*/
static PetscErrorCode test_classes(void)
{
  double alone, coarse, fine;

  PetscFunctionBegin;
  PetscCall(compare_all(20, PETSC_FALSE, &alone));
  PetscCall(compare_all(10, PETSC_TRUE, &coarse));
  PetscCall(compare_all(20, PETSC_TRUE, &fine));
  CHECK(fine <= 1.2 * coarse && fine <= 2 * alone + 12, "%g comparisons a triangle, alone %g, of half the edges %g",
        fine, alone, coarse);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const wring_near_range none = {.reach = 0.2}, rest = {.reach = 0.3, .front = 0.26, .behind = 0.43},
                         wide = {.reach = 5};

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PetscCall(check_skin(3, boxes));
  PetscCall(check_skin(1, boxes + 2)); // six tets: some ranks have none
  test_touch();
  PetscCall(check_pairs(3, boxes, 0, 0.15, PETSC_FALSE, &none));
  PetscCall(check_pairs(3, boxes, 0, 0.15, PETSC_FALSE, &rest));
  PetscCall(check_pairs(3, boxes, 1, 0, PETSC_FALSE, &none));
  PetscCall(check_pairs(3, boxes, 0, 0.15, PETSC_TRUE, &none));
  PetscCall(check_pairs(2, boxes, 0, 0.1, PETSC_FALSE, &wide));
  PetscCall(check_pairs(2, floor_boxes, 0, 0.05, PETSC_FALSE, &none)); // fails if a point is not on a triangle's level
  PetscCall(check_pairs(1, boxes + 2, 0, 0.1, PETSC_FALSE, &none));
  PetscCall(test_classes());
  PetscCall(PetscFinalize());
  return 0;
}
