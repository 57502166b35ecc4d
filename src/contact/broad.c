/*
  Grids of several levels: cells of level l are 2^l times as large as those of level 0, into which the small simplices
  fit: all but fewer than sqrt(n) of the n edges and triangles are as large, so that smaller ones make at most about n
  pairs in vain, and large ones, however many, do not enlarge the cells of the small ones. A simplex is on the first
  level whose cells are as large as its box; it is in the cells that its box meets, at most 8, of this level and of
  coarser ones. A pair is compared on the coarser of its two levels, in the cell with the low corner of the common part
  of both boxes, hence once.

  Simplices are sent to the ranks of their cells, rows of pairs to the ranks that `keep` names. Cells are distributed to
  ranks in cubes of 4^3 by a hash of the cube.
*/
#include "broad.h"
#include "base/exchange.h"
#include "base/sort.h"
#include "base/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_BITS = 19, LEVEL_BITS = 4, N_LEVEL = 1 << LEVEL_BITS, CUBE_BITS = 2 };
enum { N_CLASS = 128, PER_OCTAVE = 4 };    // of sizes, and those that span a factor of 2
enum { STRIPS = 64, SERIAL_BELOW = 2048 }; // parts of the cells; waking threads takes longer for fewer entries

typedef struct {
  double low[3], high[3];
} box;

typedef struct {
  MPI_Comm           comm;
  PetscMPIInt        rank, size;
  const wring_broad *how;
  double             low[3], side[N_LEVEL]; // m: corner of the first cells, size of a cell
  double             widest;                // m: the largest edge of the box of everything
  double             drift[3];              // m: subtracted from every d, which changes no distance
  unsigned           used;                  // bit l: some simplex is on level l
  PetscBool          wanted[4][4];          // [corners][corners], symmetric
} grid;

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static PetscBool find_box(const grid *g, const wring_seen *s, box *b)
{
  const double margin = g->how->reach / 2;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int a = 0; a < s->corners; a++) {
      const double from = s->x[3 * a + c], to = from + s->d[3 * a + c] - g->drift[c];
      if (!isfinite(to)) return PETSC_FALSE;
      low  = PetscMin(low, PetscMin(from, to));
      high = PetscMax(high, PetscMax(from, to));
    }
    b->low[c] = low - margin, b->high[c] = high + margin;
  }
  return PETSC_TRUE;
}

static double size_of(const box *b)
{
  return fmax(b->high[0] - b->low[0], fmax(b->high[1] - b->low[1], b->high[2] - b->low[2]));
}

/* The drift: the mean of d, which may be NULL, over the corners of simplices if it is most of the motion, else 0. */
static PetscErrorCode find_drift(grid *g, PetscInt n, const wring_simplex *simplex, const double *d)
{
  double sum[5] = {0}; // of d, |d|^2, 1

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n && d; i++)
    for (int a = 0; a < simplex[i].corners; a++, sum[4]++) {
      const double *const one = d + 3 * simplex[i].vertex[a];
      for (int c = 0; c < 3; c++) sum[c] += one[c];
      sum[3] += wring_dot3(one, one);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 5, MPI_DOUBLE, MPI_SUM, g->comm));
  if (isfinite(sum[3]) && 2 * wring_dot3(sum, sum) > sum[4] * sum[3])
    for (int c = 0; c < 3; c++) g->drift[c] = sum[c] / sum[4];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of this rank's simplices and their boxes; those that are not finite are dropped. */
