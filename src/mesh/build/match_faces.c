/*
  Faces of tets, and triangles, meet. One with a node that no other rank uses meets the others here; the rest, all of
  whose nodes are shared, meet on the rank whose block has their lowest node, in rounds: round k has the faces whose
  lowest node is in the k-th part of its block. A face that three tets have, and a tet that is there twice, are faults;
  a triangle that meets a tet is its face.
*/
#include "build.h"
#include "base/sort.h"
#include "meet_faces.h"

enum { FACES_A_ROUND = 1 << 18, MAX_ROUNDS = 16 };

typedef struct {
  wring_build  *b;
  PetscBool     triangles; // some rank has one
  char         *shared;    // [n_used] whether another rank uses the node
  int           n_round;
  PetscInt     *peer;   // [n_used] index in owners.to
  char         *round;  // [n_used] of faces whose lowest node this is
  PetscInt      n_face; // of this round
  PetscInt     *start;  // [owners.n_to + 1] of each peer's faces
  wring_face   *faces;  // [n_face]
  wring_meeting meeting;
} matcher;

/* ---- shared nodes ------------------------------------------------------------------------------------------------ */

static PetscErrorCode find_shared(matcher *m)
{
  const wring_build *b = m->b;
  char              *users, *answer;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->node->n, &users)); // of each node: none, one or two and more
  PetscCall(PetscMalloc1((size_t)b->owners.n_got, &answer));
  for (PetscInt i = 0; i < b->owners.n_got; i++) users[b->asked[i]] = (char)(users[b->asked[i]] ? 2 : 1);
  for (PetscInt i = 0; i < b->owners.n_got; i++) answer[i] = users[b->asked[i]] > 1;
  PetscCall(PetscMalloc1((size_t)b->n_used, &m->shared));
  PetscCall(wring_exchange_answer(&b->owners, 1, answer, m->shared));
  PetscCall(PetscFree(answer));
  PetscCall(PetscFree(users));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of corners of a tet, or a triangle (n = 3), that are shared. */
