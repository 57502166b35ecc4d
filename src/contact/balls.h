/*
  Private to src/contact: balls around runs of consecutive owned vertices. Vertices are numbered along the mesh, so that
  those of a run are near each other, and a body that is far from their ball is far from all of them.
*/
#pragma once
#include <wring/base.h>

enum { WRING_RUN = 64 }; // vertices of a run; the last one of a rank may have fewer

typedef struct {
  double centre[3], radius; // m: contains the vertices
  double motion;            // m: no vertex has moved farther
} wring_ball;

/*
  The ball of n vertices at x [n][3] m that were at q [n][3], NULL: they have not moved. It contains every vertex whose
  position is a number; if one is infinite, centre and radius are not finite. Not collective.
*/
wring_ball wring_ball_around(PetscInt n, const double *x, const double *q);
