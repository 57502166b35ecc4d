/*
  A triangle whose nodes all belong to tets must be a face of a tet. A triangle with another node belongs to a cloth.
*/
#include "build.h"
#include "base/sort.h"

/* The corners of a triangle, ascending. */
static void sort_corners(const PetscInt *corner, PetscInt v[3])
{
  for (int a = 0; a < 3; a++) v[a] = corner[a];
  wring_sort3(v);
}

/* Triangles by their smallest node: list [of triangles], start [n_node + 1]. */
static void bucket_triangles(const wring_build *b, PetscInt *start, PetscInt *list)
{
  PetscInt v[3];
  for (PetscInt i = 0; i < b->raw->n_lower; i++) {
    if (b->raw->lower[i].n != 3) continue;
    sort_corners(b->lower + 3 * (size_t)i, v);
    start[v[0] + 2]++;
  }
  for (PetscInt i = 0; i < b->raw->n_node; i++) start[i + 2] += start[i + 1];
  for (PetscInt i = 0; i < b->raw->n_lower; i++) {
    if (b->raw->lower[i].n != 3) continue;
    sort_corners(b->lower + 3 * (size_t)i, v);
    list[start[v[0] + 1]++] = i;
  }
}

static void mark_faces(const wring_build *b, const PetscInt *start, const PetscInt *list, char *is_face)
{
  PetscInt face[3], v[3];
  for (size_t e = 0; e < (size_t)b->raw->n_tet; e++) {
    for (int opposite = 0; opposite < 4; opposite++) {
      for (int a = 0, n = 0; a < 4; a++)
        if (a != opposite) face[n++] = b->tet[4 * e + (size_t)a];
      wring_sort3(face);
      for (PetscInt k = start[face[0]]; k < start[face[0] + 1]; k++) {
        sort_corners(b->lower + 3 * (size_t)list[k], v);
        if (v[1] == face[1] && v[2] == face[2]) is_face[list[k]] = 1;
      }
    }
  }
}

static PetscBool between_tets(const wring_build *b, PetscInt triangle, const char *in_tet)
{
  const PetscInt *const v = b->lower + 3 * (size_t)triangle;
  return (PetscBool)(in_tet[v[0]] && in_tet[v[1]] && in_tet[v[2]]);
}

PetscErrorCode wring_build_check_triangles(const wring_build *b)
{
  PetscInt *start, *list;
  char     *is_face, *in_tet;

  PetscFunctionBegin;
  if (b->raw->n_tet == 0 || b->raw->n_lower == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)b->raw->n_node + 2, &start));
  PetscCall(PetscMalloc1((size_t)b->raw->n_lower, &list));
  PetscCall(PetscCalloc1((size_t)b->raw->n_lower, &is_face));
  PetscCall(PetscCalloc1((size_t)b->raw->n_node, &in_tet));
  bucket_triangles(b, start, list);
  mark_faces(b, start, list, is_face);
  for (size_t i = 0; i < 4 * (size_t)b->raw->n_tet; i++) in_tet[b->tet[i]] = 1;
  for (PetscInt i = 0; i < b->raw->n_lower && wring_scan_ok(b->s); i++) {
    if (b->raw->lower[i].n == 3 && !is_face[i] && between_tets(b, i, in_tet))
      wring_scan_fail(b->s, b->raw->lower[i].line,
                      "element %lld is a triangle of nodes of tetrahedra, but not a face of any",
                      (long long)b->raw->lower[i].number);
  }
  PetscCall(PetscFree(in_tet));
  PetscCall(PetscFree(is_face));
  PetscCall(PetscFree(list));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
