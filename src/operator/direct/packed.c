/* The copy of a supernodal factor: blocks, positions of their rows in their parents, values. docs/theory.md 4.2 */
#include "packed.h"
#include <math.h>

enum { PANEL = WRING_PACKED_PANEL, LANES = WRING_PACKED_LANES, UNIT = WRING_PACKED_UNIT, WIDEST = WRING_PACKED_WIDEST };

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/*
  P A P^T = L L^T; supernode k has columns super[k] .. super[k + 1], rows s[pi[k] .. pi[k + 1]), and values, by columns,
  from x[px[k]] on.
*/
static PetscInt first_of(const cholmod_factor *f, PetscInt k)
{
  return ((const PetscInt *)f->super)[k];
}

static PetscInt columns_of(const cholmod_factor *f, PetscInt k)
{
  return first_of(f, k + 1) - first_of(f, k);
}

static const PetscInt *rows_from(const cholmod_factor *f, PetscInt k)
{
  return (const PetscInt *)f->s + ((const PetscInt *)f->pi)[k];
}

static PetscInt rows_of(const cholmod_factor *f, PetscInt k)
{
  return (PetscInt)(rows_from(f, k + 1) - rows_from(f, k));
}

static const double *values_of(const cholmod_factor *f, PetscInt k)
{
  return (const double *)f->x + ((const PetscInt *)f->px)[k];
}

static PetscInt parts_of(const cholmod_factor *f, PetscInt k)
{
  return (columns_of(f, k) + WIDEST - 1) / WIDEST;
}

/* First column of part i of supernode k, from 0. Parts have equal width, rounded up to whole panels. */
static PetscInt part_begin(const cholmod_factor *f, PetscInt k, PetscInt i)
{
  const PetscInt n = columns_of(f, k), parts = parts_of(f, k);
  const PetscInt width = ((n + parts - 1) / parts + PANEL - 1) / PANEL * PANEL;
  return PetscMin(n, i * width);
}

static size_t count_values(const wring_packed_block *b)
{
  size_t rows = 0;
  for (PetscInt u = 0; u < wring_packed_units(b); u++) rows += (size_t)wring_packed_unit_rows(b, u);
  return wring_packed_triangle(b) + rows * PANEL * (size_t)wring_packed_panels(b);
}

/* Appends a block: its sizes and its offsets in the arrays, whose lengths grow by it. */
static void add_block(const cholmod_factor *f, PetscInt k, PetscInt i, wring_packed *p)
{
  const PetscInt            begin = part_begin(f, k, i), end = part_begin(f, k, i + 1);
  wring_packed_block *const b = p->block + p->n_block++;
  *b                          = (wring_packed_block){.first    = first_of(f, k) + begin,
                                                     .n_column = end - begin,
                                                     .n_below  = rows_of(f, k) - end,
                                                     .parent   = -1,
                                                     .child    = -1,
                                                     .sibling  = -1,
                                                     .y        = p->n_y,
                                                     .u        = p->n_u,
                                                     .row      = p->n_place,
                                                     .value    = p->n_value};
  p->n_y += (size_t)wring_packed_pad(b->n_column);
  p->n_u += (size_t)wring_packed_pad(b->n_below);
  p->n_place += (size_t)b->n_below;
  p->n_value += count_values(b);
}

