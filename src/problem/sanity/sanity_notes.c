/*
  Notes on units, forgotten keys, supports and steps. Those on units compare numbers of the deck and the mesh with those
  of bodies that exist; their bounds are far from what decks contain on purpose, because a wrong unit is a factor of
  1000 or more.
*/
#include "sanity_impl.h"
#include "base/text.h"
#include "base/vector3.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((format(printf, 3, 4))) void note(const wring_problem *p, wring_sanity *s, const char *format, ...)
{
  char    text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  (void)wring_note(p->comm, "%s", text);
  s->n_note++;
}

static const double soft = 1e8; // Pa: rubber, tissue, foam, gels; bodies of it are small

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* A body of a file whose scale is not given; NULL: there is none. */
static const char *unscaled_body(const wring_problem *p)
{
  const wring_bodies *const b = &p->parts->bodies;
  char                      prefix[WRING_PREFIX];
  for (PetscInt i = 0; i < b->n; i++) {
    snprintf(prefix, sizeof prefix, "body_%s_", b->name[i]);
    if (b->body[i].source.file && !wring_options_has(p->options, prefix, "scale")) return b->name[i];
  }
  return NULL;
}

/* A mesh in mm is 1000 times too large; mesh.scale, even of 1, says that the unit has been considered. */
static PetscErrorCode note_size(const wring_problem *p, wring_sanity *s)
{
  const wring_options *const o = p->options;
  const PetscBool   file = wring_options_has(o, "mesh_", "file"), box = wring_options_has(o, "mesh_", "box_size");
  const PetscBool   is_soft = (PetscBool)(s->young > 0 && s->young < soft);
  const PetscBool   heavy   = (PetscBool)(s->n_region > 0 && p->total_mass > (is_soft ? 1e4 : 1e6)); // of tets
  const PetscBool   wide    = (PetscBool)(s->length > 50 || (s->length > 5 && heavy));
  const char *const body    = unscaled_body(p);
  double            scale   = 1;

  PetscFunctionBegin;
  if (file) PetscCall(wring_options_get_real(o, "mesh_", wring_mesh_source_options, "scale", &scale));
  const PetscBool scaled = wring_options_has(o, "mesh_", "scale");
  if (body && wide)
    note(p, s,
         "the bodies extend over %.3g m and weigh %.3g kg: if the unit of %s is mm, set its scale to 1e-3; if m, to 1",
         s->length, p->total_mass, body);
  else if (file && !scaled && wide)
    note(
      p, s,
      "the mesh extends over %.3g m and weighs %.3g kg: if its unit is mm, set mesh: {scale: 1e-3}; if m, {scale: 1}",
      s->length, p->total_mass);
  else if (box && (s->length > 1000 || (s->length > 30 && (is_soft || p->total_mass > 1e7))))
    note(p, s, "the box extends over %.3g m and weighs %.3g kg: mesh.box.size is in m", s->length, p->total_mass);
  else if (file && scaled && scale <= 1e-2 && s->length < scale)
    note(p, s, "the mesh extends over %.3g m, %.3g before mesh.scale: if its unit is m, remove mesh.scale", s->length,
         s->length / scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

/* The first region of tets with a density or a speed of waves that no solid has. */
static void note_materials(const wring_problem *p, wring_sanity *s)
{
  const PetscBool given = (PetscBool)!wring_options_has(p->options, "mass_", "file");
  for (PetscInt r = 0; r < s->n_region; r++) {
    const wring_sanity_region *const region = &s->region[r];
    const char *const                name   = p->mesh->regions.name[r];
    const double                     rho    = region->density;
    if (given && ((rho < 20 && region->speed > 50) || rho > 3e4)) {
      note(p, s, "region '%s' has a density of %.3g kg/m^3: expected kg/m^3, water has 1000 (1 g/cm^3 = 1000 kg/m^3)",
           name, rho);
      break;
    }
    if (region->speed > 0 && (region->speed < 1 || region->speed > 2e4)) {
      note(p, s,
           "waves travel at %.3g m/s in region '%s' (Young's modulus %.3g Pa, density %.3g kg/m^3): moduli are in Pa, "
           "1 MPa = 1e6, 1 GPa = 1e9",
           region->speed, name, region->young, rho);
      break;
    }
  }
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Loads that would stretch the body to three times its length, or that no computation would resolve. */
static void note_strain(const wring_problem *p, wring_sanity *s)
{
  const double size = fmax(s->start.size, s->end.size);
  if (s->strain > 2 || (s->strain > 0 && s->strain < 1e-9 && s->way == 0 && s->turn == 0))
    note(p, s,
         "loads of %.3g N on %.3g m^2, the smallest face of the bounding box, and Young's modulus %.3g Pa suggest a "
         "strain of %.2g: check the units of loads, mesh and moduli",
         size, s->face, s->young, s->strain);
}

/* 9810 is in mm/s^2. Upwards: its largest component is positive. */
static void note_gravity(const wring_problem *p, wring_sanity *s)
{
  const double *const g    = wring_stepper_gravity(p->stepper);
  const double        size = sqrt(wring_dot3(g, g));
  int                 c    = 0;
  for (int k = 1; k < 3; k++) c = fabs(g[k]) > fabs(g[c]) ? k : c;
  if (size > 100)
    note(p, s, "gravity is %.4g m/s^2: expected m/s^2, the Earth's is 9.81", size);
  else if (g[c] > 0)
    note(p, s,
         "gravity acts along +%c: for a body that stands along %c, a negative value is "
         "expected",
         'x' + c, 'x' + c);
}

/* ---- what acts --------------------------------------------------------------------------------------------------- */

/*
  Whether anything may move a body at rest: loads, curves, moving attachments or targets, colliders, contact, springs of
  their own length, a given state.
*/
static PetscBool may_move(const wring_problem *p, const wring_sanity *s)
{
  static const char *const family[] = {"collider_", "self_contact_", "initial_", "spring_", "bending_", "membrane_"};
  const wring_attachments *const a  = &p->parts->attachments;
  const char                    *key, *value, *origin;
  if (s->start.size > 0 || s->end.size > 0 || s->way > 0 || s->turn > 0) return PETSC_TRUE;
  for (size_t i = 0; i < sizeof family / sizeof family[0]; i++)
    if (wring_options_has_family(p->options, family[i])) return PETSC_TRUE;
  for (PetscInt i = 0; i < a->n; i++)
    if (a->key[i].path || a->key[i].file) return PETSC_TRUE;
  for (PetscInt i = 0; i < wring_options_count(p->options); i++) {
    wring_options_entry(p->options, i, &key, &value, &origin);
    const size_t n = strlen(key), end = strlen("_curve");
    if (n > end && !wring_ascii_compare(key + n - end, "_curve")) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static double load_size(const wring_sanity_loads *l)
{
  return l->size - sqrt(wring_dot3(l->gravity, l->gravity));
}

static void note_acting(const wring_problem *p, wring_sanity *s)
{
  const double    size = fmax(load_size(&s->start), load_size(&s->end));
  const PetscBool held = (PetscBool)(wring_potential_held(p->g) == 3 * p->mesh->number.n_global);
  if (held)
    note(p, s, "hard attachments hold all %" PetscInt_FMT " vertices: nothing is computed", p->mesh->number.n_global);
  else if (!may_move(p, s))
    note(p, s, "nothing moves the body: no gravity, load, moving attachment, collider or initial velocity is given");
  if (!held && size > 1e-9 * fmax(s->start.size, s->end.size) && s->acting < 1e-9 * size)
    note(p, s, "loads of %.3g N act on vertices that hard attachments hold, and on no others: they have no effect",
         size);
}

/* ---- supports ---------------------------------------------------------------------------------------------------- */

/* Free flight is allowed; without a resultant, parts stay where they are. */
static void note_free_parts(const wring_problem *p, wring_sanity *s)
{
  const double *const g = s->start.gravity, *const e = s->end.gravity, *const f = s->free_load;
  const PetscBool falls = (PetscBool)(wring_dot3(g, g) > 0 || wring_dot3(e, e) > 0);
  if (s->free_part == 0 || (!falls && sqrt(wring_dot3(f, f)) <= 1e-6 * s->free_size)) return;
  if (s->part == 1)
    note(p, s, "nothing holds the body (%.3g kg): no attachment%s; it %s", s->free_mass,
         falls ? ", and no collider below it" : "", falls ? "falls freely" : "flies away under its loads");
  else
    note(p, s,
         "nothing holds %" PetscInt_FMT " of %" PetscInt_FMT " parts (%" PetscInt_FMT
         " vertices, %.3g kg): no attachment%s; they %s",
         s->free_part, s->part, s->free_vertices, s->free_mass, falls ? ", and no collider below them" : "",
         falls ? "fall freely" : "fly away under their loads");
}

static void note_coincident_parts(const wring_problem *p, wring_sanity *s)
{
  if (s->coincident > 0)
    note(p, s,
         "%" PetscInt64_FMT " vertices are at the places of vertices of other parts, and nothing connects them: "
         "expected one mesh, which Gmsh makes of volumes by BooleanFragments or Coherence, or self_contact",
         s->coincident);
}

static double resultant(const wring_sanity_loads *l)
{
  const double f[3] = {l->gravity[0] + l->load[0], l->gravity[1] + l->load[1], l->gravity[2] + l->load[2]};
  return sqrt(wring_dot3(f, f));
}

/* Attachments that are softer than the loads allow, or so stiff that rounding hides the body. */
static void note_attachments(const wring_problem *p, wring_sanity *s)
{
  const double load = fmax(resultant(&s->start), resultant(&s->end)), sag = s->held_by > 0 ? load / s->held_by : 0;
  const double edge = p->mesh->tets.n_global ? cbrt(8.5 * s->volume / (double)p->mesh->tets.n_global) : 0;
  if (sag > 0.1 * s->length && p->parts->colliders.n == 0)
    note(p, s,
         "the attachments give way by %.3g m under the loads: %.3g N over %.3g N/m in all; give a larger stiffness, or "
         "hard: true",
         sag, load, s->held_by);
  if (s->wave > 0 && s->stiffest > 1e8 * s->wave * edge)
    note(p, s, "an attachment of %.3g N/m is %.2g times as stiff as the elements, which costs digits: use hard: true",
         s->stiffest, s->stiffest / (s->wave * edge));
}

static void note_unused(const wring_problem *p, wring_sanity *s)
{
  char list[256] = "";
  if (s->n_unused == 0) return;
  for (PetscInt i = 0; i < s->n_unused; i++) wring_text_list(list, sizeof list, s->unused[i]);
  note(p, s, "no key uses %s %s of the deck", s->n_unused == 1 ? "the set" : "the sets", list);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode note_end(const wring_problem *p, wring_sanity *s)
{
  const wring_options *const o = p->options;
  const double               h = wring_stepper_size(p->stepper), steps = (double)wring_stepper_steps(p->stepper);
  double                     end = 0;

  PetscFunctionBegin;
  const PetscBool has_end = wring_options_has(o, "time_", "end"),
                  has_steps =
                    (PetscBool)(wring_options_has(o, "time_", "steps") || wring_options_has(o, "time_", "more_steps"));
  if (has_end) PetscCall(wring_options_get_real(o, "time_", wring_time_options, "end", &end));
  if (!has_end && !has_steps && !wring_options_has(o, "compare_", "solvers"))
    note(p, s, "neither time.end nor time.steps is given: a run makes one step");
  else if (has_end && h > end * (1 + 1e-9))
    note(p, s, "time.step %.6g s is larger than time.end %.6g s: a run makes one step", h, end);
  if (steps > 1e9 || p->state.time + steps * h + h == p->state.time + steps * h)
    note(p, s, "%.3g steps of %.3g s: no run completes them", steps, h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a tiny step positions change by less than rounding errors, whatever the loads are. */
static void note_motion(const wring_problem *p, wring_sanity *s)
{
  const double h = wring_stepper_size(p->stepper);
  if (h < 1e-7 * s->across_element)
    note(p, s,
         "time.step %.3g s is %.1g times the time of a wave across the smallest element: "
         "nothing moves in it",
         h, h / s->across_element);
  if (s->length > 0 && s->way > s->length)
    note(p, s,
         "velocities of the deck move vertices by %.3g m in a step, %.3g times the size of the body: velocities are in "
         "m/s, and a step is %.3g s",
         s->way, s->way / s->length, h);
  if (s->turn > 90) note(p, s, "an attachment turns by %.3g degrees in a step: spin is in degrees per second", s->turn);
}

static void note_stability(const wring_problem *p, wring_sanity *s)
{
  const double h = wring_stepper_size(p->stepper);
  if (wring_stepper_is_explicit(p->stepper) && h > s->stable)
    note(p, s,
         "time.step %.3g s is %.3g times the largest stable step of %s, about %.2g s: a smaller step or implicit_euler",
         h, h / s->stable, wring_stepper_integrator(p->stepper), s->stable);
  else if (wring_stepper_is_explicit(p->stepper) && h > s->touching)
    note(p, s,
         "time.step %.3g s may be too large for %s while vertices are in contact: about "
         "%.2g s is stable; a smaller step, or a smaller stiffness of contacts",
         h, wring_stepper_integrator(p->stepper), s->touching);
}

/* Above 0.45, with an allowance for the rounding of moduli. */
static void note_locking(const wring_problem *p, wring_sanity *s)
{
  const double most = 0.45 + 1e-6;
  for (PetscInt r = 0; r < s->n_region; r++) {
    if (s->region[r].locking > most)
      note(p, s,
           "region '%s' has Poisson's ratio %.4g: locking: tetrahedra of first order move too little; "
           "material.volumetric mean avoids it with neohookean, stable_neohookean, fixed_corotated or mooney_rivlin",
           p->mesh->regions.name[r], s->region[r].locking);
  }
}

/* Methods that move vertices out of colliders; the barrier has friction by Coulomb's law. */
static PetscErrorCode note_friction(const wring_problem *p, wring_sanity *s)
{
  const wring_contact *const c = p->parts->colliders.contact;
  char                       prefix[WRING_PREFIX];
  double                     friction;

  PetscFunctionBegin;
  for (int i = 0; c && i < wring_contact_parts(c); i++) {
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "collider_%s_", wring_contact_part_name(c, i)));
    PetscCall(wring_options_get_real(p->options, prefix, wring_collider_options, "friction", &friction));
    if (friction > 0)
      note(p, s,
           "collider '%s' has friction %.3g, which acts on the depth that each sweep finds: bodies that "
           "Coulomb's law would hold may creep or slide",
           wring_contact_part_name(c, i), friction);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_print_notes(const wring_problem *p, wring_sanity *s)
{
  PetscFunctionBegin;
  PetscCall(note_size(p, s));
  note_materials(p, s);
  note_gravity(p, s);
  if (s->n_note == 0) note_strain(p, s); // has no other cause
  note_acting(p, s);
  note_free_parts(p, s);
  note_coincident_parts(p, s);
  note_attachments(p, s);
  note_unused(p, s);
  PetscCall(note_end(p, s));
  note_locking(p, s);
  PetscCall(note_friction(p, s));
  if (wring_stepper_is_static(p->stepper)) PetscFunctionReturn(PETSC_SUCCESS); // h is a pseudo-time
  note_motion(p, s);
  note_stability(p, s);
  PetscFunctionReturn(PETSC_SUCCESS);
}
