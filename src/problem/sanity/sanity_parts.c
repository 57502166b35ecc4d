/* Connected parts, over all ranks, and those that no attachment holds and no collider may stop. */
#include "sanity_impl.h"
#include "base/forest.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

/*
  Local components, and of each the lowest original number and whether it is held, which become those of the whole part
  when they are exchanged.
*/
typedef struct {
  const wring_mesh *m;
  PetscInt         *parent;        // [n_local] a local vertex of the same component, the same for all of them
  PetscInt         *lowest, *held; // [n_local]
} parts;

static PetscErrorCode join_elements(const wring_problem *p, parts *a)
{
  const PetscInt     n = p->mesh->n_local;
  wring_term *const *term;
  const int          n_term = wring_potential_terms(p->g, &term);

  PetscFunctionBegin;
  *a = (parts){.m = p->mesh};
  PetscCall(PetscMalloc1(n, &a->parent));
  PetscCall(PetscMalloc2(n, &a->lowest, n, &a->held));
  for (PetscInt v = 0; v < n; v++) a->parent[v] = v;
  for (int i = 0; i < n_term; i++) wring_term_unite(term[i], a->parent);
  for (PetscInt v = 0; v < n; v++) {
    a->parent[v] = wring_root(a->parent, v);
    a->lowest[v] = p->mesh->original[v];
    a->held[v]   = 0;
  }
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
    if (k[v] > 0 || (hard && hard[v])) a->held[v] = 1;
  PetscCall(PetscFree(k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gravity, at the start or the end, determines the way; other loads may move vertices anywhere. */
static PetscErrorCode mark_stopped(const wring_problem *p, const wring_sanity *s, parts *a)
{
  const double *const g    = fabs(s->start.gravity[0]) + fabs(s->start.gravity[1]) + fabs(s->start.gravity[2]) > 0
                               ? s->start.gravity
                               : s->end.gravity;
  const double        size = sqrt(wring_dot3(g, g)), way[3] = {g[0] / size, g[1] / size, g[2] / size};
  const PetscScalar  *q;
  char               *mark;

  PetscFunctionBegin;
  if (!p->parts->colliders.contact) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(p->mesh->n_owned, &mark));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  wring_colliders_mark_stopped(p->parts->colliders.contact, size > 0 ? way : NULL, q, mark);
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++)
    if (mark[v]) a->held[v] = 1;
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- from components to parts ------------------------------------------------------------------------------------ */

/* Gives every vertex the values of its component; counts those that change. */
static PetscInt64 spread(parts *a)
{
  PetscInt64 changed = 0;
  for (PetscInt v = 0; v < a->m->n_local; v++) {
    const PetscInt r = a->parent[v];
    a->lowest[r]     = PetscMin(a->lowest[r], a->lowest[v]);
    a->held[r]       = PetscMax(a->held[r], a->held[v]);
  }
  for (PetscInt v = 0; v < a->m->n_local; v++) {
    const PetscInt r = a->parent[v];
    changed += a->lowest[v] != a->lowest[r] || a->held[v] != a->held[r];
    a->lowest[v] = a->lowest[r];
    a->held[v]   = a->held[r];
  }
  return changed;
}

static PetscErrorCode exchange(const wring_mesh *m, MPI_Op op, PetscInt *value)
{
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(m->halo, MPIU_INT, value, value, op));
  PetscCall(PetscSFReduceEnd(m->halo, MPIU_INT, value, value, op));
  PetscCall(PetscSFBcastBegin(m->halo, MPIU_INT, value, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, MPIU_INT, value, value, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many rounds as the part that extends over most ranks has between them. */
static PetscErrorCode join_ranks(parts *a)
{
  PetscInt64 changed;

  PetscFunctionBegin;
  spread(a);
  do {
    PetscCall(exchange(a->m, MPI_MIN, a->lowest));
    PetscCall(exchange(a->m, MPI_MAX, a->held));
    changed = spread(a);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPIU_INT64, MPI_SUM, a->m->comm));
  } while (changed > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With self-contact, parts may rest on one that is held. */
static PetscErrorCode may_rest(const wring_problem *p, const parts *a, PetscBool *rests)
{
  wring_contact *const *contact;
  const int             n    = wring_potential_contacts(p->g, &contact);
  int                   self = 0;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) self |= !strcmp(wring_contact_kind(contact[i]), "self_contact");
  for (PetscInt v = 0; v < p->mesh->n_owned && self == 1; v++) self += a->held[v] > 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &self, 1, MPI_INT, MPI_MAX, p->comm));
  *rests = (PetscBool)(self > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- free parts -------------------------------------------------------------------------------------------------- */

static PetscErrorCode count(const wring_problem *p, const parts *a, PetscBool rests, wring_sanity *s)
{
  PetscInt n[3] = {0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) {
    const PetscInt first = a->lowest[v] == p->mesh->original[v], free = !a->held[v] && !rests;
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

/* Loads on the free parts at one end of the run. */
static PetscErrorCode sum_free_load(const wring_problem *p, const parts *a, double time, double sum[4])
{
  double *f;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * p->mesh->n_owned, &f));
  PetscCall(wring_loads_accelerate(p->loads, time, p->state.q, f));
  for (int c = 0; c < 4; c++) sum[c] = 0;
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) {
    if (a->held[v]) continue;
    for (int c = 0; c < 3; c++) sum[c] += p->mass[v] * f[3 * v + c];
    sum[3] += p->mass[v] * sqrt(wring_dot3(f + 3 * v, f + 3 * v));
  }
  PetscCall(PetscFree(f));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_find_parts(const wring_problem *p, wring_sanity *s)
{
  parts     a;
  double    start[4], end[4];
  PetscBool rests = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(join_elements(p, &a));
  PetscCall(mark_attached(p, &a));
  PetscCall(mark_stopped(p, s, &a));
  PetscCall(join_ranks(&a));
  PetscCall(may_rest(p, &a, &rests));
  PetscCall(count(p, &a, rests, s));
  if (s->free_part > 0) {
    PetscCall(sum_free_load(p, &a, s->start.time, start));
    PetscCall(sum_free_load(p, &a, s->end.time, end));
    PetscCall(PetscArraycpy(s->free_load, start[3] >= end[3] ? start : end, 3));
    s->free_size = fmax(start[3], end[3]);
  }
  PetscCall(PetscFree2(a.lowest, a.held));
  PetscCall(PetscFree(a.parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}
