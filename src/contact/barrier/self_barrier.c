/*
  Self-contact and colliders by the barrier: E_c = sum over pairs of stiffness area b(d), exact at every x: pairs are a
  superset of those within the gap, and nothing is frozen between updates. docs/theory.md (9.20) to (9.27)
*/
#include "barrier.h"
#include "barrier_start.h"
#include "ccd.h"
#include "friction.h"
#include "contact/contact_impl.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

enum { SERIAL_BELOW = 256, N = 3 * WRING_MOST_CORNERS };
static const double kept = 0.2; // at the end of the longest step, of the distance of a pair or of the gap

typedef struct {
  double               stiffness; // Pa
  wring_barrier_pairs *pairs;
  wring_contact       *friction; // borrowed; NULL: none
  PetscInt             room;
  double              *distance, *psi, *g; // [room] m, m; [room][N]: of each pair at the last x
} barrier;

static const char refusal[] = "method barrier of contacts: its steps are not bounded by collisions";

/* ---- pairs at x -------------------------------------------------------------------------------------------------- */

/* The feature of a collider, or NULL: pair i is one of the surface. */
static const wring_placed_feature *feature_of(const barrier *d, PetscInt i)
{
  const int f = d->pairs->pair[i].feature;
  return f < 0 ? NULL : d->pairs->obstacles->feature + f;
}

static double gap_of(const barrier *d, PetscInt i)
{
  const wring_placed_feature *const f = feature_of(d, i);
  return f ? f->gap : d->pairs->gap;
}

/* wring_pair_energy of pair i, or of a part of the surface near a feature, which leaves foot as it is. */
static double energy_of(const barrier *d, PetscInt i, const double *corners, double *psi, double *g, double *H,
                        wring_foot *foot)
{
  const wring_barrier_pair *const   pair = d->pairs->pair + i;
  const wring_placed_feature *const f    = feature_of(d, i);
  const wring_pair_law              law  = {.kind = pair->kind, .gap = d->pairs->gap, .sine2 = pair->sine2};
  if (f) return wring_feature_energy(f, pair->corners, pair->sine2, corners, psi, g, H);
  return wring_pair_energy(&law, corners, psi, g, H, foot);
}

static double factor_of(const barrier *d, PetscInt i)
{
  return d->stiffness * d->pairs->pair[i].area;
}

/* Whether the last normal of pair i shows that its corners are farther apart than twice its gap. */
static PetscBool is_far(const barrier *d, PetscInt i, const double *corners)
{
  const wring_barrier_pair *const pair = d->pairs->pair + i;
  return (PetscBool)(!feature_of(d, i) && wring_pair_width(pair->kind, corners, pair->n) > 2 * d->pairs->gap);
}

