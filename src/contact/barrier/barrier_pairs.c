/* Searches for pairs, and when they are due. */
#include "barrier_pairs.h"
#include "barrier.h"
#include "base/sort.h"
#include "base/vector3.h"
#include "contact/search/broad.h"
#include <math.h>

enum { SERIAL_BELOW = 1024 };
static const double margin_of_edge = 0.25;
static const double farthest       = 8; // mean edges that a vertex moves on one way

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode measure_edges(wring_barrier_pairs *p)
{
  double sum[3] = {0}, least = INFINITY;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->n_simplex; i++) {
    const PetscInt *const v = p->simplex[i].vertex;
    sum[2] += p->simplex[i].bare;
    if (p->simplex[i].corners != 2) continue;
    const double length = wring_distance3(p->mesh->X + 3 * (size_t)v[0], p->mesh->X + 3 * (size_t)v[1]);
    least               = fmin(least, length);
    sum[0] += length;
    sum[1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, p->mesh->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, p->mesh->comm));
  p->edge[0] = isfinite(least) ? least : 0;
  p->edge[1] = sum[1] > 0 ? sum[0] / sum[1] : 0;
  p->bare    = (PetscBool)(sum[2] > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_barrier_pairs_create(const wring_mesh *m, const wring_extra_sides *extra,
                                          wring_barrier_pairs **out)
{
  wring_barrier_pairs *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  *out    = p;
  p->mesh = m;
  p->self = PETSC_TRUE;
  PetscCall(wring_skin_create(m, &p->skin));
  PetscCall(wring_simplices_find(m, p->skin, extra, &p->n_simplex, &p->simplex));
  PetscCall(PetscMalloc1((size_t)m->n_owned, &p->vertex));
  for (PetscInt i = 0; i < p->n_simplex; i++)
    if (p->simplex[i].corners == 1) p->vertex[p->n_vertex++] = p->simplex[i].vertex[0];
  PetscCall(PetscCalloc2(3 * (size_t)p->n_vertex, &p->seen, 3 * (size_t)p->n_vertex, &p->sweep));
  PetscCall(measure_edges(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(wring_barrier_pairs *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->pair));
  PetscCall(PetscFree(p->place));
  PetscCall(PetscFree3(p->far_x, p->far_d, p->far_f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_barrier_pairs_destroy(wring_barrier_pairs **out)
{
  wring_barrier_pairs *const p = *out;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(forget(p));
  PetscCall(wring_obstacles_destroy(&p->obstacles));
  PetscCall(wring_corners_destroy(&p->corners));
  PetscCall(wring_skin_destroy(&p->skin));
  PetscCall(PetscFree(p->simplex));
  PetscCall(PetscFree(p->vertex));
  PetscCall(PetscFree2(p->seen, p->sweep));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_barrier_pairs_set_gap(wring_barrier_pairs *p, double gap)
{
  p->gap    = gap;
  p->margin = fmax(2 * gap, margin_of_edge * p->edge[1]);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

typedef struct {
  double gap, reach; // m
} nearness;

static wring_pair_kind kind_of(const wring_seen *a, const wring_seen *b)
{
  if (a->corners == 2) return WRING_PAIR_EDGE_EDGE;
  return b->corners == 1 ? WRING_PAIR_POINT_POINT : b->corners == 2 ? WRING_PAIR_POINT_EDGE : WRING_PAIR_POINT_TRIANGLE;
}

/* Of a simplex X [corners][3]; what is bare counts as if it were as wide as the gap. */
static double area_of(int corners, double area, const double *X, double gap)
{
  double e[3];
  if (area > 0) return area;
  if (corners == 1) return gap * gap;
  wring_subtract3(X, X + 3, e);
  return gap * sqrt(wring_dot3(e, e));
}

/* (9.20): half the area of the point of a triangle, a quarter of both areas of others; bare: that of the partner. */
static double weight_of(const wring_seen *a, const wring_seen *b, double gap)
{
  const double area_a = area_of(a->corners, PetscMax(a->area, a->bare ? b->area : 0), a->X, gap);
  const double area_b = area_of(b->corners, PetscMax(b->area, b->bare ? a->area : 0), b->X, gap);
  return b->corners == 3 ? area_a / 2 : (area_a + area_b) / 4;
}

static PetscBool have_common_corner(const wring_seen *a, const wring_seen *b)
{
  for (int i = 0; i < a->corners; i++)
    for (int j = 0; j < b->corners; j++)
      if (a->original[i] == b->original[j]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether planes normal to n show that a pair is farther apart than `reach` all the way from x to `end`. */
static PetscBool stays_apart(wring_pair_kind kind, const double *x, const double *end, const double n[3], double reach)
{
  return (PetscBool)(wring_pair_width(kind, x, n) > reach && wring_pair_width(kind, end, n) > reach);
}

enum { N = 3 * WRING_MOST_CORNERS, GUESSES = 4 };

/*
  Most parts that are not near are apart along one of these directions: guess 0 is the line between their centres, 1 the
  normal to both edges or to the triangle, 2 and 3 are that line less its part along one of two edges. n is a unit
  vector or 0.
*/
static void guess_direction(wring_pair_kind kind, const double x[N], int guess, double n[3])
{
  static const double part[WRING_N_PAIR][WRING_MOST_CORNERS] = {
    {1, -1}, {1, -1. / 2, -1. / 2}, {1, -1. / 3, -1. / 3, -1. / 3}, {1. / 2, 1. / 2, -1. / 2, -1. / 2}};
  wring_foot foot = {.distance2 = 0};
  double     e[2][3];
  for (int i = 0; i < N; i++) foot.r[i % 3] += part[kind][i / 3] * x[i];
  wring_subtract3(x + 9, x + 6, e[1]);
  wring_subtract3(x + 3, x + (kind == WRING_PAIR_EDGE_EDGE ? 0 : 6), e[0]);
  if (guess == 1) {
    wring_cross3(e[0], e[1], n);
    const double sign = wring_dot3(n, foot.r) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) foot.r[k] = sign * n[k];
  } else if (guess > 1) {
    const double *const along = e[guess - 2], share = wring_dot3(foot.r, along) / wring_dot3(along, along);
    for (int k = 0; k < 3; k++) foot.r[k] -= share * along[k];
  }
  foot.distance2 = wring_dot3(foot.r, foot.r);
  wring_foot_normal(&foot, n);
}

static PetscBool keep(const void *context, const wring_seen *a, const wring_seen *b, void *row, PetscInt *to)
{
  const nearness *const near = context;
  if (a->corners == 1 && b->corners < 3 && !(a->bare && b->bare)) return PETSC_FALSE; // triangles and edges do
  if (have_common_corner(a, b)) return PETSC_FALSE;
  const wring_pair_kind kind = kind_of(a, b);
  double                x[N] = {0}, X[N], end[N], n[3]; // set only here, as most pairs are dropped before
  wring_foot            foot;
  wring_join_seen(a, a->x, b, b->x, x);
  wring_join_seen(a, a->d, b, b->d, end);
  for (int i = 0; i < 3 * (a->corners + b->corners); i++) end[i] += x[i];
  for (int guess = 0; guess < (a->corners + b->corners < 4 ? 1 : GUESSES); guess++) {
    guess_direction(kind, x, guess, n);
    if (stays_apart(kind, x, end, n, near->reach)) return PETSC_FALSE;
  }
  wring_pair_closest(kind, x, &foot);
  const double distance = wring_foot_normal(&foot, n);
  if (stays_apart(kind, x, end, n, near->reach)) return PETSC_FALSE;
  wring_barrier_pair *const pair = row;
  *pair                          = (wring_barrier_pair){.kind     = kind,
                                                        .corners  = a->corners + b->corners,
                                                        .first    = a->corners,
                                                        .within   = (PetscBool)(a->body == b->body),
                                                        .feature  = -1,
                                                        .area     = weight_of(a, b, near->gap),
                                                        .distance = distance,
                                                        .n        = {n[0], n[1], n[2]}};
  wring_join_seen(a, a->X, b, b->X, X);
  if (kind == WRING_PAIR_EDGE_EDGE) pair->sine2 = wring_pair_sine2(X);
  for (int i = 0; i < WRING_MOST_CORNERS; i++) {
    const wring_seen *const of = i < a->corners ? a : b;
    const int               k  = i < a->corners ? i : i - a->corners;
    pair->original[i]          = k < of->corners ? of->original[k] : -1;
    pair->home[i]              = k < of->corners ? of->home[k] : (PetscSFNode){.rank = -1, .index = -1};
  }
  *to = a->home[0].rank;
  return PETSC_TRUE;
}

PetscErrorCode wring_barrier_pairs_find(const wring_barrier_pairs *p, const double *x, const double *d, double reach,
                                        PetscInt *n, wring_barrier_pair **pair)
{
  const nearness    near = {p->gap, reach};
  const wring_broad how  = {.reach   = reach,
                            .wanted  = {{p->bare, p->bare, PETSC_TRUE}, {[1] = PETSC_TRUE}},
                            .size    = sizeof **pair,
                            .context = &near,
                            .phases  = p->corners.phases,
                            .keep    = keep};

  PetscFunctionBegin;
  PetscCall(wring_broad_find(p->mesh, p->skin, p->n_simplex, p->simplex, x, d, &how, n, pair, NULL));
  PetscCall(wring_sort_rows(*n, WRING_MOST_CORNERS + 1, sizeof **pair, *pair, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the simplices that come as near to features of colliders on the way. */
static PetscErrorCode find_obstacles(wring_barrier_pairs *p, const double *x, const double *way)
{
  const wring_mesh *const m = p->mesh;
  wring_obstacle_hit     *hit;
  PetscInt                n;

  PetscFunctionBegin;
  PetscCall(wring_obstacles_find(p->obstacles, p->n_simplex, p->simplex, x, way, p->margin, &n, &hit));
  PetscCall(PetscRealloc(sizeof *p->pair * (size_t)(p->n + n + 1), &p->pair));
  for (PetscInt i = 0; i < n; i++) {
    const wring_simplex *const s   = p->simplex + hit[i].simplex;
    wring_barrier_pair         one = {.corners = s->corners, .first = s->corners, .feature = hit[i].feature};
    double                     X[9];
    wring_simplex_gather(s, m->X, X);
    one.area  = area_of(s->corners, s->area, X, p->gap);
    one.sine2 = wring_feature_sine2(p->obstacles->feature + one.feature, X);
    for (int a = 0; a < WRING_MOST_CORNERS; a++) {
      const PetscInt v = a < s->corners ? s->vertex[a % 3] : -1;
      one.original[a]  = v < 0 ? -1 : m->number.original[v];
      one.home[a]      = v < 0 ? (PetscSFNode){.rank = -1, .index = -1} : p->skin->home[v];
    }
    p->pair[p->n++] = one;
  }
  PetscCall(PetscFree(hit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Searches on the way from x to x + most d. */
static PetscErrorCode search(wring_barrier_pairs *p, const double *x, const double *d, double most)
{
  const size_t n_local = (size_t)p->mesh->n_local;
  double      *way     = NULL;
  PetscSFNode *home;

  PetscFunctionBegin;
  PetscCall(forget(p));
  if (d) PetscCall(PetscMalloc1(3 * n_local, &way));
  for (size_t i = 0; d && i < 3 * n_local; i++) way[i] = most * d[i];
  p->n = 0;
  if (p->self) PetscCall(wring_barrier_pairs_find(p, x, way, p->gap + p->margin, &p->n, &p->pair));
  if (p->obstacles) PetscCall(find_obstacles(p, x, way));
  for (PetscInt i = 0; i < 3 * p->n_vertex; i++) {
    const PetscInt at = 3 * p->vertex[i / 3] + i % 3;
    p->seen[i]        = x[at];
    p->sweep[i]       = way ? way[at] : 0;
  }
  p->searched = PETSC_TRUE;
  PetscCall(PetscFree(way));
  PetscCall(PetscMalloc1(WRING_MOST_CORNERS * (size_t)p->n, &p->place));
  PetscCall(PetscMalloc1(WRING_MOST_CORNERS * (size_t)p->n, &home));
  for (PetscInt i = 0; i < WRING_MOST_CORNERS * p->n; i++)
    home[i] = p->pair[i / WRING_MOST_CORNERS].home[i % WRING_MOST_CORNERS];
  PetscCall(wring_corners_build(p->mesh, WRING_MOST_CORNERS * p->n, home, p->place, &p->corners));
  PetscCall(PetscFree(home));
  const size_t n_far = 3 * (size_t)p->corners.n;
  PetscCall(PetscMalloc3(n_far, &p->far_x, n_far, &p->far_d, n_far, &p->far_f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- when it is due ---------------------------------------------------------------------------------------------- */

static double component(const double *x, const double *d, double t, PetscInt at)
{
  return x[at] + (d ? t * d[at] : 0);
}

/* The parameters t [2] of the points of the last way that are nearest to x and to x + most d. */
static PetscErrorCode project(const wring_barrier_pairs *p, const double *x, const double *d, double most, double t[2])
{
  double sum[3] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * p->n_vertex; i++) {
    const PetscInt at = 3 * p->vertex[i / 3] + i % 3;
    sum[0] += p->sweep[i] * p->sweep[i];
    sum[1] += p->sweep[i] * (x[at] - p->seen[i]);
    sum[2] += p->sweep[i] * (component(x, d, most, at) - p->seen[i]);
  }
  wring_count(p->corners.phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, p->mesh->comm));
  for (int k = 0; k < 2; k++) t[k] = sum[0] > 0 ? fmax(0, fmin(1, sum[1 + k] / sum[0])) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest distance of a vertex from these points at both ends, or infinite. */
static double leaves(const wring_barrier_pairs *p, const double *x, const double *d, double most, const double t[2])
{
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (p->n_vertex > SERIAL_BELOW)
  for (PetscInt i = 0; i < 2 * p->n_vertex; i++) {
    const int end     = i % 2;
    double    squared = 0;
    for (PetscInt c = 0; c < 3; c++) {
      const PetscInt at = 3 * p->vertex[i / 2] + c, k = 3 * (i / 2) + c;
      squared += PetscSqr(component(x, d, end * most, at) - p->seen[k] - t[end] * p->sweep[k]);
    }
    largest = fmax(largest, isnan(squared) ? INFINITY : squared);
  }
  return sqrt(largest);
}

/* The largest d of a vertex of this rank, or infinite. */
static double longest_way(const wring_barrier_pairs *p, const double *d)
{
  double longest = 0;
  for (PetscInt i = 0; d && i < p->n_vertex; i++) {
    const double *const one     = d + 3 * (size_t)p->vertex[i];
    const double        squared = wring_dot3(one, one);
    longest                     = fmax(longest, isnan(squared) ? INFINITY : squared);
  }
  return sqrt(longest);
}

/* far: the longest way of all ranks, and how far x + t d, t in [0, most], leaves the last search. */
static PetscErrorCode compare(const wring_barrier_pairs *p, const double *x, const double *d, double most,
                              double far[2])
{
  double t[2];

  PetscFunctionBegin;
  far[0] = longest_way(p, d);
  far[1] = INFINITY;
  if (p->searched) {
    PetscCall(project(p, x, d, most, t));
    far[1] = leaves(p, x, d, most, t);
  }
  wring_count(p->corners.phases, WRING_WORK_CONTACT_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, far, 2, MPI_DOUBLE, MPI_MAX, p->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_barrier_pairs_prepare(wring_barrier_pairs *p, const double *x, const double *d, double advance,
                                           double *most)
{
  const double limit = farthest * fmax(p->edge[1], p->margin), room = d ? p->margin : p->margin - p->gap;
  double       far[2], part                                         = 1;

  PetscFunctionBegin;
  if (p->obstacles && wring_obstacles_advance(p->obstacles, advance)) p->searched = PETSC_FALSE;
  PetscCall(compare(p, x, d, part, far));
  if (far[0] > limit) {
    part = limit / far[0];
    if (isinf(far[0])) d = NULL;
    if (p->obstacles) wring_obstacles_advance(p->obstacles, part * advance);
    PetscCall(compare(p, x, d, part, far));
  }
  if (!(far[1] <= room / 2)) PetscCall(search(p, x, far[0] > p->margin / 8 ? d : NULL, part));
  if (most) *most = part;
  PetscCall(wring_corners_fetch(&p->corners, p->mesh->forest.vector, x, p->far_x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_barrier_pairs_gather(const wring_barrier_pairs *p, PetscInt i, const double *x, const double *far,
                                double *corners)
{
  for (int a = 0; a < p->pair[i].corners; a++) {
    const double *const at = wring_corners_at(&p->corners, p->place[WRING_MOST_CORNERS * i + a], x, far);
    for (int c = 0; c < 3; c++) corners[3 * a + c] = at[c];
  }
}
