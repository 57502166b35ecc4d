/* The scalar A in the pattern of its elements, by rows. docs/theory.md (4.1) */
#include "incidence.h"

/* wk [n_block][LANES]: factor w k of the elements of a term with one point. */
static void find_slopes(const wring_term *t, double factor, double *wk)
{
#pragma omp parallel for schedule(static)
  for (PetscInt b = 0; b < t->n_block; b++) {
    WRING_ALIGNED lanes k[1];
    row_slope(t, b, k[0]);
    for (int l = 0; l < LANES; l++) wk[b * LANES + l] = factor * block_weight(t, b)[l] * k[0][l];
  }
}

/* Row v of G^T G of an element, times wk; h: the columns of the row in `value`. */
static inline void add_element(const wring_term *t, PetscInt position, double wk, PetscInt v, const table *h,
                               double *value)
{
  const int q = t->law->q;
  PetscInt  u[MAX_M];
  double    g[MAX_M * MAX_Q];
  int       i = 0;
  vertices_of(t, position, u);
  lane_coef(t, row_coef(t, position / LANES), (int)(position % LANES), g);
  while (u[i] != v) i++;
  for (int j = 0; j < t->m; j++) {
    double sum = 0;
    for (int a = 0; a < q; a++) sum += g[q * i + a] * g[q * j + a];
    value[h->value[find_place(h, u[j])]] += wk * sum;
  }
}

static void add_elements_of(const wring_term *t, const incidence *in, const tables *all, const double *wk,
                            const wring_pattern *p, double *value)
{
#pragma omp parallel for schedule(static)
  for (PetscInt v = 0; v < p->n; v++) {
    const PetscInt first = p->start[v], n = p->start[v + 1] - first;
    PetscInt      *list;
    table          h = get_table(all, &list);
    if (in->start[v] == in->start[v + 1]) continue;
    for (PetscInt k = 0; k < n; k++) put(&h, p->column[first + k], k);
    for (PetscInt k = in->start[v]; k < in->start[v + 1]; k++)
      add_element(t, in->item[k], wk[in->item[k]], v, &h, value + first);
    for (PetscInt k = n - 1; k >= 0; k--) h.key[find_place(&h, p->column[first + k])] = -1;
  }
}

PetscErrorCode wring_laplacian_create(PetscInt n_local, PetscInt n_terms, wring_term *const *terms, double factor,
                                      wring_pattern **p, double **value)
{
  wring_elements e;
  tables         all;
  double        *wk;

  PetscFunctionBegin;
  PetscCall(wring_elements_create(n_local, n_terms, terms, &e));
  PetscCall(wring_tables_create(&e, &all));
  PetscCall(wring_pattern_of(&e, &all, p));
  PetscCall(PetscCalloc1((size_t)(*p)->start[n_local], value));
  for (PetscInt i = 0; i < n_terms; i++) {
    const wring_term *const t = terms[i];
    if (!t->active) continue;
    if (t->points > 1) {
      wring_term_add_laplacian(t, *p, factor, *value);
      continue;
    }
    PetscCall(wring_blocks_create((size_t)t->n_block * LANES, &wk));
    find_slopes(t, factor, wk);
    add_elements_of(t, &e.in[i], &all, wk, *p, *value);
    wring_blocks_destroy(&wk);
  }
  PetscCall(PetscFree(all.memory));
  PetscCall(wring_elements_destroy(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
