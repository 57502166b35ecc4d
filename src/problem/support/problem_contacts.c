/* Contacts: colliders, which are simple shapes that vertices are kept out of, or inside; self-contact. */
#include "problem/problem_impl.h"
#include <math.h>
#include <string.h>

/* Refuses keys of other shapes, and `inside` for an unbounded shape. */
static PetscErrorCode check_keys(const wring_problem *p, const char *prefix, const wring_shape *shape)
{
  const wring_shape *other;
  const char        *wrong = NULL;

  PetscFunctionBegin;
  for (int i = 0; (other = wring_shape_at(i)); i++)
    for (const wring_option *key = other->options; key->key; key++)
      if (wring_options_has(p->options, prefix, key->key) && !wring_option_find(shape->options, key->key))
        wrong = key->key;
  if (!shape->bound && wring_options_has(p->options, prefix, "inside")) wrong = "inside";
  if (wrong)
    WRING_REFUSE(p->comm, "%s: %s%s is not a key of shape %s, remove it",
                 wring_options_origin(p->options, prefix, wrong), prefix, wrong, shape->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_collider_uses(const wring_options *o, const char *prefix, const char *key, PetscBool *uses)
{
  const char *name;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, wring_collider_options, "shape", &name));
  const wring_shape *const shape = wring_shape_find(name);
  *uses = (PetscBool)(wring_option_find(wring_collider_options, key) || wring_option_find(shape->options, key));
  if (!shape->bound && strcmp(key, "inside") == 0) *uses = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_collider(const wring_problem *p, const char *name, wring_collider *c)
{
  const wring_option *const table = wring_collider_options;
  char                      prefix[WRING_PREFIX], file[PETSC_MAX_PATH_LEN];
  const char               *shape;

  PetscFunctionBegin;
  *c = (wring_collider){.motion = {.until = INFINITY, .release = INFINITY}};
  PetscCall(PetscStrncpy(c->name, name, sizeof c->name));
  PetscCall(wring_problem_read_keys(p, "collider_", name, table, prefix, c));
  PetscCall(wring_options_get_word(p->options, prefix, table, "shape", &shape));
  c->shape = wring_shape_find(shape);
  PetscCall(check_keys(p, prefix, c->shape));
  wring_rotation((const double[]){0, 0, 0}, 1, c->frame);
  PetscCall(c->shape->read(p->options, prefix, c));
  if (!wring_options_has(p->options, prefix, "path")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_path(p->options, prefix, table, "path", sizeof file, file));
  PetscCall(wring_problem_read_path(p, file, &c->motion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the barrier keeps the body out of the collider; refuses keys and shapes of the other method. */
static PetscErrorCode get_method(const wring_problem *p, PetscBool self, wring_collider *c, PetscBool *barrier)
{
  static const char *const of_penalty[] = {"stiffness", NULL}, *const of_barrier[] = {"gap", "slip_speed", NULL};
  const wring_option *table  = wring_collider_options;
  const char         *method = self ? "barrier" : "penalty";
  char                prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "collider_%s_", c->name));
  if (wring_options_has(p->options, prefix, "method"))
    PetscCall(wring_options_get_word(p->options, prefix, table, "method", &method));
  *barrier = (PetscBool)!strcmp(method, "barrier");
  for (const char *const *key = *barrier ? of_penalty : of_barrier; *key; key++)
    if (wring_options_has(p->options, prefix, *key))
      WRING_REFUSE(p->comm, "%s: %s%s is not a key of method %s, remove it, or give another %smethod",
                   wring_options_origin(p->options, prefix, *key), prefix, *key, method, prefix);
  if (!*barrier) PetscCall(wring_options_get_real(p->options, prefix, table, "stiffness", &c->stiffness));
  if (*barrier && !c->shape->features)
    WRING_REFUSE(p->comm, "%s: %sshape is %s, which has no features for method barrier, expected method penalty",
                 wring_options_origin(p->options, prefix, "shape"), prefix, c->shape->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of the penalty, then those of the barrier, each in the order of the deck; *n_barrier of the latter. */
static PetscErrorCode get_colliders(const wring_problem *p, PetscBool self, wring_collider *collider, int *n_barrier)
{
  const wring_collider_set *const s = &p->parts->colliders;
  wring_collider                  one;
  PetscBool                       barrier = PETSC_FALSE;

  PetscFunctionBegin;
  *n_barrier = 0;
  for (PetscInt i = 0; i < s->n; i++) {
    PetscCall(get_collider(p, s->name[i], &one));
    PetscCall(get_method(p, self, &one, &barrier));
    PetscInt at = i;
    for (; !barrier && at > i - *n_barrier; at--) collider[at] = collider[at - 1];
    collider[at] = one;
    *n_barrier += barrier;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A body with all vertices inside a collider could leave it in any direction. */
PetscErrorCode wring_problem_check_colliders(const wring_problem *p)
{
  const wring_collider_set *const s = &p->parts->colliders;
  const PetscScalar              *q;
  PetscInt64                     *inside;
  char                            prefix[WRING_PREFIX];

  PetscFunctionBegin;
  if (!s->contact) PetscFunctionReturn(PETSC_SUCCESS);
  const int n = wring_contact_parts(s->contact);
  PetscCall(PetscMalloc1(n, &inside));
  PetscCall(wring_contact_set_time(s->contact, p->state.time, p->state.time, 1));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  wring_colliders_count(s->contact, q, inside);
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, inside, n, MPIU_INT64, MPI_SUM, p->comm));
  for (int i = 0; i < n; i++) {
    const char *const name = wring_contact_part_name(s->contact, i);
    if (inside[i] < p->mesh->number.n_global) continue;
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "collider_%s_", name));
    WRING_REFUSE(p->comm,
                 "%s: collider '%s' forbids the positions of all %" PetscInt_FMT
                 " vertices at the start, expected some that it allows",
                 wring_options_family_origin(p->options, prefix), name, p->mesh->number.n_global);
  }
  PetscCall(PetscFree(inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_self_contact(const wring_problem *p, wring_contact **contact)
{
  static const char  prefix[] = "self_contact_";
  wring_self_contact how      = {.phases = wring_potential_phases(p->g)};

  PetscFunctionBegin;
  PetscCall(wring_options_get_real(p->options, prefix, wring_self_contact_options, "stiffness", &how.stiffness));
  PetscCall(wring_options_read(p->options, prefix, wring_self_contact_options, &how));
  PetscCall(wring_contact_create_self(p->mesh, &how, contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the penalty: any of its keys turns it on. */
static PetscErrorCode add_self_contact(wring_problem *p)
{
  PetscFunctionBegin;
  if (!wring_options_has_any(p->options, "self_contact_", wring_self_contact_options))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (p->mesh->tets.n_global == 0)
    WRING_REFUSE(p->comm, "%s: self_contact applies to the surface of tetrahedra, expected a mesh with tetrahedra",
                 wring_options_family_origin(p->options, "self_contact_"));
  PetscCall(create_self_contact(p, &p->parts->self_contact));
  PetscCall(wring_potential_add_contact(p->g, p->parts->self_contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_contacts(wring_problem *p)
{
  wring_collider_set *const s = &p->parts->colliders;
  wring_collider           *collider;
  PetscBool                 self;
  int                       bounded;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "collider_", &s->n, &s->name));
  PetscCall(wring_problem_wants_barrier(p, &self));
  PetscCall(PetscMalloc1(s->n, &collider));
  PetscCall(get_colliders(p, self, collider, &bounded));
  const int penalty = (int)s->n - bounded;
  if (penalty > 0) {
    PetscCall(wring_colliders_create(p->mesh, penalty, collider, &s->contact));
    PetscCall(wring_potential_add_contact(p->g, s->contact));
  }
  if (!self) PetscCall(add_self_contact(p));
  if (self || bounded > 0) PetscCall(wring_problem_add_barrier(p, self, bounded, collider + penalty));
  for (PetscInt i = 0; i < s->n; i++) PetscCall(wring_time_curve_destroy(&collider[i].motion.path));
  PetscCall(PetscFree(collider));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_problem_has_self_contact(const wring_problem *p)
{
  return (PetscBool)(p->parts->self_contact != NULL);
}

PetscErrorCode wring_problem_own_contacts(wring_problem *p, Vec x, double *difference)
{
  wring_contact_change change;
  wring_contact       *own;
  const double        *xa;
  double               energy[2] = {0, 0};

  PetscFunctionBegin;
  *difference = 0;
  if (!p->parts->self_contact) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_self_contact(p, &own));
  PetscCall(wring_potential_get_local(p->g, x, &xa));
  PetscCall(wring_contact_update(own, &(wring_contact_step){.h = 0}, xa, PETSC_TRUE, &change));
  PetscCall(wring_contact_add(own, WRING_VALUE, xa, NULL, &energy[0]));
  PetscCall(wring_contact_add(p->parts->self_contact, WRING_VALUE, xa, NULL, &energy[1]));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(wring_contact_destroy(&own));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 2, MPI_DOUBLE, MPI_SUM, p->comm));
  *difference = energy[0] - energy[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_check_self_contact(wring_problem *p)
{
  const double *x;

  PetscFunctionBegin;
  PetscCall(wring_problem_check_barrier(p));
  if (!p->parts->self_contact) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  PetscCall(wring_self_contact_note_lost(p->parts->self_contact, x));
  PetscCall(VecRestoreArrayRead(p->state.q, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
