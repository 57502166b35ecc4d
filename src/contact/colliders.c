/*
  Colliders: owned vertices are tested against every collider, in closed form. A vertex that is inside a collider and
  is not leaving it is pushed out by the tangent plane at the nearest point of the surface, which is frozen until the
  next update. A vertex outside that may be inside after the next iteration is watched: it also gets a plane, so that a
  line search detects the surface. docs/theory.md 8

  A collider is tested first against balls of WRING_RUN vertices: the signed distance of their centre bounds those of
  the vertices, (8.9). All vertices are tested, not only those of the surface: a vertex deep inside is in contact too,
  and there are bodies without a surface.
*/
#include "contact/shape/poses.h"
#include "balls.h"
#include "crossings.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

/* psi = k/2 min(0, n.(x - centre of the collider) - offset)^2 */
typedef struct {
  int       collider;
  PetscInt  vertex;
  PetscBool inside; // in contact; otherwise watched
  double    n[3], offset;
} record;

/* A record found by an update, before it is compared with the earlier ones. */
typedef struct {
  record    r;
  PetscBool leaves; // moves outwards so fast that it leaves the collider within another step
} sighting;

// BATCH: runs whose sightings are kept at a time; SERIAL_BELOW: vertices, or records; waking threads takes longer
enum { BATCH = 128, SERIAL_BELOW = 2048, STRIP = 512 };

enum { MOST_MARCHES = 128 };         // a segment that meets a surface at more than 7 degrees needs fewer
static const double touching = 1e-6; // of the length of a segment: a point this near to a surface is on it

typedef struct {
  wring_poses      set;    // at `time`
  wring_body_pose *before; // [n] a step earlier
  PetscInt         n_run;  // of WRING_RUN owned vertices
  char            *hit;    // [n][n_run] a vertex of the run may be in contact
  sighting        *sight;  // [BATCH][WRING_RUN]
  double          *part;   // [room / STRIP + 1] J
  double           time;   // s
  PetscInt         n_record, room;
  record          *record, *next; // [room] by collider, then vertex; next: of the update in progress
  char             refusal[256];
  wring_crossings  crossings; // of colliders that are solid, up to the last measure
  double          *last;      // [n_owned][3] m: positions at the last measure or count, at the time `last_time`
  double           last_time; // s
  wring_corners    none;      // of other ranks
} colliders;

/* wring_pose_nearest into the plane of r. */
static double nearest(const wring_collider *c, const wring_body_pose *at, const double x[3], record *r)
{
  return wring_pose_nearest(c, at, x, r->n, &r->offset);
}

/* True if x is certainly outside collider c and farther than `within` from it. */
static PetscBool is_beyond(const colliders *d, int c, const double x[3], double within)
{
  return (PetscBool)(wring_distance3(x, d->set.now[c].centre) > d->set.bound[c] + within);
}

/* The motion of a vertex in the step minus that of the point of the collider at the same place. */
static void relative_motion(const wring_body_pose *now, const wring_body_pose *before, const double x[3],
                            const double q[3], double u[3])
{
  double p[3], moved[3];
  wring_pose_to_local(now, x, p);
  wring_pose_to_world(before, p, moved);
  for (int i = 0; i < 3; i++) u[i] = moved[i] + before->centre[i] - q[i];
}

/* ---- runs of vertices -------------------------------------------------------------------------------------------- */

/*
  The largest motion of collider c in the step at points not farther than `far` from its centre: the shift of its centre
  and |R - I| far, R the rotation from now to before, in Frobenius' norm.
*/
static double largest_motion(const colliders *d, int c, double far)
{
  const wring_body_pose *const now = &d->set.now[c], *const before = &d->before[c];
  double squared = 0;
  for (int k = 0; k < 9; k++) {
    const double entry = wring_dot3(before->frame + 3 * (k / 3), now->frame + 3 * (k % 3)) - (k % 4 == 0);
    squared += entry * entry;
  }
  return wring_distance3(now->centre, before->centre) + sqrt(squared) * far;
}

