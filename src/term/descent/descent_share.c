/* The incidences of a rank's own vertices: elements of other ranks are sent to the owners of their vertices. */
#include "descent_impl.h"
#include "term/kernels.h"
#include "base/exchange.h"
#include "base/parallel/consensus.h"
#include "mesh/distribute/halo.h"

/* A row: term, own vertex, the others, weights, coef, par. Vertices are global numbers, after arrival numbers here. */
enum { ROW_TERM, ROW_OWN, ROW_OTHERS };

/* Where the weights of a term's rows begin, their coefficients, their parameters; the width of the rows. */
static int weight_at(const wring_term *t)
{
  return ROW_OTHERS + descent_others(t);
}

static int coef_at(const wring_term *t)
{
  return weight_at(t) + t->points;
}

static int par_at(const wring_term *t)
{
  return coef_at(t) + t->points * descent_coefs(t);
}

static double *row_of(const descent_build *b, PetscInt r)
{
  return b->row + (size_t)r * (size_t)b->width;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Coefficients of all corners but one, at a point. */
static void describe_point(const wring_term *t, PetscInt position, int p, int corner, double *coef)
{
  const int           q = t->law->q;
  double              g[MAX_M * MAX_Q];
  WRING_ALIGNED lanes room[9 * MAX_Q];
  lane_coef(t, block_rows(t, position / LANES, p, room), (int)(position % LANES), g);
  for (int i = 0; i < q * t->m; i++)
    if (i / q != corner) *coef++ = g[i];
}

void wring_descent_find_others(const descent_build *b, const descent_incidence *i, PetscInt other[OTHERS])
{
  const wring_term *t = b->d->term[i->term];
  PetscInt          v[MAX_M];
  if (i->is_row) {
    for (int k = 0; k < descent_others(t); k++) other[k] = (PetscInt)row_of(b, i->at)[ROW_OTHERS + k];
    return;
  }
  term_vertices(t, i->at, v);
  for (int a = 0, n = 0; a < t->m; a++) {
    if (a != i->corner) other[n++] = v[a];
  }
}

void wring_descent_describe(const descent_build *b, const descent_incidence *i, double *room, descent_element *e)
{
  const wring_term *t    = b->d->term[i->term];
  const int         tail = weight_at(t);
  double *const     row  = i->is_row ? row_of(b, i->at) + tail : room;
  double *const coef = row + coef_at(t) - tail, *const par = row + par_at(t) - tail;
  wring_descent_find_others(b, i, e->other);
  e->weight = row, e->coef = coef, e->par = par;
  if (i->is_row) return;
  for (int p = 0; p < t->points; p++) {
    row[p] = t->weight[point_position(t, i->at, p)];
    describe_point(t, i->at, p, i->corner, coef + p * descent_coefs(t));
  }
  for (int r = 0; r < descent_par_rows(t); r++) par[r] = term_par(t, i->at / LANES)[r][i->at % LANES];
}

static void fill_row(const descent_build *b, const descent_incidence *i, double *row)
{
  const PetscInt   *global = b->d->mesh->number.global;
  const wring_term *t      = b->d->term[i->term];
  descent_element   e;
  wring_descent_describe(b, i, row + weight_at(t), &e);
  row[ROW_TERM] = i->term;
  row[ROW_OWN]  = (double)global[i->vertex];
  for (int k = 0; k < descent_others(t); k++) row[ROW_OTHERS + k] = (double)global[e.other[k]];
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Rows to other ranks. */
typedef struct {
  PetscInt  n;
  PetscInt *to;
  double   *row;
} outbox;

/* Counts the incidences of a term at owned vertices in b, at ghosts in o. */
static void count_term(descent_build *b, const wring_term *t, outbox *o)
{
  PetscInt v[MAX_M];
  for (PetscInt p = 0; p < t->n_block * LANES; p++) {
    if (!term_is_real(t, p)) continue;
    term_vertices(t, p, v);
    for (int a = 0; a < t->m; a++) ++*(v[a] < b->d->mesh->n_owned ? &b->n : &o->n);
  }
}

/* Lists them; owner: of ghosts. */
static void list_term(descent_build *b, int term, const PetscSFNode *owner, outbox *o)
{
  const wring_term *t       = b->d->term[term];
  const PetscInt    n_owned = b->d->mesh->n_owned;
  PetscInt          v[MAX_M];
  for (PetscInt p = 0; p < t->n_block * LANES; p++) {
    if (!term_is_real(t, p)) continue;
    term_vertices(t, p, v);
    for (int a = 0; a < t->m; a++) {
      const descent_incidence i = {.vertex = v[a], .at = p, .term = term, .corner = a};
      if (v[a] < n_owned) {
        b->incidence[b->n++] = i;
      } else {
        fill_row(b, &i, o->row + (size_t)o->n * (size_t)b->width);
        o->to[o->n++] = owner[v[a] - n_owned].rank;
      }
    }
  }
}

/* Lists all incidences here, sends rows to the owners of their vertices and appends an incidence for each row. */
static PetscErrorCode list_all(descent_build *b)
{
  wring_descent *const d = b->d;
  outbox               o = {0};
  const PetscSFNode   *owner;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(d->mesh->forest.halo, NULL, NULL, NULL, &owner));
  for (int t = 0; t < d->n_term; t++) count_term(b, d->term[t], &o);
  PetscCall(PetscMalloc1(b->n + 1, &b->incidence));
  PetscCall(PetscCalloc2(o.n, &o.to, (size_t)o.n * (size_t)b->width, &o.row));
  b->n = o.n = 0;
  for (int t = 0; t < d->n_term; t++) list_term(b, t, owner, &o);
  PetscCall(
    wring_exchange_rows(d->mesh->comm, o.n, o.to, sizeof(double) * (size_t)b->width, o.row, &b->n_row, &b->row));
  PetscCall(PetscRealloc(sizeof *b->incidence * (size_t)(b->n + b->n_row + 1), &b->incidence));
  for (PetscInt r = 0; r < b->n_row; r++)
    b->incidence[b->n++] = (descent_incidence){.vertex = (PetscInt)row_of(b, r)[ROW_OWN] - d->mesh->number.begin,
                                               .at     = r,
                                               .term   = (int)row_of(b, r)[ROW_TERM],
                                               .is_row = PETSC_TRUE};
  PetscCall(PetscFree2(o.to, o.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices that are not in the mesh of this rank -------------------------------------------------------------- */

/* Entry i of the other vertices of all rows; NULL where a row has fewer. */
static double *other_of(const descent_build *b, PetscInt i)
{
  double *const row = row_of(b, i / OTHERS);
  return i % OTHERS < descent_others(b->d->term[(int)row[ROW_TERM]]) ? row + ROW_OTHERS + i % OTHERS : NULL;
}

/*
  Replaces global numbers in rows by numbers in [0, n_here); list [*n]: global numbers of the vertices that are not
  local, ascending.
*/
static PetscErrorCode resolve_rows(descent_build *b, PetscInt *n, PetscInt **list)
{
  const wring_mesh *m = b->d->mesh;
  PetscInt          here;
  double           *other;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(OTHERS * b->n_row, list));
  for (PetscInt i = 0; i < OTHERS * b->n_row; i++) {
    if (!(other = other_of(b, i))) continue;
    PetscCall(wring_mesh_find_local(m, (PetscInt)*other, &here));
    if (here < 0) (*list)[(*n)++] = (PetscInt)*other;
  }
  PetscCall(PetscSortRemoveDupsInt(n, *list));
  for (PetscInt i = 0; i < OTHERS * b->n_row; i++) {
    if (!(other = other_of(b, i))) continue;
    PetscCall(wring_mesh_find_local(m, (PetscInt)*other, &here));
    if (here < 0) {
      PetscCall(PetscFindInt((PetscInt)*other, *n, *list, &here));
      here += m->n_local;
    }
    *other = (double)here;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n_here, the star forest of all vertices that are not owned, original. */
static PetscErrorCode join(descent_build *b, PetscInt n, const PetscInt *list)
{
  wring_descent    *d       = b->d;
  const wring_mesh *m       = d->mesh;
  const PetscInt    n_ghost = m->n_local - m->n_owned;
  PetscInt         *root, *leaf;

  PetscFunctionBegin;
  d->n_here = m->n_local + n;
  PetscCall(PetscMalloc1(d->n_here, &b->original));
  PetscCall(PetscMalloc1(n_ghost + n, &root));
  PetscCall(PetscMalloc1(n_ghost + n, &leaf));
  PetscCall(PetscArraycpy(root, m->number.global + m->n_owned, n_ghost));
  PetscCall(PetscArraycpy(root + n_ghost, list, n));
  for (PetscInt i = 0; i < n_ghost + n; i++) leaf[i] = m->n_owned + i;
  PetscCall(wring_sf_create(m->comm, m->n_owned, PETSC_DETERMINE, n_ghost + n, leaf, root, &d->all));
  PetscCall(PetscArraycpy(b->original, m->number.original, m->n_local));
  PetscCall(PetscSFBcastBegin(d->all, MPIU_INT, b->original, b->original, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(d->all, MPIU_INT, b->original, b->original, MPI_REPLACE));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_descent_share(descent_build *b)
{
  PetscInt n, *list;

  PetscFunctionBegin;
  for (int t = 0; t < b->d->n_term; t++)
    b->width = PetscMax(b->width, par_at(b->d->term[t]) + descent_par_rows(b->d->term[t]));
  PetscCall(list_all(b));
  PetscCall(resolve_rows(b, &n, &list));
  PetscCall(join(b, n, list));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
