/*
  Faces of tets, and triangles, are matched. One with a node that no other rank uses is matched here; the rest, all of
  whose nodes are shared, on the rank whose slice has their lowest node, in rounds: round k has the faces whose lowest
  node is k modulo the number of rounds. A face that three tets have, a tet that is there twice, and two tets on the
  same side of their face are faults; a triangle that matches a tet is its face.
*/
#include "build.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/distribute/slices.h"
#include "mesh/surface/faces.h"
#include <string.h>

enum { FACES_A_ROUND = 1 << 18, MAX_ROUNDS = 16 };

typedef struct {
  wring_build *b;
  char        *shared;      // [n_used] whether another rank uses the node
  int64_t      repeated[2]; // the first two tets with the same nodes; INT64_MAX: none, here and below
  int64_t      folded[2];   // two tets on the same side of their face
  int64_t      crowd[6];    // a face that has more than two tets, and three of them
} matcher;

/* ---- the same face ----------------------------------------------------------------------------------------------- */

/* Keeps the one of two rows [n] that is the first in lexicographic order. */
static void keep_first(int n, const int64_t *row, int64_t *first)
{
  int k = 0;
  while (k < n - 1 && row[k] == first[k]) k++;
  if (row[k] < first[k]) memcpy(first, row, (size_t)n * sizeof *row);
}

static void keep_pair(int64_t a, int64_t b, int64_t first[2])
{
  const int64_t row[2] = {PetscMin(a, b), PetscMax(a, b)};
  keep_first(2, row, first);
}

/* More than two tets with the same face: the first three. */
static void keep_crowd(PetscInt n, const wring_face *f, int64_t first[6])
{
  int64_t row[6] = {f->v[0], f->v[1], f->v[2], INT64_MAX, INT64_MAX, INT64_MAX};
  for (PetscInt i = 0; i < n; i++) {
    int64_t tet = f[i].place / 4;
    for (int k = 3; k < 6; k++) {
      const int64_t kept = row[k];
      row[k]             = PetscMin(kept, tet);
      tet                = PetscMax(kept, tet);
    }
  }
  keep_first(6, row, first);
}

/* A face in positions, with tets of all ranks, n times, triangles first; returns their number. */
static PetscInt check_face(matcher *m, PetscInt n, const wring_face *f)
{
  PetscInt n_triangle = 0;
  while (n_triangle < n && f[n_triangle].opposite < 0) n_triangle++;
  if (n - n_triangle > 2) keep_crowd(n - n_triangle, f + n_triangle, m->crowd);
  for (PetscInt i = n_triangle + 1; i < n; i++)
    if (f[i].opposite == f[i - 1].opposite) keep_pair(f[i - 1].place / 4, f[i].place / 4, m->repeated);
  if (n - n_triangle == 2 && f[n - 1].place % 4 == f[n - 2].place % 4)
    keep_pair(f[n - 2].place / 4, f[n - 1].place / 4, m->folded);
  return n_triangle;
}

/*
  On which side of its face, with nodes in ascending order, a tet of positive volume is: the parity of (v[a ^ 1], v[a ^
  2], v[a ^ 3]) for corner a, since (a ^ 1, a ^ 2, a ^ 3, a) is an odd permutation for every a.
*/
static int side_of(const PetscInt tet[4], PetscInt a)
{
  const PetscInt i = tet[a ^ 1], j = tet[a ^ 2], k = tet[a ^ 3];
  return (i > j) ^ (i > k) ^ (j > k);
}

/* From places in used and tets of this rank; the side takes the corner's place. */
static void globalize(const wring_build *b, wring_face *f)
{
  for (int a = 0; a < 3; a++) f->v[a] = b->nodes.used[f->v[a]];
  if (f->opposite < 0) return;
  f->opposite = b->nodes.used[f->opposite];
  f->place = 4 * (f->place / 4 + b->tets.begin) + side_of(b->tets.corner + f->place / 4 * 4, (PetscInt)(f->place % 4));
}

/* ---- faces of this rank ------------------------------------------------------------------------------------------ */

