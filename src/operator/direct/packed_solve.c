/*
  Two sweeps over a packed factor, for three right-hand sides: L y = b from the leaves of the tree of blocks to its
  roots, L^T x = y back. A block stores its contribution to the rows below it in its own u until the parent collects it,
  child by child: the order of summation is fixed. A thread takes whole subtrees; above them all threads share the units
  of each block.
*/
#include "operator/subnormal.h"
#include "packed.h"
#include <omp.h>

enum { PANEL = WRING_PACKED_PANEL, LANES = WRING_PACKED_LANES, UNIT = WRING_PACKED_UNIT, WIDEST = WRING_PACKED_WIDEST };

typedef struct {
  const wring_packed *p;
  const double       *scale, *back; // of b, of x
  const double       *b;
  double             *x;
  PetscBool           add;
  int                 me, size; // of the threads
} sweep;

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* As wide as the processor's registers, at least eight: gcc 12 keeps wider vectors in memory. */
#if defined(__AVX512F__)
enum { WIDTH = 16 };
#else
enum { WIDTH = 8 };
#endif
typedef float vector __attribute__((vector_size(WIDTH * sizeof(float)), may_alias));
typedef float four __attribute__((vector_size(4 * sizeof(float)), may_alias));

/*
  t[c] -= sum_q L[q] y[c][q] over the rows of one panel, L [rows/LANES][PANEL][LANES]. The strides are the distances
  between y[c] and y[c + 1], t[c] and t[c + 1].
*/
static void subtract_panel(PetscInt rows, const float *L, const float *y, size_t y_stride, float *t, size_t t_stride)
{
  float f[3][PANEL];
  for (int c = 0; c < 3; c++)
    for (int q = 0; q < PANEL; q++) f[c][q] = y[c * y_stride + q];
  for (PetscInt i = 0; i < rows; i += LANES, L += PANEL * LANES) {
    for (int l = 0; l < LANES; l += WIDTH) {
      const vector l0 = *(const vector *)(L + l), l1 = *(const vector *)(L + LANES + l);
      const vector l2 = *(const vector *)(L + 2 * LANES + l), l3 = *(const vector *)(L + 3 * LANES + l);
      for (int c = 0; c < 3; c++) {
        vector *const to = (vector *)(t + c * t_stride + i + l);
        *to -= l0 * f[c][0] + l1 * f[c][1] + l2 * f[c][2] + l3 * f[c][3];
      }
    }
  }
}

