/* This rank's part of the rows of P^T A P that other ranks own, sent to them. */
#include "base/exchange.h"
#include "row.h"

typedef struct {
  PetscInt             n, room;
  wring_galerkin_part *part;
  PetscInt            *to;
} parts;

static PetscErrorCode reserve(parts *p, PetscInt n)
{
  PetscFunctionBegin;
  if (p->n + n <= p->room) PetscFunctionReturn(PETSC_SUCCESS);
  p->room = 2 * (p->n + n);
  PetscCall(PetscRealloc(sizeof *p->part * (size_t)p->room, &p->part));
  PetscCall(PetscRealloc(sizeof *p->to * (size_t)p->room, &p->to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the row v->coarse, whose global number is `row`. */
static PetscErrorCode append(const wring_interpolation *q, PetscInt first, PetscInt row, PetscMPIInt to,
                             const wring_galerkin_row *v, parts *p)
{
  PetscFunctionBegin;
  PetscCall(reserve(p, v->n_coarse));
  for (PetscInt k = 0; k < v->n_coarse; k++, p->n++) {
    const PetscInt j      = v->coarse_list[k];
    const PetscInt column = j < q->n_coarse ? first + j : q->global[j - q->n_coarse];
    p->to[p->n]           = to;
    p->part[p->n]         = (wring_galerkin_part){row, column, v->coarse[j].value};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compute(const wring_level *fine, const wring_level_values *a, const wring_level *coarse, parts *p)
{
  const wring_interpolation *const q = &fine->from_coarse;
  const wring_neighbours *const    o = &q->own_columns;
  PetscInt                        *global;
  wring_galerkin_row               v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(o->n_ghost, &global));
  PetscCall(wring_galerkin_row_create(fine, q->n_coarse + q->n_ghost, &v));
  PetscCall(wring_level_number_ghosts(coarse, o, global));
  for (PetscMPIInt r = 0; r < o->n_owner; r++) {
    for (PetscInt i = o->ghost_start[r]; i < o->ghost_start[r + 1]; i++) {
      wring_galerkin_row_by_matrix(fine, a, q->n_coarse + i, &v);
      wring_galerkin_row_by_interpolation_listed(fine, a, q->n_coarse + i, &v);
      PetscCall(append(q, coarse->first, global[i], o->owner[r], &v, p));
    }
  }
  PetscCall(wring_galerkin_row_destroy(&v));
  PetscCall(PetscFree(global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_get_parts(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                                        PetscInt *n_part, wring_galerkin_part **part)
{
  parts mine = {.n = 0};

  PetscFunctionBegin;
  PetscCall(compute(fine, a, coarse, &mine));
  PetscCall(wring_exchange_rows(coarse->comm, mine.n, mine.to, sizeof **part, mine.part, n_part, part));
  PetscCall(PetscFree(mine.to));
  PetscCall(PetscFree(mine.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
