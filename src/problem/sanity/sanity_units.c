/*
  Notes on units: each compares numbers of the deck and the mesh with those of bodies that exist. The bounds are far
  from what decks contain on purpose, because a wrong unit is a factor of 1000 or more.
*/
#include "sanity_impl.h"
#include "base/vector3.h"
#include <math.h>

static const double soft = 1e8; // Pa: rubber, tissue, foam, gels; bodies of it are small

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* A mesh in mm is 1000 times too large; mesh.scale, even of 1, says that the unit has been considered. */
static PetscErrorCode note_size(const wring_problem *p, wring_sanity *s)
{
  const wring_options *const o = p->options;
  const PetscBool file = wring_options_has(o, "mesh_", "file"), box = wring_options_has(o, "mesh_", "box_size");
  const PetscBool is_soft = (PetscBool)(s->young > 0 && s->young < soft);
  const PetscBool heavy   = (PetscBool)(s->n_region > 0 && p->total_mass > (is_soft ? 1e4 : 1e6)); // of tets
  double          scale   = 1;

  PetscFunctionBegin;
  if (file) PetscCall(wring_options_get_real(o, "mesh_", wring_mesh_options, "scale", &scale));
  const PetscBool scaled = wring_options_has(o, "mesh_", "scale");
  if (file && !scaled && (s->length > 50 || (s->length > 5 && heavy)))
    PetscCall(wring_sanity_add_note(
      s,
      "the mesh extends over %.3g m and weighs %.3g kg: if its unit is mm, set mesh: {scale: 1e-3}; if m, {scale: 1}",
      s->length, p->total_mass));
  else if (box && (s->length > 1000 || (s->length > 30 && (is_soft || p->total_mass > 1e7))))
    PetscCall(wring_sanity_add_note(s, "the box extends over %.3g m and weighs %.3g kg: mesh.box.size is in m",
                                    s->length, p->total_mass));
  else if (file && scaled && scale <= 1e-2 && s->length < scale)
    PetscCall(wring_sanity_add_note(
      s, "the mesh extends over %.3g m, %.3g before mesh.scale: if its unit is m, remove mesh.scale", s->length,
      s->length / scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

/* The first region of tets with a density or a speed of waves that no solid has. */
static PetscErrorCode note_materials(const wring_problem *p, wring_sanity *s)
{
  const PetscBool given = (PetscBool)!wring_options_has(p->options, "mass_", "file");

  PetscFunctionBegin;
  for (PetscInt r = 0; r < s->n_region; r++) {
    const wring_sanity_region *const region = &s->region[r];
    const char *const                name   = p->mesh->regions.name[r];
    const double                     rho    = region->density;
    if (given && ((rho < 20 && region->speed > 50) || rho > 3e4)) {
      PetscCall(wring_sanity_add_note(
        s, "region '%s' has a density of %.3g kg/m^3: expected kg/m^3, water has 1000 (1 g/cm^3 = 1000 kg/m^3)", name,
        rho));
      break;
    }
    if (region->speed > 0 && (region->speed < 1 || region->speed > 2e4)) {
      PetscCall(wring_sanity_add_note(
        s,
        "waves travel at %.3g m/s in region '%s' (Young's modulus %.3g Pa, density %.3g kg/m^3): moduli are in Pa, "
        "1 MPa = 1e6, 1 GPa = 1e9",
        region->speed, name, region->young, rho));
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Loads that would stretch the body to three times its length, or that no computation would resolve. */
static PetscErrorCode note_strain(wring_sanity *s)
{
  const double size = fmax(s->start.size, s->end.size);

  PetscFunctionBegin;
  if (s->strain > 2 || (s->strain > 0 && s->strain < 1e-9 && s->way == 0 && s->turn == 0))
    PetscCall(wring_sanity_add_note(
      s,
      "loads of %.3g N on %.3g m^2, the smallest face of the bounding box, and Young's modulus %.3g Pa suggest a "
      "strain of %.2g: check the units of loads, mesh and moduli",
      size, s->face, s->young, s->strain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 9810 is in mm/s^2. Upwards: its largest component is positive. */
static PetscErrorCode note_gravity(const wring_problem *p, wring_sanity *s)
{
  const double *const g    = wring_stepper_gravity(p->stepper);
  const double        size = sqrt(wring_dot3(g, g));
  int                 c    = 0;

  PetscFunctionBegin;
  for (int k = 1; k < 3; k++) c = fabs(g[k]) > fabs(g[c]) ? k : c;
  if (size > 100)
    PetscCall(wring_sanity_add_note(s, "gravity is %.4g m/s^2: expected m/s^2, the Earth's is 9.81", size));
  else if (g[c] > 0)
    PetscCall(wring_sanity_add_note(s,
                                    "gravity acts along +%c: for a body that stands along %c, a negative value is "
                                    "expected",
                                    'x' + c, 'x' + c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_note_units(const wring_problem *p, wring_sanity *s)
{
  PetscFunctionBegin;
  PetscCall(note_size(p, s));
  PetscCall(note_materials(p, s));
  PetscCall(note_gravity(p, s));
  if (s->n_note == 0) PetscCall(note_strain(s)); // has no other cause
  PetscFunctionReturn(PETSC_SUCCESS);
}
