#include "data.h"
#include <math.h>

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

static double tet_quarter(const wring_mesh *m, const double *density, PetscInt e)
{
  const PetscInt *v = m->tet + 4 * e;
  return density[m->region[e]] * wring_tet_det(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2], m->X + 3 * v[3]) / 24;
}

/*
  Sums whose bits do not depend on the partition, so that methods that amplify rounding give the same iterates on any number of
  ranks: every mass is a whole number of units of 2^-41 of the largest, and a rest of whole units of 2^-41 of that. Whole numbers
  below 2^53 are added without rounding in any order: up to 2^12 elements at a vertex.
*/
typedef struct {
  double coarse, fine; // kg
} mass_units;

static PetscErrorCode choose_units(const wring_mesh *m, const double *density, mass_units *unit)
{
  double most = 0;
  int    exponent;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->n_tet; e++) most = PetscMax(most, tet_quarter(m, density, e));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, m->comm));
  frexp(most, &exponent); // most < 2^exponent
  *unit = (mass_units){ldexp(1, exponent - 41), ldexp(1, exponent - 82)};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_lumped_mass(const wring_mesh *m, const double *density, double *mass)
{
  double    *part; // [n_local][3]: coarse, fine and nothing, as mesh->vector is laid out
  mass_units unit;

  PetscFunctionBegin;
  PetscCall(choose_units(m, density, &unit));
  PetscCall(PetscCalloc1(3 * (size_t)m->n_local, &part));
  for (PetscInt e = 0; e < m->n_tet; e++) {
    const double quarter = tet_quarter(m, density, e), coarse = floor(quarter / unit.coarse) * unit.coarse;
    const double fine = rint((quarter - coarse) / unit.fine) * unit.fine;
    for (int a = 0; a < 4; a++) {
      part[3 * (size_t)m->tet[4 * e + a]] += coarse;
      part[3 * (size_t)m->tet[4 * e + a] + 1] += fine;
    }
  }
  PetscCall(PetscSFReduceBegin(m->halo, m->vector, part, part, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->halo, m->vector, part, part, MPI_SUM));
  for (PetscInt i = 0; i < m->n_owned; i++) mass[i] = part[3 * i] + part[3 * i + 1];
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
