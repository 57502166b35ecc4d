/* Private to src/contact: the functions that a kind of contacts supplies; include/wring/contact.h describes them. */
#pragma once
#include "corners.h"
#include <wring/contact.h>

/* ---- second derivatives, pair by pair (blocks.c) ---------------------------------------------------------------- */

enum { WRING_PAIR_NUMBERS = 12 }; // of the corners of a pair, at most

/*
  The semidefinite Hessian at x of pair i between its corners, H [n][n] N/m, and their places [n/3]; returns n, three
  for each corner, or 0 if the pair does not push.
*/
typedef int wring_pair_hessian(const void *context, const double *x, PetscInt i, double *H, PetscInt *place);

/* The pairs of this rank at x, all borrowed. */
typedef struct {
  PetscInt             n;
  const wring_corners *corners;
  wring_pair_hessian  *of;
  const void          *context;
} wring_blocks;

/* ---- a kind of contacts ------------------------------------------------------------------------------------------ */

typedef struct {
  const char *kind;
  const char *losing;                       // see wring_contact_losing
  const char *refusal[WRING_N_CONTACT_WAY]; // NULL: contacts can be enforced in this way
  PetscErrorCode (*set_time)(wring_contact *c, double begin, double time, double part); // NULL: time does not matter
  PetscErrorCode (*update)(wring_contact *c, const wring_contact_step *step, const double *x, PetscBool first,
                           wring_contact_change *change); // change is 0 on entry; NULL: it changes with x alone
  PetscErrorCode (*add)(wring_contact *c, wring_work work, const double *x, double *f, double *energy);
  void (*add_single)(const wring_contact *c, wring_work work, PetscInt vertex, const double x[3], double *energy,
                     double *f, double *K); // NULL: it couples vertices
  PetscErrorCode (*find_blocks)(wring_contact *c, const double *x, wring_blocks *b);
  PetscErrorCode (*bound)(wring_contact *c, const double *x, const double *d, double advance, double *bound,
                          PetscInt *vertex);                                                // NULL: x may change freely
  PetscErrorCode (*check)(wring_contact *c, const double *x);                               // likewise
  void (*divide_by_area)(const wring_contact *c, double *f);                                // likewise
  PetscErrorCode (*lag)(wring_contact *c, const wring_contact_step *step, const double *x); // NULL: without friction
  PetscErrorCode (*measure_slip)(wring_contact *c, const double *x, const double *from, wring_slip_report *report,
                                 double *torque);                                         // NULL: it is not friction
  PetscErrorCode (*project)(wring_contact *c, const wring_contact_step *step, double *x); // NULL: see refusal
  double (*stiffness)(const wring_contact *c);                                            // NULL: 0
  PetscErrorCode (*measure)(wring_contact *c, const double *x, wring_contact_report *report, double *force);
  PetscErrorCode (*destroy)(wring_contact *c); // frees data
} wring_contact_ops;

struct wring_contact {
  const wring_contact_ops *ops;
  void                    *data;                         // private to the kind
  const char              *refusal[WRING_N_CONTACT_WAY]; // of ops; a kind may change them
  struct wring_poses      *poses; // in data, of colliders of any kind, which are its parts; NULL: there are none
  const wring_mesh        *mesh;  // borrowed
};

PetscErrorCode wring_contact_create(const wring_mesh *mesh, const wring_contact_ops *ops, void *data,
                                    wring_contact **c);
