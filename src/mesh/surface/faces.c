/* Faces are put into buckets by their smallest vertex; buckets are short, and are sorted by the other two vertices. */
#include "faces.h"
#include "base/sort.h"
#include <stdlib.h>
#include <string.h>

const int wring_face_corner[4][3]   = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int wring_face_mid[4][3]      = {{1, 5, 4}, {3, 5, 2}, {0, 4, 3}, {2, 1, 0}}; // of edges 01 12 20 03 13 23
const int wring_triangle_part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

typedef struct {
  PetscInt middle, largest; // vertices
  int64_t  corner;          // 4 tet + the corner opposite
} face;

/* The vertices of the face opposite to a corner of a tet, ascending. */
static void sort_face(const PetscInt *v, int corner, PetscInt s[3])
{
  for (int a = 0, n = 0; a < 4; a++)
    if (a != corner) s[n++] = v[a];
  wring_sort3(s);
}

static int compare_faces(const void *pa, const void *pb)
{
  const face *a = pa, *b = pb;
  if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
  if (a->largest != b->largest) return a->largest < b->largest ? -1 : 1;
  return (a->corner > b->corner) - (a->corner < b->corner);
}

static void sort_bucket(int64_t n, face *f)
{
  if (n > 48) {
    qsort(f, (size_t)n, sizeof *f, compare_faces);
    return;
  }
  for (int64_t i = 1; i < n; i++) {
    const face moved = f[i];
    int64_t    at    = i;
    for (; at > 0 && compare_faces(f + at - 1, &moved) > 0; at--) f[at] = f[at - 1];
    f[at] = moved;
  }
}

static void match_bucket(int64_t n, const face *f, PetscInt *neighbour, PetscInt crowd[3])
{
  for (int64_t i = 0; i + 1 < n; i++) {
    if (f[i].middle != f[i + 1].middle || f[i].largest != f[i + 1].largest) continue;
    neighbour[f[i].corner]     = (PetscInt)(f[i + 1].corner / 4);
    neighbour[f[i + 1].corner] = (PetscInt)(f[i].corner / 4);
    if (i + 2 < n && crowd[0] < 0 && f[i].middle == f[i + 2].middle && f[i].largest == f[i + 2].largest)
      for (int k = 0; k < 3; k++) crowd[k] = (PetscInt)(f[i + k].corner / 4);
  }
}

/* Counting sort of all faces by smallest vertex; start [n_vertex + 1]. */
static void fill_buckets(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, int64_t *start, face *faces)
{
  PetscInt s[3];
  for (PetscInt e = 0; e < n_tet; e++) {
    for (int a = 0; a < 4; a++) {
      sort_face(tet + 4 * e, a, s);
      start[s[0] + 1]++;
    }
  }
  for (PetscInt v = 0; v < n_vertex; v++) start[v + 1] += start[v];
  for (PetscInt e = n_tet - 1; e >= 0; e--) {
    for (int a = 3; a >= 0; a--) {
      sort_face(tet + 4 * e, a, s);
      faces[--start[s[0] + 1]] = (face){s[1], s[2], 4 * (int64_t)e + a};
    }
  }
  for (PetscInt v = 0; v < n_vertex; v++) start[v] = start[v + 1]; // the loop above moved every end to the beginning
  start[n_vertex] = 4 * (int64_t)n_tet;
}

PetscErrorCode wring_faces_match(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, PetscInt *neighbour,
                                 PetscInt crowd[3])
{
  int64_t *start;
  face    *faces;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_vertex + 1, &start));
  PetscCall(PetscMalloc1(4 * (size_t)n_tet, &faces));
  fill_buckets(n_vertex, n_tet, tet, start, faces);
  for (size_t i = 0; i < 4 * (size_t)n_tet; i++) neighbour[i] = -1;
  crowd[0] = -1;
  for (PetscInt v = 0; n_tet > 0 && v < n_vertex; v++) { // without tets `faces` may be null
    sort_bucket(start[v + 1] - start[v], faces + start[v]);
    match_bucket(start[v + 1] - start[v], faces + start[v], neighbour, crowd);
  }
  PetscCall(PetscFree(faces));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cut --------------------------------------------------------------------------------------------------------- */

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
