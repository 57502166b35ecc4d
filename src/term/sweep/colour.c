#include "colour.h"
#include "base/sort.h"

/* Colours in a word of a mask: all bits but the sign of a PetscInt. */
enum { BITS = 8 * sizeof(PetscInt) - 1 };

typedef struct {
  const wring_mesh *mesh;
  int               m;
  PetscInt          n, n_left, n_word;
  const PetscInt   *vertex;   // [n][m]
  double           *priority; // [n] integers below 2^53: elements are coloured from high to low
  PetscInt         *order;    // [n] elements by falling priority
  PetscInt         *degree;   // [n_local] elements of all ranks at a vertex
  PetscInt         *start;    // [n_local + 1] first of a vertex's elements in `element`
  PetscInt         *element;  // [n m] elements of each vertex by falling priority
  PetscInt         *next;     // [n_local] place in `element` of the first one without a colour
  PetscInt         *stack;    // [n_local] vertices whose next element may be ready
  PetscBool        *stacked;  // [n_local] is on the stack
  PetscInt          n_stack;
  double           *others; // [n_local] highest priority without a colour of the other ranks at a vertex, -1: none
  PetscInt          n_shared;
  PetscInt         *shared;  // [n_shared] vertices that other ranks have too: the owned ones first
  const PetscInt   *leaves;  // [n_owned] ranks that have a vertex as a ghost
  double           *of_leaf; // heads of those ranks, vertex by vertex
  PetscInt         *used;    // [n_word][n_local] colours in use at a vertex
  PetscInt          n_used;  // words of these that have a colour
} colouring;

/* ---- what ranks tell each other ---------------------------------------------------------------------------------- */