/*
  True if no vertex of the ball is nearer to the forbidden side of collider c than it has moved relative to it since
  `before`, (8.9). False if the ball is not finite.
*/
static PetscBool is_ball_beyond(const colliders *d, int c, const wring_ball *ball)
{
  const double *const centre = d->set.now[c].centre;
  const double        apart  = wring_distance3(ball->centre, centre);
  const double        motion = ball->motion + largest_motion(d, c, apart + ball->radius);
  const double        origin = sqrt(wring_dot3(centre, centre)), within = ball->radius + motion;
  const double        slack = 1e-12 * (origin + apart + within); // more than rounding
  record              r;
  if (is_beyond(d, c, ball->centre, within + slack)) return PETSC_TRUE;
  return (PetscBool)(nearest(&d->set.collider[c], &d->set.now[c], ball->centre, &r) > within + slack);
}

static PetscInt run_length(const wring_contact *contact, PetscInt run)
{
  return PetscMin(WRING_RUN, contact->mesh->n_owned - run * WRING_RUN);
}

/* Sets hit at x; q [n_owned][3]: where the step began. */
static void find_hits(const wring_contact *contact, const double *x, const double *q)
{
  const colliders *d = contact->data;
#pragma omp parallel for schedule(static) if (contact->mesh->n_owned > SERIAL_BELOW)
  for (PetscInt run = 0; run < d->n_run; run++) {
    const PetscInt   at   = 3 * run * WRING_RUN;
    const wring_ball ball = wring_ball_around(run_length(contact, run), x + at, q + at);
    for (int c = 0; c < d->set.n; c++) d->hit[(size_t)c * d->n_run + run] = (char)!is_ball_beyond(d, c, &ball);
  }
}

static void set_before(colliders *d, double h)
{
  for (int c = 0; c < d->set.n; c++) d->before[c] = wring_pose_at(&d->set.collider[c], d->time - h);
}

/* ---- the active set ---------------------------------------------------------------------------------------------- */

