/* Lengths at rest, and the search for what touches at the start. */
#include "barrier_start.h"
#include "base/sort.h"
#include "base/vector3.h"
#include "contact/search/broad.h"
#include "mesh/distribute/order.h"
#include <float.h>
#include <math.h>

static const double gap_of_diagonal = 1e-3, gap_of_distance = 0.25, slip_of_diagonal = 1e-3; // 1/s
static const double touching = 1e-12; // of the diagonal: a smaller distance is none

/* Of the box around all vertices at x; 1 m of a single vertex, whose gap would be 0. */
static PetscErrorCode measure_diagonal(const wring_barrier_pairs *p, const double *x, double *diagonal)
{
  double low[3], high[3];

  PetscFunctionBegin;
  PetscCall(wring_bounds_find(p->mesh->comm, p->mesh->n_owned, x, low, high));
  *diagonal = wring_distance3(high, low);
  if (*diagonal == 0) *diagonal = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the worst pair ---------------------------------------------------------------------------------------------- */

enum { MOST = 5 }; // corners: of an edge and a triangle

/* Two simplices, the first of n_first corners, or a collider and one simplex. First what they are sorted by. */
typedef struct {
  PetscInt    original[MOST];
  int         n, n_first;
  double      distance; // m; negative: they pass through each other
  const char *collider;
} offence;

static void print_corners(const PetscInt *original, int n, size_t size, char *text)
{
  static const char *const name[] = {"", "vertex", "edge", "triangle"};
  size_t                   at     = (size_t)snprintf(text, size, "%s", name[n]);
  for (int a = 0; a < n && at < size; a++)
    at += (size_t)snprintf(text + at, size - at, "%c%" PetscInt_FMT, a == 0 ? ' ' : '-', original[a]);
}

/* " of 'NAME'": the region of a vertex by its original number; "" if there is one region only, or none there. */
static PetscErrorCode name_region(const wring_mesh *m, PetscInt original, size_t size, char *text)
{
  PetscInt region = m->regions.n;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4 * m->tets.n; i++)
    if (m->number.original[m->tets.corner[i]] == original) region = PetscMin(region, m->tets.region[i / 4]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &region, 1, MPIU_INT, MPI_MIN, m->comm));
  text[0] = 0;
  if (m->regions.n > 1 && region < m->regions.n) snprintf(text, size, " of '%s'", m->regions.name[region]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses the nearest offence of all ranks, of equals the one with the lowest numbers. n = 0: this rank has none. */
static PetscErrorCode raise(const wring_mesh *m, const char *when, const offence *o)
{
  double      key[1 + MOST], least[1 + MOST];
  char        first[256], second[64], of_first[128], of_second[128];
  wring_error error = {""};
  PetscBool   mine  = (PetscBool)(o->n > 0);

  PetscFunctionBegin;
  for (int k = 0; k <= MOST; k++) key[k] = k == 0 ? o->distance : k <= o->n ? (double)o->original[k - 1] : -1;
  for (int k = 0; k <= MOST; k++) {
    if (!mine) key[k] = INFINITY;
    PetscCallMPI(MPI_Allreduce(key + k, least + k, 1, MPI_DOUBLE, MPI_MIN, m->comm));
    mine = (PetscBool)(mine && key[k] == least[k]);
  }
  if (isinf(least[0])) PetscFunctionReturn(PETSC_SUCCESS);
  int n_first = mine ? o->n_first : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n_first, 1, MPI_INT, MPI_MAX, m->comm));
  PetscCall(name_region(m, n_first > 0 ? (PetscInt)least[1] : -1, sizeof of_first, of_first));
  PetscCall(name_region(m, (PetscInt)least[1 + n_first], sizeof of_second, of_second));
  print_corners(o->original, mine ? o->n_first : 0, sizeof first, first);
  print_corners(o->original + o->n_first, mine ? o->n - o->n_first : 0, sizeof second, second);
  if (o->collider) PetscCall(PetscSNPrintf(first, sizeof first, "'%s'", o->collider));
  if (mine)
    wring_error_set(&error, "%s: %s%s and %s%s %s %s, expected surfaces that are apart",
                    o->collider ? "collider" : "self_contact", first, of_first, second, of_second,
                    o->distance < 0 ? "pass through each other" : "touch", when);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nearest of the pairs of this rank; at an infinite distance: there is none. */
