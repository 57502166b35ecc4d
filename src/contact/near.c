/*
  Grids of several levels: cells of level l are 4^l times as large as those of level 0, into which a triangle of mean
  size fits. The vertices near a triangle are searched for in the cells of one level, chosen by the triangle's size, so
  that its box meets at most a few hundred cells and a few large triangles do not enlarge the cells of the small ones. A
  vertex is in one cell of each level, so that a pair is found once.

  Vertices are sent to the ranks of their cells, triangles to all ranks with a cell that their box meets, pairs to the
  owner of their vertex. Cells are distributed to ranks in cubes of 4^3 by a hash of the cube.
*/
#include "near.h"
#include "base/exchange.h"
#include "base/map.h"
#include "base/sort.h"
#include "triangle.h"
#include <math.h>
#include <stdlib.h>

enum { GRID_BITS = 20, LEVEL_BITS = 3, N_LEVEL = 1 << LEVEL_BITS, CUBE_BITS = 2 };
static const double most_cells = 6; // along an edge of a triangle's box, if a level has cells large enough

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  double      low[3], side[N_LEVEL]; // m: corner of the first cells, size of a cell
  unsigned    used;                  // bit l: some triangle uses level l
  double      reach;                 // m
} grid;

typedef struct {
  PetscSFNode home;
  PetscInt    original, body, level;
  double      x[3], X[3];
} point;

typedef struct {
  PetscSFNode home[3];
  PetscInt    original[3], body;
  double      x[9], X[9];
} triangle;

/* A box of cells of one level. */
typedef struct {
  int     level;
  int64_t low[3], high[3];
} cells;

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static PetscBool is_finite(int n, const double *x)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return PETSC_FALSE;
  return PETSC_TRUE;
}

static void box_triangle(const double x[9], double low[3], double high[3])
{
  for (int c = 0; c < 3; c++) {
    low[c]  = PetscMin(x[c], PetscMin(x[3 + c], x[6 + c]));
    high[c] = PetscMax(x[c], PetscMax(x[3 + c], x[6 + c]));
  }
}

static void gather_corners(const wring_skin *s, PetscInt t, const double *x, double corner[9])
{
  for (int a = 0; a < 9; a++) corner[a] = x[3 * s->corner[3 * t + a / 3] + a % 3];
}

/* The largest edge of a triangle's box. */
static double size_of(const double corner[9])
{
  double low[3], high[3];
  box_triangle(corner, low, high);
  return PetscMax(high[0] - low[0], PetscMax(high[1] - low[1], high[2] - low[2]));
}

/* most [6]: minus the smallest coordinates, and the largest; sum [2]: of the triangles' sizes, and their number. */
static void measure_triangles(const wring_skin *s, const double *x, double most[6], double sum[2])
{
  double corner[9], low[3], high[3];
  for (int i = 0; i < 6; i++) most[i] = -INFINITY;
  sum[0] = sum[1] = 0;
  for (PetscInt t = 0; t < s->n; t++) {
    gather_corners(s, t, x, corner);
    if (!is_finite(9, corner)) continue;
    box_triangle(corner, low, high);
    for (int c = 0; c < 3; c++) {
      most[c]     = PetscMax(most[c], -low[c]);
      most[3 + c] = PetscMax(most[3 + c], high[c]);
    }
    sum[0] += size_of(corner);
    sum[1] += 1;
  }
}

static int level_of(const grid *g, const double corner[9])
{
  const double size  = size_of(corner);
  int          level = 0;
  while (level + 1 < N_LEVEL && size > most_cells * g->side[level]) level++;
  return level;
}

