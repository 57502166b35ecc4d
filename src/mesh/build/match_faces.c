/*
  Faces of tets, and triangles, meet on the rank whose block has their lowest node, in rounds: round k has the faces
  whose lowest node is in the k-th part of its block. A face that three tets have, and a tet that is there twice, are
  faults; a triangle that meets a tet is its face.
*/
#include "build.h"
#include "base/sort.h"
#include <stdlib.h>

enum { FACES_A_ROUND = 1 << 18, MAX_ROUNDS = 16 };

/* In positions. A triangle: tet = -1 - its number. Tets have the numbers of all ranks. */
typedef struct {
  PetscInt v[3]; // ascending
  PetscInt opposite;
  int64_t  tet;
} face;

typedef struct {
  wring_build *b;
  PetscBool    triangles; // some rank has one
  int          n_round;
  PetscInt    *peer;        // [n_used] index in owners.to
  char        *round;       // [n_used] of faces whose lowest node this is
  PetscInt     n_face;      // of this round
  PetscInt    *start;       // [owners.n_to + 1] of each peer's faces
  face        *faces;       // [n_face]
  PetscInt64   repeated[2]; // the first tets with the same nodes, INT64_MAX: none
  int64_t      crowd[3];    // the tets of the first face that has more than two, -1: none
} matcher;

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static int round_of(const matcher *m, PetscInt node, PetscMPIInt owner)
{
  const PetscInt *const range = m->b->node->range;
  return (int)((PetscInt64)(node - range[owner]) * m->n_round / (range[owner + 1] - range[owner]));
}

static PetscErrorCode plan_rounds(matcher *m)
{
  const wring_build *b       = m->b;
  PetscInt64         mine[2] = {0, b->raw->n_tet}, most[2];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->raw->n_lower; i++) mine[0] |= b->raw->lower[i].n == 3;
  PetscCallMPI(MPI_Allreduce(mine, most, 2, MPIU_INT64, MPI_MAX, b->comm));
  m->triangles = (PetscBool)(most[0] > 0);
  m->n_round   = (int)PetscMin(1 + 4 * most[1] / FACES_A_ROUND, MAX_ROUNDS);
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

/* Counts a face of this round, or stores it if there is memory; v: places in used. */
static void add_face(matcher *m, int round, const PetscInt v[3], PetscInt opposite, int64_t tet)
{
  const wring_build *b    = m->b;
  PetscInt           s[3] = {v[0], v[1], v[2]};
  wring_sort3(s);
  if (m->round[s[0]] != round) return;
  PetscInt *const at = &m->start[m->peer[s[0]] + 1];
  if (m->faces)
    m->faces[*at] = (face){.v        = {b->used[s[0]], b->used[s[1]], b->used[s[2]]},
                           .opposite = opposite < 0 ? -1 : b->used[opposite],
                           .tet      = tet};
  (*at)++;
}

static void add_faces(matcher *m, int round)
{
  const wring_build *b = m->b;
  for (PetscInt t = 0; t < b->raw->n_tet; t++) {
    const PetscInt *const v = b->tet + 4 * (size_t)t;
    for (int a = 0; a < 4; a++)
      add_face(m, round, (PetscInt[]){v[(a + 1) % 4], v[(a + 2) % 4], v[(a + 3) % 4]}, v[a], b->tet_begin + t);
  }
  for (PetscInt i = 0; i < b->raw->n_lower; i++)
    if (b->raw->lower[i].n == 3) add_face(m, round, b->lower + 3 * (size_t)i, -1, -1 - (int64_t)i);
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

/* ---- faces that meet --------------------------------------------------------------------------------------------- */

static int compare_faces(const void *pa, const void *pb)
{
  const face *a = pa, *b = pb;
  for (int i = 1; i < 3; i++)
    if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
  return (a->tet > b->tet) - (a->tet < b->tet);
}

/* Sorts faces with the same lowest node. */
static void sort_faces(PetscInt n, face *f)
{
  if (n > 48) {
    qsort(f, (size_t)n, sizeof *f, compare_faces);
    return;
  }
  for (PetscInt i = 1; i < n; i++) {
    const face moved = f[i];
    PetscInt   at    = i;
    for (; at > 0 && compare_faces(f + at - 1, &moved) > 0; at--) f[at] = f[at - 1];
    f[at] = moved;
  }
}

/* Two tets with this face and the same opposite node. */
static void find_repeated(matcher *m, PetscInt n, const face *f)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = i + 1; k < n; k++) {
      if (f[i].opposite != f[k].opposite || f[i].tet > m->repeated[0]) continue;
      if (f[i].tet == m->repeated[0] && f[k].tet >= m->repeated[1]) continue;
      m->repeated[0] = f[i].tet;
      m->repeated[1] = f[k].tet;
    }
  }
}

