/* Private to src/contact: the functions that a kind of contacts supplies; include/wring/contact.h describes them. */
#pragma once
#include "blocks.h"
#include <wring/contact.h>

typedef struct {
  const char *kind;
  const char *losing; // see wring_contact_losing
  const char *(*refusal)(const wring_contact *c, wring_contact_way way);
  PetscErrorCode (*set_time)(wring_contact *c, double begin, double time, double part); // NULL: time does not matter
  PetscErrorCode (*update)(wring_contact *c, const wring_contact_step *step, const double *x, PetscBool first,
                           wring_contact_change *change); // change is 0 on entry
  PetscErrorCode (*add)(wring_contact *c, wring_work work, const double *x, double *f, double *energy);
  void (*add_single)(const wring_contact *c, wring_work work, PetscInt vertex, const double x[3], double *energy,
                     double *f, double *K);                                           // NULL: it couples vertices
  PetscErrorCode (*add_hessian)(wring_contact *c, const double *x, double *diagonal); // NULL: it has blocks
  PetscErrorCode (*find_blocks)(wring_contact *c, const double *x, wring_blocks *b);  // NULL: it couples no vertices
  PetscErrorCode (*add_products)(wring_contact *c, const double *x, const double *u, const double *p,
                                 double sum[3]); // NULL: it has blocks
  PetscErrorCode (*bound)(wring_contact *c, const double *x, const double *d, double advance, double *bound,
                          PetscInt *vertex);                                                // NULL: x may change freely
  PetscErrorCode (*check)(wring_contact *c, const double *x);                               // likewise
  void (*divide_by_area)(const wring_contact *c, double *f);                                // likewise
  PetscErrorCode (*lag)(wring_contact *c, const wring_contact_step *step, const double *x); // NULL: without friction
  PetscErrorCode (*measure_slip)(wring_contact *c, const double *x, const double *from, wring_slip_report *report,
                                 double *torque);                                         // NULL: it is not friction
  PetscErrorCode (*project)(wring_contact *c, const wring_contact_step *step, double *x); // NULL: see refusal
  double (*stiffness)(const wring_contact *c);
  int (*parts)(const wring_contact *c); // NULL: none, as where the sum of forces is 0
  const char *(*part_name)(const wring_contact *c, int part);
  PetscErrorCode (*measure)(wring_contact *c, const double *x, wring_contact_report *report, double *force);
  PetscErrorCode (*destroy)(wring_contact *c); // frees data
} wring_contact_ops;

struct wring_contact {
  const wring_contact_ops *ops;
  void                    *data;  // private to the kind
  struct wring_poses      *poses; // in data, of colliders of any kind; NULL: these are none
  const wring_mesh        *mesh;  // borrowed
};

PetscErrorCode wring_contact_create(const wring_mesh *mesh, const wring_contact_ops *ops, void *data,
                                    wring_contact **c);
