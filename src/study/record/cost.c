/* What a result has cost, over all ranks: seconds of each phase, work, memory. */
#include "provenance.h"

typedef struct {
  double value;
  int    rank;
} of_rank; // as MPI_DOUBLE_INT

/* Rows of what is measured on each rank: the phases, then these. */
enum { MEMORY = WRING_N_PHASE, TOTAL, N_ROW };

PetscErrorCode wring_record_cost(wring_problem *p, json_t *json)
{
  json_t *const seconds = json_object(), *const phases = json_object();
  double  mine[N_ROW], least[N_ROW], sum[N_ROW];
  of_rank own[N_ROW], most[N_ROW];

  PetscFunctionBegin;
  wring_phases_switch(&p->phases, p->phases.now); // accounts for the time up to now
  for (int i = 0; i < WRING_N_PHASE; i++) mine[i] = p->phases.seconds[i];
  mine[MEMORY] = wring_peak_memory();
  mine[TOTAL]  = wring_phases_total(&p->phases);
  for (int i = 0; i < N_ROW; i++) own[i] = (of_rank){mine[i], p->rank};
  PetscCallMPI(MPI_Allreduce(mine, least, N_ROW, MPI_DOUBLE, MPI_MIN, p->comm));
  PetscCallMPI(MPI_Allreduce(mine, sum, N_ROW, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscCallMPI(MPI_Allreduce(own, most, N_ROW, MPI_DOUBLE_INT, MPI_MAXLOC, p->comm));
  for (int i = 0; i < WRING_N_PHASE; i++) {
    const double      mean = PetscMax(least[i], PetscMin(most[i].value, sum[i] / p->size)); // the sum is rounded
    const char *const name = wring_phase_name((wring_phase)i);
    json_object_set_new(phases, name,
                        wring_json_set(json_object(), "least", wring_json_real(least[i]), "mean", wring_json_real(mean),
                                       "largest", wring_json_real(most[i].value), "slowest", json_integer(most[i].rank),
                                       NULL));
    json_object_set_new(seconds, name, wring_json_real(most[i].value));
  }
  json_object_set_new(seconds, "total", wring_json_real(most[TOTAL].value));
  const json_int_t all = (json_int_t)sum[MEMORY], largest = (json_int_t)most[MEMORY].value;
  wring_json_set(json, "seconds", seconds, "phases", phases, "work", wring_work_json(&p->phases.work), "peak_memory",
                 json_integer(all), "memory",
                 wring_json_set(json_object(), "largest", json_integer(largest), "largest_rank",
                                json_integer(most[MEMORY].rank), "all", json_integer(all), NULL),
                 NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}
