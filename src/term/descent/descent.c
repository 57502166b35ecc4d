/* Gauss-Seidel over vertices: sums over the elements at a vertex, its step and search, the loops. docs/theory.md (5.29)
 */
#include "term/kernels.h"
#include "descent_solve.h"

enum { HALVINGS = 12, SMALL = 4 };   // SMALL: a colour with fewer batches is processed by one thread
static const double decrease = 1e-4; // of the slope, required of a step

/* ---- one block --------------------------------------------------------------------------------------------------- */

/* The vertices of a batch: where elements are evaluated, and sums there. */
typedef struct {
  const wring_descent *d;
  const descent_batch *batch;
  wring_work           work; // VALUE, or VALUE | GRADIENT for all sums
  double               at[BATCH][4];
  const PetscBool     *wanted; // [BATCH] vertices whose sums are needed; NULL: all
  wring_descent_sum    sum[BATCH];
} batch_work;

/* A block of a segment, and its sums. */
typedef struct {
  batch_work            *batch;
  const descent_segment *s;
  PetscInt               b;
} work_block;

/* Columns x_a - x_own of the other vertices, or x_own of points. */
TERM_INLINE void gather_columns_of(int m, const double *x, const PetscInt *other, const double (*own)[4],
                                   const unsigned char *slot, lanes *columns)
{
  const double *at[WIDTH];
  lane_rows     centre, r;
  lane_corner   v;
  for (int first = 0; first < LANES; first += WIDTH) {
    for (int l = 0; l < WIDTH; l++) at[l] = own[slot[first + l]];
    load_rows(at, &centre);
    for (int a = 0; a < m - 1; a++) {
      load_vertices(x, other + a * LANES + first, &r);
      subtract_rows(&r, &centre);
      rows_to_lanes(&r, &v);
      store_corner(&v, columns[3 * a] + first);
    }
    if (m == 1) {
      rows_to_lanes(&centre, &v);
      store_corner(&v, *columns + first);
    }
  }
}

/* Row of G of the own vertex: minus the sum of the others. */
TERM_INLINE void own_row(int m, int q, const double *coef, lanes *g)
{
  for (int k = 0; k < q; k++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double sum = m > 1 ? 0 : 1;
      for (int a = 0; a < m - 1; a++) sum -= coef[(q * a + k) * LANES + l];
      g[k][l] = sum;
    }
  }
}

/*
  value [10]: energy, gradient and Hessian of the own vertices at a point with the coefficients coef, per weight; only
  the energy with VALUE.
*/
TERM_INLINE void evaluate(int m, int q, const work_block *w, const double *coef, const lanes *columns,
                          const double *par, lanes *value)
{
  const wring_law *const law = w->s->term->law;
  WRING_ALIGNED lanes    z[3 * MAX_Q], p[3 * MAX_Q], g[MAX_Q];
  apply_coef(free_vertices(m), q, coef, columns, z);
  if (w->batch->work == WRING_VALUE) {
    law->energy(law, (wring_in)par, (wring_in)z, value[0]);
    return;
  }
  law->fused(law, (wring_in)par, (wring_in)z, value[0], p);
  own_row(m, q, coef, g);
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double sum = 0;
      for (int k = 0; k < q; k++) sum += g[k][l] * p[q * c + k][l];
      value[1 + c][l] = sum;
    }
  }
  wring_law_contract(law, w->batch->d->rule.definite, (wring_in)par, (wring_in)z, (wring_in)g, value + 4);
}

/* Adds a block to the sums of its vertices, lane by lane; padded lanes have weight 0. */
static inline void add_lanes(const work_block *w, const double *weight, const lanes *value)
{
  const unsigned char *slot = w->batch->d->slot + (size_t)(w->s->first_block + w->b) * LANES;
  const int            n    = w->batch->work == WRING_VALUE ? 1 : 10;
  for (int l = 0; l < LANES; l++) {
    double *const sum = &w->batch->sum[slot[l]].energy; // energy, f and K are consecutive
    if (!(weight[l] > 0)) continue;
    for (int i = 0; i < n; i++) sum[i] += weight[l] * value[i][l];
  }
}