/* Finds the levels that triangles of any rank use. */
static PetscErrorCode find_used(const wring_skin *s, const double *x, grid *g)
{
  double corner[9];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < s->n; t++) {
    gather_corners(s, t, x, corner);
    if (is_finite(9, corner)) g->used |= 1u << level_of(g, corner);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &g->used, 1, MPI_UNSIGNED, MPI_BOR, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell of level 0 holds a triangle of mean size and its neighbourhood. */
static PetscErrorCode make_grid(MPI_Comm comm, const wring_skin *s, const double *x, double reach, grid *g)
{
  double most[6], sum[2], widest = 0, side = 1;

  PetscFunctionBegin;
  *g = (grid){.comm = comm, .reach = reach};
  PetscCallMPI(MPI_Comm_rank(comm, &g->rank));
  PetscCallMPI(MPI_Comm_size(comm, &g->size));
  measure_triangles(s, x, most, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, comm));
  for (int c = 0; c < 3 && sum[1] > 0; c++) {
    g->low[c] = -most[c];
    widest    = PetscMax(widest, most[3 + c] + most[c]);
  }
  if (sum[1] > 0) side = PetscMax(sum[0] / sum[1] + 2 * reach, widest / (1 << (GRID_BITS - 1)));
  for (int level = 0; level < N_LEVEL; level++, side *= 4) g->side[level] = side;
  PetscCall(find_used(s, x, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int64_t cell_number(const grid *g, int level, int c, double x)
{
  const double last = (double)((1 << GRID_BITS) - 1);
  return (int64_t)PetscMax(0, PetscMin(last, floor((x - g->low[c]) / g->side[level])));
}

static void find_cells(const grid *g, int level, const double low[3], const double high[3], cells *b)
{
  b->level = level;
  for (int c = 0; c < 3; c++) {
    b->low[c]  = cell_number(g, level, c, low[c]);
    b->high[c] = cell_number(g, level, c, high[c]);
  }
}

static int64_t cell_key(int level, int64_t i, int64_t j, int64_t k)
{
  return (((int64_t)level << GRID_BITS | i) << GRID_BITS | j) << GRID_BITS | k;
}

/* The rank that has the cube of cells with these numbers. */
static PetscInt cube_rank(const grid *g, int level, int64_t i, int64_t j, int64_t k)
{
  return (PetscInt)(wring_mix((uint64_t)cell_key(level, i, j, k)) % (uint64_t)g->size);
}

static PetscInt cell_rank(const grid *g, int level, int64_t i, int64_t j, int64_t k)
{
  return cube_rank(g, level, i >> CUBE_BITS, j >> CUBE_BITS, k >> CUBE_BITS);
}

/* ---- to the ranks of the cells ----------------------------------------------------------------------------------- */

static point make_point(const wring_mesh *m, const wring_skin *s, const double *x, PetscInt v)
{
  point p = {.home = s->home[v], .original = m->original[v], .body = s->body[v]};
  for (int c = 0; c < 3; c++) p.x[c] = x[3 * v + c], p.X[c] = m->X[3 * v + c];
  return p;
}

/* The cell of a point on its level. */
static void find_cell(const grid *g, const point *p, int64_t cell[3])
{
  for (int c = 0; c < 3; c++) cell[c] = cell_number(g, (int)p->level, c, p->x[c]);
}

/* Sends each point once for every level in use. */
static PetscErrorCode send_points(const wring_mesh *m, const wring_skin *s, const double *x, const grid *g, PetscInt *n,
                                  point **got)
{
  const size_t room = (size_t)s->n_vertex * (size_t)__builtin_popcount(g->used);
  PetscInt    *to, mine = 0;
  point       *row;
  int64_t      cell[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(room, &to, room, &row));
  for (PetscInt i = 0; i < s->n_vertex; i++) {
    point p = make_point(m, s, x, s->vertex[i]);
    if (!is_finite(3, p.x)) continue;
    for (p.level = 0; p.level < N_LEVEL; p.level++) {
      if (!(g->used >> p.level & 1)) continue;
      find_cell(g, &p, cell);
      to[mine]    = cell_rank(g, (int)p.level, cell[0], cell[1], cell[2]);
      row[mine++] = p;
    }
  }
  PetscCall(wring_exchange_rows(m->comm, mine, to, sizeof *row, row, n, got));
  PetscCall(PetscFree2(to, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void inflate(const grid *g, const double x[9], double low[3], double high[3])
{
  box_triangle(x, low, high);
  for (int c = 0; c < 3; c++) low[c] -= g->reach, high[c] += g->reach;
}

/*
  The ranks with cubes that the box of triangle t meets, each once: to [at most size]; seen [size] is the last triangle
  found for each rank.
*/
static int find_ranks(const grid *g, const double x[9], PetscInt t, PetscInt *seen, PetscInt *to)
{
  double low[3], high[3];
  cells  b;
  int    n = 0;
  inflate(g, x, low, high);
  find_cells(g, level_of(g, x), low, high, &b);
  for (int64_t i = b.low[0] >> CUBE_BITS; i <= b.high[0] >> CUBE_BITS; i++) {
    for (int64_t j = b.low[1] >> CUBE_BITS; j <= b.high[1] >> CUBE_BITS; j++) {
      for (int64_t k = b.low[2] >> CUBE_BITS; k <= b.high[2] >> CUBE_BITS; k++) {
        const PetscInt rank = cube_rank(g, b.level, i, j, k);
        if (seen[rank] == t) continue;
        seen[rank] = t;
        to[n++]    = rank;
      }
    }
  }
  return n;
}

static triangle make_triangle(const wring_mesh *m, const wring_skin *s, const double *x, PetscInt t)
{
  const PetscInt *v   = s->corner + 3 * t;
  triangle        row = {.body = s->body[v[0]]};
  gather_corners(s, t, x, row.x);
  gather_corners(s, t, m->X, row.X);
  for (int a = 0; a < 3; a++) {
    row.home[a]     = s->home[v[a]];
    row.original[a] = m->original[v[a]];
  }
  return row;
}

/* Triangles to send, each to one rank. */
typedef struct {
  PetscInt  n, room;
  PetscInt *to;
  triangle *row;
} letters;

static PetscErrorCode add_letter(letters *l, PetscInt to, const triangle *row)
{
  PetscFunctionBegin;
  if (l->n == l->room) {
    l->room = 2 * l->room + 64;
    PetscCall(PetscRealloc((size_t)l->room * sizeof *l->to, &l->to));
    PetscCall(PetscRealloc((size_t)l->room * sizeof *l->row, &l->row));
  }
  l->to[l->n]    = to;
  l->row[l->n++] = *row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_triangles(const wring_mesh *m, const wring_skin *s, const double *x, const grid *g,
                                     PetscInt *n, triangle **got)
{
  letters   l = {0};
  PetscInt *seen, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(g->size, &seen, g->size, &to));
  for (PetscMPIInt p = 0; p < g->size; p++) seen[p] = -1;
  for (PetscInt t = 0; t < s->n; t++) {
    const triangle row = make_triangle(m, s, x, t);
    if (!is_finite(9, row.x)) continue;
    const int ranks = find_ranks(g, row.x, t, seen, to);
    for (int i = 0; i < ranks; i++) PetscCall(add_letter(&l, to[i], &row));
  }
  PetscCall(wring_exchange_rows(m->comm, l.n, l.to, sizeof *l.row, l.row, n, got));
  PetscCall(PetscFree(l.to));
  PetscCall(PetscFree(l.row));
  PetscCall(PetscFree2(seen, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs of a rank's cells ------------------------------------------------------------------------------------- */

/* The points of this rank's cells; those of a cell are consecutive in `order`. */
typedef struct {
  PetscInt     n;
  const point *point;
  uint64_t    *key;   // [n] ascending
  PetscInt    *order; // [n]
  wring_map    first; // place of a cell's first point in order
} hash;

static PetscErrorCode make_hash(const grid *g, PetscInt n, const point *p, hash *h)
{
  PetscInt known;
  int64_t  cell[3];

  PetscFunctionBegin;
  *h = (hash){.n = n, .point = p};
  PetscCall(PetscMalloc2(n, &h->key, n, &h->order));
  PetscCall(wring_map_create(n, &h->first));
  for (PetscInt i = 0; i < n; i++) {
    find_cell(g, &p[i], cell);
    h->key[i] = (uint64_t)cell_key((int)p[i].level, cell[0], cell[1], cell[2]);
  }
  PetscCall(wring_order_keys(n, h->key, h->order));
  for (PetscInt i = 0; i < n; i++)
    if (i == 0 || h->key[i] != h->key[i - 1]) PetscCall(wring_map_add(&h->first, (int64_t)h->key[i], i, &known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_hash(hash *h)
{
  PetscFunctionBegin;
  PetscCall(wring_map_destroy(&h->first));
  PetscCall(PetscFree2(h->key, h->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  True if this pair of one body is too near at rest; *fair: the vertex was outside then. A triangle without area is
  kept.
*/
static PetscBool near_at_rest(const point *p, const triangle *t, const wring_near_range *r, PetscInt *fair)
{
  wring_touch u;
  *fair = 1;
  if (p->body != t->body || !wring_touch_triangle(p->X, t->X, &u)) return PETSC_FALSE;
  const PetscBool behind = (PetscBool)(u.side <= 1e-6 * u.size);
  *fair                  = !behind;
  return (PetscBool)(u.distance <= r->front || (behind && u.distance <= r->behind));
}

/* True if the pair is to be kept; *fair as above. */
static PetscBool is_near(const point *p, const triangle *t, const wring_near_range *r, PetscInt *fair)
{
  wring_touch u;
  for (int a = 0; a < 3; a++)
    if (p->original == t->original[a]) return PETSC_FALSE;
  if (wring_touch_triangle(p->x, t->x, &u) && u.distance > r->reach) return PETSC_FALSE;
  return (PetscBool)!near_at_rest(p, t, r, fair);
}

/* Pairs that were found, each to be sent to the owner of its vertex. */
typedef struct {
  PetscInt    n, room;
  PetscInt   *to;
  wring_near *row;
} finds;

static PetscErrorCode add_find(const point *p, const triangle *t, PetscInt fair, finds *f)
{
  wring_near row = {.vertex = p->home.index, .body = t->body, .fair = fair};

  PetscFunctionBegin;
  for (int a = 0; a < 3; a++) {
    row.original[a] = t->original[a];
    row.home[a]     = t->home[a];
  }
  if (f->n == f->room) {
    f->room = 2 * f->room + 64;
    PetscCall(PetscRealloc((size_t)f->room * sizeof *f->to, &f->to));
    PetscCall(PetscRealloc((size_t)f->room * sizeof *f->row, &f->row));
  }
  f->to[f->n]    = p->home.rank;
  f->row[f->n++] = row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode search_cell(const hash *h, int64_t key, const triangle *t, const double low[3],
                                  const double high[3], const wring_near_range *r, finds *f)
{
  PetscInt fair;

  PetscFunctionBegin;
  for (PetscInt i = wring_map_find(&h->first, key); i >= 0 && i < h->n && (int64_t)h->key[i] == key; i++) {
    const point *p   = h->point + h->order[i];
    PetscBool    out = PETSC_FALSE;
    for (int c = 0; c < 3; c++) out = (PetscBool)(out || p->x[c] < low[c] || p->x[c] > high[c]);
    if (!out && is_near(p, t, r, &fair)) PetscCall(add_find(p, t, fair, f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Searches all cells of this rank that the triangle's box meets. */
static PetscErrorCode search_box(const grid *g, const hash *h, const triangle *t, const wring_near_range *r, finds *f)
{
  double low[3], high[3];
  cells  b;

  PetscFunctionBegin;
  inflate(g, t->x, low, high);
  find_cells(g, level_of(g, t->x), low, high, &b);
  for (int64_t i = b.low[0]; i <= b.high[0]; i++) {
    for (int64_t j = b.low[1]; j <= b.high[1]; j++) {
      for (int64_t k = b.low[2]; k <= b.high[2]; k++) {
        if (cell_rank(g, b.level, i, j, k) != g->rank) continue;
        PetscCall(search_cell(h, cell_key(b.level, i, j, k), t, low, high, r, f));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_pairs(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *r,
                                 finds *f)
{
  grid      g;
  hash      h;
  PetscInt  n_point = 0, n_triangle = 0;
  point    *p;
  triangle *t;

  PetscFunctionBegin;
  PetscCall(make_grid(m->comm, s, x, r->reach, &g));
  PetscCall(send_points(m, s, x, &g, &n_point, &p));
  PetscCall(send_triangles(m, s, x, &g, &n_triangle, &t));
  PetscCall(make_hash(&g, n_point, p, &h));
  for (PetscInt i = 0; i < n_triangle && n_point > 0; i++) PetscCall(search_box(&g, &h, t + i, r, f));
  PetscCall(destroy_hash(&h));
  PetscCall(PetscFree(t));
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- at the owners of the vertices ------------------------------------------------------------------------------- */

static int compare_near(const void *pa, const void *pb)
{
  const wring_near *a = pa, *b = pb;
  if (a->vertex != b->vertex) return a->vertex < b->vertex ? -1 : 1;
  for (int i = 0; i < 3; i++)
    if (a->original[i] != b->original[i]) return a->original[i] < b->original[i] ? -1 : 1;
  return 0;
}

/* True if a corner of the triangle is a neighbour of the surface's i-th vertex. */
static PetscErrorCode is_neighbour(const wring_skin *s, PetscInt i, const wring_near *p, PetscBool *yes)
{
  PetscInt place = -1;

  PetscFunctionBegin;
  for (int a = 0; a < 3 && place < 0; a++)
    PetscCall(
      PetscFindInt(p->original[a], s->ring_start[i + 1] - s->ring_start[i], s->ring + s->ring_start[i], &place));
  *yes = (PetscBool)(place >= 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drop_neighbours(const wring_skin *s, PetscInt *n, wring_near *near)
{
  PetscInt  kept = 0;
  PetscBool drop = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0, i = 0; k < *n; k++) {
    while (s->vertex[i] < near[k].vertex) i++;
    PetscCall(is_neighbour(s, i, near + k, &drop));
    if (!drop) near[kept++] = near[k];
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_near_find(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *range,
                               PetscInt *n, wring_near **near)
{
  finds f = {0};

  PetscFunctionBegin;
  PetscCall(find_pairs(m, s, x, range, &f));
  PetscCall(wring_exchange_rows(m->comm, f.n, f.to, sizeof *f.row, f.row, n, near));
  if (*n > 0) qsort(*near, (size_t)*n, sizeof **near, compare_near);
  PetscCall(drop_neighbours(s, n, *near));
  PetscCall(PetscFree(f.to));
  PetscCall(PetscFree(f.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
