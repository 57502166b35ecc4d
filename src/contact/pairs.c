/* Selects the pairs that touch from those that are near. */
#include "pairs.h"
#include "base/grow.h"
#include "base/sort.h"
#include "base/vector3.h"
#include "triangle.h"
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

/* Directions less than 45 degrees apart are one contact. */
static const double same_direction = 0.70710678118654752;
/* Of an edge with faces that turn by less than 30 degrees there. */
static const double flat = 0.965926;
/* The number of updates of a solve after which pairs are kept. */
enum { LAST_UPDATE = 10 };
// near pairs of a batch; vertices, or near pairs, that one thread processes sooner than others wake
enum { BATCH = 8192, SERIAL_BELOW = 1024 };
/* Barycentric weight by which a vertex may be beside the triangle that it touched before. */
static const double slack = 0.1;

/* The largest distance of a vertex from a triangle that it touches. */
static double reach(const wring_pairs *p)
{
  return PetscMax(p->thickness, p->depth);
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

/*
  Half the mean edge of the surface at rest, arithmetic for the depth if it is 0, and geometric for the margin, which a
  few large triangles of another body do not increase.
*/
static PetscErrorCode choose_lengths(wring_pairs *p)
{
  const wring_mesh *m      = p->mesh;
  double            sum[3] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * p->skin->n; i++) {
    const PetscInt a = p->skin->corner[i], b = p->skin->corner[i - i % 3 + (i + 1) % 3];
    const double   length = wring_distance3(m->X + 3 * a, m->X + 3 * b);
    sum[0] += length;
    sum[1] += log(PetscMax(length, DBL_MIN));
    sum[2] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, m->comm));
  if (p->depth <= 0) p->depth = sum[2] > 0 ? 0.5 * sum[0] / sum[2] : 1;
  p->margin = sum[2] > 0 ? 0.5 * exp(sum[1] / sum[2]) : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of flat or smooth faces meet others at their vertices. */
