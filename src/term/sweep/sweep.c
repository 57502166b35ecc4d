/*
  Gauss-Seidel sweeps over constraints: one element's step, and the loops over blocks and colours. docs/theory.md (5.25)
*/
#include "term/kernels.h"
#include "sweep_impl.h"
#include <float.h>
#include <omp.h>

enum { SMALL = 16 }; // a colour with fewer blocks is processed by one thread

/* ---- one block --------------------------------------------------------------------------------------------------- */

/* xe [3 m] and inverse masses w [m] of a block's vertices, from x [n_local][4]. */
TERM_INLINE void gather_vertices(int m, const PetscInt *corner, const double *x, lanes *restrict xe, lanes *restrict w)
{
  lane_rows   r;
  lane_corner v;
  for (int i = 0; i < m * LANES; i += WIDTH) {
    const int a = i / LANES, first = i % LANES;
    load_vertices(x, corner + i, &r);
    rows_to_lanes(&r, &v);
    store_corner(&v, xe[3 * a] + first);
    store_lanes(&v.w, w[a] + first);
  }
}

/* The reverse; w is stored unchanged. */
TERM_INLINE void scatter_vertices(int m, const PetscInt *corner, wring_in xe, wring_in w, double *x)
{
  double     *at[WIDTH];
  lane_rows   r;
  lane_corner v;
  for (int i = 0; i < m * LANES; i += WIDTH) {
    const int a = i / LANES, first = i % LANES;
    for (int l = 0; l < WIDTH; l++) at[l] = x + (size_t)4 * corner[i + l];
    load_corner(xe[3 * a] + first, &v);
    load_lanes(w[a] + first, &v.w);
    lanes_to_rows(&v, &r);
    put_rows(&r, at);
  }
}

/* Sets the gradient to 0 in the components that are held: their inverse mass is 0. */
static void clear_held(int m, const PetscInt *corner, const char *held, lanes *grad)
{
  for (int i = 0; i < 3 * m; i++)
    for (int l = 0; l < LANES; l++) grad[i][l] = held[corner[i / 3 * LANES + l]] >> i % 3 & 1 ? 0 : grad[i][l];
}

/* A constraint of a block at the current positions. */
typedef struct {
  lanes C, k;  // k: of the law
  lanes slope; // grad C M^{-1} grad C^T
  lanes rate;  // damped: grad C . (x - q), or grad C . v
} constraint;

/* slope = sum_a w_a |grad_a C|^2 */
static inline void form_slope(int m, const lanes *restrict grad, const lanes *restrict w, double *restrict slope)
{
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    double sum = 0;
    for (int a = 0; a < m; a++) {
      const double x = grad[3 * a][l], y = grad[3 * a + 1][l], z = grad[3 * a + 2][l];
      sum += w[a][l] * (x * x + y * y + z * z);
    }
    slope[l] = sum;
  }
}

/* rate = sum_a grad_a C . (x_a - q_a), or . v_a; `reference` holds q or v. */
static inline void form_rate(int m, const PetscInt *corner, wring_sweep_type type, const double *reference,
                             const lanes *restrict grad, const lanes *restrict xe, double *restrict rate)
{
  const double at = type == WRING_SWEEP_PENALTY ? 0 : 1, sign = type == WRING_SWEEP_PENALTY ? 1 : -1;
  for (int l = 0; l < LANES; l++) {
    rate[l] = 0;
    for (int a = 0; a < m; a++) {
      const double *v = reference + 4 * corner[a * LANES + l];
      for (int c = 0; c < 3; c++) rate[l] += grad[3 * a + c][l] * (at * xe[3 * a + c][l] + sign * v[c]);
    }
  }
}

/*
  step [LANES] of the vertices along M^{-1} grad C; lambda, the sum of earlier steps, weight w_e and damping are
  [LANES].
*/
static inline void form_step(const wring_sweep_rule *rule, const constraint *c, const double *restrict weight,
                             const double *restrict damping, double *restrict lambda, double *restrict step)
{
  const double h = rule->h;
  if (rule->type == WRING_SWEEP_COMPLIANT) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      const double W = weight[l] * c->k[l] * h * h, drag = h * damping[l]; // h^2/alpha; drag/W = gamma
      step[l] = (-W * c->C[l] - lambda[l] - drag * c->rate[l]) / ((W + drag) * c->slope[l] + 1);
    }
  } else if (rule->type == WRING_SWEEP_RIGID) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) step[l] = -rule->factor * c->C[l] / c->slope[l];
  } else {
#pragma omp simd
    for (int l = 0; l < LANES; l++) step[l] = h * h * (-weight[l] * c->k[l] * c->C[l] - damping[l] * c->rate[l]);
  }
}

