/*
  Self-contact: vertices of the surface against its triangles, and edges, E_c = sum over pairs of k/2 min(0, n . G x -
  thickness)^2. Weights, n and the set of pairs are frozen between updates. docs/theory.md (9.1) to (9.9b)
*/
#include "contact_impl.h"
#include "crossings.h"
#include "jumps.h"
#include "pairs.h"
#include "base/vector3.h"
#include <string.h>

typedef struct {
  double       stiffness; // N/m
  wring_pairs *pairs;

  wring_crossings crossings; // up to the last measure
  double         *last;      // [n_local][3] m: positions at it
} self_contact;

const wring_option wring_self_contact_options[] = {
  {"method", WRING_WORD, .choices = "penalty|barrier", .value = "penalty",
   .help = "Way in which bodies keep apart: penalty pushes vertices out of bodies, barrier never lets surfaces meet. "
           "Each key of self_contact turns it on."},
  {"gap", WRING_REAL, .unit = "m", .range = "(0,inf)", .at = WRING_AT(wring_self_contact, gap),
   .help = "Distance below which surfaces repel each other by the barrier; default: 1e-3 of the diagonal of the box "
           "around the bodies at rest, or a quarter of the least distance at rest of parts without a common vertex."},
  {"friction", WRING_REAL, .range = "[0,inf)", .value = "0", .at = WRING_AT(wring_self_contact, friction),
   .help = "Coefficient of Coulomb's friction between surfaces, of the barrier."},
  {"slip_speed", WRING_REAL, .unit = "m/s", .range = "(0,inf)", .at = WRING_AT(wring_self_contact, slip_speed),
   .help =
     "Speed of surfaces along each other below which the force of friction is less, down to 0 at rest: what sticks "
     "creeps slower; in statics per pseudo-time. Default: 1e-3 of the diagonal of the box around the bodies at "
     "rest per second."},
  {"stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)",
   .help = "Stiffness of each surface vertex that touches a triangle, and of edges that cross, of the penalty."},
  {"thickness", WRING_REAL, .unit = "m", .range = "[0,inf)", .value = "0",
   .at   = WRING_AT(wring_self_contact, thickness),
   .help = "Distance below which vertices and triangles repel each other by the penalty."},
  {"max_depth", WRING_REAL, .unit = "m", .range = "(0,inf)", .at = WRING_AT(wring_self_contact, max_depth),
   .help = "Depth beyond which the penalty ignores vertices inside a body; default: half the mean edge of the "
           "surface."},
  {0},
};