/* The same face n times, triangles first; answer: whether they are faces of tets. */
static void meet(matcher *m, PetscInt n, const face *f, char *answer)
{
  PetscInt n_triangle = 0;
  while (n_triangle < n && f[n_triangle].tet < 0) n_triangle++;
  for (PetscInt i = 0; i < n_triangle; i++) answer[-1 - f[i].tet] = n_triangle < n;
  find_repeated(m, n - n_triangle, f + n_triangle);
  for (int k = 0; k < 3 && n - n_triangle > 2 && (k > 0 || m->crowd[0] < 0); k++) m->crowd[k] = f[n_triangle + k].tet;
}

/* Faces with the same lowest node. */
static void match_bucket(matcher *m, PetscInt n, face *f, char *answer)
{
  sort_faces(n, f);
  for (PetscInt i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && f[end].v[1] == f[i].v[1] && f[end].v[2] == f[i].v[2];) end++;
    meet(m, end - i, f + i, answer);
  }
}

/* The faces that this rank received, by lowest node: start [nodes + 1]. */
static PetscErrorCode sort_by_node(const matcher *m, PetscInt n, const face *got, PetscInt **start, face **sorted)
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
  face          *got, *sorted;
  char          *answer, *mine;

  PetscFunctionBegin;
  PetscCall(collect(m, round, &to));
  PetscCall(wring_exchange_create(m->b->comm, m->n_face, to, &x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&x, sizeof *got, m->faces, &got));
  PetscCall(sort_by_node(m, x.n_got, got, &start, &sorted));
  PetscCall(PetscFree(got));
  PetscCall(PetscCalloc2((size_t)x.n_got, &answer, (size_t)m->n_face, &mine));
  for (PetscInt v = 0; v < m->b->node->n; v++) match_bucket(m, start[v + 1] - start[v], sorted + start[v], answer);
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

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Numbers and places in the file of n tets of any ranks. */
static PetscErrorCode describe(const wring_build *b, int n, const int64_t *tet, int64_t *number, int64_t *place)
{
  int64_t mine[6], all[6];

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    const int64_t   t    = tet[i] - b->tet_begin;
    const PetscBool here = (PetscBool)(t >= 0 && t < b->raw->n_tet);
    mine[2 * i]          = here ? b->raw->tet_number[t] : INT64_MIN;
    mine[2 * i + 1]      = here ? b->raw->tet_line[t] : INT64_MIN;
  }
  PetscCallMPI(MPI_Allreduce(mine, all, 2 * n, MPI_INT64_T, MPI_MAX, b->comm));
  for (int i = 0; i < n; i++) {
    number[i] = all[2 * i];
    place[i]  = all[2 * i + 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report_repeated(matcher *m, PetscBool *found)
{
  wring_build *b = m->b;
  int64_t      tet[2], number[2] = {0}, place[2] = {0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&m->repeated[0], &tet[0], 1, MPI_INT64_T, MPI_MIN, b->comm));
  *found = (PetscBool)(tet[0] < INT64_MAX);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  if (m->repeated[0] > tet[0]) m->repeated[1] = INT64_MAX;
  PetscCallMPI(MPI_Allreduce(&m->repeated[1], &tet[1], 1, MPI_INT64_T, MPI_MIN, b->comm));
  PetscCall(describe(b, 2, tet, number, place));
  wring_build_fail(b, place[1], "element %lld has the nodes of element %lld (%s %lld)", (long long)number[1],
                   (long long)number[0], wring_build_unit(b), (long long)place[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first face is on the lowest rank that found one. */
static PetscErrorCode report_crowd(matcher *m)
{
  wring_build *b         = m->b;
  int64_t      number[3] = {0}, place[3] = {0};
  PetscMPIInt  rank, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(b->comm, &rank));
  if (m->crowd[0] < 0) rank = PETSC_MPI_INT_MAX;
  PetscCallMPI(MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, b->comm));
  if (first == PETSC_MPI_INT_MAX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(m->crowd, 3, MPI_INT64_T, first, b->comm));
  PetscCall(describe(b, 3, m->crowd, number, place));
  wring_build_fail(b, place[2], "elements %lld (%s %lld), %lld (%s %lld) and %lld share a face, expected at most two",
                   (long long)number[0], wring_build_unit(b), (long long)place[0], (long long)number[1],
                   wring_build_unit(b), (long long)place[1], (long long)number[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_match_faces(wring_build *b, char *is_face)
{
  matcher   m = {.b = b, .repeated = {INT64_MAX, INT64_MAX}, .crowd = {-1, -1, -1}};
  PetscBool repeated;

  PetscFunctionBegin;
  PetscCall(plan_rounds(&m));
  for (int round = 0; round < m.n_round; round++) PetscCall(match_round(&m, round, is_face));
  PetscCall(PetscFree3(m.peer, m.round, m.start));
  PetscCall(report_repeated(&m, &repeated));
  if (!repeated) PetscCall(report_crowd(&m));
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
