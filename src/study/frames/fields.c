#include "fields.h"
#include "study/common/command_keys.h"

static const struct {
  const char       *name;
  wring_field_place place;
  wring_type        type;
  int               components;
  PetscBool         fixed; // the same in all frames
} table[WRING_N_FIELD] = {
  [WRING_DISPLACEMENT]         = {"displacement", WRING_AT_POINTS, WRING_FLOAT64, 3, PETSC_FALSE},
  [WRING_VELOCITY]             = {"velocity", WRING_AT_POINTS, WRING_FLOAT64, 3, PETSC_FALSE},
  [WRING_VERTEX]               = {"vertex", WRING_AT_POINTS, WRING_INT64, 1, PETSC_TRUE},
  [WRING_J]                    = {"J", WRING_OF_CELLS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_ENERGY_DENSITY]       = {"energy_density", WRING_OF_CELLS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_REGION]               = {"region", WRING_OF_CELLS, WRING_INT32, 1, PETSC_TRUE},
  [WRING_RANK]                 = {"rank", WRING_OF_CELLS, WRING_INT32, 1, PETSC_TRUE},
  [WRING_STRESS]               = {"stress", WRING_OF_CELLS, WRING_FLOAT64, 6, PETSC_FALSE},
  [WRING_VON_MISES]            = {"von_mises", WRING_OF_CELLS, WRING_FLOAT64, 1, PETSC_FALSE},
  [WRING_DEFORMATION_GRADIENT] = {"deformation_gradient", WRING_OF_CELLS, WRING_FLOAT64, 9, PETSC_FALSE},
  [WRING_MEMBRANE_FORCE]       = {"membrane_force", WRING_OF_CELLS, WRING_FLOAT64, 6, PETSC_FALSE},
};

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
  if (field == WRING_MEMBRANE_FORCE && !membrane)
    WRING_REFUSE(p->comm, "%s: output_fields has '%s', but the deck has no membrane, expected fields of tetrahedra",
                 origin, table[field].name);
  if (field >= WRING_STRESS && field != WRING_MEMBRANE_FORCE && p->mesh->n_tet_global == 0)
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
  PetscCall(wring_options_get_word_list(p->options, "output_", wring_output_options, "fields", &n, &word));
  for (PetscInt i = 0; i < n; i++) {
    for (int f = 0; f < WRING_N_FIELD; f++) {
      if (wring_ascii_compare(word[i], table[f].name) != 0) continue;
      PetscCall(check_field(p, f));
      *chosen |= 1U << f;
    }
  }
  PetscCall(wring_words_destroy(n, &word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_fields_bytes(unsigned chosen, wring_field_place place, PetscBool fixed, double real)
{
  double bytes = 0;
  for (int f = 0; f < WRING_N_FIELD; f++) {
    const double size = table[f].type == WRING_FLOAT64 ? real : table[f].type == WRING_INT64 ? 8 : 4;
    if (has(chosen, f) && table[f].place == place && table[f].fixed == fixed) bytes += size * table[f].components;
  }
  return bytes;
}

double wring_fields_memory(unsigned chosen)
{
  double bytes = 0;
  for (int f = WRING_STRESS; f < WRING_N_FIELD; f++) bytes += has(chosen, f) ? 8 * table[f].components : 0;
  return bytes + (has(chosen, WRING_VON_MISES) && !has(chosen, WRING_STRESS) ? 8 * table[WRING_STRESS].components : 0);
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

static PetscErrorCode allocate(unsigned chosen, PetscInt cells, wring_fields *f)
{
  double **const field[WRING_N_FIELD] = {[WRING_STRESS]               = &f->stress,
                                         [WRING_VON_MISES]            = &f->von_mises,
                                         [WRING_DEFORMATION_GRADIENT] = &f->deformation_gradient,
                                         [WRING_MEMBRANE_FORCE]       = &f->membrane_force};

  PetscFunctionBegin;
  *f = (wring_fields){.stress = NULL};
  for (int i = WRING_STRESS; i < WRING_N_FIELD; i++) {
    if (has(chosen, i)) PetscCall(PetscCalloc1((size_t)table[i].components * (size_t)PetscMax(cells, 1), field[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fields_create(wring_problem *p, unsigned chosen, PetscInt cells, const double *J, wring_fields *f)
{
  PetscFunctionBegin;
  PetscCall(allocate(chosen, cells, f));
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

int wring_fields_list(unsigned chosen, wring_field_place place, const void *const value[WRING_N_FIELD],
                      wring_field field[WRING_N_FIELD])
{
  int n = 0;
  for (int i = 0; i < WRING_N_FIELD; i++) {
    if (has(chosen, i) && table[i].place == place)
      field[n++] = (wring_field){table[i].name, table[i].type, table[i].components, value[i], table[i].fixed};
  }
  return n;
}
