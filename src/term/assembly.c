/*
  Matrices over the vertices: the pattern of shared elements, the scalar A and the Hessian. docs/theory.md (3.2), (4.1)
*/
#include "kernels.h"

enum { GROUP = 16 }; // blocks whose element matrices one thread holds

/* The chunk of a block, searched forward from chunk c. */
static PetscInt chunk_of(const wring_term *t, PetscInt block, PetscInt c)
{
  while (t->chunk_block[c + 1] <= block) c++;
  return c;
}

/* v: the local vertices of the element in a lane. Returns PETSC_FALSE for padded lanes. */
static PetscBool lane_vertices(const wring_term *t, PetscInt chunk, PetscInt block, int lane, PetscInt *v)
{
  for (int a = 0; a < t->m; a++) v[a] = term_corner(t, chunk, block, a, lane);
  return (PetscBool)(t->weight[(size_t)block * LANES + lane] > 0);
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

typedef void visit(const wring_term *t, const PetscInt *v, PetscInt *start, PetscInt *list);

static void for_each_element(const wring_term *t, visit *f, PetscInt *start, PetscInt *list)
{
  PetscInt v[MAX_M];
  for (PetscInt b = 0, c = 0; b < t->n_block; b++) {
    c = chunk_of(t, b, c);
    for (int l = 0; l < LANES; l++) {
      if (lane_vertices(t, c, b, l, v)) f(t, v, start, list);
    }
  }
}

static void count_others(const wring_term *t, const PetscInt *v, PetscInt *start, PetscInt *list)
{
  (void)list;
  for (int a = 0; a < t->m; a++) start[v[a] + 1] += t->m - 1;
}

/* start[v] is the position of the next neighbour of v in list. */
static void list_others(const wring_term *t, const PetscInt *v, PetscInt *start, PetscInt *list)
{
  for (int a = 0; a < t->m; a++) {
    for (int b = 0; b < t->m; b++) {
      if (b != a) list[start[v[a]]++] = v[b];
    }
  }
}

/*
  Sorts the neighbours of each vertex, removes duplicates and compacts list in place; p->start leaves room for the
  vertex itself.
*/
static PetscErrorCode compact_rows(PetscInt n, const PetscInt *end, PetscInt *list, wring_pattern *p)
{
  PetscInt begin = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &p->start));
  p->start[0] = 0;
  for (PetscInt v = 0; v < n; v++) {
    PetscInt count = end[v] - begin;
    PetscCall(PetscSortRemoveDupsInt(&count, list + begin));
    p->start[v + 1] = p->start[v] + count + 1;
    for (PetscInt i = 0; i < count; i++) list[p->start[v] - v + i] = list[begin + i];
    begin = end[v];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void insert_diagonal(PetscInt n, const PetscInt *list, wring_pattern *p)
{
  for (PetscInt v = 0; v < n; v++) {
    const PetscInt *others = list + p->start[v] - v, count = p->start[v + 1] - p->start[v] - 1;
    PetscInt       *column = p->column + p->start[v];
    PetscInt        i      = 0;
    for (; i < count && others[i] < v; i++) column[i] = others[i];
    column[i] = v;
    for (; i < count; i++) column[i + 1] = others[i];
  }
}

PetscErrorCode wring_pattern_create(PetscInt n_local, PetscInt n_terms, wring_term *const *terms,
                                    wring_pattern **pattern)
{
  wring_pattern *p;
  PetscInt      *next, *list;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->n = n_local;
  PetscCall(PetscCalloc1(n_local + 1, &next));
  for (PetscInt i = 0; i < n_terms; i++) for_each_element(terms[i], count_others, next, NULL);
  for (PetscInt v = 0; v < n_local; v++) next[v + 1] += next[v];
  PetscCall(PetscMalloc1(next[n_local], &list));
  for (PetscInt i = 0; i < n_terms; i++) for_each_element(terms[i], list_others, next, list);
  PetscCall(compact_rows(n_local, next, list, p));
  PetscCall(PetscMalloc1(p->start[n_local], &p->column));
  insert_diagonal(n_local, list, p);
  PetscCall(PetscFree(list));
  PetscCall(PetscFree(next));
  *pattern = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pattern_destroy(wring_pattern **p)
{
  PetscFunctionBegin;
  if (!*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*p)->start));
  PetscCall(PetscFree((*p)->column));
  PetscCall(PetscFree(*p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The position of column v in row u, which has it. */
static PetscInt find_entry(const wring_pattern *p, PetscInt u, PetscInt v)
{
  PetscInt low = p->start[u], high = p->start[u + 1];
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (p->column[middle] <= v)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* ---- A ----------------------------------------------------------------------------------------------------------- */

/* G of all m vertices [m][q] of one lane. */
static void lane_coef(const wring_term *t, PetscInt block, int lane, double *g)
{
  const int n_free = free_vertices(t->m), q = t->law->q;
  for (int i = 0; i < t->m * q; i++) g[i] = 0;
  for (int a = 0; a < n_free; a++) {
    for (int k = 0; k < q; k++) {
      g[q * a + k] = t->coef ? t->coef[((size_t)block * n_free * q + q * a + k) * LANES + lane] : 1;
      if (t->m > 1) g[q * (t->m - 1) + k] -= g[q * a + k];
    }
  }
}

void wring_term_add_laplacian(const wring_term *t, const wring_pattern *p, double factor, double *value)
{
  const int            q = t->law->q;
  PetscInt             v[MAX_M];
  double               g[MAX_M * MAX_Q];
  WRING_ALIGNED double k[LANES];
  if (!t->active) return;
  for (PetscInt b = 0, c = 0; b < t->n_block; b++) {
    c = chunk_of(t, b, c);
    block_slope(t, b, k);
    for (int l = 0; l < LANES; l++) {
      if (!lane_vertices(t, c, b, l, v)) continue;
      const double wk = factor * t->weight[(size_t)b * LANES + l] * k[l];
      lane_coef(t, b, l, g);
      for (int i = 0; i < t->m; i++) {
        for (int j = 0; j < t->m; j++) {
          double sum = 0;
          for (int a = 0; a < q; a++) sum += g[q * i + a] * g[q * j + a];
          value[find_entry(p, v[i], v[j])] += wk * sum;
        }
      }
    }
  }
}

static void add_element(int m, int q, const double *g, const double *B, const PetscInt *v, const wring_pattern *p,
                        double *value)
{
  for (int i = 0; i < m; i++) {
    double gB[MAX_Q] = {0};
    for (int k = 0; k < q * q; k++) gB[k % q] += g[q * i + k / q] * B[k];
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < q; k++) sum += gB[k] * g[q * j + k];
      value[find_entry(p, v[i], v[j])] += sum;
    }
  }
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

/*
  K_ab = w G_a h G_b^T for the free vertices; the last vertex follows from translation invariance: rows and columns of K
  sum to zero.
*/
static inline __attribute__((always_inline)) void element_matrix(int m, int q, const double *coef, const double *w,
                                                                 wring_in h, double (*K)[LANES])
{
  const int                 n_free = free_vertices(m);
  WRING_ALIGNED const lanes one[1] = {{1, 1, 1, 1, 1, 1, 1, 1}};
  const wring_in            g      = coef ? (wring_in)coef : one;
  WRING_ALIGNED lanes       hg[3 * MAX_Q][3]; // h G_b^T
  for (int i = 0; i < 9 * m * m; i++) {
    for (int l = 0; l < LANES; l++) K[i][l] = 0;
  }
  for (int b = 0; b < n_free; b++) {
    for (int i = 0; i < 3 * q; i++) {
      for (int d = 0; d < 3; d++) {
        for (int l = 0; l < LANES; l++) {
          double sum = 0;
          for (int k = 0; k < q; k++) sum += h[i * 3 * q + q * d + k][l] * g[q * b + k][l];
          hg[i][d][l] = sum;
        }
      }
    }
    for (int a = 0; a < n_free; a++) {
      for (int cd = 0; cd < 9; cd++) {
        for (int l = 0; l < LANES; l++) {
          double sum = 0;
          for (int k = 0; k < q; k++) sum += g[q * a + k][l] * hg[q * (cd / 3) + k][cd % 3][l];
          sum *= w[l];
          K[9 * (m * a + b) + cd][l] += sum;
          if (m == 1) continue;
          K[9 * (m * a + m - 1) + cd][l] -= sum;
          K[9 * (m * (m - 1) + b) + cd][l] -= sum;
          K[9 * (m * m - 1) + cd][l] += sum;
        }
      }
    }
  }
}

/* The element matrices of a block, K [m^2][9], x private [vertices][4]. */
typedef struct {
  const wring_term *t;
  wring_filtering   which;
  PetscInt          c, b; // chunk, block
  const double     *x;
  double (*K)[LANES];
} work_block;

/* on [LANES]: whether the element has a marked vertex; returns the number of these. */
static int mark_lanes(const work_block *w, int *on)
{
  int      count = 0;
  PetscInt v[MAX_M];
  for (int l = 0; l < LANES; l++) {
    on[l] = 0;
    lane_vertices(w->t, w->c, w->b, l, v);
    for (int a = 0; a < w->t->m; a++) on[l] |= w->which.marks[v[a]] != 0;
    count += on[l];
  }
  return count;
}

/* h of the block, with the filter on the elements that it is for. */
static void block_hessian(const work_block *w, wring_in z, wring_out h)
{
  const wring_law *const law = w->t->law;
  const int              n   = 9 * law->q * law->q;
  WRING_ALIGNED lanes    plain[9 * MAX_Q * MAX_Q];
  int                    on[LANES];
  const int              count = w->which.marks ? mark_lanes(w, on) : LANES;

  law->hessian(law, count > 0 ? w->which.filter : WRING_FILTER_NONE, term_par(w->t, w->b), z, h);
  if (count == 0 || count == LANES) return;
  law->hessian(law, WRING_FILTER_NONE, term_par(w->t, w->b), z, plain);
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < LANES; l++) h[i][l] = on[l] ? h[i][l] : plain[i][l];
  }
}

static inline __attribute__((always_inline)) void block_matrix(int m, int q, void *context)
{
  const work_block *const w = context;
  WRING_ALIGNED lanes     z[3 * MAX_Q], h[9 * MAX_Q * MAX_Q];
  load_z(w->t, w->b, m, q, w->x, z);
  block_hessian(w, (wring_in)z, h);
  element_matrix(m, q, block_coef(w->t, w->b), w->t->weight + (size_t)w->b * LANES, (wring_in)h, w->K);
}

static void add_group(const wring_term *t, PetscInt c, PetscInt b0, PetscInt b1, lanes *K, const wring_pattern *p,
                      double *value)
{
  const int m = t->m;
  PetscInt  v[MAX_M];
  for (PetscInt b = b0; b < b1; b++, K += 9 * m * m) {
    for (int l = 0; l < LANES; l++) {
      if (!lane_vertices(t, c, b, l, v)) continue;
      for (int i = 0; i < m * m; i++) {
        double *entry = value + 9 * (size_t)find_entry(p, v[i / m], v[i % m]);
        for (int k = 0; k < 9; k++) entry[k] += K[9 * i + k][l];
      }
    }
  }
}

/*
  All threads compute element matrices, one group of blocks each; they are added in the order of the groups, so that the
  order of summation is fixed.
*/
void wring_term_add_hessian(const wring_term *t, wring_filtering which, const double *x, const wring_pattern *p,
                            double *value)
{
  const PetscInt per_chunk = CHUNK_BLOCKS / GROUP;
  if (!t->active) return;
#pragma omp parallel for ordered schedule(static, 1)
  for (PetscInt g = 0; g < t->n_chunk * per_chunk; g++) {
    const PetscInt      c = g / per_chunk, b0 = t->chunk_block[c] + g % per_chunk * GROUP;
    const PetscInt      b1 = PetscMin(b0 + GROUP, t->chunk_block[c + 1]);
    WRING_ALIGNED lanes K[GROUP * 9 * MAX_M * MAX_M];
    double              x_private[4 * t->max_vertex];
    if (b0 < b1) load_chunk(t, c, x, x_private);
    for (PetscInt b = b0; b < b1; b++) {
      with_stencil(t, block_matrix, &(work_block){t, which, c, b, x_private, K + (b - b0) * 9 * t->m * t->m});
    }
#pragma omp ordered
    add_group(t, c, b0, b1, K, p, value);
  }
}

/* ---- the mean of the Hessian's diagonal blocks ------------------------------------------------------------------- */

/* w B of a block, [q][q]. */
static inline __attribute__((always_inline)) void block_mean(int m, int q, void *context)
{
  const work_block *const w = context;
  WRING_ALIGNED lanes     z[3 * MAX_Q], h[9 * MAX_Q * MAX_Q];
  const double *const     weight = w->t->weight + (size_t)w->b * LANES;
  load_z(w->t, w->b, m, q, w->x, z);
  block_hessian(w, (wring_in)z, h);
  for (int k = 0; k < q * q; k++) {
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int d = 0; d < 3; d++) sum += h[(q * d + k / q) * 3 * q + q * d + k % q][l];
      w->K[k][l] = weight[l] * sum / 3;
    }
  }
}

