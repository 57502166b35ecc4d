#define _POSIX_C_SOURCE 200809L // isatty
/* Time, rows, and what is printed on the way. */
#include "bench.h"
#include "io/json.h"
#include "study/common/median.h"
#include <math.h>
#include <unistd.h>

enum { MOST_REPEATS = 200, LEAST_REPEATS = 3, MOST_RUNS = 1000 };
static const double least_time = 5e-4; // s: shorter runs are timed several at once

PetscErrorCode wring_bench_slowest(const wring_bench *b, double *seconds)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, b->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode time_runs(const wring_bench *b, const wring_bench_work *w, int runs, double *seconds)
{
  PetscFunctionBegin;
  if (w->before) PetscCall(w->before(w->context));
  PetscCallMPI(MPI_Barrier(b->comm));
  const double start = MPI_Wtime();
  for (int i = 0; i < runs; i++) PetscCall(w->run(w->context));
  *seconds = (MPI_Wtime() - start) / runs;
  PetscCall(wring_bench_slowest(b, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_time(const wring_bench *b, const wring_bench_work *w, double budget, wring_bench_row *row)
{
  double         sample[MOST_REPEATS], first, sum = 0;
  wring_core_use use;
  int            n = 0;

  PetscFunctionBegin;
  wring_core_use_measure(&use);
  PetscCall(time_runs(b, w, 1, &first)); // fills the caches too
  const int runs = w->before ? 1 : (int)PetscMin(MOST_RUNS, ceil(least_time / PetscMax(first, 1e-9)));
  if (first >= budget) sample[n++] = first;
  while (first < budget && n < MOST_REPEATS && (n < LEAST_REPEATS || sum < budget)) {
    PetscCall(time_runs(b, w, runs, &sample[n]));
    sum += runs * sample[n++];
  }
  PetscCall(wring_median(n, sample, &row->seconds));
  PetscCall(wring_core_share(b->comm, &use, &row->waited));
  row->repeats = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* On a terminal every row; in a log one line in ten seconds. */
static void print_progress(wring_bench *b, const char *what, const char *work)
{
  const double now = MPI_Wtime();
  if (b->printed == 0) {
    b->terminal = (PetscBool)(isatty(STDOUT_FILENO) && isatty(STDERR_FILENO));
    b->printed  = b->start;
  }
  if (!b->terminal && now - b->printed < 10) return;
  b->printed = now;
  printf("%s%.0f s, %" PetscInt_FMT " rows: %s %s%s", b->terminal ? "\r" : "", now - b->start, b->n_row, what, work,
         b->terminal ? "\033[K" : "\n");
  fflush(stdout);
}

PetscErrorCode wring_bench_begin_row(wring_bench *b, const char *what, const char *work, PetscBool *due)
{
  PetscFunctionBegin;
  PetscCall(wring_stopper_check(&b->stopper));
  *due = (PetscBool)!b->stopper.cause;
  if (*due && b->output.rank == 0) print_progress(b, what, work);
  wring_core_watch_look(&b->watch);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_keep(wring_bench *b, const wring_bench_row *row)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(b->n_row + 1) * sizeof *b->row, &b->row));
  b->row[b->n_row++] = *row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_measure(wring_bench *b, const wring_bench_work *w, const wring_bench_row *row,
                                   wring_bench_row **kept)
{
  PetscBool due;

  PetscFunctionBegin;
  *kept = NULL;
  PetscCall(wring_bench_begin_row(b, row->name, row->work, &due));
  if (!due) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_bench_keep(b, row));
  *kept = &b->row[b->n_row - 1];
  PetscCall(wring_bench_time(b, w, b->budget, *kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_bench_leave_out(wring_bench *b, const char *part, const char *name, const char *material, const char *reason)
{
  json_array_append_new(b->skips, wring_json_object("part", JSON(part), "name", JSON(name), "material", JSON(material),
                                                    "reason", JSON(reason), NULL));
}
