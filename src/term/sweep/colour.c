#include "colour.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/bodies.h"
#include "used.h"
#include <math.h>

typedef struct {
  const wring_mesh *mesh;
  int               m;
  PetscBool         random;
  PetscInt          n, n_left;
  const PetscInt   *vertex;  // [n][m]
  double           *place;   // [n] integers, the places of elements in the order of colouring, over all ranks
  PetscInt         *start;   // [n_local + 1] first of a vertex's elements in `element`
  PetscInt         *element; // [n m] elements of each vertex in order
  PetscInt         *next;    // [n_local] position in `element` of the first uncoloured one
  PetscInt         *stack;   // [n_local] vertices whose next element may be ready
  PetscBool        *stacked; // [n_local] is on the stack
  PetscInt          n_stack;
  double           *first;  // [n_local] work: the place of the first uncoloured element of this rank, then of all
  double           *others; // [n_local] of the other ranks
  PetscInt          n_shared;
  PetscInt         *shared; // [n_shared] vertices that other ranks have too
  wring_used        used;   // colours at vertices
  PetscInt          n_used; // colours of any rank
  PetscInt          n_round;
} colouring;

static const PetscInt *vertices(const colouring *c, PetscInt e)
{
  return c->vertex + (size_t)c->m * e;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

enum { CORNERS = 4, PLACE_BITS = 33, PRIORITY_BITS = 53 };

/* An element on its way to its place: original vertex numbers, those of the corners of second-order tets. */
typedef struct {
  PetscInt vertex[CORNERS], rank;
} row;

/*
  Keys by which elements are coloured: by increasing sum of original vertex numbers, that is from one end of the mesh
  file to the other, and by a hash of the numbers among equal sums. In this order, neighbours get similar colours: in
  boxes a quarter fewer colours than in random order, the same in meshes of generators. In random order, the sums count
  for nothing.
*/
static void draw_keys(const colouring *c, PetscMPIInt rank, uint64_t *key, row *rows)
{
  const PetscInt *const original = c->mesh->number.original;
  int                   shift    = 0; // with which sums of an element's numbers fit in PLACE_BITS
  while ((uint64_t)c->m * (uint64_t)c->mesh->number.n_global >> shift >> PLACE_BITS) shift++;
  for (PetscInt e = 0; e < c->n; e++) {
    uint64_t hash = wring_mix(1), sum = 0;
    for (int a = 0; a < c->m; a++) {
      const uint64_t number = (uint64_t)original[vertices(c, e)[a]];
      hash                  = wring_mix(hash + 1 + number);
      sum += number;
    }
    key[e] = (sum >> shift << (PRIORITY_BITS - PLACE_BITS)) + (hash >> (64 - PRIORITY_BITS + PLACE_BITS));
    if (c->random) key[e] = hash >> (64 - PRIORITY_BITS);
    rows[e] = (row){.rank = rank};
    for (int a = 0; a < PetscMin(c->m, CORNERS); a++)
      rows[e].vertex[a] = original[vertices(c, e)[a < CORNERS - 1 ? a : c->m - 1]];
  }
}

/* Below 0 if a comes before b; 0 only for elements with the same vertices in the same order. */
static int compare(const row *a, const row *b)
{
  for (int i = 0; i < CORNERS; i++) {
    if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? -1 : 1;
  }
  return 0;
}

/*
  order [n]: the sorted rows, those of equal key by their vertices; rows with the same vertices keep their order, and
  are an error if two ranks have them.
*/
static void break_ties(const wring_sorting *s, const row *rows, PetscInt *order, wring_error *error)
{
  for (PetscInt i = 0; i < s->n; i++) {
    PetscInt at = i;
    for (; at > 0 && s->key[at - 1] == s->key[i] && compare(&rows[order[at - 1]], &rows[i]) > 0; at--)
      order[at] = order[at - 1];
    order[at] = i;
    if (at == 0 || s->key[at - 1] != s->key[i]) continue;
    const row *const before = &rows[order[at - 1]];
    if (compare(before, &rows[i]) == 0 && before->rank != rows[i].rank)
      wring_error_set(error,
                      "two ranks have an element with the same vertices, among them vertex %" PetscInt_FMT
                      ", expected one rank to have both",
                      before->vertex[0]);
  }
}

/* place: of all elements over all ranks. */
static PetscErrorCode find_places(colouring *c)
{
  const MPI_Comm comm  = c->mesh->comm;
  wring_error    error = {""};
  wring_sorting  s;
  uint64_t      *key;
  row           *rows, *sorted;
  PetscInt      *order;
  PetscInt64     n, begin;
  double        *answer;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->n, &key, c->n, &rows));
  draw_keys(c, wring_comm_rank(comm), key, rows);
  PetscCall(wring_sorting_create(comm, c->n, key, PETSC_TRUE, NULL, &s));
  PetscCall(wring_sorting_send(&s, sizeof *rows, rows, &sorted));
  PetscCall(PetscFree2(key, rows));
  PetscCall(PetscMalloc2(s.n, &order, s.n, &answer));
  break_ties(&s, sorted, order, &error);
  PetscCall(wring_error_raise(comm, &error));
  n = s.n;
  PetscCallMPI(MPI_Scan(&n, &begin, 1, MPIU_INT64, MPI_SUM, comm));
  for (PetscInt i = 0; i < s.n; i++) answer[order[i]] = (double)(begin - n + i);
  PetscCall(wring_sorting_answer(&s, sizeof *answer, answer, c->place));
  PetscCall(PetscFree2(order, answer));
  PetscCall(PetscFree(sorted));
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists the elements of each vertex in their order; all are uncoloured. */
static PetscErrorCode list_elements(colouring *c)
{
  const PetscInt n_local = c->mesh->n_local;
  PetscInt      *order;
  uint64_t      *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->n, &order, c->n, &key));
  for (PetscInt e = 0; e < c->n; e++) key[e] = (uint64_t)c->place[e];
  PetscCall(wring_order_keys(c->n, key, order));
  for (size_t i = 0; i < (size_t)c->m * (size_t)c->n; i++) c->start[c->vertex[i] + 1]++;
  wring_add_up(n_local, c->start);
  PetscCall(PetscArraycpy(c->next, c->start, n_local));
  for (PetscInt i = 0; i < c->n; i++) {
    for (int a = 0; a < c->m; a++) c->element[c->next[vertices(c, order[i])[a]]++] = order[i];
  }
  PetscCall(PetscArraycpy(c->next, c->start, n_local));
  PetscCall(PetscFree2(order, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* The first uncoloured element of this rank at a vertex. */
static double first_here(const colouring *c, PetscInt v)
{
  return c->next[v] < c->start[v + 1] ? c->place[c->element[c->next[v]]] : INFINITY;
}

/* The first uncoloured elements of other ranks: the first of all, or, where that is one of this rank, the second. */
static PetscErrorCode find_others(colouring *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n_shared; i++) c->first[c->shared[i]] = first_here(c, c->shared[i]);
  PetscCall(wring_mesh_reduce(c->mesh, MPI_DOUBLE, MPI_MIN, c->first));
  for (PetscInt i = 0; i < c->n_shared; i++) {
    const PetscInt v    = c->shared[i];
    const double   here = first_here(c, v);
    c->others[v]        = here == c->first[v] ? INFINITY : here;
  }
  PetscCall(wring_mesh_reduce(c->mesh, MPI_DOUBLE, MPI_MIN, c->others));
  for (PetscInt i = 0; i < c->n_shared; i++) {
    const PetscInt v = c->shared[i];
    if (first_here(c, v) != c->first[v]) c->others[v] = c->first[v];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void push(colouring *c, PetscInt v)
{
  if (c->stacked[v]) return;
  c->stacked[v]          = PETSC_TRUE;
  c->stack[c->n_stack++] = v;
}

/* True if e is the first uncoloured element, over all ranks, at each of its vertices. */
static PetscBool is_next(const colouring *c, PetscInt e)
{
  for (int a = 0; a < c->m; a++) {
    const PetscInt v = vertices(c, e)[a];
    if (c->element[c->next[v]] != e || c->others[v] < c->place[e]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Colours all elements that do not wait for another rank; each coloured element may make its neighbours ready. */
static PetscErrorCode colour_round(colouring *c, PetscInt *colour)
{
  PetscFunctionBegin;
  while (c->n_stack > 0) {
    const PetscInt v = c->stack[--c->n_stack];
    c->stacked[v]    = PETSC_FALSE;
    if (c->next[v] == c->start[v + 1]) continue;
    const PetscInt e = c->element[c->next[v]];
    if (!is_next(c, e)) continue;
    PetscCall(wring_used_take(&c->used, c->m, vertices(c, e), &colour[e]));
    c->n_used = PetscMax(c->n_used, colour[e] + 1);
    c->n_left--;
    for (int a = 0; a < c->m; a++) c->next[vertices(c, e)[a]]++;
    for (int a = 0; a < c->m; a++) push(c, vertices(c, e)[a]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends a round that began with `left` uncoloured elements here; each colours at least the first of all ranks. */
static PetscErrorCode end_round(colouring *c, PetscInt left, PetscBool *done)
{
  PetscInt most[3] = {c->n_left, c->n_used, left - c->n_left};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPIU_INT, MPI_MAX, c->mesh->comm));
  PetscCheck(most[2] > 0 || most[0] == 0, c->mesh->comm, PETSC_ERR_PLIB, "no element can have a colour");
  *done     = (PetscBool)(most[0] == 0);
  c->n_used = most[1];
  c->n_round++;
  PetscCall(wring_used_share(&c->used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colour_all(colouring *c, PetscInt *colour)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(find_places(c));
  PetscCall(list_elements(c));
  for (PetscInt v = 0; v < c->mesh->n_local; v++) {
    c->others[v] = INFINITY;
    push(c, v);
  }
  while (!done) {
    const PetscInt left = c->n_left;
    PetscCall(find_others(c));
    for (PetscInt i = 0; i < c->n_shared; i++) push(c, c->shared[i]);
    PetscCall(colour_round(c, colour));
    PetscCall(end_round(c, left, &done));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_colour_elements(const wring_mesh *mesh, PetscBool random, int m, PetscInt n,
                                     const PetscInt *vertex, PetscInt *colour, PetscInt *n_colour, PetscInt *n_round)
{
  const PetscInt n_local = mesh->n_local, *sharer;
  colouring      c       = {.mesh = mesh, .random = random, .m = m, .n = n, .n_left = n, .vertex = vertex};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &c.place, (size_t)m * (size_t)n, &c.element));
  PetscCall(
    PetscCalloc5(n_local + 1, &c.start, n_local, &c.next, n_local, &c.stack, n_local, &c.stacked, n_local, &c.shared));
  PetscCall(PetscMalloc2(n_local, &c.first, n_local, &c.others));
  PetscCall(wring_used_create(mesh, &c.used));
  sharer = c.used.sharer_start;
  for (PetscInt v = 0; v < n_local; v++)
    if (v >= mesh->n_owned || sharer[v + 1] > sharer[v]) c.shared[c.n_shared++] = v;
  PetscCall(colour_all(&c, colour));
  PetscCall(wring_used_destroy(&c.used));
  PetscCall(PetscFree2(c.first, c.others));
  PetscCall(PetscFree5(c.start, c.next, c.stack, c.stacked, c.shared));
  PetscCall(PetscFree2(c.place, c.element));
  *n_colour = c.n_used;
  if (n_round) *n_round = c.n_round;
  PetscFunctionReturn(PETSC_SUCCESS);
}
