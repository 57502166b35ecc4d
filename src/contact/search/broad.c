/*
  Each rank finds pairs by trees of the simplices that it was sent. On several ranks these are sent to the ranks of
  their cells, which a hash distributes, in grids of several levels: so many cells of level 0 that each rank has some on
  a surface through the box of everything, and cells of level l that are 2^l times as large. A simplex is on the first
  level on which its box is no larger than four cells; it is in the cells that its box meets, of this level and of
  coarser ones. A pair belongs to the cell of the coarser of its two levels with the low corner of the common part of
  both boxes, hence to one rank.
*/
#include "broad.h"
#include "base/exchange.h"
#include "base/vector3.h"
#include "way_tree.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_BITS = 19, CELLS_ACROSS = 4, CELLS_PER_RANK = 16 }; // across a simplex; on a surface
enum { STRIPS = 64, SERIAL_BELOW = 2048 }; // parts of trees; waking threads takes longer for fewer simplices

typedef struct {
  double low[3], high[3];
} box;

typedef struct {
  MPI_Comm           comm;
  PetscMPIInt        rank, size;
  const wring_broad *how;
  double             low[3], widest; // m: the box of everything, and its largest edge
  double             drift[3];       // m: subtracted from every d, which changes no distance
  int                bits;           // 2^bits cells of level 0 along the largest edge
  unsigned           used;           // bit l: some simplex is on level l
} grid;

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* The box around the way of s, half of the reach larger; whether it is finite. */
static PetscBool find_way_box(const grid *g, const wring_seen *s, wring_way_box *b)
{
  const double margin = g->how->reach / 2;
  for (int c = 0; c < 3; c++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int a = 0; a < s->corners; a++) {
      const double at[2] = {s->x[3 * a + c], s->x[3 * a + c] + s->d[3 * a + c] - g->drift[c]};
      if (!isfinite(at[1])) return PETSC_FALSE;
      for (int t = 0; t < 2; t++) low[t] = PetscMin(low[t], at[t]), high[t] = PetscMax(high[t], at[t]);
    }
    for (int t = 0; t < 2; t++) b->low[3 * t + c] = low[t] - margin, b->high[3 * t + c] = high[t] + margin;
  }
  return PETSC_TRUE;
}

/* The box around all of a way. */
static box sweep(const wring_way_box *way)
{
  box b;
  for (int c = 0; c < 3; c++) {
    b.low[c]  = PetscMin(way->low[c], way->low[3 + c]);
    b.high[c] = PetscMax(way->high[c], way->high[3 + c]);
  }
  return b;
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
                const double *x, const double *d, PetscInt *kept, wring_seen *seen, wring_way_box *way)
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
    if (find_way_box(g, row, way + *kept)) (*kept)++;
  }
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static int level_of(const grid *g, const box *b)
{
  const double size = fmax(b->high[0] - b->low[0], fmax(b->high[1] - b->low[1], b->high[2] - b->low[2]));
  const double wide = ldexp(size / g->widest, g->bits) / CELLS_ACROSS;
  return wide > 1 ? PetscMin(1 + ilogb(wide), g->bits) : 0;
}

