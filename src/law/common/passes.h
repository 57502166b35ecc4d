/* Functions of a law that follow from its other functions or from its first parameter. */
#pragma once
#include <wring/law.h>

wring_law_energy wring_law_energy_by_fused;
wring_law_map    wring_law_gradient_by_fused;
wring_law_fused  wring_law_fused_by_parts;     // energy, then gradient
wring_law_slope  wring_law_slope_of_stiffness; // k = par[0]
