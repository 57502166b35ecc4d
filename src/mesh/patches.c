/*
  Patches of tets around vertices, for means over patches; docs/theory.md 3.12. Centres are a maximal set of vertices of
  which no two share a tet, found by their keys, numbers at random from the original numbers [Luby 1986]: a vertex whose
  key is the largest around it is a centre, and vertices that share a tet with it are not. A tet with a centre among its
  corners is in its patch. Another tet is in the patch to which most of its corners belong, where a vertex belongs to
  the centre with the largest key that it shares a tet with.
*/
#include "bodies.h"

/* Of local vertices: keys; 1 undecided, 2 centre, 0 neither. */
typedef struct {
  const wring_mesh *m;
  PetscInt          region;
  PetscInt64       *key;   // [n_local]
  char             *state; // [n_local]
} search;

enum { NEITHER, UNDECIDED, CENTRE };

/* best [n_local]: the largest key of the vertices in a state that share a tet with a vertex, or are it. */
static PetscErrorCode find_best(const search *s, char state, PetscInt64 *best)
{
  const wring_mesh *const m = s->m;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < m->n_local; v++) best[v] = INT64_MIN;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const PetscInt *const v       = m->tets.corner + 4 * (size_t)e;
    PetscInt64            largest = INT64_MIN;
    if (m->tets.region[e] != s->region) continue;
    for (int a = 0; a < 4; a++)
      if (s->state[v[a]] == state) largest = PetscMax(largest, s->key[v[a]]);
    for (int a = 0; a < 4; a++) best[v[a]] = PetscMax(best[v[a]], largest);
  }
  PetscCall(wring_mesh_reduce(m, MPIU_INT64, MPI_MAX, best));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_centres(search *s, PetscInt64 *best)
{
  const wring_mesh *const m = s->m;
  PetscInt64              left;

  PetscFunctionBegin;
  do {
    PetscCall(find_best(s, UNDECIDED, best));
    for (PetscInt v = 0; v < m->n_local; v++)
      if (s->state[v] == UNDECIDED && best[v] == s->key[v]) s->state[v] = CENTRE;
    PetscCall(find_best(s, CENTRE, best));
    left = 0;
    for (PetscInt v = 0; v < m->n_local; v++) {
      if (s->state[v] == UNDECIDED && best[v] != INT64_MIN) s->state[v] = NEITHER;
      left += s->state[v] == UNDECIDED;
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPIU_INT64, MPI_SUM, m->comm));
  } while (left > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number [n_local]: the global number of the centre with the key best[v]. */
static PetscErrorCode number_centres(const search *s, const PetscInt64 *best, PetscInt64 *number)
{
  const wring_mesh *const m = s->m;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < m->n_local; v++) number[v] = -1;
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) {
    const PetscInt *const corner = m->tets.corner + 4 * (size_t)(i / 4), v = m->tets.corner[i];
    for (int a = 0; a < 4; a++)
      if (s->state[corner[a]] == CENTRE && s->key[corner[a]] == best[v]) number[v] = m->number.global[corner[a]];
  }
  PetscCall(wring_mesh_reduce(m, MPIU_INT64, MPI_MAX, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The corner of a tet whose centre is that of most corners; of several, the one with the largest key. */
static PetscInt choose_corner(const PetscInt *v, const PetscInt64 *best)
{
  PetscInt chosen = v[0];
  int      most   = 0;
  for (int a = 0; a < 4; a++) {
    int same = 0;
    for (int b = 0; b < 4; b++) same += best[v[b]] == best[v[a]];
    if (same > most || (same == most && best[v[a]] > best[chosen])) most = same, chosen = v[a];
  }
  return chosen;
}

/* A corner that is a centre is the centre of all corners: no other centre shares a tet with it. */
static void assign(const search *s, const PetscInt64 *best, const PetscInt64 *number, PetscInt *centre)
{
  const wring_mesh *const m = s->m;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const PetscInt *const v = m->tets.corner + 4 * (size_t)e;
    PetscInt              at;
    centre[e] = -1;
    if (m->tets.region[e] != s->region) continue;
    at = choose_corner(v, best);
    for (int a = 0; a < 4; a++)
      if (s->state[v[a]] == CENTRE) at = v[a];
    centre[e] = (PetscInt)number[at];
  }
}

PetscErrorCode wring_mesh_patches(const wring_mesh *m, PetscInt region, PetscInt *centre)
{
  search      s = {.m = m, .region = region};
  PetscInt64 *best, *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(m->n_local, &s.key, m->n_local, &s.state, m->n_local, &best, m->n_local, &number));
  for (PetscInt v = 0; v < m->n_local; v++) { // the output of splitmix64 [Steele et al. 2014]
    s.key[v]   = (PetscInt64)wring_mix((uint64_t)m->number.original[v] + 0x9e3779b97f4a7c15u);
    s.state[v] = NEITHER;
  }
  for (PetscInt i = 0; i < 4 * m->tets.n; i++)
    if (m->tets.region[i / 4] == region) s.state[m->tets.corner[i]] = UNDECIDED;
  for (PetscInt v = 0; v < m->n_local; v++) number[v] = s.state[v];
  PetscCall(wring_mesh_reduce(m, MPIU_INT64, MPI_MAX, number)); // a vertex at tets of the region on another rank
  for (PetscInt v = 0; v < m->n_local; v++) s.state[v] = (char)number[v];
  PetscCall(find_centres(&s, best));
  PetscCall(number_centres(&s, best, number));
  assign(&s, best, number, centre);
  PetscCall(PetscFree4(s.key, s.state, best, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
