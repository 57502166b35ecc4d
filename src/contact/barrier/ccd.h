/* Private to src/contact: continuous collision detection. docs/theory.md (9.15) */
#pragma once
#include "closest.h"

/*
  The step alpha in [0, 1] up to which the corners x + t dx of a pair, t in [0, alpha], are certainly farther apart than
  radius + keep (d - radius), d the distance at x; dx [corners][3] m, radius [m] >= 0 the thickness of both bodies
  together, keep in (0, 1). 1 also if the corners do not move relative to each other, whatever d is. 0 if the pair moves
  and d <= radius, if distances cannot be resolved by the positions in double precision, or if a number is not finite.

  The step is never too long, in spite of round-off, also for the corners x + alpha dx rounded to double: each part of
  it has a plane between both bodies that is wide enough. It may be too short: it ends where less than a twentieth of
  the way from d to that distance is left, and where planes between the bodies are found no more.
*/
double wring_pair_bound(wring_pair_kind kind, const double *x, const double *dx, double radius, double keep);
