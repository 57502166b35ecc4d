/*
  P = (I - 4/3 D^-1 H / top) B with B the rigid motions of each aggregate; in the scaling of the finer level L^T P =
  (I - 4/3 H~ / top) L^T B. An entry that the pattern of the scalar P does not have moves with the aggregate of its row:
  rigid motions of the body stay exact. docs/theory.md (5.17c)
*/
#include "block.h"
#include <math.h>

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

/* The aggregate of a row is the column of the largest entry of the scaled scalar P, whose columns have any sign. */
static PetscErrorCode choose_columns(wring_block_level *l)
{
  const wring_csr *const P = &l->of->from_coarse.P;
  const PetscInt         n = l->of->from_coarse.n_fine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &l->aggregate));
  for (PetscInt i = 0; i < n; i++) {
    float most      = 0;
    l->aggregate[i] = -1;
    for (PetscInt k = P->start[i]; k < P->start[i + 1]; k++)
      if (fabsf(P->value[k]) > most) l->aggregate[i] = P->column[k], most = fabsf(P->value[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entry of P of each entry of R. */
static PetscErrorCode find_entries(wring_block_level *l)
{
  const wring_interpolation *const p = &l->of->from_coarse;
  const PetscInt                   n = p->n_coarse + p->own_columns.n_ghost;
  PetscInt                        *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &next));
  PetscCall(PetscCalloc1(p->R.start[n] + WRING_BLOCKS_AHEAD, &l->entry));
  PetscCall(PetscArraycpy(next, p->R.start, n));
  for (PetscInt k = 0; k < p->P.start[p->n]; k++) l->entry[next[wring_interpolation_own(p, p->P.column[k])]++] = k;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_find_aggregates(wring_block_level *l)
{
  PetscFunctionBegin;
  PetscCall(choose_columns(l));
  PetscCall(find_entries(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rigid motions ----------------------------------------------------------------------------------------------- */

/* Places of coarse vertices, means of those of their rows weighted by the scalar P; coarse->size: the mean distance. */
static PetscErrorCode find_places(wring_block_level *l, wring_block_level *coarse, float *column_place)
{
  const wring_level *const   of     = l->of;
  wring_interpolation *const p      = &l->of->from_coarse;
  double                     sum[2] = {0};
  float                     *one, *weight;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * of->n + 1, &one, 3 * p->n_coarse + 1, &weight));
  for (PetscInt i = 0; i < 3 * of->n; i++) one[i] = 1;
  PetscCall(wring_interpolation_restrict(p, one, weight));
  PetscCall(PetscArraycpy(one, l->place, 3 * of->n)); // with the spare number that restrict reads
  PetscCall(wring_interpolation_restrict(p, one, coarse->place));
  for (PetscInt i = 0; i < 3 * p->n_coarse; i++) coarse->place[i] = weight[i] != 0 ? coarse->place[i] / weight[i] : 0;
  PetscCall(PetscFree2(one, weight));
  PetscCall(wring_neighbours_fetch(&coarse->of->near, 3 * sizeof(float), coarse->place,
                                   coarse->place + 3 * (size_t)p->n_coarse));
  PetscCall(PetscArraycpy(column_place, coarse->place, 3 * p->n_coarse));
  PetscCall(wring_neighbours_fetch(&p->columns, 3 * sizeof(float), coarse->place, column_place + 3 * p->n_coarse));
  for (PetscInt i = 0; i < of->n; i++) {
    if (l->aggregate[i] < 0) continue;
    double square = 0;
    for (int c = 0; c < 3; c++) square += PetscSqr((double)l->place[3 * i + c] - column_place[3 * l->aggregate[i] + c]);
    sum[0] += PetscSqrtReal(square), sum[1]++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, of->comm));
  coarse->size = sum[0] > 0 ? sum[0] / sum[1] : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u [bs] = L^T u, L from L^-1 by substitution; 0 where a direction is left out. */
BLOCK_INLINE void to_scaled(int bs, const double *inverse, wring_rigid_row *u)
{
  for (int r = bs - 1; r >= 0; r--) { // L^-T t = u, in place
    const double pivot = inverse[bs * r + r];
    for (int k = r + 1; k < bs; k++) u[r] -= inverse[bs * k + r] * u[k];
    u[r] *= pivot > 0 ? 1 / pivot : 0;
  }
}

/* B [bs], scaled: unknowns of vertex i of l that moves with one at `centre`. */
BLOCK_INLINE void rigid_block(int bs, const wring_block_level *l, PetscInt i, double size, const float *centre,
                              wring_rigid_row *B)
{
  const float *const at = l->place + 3 * i;
  double             r[3];
  for (int c = 0; c < 3; c++) r[c] = ((double)at[c] - centre[c]) / size;
  B[0] = (wring_rigid_row){1, 0, 0, 0, r[2], -r[1]};
  B[1] = (wring_rigid_row){0, 1, 0, -r[2], 0, r[0]};
  B[2] = (wring_rigid_row){0, 0, 1, r[1], -r[0], 0};
  for (int e = 3; e < bs; e++) {
    B[e]    = (wring_rigid_row){0};
    B[e][e] = l->size / size;
  }
  to_scaled(bs, l->inverse + (size_t)(bs * bs) * (size_t)i, B);
}

/* ---- rows of P --------------------------------------------------------------------------------------------------- */

enum { MOST = 64 }; // entries of a row of P

/* A row in work: T = H~ B by entries of the row of P. */
typedef struct {
  const wring_block_level *l;
  double                   size; // of the coarser level
  const float             *column_place;
  PetscInt                 i;
  wring_rigid_row          T[MOST][WRING_RIGID];
  PetscBool                alone; // no entry but the diagonal one
} prolongator_row;

/* The entry of column a in row i of P, or that of the row's own aggregate, which *a is then. */
static PetscInt find_entry(const wring_block_level *l, PetscInt i, int *a)
{
  const PetscInt first = l->P.start[i], n = l->P.start[i + 1] - first;
  PetscInt       own = 0;
  for (PetscInt k = 0; k < n; k++) {
    if (l->P.column[first + k] == *a) return k;
    if (l->P.column[first + k] == l->aggregate[i]) own = k;
  }
  *a = l->aggregate[i];
  return own;
}

BLOCK_INLINE void add_products(int bs, prolongator_row *w, const wring_block_csr *a, PetscInt shift)
{
  const wring_block_level *const l = w->l;
  double                         h[WRING_RIGID * WRING_RIGID];
  wring_rigid_row                B[WRING_RIGID];
  for (PetscInt k = a->start[w->i]; k < a->start[w->i + 1]; k++) {
    const PetscInt         j         = shift + a->column[k];
    int                    aggregate = l->aggregate[j];
    wring_rigid_row *const T         = w->T[find_entry(l, w->i, &aggregate)];
    double                 most      = 0;
    wring_block_read(bs, a, w->i, k, h);
    for (int c = 0; c < bs * bs; c++) most = fmax(most, fabs(h[c]));
    if (most == 0) continue;
    w->alone = (PetscBool)(w->alone && j == w->i);
    rigid_block(bs, l, j, w->size, w->column_place + 3 * aggregate, B);
    for (int r = 0; r < bs; r++)
      for (int d = 0; d < bs; d++) T[r] += h[bs * r + d] * B[d];
  }
}

/* P of the row from T: B at the aggregate, minus omega T. */
BLOCK_INLINE void store_row(int bs, const prolongator_row *w, double omega)
{
  const wring_block_level *const l = w->l;
  wring_rigid_row                B[WRING_RIGID];
  rigid_block(bs, l, w->i, w->size, w->column_place + 3 * l->aggregate[w->i], B);
  for (PetscInt k = l->P.start[w->i]; k < l->P.start[w->i + 1]; k++) {
    const double with = l->P.column[k] == l->aggregate[w->i];
    float *const to   = l->P.block + (size_t)(bs * WRING_RIGID) * (size_t)k;
    for (int r = 0; r < bs; r++) {
      const wring_rigid_row row = with * B[r] - omega * w->T[k - l->P.start[w->i]][r];
      for (int c = 0; c < WRING_RIGID; c++) to[bs * c + r] = (float)row[c];
    }
  }
}

/*
  Rows of held vertices, which have no neighbours, are 0; so are rows of more than MOST entries, whose vertices the
  smoother alone moves.
*/
BLOCK_INLINE void compute_row(int bs, const wring_block_level *l, double size, const float *column_place, PetscInt i)
{
  const PetscInt  first = l->P.start[i], n = l->P.start[i + 1] - first;
  prolongator_row w;
  w.l = l, w.size = size, w.column_place = column_place, w.i = i, w.alone = PETSC_TRUE;
  if (l->aggregate[i] >= 0 && n <= MOST) {
    for (PetscInt k = 0; k < n; k++)
      for (int r = 0; r < bs; r++) w.T[k][r] = (wring_rigid_row){0};
    add_products(bs, &w, &l->own, 0);
    if (l->ghost.start) add_products(bs, &w, &l->ghost, l->of->n);
  }
  if (!w.alone)
    store_row(bs, &w, 4. / 3 / l->top);
  else
    for (PetscInt k = 0; k < WRING_RIGID * bs * n; k++)
      l->P.block[(size_t)(WRING_RIGID * bs) * (size_t)first + (size_t)k] = 0;
}

/* The rows of ghosts, from their owners, in messages of equal length. */
static PetscErrorCode fetch_rows(wring_block_level *l)
{
  const wring_interpolation *const p    = &l->of->from_coarse;
  const size_t                     size = (size_t)(WRING_RIGID * l->bs);
  PetscInt                         most = 1;
  float                           *mine, *got;

  PetscFunctionBegin;
  if (!p->fetch.of) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < p->n_fine; i++) most = PetscMax(most, p->P.start[i + 1] - p->P.start[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, l->of->comm));
  const wring_neighbours *const near  = &l->of->near;
  const size_t                  width = size * (size_t)most;
  PetscCall(PetscCalloc2(width * (size_t)near->asked.n_got, &mine, width * (size_t)near->n_ghost, &got));
  for (PetscInt s = 0; s < near->asked.n_got; s++) {
    const PetscInt i = near->asked.asked[s];
    PetscCall(PetscArraycpy(mine + width * (size_t)s, l->P.block + size * (size_t)p->P.start[i],
                            size * (size_t)(p->P.start[i + 1] - p->P.start[i])));
  }
  PetscCall(wring_exchange_answer(&near->asked, width * sizeof *mine, mine, got));
  for (PetscInt i = p->n; i < p->n_fine; i++)
    PetscCall(PetscArraycpy(l->P.block + size * (size_t)p->P.start[i], got + width * (size_t)(i - p->n),
                            size * (size_t)(p->P.start[i + 1] - p->P.start[i])));
  PetscCall(PetscFree2(mine, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_prolongator(wring_block_level *l, wring_block_level *coarse)
{
  const wring_interpolation *const p = &l->of->from_coarse;
  float                           *column_place;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)(p->n_coarse + p->columns.n_ghost), &column_place));
  PetscCall(find_places(l, coarse, column_place));
#pragma omp parallel for schedule(static) if (p->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < p->n; i++) {
    if (l->bs == 3)
      compute_row(3, l, coarse->size, column_place, i);
    else
      compute_row(WRING_RIGID, l, coarse->size, column_place, i);
  }
  PetscCall(PetscFree(column_place));
  PetscCall(fetch_rows(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* block = block L_c^-T, by columns. */
BLOCK_INLINE void scale_block(int bs, const double *coarse, float *block)
{
  for (int c = WRING_RIGID - 1; c >= 0; c--) {
    for (int r = 0; r < bs; r++) {
      double sum = 0;
      for (int k = 0; k <= c; k++) sum += (double)block[bs * k + r] * coarse[WRING_RIGID * c + k];
      block[bs * c + r] = (float)sum;
    }
  }
}

PetscErrorCode wring_block_scale(wring_block_level *l, const wring_block_level *coarse)
{
  const wring_interpolation *const p    = &l->of->from_coarse;
  const size_t                     size = WRING_RIGID * WRING_RIGID;
  double                          *inverse;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size * (size_t)(p->n_coarse + p->columns.n_ghost), &inverse));
  PetscCall(PetscArraycpy(inverse, coarse->inverse, size * (size_t)p->n_coarse));
  PetscCall(
    wring_neighbours_fetch(&p->columns, size * sizeof *inverse, coarse->inverse, inverse + size * (size_t)p->n_coarse));
#pragma omp parallel for schedule(static) if (p->n_fine > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < p->P.start[p->n_fine]; k++)
    scale_block(l->bs, inverse + size * (size_t)p->P.column[k], l->P.block + (size_t)(WRING_RIGID * l->bs) * (size_t)k);
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
