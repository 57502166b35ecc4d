#include "colour.h"
#include "mesh/order.h"

/* Colours in a word of a mask: all bits but the sign of a PetscInt. */
enum { BITS = 8 * sizeof(PetscInt) - 1 };

typedef struct {
  const wring_mesh *mesh;
  int               m;
  PetscInt          n, n_left, n_word;
  const PetscInt   *vertex;   // [n][m]
  double           *priority; // [n] integers below 2^53: elements are coloured from high to low
  PetscInt         *left;     // [n_left] elements without a colour, by falling priority
  PetscInt         *degree;   // [n_local] elements of all ranks at a vertex
  PetscInt         *waits;    // [n_local] last round in which a vertex of this rank alone had to wait
  PetscBool        *shared;   // [n_local] other ranks have the vertex too
  double           *top;      // [n_local] of shared vertices: highest priority of all ranks without a colour
  PetscInt         *used;     // [n_local][n_word] colours in use at a vertex
  MPI_Datatype      mask;     // n_word PetscInts
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

static PetscErrorCode find_shared(colouring *c)
{
  const wring_mesh *m = c->mesh;
  const PetscInt   *leaves;

  PetscFunctionBegin;
  PetscCall(PetscSFComputeDegreeBegin(m->halo, &leaves));
  PetscCall(PetscSFComputeDegreeEnd(m->halo, &leaves));
  for (PetscInt i = 0; i < m->n_local; i++) c->shared[i] = (PetscBool)(i >= m->n_owned || leaves[i] > 0);
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

static PetscErrorCode find_tops(colouring *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->mesh->n_local; i++) c->top[i] = -1;
  for (PetscInt i = 0; i < c->n_left; i++) {
    const PetscInt e = c->left[i];
    for (int a = 0; a < c->m; a++) {
      const PetscInt v = c->vertex[c->m * e + a];
      c->top[v]        = PetscMax(c->top[v], c->priority[e]);
    }
  }
  PetscCall(combine(c, MPI_DOUBLE, c->top, MPI_MAX));
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
    c->left[e]     = e;
  }
  c->n_left = c->n;
  PetscCall(wring_sort_keys(c->n, key, c->left));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No element before e, here or elsewhere, is still without a colour at one of its vertices. */
static PetscBool is_next(const colouring *c, PetscInt e, PetscInt round)
{
  for (int a = 0; a < c->m; a++) {
    const PetscInt v = c->vertex[c->m * e + a];
    if (c->shared[v] ? c->top[v] != c->priority[e] : c->waits[v] == round) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Takes the first colour that is free at all vertices of e. */
static PetscInt take_colour(colouring *c, PetscInt e)
{
  for (PetscInt w = 0;; w++) {
    PetscInt used = 0, bit = 0;
    for (int a = 0; a < c->m; a++) used |= c->used[c->vertex[c->m * e + a] * c->n_word + w];
    while (bit < BITS && (used >> bit & 1)) bit++;
    if (bit == BITS) continue;
    for (int a = 0; a < c->m; a++) c->used[c->vertex[c->m * e + a] * c->n_word + w] |= (PetscInt)1 << bit;
    return w * BITS + bit;
  }
}

/* Colours all elements that need not wait for another rank. */
static void colour_round(colouring *c, PetscInt round, PetscInt *colour)
{
  PetscInt n = 0;
  for (PetscInt i = 0; i < c->n_left; i++) {
    const PetscInt e = c->left[i];
    if (is_next(c, e, round)) {
      colour[e] = take_colour(c, e);
    } else {
      for (int a = 0; a < c->m; a++) c->waits[c->vertex[c->m * e + a]] = round;
      c->left[n++] = e;
    }
  }
  c->n_left = n;
}

/* Equal priorities of neighbours, which sum and hash may give, would give them one colour: *valid says that there are none. */
static PetscErrorCode check(const colouring *c, PetscBool *valid)
{
  *valid = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < c->mesh->n_local; v++) {
    PetscInt colours = 0;
    for (PetscInt b = 0; b < BITS * c->n_word; b++) colours += c->used[v * c->n_word + b / BITS] >> (b % BITS) & 1;
    if (colours != c->degree[v]) *valid = PETSC_FALSE;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, valid, 1, MPIU_BOOL, MPI_LAND, c->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(colouring *c, uint64_t seed, PetscInt *colour, PetscBool *valid)
{
  PetscInt left;

  PetscFunctionBegin;
  PetscCall(draw_priorities(c, seed));
  PetscCall(PetscArrayzero(c->waits, c->mesh->n_local));
  PetscCall(PetscArrayzero(c->used, c->mesh->n_local * c->n_word));
  for (PetscInt round = 1;; round++) {
    PetscCallMPI(MPI_Allreduce(&c->n_left, &left, 1, MPIU_INT, MPI_MAX, c->mesh->comm));
    if (!left) break;
    PetscCall(find_tops(c));
    colour_round(c, round, colour);
    PetscCall(combine(c, c->mask, c->used, MPI_BOR));
  }
  PetscCall(check(c, valid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_colour_elements(const wring_mesh *mesh, int m, PetscInt n, const PetscInt *vertex,
                                     PetscInt *colour, PetscInt *n_colour)
{
  const PetscInt n_local = mesh->n_local;
  colouring      c       = {.mesh = mesh, .m = m, .n = n, .vertex = vertex};
  PetscBool      valid   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &c.priority, n, &c.left));
  PetscCall(PetscMalloc4(n_local, &c.degree, n_local, &c.waits, n_local, &c.shared, n_local, &c.top));
  PetscCall(find_shared(&c));
  PetscCall(count_degrees(&c));
  PetscCall(PetscMalloc1(n_local * c.n_word, &c.used));
  PetscCallMPI(MPI_Type_contiguous((int)c.n_word, MPIU_INT, &c.mask));
  PetscCallMPI(MPI_Type_commit(&c.mask));
  for (uint64_t seed = 1; !valid; seed++) PetscCall(attempt(&c, mix(seed), colour, &valid));
  *n_colour = 0;
  for (PetscInt e = 0; e < n; e++) *n_colour = PetscMax(*n_colour, colour[e] + 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n_colour, 1, MPIU_INT, MPI_MAX, mesh->comm));
  PetscCallMPI(MPI_Type_free(&c.mask));
  PetscCall(PetscFree(c.used));
  PetscCall(PetscFree4(c.degree, c.waits, c.shared, c.top));
  PetscCall(PetscFree2(c.priority, c.left));
  PetscFunctionReturn(PETSC_SUCCESS);
}
