/*
  Private to src/mesh: the edges and faces of a tet. Of ten points 4 to 9 are the middles of its edges, as in
  wring_mesh.mid.
*/
#pragma once

enum { WRING_TET_CORNERS = 4, WRING_TET_EDGES = 6, WRING_TET_POINTS = 10 };

static const int wring_tet_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

/* The face opposite to each corner of a tet with positive volume, counter-clockwise seen from outside. */
static const int wring_face_corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const int wring_face_mid[4][3]    = {{1, 5, 4}, {3, 5, 2}, {0, 4, 3}, {2, 1, 0}}; // of its edges 01 12 20

/* The parts of a triangle that is cut in four: corners 0 1 2, then the middles of its edges 01 12 20. */
static const int wring_triangle_part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
