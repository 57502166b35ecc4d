/* Prints what the numbers of a problem amount to: sizes, materials, waves, loads, parts, names. */
#include "check_sanity.h"
#include <math.h>

static PetscErrorCode print_size(const wring_problem *p, const wring_sanity *s)
{
  const double *const a = s->low, *const b = s->high;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(p->comm, "size      %.4g x %.4g x %.4g m, from %.4g,%.4g,%.4g to %.4g,%.4g,%.4g m\n",
                        b[0] - a[0], b[1] - a[1], b[2] - a[2], a[0], a[1], a[2], b[0], b[1], b[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Regions of tets; the first line has the mass of all. */
static PetscErrorCode print_regions(const wring_problem *p, const wring_sanity *s)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(p->comm, "mass      %.4g kg\n", p->total_mass));
  for (PetscInt r = 0; r < s->n_region; r++) {
    const wring_sanity_region *const g = &s->region[r];
    PetscCall(PetscPrintf(p->comm, "          %s: %.4g kg, %.4g m^3 of %.4g kg/m^3; ", p->mesh->regions.name[r],
                          g->volume * g->density, g->volume, g->density));
    if (g->speed > 0)
      PetscCall(PetscPrintf(p->comm, "at rest Young's modulus %.4g Pa, waves %.4g m/s\n", g->young, g->speed));
    else
      PetscCall(PetscPrintf(p->comm, "no stiffness at rest\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_waves(const wring_problem *p, const wring_sanity *s)
{
  const double h = wring_stepper_size(p->stepper);

  PetscFunctionBegin;
  if (!(s->across_element > 0) || wring_stepper_is_static(p->stepper)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(p->comm, "waves     %.3g s across the smallest element, %.3g s across the body; ",
                        s->across_element, s->across_body));
  PetscCall(PetscPrintf(p->comm, "time.step is %.3g and %.3g times that\n", h / s->across_element, h / s->across_body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_loads_at(const wring_problem *p, const char *title, const wring_sanity_loads *l)
{
  double sum[3];

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) sum[c] = -(l->gravity[c] + l->load[c]) + 0.0; // no -0
  PetscCall(PetscPrintf(p->comm, "%-9s at %.6g%s: weight %.4g,%.4g,%.4g N, other loads %.4g,%.4g,%.4g N; ", title,
                        l->time, wring_stepper_is_static(p->stepper) ? "" : " s", l->gravity[0] + 0.0,
                        l->gravity[1] + 0.0, l->gravity[2] + 0.0, l->load[0] + 0.0, l->load[1] + 0.0,
                        l->load[2] + 0.0));
  PetscCall(PetscPrintf(p->comm, "reactions at rest %.4g,%.4g,%.4g N\n", sum[0], sum[1], sum[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool same(const wring_sanity_loads *a, const wring_sanity_loads *b)
{
  for (int c = 0; c < 3; c++)
    if (a->gravity[c] != b->gravity[c] || a->load[c] != b->load[c]) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode print_loads(const wring_problem *p, const wring_sanity *s)
{
  PetscFunctionBegin;
  PetscCall(print_loads_at(p, "loads", &s->start));
  if (!same(&s->start, &s->end)) PetscCall(print_loads_at(p, "", &s->end));
  if (s->strain > 0)
    PetscCall(PetscPrintf(p->comm,
                          "strain    about %.2g: loads of %.3g N on %.3g m^2, the smallest face of the box, "
                          "and %.3g Pa\n",
                          s->strain, fmax(s->start.size, s->end.size), s->face, s->young));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_names(const wring_problem *p, const char *title, PetscInt n, const char *const *name)
{
  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(p->comm, "%s", title));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscPrintf(p->comm, " %s", name[i]));
  PetscCall(PetscPrintf(p->comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_check_print_sanity(const wring_problem *p, const wring_sanity *s)
{
  PetscFunctionBegin;
  PetscCall(print_size(p, s));
  PetscCall(print_regions(p, s));
  PetscCall(print_waves(p, s));
  PetscCall(print_loads(p, s));
  PetscCall(PetscPrintf(p->comm, "parts     %" PetscInt_FMT ", of which nothing holds %" PetscInt_FMT "\n", s->part,
                        s->free_part));
  PetscCall(print_names(p, "unused    sets", s->n_spare, s->spare));
  PetscFunctionReturn(PETSC_SUCCESS);
}
