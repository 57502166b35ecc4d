#define _POSIX_C_SOURCE 200809L // getline
#include "records.h"
#include "io/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void wring_record_check(const char *directory, const char *name, const char *header, wring_error *e)
{
  char   path[PETSC_MAX_PATH_LEN + 32], *line = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "%s/%s", directory, name);
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

/* Whether there was a file to continue. */
static PetscBool trim(const char *path, const char *header, PetscInt keep, wring_error *e)
{
  FILE *const from = wring_file_open(path, e);
  if (!from) return PETSC_FALSE;
  FILE *const to = wring_file_create(path, e);
  if (to) copy_rows(from, to, path, header, keep, e);
  fclose(from);
  wring_file_commit(to, path, e);
  return PETSC_TRUE;
}

void wring_record_open(const char *directory, const char *name, const char *header, PetscInt keep, wring_record *r,
                       wring_error *e)
{
  snprintf(r->path, sizeof r->path, "%s/%s", directory, name);
  const PetscBool goes_on = (PetscBool)(keep >= 0 && trim(r->path, header, keep, e));
  if (e->text[0]) return;
  r->file = fopen(r->path, goes_on ? "a" : "w");
  if (!r->file)
    wring_error_set(e, "%s: cannot be written: %s", r->path, strerror(errno));
  else if (!goes_on)
    fprintf(r->file, "%s\n", header);
}

void wring_record_flush(wring_record *r, wring_error *e)
{
  if (r->file && (fflush(r->file) || ferror(r->file))) {
    wring_error_set(e, "%s: cannot be written: %s", r->path, strerror(errno));
  }
}

void wring_record_sync(wring_record *r, wring_error *e)
{
  wring_record_flush(r, e);
  if (!r->file || e->text[0]) return;
  if (fsync(fileno(r->file)) && errno != EINVAL) { // EINVAL: not on a disk, such as a pipe
    wring_error_set(e, "%s: cannot be written: %s", r->path, strerror(errno));
  }
}

void wring_record_close(wring_record *r)
{
  if (r->file) fclose(r->file);
  r->file = NULL;
}

const char wring_history_header[] = "step,time,solver,iteration,objective,inertial,elastic,gradient_norm,step_length,"
                                    "evaluations,linear_iterations,seconds,reference";

const char wring_residuals_header[] = "step,iteration,primal,dual";

PetscErrorCode wring_history_monitor(void *context, const wring_iteration *it)
{
  const wring_history *const h = context;

  PetscFunctionBegin;
  if (!h->record.file) PetscFunctionReturn(PETSC_SUCCESS);
  fprintf(h->record.file,
          "%" PetscInt_FMT ",%.17g,%s,%" PetscInt_FMT ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PetscInt_FMT
          ",%" PetscInt64_FMT ",%.17g,%.17g\n",
          h->step, h->time, h->solver, it->iteration, it->value.objective, it->value.inertial, it->value.elastic,
          it->gradient_norm, it->step_length, it->evaluations, it->linear_iterations, it->seconds, it->reference);
  if (h->residuals.file && it->iteration > 0) {
    fprintf(h->residuals.file, "%" PetscInt_FMT ",%" PetscInt_FMT ",%.17g,%.17g\n", h->step, it->iteration, it->primal,
            it->dual);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
