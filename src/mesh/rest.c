#include "data.h"

static void difference(const double *a, const double *b, double d[3])
{
  for (int c = 0; c < 3; c++) d[c] = a[c] - b[c];
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double wring_tet_det(const double *x0, const double *x1, const double *x2, const double *x3)
{
  double a[3], b[3], c[3], bc[3];
  difference(x1, x0, a);
  difference(x2, x0, b);
  difference(x3, x0, c);
  cross(b, c, bc);
  return dot(a, bc);
}

/* With columns a, b, c of D_m, the rows of D_m^{-1} are b x c, c x a, a x b over det D_m = a . (b x c) = -6 V. */
void wring_tet_rest(const double *X0, const double *X1, const double *X2, const double *X3, double B[9], double *volume)
{
  double a[3], b[3], c[3];
  difference(X0, X3, a);
  difference(X1, X3, b);
  difference(X2, X3, c);
  cross(b, c, B);
  cross(c, a, B + 3);
  cross(a, b, B + 6);
  const double det = dot(a, B);
  for (int i = 0; i < 9; i++) B[i] /= det;
  *volume = -det / 6;
}

PetscErrorCode wring_mesh_lumped_mass(const wring_mesh *m, const double *density, double *mass)
{
  double *all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)m->n_local, &all));
  for (PetscInt e = 0; e < m->n_tet; e++) {
    const PetscInt *v = m->tet + 4 * e;
    const double    quarter =
      density[m->region[e]] * wring_tet_det(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2], m->X + 3 * v[3]) / 24;
    for (int a = 0; a < 4; a++) all[v[a]] += quarter;
  }
  PetscCall(PetscSFReduceBegin(m->halo, MPI_DOUBLE, all, all, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->halo, MPI_DOUBLE, all, all, MPI_SUM));
  PetscCall(PetscArraycpy(mass, all, m->n_owned));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
