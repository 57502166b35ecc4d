/* Faces of tets and elements of sets as triangles and lines of first order. */
#include "faces.h"
#include "skin.h"

int wring_mesh_cut_set_element(const wring_mesh *m, PetscInt i, PetscInt *part)
{
  static const PetscInt none[3] = {-1, -1, -1};
  return wring_set_element_cut(m->set_element + 4 * (size_t)i, m->set_mid ? m->set_mid + 3 * (size_t)i : none, part);
}

int wring_mesh_cut_face(const wring_mesh *m, PetscInt e, int a, PetscInt *triangle)
{
  PetscInt v[6];
  for (int k = 0; k < 3; k++) v[k] = m->tet[4 * (size_t)e + (size_t)wring_face_corner[a][k]];
  for (int k = 0; k < 3 && m->mid; k++) v[3 + k] = m->mid[6 * (size_t)e + (size_t)wring_face_mid[a][k]];
  const int n = m->mid ? 4 : 1;
  for (int i = 0; i < 3 * n; i++) triangle[i] = v[n == 1 ? i : wring_triangle_part[i / 3][i % 3]];
  return n;
}
