#define _POSIX_C_SOURCE 200809L // getline, open_memstream, fsync
/* The files of tables, their headers and rows. */
#include "tables.h"
#include "io/file.h"
#include "output.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const file_name[WRING_N_TABLE] = {"steps.csv", "history.csv", "residuals.csv", "probes.csv"};

static void path_of(const wring_tables *t, int i, size_t size, char *path)
{
  snprintf(path, size, "%s/%s", t->directory, file_name[i]);
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* Columns of one kind of contacts: number of vertices inside, their depth, then the force of each part. */
static void print_contact(FILE *f, const wring_contact *c)
{
  const char *const kind = wring_contact_kind(c);
  if (wring_contact_is_friction(c)) return;
  if (!wring_contact_is_bounded(c)) fprintf(f, ",%s_inside,%s_depth", kind, kind);
  for (int i = 0; i < wring_contact_parts(c); i++) {
    const char *const part = wring_contact_part_name(c, i);
    fprintf(f, ",collider_%s_fx,collider_%s_fy,collider_%s_fz", part, part, part);
  }
}

/* Whether steps.csv has the largest stress, which takes a pass over all tetrahedra. */
static PetscBool has_peak(const wring_problem *p)
{
  return (PetscBool)(wring_stepper_is_static(p->stepper) && p->mesh->tets.n_global > 0);
}

/* After the columns of all contacts, which include the forces of friction; torques about the centres of colliders. */
static void print_friction_header(const wring_contact *friction, FILE *f)
{
  if (friction) fprintf(f, ",friction_force,friction_work,friction_repeats");
  for (int i = 0; friction && i < wring_contact_parts(friction); i++) {
    const char *const part = wring_contact_part_name(friction, i);
    fprintf(f, ",collider_%s_friction_tx,collider_%s_friction_ty,collider_%s_friction_tz", part, part, part);
  }
}

static void print_steps_header(const wring_problem *p, FILE *f)
{
  wring_term *const    *term;
  wring_contact *const *contact;
  const int             n_term = wring_potential_terms(p->g, &term), n = wring_potential_contacts(p->g, &contact);
  fprintf(f, "step,time,kinetic,elastic,external,total,px,py,pz,lx,ly,lz,iterations,reason,seconds");
  for (int i = 0; i < n_term; i++) {
    const char *const set = wring_term_name(term[i]);
    if (wring_term_is_attachment(term[i])) fprintf(f, ",%s_fx,%s_fy,%s_fz", set, set, set);
  }
  for (int i = 0; i < n; i++) print_contact(f, contact[i]);
  for (int i = 0; i < n; i++)
    if (wring_contact_losing(contact[i])) fprintf(f, ",%s_lost", wring_contact_kind(contact[i]));
  fprintf(f, ",inverted");
  if (has_peak(p)) fprintf(f, ",von_mises,von_mises_x,von_mises_y,von_mises_z");
  if (wring_potential_has_bounded_contacts(p->g)) fprintf(f, ",contacts,least_distance,contact_force,cut_steps");
  print_friction_header(wring_potential_friction(p->g), f);
}

/* Headers that are NULL are those of tables that this run does not have; the others are freed by free. */
static PetscErrorCode make_headers(const wring_problem *p, PetscBool residuals, char *header[WRING_N_TABLE])
{
  const char *const *probe;
  const PetscInt     n_probe = wring_problem_probe_columns(p, &probe);
  size_t             size;

  PetscFunctionBegin;
  for (int i = 0; i < WRING_N_TABLE; i++) {
    header[i] = NULL;
    if ((i == WRING_RESIDUALS_CSV && !residuals) || (i == WRING_PROBES_CSV && n_probe == 0)) continue;
    FILE *const f = open_memstream(&header[i], &size);
    PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the header of %s", file_name[i]);
    if (i == WRING_STEPS_CSV) print_steps_header(p, f);
    if (i == WRING_HISTORY_CSV)
      fprintf(f, "step,time,solver,iteration,objective,inertial,elastic,gradient_norm,step_length,evaluations,"
                 "linear_iterations,seconds,reference");
    if (i == WRING_RESIDUALS_CSV) fprintf(f, "step,iteration,primal,dual");
    if (i == WRING_PROBES_CSV) fprintf(f, "step,time");
    for (PetscInt k = 0; k < n_probe && i == WRING_PROBES_CSV; k++) fprintf(f, ",%s", probe[k]);
    PetscCheck(fclose(f) == 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the header of %s", file_name[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A file that is there must have this header: a run cannot continue another one. */
static void check(const char *path, const char *header, wring_error *e)
{
  char       *line = NULL;
  size_t      size = 0;
  FILE *const file = wring_file_open(path, e);
  if (!file) return;
  if (getline(&line, &size, file) > 0) {
    char *const end = strchr(line, '\n');
    if (end) *end = '\0';
    if (end && strcmp(line, header) != 0)
      wring_error_set(e, "%s: its columns are not those of this run, expected another output.directory", path);
  }
  free(line);
  fclose(file);
}

/* Copies the header and the rows up to `keep`; drops an incomplete last line, and completes an incomplete header. */
static void copy_rows(FILE *from, FILE *to, const char *path, const char *header, PetscInt keep, wring_error *e)
{
  char    *line = NULL;
  size_t   size = 0;
  PetscInt i;
  for (i = 0; getline(&line, &size, from) > 0 && !wring_failed(e); i++) {
    char *const end = strchr(line, '\n');
    if (!end) break;
    *end = '\0';
    if (i == 0 || strtoll(line, NULL, 10) <= keep) fprintf(to, "%s\n", line);
  }
  if (ferror(from)) wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
  if (i == 0) fprintf(to, "%s\n", header);
  free(line);
}

static FILE *open_table(const char *path, const char *header, PetscInt keep, wring_error *e)
{
  FILE *const from = keep >= 0 ? wring_file_open(path, e) : NULL, *const to = from ? wring_file_create(path, e) : NULL;
  if (to) copy_rows(from, to, path, header, keep, e);
  if (from) fclose(from);
  if (from) wring_file_commit(to, path, e);
  FILE *const file = wring_failed(e) ? NULL : fopen(path, from ? "a" : "w");
  if (!file) wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
  if (file && !from) fprintf(file, "%s\n", header);
  return file;
}

PetscErrorCode wring_tables_open(const wring_problem *p, PetscBool residuals, PetscInt keep, wring_tables *t,
                                 wring_error *refusal, wring_error *e)
{
  char *header[WRING_N_TABLE], path[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  PetscCall(make_headers(p, residuals, header));
  for (int i = 0; i < WRING_N_TABLE; i++) {
    path_of(t, i, sizeof path, path);
    if (header[i] && keep >= 0) check(path, header[i], refusal);
  }
  for (int i = 0; i < WRING_N_TABLE; i++) {
    path_of(t, i, sizeof path, path);
    if (header[i] && !wring_failed(refusal) && !wring_failed(e)) t->file[i] = open_table(path, header[i], keep, e);
    if (!header[i] && !wring_failed(refusal)) wring_directory_remove_file(t->directory, file_name[i], e);
    free(header[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_tables_flush(wring_tables *t, PetscBool disk, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  for (int i = 0; i < WRING_N_TABLE; i++) {
    FILE *const file = t->file[i];
    if (!file || wring_failed(e)) continue;
    path_of(t, i, sizeof path, path);
    const PetscBool lost = (PetscBool)(fflush(file) || ferror(file));
    if (lost || (disk && fsync(fileno(file)) && errno != EINVAL)) // EINVAL: not on a disk, such as a pipe
      wring_error_set(e, "%s: cannot be written: %s", path, strerror(errno));
  }
}

void wring_tables_close(wring_tables *t)
{
  for (int i = 0; i < WRING_N_TABLE; i++) {
    if (t->file[i]) fclose(t->file[i]);
    t->file[i] = NULL;
  }
}

void wring_tables_add_iteration(const wring_tables *t, const wring_iteration *it)
{
  FILE *const history = t->file[WRING_HISTORY_CSV], *const residuals = t->file[WRING_RESIDUALS_CSV];
  if (history)
    fprintf(history,
            "%" PetscInt_FMT ",%.17g,%s,%" PetscInt_FMT ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PetscInt_FMT
            ",%" PetscInt64_FMT ",%.17g,%.17g\n",
            t->step, t->time, t->solver, it->iteration, it->value.objective, it->value.inertial, it->value.elastic,
            it->gradient_norm, it->step_length, it->evaluations, it->linear_iterations, it->seconds, it->reference);
  if (residuals && it->iteration > 0)
    fprintf(residuals, "%" PetscInt_FMT ",%" PetscInt_FMT ",%.17g,%.17g\n", t->step, it->iteration, it->primal,
            it->dual);
}

/* ---- rows after a step ------------------------------------------------------------------------------------------- */

/* Adds the share of one vertex: b[0] kinetic, b[1] external, b[2..4] momentum, b[5..7] angular momentum. */
static void add_vertex(double m, double weight, const double *gravity, const double *X, const double *x,
                       const double *v, double b[8])
{
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    b[0] += 0.5 * m * v[c] * v[c];
    b[1] -= weight * gravity[c] * (x[c] - X[c]);
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
  for (PetscInt i = 0; i < p->mesh->n_owned; i++)
    add_vertex(p->mass[i], wring_loads_weight(p->loads)[i], at, p->mesh->X + 3 * i, x + 3 * i, v + 3 * i, sum);
  sum[1] += wring_loads_potential(p->loads, time, x);
  wring_mark_inverted(p->mesh, x, inverted, count);
  for (int i = 0; i < 2; i++) sum[8 + i] = (double)count[i];
  PetscCall(VecRestoreArrayRead(p->state.v, &v));
  PetscCall(VecRestoreArrayRead(p->state.q, &x));
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

/*
  Values of the contacts of g at the end of the step, in the order of the header; sets lost, losing and depth of *flaws,
  and adds to *bounded.
*/
static PetscErrorCode print_contacts(FILE *file, wring_problem *p, wring_flaws *flaws, wring_contact_report *bounded)
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
    lost[i]         = 0;
    if (wring_contact_is_friction(contact[i])) continue;
    PetscCall(PetscMalloc1(3 * parts, &force));
    PetscCall(wring_potential_measure_contact(p->g, i, p->state.q, &report, force));
    if (wring_contact_is_bounded(contact[i])) {
      bounded->pairs += report.pairs;
      bounded->least = fmin(bounded->least, report.least);
      bounded->force += report.force;
    } else {
      flaws->depth = PetscMax(flaws->depth, report.depth);
      if (file) fprintf(file, ",%lld,%.17g", (long long)report.inside, report.depth);
    }
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

/* No least distance: the nearest surfaces are farther apart than the search reaches. */
static void print_bounded(FILE *f, const wring_contact_report *r, PetscInt cut)
{
  fprintf(f, ",%" PetscInt64_FMT ",", r->pairs);
  if (isfinite(r->least)) fprintf(f, "%.17g", r->least);
  fprintf(f, ",%.17g,%" PetscInt_FMT, r->force, cut);
}

static PetscErrorCode print_friction(FILE *f, wring_problem *p, const wring_outcome *outcome)
{
  const wring_contact *const friction = wring_potential_friction(p->g);
  wring_slip_report          report;
  double                    *torque;

  PetscFunctionBegin;
  if (!friction) PetscFunctionReturn(PETSC_SUCCESS);
  const int n = 3 * wring_contact_parts(friction);
  PetscCall(PetscMalloc1(n, &torque));
  PetscCall(wring_potential_measure_slip(p->g, p->state.q, NULL, &report, torque));
  if (f) fprintf(f, ",%.17g,%.17g,%" PetscInt_FMT, report.force, outcome->friction.work, outcome->friction.repeats);
  for (int i = 0; i < n && f; i++) fprintf(f, ",%.17g", torque[i]);
  PetscCall(PetscFree(torque));
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
  wring_peak    peak;

  wring_contact_report bounded = {.least = INFINITY};

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
  PetscCall(print_contacts(f, p, &b.flaws, &bounded));
  if (f) fprintf(f, ",%" PetscInt64_FMT, b.flaws.inverted);
  if (has_peak(p)) PetscCall(wring_potential_peak(p->g, p->state.q, -1, &peak));
  if (f && has_peak(p)) fprintf(f, ",%.17g,%.17g,%.17g,%.17g", peak.value, peak.place[0], peak.place[1], peak.place[2]);
  if (f && wring_potential_has_bounded_contacts(p->g)) print_bounded(f, &bounded, outcome->cut);
  PetscCall(print_friction(f, p, outcome));
  if (f) fprintf(f, "\n");
  PetscCall(add_probes(t->file[WRING_PROBES_CSV], p));
  wring_tally_step(p, outcome, &b.flaws, tally);
  PetscFunctionReturn(PETSC_SUCCESS);
}
