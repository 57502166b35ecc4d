#define _POSIX_C_SOURCE 200809L // getline
/* Keys of frames, their steps and their bytes; their files. */
#include "base/text.h"
#include "frames.h"
#include "io/file.h"
#include "io/print.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const PetscInt64 most_tets = 1000000; // of a mesh whose frames are of the volume by default

/* ---- keys -------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_frames_set_up(const wring_problem *p, const wring_output *keys, PetscInt last, wring_frames *f)
{
  const wring_options *const o = p->options;

  PetscFunctionBegin;
  f->keys    = keys;
  f->last    = last;
  f->every   = keys->every;
  f->surface = (PetscBool)(keys->kind == WRING_FRAMES_SURFACE);
  if (keys->kind == WRING_FRAMES_AUTO) f->surface = (PetscBool)(p->mesh->tets.n_global > most_tets);
  if (f->every > 0 && wring_options_has(o, "output_", "steps")) { // the list stands in the place of `every`
    if (wring_options_has(o, "output_", "every"))
      WRING_REFUSE(p->comm, "%s: output_steps is given beside output_every, expected one of them",
                   wring_options_origin(o, "output_", "steps"));
    PetscCall(wring_options_get_int_list(o, "output_", wring_output_options, "steps", &f->n_step, &f->step));
    PetscCall(PetscSortInt(f->n_step, f->step));
    f->every = 0;
  }
  if (keys->hdf && keys->compress)
    WRING_REFUSE(p->comm, "%s: output_compress is true, expected false with output_format vtkhdf",
                 wring_options_origin(o, "output_", "compress"));
  PetscCall(wring_fields_choose(p, &f->fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

PetscBool wring_frames_wanted(const wring_frames *f)
{
  return (PetscBool)(f->every > 0 || f->n_step > 0);
}

PetscBool wring_frames_due(const wring_frames *f, PetscInt step)
{
  for (PetscInt i = 0; i < f->n_step; i++)
    if (f->step[i] == step) return PETSC_TRUE;
  return (PetscBool)(f->every > 0 && step % f->every == 0);
}

PetscBool wring_frames_begin(const wring_frames *f, PetscInt step)
{
  return (PetscBool)(f->every > 0 || wring_frames_due(f, step));
}

/* Those after a step, up to the last one. */
static PetscInt count_frames(const wring_frames *f, PetscInt after)
{
  PetscInt n = 1;
  if (!wring_frames_wanted(f) || after >= f->last) return 0;
  if (f->every > 0) return f->last / f->every - after / f->every + (f->last % f->every != 0);
  for (PetscInt i = 0; i < f->n_step; i++)
    n += f->step[i] > after && f->step[i] < f->last && (i == 0 || f->step[i] != f->step[i - 1]);
  return n;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* Positions and fields of points; corners, types, offsets and fields of cells. */
static PetscErrorCode measure(const wring_problem *p, wring_frames *f)
{
  const double real = f->keys->single ? 4 : 8, index = f->keys->hdf ? 8 : sizeof(PetscInt);
  double       sum[3] = {0}; // points, cells, corners

  PetscFunctionBegin;
  if (!f->has_cells) PetscCall(wring_frame_cells_create(p, f->surface, &f->cells));
  sum[0] = f->cells.n_point;
  for (int k = 0; k < WRING_KINDS; k++) {
    sum[1] += (double)f->cells.kind[k].n;
    sum[2] += (double)f->cells.kind[k].n * f->cells.kind[k].m;
  }
  if (!f->surface) PetscCall(wring_frame_cells_destroy(&f->cells));
  f->has_cells = f->surface;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, p->comm));
  f->bytes = (3 * real + wring_fields_bytes(f->fields, WRING_AT_POINTS, PETSC_FALSE, real)) * sum[0] +
             wring_fields_bytes(f->fields, WRING_OF_CELLS, PETSC_FALSE, real) * sum[1];
  f->once = wring_fields_bytes(f->fields, WRING_AT_POINTS, PETSC_TRUE, real) * sum[0] +
            (1 + index + wring_fields_bytes(f->fields, WRING_OF_CELLS, PETSC_TRUE, real)) * sum[1] + index * sum[2];
  if (!f->keys->hdf) f->bytes += f->once, f->once = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Of all cells: offset, type and four fields of a cell, whether chosen or not, with triangles or lines also the corners
  of all cells, and the fields that are computed by choice; position, displacement, velocity and number of a vertex.
  Copies of the chosen fields in single precision, and indices of 64 bits in a file of all frames, come on top.
*/
double wring_frames_memory(const wring_problem *p, const wring_frames *f)
{
  const wring_mesh *const m = p->mesh;
  const wring_piece      *s;
  double                  others = 0, corners = 0; // triangles and lines; bytes of their corners
  if (!wring_frames_wanted(f)) return 0;
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) others += s->n, corners += 8.0 * s->corners * s->n;
  if (others > 0) corners += 16.0 * m->tets.n;
  if (m->tets.order == 2) corners += (others > 0 ? 64.0 : 40.0) * m->tets.n; // ten vertices, and their copy
  const double cells = m->tets.n + others, more = wring_fields_memory(f->fields);
  double       bytes = (29 + more) * cells + corners + 80.0 * m->n_local;
  if (f->keys->single && !f->surface)
    bytes += wring_fields_bytes(f->fields, WRING_OF_CELLS, PETSC_FALSE, 4) * cells +
             (12 + wring_fields_bytes(f->fields, WRING_AT_POINTS, PETSC_FALSE, 4)) * m->n_local;
  if (f->keys->hdf && !f->surface) bytes += 40 * cells; // once, before the first frame
  return bytes;
}

