/* The bounding box; volume, moduli and speed of waves of each region; travel times. docs/theory.md 10 */
#include "sanity_impl.h"
#include "mesh/distribute/order.h"
#include <math.h>

static PetscErrorCode measure_box(const wring_problem *p, wring_sanity *s)
{
  double side[3];

  PetscFunctionBegin;
  PetscCall(wring_bounds_find(p->comm, p->mesh->n_owned, p->mesh->X, s->low, s->high));
  for (int c = 0; c < 3; c++) side[c] = s->high[c] - s->low[c];
  s->length = fmax(side[0], fmax(side[1], side[2]));
  s->face   = s->length > 0 ? side[0] * side[1] * side[2] / s->length : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Over all ranks: the largest of each number. */
typedef struct {
  double wave, locking, least; // least: minus the least Young's modulus of the ranks that have tets of the region
} moduli;

/* Adds those of the terms of tets on this rank: materials in parallel with laws on top of them. */
static void add_moduli(const wring_problem *p, moduli *of)
{
  wring_term *const *term;
  wring_rest_moduli  m;
  const int          n = wring_potential_terms(p->g, &term);
  for (int i = 0; i < n; i++) {
    const PetscInt r = wring_names_find(&p->mesh->regions, wring_term_name(term[i]));
    if (r < 0 || !wring_term_rest_moduli(term[i], &m)) continue;
    of[r].wave += m.largest_scale * m.wave;
    if (wring_term_law(term[i])->kind != WRING_LAW_MATERIAL) continue;
    of[r].least = -m.least_scale * wring_young_modulus(m.wave, m.shear);
    if (p->mesh->tets.order < 2 && !wring_term_patches(term[i])) of[r].locking = wring_poisson_ratio(m.wave, m.shear);
  }
}

static PetscErrorCode find_moduli(const wring_problem *p, wring_sanity *s)
{
  moduli *of;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->n_region, &of));
  for (PetscInt r = 0; r < s->n_region; r++) of[r] = (moduli){.least = -INFINITY};
  add_moduli(p, of);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, of, (PetscMPIInt)(3 * s->n_region), MPI_DOUBLE, MPI_MAX, p->comm));
  for (PetscInt r = 0; r < s->n_region; r++) {
    s->region[r].wave    = of[r].wave;
    s->region[r].locking = of[r].locking;
    s->region[r].young   = isinf(of[r].least) ? 0 : -of[r].least;
  }
  PetscCall(PetscFree(of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_regions(const wring_problem *p, wring_sanity *s)
{
  const PetscInt n = s->n_region = p->mesh->regions.n;
  double        *volume, *height;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &s->region));
  PetscCall(PetscMalloc2(n, &volume, n, &height));
  PetscCall(wring_mesh_measure_regions(p->mesh, volume, height));
  for (PetscInt r = 0; r < n; r++) {
    s->region[r].volume = volume[r];
    s->region[r].height = height[r];
    s->volume += volume[r];
  }
  PetscCall(PetscFree2(volume, height));
  PetscCall(find_moduli(p, s));
  for (PetscInt r = 0; r < n; r++) {
    wring_sanity_region *const region = &s->region[r];
    region->density                   = p->total_mass / s->volume;
    if (!wring_options_has(p->options, "mass_", "file")) PetscCall(wring_region_density(p, r, &region->density));
    region->speed = sqrt(fmax(0, region->wave / region->density));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

/* Across the body: its longest side times the mean of 1/speed over the volume. */
static void find_times(wring_sanity *s)
{
  double slowness = 0, moving = 0;
  s->across_element = INFINITY;
  for (PetscInt r = 0; r < s->n_region; r++) {
    const wring_sanity_region *const region = &s->region[r];
    s->wave                                 = fmax(s->wave, region->wave);
    if (region->young > 0) s->young = s->young > 0 ? fmin(s->young, region->young) : region->young;
    if (!(region->speed > 0)) continue;
    s->across_element = fmin(s->across_element, region->height / region->speed);
    slowness += region->volume / region->speed;
    moving += region->volume;
  }
  if (isinf(s->across_element)) s->across_element = 0;
  if (moving > 0) s->across_body = s->length * slowness / moving;
}

PetscErrorCode wring_sanity_measure_sizes(const wring_problem *p, wring_sanity *s)
{
  PetscFunctionBegin;
  PetscCall(measure_box(p, s));
  PetscCall(measure_regions(p, s));
  find_times(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}
