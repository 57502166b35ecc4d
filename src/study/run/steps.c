/* Rows of steps.csv, energies, momenta and reactions after each step, and of probes.csv. */
#include "tables.h"
#include <math.h>
#include <string.h>

/* Adds the share of one vertex: b[0] kinetic, b[1] external, b[2..4] momentum, b[5..7] angular momentum. */
static void add_vertex(double m, const double *gravity, const double *x, const double *v, double b[8])
{
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    b[0] += 0.5 * m * v[c] * v[c];
    b[1] -= m * gravity[c] * x[c];
    b[2 + c] += m * v[c];
    b[5 + c] += m * (x[d] * v[e] - x[e] * v[d]);
  }
}

PetscErrorCode wring_balance_measure(const wring_problem *p, char *inverted, wring_balance *b)
{
  const double *const gravity = wring_stepper_gravity(p->stepper), time = p->state.time;
  const double        factor  = wring_loads_gravity_factor(p->loads, time);
  const double        at[3]   = {factor * gravity[0], factor * gravity[1], factor * gravity[2]};
  double              sum[10] = {0};
  const PetscScalar  *x, *v;
  PetscInt64          count[2];

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  PetscCall(VecGetArrayRead(p->state.v, &v));
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) add_vertex(p->mass[i], at, x + 3 * i, v + 3 * i, sum);
  sum[1] += wring_loads_potential(p->loads, time, x);
  wring_mark_inverted(p->mesh, x, inverted, count);
  for (int i = 0; i < 2; i++) sum[8 + i] = (double)count[i];
  PetscCall(VecRestoreArrayRead(p->state.v, &v));
  PetscCall(wring_potential_restore_local(p->g, p->state.q, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 10, MPI_DOUBLE, MPI_SUM, p->comm));
  b->kinetic  = sum[0];
  b->external = sum[1] - p->state.work;
  b->flaws    = (wring_flaws){.inverted = (PetscInt64)sum[8], .newly = (PetscInt64)sum[9]};
  memcpy(b->p, sum + 2, sizeof b->p);
  memcpy(b->l, sum + 5, sizeof b->l);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forces of the attachments, in the order of the deck and of their terms. */
static PetscErrorCode print_reactions(FILE *file, wring_problem *p)
{
  wring_term *const *term;
  const int          n = wring_potential_terms(p->g, &term);
  double            *force;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &force));
  PetscCall(wring_potential_resultants(p->g, p->state.q, force));
  for (int i = 0; i < n; i++) {
    if (!file || !wring_term_is_attachment(term[i])) continue;
    fprintf(file, ",%.17g,%.17g,%.17g", force[3 * i], force[3 * i + 1], force[3 * i + 2]);
  }
  PetscCall(PetscFree(force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the contacts of g at the end of the step, in the order of the header; sets lost and losing of *flaws. */
static PetscErrorCode print_contacts(FILE *file, wring_problem *p, wring_flaws *flaws)
{
  wring_contact *const *contact;
  const int             n = wring_potential_contacts(p->g, &contact);
  wring_contact_report  report;
  double               *force;
  PetscInt64           *lost;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &lost));
  for (int i = 0; i < n; i++) {
    const int parts = wring_contact_parts(contact[i]);
    PetscCall(PetscMalloc1(3 * parts, &force));
    PetscCall(wring_potential_measure_contact(p->g, i, p->state.q, &report, force));
    if (file) fprintf(file, ",%lld,%.17g", (long long)report.inside, report.depth);
    for (int j = 0; j < 3 * parts && file; j++) fprintf(file, ",%.17g", force[j]);
    PetscCall(PetscFree(force));
    lost[i] = report.lost;
    flaws->lost += report.lost;
    if (report.lost) flaws->losing = wring_contact_losing(contact[i]);
  }
  for (int i = 0; i < n && file; i++)
    if (wring_contact_losing(contact[i])) fprintf(file, ",%" PetscInt64_FMT, lost[i]);
  PetscCall(PetscFree(lost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_probes(FILE *file, wring_problem *p)
{
  const char *const *name;
  const PetscInt     n = wring_problem_probe_columns(p, &name);
  double            *value;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &value));
  PetscCall(wring_problem_measure_probes(p, p->state.q, p->state.v, value));
  if (file) fprintf(file, "%" PetscInt_FMT ",%.17g", p->state.step, p->state.time);
  for (PetscInt i = 0; i < n && file; i++) fprintf(file, ",%.17g", isnan(value[i]) ? NAN : value[i]); // not -nan
  if (file) fprintf(file, "\n");
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tables_add_step(wring_tables *t, wring_problem *p, double elastic, const wring_outcome *outcome,
                                     wring_tally *tally)
{
  FILE *const   f = t->file[WRING_STEPS_CSV];
  wring_balance b = {.elastic = elastic};

  PetscFunctionBegin;
  PetscCall(wring_balance_measure(p, tally->inverted, &b));
  if (f)
    fprintf(f,
            "%" PetscInt_FMT ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%" PetscInt_FMT
            ",%s,%.17g",
            p->state.step, p->state.time, b.kinetic, b.elastic, b.external, b.kinetic + b.elastic + b.external, b.p[0],
            b.p[1], b.p[2], b.l[0], b.l[1], b.l[2], outcome->iterations, wring_reason_name(outcome->reason),
            outcome->last.seconds);
  PetscCall(print_reactions(f, p));
  PetscCall(print_contacts(f, p, &b.flaws));
  if (f) fprintf(f, ",%" PetscInt64_FMT "\n", b.flaws.inverted);
  PetscCall(add_probes(t->file[WRING_PROBES_CSV], p));
  PetscCall(wring_tally_step(p, outcome, &b.flaws, tally));
  PetscFunctionReturn(PETSC_SUCCESS);
}
