/* Builds the blocks and chunks of a term. */
#include "base/grow.h"
#include "term_impl.h"

enum { LANES = WRING_LANES };

/* The element at a position; at padded positions, the last element of the group. */
static PetscInt element_at(const wring_term *t, PetscInt position)
{
  const PetscInt e = term_element(t, position);
  if (e >= 0) return e;
  return (position < term_boundary(t) ? t->n_interior : t->n) - 1;
}

static PetscErrorCode cut_chunks(wring_term *t)
{
  const PetscInt interior = term_blocks(t->n_interior), boundary = term_blocks(t->n - t->n_interior);

  PetscFunctionBegin;
  const PetscInt most = t->chunk_blocks;
  t->n_block          = interior + boundary;
  t->n_chunk_interior = (interior + most - 1) / most;
  t->n_chunk          = t->n_chunk_interior + (boundary + most - 1) / most;
  PetscCall(PetscMalloc1(t->n_chunk + 1, &t->chunk_block));
  for (PetscInt c = 0; c < t->n_chunk_interior; c++) t->chunk_block[c] = c * most;
  for (PetscInt c = t->n_chunk_interior; c < t->n_chunk; c++) {
    t->chunk_block[c] = interior + (c - t->n_chunk_interior) * most;
  }
  t->chunk_block[t->n_chunk] = t->n_block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Numbers the vertices of chunk c in order of appearance; mark [n_local] is the number of a vertex in the chunk, or -1.
*/
static PetscInt number_corners(wring_term *t, PetscInt c, const PetscInt *vertex, PetscInt *mark, PetscInt *list)
{
  PetscInt n = 0;
  for (int l = 0; l < LANES; l++) { // the order of elements
    for (PetscInt b = t->chunk_block[c]; b < t->chunk_block[c + 1]; b++) {
      const PetscInt *v = vertex + t->m * element_at(t, b * LANES + l);
      for (int a = 0; a < t->m; a++) {
        if (mark[v[a]] < 0) {
          mark[v[a]] = n;
          list[n++]  = v[a];
        }
        t->corner[((size_t)b * t->m + a) * LANES + l] = (uint16_t)(4 * mark[v[a]]);
      }
    }
  }
  for (PetscInt i = 0; i < n; i++) mark[list[i]] = -1;
  return n;
}

static PetscErrorCode list_vertices(wring_term *t, PetscInt n_local, const PetscInt *vertex)
{
  const PetscInt room = t->chunk_blocks * LANES * t->m; // of a chunk
  double        *corner;
  PetscInt      *mark, *list = NULL, capacity = 0, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n_local, &mark));
  for (PetscInt i = 0; i < n_local; i++) mark[i] = -1;
  PetscCall(PetscMalloc1(t->n_chunk + 1, &t->chunk_vertex));
  PetscCall(wring_blocks_create((size_t)t->n_block * t->m * LANES * sizeof *t->corner / sizeof *corner, &corner));
  t->corner = (uint16_t *)corner; // allocated like the other blocks
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    PetscCall(wring_grow((PetscInt64)n + room, &capacity, sizeof *list, &list));
    t->chunk_vertex[c] = n;
    n += number_corners(t, c, vertex, mark, list + n);
    t->max_vertex = PetscMax(t->max_vertex, n - t->chunk_vertex[c]);
  }
  t->chunk_vertex[t->n_chunk] = n;
  PetscCall(PetscRealloc(sizeof *list * (size_t)PetscMax(n, 1), &list));
  t->vertex = list;
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Moves the vertices that only chunk c touches before the others, keeping the order within each kind; work
  [2][max_vertex].
*/
static void sort_vertices(wring_term *t, PetscInt c, const PetscInt *count, PetscInt *work)
{
  const PetscInt n      = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  PetscInt      *vertex = t->vertex + t->chunk_vertex[c], *to = work, *sorted = work + t->max_vertex, k = 0;
  for (PetscInt i = 0; i < n; i++)
    if (count[vertex[i]] == 1) to[i] = k++;
  t->chunk_own[c] = k;
  for (PetscInt i = 0; i < n; i++)
    if (count[vertex[i]] > 1) to[i] = k++;
  for (PetscInt i = 0; i < n; i++) sorted[to[i]] = vertex[i];
  for (PetscInt i = 0; i < n; i++) vertex[i] = sorted[i];
  for (size_t i = (size_t)t->chunk_block[c] * t->m * LANES; i < (size_t)t->chunk_block[c + 1] * t->m * LANES; i++)
    t->corner[i] = (uint16_t)(4 * to[t->corner[i] / 4]);
}

/* Lists the vertices that several chunks touch; count [n_local]: number of chunks at a vertex. */
static void list_shared(wring_term *t, PetscInt n_local, const PetscInt *count, PetscInt *next)
{
  t->shared_start[0] = 0;
  for (PetscInt v = 0, s = 0; v < n_local; v++) {
    if (count[v] < 2) continue;
    t->shared[s]           = v;
    next[v]                = t->shared_start[s];
    t->shared_start[s + 1] = t->shared_start[s] + count[v];
    s++;
  }
}