TERM_INLINE void run_block(int m, int q, void *context)
{
  const work_block *const      w      = context;
  const wring_descent *const   d      = w->batch->d;
  const descent_segment *const s      = w->s;
  const int                    points = points_of(s->term, m), n = 1 + (m - 1) * q;
  const double *const          row   = d->data + s->data + (size_t)w->b * (size_t)descent_rows(s->term) * LANES;
  const PetscInt *const        other = d->other + s->other + (size_t)w->b * (size_t)descent_other_rows(s->term) * LANES;
  const double *const          par   = s->term->par_stride ? row + points * n * LANES : s->term->par;
  WRING_ALIGNED lanes          columns[3 * MAX_M], value[10];
  gather_columns_of(m, d->x, other, (const double(*)[4])w->batch->at, d->slot + (size_t)(s->first_block + w->b) * LANES,
                    columns);
  for (int p = 0; p < points; p++) {
    const double *const weight = row + p * n * LANES;
    evaluate(m, q, w, m > 1 ? weight + LANES : NULL, (const lanes *)columns, par, value);
    add_lanes(w, weight, (const lanes *)value);
  }
}

/* ---- one batch --------------------------------------------------------------------------------------------------- */

static PetscBool is_wanted(const batch_work *w, const unsigned char *slot)
{
  if (!w->wanted) return PETSC_TRUE;
  for (int l = 0; l < LANES; l++)
    if (w->wanted[slot[l]]) return PETSC_TRUE;
  return PETSC_FALSE;
}

enum { AHEAD = 2 }; // blocks

/* Prefetches the rows and vertices of a later block. Not inlined, gcc would leave this out, for it returns nothing. */
TERM_INLINE void prefetch_later(const wring_descent *d, const descent_segment *s, PetscInt b)
{
  if (b >= s->n_block) return;
  const int             rows = descent_rows(s->term), others = descent_others(s->term);
  const double *const   row   = d->data + s->data + (size_t)b * (size_t)rows * LANES;
  const PetscInt *const other = d->other + s->other + (size_t)b * (size_t)descent_other_rows(s->term) * LANES;
  for (int i = 0; i < others * LANES; i++) __builtin_prefetch(d->x + (size_t)4 * other[i]);
  for (int i = 0; i < rows; i++) __builtin_prefetch(row + i * LANES);
}

/* The sums of the active terms at `at`. */
static void sum_terms(batch_work *w)
{
  const descent_segment *s = w->d->segment + w->batch->segment, *const end = s + w->batch->n_segment;
  for (int i = 0; i < BATCH; i++) w->sum[i] = (wring_descent_sum){0};
  for (; s < end; s++) {
    for (PetscInt b = 0; b < s->n_block && s->term->active; b++) {
      if (!is_wanted(w, w->d->slot + (size_t)(s->first_block + b) * LANES)) continue;
      prefetch_later(w->d, s, b + AHEAD);
      with_stencil(s->term, run_block, &(work_block){w, s, b});
    }
  }
}

/* Adds inertia, loads, other energies and what is held to the derivatives of vertex v at x. */
static void complete(const wring_descent_rule *rule, PetscInt v, const double *x, wring_descent_sum *s)
{
  const double m = rule->factor * rule->mass[v];
  for (int c = 0; c < 3; c++) {
    s->f[c] += m * (x[c] - rule->target[3 * v + c]) - (rule->load ? rule->load[3 * v + c] : 0);
    s->K[c] += m;
  }
  if (rule->more) rule->more(rule->context, (wring_work)(WRING_VALUE | WRING_GRADIENT), v, x, s);
  if (rule->held && rule->held[v]) descent_hold(rule->held[v], s);
}

/* The rise of all energies but those of terms between x and x + a d; `before` are other energies at x. */
static double rise_of_others(const wring_descent_rule *rule, PetscInt v, const double *x, const double *at)
{
  const double      m    = rule->factor * rule->mass[v];
  double            rise = 0;
  wring_descent_sum more[2];
  for (int c = 0; c < 3; c++) {
    const double d = at[c] - x[c];
    rise += d * (m * (x[c] - rule->target[3 * v + c] + 0.5 * d) - (rule->load ? rule->load[3 * v + c] : 0));
  }
  if (!rule->more) return rise;
  more[0].energy = more[1].energy = 0;
  rule->more(rule->context, WRING_VALUE, v, x, &more[0]);
  rule->more(rule->context, WRING_VALUE, v, at, &more[1]);
  return rise + more[1].energy - more[0].energy;
}

/* The search of a vertex: from x, where terms have `energy`, along d with slope f . d. */
typedef struct {
  double x[3], d[3], slope, energy, length; // length: of the step, in parts of d
} search;

