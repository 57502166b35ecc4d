/*
  Faces are visited by their lowest vertex. A tet is listed at the lowest corner, which three of its faces have, and at
  the second, which has the fourth; triangle i as -1 - i.
*/
#include "faces.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/distribute/slices.h"
#include <stdlib.h>
#include <string.h>

/* ---- one rank ---------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt        n_tet, n_triangle;
  const PetscInt *tet, *triangle;
  int64_t        *end;  // [n_vertex + 1] of the elements of each vertex
  PetscInt       *list; // NULL while they are counted
} elements;

static void add_element(elements *k, PetscInt vertex, PetscInt element)
{
  if (k->list)
    k->list[--k->end[vertex]] = element;
  else
    k->end[vertex]++;
}

/* Once to count, once to store; downwards, so that they are stored in ascending order. */
static void add_elements(elements *k)
{
  for (PetscInt t = k->n_tet - 1; t >= 0; t--) {
    const PetscInt *const v = k->tet + 4 * (size_t)t;
    const PetscInt        a = PetscMin(v[0], v[1]), b = PetscMin(v[2], v[3]);
    add_element(k, PetscMin(a, b), t);
    add_element(k, a < b ? PetscMin(PetscMax(v[0], v[1]), b) : PetscMin(a, PetscMax(v[2], v[3])), t);
  }
  for (PetscInt i = k->n_triangle - 1; i >= 0; i--) {
    const PetscInt *const v = k->triangle + 3 * (size_t)i;
    if (v[2] >= 0) add_element(k, PetscMin(PetscMin(v[0], v[1]), v[2]), -1 - i);
  }
}

/* *most: elements of a vertex. */
static PetscErrorCode list_elements(PetscInt n_vertex, elements *k, PetscInt *most)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_vertex + 1, &k->end));
  add_elements(k);
  *most = 0;
  for (PetscInt v = 0; v < n_vertex; v++) {
    *most = (PetscInt)PetscMax(*most, k->end[v]);
    k->end[v + 1] += k->end[v];
  }
  PetscCall(PetscMalloc1((size_t)k->end[n_vertex] + 1, &k->list));
  add_elements(k); // moves every end to the beginning
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The faces of an element whose lowest vertex this is: f [3]. Returns their number. */
static PetscInt list_faces(const elements *k, PetscInt vertex, PetscInt element, wring_face *f)
{
  PetscInt n = 0;
  if (element < 0) {
    const PetscInt *const v = k->triangle + 3 * (size_t)(-1 - element);
    f[0]                    = (wring_face){.v = {v[0], v[1], v[2]}, .opposite = -1, .place = -1 - element};
    wring_sort3(f[0].v);
    return 1;
  }
  for (int a = 0; a < 4; a++) {
    const PetscInt *const v = k->tet + 4 * (size_t)element;
    f[n]                    = (wring_face){{v[a ^ 1], v[a ^ 2], v[a ^ 3]}, v[a], 4 * (PetscInt64)element + a};
    wring_sort3(f[n].v);
    n += f[n].v[0] == vertex;
  }
  return n;
}

