/* States that diverge have no relation to the loads: the positions that a step accepts. */
#include "mesh/distribute/order.h"
#include "problem/problem_impl.h"
#include <math.h>

static const double longest_edge = 1e6, farthest_vertex = 1e12; // relative to the size

PetscErrorCode wring_problem_find_bounds(wring_problem *p)
{
  wring_bounds *const b = &p->parts->bounds;
  double              low[2][3], high[2][3]; // at rest, at the start
  const double       *q;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(p->state.q, &q));
  PetscCall(wring_bounds_find(p->comm, p->mesh->n_owned, p->mesh->X, low[0], high[0]));
  PetscCall(wring_bounds_find(p->comm, p->mesh->n_owned, q, low[1], high[1]));
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  b->size = 0;
  for (int c = 0; c < 3; c++) {
    const double from = fmin(low[0][c], low[1][c]), to = fmax(high[0][c], high[1][c]);
    b->centre[c] = 0.5 * (from + to);
    b->size      = hypot(b->size, to - from);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest edge of n elements with these corners. */
static double longest(PetscInt n, int corners, const PetscInt *vertex, const double *x)
{
  double most = 0;
  for (PetscInt e = 0; e < n; e++) {
    for (int i = 0; i < corners; i++) {
      for (int j = 0; j < i; j++) {
        const double *const u = x + 3 * vertex[corners * e + i], *const v = x + 3 * vertex[corners * e + j];
        const double edge = hypot(hypot(u[0] - v[0], u[1] - v[1]), u[2] - v[2]);
        if (!(edge <= most)) most = isfinite(edge) ? edge : INFINITY;
      }
    }
  }
  return most;
}

static PetscErrorCode measure_edges(wring_problem *p, Vec x, double *edge)
{
  const wring_piece *s;
  const double      *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(p->g, x, &xa));
  *edge = longest(p->mesh->tets.n, 4, p->mesh->tets.corner, xa);
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++)
    *edge = fmax(*edge, longest(s->n, s->corners, s->vertex, xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, edge, 1, MPI_DOUBLE, MPI_MAX, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_check_bounds(wring_problem *p, Vec x, PetscBool *within)
{
  const wring_bounds *const b        = &p->parts->bounds;
  const wring_phase         old      = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  double                    distance = 0, edge = 0; // of a vertex from the centre, along an axis
  const double             *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  for (PetscInt i = 0; i < 3 * p->mesh->n_owned; i++) {
    const double d = fabs(xa[i] - b->centre[i % 3]);
    if (!(d <= distance)) distance = isfinite(d) ? d : INFINITY;
  }
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &distance, 1, MPI_DOUBLE, MPI_MAX, p->comm));
  *within = (PetscBool)(b->size == 0 || distance <= 0.25 * longest_edge * b->size); // no edge can then be too long
  if (!*within) {
    PetscCall(measure_edges(p, x, &edge));
    *within = (PetscBool)(edge <= longest_edge * b->size && distance <= farthest_vertex * b->size);
  }
  if (!*within)
    PetscCall(wring_note(p->comm,
                         "an element is %.2g m long and a vertex is %.2g m away, the size at the start was %.2g m: no "
                         "load explains that",
                         edge, distance, b->size));
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