/* "1.2 MB" */
static void describe_bytes(double bytes, size_t size, char *text)
{
  static const char *const unit[] = {"kB", "MB", "GB", "TB", "PB"};
  int                      i      = 0;
  for (bytes /= 1e3; bytes >= 1e3 && i < 4; i++) bytes /= 1e3;
  snprintf(text, size, "%.3g %s", bytes, unit[i]);
}

PetscErrorCode wring_frames_print(const wring_problem *p, wring_frames *f, PetscBool goes_on)
{
  char steps[96], each[32], all[32];

  PetscFunctionBegin;
  if (!wring_frames_wanted(f)) wring_print(p->comm, "frames    none\n");
  if (!wring_frames_wanted(f)) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt now = p->state.step, n = count_frames(f, now) + (!goes_on && wring_frames_begin(f, now));
  PetscCall(measure(p, f));
  if (f->n_step)
    snprintf(steps, sizeof steps, "of %" PetscInt_FMT " given steps and the last", f->n_step);
  else if (f->every > f->last)
    snprintf(steps, sizeof steps, "of the first and the last step only: output.every is %" PetscInt_FMT, f->every);
  else
    snprintf(steps, sizeof steps, "every %" PetscInt_FMT " steps", f->every);
  describe_bytes(f->bytes, sizeof each, each);
  describe_bytes(f->bytes * (double)n + f->once, sizeof all, all);
  wring_print(p->comm, "frames    %s; %s of the %s%s, %s precision%s: %" PetscInt_FMT " of %s, %s in all\n", steps,
              f->keys->hdf ? "vtkhdf" : "vtu", f->surface ? "surface" : "volume",
              f->surface && f->keys->kind == WRING_FRAMES_AUTO ? " (more than 1,000,000 tets: output.kind is auto)"
                                                               : "",
              f->keys->single ? "single" : "double", f->keys->compress ? ", before compression" : "", n, each, all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Number and time of a frame in a line of the .pvd; -1 if the line has none. */
static PetscInt parse_frame(const char *line, char name[64], double *time)
{
  const char *const file = strstr(line, "file=\""), *const when = strstr(line, "timestep=\"");
  if (!file || !when || sscanf(file, "file=\"%63[^\"]\"", name) != 1) return -1;
  if (!wring_text_real(when + strlen("timestep=\""), time)) return -1;
  return (PetscInt)wring_file_number(name, "frame_", ".vtu");
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
  if (!f->keys->hdf || !wring_frames_wanted(f)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(path, sizeof path, "%s/" WRING_FRAMES_HDF, f->keys->directory);
  wring_frame_describe(f->fields, f->keys->single, &values);
  PetscCall(wring_vtkhdf_check(path, &values.frame, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_read(wring_frames *f, PetscInt keep, wring_error *e)
{
  char   path[PETSC_MAX_PATH_LEN + 64], name[64], *line = NULL;
  size_t size = 0;
  double time;

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/" WRING_FRAMES_HDF, f->keys->directory);
  PetscCall(wring_vtkhdf_keep(path, keep, e));
  snprintf(path, sizeof path, "%s/frames.pvd", f->keys->directory);
  FILE *const file = wring_file_open(path, e);
  if (!file) PetscFunctionReturn(PETSC_SUCCESS); // no frames yet
  while (getline(&line, &size, file) > 0) {
    const PetscInt number = parse_frame(line, name, &time);
    if (number >= 0 && number <= keep) PetscCall(append(f, name, time));
  }
  if (ferror(file)) wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
  free(line);
  fclose(file);
  if (!wring_failed(e)) wring_pvd_write(path, f->n, (const char *const *)f->name, f->time, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frames_destroy(wring_frames *f)
{
  PetscFunctionBegin;
  PetscCall(wring_words_destroy(f->n, &f->name));
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
  PetscCall(wring_frame_create(p, f->fields, f->keys->single, &f->cells, &values));
  if (f->keys->hdf)
    snprintf(name, sizeof name, WRING_FRAMES_HDF);
  else
    snprintf(name, sizeof name, "frame_%06" PetscInt_FMT ".vtu", step);
  snprintf(path, sizeof path, "%s/%s", f->keys->directory, name);
  if (f->keys->hdf)
    PetscCall(wring_vtkhdf_append(p->comm, path, step, 1 + count_frames(f, step), &values.frame, &f->file));
  else
    PetscCall(wring_vtk_write(p->comm, path, f->keys->compress, &values.frame));
  if (p->rank == 0 && !f->keys->hdf) {
    PetscCall(append(f, name, p->state.time));
    snprintf(path, sizeof path, "%s/frames.pvd", f->keys->directory);
    wring_pvd_write(path, f->n, (const char *const *)f->name, f->time, &error);
  }
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscCall(wring_frame_destroy(p, &values));
  if (!f->surface) PetscCall(wring_frame_cells_destroy(&f->cells));
  f->has_cells = f->surface;
  f->written++;
  f->latest = step;
  f->seconds += MPI_Wtime() - start;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