/* The value of a vertex is op of all ranks' values, on every rank. */
static PetscErrorCode combine(const colouring *c, MPI_Datatype unit, void *value, MPI_Op op)
{
  PetscSF halo = c->mesh->halo;

  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(halo, unit, value, value, op));
  PetscCall(PetscSFReduceEnd(halo, unit, value, value, op));
  PetscCall(PetscSFBcastBegin(halo, unit, value, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(halo, unit, value, value, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Word by word: where a PetscInt has 64 bits, star forests cannot apply an operation to units of several. */
static PetscErrorCode combine_masks(colouring *c)
{
  PetscFunctionBegin;
  for (PetscInt w = 0; w < c->n_used; w++) PetscCall(combine(c, MPIU_INT, c->used + w * c->mesh->n_local, MPI_BOR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Masks must hold as many colours as an element has neighbours, and one more. */
static PetscErrorCode count_degrees(colouring *c)
{
  PetscInt most = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(c->degree, c->mesh->n_local));
  for (PetscInt i = 0; i < c->m * c->n; i++) c->degree[c->vertex[i]]++;
  PetscCall(combine(c, MPIU_INT, c->degree, MPI_SUM));
  for (PetscInt i = 0; i < c->mesh->n_local; i++) most = PetscMax(most, c->degree[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, c->mesh->comm));
  c->n_word = c->m * most / BITS + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every value is replaced by the highest of the other ones: `first` of the owner, n of its leaves. */
static void take_highest_others(double *first, PetscInt n, double *leaf)
{
  double most = *first, next = -1;
  for (PetscInt i = 0; i < n; i++) {
    next = PetscMax(next, PetscMin(most, leaf[i]));
    most = PetscMax(most, leaf[i]);
  }
  *first = *first == most ? next : most;
  for (PetscInt i = 0; i < n; i++) leaf[i] = leaf[i] == most ? next : most;
}

/* Owners tell everyone that has a vertex what the others wait for there. */
static PetscErrorCode find_others(colouring *c)
{
  const wring_mesh *m    = c->mesh;
  double           *leaf = c->of_leaf;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n_shared; i++) {
    const PetscInt v = c->shared[i];
    c->others[v]     = c->next[v] < c->start[v + 1] ? c->priority[c->element[c->next[v]]] : -1;
  }
  PetscCall(PetscSFGatherBegin(m->halo, MPI_DOUBLE, c->others, c->of_leaf));
  PetscCall(PetscSFGatherEnd(m->halo, MPI_DOUBLE, c->others, c->of_leaf));
  for (PetscInt i = 0; i < c->n_shared && c->shared[i] < m->n_owned; i++) {
    take_highest_others(&c->others[c->shared[i]], c->leaves[c->shared[i]], leaf);
    leaf += c->leaves[c->shared[i]];
  }
  PetscCall(PetscSFScatterBegin(m->halo, MPI_DOUBLE, c->of_leaf, c->others));
  PetscCall(PetscSFScatterEnd(m->halo, MPI_DOUBLE, c->of_leaf, c->others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one rank's work --------------------------------------------------------------------------------------------- */

/* Steele, Lea and Flood's mixing of 64 bits [2014]. */
static uint64_t mix(uint64_t k)
{
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
  return k ^ (k >> 31);
}

enum { PLACE_BITS = 33, PRIORITY_BITS = 53 };

/* By how much the sum of an element's original numbers must be shifted to fit in PLACE_BITS. */
static int place_shift(const colouring *c)
{
  int shift = 0;
  while ((uint64_t)c->m * (uint64_t)c->mesh->n_global >> shift >> PLACE_BITS) shift++;
  return shift;
}

/*
  Priorities of all elements, and their order: by falling sum of original vertex numbers, that is from one end of the mesh file
  to the other, and by a hash of the numbers among equal ones. Along the file neighbours get colours close to each other:
  a quarter fewer colours than in random order, and sweeps that carry further.
*/
static PetscErrorCode draw_priorities(colouring *c, uint64_t seed)
{
  const int shift = place_shift(c);
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->n, &key));
  for (PetscInt e = 0; e < c->n; e++) {
    uint64_t hash = seed, sum = 0;
    for (int a = 0; a < c->m; a++) {
      const uint64_t number = (uint64_t)c->mesh->original[c->vertex[c->m * e + a]];
      hash                  = mix(hash + 1 + number);
      sum += number;
    }
    key[e]         = (sum >> shift << (PRIORITY_BITS - PLACE_BITS)) + (hash >> (64 - PRIORITY_BITS + PLACE_BITS));
    c->priority[e] = (double)((UINT64_C(1) << PRIORITY_BITS) - 1 - key[e]);
    c->order[e]    = e;
  }
  PetscCall(wring_sort_keys(c->n, key, c->order));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void push(colouring *c, PetscInt v)
{
  if (c->stacked[v]) return;
  c->stacked[v]          = PETSC_TRUE;
  c->stack[c->n_stack++] = v;
}

/* The elements of each vertex in their order; all of them wait, and every vertex is looked at first. */
static PetscErrorCode list_elements(colouring *c)
{
  const PetscInt n_local = c->mesh->n_local;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(c->start, n_local + 1));
  for (PetscInt i = 0; i < c->m * c->n; i++) c->start[c->vertex[i] + 1]++;
  for (PetscInt v = 0; v < n_local; v++) c->start[v + 1] += c->start[v];
  PetscCall(PetscArraycpy(c->next, c->start, n_local));
  for (PetscInt i = 0; i < c->n; i++) {
    for (int a = 0; a < c->m; a++) c->element[c->next[c->vertex[c->m * c->order[i] + a]]++] = c->order[i];
  }
  PetscCall(PetscArraycpy(c->next, c->start, n_local));
  c->n_left  = c->n;
  c->n_stack = 0;
  for (PetscInt v = 0; v < n_local; v++) {
    c->others[v] = -1;
    push(c, v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No element before e, here or elsewhere, is still without a colour at one of its vertices. */
static PetscBool is_next(const colouring *c, PetscInt e)
{
  for (int a = 0; a < c->m; a++) {
    const PetscInt v = c->vertex[c->m * e + a];
    if (c->element[c->next[v]] != e || c->others[v] > c->priority[e]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Takes the first colour that is free at all vertices of e. */
static PetscInt take_colour(colouring *c, PetscInt e)
{
  for (PetscInt w = 0;; w++) {
    PetscInt *const word = c->used + w * c->mesh->n_local;
    PetscInt        used = 0, bit = 0;
    for (int a = 0; a < c->m; a++) used |= word[c->vertex[c->m * e + a]];
    while (bit < BITS && (used >> bit & 1)) bit++;
    if (bit == BITS) continue;
    for (int a = 0; a < c->m; a++) word[c->vertex[c->m * e + a]] |= (PetscInt)1 << bit;
    c->n_used = PetscMax(c->n_used, w + 1);
    return w * BITS + bit;
  }
}

/* Colours all elements that need not wait for another rank: each makes its neighbours ready. */
static void colour_round(colouring *c, PetscInt *colour)
{
  while (c->n_stack > 0) {
    const PetscInt v = c->stack[--c->n_stack];
    c->stacked[v]    = PETSC_FALSE;
    if (c->next[v] == c->start[v + 1]) continue;
    const PetscInt e = c->element[c->next[v]];
    if (!is_next(c, e)) continue;
    colour[e] = take_colour(c, e);
    c->n_left--;
    for (int a = 0; a < c->m; a++) c->next[c->vertex[c->m * e + a]]++;
    for (int a = 0; a < c->m; a++) push(c, c->vertex[c->m * e + a]);
  }
}

/* Equal priorities of neighbours, which sum and hash may give, would give them one colour: *valid says that there are none. */
static PetscErrorCode check(const colouring *c, PetscBool *valid)
{
  *valid = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < c->mesh->n_local; v++) {
    PetscInt colours = 0;
    for (PetscInt b = 0; b < BITS * c->n_used; b++)
      colours += c->used[b / BITS * c->mesh->n_local + v] >> (b % BITS) & 1;
    if (colours != c->degree[v]) *valid = PETSC_FALSE;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, valid, 1, MPIU_BOOL, MPI_LAND, c->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(colouring *c, uint64_t seed, PetscInt *colour, PetscBool *valid)
{
  PetscInt most[2]; // elements left, words in use

  PetscFunctionBegin;
  PetscCall(draw_priorities(c, seed));
  PetscCall(list_elements(c));
  PetscCall(PetscArrayzero(c->used, c->mesh->n_local * c->n_word));
  c->n_used = 0;
  do {
    PetscCall(find_others(c));
    for (PetscInt i = 0; i < c->n_shared; i++) push(c, c->shared[i]);
    colour_round(c, colour);
    most[0] = c->n_left, most[1] = c->n_used;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_INT, MPI_MAX, c->mesh->comm));
    c->n_used = most[1];
    PetscCall(combine_masks(c));
  } while (most[0] > 0);
  PetscCall(check(c, valid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(colouring *c)
{
  const wring_mesh *m        = c->mesh;
  PetscInt          n_leaves = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(c->n, &c->priority, c->n, &c->order, c->m * c->n, &c->element));
  PetscCall(PetscMalloc5(m->n_local, &c->degree, m->n_local + 1, &c->start, m->n_local, &c->next, m->n_local, &c->stack,
                         m->n_local, &c->others));
  PetscCall(PetscCalloc1(m->n_local, &c->stacked));
  PetscCall(PetscSFComputeDegreeBegin(m->halo, &c->leaves));
  PetscCall(PetscSFComputeDegreeEnd(m->halo, &c->leaves));
  PetscCall(PetscMalloc1(m->n_local, &c->shared));
  for (PetscInt v = 0; v < m->n_local; v++) {
    if (v >= m->n_owned || c->leaves[v] > 0) c->shared[c->n_shared++] = v;
    if (v < m->n_owned) n_leaves += c->leaves[v];
  }
  PetscCall(PetscMalloc1(n_leaves, &c->of_leaf));
  PetscCall(count_degrees(c));
  PetscCall(PetscMalloc1(m->n_local * c->n_word, &c->used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(colouring *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->used));
  PetscCall(PetscFree(c->of_leaf));
  PetscCall(PetscFree(c->shared));
  PetscCall(PetscFree(c->stacked));
  PetscCall(PetscFree5(c->degree, c->start, c->next, c->stack, c->others));
  PetscCall(PetscFree3(c->priority, c->order, c->element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_colour_elements(const wring_mesh *mesh, int m, PetscInt n, const PetscInt *vertex,
                                     PetscInt *colour, PetscInt *n_colour)
{
  colouring c     = {.mesh = mesh, .m = m, .n = n, .vertex = vertex};
  PetscBool valid = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(create(&c));
  for (uint64_t seed = 1; !valid; seed++) PetscCall(attempt(&c, mix(seed), colour, &valid));
  PetscCall(destroy(&c));
  *n_colour = 0;
  for (PetscInt e = 0; e < n; e++) *n_colour = PetscMax(*n_colour, colour[e] + 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n_colour, 1, MPIU_INT, MPI_MAX, mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
