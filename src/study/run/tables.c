#define _POSIX_C_SOURCE 200809L // getline, open_memstream, fsync
/* The files of tables, and rows of history.csv and residuals.csv. */
#include "tables.h"
#include "io/file.h"
#include "study/common/output_directory.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const name[WRING_N_TABLE] = {"steps.csv", "history.csv", "residuals.csv", "probes.csv"};

static void path_of(const wring_tables *t, int i, size_t size, char *path)
{
  snprintf(path, size, "%s/%s", t->directory, name[i]);
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* Columns of one kind of contacts: number of vertices inside, their depth, then the force of each part. */
static void print_contact(FILE *f, const wring_contact *c)
{
  const char *const kind = wring_contact_kind(c);
  fprintf(f, ",%s_inside,%s_depth", kind, kind);
  for (int i = 0; i < wring_contact_parts(c); i++) {
    const char *const part = wring_contact_part_name(c, i);
    fprintf(f, ",%s_%s_fx,%s_%s_fy,%s_%s_fz", kind, part, kind, part, kind, part);
  }
}

static void print_steps_header(const wring_problem *p, FILE *f)
{
  const char *const    *set;
  wring_contact *const *contact;
  const PetscInt        n_set = wring_problem_attachments(p, &set);
  const int             n     = wring_potential_contacts(p->g, &contact);
  fprintf(f, "step,time,kinetic,elastic,external,total,px,py,pz,lx,ly,lz,iterations,reason,seconds");
  for (PetscInt i = 0; i < n_set; i++) fprintf(f, ",%s_fx,%s_fy,%s_fz", set[i], set[i], set[i]);
  for (int i = 0; i < n; i++) print_contact(f, contact[i]);
  for (int i = 0; i < n; i++)
    if (wring_contact_losing(contact[i])) fprintf(f, ",%s_lost", wring_contact_kind(contact[i]));
  fprintf(f, ",inverted");
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
    PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the header of %s", name[i]);
    if (i == WRING_STEPS_CSV) print_steps_header(p, f);
    if (i == WRING_HISTORY_CSV)
      fprintf(f, "step,time,solver,iteration,objective,inertial,elastic,gradient_norm,step_length,evaluations,"
                 "linear_iterations,seconds,reference");
    if (i == WRING_RESIDUALS_CSV) fprintf(f, "step,iteration,primal,dual");
    if (i == WRING_PROBES_CSV) fprintf(f, "step,time");
    for (PetscInt k = 0; k < n_probe && i == WRING_PROBES_CSV; k++) fprintf(f, ",%s", probe[k]);
    PetscCheck(fclose(f) == 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the header of %s", name[i]);
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
  for (i = 0; getline(&line, &size, from) > 0 && !e->text[0]; i++) {
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
  FILE *const file = e->text[0] ? NULL : fopen(path, from ? "a" : "w");
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
  for (int i = 0; i < WRING_N_TABLE && keep >= 0; i++) {
    path_of(t, i, sizeof path, path);
    if (header[i]) check(path, header[i], refusal);
  }
  for (int i = 0; i < WRING_N_TABLE && !refusal->text[0] && !e->text[0]; i++) {
    path_of(t, i, sizeof path, path);
    if (header[i]) t->file[i] = open_table(path, header[i], keep, e);
  }
  for (int i = 0; i < WRING_N_TABLE; i++) {
    if (!header[i] && !refusal->text[0] && !e->text[0]) wring_directory_remove_file(t->directory, name[i], e);
    free(header[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_tables_flush(wring_tables *t, PetscBool disk, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  for (int i = 0; i < WRING_N_TABLE; i++) {
    FILE *const file = t->file[i];
    if (!file || e->text[0]) continue;
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
