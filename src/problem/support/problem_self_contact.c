/* Self-contact of the deck: any of its keys turns it on. */
#include "problem/problem_impl.h"

static PetscBool is_wanted(const wring_options *o)
{
  for (const wring_option *p = wring_self_contact_options; p->key; p++)
    if (wring_options_has(o, "self_contact_", p->key)) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode get_length(const wring_options *o, const char *key, double *length)
{
  PetscFunctionBegin;
  PetscCall(wring_options_get_real(o, "self_contact_", wring_self_contact_options, key, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_self_contact(wring_problem *p)
{
  const wring_options *const o   = p->options;
  wring_self_contact         how = {.max_depth = 0};
  wring_contact             *contact;

  PetscFunctionBegin;
  if (!is_wanted(o)) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->mesh->n_tet_global == 0)
    WRING_REFUSE(p->comm, "%s: self_contact applies to the surface of tetrahedra, expected a mesh with tetrahedra",
                 wring_options_family_origin(o, "self_contact_"));
  PetscCall(wring_options_get_real(o, "self_contact_", wring_self_contact_options, "stiffness", &how.stiffness));
  PetscCall(get_length(o, "thickness", &how.thickness));
  if (wring_options_has(o, "self_contact_", "max_depth")) PetscCall(get_length(o, "max_depth", &how.max_depth));
  PetscCall(wring_contact_create_self(p->mesh, &how, &contact));
  PetscCall(wring_potential_add_contact(p->g, contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}
