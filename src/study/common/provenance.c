#include "provenance.h"
#include "command_keys.h"
#include <string.h>
#include <time.h>

#ifndef WRING_VERSION
  #define WRING_VERSION "unknown" // built without CMake
#endif
#ifndef WRING_COMMIT
  #define WRING_COMMIT "" // unknown: built from an archive
#endif
#if defined(__clang__)
  #define COMPILER __VERSION__ // "Clang 14.0.6"
#elif defined(__GNUC__)
  #define COMPILER "gcc " __VERSION__
#else
  #define COMPILER "unknown compiler"
#endif

typedef struct {
  char petsc[32], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
} libraries;

static PetscErrorCode get_libraries(libraries *l)
{
  PetscInt major, minor, patch;
  int      length;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, &patch, NULL));
  PetscCall(PetscSNPrintf(l->petsc, sizeof l->petsc, "%" PetscInt_FMT ".%" PetscInt_FMT ".%" PetscInt_FMT, major, minor,
                          patch));
  PetscCallMPI(MPI_Get_library_version(l->mpi, &length));
  l->mpi[strcspn(l->mpi, ",\n")] = '\0'; // the rest describes the packager's machine
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_version_line(size_t size, char *line)
{
  libraries l;

  PetscFunctionBegin;
  PetscCall(get_libraries(&l));
  snprintf(line, size, "wring " WRING_VERSION "%s%s%s, PETSc %s, %s, %s", WRING_COMMIT[0] ? " (" : "", WRING_COMMIT,
           WRING_COMMIT[0] ? ")" : "", l.petsc, l.mpi, COMPILER);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance_build(PetscMPIInt n_rank, const char *command, json_t *json)
{
  const time_t now = time(NULL);
  char         date[32];
  libraries    l;

  PetscFunctionBegin;
  PetscCall(get_libraries(&l));
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  json_object_set_new(json, "schema", json_integer(WRING_JSON_SCHEMA));
  json_object_set_new(json, "command", json_string(command));
  json_object_set_new(json, "date", json_string(date));
  json_object_set_new(json, "version", json_string(WRING_VERSION));
  json_object_set_new(json, "commit", WRING_COMMIT[0] ? json_string(WRING_COMMIT) : json_null());
  json_object_set_new(json, "petsc", json_string(l.petsc));
  json_object_set_new(json, "petsc_int_bits", json_integer(8 * (json_int_t)sizeof(PetscInt)));
  json_object_set_new(json, "mpi", json_string(l.mpi));
  json_object_set_new(json, "compiler", json_string(COMPILER));
  json_object_set_new(json, "ranks", json_integer(n_rank));
  json_object_set_new(json, "threads", json_integer(wring_max_threads()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- mesh, operator, cost ---------------------------------------------------------------------------------------- */

static PetscErrorCode add_mesh(const wring_problem *p, json_t *json)
{
  const wring_mesh *const m    = p->mesh;
  json_t *const           mesh = json_object();
  wring_mesh_info         info;
  PetscInt64              triangles, lines;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  PetscCall(wring_problem_count(p, &triangles, &lines));
  json_object_set_new(mesh, "vertices", json_integer(m->n_global));
  json_object_set_new(mesh, "tets", json_integer(m->n_tet_global));
  json_object_set_new(mesh, "triangles", json_integer(triangles));
  json_object_set_new(mesh, "lines", json_integer(lines));
  json_object_set_new(mesh, "regions", json_integer(m->regions.n));
  json_object_set_new(mesh, "sets", json_integer(m->sets.n));
  json_object_set_new(mesh, "volume", wring_json_real(info.volume));
  json_object_set_new(mesh, "mass", wring_json_real(p->total_mass));
  json_object_set_new(mesh, "min_quality", wring_json_real(info.min_quality));
  json_object_set_new(mesh, "balance_tets", wring_json_real(info.balance_tets));
  json_object_set_new(mesh, "balance_vertices", wring_json_real(info.balance_vertices));
  json_object_set_new(mesh, "ghosts", wring_json_real(info.ghosts));
  json_object_set_new(json, "mesh", mesh);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_operator(const wring_problem *p, json_t *json)
{
  json_t *const       op = json_object();
  wring_operator_info info;
  if (!wring_problem_has_matrix(p)) {
    json_decref(op);
    json_object_set_new(json, "operator", json_null()); // never needed
    return;
  }
  wring_operator_get_info(p->op, &info);
  json_object_set_new(op, "type", json_string(info.type));
  json_object_set_new(op, "library", json_string(info.library));
  json_object_set_new(op, "rtol", json_real(info.rtol));
  json_object_set_new(op, "set_ups", json_integer(info.set_ups));
  json_object_set_new(op, "solves", json_integer(info.solves));
  json_object_set_new(op, "iterations", json_integer(info.total_iterations));
  json_object_set_new(op, "memory", wring_json_real(info.memory));
  json_object_set_new(json, "operator", op);
}

PetscErrorCode wring_cost_measure(wring_problem *p, wring_cost *c)
{
  double mine[2];

  PetscFunctionBegin;
  wring_phases_switch(&p->phases, p->phases.now); // accounts for the time up to now
  mine[0] = wring_phases_total(&p->phases);
  mine[1] = wring_peak_memory();
  PetscCallMPI(MPI_Allreduce(p->phases.seconds, c->seconds, WRING_N_PHASE, MPI_DOUBLE, MPI_MAX, p->comm));
  PetscCallMPI(MPI_Allreduce(&mine[0], &c->total, 1, MPI_DOUBLE, MPI_MAX, p->comm));
  PetscCallMPI(MPI_Allreduce(&mine[1], &c->peak_memory, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_cost(wring_problem *p, json_t *json)
{
  json_t *const seconds = json_object();
  wring_cost    cost;

  PetscFunctionBegin;
  PetscCall(wring_cost_measure(p, &cost));
  for (int i = 0; i < WRING_N_PHASE; i++) {
    json_object_set_new(seconds, wring_phase_name((wring_phase)i), wring_json_real(cost.seconds[i]));
  }
  json_object_set_new(seconds, "total", wring_json_real(cost.total));
  json_object_set_new(json, "seconds", seconds);
  json_object_set_new(json, "work", wring_work_json(&p->phases.work));
  json_object_set_new(json, "peak_memory", json_integer((json_int_t)cost.peak_memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance(wring_problem *p, const char *command, PetscInt n_solver, const char *const *solver,
                                json_t **json)
{
  json_t *keys;

  PetscFunctionBegin;
  *json = json_object();
  PetscCall(wring_provenance_build(p->size, command, *json));
  json_object_set_new(*json, "restart", p->restart[0] ? json_string(p->restart) : json_null());
  PetscCall(wring_keys_in_force(p, command, n_solver, solver, &keys));
  json_object_set_new(*json, "options", keys);
  PetscCall(add_mesh(p, *json));
  add_operator(p, *json);
  PetscCall(add_cost(p, *json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
