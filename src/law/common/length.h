/*
  Laws of a length: psi(z) = k/2 (|z| - l)^2, par = {k, l}. At z = 0 the direction of z is e_x. The projection is l
  z/|z|.
*/
#pragma once
#include "passes.h"

enum { LENGTH_STIFFNESS, LENGTH_REST, LENGTH_N_PAR };

wring_law_map        wring_length_project;
wring_law_energy     wring_length_energy;
wring_law_fused      wring_length_fused;
wring_law_hessian    wring_length_hessian;
wring_law_prox       wring_length_prox;
wring_law_constraint wring_length_constraint; // C = |z| - l, dC = z/|z|; 0 where C is rounding error
wring_law_constraint wring_length_row;
wring_law_fault      wring_length_fault; // l = 0: no direction

/* The members of a table that all laws of a length share. */
#define WRING_LENGTH                                                                                                   \
  .q = 1, .n_par = LENGTH_N_PAR, .energy = wring_length_energy, .fused = wring_length_fused,                           \
  .hessian = wring_length_hessian, .project = wring_length_project, .slope = wring_law_slope_of_stiffness,             \
  .prox = wring_length_prox, .n_constraint = 1, .constraint = wring_length_constraint
