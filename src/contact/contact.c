/* Functions common to all kinds of contacts. */
#include "contact/shape/poses.h"
#include <math.h>
#include <string.h>

PetscErrorCode wring_contact_create(const wring_mesh *mesh, const wring_contact_ops *ops, void *data,
                                    wring_contact **contact)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(contact));
  **contact = (wring_contact){.ops = ops, .data = data, .mesh = mesh};
  memcpy((*contact)->refusal, ops->refusal, sizeof ops->refusal);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_destroy(wring_contact **c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*c)->ops->destroy(*c));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_contact_refusal(const wring_contact *c, wring_contact_way way)
{
  return c->refusal[way];
}

PetscErrorCode wring_contact_set_time(wring_contact *c, double begin, double time, double part)
{
  PetscFunctionBegin;
  if (c->ops->set_time) PetscCall(c->ops->set_time(c, begin, time, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_update(wring_contact *c, const wring_contact_step *step, const double *x, PetscBool first,
                                    wring_contact_change *change)
{
  PetscFunctionBegin;
  *change = (wring_contact_change){0};
  if (c->ops->update) PetscCall(c->ops->update(c, step, x, first, change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_add(wring_contact *c, wring_work work, const double *x, double *f, double *energy)
{
  PetscFunctionBegin;
  PetscCall(c->ops->add(c, work, x, f, energy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_contact_is_single(const wring_contact *c)
{
  return (PetscBool)(c->ops->add_single != NULL);
}

void wring_contact_add_single(const wring_contact *c, wring_work work, PetscInt vertex, const double x[3],
                              double *energy, double *f, double *K)
{
  c->ops->add_single(c, work, vertex, x, energy, f, K);
}

PetscBool wring_contact_is_bounded(const wring_contact *c)
{
  return (PetscBool)(c->ops->bound != NULL);
}

PetscErrorCode wring_contact_bound(wring_contact *c, const double *x, const double *d, double advance, double *bound,
                                   PetscInt *vertex)
{
  PetscFunctionBegin;
  PetscCall(c->ops->bound(c, x, d, advance, bound, vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_check(wring_contact *c, const double *x)
{
  PetscFunctionBegin;
  PetscCall(c->ops->check(c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_contact_divide_by_area(const wring_contact *c, double *f)
{
  c->ops->divide_by_area(c, f);
}

PetscErrorCode wring_contact_lag(wring_contact *c, const wring_contact_step *step, const double *x)
{
  PetscFunctionBegin;
  if (c->ops->lag) PetscCall(c->ops->lag(c, step, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_contact_is_friction(const wring_contact *c)
{
  return (PetscBool)(c->ops->measure_slip != NULL);
}

PetscErrorCode wring_contact_measure_slip(wring_contact *c, const double *x, const double *from,
                                          wring_slip_report *report, double *torque)
{
  PetscFunctionBegin;
  PetscCall(c->ops->measure_slip(c, x, from, report, torque));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_project(wring_contact *c, const wring_contact_step *step, double *x)
{
  PetscFunctionBegin;
  PetscCall(c->ops->project(c, step, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_contact_kind(const wring_contact *c)
{
  return c->ops->kind;
}

const char *wring_contact_losing(const wring_contact *c)
{
  return c->ops->losing;
}

double wring_contact_stiffness(const wring_contact *c)
{
  return c->ops->stiffness ? c->ops->stiffness(c) : 0;
}

int wring_contact_parts(const wring_contact *c)
{
  return c->poses ? c->poses->n : 0;
}

const char *wring_contact_part_name(const wring_contact *c, int part)
{
  return c->poses->collider[part].name;
}

PetscErrorCode wring_contact_measure(wring_contact *c, const double *x, wring_contact_report *report, double *force)
{
  PetscFunctionBegin;
  *report = (wring_contact_report){.least = INFINITY};
  PetscCall(c->ops->measure(c, x, report, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}