/* Triangles have no prescribed motion: only the pairs of the previous time are discarded. */
static PetscErrorCode self_set_time(wring_contact *contact, double begin, double time, double part)
{
  self_contact *d = contact->data;

  PetscFunctionBegin;
  (void)begin;
  (void)part;
  (void)time;
  d->pairs->n_pair = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the active set ---------------------------------------------------------------------------------------------- */

PetscErrorCode wring_self_contact_note_lost(wring_contact *contact, const double *x)
{
  self_contact *d = contact->data;
  PetscInt64    lost;

  PetscFunctionBegin;
  PetscCall(wring_pairs_count_lost(d->pairs, x, &lost));
  PetscCall(PetscArraycpy(d->last, x, 3 * contact->mesh->n_local));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPIU_INT64, MPI_SUM, contact->mesh->comm));
  if (lost > 0)
    PetscCall(wring_note(contact->mesh->comm,
                         "self_contact: %lld vertices are inside a body at the start, deeper than max_depth %g m: no "
                         "force pushes them out",
                         (long long)lost, d->pairs->depth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next vertex of pairs that push, from `begin` on, and the range run [2] of its pairs; PETSC_MAX_INT: none. */
static PetscInt next_run(const wring_pairs *p, PetscInt n, const wring_pair *pair, PetscInt begin, PetscInt run[2])
{
  while (begin < n && pair[begin].d >= p->thickness) begin++;
  run[0] = run[1] = begin;
  if (begin == n) return PETSC_MAX_INT;
  while (run[1] < n && pair[run[1]].near.vertex == pair[begin].near.vertex && pair[run[1]].d < p->thickness) run[1]++;
  return pair[begin].near.vertex;
}

static PetscBool same_pair(const wring_pair *a, const wring_pair *b)
{
  return (PetscBool)(!memcmp(a->near.original, b->near.original, sizeof a->near.original) &&
                     !memcmp(a->w, b->w, sizeof a->w) && !memcmp(a->n, b->n, sizeof a->n));
}

/*
  Compares the pairs that push at x, before and now; others add nothing to g and its gradient. Pairs are compared by
  vertex, so that a vertex that slides from one triangle to the next counts as moved, not as new.
*/
static void compare_sets(const wring_pairs *p, wring_contact_change *change)
{
  PetscInt now[2] = {0, 0}, old[2] = {0, 0};
  for (;;) {
    const PetscInt v_now  = next_run(p, p->n_pair, p->pair, now[1], now),
                   v_old  = next_run(p, p->n_old, p->old, old[1], old);
    const PetscInt vertex = PetscMin(v_now, v_old);
    if (vertex == PETSC_MAX_INT) return;
    if (v_now != vertex) now[1] = now[0];
    if (v_old != vertex) old[1] = old[0];
    const PetscInt a = now[1] - now[0], b = old[1] - old[0];
    change->active += a;
    change->added += PetscMax(a - b, 0);
    change->released += PetscMax(b - a, 0);
    for (PetscInt k = 0; k < PetscMin(a, b); k++)
      change->moved += !same_pair(p->pair + now[0] + k, p->old + old[0] + k);
  }
}

static PetscErrorCode self_update(wring_contact *contact, const wring_contact_step *step, const double *x,
                                  PetscBool first, wring_contact_change *change)
{
  self_contact *d = contact->data;

  PetscFunctionBegin;
  (void)step;
  PetscCall(wring_pairs_update(d->pairs, x, first));
  compare_sets(d->pairs, change);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- energy and forces ------------------------------------------------------------------------------------------- */

/* Adds c factor times n at the vertex of a pair, and -w_a factor times n at its corners. */
static void scatter(wring_pairs *p, const wring_pair *pair, double factor, double *f)
{
  for (int k = 0; k < 3; k++) {
    const double one = factor * pair->n[k];
    f[3 * pair->near.vertex + k] += pair->c * one;
    for (int a = 0; a < 3; a++) wring_corners_at(&p->far, pair->place[a], f, p->far_f)[k] -= pair->w[a] * one;
  }
}

static PetscErrorCode self_add(wring_contact *contact, wring_work work, const double *x, double *f, double *energy)
{
  self_contact *d = contact->data;
  wring_pairs  *p = d->pairs;
  double       *of_pair;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)p->n_pair, &of_pair));
  PetscCall(wring_pairs_fetch(p, x));
  if (work & WRING_GRADIENT) PetscCall(PetscArrayzero(p->far_f, 3 * p->far.n));
  for (PetscInt i = 0; i < p->n_pair; i++) {
    const double u = PetscMin(0, wring_pair_distance(p, p->pair + i, x) - p->thickness);
    of_pair[i]     = 0.5 * d->stiffness * u * u;
    if (work & WRING_GRADIENT) scatter(p, p->pair + i, d->stiffness * u, f);
  }
  if (work & WRING_GRADIENT) PetscCall(wring_corners_add(&p->far, p->mesh->forest.vector, p->far_f, f));
  if (work & WRING_VALUE) *energy += wring_pairwise_sum(p->n_pair, of_pair);
  PetscCall(PetscFree(of_pair));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Hessian: pairs that push at x ------------------------------------------------------------------------------- */

/* k (G^T n) (G^T n)^T of pair i. */
static int hessian_of(const void *context, const double *x, PetscInt i, double *H, PetscInt *place)
{
  const self_contact *const d    = context;
  const wring_pair *const   pair = d->pairs->pair + i;
  const double g[4] = {pair->c, -pair->w[0], -pair->w[1], -pair->w[2]}, *const n = pair->n;
  if (wring_pair_distance(d->pairs, pair, x) >= d->pairs->thickness) return 0;
  for (int a = 0; a < 4; a++) place[a] = a > 0 ? pair->place[a - 1] : pair->near.vertex;
  for (int k = 0; k < 144; k++) H[k] = d->stiffness * g[k / 36] * n[k / 12 % 3] * g[k % 12 / 3] * n[k % 3];
  return 12;
}

static PetscErrorCode self_find_blocks(wring_contact *contact, const double *x, wring_blocks *b)
{
  self_contact *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(wring_pairs_fetch(d->pairs, x));
  *b = (wring_blocks){d->pairs->n_pair, &d->pairs->far, hessian_of, d};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/*
  Vertices and edges of this rank that have gone through a body since the last measure; none if no vertex has moved as
  far as the depth from which they are lost.
*/
static PetscErrorCode count_jumps(wring_contact *contact, const double *x, PetscInt64 *jumps)
{
  self_contact      *d        = contact->data;
  wring_pairs *const p        = d->pairs;
  double             farthest = 0;

  PetscFunctionBegin;
  *jumps = 0;
  for (PetscInt i = 0; i < 3 * contact->mesh->n_owned; i += 3)
    farthest = PetscMax(farthest, wring_distance3(x + i, d->last + i));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &farthest, 1, MPI_DOUBLE, MPI_MAX, contact->mesh->comm));
  if (farthest > p->depth) PetscCall(wring_jumps_count(contact->mesh, p->skin, p->n_edge, p->edge, d->last, x, jumps));
  PetscCall(PetscArraycpy(d->last, x, 3 * contact->mesh->n_local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the pairs at x and discards them afterwards. */
static PetscErrorCode self_measure(wring_contact *contact, const double *x, wring_contact_report *report, double *force)
{
  self_contact  *d     = contact->data;
  wring_pairs   *p     = d->pairs;
  const PetscInt begin = p->n_pair;
  PetscInt       last  = -1;
  PetscInt64     deep, jumps;

  PetscFunctionBegin;
  (void)force;
  PetscCall(wring_pairs_append(p, x));
  for (PetscInt i = begin; i < p->n_pair; i++) {
    if (p->pair[i].d >= 0) continue;
    report->depth = PetscMax(report->depth, -p->pair[i].d);
    if (p->pair[i].edges) continue;
    report->inside += p->pair[i].near.vertex != last;
    last = p->pair[i].near.vertex;
    PetscCall(wring_crossings_add(&d->crossings, last, p->pair[i].near.body, p->pair[i].n));
  }
  p->n_pair = begin;
  PetscCall(wring_pairs_count_lost(p, x, &deep));
  PetscCall(count_jumps(contact, x, &jumps));
  report->lost = deep + wring_crossings_count(&d->crossings) + jumps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode self_destroy(wring_contact *contact)
{
  self_contact *d = contact->data;

  PetscFunctionBegin;
  PetscCall(wring_crossings_destroy(&d->crossings));
  PetscCall(wring_pairs_destroy(&d->pairs));
  PetscCall(PetscFree(d->last));
  PetscCall(PetscFree(contact->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double self_stiffness(const wring_contact *contact)
{
  const self_contact *d = contact->data;
  return d->stiffness;
}

static const wring_contact_ops self_ops = {
  .kind = "self_contact",
  .losing =
    "passing through a body: deeper inside than self_contact.max_depth, where no force pushes them out, "
    "beyond the middle of a wall, or jumped over in one step, where edges count, too; a smaller time_step or a larger "
    "self_contact.thickness or stiffness prevents this",
  .refusal     = {[WRING_CONTACT_SINGLE]     = "self_contact: its energy joins vertices, which move one at a time",
                  [WRING_CONTACT_PROJECTION] = "self_contact: it has an energy, but no projection"},
  .stiffness   = self_stiffness,
  .set_time    = self_set_time,
  .update      = self_update,
  .add         = self_add,
  .find_blocks = self_find_blocks,
  .measure     = self_measure,
  .destroy     = self_destroy,
};

PetscErrorCode wring_contact_create_self(const wring_mesh *mesh, const wring_self_contact *how, wring_contact **c)
{
  self_contact *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->stiffness = how->stiffness;
  PetscCall(wring_pairs_create(mesh, how->thickness, how->max_depth, &d->pairs));
  d->pairs->far.phases = how->phases;
  PetscCall(PetscMalloc1(3 * (size_t)mesh->n_local, &d->last));
  PetscCall(PetscArraycpy(d->last, mesh->X, 3 * mesh->n_local));
  PetscCall(wring_contact_create(mesh, &self_ops, d, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