/* The number of the first n lanes whose constraint is not finite. */
static int count_bad(int n, const constraint *c)
{
  int bad = 0;
  for (int l = 0; l < n; l++) bad += !(fabs(c->C[l]) <= DBL_MAX && c->slope[l] <= DBL_MAX);
  return bad;
}

/*
  Sets the step to 0 where the gradient is 0 or a value is not finite, and adds it to lambda. Returns the number of the
  first n lanes that are not finite.
*/
static inline int mask_step(int n, const constraint *c, double *restrict lambda, double *restrict step)
{
  double some = 0;
#pragma omp simd reduction(max : some)
  for (int l = 0; l < LANES; l++) {
    const int    finite = (fabs(c->C[l]) <= DBL_MAX) & (c->slope[l] <= DBL_MAX);
    const int    moves  = finite & (c->slope[l] > 0);
    const double masked = moves ? step[l] : 0, bad = finite ? 0 : 1;
    step[l] = masked;
    lambda[l] += masked;
    some = bad > some ? bad : some;
  }
  return some > 0 ? count_bad(n, c) : 0;
}

/* One block; bad: number of its constraints that were not finite. */
typedef struct {
  wring_sweep         *s;
  const sweep_segment *g;
  PetscInt             b;
  int                  bad;
} work_block;

/*
  Applies the constraints of a block at point p, one after another; xe [m][3] and w [m]: positions and inverse masses of
  its vertices.
*/
TERM_INLINE void run_point(int m, int q, work_block *work, int p, const PetscInt *corner, lanes *xe, const lanes *w)
{
  wring_sweep *const         s   = work->s;
  const sweep_segment *const g   = work->g;
  const wring_law           *law = g->term->law;
  const double *const        L   = point_of(g->term, m, p);
  double                    *row = s->data + g->data + (size_t)(work->b * points_of(g->term, m) + p) * g->n_row * LANES;
  const double       *par  = sweep_par_rows(g->term) ? row + (SWEEP_LAMBDA + law->n_constraint) * LANES : g->term->par;
  const double       *coef = g->term->coef ? row + (g->n_row - sweep_coef_rows(g->term)) * LANES : NULL;
  WRING_ALIGNED lanes z[3 * MAX_Q], dC[3 * MAX_Q], grad[3 * MAX_M], step;
  WRING_ALIGNED constraint c = {.rate = {0}};
  for (int j = 0; j < law->n_constraint; j++) {
    double *lambda = row + (SWEEP_LAMBDA + j) * LANES;
    form_z(m, q, L, coef, (wring_in)xe, z);
    law->constraint(law, j, (wring_in)par, (wring_in)z, c.C, dC, c.k);
    form_forces(m, q, L, coef, (wring_in)dC, grad);
    if (g->damped) form_rate(m, corner, s->rule.type, s->reference, (const lanes *)grad, (const lanes *)xe, c.rate);
    if (s->held) clear_held(m, corner, s->held, grad);
    form_slope(m, (const lanes *)grad, (const lanes *)w, c.slope);
    form_step(&s->rule, &c, row + SWEEP_WEIGHT * LANES, row + SWEEP_DAMPING * LANES, lambda, step);
    work->bad += mask_step((int)PetscMin(g->lanes, g->n - work->b * g->lanes), &c, lambda, step);
    for (int i = 0; i < 3 * m; i++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) xe[i][l] += w[i / 3][l] * grad[i][l] * step[l];
    }
  }
}