static const PetscInt *below(const cholmod_factor *f, PetscInt k, const wring_packed_block *b)
{
  return rows_from(f, k) + (b->first - first_of(f, k)) + b->n_column;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *take(char *memory, size_t *at, size_t n, size_t size)
{
  void *const here = memory ? memory + *at : NULL;
  *at += (n * size + 63) / 64 * 64;
  return here;
}

/* Returns the bytes of all arrays, and places them in memory unless it is NULL. */
static size_t place_arrays(wring_packed *p, void *memory)
{
  size_t   at    = 0;
  PetscInt units = 0;
  for (PetscInt k = 0; k < p->n_block; k++) units = PetscMax(units, wring_packed_units(p->block + k));
  p->perm    = take(memory, &at, (size_t)p->n, sizeof *p->perm);
  p->place   = take(memory, &at, p->n_place, sizeof *p->place);
  p->value   = take(memory, &at, p->n_value, sizeof *p->value);
  p->y       = take(memory, &at, 3 * p->n_y, sizeof *p->y);
  p->u       = take(memory, &at, 3 * p->n_u, sizeof *p->u);
  p->partial = take(memory, &at, 3 * WIDEST * (size_t)units, sizeof *p->partial);
  return at;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Row r of L as a row of block b, whose rows below are s; the search in s continues from *i. -1: not found. */
static PetscInt place_of(PetscInt r, const wring_packed_block *b, const PetscInt *s, PetscInt *i)
{
  if (r < b->first + b->n_column) return r - b->first;
  while (*i < b->n_below && s[*i] < r) ++*i;
  return *i < b->n_below && s[*i] == r ? b->n_column + *i : -1;
}

/* The parent is the block whose columns include the first row below; all rows below are rows of the parent. */
static PetscErrorCode join_parent(const cholmod_factor *f, const PetscInt *super_of, PetscInt k, PetscInt parent,
                                  wring_packed *p)
{
  wring_packed_block *const       b = p->block + k;
  const wring_packed_block *const t = p->block + parent;
  const PetscInt *const s = below(f, super_of[k], b), *const s_parent = below(f, super_of[parent], t);
  PetscInt at = 0;

  PetscFunctionBegin;
  b->parent  = parent;
  b->n_inner = 0;
  for (PetscInt i = 0; i < b->n_below; i++) {
    const PetscInt place = place_of(s[i], t, s_parent, &at);
    PetscCheck(place >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " is not in the parent", s[i]);
    p->place[b->row + (size_t)i] = (int32_t)place;
    b->n_inner += place < t->n_column;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_tree(const cholmod_factor *f, const PetscInt *super_of, wring_packed *p)
{
  PetscInt *block_of; // of a column

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->n + 1, &block_of));
  for (PetscInt k = 0; k < p->n_block; k++)
    for (PetscInt i = 0; i < p->block[k].n_column; i++) block_of[p->block[k].first + i] = k;
  for (PetscInt k = p->n_block - 1; k >= 0; k--) { // from the last, so that children ascend
    wring_packed_block *const b = p->block + k;
    if (b->n_below == 0) continue;
    const PetscInt parent = block_of[below(f, super_of[k], b)[0]];
    PetscCall(join_parent(f, super_of, k, parent, p));
    b->sibling             = p->block[parent].child;
    p->block[parent].child = k;
  }
  PetscCall(PetscFree(block_of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A block within its supernode: entry (i, j) of its rows and columns is x[i + j rows]. */
typedef struct {
  const double *x;
  PetscInt      rows, n_column;
  double        scale;
} dense;

static float entry(const dense *d, PetscInt i, PetscInt j)
{
  return j < d->n_column ? (float)(d->scale * d->x[i + (size_t)j * (size_t)d->rows]) : 0;
}

/* to [PANEL][PANEL]: inverse of the triangle at panel j, of the rounded entries; zero beyond the last column. */
static void invert(const dense *d, PetscInt j, float *to)
{
  double inverse[PANEL][PANEL] = {{0}};
  for (PetscInt q = 0; q < PANEL && j + q < d->n_column; q++) {
    for (PetscInt r = 0; r <= q; r++) {
      double sum = r == q;
      for (PetscInt m = r; m < q; m++) sum -= (double)entry(d, j + q, j + m) * inverse[m][r];
      inverse[q][r] = sum / (double)entry(d, j + q, j + q);
    }
  }
  for (int q = 0; q < PANEL; q++)
    for (int r = 0; r < PANEL; r++) to[PANEL * q + r] = (float)inverse[q][r];
}

/* to [rows/LANES][PANEL][LANES]: rows from `start` of panel j, zero outside [begin, end). */
static float *copy_panel(const dense *d, PetscInt j, PetscInt start, PetscInt rows, PetscInt begin, PetscInt end,
                         float *to)
{
  for (PetscInt i = start; i < start + rows; i += LANES)
    for (PetscInt q = 0; q < PANEL; q++)
      for (PetscInt l = i; l < i + LANES; l++) *to++ = l >= begin && l < end ? entry(d, l, j + q) : 0;
  return to;
}

static void copy_block(const wring_packed_block *b, const dense *d, float *to)
{
  const PetscInt n = b->n_column;
  for (PetscInt j = 0; j < n; j += PANEL) {
    invert(d, j, to);
    to = copy_panel(d, j, wring_packed_start(j), wring_packed_rows(b, j), j + PANEL, n, to + PANEL * PANEL);
  }
  for (PetscInt u = 0; u < wring_packed_units(b); u++)
    for (PetscInt j = 0; j < n; j += PANEL)
      to = copy_panel(d, j, n + u * UNIT, wring_packed_unit_rows(b, u), n, n + b->n_below, to);
}

/* The largest entry of L is on its diagonal. Scaling it to about 1 lets single precision hold a contrast of 1e38. */
static double find_scale(const cholmod_factor *f)
{
  double largest = 0;
  int    exponent;
  for (PetscInt k = 0; k < (PetscInt)f->nsuper; k++) {
    const size_t rows = (size_t)rows_of(f, k);
    for (PetscInt j = 0; j < columns_of(f, k); j++) largest = fmax(largest, values_of(f, k)[(size_t)j * (rows + 1)]);
  }
  frexp(largest, &exponent);
  return ldexp(1, -exponent);
}

static void copy_values(const cholmod_factor *f, const PetscInt *super_of, wring_packed *p)
{
  p->scale = find_scale(f);
#pragma omp parallel for schedule(dynamic, 8)
  for (PetscInt k = 0; k < p->n_block; k++) {
    const wring_packed_block *const b = p->block + k;
    const PetscInt                  s = super_of[k], rows = rows_of(f, s);
    const size_t                    skip = (size_t)(b->first - first_of(f, s)) * (size_t)(rows + 1);
    const dense d = {.x = values_of(f, s) + skip, .rows = rows, .n_column = b->n_column, .scale = p->scale};
    copy_block(b, &d, p->value + b->value);
  }
}

/* ---- front ------------------------------------------------------------------------------------------------------- */

static void list_blocks(const cholmod_factor *f, PetscInt *super_of, wring_packed *p)
{
  for (PetscInt k = 0; k < (PetscInt)f->nsuper; k++) {
    for (PetscInt i = 0; i < parts_of(f, k); i++) {
      super_of[p->n_block] = k;
      add_block(f, k, i, p);
    }
  }
  p->bytes = place_arrays(p, NULL) + (size_t)p->n_block * (sizeof *p->block + sizeof *p->owner);
}

static PetscInt count_blocks(const cholmod_factor *f)
{
  PetscInt n = 0;
  for (PetscInt k = 0; k < (PetscInt)f->nsuper; k++) n += parts_of(f, k);
  return n;
}

/* Broadcasts sizes and blocks from rank 0. */
static PetscErrorCode share_blocks(wring_packed *p)
{
  const wring_team *const t = p->team;
  wring_packed            head;
  PetscMPIInt             count;
  MPI_Datatype            type;

  PetscFunctionBegin;
  if (t->n_rank == 1) PetscFunctionReturn(PETSC_SUCCESS);
  head = *p;
  PetscCallMPI(MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, t->comm));
  if (t->rank) {
    head.team = p->team, head.memory = p->memory;
    *p = head;
    PetscCall(PetscMalloc2(p->n_block, &p->block, p->n_block, &p->owner));
  }
  PetscCall(PetscMPIIntCast(p->n_block, &count));
  PetscCallMPI(MPI_Type_contiguous(sizeof *p->block, MPI_BYTE, &type)); // bytes may exceed 2^31
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Bcast(p->block, count, type, 0, t->comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_all(const cholmod_factor *f, PetscInt *super_of, wring_packed *p, PetscBool *enough)
{
  wring_team *const t = p->team;

  PetscFunctionBegin;
  PetscCall(wring_team_allocate(t, p->bytes, &p->memory, enough));
  if (!*enough) PetscFunctionReturn(PETSC_SUCCESS);
  if (t->rank == 0) {
    place_arrays(p, p->memory.memory);
    PetscCall(create_tree(f, super_of, p));
    PetscCall(PetscArraycpy(p->perm, (const PetscInt *)f->Perm, (PetscInt)f->n));
    copy_values(f, super_of, p);
  }
  PetscCall(share_blocks(p));
  place_arrays(p, p->memory.memory);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_packed_create(wring_team *t, const cholmod_factor *f, wring_packed **packed)
{
  PetscInt     *super_of = NULL;
  PetscBool     enough;
  wring_packed *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  *packed          = p;
  p->team          = t;
  p->memory.window = MPI_WIN_NULL;
  if (t->rank == 0) {
    const PetscInt n = count_blocks(f);
    p->n             = (PetscInt)f->n;
    PetscCall(PetscMalloc1(n, &super_of));
    PetscCall(PetscMalloc2(n, &p->block, n, &p->owner));
    list_blocks(f, super_of, p);
  }
  PetscCall(create_all(f, super_of, p, &enough));
  PetscCall(PetscFree(super_of));
  if (!enough) PetscCall(wring_packed_destroy(packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_packed_predict(const cholmod_factor *f, double *bytes)
{
  const PetscInt n = count_blocks(f);
  PetscInt      *super_of;
  wring_packed   p = {.n = (PetscInt)f->n};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &super_of, n, &p.block));
  list_blocks(f, super_of, &p);
  *bytes = (double)p.bytes;
  PetscCall(PetscFree2(super_of, p.block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_packed_destroy(wring_packed **p)
{
  PetscFunctionBegin;
  if (!*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_team_free(&(*p)->memory));
  PetscCall(PetscFree2((*p)->block, (*p)->owner));
  PetscCall(PetscFree(*p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