static void add_means(const wring_term *t, PetscInt c, PetscInt b0, PetscInt b1, double factor, lanes *K,
                      const wring_pattern *p, double *value)
{
  const int m = t->m, q = t->law->q;
  PetscInt  v[MAX_M];
  double    g[MAX_M * MAX_Q], B[MAX_Q * MAX_Q];
  for (PetscInt b = b0; b < b1; b++, K += q * q) {
    for (int l = 0; l < LANES; l++) {
      if (!lane_vertices(t, c, b, l, v)) continue;
      lane_coef(t, b, l, g);
      for (int k = 0; k < q * q; k++) B[k] = factor * K[k][l];
      add_element(m, q, g, B, v, p, value);
    }
  }
}

/* As for the Hessian, all threads compute, and the order of summation is fixed. */
void wring_term_add_mean_hessian(const wring_term *t, double factor, const double *x, const wring_pattern *p,
                                 double *value)
{
  const PetscInt        per_chunk = CHUNK_BLOCKS / GROUP, size = t->law->q * t->law->q;
  const wring_filtering which = {.filter = WRING_FILTER_CLAMP};
  if (!t->active) return;
#pragma omp parallel for ordered schedule(static, 1)
  for (PetscInt g = 0; g < t->n_chunk * per_chunk; g++) {
    const PetscInt      c = g / per_chunk, b0 = t->chunk_block[c] + g % per_chunk * GROUP;
    const PetscInt      b1 = PetscMin(b0 + GROUP, t->chunk_block[c + 1]);
    WRING_ALIGNED lanes K[GROUP * MAX_Q * MAX_Q];
    double              x_private[4 * t->max_vertex];
    if (b0 < b1) load_chunk(t, c, x, x_private);
    for (PetscInt b = b0; b < b1; b++) {
      with_stencil(t, block_mean, &(work_block){t, which, c, b, x_private, K + (b - b0) * size});
    }
#pragma omp ordered
    add_means(t, c, b0, b1, factor, K, p, value);
  }
}
