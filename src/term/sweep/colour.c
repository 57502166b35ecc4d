#include "colour.h"
#include "base/sort.h"
#include "used.h"

enum { CORNERS = 4 };

/*
  The place of an element in the order of colouring: by decreasing priority, then by increasing original vertex numbers,
  those of the corners of second-order tets.
*/
typedef struct {
  double priority, vertex[CORNERS];
} place;

static const place none = {.priority = -1};

typedef struct {
  const wring_mesh *mesh;
  int               m;
  PetscBool         random;
  PetscInt          n, n_left;
  const PetscInt   *vertex;   // [n][m]
  double           *priority; // [n] integers below 2^53: elements are coloured from high to low
  PetscInt         *order;    // [n] elements by decreasing priority
  PetscInt         *start;    // [n_local + 1] first of a vertex's elements in `element`
  PetscInt         *element;  // [n m] elements of each vertex by decreasing priority
  PetscInt         *next;     // [n_local] position in `element` of the first uncoloured one
  PetscInt         *stack;    // [n_local] vertices whose next element may be ready
  PetscBool        *stacked;  // [n_local] is on the stack
  PetscInt          n_stack;
  place            *others; // [n_local] the first uncoloured element of the other ranks at a vertex, or none
  PetscInt          n_shared;
  PetscInt         *shared;  // [n_shared] vertices that other ranks have too, owned ones first
  const PetscInt   *leaves;  // [n_owned] number of ranks that have a vertex as a ghost
  place            *of_leaf; // first elements of those ranks, vertex by vertex
  MPI_Datatype      unit;    // a place
  wring_used        used;    // colours at vertices
  PetscInt          n_used;  // colours of any rank
  PetscInt          n_round;
  wring_error       error; // an element that two ranks have
} colouring;

/* ---- communication ----------------------------------------------------------------------------------------------- */

static const PetscInt *vertices(const colouring *c, PetscInt e)
{
  return c->vertex + (size_t)c->m * e;
}

static place place_of(const colouring *c, PetscInt e)
{
  place p = {.priority = c->priority[e]};
  for (int a = 0; a < PetscMin(c->m, CORNERS); a++)
    p.vertex[a] = (double)c->mesh->original[vertices(c, e)[a < CORNERS - 1 ? a : c->m - 1]];
  return p;
}

/* Above 0 if a comes before b; 0 only for elements with the same vertices in the same order. */
static int compare(const place *a, const place *b)
{
  if (a->priority != b->priority) return a->priority > b->priority ? 1 : -1;
  for (int i = 0; i < CORNERS; i++) {
    if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? 1 : -1;
  }
  return 0;
}

static place first_of(place a, place b)
{
  return compare(&a, &b) >= 0 ? a : b;
}

static place second_of(place a, place b)
{
  return compare(&a, &b) >= 0 ? b : a;
}

/* Replaces every place by the first of the others: `owner` is that of the owner, leaf [n] those of its leaves. */
static void take_first_of_others(place *owner, PetscInt n, place *leaf)
{
  place first = *owner, next = none;
  for (PetscInt i = 0; i < n; i++) {
    next  = first_of(next, second_of(first, leaf[i]));
    first = first_of(first, leaf[i]);
  }
  *owner = compare(owner, &first) == 0 ? next : first;
  for (PetscInt i = 0; i < n; i++) leaf[i] = compare(&leaf[i], &first) == 0 ? next : first;
}

