/* The incidences of a rank's own vertices: elements of other ranks are sent to the owners of their vertices. */
#include "descent_impl.h"
#include "term/kernels.h"
#include "base/parallel/consensus.h"
#include "base/exchange.h"
#include "base/sort.h"

/* A row: term, own vertex on its owner, (original number, owner, number there) of the others, weights, coef, par. */
enum { ROW_TERM, ROW_OWN, ROW_OTHERS };

/* Where the weights of a term's rows begin, their coefficients, their parameters; the width of the rows. */
static int weight_at(const wring_term *t)
{
  return ROW_OTHERS + 3 * descent_others(t);
}

static int coef_at(const wring_term *t)
{
  return weight_at(t) + t->points;
}

static int par_at(const wring_term *t)
{
  return coef_at(t) + t->points * descent_coefs(t);
}

static int row_width(const wring_term *t)
{
  return par_at(t) + descent_par_rows(t);
}

/* ---- elements of this rank --------------------------------------------------------------------------------------- */

/* Row k of G at corner a of a lane, from rows of the free corners; the last has minus the sum of the others. */
static double coefficient(const wring_term *t, const double *rows, PetscInt lane, int a, int k)
{
  const int q = t->law->q, n_free = free_vertices(t->m);
  double    sum = 0;
  if (!rows) return a == 0 ? 1 : -1; // edges and points
  if (a < n_free) return rows[(size_t)(q * a + k) * LANES + (size_t)lane];
  for (int b = 0; b < n_free; b++) sum -= rows[(size_t)(q * b + k) * LANES + (size_t)lane];
  return sum;
}

/* Weight and coefficients of all corners but one, at a point. */
static void describe_point(const wring_term *t, PetscInt position, int p, int corner, descent_element *e)
{
  const PetscInt      row = position / LANES * t->points + p, lane = position % LANES;
  const double       *rows = row_coef(t, row);
  double             *coef = e->coef + p * descent_coefs(t);
  WRING_ALIGNED lanes room[9 * MAX_Q];
  if (t->rule) rows = form_rows(QUADRATIC, t->law->q, t->rule->L[p], rows, room);
  e->weight[p] = t->weight[(size_t)row * LANES + (size_t)lane];
  for (int a = 0; a < t->m; a++) {
    if (a == corner) continue;
    for (int k = 0; k < t->law->q; k++) *coef++ = coefficient(t, rows, lane, a, k);
  }
}

/* Weights, coefficients and parameters. */
static void describe_own(const wring_term *t, PetscInt position, int corner, descent_element *e)
{
  for (int p = 0; p < t->points; p++) describe_point(t, position, p, corner, e);
  for (int r = 0; r < descent_par_rows(t); r++) e->par[r] = term_par(t, position / LANES)[r][position % LANES];
}

