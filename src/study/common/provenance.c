#include "provenance.h"
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
  l->mpi[strcspn(l->mpi, ",\n")] = '\0'; // what follows tells of the packager's machine
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

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void add_defaults(const wring_options *o, const char *prefix, const wring_option *table, json_t *json)
{
  char key[512];
  for (; table->key; table++) {
    if (!table->value || wring_options_has(o, prefix, table->key)) continue;
    snprintf(key, sizeof key, "%s%s", prefix, table->key);
    json_object_set_new(json, key, json_string(table->value));
  }
}

/* Of a law on top of materials: whether some region has it; *is: the owner is such a law. */
static PetscBool on_top_in_force(const wring_problem *p, const char *owner, PetscBool *is)
{
  const wring_law *law;
  *is = PETSC_FALSE;
  for (int i = 0; (law = wring_law_on_top(i)); i++) {
    if (strcmp(law->name, owner) != 0) continue;
    *is = PETSC_TRUE;
    for (PetscInt r = 0; r < p->mesh->regions.n; r++) {
      if (wring_region_has(p, r, law)) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Whether the defaults of a table matter: those of a law, method or command that is not used do not. */
static PetscErrorCode in_force(const wring_problem *p, const char *command, const wring_schema *s, PetscBool *yes)
{
  const char      *type;
  const wring_law *law;
  PetscBool        on_top, has = on_top_in_force(p, s->owner, &on_top);

  PetscFunctionBegin;
  *yes = (PetscBool)(!strchr(s->prefix, '*') && (has || !on_top));
  if (strcmp(s->owner, "compare") == 0 || strcmp(s->owner, "evaluate") == 0 || strcmp(s->owner, "bench") == 0) {
    *yes = (PetscBool)(strcmp(s->owner, command) == 0);
  }
  if (strncmp(s->owner, "solver ", 7) == 0) {
    PetscCall(wring_options_get_word(p->options, "solver_", wring_solver_options, "type", &type));
    PetscCall(PetscStrcasecmp(type, s->owner + 7, yes));
    *yes = (PetscBool)(*yes && !strchr(s->prefix, '*'));
  } else if (*yes && strncmp(s->owner, "material ", 9) == 0) {
    *yes = PETSC_FALSE;
    for (PetscInt r = 0; r < p->mesh->regions.n && !*yes; r++) {
      PetscCall(wring_region_law(p, r, &law));
      *yes = (PetscBool)(strcmp(law->name, s->owner + 9) == 0);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_options(const wring_problem *p, const char *command, json_t *json)
{
  json_t *const options = json_object();
  const char   *key, *value, *origin;
  char          prefix[256];
  PetscBool     yes;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_options_count(p->options); i++) {
    wring_options_entry(p->options, i, &key, &value, &origin);
    json_object_set_new(options, key, json_string(value));
  }
  for (PetscInt i = 0; i < p->catalogue->n; i++) {
    PetscCall(in_force(p, command, &p->catalogue->entry[i], &yes));
    if (yes) add_defaults(p->options, p->catalogue->entry[i].prefix, p->catalogue->entry[i].options, options);
  }
  for (PetscInt i = 0; i < p->n_attach; i++) {
    snprintf(prefix, sizeof prefix, "attach_%s_", p->attach_name[i]);
    add_defaults(p->options, prefix, wring_attach_options, options);
  }
  for (PetscInt i = 0; i < p->n_surface; i++) {
    snprintf(prefix, sizeof prefix, "membrane_%s_", p->surface[i].name);
    if (p->surface[i].membrane) add_defaults(p->options, prefix, wring_membrane_options, options);
    snprintf(prefix, sizeof prefix, "bending_%s_", p->surface[i].name);
    if (p->surface[i].bending) add_defaults(p->options, prefix, wring_bending_options, options);
  }
  json_object_set_new(json, "options", options);
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
  if (!p->A) {
    json_decref(op);
    json_object_set_new(json, "operator", json_null()); // never needed
    return;
  }
  wring_operator_get_info(p->op, &info);
  json_object_set_new(op, "type", json_string(info.type));
  json_object_set_new(op, "library", json_string(info.library));
  json_object_set_new(op, "rtol", json_real(info.rtol));
  json_object_set_new(op, "solves", json_integer(info.solves));
  json_object_set_new(op, "iterations", json_integer(info.total_iterations));
  json_object_set_new(op, "memory", wring_json_real(info.memory));
  json_object_set_new(json, "operator", op);
}

PetscErrorCode wring_cost_measure(wring_problem *p, wring_cost *c)
{
  double mine[2];

  PetscFunctionBegin;
  wring_phases_switch(&p->phases, p->phases.now); // books the moment up to now
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
  json_object_set_new(json, "peak_memory", json_integer((json_int_t)cost.peak_memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance(wring_problem *p, const char *command, json_t **json)
{
  PetscFunctionBegin;
  *json = json_object();
  PetscCall(wring_provenance_build(p->size, command, *json));
  json_object_set_new(*json, "restart", p->restart[0] ? json_string(p->restart) : json_null());
  PetscCall(add_options(p, command, *json));
  PetscCall(add_mesh(p, *json));
  add_operator(p, *json);
  PetscCall(add_cost(p, *json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
