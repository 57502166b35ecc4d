/* This rank's part of the rows of P^T A P that other ranks own, sent to them. */
#include "product.h"

typedef struct {
  PetscInt             n, room;
  wring_galerkin_part *part;
  PetscInt            *to;
} parts;

/* Appends the row v->coarse, whose global number is `row`. */
static PetscErrorCode append(const wring_interpolation *q, PetscInt row, PetscMPIInt to, const wring_galerkin_row *v,
                             parts *p)
{
  PetscFunctionBegin;
  if (p->n + v->n_coarse > p->room) {
    p->room = 2 * (p->n + v->n_coarse);
    PetscCall(PetscRealloc(sizeof *p->part * (size_t)p->room, &p->part));
    PetscCall(PetscRealloc(sizeof *p->to * (size_t)p->room, &p->to));
  }
  for (PetscInt k = 0; k < v->n_coarse; k++, p->n++) {
    const PetscInt j      = v->coarse_list[k];
    const PetscInt column = j < q->n_coarse ? q->first + j : q->columns.global[j - q->n_coarse];
    p->to[p->n]           = to;
    p->part[p->n]         = (wring_galerkin_part){row, column, v->coarse[j].value};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_get_parts(const wring_level *fine, const wring_level_values *a, PetscInt *n_part,
                                        wring_galerkin_part **part)
{
  const wring_interpolation *const q = &fine->from_coarse;
  const wring_exchange *const      x = &q->own_columns.asked;
  parts                            p = {.n = 0};
  wring_galerkin_row              *v;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_rows_create(fine, q->n_coarse + q->columns.n_ghost, 1, &v));
  for (PetscMPIInt r = 0; r < x->n_to; r++) {
    for (PetscInt i = x->to_start[r]; i < x->to_start[r + 1]; i++) {
      wring_galerkin_row_compute(fine, a, q->n_coarse + i, PETSC_TRUE, v);
      PetscCall(append(q, q->own_columns.global[i], x->to[r], v, &p));
    }
  }
  PetscCall(wring_galerkin_rows_destroy(1, &v));
  PetscCall(wring_exchange_rows(fine->comm, p.n, p.to, sizeof **part, p.part, n_part, part));
  PetscCall(PetscFree(p.to));
  PetscCall(PetscFree(p.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
