#include "cores.h"
#include "io/print.h"

/*
  More threads than cores: of a rank, or else of a node. An affinity mask is usually that of mpiexec, which binds one or
  two ranks of Open MPI to a core each.
*/
static void find_fault(const wring_cores *c, PetscMPIInt rank, wring_error *note)
{
  char cure[128];
  if (c->cores == 0) return; // unknown
  const int fit = c->node_cores / c->node_ranks;
  if (c->threads > c->cores) {
    if (c->cores < c->installed && c->threads <= c->installed)
      snprintf(cure, sizeof cure, "start mpiexec with --bind-to none or --map-by slot:PE=%d, or set OMP_NUM_THREADS=%d",
               c->threads, c->cores);
    else
      snprintf(cure, sizeof cure, "set OMP_NUM_THREADS=%d", c->cores);
    wring_error_set(note, "the %d threads of rank %d may use %d core%s only, and wait for each other: %s", c->threads,
                    (int)rank, c->cores, c->cores == 1 ? "" : "s", cure);
  } else if (c->node_threads > c->node_cores) {
    if (c->node_cores < c->installed && c->node_threads <= c->installed)
      snprintf(cure, sizeof cure, "start mpiexec with --bind-to none");
    else if (fit > 0)
      snprintf(cure, sizeof cure, "set OMP_NUM_THREADS=%d", fit);
    else
      snprintf(cure, sizeof cure, "start at most %d rank%s on a node, with OMP_NUM_THREADS=1", c->node_cores,
               c->node_cores == 1 ? "" : "s");
    wring_error_set(note, "%d ranks with %d threads together share %d core%s, and wait for each other: %s",
                    c->node_ranks, c->node_threads, c->node_cores, c->node_cores == 1 ? "" : "s", cure);
  }
}

PetscErrorCode wring_core_watch_start(MPI_Comm comm, wring_core_watch *w)
{
  wring_cores c;
  wring_error note = {0};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  PetscCall(wring_cores_measure(comm, &c));
  find_fault(&c, rank, &note);
  PetscCall(wring_error_share(comm, &note));
  if (wring_failed(&note)) PetscCall(wring_note(comm, "%s", note.text));
  *w = (wring_core_watch){.comm = comm, .said = (PetscBool)(wring_failed(&note) || rank > 0), .since = MPI_Wtime()};
  wring_core_use_measure(&w->use);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const double PERIOD = 1;    // s, between looks
static const double SHARE  = 0.05; // of the time in which threads run or are ready to

PetscBool wring_core_shared(double share)
{
  return (PetscBool)(share > SHARE);
}

static void say(wring_core_watch *w, double rank, double share)
{
  if (w->said || !wring_core_shared(share)) return;
  w->said = PETSC_TRUE;
  wring_say(w->comm,
            "the threads of rank %.0f waited for a core in %.0f %% of their time: other processes use the same cores, "
            "and times are too long; end them, use fewer ranks or threads, or start mpiexec with --bind-to none if it "
            "binds two runs to the same cores",
            rank, 100 * share);
}

static double share_since(const wring_core_use *before, wring_core_use *now)
{
  wring_core_use_measure(now);
  const double ready = now->ready - before->ready, busy = now->running - before->running + ready;
  return busy > 0 && ready > 0 ? ready / busy : 0;
}

/* Ranks do not communicate: rank 0 speaks for its own threads. */
void wring_core_watch_look(wring_core_watch *w)
{
  const double   now = MPI_Wtime();
  wring_core_use use;
  if (w->said || now - w->since < PERIOD) return;
  say(w, 0, share_since(&w->use, &use));
  w->since = now;
  w->use   = use;
}

void wring_core_watch_end(wring_core_watch *w, const json_t *record)
{
  static const double least  = 0.1; // s: below, noise
  const json_t *const waited = json_object_get(record, "waited");
  if (wring_json_number(waited, "largest") > least)
    say(w, wring_json_number(waited, "share_rank"), wring_json_number(waited, "share"));
}

PetscErrorCode wring_core_share(MPI_Comm comm, const wring_core_use *before, double *share)
{
  wring_core_use now;

  PetscFunctionBegin;
  *share = share_since(before, &now);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, share, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