/* The chunk of a position. */
static PetscInt chunk_of(const wring_term *t, PetscInt position)
{
  PetscInt low = 0, high = t->n_chunk;
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (t->chunk_block[middle] <= position / LANES)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void wring_descent_find_others(const descent_build *b, const descent_incidence *i, PetscInt other[OTHERS])
{
  const wring_term *t = b->d->term[i->term];
  if (i->is_row) {
    for (int k = 0; k < descent_others(t); k++)
      other[k] = (PetscInt)b->row[(size_t)i->at * (size_t)b->width + ROW_OTHERS + 3 * k];
    return;
  }
  const PetscInt c = chunk_of(t, i->at);
  for (int a = 0, n = 0; a < t->m; a++) {
    if (a != i->corner) other[n++] = term_corner(t, c, i->at / LANES, a, i->at % LANES);
  }
}

void wring_descent_describe(const descent_build *b, const descent_incidence *i, descent_element *e)
{
  const wring_term *t = b->d->term[i->term];
  wring_descent_find_others(b, i, e->other);
  if (!i->is_row) {
    describe_own(t, i->at, i->corner, e);
    return;
  }
  const double *row = b->row + (size_t)i->at * (size_t)b->width;
  for (int p = 0; p < t->points; p++) e->weight[p] = row[weight_at(t) + p];
  for (int k = 0; k < t->points * descent_coefs(t); k++) e->coef[k] = row[coef_at(t) + k];
  for (int r = 0; r < descent_par_rows(t); r++) e->par[r] = row[par_at(t) + r];
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Rows to other ranks. */
typedef struct {
  PetscInt           n;
  PetscInt          *to;
  double            *row;
  const PetscSFNode *owner; // of ghosts
} outbox;

static PetscSFNode owner_of(const wring_mesh *m, const outbox *o, PetscInt v, PetscMPIInt rank)
{
  return v < m->n_owned ? (PetscSFNode){.rank = rank, .index = v} : o->owner[v - m->n_owned];
}

static void fill_row(const descent_build *b, const outbox *o, const descent_incidence *i, PetscMPIInt rank, double *row)
{
  const wring_mesh *m = b->d->mesh;
  const wring_term *t = b->d->term[i->term];
  descent_element   e;
  e.par = row + par_at(t);
  wring_descent_describe(b, i, &e);
  row[ROW_TERM] = i->term;
  row[ROW_OWN]  = (double)owner_of(m, o, i->vertex, rank).index;
  for (int p = 0; p < t->points; p++) row[weight_at(t) + p] = e.weight[p];
  for (int k = 0; k < t->points * descent_coefs(t); k++) row[coef_at(t) + k] = e.coef[k];
  for (int k = 0; k < descent_others(t); k++) {
    const PetscSFNode node      = owner_of(m, o, e.other[k], rank);
    row[ROW_OTHERS + 3 * k]     = (double)m->original[e.other[k]];
    row[ROW_OTHERS + 3 * k + 1] = (double)node.rank;
    row[ROW_OTHERS + 3 * k + 2] = (double)node.index;
  }
}

/* Lists the incidences of a term in b and o, or only counts them if `fill` is false. */
static void list_term(descent_build *b, int term, PetscBool fill, PetscMPIInt rank, outbox *o)
{
  const wring_term *t = b->d->term[term];
  const wring_mesh *m = b->d->mesh;
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    for (PetscInt p = t->chunk_block[c] * LANES; p < t->chunk_block[c + 1] * LANES; p++) {
      for (int a = 0; a < t->m && term_element(t, p) >= 0; a++) {
        const PetscInt          v = term_corner(t, c, p / LANES, a, p % LANES);
        const descent_incidence i = {.vertex = v, .at = p, .term = term, .corner = a};
        if (v < m->n_owned) {
          if (fill) b->incidence[b->n] = i;
          b->n++;
        } else {
          if (fill) fill_row(b, o, &i, rank, o->row + (size_t)o->n * (size_t)b->width);
          if (fill) o->to[o->n] = o->owner[v - m->n_owned].rank;
          o->n++;
        }
      }
    }
  }
}

/* The owners of ghosts, [n_local - n_owned]. */
static PetscErrorCode find_owners(const wring_mesh *m, PetscSFNode **owner)
{
  const PetscSFNode *remote;
  const PetscInt    *leaf;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->halo, NULL, &n, &leaf, &remote));
  PetscCall(PetscMalloc1(m->n_local - m->n_owned, owner));
  for (PetscInt i = 0; i < n; i++) (*owner)[(leaf ? leaf[i] : i) - m->n_owned] = remote[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends rows to the owners of their vertices and appends an incidence for each row received. */
static PetscErrorCode exchange(descent_build *b, const outbox *o)
{
  PetscFunctionBegin;
  PetscCall(
    wring_exchange_rows(b->d->mesh->comm, o->n, o->to, sizeof(double) * (size_t)b->width, o->row, &b->n_row, &b->row));
  PetscCall(PetscRealloc(sizeof *b->incidence * (size_t)(b->n + b->n_row + 1), &b->incidence));
  for (PetscInt r = 0; r < b->n_row; r++) {
    const double *row = b->row + (size_t)r * (size_t)b->width;
    b->incidence[b->n + r] =
      (descent_incidence){.vertex = (PetscInt)row[ROW_OWN], .at = r, .term = (int)row[ROW_TERM], .is_row = PETSC_TRUE};
  }
  b->n += b->n_row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_all(descent_build *b, const PetscSFNode *owner)
{
  outbox      o = {.owner = owner};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(b->d->mesh->comm, &rank));
  for (int t = 0; t < b->d->n_term; t++) list_term(b, t, PETSC_FALSE, rank, &o);
  PetscCall(PetscMalloc1(b->n + 1, &b->incidence));
  PetscCall(PetscMalloc1(o.n, &o.to));
  PetscCall(PetscCalloc1((size_t)o.n * (size_t)b->width, &o.row));
  b->n = o.n = 0;
  for (int t = 0; t < b->d->n_term; t++) list_term(b, t, PETSC_TRUE, rank, &o);
  PetscCall(exchange(b, &o));
  PetscCall(PetscFree(o.to));
  PetscCall(PetscFree(o.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices that are not in the mesh of this rank -------------------------------------------------------------- */

/* A vertex of another rank that is no ghost. */
typedef struct {
  PetscInt     n;
  uint64_t    *original; // [n] ascending
  PetscSFNode *owner;    // [n]
} strangers;

/* The entries of rows that are no local vertices, without repetitions. */
static PetscErrorCode find_strangers(const descent_build *b, strangers *s)
{
  uint64_t    *key;
  PetscSFNode *node;
  PetscInt    *order, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(OTHERS * b->n_row, &key, OTHERS * b->n_row, &node, OTHERS * b->n_row, &order));
  for (PetscInt r = 0; r < b->n_row; r++) {
    const double *row = b->row + (size_t)r * (size_t)b->width;
    for (int k = 0; k < descent_others(b->d->term[(int)row[ROW_TERM]]); k++) {
      const double *entry = row + ROW_OTHERS + 3 * k;
      if (wring_mesh_local(b->d->mesh, (PetscInt)entry[0]) >= 0) continue;
      key[n]    = (uint64_t)entry[0];
      order[n]  = n;
      node[n++] = (PetscSFNode){.rank = (PetscInt)entry[1], .index = (PetscInt)entry[2]};
    }
  }
  PetscCall(wring_sort_keys(n, key, order));
  PetscCall(PetscMalloc2(n, &s->original, n, &s->owner));
  for (PetscInt i = 0; i < n; i++) {
    if (i > 0 && key[i] == key[i - 1]) continue;
    s->original[s->n] = key[i];
    s->owner[s->n++]  = node[order[i]];
  }
  PetscCall(PetscFree3(key, node, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt find_here(const descent_build *b, const strangers *s, PetscInt original)
{
  const PetscInt local = wring_mesh_local(b->d->mesh, original);
  PetscInt       low = 0, high = s->n;
  if (local >= 0) return local;
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (s->original[middle] <= (uint64_t)original)
      low = middle;
    else
      high = middle;
  }
  return b->d->mesh->n_local + low;
}

/* Replaces original numbers in rows by numbers in [0, n_here). */
static void resolve_rows(descent_build *b, const strangers *s)
{
  for (PetscInt r = 0; r < b->n_row; r++) {
    double *row = b->row + (size_t)r * (size_t)b->width;
    for (int k = 0; k < descent_others(b->d->term[(int)row[ROW_TERM]]); k++) {
      double *entry = row + ROW_OTHERS + 3 * k;
      entry[0]      = (double)find_here(b, s, (PetscInt)entry[0]);
    }
  }
}

/* n_here, original and the star forest of all vertices that are not owned. */
static PetscErrorCode join(descent_build *b, const PetscSFNode *owner, const strangers *s)
{
  wring_descent    *d       = b->d;
  const wring_mesh *m       = d->mesh;
  const PetscInt    n_ghost = m->n_local - m->n_owned;
  PetscSFNode      *root;
  PetscInt         *leaf;

  PetscFunctionBegin;
  d->n_here = m->n_local + s->n;
  PetscCall(PetscMalloc1(d->n_here, &b->original));
  PetscCall(PetscMalloc1(n_ghost + s->n, &root));
  PetscCall(PetscMalloc1(n_ghost + s->n, &leaf));
  for (PetscInt i = 0; i < d->n_here; i++)
    b->original[i] = i < m->n_local ? m->original[i] : (PetscInt)s->original[i - m->n_local];
  for (PetscInt i = 0; i < n_ghost + s->n; i++) {
    root[i] = i < n_ghost ? owner[i] : s->owner[i - n_ghost];
    leaf[i] = m->n_owned + i;
  }
  PetscCall(PetscSFCreate(m->comm, &d->all));
  PetscCall(PetscSFSetGraph(d->all, m->n_owned, n_ghost + s->n, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(wring_sf_set_up(d->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_descent_share(descent_build *b)
{
  strangers    s = {.n = 0};
  PetscSFNode *owner;

  PetscFunctionBegin;
  for (int t = 0; t < b->d->n_term; t++) b->width = PetscMax(b->width, row_width(b->d->term[t]));
  PetscCall(find_owners(b->d->mesh, &owner));
  PetscCall(list_all(b, owner));
  PetscCall(find_strangers(b, &s));
  resolve_rows(b, &s);
  PetscCall(join(b, owner, &s));
  PetscCall(PetscFree2(s.original, s.owner));
  PetscCall(PetscFree(owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
