/*
  Grids of several levels: cells of level l are 4^l times as large as those of level 0, into which the small triangles
  fit: all but fewer than sqrt(n) of the n triangles are as large, so that triangles smaller than their cells make at
  most about n pairs, and large ones, however many, do not enlarge the cells of the small ones. The vertices near a
  triangle are searched for in the cells of one level, chosen by the triangle's size, so that its box meets at most
  about a hundred cells. A vertex is in one cell of each level, so that a pair is found once.

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
enum { N_CLASS = 128, PER_OCTAVE = 4 }; // of sizes of triangles, and those that span a factor of 2
enum {
  STRIPS       = 64,
  SERIAL_BELOW = 512
};                                  // of triangles that a thread searches for at a time; waking threads takes longer
static const double most_cells = 3; // along an edge of a triangle, if a level has cells large enough

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  double      low[3], side[N_LEVEL]; // m: corner of the first cells, size of a cell
  double      widest;                // m: the largest edge of the box of all triangles
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

/* most [6]: minus the smallest coordinates of triangles, and the largest. */
static void measure_triangles(const wring_skin *s, const double *x, double most[6])
{
  double corner[9], low[3], high[3];
  for (int i = 0; i < 6; i++) most[i] = -INFINITY;
  for (PetscInt t = 0; t < s->n; t++) {
    gather_corners(s, t, x, corner);
    if (!is_finite(9, corner)) continue;
    box_triangle(corner, low, high);
    for (int c = 0; c < 3; c++) {
      most[c]     = PetscMax(most[c], -low[c]);
      most[3 + c] = PetscMax(most[3 + c], high[c]);
    }
  }
}

/* Classes of sizes, the large ones first: class k is at most class_size(k), and larger than class_size(k + 1). */
static double class_size(const grid *g, int k)
{
  return g->widest * exp2((double)-k / PER_OCTAVE);
}

static int class_of(const grid *g, const double corner[9])
{
  const double size = size_of(corner);
  return size > 0 ? (int)PetscMin(N_CLASS - 1, PetscMax(0, floor(PER_OCTAVE * log2(g->widest / size)))) : N_CLASS - 1;
}

static int level_of_class(const grid *g, int k)
{
  int level = 0;
  while (level + 1 < N_LEVEL && class_size(g, k) > most_cells * g->side[level]) level++;
  return level;
}

static int level_of(const grid *g, const double corner[9])
{
  return level_of_class(g, class_of(g, corner));
}

/* The number of triangles of all ranks in each class. */
static PetscErrorCode count_classes(const wring_skin *s, const double *x, const grid *g, PetscInt64 count[N_CLASS])
{
  double corner[9];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, N_CLASS));
  for (PetscInt t = 0; t < s->n; t++) {
    gather_corners(s, t, x, corner);
    if (is_finite(9, corner)) count[class_of(g, corner)]++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, N_CLASS, MPIU_INT64, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The size that fewer than sqrt(n) of the n triangles are certainly below. */
static double small_size(const grid *g, const PetscInt64 count[N_CLASS])
{
  PetscInt64 n = 0, below = 0;
  int        k = N_CLASS;
  for (int i = 0; i < N_CLASS; i++) n += count[i];
  while (k > 0 && (double)below * (double)below < (double)n) below += count[--k];
  return class_size(g, k);
}

/* A cell of level 0 holds a small triangle and its neighbourhood. */
static PetscErrorCode make_grid(MPI_Comm comm, const wring_skin *s, const double *x, double reach, grid *g)
{
  double     most[6], side = 1;
  PetscInt64 count[N_CLASS];

  PetscFunctionBegin;
  *g = (grid){.comm = comm, .reach = reach};
  PetscCallMPI(MPI_Comm_rank(comm, &g->rank));
  PetscCallMPI(MPI_Comm_size(comm, &g->size));
  measure_triangles(s, x, most);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, comm));
  for (int c = 0; c < 3 && isfinite(most[0]); c++) {
    g->low[c] = -most[c];
    g->widest = PetscMax(g->widest, most[3 + c] + most[c]);
  }
  PetscCall(count_classes(s, x, g, count));
  if (isfinite(most[0])) side = PetscMax(small_size(g, count) + 2 * reach, g->widest / (1 << (GRID_BITS - 1)));
  for (int level = 0; level < N_LEVEL; level++, side *= 4) g->side[level] = side;
  for (int k = 0; k < N_CLASS; k++)
    if (count[k] > 0) g->used |= 1u << level_of_class(g, k);
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
  point p = {.home = s->home[v], .original = m->number.original[v], .body = s->body[v]};
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
    row.original[a] = m->number.original[v[a]];
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
  for (int a = 0; a < 3; a++)
    if (p->original == t->original[a]) return PETSC_FALSE;
  if (wring_triangle_distance(p->x, t->x) > r->reach) return PETSC_FALSE;
  return (PetscBool)!near_at_rest(p, t, r, fair);
}

