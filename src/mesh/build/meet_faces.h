/*
  Private to mesh/build: faces with the same lowest node, which a rank has together; repeated tets, and faces of more
  than two tets.
*/
#pragma once
#include "build.h"

/* In positions. A triangle: tet = -1 - its number. Tets have the numbers of all ranks. */
typedef struct {
  PetscInt v[3]; // ascending
  PetscInt opposite;
  int64_t  tet;
} wring_face;

/* What is not as it should be. */
typedef struct {
  int64_t repeated[2]; // the first tets with the same nodes, INT64_MAX: none
  int64_t crowd[6];    // the first face that has more than two tets, and three of them; INT64_MAX: none
} wring_meeting;

wring_meeting wring_meeting_begin(void);

/*
  Sorts faces f [n] with the same lowest node. answer [-1 - tet] of each triangle: whether it is the face of a tet here;
  all tets that have this face are. Not collective.
*/
void wring_meet_faces(wring_meeting *m, PetscInt n, wring_face *f, char *answer);

/* The fault of all ranks that is the first, of b. */
PetscErrorCode wring_meeting_report(wring_meeting *m, wring_build *b);
