/* Loads at both ends of the run, and the strain that they suggest; attachments; motion in a step. */
#include "sanity_impl.h"
#include "base/vector3.h"
#include <math.h>

static PetscErrorCode sum_loads(const wring_problem *p, double time, wring_sanity_loads *l)
{
  const double *const gravity = wring_stepper_gravity(p->stepper);
  wring_load_totals   total;

  PetscFunctionBegin;
  PetscCall(wring_loads_total(p->loads, time, &total));
  const double weight = p->total_mass * wring_loads_gravity_factor(p->loads, time);
  l->time             = time;
  for (int c = 0; c < 3; c++) {
    l->gravity[c] = weight * gravity[c];
    l->load[c]    = total.force[c] + total.pressure[c];
  }
  l->size = total.force_size + total.pressure_size + sqrt(wring_dot3(l->gravity, l->gravity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_sum_acting(const wring_problem *p, double time, const char *held, double sum[4])
{
  double *a;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * p->mesh->n_owned, &a));
  PetscCall(wring_loads_accelerate(p->loads, time, p->state.q, a));
  for (int c = 0; c < 4; c++) sum[c] = 0;
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) {
    for (int c = 0; c < 3; c++) {
      if (held && held[v] >> c & 1) a[3 * v + c] = 0;
      sum[c] += p->mass[v] * a[3 * v + c];
    }
    sum[3] += p->mass[v] * sqrt(wring_dot3(a + 3 * v, a + 3 * v));
  }
  PetscCall(PetscFree(a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- attachments ------------------------------------------------------------------------------------------------- */

/* On owned vertices: k [n_owned] N/m of soft attachments, or of springs. */
static PetscErrorCode sum_stiffness(const wring_problem *p, PetscBool attachments, double *k)
{
  const wring_mesh *const m = p->mesh;
  wring_term *const      *term;
  const int               n = wring_potential_terms(p->g, &term);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(k, m->n_local));
  for (int i = 0; i < n; i++)
    if (wring_term_is_attachment(term[i]) == attachments) wring_term_add_stiffness(term[i], k);
  PetscCall(PetscSFReduceBegin(m->forest.halo, MPI_DOUBLE, k, k, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->forest.halo, MPI_DOUBLE, k, k, MPI_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest k/m of owned vertices, 1/s^2, and the largest k. */
static double find_stiffest(const wring_problem *p, const double *k, double *stiffest)
{
  double fastest = 0;
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) {
    fastest   = fmax(fastest, k[v] / p->mass[v]);
    *stiffest = fmax(*stiffest, k[v]);
  }
  return fastest;
}

/*
  The largest angular frequency squared is at least k/m of a vertex with an attachment and a third of k/m of one with
  springs, and about (2 c/height)^2 of an element. docs/theory.md 10
*/
static PetscErrorCode measure_attachments(const wring_problem *p, wring_sanity *s)
{
  double *k, most[3] = {0}, unused = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->mesh->n_local, &k));
  PetscCall(sum_stiffness(p, PETSC_FALSE, k));
  most[0] = find_stiffest(p, k, &unused) / 3;
  PetscCall(sum_stiffness(p, PETSC_TRUE, k));
  most[1] = find_stiffest(p, k, &most[2]);
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) s->held_by += k[v];
  PetscCall(PetscFree(k));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, p->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &s->held_by, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  s->stiffest = most[2];
  if (wring_potential_held(p->g) > 0) s->held_by = INFINITY;
  s->stable = 2 / sqrt(fmax(most[0], most[1]));
  if (s->across_element > 0) s->stable = fmin(s->stable, s->across_element);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the lightest vertex in contact: adds k/m to the largest angular frequency squared, (2/stable)^2. */
static PetscErrorCode measure_contacts(const wring_problem *p, wring_sanity *s)
{
  wring_contact *const *contact;
  const int             n       = wring_potential_contacts(p->g, &contact);
  double                largest = 0, lightest = INFINITY;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) largest = fmax(largest, wring_contact_stiffness(contact[i]));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) lightest = fmin(lightest, p->mass[v]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lightest, 1, MPI_DOUBLE, MPI_MIN, p->comm));
  s->touching = 2 / sqrt(4 / (s->stable * s->stable) + largest / lightest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/* By velocities at the start and of attachments, in one step. */
static PetscErrorCode measure_motion(const wring_problem *p, wring_sanity *s)
{
  const wring_attachments *const a = &p->parts->attachments;
  const double                   h = wring_stepper_size(p->stepper);
  PetscReal                      fastest;

  PetscFunctionBegin;
  PetscCall(VecNorm(p->state.v, NORM_INFINITY, &fastest));
  s->way = h * fastest;
  for (PetscInt i = 0; i < a->n; i++) {
    const double *const v = a->key[i].motion.velocity, *const w = a->key[i].motion.spin;
    s->way  = fmax(s->way, h * sqrt(wring_dot3(v, v)));
    s->turn = fmax(s->turn, h * sqrt(wring_dot3(w, w)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sanity_measure_loads(const wring_problem *p, wring_sanity *s)
{
  const char *const held = wring_potential_held_marks(p->g);
  const double      h    = wring_stepper_size(p->stepper);
  const double      now  = wring_stepper_is_static(p->stepper) ? h * (double)p->state.step : p->state.time;
  double            first[4], last[4];
  PetscInt          step;

  PetscFunctionBegin;
  PetscCall(sum_loads(p, p->state.time, &s->start));
  PetscCall(wring_problem_find_last_step(p, &step));
  PetscCall(sum_loads(p, now + h * (double)(step - p->state.step), &s->end));
  PetscCall(wring_sanity_sum_acting(p, s->start.time, held, first));
  PetscCall(wring_sanity_sum_acting(p, s->end.time, held, last));
  s->acting = fmax(first[3], last[3]);
  if (s->young > 0 && s->face > 0) s->strain = fmax(s->start.size, s->end.size) / (s->face * s->young);
  PetscCall(measure_attachments(p, s));
  PetscCall(measure_contacts(p, s));
  PetscCall(measure_motion(p, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