/* Pairs that a thread has found, each to be sent to the owner of its vertex. */
typedef struct {
  PetscInt    n, room;
  PetscInt   *to;
  wring_near *row;
  PetscInt64  compared;
  PetscBool   failed; // for lack of memory
} finds;

/* Not PetscRealloc: called by threads. */
static PetscBool make_room(finds *f)
{
  const size_t room = 2 * (size_t)f->room + 64;
  if (f->n < f->room) return PETSC_TRUE;
  PetscInt *const   to  = realloc(f->to, room * sizeof *f->to);
  wring_near *const row = realloc(f->row, room * sizeof *f->row);
  if (to) f->to = to;
  if (row) f->row = row;
  if (to && row) f->room = (PetscInt)room;
  return (PetscBool)(to && row);
}

static void add_find(const point *p, const triangle *t, PetscInt fair, finds *f)
{
  wring_near row = {.vertex = p->home.index, .body = t->body, .fair = fair};
  for (int a = 0; a < 3; a++) {
    row.original[a] = t->original[a];
    row.home[a]     = t->home[a];
  }
  if (!make_room(f)) {
    f->failed = PETSC_TRUE;
    return;
  }
  f->to[f->n]    = p->home.rank;
  f->row[f->n++] = row;
}

static void search_cell(const hash *h, int64_t key, const triangle *t, const double low[3], const double high[3],
                        const wring_near_range *r, finds *f)
{
  PetscInt fair;
  for (PetscInt i = wring_map_find(&h->first, key); i >= 0 && i < h->n && (int64_t)h->key[i] == key; i++) {
    const point *p   = h->point + h->order[i];
    PetscBool    out = PETSC_FALSE;
    f->compared++;
    for (int c = 0; c < 3; c++) out = (PetscBool)(out || p->x[c] < low[c] || p->x[c] > high[c]);
    if (!out && is_near(p, t, r, &fair)) add_find(p, t, fair, f);
  }
}

/* Searches all cells of this rank that the triangle's box meets. */
static void search_box(const grid *g, const hash *h, const triangle *t, const wring_near_range *r, finds *f)
{
  double low[3], high[3];
  cells  b;
  inflate(g, t->x, low, high);
  find_cells(g, level_of(g, t->x), low, high, &b);
  for (int64_t i = b.low[0]; i <= b.high[0]; i++) {
    for (int64_t j = b.low[1]; j <= b.high[1]; j++) {
      for (int64_t k = b.low[2]; k <= b.high[2]; k++) {
        if (cell_rank(g, b.level, i, j, k) != g->rank) continue;
        search_cell(h, cell_key(b.level, i, j, k), t, low, high, r, f);
      }
    }
  }
}

/* Searches for n triangles, in strips. */
static void search_all(const grid *g, const hash *h, PetscInt n, const triangle *t, const wring_near_range *r,
                       finds f[STRIPS])
{
#pragma omp parallel for schedule(dynamic) if (n > SERIAL_BELOW)
  for (int s = 0; s < STRIPS; s++) {
    const PetscInt begin = (PetscInt)((int64_t)n * s / STRIPS), end = (PetscInt)((int64_t)n * (s + 1) / STRIPS);
    f[s] = (finds){0};
    for (PetscInt i = begin; i < end; i++) search_box(g, h, t + i, r, &f[s]);
  }
}