static PetscErrorCode find_shared(matcher *m)
{
  const wring_build    *b      = m->b;
  const wring_exchange *owners = &b->nodes.owners;
  char                 *shared; // of each node of this slice; 2: one rank has used it

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->nodes.layout->n, &shared));
  for (PetscInt i = 0; i < owners->n_got; i++) shared[owners->asked[i]] = shared[owners->asked[i]] ? 1 : 2;
  for (PetscInt v = 0; v < b->nodes.layout->n; v++) shared[v] = shared[v] == 1;
  PetscCall(PetscMalloc1((size_t)b->nodes.n_used, &m->shared));
  PetscCall(wring_exchange_fetch(owners, 1, shared, m->shared));
  PetscCall(PetscFree(shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool all_shared(const matcher *m, const PetscInt v[3])
{
  return (PetscBool)(m->shared[v[0]] && m->shared[v[1]] && m->shared[v[2]]);
}

static void visit(void *context, PetscInt n, wring_face *f)
{
  matcher *const m = context;
  if (all_shared(m, f->v)) return;
  for (PetscInt i = 0; i < n; i++) globalize(m->b, f + i);
  const PetscInt n_triangle = check_face(m, n, f);
  for (PetscInt i = 0; i < n_triangle; i++) m->b->lower.is_face[f[i].place] = n_triangle < n;
}

/* ---- faces of several ranks -------------------------------------------------------------------------------------- */

static void add_face(const matcher *m, int rounds, int round, wring_face f, PetscInt *n, wring_face *face)
{
  if (!all_shared(m, f.v)) return;
  wring_sort3(f.v);
  if (m->b->nodes.used[f.v[0]] % rounds != round) return;
  if (face) face[*n] = f;
  ++*n;
}

/* The faces of a round, of triangles last: face [*n], or NULL to count them. */
static void list_faces(const matcher *m, int rounds, int round, PetscInt *n, wring_face *face)
{
  const wring_build *const b = m->b;
  *n                         = 0;
  for (PetscInt i = 0; i < 4 * b->raw->tets.n; i++) {
    const PetscInt *const v = b->tets.corner + i / 4 * 4;
    const int             a = (int)(i % 4);
    add_face(m, rounds, round, (wring_face){{v[a ^ 1], v[a ^ 2], v[a ^ 3]}, v[a], i}, n, face);
  }
  for (PetscInt i = 0; i < b->raw->lower.n; i++) {
    const PetscInt *const v = b->lower.corner + 3 * (size_t)i;
    if (v[2] >= 0) add_face(m, rounds, round, (wring_face){{v[0], v[1], v[2]}, -1, i}, n, face);
  }
}

/* Finds faults in the faces f [n]; answer [n]: whether a tet has them. Collective. */
static PetscErrorCode match_faces(matcher *m, PetscInt n, wring_face *f, char *answer)
{
  PetscInt     *to;
  wring_sorting s;
  wring_face   *got;
  char         *has_tet;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) {
    globalize(m->b, f + i);
    to[i] = f[i].v[0];
  }
  PetscCall(wring_slices_find_owners(m->b->nodes.layout, n, to));
  PetscCall(wring_match_rows(m->b->comm, n, to, 4, sizeof *f, f, &s, &got));
  PetscCall(PetscFree(to));
  PetscCall(PetscMalloc1((size_t)s.n, &has_tet));
  for (PetscInt i = 0, end; i < s.n; i = end) {
    end = wring_rows_end(s.n, 3, sizeof *got, got, i);
    memset(has_tet + i, check_face(m, end - i, got + i) < end - i, (size_t)(end - i));
  }
  PetscCall(wring_sorting_answer(&s, 1, has_tet, answer));
  PetscCall(PetscFree(has_tet));
  PetscCall(PetscFree(got));
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode match_round(matcher *m, int rounds, int round)
{
  PetscInt    n;
  wring_face *f;
  char       *answer;

  PetscFunctionBegin;
  list_faces(m, rounds, round, &n, NULL);
  PetscCall(PetscMalloc2((size_t)n, &f, (size_t)n, &answer));
  list_faces(m, rounds, round, &n, f);
  PetscCall(match_faces(m, n, f, answer));
  for (PetscInt i = 0; i < n; i++)
    if (f[i].opposite < 0) m->b->lower.is_face[f[i].place] = answer[i];
  PetscCall(PetscFree2(f, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Numbers and places in the file of n tets of any ranks. */
static PetscErrorCode describe(const wring_build *b, int n, const int64_t *tet, int64_t *number, int64_t *place)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    const int64_t   t    = tet[i] - b->tets.begin;
    const PetscBool here = (PetscBool)(t >= 0 && t < b->raw->tets.n);
    number[i]            = here ? b->raw->tets.number[t] : INT64_MIN;
    place[i]             = here ? b->raw->tets.line[t] : INT64_MIN;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, number, n, MPI_INT64_T, MPI_MAX, b->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, place, n, MPI_INT64_T, MPI_MAX, b->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first row [n] of all ranks. */
static PetscErrorCode find_first(MPI_Comm comm, int n, int64_t *row)
{
  PetscBool mine = PETSC_TRUE; // whether it may be that of this rank

  PetscFunctionBegin;
  for (int k = 0; k < n; k++) {
    const int64_t here = mine ? row[k] : INT64_MAX;
    PetscCallMPI(MPI_Allreduce(&here, &row[k], 1, MPI_INT64_T, MPI_MIN, comm));
    mine = (PetscBool)(mine && here == row[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pair of all ranks: "element 7 `is` element 3 (line 12)`, expected ...`". */
static PetscErrorCode report_pair(wring_build *b, int64_t tet[2], const char *is, const char *expected,
                                  PetscBool *found)
{
  int64_t number[2] = {0}, place[2] = {0};

  PetscFunctionBegin;
  PetscCall(find_first(b->comm, 2, tet));
  *found = (PetscBool)(tet[0] < INT64_MAX);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe(b, 2, tet, number, place));
  wring_build_fail(b, place[1], "element %lld %s element %lld (%s %lld)%s", (long long)number[1], is,
                   (long long)number[0], wring_build_unit(b), (long long)place[0], expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report_crowd(wring_build *b, int64_t crowd[6], PetscBool *found)
{
  int64_t number[3] = {0}, place[3] = {0};

  PetscFunctionBegin;
  PetscCall(find_first(b->comm, 6, crowd));
  *found = (PetscBool)(crowd[0] < INT64_MAX);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe(b, 3, crowd + 3, number, place));
  wring_build_fail(b, place[2], "elements %lld (%s %lld), %lld (%s %lld) and %lld share a face, expected at most two",
                   (long long)number[0], wring_build_unit(b), (long long)place[0], (long long)number[1],
                   wring_build_unit(b), (long long)place[1], (long long)number[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_match_faces(wring_build *b)
{
  matcher   m = {.b = b, .repeated = {INT64_MAX, INT64_MAX}, .folded = {INT64_MAX, INT64_MAX}};
  PetscInt  most;
  PetscBool found = PETSC_FALSE;

  PetscFunctionBegin;
  if (b->tets.n_global == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 6; k++) m.crowd[k] = INT64_MAX;
  PetscCall(PetscCalloc1((size_t)b->raw->lower.n, &b->lower.is_face));
  PetscCall(find_shared(&m));
  PetscCall(
    wring_faces_visit(b->nodes.n_used, b->raw->tets.n, b->tets.corner, b->raw->lower.n, b->lower.corner, visit, &m));
  list_faces(&m, 1, 0, &most, NULL);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, b->comm));
  const int rounds = most ? (int)PetscMin(1 + most / FACES_A_ROUND, MAX_ROUNDS) : 0;
  for (int round = 0; round < rounds; round++) PetscCall(match_round(&m, rounds, round));
  PetscCall(PetscFree(m.shared));
  PetscCall(report_pair(b, m.repeated, "has the nodes of", "", &found));
  if (!found) PetscCall(report_crowd(b, m.crowd, &found));
  if (!found)
    PetscCall(report_pair(b, m.folded, "is on the same side of a common face as",
                          ": the mesh is folded there, expected elements that do not overlap", &found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_check_triangles(wring_build *b)
{
  const wring_raw *raw = b->raw;

  PetscFunctionBegin;
  if (b->tets.n_global == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < raw->lower.n; i++) {
    const PetscInt *const v = b->lower.corner + 3 * (size_t)i;
    if (v[2] >= 0 && !b->lower.is_face[i] && b->nodes.in_tet[v[0]] && b->nodes.in_tet[v[1]] && b->nodes.in_tet[v[2]])
      wring_build_fail(b, raw->lower.element[i].line,
                       "element %lld is a triangle of nodes of tetrahedra, but not a face of any",
                       (long long)raw->lower.element[i].number);
  }
  PetscCall(PetscFree(b->lower.is_face));
  PetscFunctionReturn(PETSC_SUCCESS);
}