static int compare(const void *pa, const void *pb)
{
  const wring_face *const a = pa, *const b = pb;
  for (int i = 1; i < 3; i++)
    if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
  if (a->opposite != b->opposite) return a->opposite < b->opposite ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

/* Faces with the same lowest vertex. */
static void sort_faces(PetscInt n, wring_face *f)
{
  if (n > 48) {
    qsort(f, (size_t)n, sizeof *f, compare);
    return;
  }
  for (PetscInt i = 1; i < n; i++) {
    const wring_face moved = f[i];
    PetscInt         at    = i;
    for (; at > 0 && compare(f + at - 1, &moved) > 0; at--) f[at] = f[at - 1];
    f[at] = moved;
  }
}

PetscErrorCode wring_faces_visit(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, PetscInt n_triangle,
                                 const PetscInt *triangle, wring_face_visitor *visit, void *context)
{
  elements    k    = {.n_tet = n_tet, .n_triangle = n_triangle, .tet = tet, .triangle = triangle};
  PetscInt    most = 0;
  wring_face *f;

  PetscFunctionBegin;
  PetscCall(list_elements(n_vertex, &k, &most));
  PetscCall(PetscMalloc1(3 * (size_t)most + 4, &f)); // list_faces tries one more
  for (PetscInt v = 0; v < n_vertex; v++) {
    PetscInt n = 0;
    for (int64_t i = k.end[v]; i < k.end[v + 1]; i++) n += list_faces(&k, v, k.list[i], f + n);
    sort_faces(n, f);
    for (PetscInt i = 0, end; i < n; i = end) {
      for (end = i + 1; end < n && f[end].v[1] == f[i].v[1] && f[end].v[2] == f[i].v[2];) end++;
      visit(context, end - i, f + i);
    }
  }
  PetscCall(PetscFree(f));
  PetscCall(PetscFree(k.list));
  PetscCall(PetscFree(k.end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void match(void *neighbour, PetscInt n, wring_face *f)
{
  for (PetscInt i = 0; i < n; i++)
    ((PetscInt *)neighbour)[f[i].place] = n > 1 ? (PetscInt)(f[i ? i - 1 : 1].place / 4) : -1;
}

PetscErrorCode wring_faces_match(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, PetscInt *neighbour)
{
  PetscFunctionBegin;
  PetscCall(wring_faces_visit(n_vertex, n_tet, tet, 0, NULL, match, neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- several ranks ----------------------------------------------------------------------------------------------- */

/* The faces without a neighbour, by place, in original numbers. */
static PetscErrorCode list_border(const PetscInt *original, PetscInt n_tet, const PetscInt *tet,
                                  const PetscInt *neighbour, PetscInt *n, wring_face **face)
{
  PetscFunctionBegin;
  *n = 0;
  for (size_t i = 0; i < 4 * (size_t)n_tet; i++) *n += neighbour[i] < 0;
  PetscCall(PetscMalloc1((size_t)*n, face));
  *n = 0;
  for (size_t i = 0; i < 4 * (size_t)n_tet; i++) {
    if (neighbour[i] >= 0) continue;
    const PetscInt *const v      = tet + i / 4 * 4;
    const int *const      corner = wring_face_corner[i % 4];
    wring_face *const     f      = *face + (*n)++;
    *f = (wring_face){{original[v[corner[0]]], original[v[corner[1]]], original[v[corner[2]]]}, 0, (PetscInt64)i};
    wring_sort3(f->v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face is matched on the rank whose slice has the second of its three vertices. */
PetscErrorCode wring_faces_match_ranks(PetscLayout slice, const PetscInt *original, PetscInt n_tet, const PetscInt *tet,
                                       const PetscInt *neighbour, PetscInt *n, PetscInt64 **other)
{
  const PetscInt64 mine = n_tet;
  PetscInt64       end, *found;
  PetscInt        *to;
  wring_face      *face, *got;
  wring_sorting    s;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT64, MPI_SUM, slice->comm));
  PetscCall(list_border(original, n_tet, tet, neighbour, n, &face));
  PetscCall(PetscMalloc1((size_t)*n, &to));
  for (PetscInt i = 0; i < *n; i++) {
    to[i] = face[i].v[1];
    face[i].place += 4 * (end - mine);
  }
  PetscCall(wring_slices_find_owners(slice, *n, to));
  PetscCall(wring_match_rows(slice->comm, *n, to, 3, sizeof *face, face, &s, &got));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(face));
  PetscCall(PetscMalloc1((size_t)s.n, &found));
  for (PetscInt i = 0, last; i < s.n; i = last) {
    last = wring_rows_end(s.n, 3, sizeof *got, got, i);
    for (PetscInt k = i; k < last; k++) found[k] = last > i + 1 ? got[k > i ? k - 1 : i + 1].place : -1;
  }
  PetscCall(PetscMalloc1((size_t)*n, other));
  PetscCall(wring_sorting_answer(&s, sizeof *found, found, *other));
  PetscCall(PetscFree(found));
  PetscCall(PetscFree(got));
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------ */

int wring_set_element_cut(const PetscInt row[4], const PetscInt mid[3], PetscInt *part)
{
  const PetscInt v[6]       = {row[1], row[2], row[3], mid[0], mid[1], mid[2]};
  const PetscInt line[2][4] = {{row[0], row[1], mid[0], -1}, {row[0], mid[0], row[2], -1}};
  const int      n          = mid[0] < 0 ? 1 : row[3] < 0 ? 2 : 4;
  if (n < 4) memcpy(part, n == 1 ? row : line[0], 4 * (size_t)n * sizeof *part);
  for (int k = 0; k < n && n == 4; k++) {
    part[4 * k] = row[0];
    for (int a = 0; a < 3; a++) part[4 * k + 1 + a] = v[wring_triangle_part[k][a]];
  }
  return n;
}