/* Sends the finds to the owners of their vertices and frees them; see wring_near_find. */
static PetscErrorCode send_finds(MPI_Comm comm, finds f[STRIPS], PetscInt *n, wring_near **near, PetscInt64 *compared)
{
  PetscInt    total = 0, *to;
  wring_near *row;

  PetscFunctionBegin;
  for (int s = 0; s < STRIPS; s++) {
    PetscCheck(!f[s].failed, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for near pairs");
    total += f[s].n;
    if (compared) *compared += f[s].compared;
  }
  PetscCall(PetscMalloc2(total, &to, total, &row));
  PetscInt at = 0;
  for (int s = 0; s < STRIPS; at += f[s++].n) {
    PetscCall(PetscArraycpy(to + at, f[s].to, f[s].n));
    PetscCall(PetscArraycpy(row + at, f[s].row, f[s].n));
    free(f[s].to);
    free(f[s].row);
  }
  PetscCall(wring_exchange_rows(comm, total, to, sizeof *row, row, n, near));
  PetscCall(PetscFree2(to, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_pairs(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *r,
                                 PetscInt *n, wring_near **near, PetscInt64 *compared)
{
  grid      g;
  hash      h;
  PetscInt  n_point = 0, n_triangle = 0;
  point    *p;
  triangle *t;
  finds     f[STRIPS];

  PetscFunctionBegin;
  PetscCall(make_grid(m->comm, s, x, r->reach, &g));
  PetscCall(send_points(m, s, x, &g, &n_point, &p));
  PetscCall(send_triangles(m, s, x, &g, &n_triangle, &t));
  PetscCall(make_hash(&g, n_point, p, &h));
  search_all(&g, &h, n_point > 0 ? n_triangle : 0, t, r, f);
  PetscCall(destroy_hash(&h));
  PetscCall(PetscFree(t));
  PetscCall(PetscFree(p));
  PetscCall(send_finds(m->comm, f, n, near, compared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- at the owners of the vertices ------------------------------------------------------------------------------- */

static int compare_near(const void *pa, const void *pb)
{
  const wring_near *a = pa, *b = pb;
  for (int i = 0; i < 3; i++)
    if (a->original[i] != b->original[i]) return a->original[i] < b->original[i] ? -1 : 1;
  return 0;
}

/* Sorts by vertex, by counting, and those of a vertex by the triangle. */
static PetscErrorCode sort_near(PetscInt n_owned, PetscInt n, wring_near **near)
{
  PetscInt   *start, *at;
  wring_near *sorted;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_owned + 1, &start));
  PetscCall(PetscMalloc1((size_t)n_owned + 1, &at));
  PetscCall(PetscMalloc1((size_t)n, &sorted));
  for (PetscInt i = 0; i < n; i++) start[(*near)[i].vertex + 1]++;
  for (PetscInt v = 0; v < n_owned; v++) start[v + 1] += start[v];
  PetscCall(PetscArraycpy(at, start, n_owned + 1));
  for (PetscInt i = 0; i < n; i++) sorted[at[(*near)[i].vertex]++] = (*near)[i];
#pragma omp parallel for schedule(dynamic, 256) if (n > SERIAL_BELOW)
  for (PetscInt v = 0; v < n_owned; v++)
    if (start[v + 1] - start[v] > 1)
      qsort(sorted + start[v], (size_t)(start[v + 1] - start[v]), sizeof *sorted, compare_near);
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(at));
  PetscCall(PetscFree(*near));
  *near = sorted;
  PetscFunctionReturn(PETSC_SUCCESS);
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
                               PetscInt *n, wring_near **near, PetscInt64 *compared)
{
  PetscFunctionBegin;
  if (compared) *compared = 0;
  PetscCall(find_pairs(m, s, x, range, n, near, compared));
  PetscCall(sort_near(m->n_owned, *n, near));
  PetscCall(drop_neighbours(s, n, *near));
  PetscFunctionReturn(PETSC_SUCCESS);
}
