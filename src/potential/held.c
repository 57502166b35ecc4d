/*
  Coordinates held by hard attachments (Dirichlet conditions) are not unknowns: y and x are at the targets of the
  attachments, gradients and residuals are 0 there, and rows and columns of matrices are those of M/h^2. An attachment
  holds all components of its vertices, or some. docs/theory.md (3.10), (3.11), for statics (2.10)
*/
#include "potential_impl.h"
#include <math.h>

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Two attachments that hold all components are refused; others may hold a component together at equal targets. */
static void refuse_twice(const wring_potential *g, PetscInt at, int a, int b, wring_error *e)
{
  const unsigned both = wring_term_components(g->term[a]) & wring_term_components(g->term[b]);
  if (both == WRING_XYZ)
    wring_error_set(e,
                    "attach: vertex %" PetscInt_FMT
                    " is held by '%s' and by '%s', expected one hard attachment per vertex, or components",
                    g->mesh->number.original[at / 3], wring_term_name(g->term[a]), wring_term_name(g->term[b]));
}

/*
  index [n_local][3]: the place of a coordinate in the list of those held, -1 if it is free; term [3 n_owned] of the
  list. The first of two terms holds.
*/
static void mark_coordinates(const wring_potential *g, PetscInt *index, int *term, wring_held *held, wring_error *e)
{
  const PetscInt *vertex;
  const double   *target;
  for (PetscInt i = 0; i < 3 * g->mesh->n_local; i++) index[i] = -1;
  for (int t = 0; t < g->n_term; t++) {
    const unsigned components = wring_term_components(g->term[t]);
    const PetscInt n          = wring_term_held(g->term[t], &vertex, &target);
    for (PetscInt i = 0; i < 3 * n; i++) {
      const PetscInt at = 3 * vertex[i / 3] + i % 3;
      if (!(components >> i % 3 & 1)) continue;
      if (index[at] >= 0) {
        refuse_twice(g, at, term[index[at]], t, e);
        held->n_twice++;
      } else {
        term[held->n] = t;
        index[at]     = held->n++;
      }
    }
  }
}

