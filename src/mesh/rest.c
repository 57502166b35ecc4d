#include "data.h"
#include <math.h>

double wring_tet_det(const double *x0, const double *x1, const double *x2, const double *x3)
{
  double a[3], b[3], c[3], bc[3];
  wring_subtract3(x1, x0, a);
  wring_subtract3(x2, x0, b);
  wring_subtract3(x3, x0, c);
  wring_cross3(b, c, bc);
  return wring_dot3(a, bc);
}

void wring_tet_rest(const double *X0, const double *X1, const double *X2, const double *X3, double B[9], double *volume)
{
  double a[3], b[3], c[3];
  wring_subtract3(X0, X3, a);
  wring_subtract3(X1, X3, b);
  wring_subtract3(X2, X3, c);
  wring_tet_invert(a, b, c, B, volume);
}

/* In the basis t_1 = a/|a|, t_2 normal to it: D_m = [|a|, b.t_1; 0, h], h = |a x b|/|a|. */
void wring_triangle_rest(const double *X0, const double *X1, const double *X2, double B[4], double *area)
{
  double a[3], b[3], normal[3];
  wring_subtract3(X0, X2, a);
  wring_subtract3(X1, X2, b);
  wring_cross3(a, b, normal);
  const double aa = wring_dot3(a, a), bb = wring_dot3(b, b), twice = sqrt(wring_dot3(normal, normal)),
               length = sqrt(aa);
  const int flat      = !(twice > 1e-14 * (aa + bb));
  B[0]                = flat ? 0 : 1 / length;
  B[1]                = flat ? 0 : -wring_dot3(a, b) / (length * twice);
  B[2]                = 0;
  B[3]                = flat ? 0 : length / twice;
  *area               = flat ? 0 : 0.5 * twice;
}

/* The cotangents of the angles at X0 and X1 of the triangle X0, X1, other; returns twice its area. */
static double cotangents(const double *X0, const double *X1, const double *other, double cot[2])
{
  double edge[3], a[3], b[3], normal[3];
  wring_subtract3(X1, X0, edge);
  wring_subtract3(other, X0, a);
  wring_subtract3(other, X1, b);
  wring_cross3(edge, a, normal);
  const double twice = sqrt(wring_dot3(normal, normal));
  cot[0]             = wring_dot3(edge, a) / twice;
  cot[1]             = -wring_dot3(edge, b) / twice;
  return twice;
}

void wring_hinge_rest(const double *const X[4], double c[4], double *area, double *curvature)
{
  const double noise  = 1e-10;
  double       sum[3] = {0}, size = 0, square;
  *area = c[0] = c[1] = 0;
  for (int side = 2; side < 4; side++) {
    double cot[2];
    *area += 0.5 * cotangents(X[0], X[1], X[side], cot);
    c[0] += cot[1];
    c[1] += cot[0];
    c[side] = -(cot[0] + cot[1]);
  }
  for (int a = 1; a < 4; a++) {
    double d[3];
    wring_subtract3(X[a], X[0], d);
    for (int k = 0; k < 3; k++) sum[k] += c[a] * d[k];
    size += fabs(c[a]) * sqrt(wring_dot3(d, d));
  }
  square     = wring_dot3(sum, sum);
  *curvature = square > PetscSqr(noise * size) ? sqrt(square) / *area : 0;
}

/* part [10] += the integrals of rho N_a over a tet of order 2, of degree 5. */
static void add_consistent(const wring_mesh *m, double rho, PetscInt e, double *part)
{
  const wring_quadrature *const rule = wring_quadrature_of(WRING_MAX_POINTS);
  double                        corner[4][9], N[10];
  wring_tet_corner_jacobians(m, e, m->X, corner);
  for (int p = 0; p < rule->n; p++) {
    const double mass = rho * rule->weight[p] * wring_tet_volume_at((const double(*)[9])corner, rule->L[p]);
    wring_tet_shape(10, rule->L[p], N);
    for (int a = 0; a < 10; a++) part[a] += mass * N[a];
  }
}

/* The masses of the vertices v of a tet, docs/theory.md (1.1)-(1.1c) [kg]; returns how many there are. */
static int parts_of(const wring_mesh *m, wring_mass_kind kind, const double *density, PetscInt e, PetscInt v[10],
                    double part[10])
{
  const int    n   = wring_tet_vertices(m, e, v);
  const double rho = density ? density[m->tets.region[e]] : 0;
  for (int a = 0; a < n; a++) part[a] = 0;
  if (n > 4 && kind == WRING_MASS_CONSISTENT) {
    add_consistent(m, rho, e, part);
    return n;
  }
  const double mass = rho * (n > 4 ? wring_tet_volume(m, e)
                                   : wring_tet_det(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2], m->X + 3 * v[3]));
  for (int a = 0; a < n; a++) part[a] = n == 4 ? mass / 24 : a < 4 ? mass / 36 : mass * 4 / 27;
  return n;
}

/*
  Sums that are bitwise independent of the partition, so that methods that amplify rounding give the same iterates on
  any number of ranks: every mass is an integer multiple of 2^-41 of the largest, plus a remainder in integer multiples
  of 2^-41 of that unit. Integers below 2^53 are added without rounding in any order: up to 2^12 elements at a vertex.
*/
typedef struct {
  double coarse, fine; // kg
} mass_units;

static PetscErrorCode choose_units(const wring_mesh *m, wring_mass_kind kind, const double *density,
                                   const wring_lumps *lumps, mass_units *unit)
{
  double   most = 0, part[10];
  PetscInt v[10];
  int      exponent;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const int n = parts_of(m, kind, density, e, v, part);
    for (int a = 0; a < n; a++) most = PetscMax(most, fabs(part[a]));
  }
  for (PetscInt i = 0; lumps && i < lumps->n; i++) most = PetscMax(most, fabs(lumps->part[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, m->comm));
  frexp(most, &exponent); // most < 2^exponent
  *unit = (mass_units){ldexp(1, exponent - 41), ldexp(1, exponent - 82)};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum [n_local][3]: coarse, fine and unused, in the layout of mesh->vector. */
static void add_part(const mass_units *unit, double part, PetscInt vertex, double *sum)
{
  const double coarse = floor(part / unit->coarse) * unit->coarse;
  const double fine   = rint((part - coarse) / unit->fine) * unit->fine;
  sum[3 * (size_t)vertex] += coarse;
  sum[3 * (size_t)vertex + 1] += fine;
}

PetscErrorCode wring_mesh_lump_masses(const wring_mesh *m, wring_mass_kind kind, const double *density,
                                      const wring_lumps *lumps, double *mass)
{
  double    *sum, part[10];
  mass_units unit = {0};
  PetscInt   v[10];

  PetscFunctionBegin;
  PetscCall(choose_units(m, kind, density, lumps, &unit));
  PetscCall(PetscCalloc1(3 * (size_t)m->n_local, &sum));
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const int n = parts_of(m, kind, density, e, v, part);
    for (int a = 0; a < n; a++) add_part(&unit, part[a], v[a], sum);
  }
  for (PetscInt i = 0; lumps && i < lumps->n; i++) add_part(&unit, lumps->part[i], lumps->vertex[i], sum);
  PetscCall(PetscSFReduceBegin(m->forest.halo, m->forest.vector, sum, sum, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->forest.halo, m->forest.vector, sum, sum, MPI_SUM));
  for (PetscInt i = 0; i < m->n_owned; i++) mass[i] = sum[3 * i] + sum[3 * i + 1];
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}
