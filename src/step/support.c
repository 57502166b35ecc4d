/*
  What holds the body in statics. A part of the mesh (vertices joined by elements) whose attachments leave a rigid
  motion free is refused, or regularised if contacts may stop it; so is what only springs or membranes hold.
  docs/theory.md 6.2
*/
#include "base/exchange.h"
#include "base/forest.h"
#include "base/sort.h"
#include "mesh/bodies.h"
#include "mesh/distribute/order.h"
#include "mesh/distribute/slices.h"
#include "step_impl.h"
#include <math.h>

enum { MODES = 6, GRAM = MODES * MODES };

static const double flat           = 1e-10; // pivots below this part of the largest one are 0
static const double regularisation = 1e-3;  // of the diagonal of L

/* One part, or what a rank has of it: sums over vertices of the products of rigid motions, of all and of held ones. */
typedef struct {
  PetscInt label;           // global number of its first vertex
  PetscInt lowest;          // original number
  double   n, sum[3];       // vertices, sum of positions
  double   low[3], high[3]; // bounding box, m
  double   all[GRAM], held[GRAM];
  int      is_free, is_whole; // free rigid motions; 1: the sum over all ranks
} part;

typedef struct {
  wring_stepper    *s;
  const wring_mesh *m;
  double            time;      // the attachments are those of a step that ends at this time
  double            centre[3]; // of the mesh, m
  PetscInt         *stiff;     // [n_local] 1: an element at the vertex resists every motion but rigid ones
  PetscInt         *label;     // [n_local]
  PetscInt          n;
  PetscInt         *of;   // [n_owned] part of each vertex, -1: none
  part             *part; // [n]
} parts;

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static PetscBool joins(const wring_term *t, PetscBool springs)
{
  if (wring_term_is_attachment(t)) return PETSC_FALSE;
  return (PetscBool)(springs || wring_term_law(t) != &wring_law_spring);
}

