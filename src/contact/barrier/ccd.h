/* Private to src/contact: continuous collision detection. docs/theory.md (9.15) */
#pragma once
#include "closest.h"

/*
  The step alpha in [0, 1] up to which the corners x + t dx of a pair, t in [0, alpha], are certainly farther apart than
  w = radius + keep (d - radius), d the distance at x that wring_pair_closest finds; dx [corners][3] m, radius [m] >= 0
  the thickness of both bodies together, keep in (0, 1). 1 also if the corners do not move, whatever d is. 0 if the pair
  moves and d <= radius, if distances cannot be resolved by the positions in double precision, or if a number is not
  finite.

  The step is never too long, in spite of round-off, also for the corners x + alpha dx rounded to double: each part of
  it has planes between both bodies, fixed or turning with them, and w is enlarged by 64 u max(|x| + |dx|), u = 1.1e-16,
  twice for planes that turn, to which all errors do not add up, (9.15). It may be too short: it ends where less than a
  twentieth of the way from d to w is left, where planes between the bodies are found no more, and after 512 parts.
*/
double wring_pair_bound(wring_pair_kind kind, const double *x, const double *dx, double radius, double keep);

/*
  Whether planes normal to n alone show that the corners x + t dx of a pair, t in [0, 1], are farther apart than w [m],
  in spite of round-off as above. n [3] is a unit vector, or 0. 1 also if the corners do not move.
*/
int wring_pair_stays_apart(wring_pair_kind kind, const double *x, const double *dx, const double n[3], double w);