static PetscErrorCode make_room(colliders *d, PetscInt n)
{
  PetscFunctionBegin;
  if (n <= d->room) PetscFunctionReturn(PETSC_SUCCESS);
  d->room = 2 * n;
  PetscCall(PetscRealloc(sizeof *d->record * (size_t)d->room, &d->record));
  PetscCall(PetscRealloc(sizeof *d->next * (size_t)d->room, &d->next));
  PetscCall(PetscRealloc(sizeof *d->part * (size_t)(d->room / STRIP + 1), &d->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool same_plane(const record *a, const record *b)
{
  return (PetscBool)(a->n[0] == b->n[0] && a->n[1] == b->n[1] && a->n[2] == b->n[2] && a->offset == b->offset);
}

/* The earlier record of r's vertex and collider, or NULL; advances `old` past it and past records that have ended. */
static const record *find_before(const colliders *d, const record *r, PetscInt *old, wring_contact_change *change)
{
  for (; *old < d->n_record; (*old)++) {
    const record *const was = &d->record[*old];
    if (was->collider > r->collider || (was->collider == r->collider && was->vertex > r->vertex)) return NULL;
    if (was->collider == r->collider && was->vertex == r->vertex) return &d->record[(*old)++];
    change->moved++;
    change->released += was->inside;
  }
  return NULL;
}

/* Counts how a record has changed. */
static void count_change(const record *was, const record *now, wring_contact_change *change)
{
  const int before = was && was->inside;
  change->active += now->inside;
  change->added += now->inside && !before;
  change->released += before && !now->inside;
  change->moved += !was || !same_plane(was, now);
}

/*
  The vertices of a run that are inside collider c or nearer to its surface than their motion in the step; returns their
  number.
*/
static int sight_run(const wring_contact *contact, int c, PetscInt run, const wring_contact_step *step, const double *x,
                     sighting *s)
{
  const colliders *d     = contact->data;
  const PetscInt   begin = run * WRING_RUN;
  int              n     = 0;
  for (PetscInt v = begin; v < begin + run_length(contact, run); v++) {
    const double *const at = x + 3 * v;
    double              u[3];
    relative_motion(&d->set.now[c], &d->before[c], at, step->q + 3 * v, u);
    const double motion = sqrt(wring_dot3(u, u));
    if (is_beyond(d, c, at, motion)) continue;
    record *const r        = &s[n].r;
    const double  distance = nearest(&d->set.collider[c], &d->set.now[c], at, r);
    if (!(distance < 0 || distance < motion)) continue;
    r->collider   = c;
    r->vertex     = v;
    r->inside     = (PetscBool)(distance < 0);
    s[n++].leaves = (PetscBool)(distance + wring_dot3(u, r->n) > 0);
  }
  return n;
}

/* Adds a sighting to the records unless it is new and leaving, (8.2). */
static void take(colliders *d, const sighting *s, PetscInt *old, PetscInt *n, wring_contact_change *change)
{
  const record *const was = find_before(d, &s->r, old, change);
  if (s->r.inside && !was && s->leaves) return;
  d->next[(*n)++] = s->r;
  count_change(was, &s->r, change);
}

/*
  Finds the records of collider c, (8.2): vertices inside that had a record before or are not leaving, and vertices
  nearer to the surface than their motion in the step. *n counts the records of `next`, *old the earlier records already
  passed.
*/
static PetscErrorCode find_contacts(wring_contact *contact, int c, const wring_contact_step *step, const double *x,
                                    PetscInt *old, PetscInt *n, wring_contact_change *change)
{
  colliders        *d   = contact->data;
  const char *const hit = d->hit + (size_t)c * d->n_run;
  PetscInt          run[BATCH];
  int               count[BATCH];

  PetscFunctionBegin;
  for (PetscInt next = 0; next < d->n_run;) {
    int n_run = 0;
    for (; next < d->n_run && n_run < BATCH; next++)
      if (hit[next]) run[n_run++] = next;
#pragma omp parallel for schedule(dynamic) if (n_run * WRING_RUN > SERIAL_BELOW)
    for (int i = 0; i < n_run; i++) count[i] = sight_run(contact, c, run[i], step, x, d->sight + i * WRING_RUN);
    PetscCall(make_room(d, *n + n_run * WRING_RUN));
    for (int i = 0; i < n_run; i++)
      for (int k = 0; k < count[i]; k++) take(d, &d->sight[i * WRING_RUN + k], old, n, change);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colliders_update(wring_contact *contact, const wring_contact_step *step, const double *x,
                                       PetscBool first, wring_contact_change *change)
{
  colliders *d   = contact->data;
  PetscInt   old = 0, n = 0;

  PetscFunctionBegin;
  if (first) d->n_record = 0;
  set_before(d, step->h);
  find_hits(contact, x, step->q);
  for (int c = 0; c < d->set.n; c++) PetscCall(find_contacts(contact, c, step, x, &old, &n, change));
  find_before(d, &(record){.collider = d->set.n}, &old, change);
  record *const swap = d->record;
  d->record          = d->next;
  d->next            = swap;
  d->n_record        = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colliders_set_time(wring_contact *contact, double begin, double time, double part)
{
  colliders *d = contact->data;

  PetscFunctionBegin;
  (void)begin;
  (void)part;
  d->time     = time;
  d->n_record = 0;
  for (int c = 0; c < d->set.n; c++) d->set.now[c] = wring_pose_at(&d->set.collider[c], time);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* min(0, n.(x - centre) - offset) of a vertex at `at` */
static double depth_at(const colliders *d, const record *r, const double at[3])
{
  const double *const centre  = d->set.now[r->collider].centre;
  const double        from[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};
  return fmin(0, wring_dot3(r->n, from) - r->offset);
}

static double depth_of(const colliders *d, const record *r, const double *x)
{
  return depth_at(d, r, x + 3 * r->vertex);
}

/* The first record of collider c, from `first` on, whose vertex is not below v. */
static PetscInt find_record(const colliders *d, PetscInt first, int c, PetscInt v)
{
  PetscInt low = first, high = d->n_record;
  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (d->record[middle].collider < c || (d->record[middle].collider == c && d->record[middle].vertex < v))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The energy of records [begin, end); with GRADIENT adds their forces to f. */
static double add_strip(const colliders *d, PetscInt begin, PetscInt end, wring_work work, const double *x, double *f)
{
  double sum = 0;
  for (PetscInt i = begin; i < end; i++) {
    const record *const r = &d->record[i];
    const double        k = d->set.collider[r->collider].stiffness, s = depth_of(d, r, x);
    sum += 0.5 * k * s * s;
    for (int j = 0; j < 3 && (work & WRING_GRADIENT); j++) f[3 * r->vertex + j] += k * s * r->n[j];
  }
  return sum;
}

/* Collider after collider, whose records are of different vertices; energies are summed over strips of records. */
static PetscErrorCode colliders_add(wring_contact *contact, wring_work work, const double *x, double *f, double *energy)
{
  const colliders *d     = contact->data;
  PetscInt         begin = 0;
  double           sum   = 0;

  PetscFunctionBegin;
  for (int c = 0; c < d->set.n && begin < d->n_record; c++) {
    const PetscInt end = find_record(d, begin, c + 1, 0), n = (end - begin + STRIP - 1) / STRIP;
#pragma omp parallel for schedule(static) if (end - begin > SERIAL_BELOW)
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt from = begin + i * STRIP;
      d->part[i]          = add_strip(d, from, PetscMin(end, from + STRIP), work, x, f);
    }
    sum += wring_pairwise_sum(n, d->part);
    begin = end;
  }
  if (work & WRING_VALUE) *energy += sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void colliders_add_single(const wring_contact *contact, wring_work work, PetscInt vertex, const double x[3],
                                 double *energy, double *f, double *K)
{
  const colliders *const d = contact->data;
  PetscInt               i = 0;
  for (int c = 0; c < d->set.n; c++) {
    i = find_record(d, i, c, vertex);
    if (i == d->n_record) return;
    const record *const r = &d->record[i];
    if (r->collider != c || r->vertex != vertex) continue;
    const double k = d->set.collider[c].stiffness, s = depth_at(d, r, x);
    *energy += 0.5 * k * s * s;
    for (int j = 0; j < 3 && (work & WRING_GRADIENT); j++) f[j] += k * s * r->n[j];
    for (int j = 0; j < 6 && (work & WRING_GRADIENT) && s < 0; j++)
      K[j] += k * r->n[wring_sym_row[j]] * r->n[wring_sym_column[j]];
  }
}

/* k n n^T of a vertex behind its plane. */
static int hessian_of(const void *context, const double *x, PetscInt i, double *H, PetscInt *place)
{
  const colliders *const d = context;
  const record *const    r = &d->record[i];
  if (!(depth_of(d, r, x) < 0)) return 0;
  place[0] = r->vertex;
  for (int j = 0; j < 9; j++) H[j] = d->set.collider[r->collider].stiffness * r->n[j / 3] * r->n[j % 3];
  return 3;
}

static PetscErrorCode colliders_find_blocks(wring_contact *contact, const double *x, wring_blocks *b)
{
  const colliders *d = contact->data;

  PetscFunctionBegin;
  (void)x;
  *b = (wring_blocks){d->n_record, &d->none, hessian_of, d};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices that have gone through a collider ------------------------------------------------------------------ */

/*
  Whether the segment from a to b, in the shape's frame, meets the shape; n, *offset: the tangent plane there.
  docs/theory.md (9.12b)
*/
static PetscBool meets(const wring_collider *c, const double a[3], const double b[3], double length, double n[3],
                       double *offset)
{
  double at = 0;
  for (int i = 0; i < MOST_MARCHES && at <= length; i++) {
    const double t = at / length, p[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
    const double distance = c->shape->nearest(c->size, p, n, offset);
    if (distance <= touching * length) return PETSC_TRUE;
    at += distance;
  }
  return PETSC_FALSE;
}

/*
  Whether a vertex has gone from q, at the time of `before`, to x through collider c, or beyond its middle: in and out
  at two sides. n, *offset: the tangent plane, in the frame of the collider, where it has entered.
*/
static PetscBool has_passed(const wring_collider *c, const wring_body_pose *now, const wring_body_pose *before,
                            const double q[3], const double x[3], double n[3], double *offset)
{
  double a[3], b[3], out[3], offset_out;
  wring_pose_to_local(before, q, a);
  wring_pose_to_local(now, x, b);
  const double length = wring_distance3(a, b);
  return (PetscBool)(!c->inside && length > 0 && meets(c, a, b, length, n, offset) &&
                     meets(c, b, a, length, out, &offset_out) && wring_are_opposite(n, out));
}

/* ---- projection -------------------------------------------------------------------------------------------------- */

/* nearest, or of a vertex that has passed the tangent plane where it has entered, and the distance from this plane. */
static double nearest_on_way(const wring_collider *c, const wring_body_pose *now, const wring_body_pose *before,
                             const double *q, const double *x, record *r)
{
  double n[3], offset, p[3];
  if (!has_passed(c, now, before, q, x, n, &offset)) return nearest(c, now, x, r);
  wring_pose_to_local(now, x, p);
  wring_pose_to_world(now, n, r->n);
  return wring_dot3(n, p) - offset;
}

/* Moves x to the surface on the side where it came from, and back along it by at most friction times depth, (8.8). */
static void project_vertex(const wring_collider *c, const wring_body_pose *now, const wring_body_pose *before,
                           const double *q, double *x)
{
  record       r;
  double       u[3], along[3];
  const double distance = nearest_on_way(c, now, before, q, x, &r);
  if (!(distance < 0)) return;
  for (int i = 0; i < 3; i++) x[i] -= distance * r.n[i];
  relative_motion(now, before, x, q, u);
  const double normal = wring_dot3(u, r.n);
  for (int i = 0; i < 3; i++) along[i] = u[i] - normal * r.n[i];
  const double length = sqrt(wring_dot3(along, along));
  if (length == 0) return;
  const double part = fmin(1, -c->friction * distance / length);
  for (int i = 0; i < 3; i++) x[i] -= part * along[i];
}

/*
  Moves the vertices of a run out of the colliders that they are in or have gone through, one after another, whose balls
  are tested against the new x.
*/
static void project_run(const wring_contact *contact, PetscInt run, const double *q, double *x)
{
  const colliders *d    = contact->data;
  const PetscInt   n    = run_length(contact, run);
  wring_ball       ball = wring_ball_around(n, x, q);
  for (int c = 0; c < d->set.n; c++) {
    if (is_ball_beyond(d, c, &ball)) continue;
    for (PetscInt v = 0; v < n; v++) {
      double u[3];
      relative_motion(&d->set.now[c], &d->before[c], x + 3 * v, q + 3 * v, u);
      if (!is_beyond(d, c, x + 3 * v, sqrt(wring_dot3(u, u))))
        project_vertex(&d->set.collider[c], &d->set.now[c], &d->before[c], q + 3 * v, x + 3 * v);
    }
    ball = wring_ball_around(n, x, q);
  }
}

static PetscErrorCode colliders_project(wring_contact *contact, const wring_contact_step *step, double *x)
{
  colliders *d = contact->data;

  PetscFunctionBegin;
  set_before(d, step->h);
#pragma omp parallel for schedule(dynamic, 8) if (contact->mesh->n_owned > SERIAL_BELOW)
  for (PetscInt run = 0; run < d->n_run; run++) {
    const PetscInt at = 3 * run * WRING_RUN;
    project_run(contact, run, step->q + at, x + at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* Keeps the positions that the next measure compares with. */
static void remember(const wring_contact *contact, const double *x)
{
  colliders *const d = contact->data;
  if (contact->mesh->n_owned > 0) memcpy(d->last, x, 3 * (size_t)contact->mesh->n_owned * sizeof *x);
  d->last_time = d->time;
}

/*
  Depth of a vertex in the collider that it is deepest in, 0 outside; adds its entry into each one that is solid, and
  counts those that it has jumped over.
*/
static PetscErrorCode measure_vertex(colliders *d, PetscInt v, const double x[3], double *deepest, PetscInt64 *jumps)
{
  record r;
  double n[3], offset;

  PetscFunctionBegin;
  *deepest = 0;
  for (int c = 0; c < d->set.n; c++) {
    if (!d->hit[(size_t)c * d->n_run + v / WRING_RUN]) continue;
    const double depth = -nearest(&d->set.collider[c], &d->set.now[c], x, &r);
    *deepest           = fmax(*deepest, depth);
    if (d->set.collider[c].inside) continue;
    if (depth > 0)
      PetscCall(wring_crossings_add(&d->crossings, v, c, r.n));
    else
      *jumps += has_passed(&d->set.collider[c], &d->set.now[c], &d->before[c], d->last + 3 * v, x, n, &offset);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colliders_measure(wring_contact *contact, const double *x, wring_contact_report *report,
                                        double *force)
{
  colliders *d     = contact->data;
  PetscInt64 jumps = 0;
  double     deepest;

  PetscFunctionBegin;
  set_before(d, d->time - d->last_time);
  find_hits(contact, x, d->last);
  for (PetscInt v = 0; v < contact->mesh->n_owned; v++) {
    PetscCall(measure_vertex(d, v, x + 3 * v, &deepest, &jumps));
    report->inside += deepest > 0;
    report->depth = fmax(report->depth, deepest);
  }
  report->lost = wring_crossings_count(&d->crossings) + jumps;
  remember(contact, x);
  for (PetscInt i = 0; i < d->n_record; i++) {
    const record *const a    = &d->record[i];
    const double        push = -d->set.collider[a->collider].stiffness * depth_of(d, a, x);
    for (int j = 0; j < 3; j++) force[3 * a->collider + j] += push * a->n[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_colliders_count(wring_contact *contact, const double *x, PetscInt64 *inside)
{
  const colliders *d = contact->data;
  record           r;
  for (int c = 0; c < d->set.n; c++) {
    inside[c] = 0;
    for (PetscInt v = 0; v < contact->mesh->n_owned; v++)
      inside[c] += !is_beyond(d, c, x + 3 * v, 0) && nearest(&d->set.collider[c], &d->set.now[c], x + 3 * v, &r) < 0;
  }
  remember(contact, x);
}

/* ---- creating colliders ------------------------------------------------------------------------------------------ */

static PetscErrorCode colliders_destroy(wring_contact *contact)
{
  colliders *d = contact->data;

  PetscFunctionBegin;
  PetscCall(wring_poses_destroy(&d->set));
  PetscCall(wring_crossings_destroy(&d->crossings));
  PetscCall(PetscFree(d->record));
  PetscCall(PetscFree(d->next));
  PetscCall(PetscFree4(d->last, d->sight, d->before, d->hit));
  PetscCall(PetscFree(d->part));
  PetscCall(PetscFree(contact->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double colliders_stiffness(const wring_contact *contact)
{
  const colliders *d       = contact->data;
  double           largest = 0;
  for (int i = 0; i < d->set.n; i++) largest = PetscMax(largest, d->set.collider[i].stiffness);
  return largest;
}

static const wring_contact_ops colliders_ops = {
  .kind = "collider",
  .losing =
    "passing through a collider: beyond its middle, pushed out on the other side, or jumped over in one step; a "
    "smaller time_step or a larger stiffness of the collider prevents this",
  .stiffness   = colliders_stiffness,
  .set_time    = colliders_set_time,
  .update      = colliders_update,
  .add         = colliders_add,
  .add_single  = colliders_add_single,
  .find_blocks = colliders_find_blocks,
  .project     = colliders_project,
  .measure     = colliders_measure,
  .destroy     = colliders_destroy,
};

PetscErrorCode wring_colliders_create(const wring_mesh *mesh, int n, const wring_collider *collider,
                                      wring_contact **contact)
{
  colliders *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->n_run = (mesh->n_owned + WRING_RUN - 1) / WRING_RUN;
  PetscCall(PetscMalloc4(3 * (size_t)mesh->n_owned, &d->last, BATCH * WRING_RUN, &d->sight, n, &d->before,
                         (size_t)n * d->n_run, &d->hit));
  for (int c = n - 1; c >= 0; c--) {
    if (collider[c].friction > 0)
      PetscCall(PetscSNPrintf(d->refusal, sizeof d->refusal,
                              "collider '%s': it has friction, expected method barrier or friction 0",
                              collider[c].name));
  }
  d->none.mesh = mesh;
  PetscCall(wring_contact_create(mesh, &colliders_ops, d, contact));
  for (int way = 0; way < WRING_CONTACT_PROJECTION && d->refusal[0]; way++) (*contact)->refusal[way] = d->refusal;
  PetscCall(wring_poses_create(*contact, n, collider, &d->set));
  PetscCall(wring_contact_set_time(*contact, 0, 0, 1));
  remember(*contact, mesh->X);
  PetscFunctionReturn(PETSC_SUCCESS);
}
