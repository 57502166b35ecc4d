/* Private to src/contact: the energy of a pair. docs/theory.md (9.16) to (9.19) */
#pragma once
#include "closest.h"

/* b(d) = -gap (d/gap - 1)^2 ln(d/gap) [m] below the gap, 0 beyond it, infinite for d <= 0: [b, b' [-], b'' [1/m]]. */
void wring_barrier(double d, double gap, double b[3]);

typedef struct {
  wring_pair_kind kind;
  double          gap;    // m: no energy beyond it, > 0
  double          radius; // m: thickness of both bodies together, >= 0
  double          sine2;  // m^4, of edge-edge: wring_pair_sine2, or 0 for no mollifier
} wring_pair_law;

/*
  1e-3 times the product of the squared lengths of two edges at rest, X [4][3]: where the square of the cross product
  of the edges is below it, the energy is mollified. m^4.
*/
double wring_pair_sine2(const double *X);

/*
  psi [m] = mollifier times b(distance - radius) at x [corners][3]: times a stiffness [Pa] and an area [m^2] it is an
  energy. Infinite if distance <= radius, g and H are 0 then.
  g [corners][3]              its gradient; may be NULL
  H [3 corners][3 corners]    1/m, symmetric and semidefinite: the Hessian without its negative parts, (9.18); may be
                              NULL
  foot                        the closest points; may be NULL
  All are overwritten. Returns the distance less the radius [m].
*/
double wring_pair_energy(const wring_pair_law *law, const double *x, double *psi, double *g, double *H,
                         wring_foot *foot);