PetscErrorCode wring_potential_destroy_held(wring_potential *g)
{
  wring_held *const held = &g->held;

  PetscFunctionBegin;
  PetscCall(PetscFree5(held->at, held->place, held->free, held->force, held->term));
  PetscCall(PetscFree(held->mark));
  PetscCall(PetscFree(held->index));
  *held = (wring_held){.n = 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which components are held at the same vertices, on all ranks. */
static PetscErrorCode compare_components(wring_potential *g)
{
  enum { YX, ZX, ZY };
  wring_held *const held   = &g->held;
  PetscInt          sum[5] = {0, 0, 0, held->n, held->n_twice};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < g->mesh->n_owned; i++) {
    const int x = held->mark[i] & 1, y = held->mark[i] >> 1 & 1, z = held->mark[i] >> 2 & 1;
    sum[YX] += y != x;
    sum[ZX] += z != x;
    sum[ZY] += z != y;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 5, MPIU_INT, MPI_SUM, g->comm));
  held->n_all   = sum[3];
  held->n_twice = sum[4];
  held->like[0] = 0;
  held->like[1] = sum[YX] ? 1 : 0;
  held->like[2] = !sum[ZX] ? 0 : !sum[ZY] ? 1 : 2;
  held->whole   = (PetscBool)(held->like[1] + held->like[2] == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the lists and marks from index and term of mark_coordinates. */
static PetscErrorCode make_lists(wring_potential *g, const int *term)
{
  const PetscInt    n_coordinate = 3 * g->mesh->n_owned;
  wring_held *const held         = &g->held;
  const PetscInt    n            = held->n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(n, &held->at, n, &held->place, n, &held->free, n, &held->force, n, &held->term));
  PetscCall(PetscCalloc1(g->mesh->n_local + 1, &held->mark)); // NULL means none, also on a rank without vertices
  PetscCall(PetscArraycpy(held->term, term, n));
  for (PetscInt i = 0; i < n_coordinate; i++) {
    if (held->index[i] < 0) continue;
    held->at[held->index[i]] = i;
    held->mark[i / 3]        = (char)(held->mark[i / 3] | 1 << i % 3);
  }
  PetscCall(PetscSFBcastBegin(g->mesh->forest.halo, MPI_CHAR, held->mark, held->mark, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(g->mesh->forest.halo, MPI_CHAR, held->mark, held->mark, MPI_REPLACE));
  PetscCall(compare_components(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the held coordinates from a vector to an array, or back. */
static PetscErrorCode copy_held(const wring_held *held, PetscBool back, Vec v, double *value)
{
  double *va;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &va));
  for (PetscInt i = 0; i < held->n; i++) {
    if (back)
      va[held->at[i]] = value[i];
    else
      value[i] = va[held->at[i]];
  }
  PetscCall(VecRestoreArray(v, &va));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_list_held(wring_potential *g)
{
  const PetscInt n     = 3 * g->mesh->n_local;
  wring_error    error = {""};
  int           *term;

  PetscFunctionBegin;
  PetscCall(copy_held(&g->held, PETSC_TRUE, g->y, g->held.free));
  PetscCall(wring_potential_destroy_held(g));
  PetscCall(PetscMalloc1(n, &term));
  PetscCall(PetscMalloc1(n, &g->held.index));
  mark_coordinates(g, g->held.index, term, &g->held, &error);
  PetscCall(wring_error_raise(g->comm, &error));
  PetscCall(make_lists(g, term));
  PetscCall(PetscFree(term));
  PetscCall(copy_held(&g->held, PETSC_FALSE, g->y, g->held.free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Compares with the place where another attachment holds the coordinate. */
static void compare_place(const wring_potential *g, PetscInt at, int t, double place, double tolerance, wring_error *e)
{
  const PetscInt i = g->held.index[at];
  if (!(PetscAbsReal(place - g->held.place[i]) > tolerance)) return;
  wring_error_set(e,
                  "attach: vertex %" PetscInt_FMT
                  " is held by '%s' at %c = %.9g m and by '%s' at %.9g m, expected equal "
                  "targets, or one hard attachment per vertex and component",
                  g->mesh->number.original[at / 3], wring_term_name(g->term[g->held.term[i]]), "xyz"[at % 3],
                  g -> held.place[i], wring_term_name(g->term[t]), place);
}

/* The places of the coordinates that term t holds. */
static void place_term(wring_potential *g, int t, const double *q, double tolerance, wring_error *e)
{
  const wring_held *const held       = &g->held;
  const unsigned          components = wring_term_components(g->term[t]);
  const PetscInt         *vertex;
  const double           *target;
  const PetscInt          n = wring_term_held(g->term[t], &vertex, &target);
  for (PetscInt i = 0; i < 3 * n; i++) {
    const PetscInt at    = 3 * vertex[i / 3] + i % 3;
    const double   place = g->part == 1 ? target[i] : q[at] + g->part * (target[i] - q[at]);
    if (!(components >> i % 3 & 1)) continue;
    if (held->term[held->index[at]] == t)
      held->place[held->index[at]] = place;
    else
      compare_place(g, at, t, place, tolerance, e);
  }
}

/* What the rounding of a motion may add to positions of this rank. */
static double rounding_of_places(const wring_potential *g)
{
  const double rounding = 1e-10;
  double       size     = 0;
  for (PetscInt k = 0; k < 3 * g->mesh->n_owned; k++) size = PetscMax(size, PetscAbsReal(g->mesh->X[k]));
  return rounding * size;
}

/* Sets places and y from the terms' targets; refuses unequal ones. */
PetscErrorCode wring_potential_restore_places(wring_potential *g)
{
  const double  tolerance = g->held.n_twice > 0 ? rounding_of_places(g) : 0;
  wring_error   error     = {""};
  const double *q;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->q, &q));
  for (int t = 0; t < g->n_term; t++) place_term(g, t, q, tolerance, &error);
  PetscCall(VecRestoreArrayRead(g->q, &q));
  if (g->held.n_twice > 0) PetscCall(wring_error_raise(g->comm, &error));
  PetscCall(copy_held(&g->held, PETSC_TRUE, g->y, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hold_target(wring_potential *g)
{
  PetscFunctionBegin;
  PetscCall(copy_held(&g->held, PETSC_FALSE, g->y, g->held.free));
  PetscCall(copy_held(&g->held, PETSC_TRUE, g->y, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_place(wring_potential *g, Vec x)
{
  PetscFunctionBegin;
  PetscCall(copy_held(&g->held, PETSC_TRUE, x, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hold_at(wring_potential *g, Vec x)
{
  PetscFunctionBegin;
  PetscCall(copy_held(&g->held, PETSC_FALSE, x, g->held.place));
  PetscCall(copy_held(&g->held, PETSC_TRUE, g->y, g->held.place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_is_placed(const wring_potential *g, Vec x, PetscBool *placed)
{
  const double *xa;
  int           off = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  for (PetscInt i = 0; i < g->held.n; i++) off |= xa[g->held.at[i]] != g->held.place[i];
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_INT, MPI_MAX, g->comm));
  *placed = (PetscBool)(!off && g->progress == 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_clear(const wring_potential *g, Vec d)
{
  double *da;

  PetscFunctionBegin;
  if (g->held.n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(d, &da));
  for (PetscInt i = 0; i < g->held.n; i++) da[g->held.at[i]] = 0;
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
  for (PetscInt i = 0; i < g->held.n; i++) {
    const PetscInt at = g->held.at[i];
    va[at]            = (xa[at] - qa[at]) / h;
  }
  PetscCall(VecRestoreArray(v, &va));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(VecRestoreArrayRead(q, &qa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

void wring_potential_clear_held(wring_potential *g, PetscBool gradient, double *f)
{
  wring_held *const held = &g->held;
  for (PetscInt i = 0; i < held->n; i++) {
    double *const at = f + held->at[i];
    if (gradient && g->is_static)
      held->force[i] = *at;
    else if (gradient)
      held->force[i] = *at + g->mass[held->at[i] / 3] / (g->h * g->h) * (held->place[i] - held->free[i]);
    *at = 0;
  }
}

void wring_potential_add_held(const wring_potential *g, double *force)
{
  for (PetscInt i = 0; i < g->held.n; i++) force[3 * g->held.term[i] + g->held.at[i] % 3] += g->held.force[i];
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/*
  The diagonal entry of a held coordinate of vertex i, of which this rank has summed own: M/h^2; in statics this rank's
  part of the diagonal, which is above 0 on some rank, or 1 N/m for a vertex without elements.
*/
static double held_diagonal(const wring_potential *g, PetscInt i, double own)
{
  if (!g->is_static) return i < g->mesh->n_owned ? g->mass[i] / (g->h * g->h) : 0;
  return i < g->mesh->n_owned && own == 0 ? 1 : fabs(own);
}

/* The entry of components a and b in the block of vertices i and j. */
static inline void eliminate_entry(const wring_potential *g, PetscInt i, PetscInt j, int a, int b, double *entry)
{
  const char *const mark = g->held.mark;
  if (mark[i] >> a & 1 || mark[j] >> b & 1) *entry = i == j && a == b ? held_diagonal(g, i, *entry) : 0;
}

void wring_potential_eliminate(const wring_potential *g, const wring_pattern *p, int component, double *value)
{
  if (!wring_potential_held_marks(g)) return;
  for (PetscInt i = 0; i < p->n; i++)
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++)
      eliminate_entry(g, i, p->column[k], component, component, value + k);
}

void wring_potential_eliminate_blocks(const wring_potential *g, const wring_pattern *p, const wring_block_values *v)
{
  const char *const mark = wring_potential_held_marks(g);
  if (!mark) return;
  for (PetscInt i = 0; i < p->n; i++) {
    for (PetscInt k = p->start[i]; k < p->start[i + 1]; k++) {
      if (!mark[i] && !mark[p->column[k]]) continue;
      const PetscInt b = wring_block_of_entry(v, p, i, k);
      for (int c = 0; c < 9 && b >= 0; c++)
        eliminate_entry(g, i, p->column[k], c / 3, c % 3, v->value + 9 * (size_t)b + c);
    }
  }
}

void wring_potential_eliminate_diagonal(const wring_potential *g, double *block)
{
  if (!wring_potential_held_marks(g)) return;
  for (PetscInt i = 0; i < g->mesh->n_owned; i++)
    for (int e = 0; e < 6; e++)
      eliminate_entry(g, i, i, wring_sym_row[e], wring_sym_column[e], block + 6 * (size_t)i + e);
}

/* ---- what is held ------------------------------------------------------------------------------------------------ */

PetscInt wring_potential_held(const wring_potential *g)
{
  return g->held.n_all;
}

const char *wring_potential_held_marks(const wring_potential *g)
{
  return g->held.n_all ? g->held.mark : NULL;
}

PetscBool wring_potential_holds_components(const wring_potential *g)
{
  return (PetscBool)(g->held.n_all > 0 && !g->held.whole);
}