static PetscErrorCode find_nearest(const wring_barrier_pairs *p, const double *x, double reach, offence *o)
{
  wring_barrier_pair *pair;
  PetscInt            n;

  PetscFunctionBegin;
  PetscCall(wring_barrier_pairs_find(p, x, NULL, reach, &n, &pair));
  *o = (offence){.distance = INFINITY};
  for (PetscInt i = 0; i < n; i++) {
    if (!(pair[i].distance < o->distance)) continue;
    *o = (offence){.n = pair[i].corners, .n_first = pair[i].first, .distance = pair[i].distance};
    for (int a = 0; a < o->n; a++) o->original[a] = pair[i].original[a];
  }
  PetscCall(PetscFree(pair));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses pairs without a distance. */
static PetscErrorCode refuse_touching(const wring_barrier_pairs *p, const char *when, double diagonal, offence *o)
{
  PetscFunctionBegin;
  if (o->distance > touching * diagonal) o->n = 0;
  PetscCall(raise(p->mesh, when, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sides of triangles ------------------------------------------------------------------------------------------ */

/* The sign of the volume of a tetrahedron, 0 if rounding may have made it. */
static int side_of(const double *a, const double *b, const double *c, const double *d)
{
  double e[3], f[3], g[3], value = 0, size = 0;
  wring_subtract3(b, a, e);
  wring_subtract3(c, a, f);
  wring_subtract3(d, a, g);
  for (int i = 0; i < 3; i++) {
    const double p = e[(i + 1) % 3] * f[(i + 2) % 3], q = e[(i + 2) % 3] * f[(i + 1) % 3];
    value += (p - q) * g[i];
    size += (fabs(p) + fabs(q)) * fabs(g[i]);
  }
  return fabs(value) <= 1e-14 * size ? 0 : value > 0 ? 1 : -1;
}

/* Whether the edge from p to q passes through the triangle t [3][3]. */
static PetscBool pierces_triangle(const double *p, const double *q, const double *t)
{
  const int side = side_of(p, q, t, t + 3);
  if (side_of(t, t + 3, t + 6, p) * side_of(t, t + 3, t + 6, q) >= 0) return PETSC_FALSE;
  return (PetscBool)(side && side_of(p, q, t + 3, t + 6) == side && side_of(p, q, t + 6, t) == side);
}

/* ---- the nearest part to colliders ------------------------------------------------------------------------------- */

/* The least signed distance from a convex shape on the edge x [2][3]: it is convex along it. Of others one on it. */
static double least_along(const wring_placed_feature *f, const double *x)
{
  double from = 0, to = 1, least = INFINITY, e[3];
  wring_subtract3(x + 3, x, e);
  for (int i = 0; i < 100; i++) {
    const double t = 0.5 * (from + to), at[3] = {x[0] + t * e[0], x[1] + t * e[1], x[2] + t * e[2]};
    double       n[3], offset;
    least = fmin(least, wring_pose_nearest(f->collider, f->pose, at, n, &offset));
    if (wring_dot3(n, e) > 0)
      to = t;
    else
      from = t;
  }
  return least;
}

/* The distance of a part from a feature; below 0, by no length, if it passes through where its features are apart. */
static double distance_of(const wring_placed_feature *f, const wring_simplex *s, const double *x)
{
  if (wring_feature_meets(f, s->corners, s->bare)) return wring_feature_distance(f, s->corners, x);
  if (f->f.kind == WRING_FEATURE_SOLID && s->corners == 2 && least_along(f, x) < -f->f.radius) return -DBL_MIN;
  if (f->f.kind == WRING_FEATURE_SEGMENT && s->corners == 3 && pierces_triangle(f->f.a, f->f.b, x)) return -DBL_MIN;
  return INFINITY;
}

static void find_nearest_to_colliders(const wring_barrier_pairs *p, const double *x, offence *o)
{
  const wring_placed_feature *const feature = p->obstacles->feature;
  double                            corners[9];
  *o = (offence){.distance = INFINITY};
  for (PetscInt i = 0; i < p->n_simplex; i++) {
    const wring_simplex *const s     = p->simplex + i;
    const PetscInt             first = p->mesh->number.original[s->vertex[0]]; // points are in the order of this rank
    wring_simplex_gather(s, x, corners);
    for (int f = 0; f < p->obstacles->n; f++) {
      if (wring_obstacle_apart(feature + f, s->corners, corners) > fmax(o->distance, 0)) continue;
      const double distance = distance_of(feature + f, s, corners);
      if (!(distance < o->distance || (distance == o->distance && first < o->original[0]))) continue;
      *o = (offence){.n = s->corners, .distance = distance, .collider = feature[f].collider->name};
      for (int a = 0; a < s->corners; a++) o->original[a] = p->mesh->number.original[s->vertex[a]];
    }
  }
}

/* ---- the gap ----------------------------------------------------------------------------------------------------- */

/* Halves the margin while pairs within one body at rest, as through thin sheets, are more than simplices. (9.21) */
static PetscErrorCode shorten_margin(wring_barrier_pairs *p)
{
  PetscInt64          count[2];
  PetscInt            n;
  wring_barrier_pair *pair;

  PetscFunctionBegin;
  for (;; p->margin = PetscMax(2 * p->gap, p->margin / 2)) {
    count[0] = 0, count[1] = p->n_simplex;
    PetscCall(wring_barrier_pairs_find(p, p->mesh->X, NULL, p->gap + p->margin, &n, &pair));
    for (PetscInt i = 0; i < n; i++) count[0] += pair[i].within;
    PetscCall(PetscFree(pair));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT64, MPI_SUM, p->mesh->comm));
    if (count[0] <= count[1] || p->margin <= 2 * p->gap) PetscFunctionReturn(PETSC_SUCCESS);
  }
}

PetscErrorCode wring_barrier_choose_gap(wring_barrier_pairs *p, double gap)
{
  double  diagonal, most = gap;
  offence nearest = {.distance = INFINITY};

  PetscFunctionBegin;
  PetscCall(measure_diagonal(p, p->mesh->X, &diagonal));
  if (gap == 0) most = gap_of_diagonal * diagonal;
  if (p->slip_speed == 0) p->slip_speed = slip_of_diagonal * diagonal;
  wring_barrier_pairs_set_gap(p, most);
  if (p->self) {
    PetscCall(find_nearest(p, p->mesh->X, gap > 0 ? 2 * touching * diagonal : most / gap_of_distance, &nearest));
    PetscCall(refuse_touching(p, "at rest", diagonal, &nearest));
  } else if (gap == 0) {
    find_nearest_to_colliders(p, p->mesh->X, &nearest);
  }
  double least = nearest.distance;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, p->mesh->comm));
  if (gap == 0 && least > touching * diagonal) wring_barrier_pairs_set_gap(p, fmin(most, gap_of_distance * least));
  if (p->self) PetscCall(shorten_margin(p));
  if (p->obstacles) wring_obstacles_set_gap(p->obstacles, p->gap);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Whether edge a passes through triangle b; what nearly does has no distance, and is refused as touching. */
static PetscBool pierces(const void *context, const wring_seen *a, const wring_seen *b, void *row, PetscInt *to)
{
  offence *const o = row;
  (void)context;
  for (int i = 0; i < 6; i++)
    if (a->original[i / 3] == b->original[i % 3]) return PETSC_FALSE;
  if (!pierces_triangle(a->x, a->x + 3, b->x)) return PETSC_FALSE;
  *o  = (offence){{a->original[0], a->original[1], b->original[0], b->original[1], b->original[2]}, 5, 2, -1, NULL};
  *to = a->home[0].rank;
  return PETSC_TRUE;
}

static PetscErrorCode find_piercing(const wring_barrier_pairs *p, const double *x, offence *first)
{
  const wring_broad how = {.wanted = {[1] = {[2] = PETSC_TRUE}}, .size = sizeof *first, .keep = pierces};
  PetscInt          n;
  offence          *o;

  PetscFunctionBegin;
  PetscCall(wring_broad_find(p->mesh, p->skin, p->n_simplex, p->simplex, x, NULL, &how, &n, &o, NULL));
  PetscCall(wring_sort_rows(n, MOST, sizeof *o, o, NULL));
  *first = n > 0 ? o[0] : (offence){.n = 0};
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bodies inside others ---------------------------------------------------------------------------------------- */

/* A body's vertex, and a body of which a triangle meets the ray from there along x. */
typedef struct {
  PetscInt vertex, body;
} ray_hit;

/* Twice the area of a triangle in the plane of y and z, seen from a point in it. */
static double turn_of(const double p[2], const double *a, const double *b)
{
  return (a[1] - p[0]) * (b[2] - p[1]) - (a[2] - p[1]) * (b[1] - p[0]);
}

/* Whether the ray meets the triangle; it is moved off the edges of regular meshes by a part of the gap. */
static PetscBool meets_ray(const void *context, const wring_seen *p, const wring_seen *t, void *row, PetscInt *to)
{
  const double gap = *(const double *)context, at[2] = {p->x[1] + 6.18e-4 * gap, p->x[2] + 4.14e-4 * gap};
  double       w[3], x = 0, sum = 0;
  if (p->body == t->body) return PETSC_FALSE;
  for (int a = 0; a < 3; a++) {
    w[a] = turn_of(at, t->x + 3 * ((a + 1) % 3), t->x + 3 * ((a + 2) % 3));
    x += w[a] * t->x[3 * a];
    sum += w[a];
  }
  if ((w[0] > 0) != (w[1] > 0) || (w[1] > 0) != (w[2] > 0) || !(x / sum > p->x[0])) return PETSC_FALSE;
  *(ray_hit *)row = (ray_hit){p->original[0], t->body};
  *to             = p->home[0].rank;
  return PETSC_TRUE;
}

/* The lowest vertices of bodies, and the triangles of bodies; way [n_local][3]: the former go along x by `length`. */
static PetscErrorCode list_rays(const wring_barrier_pairs *p, double length, PetscInt *n, wring_simplex **simplex,
                                double *way)
{
  const wring_skin *const s = p->skin;
  PetscInt               *in_tet;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)s->n + (size_t)p->mesh->n_owned, simplex));
  PetscCall(PetscCalloc1((size_t)p->mesh->n_local, &in_tet));
  for (PetscInt i = 0; i < 4 * p->mesh->tets.n; i++) in_tet[p->mesh->tets.corner[i]] = 1;
  *n = 0;
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) {
    if (!in_tet[v] || s->body[v] != p->mesh->number.original[v]) continue;
    (*simplex)[(*n)++] = (wring_simplex){.corners = 1, .vertex = {v, -1, -1}};
    way[3 * v]         = length;
  }
  for (PetscInt t = 0; t < s->n; t++) {
    const PetscInt *const v = s->corner + 3 * t;
    (*simplex)[(*n)++]      = (wring_simplex){.corners = 3, .vertex = {v[0], v[1], v[2]}};
  }
  PetscCall(PetscFree(in_tet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first vertex of a body whose ray meets another body an odd number of times, with that body; vertex -1: none. */
static PetscErrorCode find_inside(const wring_barrier_pairs *p, const double *x, double length, ray_hit *first)
{
  const wring_broad how = {
    .wanted = {{[2] = PETSC_TRUE}}, .size = sizeof *first, .reach = p->gap, .context = &p->gap, .keep = meets_ray};
  wring_simplex *simplex;
  double        *way;
  ray_hit       *hit;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * (size_t)p->mesh->n_local, &way));
  PetscCall(list_rays(p, length, &n, &simplex, way));
  PetscCall(wring_broad_find(p->mesh, p->skin, n, simplex, x, way, &how, &n, &hit, NULL));
  PetscCall(wring_sort_rows(n, 2, sizeof *hit, hit, NULL));
  *first = (ray_hit){-1, -1};
  for (PetscInt i = 0, end; i < n && first->vertex < 0; i = end) {
    end = wring_rows_end(n, 2, sizeof *hit, hit, i);
    if ((end - i) % 2 == 1) *first = hit[i];
  }
  PetscCall(PetscFree(hit));
  PetscCall(PetscFree(simplex));
  PetscCall(PetscFree(way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_inside(const wring_barrier_pairs *p, const double *x, double length)
{
  ray_hit     hit   = {-1, -1};
  wring_error error = {""};
  char        of_vertex[128], of_body[128];

  PetscFunctionBegin;
  PetscCall(find_inside(p, x, length, &hit));
  ray_hit last = hit; // of all ranks
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &last.vertex, 1, MPIU_INT, MPI_MAX, p->mesh->comm));
  if (hit.vertex < last.vertex) last.body = -1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &last.body, 1, MPIU_INT, MPI_MAX, p->mesh->comm));
  PetscCall(name_region(p->mesh, last.vertex, sizeof of_vertex, of_vertex));
  PetscCall(name_region(p->mesh, last.body, sizeof of_body, of_body));
  if (last.vertex >= 0)
    wring_error_set(&error,
                    "self_contact: the body of vertex %" PetscInt_FMT "%s is inside that of vertex %" PetscInt_FMT
                    "%s at the start, expected bodies beside each other",
                    last.vertex, of_vertex, last.body, of_body);
  PetscCall(wring_error_raise(p->mesh->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- colliders inside bodies ------------------------------------------------------------------------------------- */

static PetscBool is_in_tet(const double *c, const PetscInt *v, const double *x)
{
  const double *at[4];
  for (int a = 0; a < 4; a++) at[a] = x + 3 * (size_t)v[a];
  const int side = side_of(at[0], at[1], at[2], at[3]);
  return (PetscBool)(side && side_of(c, at[1], at[2], at[3]) == side && side_of(at[0], c, at[2], at[3]) == side &&
                     side_of(at[0], at[1], c, at[3]) == side && side_of(at[0], at[1], at[2], c) == side);
}

/* A collider whose surface meets none of a body is inside it if a point of its second feature is. */
static PetscErrorCode refuse_colliders_inside(const wring_barrier_pairs *p, const double *x)
{
  const wring_obstacles *const o     = p->obstacles;
  wring_error                  error = {""};

  PetscFunctionBegin;
  for (int i = 1; i < o->n; i++)
    for (PetscInt e = 0; e < p->mesh->tets.n && o->feature[i - 1].f.kind == WRING_FEATURE_SOLID; e++)
      if (!wring_failed(&error) && is_in_tet(o->feature[i].f.a, p->mesh->tets.corner + 4 * e, x))
        wring_error_set(&error, "collider: '%s' is inside a body at the start, expected surfaces that are apart",
                        o->feature[i].collider->name);
  PetscCall(wring_error_raise(p->mesh->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_barrier_check_start(const wring_barrier_pairs *p, const double *x)
{
  double  diagonal;
  offence o;

  PetscFunctionBegin;
  PetscCall(measure_diagonal(p, p->mesh->X, &diagonal));
  if (p->obstacles) {
    find_nearest_to_colliders(p, x, &o);
    PetscCall(refuse_touching(p, "at the start", diagonal, &o));
    PetscCall(refuse_colliders_inside(p, x));
  }
  if (!p->self) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_nearest(p, x, p->gap, &o));
  PetscCall(refuse_touching(p, "at the start", diagonal, &o));
  PetscCall(find_piercing(p, x, &o));
  PetscCall(raise(p->mesh, "at the start", &o));
  PetscCall(measure_diagonal(p, x, &diagonal));
  PetscCall(refuse_inside(p, x, 2 * diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
