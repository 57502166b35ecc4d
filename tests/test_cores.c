/* Cores: what a process may use, and that waiting for a core is measured and said once. ranks: 1 2 */
#define _GNU_SOURCE
#include "check.h"
#include "study/common/cores.h"
#include "study/run/progress.h"
#include <sched.h>
#include <time.h>

/* Fails if the sums of a node are not those of its ranks, or if a rank may use more cores than its node. */
static PetscErrorCode check_counts(void)
{
  wring_cores c;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(wring_cores_measure(PETSC_COMM_WORLD, &c));
  CHECK(c.node_ranks == size, "%d ranks of %d", c.node_ranks, size); // tests run on one node
  CHECK(c.node_threads == size * c.threads, "%d threads", c.node_threads);
  CHECK(c.cores > 0 && c.cores <= c.node_cores && c.node_cores <= c.installed, "%d of %d of %d cores", c.cores,
        c.node_cores, c.installed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double clock_seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Computes for `seconds` of this thread on a core; the time without one until then. */
static double compute(double seconds)
{
  volatile double sum   = 0;
  double          used  = 0;
  const double    start = clock_seconds(CLOCK_THREAD_CPUTIME_ID), began = clock_seconds(CLOCK_MONOTONIC);
  while (used < seconds) {
    for (int i = 0; i < 10000; i++) sum = sum + i;
    used = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
  }
  return clock_seconds(CLOCK_MONOTONIC) - began - used;
}

/* Two threads that compute at the same time on one core: each waits for about as long as it runs. Returns the sum. */
static double compute_on_one_core(void)
{
  cpu_set_t all, one;
  int       first  = 0;
  double    waited = 0;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0, "no affinity");
  while (!CPU_ISSET(first, &all)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
#pragma omp parallel num_threads(2) reduction(+ : waited)
  {
    sched_setaffinity(0, sizeof one, &one); // of this thread
#pragma omp barrier
    waited += compute(0.1);
#pragma omp barrier
    sched_setaffinity(0, sizeof all, &all);
  }
  return waited;
}

/* Whether this system counts, as the first number of schedstat says, which is then above 0. */
static PetscBool system_counts(void)
{
  FILE *const file = fopen("/proc/self/schedstat", "r");
  long long   run  = 0;
  if (!file) return PETSC_FALSE;
  const int n = fscanf(file, "%lld", &run);
  fclose(file);
  return (PetscBool)(n == 1 && run > 0);
}

/* Fails if time without a core is not counted where the system does, if it is not said, or if it is said twice. */
static PetscErrorCode check_waiting(void)
{
  wring_core_use   before, after;
  wring_core_watch watch;
  double           waited = 0;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  wring_core_use_measure(&before);
  CHECK((before.running > 0) == system_counts(), "%g s on the core", before.running);
  if (before.running <= 0) {
    printf("not tested: this system does not count the time without a core\n");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_core_watch_start(PETSC_COMM_WORLD, &watch));
  watch.said = (PetscBool)(rank > 0);                                           // whatever threads and cores there are
  for (int i = 0; i < 20 && waited < 0.1; i++) waited += compute_on_one_core(); // once, unless a thread is late
  wring_core_use_measure(&after);
  const double running = after.running - before.running, ready = after.ready - before.ready;
  CHECK(waited >= 0.1, "two threads on one core waited %g s", waited);
  CHECK(running > 0.19 && ready > 0.5 * waited, "%g s on the core, %g s without, of %g s", running, ready, waited);
  watch.since = MPI_Wtime() + 100; // a period has not yet passed
  wring_core_watch_look(&watch);
  CHECK(watch.said == (rank > 0), "said too early");
  watch.since = MPI_Wtime() - 10;
  wring_core_watch_look(&watch);
  CHECK(watch.said, "not said");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a slow start stays in the time per step that a progress line gives, or if few steps are averaged wrongly. */
static void check_rate(void)
{
  wring_progress g               = {.first = 100};
  *wring_progress_ended(&g, 100) = 5;
  CHECK(wring_progress_rate(&g, 100) == 0, "a rate without a step");
  for (PetscInt k = 1; k <= 40; k++) {
    *wring_progress_ended(&g, 100 + k) = 25 + (double)k; // the first step takes 21 s, every other 1 s
    const double rate = wring_progress_rate(&g, 100 + k), mean = k <= 10 ? (20 + (double)k) / (double)k : 1;
    CHECK(fabs(rate - mean) < 1e-12, "step %d: %g s/step, expected %g", (int)k, rate, mean);
  }
}

static PetscErrorCode run(void)
{
  PetscFunctionBegin;
  PetscCall(check_counts());
  PetscCall(check_waiting());
  check_rate();
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  if (run()) return 1;
  return PetscFinalize() ? 1 : 0;
}
