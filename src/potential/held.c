/*
  Vertices held by hard attachments (Dirichlet conditions) are not unknowns: y and x are at the targets of the
  attachments, gradients and residuals are 0 there, and rows and columns of matrices are those of M/h^2. docs/theory.md
  (3.10), (3.11), for statics (2.10)
*/
#include "potential_impl.h"
#include <math.h>

/* Marks the vertices that this rank's attachments hold; e reports a vertex that two of them hold. */
static void mark_vertices(const wring_potential *g, int *holder, wring_error *e)
{
  const PetscInt *vertex;
  const double   *target;
  for (PetscInt i = 0; i < g->mesh->n_local; i++) holder[i] = -1;
  for (int t = 0; t < g->n_term; t++) {
    const PetscInt n = wring_term_held(g->term[t], &vertex, &target);
    for (PetscInt i = 0; i < n; i++) {
      const int other = holder[vertex[i]];
      if (other >= 0)
        wring_error_set(
          e, "attach: vertex %" PetscInt_FMT " is held by '%s' and by '%s', expected one hard attachment per vertex",
          g->mesh->original[vertex[i]], wring_term_name(g->term[other]), wring_term_name(g->term[t]));
      holder[vertex[i]] = t;
    }
  }
}

static PetscErrorCode free_held(wring_held *held)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(held->vertex, held->place, held->free, held->force, held->term));
  PetscCall(PetscFree(held->mark));
  *held = (wring_held){.n = 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_destroy_held(wring_potential *g)
{
  PetscFunctionBegin;
  PetscCall(free_held(&g->held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists the held vertices, term by term, from the marks of this rank. */
static PetscErrorCode list_vertices(wring_potential *g, const int *holder)
{
  const PetscInt  n_local = g->mesh->n_local;
  wring_held     *held    = &g->held;
  const PetscInt *vertex;
  const double   *target;
  PetscInt        n = 0;

  PetscFunctionBegin;
  for (int t = 0; t < g->n_term; t++) n += wring_term_held(g->term[t], &vertex, &target);
  PetscCall(PetscCalloc5(n, &held->vertex, (size_t)3 * n, &held->place, (size_t)3 * n, &held->free, (size_t)3 * n,
                         &held->force, n, &held->term));
  PetscCall(PetscCalloc1(n_local, &held->mark));
  for (int t = 0; t < g->n_term; t++) {
    const PetscInt m = wring_term_held(g->term[t], &vertex, &target);
    for (PetscInt i = 0; i < m; i++, held->n++) held->vertex[held->n] = vertex[i], held->term[held->n] = t;
  }
  for (PetscInt i = 0; i < g->mesh->n_owned; i++) held->mark[i] = holder[i] >= 0;
  PetscCall(PetscSFBcastBegin(g->mesh->halo, MPI_CHAR, held->mark, held->mark, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(g->mesh->halo, MPI_CHAR, held->mark, held->mark, MPI_REPLACE));
  PetscCallMPI(MPI_Allreduce(&held->n, &held->n_all, 1, MPIU_INT, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the rows of held vertices from a vector to an array, or back. */
static PetscErrorCode copy_rows(const wring_held *held, PetscBool back, Vec v, double *row)
{
  double *va;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &va));
  for (size_t i = 0; i < 3 * (size_t)held->n; i++) {
    double *const at = va + 3 * held->vertex[i / 3] + i % 3;
    if (back)
      *at = row[i];
    else
      row[i] = *at;
  }
  PetscCall(VecRestoreArray(v, &va));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_list_held(wring_potential *g)
{
  wring_error error = {""};
  int        *holder;

  PetscFunctionBegin;
  PetscCall(copy_rows(&g->held, PETSC_TRUE, g->y, g->held.free));
  PetscCall(free_held(&g->held));
  PetscCall(PetscMalloc1(g->mesh->n_local, &holder));
  mark_vertices(g, holder, &error);
  PetscCall(wring_error_raise(g->comm, &error));
  PetscCall(list_vertices(g, holder));
  PetscCall(PetscFree(holder));
  PetscCall(copy_rows(&g->held, PETSC_FALSE, g->y, g->held.free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_move_held(wring_potential *g)
{
  const PetscInt *vertex;
  const double   *target, *q;
  double         *place = g->held.place;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->q, &q));
  for (int t = 0; t < g->n_term; t++) {
    const PetscInt n = wring_term_held(g->term[t], &vertex, &target);
    for (size_t i = 0; i < 3 * (size_t)n; i++) {
      const double start = q[3 * vertex[i / 3] + i % 3];
      *place++           = g->part == 1 ? target[i] : start + g->part * (target[i] - start);
    }
  }
  PetscCall(VecRestoreArrayRead(g->q, &q));
  PetscCall(copy_rows(&g->held, PETSC_TRUE, g->y, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hold_target(wring_potential *g)
{
  PetscFunctionBegin;
  PetscCall(copy_rows(&g->held, PETSC_FALSE, g->y, g->held.free));
  PetscCall(copy_rows(&g->held, PETSC_TRUE, g->y, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_potential_clear_held(wring_potential *g, PetscBool gradient, double *f)
{
  wring_held *const held = &g->held;
  for (size_t i = 0; i < 3 * (size_t)held->n; i++) {
    const PetscInt v  = held->vertex[i / 3];
    double *const  at = f + 3 * v + i % 3;
    if (gradient && g->is_static)
      held->force[i] = *at;
    else if (gradient)
      held->force[i] = *at + g->mass[v] / (g->h * g->h) * (held->place[i] - held->free[i]);
    *at = 0;
  }
}

void wring_potential_add_held(const wring_potential *g, double *force)
{
  for (PetscInt i = 0; i < 3 * g->held.n; i++) force[3 * g->held.term[i / 3] + i % 3] += g->held.force[i];
}

/*
  The diagonal entry of a held vertex i, of which this rank has summed own: M/h^2; in statics this rank's part of the
  diagonal, which is above 0 on some rank, or 1 N/m for a vertex without elements.
*/
static double held_diagonal(const wring_potential *g, PetscInt i, double own)
{
  if (!g->is_static) return i < g->mesh->n_owned ? g->mass[i] / (g->h * g->h) : 0;
  return i < g->mesh->n_owned && own == 0 ? 1 : fabs(own);
}

void wring_potential_eliminate(const wring_potential *g, const wring_pattern *p, int bs, double *value)
{
  const char *const mark = wring_potential_held_marks(g);
  for (PetscInt i = 0; mark && i < p->n; i++) {
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++) {
      if (!mark[i] && !mark[p->column[k]]) continue;
      double *const block    = value + (size_t)k * bs * bs;
      const int     diagonal = p->column[k] == i;
      for (int c = 0; c < bs * bs; c++) block[c] = diagonal && c % (bs + 1) == 0 ? held_diagonal(g, i, block[c]) : 0;
    }
  }
}

PetscInt wring_potential_held(const wring_potential *g)
{
  return g->held.n_all;
}

const char *wring_potential_held_marks(const wring_potential *g)
{
  return g->held.n_all ? g->held.mark : NULL;
}

PetscErrorCode wring_potential_place(wring_potential *g, Vec x)
{
  PetscFunctionBegin;
  PetscCall(copy_rows(&g->held, PETSC_TRUE, x, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_clear(const wring_potential *g, Vec d)
{
  double *da;

  PetscFunctionBegin;
  if (g->held.n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(d, &da));
  for (PetscInt i = 0; i < 3 * g->held.n; i++) da[3 * g->held.vertex[i / 3] + i % 3] = 0;
  PetscCall(VecRestoreArray(d, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hold_velocity(const wring_potential *g, Vec q, Vec x, double h, Vec v)
{
  const double *qa, *xa;
  double       *va;

  PetscFunctionBegin;
  if (g->held.n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(q, &qa));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(v, &va));
  for (PetscInt i = 0; i < 3 * g->held.n; i++) {
    const PetscInt at = 3 * g->held.vertex[i / 3] + i % 3;
    va[at]            = (xa[at] - qa[at]) / h;
  }
  PetscCall(VecRestoreArray(v, &va));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(VecRestoreArrayRead(q, &qa));
  PetscFunctionReturn(PETSC_SUCCESS);
}
