/* Connected parts, over all ranks, and those that no attachment holds and no collider may stop. */
#include "sanity_impl.h"
#include "base/exchange.h"
#include "base/vector3.h"
#include "mesh/bodies.h"
#include <math.h>
#include <string.h>

/* Of the body of each vertex: its lowest original number, and whether anything holds it. */
typedef struct {
  PetscInt *lowest, *free; // [n_local]; free: 1 or 0
} parts;

/* From what is free by itself. */
static PetscErrorCode join_elements(const wring_problem *p, parts *a)
{
  const PetscInt     n = p->mesh->n_local;
  wring_term *const *term;
  const int          n_term = wring_potential_terms(p->g, &term);
  PetscInt          *parent;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &parent));
  for (PetscInt v = 0; v < n; v++) parent[v] = v;
  for (int i = 0; i < n_term; i++) wring_term_unite(term[i], parent);
  PetscCall(PetscArraycpy(a->lowest, p->mesh->number.original, n));
  PetscCall(wring_mesh_spread_least(p->mesh, parent, a->lowest));
  PetscCall(wring_mesh_spread_least(p->mesh, parent, a->free));
  PetscCall(PetscFree(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what holds a vertex ----------------------------------------------------------------------------------------- */

static PetscErrorCode mark_attached(const wring_problem *p, parts *a)
{
  const char *const  hard = wring_potential_held_marks(p->g);
  wring_term *const *term;
  const int          n = wring_potential_terms(p->g, &term);
  double            *k;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->mesh->n_local, &k));
  for (int i = 0; i < n; i++)
    if (wring_term_is_attachment(term[i])) wring_term_add_stiffness(term[i], k);
  for (PetscInt v = 0; v < p->mesh->n_local; v++)
    if (k[v] > 0 || (hard && hard[v])) a->free[v] = 0;
  PetscCall(PetscFree(k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gravity, at the start or the end, determines the way; other loads may move vertices anywhere. */
static PetscErrorCode mark_stopped(const wring_problem *p, const wring_sanity *s, parts *a)
{
  const double *const  g    = fabs(s->start.gravity[0]) + fabs(s->start.gravity[1]) + fabs(s->start.gravity[2]) > 0
                                ? s->start.gravity
                                : s->end.gravity;
  const double         size = sqrt(wring_dot3(g, g)), way[3] = {g[0] / size, g[1] / size, g[2] / size};
  wring_contact *const colliders[] = {p->parts->colliders.contact, p->parts->barrier};
  const PetscScalar   *q;
  char                *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->mesh->n_owned, &mark));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  for (int i = 0; i < 2; i++)
    if (colliders[i] && wring_contact_parts(colliders[i]) > 0)
      wring_colliders_mark_stopped(colliders[i], size > 0 ? way : NULL, q, mark);
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++)
    if (mark[v]) a->free[v] = 0;
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With self-contact, parts may rest on one that is held. */
static PetscErrorCode may_rest(const wring_problem *p, const parts *a, PetscBool collide, PetscBool *rests)
{
  int self = collide;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->mesh->n_owned && self == 1; v++) self += !a->free[v];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &self, 1, MPI_INT, MPI_MAX, p->comm));
  *rests = (PetscBool)(self > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts that only touch --------------------------------------------------------------------------------------- */

/* A vertex: its place at rest in single precision, and the part. */
typedef struct {
  float    X[3];
  PetscInt part;
} place;

static int compare_places(const void *a, const void *b)
{
  const place *const p = a, *const q = b;
  for (int c = 0; c < 3; c++)
    if (p->X[c] != q->X[c]) return p->X[c] < q->X[c] ? -1 : 1;
  return (p->part > q->part) - (p->part < q->part);
}

/* Vertices of one place go to one rank. */
static PetscErrorCode count_coincident(const wring_problem *p, const parts *a, PetscInt64 *coincident)
{
  const wring_mesh *const m = p->mesh;
  PetscInt               *to, n;
  place                  *row, *got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)m->n_owned, &to, (size_t)m->n_owned, &row));
  for (PetscInt v = 0; v < m->n_owned; v++) {
    uint32_t bits[3];
    for (int c = 0; c < 3; c++) row[v].X[c] = (float)m->X[3 * (size_t)v + (size_t)c] + 0.0F; // no -0
    row[v].part = a->lowest[v];
    memcpy(bits, row[v].X, sizeof bits);
    to[v] = (PetscInt)((((bits[0] * 31) ^ (bits[1] * 37) ^ bits[2]) >> 8) % (uint32_t)wring_comm_size(p->comm));
  }
  PetscCall(wring_exchange_rows(p->comm, m->n_owned, to, sizeof *row, row, &n, &got));
  PetscCall(PetscFree2(to, row));
  if (n > 0) qsort(got, (size_t)n, sizeof *got, compare_places);
  *coincident = 0;
  for (PetscInt i = 1; i < n; i++)
    *coincident += memcmp(got[i].X, got[i - 1].X, sizeof got[i].X) == 0 && got[i].part != got[i - 1].part;
  PetscCall(PetscFree(got));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, coincident, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- free parts -------------------------------------------------------------------------------------------------- */

static PetscErrorCode count(const wring_problem *p, const parts *a, PetscBool rests, wring_sanity *s)
{
  PetscInt n[3] = {0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) {
    const PetscInt first = a->lowest[v] == p->mesh->number.original[v], free = a->free[v] && !rests;
    n[0] += first;
    n[1] += first && free;
    n[2] += free;
    s->free_mass += free ? p->mass[v] : 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 3, MPIU_INT, MPI_SUM, p->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &s->free_mass, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  s->part          = n[0];
  s->free_part     = n[1];
  s->free_vertices = n[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the end of the run at which their size is larger. */
static PetscErrorCode sum_free_load(const wring_problem *p, const parts *a, wring_sanity *s)
{
  double start[4], end[4];
  char  *held;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->mesh->n_owned, &held));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) held[v] = a->free[v] ? 0 : WRING_XYZ;
  PetscCall(wring_sanity_sum_acting(p, s->start.time, held, start));
  PetscCall(wring_sanity_sum_acting(p, s->end.time, held, end));
  PetscCall(PetscArraycpy(s->free_load, start[3] >= end[3] ? start : end, 3));
  s->free_size = fmax(start[3], end[3]);
  PetscCall(PetscFree(held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_find_parts(const wring_problem *p, wring_sanity *s)
{
  parts     a;
  PetscBool rests = PETSC_FALSE, barrier;

  PetscFunctionBegin;
  PetscCall(wring_problem_wants_barrier(p, &barrier));
  s->collide = (PetscBool)(barrier || p->parts->self_contact);
  PetscCall(PetscMalloc2(p->mesh->n_local, &a.lowest, p->mesh->n_local, &a.free));
  for (PetscInt v = 0; v < p->mesh->n_local; v++) a.free[v] = 1;
  PetscCall(mark_attached(p, &a));
  PetscCall(mark_stopped(p, s, &a));
  PetscCall(join_elements(p, &a));
  PetscCall(may_rest(p, &a, s->collide, &rests));
  PetscCall(count(p, &a, rests, s));
  if (s->part > 1 && !s->collide) PetscCall(count_coincident(p, &a, &s->coincident));
  if (s->free_part > 0) PetscCall(sum_free_load(p, &a, s));
  PetscCall(PetscFree2(a.lowest, a.free));
  PetscFunctionReturn(PETSC_SUCCESS);
}
