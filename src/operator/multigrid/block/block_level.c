/* The numbers of a level: its scaled matrix and the step of its smoother. docs/theory.md (5.17b) */
#include "block.h"

enum { SPARE = 5 }; // numbers at the end of a vector: a vertex is read as eight

PetscErrorCode wring_block_level_create(wring_level *of, int bs, PetscInt finer_ghosts, wring_block_level *l)
{
  const wring_interpolation *const p = &of->from_coarse;
  const size_t                     n = (size_t)of->n + (size_t)of->n_ghost, n_y = (size_t)of->n + (size_t)finer_ghosts;

  PetscFunctionBegin;
  *l = (wring_block_level){.of = of, .bs = bs};
  PetscCall(wring_block_symmetric_create(bs, of->n, &of->own, &l->own));
  PetscCall(wring_block_csr_create(bs, bs, of->n, &of->ghost, &l->ghost));
  PetscCall(PetscCalloc3((size_t)(bs * bs) * n, &l->inverse, 3 * n, &l->place, (size_t)bs * (size_t)of->n, &l->mode));
  PetscCall(PetscCalloc3((size_t)bs * n + SPARE, &l->b, (size_t)bs * n + SPARE, &l->x,
                         (size_t)bs * PetscMax(n, n_y) + SPARE, &l->y));
  PetscCall(wring_messages_create(&of->near, MPI_FLOAT, bs, PETSC_TRUE, &l->fetch));
  if (!p->P.start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_block_csr_create(bs, WRING_RIGID, p->n_fine, &p->P, &l->P));
  if (p->fetch.of) PetscCall(wring_messages_create(&p->columns, MPI_FLOAT, WRING_RIGID, PETSC_TRUE, &l->down));
  if (p->give.of) PetscCall(wring_messages_create(&p->own_columns, MPI_FLOAT, WRING_RIGID, PETSC_FALSE, &l->give));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_level_destroy(wring_block_level *l)
{
  PetscFunctionBegin;
  PetscCall(wring_block_csr_destroy(&l->own));
  PetscCall(wring_block_csr_destroy(&l->ghost));
  PetscCall(PetscFree3(l->inverse, l->place, l->mode));
  PetscCall(PetscFree3(l->b, l->x, l->y));
  PetscCall(wring_messages_destroy(&l->fetch));
  PetscCall(wring_block_csr_destroy(&l->P));
  PetscCall(PetscFree(l->aggregate));
  PetscCall(PetscFree(l->entry));
  PetscCall(wring_messages_destroy(&l->down));
  PetscCall(wring_messages_destroy(&l->give));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* h [bs][bs] of stored block b of a part: of H, or of the matrix that is in l. */
BLOCK_INLINE void read_block(int bs, const wring_block_csr *a, const double *H, PetscInt b, double *h)
{
  const size_t       at   = (size_t)(bs * bs) * (size_t)b;
  const float *const from = a->block + at;
  for (int e = 0; e < bs * bs; e++) h[e] = H ? H[at + e] : from[a->first ? e : bs * (e % bs) + e / bs];
}

/* L^-1 of the diagonal blocks, also of ghosts. */
static PetscErrorCode factor_diagonal(wring_block_level *l, const double *H)
{
  const wring_block_csr *const a    = &l->own;
  const size_t                 size = (size_t)(l->bs * l->bs);

  PetscFunctionBegin;
#pragma omp parallel for schedule(static) if (l->of->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->of->n; i++) {
    const PetscInt kept                         = a->first[i + 1] - a->first[i];
    double         D[WRING_RIGID * WRING_RIGID] = {0};
    if (kept > 0 && a->column[a->start[i + 1] - kept] == i) read_block(l->bs, a, H, a->first[i], D);
    wring_block_factor(l->bs, D, l->inverse + size * (size_t)i);
  }
  PetscCall(
    wring_neighbours_fetch(&l->of->near, size * sizeof *l->inverse, l->inverse, l->inverse + size * (size_t)l->of->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to = L_i^-1 h L_j^-T, by rows or columns. */
BLOCK_INLINE void scale_block(int bs, PetscBool rows, const double *Li, const double *h, const double *Lj, float *to)
{
  double t[WRING_RIGID][WRING_RIGID];
  for (int r = 0; r < bs; r++) {
    for (int c = 0; c < bs; c++) {
      double sum = 0;
      for (int k = 0; k <= c; k++) sum += h[bs * r + k] * Lj[bs * c + k];
      t[r][c] = sum;
    }
  }
  for (int c = 0; c < bs; c++) {
    for (int r = 0; r < bs; r++) {
      double sum = 0;
      for (int k = 0; k <= r; k++) sum += Li[bs * r + k] * t[k][c];
      to[rows ? bs * r + c : bs * c + r] = (float)sum;
    }
  }
}

/* The blocks that are stored in the rows of a part. */
BLOCK_INLINE void scale_rows(int bs, const wring_block_level *l, const double *H, PetscInt shift,
                             const wring_block_csr *a)
{
  const PetscInt *const first = a->first ? a->first : a->start;
  const size_t          size  = (size_t)(bs * bs);
#pragma omp parallel for schedule(static) if (l->of->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->of->n; i++) {
    for (PetscInt b = first[i]; b < first[i + 1]; b++) {
      const PetscInt j = shift + a->column[a->start[i + 1] - first[i + 1] + b];
      double         h[WRING_RIGID * WRING_RIGID];
      read_block(bs, a, H, b, h);
      scale_block(bs, (PetscBool)(a->first != NULL), l->inverse + size * (size_t)i, h, l->inverse + size * (size_t)j,
                  a->block + size * (size_t)b);
    }
  }
}

PetscErrorCode wring_block_level_combine(wring_block_level *l, PetscBool fetch, float p, const float *b, float q,
                                         float omega, float *x, float *y)
{
  float *const ghost = x + (size_t)l->bs * (size_t)l->of->n;

  PetscFunctionBegin;
  if (fetch) PetscCall(wring_fetch_begin(&l->fetch, x));
  wring_block_combine(&l->own, l->of->n, p, b, q, x, omega, y);
  if (fetch) PetscCall(wring_fetch_end(&l->fetch, ghost));
  if (l->ghost.start) wring_block_add_rows(&l->ghost, l->of->n_boundary, l->of->boundary, -omega, ghost, y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalue, by the power method from random numbers or from where it ended: it comes from below. */
static PetscErrorCode find_top(wring_block_level *l)
{
  const int      steps = l->top > 0 ? 3 : 12;
  const PetscInt n     = l->bs * l->of->n;
  const uint64_t seed  = wring_level_seed(2 * l->of->first);
  double         sum[2];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) l->x[i] = l->top > 0 ? l->mode[i] : (float)(wring_uniform(seed + (uint64_t)i) - 0.5);
  l->top = 0;
  for (int step = 0; step < steps; step++) {
    PetscCall(wring_block_level_combine(l, PETSC_TRUE, 0, l->x, 0, -1, l->x, l->y));
    sum[0] = sum[1] = 0;
    for (PetscInt i = 0; i < n; i++) {
      sum[0] += (double)l->x[i] * l->x[i];
      sum[1] += (double)l->y[i] * l->y[i];
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, l->of->comm));
    if (!(sum[0] > 0 && sum[1] > 0)) break;
    l->top = (float)PetscSqrtReal(sum[1] / sum[0]);
    for (PetscInt i = 0; i < n; i++) l->x[i] = (float)(l->y[i] / PetscSqrtReal(sum[1]));
  }
  PetscCall(PetscArraycpy(l->mode, l->x, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_level_fill(wring_block_level *l, const wring_block_values *H)
{
  const double        margin = 1.1;
  const double *const own    = H ? H->value : NULL;

  PetscFunctionBegin;
  PetscCall(factor_diagonal(l, own));
  if (H) {
    scale_rows(3, l, own, 0, &l->own);
    if (l->ghost.start) scale_rows(3, l, own + 9 * (size_t)H->upper[H->n_owned], l->of->n, &l->ghost);
  } else {
    scale_rows(WRING_RIGID, l, NULL, 0, &l->own);
    if (l->ghost.start) scale_rows(WRING_RIGID, l, NULL, l->of->n, &l->ghost);
  }
  PetscCall(find_top(l));
  l->top   = (float)(margin * (l->top > 0 ? l->top : 1));
  l->omega = (float)(1 / (0.6 * l->top)); // one step of Chebyshev's iteration on [0.1, 1.1] times the eigenvalue
  PetscFunctionReturn(PETSC_SUCCESS);
}