/* Assigns a vertex that several chunks touch a row of `share` in each of them. */
static PetscErrorCode find_shared(wring_term *t, PetscInt n_local)
{
  PetscInt *count, *next, *work, n_row = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(n_local, &count, n_local, &next, (size_t)2 * t->max_vertex, &work));
  for (PetscInt i = 0; i < t->chunk_vertex[t->n_chunk]; i++) count[t->vertex[i]]++;
  for (PetscInt v = 0; v < n_local; v++) {
    t->n_shared += count[v] > 1;
    n_row += count[v] > 1 ? count[v] : 0;
  }
  PetscCall(PetscMalloc5(t->n_chunk, &t->chunk_own, t->n_chunk, &t->chunk_row, t->n_shared, &t->shared, t->n_shared + 1,
                         &t->shared_start, n_row + ROWS_AHEAD, &t->shared_row));
  list_shared(t, n_local, count, next);
  n_row = 0;
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    sort_vertices(t, c, count, work);
    t->chunk_row[c] = n_row;
    for (PetscInt i = t->chunk_vertex[c] + t->chunk_own[c]; i < t->chunk_vertex[c + 1]; i++)
      t->shared_row[next[t->vertex[i]]++] = n_row++;
  }
  PetscCall(PetscArrayzero(t->shared_row + n_row, ROWS_AHEAD));
  PetscCall(wring_blocks_create(4 * (size_t)n_row, &t->share));
  PetscCall(PetscFree3(count, next, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_stencil(int m, int q)
{
#define STENCIL(M, Q) || (m == (M) && q == (Q))
  return (PetscBool)(0 STENCILS);
#undef STENCIL
}

PetscErrorCode wring_term_check_law(const char *name, const wring_law *law, int m, int q)
{
  PetscFunctionBegin;
  PetscCheck(law->q == q && is_stencil(m, q), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "'%s': law '%s' has q = %d, which its elements of %d vertices cannot have", name, law->name, law->q, m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create(const wring_mesh *mesh, const char *name, const wring_law *law, int m, PetscInt n,
                                 PetscInt n_interior, const PetscInt *vertex, PetscBool per_element, wring_term **term)
{
  wring_term *t;
  size_t      rows;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  PetscCall(PetscStrncpy(t->name, name, sizeof t->name));
  t->law = law, t->m = m, t->n = n, t->n_interior = n_interior, t->active = PETSC_TRUE, t->points = 1;
  if (m == QUADRATIC) {
    t->rule   = wring_mesh_quadrature(mesh);
    t->rest   = mesh->X;
    t->points = t->rule->n;
  }
  t->chunk_blocks = CHUNK_BLOCKS / t->points;
  PetscCall(cut_chunks(t));
  PetscCall(list_vertices(t, mesh->n_local, vertex));
  PetscCall(find_shared(t, mesh->n_local));
  rows = (size_t)t->n_block * (size_t)t->points;
  if (m > 2) PetscCall(wring_blocks_create(rows * (size_t)(columns_of(m) * law->q * LANES), &t->coef));
  PetscCall(wring_blocks_create(rows * LANES, &t->weight));
  for (PetscInt e = 0; e < n; e++)
    for (int p = 0; p < t->points; p++) t->weight[point_position(t, term_position(t, e), p)] = 1;
  t->par_stride = per_element ? (size_t)law->n_par * LANES : 0;
  PetscCall(wring_blocks_create((per_element ? (size_t)t->n_block : 1) * law->n_par * LANES, &t->par));
  PetscCall(PetscCalloc1(PASS_SUMS * t->n_chunk, &t->partial));
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void set_row(double *row, int n, PetscInt position, const double *value)
{
  double *block = row + (size_t)(position / LANES) * n * LANES;
  for (int i = 0; i < n; i++) block[i * LANES + position % LANES] = value[i];
}

void wring_term_set_point(wring_term *t, PetscInt e, int point, const double *coef, double weight)
{
  const PetscInt at = point_position(t, term_position(t, e), point);
  set_row(t->coef, columns_of(t->m) * t->law->q, at, coef);
  t->weight[at] = weight;
}

void wring_term_set_par(wring_term *t, PetscInt e, const double *par)
{
  if (t->par_stride) {
    set_row(t->par, t->law->n_par, term_position(t, e), par);
  } else {
    for (PetscInt l = 0; l < LANES; l++) set_row(t->par, t->law->n_par, l, par);
  }
}

static void copy_lane(double *row, int n, PetscInt from, PetscInt to)
{
  const double *a = row + (size_t)(from / LANES) * n * LANES + from % LANES;
  double       *b = row + (size_t)(to / LANES) * n * LANES + to % LANES;
  for (int i = 0; i < n; i++) b[i * LANES] = a[i * LANES];
}

void wring_term_pad(wring_term *t)
{
  for (PetscInt position = 0; position < t->n_block * LANES; position++) {
    const PetscInt from = term_position(t, element_at(t, position));
    if (from == position) continue;
    for (int p = 0; p < t->points && t->coef; p++) {
      copy_lane(t->coef, columns_of(t->m) * t->law->q, point_position(t, from, p), point_position(t, position, p));
    }
    if (t->par_stride) copy_lane(t->par, t->law->n_par, from, position);
  }
}
