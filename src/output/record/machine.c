/* Where a command runs: hosts, ranks on each, processor, the cores of each rank, the job of a batch system. */
#define _POSIX_C_SOURCE 200809L // gethostname
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of one rank. */
typedef struct {
  char host[64], processor[80], cores[112];
} place;

static void find_place(place *p)
{
  FILE *const f = fopen("/proc/cpuinfo", "r");
  char        line[1024];
  *p = (place){.host = "unknown"};
  if (gethostname(p->host, sizeof p->host - 1)) snprintf(p->host, sizeof p->host, "unknown");
  while (f && !p->processor[0] && fgets(line, sizeof line, f)) {
    const char *const colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(p->processor, sizeof p->processor, "%s", colon + 1 + strspn(colon + 1, " \t"));
  }
  if (f) fclose(f);
  wring_cores_list(sizeof p->cores, p->cores);
}

/* Counts a text in an object whose keys are texts. */
static void count(json_t *counts, const char *text)
{
  json_object_set_new(counts, text, JSON(json_integer_value(json_object_get(counts, text)) + 1));
}

static void add_hosts(PetscMPIInt n, const place *p, json_t *json)
{
  json_t *const counts = json_object(), *const hosts = json_array(), *const ranks = json_array();
  const char *host;
  json_t     *number;
  for (PetscMPIInt i = 0; i < n; i++) count(counts, p[i].host);
  json_object_foreach(counts, host, number)
  {
    json_array_append_new(hosts, JSON(host));
    json_array_append(ranks, number);
  }
  json_decref(counts);
  wring_json_set(json, "hosts", hosts, "ranks_per_host", ranks, NULL);
}

/* The models of all hosts, null if no model is known. */
static void add_processor(PetscMPIInt n, const place *p, json_t *json)
{
  json_t *const models     = json_object();
  char          text[1024] = "";
  const char   *model;
  json_t       *ranks;
  for (PetscMPIInt i = 0; i < n; i++)
    if (p[i].processor[0]) count(models, p[i].processor);
  json_object_foreach(models, model, ranks)
  {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", model);
  }
  json_decref(models);
  json_object_set_new(json, "processor", text[0] ? JSON(text) : json_null());
}

static void add_binding(PetscMPIInt n, const place *p, json_t *json)
{
  json_t *const cores = json_array();
  for (PetscMPIInt i = 0; i < n; i++) json_array_append_new(cores, p[i].cores[0] ? JSON(p[i].cores) : json_null());
  json_object_set_new(json, "binding",
                      wring_json_object("cores", cores, "omp_proc_bind", JSON(getenv("OMP_PROC_BIND")), "omp_places",
                                        JSON(getenv("OMP_PLACES")), NULL));
}

/* Null outside of a batch system. */
static json_t *find_job(void)
{
  static const struct {
    const char *system, *id, *name;
  } systems[] = {{"slurm", "SLURM_JOB_ID", "SLURM_JOB_NAME"},
                 {"pbs", "PBS_JOBID", "PBS_JOBNAME"},
                 {"lsf", "LSB_JOBID", "LSB_JOBNAME"},
                 {"flux", "FLUX_JOB_ID", "FLUX_JOB_NAME"}};
  for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
    if (!getenv(systems[i].id)) continue;
    return wring_json_object("system", JSON(systems[i].system), "id", JSON(getenv(systems[i].id)), "name",
                             JSON(getenv(systems[i].name)), NULL);
  }
  return json_null();
}

PetscErrorCode wring_record_machine(MPI_Comm comm, json_t *json)
{
  place mine, *all = NULL;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm), size = wring_comm_size(comm);
  find_place(&mine);
  if (rank == 0) PetscCall(PetscMalloc1(size, &all));
  PetscCallMPI(MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, comm));
  if (rank == 0) {
    add_hosts(size, all, json);
    add_processor(size, all, json);
    add_binding(size, all, json);
    json_object_set_new(json, "job", find_job());
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