static inline float sum_lanes(const vector *v)
{
  const four *const q   = (const four *)v;
  four              sum = q[0];
  for (int i = 1; i < WIDTH / 4; i++) sum += q[i];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* s[c][q] = sum_i L[q][i] t[c][i] over the rows of one panel. */
static void multiply_panel(PetscInt rows, const float *L, const float *t, size_t t_stride, float s[3][PANEL])
{
  vector sum[3][PANEL] = {{{0}}};
  for (PetscInt i = 0; i < rows; i += LANES, L += PANEL * LANES) {
    for (int l = 0; l < LANES; l += WIDTH) {
      for (int c = 0; c < 3; c++) {
        const vector from = *(const vector *)(t + c * t_stride + i + l);
        for (int q = 0; q < PANEL; q++) sum[c][q] += *(const vector *)(L + q * LANES + l) * from;
      }
    }
  }
  for (int c = 0; c < 3; c++)
    for (int q = 0; q < PANEL; q++) s[c][q] = sum_lanes(&sum[c][q]);
}

/* t[c] = D t[c], or D^T t[c], where D is the inverse of a panel's triangle. */
static void apply_inverse(const float *restrict D, PetscBool transposed, float *restrict t, size_t stride)
{
  for (int c = 0; c < 3; c++, t += stride) {
    float sum[PANEL];
    for (int q = 0; q < PANEL; q++) {
      sum[q] = 0;
      for (int r = 0; r < PANEL; r++) sum[q] += (transposed ? D[PANEL * r + q] : D[PANEL * q + r]) * t[r];
    }
    for (int q = 0; q < PANEL; q++) t[q] = sum[q];
  }
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

static size_t stride_y(const wring_packed_block *b)
{
  return (size_t)wring_packed_pad(b->n_column);
}

static size_t stride_u(const wring_packed_block *b)
{
  return (size_t)wring_packed_pad(b->n_below);
}

static const float *unit_values(const wring_packed *p, const wring_packed_block *b, PetscInt unit)
{
  const size_t row = (size_t)PANEL * (size_t)wring_packed_panels(b);
  return p->value + b->value + wring_packed_triangle(b) + row * (size_t)unit * UNIT;
}

/* Adds the u of a child to the rows of its parent b. */
static void collect(const wring_packed *p, const wring_packed_block *b, const wring_packed_block *child)
{
  const int32_t *const place = p->place + child->row;
  const size_t         n = stride_u(child), ny = stride_y(b), nu = stride_u(b);
  const float *const restrict from = p->u + 3 * child->u;
  float *const restrict y = p->y + 3 * b->y, *const restrict u = p->u + 3 * b->u;
  for (PetscInt i = 0; i < child->n_inner; i++) {
    float *const to = y + place[i];
    to[0] += from[i], to[ny] += from[n + (size_t)i], to[2 * ny] += from[2 * n + (size_t)i];
  }
  for (PetscInt i = child->n_inner; i < child->n_below; i++) {
    float *const to = u + (place[i] - b->n_column);
    to[0] += from[i], to[nu] += from[n + (size_t)i], to[2 * nu] += from[2 * n + (size_t)i];
  }
}

/* Loads the right-hand side of b's columns and adds the children's contributions to b's rows. */
static void load(const sweep *s, const wring_packed_block *b)
{
  const wring_packed *const p     = s->p;
  float *const              y     = p->y + 3 * b->y;
  float *const              u     = p->u + 3 * b->u;
  const size_t              width = stride_y(b);
  for (PetscInt i = 0; i < b->n_column; i++) {
    const double *const from = s->b + 3 * (size_t)p->perm[b->first + i];
    for (size_t c = 0; c < 3; c++) y[c * width + (size_t)i] = (float)(s->scale[c] * from[c]);
  }
  for (size_t c = 0; c < 3; c++)
    for (size_t i = (size_t)b->n_column; i < width; i++)
      y[c * width + i] = 0; // a solve with non-finite numbers may have left others
  for (size_t i = 0; i < 3 * stride_u(b); i++) u[i] = 0;
  for (PetscInt child = b->child; child >= 0; child = p->block[child].sibling) collect(p, b, p->block + child);
}

/* Writes x of b's columns. */
static void store(const sweep *s, const wring_packed_block *b)
{
  const wring_packed *const p     = s->p;
  const float *const        y     = p->y + 3 * b->y;
  const size_t              width = stride_y(b);
  for (PetscInt i = 0; i < b->n_column; i++) {
    double *const to = s->x + 3 * (size_t)p->perm[b->first + i];
    for (size_t c = 0; c < 3; c++) {
      const double value = s->back[c] * (double)y[c * width + (size_t)i];
      to[c]              = s->add ? to[c] + value : value;
    }
  }
}

/* Copies x of the rows below b from the parent's rows. */
static void fetch(const wring_packed *p, const wring_packed_block *b)
{
  if (b->parent < 0) return;
  const wring_packed_block *const parent = p->block + b->parent;
  const int32_t *const            place  = p->place + b->row;
  const size_t                    n = stride_u(b), ny = stride_y(parent), nu = stride_u(parent);
  const float *const restrict y = p->y + 3 * parent->y, *const restrict u = p->u + 3 * parent->u;
  float *const restrict to = p->u + 3 * b->u;
  for (PetscInt i = 0; i < b->n_inner; i++) {
    const float *const from = y + place[i];
    to[i] = from[0], to[n + (size_t)i] = from[ny], to[2 * n + (size_t)i] = from[2 * ny];
  }
  for (PetscInt i = b->n_inner; i < b->n_below; i++) {
    const float *const from = u + (place[i] - parent->n_column);
    to[i] = from[0], to[n + (size_t)i] = from[nu], to[2 * n + (size_t)i] = from[2 * nu];
  }
}

static void forward_triangle(const wring_packed *p, const wring_packed_block *b)
{
  const float *L      = p->value + b->value;
  float *const y      = p->y + 3 * b->y;
  const size_t stride = stride_y(b);
  for (PetscInt j = 0; j < b->n_column; j += PANEL) {
    const PetscInt rows = wring_packed_rows(b, j);
    apply_inverse(L, PETSC_FALSE, y + j, stride);
    L += PANEL * PANEL;
    if (rows) {
      float now[3 * PANEL];
      for (size_t c = 0; c < 3; c++)
        for (int q = 0; q < PANEL; q++) now[c * PANEL + (size_t)q] = y[c * stride + (size_t)(j + q)];
      subtract_panel(rows, L, now, PANEL, y + wring_packed_start(j), stride);
    }
    L += PANEL * rows;
  }
}

static void backward_triangle(const wring_packed *p, const wring_packed_block *b)
{
  const float *L      = p->value + b->value + wring_packed_triangle(b);
  float *const y      = p->y + 3 * b->y;
  const size_t stride = stride_y(b);
  for (PetscInt j = PANEL * (wring_packed_panels(b) - 1); j >= 0; j -= PANEL) {
    const PetscInt rows = wring_packed_rows(b, j);
    float          sum[3][PANEL];
    L -= PANEL * rows;
    if (rows) {
      multiply_panel(rows, L, y + wring_packed_start(j), stride, sum);
      for (size_t c = 0; c < 3; c++)
        for (int q = 0; q < PANEL; q++) y[c * stride + (size_t)(j + q)] -= sum[c][q];
    }
    L -= PANEL * PANEL;
    apply_inverse(L, PETSC_TRUE, y + j, stride);
  }
}

static void forward_unit(const wring_packed *p, const wring_packed_block *b, PetscInt unit)
{
  const PetscInt     rows = wring_packed_unit_rows(b, unit);
  const float *const y    = p->y + 3 * b->y;
  const float       *L    = unit_values(p, b, unit);
  float *const       u    = p->u + 3 * b->u + (size_t)unit * UNIT;
  for (PetscInt j = 0; j < b->n_column; j += PANEL, L += PANEL * rows)
    subtract_panel(rows, L, y + j, stride_y(b), u, stride_u(b));
}

/* sum [3][WIDEST]: what the rows of one unit subtract from the columns of b. */
static void backward_unit(const wring_packed *p, const wring_packed_block *b, PetscInt unit, float *sum)
{
  const PetscInt     rows = wring_packed_unit_rows(b, unit);
  const float       *L    = unit_values(p, b, unit);
  const float *const u    = p->u + 3 * b->u + (size_t)unit * UNIT;
  for (PetscInt j = 0; j < b->n_column; j += PANEL, L += PANEL * rows) {
    float now[3][PANEL];
    multiply_panel(rows, L, u, stride_u(b), now);
    for (int c = 0; c < 3; c++)
      for (int q = 0; q < PANEL; q++) sum[c * WIDEST + j + q] = now[c][q];
  }
}

static void subtract_sum(const wring_packed *p, const wring_packed_block *b, const float *sum)
{
  for (size_t c = 0; c < 3; c++) {
    float *const y = p->y + 3 * b->y + c * stride_y(b);
    for (PetscInt i = 0; i < b->n_column; i++) y[i] -= sum[c * WIDEST + (size_t)i];
  }
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

static void forward_block(const sweep *s, const wring_packed_block *b)
{
  load(s, b);
  forward_triangle(s->p, b);
  for (PetscInt unit = 0; unit < wring_packed_units(b); unit++) forward_unit(s->p, b, unit);
}

static void backward_block(const sweep *s, const wring_packed_block *b)
{
  float sum[3 * WIDEST];
  fetch(s->p, b);
  for (PetscInt unit = 0; unit < wring_packed_units(b); unit++) {
    backward_unit(s->p, b, unit, sum);
    subtract_sum(s->p, b, sum);
  }
  backward_triangle(s->p, b);
  store(s, b);
}

/* A block whose units all threads share, if it has several; the first thread does the serial part. */
static void forward_shared(const sweep *s, const wring_packed_block *b)
{
  const PetscInt units = wring_packed_units(b);
  if (units < 2) {
    if (s->me == 0) forward_block(s, b);
    return;
  }
  if (s->me == 0) {
    load(s, b);
    forward_triangle(s->p, b);
  }
  wring_team_meet(s->p->team);
  for (PetscInt unit = s->me; unit < units; unit += s->size) forward_unit(s->p, b, unit);
  wring_team_meet(s->p->team);
}

static void backward_shared(const sweep *s, const wring_packed_block *b)
{
  const wring_packed *const p     = s->p;
  const PetscInt            units = wring_packed_units(b);
  if (units < 2) {
    if (s->me == 0) backward_block(s, b);
    return;
  }
  if (s->me == 0) fetch(p, b);
  wring_team_meet(p->team);
  for (PetscInt unit = s->me; unit < units; unit += s->size)
    backward_unit(p, b, unit, p->partial + (size_t)unit * 3 * WIDEST);
  wring_team_meet(p->team);
  if (s->me) return;
  for (PetscInt unit = 0; unit < units; unit++) subtract_sum(p, b, p->partial + (size_t)unit * 3 * WIDEST);
  backward_triangle(p, b);
  store(s, b);
}

static void run_sweeps(const sweep *s)
{
  const wring_packed *const p = s->p;
  for (PetscInt k = 0; k < p->n_block; k++)
    if (p->owner[k] == s->me) forward_block(s, p->block + k);
  wring_team_meet(p->team);
  for (PetscInt k = 0; k < p->n_block; k++)
    if (p->owner[k] < 0) forward_shared(s, p->block + k);
  for (PetscInt k = p->n_block - 1; k >= 0; k--)
    if (p->owner[k] < 0) backward_shared(s, p->block + k);
  wring_team_meet(p->team);
  for (PetscInt k = p->n_block - 1; k >= 0; k--)
    if (p->owner[k] == s->me) backward_block(s, p->block + k);
  wring_team_meet(p->team);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/*
  A block whose subtree costs more than a quarter of a thread's share is shared: p->owner is -1; size for the others.
*/
static void share_top(wring_packed *p, int size, double *subtree)
{
  for (PetscInt k = 0; k < p->n_block; k++) // the values of a block, which a solve reads
    subtree[k] = (double)((k + 1 < p->n_block ? p->block[k + 1].value : p->n_value) - p->block[k].value);
  for (PetscInt k = 0; k < p->n_block; k++)
    if (p->block[k].parent >= 0) subtree[p->block[k].parent] += subtree[k];
  for (PetscInt k = 0; k < p->n_block; k++)
    p->owner[k] = size > 1 && 4.0 * size * subtree[k] > (double)p->n_value ? -1 : size;
}

/* Assigns the remaining subtrees, the most expensive first, each to the thread with the least work so far. */
static PetscErrorCode assign_subtrees(wring_packed *p, int size, const double *subtree)
{
  PetscInt *root, n_root = 0;
  double   *weight, *load_of;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p->n_block, &root, p->n_block, &weight));
  PetscCall(PetscCalloc1(size, &load_of));
  for (PetscInt k = 0; k < p->n_block; k++) {
    const PetscInt parent = p->block[k].parent;
    if (p->owner[k] < 0 || (parent >= 0 && p->owner[parent] >= 0)) continue;
    root[n_root]     = k;
    weight[n_root++] = subtree[k];
  }
  PetscCall(PetscSortRealWithArrayInt(n_root, weight, root));
  for (PetscInt i = n_root - 1; i >= 0; i--) {
    int least = 0;
    for (int t = 1; t < size; t++)
      if (load_of[t] < load_of[least]) least = t;
    load_of[least] += weight[i];
    p->owner[root[i]] = least;
  }
  PetscCall(PetscFree(load_of));
  PetscCall(PetscFree2(root, weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assign_blocks(wring_packed *p, int size)
{
  double *subtree;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->n_block, &subtree));
  share_top(p, size, subtree);
  PetscCall(assign_subtrees(p, size, subtree));
  for (PetscInt k = p->n_block - 1; k >= 0; k--)
    if (p->owner[k] == size) p->owner[k] = p->owner[p->block[k].parent];
  p->size = size;
  PetscCall(PetscFree(subtree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- front ------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_packed_solve(wring_packed *p, const double scale[3], const double *b, PetscBool add, double *x)
{
  const wring_team *const t    = p->team;
  const int               size = t->n_rank * t->threads;
  double                  back[3];
  int                     got = t->threads;

  PetscFunctionBegin;
  if (p->size != size) PetscCall(assign_blocks(p, size));
  for (int c = 0; c < 3; c++) back[c] = scale[c] > 0 ? p->scale * p->scale / scale[c] : 0;
#pragma omp parallel num_threads(t->threads)
  {
    const unsigned old = wring_subnormal_flush();
    const sweep    s   = {.p     = p,
                          .scale = scale,
                          .back  = back,
                          .b     = b,
                          .x     = x,
                          .add   = add,
                          .me    = wring_team_me(t),
                          .size  = wring_team_size(t)};
    if (omp_get_num_threads() == t->threads)
      run_sweeps(&s);
    else if (omp_get_thread_num() == 0)
      got = omp_get_num_threads();
    wring_subnormal_restore(old);
  }
  PetscCheck(got == t->threads, PETSC_COMM_SELF, PETSC_ERR_SYS, "OpenMP gives %d threads of %d", got, t->threads);
  PetscFunctionReturn(PETSC_SUCCESS);
}