static int count_shared(const matcher *m, int n, const PetscInt *v)
{
  int all = 0;
  for (int a = 0; a < n; a++) all += m->shared[v[a]];
  return all;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static int round_of(const matcher *m, PetscInt node, PetscMPIInt owner)
{
  const PetscInt *const range = m->b->node->range;
  return (int)((PetscInt64)(node - range[owner]) * m->n_round / (range[owner + 1] - range[owner]));
}

/* The largest number of faces of a rank whose nodes are all shared, and whether a rank has triangles. */
static PetscErrorCode count_faces(matcher *m, PetscInt64 *most)
{
  const wring_build *b       = m->b;
  const wring_raw   *raw     = b->raw;
  PetscInt64         mine[2] = {0, 0}, all[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt t = 0; t < raw->n_tet; t++) {
    const int shared = count_shared(m, 4, b->tet + 4 * (size_t)t);
    mine[1] += shared == 4 ? 4 : shared == 3;
  }
  for (PetscInt i = 0; i < raw->n_lower; i++) {
    if (raw->lower[i].n != 3) continue;
    mine[0] = 1;
    mine[1] += count_shared(m, 3, b->lower + 3 * (size_t)i) == 3;
  }
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT64, MPI_MAX, b->comm));
  m->triangles = (PetscBool)(all[0] > 0);
  *most        = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_rounds(matcher *m)
{
  const wring_build *b    = m->b;
  PetscInt64         most = 0;

  PetscFunctionBegin;
  PetscCall(count_faces(m, &most));
  m->n_round = most ? (int)PetscMin(1 + most / FACES_A_ROUND, MAX_ROUNDS) : 0;
  if (m->n_round == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    PetscMalloc3((size_t)b->n_used, &m->peer, (size_t)b->n_used, &m->round, (size_t)b->owners.n_to + 2, &m->start));
  for (PetscMPIInt p = 0; p < b->owners.n_to; p++) {
    for (PetscInt i = b->owners.to_start[p]; i < b->owners.to_start[p + 1]; i++) {
      m->peer[i]  = p;
      m->round[i] = (char)round_of(m, b->used[i], b->owners.to[p]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v: places in used, in any order. opposite: -1 of a triangle. */
static wring_face make_face(const wring_build *b, const PetscInt v[3], PetscInt opposite, int64_t tet)
{
  PetscInt s[3] = {v[0], v[1], v[2]};
  wring_sort3(s);
  return (wring_face){
    .v = {b->used[s[0]], b->used[s[1]], b->used[s[2]]}, .opposite = opposite < 0 ? -1 : b->used[opposite], .tet = tet};
}

/* Counts a face of this round, or stores it if there is memory; v: places in used. */
static void add_face(matcher *m, int round, const PetscInt v[3], PetscInt opposite, int64_t tet)
{
  const PetscInt lowest = PetscMin(PetscMin(v[0], v[1]), v[2]);
  if (m->round[lowest] != round) return;
  PetscInt *const at = &m->start[m->peer[lowest] + 1];
  if (m->faces) m->faces[*at] = make_face(m->b, v, opposite, tet);
  (*at)++;
}

/* Those whose nodes are all shared. */
static void add_faces(matcher *m, int round)
{
  const wring_build *b = m->b;
  for (PetscInt t = 0; t < b->raw->n_tet; t++) {
    const PetscInt *const v      = b->tet + 4 * (size_t)t;
    const int             shared = count_shared(m, 4, v);
    for (int a = 0; a < 4 && shared >= 3; a++)
      if (shared == 4 || !m->shared[v[a]])
        add_face(m, round, (PetscInt[]){v[(a + 1) % 4], v[(a + 2) % 4], v[(a + 3) % 4]}, v[a], b->tet_begin + t);
  }
  for (PetscInt i = 0; i < b->raw->n_lower; i++) {
    const PetscInt *const v = b->lower + 3 * (size_t)i;
    if (b->raw->lower[i].n == 3 && count_shared(m, 3, v) == 3) add_face(m, round, v, -1, -1 - (int64_t)i);
  }
}

/* The faces of a round in the order of their owners. */
static PetscErrorCode collect(matcher *m, int round, PetscInt **to)
{
  const wring_build *b = m->b;
  const PetscMPIInt  n = b->owners.n_to;

  PetscFunctionBegin;
  m->faces = NULL;
  PetscCall(PetscArrayzero(m->start, n + 2));
  add_faces(m, round);
  for (PetscMPIInt p = 0; p < n; p++) m->start[p + 1] += m->start[p];
  m->n_face = m->start[n];
  PetscCall(PetscMalloc1((size_t)m->n_face, to));
  PetscCall(PetscMalloc1((size_t)m->n_face + 1, &m->faces));
  for (PetscMPIInt p = 0; p < n; p++)
    for (PetscInt i = m->start[p]; i < m->start[p + 1]; i++) (*to)[i] = b->owners.to[p];
  for (PetscMPIInt p = n; p > 0; p--) m->start[p] = m->start[p - 1];
  add_faces(m, round);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- faces of shared nodes --------------------------------------------------------------------------------------- */

/* The faces that this rank received, by lowest node: start [nodes + 1]. */
static PetscErrorCode sort_by_node(const matcher *m, PetscInt n, const wring_face *got, PetscInt **start,
                                   wring_face **sorted)
{
  const PetscLayout node = m->b->node;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)node->n + 2, start));
  PetscCall(PetscMalloc1((size_t)n + 1, sorted));
  for (PetscInt i = 0; i < n; i++) (*start)[got[i].v[0] - node->rstart + 2]++;
  for (PetscInt v = 0; v < node->n; v++) (*start)[v + 2] += (*start)[v + 1];
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt at = (*start)[got[i].v[0] - node->rstart + 1]++;
    (*sorted)[at]     = got[i];
    if (got[i].tet < 0) (*sorted)[at].tet = -1 - (int64_t)i; // for the answer
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode match_round(matcher *m, int round, char *is_face)
{
  wring_exchange x;
  PetscInt      *to, *start;
  wring_face    *got, *sorted;
  char          *answer, *mine;

  PetscFunctionBegin;
  PetscCall(collect(m, round, &to));
  PetscCall(wring_exchange_create(m->b->comm, m->n_face, to, &x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&x, sizeof *got, m->faces, &got));
  PetscCall(sort_by_node(m, x.n_got, got, &start, &sorted));
  PetscCall(PetscFree(got));
  PetscCall(PetscCalloc2((size_t)x.n_got, &answer, (size_t)m->n_face, &mine));
  for (PetscInt v = 0; v < m->b->node->n; v++)
    wring_meet_faces(&m->meeting, start[v + 1] - start[v], sorted + start[v], answer);
  PetscCall(PetscFree(sorted));
  PetscCall(PetscFree(start));
  if (m->triangles) PetscCall(wring_exchange_answer(&x, 1, answer, mine));
  for (PetscInt i = 0; i < m->n_face && m->triangles; i++)
    if (m->faces[i].tet < 0) is_face[-1 - m->faces[i].tet] = mine[i];
  PetscCall(PetscFree2(answer, mine));
  PetscCall(PetscFree(m->faces));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- other faces ------------------------------------------------------------------------------------------------- */

/*
  Elements by the lowest nodes of their faces: a tet is listed at the lowest corner, which three of its faces have, and
  at the second, which has the fourth; a triangle i as -1 - i. Passes call add_element once to count, once to store.
*/
typedef struct {
  int64_t  *end;  // [n_used + 1] of the elements of each node
  PetscInt *list; // NULL while they are counted
} buckets;

static void add_element(buckets *k, PetscInt node, PetscInt element)
{
  if (k->list)
    k->list[--k->end[node]] = element;
  else
    k->end[node]++;
}

/* The places of the two lowest corners of a tet. */
static void find_lowest(const PetscInt v[4], int *first, int *second)
{
  *first  = v[1] < v[0];
  *second = 1 - *first;
  for (int a = 2; a < 4; a++) {
    if (v[a] < v[*first]) {
      *second = *first;
      *first  = a;
    } else if (v[a] < v[*second]) {
      *second = a;
    }
  }
}

/* Lists elements that have a node of their own; downwards, so that they are stored in ascending order. */
static void add_elements(const matcher *m, buckets *k)
{
  const wring_build *b = m->b;
  int                first, second;
  for (PetscInt t = b->raw->n_tet - 1; t >= 0; t--) {
    const PetscInt *const v = b->tet + 4 * (size_t)t;
    if (count_shared(m, 4, v) == 4) continue;
    find_lowest(v, &first, &second);
    add_element(k, v[first], t);
    add_element(k, v[second], t);
  }
  for (PetscInt i = 0; i < b->raw->n_lower; i++) {
    const PetscInt *const v = b->lower + 3 * (size_t)i;
    if (b->raw->lower[i].n == 3 && count_shared(m, 3, v) < 3)
      add_element(k, PetscMin(PetscMin(v[0], v[1]), v[2]), -1 - i);
  }
}

static PetscErrorCode create_buckets(const matcher *m, buckets *k, PetscInt *most)
{
  const PetscInt n = m->b->n_used;

  PetscFunctionBegin;
  *k = (buckets){.list = NULL};
  PetscCall(PetscCalloc1((size_t)n + 1, &k->end));
  add_elements(m, k);
  *most = 0;
  for (PetscInt v = 0; v < n; v++) {
    *most = (PetscInt)PetscMax(*most, k->end[v]);
    if (v > 0) k->end[v] += k->end[v - 1];
  }
  k->end[n] = n > 0 ? k->end[n - 1] : 0;
  PetscCall(PetscMalloc1((size_t)k->end[n] + 1, &k->list));
  add_elements(m, k); // moves every end to the beginning
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The faces of a tet whose lowest node this is and which have a node of their own: f [3]. Returns their number. */
static PetscInt list_faces(const matcher *m, PetscInt node, PetscInt t, wring_face *f)
{
  const wring_build *const b      = m->b;
  const PetscInt *const    v      = b->tet + 4 * (size_t)t;
  const int                shared = count_shared(m, 4, v);
  PetscInt                 n      = 0;
  for (int a = 0; a < 4; a++) {
    const PetscInt s[3] = {v[(a + 1) % 4], v[(a + 2) % 4], v[(a + 3) % 4]};
    if (PetscMin(PetscMin(s[0], s[1]), s[2]) != node || shared - m->shared[v[a]] == 3) continue;
    f[n++] = make_face(b, s, v[a], b->tet_begin + t);
  }
  return n;
}

static PetscErrorCode match_here(matcher *m, char *is_face)
{
  const wring_build *const b = m->b;
  buckets                  k;
  PetscInt                 most = 0;
  wring_face              *f;

  PetscFunctionBegin;
  PetscCall(create_buckets(m, &k, &most));
  PetscCall(PetscMalloc1(3 * (size_t)most, &f));
  for (PetscInt v = 0; v < b->n_used; v++) {
    PetscInt n = 0;
    for (int64_t i = k.end[v]; i < k.end[v + 1]; i++) {
      const PetscInt e = k.list[i];
      if (e >= 0)
        n += list_faces(m, v, e, f + n);
      else
        f[n++] = make_face(b, b->lower + 3 * (size_t)(-1 - e), -1, e);
    }
    wring_meet_faces(&m->meeting, n, f, is_face);
  }
  PetscCall(PetscFree(f));
  PetscCall(PetscFree(k.list));
  PetscCall(PetscFree(k.end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_match_faces(wring_build *b, char *is_face)
{
  matcher m = {.b = b, .meeting = wring_meeting_begin()};

  PetscFunctionBegin;
  PetscCall(find_shared(&m));
  PetscCall(match_here(&m, is_face));
  PetscCall(plan_rounds(&m));
  for (int round = 0; round < m.n_round; round++) PetscCall(match_round(&m, round, is_face));
  PetscCall(PetscFree3(m.peer, m.round, m.start));
  PetscCall(PetscFree(m.shared));
  PetscCall(wring_meeting_report(&m.meeting, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_build_check_triangles(wring_build *b, const char *is_face)
{
  const wring_raw *raw = b->raw;
  for (PetscInt i = 0; i < raw->n_lower; i++) {
    const PetscInt *const v = b->lower + 3 * (size_t)i;
    if (raw->lower[i].n == 3 && !is_face[i] && b->in_tet[v[0]] && b->in_tet[v[1]] && b->in_tet[v[2]])
      wring_build_fail(b, raw->lower[i].line,
                       "element %lld is a triangle of nodes of tetrahedra, but not a face of any",
                       (long long)raw->lower[i].number);
  }
}
