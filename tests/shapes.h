/* Colliders of every shape of the table, with sizes for the keys that the shape declares. */
#pragma once
#include "check.h"
#include <math.h>
#include <string.h>
#include <wring/contact.h>

/* Sets a key that has no default; lengths decrease from key to key. Fails for an unknown type. */
static inline PetscErrorCode test_set_shape_key(wring_options *o, const wring_option *key, double length)
{
  char name[128], value[128];

  PetscFunctionBegin;
  if (key->value) PetscFunctionReturn(PETSC_SUCCESS);
  CHECK(key->type == WRING_REAL || (key->type == WRING_REALS && key->count == 3), "no value for key %s", key->key);
  PetscCall(PetscSNPrintf(name, sizeof name, "collider_test_%s", key->key));
  if (key->type == WRING_REAL)
    PetscCall(PetscSNPrintf(value, sizeof value, "%.17g", length));
  else
    PetscCall(PetscSNPrintf(value, sizeof value, "%.17g,%.17g,%.17g", length, 0.6 * length, 1.8 * length));
  PetscCall(wring_options_set(o, name, value, "test"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A collider at rest at the origin, with its axis along z; each seed gives other sizes. */
static inline PetscErrorCode test_collider(const wring_shape *shape, uint64_t seed, wring_collider *c)
{
  const wring_collider plain = {.shape     = shape,
                                .frame     = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                .stiffness = 1e4,
                                .motion    = {.until = INFINITY, .release = INFINITY}};
  wring_options       *o;
  double               length = 0.8 + 0.1 * test_random(&seed);

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_SELF, &o));
  for (const wring_option *key = shape->options; key->key; key++) {
    PetscCall(test_set_shape_key(o, key, length));
    if (key->type == WRING_REAL) length *= 0.7 + 0.1 * test_random(&seed);
  }
  *c = plain;
  PetscCall(shape->read(o, "collider_test_", c));
  PetscCall(wring_options_destroy(&o));
  memcpy(c->centre, plain.centre, sizeof c->centre);
  memcpy(c->frame, plain.frame, sizeof c->frame);
  PetscFunctionReturn(PETSC_SUCCESS);
}