static PetscErrorCode make_room(barrier *d)
{
  PetscFunctionBegin;
  if (d->pairs->n <= d->room) PetscFunctionReturn(PETSC_SUCCESS);
  d->room = 2 * d->pairs->n;
  PetscCall(PetscFree3(d->distance, d->psi, d->g));
  PetscCall(PetscMalloc3((size_t)d->room, &d->distance, (size_t)d->room, &d->psi, N * (size_t)d->room, &d->g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* distance and psi of pair i, g unless it is NULL, and the normal; INFINITY and 0 of a pair that is far. */
static void evaluate_pair(barrier *d, PetscInt i, const double *corners, double *g)
{
  wring_barrier_pair *const pair = d->pairs->pair + i;
  wring_foot                foot;
  d->distance[i] = INFINITY;
  d->psi[i]      = 0;
  if (is_far(d, i, corners)) return;
  d->distance[i] = energy_of(d, i, corners, &d->psi[i], g, NULL, &foot);
  d->psi[i] *= factor_of(d, i);
  if (!feature_of(d, i)) wring_foot_normal(&foot, pair->n);
}

/* distance and psi of every pair at x, and g unless it is not wanted. */
static PetscErrorCode evaluate(barrier *d, const double *x, PetscBool gradient)
{
  wring_barrier_pairs *const p = d->pairs;

  PetscFunctionBegin;
  PetscCall(make_room(d));
  PetscCall(wring_corners_fetch(&p->corners, p->mesh->forest.vector, x, p->far_x));
#pragma omp parallel for schedule(static, 64) if (p->n > SERIAL_BELOW)
  for (PetscInt i = 0; i < p->n; i++) {
    double corners[N];
    wring_barrier_pairs_gather(p, i, x, p->far_x, corners);
    evaluate_pair(d, i, corners, gradient ? d->g + N * (size_t)i : NULL);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_active(const barrier *d, PetscInt i)
{
  return (PetscBool)(d->distance[i] < gap_of(d, i));
}

/* Between two updates x follows bounded ways, on which the pairs are complete; distances are those at the last x. */
static PetscErrorCode barrier_update(wring_contact *contact, const wring_contact_step *step, const double *x,
                                     PetscBool first, wring_contact_change *change)
{
  barrier *const d = contact->data;

  PetscFunctionBegin;
  (void)step;
  if (first) {
    PetscCall(wring_barrier_pairs_prepare(d->pairs, x, NULL, 0, NULL));
    PetscCall(evaluate(d, x, PETSC_FALSE));
  }
  for (PetscInt i = 0; i < d->pairs->n; i++) change->active += is_active(d, i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- energy and forces ------------------------------------------------------------------------------------------- */

/* Adds factor row [corners][3] at the corners of pair i to f, or far_f. */
static void scatter(wring_barrier_pairs *p, PetscInt i, double factor, const double *row, double *f)
{
  for (int a = 0; a < p->pair[i].corners; a++) {
    double *const at = wring_corners_at(&p->corners, p->place[WRING_MOST_CORNERS * i + a], f, p->far_f);
    for (int c = 0; c < 3; c++) at[c] += factor * row[3 * a + c];
  }
}

static PetscErrorCode barrier_add(wring_contact *contact, wring_work work, const double *x, double *f, double *energy)
{
  barrier *const             d = contact->data;
  wring_barrier_pairs *const p = d->pairs;

  PetscFunctionBegin;
  PetscCall(evaluate(d, x, (PetscBool)((work & WRING_GRADIENT) != 0)));
  if (work & WRING_VALUE) *energy += wring_pairwise_sum(p->n, d->psi);
  if (!(work & WRING_GRADIENT)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(p->far_f, 3 * p->corners.n));
  for (PetscInt i = 0; i < p->n; i++)
    if (is_active(d, i)) scatter(p, i, factor_of(d, i), d->g + N * (size_t)i, f);
  PetscCall(wring_corners_add(&p->corners, p->mesh->forest.vector, p->far_f, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Hessian ----------------------------------------------------------------------------------------------------- */

/* stiffness area H of pair i. */
static int hessian_of(const void *context, const double *x, PetscInt i, double *H, PetscInt *place)
{
  const barrier *const             d = context;
  const wring_barrier_pairs *const p = d->pairs;
  const int                        n = 3 * p->pair[i].corners;
  double                           corners[N], psi;
  wring_barrier_pairs_gather(p, i, x, p->far_x, corners);
  if (is_far(d, i, corners) || !(energy_of(d, i, corners, &psi, NULL, H, NULL) < gap_of(d, i))) return 0;
  for (int k = 0; k < n * n; k++) H[k] *= factor_of(d, i);
  for (int a = 0; a < n / 3; a++) place[a] = p->place[WRING_MOST_CORNERS * i + a];
  return n;
}

static PetscErrorCode barrier_find_blocks(wring_contact *contact, const double *x, wring_blocks *b)
{
  barrier *const             d = contact->data;
  wring_barrier_pairs *const p = d->pairs;

  PetscFunctionBegin;
  PetscCall(wring_corners_fetch(&p->corners, p->mesh->forest.vector, x, p->far_x));
  *b = (wring_blocks){p->n, &p->corners, hessian_of, d};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* The part of most way up to which pair i stays apart. */
static double bound_of(const barrier *d, PetscInt i, const double *x, const double *way, double most)
{
  const wring_barrier_pairs *const p          = d->pairs;
  double                           corners[N] = {0}, moves[N] = {0};
  wring_foot                       foot;
  wring_barrier_pairs_gather(p, i, x, p->far_x, corners);
  wring_barrier_pairs_gather(p, i, way, p->far_d, moves);
  for (int k = 0; k < N; k++) moves[k] *= most;
  if (feature_of(d, i)) return wring_feature_bound(feature_of(d, i), p->pair[i].corners, corners, moves);
  if (wring_pair_stays_apart(p->pair[i].kind, corners, moves, p->pair[i].n, kept * p->gap)) return 1;
  wring_pair_closest(p->pair[i].kind, corners, &foot);
  const double keep = kept * fmin(1, p->gap / sqrt(foot.distance2));
  return wring_pair_bound(p->pair[i].kind, corners, moves, 0, keep);
}

/* The original number of the corner that moves farthest. */
static PetscInt fastest(const wring_barrier_pair *pair, const double *way)
{
  PetscInt at   = pair->original[0];
  double   most = -1;
  for (int a = 0; a < pair->corners; a++) {
    const double *const one = way + 3 * a, squared = one[0] * one[0] + one[1] * one[1] + one[2] * one[2];
    if (squared > most) most = squared, at = pair->original[a];
  }
  return at;
}

static PetscErrorCode barrier_bound(wring_contact *contact, const double *x, const double *way, double advance,
                                    double *bound, PetscInt *vertex)
{
  barrier *const             d = contact->data;
  wring_barrier_pairs *const p = d->pairs;
  double                     most, moves[N];

  PetscFunctionBegin;
  PetscCall(wring_barrier_pairs_prepare(p, x, way, advance, &most));
  PetscCall(make_room(d));
  *bound  = most < 1 ? most : INFINITY;
  *vertex = -1;
  if (most == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_corners_fetch(&p->corners, p->mesh->forest.vector, way, p->far_d));
#pragma omp parallel for schedule(dynamic, 64) if (p->n > SERIAL_BELOW)
  for (PetscInt i = 0; i < p->n; i++) d->psi[i] = most * bound_of(d, i, x, way, most);
  for (PetscInt i = 0; i < p->n; i++) {
    if (!(d->psi[i] < PetscMin(*bound, most))) continue;
    *bound = d->psi[i];
    wring_barrier_pairs_gather(p, i, way, p->far_d, moves);
    *vertex = fastest(p->pair + i, moves);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- friction ---------------------------------------------------------------------------------------------------- */

/* Of pair i at x, whose g is that of the last evaluation, in a step of h; whether there is any. (9.28) */
static PetscBool set_slip(const barrier *d, PetscInt i, const double *x, double h, wring_slip *s)
{
  const wring_barrier_pairs *const  p    = d->pairs;
  const wring_barrier_pair *const   pair = p->pair + i;
  const wring_placed_feature *const f    = feature_of(d, i);
  const double coefficient = f ? f->collider->friction : p->friction, own = f ? f->collider->slip_speed : 0;
  double       corners[N], sum[3] = {0}, point[3] = {0};
  wring_foot   foot;
  if (!(coefficient > 0) || !is_active(d, i)) return PETSC_FALSE;
  for (int k = 0; k < 3 * pair->first; k++) sum[k % 3] += d->g[N * (size_t)i + (size_t)k];
  const double size = sqrt(wring_dot3(sum, sum));
  if (!(size > 0)) return PETSC_FALSE;
  *s =
    (wring_slip){.corners = pair->corners, .part = f ? f->part : -1, .sticking = h * (own > 0 ? own : p->slip_speed)};
  s->force = coefficient * factor_of(d, i) * size;
  memcpy(s->home, pair->home, sizeof s->home);
  for (int k = 0; k < 3; k++) s->n[k] = sum[k] / size;
  wring_barrier_pairs_gather(p, i, x, p->far_x, corners);
  if (f) {
    wring_feature_weights(f, pair->corners, corners, s->c);
    for (int k = 0; k < 3 * pair->corners; k++) point[k % 3] += s->c[k / 3] * corners[k];
    wring_obstacle_velocity(p->obstacles, f, point, s->way, s->arm);
    for (int k = 0; k < 3; k++) s->way[k] *= h;
  } else {
    wring_pair_closest(pair->kind, corners, &foot);
    memcpy(s->c, foot.c, sizeof s->c);
  }
  return PETSC_TRUE;
}

static PetscErrorCode barrier_lag(wring_contact *contact, const wring_contact_step *step, const double *x)
{
  barrier *const d = contact->data;
  PetscInt       n = 0;
  wring_slip    *slip;

  PetscFunctionBegin;
  if (!d->friction) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_barrier_pairs_prepare(d->pairs, x, NULL, 0, NULL));
  PetscCall(evaluate(d, x, PETSC_TRUE));
  PetscCall(PetscMalloc1((size_t)d->pairs->n, &slip));
  for (PetscInt i = 0; i < d->pairs->n; i++) n += set_slip(d, i, x, step->h, slip + n);
  PetscCall(wring_friction_set(d->friction, step->q, n, slip));
  PetscCall(PetscFree(slip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_barrier_create_friction(wring_contact *contact, wring_contact **friction)
{
  barrier *const             d   = contact->data;
  const wring_barrier_pairs *p   = d->pairs;
  PetscBool                  any = (PetscBool)(p->self && p->friction > 0);

  PetscFunctionBegin;
  *friction = NULL;
  for (int i = 0; p->obstacles && i < p->obstacles->set.n; i++)
    any = (PetscBool)(any || p->obstacles->set.collider[i].friction > 0);
  if (any) PetscCall(wring_friction_create(contact, p->corners.phases, friction));
  d->friction = *friction;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode barrier_measure(wring_contact *contact, const double *x, wring_contact_report *report,
                                      double *force)
{
  barrier *const             d = contact->data;
  wring_barrier_pairs *const p = d->pairs;

  PetscFunctionBegin;
  PetscCall(wring_barrier_pairs_prepare(p, x, NULL, 0, NULL));
  PetscCall(evaluate(d, x, PETSC_TRUE));
  for (PetscInt i = 0; i < p->n; i++) {
    const wring_placed_feature *const f      = feature_of(d, i);
    double                            sum[3] = {0};
    if (d->distance[i] <= 2 * gap_of(d, i)) report->least = PetscMin(report->least, d->distance[i]);
    if (!is_active(d, i)) continue;
    report->pairs++;
    for (int k = 0; k < 3 * p->pair[i].first; k++) sum[k % 3] += d->g[N * (size_t)i + (size_t)k];
    report->force += factor_of(d, i) * sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int k = 0; k < 3 && f; k++) force[3 * f->part + k] -= factor_of(d, i) * sum[k];
  }
  if (d->friction) PetscCall(wring_friction_add_forces(d->friction, x, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The area of a bare point is a square of the gap. */
static void barrier_divide_by_area(const wring_contact *contact, double *f)
{
  const wring_barrier_pairs *const p = ((const barrier *)contact->data)->pairs;
  for (PetscInt i = 0; i < p->n_simplex; i++) {
    const wring_simplex *const s = p->simplex + i;
    for (int k = 0; k < 3 && s->corners == 1; k++)
      f[3 * (size_t)s->vertex[0] + (size_t)k] /= s->area > 0 ? s->area : p->gap * p->gap;
  }
}

static PetscErrorCode barrier_set_time(wring_contact *contact, double begin, double time, double part)
{
  wring_barrier_pairs *const p = ((barrier *)contact->data)->pairs;

  PetscFunctionBegin;
  if (p->obstacles && wring_obstacles_place(p->obstacles, begin, time, part)) p->searched = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode barrier_check(wring_contact *contact, const double *x)
{
  barrier *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(wring_barrier_check_start(d->pairs, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode barrier_destroy(wring_contact *contact)
{
  barrier *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(wring_barrier_pairs_destroy(&d->pairs));
  PetscCall(PetscFree3(d->distance, d->psi, d->g));
  PetscCall(PetscFree(contact->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a vertex at half the gap: stiffness area b''. */
static double barrier_stiffness(const wring_contact *contact)
{
  const barrier *const d = contact->data;
  double               b[3];
  wring_barrier(d->pairs->gap / 2, d->pairs->gap, b);
  return d->stiffness * PetscSqr(d->pairs->edge[1]) * b[2];
}

static const wring_contact_ops barrier_ops = {
  .kind    = "barrier",
  .refusal = {[WRING_CONTACT_ENERGY] = refusal, [WRING_CONTACT_SINGLE] = refusal, [WRING_CONTACT_PROJECTION] = refusal},
  .stiffness      = barrier_stiffness,
  .set_time       = barrier_set_time,
  .update         = barrier_update,
  .add            = barrier_add,
  .find_blocks    = barrier_find_blocks,
  .bound          = barrier_bound,
  .check          = barrier_check,
  .lag            = barrier_lag,
  .divide_by_area = barrier_divide_by_area,
  .measure        = barrier_measure,
  .destroy        = barrier_destroy,
};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_contact_create_barrier(const wring_mesh *mesh, const wring_barrier_body *how, wring_contact **c)
{
  const wring_extra_sides extra = {how->n_triangle, how->n_line, how->triangle, how->line};
  barrier                *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  PetscCall(wring_barrier_pairs_create(mesh, &extra, &d->pairs));
  PetscCall(wring_contact_create(mesh, &barrier_ops, d, c));
  d->pairs->self           = how->self;
  d->pairs->friction       = how->friction;
  d->pairs->slip_speed     = how->slip_speed;
  d->pairs->corners.phases = how->phases;
  if (how->n_collider > 0) PetscCall(wring_obstacles_create(*c, how->n_collider, how->collider, &d->pairs->obstacles));
  PetscCall(wring_barrier_choose_gap(d->pairs, how->gap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_barrier_set_stiffness(wring_contact *c, double stiffness)
{
  barrier *const d = c->data;
  d->stiffness     = stiffness;
}

PetscErrorCode wring_barrier_measure(const wring_contact *c, wring_barrier_sizes *sizes)
{
  const barrier *const             d      = c->data;
  const wring_barrier_pairs *const p      = d->pairs;
  double                           sum[2] = {(double)p->n_vertex, 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->n_simplex; i++) sum[1] += p->simplex[i].corners == 1 ? p->simplex[i].area : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, p->mesh->comm));
  *sizes = (wring_barrier_sizes){
    .gap = p->gap, .edge = {p->edge[0], p->edge[1]}, .stiffness = d->stiffness, .points = sum[0], .area = sum[1]};
  if (p->obstacles)
    for (int i = 0; i < p->obstacles->n; i++) sizes->gap = PetscMax(sizes->gap, p->obstacles->feature[i].gap);
  PetscFunctionReturn(PETSC_SUCCESS);
}