/* Starts the searches of a batch; open [BATCH]: vertices whose steps must be compared. Returns their number. */
static int start_searches(batch_work *w, search *vertex, PetscBool *open)
{
  const wring_descent *d      = w->d;
  int                  n_open = 0;
  for (PetscInt j = w->batch->begin; j < w->batch->end; j++) {
    const int          i   = (int)(j - w->batch->begin);
    const PetscInt     v   = d->vertex[j];
    search *const      s   = &vertex[i];
    wring_descent_sum *sum = &w->sum[i];
    s->energy              = sum->energy;
    complete(&d->rule, v, w->at[i], sum);
    descent_step(d->rule.search, sum, s->d);
    s->length = d->rule.relaxation;
    s->slope  = sum->f[0] * s->d[0] + sum->f[1] * s->d[1] + sum->f[2] * s->d[2];
    for (int c = 0; c < 3; c++) s->x[c] = w->at[i][c];
    open[i] = (PetscBool)(d->rule.search && fmax(fabs(s->d[0]), fmax(fabs(s->d[1]), fabs(s->d[2]))) > d->tiny[v]);
    n_open += open[i];
  }
  return n_open;
}

static void move_batch(batch_work *w, const search *vertex)
{
  for (PetscInt i = 0; i < w->batch->end - w->batch->begin; i++) {
    for (int c = 0; c < 3; c++) w->at[i][c] = vertex[i].x[c] + vertex[i].length * vertex[i].d[c];
  }
}

/* Closes the searches whose energy has decreased enough at `at` and halves the other steps; returns how many remain. */
static int close_searches(const batch_work *w, search *vertex, PetscBool *open)
{
  int n_open = 0;
  for (PetscInt i = 0; i < w->batch->end - w->batch->begin; i++) {
    search *const s = &vertex[i];
    if (!open[i]) continue;
    const double rise =
      w->sum[i].energy - s->energy + rise_of_others(&w->d->rule, w->d->vertex[w->batch->begin + i], s->x, w->at[i]);
    if (rise <= decrease * s->length * s->slope)
      open[i] = PETSC_FALSE;
    else
      s->length *= 0.5;
    n_open += open[i];
  }
  return n_open;
}

