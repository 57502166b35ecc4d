/*
  Analytic colliders: every owned vertex against every one of them, in closed form. A vertex that is inside one, and not on its way
  out, is held off by the tangent plane at the nearest point of the surface, frozen until the next update. So is one outside that
  may be inside next: it is watched, so that a line search knows of the surface before it is behind it. docs/theory.md 8
*/
#include "contact_impl.h"
#include "shape.h"
#include <math.h>

/* Where a collider is: x = frame p + centre. */
typedef struct {
  double frame[9], centre[3];
} pose;

/* psi = k/2 min(0, n.(x - centre of the collider) - offset)^2 */
typedef struct {
  int       collider;
  PetscInt  vertex;
  PetscBool inside; // in contact; else watched
  double    n[3], offset;
} record;

typedef struct {
  int                n;
  wring_collider    *collider; // [n]
  wring_time_curve **path;     // [n] theirs, or NULL
  pose              *now;      // [n] at `time`
  double             time;     // s
  PetscInt           n_record, room;
  record            *record, *next; // [room] by collider, then vertex; next: of the update that is being made
  char               refusal[256];  // or ""
} colliders;

/* ---- where they are ---------------------------------------------------------------------------------------------- */

static pose pose_at(const wring_collider *c, double time)
{
  const double t = fmin(time, c->motion.until);
  double       R[9];
  pose         p = {{0}, {0}};
  double       shift[3];
  wring_rotation(c->motion.spin, t, R);
  for (int i = 0; i < 3; i++) shift[i] = t * c->motion.velocity[i];
  if (c->motion.path) wring_time_curve_at(c->motion.path, t, shift);
  for (int i = 0; i < 3; i++) {
    p.centre[i] = c->centre[i] + shift[i];
    for (int j = 0; j < 9; j++) p.frame[3 * i + j % 3] += R[3 * i + j / 3] * c->frame[j];
  }
  return p;
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* local = frame^T (x - centre) */
static void to_local(const pose *at, const double x[3], double local[3])
{
  for (int j = 0; j < 3; j++) {
    local[j] = 0;
    for (int i = 0; i < 3; i++) local[j] += at->frame[3 * i + j] * (x[i] - at->centre[i]);
  }
}

static void to_world(const pose *at, const double local[3], double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = dot(at->frame + 3 * i, local);
}

/* Signed distance from where vertices may be, < 0 where they may not; the plane of r, n out of where they may not be. */
static double nearest(const wring_collider *c, const pose *at, const double x[3], record *r)
{
  const double sign = c->inside ? -1 : 1;
  double       p[3], n[3], offset;
  to_local(at, x, p);
  const double distance = wring_shape_nearest(c, p, n, &offset);
  to_world(at, n, r->n);
  for (int i = 0; i < 3; i++) r->n[i] *= sign;
  r->offset = sign * offset;
  return sign * distance;
}

/* Motion of a vertex in the step less that of the point of the collider that is where it is now. */
static void relative_motion(const pose *now, const pose *before, const double x[3], const double q[3], double u[3])
{
  double p[3], moved[3];
  to_local(now, x, p);
  to_world(before, p, moved);
  for (int i = 0; i < 3; i++) u[i] = moved[i] + before->centre[i] - q[i];
}

/* ---- the active set ---------------------------------------------------------------------------------------------- */

static PetscErrorCode make_room(colliders *d, PetscInt n)
{
  PetscFunctionBegin;
  if (n <= d->room) PetscFunctionReturn(PETSC_SUCCESS);
  d->room = 2 * n;
  PetscCall(PetscRealloc(sizeof *d->record * (size_t)d->room, &d->record));
  PetscCall(PetscRealloc(sizeof *d->next * (size_t)d->room, &d->next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool same_plane(const record *a, const record *b)
{
  return (PetscBool)(a->n[0] == b->n[0] && a->n[1] == b->n[1] && a->n[2] == b->n[2] && a->offset == b->offset);
}

/* The record of r's vertex and collider before, or NULL; moves `old` on behind it, past those that are gone. */
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

/* What has become of a record. */
static void count_change(const record *was, const record *now, wring_contact_change *change)
{
  const int before = was && was->inside;
  change->active += now->inside;
  change->added += now->inside && !before;
  change->released += before && !now->inside;
  change->moved += !was || !same_plane(was, now);
}

/*
  The records of collider c, (8.2): vertices inside that had one before or are not leaving, and those that are nearer to the surface
  than they have come in the step. n counts the records of `next`, old those of before that have been met.
*/
static PetscErrorCode find_contacts(wring_contact *contact, int c, const wring_contact_step *step, const double *x,
                                    PetscInt *old, PetscInt *n, wring_contact_change *change)
{
  colliders            *d      = contact->data;
  const wring_collider *k      = &d->collider[c];
  const pose            before = pose_at(k, d->time - step->h);
  record                r      = {.collider = c};
  double                u[3];

  PetscFunctionBegin;
  for (r.vertex = 0; r.vertex < contact->mesh->n_owned; r.vertex++) {
    const double *const at = x + 3 * r.vertex, distance = nearest(k, &d->now[c], at, &r);
    relative_motion(&d->now[c], &before, at, step->q + 3 * r.vertex, u);
    if (!(distance < 0 || distance < sqrt(dot(u, u)))) continue;
    PetscCall(make_room(d, *n + 1));
    const record *const was = find_before(d, &r, old, change);
    r.inside                = (PetscBool)(distance < 0);
    if (r.inside && !was && distance + dot(u, r.n) > 0) continue;
    d->next[(*n)++] = r;
    count_change(was, &r, change);
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
  for (int c = 0; c < d->n; c++) PetscCall(find_contacts(contact, c, step, x, &old, &n, change));
  find_before(d, &(record){.collider = d->n}, &old, change);
  record *const swap = d->record;
  d->record          = d->next;
  d->next            = swap;
  d->n_record        = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colliders_set_time(wring_contact *contact, double time)
{
  colliders *d = contact->data;

  PetscFunctionBegin;
  d->time     = time;
  d->n_record = 0;
  for (int c = 0; c < d->n; c++) d->now[c] = pose_at(&d->collider[c], time);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* min(0, n.(x - centre) - offset) */
static double depth_of(const colliders *d, const record *r, const double *x)
{
  const double *const centre = d->now[r->collider].centre, *const at = x + 3 * r->vertex;
  const double from[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};
  return fmin(0, dot(r->n, from) - r->offset);
}

static PetscErrorCode colliders_add(wring_contact *contact, wring_work work, const double *x, double *f, double *energy)
{
  const colliders *d   = contact->data;
  double           sum = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->n_record; i++) {
    const record *const r = &d->record[i];
    const double        k = d->collider[r->collider].stiffness, s = depth_of(d, r, x);
    sum += 0.5 * k * s * s;
    for (int j = 0; j < 3 && (work & WRING_GRADIENT); j++) f[3 * r->vertex + j] += k * s * r->n[j];
  }
  if (work & WRING_VALUE) *energy += sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* k n n^T while the plane is passed. */
static PetscErrorCode colliders_add_hessian(wring_contact *contact, const double *x, double *diagonal)
{
  const colliders *d = contact->data;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->n_record; i++) {
    const record *const r = &d->record[i];
    const double        k = depth_of(d, r, x) < 0 ? d->collider[r->collider].stiffness : 0;
    for (int j = 0; j < 9; j++) diagonal[9 * r->vertex + j] += k * r->n[j / 3] * r->n[j % 3];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- projection -------------------------------------------------------------------------------------------------- */

/* To the surface, and back along it by at most friction times the depth, (8.8). */
static void project_vertex(const wring_collider *c, const pose *now, const pose *before, const double *q, double *x)
{
  record       r;
  double       u[3], along[3];
  const double distance = nearest(c, now, x, &r);
  if (!(distance < 0)) return;
  for (int i = 0; i < 3; i++) x[i] -= distance * r.n[i];
  relative_motion(now, before, x, q, u);
  const double normal = dot(u, r.n);
  for (int i = 0; i < 3; i++) along[i] = u[i] - normal * r.n[i];
  const double length = sqrt(dot(along, along));
  if (length == 0) return;
  const double part = fmin(1, -c->friction * distance / length);
  for (int i = 0; i < 3; i++) x[i] -= part * along[i];
}

static PetscErrorCode colliders_project(wring_contact *contact, const wring_contact_step *step, double *x)
{
  const colliders *d = contact->data;

  PetscFunctionBegin;
  for (int c = 0; c < d->n; c++) {
    const pose before = pose_at(&d->collider[c], d->time - step->h);
    for (PetscInt v = 0; v < contact->mesh->n_owned; v++)
      project_vertex(&d->collider[c], &d->now[c], &before, step->q + 3 * v, x + 3 * v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is asked of them --------------------------------------------------------------------------------------- */

static const char *colliders_refusal(const wring_contact *contact, wring_contact_way way)
{
  const colliders *d = contact->data;
  return way == WRING_CONTACT_ENERGY && d->refusal[0] ? d->refusal : NULL;
}

static int colliders_parts(const wring_contact *contact)
{
  const colliders *d = contact->data;
  return d->n;
}

static const char *colliders_part_name(const wring_contact *contact, int part)
{
  const colliders *d = contact->data;
  return d->collider[part].name;
}

static PetscErrorCode colliders_measure(wring_contact *contact, const double *x, wring_contact_report *report,
                                        double *force)
{
  const colliders *d = contact->data;
  record           r;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < contact->mesh->n_owned; v++) {
    double deepest = 0;
    for (int c = 0; c < d->n; c++) deepest = fmax(deepest, -nearest(&d->collider[c], &d->now[c], x + 3 * v, &r));
    report->inside += deepest > 0;
    report->depth = fmax(report->depth, deepest);
  }
  for (PetscInt i = 0; i < d->n_record; i++) {
    const record *const a    = &d->record[i];
    const double        push = -d->collider[a->collider].stiffness * depth_of(d, a, x);
    for (int j = 0; j < 3; j++) force[3 * a->collider + j] += push * a->n[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_colliders_count(const wring_contact *contact, const double *x, PetscInt64 *inside)
{
  const colliders *d = contact->data;
  record           r;
  for (int c = 0; c < d->n; c++) {
    inside[c] = 0;
    for (PetscInt v = 0; v < contact->mesh->n_owned; v++)
      inside[c] += nearest(&d->collider[c], &d->now[c], x + 3 * v, &r) < 0;
  }
}

/* ---- making them ------------------------------------------------------------------------------------------------- */

const char wring_shapes[] = "half_space|sphere|torus|capsule|cylinder|box";

/* The other columns: a unit vector across the axis, away from the coordinate it is largest in, and their cross product. */
void wring_frame_of_axis(const double axis[3], double frame[9])
{
  const double length = sqrt(dot(axis, axis)), z[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const int    i = fabs(z[0]) <= fabs(z[1]) && fabs(z[0]) <= fabs(z[2]) ? 0 : fabs(z[1]) <= fabs(z[2]) ? 1 : 2;
  double       x[3];
  for (int j = 0; j < 3; j++) x[j] = (i == j) - z[i] * z[j];
  const double across = sqrt(dot(x, x));
  for (int j = 0; j < 3; j++) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    frame[3 * j]     = x[j] / across;
    frame[3 * j + 1] = (z[k] * x[l] - z[l] * x[k]) / across;
    frame[3 * j + 2] = z[j];
  }
}

void wring_frame_of_turn(const double turn[3], double frame[9])
{
  wring_rotation(turn, 1, frame);
}

static PetscErrorCode colliders_destroy(wring_contact *contact)
{
  colliders *d = contact->data;

  PetscFunctionBegin;
  for (int c = 0; c < d->n; c++) PetscCall(wring_time_curve_destroy(&d->path[c]));
  PetscCall(PetscFree(d->path));
  PetscCall(PetscFree(d->record));
  PetscCall(PetscFree(d->next));
  PetscCall(PetscFree(d->collider));
  PetscCall(PetscFree(d->now));
  PetscCall(PetscFree(contact->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const wring_contact_ops colliders_ops = {
  .kind        = "collider",
  .refusal     = colliders_refusal,
  .set_time    = colliders_set_time,
  .update      = colliders_update,
  .add         = colliders_add,
  .add_hessian = colliders_add_hessian,
  .project     = colliders_project,
  .parts       = colliders_parts,
  .part_name   = colliders_part_name,
  .measure     = colliders_measure,
  .destroy     = colliders_destroy,
};

PetscErrorCode wring_colliders_create(const wring_mesh *mesh, int n, const wring_collider *collider,
                                      wring_contact **contact)
{
  colliders *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->n = n;
  PetscCall(PetscMalloc1(n, &d->collider));
  PetscCall(PetscMalloc1(n, &d->now));
  PetscCall(PetscMalloc1(n, &d->path));
  PetscCall(PetscArraycpy(d->collider, collider, n));
  for (int c = 0; c < n; c++) {
    PetscCall(wring_time_curve_copy(collider[c].motion.path, &d->path[c]));
    d->collider[c].motion.path = d->path[c];
  }
  for (int c = n - 1; c >= 0; c--) {
    if (collider[c].friction > 0)
      PetscCall(PetscSNPrintf(d->refusal, sizeof d->refusal,
                              "collider '%s': it has friction, expected friction 0 or one of xpbd, pbd, rgc, penalty",
                              collider[c].name));
  }
  PetscCall(wring_contact_create(mesh, &colliders_ops, d, contact));
  PetscCall(wring_contact_set_time(*contact, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
