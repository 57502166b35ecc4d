/* Private to src/contact: where colliders are, and distances from them. docs/theory.md (8.7), (9.25) */
#pragma once
#include "contact/contact_impl.h"

/* The pose of a collider: x = frame p + centre. */
typedef struct {
  double frame[9], centre[3];
} wring_body_pose;

/* The colliders of a kind of contacts, in its data. */
typedef struct wring_poses {
  int              n;
  wring_collider  *collider; // [n], with paths of their own
  double          *bound;    // [n] m: no vertex farther from the centre is in contact; infinite: not known
  wring_body_pose *now;      // [n]
} wring_poses;

/* Sets contact->poses to p. collider [n] and its path are copied. Not collective. */
PetscErrorCode wring_poses_create(wring_contact *contact, int n, const wring_collider *collider, wring_poses *p);
PetscErrorCode wring_poses_destroy(wring_poses *p);

wring_body_pose wring_pose_at(const wring_collider *c, double time);

/*
  At `part` of the way from the pose at time `begin` to that at `time`, on which the centre is on a straight line and
  the rotation about it is steady; exactly the pose at `time` for part = 1.
*/
wring_body_pose wring_pose_between(const wring_collider *c, double begin, double time, double part);

/* On `part` of this way: the shift of the centre [m], and the rotation as a vector, in degrees. */
void wring_pose_way(const wring_collider *c, double begin, double time, double part, double shift[3], double turn[3]);

void wring_pose_to_local(const wring_body_pose *at, const double x[3], double local[3]); // frame^T (x - centre)
void wring_pose_to_world(const wring_body_pose *at, const double local[3], double x[3]); // frame local, of a direction

/*
  The signed distance from the forbidden side, < 0 inside it, NAN if x is not finite. n: the unit normal out of the
  forbidden side at the nearest point of the surface, whose tangent plane is n . (x - centre) = offset.
*/
double wring_pose_nearest(const wring_collider *c, const wring_body_pose *at, const double x[3], double n[3],
                          double *offset);
