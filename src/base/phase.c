#include <wring/base.h>

void wring_phases_start(wring_phases *p)
{
  *p = (wring_phases){.since = MPI_Wtime(), .now = WRING_PHASE_OTHER};
  wring_core_use_measure(&p->read);
}

/* Takes 3 in 1000 of the time at most. A thread that has ended takes its seconds with it. */
void wring_phases_read_cores(wring_phases *p)
{
  static const double   share = 3e-3, least = 1e-3; // s: shorter than a time slice
  const double          begun = MPI_Wtime();
  wring_core_use *const sum   = &p->cores[p->now];
  wring_core_use        now;
  wring_core_use_measure(&now);
  sum->running += PetscMax(0, now.running - p->read.running);
  sum->ready += PetscMax(0, now.ready - p->read.ready);
  sum->switches += now.switches - p->read.switches;
  p->read = now;
  p->due  = begun + PetscMax(least, (MPI_Wtime() - begun) / share);
}

static void enter(wring_phases *p, wring_phase to)
{
  const double t = MPI_Wtime();
  p->seconds[p->now] += t - p->since;
  if (t >= p->due) wring_phases_read_cores(p);
  p->since = t;
  p->now   = to;
}

wring_phase wring_phases_switch(wring_phases *p, wring_phase to)
{
  if (!p) return WRING_PHASE_OTHER;
  const wring_phase old = p->now;
  if (old != WRING_PHASE_MEASURING) enter(p, to);
  return old;
}

void wring_phases_leave_measuring(wring_phases *p, wring_phase to)
{
  if (p) enter(p, to);
}

double wring_phases_total(const wring_phases *p)
{
  double total = MPI_Wtime() - p->since;
  for (int i = 0; i < WRING_N_PHASE; i++) total += p->seconds[i];
  return total;
}

const char *wring_phase_name(wring_phase phase)
{
  static const char *const name[WRING_N_PHASE] = {
    "other", "mesh",      "local",  "contact",   "operator_set_up", "operator_solve",
    "halo",  "reduction", "vector", "measuring", "output",
  };
  return name[phase];
}

/* ---- counts of work ---------------------------------------------------------------------------------------------- */

void wring_count(wring_phases *p, wring_work_kind kind, PetscInt64 n)
{
  if (p && p->now != WRING_PHASE_MEASURING) p->work.of[kind] += n;
}

wring_counts wring_counts_now(const wring_phases *p)
{
  return p ? p->work : (wring_counts){{0}};
}

wring_counts wring_counts_since(const wring_phases *p, const wring_counts *from)
{
  wring_counts work = wring_counts_now(p);
  for (int i = 0; i < WRING_N_WORK; i++) work.of[i] -= from->of[i];
  return work;
}

void wring_counts_add(const wring_counts *more, wring_counts *sum)
{
  for (int i = 0; i < WRING_N_WORK; i++) sum->of[i] += more->of[i];
}

const char *wring_work_name(wring_work_kind kind)
{
  static const char *const name[WRING_N_WORK] = {
    "evaluations", "gradients",  "hessians",         "factorisations",    "linear_solves",      "products",
    "exchanges",   "reductions", "contact_searches", "contact_exchanges", "contact_reductions",
  };
  return name[kind];
}
