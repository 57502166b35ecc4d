/* Integrals over triangles and faces of tets. docs/theory.md (6.8) */
#include <math.h>
#include "base/vector3.h"
#include <wring/mesh.h>

/* Six points, degree 4, as an orbit of two [Dunavant 1985]: a at two corners, 1 - 2 a at the third. */
enum { FACE_POINTS = 6 };
static const double face_a[2] = {0.44594849091596488632, 0.09157621350977074346},
                    face_w[2] = {0.22338158967801146570, 0.10995174365532186764};

/* N [6] at point p, and the normal there, whose mean over the points is area times normal. Returns the weight. */
static double face_point(int p, const PetscInt v[WRING_FACE], const double *x, double N[WRING_FACE], double normal[3])
{
  const double a    = face_a[p / 3];
  double       L[3] = {a, a, a}, t[2][3] = {{0}}, dN[WRING_FACE][3];
  L[p % 3] = 1 - 2 * a;
  for (int k = 0; k < 3; k++) {
    const int next = (k + 1) % 3;
    N[k]           = L[k] * (2 * L[k] - 1);
    N[3 + k]       = 4 * L[k] * L[next];
    for (int j = 0; j < 3; j++) {
      dN[k][j]     = j == k ? 4 * L[k] - 1 : 0;
      dN[3 + k][j] = j == k ? 4 * L[next] : j == next ? 4 * L[k] : 0;
    }
  }
  for (int i = 0; i < 2 * WRING_FACE; i++)
    for (int c = 0; c < 3; c++) t[i % 2][c] += (dN[i / 2][i % 2] - dN[i / 2][2]) * x[3 * v[i / 2] + c];
  wring_cross3(t[0], t[1], normal);
  return face_w[p / 3] / 2;
}

int wring_face_normals(const PetscInt v[WRING_FACE], const double *x, double (*S)[3])
{
  const int n = v[3] < 0 ? 3 : WRING_FACE;
  double    N[WRING_FACE], a[3], b[3], normal[3];
  if (n == 3) {
    wring_subtract3(x + 3 * v[1], x + 3 * v[0], a);
    wring_subtract3(x + 3 * v[2], x + 3 * v[0], b);
    wring_cross3(a, b, normal);
    for (int i = 0; i < 9; i++) S[i / 3][i % 3] = normal[i % 3] / 6;
    return n;
  }
  for (int i = 0; i < 3 * n; i++) S[i / 3][i % 3] = 0;
  for (int p = 0; p < FACE_POINTS; p++) {
    const double w = face_point(p, v, x, N, normal);
    for (int i = 0; i < 3 * n; i++) S[i / 3][i % 3] += w * N[i / 3] * normal[i % 3];
  }
  return n;
}

int wring_face_shares(const PetscInt v[WRING_FACE], const double *X, double *share)
{
  const int n = v[3] < 0 ? 3 : WRING_FACE;
  double    N[WRING_FACE], B[4], normal[3], area;
  if (n == 3) {
    wring_triangle_rest(X + 3 * v[0], X + 3 * v[1], X + 3 * v[2], B, &area);
    for (int a = 0; a < n; a++) share[a] = area / 3;
    return n;
  }
  for (int a = 0; a < n; a++) share[a] = 0;
  for (int p = 0; p < FACE_POINTS; p++) {
    const double w = face_point(p, v, X, N, normal);
    for (int a = 0; a < n; a++) share[a] += w * N[a] * sqrt(wring_dot3(normal, normal));
  }
  return n;
}
