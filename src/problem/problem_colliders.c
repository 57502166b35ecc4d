/* Colliders of the deck: bodies of simple shapes that vertices are kept out of, or in. */
#include "problem.h"
#include <math.h>
#include <string.h>

enum { N_SHAPE = WRING_BOX + 1, MAX_KEYS = 4 };

/* Keys that say what a shape is, in the order in which size takes the numbers; all are required but axis and turn. */
static const char *const shape_keys[N_SHAPE][MAX_KEYS] = {
  [WRING_HALF_SPACE] = {"point", "normal"},
  [WRING_SPHERE]     = {"centre", "radius"},
  [WRING_TORUS]      = {"centre", "axis", "major_radius", "minor_radius"},
  [WRING_CAPSULE]    = {"centre", "axis", "radius", "length"},
  [WRING_CYLINDER]   = {"centre", "axis", "radius", "length"},
  [WRING_BOX]        = {"centre", "turn", "size"},
};

static const char *const all_keys[] = {"point",  "normal", "centre",       "axis",         "turn",  "radius",
                                       "length", "size",   "major_radius", "minor_radius", "inside"};

static PetscBool is_key_of(wring_shape shape, const char *key)
{
  if (strcmp(key, "inside") == 0) return (PetscBool)(shape != WRING_HALF_SPACE);
  for (int i = 0; i < MAX_KEYS && shape_keys[shape][i]; i++) {
    if (strcmp(shape_keys[shape][i], key) == 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The shape, and no key of another one. */
static PetscErrorCode get_shape(const wring_problem *p, const char *prefix, wring_shape *shape)
{
  const char *word, *at = wring_shapes;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, prefix, wring_collider_options, "shape", &word));
  const size_t length = strlen(word);
  for (*shape = WRING_HALF_SPACE; strncmp(at, word, length) != 0; (*shape)++) at = strchr(at, '|') + 1;
  for (size_t i = 0; i < sizeof all_keys / sizeof all_keys[0]; i++) {
    if (wring_options_has(p->options, prefix, all_keys[i]) && !is_key_of(*shape, all_keys[i]))
      WRING_REFUSE(p->comm, "%s: %s%s is no key of shape %s, expected it left out",
                   wring_options_origin(p->options, prefix, all_keys[i]), prefix, all_keys[i], word);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_triple(const wring_problem *p, const char *prefix, const char *key, double v[3])
{
  PetscFunctionBegin;
  PetscCall(wring_options_get_reals(p->options, prefix, wring_collider_options, key, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A frame whose third column is the direction of `key`. */
static PetscErrorCode get_axis(const wring_problem *p, const char *prefix, const char *key, double frame[9])
{
  double axis[3];

  PetscFunctionBegin;
  PetscCall(get_triple(p, prefix, key, axis));
  if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
    WRING_REFUSE(p->comm, "%s: %s%s is 0,0,0, expected a direction", wring_options_origin(p->options, prefix, key),
                 prefix, key);
  wring_frame_of_axis(axis, frame);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_length(const wring_problem *p, const char *prefix, const char *key, double *v)
{
  PetscFunctionBegin;
  PetscCall(wring_options_get_real(p->options, prefix, wring_collider_options, key, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_torus(const wring_problem *p, const char *prefix, double size[3])
{
  PetscFunctionBegin;
  PetscCall(get_length(p, prefix, "major_radius", &size[0]));
  PetscCall(get_length(p, prefix, "minor_radius", &size[1]));
  if (size[1] >= size[0])
    WRING_REFUSE(p->comm, "%s: %sminor_radius is %.6g, expected less than major_radius, %.6g",
                 wring_options_origin(p->options, prefix, "minor_radius"), prefix, size[1], size[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_box(const wring_problem *p, const char *prefix, wring_collider *c)
{
  double turn[3];

  PetscFunctionBegin;
  PetscCall(get_triple(p, prefix, "turn", turn));
  wring_frame_of_turn(turn, c->frame);
  PetscCall(get_triple(p, prefix, "size", c->size));
  for (int i = 0; i < 3; i++) {
    if (!(c->size[i] > 0))
      WRING_REFUSE(p->comm, "%s: %ssize is %.6g,%.6g,%.6g, expected three lengths above 0",
                   wring_options_origin(p->options, prefix, "size"), prefix, c->size[0], c->size[1], c->size[2]);
  }
  for (int i = 0; i < 3; i++) c->size[i] /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_place(const wring_problem *p, const char *prefix, wring_collider *c)
{
  const PetscBool half_space = (PetscBool)(c->shape == WRING_HALF_SPACE);

  PetscFunctionBegin;
  PetscCall(get_triple(p, prefix, half_space ? "point" : "centre", c->centre));
  wring_frame_of_turn((const double[]){0, 0, 0}, c->frame);
  if (half_space) PetscCall(get_axis(p, prefix, "normal", c->frame));
  if (is_key_of(c->shape, "axis")) PetscCall(get_axis(p, prefix, "axis", c->frame));
  if (is_key_of(c->shape, "radius")) PetscCall(get_length(p, prefix, "radius", &c->size[0]));
  if (is_key_of(c->shape, "length")) PetscCall(get_length(p, prefix, "length", &c->size[1]));
  c->size[1] /= 2;
  if (c->shape == WRING_TORUS) PetscCall(get_torus(p, prefix, c->size));
  if (c->shape == WRING_BOX) PetscCall(get_box(p, prefix, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *path is to be destroyed after use of motion. */
static PetscErrorCode get_motion(const wring_problem *p, const char *prefix, wring_motion *motion,
                                 wring_time_curve **path)
{
  const wring_options *const o = p->options;
  char                       file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(get_triple(p, prefix, "velocity", motion->velocity));
  PetscCall(get_triple(p, prefix, "spin", motion->spin));
  if (wring_options_has(o, prefix, "until")) PetscCall(get_length(p, prefix, "until", &motion->until));
  *path = NULL;
  if (wring_options_has(o, prefix, "path")) {
    PetscCall(wring_options_get_path(o, prefix, wring_collider_options, "path", sizeof file, file));
    PetscCall(wring_problem_read_curve(p, file, "time,x,y,z", WRING_CURVE_CUBIC, path));
  }
  motion->path = *path;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_collider(const wring_problem *p, const char *name, wring_collider *c, wring_time_curve **path)
{
  const wring_options *const o = p->options;
  char                       prefix[256];

  PetscFunctionBegin;
  *c = (wring_collider){.motion = {.until = INFINITY, .release = INFINITY}};
  PetscCall(PetscStrncpy(c->name, name, sizeof c->name));
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "collider_%s_", name));
  PetscCall(get_shape(p, prefix, &c->shape));
  PetscCall(get_place(p, prefix, c));
  PetscCall(wring_options_get_bool(o, prefix, wring_collider_options, "inside", &c->inside));
  PetscCall(wring_options_get_real(o, prefix, wring_collider_options, "stiffness", &c->stiffness));
  PetscCall(wring_options_get_real(o, prefix, wring_collider_options, "friction", &c->friction));
  PetscCall(get_motion(p, prefix, &c->motion, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_colliders(wring_problem *p)
{
  wring_time_curve **path;
  wring_collider    *collider;

  PetscFunctionBegin;
  if (p->n_collider == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(p->n_collider, &collider, p->n_collider, &path));
  for (PetscInt i = 0; i < p->n_collider; i++) PetscCall(get_collider(p, p->collider_name[i], &collider[i], &path[i]));
  PetscCall(wring_colliders_create(p->mesh, (int)p->n_collider, collider, &p->colliders));
  PetscCall(wring_potential_add_contact(p->g, p->colliders));
  for (PetscInt i = 0; i < p->n_collider; i++) PetscCall(wring_time_curve_destroy(&path[i]));
  PetscCall(PetscFree2(collider, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing tells which way out of a collider is right for a body all of whose vertices are inside. */
PetscErrorCode wring_problem_check_colliders(const wring_problem *p)
{
  const PetscScalar *q;
  PetscInt64        *inside;
  char               prefix[256];

  PetscFunctionBegin;
  if (p->n_collider == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(p->n_collider, &inside));
  PetscCall(wring_contact_set_time(p->colliders, p->state.time));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  wring_colliders_count(p->colliders, q, inside);
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, inside, (PetscMPIInt)p->n_collider, MPIU_INT64, MPI_SUM, p->comm));
  for (PetscInt i = 0; i < p->n_collider; i++) {
    if (inside[i] < p->mesh->n_global) continue;
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "collider_%s_", p->collider_name[i]));
    WRING_REFUSE(p->comm,
                 "%s: collider '%s' swallows the whole body at the start, all %" PetscInt_FMT
                 " vertices, expected some where they may be",
                 wring_options_family_origin(p->options, prefix), p->collider_name[i], p->mesh->n_global);
  }
  PetscCall(PetscFree(inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}
