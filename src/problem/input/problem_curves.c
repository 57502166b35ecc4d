/* Functions of time, the same on every rank: of loads, and of bodies that move. */
#include "problem/problem_impl.h"
#include <math.h>

const wring_option wring_load_time_options[] = {
  {"curve", WRING_PATH,
   .help = "CSV `time,value` [s]: factor over time, constant before the first row and after the last; default: 1, with "
           "the integrator static the pseudo-time."},
  {"interpolation", WRING_WORD, .choices = "linear|cubic", .value = "linear",
   .help = "Interpolation between rows: linear, or smooth, which may overshoot."},
  {"until", WRING_REAL, .unit = "s", .range = "[0,inf)", .help = "Time after which the load is 0; default: never."},
  {0},
};

PetscErrorCode wring_problem_read_curve(const wring_problem *p, const char *prefix, const wring_option *table,
                                        const char *key, const char *header, wring_curve_type type,
                                        wring_time_curve **c)
{
  char        file[PETSC_MAX_PATH_LEN];
  wring_error error = {""};
  PetscInt    n     = 0;
  int         width = 0;
  double     *row   = NULL;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, prefix, table, key, sizeof file, file));
  if (p->rank == 0) PetscCall(wring_csv_read(file, header, 0, PETSC_FALSE, PETSC_FALSE, &n, &width, &row, &error));
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

PetscErrorCode wring_problem_create_growth(wring_time_curve **c)
{
  static const double row[] = {0, 0, 1, 1};
  wring_error         error = {""};

  PetscFunctionBegin;
  PetscCall(wring_time_curve_create(WRING_CURVE_LINEAR, "", 2, 1, row, c, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_load_time(const wring_problem *p, const char *prefix, wring_time_curve **curve,
                                            wring_load_time *time)
{
  const wring_option *const  table = wring_load_time_options;
  const wring_options *const o     = p->options;
  int                        type; // wring_curve_type

  PetscFunctionBegin;
  *curve      = NULL;
  time->until = INFINITY;
  if (wring_options_has(o, prefix, "until")) PetscCall(wring_options_get_real(o, prefix, table, "until", &time->until));
  PetscCall(wring_options_get_choice(o, prefix, table, "interpolation", &type));
  if (wring_options_has(o, prefix, "curve")) {
    PetscCall(wring_problem_read_curve(p, prefix, table, "curve", "time,value", (wring_curve_type)type, curve));
  } else if (wring_options_has(o, prefix, "interpolation")) {
    WRING_REFUSE(p->comm, "%s: %sinterpolation applies to a curve, expected %scurve too",
                 wring_options_origin(o, prefix, "interpolation"), prefix, prefix);
  } else if (wring_stepper_is_static(p->stepper)) {
    PetscCall(wring_problem_create_growth(curve));
  }
  time->curve = *curve;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_motion(const wring_problem *p, const char *prefix, const wring_option *table,
                                         wring_motion *motion, wring_time_curve **path)
{
  const wring_options *const o = p->options;

  PetscFunctionBegin;
  *path         = NULL;
  motion->until = motion->release = INFINITY;
  PetscCall(wring_options_get_reals(o, prefix, table, "velocity", motion->velocity));
  PetscCall(wring_options_get_angles(o, prefix, table, "spin", motion->spin));
  if (wring_options_has(o, prefix, "until"))
    PetscCall(wring_options_get_real(o, prefix, table, "until", &motion->until));
  if (wring_options_has(o, prefix, "path"))
    PetscCall(wring_problem_read_curve(p, prefix, table, "path", "time,x,y,z", WRING_CURVE_CUBIC, path));
  motion->path = *path;
  PetscFunctionReturn(PETSC_SUCCESS);
}
