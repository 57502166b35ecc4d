/* Functions of time, the same on every rank: of loads, and of bodies that move. */
#include "problem/problem_impl.h"
#include <math.h>

typedef struct {
  const char      *curve;
  wring_curve_type interpolation;
  double           until; // s
} load_time_keys;

const wring_option wring_load_time_options[] = {
  {"curve", WRING_PATH, .at = WRING_AT(load_time_keys, curve),
   .help = "CSV `time,value` [s]: factor over time, constant before the first row and after the last; default: 1, with "
           "the integrator static the pseudo-time."},
  {"interpolation", WRING_WORD, .choices = "linear|cubic", .value = "linear",
   .at   = WRING_AT(load_time_keys, interpolation),
   .help = "Interpolation between rows: linear, or smooth, which may overshoot."},
  {"until", WRING_REAL, .unit = "s", .range = "[0,inf)", .at = WRING_AT(load_time_keys, until),
   .help = "Time after which the load is 0; default: never."},
  {0},
};

/* On rank 0: a curve itself counts no comments and blank lines of its file. */
static void check_times(const char *file, PetscInt n, int width, const double *row, wring_error *e)
{
  for (PetscInt i = 1; i < n && !wring_failed(e); i++) {
    const double last = row[width * (i - 1)], time = row[width * i];
    if (!(time > last))
      wring_error_set(e, "%s:%" PetscInt64_FMT ": time %g follows time %g, expected increasing times", file,
                      wring_csv_line(file, i), time, last);
  }
}

/* A function of time from a CSV with this header. */
static PetscErrorCode read_curve(const wring_problem *p, const char *file, const char *header, wring_curve_type type,
                                 wring_time_curve **c)
{
  wring_error error = {""};
  PetscInt    n     = 0;
  int         width = 0;
  double     *row   = NULL;

  PetscFunctionBegin;
  if (p->rank == 0) {
    PetscCall(wring_csv_read(file, header, 0, PETSC_FALSE, PETSC_FALSE, &n, &width, &row, &error));
    check_times(file, n, width, row, &error);
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, p->comm));
  PetscCallMPI(MPI_Bcast(&width, 1, MPI_INT, 0, p->comm));
  if (p->rank != 0) PetscCall(PetscMalloc1(n * width, &row));
  PetscCallMPI(MPI_Bcast(row, (PetscMPIInt)(n * width), MPI_DOUBLE, 0, p->comm));
  PetscCall(wring_time_curve_create(type, file, n, width - 1, row, c, &error));
  PetscCall(PetscFree(row));
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of statics: the pseudo-time, from 0 to 1. */
static PetscErrorCode create_growth(wring_time_curve **c)
{
  static const double row[] = {0, 0, 1, 1};
  wring_error         error = {""};

  PetscFunctionBegin;
  PetscCall(wring_time_curve_create(WRING_CURVE_LINEAR, "", 2, 1, row, c, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_load_time(const wring_problem *p, const char *prefix, wring_load_time *time)
{
  load_time_keys key = {.until = INFINITY};

  PetscFunctionBegin;
  PetscCall(wring_options_read(p->options, prefix, wring_load_time_options, &key));
  *time = (wring_load_time){.until = key.until};
  if (key.curve) {
    PetscCall(read_curve(p, key.curve, "time,value", key.interpolation, &time->curve));
  } else if (wring_options_has(p->options, prefix, "interpolation")) {
    WRING_REFUSE(p->comm, "%s: %sinterpolation applies to a curve, expected %scurve too",
                 wring_options_origin(p->options, prefix, "interpolation"), prefix, prefix);
  } else if (wring_stepper_is_static(p->stepper)) {
    PetscCall(create_growth(&time->curve));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_path(const wring_problem *p, const char *file, wring_motion *motion)
{
  PetscFunctionBegin;
  PetscCall(read_curve(p, file, "time,x,y,z", WRING_CURVE_CUBIC, &motion->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