static PetscErrorCode list_edges(wring_pairs *p)
{
  const wring_extra_sides none = {.n_triangle = 0};
  PetscInt                n;

  PetscFunctionBegin;
  PetscCall(wring_simplices_find(p->mesh, p->skin, &none, &n, &p->edge));
  for (PetscInt i = 0; i < n; i++)
    if (p->edge[i].corners == 2 && wring_dot3(p->edge[i].normal, p->edge[i].normal) < PetscSqr(2 * flat))
      p->edge[p->n_edge++] = p->edge[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const wring_mesh *m, wring_skin *skin, double thickness, double depth, wring_pairs **p)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(p));
  **p = (wring_pairs){.mesh = m, .skin = skin, .thickness = thickness, .depth = depth};
  PetscCall(PetscCalloc2(3 * (size_t)skin->n_vertex, &(*p)->seen, 3 * (size_t)skin->n_vertex, &(*p)->rated));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pairs_create(const wring_mesh *m, double thickness, double depth, wring_pairs **p)
{
  wring_skin *skin;

  PetscFunctionBegin;
  PetscCall(wring_skin_create(m, &skin));
  PetscCall(create(m, skin, thickness, depth, p));
  PetscCall(list_edges(*p));
  PetscCall(choose_lengths(*p));
  (*p)->within = reach(*p);
  (*p)->behind = 2 * (*p)->depth;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget_search(wring_pairs *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->near));
  PetscCall(PetscFree(p->cross));
  PetscCall(PetscFree2(p->wait, p->run));
  PetscCall(PetscFree(p->place));
  PetscCall(PetscFree2(p->far_x, p->far_f));
  p->n_near = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pairs_destroy(wring_pairs **pairs)
{
  wring_pairs *p = *pairs;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->watch) p->watch->skin = NULL; // it is p's
  PetscCall(wring_pairs_destroy(&p->watch));
  PetscCall(forget_search(p));
  PetscCall(wring_corners_destroy(&p->far));
  PetscCall(PetscFree(p->edge));
  PetscCall(PetscFree(p->pair));
  PetscCall(PetscFree(p->old));
  PetscCall(PetscFree2(p->seen, p->rated));
  PetscCall(PetscFree(p->counted));
  if (p->skin) PetscCall(wring_skin_destroy(&p->skin));
  PetscCall(PetscFree(*pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- corners of other ranks -------------------------------------------------------------------------------------- */

/* Finds the far corners of near and of the current pairs, and their places. */
static PetscErrorCode build_far(wring_pairs *p)
{
  enum { MORE = WRING_EDGES_CORNERS - 1 };
  const PetscInt n_near = 3 * p->n_near, n_both = n_near + MORE * p->n_cross, n = n_both + 3 * p->n_pair;
  PetscSFNode   *home;
  PetscInt      *place;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &home));
  PetscCall(PetscMalloc1((size_t)n, &place));
  for (PetscInt i = 0; i < n_near; i++) home[i] = p->near[i / 3].home[i % 3];
  for (PetscInt i = 0; i < n_both - n_near; i++) home[n_near + i] = p->cross[i / MORE].home[i % MORE];
  for (PetscInt i = 0; i < n - n_both; i++) home[n_both + i] = p->pair[i / 3].near.home[i % 3];
  PetscCall(wring_corners_build(p->mesh, n, home, place, &p->far));
  for (PetscInt i = 0; i < n - n_both; i++) p->pair[i / 3].place[i % 3] = place[n_both + i];
  PetscCall(PetscFree(home));
  p->place = place;
  PetscCall(PetscMalloc2(3 * (size_t)p->far.n, &p->far_x, 3 * (size_t)p->far.n, &p->far_f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pairs_fetch(wring_pairs *p, const double *x)
{
  PetscFunctionBegin;
  PetscCall(wring_corners_fetch(&p->far, p->mesh->forest.vector, x, p->far_x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs that may touch ---------------------------------------------------------------------------------------- */

/* The largest motion of a vertex of this rank since positions `from`; infinite if one is not finite. */
static double largest_motion(const wring_pairs *p, const double *from, const double *x)
{
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (p->skin->n_vertex > SERIAL_BELOW)
  for (PetscInt i = 0; i < p->skin->n_vertex; i++) {
    double squared = 0;
    for (int c = 0; c < 3; c++) squared += PetscSqr(x[3 * p->skin->vertex[i] + c] - from[3 * i + c]);
    largest = PetscMax(largest, isnan(squared) ? INFINITY : squared);
  }
  return sqrt(largest);
}

static void keep_positions(const wring_pairs *p, const double *x, double *to)
{
  for (PetscInt i = 0; i < p->skin->n_vertex; i++)
    for (int c = 0; c < 3; c++) to[3 * i + c] = x[3 * p->skin->vertex[i] + c];
}

/*
  Sets the drift. A search is due if there was none, or if a vertex has moved by more than half the margin or is not
  finite.
*/
static PetscErrorCode is_due(wring_pairs *p, const double *x, PetscBool *due)
{
  double moved[2] = {INFINITY, INFINITY};

  PetscFunctionBegin;
  if (p->searches > 0) {
    moved[0] = largest_motion(p, p->seen, x);
    moved[1] = largest_motion(p, p->rated, x);
  }
  wring_count(p->far.phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, moved, 2, MPI_DOUBLE, MPI_MAX, p->mesh->comm));
  *due     = (PetscBool)(moved[0] > p->margin / 2);
  p->drift = moved[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the runs of near pairs with the same vertex. */
static PetscErrorCode find_runs(wring_pairs *p)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)p->n_near, &p->wait, (size_t)p->n_near + 1, &p->run));
  p->n_run = p->longest = 0;
  for (PetscInt i = 0; i < p->n_near; i++)
    if (i == 0 || p->near[i].vertex != p->near[i - 1].vertex) p->run[p->n_run++] = i;
  p->run[p->n_run] = p->n_near;
  for (PetscInt r = 0; r < p->n_run; r++) p->longest = PetscMax(p->longest, p->run[r + 1] - p->run[r]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode search(wring_pairs *p, const double *x)
{
  const wring_near_range range = {
    .reach = p->within + p->margin, .front = p->thickness, .behind = p->behind, .phases = p->far.phases};

  PetscFunctionBegin;
  PetscCall(forget_search(p));
  PetscCall(wring_near_find(p->mesh, p->skin, x, &range, &p->n_near, &p->near, NULL));
  PetscCall(find_runs(p));
  if (!isinf(p->behind)) // the watch needs none
    PetscCall(wring_near_find_edges(p->mesh, p->skin, p->n_edge, p->edge, x, &range, &p->n_cross, &p->cross));
  PetscCall(build_far(p));
  keep_positions(p, x, p->seen);
  p->drift = INFINITY;
  p->searches++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs that touch -------------------------------------------------------------------------------------------- */

/* A pair of one vertex. */
typedef struct {
  wring_touch u;
  PetscInt    near;    // its index
  PetscInt    body;    // of the triangle
  PetscBool   wanted;  // may be chosen
  PetscBool   settled; // its body has been processed
  PetscBool   kept;    // wanted once all bodies have been processed
  PetscBool   held;    // the vertex touched it before
} candidate;

static void gather_corners(const wring_pairs *p, const double *x, PetscInt near, double t[9])
{
  for (int a = 0; a < 9; a++) t[a] = wring_corners_at(&p->far, p->place[3 * near + a / 3], x, p->far_x)[a % 3];
}

/* The first of n pairs whose vertex is not below v. */
static PetscInt first_pair(PetscInt n, const wring_pair *pair, PetscInt v)
{
  PetscInt low = 0, high = n;
  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (pair[middle].near.vertex < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* True if the triangle of a near pair is among the old pairs of its vertex, the first of which is `old`. */
static PetscBool is_old(const wring_pairs *p, const wring_near *near, PetscInt old)
{
  const PetscInt *const a = near->original;
  for (; old < p->n_old && p->old[old].near.vertex == near->vertex; old++) {
    const PetscInt *const b = p->old[old].near.original;
    if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  The candidates of run r that are not farther than `within`: all of them, or those that matter, up to `within` the
  reach, whose wait has ended or that touched before.
*/
static PetscInt gather(const wring_pairs *p, const double *x, PetscInt r, double within, PetscBool all, candidate *c)
{
  const PetscInt old = first_pair(p->n_old, p->old, p->near[p->run[r]].vertex);
  PetscInt       n   = 0;
  for (PetscInt i = p->run[r]; i < p->run[r + 1]; i++) {
    double          t[9];
    const PetscBool held = is_old(p, &p->near[i], old);
    if (!all && !held && p->wait[i] > p->drift) continue;
    gather_corners(p, x, i, t);
    if (!wring_touch_triangle(x + 3 * p->near[i].vertex, t, &c[n].u) || c[n].u.distance > within) continue;
    c[n].near    = i;
    c[n].body    = p->near[i].body;
    c[n].settled = PETSC_FALSE;
    c[n].held    = held;
    n++;
  }
  return n;
}

/* ---- pairs that need not be looked at ---------------------------------------------------------------------------- */

/* Of a near pair: a corner's largest distance from another along an axis; distance, NAN if the triangle has none. */
static double rate_pair(const wring_pairs *p, const double *x, PetscInt i, double *distance)
{
  double      t[9], longest = 0;
  wring_touch u;
  gather_corners(p, x, i, t);
  for (int a = 3; a < 9; a++) longest = PetscMax(longest, fabs(t[a] - t[a % 3]));
  *distance = wring_touch_triangle(x + 3 * p->near[i].vertex, t, &u) ? u.distance : NAN;
  return longest;
}

/*
  The waits of a run, docs/theory.md (9.12): d [n] distances, l [n] lengths of the triangles, -1 once it is processed.
*/
static void rate_run(const wring_pairs *p, PetscInt n, const wring_near *near, const double *d, double *l, double *wait)
{
  for (PetscInt first = 0; first < n; first++) {
    double least = INFINITY, longest = 0;
    if (l[first] < 0) continue;
    const PetscInt body = near[first].body;
    for (PetscInt i = first; i < n; i++) {
      if (near[i].body != body) continue;
      least   = fmin(least, d[i]);
      longest = fmax(longest, l[i]);
    }
    const double spare = 4e-6 * (longest + p->margin); // of ties and small distances, and rounding
    for (PetscInt i = first; i < n; i++) {
      if (near[i].body != body) continue;
      const double chosen = fmin((d[i] - least) / 4, (d[i] - p->thickness) / 2);
      wait[i]             = isnan(d[i]) ? -INFINITY : fmax(chosen, (d[i] - reach(p)) / 2) - spare;
      l[i]                = -1;
    }
  }
}

/* Rates the near pairs at x if they have drifted too far; far_x is that of x. */
static PetscErrorCode rate(wring_pairs *p, const double *x)
{
  double *d, *l;

  PetscFunctionBegin;
  if (p->drift <= p->margin / 8) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2((size_t)p->n_near, &d, (size_t)p->n_near, &l));
#pragma omp parallel for schedule(dynamic, 16) if (p->n_near > SERIAL_BELOW)
  for (PetscInt r = 0; r < p->n_run; r++) {
    const PetscInt begin = p->run[r], end = p->run[r + 1];
    for (PetscInt i = begin; i < end; i++) l[i] = rate_pair(p, x, i, &d[i]);
    rate_run(p, end - begin, p->near + begin, d + begin, l + begin, p->wait + begin);
  }
  PetscCall(PetscFree2(d, l));
  keep_positions(p, x, p->rated);
  p->drift = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- choosing the pairs of a vertex ------------------------------------------------------------------------------ */

/* True if the direction of the candidate allows contact: of another body, or sufficiently aligned. */
static PetscBool is_straight(const wring_pairs *p, const candidate *c)
{
  const PetscBool own = (PetscBool)(c->body == p->skin->body[p->near[c->near].vertex]);
  return (PetscBool)(!own || c->u.alignment >= WRING_LEAST_ALIGNMENT);
}

/*
  The nearest wanted candidate; ties are broken by the largest alignment, then by order. Values equal within a tolerance
  tie, so that the result is the same for any partition. -1: none.
*/
static PetscInt pick(PetscInt n, const candidate *c)
{
  double   distance = INFINITY, alignment = -1;
  PetscInt best = -1;
  for (PetscInt i = 0; i < n; i++)
    if (c[i].wanted) distance = PetscMin(distance, c[i].u.distance + 1e-7 * c[i].u.size);
  for (PetscInt i = 0; i < n; i++)
    if (c[i].wanted && c[i].u.distance <= distance) alignment = PetscMax(alignment, c[i].u.alignment - 1e-6);
  for (PetscInt i = 0; i < n && best < 0; i++)
    if (c[i].wanted && c[i].u.distance <= distance && c[i].u.alignment >= alignment) best = i;
  return best;
}

/* Pairs of one vertex, with room for as many as it has candidates. */
typedef struct {
  PetscInt    n;
  wring_pair *pair;
} touches;

static void add_pair(const wring_pairs *p, PetscInt near, const wring_touch *u, touches *found)
{
  wring_pair *pair = &found->pair[found->n++];
  pair->near       = p->near[near];
  pair->edges      = PETSC_FALSE;
  pair->c          = 1;
  pair->d          = u->d;
  for (int a = 0; a < 3; a++) {
    pair->place[a] = p->place[3 * near + a];
    pair->w[a]     = u->w[a];
    pair->n[a]     = u->n[a];
  }
}

/*
  Takes candidate `best`, or the triangle of its body that the vertex touched before, if that faces the same way and the
  vertex is above it or nearly so: otherwise two triangles at an edge could alternate forever.
*/
static void accept(const wring_pairs *p, const double *x, PetscInt n, const candidate *c, PetscInt best, touches *found)
{
  wring_touch u;
  double      t[9];
  for (PetscInt i = 0; i < n && !c[best].held; i++) {
    if (!c[i].held || c[i].body != c[best].body || wring_dot3(c[i].u.facet, c[best].u.facet) <= same_direction)
      continue;
    gather_corners(p, x, c[i].near, t);
    if (!wring_touch_plane(x + 3 * p->near[c[i].near].vertex, t, slack, &u)) continue;
    if (u.d < -p->depth || u.d >= p->thickness) continue;
    add_pair(p, c[i].near, &u, found);
    return;
  }
  add_pair(p, c[best].near, &c[best].u, found);
}

/*
  Processes the body of candidate `first`: the nearest triangle decides whether the vertex is inside. If it is, *inside
  is that triangle; otherwise *inside is -1, and triangles nearer than thickness with the vertex in front of them are
  wanted.
*/
static void settle_body(const wring_pairs *p, PetscInt n, candidate *c, PetscInt first, PetscInt *inside)
{
  for (PetscInt i = 0; i < n; i++) c[i].wanted = (PetscBool)(c[i].body == c[first].body);
  const PetscInt nearest = pick(n, c);
  *inside                = c[nearest].u.side < 0 ? nearest : -1;
  for (PetscInt i = 0; i < n; i++) {
    if (c[i].body != c[first].body) continue;
    c[i].settled = PETSC_TRUE;
    c[i].wanted  = (PetscBool)(*inside < 0 && c[i].u.side >= 0 && c[i].u.d < p->thickness && is_straight(p, c + i));
  }
}

/* Takes the wanted candidates, nearest first; each one taken excludes others in its direction. */
static void take_wanted(const wring_pairs *p, const double *x, PetscInt n, candidate *c, touches *found)
{
  for (PetscInt best = pick(n, c); best >= 0; best = pick(n, c)) {
    accept(p, x, n, c, best, found);
    const wring_touch *u = &c[best].u;
    for (PetscInt i = 0; i < n; i++)
      if (wring_dot3(u->facet, c[i].u.facet) > same_direction || wring_dot3(u->n, c[i].u.n) > same_direction)
        c[i].wanted = PETSC_FALSE;
  }
}

/* The unsettled candidate of the lowest body, so that the order of pairs depends on the pairs alone; -1: none. */
static PetscInt next_body(PetscInt n, const candidate *c)
{
  PetscInt first = -1;
  for (PetscInt i = 0; i < n; i++)
    if (!c[i].settled && (first < 0 || c[i].body < c[first].body)) first = i;
  return first;
}

/* Finds the pairs of one vertex. */
static void touch_vertex(const wring_pairs *p, const double *x, PetscInt n, candidate *c, touches *found)
{
  PetscInt inside;
  for (PetscInt i = 0; i < n; i++) c[i].kept = PETSC_FALSE;
  for (PetscInt first = next_body(n, c); first >= 0; first = next_body(n, c)) {
    settle_body(p, n, c, first, &inside);
    if (inside >= 0 && is_straight(p, c + inside) && c[inside].u.distance <= p->depth)
      accept(p, x, n, c, inside, found);
    for (PetscInt i = 0; i < n; i++)
      if (c[i].body == c[first].body) c[i].kept = c[i].wanted;
  }
  for (PetscInt i = 0; i < n; i++) c[i].wanted = c[i].kept;
  take_wanted(p, x, n, c, found);
}

/* Searches if it is due, and updates far_x to x. */
static PetscErrorCode prepare(wring_pairs *p, const double *x)
{
  PetscBool due;

  PetscFunctionBegin;
  PetscCall(is_due(p, x, &due));
  if (due) PetscCall(search(p, x));
  PetscCall(wring_pairs_fetch(p, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Work space of find: threads have parts of it. */
typedef struct {
  candidate  *candidate;    // [threads][longest]
  wring_pair *pair;         // [BATCH or longest] in the places of the near pairs of the batch
  PetscInt    count[BATCH]; // pairs of each run of the batch
} batch;

/* Appends the pairs of runs [first, last), each found in the place of its first near pair. */
static PetscErrorCode touch_runs(wring_pairs *p, const double *x, PetscInt first, PetscInt last, batch *b)
{
  const PetscInt begin = p->run[first];
  PetscInt       n     = p->n_pair;

  PetscFunctionBegin;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : n) if (p->run[last] - begin > SERIAL_BELOW)
  for (PetscInt r = first; r < last; r++) {
    touches          found = {.pair = b->pair + p->run[r] - begin};
    candidate *const c     = b->candidate + (size_t)omp_get_thread_num() * (size_t)p->longest;
    touch_vertex(p, x, gather(p, x, r, reach(p), PETSC_FALSE, c), c, &found);
    n += b->count[r - first] = found.n;
  }
  PetscCall(wring_grow(n, &p->room, sizeof *p->pair, &p->pair));
  for (PetscInt r = first; r < last; p->n_pair += b->count[r++ - first])
    PetscCall(PetscArraycpy(p->pair + p->n_pair, b->pair + p->run[r] - begin, b->count[r - first]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the pairs that touch at x, for which p is prepared. */
static PetscErrorCode find(wring_pairs *p, const double *x)
{
  batch   *b;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(rate(p, x));
  PetscCall(PetscNew(&b));
  PetscCall(PetscMalloc2((size_t)wring_max_threads() * (size_t)p->longest, &b->candidate,
                         (size_t)PetscMax(BATCH, p->longest), &b->pair));
  for (PetscInt first = 0, last; first < p->n_run; first = last) {
    last = first + 1;
    while (last < p->n_run && p->run[last + 1] - p->run[first] <= BATCH) last++;
    PetscCall(touch_runs(p, x, first, last, b));
  }
  PetscCall(PetscFree2(b->candidate, b->pair));
  PetscCall(PetscFree(b));
  PetscCall(wring_grow((PetscInt64)p->n_pair + p->n_cross, &p->room, sizeof *p->pair, &p->pair));
  PetscCall(wring_pairs_find_edges(p, x, &n, p->pair + p->n_pair));
  p->n_pair += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* old: a copy of the pairs, with d at x. */
static PetscErrorCode copy_pairs(wring_pairs *p, const double *x)
{
  PetscFunctionBegin;
  PetscCall(wring_pairs_fetch(p, x));
  for (PetscInt i = 0; i < p->n_pair; i++) p->pair[i].d = wring_pair_distance(p, p->pair + i, x);
  PetscCall(wring_grow(p->n_pair, &p->old_room, sizeof *p->old, &p->old));
  PetscCall(PetscArraycpy(p->old, p->pair, p->n_pair));
  p->n_old = p->n_pair;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* True if one of the first n pairs has the vertex of this pair and about its direction, or its edges. */
static PetscBool is_known(const wring_pairs *p, PetscInt n, const wring_pair *pair)
{
  for (PetscInt i = first_pair(n, p->pair, pair->near.vertex); i < n && p->pair[i].near.vertex == pair->near.vertex;
       i++)
    if (pair->edges ? !memcmp(p->pair[i].near.original, pair->near.original, sizeof pair->near.original)
                    : !p->pair[i].edges && wring_dot3(p->pair[i].n, pair->n) > same_direction)
      return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Keeps the pairs and adds those in other directions. */
static PetscErrorCode add_others(wring_pairs *p, const double *x)
{
  const PetscInt n    = p->n_pair;
  PetscInt       kept = n;

  PetscFunctionBegin;
  PetscCall(prepare(p, x));
  PetscCall(find(p, x));
  for (PetscInt i = n; i < p->n_pair; i++)
    if (!is_known(p, n, p->pair + i)) p->pair[kept++] = p->pair[i];
  p->n_pair = kept;
  if (kept > n) PetscCall(wring_sort_rows(kept, 4, sizeof *p->pair, p->pair, NULL)); // by vertex and triangle
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pairs_update(wring_pairs *p, const double *x, PetscBool first)
{
  PetscFunctionBegin;
  PetscCall(copy_pairs(p, x));
  p->updates = first ? 1 : p->updates + 1;
  if (first) p->n_old = 0;
  if (p->updates <= LAST_UPDATE) p->n_pair = 0;
  PetscCall(add_others(p, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pairs_append(wring_pairs *p, const double *x)
{
  PetscFunctionBegin;
  p->n_old = 0;
  PetscCall(prepare(p, x));
  PetscCall(find(p, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_pair_distance(const wring_pairs *p, const wring_pair *pair, const double *x)
{
  const double *at = x + 3 * pair->near.vertex;
  double        d  = 0;
  for (int c = 0; c < 3; c++) {
    double z = pair->c * at[c];
    for (int a = 0; a < 3; a++) z -= pair->w[a] * wring_corners_at(&p->far, pair->place[a], x, p->far_x)[c];
    d += pair->n[c] * z;
  }
  return d;
}

/* ---- vertices too deep inside ------------------------------------------------------------------------------------ */

/* True if the vertex is deeper than depth inside a body; of its own body, straight below a triangle. */
static PetscBool is_lost(const wring_pairs *p, PetscInt n, candidate *c)
{
  PetscInt inside;
  for (PetscInt first = 0; first < n; first++) {
    if (c[first].settled) continue;
    settle_body(p, n, c, first, &inside);
    if (inside >= 0 && c[inside].u.distance > p->depth && is_straight(p, c + inside)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  The watch of p. A margin of twice the depth balances the number of its searches and of its pairs; it needs no pair of
  one body whose vertex was behind the triangle at rest.
*/
static PetscErrorCode make_watch(wring_pairs *p)
{
  PetscFunctionBegin;
  PetscCall(create(p->mesh, p->skin, p->thickness, p->depth, &p->watch));
  p->watch->margin     = 2 * p->depth;
  p->watch->within     = PetscMax(p->thickness, 4 * p->depth);
  p->watch->behind     = INFINITY;
  p->watch->far.phases = p->far.phases;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts the lost vertices among those with near pairs; triangles farther than `within` are ignored. */
static PetscErrorCode count_near_lost(const wring_pairs *p, const double *x, double within, PetscInt64 *lost)
{
  const size_t threads = (size_t)wring_max_threads();
  candidate   *c;
  PetscInt64   sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(threads * (size_t)p->longest, &c));
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum) if (p->n_near > SERIAL_BELOW)
  for (PetscInt r = 0; r < p->n_run; r++) {
    candidate *const own = c + (size_t)omp_get_thread_num() * (size_t)p->longest;
    sum += is_lost(p, gather(p, x, r, within, PETSC_TRUE, own), own);
  }
  *lost = sum;
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pairs_count_lost(wring_pairs *p, const double *x, PetscInt64 *lost)
{
  const PetscBool jumped = (PetscBool)(!p->counted || !(largest_motion(p, p->counted, x) <= p->depth));
  PetscInt64      seen;

  PetscFunctionBegin;
  if (!p->counted) PetscCall(PetscMalloc1(3 * (size_t)p->skin->n_vertex + 1, &p->counted));
  keep_positions(p, x, p->counted);
  PetscCall(wring_pairs_fetch(p, x));
  PetscCall(count_near_lost(p, x, p->within + p->margin, &seen));
  PetscInt suspect = jumped || seen > 0 || p->lost > 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &suspect, 1, MPIU_INT, MPI_MAX, p->mesh->comm));
  *lost = p->lost = 0;
  if (!suspect) PetscFunctionReturn(PETSC_SUCCESS);
  if (!p->watch) PetscCall(make_watch(p));
  PetscCall(prepare(p->watch, x));
  PetscCall(count_near_lost(p->watch, x, p->watch->within, &p->lost));
  *lost = p->lost;
  PetscFunctionReturn(PETSC_SUCCESS);
}
