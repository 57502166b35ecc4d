/*
  The triad w = a x + y of STREAM [McCalpin 1995], 24 bytes an element, which all rows are compared with: by one thread
  and by all threads of rank 0 while the others wait, and by all ranks at once.
*/
#include "bench.h"
#include <math.h>

typedef struct {
  PetscInt n;
  double  *x, *y, *w;
} triad;

static PetscErrorCode run(void *context)
{
  triad *const t = context;

  PetscFunctionBegin;
  if (t->n > 0) wring_waxpy(t->n, 3, t->x, t->y, t->w);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n elements of this rank; pages lie where the threads that write them first are. Bytes per second of all ranks. */
static PetscErrorCode measure(const wring_bench *b, PetscInt n, double *rate)
{
  triad                  t    = {.n = n};
  const wring_bench_work work = {.run = run, .context = &t};
  wring_bench_row        row;
  double                 sum = (double)n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)n, &t.x, (size_t)n, &t.y, (size_t)n, &t.w));
  wring_fill(n, 1, t.x);
  wring_fill(n, 2, t.y);
  wring_fill(n, 0, t.w);
  PetscCall(wring_bench_time(b, &work, 2 * b->budget, &row));
  PetscCall(PetscFree3(t.x, t.y, t.w));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, b->comm));
  *rate = 3 * sizeof(double) * sum / row.seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Bytes of all three arrays: four times the last cache, which cores that this program does not use may share, within
  limits. The ranks of a node share them.
*/
static PetscErrorCode choose_size(wring_bench *b, PetscInt *alone, PetscInt *together)
{
  const double least = 192e6, most = 512e6, least_together = 12e6;
  MPI_Comm     node;
  PetscMPIInt  neighbours;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(b->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &neighbours));
  PetscCallMPI(MPI_Comm_free(&node));
  b->cache           = wring_last_cache();
  const double bytes = fmin(most, fmax(least, 4 * b->cache));
  b->array           = floor(bytes / 3);
  *alone             = (PetscInt)(bytes / 24);
  *together          = (PetscInt)(fmax(bytes / neighbours, least_together) / 24);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_bandwidth(wring_bench *b)
{
  static const char *const what[]  = {"1 thread", "all threads of a rank", "all ranks"};
  const int                threads = wring_max_threads();
  PetscInt                 n[3];
  PetscBool                due;

  PetscFunctionBegin;
  PetscCall(choose_size(b, &n[0], &n[2]));
  if (b->rank != 0) n[0] = 0;
  n[1] = n[0];
  for (int i = 0; i < 3; i++) {
    PetscCall(wring_bench_begin_row(b, "triad", what[i], &due));
    if (!due) break;
    wring_set_threads(i == 0 ? 1 : threads);
    PetscCall(measure(b, n[i], &b->triad[i]));
  }
  wring_set_threads(threads);
  PetscFunctionReturn(PETSC_SUCCESS);
}