static void see(const grid *g, const wring_mesh *m, const wring_skin *skin, PetscInt n, const wring_simplex *simplex,
                const double *x, const double *d, PetscInt *kept, wring_seen *seen, box *b)
{
  *kept = 0;
  for (PetscInt i = 0; i < n; i++) {
    const wring_simplex *const s   = simplex + i;
    wring_seen *const          row = seen + *kept;
    *row = (wring_seen){.corners = s->corners, .bare = s->bare, .area = s->area, .body = skin->body[s->vertex[0]]};
    memcpy(row->normal, s->normal, sizeof s->normal);
    memcpy(row->beside, s->beside, sizeof s->beside);
    for (int a = 0; a < 3; a++) {
      const PetscInt v = s->vertex[a];
      row->original[a] = a < s->corners ? m->number.original[v] : -1;
      row->home[a]     = a < s->corners ? skin->home[v] : (PetscSFNode){.rank = -1, .index = -1};
      for (int c = 0; c < 3 && a < s->corners; c++) {
        row->x[3 * a + c] = x[3 * v + c];
        row->X[3 * a + c] = m->X[3 * v + c];
        if (d) row->d[3 * a + c] = d[3 * v + c];
      }
    }
    if (find_box(g, row, b + *kept)) (*kept)++;
  }
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* Classes of sizes, the large ones first: class k is at most class_size(k), and larger than class_size(k + 1). */
static double class_size(const grid *g, int k)
{
  return g->widest * exp2((double)-k / PER_OCTAVE);
}

static int class_of(const grid *g, const box *b)
{
  const double size = size_of(b);
  return size > 0 ? (int)PetscMin(N_CLASS - 1, PetscMax(0, floor(PER_OCTAVE * log2(g->widest / size)))) : N_CLASS - 1;
}

static int level_of_class(const grid *g, int k)
{
  int level = 0;
  while (level + 1 < N_LEVEL && class_size(g, k) > g->side[level]) level++;
  return level;
}

/* The number of simplices of all ranks in each class: of edges and triangles, and of points. */
static PetscErrorCode count_classes(const grid *g, PetscInt n, const wring_seen *seen, const box *b,
                                    PetscInt64 count[2][N_CLASS])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(&count[0][0], 2 * N_CLASS));
  for (PetscInt i = 0; i < n; i++) count[seen[i].corners == 1][class_of(g, b + i)]++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2 * N_CLASS, MPIU_INT64, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The size that fewer than sqrt(n) of the n simplices are certainly below; points count if there is nothing else. */
static double small_size(const grid *g, PetscInt64 count[2][N_CLASS])
{
  PetscInt64 n[2] = {0}, below = 0;
  int        k = N_CLASS;
  for (int i = 0; i < N_CLASS; i++) n[0] += count[0][i], n[1] += count[1][i];
  const int of = n[0] == 0;
  while (k > 0 && (double)below * (double)below < (double)n[of]) below += count[of][--k];
  return class_size(g, k);
}

