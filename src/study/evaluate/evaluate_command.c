/* g, its parts and its gradient at given positions, without a step. */
#include "output/output.h"
#include "study/common/command_keys.h"
#include "io/json.h"
#include "study/common/provenance.h"
#include "io/print.h"
#include <math.h>
#include <string.h>
#include <wring/study.h>

typedef struct {
  const char *positions; // file, NULL: those of the state
  PetscBool   gradient;
} keys;

const wring_option wring_evaluate_options[] = {
  {"positions", WRING_PATH, .at = WRING_AT(keys, positions),
   .help = "CSV `vertex,x,y,z` [m] of the positions at which g is evaluated; default: those of the state."},
  {"gradient", WRING_BOOL, .value = "false", .at = WRING_AT(keys, gradient), .help = "Whether to write gradient.csv."},
  {0},
};

typedef struct {
  wring_value value;
  double      gradient_norm, min_J, max_J;
} evaluation;

static PetscErrorCode require_g(const wring_problem *p)
{
  const char *const name = wring_stepper_integrator(p->stepper);

  PetscFunctionBegin;
  if (strcmp(name, "implicit_euler") != 0 && !wring_stepper_is_static(p->stepper))
    WRING_REFUSE(p->comm, "%s: time_integrator is '%s', expected implicit_euler or static, whose g is evaluated",
                 wring_options_origin(p->options, "time_", "integrator"), name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of the file, but of vertices that hard attachments hold, which are there. */
static PetscErrorCode set_positions(const wring_problem *p, const char *file, Vec x)
{
  PetscScalar *value;

  PetscFunctionBegin;
  if (!file) {
    PetscCall(VecCopy(p->state.q, x));
  } else {
    PetscCall(VecGetArrayWrite(x, &value));
    PetscCall(wring_problem_read_vectors(p->mesh, file, PETSC_FALSE, value));
    PetscCall(VecRestoreArrayWrite(x, &value));
  }
  PetscCall(wring_potential_place(p->g, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The range of J over all tets; both are nan without one. */
static PetscErrorCode find_range(wring_problem *p, Vec x, double *min, double *max)
{
  double *density, *J, range[2] = {INFINITY, INFINITY}; // of J and -J

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p->mesh->tets.n, &density, p->mesh->tets.n, &J));
  PetscCall(wring_potential_cell_data(p->g, x, density, J));
  for (PetscInt e = 0; e < p->mesh->tets.n; e++) {
    range[0] = fmin(range[0], J[e]);
    range[1] = fmin(range[1], -J[e]);
  }
  PetscCall(PetscFree2(density, J));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_DOUBLE, MPI_MIN, p->comm));
  *min = p->mesh->tets.n_global ? range[0] : NAN;
  *max = p->mesh->tets.n_global ? -range[1] : NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* gradient NULL: it is not written. */
static PetscErrorCode write_files(wring_problem *p, const char *directory, const evaluation *e, Vec gradient)
{
  json_t *const   json = json_object();
  json_t         *made, *provenance;
  wring_error     error = {0};
  wring_mesh_info info;
  const double   *value;
  char            file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(p->mesh, &info));
  PetscCall(wring_provenance_begin(p->options, "evaluate", p->restart, &made));
  PetscCall(wring_provenance(p, made, 0, (const char *const[]){NULL}, &provenance));
  json_decref(made);
  wring_json_set(json, "schema", JSON(WRING_JSON_SCHEMA), "objective", JSON(e->value.objective), "inertial",
                 JSON(e->value.inertial), "elastic", JSON(e->value.elastic), "gradient_norm", JSON(e->gradient_norm),
                 "vertices", JSON(p->mesh->number.n_global), "tets", JSON(p->mesh->tets.n_global), "volume",
                 JSON(info.volume), "mass", JSON(p->total_mass), "min_J", JSON(e->min_J), "max_J", JSON(e->max_J),
                 "provenance", provenance, NULL);
  if (p->rank == 0) wring_json_write(json, &error, "%s/evaluate.json", directory);
  json_decref(json);
  PetscCall(wring_error_raise_output(p->comm, &error));
  if (!gradient) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(file, sizeof file, "%s/gradient.csv", directory);
  PetscCall(VecGetArrayRead(gradient, &value));
  PetscCall(wring_csv_write_vertices(file, p->mesh, "x,y,z", 3, value));
  PetscCall(VecRestoreArrayRead(gradient, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_evaluate(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  static const char *const files[] = {"evaluate.json", "gradient.csv", NULL};
  wring_problem           *p;
  PetscBool                changed;
  evaluation               e;
  Vec                      x, gradient;
  wring_output             out;
  keys                     k = {.positions = NULL};

  PetscFunctionBegin;
  PetscCall(wring_output_read(o, &out));
  PetscCall(wring_options_read(o, "evaluate_", wring_evaluate_options, &k));
  PetscCall(wring_problem_create(comm, o, &p));
  PetscCall(require_g(p));
  PetscCall(wring_potential_create_vec(p->g, &x));
  PetscCall(wring_potential_create_vec(p->g, &gradient));
  PetscCall(wring_stepper_prepare(p->stepper, &p->state, &changed));
  PetscCall(set_positions(p, k.positions, x));
  PetscCall(wring_potential_update_contacts(p->g, x, PETSC_TRUE, NULL));
  PetscCall(wring_potential_fused(p->g, x, &e.value, gradient));
  PetscCall(VecNorm(gradient, NORM_2, &e.gradient_norm));
  PetscCall(find_range(p, x, &e.min_J, &e.max_J));
  PetscCall(wring_directory_renew(&out, files));
  PetscCall(write_files(p, out.directory, &e, k.gradient ? gradient : NULL));
  wring_print(comm, "objective      %.17g J\ninertial       %.17g J\nelastic        %.17g J\n", e.value.objective,
              e.value.inertial, e.value.elastic);
  wring_print(comm, "gradient norm  %.17g N\n", e.gradient_norm);
  if (p->mesh->tets.n_global) wring_print(comm, "J              %.6g to %.6g\n", e.min_J, e.max_J);
  PetscCall(VecDestroy(&gradient));
  PetscCall(VecDestroy(&x));
  PetscCall(wring_problem_destroy(&p));
  end->status = WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
