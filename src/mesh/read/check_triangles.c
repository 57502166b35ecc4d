/*
  A triangle whose nodes all belong to tets must be a face of a tet. A triangle with another node belongs to a cloth.
*/
#include "raw.h"
#include "base/sort.h"

/* The corners of a triangle, ascending. */
static void sort_corners(const PetscInt *corner, PetscInt v[3])
{
  for (int a = 0; a < 3; a++) v[a] = corner[a];
  wring_sort3(v);
}

/* Triangles by their smallest node: list [n_triangle], start [n_node + 1]. */
static void bucket_triangles(const wring_raw *raw, PetscInt *start, PetscInt *list)
{
  PetscInt v[3];
  for (PetscInt i = 0; i < raw->n_triangle; i++) {
    sort_corners(raw->corner + raw->triangle[i].corner, v);
    start[v[0] + 2]++;
  }
  for (PetscInt i = 0; i < raw->n_node; i++) start[i + 2] += start[i + 1];
  for (PetscInt i = 0; i < raw->n_triangle; i++) {
    sort_corners(raw->corner + raw->triangle[i].corner, v);
    list[start[v[0] + 1]++] = i;
  }
}

static void mark_faces(const wring_raw *raw, const PetscInt *start, const PetscInt *list, char *is_face)
{
  PetscInt face[3], v[3];
  for (size_t e = 0; e < (size_t)raw->n_tet; e++) {
    for (int opposite = 0; opposite < 4; opposite++) {
      for (int a = 0, b = 0; a < 4; a++)
        if (a != opposite) face[b++] = raw->tet[4 * e + (size_t)a];
      wring_sort3(face);
      for (PetscInt k = start[face[0]]; k < start[face[0] + 1]; k++) {
        sort_corners(raw->corner + raw->triangle[list[k]].corner, v);
        if (v[1] == face[1] && v[2] == face[2]) is_face[list[k]] = 1;
      }
    }
  }
}

static PetscBool between_tets(const wring_raw *raw, PetscInt triangle, const char *in_tet)
{
  const PetscInt *const v = raw->corner + raw->triangle[triangle].corner;
  return (PetscBool)(in_tet[v[0]] && in_tet[v[1]] && in_tet[v[2]]);
}

PetscErrorCode wring_raw_check_triangles(const wring_raw *raw, wring_scan *s)
{
  PetscInt *start, *list;
  char     *is_face, *in_tet;

  PetscFunctionBegin;
  if (raw->n_tet == 0 || raw->n_triangle == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)raw->n_node + 2, &start));
  PetscCall(PetscMalloc1((size_t)raw->n_triangle, &list));
  PetscCall(PetscCalloc1((size_t)raw->n_triangle, &is_face));
  PetscCall(PetscCalloc1((size_t)raw->n_node, &in_tet));
  bucket_triangles(raw, start, list);
  mark_faces(raw, start, list, is_face);
  for (size_t i = 0; i < 4 * (size_t)raw->n_tet; i++) in_tet[raw->tet[i]] = 1;
  for (PetscInt i = 0; i < raw->n_triangle && wring_scan_ok(s); i++) {
    if (!is_face[i] && between_tets(raw, i, in_tet))
      wring_scan_fail(s, raw->triangle[i].line,
                      "element %lld is a triangle of nodes of tetrahedra, but not a face of any",
                      (long long)raw->triangle[i].number);
  }
  PetscCall(PetscFree(in_tet));
  PetscCall(PetscFree(is_face));
  PetscCall(PetscFree(list));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