/* The label of a part is the least global number in it. */
static PetscErrorCode find_labels(parts *p, PetscBool springs)
{
  const wring_mesh *const m = p->m;
  wring_term *const      *term;
  const int               n = wring_potential_terms(p->s->g, &term);
  PetscInt               *parent;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n_local, &parent));
  for (PetscInt v = 0; v < m->n_local; v++) parent[v] = v;
  for (int i = 0; i < n; i++)
    if (joins(term[i], springs)) wring_term_unite(term[i], parent);
  PetscCall(PetscArraycpy(p->label, m->number.global, m->n_local));
  PetscCall(wring_mesh_spread_least(m, parent, p->label));
  PetscCall(PetscFree(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rigid motions ----------------------------------------------------------------------------------------------- */

/* Row c of the six rigid motions at X: translations, then rotations about the origin. */
static void motions(const double X[3], int c, double row[MODES])
{
  for (int k = 0; k < MODES; k++) row[k] = k == c;
  row[3 + c]           = 0;
  row[3 + (c + 1) % 3] = X[(c + 2) % 3];
  row[3 + (c + 2) % 3] = -X[(c + 1) % 3];
}

static void add_product(const double row[MODES], double gram[GRAM])
{
  for (int k = 0; k < GRAM; k++) gram[k] += row[k / MODES] * row[k % MODES];
}

/* held [n_owned][3]: the coordinates that attachments hold. */
static void mark_held(const parts *p, char *held)
{
  wring_term *const *term;
  const PetscInt    *vertex;
  const int          n = wring_potential_terms(p->s->g, &term);
  for (int i = 0; i < n; i++) {
    const PetscInt count = wring_term_holds(term[i], p->time) ? wring_term_attached(term[i], &vertex) : 0;
    for (PetscInt k = 0; k < 3 * count; k++)
      if (wring_term_components(term[i]) >> k % 3 & 1) held[3 * vertex[k / 3] + k % 3] = 1;
  }
}

static void add_vertex(const parts *p, PetscInt v, const char *held, part *a)
{
  const double X[3] = {p->m->X[3 * v] - p->centre[0], p->m->X[3 * v + 1] - p->centre[1],
                       p->m->X[3 * v + 2] - p->centre[2]};
  double       row[MODES];
  a->lowest = a->n == 0 ? p->m->number.original[v] : PetscMin(a->lowest, p->m->number.original[v]);
  for (int c = 0; c < 3; c++) {
    a->low[c]  = a->n == 0 ? X[c] : fmin(a->low[c], X[c]);
    a->high[c] = a->n == 0 ? X[c] : fmax(a->high[c], X[c]);
    a->sum[c] += X[c];
    motions(X, c, row);
    add_product(row, a->all);
    if (held[3 * v + c]) add_product(row, a->held);
  }
  a->n++;
}

/* This rank's share of every part that it has vertices of, all or only stiff ones. */
static PetscErrorCode sum_vertices(parts *p, PetscBool all)
{
  const PetscInt n_owned = p->m->n_owned;
  PetscInt      *sorted;
  char          *held;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n_owned, &sorted));
  PetscCall(PetscCalloc1(3 * n_owned, &held));
  p->n = 0;
  for (PetscInt v = 0; v < n_owned; v++)
    if (all || p->stiff[v]) sorted[p->n++] = p->label[v];
  PetscCall(wring_sort_unique(&p->n, sorted));
  PetscCall(PetscCalloc1(p->n, &p->part));
  mark_held(p, held);
  for (PetscInt i = 0; i < p->n; i++) p->part[i].label = sorted[i];
  for (PetscInt v = 0; v < n_owned; v++) {
    p->of[v] = -1;
    if (!all && !p->stiff[v]) continue;
    PetscCall(PetscFindInt(p->label[v], p->n, sorted, &p->of[v]));
    add_vertex(p, v, held, &p->part[p->of[v]]);
  }
  PetscCall(PetscFree(held));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_part(const part *a, part *sum)
{
  sum->lowest = PetscMin(sum->lowest, a->lowest);
  sum->n += a->n;
  for (int c = 0; c < 3; c++) {
    sum->low[c]  = fmin(sum->low[c], a->low[c]);
    sum->high[c] = fmax(sum->high[c], a->high[c]);
    sum->sum[c] += a->sum[c];
  }
  for (int k = 0; k < GRAM; k++) sum->all[k] += a->all[k], sum->held[k] += a->held[k];
}

/* The products of motions with rotations about `centre` instead of the origin, in units of `size`. */
static void shift(const double centre[3], double size, const double gram[GRAM], double out[GRAM])
{
  double T[GRAM] = {0}, half[GRAM] = {0}; // column k: the new motion k in terms of the old ones
  for (int k = 0; k < 3; k++) {
    const int s = (k + 1) % 3, t = (k + 2) % 3;
    T[MODES * k + k]           = 1;
    T[MODES * (3 + k) + 3 + k] = 1 / size;
    T[MODES * s + 3 + k]       = centre[t] / size; // -e_k x centre
    T[MODES * t + 3 + k]       = -centre[s] / size;
  }
  for (int i = 0; i < GRAM; i++)
    for (int k = 0; k < MODES; k++) half[i] += gram[MODES * (i / MODES) + k] * T[MODES * k + i % MODES];
  for (int i = 0; i < GRAM; i++) {
    out[i] = 0;
    for (int k = 0; k < MODES; k++) out[i] += T[MODES * k + i / MODES] * half[MODES * k + i % MODES];
  }
}

/* The rank of a semidefinite matrix, by Cholesky's factorisation with pivoting. */
static int find_rank(double a[GRAM])
{
  double largest = 0;
  for (int rank = 0; rank < MODES; rank++) {
    int pivot = 0;
    for (int k = 1; k < MODES; k++) pivot = a[(MODES + 1) * k] > a[(MODES + 1) * pivot] ? k : pivot;
    const double d = a[(MODES + 1) * pivot];
    largest        = fmax(largest, d);
    if (!(d > flat * largest)) return rank;
    double column[MODES];
    for (int k = 0; k < MODES; k++) column[k] = a[MODES * k + pivot];
    for (int k = 0; k < GRAM; k++) a[k] -= column[k / MODES] * column[k % MODES] / d;
  }
  return MODES;
}

/* The rigid motions of the part that nothing holds. */
static int count_free(const part *a)
{
  double centre[3], out[2][GRAM], size = 0;
  for (int c = 0; c < 3; c++) {
    centre[c] = a->sum[c] / a->n;
    size      = fmax(size, a->high[c] - a->low[c]);
  }
  shift(centre, size > 0 ? size : 1, a->all, out[0]);
  shift(centre, size > 0 ? size : 1, a->held, out[1]);
  return find_rank(out[0]) - find_rank(out[1]);
}

/* ---- parts over ranks -------------------------------------------------------------------------------------------- */

/* Adds what the ranks have of each part, row [n], and judges it: the first row of a label has the sum. */
static void judge_parts(PetscInt n, const PetscInt *order, part *row)
{
  for (PetscInt i = 0; i < n;) {
    part *const sum = &row[order[i]];
    PetscInt    end = i + 1;
    for (; end < n && row[order[end]].label == sum->label; end++) add_part(&row[order[end]], sum);
    sum->is_free  = count_free(sum);
    sum->is_whole = 1;
    for (i++; i < end; i++) row[order[i]].is_free = sum->is_free, row[order[i]].n = sum->n;
  }
}

/* Sums the parts at the ranks that own their labels, judges them there, and returns the sums *all [*n_all] as well. */
static PetscErrorCode judge(parts *p, PetscInt *n_all, part **all)
{
  const wring_mesh *const m = p->m;
  PetscInt               *to, *order;
  uint64_t               *key;
  PetscLayout             layout;
  wring_exchange          x;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(m->comm, m->n_owned, m->number.n_global, 1, &layout));
  PetscCall(PetscMalloc1(p->n, &to));
  for (PetscInt i = 0; i < p->n; i++) to[i] = p->part[i].label;
  PetscCall(wring_slices_find_owners(layout, p->n, to));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(wring_exchange_create(m->comm, p->n, to, &x));
  PetscCall(wring_exchange_send(&x, sizeof **all, p->part, all));
  PetscCall(PetscMalloc2(x.n_got, &order, x.n_got, &key));
  for (PetscInt i = 0; i < x.n_got; i++) key[i] = (uint64_t)(*all)[i].label;
  PetscCall(wring_order_keys(x.n_got, key, order));
  judge_parts(x.n_got, order, *all);
  PetscCall(wring_exchange_answer(&x, sizeof **all, *all, p->part));
  *n_all = x.n_got;
  PetscCall(PetscFree2(order, key));
  PetscCall(wring_exchange_destroy(&x));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of the mesh, with or without springs; *n_free of all ranks, and this rank's first that is free or NULL. */
static PetscErrorCode find_parts(parts *p, PetscBool springs, PetscInt *n_free, part *first)
{
  PetscInt n_all = 0;
  part    *all;

  PetscFunctionBegin;
  PetscCall(find_labels(p, springs));
  PetscCall(sum_vertices(p, springs));
  PetscCall(judge(p, &n_all, &all));
  *n_free = 0;
  *first  = (part){.lowest = PETSC_MAX_INT};
  for (PetscInt i = 0; i < n_all; i++) {
    if (!all[i].is_whole || !all[i].is_free) continue;
    ++*n_free;
    if (all[i].lowest < first->lowest) *first = all[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n_free, 1, MPIU_INT, MPI_SUM, p->m->comm));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what follows ------------------------------------------------------------------------------------------------ */

/* The message is that of the free part with the lowest vertex, on any number of ranks. */
static PetscErrorCode refuse(const parts *p, const part *first)
{
  wring_error error  = {""};
  PetscInt    lowest = first->lowest;
  double      low[3], high[3];

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) low[c] = first->low[c] + p->centre[c], high[c] = first->high[c] + p->centre[c];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPIU_INT, MPI_MIN, p->m->comm));
  if (lowest == first->lowest)
    wring_error_set(&error,
                    "attach: the part of %.0f vertices from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m, with vertex "
                    "%" PetscInt_FMT ", is free in %d rigid motion%s: time_integrator 'static' expects %s, or contacts "
                    "that stop it",
                    first->n, low[0], low[1], low[2], high[0], high[1], high[2], lowest, first->is_free,
                    first->is_free > 1 ? "s" : "",
                    first->n > 2 ? "attachments of three of its points that are not in line" : "attachments of it");
  PetscCall(wring_error_raise(p->m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_springs(const parts *p)
{
  wring_term *const *term;
  const int          n = wring_potential_terms(p->s->g, &term);
  for (int i = 0; i < n; i++)
    if (wring_term_law(term[i]) == &wring_law_spring) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The vertices of tets and of hinges, on any rank. */
static PetscErrorCode mark_stiff(parts *p)
{
  wring_term *const *term;
  const int          n = wring_potential_terms(p->s->g, &term);
  PetscInt          *parent;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->m->n_local, &p->stiff));
  PetscCall(PetscMalloc1(p->m->n_local, &parent));
  for (PetscInt v = 0; v < p->m->n_local; v++) parent[v] = v;
  for (int i = 0; i < n; i++) {
    const wring_law *const law = wring_term_law(term[i]);
    if (law->q == 3 || law == &wring_law_bending_rigid || law == &wring_law_bending_isometric)
      wring_term_unite(term[i], parent);
  }
  for (PetscInt v = 0; v < p->m->n_local; v++)
    if (parent[v] != v) p->stiff[v] = p->stiff[wring_root(parent, v)] = 1;
  PetscCall(PetscFree(parent));
  PetscCall(wring_mesh_reduce(p->m, MPIU_INT, MPI_MAX, p->stiff));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* what [n_owned] |= bit for the vertices of free parts. */
static void mark_free(const parts *p, int bit, char *what)
{
  for (PetscInt v = 0; v < p->m->n_owned; v++)
    if (p->of[v] >= 0 && p->part[p->of[v]].is_free) what[v] |= (char)bit;
}

enum { HOLD = 1, STIFFEN = 2 };

/* The vertices of each kind in `what` [n_owned] on all ranks, but those that are held; clears the marks of these. */
static PetscErrorCode count_marks(const parts *p, char *what, PetscInt64 count[2])
{
  const char *const held = wring_potential_held_marks(p->s->g);

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->m->n_owned; v++) {
    if (held && held[v] == WRING_XYZ) what[v] = 0;
    count[0] += (what[v] & HOLD) != 0;
    count[1] += (what[v] & STIFFEN) != 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT64, MPI_SUM, p->m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* k of g and ridge of H from `what` [n_owned], both a part of the diagonal of L. */
static PetscErrorCode set_regularisation(const parts *p, const char *what, const PetscInt64 count[2])
{
  const PetscInt     n = p->m->n_owned;
  const PetscScalar *diagonal;
  double            *k;
  Mat                L = NULL;
  Vec                d;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(p->s->g, 1, &L));
  PetscCall(MatCreateVecs(L, NULL, &d));
  PetscCall(MatGetDiagonal(L, d));
  PetscCall(PetscCalloc1(2 * n + 1, &k)); // not NULL on a rank without vertices
  PetscCall(VecGetArrayRead(d, &diagonal));
  for (PetscInt i = 0; i < 2 * n; i++)
    if (what[i % n] & (i < n ? HOLD : STIFFEN)) k[i] = regularisation * diagonal[i % n];
  PetscCall(VecRestoreArrayRead(d, &diagonal));
  PetscCall(wring_potential_set_regularisation(p->s->g, count[0] ? k : NULL, count[1] ? k + n : NULL));
  PetscCall(PetscFree(k));
  PetscCall(VecDestroy(&d));
  PetscCall(MatDestroy(&L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode regularise(parts *p, char *what)
{
  PetscInt64 count[2] = {0};

  PetscFunctionBegin;
  PetscCall(wring_potential_set_regularisation(p->s->g, NULL, NULL));
  PetscCall(count_marks(p, what, count));
  if (count[0] + count[1] > 0) PetscCall(set_regularisation(p, what, count));
  p->s->regularised = (PetscBool)(count[0] > 0);
  if (count[0])
    PetscCall(wring_note(p->m->comm,
                         "only contacts may hold %" PetscInt64_FMT
                         " vertices: springs with %g of the stiffness at each "
                         "vertex hold them meanwhile, and are moved until they have no force",
                         count[0], regularisation));
  if (count[1])
    PetscCall(wring_note(p->m->comm,
                         "only springs or membranes hold %" PetscInt64_FMT
                         " vertices: %g of the diagonal of A is added "
                         "to the Hessian there, which does not change the equilibrium",
                         count[1], regularisation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks what [n_owned] the vertices to regularise, and refuses free parts that no contact may stop, or ignores them. */
static PetscErrorCode survey(parts *p, PetscBool refuses, char *what)
{
  PetscInt n_free;
  part     first;
  double   low[3], high[3];

  PetscFunctionBegin;
  PetscCall(wring_bounds_find(p->m->comm, p->m->n_owned, p->m->X, low, high));
  for (int c = 0; c < 3; c++) p->centre[c] = (low[c] + high[c]) / 2;
  PetscCall(mark_stiff(p));
  PetscCall(find_parts(p, PETSC_TRUE, &n_free, &first));
  if (n_free > 0 && refuses && wring_potential_contacts(p->s->g, NULL) == 0) PetscCall(refuse(p, &first));
  mark_free(p, HOLD, what);
  for (PetscInt v = 0; v < p->m->n_owned; v++) // only springs and membranes hold it
    if (!p->stiff[v] && p->part[p->of[v]].n > 1) what[v] |= STIFFEN;
  PetscCall(PetscFree(p->part));
  if (has_springs(p)) {
    PetscCall(find_parts(p, PETSC_FALSE, &n_free, &first));
    mark_free(p, STIFFEN, what);
    PetscCall(PetscFree(p->part));
  }
  PetscCall(PetscFree(p->stiff));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_check_support(wring_stepper *s, double time, PetscBool refuses)
{
  parts p = {.s = s, .m = wring_potential_mesh(s->g), .time = time};
  char *what;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p.m->n_local, &p.label, p.m->n_owned, &p.of));
  PetscCall(PetscCalloc1(p.m->n_owned, &what));
  PetscCall(survey(&p, refuses, what));
  if (!refuses) PetscCall(regularise(&p, what));
  PetscCall(PetscFree(what));
  PetscCall(PetscFree2(p.label, p.of));
  PetscFunctionReturn(PETSC_SUCCESS);
}