static PetscErrorCode make_grid(grid *g, PetscInt n, const wring_seen *seen, const box *b)
{
  double     most[6], side = 1;
  PetscInt64 count[2][N_CLASS];

  PetscFunctionBegin;
  for (int c = 0; c < 6; c++) most[c] = -INFINITY;
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) most[c] = fmax(most[c], -b[i].low[c]), most[3 + c] = fmax(most[3 + c], b[i].high[c]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, g->comm));
  for (int c = 0; c < 3 && isfinite(most[0]); c++) {
    g->low[c] = -most[c];
    g->widest = fmax(g->widest, most[3 + c] + most[c]);
  }
  PetscCall(count_classes(g, n, seen, b, count));
  if (g->widest > 0) side = fmax(small_size(g, count), g->widest / (1 << (GRID_BITS - 1)));
  for (int level = 0; level < N_LEVEL; level++, side *= 2) g->side[level] = side;
  for (int k = 0; k < N_CLASS; k++)
    if (count[0][k] + count[1][k] > 0) g->used |= 1u << level_of_class(g, k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int64_t cell_number(const grid *g, int level, int c, double x)
{
  const double last = (double)((1 << GRID_BITS) - 1);
  return (int64_t)fmax(0, fmin(last, floor((x - g->low[c]) / g->side[level])));
}

static uint64_t cell_key(int level, const int64_t at[3])
{
  return ((((uint64_t)level << GRID_BITS | (uint64_t)at[0]) << GRID_BITS) | (uint64_t)at[1]) << GRID_BITS |
         (uint64_t)at[2];
}

static PetscInt cell_rank(const grid *g, int level, const int64_t at[3])
{
  const int64_t cube[3] = {at[0] >> CUBE_BITS, at[1] >> CUBE_BITS, at[2] >> CUBE_BITS};
  return (PetscInt)(wring_mix(cell_key(level, cube)) % (uint64_t)g->size);
}

/* The cells of one box: from this one on, those of a level, then those of the next used level. */
typedef struct {
  int     level;
  int64_t low[3], high[3], at[3];
} walk;

static void enter_level(const grid *g, const box *b, walk *w)
{
  while (w->level < N_LEVEL && !(g->used >> w->level & 1)) w->level++;
  if (w->level == N_LEVEL) return;
  for (int c = 0; c < 3; c++) {
    w->low[c] = w->at[c] = cell_number(g, w->level, c, b->low[c]);
    w->high[c]           = cell_number(g, w->level, c, b->high[c]);
  }
}

static walk start_walk(const grid *g, const box *b)
{
  walk w = {.level = level_of_class(g, class_of(g, b))};
  enter_level(g, b, &w);
  return w;
}

static PetscBool walks(const walk *w)
{
  return (PetscBool)(w->level < N_LEVEL);
}

static void go_on(const grid *g, const box *b, walk *w)
{
  for (int c = 0; c < 3; c++) {
    if (++w->at[c] <= w->high[c]) return;
    w->at[c] = w->low[c];
  }
  w->level++;
  enter_level(g, b, w);
}

/* ---- to the ranks of the cells ----------------------------------------------------------------------------------- */

/* Rows of any size, each for one rank. Not PetscRealloc: threads add rows. */
typedef struct {
  PetscInt       n, room;
  PetscInt      *to;
  unsigned char *row;
  PetscInt64     compared;
  PetscBool      failed; // no memory, or more rows than PetscInt counts
} letters;

static void *add_letter(letters *l, size_t size, PetscInt to)
{
  if (l->n == l->room) {
    const size_t         room = 2 * (size_t)l->room + 64;
    PetscInt *const      all  = realloc(l->to, room * sizeof *all);
    unsigned char *const row  = realloc(l->row, room * size);
    if (all) l->to = all;
    if (row) l->row = row;
    if (!all || !row || room > PETSC_MAX_INT) {
      l->failed = PETSC_TRUE;
      return NULL;
    }
    l->room = (PetscInt)room;
  }
  l->to[l->n] = to;
  return l->row + size * (size_t)l->n++;
}

/* Sends l [n] and frees them. */
static PetscErrorCode send_letters(MPI_Comm comm, int n, letters *l, size_t size, PetscInt *n_got, void *got)
{
  PetscInt64     total  = 0;
  PetscBool      failed = PETSC_FALSE;
  PetscInt      *to;
  unsigned char *row;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) failed = (PetscBool)(failed || l[i].failed), total += l[i].n;
  PetscCheck(!failed && total <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for so many near pairs");
  PetscCall(PetscMalloc2((size_t)total, &to, size * (size_t)total, &row));
  for (PetscInt i = 0, at = 0; i < n; at += l[i++].n) {
    PetscCall(PetscArraycpy(to + at, l[i].to, l[i].n));
    PetscCall(PetscArraycpy(row + size * (size_t)at, l[i].row, size * (size_t)l[i].n));
    free(l[i].to);
    free(l[i].row);
  }
  PetscCall(wring_exchange_rows(comm, (PetscInt)total, to, size, row, n_got, got));
  PetscCall(PetscFree2(to, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends each simplex once to every rank with a cell of it. */
static PetscErrorCode send_seen(const grid *g, PetscInt n, const wring_seen *seen, const box *b, PetscInt *n_got,
                                wring_seen **got)
{
  letters l = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt first = l.n;
    for (walk w = start_walk(g, b + i); walks(&w); go_on(g, b + i, &w)) {
      const PetscInt to    = cell_rank(g, w.level, w.at);
      PetscBool      known = PETSC_FALSE;
      for (PetscInt k = first; k < l.n; k++) known = (PetscBool)(known || l.to[k] == to);
      wring_seen *const row = known ? NULL : add_letter(&l, sizeof *seen, to);
      if (row) *row = seen[i];
    }
  }
  PetscCall(send_letters(g->comm, 1, &l, sizeof *seen, n_got, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs of a rank's cells ------------------------------------------------------------------------------------- */

typedef struct {
  box box;
  int at[3]; // the cell of level 0 with its low corner
  int level, corners;
} placed;

typedef struct {
  const wring_seen *seen;   // [n] simplices with a cell on this rank
  placed           *placed; // [n]
  PetscInt          n_entry;
  uint64_t         *key;  // [n_entry] of cells, ascending
  PetscInt         *item; // [n_entry]
} cells;

static PetscErrorCode make_cells(const grid *g, PetscInt n, const wring_seen *seen, cells *t)
{
  PetscInt64 room = 0;

  PetscFunctionBegin;
  *t = (cells){.seen = seen};
  PetscCall(PetscMalloc1((size_t)n, &t->placed));
  for (PetscInt i = 0; i < n; i++) {
    placed *const one = t->placed + i;
    find_box(g, seen + i, &one->box);
    one->level   = level_of_class(g, class_of(g, &one->box));
    one->corners = seen[i].corners;
    for (int c = 0; c < 3; c++) one->at[c] = (int)cell_number(g, 0, c, one->box.low[c]);
    for (walk w = start_walk(g, &one->box); walks(&w); go_on(g, &one->box, &w))
      room += cell_rank(g, w.level, w.at) == g->rank;
  }
  PetscCheck(room <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for so many cells of near pairs");
  PetscCall(PetscMalloc2((size_t)room, &t->key, (size_t)room, &t->item));
  for (PetscInt i = 0; i < n; i++) {
    const box *const b = &t->placed[i].box;
    for (walk w = start_walk(g, b); walks(&w); go_on(g, b, &w)) {
      if (cell_rank(g, w.level, w.at) != g->rank) continue;
      t->key[t->n_entry]    = cell_key(w.level, w.at);
      t->item[t->n_entry++] = i;
    }
  }
  PetscCall(wring_sort_keys(t->n_entry, t->key, t->item));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int meet(const box *a, const box *b) // without branches, which would be mispredicted
{
  int yes = 1;
  for (int c = 0; c < 3; c++) yes &= (a->low[c] <= b->high[c]) & (b->low[c] <= a->high[c]);
  return yes;
}

/* Whether the low corner of the common part of both boxes is in this cell; sides are that of level 0 times 2^level. */
static PetscBool is_cell_of_pair(const placed *a, const placed *b, uint64_t key)
{
  const int level = (int)(key >> 3 * GRID_BITS);
  int64_t   at[3];
  for (int c = 0; c < 3; c++) at[c] = PetscMax(a->at[c], b->at[c]) >> level;
  return (PetscBool)(cell_key(level, at) == key);
}

static PetscBool is_first(const wring_seen *a, const wring_seen *b)
{
  if (a->corners != b->corners) return (PetscBool)(a->corners < b->corners);
  for (int k = 0; k < 3; k++)
    if (a->original[k] != b->original[k]) return (PetscBool)(a->original[k] < b->original[k]);
  return PETSC_FALSE;
}

/* Two simplices whose boxes meet. */
static void offer(const grid *g, const cells *t, PetscInt i, PetscInt j, letters *l)
{
  const wring_seen *a = t->seen + i, *b = t->seen + j;
  if (!is_first(a, b)) {
    const wring_seen *const other = a;
    a = b, b = other;
  }
  void *const row = add_letter(l, g->how->size, 0);
  if (row && !g->how->keep(g->how->context, a, b, row, l->to + l->n - 1)) l->n--;
}

/* The pairs of the cell whose entries are [begin, end), at least one simplex being of its level. */
static void search_cell(const grid *g, const cells *t, PetscInt begin, PetscInt end, letters *l)
{
  const uint64_t key      = t->key[begin];
  const int      level    = (int)(key >> 3 * GRID_BITS);
  PetscInt64     compared = 0;
  for (PetscInt p = begin; p < end; p++) {
    const PetscInt      i = t->item[p];
    const placed *const a = t->placed + i;
    if (a->level != level) continue;
    for (PetscInt q = begin; q < end; q++) {
      const PetscInt      j = t->item[q];
      const placed *const b = t->placed + j;
      if (!g->wanted[a->corners][b->corners] || (q >= p && b->level == level)) continue;
      compared++;
      if (meet(&a->box, &b->box) && is_cell_of_pair(a, b, key)) offer(g, t, i, j, l);
    }
  }
  l->compared += compared;
}

/* A strip has the cells that begin in its part of the entries. */
static void search_strip(const grid *g, const cells *t, int strip, letters *l)
{
  const PetscInt n = t->n_entry, last = (PetscInt)((int64_t)n * (strip + 1) / STRIPS);
  PetscInt       i = (PetscInt)((int64_t)n * strip / STRIPS), end;
  while (i > 0 && i < last && t->key[i] == t->key[i - 1]) i++;
  for (; i < last && !l->failed; i = end) {
    for (end = i + 1; end < n && t->key[end] == t->key[i];) end++;
    search_cell(g, t, i, end, l);
  }
}

static PetscErrorCode search(const grid *g, PetscInt n, const wring_seen *seen, PetscInt *n_found, void *found,
                             PetscInt64 *compared)
{
  letters l[STRIPS] = {{0}};
  cells   t;

  PetscFunctionBegin;
  PetscCall(make_cells(g, n, seen, &t));
#pragma omp parallel for schedule(dynamic) if (t.n_entry > SERIAL_BELOW)
  for (int s = 0; s < STRIPS; s++) search_strip(g, &t, s, l + s);
  for (int s = 0; s < STRIPS && compared; s++) *compared += l[s].compared;
  PetscCall(PetscFree2(t.key, t.item));
  PetscCall(PetscFree(t.placed));
  PetscCall(send_letters(g->comm, STRIPS, l, g->how->size, n_found, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_broad_find(const wring_mesh *m, const wring_skin *skin, PetscInt n, const wring_simplex *simplex,
                                const double *x, const double *d, const wring_broad *how, PetscInt *n_found,
                                void *found, PetscInt64 *compared)
{
  grid        g = {.comm = m->comm, .rank = wring_comm_rank(m->comm), .size = wring_comm_size(m->comm), .how = how};
  wring_seen *seen, *got;
  box        *b;
  PetscInt    n_got;

  PetscFunctionBegin;
  wring_count(how->phases, WRING_WORK_CONTACT_SEARCHES, 1);
  wring_count(how->phases, WRING_WORK_CONTACT_EXCHANGES, 2);
  wring_count(how->phases, WRING_WORK_CONTACT_REDUCTIONS, 3);
  if (compared) *compared = 0;
  for (int i = 0; i < 9; i++)
    if (how->wanted[i / 3][i % 3]) g.wanted[i / 3 + 1][i % 3 + 1] = g.wanted[i % 3 + 1][i / 3 + 1] = PETSC_TRUE;
  PetscCall(find_drift(&g, n, simplex, d));
  PetscCall(PetscMalloc1((size_t)n, &seen));
  PetscCall(PetscMalloc1((size_t)n, &b));
  see(&g, m, skin, n, simplex, x, d, &n, seen, b);
  PetscCall(make_grid(&g, n, seen, b));
  got = seen, n_got = n; // a single rank has all cells
  if (g.size > 1) {
    PetscCall(send_seen(&g, n, seen, b, &n_got, &got));
    PetscCall(PetscFree(seen));
  }
  PetscCall(PetscFree(b));
  PetscCall(search(&g, n_got, got, n_found, found, compared));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}