/* Applies the constraints of a block, one after another. */
TERM_INLINE void run_block(int m, int q, void *context)
{
  work_block *const          work   = context;
  const sweep_segment *const g      = work->g;
  const PetscInt *const      corner = work->s->corner + g->corner + (size_t)work->b * m * LANES;
  WRING_ALIGNED lanes        xe[3 * MAX_M], w[MAX_M];
  gather_vertices(m, corner, work->s->x, xe, w);
  for (int p = 0; p < points_of(g->term, m); p++) run_point(m, q, work, p, corner, xe, (const lanes *)w);
  scatter_vertices(m, corner, (wring_in)xe, (wring_in)w, work->s->x);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

enum { AHEAD = 2 }; // blocks

/*
  Prefetches the record and the vertices of a later block. Those of a colour are scattered, and a block has too many
  instructions for the processor to reach the loads of the next one by itself. Not inlined, gcc would leave this out.
*/
TERM_INLINE void prefetch_later(const wring_sweep *s, const sweep_segment *g, PetscInt b)
{
  if (b >= g->n_block) return;
  const size_t          rows   = (size_t)g->term->points * (size_t)g->n_row;
  const double *const   record = s->data + g->data + (size_t)b * rows * LANES;
  const PetscInt *const corner = s->corner + g->corner + (size_t)b * (size_t)g->term->m * LANES;
  for (int i = 0; i < g->term->m * LANES; i++) __builtin_prefetch(s->x + (size_t)4 * corner[i], 1);
  for (size_t i = 0; i < rows; i++) __builtin_prefetch(record + i * LANES);
}

/* The number of blocks of a colour, over all its segments. */
static PetscInt colour_blocks(const wring_sweep *s, PetscInt c)
{
  PetscInt n = 0;
  for (PetscInt i = s->colour[c].begin; i < s->colour[c].end; i++) {
    if (s->segment[i].term->active) n += s->segment[i].n_block;
  }
  return n;
}

/* Processes a colour with all threads of the team, or with the first one alone; every thread calls it. */
static PetscInt64 run_colour(wring_sweep *s, PetscInt c, PetscBool alone)
{
  const PetscInt threads = alone ? 1 : omp_get_num_threads(), thread = omp_get_thread_num();
  PetscInt64     bad = 0;
  if (thread >= threads) return 0;
  for (PetscInt i = s->colour[c].begin; i < s->colour[c].end; i++) {
    const sweep_segment *g     = &s->segment[i];
    const PetscInt64     n     = g->term->active ? g->n_block : 0;
    const PetscInt       first = (PetscInt)(n * thread / threads), end = (PetscInt)(n * (thread + 1) / threads);
    for (PetscInt b = first; b < end; b++) {
      work_block work = {s, g, b, 0};
      prefetch_later(s, g, b + AHEAD);
      with_stencil(g->term, run_block, &work);
      bad += work.bad;
    }
  }
  return bad;
}

/*
  Processes colours [from, to) in order, without communication; the blocks of a colour are independent. Threads
  synchronise after each colour, but not between two colours so small that one thread processes them.
*/
static void run_colours(wring_sweep *s, PetscInt from, PetscInt to)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_LOCAL);
  PetscInt64        bad = 0;
#pragma omp parallel if (s->order != WRING_ORDER_SEQUENTIAL) reduction(+ : bad)
  for (PetscInt c = from; c < to; c++) {
    const PetscBool small = (PetscBool)(colour_blocks(s, c) < SMALL);
    bad += run_colour(s, c, small);
    if (small && c + 1 < to && colour_blocks(s, c + 1) < SMALL) continue;
#pragma omp barrier
  }
  s->not_finite += bad;
  wring_phases_switch(s->phases, old);
}

