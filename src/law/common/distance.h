/*
  Laws psi(z) = k/2 |z - p|^2 of the distance to a set, p = project(z) its closest point, par[0] = k. p is stationary,
  so that dpsi/dz = k (z - p), the prox is (k p + rho z)/(k + rho), and C = |z - p|. docs/theory.md 3.8
*/
#pragma once
#include "passes.h"

wring_law_fused      wring_distance_fused;
wring_law_prox       wring_distance_prox;
wring_law_constraint wring_distance_constraint; // C = 0 and dC = 0 where the distance is rounding error

/* k I, of the distance to one point; q = 1. */
wring_law_hessian wring_distance_point_hessian;

/* The members of a table that follow from its projection. */
#define WRING_DISTANCE                                                                                                 \
  .energy = wring_law_energy_by_fused, .fused = wring_distance_fused, .slope = wring_law_slope_of_stiffness,           \
  .prox = wring_distance_prox, .n_constraint = 1, .constraint = wring_distance_constraint