static PetscErrorCode make_grid(grid *g, PetscInt n, const wring_way_box *way)
{
  double most[6];

  PetscFunctionBegin;
  for (int c = 0; c < 6; c++) most[c] = -INFINITY;
  for (PetscInt i = 0; i < n; i++) {
    const box b = sweep(way + i);
    for (int c = 0; c < 3; c++) most[c] = PetscMax(most[c], -b.low[c]), most[3 + c] = PetscMax(most[3 + c], b.high[c]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, g->comm));
  for (int c = 0; c < 3 && isfinite(most[0]); c++) {
    g->low[c] = -most[c];
    g->widest = fmax(g->widest, most[3 + c] + most[c]);
  }
  if (!(g->widest > 0)) g->widest = 1; // any
  g->bits = ilogb(CELLS_PER_RANK * (double)g->size) / 2;
  for (PetscInt i = 0; i < n; i++) {
    const box b = sweep(way + i);
    g->used |= 1u << level_of(g, &b);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &g->used, 1, MPI_UNSIGNED, MPI_BOR, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int64_t cell_number(const grid *g, int level, int c, double x)
{
  const double last = (double)((1 << GRID_BITS) - 1), side = ldexp(g->widest, level - g->bits);
  return (int64_t)fmax(0, fmin(last, floor((x - g->low[c]) / side)));
}

static PetscInt cell_rank(const grid *g, int level, const int64_t at[3])
{
  uint64_t key = (uint64_t)level;
  for (int c = 0; c < 3; c++) key = key << GRID_BITS | (uint64_t)at[c];
  return (PetscInt)(wring_mix(key) % (uint64_t)g->size);
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

/* A row for each rank with a cell of s on this level, but none for those that have one since letter `first`. */
static void add_seen(const grid *g, const wring_seen *s, const box *b, int level, PetscInt first, letters *l)
{
  int64_t low[3], high[3], at[3];
  for (int c = 0; c < 3; c++)
    low[c] = cell_number(g, level, c, b->low[c]), high[c] = cell_number(g, level, c, b->high[c]);
  for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
        const PetscInt to    = cell_rank(g, level, at);
        PetscBool      known = PETSC_FALSE;
        for (PetscInt k = first; k < l->n; k++) known = (PetscBool)(known || l->to[k] == to);
        wring_seen *const row = known ? NULL : add_letter(l, sizeof *s, to);
        if (row) *row = *s;
      }
}

/* Sends each simplex once to every rank with a cell of it. */
static PetscErrorCode send_seen(const grid *g, PetscInt n, const wring_seen *seen, const wring_way_box *way,
                                PetscInt *n_got, wring_seen **got)
{
  letters l = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt first = l.n;
    const box      b     = sweep(way + i);
    for (int level = level_of(g, &b); level <= g->bits; level++)
      if (g->used >> level & 1) add_seen(g, seen + i, &b, level, first, &l);
  }
  PetscCall(send_letters(g->comm, 1, &l, sizeof *seen, n_got, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs of a rank's cells ------------------------------------------------------------------------------------- */

typedef struct {
  const wring_seen *seen;    // [n] simplices with a cell on this rank
  wring_way_box    *way;     // [n]
  wring_way_tree    tree[4]; // by the number of corners
} places;

static PetscErrorCode make_trees(const grid *g, PetscInt n, places *p)
{
  PetscInt *item;

  PetscFunctionBegin;
  for (int corners = 1; corners < 4; corners++) {
    PetscInt  n_item = 0;
    PetscBool wanted = PETSC_FALSE;
    for (int k = 0; k < 3; k++)
      wanted = (PetscBool)(wanted || g->how->wanted[corners - 1][k] || g->how->wanted[k][corners - 1]);
    if (!wanted) continue;
    PetscCall(PetscMalloc1((size_t)n, &item));
    for (PetscInt i = 0; i < n; i++)
      if (p->seen[i].corners == corners) item[n_item++] = i;
    PetscCall(wring_way_tree_create(n_item, item, p->way, g->low, g->widest, p->tree + corners));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether this rank has the cell of a pair: the one on the coarser level with the low corner of the common part. */
static PetscBool is_ours(const grid *g, const wring_way_box *way_a, const wring_way_box *way_b)
{
  if (g->size == 1) return PETSC_TRUE;
  const box a = sweep(way_a), b = sweep(way_b);
  const int level = PetscMax(level_of(g, &a), level_of(g, &b));
  int64_t   at[3];
  for (int c = 0; c < 3; c++) at[c] = cell_number(g, level, c, PetscMax(a.low[c], b.low[c]));
  return (PetscBool)(cell_rank(g, level, at) == g->rank);
}

static PetscBool is_first(const wring_seen *a, const wring_seen *b)
{
  if (a->corners != b->corners) return (PetscBool)(a->corners < b->corners);
  for (int k = 0; k < 3; k++)
    if (a->original[k] != b->original[k]) return (PetscBool)(a->original[k] < b->original[k]);
  return PETSC_FALSE;
}

/* Two simplices whose boxes meet on their ways. */
static void offer(const grid *g, const places *p, PetscInt i, PetscInt j, letters *l)
{
  const wring_seen *a = p->seen + i, *b = p->seen + j;
  if (!is_ours(g, p->way + i, p->way + j)) return;
  if (!is_first(a, b)) {
    const wring_seen *const other = a;
    a = b, b = other;
  }
  void *const row = add_letter(l, g->how->size, 0);
  if (row && !g->how->keep(g->how->context, a, b, row, l->to + l->n - 1)) l->n--;
}

/* Pairs of the items of a leaf with those of another one, of one leaf with later ones. */
static void search_leaves(const grid *g, const places *p, const wring_way_tree *first, PetscInt one,
                          const wring_way_tree *second, PetscInt other, letters *l)
{
  const PetscInt end = PetscMin(WRING_WAY_LEAF * (one + 1), first->n);
  for (PetscInt k = WRING_WAY_LEAF * one; k < end; k++) {
    unsigned meets = wring_way_leaf_meets(second->leaf + other, p->way + first->item[k]);
    if (first == second && one == other) meets &= ~0u << (k % WRING_WAY_LEAF + 1);
    for (PetscInt m = WRING_WAY_LEAF * other; meets; m++, meets >>= 1)
      if (meets & 1) offer(g, p, first->item[k], second->item[m], l);
  }
  l->compared += WRING_WAY_LEAF * (end - WRING_WAY_LEAF * one);
}

/* Pairs of the strip's part of the first tree with the second one, of one tree with later items. */
static void search_strip(const grid *g, const places *p, const wring_way_tree *first, const wring_way_tree *second,
                         int strip, letters *l)
{
  const PetscInt end = (PetscInt)((int64_t)first->n_leaf * (strip + 1) / STRIPS);
  for (PetscInt i = (PetscInt)((int64_t)first->n_leaf * strip / STRIPS); i < end && !l->failed; i++) {
    const wring_way_box around = wring_way_leaf_box(first->leaf + i);
    wring_way_walk      path   = {.from = first == second ? i : 0};
    for (PetscInt j; (j = wring_way_walk_next(second, &around, &path)) >= 0;)
      search_leaves(g, p, first, i, second, j, l);
    l->compared += path.compared;
  }
}

static PetscErrorCode search(const grid *g, PetscInt n, const wring_seen *seen, PetscInt *n_found, void *found,
                             PetscInt64 *compared)
{
  letters l[STRIPS] = {{0}};
  places  p         = {.seen = seen};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &p.way));
  for (PetscInt i = 0; i < n; i++) find_way_box(g, seen + i, p.way + i);
  PetscCall(make_trees(g, n, &p));
#pragma omp parallel for schedule(dynamic) if (n > SERIAL_BELOW)
  for (int s = 0; s < STRIPS; s++) {
    letters own = {0}; // not in a cache line with those of other threads
    for (int k = 0; k < 9; k++)
      if (g->how->wanted[k / 3][k % 3]) search_strip(g, &p, p.tree + k / 3 + 1, p.tree + k % 3 + 1, s, &own);
    l[s] = own;
  }
  for (int s = 0; s < STRIPS && compared; s++) *compared += l[s].compared;
  for (int corners = 1; corners < 4; corners++) PetscCall(wring_way_tree_destroy(p.tree + corners));
  PetscCall(PetscFree(p.way));
  PetscCall(send_letters(g->comm, STRIPS, l, g->how->size, n_found, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_broad_find(const wring_mesh *m, const wring_skin *skin, PetscInt n, const wring_simplex *simplex,
                                const double *x, const double *d, const wring_broad *how, PetscInt *n_found,
                                void *found, PetscInt64 *compared)
{
  grid           g = {.comm = m->comm, .rank = wring_comm_rank(m->comm), .size = wring_comm_size(m->comm), .how = how};
  wring_seen    *seen, *got;
  wring_way_box *way;
  PetscInt       n_got;

  PetscFunctionBegin;
  wring_count(how->phases, WRING_WORK_CONTACT_SEARCHES, 1);
  wring_count(how->phases, WRING_WORK_CONTACT_EXCHANGES, 2);
  wring_count(how->phases, WRING_WORK_CONTACT_REDUCTIONS, 3);
  if (compared) *compared = 0;
  PetscCall(find_drift(&g, n, simplex, d));
  PetscCall(PetscMalloc1((size_t)n, &seen));
  PetscCall(PetscMalloc1((size_t)n, &way));
  see(&g, m, skin, n, simplex, x, d, &n, seen, way);
  PetscCall(make_grid(&g, n, way));
  got = seen, n_got = n; // a single rank has all cells
  if (g.size > 1) {
    PetscCall(send_seen(&g, n, seen, way, &n_got, &got));
    PetscCall(PetscFree(seen));
  }
  PetscCall(PetscFree(way));
  PetscCall(search(&g, n_got, got, n_found, found, compared));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}
