#include "fields.h"
#include "study/common/command_keys.h"

enum { STRESS, VON_MISES, DEFORMATION_GRADIENT, MEMBRANE_FORCE };

static const struct {
  const char *name;
  int         components;
} table[WRING_MAX_FIELDS] = {[STRESS]               = {"stress", 6},
                             [VON_MISES]            = {"von_mises", 1},
                             [DEFORMATION_GRADIENT] = {"deformation_gradient", 9},
                             [MEMBRANE_FORCE]       = {"membrane_force", 6}};

static PetscBool has(unsigned chosen, int field)
{
  return (PetscBool)((chosen & (1U << field)) != 0);
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */

/* Whether the mesh has elements with a field. */
static PetscErrorCode check_field(const wring_problem *p, int field)
{
  const char *const    origin = wring_options_origin(p->options, "output_", "fields");
  const wring_surface *surface;
  PetscBool            membrane = PETSC_FALSE;

  PetscFunctionBegin;
  const PetscInt n = wring_problem_surfaces(p, &surface);
  for (PetscInt i = 0; i < n; i++) membrane = (PetscBool)(membrane || surface[i].membrane);
  if (field == MEMBRANE_FORCE && !membrane)
    WRING_REFUSE(p->comm, "%s: output_fields has '%s', but the deck has no membrane, expected fields of tetrahedra",
                 origin, table[field].name);
  if (field != MEMBRANE_FORCE && p->mesh->n_tet_global == 0)
    WRING_REFUSE(p->comm, "%s: output_fields has '%s', but the mesh has no tetrahedra, expected %s", origin,
                 table[field].name, membrane ? "membrane_force" : "no such field");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fields_choose(const wring_problem *p, unsigned *chosen)
{
  PetscInt n;
  char   **word;

  PetscFunctionBegin;
  *chosen = 0;
  if (!wring_options_has(p->options, "output_", "fields")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_word_list(p->options, "output_", wring_output_options, "fields", &n, &word));
  for (PetscInt i = 0; i < n; i++) {
    for (int f = 0; f < WRING_MAX_FIELDS; f++) {
      if (wring_ascii_compare(word[i], table[f].name) != 0) continue;
      PetscCall(check_field(p, f));
      *chosen |= 1U << f;
    }
  }
  PetscCall(wring_words_destroy(n, &word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_fields_bytes(unsigned chosen)
{
  double bytes = 0;
  for (int f = 0; f < WRING_MAX_FIELDS; f++) bytes += has(chosen, f) ? 8 * table[f].components : 0;
  return bytes + (has(chosen, VON_MISES) && !has(chosen, STRESS) ? 8 * table[STRESS].components : 0);
}

int wring_fields_reals(unsigned chosen)
{
  int n = 0;
  for (int f = 0; f < WRING_MAX_FIELDS; f++) n += has(chosen, f) ? table[f].components : 0;
  return n;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Tets are the first cells: their fields are computed in place, but a stress that only the von Mises stress needs. */
static PetscErrorCode fill_tets(wring_problem *p, wring_fields *f)
{
  const PetscInt n      = p->mesh->n_tet;
  double        *stress = f->stress;

  PetscFunctionBegin;
  if (f->von_mises && !stress) PetscCall(PetscMalloc1(6 * (size_t)n, &stress));
  PetscCall(wring_potential_stress(p->g, p->state.q, f->deformation_gradient, stress));
  for (PetscInt e = 0; f->von_mises && e < n; e++) f->von_mises[e] = wring_von_mises(stress + 6 * (size_t)e);
  if (!f->stress) PetscCall(PetscFree(stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over the terms of each membrane; its triangles follow the tets. */
static PetscErrorCode fill_membranes(wring_problem *p, const double *J, wring_fields *f)
{
  const wring_surface *surface;
  const PetscInt       n  = wring_problem_surfaces(p, &surface);
  PetscInt             at = p->mesh->n_tet;
  const double        *x;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  for (PetscInt i = 0; i < n; at += surface[i].n, i++) {
    double *const tau = f->membrane_force + 6 * (size_t)at;
    for (int k = 0; k < surface[i].n_term; k++) wring_term_add_stress(surface[i].term[k], x, tau);
    for (PetscInt e = 0; e < surface[i].n; e++) wring_cauchy_stress(J[at + e], tau + 6 * (size_t)e);
  }
  PetscCall(wring_potential_restore_local(p->g, p->state.q, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fields_allocate(unsigned chosen, PetscInt cells, wring_fields *f)
{
  double **const field[] = {&f->stress, &f->von_mises, &f->deformation_gradient, &f->membrane_force};

  PetscFunctionBegin;
  *f = (wring_fields){.stress = NULL};
  for (int i = 0; i < WRING_MAX_FIELDS; i++) {
    if (has(chosen, i)) PetscCall(PetscCalloc1((size_t)table[i].components * (size_t)PetscMax(cells, 1), field[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fields_create(wring_problem *p, unsigned chosen, PetscInt cells, const double *J, wring_fields *f)
{
  PetscFunctionBegin;
  PetscCall(wring_fields_allocate(chosen, cells, f));
  if (f->stress || f->von_mises || f->deformation_gradient) PetscCall(fill_tets(p, f));
  if (f->membrane_force) PetscCall(fill_membranes(p, J, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fields_destroy(wring_fields *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(f->stress));
  PetscCall(PetscFree(f->von_mises));
  PetscCall(PetscFree(f->deformation_gradient));
  PetscCall(PetscFree(f->membrane_force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int wring_fields_list(const wring_fields *f, wring_field field[WRING_MAX_FIELDS])
{
  const double *const value[] = {f->stress, f->von_mises, f->deformation_gradient, f->membrane_force};
  int                 n       = 0;
  for (int i = 0; i < WRING_MAX_FIELDS; i++) {
    if (value[i]) field[n++] = (wring_field){table[i].name, WRING_FLOAT64, table[i].components, value[i], PETSC_FALSE};
  }
  return n;
}