/*
  Processes every colour and copies moved vertices between ranks: colours up to one with an SF run without
  communication.
*/
static PetscErrorCode run_all(wring_sweep *s)
{
  PetscFunctionBegin;
  for (PetscInt from = 0, to = 0; from < s->n_colour; from = to) {
    do {
      to++;
    } while (to < s->n_colour && !s->colour[to - 1].copy);
    run_colours(s, from, to);
    PetscSF const copy = s->colour[to - 1].copy;
    if (copy) PetscCall(wring_copy_rows(copy, s->phases, s->four, s->x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweep_run(wring_sweep *s, double *x)
{
  const wring_mesh *m      = s->mesh;
  const PetscBool   hybrid = (PetscBool)(s->order == WRING_ORDER_HYBRID); // start is NULL on a rank without vertices

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_GRADIENTS, 1);
  wring_to_rows(m->n_owned, x, s->x);
  PetscCall(wring_copy_rows(m->forest.halo, s->phases, s->four, s->x));
  if (hybrid) PetscCall(PetscArraycpy(s->start, s->x, (size_t)4 * m->n_local));
  PetscCall(run_all(s));
  if (hybrid) PetscCall(wring_sweep_average(s));
  wring_from_rows(m->n_owned, s->x, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_sweep_create(const wring_mesh *mesh, int n_term, wring_term *const *term, wring_order order,
                                  wring_phases *phases, wring_sweep **sweep)
{
  wring_sweep *s;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(mesh->comm);
  PetscCheck(order != WRING_ORDER_SEQUENTIAL || size == 1, mesh->comm, PETSC_ERR_SUP,
             "the sequential order on %d ranks", size);
  PetscCall(PetscNew(&s));
  s->mesh = mesh, s->n_term = n_term, s->term = term, s->order = order, s->phases = phases;
  PetscCallMPI(MPI_Type_contiguous(4, MPI_DOUBLE, &s->four));
  PetscCallMPI(MPI_Type_commit(&s->four));
  PetscCall(wring_blocks_create(4 * (size_t)mesh->n_local, &s->x));
  PetscCall(wring_blocks_create(4 * (size_t)mesh->n_local, &s->reference));
  PetscCall(wring_sweep_build(s));
  PetscCall(wring_sweep_build_halo(s));
  *sweep = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sweep_destroy(wring_sweep **sweep)
{
  wring_sweep *s = *sweep;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt c = 0; c < s->n_colour; c++) PetscCall(PetscSFDestroy(&s->colour[c].copy));
  PetscCall(PetscFree(s->colour));
  PetscCall(PetscFree(s->segment));
  PetscCall(PetscFree2(s->corner, s->position));
  wring_blocks_destroy(&s->data);
  wring_blocks_destroy(&s->x);
  wring_blocks_destroy(&s->reference);
  PetscCall(PetscFree2(s->share, s->start));
  PetscCallMPI(MPI_Type_free(&s->four));
  PetscCall(PetscFree(*sweep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets weight, damping, multipliers and parameters of a point in a lane of a record; whether it has damping. */
static int refresh_lane(const wring_sweep *s, const wring_term *t, PetscInt position, int p, double *row)
{
  const PetscInt at    = point_position(t, position, p);
  const int      n_par = sweep_par_rows(t), first = SWEEP_LAMBDA + t->law->n_constraint;
  const double   own         = t->damping ? t->damping[term_element(t, position)] : 0;
  row[SWEEP_WEIGHT * LANES]  = t->weight[at];
  row[SWEEP_DAMPING * LANES] = own > 0 ? own : s->rule.damping;
  for (int r = SWEEP_LAMBDA; r < first; r++) row[r * LANES] = 0;
  for (int r = 0; r < n_par; r++) row[(first + r) * LANES] = term_par(t, at / LANES)[r][at % LANES];
  return row[SWEEP_DAMPING * LANES] > 0;
}

/* The same of a block of a segment; returns 1 if an element has damping. */
static int refresh_block(wring_sweep *s, const sweep_segment *g, PetscInt b)
{
  const wring_term *t      = g->term;
  int               damped = 0;
  for (PetscInt l = 0; l < LANES; l++) {
    const PetscInt position = s->position[(size_t)(g->first_block + b) * LANES + (size_t)l];
    for (int p = 0; p < t->points; p++) {
      double *const row = s->data + g->data + (size_t)(b * t->points + p) * (size_t)g->n_row * LANES + l;
      damped |= refresh_lane(s, t, position, p, row);
    }
  }
  return damped;
}

static void refresh_segment(wring_sweep *s, sweep_segment *g)
{
  int damped = 0;
#pragma omp parallel for schedule(static) reduction(| : damped)
  for (PetscInt b = 0; b < g->n_block; b++) damped |= refresh_block(s, g, b);
  g->damped = (PetscBool)(damped && s->rule.type != WRING_SWEEP_RIGID);
}

PetscErrorCode wring_sweep_begin(wring_sweep *s, const wring_sweep_rule *rule, const double *mass, const char *held,
                                 const double *reference)
{
  const wring_mesh *m = s->mesh;

  PetscFunctionBegin;
  s->rule = *rule;
  s->held = held;
  for (PetscInt i = 0; i < m->n_owned; i++) s->x[4 * i + 3] = 1 / mass[i];
  if (rule->type != WRING_SWEEP_RIGID) {
    wring_to_rows(m->n_owned, reference, s->reference);
    PetscCall(wring_copy_rows(m->forest.halo, s->phases, s->four, s->reference));
  }
  for (PetscInt i = 0; i < s->n_segment; i++) refresh_segment(s, &s->segment[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 wring_sweep_not_finite(const wring_sweep *s)
{
  return s->not_finite;
}
