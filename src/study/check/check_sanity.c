/* Prints what the numbers of a problem amount to: sizes, materials, waves, loads, parts, names. */
#include "check_sanity.h"
#include <math.h>
#include <stdio.h>

/* Regions of tets; the first line has the mass of all. */
static void print_regions(const wring_problem *p, const wring_sanity *s)
{
  printf("mass      %.4g kg\n", p->total_mass);
  for (PetscInt r = 0; r < s->n_region; r++) {
    const wring_sanity_region *const g = &s->region[r];
    printf("          %s: %.4g kg, %.4g m^3 of %.4g kg/m^3; ", p->mesh->regions.name[r], g->volume * g->density,
           g->volume, g->density);
    if (g->speed > 0)
      printf("at rest Young's modulus %.4g Pa, waves %.4g m/s\n", g->young, g->speed);
    else
      printf("no stiffness at rest\n");
  }
}

static void print_loads_at(const wring_problem *p, const char *title, const wring_sanity_loads *l)
{
  const double *const g = l->gravity, *const f = l->load;
  printf("%-9s at %.6g%s: weight %.4g,%.4g,%.4g N, other loads %.4g,%.4g,%.4g N; ", title, l->time,
         wring_stepper_is_static(p->stepper) ? "" : " s", g[0] + 0.0, g[1] + 0.0, g[2] + 0.0, f[0] + 0.0, f[1] + 0.0,
         f[2] + 0.0);
  printf("reactions at rest %.4g,%.4g,%.4g N\n", -(g[0] + f[0]) + 0.0, -(g[1] + f[1]) + 0.0,
         -(g[2] + f[2]) + 0.0); // no -0
}

static PetscBool same(const wring_sanity_loads *a, const wring_sanity_loads *b)
{
  for (int c = 0; c < 3; c++)
    if (a->gravity[c] != b->gravity[c] || a->load[c] != b->load[c]) return PETSC_FALSE;
  return PETSC_TRUE;
}

void wring_check_print_sanity(const wring_problem *p, const wring_sanity *s)
{
  const double *const a = s->low, *const b = s->high, h = wring_stepper_size(p->stepper);
  printf("size      %.4g x %.4g x %.4g m, from %.4g,%.4g,%.4g to %.4g,%.4g,%.4g m\n", b[0] - a[0], b[1] - a[1],
         b[2] - a[2], a[0], a[1], a[2], b[0], b[1], b[2]);
  print_regions(p, s);
  if (s->across_element > 0 && !wring_stepper_is_static(p->stepper))
    printf("waves     %.3g s across the smallest element, %.3g s across the body; time.step is %.3g and %.3g times "
           "that\n",
           s->across_element, s->across_body, h / s->across_element, h / s->across_body);
  print_loads_at(p, "loads", &s->start);
  if (!same(&s->start, &s->end)) print_loads_at(p, "", &s->end);
  if (s->strain > 0)
    printf("strain    about %.2g: loads of %.3g N on %.3g m^2, the smallest face of the box, and %.3g Pa\n", s->strain,
           fmax(s->start.size, s->end.size), s->face, s->young);
  printf("parts     %" PetscInt_FMT ", of which nothing holds %" PetscInt_FMT "\n", s->part, s->free_part);
  if (s->n_spare) printf("unused    sets");
  for (PetscInt i = 0; i < s->n_spare; i++) printf(" %s%s", s->spare[i], i == s->n_spare - 1 ? "\n" : "");
}