/* Owners send every rank that has a vertex the first uncoloured element of the other ranks there. */
static PetscErrorCode find_others(colouring *c)
{
  const wring_mesh *m    = c->mesh;
  place            *leaf = c->of_leaf;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n_shared; i++) {
    const PetscInt v = c->shared[i];
    c->others[v]     = c->next[v] < c->start[v + 1] ? place_of(c, c->element[c->next[v]]) : none;
  }
  PetscCall(PetscSFGatherBegin(m->halo, c->unit, c->others, c->of_leaf));
  PetscCall(PetscSFGatherEnd(m->halo, c->unit, c->others, c->of_leaf));
  for (PetscInt i = 0; i < c->n_shared && c->shared[i] < m->n_owned; i++) {
    take_first_of_others(&c->others[c->shared[i]], c->leaves[c->shared[i]], leaf);
    leaf += c->leaves[c->shared[i]];
  }
  PetscCall(PetscSFScatterBegin(m->halo, c->unit, c->of_leaf, c->others));
  PetscCall(PetscSFScatterEnd(m->halo, c->unit, c->of_leaf, c->others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- local work -------------------------------------------------------------------------------------------------- */

enum { PLACE_BITS = 33, PRIORITY_BITS = 53 };

/* The shift with which the sum of an element's original numbers fits in PLACE_BITS. */
static int place_shift(const colouring *c)
{
  int shift = 0;
  while ((uint64_t)c->m * (uint64_t)c->mesh->n_global >> shift >> PLACE_BITS) shift++;
  return shift;
}

/*
  Sorts elements of equal key by original numbers; key [n] is sorted. Elements with the same vertices keep their order.
*/
static void break_ties(colouring *c, const uint64_t *key)
{
  for (PetscInt i = 1; i < c->n; i++) {
    const PetscInt e  = c->order[i];
    const place    p  = place_of(c, e);
    PetscInt       at = i;
    for (; at > 0 && key[at - 1] == key[i]; at--) {
      const place before = place_of(c, c->order[at - 1]);
      if (compare(&before, &p) >= 0) break;
      c->order[at] = c->order[at - 1];
    }
    c->order[at] = e;
  }
}

/*
  Finds the priorities of all elements and their order: by increasing sum of original vertex numbers, that is from one
  end of the mesh file to the other, and by a hash of the numbers among equal sums. In this order, neighbours get
  similar colours: in boxes a quarter fewer colours than in random order, the same in meshes of generators. In random
  order, the sums count for nothing.
*/
static PetscErrorCode draw_priorities(colouring *c)
{
  const int shift = place_shift(c);
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->n, &key));
  for (PetscInt e = 0; e < c->n; e++) {
    uint64_t hash = wring_mix(1), sum = 0;
    for (int a = 0; a < c->m; a++) {
      const uint64_t number = (uint64_t)c->mesh->original[vertices(c, e)[a]];
      hash                  = wring_mix(hash + 1 + number);
      sum += number;
    }
    key[e] = (sum >> shift << (PRIORITY_BITS - PLACE_BITS)) + (hash >> (64 - PRIORITY_BITS + PLACE_BITS));
    if (c->random) key[e] = hash >> (64 - PRIORITY_BITS);
    c->priority[e] = (double)((UINT64_C(1) << PRIORITY_BITS) - 1 - key[e]);
    c->order[e]    = e;
  }
  PetscCall(wring_sort_keys(c->n, key, c->order));
  break_ties(c, key);
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void push(colouring *c, PetscInt v)
{
  if (c->stacked[v]) return;
  c->stacked[v]          = PETSC_TRUE;
  c->stack[c->n_stack++] = v;
}

/* Lists the elements of each vertex in their order; all are uncoloured, and every vertex is put on the stack. */
static PetscErrorCode list_elements(colouring *c)
{
  const PetscInt n_local = c->mesh->n_local;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(c->start, n_local + 1));
  for (size_t i = 0; i < (size_t)c->m * (size_t)c->n; i++) c->start[c->vertex[i] + 1]++;
  for (PetscInt v = 0; v < n_local; v++) c->start[v + 1] += c->start[v];
  PetscCall(PetscArraycpy(c->next, c->start, n_local));
  for (PetscInt i = 0; i < c->n; i++) {
    for (int a = 0; a < c->m; a++) c->element[c->next[vertices(c, c->order[i])[a]]++] = c->order[i];
  }
  PetscCall(PetscArraycpy(c->next, c->start, n_local));
  c->n_left  = c->n;
  c->n_stack = 0;
  for (PetscInt v = 0; v < n_local; v++) {
    c->others[v] = none;
    push(c, v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* True if e is the first uncoloured element, over all ranks, at each of its vertices. */
static PetscBool is_next(colouring *c, PetscInt e)
{
  const place p = place_of(c, e);
  for (int a = 0; a < c->m; a++) {
    const PetscInt v = vertices(c, e)[a];
    if (c->element[c->next[v]] != e) return PETSC_FALSE;
    const int after = compare(&c->others[v], &p);
    if (after == 0)
      wring_error_set(&c->error,
                      "two ranks have an element with the same vertices, among them vertex %" PetscInt_FMT
                      ", expected one rank to have both",
                      c->mesh->original[v]);
    if (after >= 0) return PETSC_FALSE;
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

/* Collective: ends a round that began with `left` uncoloured elements on this rank. */
static PetscErrorCode end_round(colouring *c, PetscInt left, PetscBool *done)
{
  enum { LEFT, USED, COLOURED, ERRORS, N };
  PetscInt most[N] = {c->n_left, c->n_used, left - c->n_left, c->error.text[0] != 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, N, MPIU_INT, MPI_MAX, c->mesh->comm));
  if (most[ERRORS]) PetscCall(wring_error_raise(c->mesh->comm, &c->error));
  PetscCheck(most[COLOURED] > 0 || most[LEFT] == 0, c->mesh->comm, PETSC_ERR_PLIB, "no element can have a colour");
  *done     = (PetscBool)(most[LEFT] == 0);
  c->n_used = most[USED];
  c->n_round++;
  PetscCall(wring_used_share(&c->used, (c->n_used + USED_BITS - 1) / USED_BITS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each round colours at least the first of all uncoloured elements, so that the loop ends. */
static PetscErrorCode colour_all(colouring *c, PetscInt *colour)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(draw_priorities(c));
  PetscCall(list_elements(c));
  while (!done) {
    const PetscInt left = c->n_left;
    PetscCall(find_others(c));
    for (PetscInt i = 0; i < c->n_shared; i++) push(c, c->shared[i]);
    PetscCall(colour_round(c, colour));
    PetscCall(end_round(c, left, &done));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(colouring *c)
{
  const wring_mesh *m        = c->mesh;
  PetscInt          n_leaves = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(c->n, &c->priority, c->n, &c->order, (size_t)c->m * (size_t)c->n, &c->element));
  PetscCall(
    PetscMalloc4(m->n_local + 1, &c->start, m->n_local, &c->next, m->n_local, &c->stack, m->n_local, &c->others));
  PetscCall(PetscCalloc1(m->n_local, &c->stacked));
  PetscCall(PetscSFComputeDegreeBegin(m->halo, &c->leaves));
  PetscCall(PetscSFComputeDegreeEnd(m->halo, &c->leaves));
  PetscCall(PetscMalloc1(m->n_local, &c->shared));
  for (PetscInt v = 0; v < m->n_local; v++) {
    if (v >= m->n_owned || c->leaves[v] > 0) c->shared[c->n_shared++] = v;
    if (v < m->n_owned) n_leaves += c->leaves[v];
  }
  PetscCall(PetscMalloc1(n_leaves, &c->of_leaf));
  PetscCall(wring_used_create(m, &c->used));
  PetscCallMPI(MPI_Type_contiguous(sizeof(place) / sizeof(double), MPI_DOUBLE, &c->unit));
  PetscCallMPI(MPI_Type_commit(&c->unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(colouring *c)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_free(&c->unit));
  PetscCall(wring_used_destroy(&c->used));
  PetscCall(PetscFree(c->of_leaf));
  PetscCall(PetscFree(c->shared));
  PetscCall(PetscFree(c->stacked));
  PetscCall(PetscFree4(c->start, c->next, c->stack, c->others));
  PetscCall(PetscFree3(c->priority, c->order, c->element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_colour_elements(const wring_mesh *mesh, PetscBool random, int m, PetscInt n,
                                     const PetscInt *vertex, PetscInt *colour, PetscInt *n_colour, PetscInt *n_round)
{
  colouring c = {.mesh = mesh, .random = random, .m = m, .n = n, .vertex = vertex};

  PetscFunctionBegin;
  PetscCall(create(&c));
  PetscCall(colour_all(&c, colour));
  PetscCall(destroy(&c));
  *n_colour = c.n_used;
  if (n_round) *n_round = c.n_round;
  PetscFunctionReturn(PETSC_SUCCESS);
}
