/*
  Laws with a given pressure, psi(F) + p det F with a number p [Pa] of each element: what elements keep of a law whose
  term in J is a function of means (volumetric: mean). p is the last parameter. The function `energy` leaves out p det
  F, which stands for the energy of the means; derivatives have all of it. docs/theory.md 3.12
*/
#pragma once
#include "law/common/isotropic.h"

wring_law_energy   wring_pressed_energy;
wring_law_fused    wring_pressed_fused;
wring_law_products wring_pressed_products;
wring_law_slope    wring_pressed_slope;

/* The members of its table besides name, kind, n_par and positive. */
#define WRING_PRESSED(itsrule)                                                                                         \
  .split = PETSC_TRUE, .energy = wring_pressed_energy, .fused = wring_pressed_fused,                                   \
  .products = wring_pressed_products, .slope = wring_pressed_slope, WRING_ISOTROPIC(itsrule)
