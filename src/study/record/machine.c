/* Where a command runs: hosts, ranks on each, processor, the cores of each rank, the job of a batch system. */
#define _POSIX_C_SOURCE 200809L // gethostname
#include "record_impl.h"
#include "study/common/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of one rank. */
typedef struct {
  char host[64], processor[80], cores[112];
} place;

/* The text after `name` and a colon in a file of /proc; unchanged if there is none. */
static void read_proc(const char *path, const char *name, size_t size, char *value)
{
  char        line[1024];
  FILE *const f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    const char *const colon = strchr(line, ':');
    if (strncmp(line, name, strlen(name)) != 0 || !colon) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
    break;
  }
  if (f) fclose(f);
}

static void find_place(place *p)
{
  *p = (place){.host = "unknown"};
  if (gethostname(p->host, sizeof p->host - 1)) snprintf(p->host, sizeof p->host, "unknown");
  read_proc("/proc/cpuinfo", "model name", sizeof p->processor, p->processor);
  wring_cores_list(sizeof p->cores, p->cores);
}

/* ---- of all ranks, on rank 0 ------------------------------------------------------------------------------------- */

/* The place of a text in a list, where it is added if it is new. Neighbours are usually the same: from the end. */
static size_t find_or_add(json_t *list, const char *text)
{
  const size_t n = json_array_size(list);
  for (size_t i = n; i-- > 0;) {
    if (strcmp(json_string_value(json_array_get(list, i)), text) == 0) return i;
  }
  json_array_append_new(list, wring_json_text(text));
  return n;
}

static void add_hosts(PetscMPIInt n, const place *p, json_t *json)
{
  json_t *const hosts = json_array(), *const ranks = json_array();
  for (PetscMPIInt i = 0; i < n; i++) {
    const size_t k = find_or_add(hosts, p[i].host);
    if (k == json_array_size(ranks)) json_array_append_new(ranks, json_integer(0));
    json_array_set_new(ranks, k, json_integer(json_integer_value(json_array_get(ranks, k)) + 1));
  }
  json_object_set_new(json, "hosts", hosts);
  json_object_set_new(json, "ranks_per_host", ranks);
}

/* The models of all hosts, null if no model is known. */
static void add_processor(PetscMPIInt n, const place *p, json_t *json)
{
  json_t *const models = json_array();
  char          text[1024];
  size_t        i, used = 0;
  json_t       *model;
  for (PetscMPIInt r = 0; r < n; r++) {
    if (p[r].processor[0]) find_or_add(models, p[r].processor);
  }
  text[0] = '\0';
  json_array_foreach(models, i, model)
  {
    if (used >= sizeof text) break;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "; " : "", json_string_value(model));
  }
  json_object_set_new(json, "processor", text[0] ? wring_json_text(text) : json_null());
  json_decref(models);
}

static json_t *environment(const char *name)
{
  const char *const value = getenv(name);
  return value ? wring_json_text(value) : json_null();
}

static void add_binding(PetscMPIInt n, const place *p, json_t *json)
{
  json_t *const binding = json_object(), *const cores = json_array();
  for (PetscMPIInt i = 0; i < n; i++)
    json_array_append_new(cores, p[i].cores[0] ? wring_json_text(p[i].cores) : json_null());
  json_object_set_new(binding, "cores", cores);
  json_object_set_new(binding, "omp_proc_bind", environment("OMP_PROC_BIND"));
  json_object_set_new(binding, "omp_places", environment("OMP_PLACES"));
  json_object_set_new(json, "binding", binding);
}

/* Null outside of a batch system. */
static void add_job(json_t *json)
{
  static const struct {
    const char *system, *id, *name;
  } systems[] = {{"slurm", "SLURM_JOB_ID", "SLURM_JOB_NAME"},
                 {"pbs", "PBS_JOBID", "PBS_JOBNAME"},
                 {"lsf", "LSB_JOBID", "LSB_JOBNAME"},
                 {"flux", "FLUX_JOB_ID", "FLUX_JOB_NAME"}};
  json_t *job = NULL;
  for (size_t i = 0; i < sizeof systems / sizeof systems[0] && !job; i++) {
    if (!getenv(systems[i].id)) continue;
    job = json_object();
    json_object_set_new(job, "system", json_string(systems[i].system));
    json_object_set_new(job, "id", environment(systems[i].id));
    json_object_set_new(job, "name", environment(systems[i].name));
  }
  json_object_set_new(json, "job", job ? job : json_null());
}

PetscErrorCode wring_record_machine(MPI_Comm comm, json_t *json)
{
  place       mine, *all = NULL;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  find_place(&mine);
  if (rank == 0) PetscCall(PetscMalloc1(size, &all));
  PetscCallMPI(MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, comm));
  if (rank == 0) {
    add_hosts(size, all, json);
    add_processor(size, all, json);
    add_binding(size, all, json);
    add_job(json);
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
