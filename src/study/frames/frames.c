#define _POSIX_C_SOURCE 200809L // getline
#include "base/text.h"
#include "frames.h"
#include "io/file.h"
#include "study/common/output_directory.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Number and time of a frame in a line of the .pvd; -1 if the line has none. */
static PetscInt parse_frame(const char *line, char name[64], double *time)
{
  const char *const file = strstr(line, "file=\""), *const when = strstr(line, "timestep=\"");
  if (!file || !when || sscanf(file, "file=\"%63[^\"]\"", name) != 1) return -1;
  if (!wring_text_real(when + strlen("timestep=\""), time)) return -1;
  return wring_directory_number(name, "frame_", ".vtu");
}

static PetscErrorCode append(wring_frames *f, const char *name, double time)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(f->n + 1) * sizeof *f->name, &f->name));
  PetscCall(PetscRealloc((size_t)(f->n + 1) * sizeof *f->time, &f->time));
  PetscCall(PetscStrallocpy(name, &f->name[f->n]));
  f->time[f->n++] = time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_check(const wring_frames *f, wring_error *e)
{
  wring_frame_values values;
  char               path[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  if (!f->hdf || !wring_frames_wanted(f)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(path, sizeof path, "%s/" WRING_FRAMES_HDF, f->directory);
  wring_frame_describe(f->fields, f->single, &values);
  PetscCall(wring_vtkhdf_check(path, &values.frame, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_read(wring_frames *f, PetscInt keep, wring_error *e)
{
  char   path[PETSC_MAX_PATH_LEN + 64], name[64], *line = NULL;
  size_t size = 0;
  double time;

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/" WRING_FRAMES_HDF, f->directory);
  PetscCall(wring_vtkhdf_keep(path, keep, e));
  snprintf(path, sizeof path, "%s/frames.pvd", f->directory);
  FILE *const file = wring_file_open(path, e);
  if (!file) PetscFunctionReturn(PETSC_SUCCESS); // no frames yet
  while (getline(&line, &size, file) > 0) {
    const PetscInt number = parse_frame(line, name, &time);
    if (number >= 0 && number <= keep) PetscCall(append(f, name, time));
  }
  if (ferror(file)) wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
  free(line);
  fclose(file);
  if (!e->text[0]) PetscCall(wring_pvd_write(path, f->n, (const char *const *)f->name, f->time, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_destroy(wring_frames *f)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < f->n; i++) PetscCall(PetscFree(f->name[i]));
  PetscCall(PetscFree(f->name));
  PetscCall(PetscFree(f->time));
  PetscCall(PetscFree(f->step));
  PetscCall(wring_frame_cells_destroy(&f->cells));
  *f = (wring_frames){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_write(wring_frames *f, wring_problem *p)
{
  const wring_phase  old   = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  const double       start = MPI_Wtime();
  const PetscInt     step  = p->state.step;
  wring_error        error = {0};
  wring_frame_values values;
  char               name[64], path[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  if (!f->has_cells) PetscCall(wring_frame_cells_create(p, f->surface, &f->cells));
  PetscCall(wring_frame_create(p, f->fields, f->single, &f->cells, &values));
  if (f->hdf)
    snprintf(name, sizeof name, WRING_FRAMES_HDF);
  else
    snprintf(name, sizeof name, "frame_%06" PetscInt_FMT ".vtu", step);
  snprintf(path, sizeof path, "%s/%s", f->directory, name);
  if (f->hdf)
    PetscCall(wring_vtkhdf_append(p->comm, path, step, wring_frames_count(f, step), &values.frame, &f->file));
  else
    PetscCall(wring_vtk_write(p->comm, path, f->compress, &values.frame));
  if (p->rank == 0 && !f->hdf) {
    PetscCall(append(f, name, p->state.time));
    snprintf(path, sizeof path, "%s/frames.pvd", f->directory);
    PetscCall(wring_pvd_write(path, f->n, (const char *const *)f->name, f->time, &error));
  }
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscCall(wring_frame_destroy(p, &values));
  if (!f->surface) PetscCall(wring_frame_cells_destroy(&f->cells));
  f->has_cells = f->surface;
  f->written++;
  f->seconds += MPI_Wtime() - start;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