/* Moves the vertices of a batch in x. A vertex whose energy does not decrease stays where it is. */
static void run_batch(wring_descent *d, const descent_batch *batch)
{
  batch_work w = {.d = d, .batch = batch, .work = (wring_work)(WRING_VALUE | WRING_GRADIENT)};
  search     vertex[BATCH];
  PetscBool  open[BATCH] = {PETSC_FALSE};
  const int  n           = (int)(batch->end - batch->begin);
  for (int i = 0; i < n; i++) memcpy(w.at[i], d->x + (size_t)4 * d->vertex[batch->begin + i], sizeof w.at[i]);
  sum_terms(&w);
  int n_open = start_searches(&w, vertex, open);
  w.work     = WRING_VALUE;
  w.wanted   = open;
  move_batch(&w, vertex);
  for (int k = 0; k < HALVINGS && n_open > 0; k++) {
    sum_terms(&w);
    n_open = close_searches(&w, vertex, open);
    move_batch(&w, vertex);
  }
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++)
      d->x[(size_t)4 * d->vertex[batch->begin + i] + c] = open[i] ? vertex[i].x[c] : w.at[i][c];
  }
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode load(wring_descent *d, const double *x)
{
  PetscFunctionBegin;
  wring_to_rows(d->mesh->n_owned, x, d->x);
  PetscCall(wring_copy_rows(d->all, d->phases, d->four, d->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_descent_run(wring_descent *d, double *x)
{
  PetscFunctionBegin;
  wring_count(d->phases, WRING_WORK_GRADIENTS, 1);
  wring_count(d->phases, WRING_WORK_HESSIANS, 1);
  PetscCall(load(d, x));
  for (PetscInt c = 0; c < d->n_colour; c++) {
    const descent_colour *const g   = &d->colour[c];
    const wring_phase           old = wring_phases_switch(d->phases, WRING_PHASE_LOCAL);
#pragma omp parallel for schedule(static) if (g->end - g->begin >= SMALL)
    for (PetscInt b = g->begin; b < g->end; b++) run_batch(d, &d->batch[b]);
    wring_phases_switch(d->phases, old);
    if (g->copy) PetscCall(wring_copy_rows(g->copy, d->phases, d->four, d->x));
  }
  wring_from_rows(d->mesh->n_owned, d->x, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_descent_create(const wring_mesh *mesh, int n_term, wring_term *const *term, wring_phases *phases,
                                    wring_descent **descent)
{
  wring_descent *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->mesh = mesh, d->n_term = n_term, d->term = term, d->phases = phases;
  PetscCallMPI(MPI_Type_contiguous(4, MPI_DOUBLE, &d->four));
  PetscCallMPI(MPI_Type_commit(&d->four));
  PetscCall(wring_descent_build(d));
  PetscCall(wring_blocks_create(4 * (size_t)d->n_here, &d->x));
  PetscCall(PetscMalloc1(mesh->n_owned, &d->tiny));
  *descent = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_descent_destroy(wring_descent **descent)
{
  wring_descent *d = *descent;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt c = 0; c < d->n_colour; c++) PetscCall(PetscSFDestroy(&d->colour[c].copy));
  PetscCall(PetscSFDestroy(&d->all));
  PetscCall(PetscFree2(d->colour, d->batch));
  PetscCall(PetscFree(d->segment));
  PetscCall(PetscFree(d->vertex));
  PetscCall(PetscFree(d->colours));
  PetscCall(PetscFree(d->tiny));
  PetscCall(PetscFree2(d->other, d->slot));
  wring_blocks_destroy(&d->data);
  wring_blocks_destroy(&d->x);
  PetscCallMPI(MPI_Type_free(&d->four));
  PetscCall(PetscFree(*descent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the parameters of points, such as the targets of attachments. */
static void refresh_points(wring_descent *d, const descent_segment *s)
{
  const wring_term *t = s->term;
  for (PetscInt lane = 0; lane < s->n_block * LANES; lane++) {
    double *const  row = d->data + s->data + (size_t)(lane / LANES) * (size_t)descent_rows(t) * LANES + lane % LANES;
    const PetscInt position = d->other[s->other + (size_t)lane];
    for (int r = 0; r < descent_par_rows(t); r++)
      row[(1 + r) * LANES] = term_par(t, position / LANES)[r][position % LANES];
  }
}

/* The least squared distance of the vertices of a batch to others of their elements, [BATCH]. */
static void find_distances(const wring_descent *d, const descent_batch *batch, double *least)
{
  for (int i = 0; i < BATCH; i++) least[i] = INFINITY;
  for (PetscInt k = 0; k < batch->n_segment; k++) {
    const descent_segment *s = &d->segment[batch->segment + k];
    for (PetscInt i = 0; i < s->n_block * LANES * descent_others(s->term); i++) {
      const PetscInt b = i / (descent_others(s->term) * LANES), l = i % LANES;
      const int      slot = d->slot[(size_t)(s->first_block + b) * LANES + (size_t)l];
      const double  *u    = d->x + (size_t)4 * d->vertex[batch->begin + slot],
                   *v     = d->x + (size_t)4 * d->other[s->other + i];
      const double e[3]   = {u[0] - v[0], u[1] - v[1], u[2] - v[2]};
      least[slot]         = fmin(least[slot], e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
  }
}

/*
  Steps up to tiny = l sqrt(16 eps max(1, |x|/l)), l the distance to the nearest vertex, change energies by less than
  rounding: they are taken without comparison.
*/
static void set_tiny(wring_descent *d, const descent_batch *batch)
{
  double least[BATCH];
  find_distances(d, batch, least);
  for (PetscInt j = batch->begin; j < batch->end; j++) {
    const PetscInt v    = d->vertex[j];
    const double  *x    = d->x + (size_t)4 * v;
    const double   size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), l = sqrt(least[j - batch->begin]);
    d->tiny[v] = sqrt(16 * PETSC_MACHINE_EPSILON * l * fmax(l, size));
    if (!isfinite(l)) d->tiny[v] = sqrt(16 * PETSC_MACHINE_EPSILON) * size;
  }
}

PetscErrorCode wring_descent_begin(wring_descent *d, const wring_descent_rule *rule, const double *x)
{
  PetscFunctionBegin;
  d->rule = *rule;
  PetscCall(load(d, x));
#pragma omp parallel for schedule(static)
  for (PetscInt b = 0; b < d->n_batch; b++) {
    const descent_batch *batch = &d->batch[b];
    for (PetscInt k = 0; k < batch->n_segment; k++) {
      if (d->segment[batch->segment + k].term->m == 1) refresh_points(d, &d->segment[batch->segment + k]);
    }
    set_tiny(d, batch);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_descent_set_rule(wring_descent *d, const wring_descent_rule *rule)
{
  d->rule = *rule;
}
