/* The record of a problem: its mesh, its operator, and what it has cost. */
#include "record.h"
#include <time.h>

void wring_record_date(const char *key, json_t *json)
{
  const time_t now = time(NULL);
  char         date[32];
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  json_object_set_new(json, key, JSON(date));
}

/* Null if it was never needed. */
static json_t *operator_json(const wring_problem *p)
{
  wring_operator_info info;
  if (!wring_problem_has_matrix(p)) return json_null();
  wring_operator_get_info(p->op, &info);
  return wring_json_object("type", JSON(info.type), "library", JSON(info.library), "rtol",
                           info.rtol == WRING_OPERATOR_ROUGH ? json_null() : JSON(info.rtol), "set_ups",
                           JSON(info.set_ups), "solves", JSON(info.solves), "iterations", JSON(info.total_iterations),
                           "memory", JSON(info.memory), NULL);
}

/* ---- what a result has cost, over all ranks ---------------------------------------------------------------------- */

typedef struct {
  double value;
  int    rank;
} of_rank; // as MPI_DOUBLE_INT

/* Rows of what is measured on each rank: three of the phases, then these. */
enum {
  WAITED     = WRING_N_PHASE,
  SWITCHES   = 2 * WRING_N_PHASE,
  ALL_WAITED = 3 * WRING_N_PHASE,
  SHARE,
  MEMORY,
  TOTAL,
  N_ROW
};

static void measure(wring_problem *p, double row[N_ROW])
{
  double running = 0, ready = 0;
  wring_phases_read_cores(&p->phases);
  wring_phases_switch(&p->phases, p->phases.now); // accounts for the time up to now
  for (int i = 0; i < WRING_N_PHASE; i++) {
    const wring_core_use *const use = &p->phases.cores[i];
    row[i]                          = p->phases.seconds[i];
    row[WAITED + i]                 = use->ready;
    row[SWITCHES + i]               = use->switches;
    running += use->running;
    ready += use->ready;
  }
  row[ALL_WAITED] = ready;
  row[SHARE]      = ready > 0 ? ready / (running + ready) : 0;
  row[MEMORY]     = wring_peak_memory();
  row[TOTAL]      = wring_phases_total(&p->phases);
}

/* Of threads that waited for a core [s]; phase -1: in all phases. */
static json_t *waits_json(const wring_problem *p, const double *sum, const of_rank *most, int phase)
{
  const int row      = phase < 0 ? ALL_WAITED : WAITED + phase;
  double    switches = 0;
  for (int i = 0; i < WRING_N_PHASE; i++) switches += i == phase || phase < 0 ? sum[SWITCHES + i] : 0;
  return wring_json_object("mean", JSON(sum[row] / p->size), "largest", JSON(most[row].value), "slowest",
                           JSON(most[row].rank), "switches", JSON((json_int_t)switches), NULL);
}

/* Adds `seconds` and `phases`, `waited`, `work`, `peak_memory` and `memory`, the same on all ranks. */
static PetscErrorCode add_cost(wring_problem *p, json_t *json)
{
  json_t *const seconds = json_object(), *const phases = json_object();
  double  mine[N_ROW], least[N_ROW], sum[N_ROW];
  of_rank own[N_ROW], most[N_ROW];

  PetscFunctionBegin;
  measure(p, mine);
  for (int i = 0; i < N_ROW; i++) own[i] = (of_rank){mine[i], p->rank};
  PetscCallMPI(MPI_Allreduce(mine, least, N_ROW, MPI_DOUBLE, MPI_MIN, p->comm));
  PetscCallMPI(MPI_Allreduce(mine, sum, N_ROW, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscCallMPI(MPI_Allreduce(own, most, N_ROW, MPI_DOUBLE_INT, MPI_MAXLOC, p->comm));
  for (int i = 0; i < WRING_N_PHASE; i++) {
    const double      mean = PetscMax(least[i], PetscMin(most[i].value, sum[i] / p->size)); // the sum is rounded
    const char *const name = wring_phase_name((wring_phase)i);
    json_object_set_new(phases, name,
                        wring_json_object("least", JSON(least[i]), "mean", JSON(mean), "largest", JSON(most[i].value),
                                          "slowest", JSON(most[i].rank), "waited", waits_json(p, sum, most, i), NULL));
    json_object_set_new(seconds, name, JSON(most[i].value));
  }
  json_object_set_new(seconds, "total", JSON(most[TOTAL].value));
  json_object_set_new(json, "waited", waits_json(p, sum, most, -1));
  wring_json_set(json_object_get(json, "waited"), "share", JSON(most[SHARE].value), "share_rank",
                 JSON(most[SHARE].rank), NULL);
  const json_int_t all = (json_int_t)sum[MEMORY], largest = (json_int_t)most[MEMORY].value;
  wring_json_set(
    json, "seconds", seconds, "phases", phases, "work", wring_work_json(&p->phases.work), "peak_memory", JSON(all),
    "memory",
    wring_json_object("largest", JSON(largest), "largest_rank", JSON(most[MEMORY].rank), "all", JSON(all), NULL), NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_record_problem(wring_problem *p, json_t *json)
{
  const wring_mesh *const m = p->mesh;
  wring_mesh_info         info;
  PetscInt64              triangles, lines;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  PetscCall(wring_problem_count(p, &triangles, &lines));
  json_object_set_new(json, "mesh",
                      wring_json_object("vertices", JSON(m->number.n_global), "tets", JSON(m->tets.n_global),
                                        "triangles", JSON(triangles), "lines", JSON(lines), "regions",
                                        JSON(m->regions.n), "sets", JSON(m->set.names.n), "volume", JSON(info.volume),
                                        "mass", JSON(p->total_mass), "min_quality", JSON(info.min_quality),
                                        "balance_tets", JSON(info.balance_tets), "balance_vertices",
                                        JSON(info.balance_vertices), "ghosts", JSON(info.ghosts), NULL));
  json_object_set_new(json, "operator", operator_json(p));
  PetscCall(add_cost(p, json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
